/* rounding -- every step in double against the wide evaluator.
 *
 * Both run the same formulas, so what differs is rounding (and overflow). A step is judged by the size of what was added up
 * to make it, not by what was left: x - rowmean(x) may well be 0 but for its last digits. Where lost digits reach a
 * function that is curved (exp, log, a power) they are lost for good, and the step is named.
 */
#include <math.h>

#include "explain/check_internal.h"

#define LIMIT 1e-9

/* For each node: the size of what was added up to make it. 1 - 1 is 0, but its rounding is judged by the 1. */
static double *find_sizes(const lh_bench *b) {
    const lh_graph *g = b->g;
    size_t n_nodes = (size_t)g->n_nodes + 1;
    lh_sized *all = lh_alloc_array(b->check->arena, n_nodes, sizeof *all);
    double *size = lh_alloc_array(b->check->arena, n_nodes, sizeof *size);
    if (!size || !all) return NULL;
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        if (!lh_wide.has(b->wide, n)) continue;
        lh_sized *y = &all[i];
        y->size = y->value = lh_check_largest(b->wide, n);
        if (b->size && n->given && n->given->renewed) /* as it was when the last step made it */
            y->size = fmax(y->value, b->size[n->given->renewed->id]);
        if (n->kind == LH_OP_call) y->size = all[n->call->result->id].size;
        for (int k = 0; k < n->n_in && n->kind != LH_OP_call; k++) {
            if (!lh_op_reads(n, k) || !lh_wide.has(b->wide, n->in[k])) continue;
            const lh_sized *x = &all[n->in[k]->id],
                           *other = n->n_in == 2 ? &all[n->in[1 - k]->id] : x;
            double c = n->op->rounding ? n->op->rounding(y, x, other) : x->size;
            if (isfinite(c) && c > y->size) y->size = c;
        }
        size[i] = y->size;
    }
    return size;
}

typedef struct pair {
    const lh_bench *b;
    const lh_step *s;
    lh_finding *f;
    double scale;
} pair;

static void see_wide(void *who, lh_cell at) {
    pair *p = who;
    double x = lh_exact.get(p->b->exact, p->s->node, at),
           w = lh_wide.get(p->b->wide, p->s->node, at);
    double error = x == w || (isnan(x) && isnan(w)) ? 0
                   : p->scale > 0                   ? fabs(x - w) / p->scale
                                                    : INFINITY;
    if (isnan(error)) error = INFINITY;
    if (lh_check_worst(p->f, x, w, error))
        p->f->where = lh_check_cell(p->b->check, p->b->wide, p->s->node, p->s->path, at);
}

void lh_check_rounding(lh_bench *b) {
    const lh_graph *g = b->g;
    const double *size = b->size = find_sizes(b);
    for (int i = 0; size && i < g->n_steps && !lh_failed(g->ctx); i++) {
        const lh_step *s = g->step[i];
        if (s->is_dead || !lh_exact.has(b->exact, s->node)) continue;
        lh_finding *f = lh_check_found(b->check, LH_CHECK_WIDE, s, b->moment);
        pair p = {b, s, f, size[s->node->id]};
        f->limit = LIMIT;
        f->checked = f->cells = lh_check_each(b->wide, s->node, see_wide, &p);
        f->ok = f->error <= f->limit;
        if (f->ok) continue;
        if (s->node->is_discrete) {
            f->ok = true;
            f->error = 0;
            f->why = "a comparison so close that rounding decides the result";
        } else {
            f->why = isfinite(f->got) ? "rounding has destroyed the digits of this step"
                                      : "too large for a double";
        }
    }
}
