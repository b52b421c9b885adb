/* bill_text -- what a program costs, in pieces of text: the terminal and pages put the same together from them.
 *
 *     lh_cost c = lh_bill_both(b, b->row[i].cost);
 *     lh_bill_count(buf, sizeof buf, lh_polynomial_value(&c.multiply_adds));     49,152, or 87.07 G
 *     lh_bill_terms(b->arena, &c.multiply_adds, LH_BILL_TERMS);                  3*tokens*dim^2 + tokens^2*dim
 *
 * Texts lie in the arena of the bill.
 */
#ifndef LH_PAGES_BILL_TEXT_H
#define LH_PAGES_BILL_TEXT_H

#include "explain/bill.h"

enum { LH_BILL_TERMS = 6 }; /* of a formula that is one of many */

/* in full below a thousand million */
const char *lh_bill_count(char *buf, size_t n, double x);
/* the largest; the others are counted: dim^2 + dim + 4 smaller */
const char *lh_bill_terms(lh_arena *a, const lh_polynomial *p, int most);
/* does the formula say more than its number? */
bool lh_polynomial_has_names(const lh_polynomial *p);
/* for one example: what is done for it and what is done once */
lh_cost lh_bill_both(const lh_bill *b, const lh_cost cost[LH_N_WHEN]);
/* of a row; what stands in some turns of its repeat only says in how many */
const char *lh_bill_name(const lh_bill *b, const char *name, int repeat, int times);
/* repeat h, layers = 12 turns; one turn: */
const char *lh_bill_turns(const lh_bill *b, int repeat);
const char *lh_bill_shape(const lh_bill *b, lh_shape s); /* dim x 4*dim */
/* the whole as one sum, largest terms first; returns how many of them are worth a line */
int lh_bill_growth(const lh_bill *b, lh_polynomial *all);

/* all of it as tables of HTML; program: "fast:", or "" (show_cost.c) */
void lh_put_bill(lh_text *out, const lh_bill *b, const char *program);

#endif
