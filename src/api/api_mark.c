/* api_mark -- the public interface: one step from other operands, and a program with another formula. */
#include <stdio.h>
#include <string.h>

#include "api/api.h"

static const lh_place nowhere;

/* ---- one step from given operands ---- */

typedef struct evaluation {
    longhand *lh;
    lh_arena *arena;
    const lh_step *step;
    const lh_step **operand;
    lh_node **known; /* held steps, then operands that would be computed */
    int n_known;
    lh_plan *plan;
} evaluation;

static bool find_operands(evaluation *v, const longhand_operand *operand, int n) {
    longhand *lh = v->lh;
    size_t room = (size_t)lh->n_held + (size_t)(n > 0 ? n : 0) + 1;
    v->operand = lh_alloc_array(v->arena, room, sizeof(lh_step *));
    v->known = lh_alloc_array(v->arena, room, sizeof(lh_node *));
    if (!v->operand || !v->known) return false;
    for (int i = 0; i < lh->n_held; i++) v->known[v->n_known++] = lh->held[i];
    for (int i = 0; i < n; i++) {
        v->operand[i] = lh_api_find(lh, operand[i].name);
        if (!v->operand[i]) return false;
        if (lh_api_is_given(v->operand[i]->node)) continue;
        if (v->operand[i]->node->kind == LH_OP_size) {
            lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%s is a size and shapes the program",
                    v->operand[i]->path);
            return false;
        }
        v->known[v->n_known++] = lh_api_result(v->operand[i]->node);
    }
    return true;
}

/* A plan for this step alone. Numbers that are not among the operands begin as they are now. */
static bool make_plan(evaluation *v) {
    longhand *lh = v->lh;
    lh_node *wanted[] = {v->step->node};
    v->plan = lh_exact.plan(
        lh->g, &(lh_wish){.node = wanted, .n_nodes = 1, .known = v->known, .n_known = v->n_known});
    if (!v->plan) return false;
    lh_exact.start(v->plan);
    lh_exact.training(v->plan, lh->is_training);
    lh_exact.bind(v->plan, lh->batch, lh->n_batch);
    if (lh_failed(lh->ctx)) return false;
    lh_api_inherit(lh, lh->plan, v->plan);
    for (int i = 0; i < v->n_known; i++) lh_api_copy(v->known[i], lh->plan, v->plan);
    return true;
}

size_t longhand_evaluate(longhand *lh, const char *name, const longhand_operand *operand, int n,
                         longhand_part part, double *to, size_t room) {
    if (!lh_api_numbers(lh)) return 0;
    evaluation v = {.lh = lh, .arena = lh_arena_new(lh->ctx), .step = lh_api_find(lh, name)};
    size_t taken = 0;
    if (v.arena && v.step && find_operands(&v, operand, n) && make_plan(&v)) {
        for (int i = 0; i < n; i++)
            if (lh_exact.has(v.plan, v.operand[i]->node))
                lh_api_put(lh, v.plan, v.operand[i], operand[i].part,
                           (lh_api_given){.exact = operand[i].cell}, operand[i].n);
        lh_exact.run(v.plan);
        if (!lh_failed(lh->ctx))
            taken = lh_api_take(lh, v.plan, v.step, part, (lh_api_array){.exact = to}, room);
    }
    lh_exact.free(v.plan);
    lh_arena_free(v.arena);
    return taken;
}

/* ---- another formula ---- */

/* Both sides of "pattern => pattern", in arena; an error shows the rule's own text. */
static bool read_rule(longhand *lh, lh_arena *arena, const lh_step *s, const longhand_rule *rule,
                      lh_rewrite *out) {
    const char *text = rule->text ? rule->text : "", *arrow = strstr(text, "=>");
    if (!arrow) {
        lh_fail(lh->ctx, LH_ERROR_TEXT, nowhere, "%.80s: the => of a rule is missing", text);
        lh_cure(lh->ctx, "a / sqrt(cols(k)) => a");
        return false;
    }
    *out = (lh_rewrite){.path = lh_copy(arena, s->path, strlen(s->path)),
                        .candidate = rule->place,
                        .choice = rule->letter ? lh_copy(arena, rule->letter, strlen(rule->letter))
                                               : NULL,
                        .chosen = rule->number,
                        .look = rule->look};
    out->from = lh_expr_parse(lh->ctx, arena, text, (size_t)(arrow - text));
    out->to = lh_expr_parse(lh->ctx, arena, arrow + 2, strlen(arrow + 2));
    if (lh_failed(lh->ctx))
        snprintf(lh->ctx->error.file, sizeof lh->ctx->error.file, "rule %.200s", text);
    return !lh_failed(lh->ctx);
}

int longhand_matches(longhand *lh, const char *name, longhand_rule rule) {
    if (!lh_api_graph(lh)) return 0;
    const lh_step *s = lh_api_find(lh, name);
    lh_arena *scratch = s ? lh_arena_new(lh->ctx) : NULL;
    lh_rewrite r;
    int n = scratch && read_rule(lh, scratch, s, &rule, &r) ? lh_rewrite_matches(lh->g, s, &r) : 0;
    lh_arena_free(scratch);
    return n;
}

/* A rule that cannot be built is forgotten: the program stays what it was. */
void longhand_rewrite(longhand *lh, const char *name, longhand_rule rule) {
    if (!lh_api_graph(lh)) return;
    const lh_step *s = lh_api_find(lh, name);
    lh_rewrite r;
    if (!s || !read_rule(lh, lh->arena, s, &rule, &r)) return;
    int n = lh_rewrite_matches(lh->g, s, &r);
    if (rule.place < 0 || rule.place >= n) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%.120s fits %s = %.200s in %d places, not in %d",
                rule.text, s->path, lh_step_formula(lh->g, s), n, rule.place + 1);
        return;
    }
    lh_api_rewrite(lh, r);
    lh_api_graph(lh);
}
