/* wide -- every operation by its definition, in a type wider than double: the measure of what rounding does to exact. */
#include "eval/loops.h"

LH_PLAIN_BACKEND(wide);
