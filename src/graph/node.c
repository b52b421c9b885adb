/* node -- making nodes. Generated formulas are simplified here, so that they read as a person would write them. */
#include "graph/graph.h"

#include <string.h>

#include "base/number.h"
#include "graph/build.h"
#include "graph/op.h"

lh_node *lh_node_new(lh_graph *g, lh_op_id kind, int n_in, lh_node *const *in) {
    lh_node *n = lh_alloc(g->arena, sizeof *n);
    if (g->n_nodes >= LH_MAX_NODES)
        lh_fail(g->ctx, LH_ERROR_LIMIT, g->at, "the program has more than %d operations",
                LH_MAX_NODES);
    n->id = g->n_nodes;
    n->kind = kind;
    n->op = lh_ops[kind];
    n->at = g->at;
    n->scope = g->builder ? g->builder->scope : g->top;
    n->n_in = n_in;
    n->input = -1;
    int one = lh_axis_number(g, 1);
    n->shape = (lh_shape){one, one, one, false};
    if (n_in) {
        n->in = lh_alloc_array(g->arena, (size_t)n_in, sizeof *n->in);
        if (!n->in) {
            n->n_in = 0;
            return n;
        }
        memcpy(n->in, in, (size_t)n_in * sizeof *in);
    }
    *lh_push(g->arena, g->node, g->n_nodes) = n;
    return n;
}

static bool is_one(const lh_node *n) {
    return n->kind == LH_OP_number && n->number == 1;
}

/* b gives the shape of a * b by itself: nothing is lost when a factor 1 goes. */
static bool covers(const lh_graph *g, const lh_node *b, const lh_node *a) {
    const lh_shape all = b->shape, some = a->shape;
    return (lh_axis_is_one(g, some.rows) || !lh_axis_is_one(g, all.rows)) &&
           (lh_axis_is_one(g, some.cols) || !lh_axis_is_one(g, all.cols)) &&
           (lh_axis_is_one(g, some.heads) || !lh_axis_is_one(g, all.heads));
}

/* The normal form of generated formulas: ^T^T and --x gone, (A @ B)^T as B^T @ A^T, 1 * x and x / 1 as x,
 * stretching what is stretched already. NULL: nothing to simplify. */
static lh_node *simpler(lh_graph *g, lh_op_id kind, lh_node *const *in) {
    lh_node *a = in[0];
    bool open = !a->step; /* never look inside a named value: its name is what the reader knows */
    switch (kind) {
    case LH_OP_transpose:
        if (open && a->kind == LH_OP_transpose) return a->in[0];
        if (open && a->kind == LH_OP_matmul)
            return lh_op2(g, LH_OP_matmul, lh_op1(g, LH_OP_transpose, a->in[1]),
                          lh_op1(g, LH_OP_transpose, a->in[0]));
        if (lh_axis_is_one(g, a->shape.rows) && lh_axis_is_one(g, a->shape.cols)) return a;
        return NULL;
    case LH_OP_neg: return open && a->kind == LH_OP_neg ? a->in[0] : NULL;
    case LH_OP_mul:
        if (is_one(a) && covers(g, in[1], a)) return in[1];
        if (is_one(in[1]) && covers(g, a, in[1])) return a;
        return NULL;
    case LH_OP_div: return is_one(in[1]) ? a : NULL;
    default: return NULL;
    }
}

static void heads_preset(lh_graph *g, lh_node *n) {
    for (int i = 0; i < n->n_in; i++) {
        int h = n->in[i]->shape.heads;
        if (lh_axis_is_one(g, h)) continue;
        if (!lh_axis_is_one(g, n->shape.heads) && !lh_axis_same(g, h, n->shape.heads))
            lh_shape_fail(g, n, "one side has %s heads, the other %s",
                          lh_axis_text(g, n->shape.heads), lh_axis_text(g, h));
        n->shape.heads = h;
    }
}

/* The operand with the most heads. */
static const lh_node *most_heads(const lh_graph *g, lh_node *const *in, int n_in) {
    const lh_node *most = in[0];
    for (int i = 1; i < n_in; i++)
        if (g->axis[in[i]->shape.heads].n > g->axis[most->shape.heads].n) most = in[i];
    return most;
}

/* Heads are stretched by whole factors: where 8 meet 2, each of the 2 serves 4. */
static void stretch_heads(lh_graph *g, int n_in, lh_node *const *in, lh_node **to) {
    const lh_node *most = most_heads(g, in, n_in);
    const size_t heads = g->axis[most->shape.heads].n;
    for (int i = 0; i < n_in; i++) {
        const size_t own = g->axis[in[i]->shape.heads].n;
        to[i] = in[i];
        if (own <= 1 || own >= heads || heads % own != 0) continue;
        to[i] = lh_op2(g, LH_OP_repeatheads, in[i], lh_axis_node(g, most->shape.heads));
        to[i]->index[1] = 1;
    }
}

/* total(3) does, by their number. */
static bool sees_examples(const lh_node *n) {
    bool sees = n->shape.is_batched || n->kind == LH_OP_total;
    for (int i = 0; i < n->n_in && !sees; i++) sees = lh_op_reads(n, i) && n->in[i]->sees_examples;
    return sees;
}

lh_node *lh_op_node(lh_graph *g, lh_op_id kind, int n_in, lh_node *const *in) {
    if (g->is_generating && n_in > 0) {
        lh_node *s = simpler(g, kind, in);
        if (s) return s;
    }
    enum { MOST = 4 }; /* operands of an operation in which heads meet */
    lh_node *stretched[MOST];
    if (n_in > 1 && n_in <= MOST && kind != LH_OP_back && !lh_failed(g->ctx)) {
        stretch_heads(g, n_in, in, stretched);
        in = stretched;
    }
    lh_node *n = lh_node_new(g, kind, n_in, in);
    if (lh_failed(g->ctx)) return n;
    n->is_discrete = n->op->is_discrete || n_in > 0;
    for (int i = 0; i < n_in; i++) {
        n->shape.is_batched |= in[i]->shape.is_batched;
        if (!n->op->is_discrete) n->is_discrete &= in[i]->is_discrete;
    }
    if (n_in) {
        n->shape.rows = in[0]->shape.rows;
        n->shape.cols = in[0]->shape.cols;
    }
    if (kind != LH_OP_back) heads_preset(g, n); /* its shape is a parameter's */
    if (kind == LH_OP_coin) n->stream = g->n_streams++;
    if (!lh_failed(g->ctx)) n->op->shape(g, n);
    n->sees_examples = sees_examples(n);
    if (lh_shape_fits(g, n->shape, n->at)) lh_node_find_constant(g, n);
    return n;
}

lh_node *lh_op1(lh_graph *g, lh_op_id kind, lh_node *a) {
    return lh_op_node(g, kind, 1, &a);
}

lh_node *lh_op2(lh_graph *g, lh_op_id kind, lh_node *a, lh_node *b) {
    return lh_op_node(g, kind, 2, (lh_node *[]){a, b});
}

lh_node *lh_op3(lh_graph *g, lh_op_id kind, lh_node *a, lh_node *b, lh_node *c) {
    return lh_op_node(g, kind, 3, (lh_node *[]){a, b, c});
}

lh_node *lh_number(lh_graph *g, double x, const char *text) {
    lh_node *n = lh_node_new(g, LH_OP_number, 0, NULL);
    char buffer[64];
    n->number = x;
    n->text = text ? text : lh_printf(g->arena, "%s", lh_number_text(buffer, sizeof buffer, x, 17));
    n->is_discrete = true;
    return n;
}

lh_node *lh_runtime(lh_graph *g, const char *name) {
    lh_node *n = lh_node_new(g, LH_OP_runtime, 0, NULL);
    n->text = name;
    n->is_discrete = true;
    return n;
}

lh_node *lh_axis_node(lh_graph *g, int axis) {
    lh_node *n = lh_node_new(g, LH_OP_size, 0, NULL);
    n->index[0] = axis;
    n->number = (double)g->axis[axis].n;
    n->text = g->axis[axis].name ? g->axis[axis].name : lh_axis_text(g, axis);
    n->is_discrete = true;
    return n;
}

lh_node *lh_place_node(lh_graph *g, lh_node *d, lh_node *like, int row, int col) {
    lh_node *n = lh_node_new(g, LH_OP_place, 2, (lh_node *[]){d, like});
    if (lh_failed(g->ctx)) return n;
    n->index[0] = row;
    n->index[1] = col;
    n->shape = like->shape;
    n->shape.is_batched |= d->shape.is_batched;
    if (lh_axis_is_one(g, n->shape.heads)) n->shape.heads = d->shape.heads;
    n->op->shape(g, n);
    n->sees_examples = sees_examples(n);
    return n;
}
