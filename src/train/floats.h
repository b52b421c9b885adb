/* floats -- numbers of a plan where they lie, without a copy; of a backend that has no floats in the memory of this process, copies.
 *
 *     float *w = lh_floats(plan, given->node);           rows x cols, row after row; NULL: the plan does not have it
 *     lh_floats_borrow(plan, given->node, mapped);         of a plan with wish.borrows: a known value is read there
 *     double bytes = lh_floats_memory(plan);             what the plan holds now: all of it behind the first feed
 *
 * Params and states may be written through it: whatever is made of them is made anew in every run. Consts may not: what is made
 * of consts alone is made once; lh_fast.set knows that.
 */
#ifndef LH_TRAIN_FLOATS_H
#define LH_TRAIN_FLOATS_H

#include <stdint.h>

#include "eval/exact.h"
#include "files/weights.h"

struct lh_quant;

float *lh_floats(const lh_plan *p, const lh_node *given);
/* ... or a copy, of a backend without floats */
const float *lh_floats_read(lh_arena *a, const lh_plan *p, const lh_node *given);
void lh_floats_write(lh_arena *a, lh_plan *p, const lh_node *given, const lh_weight *from);
/* all, for wish.known: whoever has the weights puts them in */
lh_node **lh_floats_params(lh_arena *a, const lh_graph *g, int *n);
/* wish.borrows: before the first feed; read in place */
void lh_floats_borrow(lh_plan *p, const lh_node *known, const float *numbers);
/* all who read it can read bf16 */
bool lh_floats_may_be_half(const lh_plan *p, const lh_node *known);
/* likewise, of bf16, where it may be */
void lh_floats_borrow_half(lh_plan *p, const lh_node *known, const uint16_t *numbers);
/* some product reads it, and all who do can read it in few bits (eval/fast/quant.h): a line is a row, or a column */
bool lh_floats_may_be_quant(const lh_plan *p, const lh_node *known, bool *is_by_rows);
/* likewise, a matrix of few bits, cut that way; it must outlive the plan */
void lh_floats_borrow_quant(lh_plan *p, const lh_node *known, const struct lh_quant *matrix);
/* wish.sum: before the first feed; rows x cols, added to in place */
void lh_floats_sum(lh_plan *p, const lh_node *sum, float *to);
double lh_floats_memory(const lh_plan *p);
/* n of one plan is to be m of the other, if both have it */
void lh_floats_take(lh_plan *to, const lh_node *n, const lh_plan *from, const lh_node *m);
/* every param that both have; a plan that borrows takes no copy: `from` must outlive it */
void lh_floats_copy(lh_plan *to, const lh_plan *from, const lh_graph *g);

#endif
