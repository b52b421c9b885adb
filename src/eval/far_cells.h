/* far_cells -- numbers in a memory that is not this process's, outside of any plan: those that several runs, or several processes, add up.
 *
 *     const lh_far_cells *cells = backend->cells;                 NULL: its numbers are floats in this process's memory
 *     if (!cells->open(ctx)) ...
 *     cells->follow();                                        what plans were asked for until now comes first
 *     cells->add(sum, part, n);
 *     cells->join();                                          what plans are asked for from now on comes later
 *
 * Between the two, plans and cells are worked on at the same time, each in its own order. Memory is taken by the backend.
 */
#ifndef LH_EVAL_FAR_CELLS_H
#define LH_EVAL_FAR_CELLS_H

#include <stdint.h>
#include <string.h>

#include "base/carrier.h"
#include "base/context.h"

typedef struct lh_far_cells {
    bool (*open)(lh_context *ctx); /* false: failed */
    void (*follow)(void);
    void (*join)(void);
    void (*copy)(void *to, const void *from, size_t bytes);
    void (*add)(float *to, const float *left, size_t n); /* to = left + to */
    void (*shorten)(uint16_t *to, const float *from, size_t n);
    void (*lengthen)(float *to, const uint16_t *from, size_t n);
    void (*get)(void *here, const void *there, size_t bytes); /* waits */
    void (*put)(void *there, const void *here, size_t bytes); /* waits */

    /* Several processes. Who makes an id tells it to the others; then all join with it. NULL or false: *why */
    const char *(*device)(void); /* which one of all machines it is, in words */
    bool (*can_carry)(const char **why);
    bool (*make_id)(char id[128], const char **why);
    const lh_carrier *(*carry)(const char id[128], int rank, int n, const char **why);
    void (*leave)(void); /* the carrier is gone; also where carry failed elsewhere */
} lh_far_cells;

/* Floats of a sum, wherever it lies, to what is sent, in the same memory or in this process's; or back. */
static inline void lh_far_transfer(const lh_far_cells *of_sum, const lh_far_cells *of_sent,
                                   float *sum, float *sent, size_t n, bool is_written) {
    void *to = is_written ? sum : sent;
    const void *from = is_written ? sent : sum;
    if (!of_sum)
        memcpy(to, from, n * sizeof *sum);
    else if (of_sent)
        of_sum->copy(to, from, n * sizeof *sum);
    else if (is_written)
        of_sum->put(to, from, n * sizeof *sum);
    else
        of_sum->get(to, from, n * sizeof *sum);
}

#endif
