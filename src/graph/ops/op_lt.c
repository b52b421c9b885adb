/* lt -- a < b, cell by cell.
 *
 *     y = 1 where a < b, else 0
 */
#include "graph/ops/compare.h"

LH_COMPARE(lt, <, "1 where the first is smaller, else 0, cell by cell.", "[1 0 0; 1 0 0]");
