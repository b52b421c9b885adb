/* The learner's numbers as a whole: what cannot be, whatever each of them follows from. */
#include <math.h>
#include <string.h>

#include "learn/mark_internal.h"

static void add_remark(marker *k, int ask, const char *text) {
    *lh_push(k->a, k->m->remark, k->m->n_remarks) = (lh_remark){ask, text};
}

/* ---- probabilities ---- */

static const lh_node *through_names(const lh_node *n) {
    while (n->kind == LH_OP_same) n = n->in[0];
    return n;
}

/* softmax(x), or e / rowsum(e) on a line of its own. */
static bool makes_shares(const lh_node *n) {
    n = through_names(n);
    if (n->kind == LH_OP_call) return strcmp(n->call->fn->name, "softmax") == 0;
    if (n->kind != LH_OP_div) return false;
    const lh_node *all = through_names(n->in[1]);
    return all->kind == LH_OP_rowsum && through_names(all->in[0]) == through_names(n->in[0]);
}

/* A row may be off by one unit for each of its numbers: cut off, each loses up to one. Where all are right but for rounding on
 * the way, it may be off by more. */
static void look_at_row(marker *k, int ask, int from, int n, const char *which) {
    double sum = 0, room = 0;
    int decimals = 0;
    bool is_right = true;
    for (int i = from; i < from + n; i++) {
        const lh_written *w = marking_written(k, ask, i);
        lh_verdict v = k->m->cell[k->s->ask[ask].first + i];
        if (w->kind != LH_WRITTEN_NUMBER || !isfinite(w->value)) return;
        is_right &= v != LH_FOLLOWS && lh_verdict_has_credit(v);
        sum += w->value;
        room += w->unit;
        if (w->decimals > decimals) decimals = w->decimals;
    }
    if (is_right || fabs(sum - 1) <= room * (1 + LH_DUST)) return;
    add_remark(k, ask, lh_printf(k->a, "%s %.*f: probabilities add up to 1", which, decimals, sum));
}

static void look_at_shares(marker *k, int ask) {
    const lh_ask *q = &k->s->ask[ask];
    const lh_node *n = q->step->node;
    int at = 0, examples = n->shape.is_batched ? lh_exact.examples(k->s->plan) : 1;
    for (int e = 0; e < examples; e++) {
        lh_sizes z = lh_exact.sizes(k->s->plan, n, e);
        for (int r = 0; r < z.heads * z.rows; r++, at += z.cols) {
            const char *row = examples > 1 ? lh_printf(k->a, "example %d: ", e) : "";
            if (z.heads > 1) row = lh_printf(k->a, "%shead %d: ", row, r / z.rows);
            row = z.rows > 1 ? lh_printf(k->a, "%srow %d adds up to", row, r % z.rows)
                             : lh_printf(k->a, "%sthey add up to", row);
            look_at_row(k, ask, at, z.cols, row);
        }
    }
}

/* ---- the loss ---- */

/* An update against the gradient makes the loss smaller, where the right one is: both must have been written. */
static void look_at_loss(marker *k, int ask) {
    const lh_ask *q = &k->s->ask[ask];
    int before = q->moment ? marking_ask(k->s, q->step, q->moment - 1) : -1;
    if (before < 0 || q->n_cells != 1) return;
    const lh_written *w = marking_written(k, ask, 0), *old = marking_written(k, before, 0);
    if (w->kind != LH_WRITTEN_NUMBER || old->kind != LH_WRITTEN_NUMBER || w->value <= old->value ||
        lh_sheet_exact(k->s, ask, 0) >= lh_sheet_exact(k->s, before, 0))
        return;
    add_remark(k, ask,
               lh_printf(k->a, "the loss rose, from %.*f to %.*f, but this update lowers it",
                         old->decimals, old->value, w->decimals, w->value));
}

void marking_remark(marker *k) {
    const lh_node *loss = k->s->g->loss;
    for (int i = 0; i < k->s->n_asks; i++) {
        const lh_node *n = k->s->ask[i].step->node;
        if (makes_shares(n)) look_at_shares(k, i);
        if (loss && (n == loss || through_names(loss) == n)) look_at_loss(k, i);
    }
}
