/* ne -- a != b, cell by cell.
 *
 *     y = 1 where a != b, else 0
 */
#include "graph/ops/compare.h"

LH_COMPARE(ne, !=, "1 where both differ, else 0, cell by cell.", "[1 0 1; 1 1 0]");
