/* le -- a <= b, cell by cell.
 *
 *     y = 1 where a <= b, else 0
 */
#include "graph/ops/compare.h"

LH_COMPARE(le, <=, "1 where the first is smaller or both are equal, else 0, cell by cell.",
           "[1 1 0; 1 0 1]");
