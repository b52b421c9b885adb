/* term -- the arithmetic of one cell as a small tree, which readers print with names, with numbers, or hide.
 *
 *     Q[1][1] = X[1][0] * WQ[0][1] + X[1][1] * WQ[1][1]
 *
 * An operation's .explain makes a term from its operands' cells; lh_explain_in gives the term of an operand: a leaf when
 * the operand has a name, its own arithmetic when it stands inside the formula.
 */
#ifndef LH_EXPLAIN_TERM_H
#define LH_EXPLAIN_TERM_H

#include "graph/op.h"

typedef struct lh_explainer lh_explainer;

typedef enum lh_term_kind {
    LH_TERM_CELL,   /* a cell of a named node */
    LH_TERM_NUMBER, /* a number of the formula, or one made from sizes; text as written */
    LH_TERM_INFIX,  /* part[0] sign part[1] */
    LH_TERM_PREFIX, /* sign part[0] */
    LH_TERM_CALL,   /* sign(part[0], ...) */
    LH_TERM_SUM,    /* part[0] + part[1] + ... */
    LH_TERM_CHOICE, /* part[0] taken because `sign` (a condition in words) */
} lh_term_kind;

typedef struct lh_term lh_term;
struct lh_term {
    lh_term_kind kind;
    const char *sign;
    int binding; /* INFIX, PREFIX, SUM: for brackets */
    lh_term **part;
    int n_parts;
    const lh_node *node; /* CELL */
    lh_cell at;
    double value; /* of the whole term */
};

/* Operand i at a cell of n's result, stretched: row 0 where it has one row. */
lh_term *lh_explain_in(lh_explainer *x, const lh_node *n, int i, lh_cell at);
/* A cell of an operand, exactly. */
lh_term *lh_explain_at(lh_explainer *x, const lh_node *operand, lh_cell at);
lh_term *lh_term_number(lh_explainer *x, double value, const char *text); /* text may be NULL */
lh_term *lh_term_infix(lh_explainer *x, const char *sign, int binding, lh_term *a, lh_term *b,
                       double value);
lh_term *lh_term_prefix(lh_explainer *x, const char *sign, lh_term *a, double value);
lh_term *lh_term_call(lh_explainer *x, const char *name, int n, lh_term *const *parts,
                      double value);
/* An empty sum with room for n; fill ->part[i]; value is set from the cell explained. */
lh_term *lh_term_sum(lh_explainer *x, int n);
lh_term *lh_term_choice(lh_explainer *x, const char *because, lh_term *chosen, double value);
double lh_explain_value(lh_explainer *x, const lh_node *n, lh_cell at); /* the number in a cell */
/* Sizes as they are for an example. */
int lh_explain_rows(lh_explainer *x, const lh_node *n, int example);
int lh_explain_cols(lh_explainer *x, const lh_node *n, int example);
int lh_explain_examples(const lh_explainer *x);
lh_arena *lh_explain_arena(lh_explainer *x);
/* the word of a token, or NULL: that of the model's tokeniser where numbers come from one */
const char *lh_explain_word(lh_explainer *x, const lh_vocab *v, double token);

/* The common forms. Each uses n's own name or sign. */
/* a sign b */
lh_term *lh_explain_infix(lh_explainer *x, const lh_node *n, lh_cell at);
/* name(a, b, ...), cell by cell */
lh_term *lh_explain_call(lh_explainer *x, const lh_node *n, lh_cell at);
/* The same cell of operand 0. */
lh_term *lh_explain_same(lh_explainer *x, const lh_node *n, lh_cell at);
/* The number itself; as it was written. */
lh_term *lh_explain_number(lh_explainer *x, const lh_node *n, lh_cell at);
lh_term *lh_explain_written(lh_explainer *x, const lh_node *n, lh_cell at);

#endif
