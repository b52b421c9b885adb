/* zeros -- zeros(rows, cols), or zeros(x) in the shape of x: every cell is 0.
 *
 *     y_rc = 0
 *
 * No gradient: x gives its size alone.
 */
#include "eval/work.h"
#include "explain/term.h"

static void zeros_shape(lh_graph *g, lh_node *n) {
    lh_shape_from_sizes(g, n);
    n->is_discrete = false; /* a start for something learned, not a token or a place */
}

/* No memory: every cell is the same zero. */
static void zeros_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n, (void)in;
    lh_layout_constant(out, LH_CELL_ZERO);
}

LH_OP_RECORD(zeros) = {
    .name = "zeros",
    .summary = "Zeros: so many rows and columns, or in the shape of a value.",
    .example = {"zeros(2, 3)", "[0 0 0; 0 0 0]"},
    .n_min = 1,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS,
    .shape = zeros_shape,
    .view = zeros_view,
    .explain = lh_explain_number,
};
