#include "train/rounded_number.h"

#include <math.h>
#include <string.h>

#include "eval/fast/quant.h"

/* ---- the product ---- */

/* The rounded weight that a node is, as it lies or turned; -1: none. */
static int weight_of(const lh_inside *in, const lh_node *n, int *turns) {
    for (*turns = 0; n->kind == LH_OP_transpose; n = n->in[0]) ++*turns;
    if (!in->weight[n->id]) return -1;
    const int i = (int)(in->weight[n->id] - in->weights->weight);
    return in->rounded->quant[i].bits ? i : -1;
}

static bool is_named(const lh_node *n) {
    return n->step && !lh_step_is_inner(n->step);
}

/* A product whose cell is a part of this one, as it stands: behind sums and the splitting into heads. */
static lh_node *find_product(const lh_inside *in, lh_node *n, lh_cell *at, bool is_first) {
    int turns;
    if (n->kind == LH_OP_matmul && weight_of(in, n->in[1], &turns) >= 0) return n;
    if (!is_first && is_named(n)) return NULL;
    if (n->kind == LH_OP_split) {
        at->col += at->head * (int)in->g->axis[n->shape.cols].n;
        at->head = 0;
        return find_product(in, n->in[0], at, false);
    }
    if (n->kind != LH_OP_add && n->kind != LH_OP_sub) return NULL;
    for (int i = 0; i < 2; i++) {
        lh_cell there = *at;
        lh_node *found = find_product(in, n->in[i], &there, false);
        if (found) *at = there;
        if (found) return found;
    }
    return NULL;
}

/* A rounded weight that some product inside this step reads, behind rope, a gate or an expert; or NULL. */
static const lh_node *find_inside(const lh_inside *in, const lh_node *n, bool is_first, int *left) {
    int turns;
    if (--*left < 0 || (!is_first && is_named(n))) return NULL;
    const int i = n->kind == LH_OP_matmul ? weight_of(in, n->in[1], &turns) : -1;
    if (i >= 0) return in->weights->weight[i].given->node;
    const lh_node *found =
        n->kind == LH_OP_call ? find_inside(in, n->call->result, false, left) : NULL;
    for (int k = 0; !found && k < n->n_in; k++) found = find_inside(in, n->in[k], false, left);
    return found;
}

/* ---- its terms ---- */

static lh_rounding_number number_in(const lh_quant_block *b, int i, double value) {
    return (lh_rounding_number){.value = value,
                                .code = b->code[i],
                                .scale = (double)b->scale,
                                .rounded = (double)b->scale * b->code[i]};
}

static double change_of(const lh_rounding_term *t) {
    return fabs(t->x.rounded * t->w.rounded - t->x.value * t->w.value);
}

static void keep_largest(lh_rounding *r, const lh_rounding_term *t) {
    int k = r->n_terms;
    while (k > 0 && change_of(t) > change_of(&r->term[k - 1])) k--;
    if (k >= LH_ROUNDING_TERMS) return;
    if (r->n_terms < LH_ROUNDING_TERMS) r->n_terms++;
    memmove(r->term + k + 1, r->term + k, (size_t)(r->n_terms - k - 1) * sizeof *t);
    r->term[k] = *t;
}

static double weight_at(const lh_inside *in, const lh_rounding *r, int k) {
    const lh_weight *w = in->weight[r->matrix->id];
    const size_t row = (size_t)(r->is_by_rows ? r->line : k),
                 col = (size_t)(r->is_by_rows ? k : r->line);
    double x;
    lh_tensor_copy_double(w->tensor, row * w->cols + col, 1, &x);
    return x;
}

/* x @ W in double: with W as it is, and rounded. The row is what the pass has. */
static void follow_terms(lh_inside *in, lh_rounding *r, const lh_quant *q, lh_cell at) {
    lh_quant_block row, line;
    double plain = 0, rounded = 0;
    for (int k = 0; k < r->n; k++) {
        if (k % LH_QUANT_BLOCK == 0) {
            const int n = r->n - k < LH_QUANT_BLOCK ? r->n - k : LH_QUANT_BLOCK;
            float x[LH_QUANT_BLOCK];
            for (int i = 0; i < n; i++)
                x[i] = (float)lh_fast.get(in->plan, r->row, (lh_cell){0, at.head, at.row, k + i});
            lh_quant_round_row(x, n, &row);
            lh_quant_get(q, at.col, k / LH_QUANT_BLOCK, &line);
        }
        const double x = lh_fast.get(in->plan, r->row, (lh_cell){0, at.head, at.row, k}),
                     w = weight_at(in, r, k);
        const lh_rounding_term t = {.at = k,
                                    .x = number_in(&row, k % LH_QUANT_BLOCK, x),
                                    .w = number_in(&line, k % LH_QUANT_BLOCK, w)};
        plain += x * w;
        rounded += x * t.w.rounded;
        keep_largest(r, &t);
    }
    r->by_matrix = r->exact + (rounded - plain);
}

static bool follow_product(lh_inside *in, lh_rounding *r, lh_node *n, lh_cell at, lh_cell cell) {
    int turns;
    const int i = weight_of(in, r->product->in[1], &turns);
    lh_node *want[] = {n, r->product->in[0]};
    if (!lh_inside_run(in, want, 2)) return false;
    const lh_quant *q = lh_rounded_get(in->rounded, i, in->plan);
    r->few = lh_fast.get(in->plan, n, at);
    if (!q) return !lh_failed(in->g->ctx); /* its numbers are too large: it is not rounded */
    r->matrix = in->weights->weight[i].given->node;
    r->row = r->product->in[0];
    r->bits = q->bits, r->is_by_rows = q->is_by_rows, r->is_product = true;
    r->line = cell.col, r->row_at = cell.row, r->n = (int)q->k;
    follow_terms(in, r, q, cell);
    return true;
}

/* ---- one number ---- */

/* Its block is rounded once more, alone. */
static void follow_weight(const lh_inside *in, lh_rounding *r, const lh_node *n, lh_cell at) {
    int turns;
    const int i = weight_of(in, n, &turns);
    if (i < 0) return;
    const lh_quant *q = &in->rounded->quant[i];
    const int k = q->is_by_rows ? at.col : at.row, first = k / LH_QUANT_BLOCK * LH_QUANT_BLOCK,
              left = (int)q->k - first;
    float x[LH_QUANT_BLOCK];
    lh_quant_block b;
    r->matrix = n, r->bits = q->bits, r->is_by_rows = q->is_by_rows;
    r->line = q->is_by_rows ? at.row : at.col;
    r->n = left < LH_QUANT_BLOCK ? left : LH_QUANT_BLOCK;
    for (int j = 0; j < r->n; j++) x[j] = (float)weight_at(in, r, first + j);
    lh_quant_round(q->bits, x, r->n, &b);
    r->own = number_in(&b, k - first, r->exact);
    r->few = r->own.rounded;
    r->own_at = k, r->own_block = first;
}

bool lh_rounding_of(lh_inside *in, lh_inside *plain, lh_node *n, lh_cell at, lh_rounding *r) {
    lh_cell cell = at;
    const double exact = lh_inside_get(in, n, at);
    *r = (lh_rounding){.precision = in->rounded->precision, .exact = exact};
    if (in->weight[n->id]) {
        r->plain = r->few = exact;
        r->is_weight = true;
        follow_weight(in, r, n, at);
        return true;
    }
    r->product = find_product(in, n, &cell, true);
    if (!lh_inside_run(plain, &n, 1)) return false;
    r->plain = lh_fast.get(plain->plan, n, at);
    if (r->product) return follow_product(in, r, n, at, cell);
    int left = 1000;
    r->inside = find_inside(in, n, true, &left);
    if (!lh_inside_run(in, &n, 1)) return false;
    r->few = lh_fast.get(in->plan, n, at);
    return true;
}
