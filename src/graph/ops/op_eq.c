/* eq -- a == b, cell by cell.
 *
 *     y = 1 where a == b, else 0
 */
#include "graph/ops/compare.h"

LH_COMPARE(eq, ==, "1 where both are equal, else 0, cell by cell.", "[0 1 0; 0 0 1]");
