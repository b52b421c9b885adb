/* carrier -- what takes numbers from process to process while others are still being computed: MPI, from the memory of this process
 * (src/mpi), or NCCL, from a GPU's (eval/cuda/cuda_cells.c).
 *
 *     c->exchange(slot, LH_WIRE_FLOAT, from, counts, to, their_counts);
 *     ... other work ...
 *     c->is_done(slot, true);
 *
 * These begin and come back at once. What they read, write and are told by (the counts) stays as it is until is_done says so. Each
 * has a slot, from 0 to LH_RANKS_SLOTS - 1, and all ranks begin each kind of them in the same order.
 *
 * One that is in order does what it is asked for, and what its memory is asked for (eval/far_cells.h), one after the other: nobody has to wait, and is_done
 * is always true. All ranks ask it for everything in the same order then, whatever the kind is.
 */
#ifndef LH_BASE_CARRIER_H
#define LH_BASE_CARRIER_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers on their way: floats, or the upper half of each. */
typedef enum lh_wire { LH_WIRE_FLOAT, LH_WIRE_BF16 } lh_wire;

enum { LH_RANKS_SLOTS = 4 }; /* what can be on its way at the same time */

typedef struct lh_carrier {
    const char *name; /* "Open MPI v4.1.4", "NCCL 2.28.3" */
    bool is_in_order;
    /* send_counts[s] numbers of `from` to each rank s, one after the other; those for us, by rank, in `to` */
    void (*exchange)(int slot, lh_wire wire, const void *from, const int *send_counts, void *to,
                     const int *receive_counts);
    /* all of all, by rank */
    void (*gather)(int slot, lh_wire wire, const void *from, int count, void *to,
                   const int *counts);
    /* sums over all ranks, on all of them, in whatever order is fastest */
    void (*add_floats)(int slot, float *x, int n);
    bool (*is_done)(int slot, bool waits); /* where it waits: true */
    /* what one rank has; comes back when it is done, or is done in order */
    void (*tell)(void *bytes, size_t n, int from);
} lh_carrier;

#endif
