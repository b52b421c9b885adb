/* sums_wire -- the part of shared_sums that speaks to other ranks: buckets of cells on their way, several at a time.
 *
 *     p->wire = lh_sums_wire_new(p, arena);          for p->ranks and p->how
 *     lh_sums_wire_begin(p);                         a batch
 *     lh_sums_wire_go_on(p, false);                  between other work: sends what is ready, takes what has come
 *     lh_sums_wire_go_on(p, true);                   until all sums of all ranks are there
 *
 * A bucket goes two ways. Out: each rank gets from all others what they have of its part, and adds it up. Back: all get all parts. In any order
 * MPI does both in one. All ranks begin buckets in the same order, whatever the moment is.
 */
#ifndef LH_TRAIN_SUMS_WIRE_H
#define LH_TRAIN_SUMS_WIRE_H

#include "train/shared_sums.h"

typedef struct lh_sums_wire lh_sums_wire;

lh_sums_wire *lh_sums_wire_new(lh_shared_sums *p, lh_arena *a); /* NULL: failed */
/* what it has of a memory that is not this process's; NULL is allowed */
void lh_sums_wire_free(lh_shared_sums *p, lh_sums_wire *w);
void lh_sums_wire_begin(lh_shared_sums *p);
void lh_sums_wire_go_on(lh_shared_sums *p, bool waits);
double lh_sums_wire_memory(const lh_shared_sums *p); /* bytes */

/* What it needs of shared_sums.c: the tree, ... */
int lh_sums_first_piece(const lh_shared_sums *p, int rank);
int lh_sums_half(int from, int to); /* where a node is halved */
/* ... cells at .. at + n - 1 of all sums, read or written, ... */
void lh_sums_stretch(const lh_shared_sums *p, size_t at, size_t n, float *numbers, bool is_written);
/* ... and what the last piece is the right half of, added to it there. */
void lh_sums_merge(lh_shared_sums *p, size_t at, size_t n);

#endif
