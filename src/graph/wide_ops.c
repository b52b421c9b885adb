/* The table of operations in the wide type: the same files, compiled with LH_WIDE. */
#include "graph/op.h"

#define OP(name) extern const lh_op lh_wide_op_##name;
#include "graph/ops.def"
#undef OP

const lh_op *const lh_wide_ops[LH_N_OPS] = {
#define OP(name) [LH_OP_##name] = &lh_wide_op_##name,
#include "graph/ops.def"
#undef OP
};
