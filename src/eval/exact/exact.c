/* exact -- the backend that defines what a program means: every operation by its definition, in double. */
#include "eval/loops.h"

LH_PLAIN_BACKEND(exact);
