/* shares -- which rank renews which param: its optimiser's states are there, and nowhere else.
 *
 *     const bool *renews = lh_shares_mine(parts);     of the givens that this rank renews; NULL: of all
 *     x = lh_shares_fetch(parts, arena, given);       on rank 0: its numbers, wherever they are; all ranks call it together
 *     lh_shares_tell(parts);                          after := : every rank has every param as its owner has it
 *
 * Givens whose := read the same state go to the same rank. A state that examples look at is renewed by every rank. The rest is shared
 * out in the order of the program, from the last rank to the first, so that each has about as many numbers. Who renews what changes no bit of a result.
 */
#ifndef LH_TRAIN_SHARES_H
#define LH_TRAIN_SHARES_H

#include "train/batch_parts.h"

const bool *lh_shares_mine(lh_parts *p);
void lh_shares_tell(lh_parts *p);
void lh_shares_free(lh_parts *p); /* what telling took of a memory that is not this process's */
double lh_shares_memory(const lh_parts *p); /* bytes, that telling needs */
/* NULL on other ranks, or: no memory */
const float *lh_shares_fetch(const lh_parts *p, lh_arena *a, const lh_given *given);

#endif
