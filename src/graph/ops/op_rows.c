/* rows -- rows(x): how many rows x has, as one number. */
#include "graph/ops/size_of.h"

LH_SIZE_OF(rows, "The number of rows.", "2", LH_ROWS_ALL);
