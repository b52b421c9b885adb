/* split -- split(x, h): the columns in h heads, which lie beside each other.
 *
 *     y_(head k)rc = x_r(k C / h + c)          C columns; c = 0 ... C / h - 1
 *
 * Gradient: the heads beside each other again, dx = join(dy). No numbers move: the next head begins
 * C / h columns further on.
 */
#include "eval/work.h"
#include "explain/term.h"

static void split_shape(lh_graph *g, lh_node *n) {
    const lh_node *x = n->in[0];
    size_t cols = g->axis[x->shape.cols].n;
    int h;
    if (!lh_axis_is_one(g, x->shape.heads)) {
        lh_shape_fail(g, n, "it already has heads");
        lh_cure(g->ctx, "join(...) puts heads side by side");
        return;
    }
    if (!lh_node_whole(g, n->in[1], &h) || h == 0) {
        lh_shape_fail(
            g, n, "the number of heads is a whole number from 1 on, known before the program runs");
        return;
    }
    if (cols % (size_t)h != 0 || (!cols && g->axis[x->shape.cols].how != '*')) {
        lh_shape_fail(g, n, "%s columns cannot be split into %d equal heads",
                      lh_axis_text(g, x->shape.cols), h);
        return;
    }
    n->shape.heads = lh_axis_of_node(g, n->in[1]);
    n->shape.rows = x->shape.rows;
    n->shape.cols = lh_axis_divide(g, x->shape.cols, n->shape.heads);
}

static void split_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n;
    out->hs = out->cols * in->cs;
}

static lh_node *split_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)n;
    return i == 0 ? lh_op1(g, LH_OP_join, dy) : NULL;
}

static lh_term *split_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int col = at.head * lh_explain_cols(x, n, at.example) + at.col;
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, 0, at.row, col});
}

LH_OP_RECORD(split) = {
    .name = "split",
    .summary = "The columns in equal heads; the second value says how many.",
    .example = {"join(split([1 2 3 4; 5 6 7 8], 2) @ [1 10; 100 1000])",
                "[201 2010 403 4030; 605 6050 807 8070]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = split_shape,
    .view = split_view,
    .gradient = split_gradient,
    .explain = split_explain,
};
