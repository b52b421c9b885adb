/* practice_numbers -- what a learner has to go on with: own numbers, what they lead to, the working of one cell. */
#include <math.h>
#include <string.h>

#include "graph/op.h"
#include "learn/practice.h"

static lh_node *result_of(lh_node *n) {
    while (n->kind == LH_OP_call) n = n->call->result;
    return n;
}

static double own_number(const lh_practice *p, int ask, int k) {
    int cell = p->sheet->ask[ask].first + k;
    if (p->answers->cell[cell].kind == LH_WRITTEN_NUMBER) return p->answers->cell[cell].value;
    return isfinite(p->marks->own[cell]) ? p->marks->own[cell] : lh_sheet_exact(p->sheet, ask, k);
}

/* Own numbers count where they are of the moment that is asked; an earlier update is a param's start there. */
static bool counts(const lh_practice *p, int ask, int i) {
    const lh_sheet *s = p->sheet;
    return i != ask && s->ask[i].moment == s->ask[ask].moment && lh_practice_is_written(p, i);
}

static void give_updates(lh_practice *p, lh_plan *plan, int ask) {
    lh_sheet *s = p->sheet;
    int moment = s->ask[ask].moment;
    for (int i = 0; i < s->g->n_givens && moment > 0; i++) {
        const lh_node *n = s->g->given[i]->node, *renewed = s->g->given[i]->renewed;
        if (!renewed || !lh_exact.has(plan, n)) continue;
        lh_sizes z = lh_exact.sizes(plan, n, 0);
        for (int k = 0; k < z.rows * z.cols; k++) {
            lh_cell at = {0, 0, k / z.cols, k % z.cols};
            lh_exact.set(plan, n, at, lh_exact.get(s->at[moment], n, at));
        }
        for (int q = 0; q < s->n_asks; q++)
            for (int k = 0; s->ask[q].step == renewed->step && s->ask[q].moment == moment - 1 &&
                            lh_practice_is_written(p, q) && k < s->ask[q].n_cells;
                 k++)
                lh_exact.set(plan, n, lh_sheet_cell(s, q, k), own_number(p, q, k));
    }
}

lh_plan *lh_practice_plan(lh_practice *p, int ask) {
    lh_sheet *s = p->sheet;
    lh_arena *a = lh_arena_new(s->g->ctx);
    lh_node **known = a ? lh_alloc_array(a, (size_t)s->n_asks + 1, sizeof(lh_node *)) : NULL;
    int n = 0;
    for (int i = 0; known && i < s->n_asks; i++)
        if (counts(p, ask, i)) known[n++] = result_of(s->ask[i].step->node);
    lh_plan *plan =
        known ? lh_exact.plan(s->g, &(lh_wish){.all = true, .known = known, .n_known = n}) : NULL;
    if (plan) {
        lh_sheet_start(s->g, plan);
        lh_exact.at_step(plan, s->ask[ask].moment);
        lh_exact.bind(plan, NULL, 0);
        give_updates(p, plan, ask);
        for (int i = 0; i < s->n_asks; i++)
            for (int k = 0; counts(p, ask, i) && k < s->ask[i].n_cells; k++)
                lh_exact.set(plan, s->ask[i].step->node, lh_sheet_cell(s, i, k),
                             own_number(p, i, k));
        lh_exact.run(plan);
    }
    lh_arena_free(a);
    if (!lh_failed(s->g->ctx)) return plan;
    lh_exact.free(plan);
    return NULL;
}

static bool has_slip(const lh_practice *p) {
    for (int i = 0; i < p->sheet->n_asks; i++)
        if (p->marks->step[i].n_wrong) return true;
    return false;
}

double lh_practice_answer(const lh_practice *p, int ask, int k) {
    double own = p->marks->own[p->sheet->ask[ask].first + k];
    return has_slip(p) && isfinite(own) ? own : lh_sheet_exact(p->sheet, ask, k);
}

typedef struct finder {
    lh_practice *p;
    lh_arena *a;
    unsigned char *seen;
    lh_step **list;
    int n;
} finder;

/* The first named values on every way into the formula, in the order they stand. Lines of another step's call are values
 * too: the norm's deviation that its gradient uses. */
static void find_operands(finder *f, lh_node *n, bool is_whole, int depth) {
    if (f->seen[n->id] || depth > 500) return;
    f->seen[n->id] = 1;
    bool is_body = n->step && n->step->kind == LH_STEP_BODY;
    if (!is_whole && n->step && (!lh_step_is_inner(n->step) || is_body)) {
        if (n->kind != LH_OP_number && n->kind != LH_OP_size)
            *lh_push(f->a, f->list, f->n) = n->step;
        return;
    }
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i) || n->kind == LH_OP_call)
            find_operands(f, n->in[i], false, depth + 1);
}

lh_step **lh_practice_operands(lh_practice *p, lh_arena *a, int ask, int *n) {
    lh_graph *g = p->sheet->g;
    finder f = {.p = p, .a = a, .seen = lh_alloc_array(a, (size_t)g->n_nodes + 1, 1)};
    if (f.seen) find_operands(&f, p->sheet->ask[ask].step->node, true, 0);
    *n = f.n;
    return f.list;
}

/* The lines on the way from those values to the step: of its own calls, and of gradient rules. */
static void find_lines(finder *f, lh_node *n, bool is_whole, int depth) {
    enum { SEEN = 1, OWN = 2 };
    const lh_step *s = is_whole ? NULL : n->step;
    if ((f->seen[n->id] & SEEN) || depth > 500) return;
    f->seen[n->id] |= SEEN;
    if (s && !lh_step_is_inner(s)) return;
    if (s && s->kind == LH_STEP_BODY && !(s->scope->call && f->seen[s->scope->call->id] & OWN))
        return;
    if (n->step) *lh_push(f->a, f->list, f->n) = n->step;
    for (int i = 0; i < n->n_in; i++) find_lines(f, n->in[i], false, depth + 1);
    if (n->kind != LH_OP_call) return;
    f->seen[n->id] |= OWN;
    find_lines(f, n->call->result, false, depth + 1);
}

lh_step **lh_practice_lines(lh_practice *p, lh_arena *a, int ask, int *n) {
    lh_graph *g = p->sheet->g;
    finder f = {.p = p, .a = a, .seen = lh_alloc_array(a, (size_t)g->n_nodes + 1, 1)};
    if (f.seen) find_lines(&f, p->sheet->ask[ask].step->node, true, 0);
    *n = f.n;
    return f.list;
}

lh_explanation *lh_practice_explain(lh_practice *p, int ask, int k, int digits) {
    const lh_paper_step *s = &p->paper->step[ask];
    lh_graph *g = p->sheet->g;
    lh_arena *a = lh_arena_new(g->ctx);
    lh_plan *plan = a ? lh_practice_plan(p, ask) : NULL;
    lh_explanation *e = NULL;
    if (plan) {
        const char *cell = lh_paper_cell(p->paper, a, ask, k);
        const char *address = lh_printf(a, "%s%s", s->path, cell + strlen(s->name));
        e = lh_explain(g, address, &(lh_explain_how){.digits = digits, .plan = plan});
    }
    lh_exact.free(plan);
    lh_arena_free(a);
    if (!e) lh_context_clear(g->ctx);
    return e;
}

int lh_practice_open_cell(const lh_practice *p) {
    const lh_answer_block *b = &p->paper->step[p->at].block[p->block];
    for (int i = 0; i < b->grid.rows * b->grid.cols; i++)
        if (!lh_verdict_has_credit(p->marks->cell[p->sheet->ask[p->at].first + b->first + i]))
            return b->first + i;
    return b->first;
}
