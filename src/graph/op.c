/* op -- the table of operations, and the shapes many of them share. */
#include "base/number.h"
#include "graph/op.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OP(name) extern const lh_op lh_op_##name;
#include "graph/ops.def"
#undef OP

const lh_op *const lh_ops[LH_N_OPS] = {
#define OP(name) [LH_OP_##name] = &lh_op_##name,
#include "graph/ops.def"
#undef OP
};

lh_op_id lh_op_find(const char *name) {
    for (int i = 0; i < LH_N_OPS; i++) /* the first letter decides nearly always */
        if (lh_ops[i]->name[0] == name[0] && !lh_ops[i]->is_internal &&
            lh_ops[i]->print_kind == LH_PRINT_CALL && strcmp(lh_ops[i]->name, name) == 0)
            return (lh_op_id)i;
    return LH_N_OPS;
}

void lh_shape_fail(lh_graph *g, const lh_node *n, const char *why, ...) {
    if (lh_failed(g->ctx)) return;
    lh_text t = lh_text_new(g->arena);
    lh_node_print_inside(&t, n, n->scope);
    lh_text_add(&t, ": ");
    for (int i = 0; i < n->n_in && i < 3; i++) {
        lh_shape s = n->in[i]->shape;
        bool is_one = lh_axis_is_one(g, s.rows) && lh_axis_is_one(g, s.cols);
        if (i && is_one && !lh_op_reads(n, i)) continue; /* the 2 of A[2] */
        lh_text_add(&t, "%s%s", i ? " by " : "", lh_shape_text(g, s));
    }
    char reason[256];
    va_list args;
    va_start(args, why);
    lh_vformat(reason, sizeof reason, why, args);
    va_end(args);
    lh_fail(g->ctx, LH_ERROR_SHAPE, n->at, "%s: %s", t.s, reason);
}

void lh_check_places(lh_graph *g, const lh_node *n, const lh_node *t, int axis, const char *what) {
    size_t count = g->axis[axis].n;
    while (t->kind == LH_OP_given && lh_given_is_written(t->given)) t = t->given->expr;
    double one = 0;
    bool is_matrix = t->kind == LH_OP_matrix;
    if (count == 0 || (!is_matrix && !lh_node_constant(g, t, &one))) return;
    int cells = is_matrix ? t->index[0] * t->index[1] : 1;
    for (int i = 0; i < cells; i++) {
        double x = is_matrix ? t->cells[i] : one;
        if (x >= 0 && x < (double)count && x == floor(x)) continue;
        lh_shape_fail(g, n,
                      "there is no %s %g: %ss count from 0, in whole numbers, and there are %zu",
                      what, x, what, count);
        return;
    }
}

void lh_shape_as_first(lh_graph *g, lh_node *n) {
    (void)g;
    n->shape.rows = n->in[0]->shape.rows;
    n->shape.cols = n->in[0]->shape.cols;
}

void lh_shape_same(lh_graph *g, lh_node *n) {
    lh_shape_as_first(g, n);
    n->vocab = n->in[0]->vocab;
}

void lh_shape_one(lh_graph *g, lh_node *n) {
    n->shape.rows = n->shape.cols = lh_axis_number(g, 1);
}

void lh_shape_column(lh_graph *g, lh_node *n) {
    n->shape.rows = n->in[0]->shape.rows;
    n->shape.cols = lh_axis_number(g, 1);
}

void lh_shape_rows_like(lh_graph *g, lh_node *n) {
    const lh_node *a = n->in[0], *like = n->in[1];
    size_t have = g->axis[a->shape.rows].n, want = g->axis[like->shape.rows].n;
    if (have && want > have)
        lh_shape_fail(g, n, "%zu rows are requested, but there are only %zu", want, have);
    n->shape.rows = like->shape.rows;
    n->shape.cols = a->shape.cols;
    n->shape.heads = a->shape.heads;
    n->vocab = a->vocab;
}

void lh_shape_across(lh_graph *g, lh_node *n) {
    const lh_shape *s = &n->in[0]->shape;
    if (s->is_batched && (!g->axis[s->rows].n || !g->axis[s->cols].n))
        lh_shape_fail(
            g, n, "examples have different lengths here: take sum(...) or mean(...) of each first");
    n->shape.is_batched = false;
}

void lh_shape_preset(lh_graph *g, lh_node *n) {
    (void)g, (void)n;
}

/* Of two axes of equal size the one that says more: words, then a length, then a name. */
static int axis_telling(const lh_graph *g, int a) {
    const lh_axis *x = &g->axis[a];
    return x->vocab ? 3 : x->n == 0 ? 2 : x->name ? 1 : 0;
}

/* 2x3 + 3x2: one of them lies on its side. */
static void cure_turned(lh_graph *g, const lh_node *n) {
    const lh_shape *a = &n->in[0]->shape, *b = &n->in[1]->shape;
    if (n->n_in != 2 || !lh_axis_same(g, a->rows, b->cols) || !lh_axis_same(g, a->cols, b->rows))
        return;
    lh_text name = lh_text_new(g->arena);
    lh_node_print_as(&name, n->in[1], n->scope, LH_BIND_POSTFIX);
    lh_cure(g->ctx, "did you mean %s^T?", name.s);
}

/* The size that all operands share along rows or columns, operands of size 1 aside. */
static int stretch_along(lh_graph *g, lh_node *n, bool rows) {
    int full = -1;
    for (int i = 0; i < n->n_in; i++) {
        int a = rows ? n->in[i]->shape.rows : n->in[i]->shape.cols;
        if (lh_axis_is_one(g, a)) continue;
        if (full >= 0 && !lh_axis_meet(g, n, full, a)) {
            lh_shape_fail(g, n, "%s differ (%s and %s)", rows ? "rows" : "columns",
                          lh_axis_text(g, full), lh_axis_text(g, a));
            cure_turned(g, n);
        }
        if (full < 0 || axis_telling(g, a) > axis_telling(g, full)) full = a;
    }
    return full < 0 ? lh_axis_number(g, 1) : full;
}

void lh_shape_stretch(lh_graph *g, lh_node *n) {
    int rows = stretch_along(g, n, true), cols = stretch_along(g, n, false);
    bool one_side_full = false;
    for (int i = 0; i < n->n_in; i++) {
        lh_shape s = n->in[i]->shape;
        if (lh_axis_is_one(g, s.rows) == lh_axis_is_one(g, rows) &&
            lh_axis_is_one(g, s.cols) == lh_axis_is_one(g, cols))
            one_side_full = true;
        if (n->in[i]->vocab && !n->op->is_discrete) n->vocab = NULL;
    }
    if (!one_side_full) {
        lh_shape_fail(g, n, "a row and a column: neither side has the full shape");
        lh_cure(g->ctx,
                "@ multiplies a column by a row; spread(a, b) stretches a to the shape of b");
    }
    n->shape.rows = rows;
    n->shape.cols = cols;
}

/* Sum d over every direction in which `like` has one and d has many; then stretch where it is the other way round. */
lh_node *lh_fit(lh_graph *g, lh_node *d, const lh_node *like, bool across_examples) {
    lh_shape to = like->shape;
    if (!lh_axis_is_one(g, d->shape.heads) && lh_axis_is_one(g, to.heads))
        d = lh_op1(g, LH_OP_headsum, d);
    else if (g->axis[d->shape.heads].n > g->axis[to.heads].n)
        d = lh_op2(g, LH_OP_headsum, d, lh_axis_node(g, to.heads));
    else if (!lh_axis_is_one(g, d->shape.heads) && !lh_axis_same(g, d->shape.heads, to.heads))
        d = lh_op2(g, LH_OP_repeatheads, d, lh_axis_node(g, to.heads));
    bool down = !lh_axis_is_one(g, d->shape.rows) && lh_axis_is_one(g, to.rows);
    bool along = !lh_axis_is_one(g, d->shape.cols) && lh_axis_is_one(g, to.cols);
    if (down && along)
        d = lh_op1(g, LH_OP_sum, d);
    else if (down)
        d = lh_op1(g, LH_OP_colsum, d);
    else if (along)
        d = lh_op1(g, LH_OP_rowsum, d);
    if (across_examples && d->shape.is_batched && !to.is_batched) d = lh_op1(g, LH_OP_total, d);
    bool smaller = lh_axis_is_one(g, d->shape.rows) != lh_axis_is_one(g, to.rows) ||
                   lh_axis_is_one(g, d->shape.cols) != lh_axis_is_one(g, to.cols) ||
                   lh_axis_is_one(g, d->shape.heads) != lh_axis_is_one(g, to.heads);
    if (across_examples && to.is_batched && !d->shape.is_batched) smaller = true;
    return smaller ? lh_op2(g, LH_OP_spread, d, (lh_node *)like) : d;
}

/* ---- functions of records that many operations share ---- */

lh_node *lh_gradient_same(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)g, (void)n, (void)i;
    return dy;
}

void lh_view_whole(const lh_node *n, const struct lh_layout *in, struct lh_layout *out) {
    (void)n, (void)in, (void)out;
}

void lh_print_operand(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_node_print(out, n->in[0], from);
}

void lh_print_number(lh_text *out, const lh_node *n, const lh_scope *from) {
    (void)from;
    char buffer[LH_NUMBER_MAX];
    lh_text_add(out, "%s",
                n->text ? n->text : lh_number_text(buffer, sizeof buffer, n->number, 17));
}

void lh_print_index(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_node_print_as(out, n->in[0], from, LH_BIND_POSTFIX);
    lh_text_add(out, "[");
    lh_node_print(out, n->in[1], from);
    lh_text_add(out, "]");
}

/* Below this share of its size a value may be all rounding. */
static const double lost = 1e-9;

double lh_rounding_product(const lh_sized *y, const lh_sized *x, const lh_sized *other) {
    (void)y;
    return x->size * fmax(other->value, lost * other->size);
}

double lh_rounding_quotient(const lh_sized *y, const lh_sized *x, const lh_sized *other) {
    (void)other;
    return x->value > 0 ? y->value * x->size / x->value : 0;
}

double lh_rounding_exponential(const lh_sized *y, const lh_sized *x, const lh_sized *other) {
    (void)other;
    return y->value * fmax(1, x->value);
}

double lh_rounding_bounded(const lh_sized *y, const lh_sized *x, const lh_sized *other) {
    (void)y, (void)other;
    return fmin(x->size, 1);
}
