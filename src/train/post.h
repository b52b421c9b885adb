/* post -- in whose memory sums and params lie, and what takes them to other processes.
 *
 *     if (lh_post_open(&post, ctx, arena, backend, ranks)) ...      all ranks together
 *     lh_far_transfer(post.cells, post.sent, sum, buffer, n, false), post.carrier->gather(...)
 *     lh_post_close(&post);
 *
 * From this process's memory numbers go by MPI. From a GPU's they go by NCCL, if every rank has it and a GPU of its own; otherwise they come
 * here first, and `why` says so. Either way the same numbers are added in the same order.
 */
#ifndef LH_TRAIN_POST_H
#define LH_TRAIN_POST_H

#include "eval/backend.h"
#include "eval/far_cells.h"
#include "train/ranks.h"

typedef struct lh_post {
    const lh_backend *by;
    const lh_far_cells *cells; /* of sums and params; NULL: they are in this process's memory */
    const lh_far_cells *sent;  /* of what is on its way: the same, or NULL */
    const lh_carrier *carrier; /* NULL: this process is alone */
    const char *why;           /* numbers of a GPU have to come here first; NULL: they need not */
} lh_post;

bool lh_post_open(lh_post *p, lh_context *ctx, lh_arena *a, const lh_backend *by,
                  const lh_ranks *ranks); /* false: failed */
void lh_post_close(lh_post *p);

/* Memory for what is on its way. NULL: failed. */
void *lh_post_take(const lh_post *p, lh_context *ctx, lh_arena *a, size_t n, size_t bytes);
void lh_post_give_back(const lh_post *p, lh_context *ctx, void *memory); /* NULL is allowed */

#endif
