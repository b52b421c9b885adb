/* rowindex -- the number of its row in each cell: rowindex(rows, cols), or rowindex(x) like x.
 *
 *     y_rc = r
 *
 * No gradient: x gives its size alone.
 */
#include "graph/ops/index_of.h"

LH_INDEX_OF(rowindex, w->moment->past + r_, "The number of the row in each cell", "[0 0 0; 1 1 1]");
