/* explain -- one number, down to the numbers that made it.
 *
 *     lh_explanation *e = lh_explain(g, "P[1][0]", &(lh_explain_how){.digits = 6});
 *     for (int i = 0; i < e->n_lines; i++) ... e->line[i].label, .formula, .numbers, .value
 *
 * Explaining emits lines; printing is the caller's. Everything belongs to the explanation's arena: lh_explanation_free.
 */
#ifndef LH_EXPLAIN_H
#define LH_EXPLAIN_H

#include "eval/exact.h"
#include "explain/term.h"
#include "train/loop.h"

/* Where numbers come from when no plan of the exact evaluator has them. */
typedef struct lh_numbers {
    void *from; /* handed to the functions */
    int examples;
    lh_sizes (*sizes)(void *from, const lh_node *n, int example);
    double (*get)(void *from, const lh_node *n, lh_cell at);
    /* the word at a place of an axis, or NULL */
    const char *(*label)(void *from, int axis, int at);
} lh_numbers;

struct lh_explainer {
    lh_graph *g;
    const lh_plan *plan;
    const lh_numbers *numbers; /* in place of the plan, or NULL */
    lh_arena *arena;
    const lh_scope *from; /* names are written as seen from here */
    int depth;
    int n_opened; /* unnamed values opened for this line: a sum of sums of sums ends somewhere */
};

/* h[3].H.P{example 2, head 5}[7][2]@1 */
typedef struct lh_address {
    char path[256];
    int example, head, row, col, step; /* -1 where not given (step: 0) */
    bool has_example, has_head, has_step;
    int n_indices; /* 0, 1 or 2 */
    int index[2];
} lh_address;

bool lh_address_parse(lh_context *ctx, const char *text, lh_address *a); /* the form alone */
/* {example 2, head 5}, from the brace on; s is moved behind it. False: it is something else. */
bool lh_address_braces(const char **s, lh_address *a);
/* the step it names; an update for WO@1 */
lh_step *lh_address_find(lh_graph *g, const lh_address *a);
/* checked against the sizes */
bool lh_address_cell(lh_graph *g, const lh_plan *p, const lh_address *a, const lh_node *n,
                     lh_cell *at);

typedef struct lh_explain_how {
    int digits;     /* significant; 0: 6 */
    bool deep;      /* follow the operands down to the given numbers */
    bool all_terms; /* every term of a long sum */
    /* numbers are there already; NULL: run the program up to the asked step of training */
    const lh_plan *plan;
    const lh_numbers *numbers; /* ... or come from elsewhere */
    lh_loop_how training;      /* its batches, where it is run; 0: all examples in each update */
} lh_explain_how;

typedef struct lh_line {
    int depth;
    const char *label;   /* e[1][0] */
    const char *formula; /* exp(Z[1][0] - m[1]) */
    const char *numbers; /* exp(0 - 0.00707107) */
    double value;
    const lh_node *node;
    const lh_node *shown; /* what the label names: of the last line of a call, the call */
    lh_cell at;
    const lh_term *term; /* the formula as a tree: its leaves are the operands */
    const char *note;    /* from the program, or why a branch was taken; or NULL */
} lh_line;

typedef struct lh_explanation {
    lh_arena *arena;
    lh_step *step;
    lh_address address;
    lh_cell at;
    int moment; /* updates before the numbers of its operands: of WO@3 they are those of @2 */
    double value;
    const char *where; /* row and column in words, when they have words */
    lh_line *line;
    int n_lines;
} lh_explanation;

/* NULL and the context failed on error */
lh_explanation *lh_explain(lh_graph *g, const char *address, const lh_explain_how *how);
void lh_explanation_free(lh_explanation *e);

/* What is said between the formula and the value: "" where that would say one of them again. */
const char *lh_line_between(const lh_line *l, const char *value);

/* P{example 1, head 2}[1][0]; one index for a row or column */
const char *lh_cell_text(lh_explainer *x, const lh_node *n, lh_cell at);
const char *lh_term_text(lh_explainer *x, const lh_term *t, bool numbers, int digits,
                         bool all_terms);
lh_sizes lh_explain_sizes(const lh_explainer *x, const lh_node *n, int example);
/* as lh_address_cell, wherever numbers come from */
bool lh_explain_cell(const lh_explainer *x, const lh_address *a, const lh_node *n, lh_cell *at);
/* n opened, whether it has a name or not */
lh_term *lh_explain_node(lh_explainer *x, const lh_node *n, lh_cell at);
/* the word at a place of an axis, or NULL */
const char *lh_axis_label(const lh_graph *g, const lh_plan *p, int axis, int example, int at);

#endif
