/* rounded -- the weights of a file in 8 or 4 bits, for a plan that reads them: made, or read where an earlier run put them.
 *
 *     lh_rounded *r = lh_rounded_new(plan, weights, &(lh_rounded_how){.precision = LH_IN_INT8});
 *     const lh_quant *q = lh_rounded_get(r, i, plan);          rounded now, if need be; NULL: weight i stays as it is
 *     if (q) lh_floats_borrow_quant(plan, weights->weight[i].given->node, q);
 *     lh_rounded_free(r);
 *
 * Matrices that products read are rounded (eval/fast/quant.h says how), and nothing else: norms, biases and tables that are only looked up stay as the file
 * has them. With 4 bits, a matrix that has a row or column for each word of a vocabulary gets 8: it chooses the word, and is looked up by it.
 *
 * how->keeps rounds all at once and writes what came of it beside the weights, as longhand-int8.safetensors or longhand-int4.safetensors;
 * where there is such a file, made from these weights (their length and time say so), it is mapped, and nothing is rounded.
 *
 * Errors: the context of the graph has failed. Memory: its own; weights must outlive it, and it the runs of plans that read it.
 */
#ifndef LH_TRAIN_ROUNDED_H
#define LH_TRAIN_ROUNDED_H

#include "eval/exact.h"
#include "eval/fast/wish.h"
#include "files/weights.h"

struct lh_rounded;
struct lh_quant;

typedef struct lh_rounded_how {
    lh_precision precision; /* LH_IN_INT8 or LH_IN_INT4 */
    bool keeps;             /* write a file beside the weights, unless there is one */
    void (*tell)(void *who, const struct lh_rounded *r); /* what will be taken; or NULL */
    void *who;
} lh_rounded_how;

typedef struct lh_rounded {
    lh_context *ctx;
    lh_arena *arena;
    lh_precision precision;
    const lh_weights *weights;
    /* for each weight; bits is 0: it is read as it is; data is NULL: not yet */
    struct lh_quant *quant;
    double bytes;     /* of all that are rounded */
    const char *path; /* of the file beside the weights; NULL: they are in no file */
    lh_tensors *kept; /* that file, mapped; or NULL: memory of our own */
    bool is_written;  /* by this run */
    void **own;       /* for each weight, or NULL */
} lh_rounded;

/* which ones, as the plan reads them; NULL: failed */
lh_rounded *lh_rounded_new(lh_plan *p, const lh_weights *w, const lh_rounded_how *how);
/* by the threads of a plan; NULL: it is none of them, or failed */
const struct lh_quant *lh_rounded_get(lh_rounded *r, int weight, lh_plan *p);
void lh_rounded_free(lh_rounded *r); /* NULL is allowed */
bool lh_precision_is_rounded(lh_precision p);
const char *lh_precision_name(lh_precision p); /* "int8" */
/* float, bf16, int8, int4; false: it is none of them */
bool lh_precision_read(const char *text, lh_precision *p);

#endif
