/* The table of operations in another type: the same files, compiled with LH_WIDE or LH_FAST. */
#include "eval/real.h"
#include "graph/op.h"

#define OP(name) extern const lh_op LH_NAME(op_##name);
#include "graph/ops.def"
#undef OP

const lh_op *const LH_NAME(ops)[LH_N_OPS] = {
#define OP(name) [LH_OP_##name] = &LH_NAME(op_##name),
#include "graph/ops.def"
#undef OP
};
