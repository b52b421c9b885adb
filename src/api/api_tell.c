/* api_tell -- the public interface: steps, explanations and costs in words. */
#include "api/api.h"

static const lh_place nowhere;

static longhand_kind kind_of(const lh_step *s) {
    if (lh_step_is_inner(s)) return LONGHAND_INSIDE;
    switch (s->kind) {
    case LH_STEP_GIVEN: return LONGHAND_GIVEN;
    case LH_STEP_GRADIENT: return LONGHAND_GRADIENT;
    case LH_STEP_PART: return LONGHAND_PART;
    case LH_STEP_UPDATE: return LONGHAND_UPDATE;
    default: return LONGHAND_FORWARD;
    }
}

static bool has_formula(const lh_node *n) {
    return n->kind != LH_OP_given && n->kind != LH_OP_input && n->kind != LH_OP_size;
}

static const longhand_step no_step = {
    .kind = LONGHAND_GIVEN, .path = "", .formula = "", .comment = "", .shape = ""};

/* Texts are made once for each step, however often it is asked for. */
static const longhand_step *step_info(longhand *lh, const lh_step *s) {
    lh_graph *g = lh->g;
    if (!lh->step) lh->step = lh_alloc_array(g->arena, (size_t)g->n_steps + 1, sizeof *lh->step);
    if (!lh->step) return &no_step;
    longhand_step *info = &lh->step[s->id];
    if (!info->path)
        *info = (longhand_step){
            .kind = kind_of(s),
            .path = s->path,
            .formula = has_formula(s->node) ? lh_step_formula(g, s) : "",
            .comment = s->comment ? s->comment : "",
            .shape = lh_shape_text(g, s->node->shape),
            .per_example = s->node->shape.is_batched,
            .line = s->at.line,
            .may_be_set = lh_api_is_given(s->node),
            .learns = s->node->kind == LH_OP_given && s->node->given->kind == LH_PARAM,
        };
    return lh_failed(lh->ctx) ? &no_step : info;
}

/* Steps whose place a rewrite has taken are left out. */
static const lh_step *live_step(const lh_graph *g, int i, int *n) {
    *n = 0;
    for (int k = 0; k < g->n_steps; k++) {
        if (g->step[k]->is_dead) continue;
        if ((*n)++ == i) return g->step[k];
    }
    return NULL;
}

int longhand_steps(longhand *lh) {
    int n = 0;
    if (lh_api_graph(lh)) live_step(lh->g, -1, &n);
    return n;
}

const longhand_step *longhand_step_at(longhand *lh, int i) {
    int n;
    if (!lh_api_graph(lh)) return &no_step;
    const lh_step *s = live_step(lh->g, i, &n);
    if (s) return step_info(lh, s);
    lh_fail(lh->ctx, LH_ERROR_NAME, nowhere, "there is no step %d: the program has %d, from 0", i,
            n);
    return &no_step;
}

const longhand_step *longhand_find(longhand *lh, const char *name) {
    if (!lh_api_graph(lh)) return &no_step;
    const lh_step *s = lh_api_find(lh, name);
    return s ? step_info(lh, s) : &no_step;
}

/* ---- explaining ---- */

static const char *or_nothing(const char *s) {
    return s ? s : "";
}

static void keep_explanation(longhand *lh, lh_explanation *e, bool has_own_examples) {
    longhand_line *line = lh_alloc_array(e->arena, (size_t)e->n_lines + 1, sizeof *line);
    const longhand_line **list = lh_alloc_array(e->arena, (size_t)e->n_lines + 1, sizeof *list);
    for (int i = 0; line && list && i < e->n_lines; i++) {
        line[i] =
            (longhand_line){e->line[i].depth,   e->line[i].label, e->line[i].formula,
                            e->line[i].numbers, e->line[i].value, or_nothing(e->line[i].note)};
        list[i] = &line[i];
    }
    if (has_own_examples) e->where = ""; /* its words count in the program */
    lh_explanation_free(lh->told);
    lh->told = e;
    lh->explanation = (longhand_explanation){
        .value = e->value,
        .path = e->step->path,
        .comment = or_nothing(e->step->comment),
        .where = or_nothing(e->where),
        .n_lines = line && list ? e->n_lines : 0,
        .line = list,
    };
}

static bool read_detail(longhand *lh, const longhand_detail *detail, lh_explain_how *how) {
    longhand_detail d;
    if (!lh_api_options(lh, detail, sizeof d, &d, sizeof d)) return false;
    *how = (lh_explain_how){.digits = d.digits, .deep = d.deep, .all_terms = d.all_terms};
    if (d.digits >= 0 && d.digits <= 17) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%d digits: from 1 to 17 are there", d.digits);
    return false;
}

const longhand_explanation *longhand_explain(longhand *lh, const char *address,
                                             const longhand_detail *detail) {
    lh_address a;
    lh_explain_how how;
    if (!lh_api_graph(lh)) return NULL;
    if (!lh_address_parse(lh->ctx, address ? address : "", &a)) return NULL;
    if (!read_detail(lh, detail, &how)) return NULL;
    if (!lh->from && !a.has_step) {
        if (!lh_api_numbers(lh)) return NULL;
        how.plan = lh->plan;
    }
    lh_explanation *e =
        lh->from ? lh->from->explain(lh, address, &how) : lh_explain(lh->g, address, &how);
    if (!e) return NULL;
    keep_explanation(lh, e, !lh->from && !a.has_step && lh->n_batch);
    return lh_failed(lh->ctx) ? NULL : &lh->explanation;
}

/* ---- cost ---- */

static longhand_amount amount(const lh_polynomial *p) {
    return (longhand_amount){lh_polynomial_value(p), lh_polynomial_text(p)};
}

const longhand_bill *longhand_cost(longhand *lh) {
    if (!lh_api_graph(lh)) return NULL;
    if (lh->bill) return &lh->costs;
    const lh_bill *b = lh->bill = lh_bill_new(lh->g, NULL, 0);
    if (!b) return NULL;
    const lh_cost *sum = b->sum[LH_WHOLE];
    lh->costs = (longhand_bill){
        .parameters = amount(&b->parameters),
        .states = amount(&b->states),
        .multiply_adds = amount(&sum[LH_EACH].multiply_adds),
        .operations = amount(&sum[LH_EACH].operations),
        .once_multiply_adds = amount(&sum[LH_ONCE].multiply_adds),
        .once_operations = amount(&sum[LH_ONCE].operations),
    };
    return lh_failed(lh->ctx) ? NULL : &lh->costs;
}
