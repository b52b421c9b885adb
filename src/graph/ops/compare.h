/* compare -- what the six comparisons share.
 *
 *     LH_COMPARE(lt, <, "1 where the first is smaller, else 0, cell by cell.", "[1 0 0; 1 0 0]");
 *
 * The last is what the example comes to. No gradient: a small change of either side changes nothing, but at the step itself.
 */
#ifndef LH_GRAPH_OPS_COMPARE_H
#define LH_GRAPH_OPS_COMPARE_H

#include "eval/work.h"
#include "explain/term.h"

#define LH_COMPARE(id, sign, words, comes_to)                                                      \
    static double id##_number(double a, double b) {                                                \
        return a sign b;                                                                           \
    }                                                                                              \
    LH_EACH2(id##_exact, a, b, a sign b ? 1 : 0)                                                   \
    LH_OP_RECORD(id) = {                                                                           \
        .name = #sign,                                                                             \
        .summary = words,                                                                          \
        .example = {"[1 2 3; 4 6 5] " #sign " [2; 5]", comes_to},                                  \
        .n_min = 2,                                                                                \
        .n_max = 2,                                                                                \
        .is_discrete = true,                                                                       \
        .rows = LH_ROWS_EACH,                                                                      \
        .is_each = true,                                                                           \
        .print_kind = LH_PRINT_INFIX,                                                              \
        .binding = LH_BIND_COMPARE,                                                                \
        .shape = lh_shape_stretch,                                                                 \
        .exact = id##_exact,                                                                       \
        .number = id##_number,                                                                     \
        .explain = lh_explain_infix,                                                               \
    }

#endif
