/* colindex -- the number of its column in each cell: colindex(rows, cols), or colindex(x) like x.
 *
 *     y_rc = c
 *
 * No gradient: x gives its size alone.
 */
#include "graph/ops/index_of.h"

LH_INDEX_OF(colindex, c_, "The number of the column in each cell", "[0 1 2; 0 1 2]");
