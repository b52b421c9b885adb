/* operands -- the named numbers of a formula, each with the address that a page asks for.
 *
 *     int n;
 *     lh_operand *list = lh_operands_of(arena, &from, line->term, 6, &n);          from left to right
 *     lh_put_operands(out, "0.992954 / 1.992954", list, n);                        each as an element with its address
 */
#ifndef LH_PAGES_OPERANDS_H
#define LH_PAGES_OPERANDS_H

#include "explain/explain.h"
#include "pages/page_address.h"

enum { LH_MOST_OPERANDS = 256 };

typedef struct lh_operand {
    const lh_node *node;
    const char *at;
    const char *text; /* the number as it is written */
    double value;
} lh_operand;

/* in the arena; those behind LH_MOST_OPERANDS are left out */
lh_operand *lh_operands_of(lh_arena *a, const lh_addressed *from, const lh_term *term, int digits,
                           int *n);
/* text with XML's signs escaped; a number that is no operand stays text */
void lh_put_operands(lh_text *out, const char *text, const lh_operand *list, int n);

#endif
