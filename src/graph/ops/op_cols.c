/* cols -- cols(x): how many columns x has, as one number. Any row of x has as many. */
#include "graph/ops/size_of.h"

LH_SIZE_OF(cols, "The number of columns.", "3", LH_ROWS_EACH);
