/* matrix -- numbers in rows and columns, as they stand in the program: [1 2; 3 4].
 *
 * index[0] and index[1] are its rows and columns: print has no graph to ask for the sizes of axes.
 */
#include "eval/work.h"
#include "explain/term.h"

#include "base/number.h"

static void matrix_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    (void)from;
    const double *cell = n->cells;
    char buffer[LH_NUMBER_MAX];
    lh_text_add(out, "[");
    for (int r = 0; r < n->index[0]; r++) {
        if (r) lh_text_add(out, "; ");
        for (int c = 0; c < n->index[1]; c++, cell++)
            lh_text_add(out, c ? " %s" : "%s", lh_number_exact(buffer, sizeof buffer, *cell));
    }
    lh_text_add(out, "]");
}

LH_OP_RECORD(matrix) = {
    .name = "matrix",
    .summary = "A matrix of numbers.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .is_leaf = true,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = matrix_print,
    .shape = lh_shape_preset,
    .explain = lh_explain_number,
};
