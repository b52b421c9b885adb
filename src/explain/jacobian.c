#include "explain/jacobian.h"

#include <math.h>

struct lh_jacobian {
    lh_arena *arena;
    const lh_evaluator *by;
    lh_plan *up, *down; /* the operand a little larger in one, a little smaller in the other */
    lh_node *of, *to;
    double step;
};

/* The operand's numbers come from a run of the whole program. */
static void copy_operand(lh_jacobian *j, const lh_plan *from, lh_plan *into) {
    int examples = j->to->shape.is_batched ? j->by->examples(from) : 1;
    for (int e = 0; e < examples; e++) {
        lh_sizes s = j->by->sizes(from, j->to, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++) {
                    lh_cell at = {e, h, r, c};
                    j->by->set(into, j->to, at, j->by->get(from, j->to, at));
                }
    }
}

static lh_plan *plan_from_operand(lh_graph *g, lh_jacobian *j) {
    lh_node *known[] = {j->to}, *wanted[] = {j->of};
    lh_plan *p =
        j->by->plan(g, &(lh_wish){.node = wanted, .n_nodes = 1, .known = known, .n_known = 1});
    if (p) j->by->start(p), j->by->bind(p, NULL, 0);
    return p;
}

void lh_jacobian_free(lh_jacobian *j) {
    if (!j) return;
    j->by->free(j->up);
    j->by->free(j->down);
    lh_arena_free(j->arena);
}

lh_jacobian *lh_jacobian_new(lh_graph *g, const lh_evaluator *by, lh_node *of, lh_node *to) {
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *a = lh_arena_new(g->ctx);
    if (!a) return NULL;
    lh_jacobian *j = lh_alloc(a, sizeof *j);
    *j = (lh_jacobian){.arena = a, .by = by, .of = of, .to = to, .step = cbrt(by->epsilon)};
    lh_node *wanted[] = {to};
    lh_plan *whole = by->plan(g, &(lh_wish){.node = wanted, .n_nodes = 1});
    if (whole) by->start(whole), by->bind(whole, NULL, 0), by->run(whole);
    if (!lh_failed(g->ctx)) j->up = plan_from_operand(g, j);
    if (!lh_failed(g->ctx)) j->down = plan_from_operand(g, j);
    if (!lh_failed(g->ctx)) copy_operand(j, whole, j->up), copy_operand(j, whole, j->down);
    by->free(whole);
    if (!lh_failed(g->ctx)) return j;
    lh_jacobian_free(j);
    return NULL;
}

static void copy_givens(const lh_jacobian *j, const lh_graph *g, const lh_plan *from, lh_plan *to) {
    for (int i = 0; i < g->n_givens; i++) {
        const lh_node *n = g->given[i]->node;
        if (n == j->to || !j->by->has(from, n) || !j->by->has(to, n)) continue;
        lh_sizes z = j->by->sizes(from, n, 0);
        for (int r = 0; r < z.rows; r++)
            for (int c = 0; c < z.cols; c++)
                j->by->set(to, n, (lh_cell){0, 0, r, c},
                           j->by->get(from, n, (lh_cell){0, 0, r, c}));
    }
}

void lh_jacobian_from(lh_jacobian *j, const lh_graph *g, const lh_plan *moment) {
    copy_givens(j, g, moment, j->up);
    copy_givens(j, g, moment, j->down);
    copy_operand(j, moment, j->up);
    copy_operand(j, moment, j->down);
}

double lh_jacobian_at(lh_jacobian *j, lh_cell of, lh_cell to) {
    const lh_evaluator *by = j->by;
    by->add(j->up, j->to, to, j->step);
    by->add(j->down, j->to, to, -j->step);
    by->run(j->up);
    by->run(j->down);
    double d = by->difference(j->up, j->of, of, j->down) / (2 * j->step);
    by->add(j->up, j->to, to, -j->step);
    by->add(j->down, j->to, to, j->step);
    return fabs(d) < 1e-15 ? 0 : d;
}

lh_sizes lh_jacobian_sizes(const lh_jacobian *j, bool of_operand, int example) {
    return j->by->sizes(j->up, of_operand ? j->to : j->of, example);
}
