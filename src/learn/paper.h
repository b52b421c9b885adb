/* paper -- a worksheet as data, ready to be laid out: what is given, what is asked, and for a key the answers.
 *
 *     lh_paper *p = lh_paper_new(ctx, lesson_program, &(lh_paper_how){.lesson = "ex1", .seed = 7, .mistakes = m});
 *     for (int i = 0; i < p->n_steps; i++) ... p->step[i].formula, .block[k].grid
 *     lh_paper_free(p);
 *
 * The paper owns the variant, its graph and the sheet (p->sheet) that marks what is written on it. Laying out is the caller's:
 * the terminal, HTML, Markdown and JSON write the same data. Two papers with the same code ask the same: a filled-in sheet
 * carries it, so that it is never marked on other numbers than those it was printed with.
 */
#ifndef LH_LEARN_PAPER_H
#define LH_LEARN_PAPER_H

#include "explain/trace.h"
#include "learn/mark.h"

enum { LH_PAPER_CELLS = 20000 }; /* more numbers than this are no worksheet */

/* A matrix of texts. Labels are NULL where rows or columns have no words and there is one of them alone. */
typedef struct lh_grid {
    int rows, cols;
    const char **row; /* rows: a word, or its number from 0 */
    const char **col;
    const char **cell; /* rows * cols; "" where the learner writes */
} lh_grid;

typedef struct lh_paper_given {
    const char *line;    /* as it stands in the program: vocab A B C D; const E */
    const char *comment; /* or "" */
    const lh_grid *grid; /* its numbers; NULL where the line says it all */
} lh_paper_given;

/* One example and one head of a step: the matrix a learner fills in. */
typedef struct lh_answer_block {
    const char *address; /* P, P{example 1}, P{example 1, head 0} */
    const char *title;   /* "example 1: A B -> C, head 0", or "" when there is one block alone */
    int example, head;
    int first; /* of its cells, among those of the step */
    lh_grid grid;
} lh_answer_block;

/* A line of working, or without numbers of the rule: e[1][0] = exp(Z[1][0] - m[1]) = exp(0 - 0.0071) = 0.9930. */
typedef struct lh_working {
    const char *label, *formula;
    const char *numbers, *value; /* "" without */
    const char *path;            /* of a rule the step that it makes; NULL in a key */
    bool is_update;              /* := */
    bool is_result;              /* the last line of a call: what it comes to */
} lh_working;

typedef struct lh_paper_step {
    int number;       /* from 1: the ask in the sheet, plus 1 */
    const char *name; /* P; of an update the param */
    const char *path; /* P; of an update WO:= */
    const char *sign; /* "=" or ":=" */
    const char *formula, *comment;
    lh_section section;
    int moment;            /* of training: 1 after one update */
    const char *shape;     /* 2 x 4; 3 examples, 2 x 4 each */
    const char *precision; /* 4 decimals; 4 digits */
    int decimals;
    bool is_scientific; /* the numbers are so small that 1.234e-10 is asked for */
    /* lines to be worked out first that are not asked, and those that open a call: m = rowmax(Z) */
    lh_working *inside;
    int n_inside;
    lh_answer_block *block;
    int n_blocks;
    lh_working *working; /* of a key */
    int n_working;
} lh_paper_step;

typedef struct lh_paper {
    lh_context *ctx;
    lh_arena *arena;
    lh_program *variant;
    lh_graph *g;
    lh_sheet *sheet;
    const char *lesson, *title, *form; /* form: "A" or "" */
    unsigned long long seed;
    int digits;
    const char *const *asked; /* steps named by the caller: a part of the sheet's address */
    int n_asked;
    bool is_key;
    int n_untried;    /* ways to go wrong that were not tried when the numbers were chosen */
    const char *code; /* six signs that stand for all numbers and questions of it */
    lh_paper_given *given;
    int n_given;
    lh_paper_step *step; /* one for each ask of the sheet */
    int n_steps;
} lh_paper;

typedef struct lh_paper_how {
    const char *lesson, *title;
    const char *form;         /* or NULL */
    unsigned long long seed;  /* 0: the lesson's own numbers */
    int digits;               /* 0: 4 */
    const char *const *steps; /* asked by name; none: all that are shown */
    const lh_place *at;       /* where they were named, or NULL */
    int n_steps;
    bool is_named_by_caller; /* steps were chosen for this sheet, not by the lesson */
    bool with_tiny; /* numbers too that this sheet leaves out as too small, and others ask */
    bool key;
    const lh_mistakes *mistakes; /* for the choice of a variant; must outlive the paper */
} lh_paper_how;

/* lesson must outlive it; NULL on error */
lh_paper *lh_paper_new(lh_context *ctx, const lh_program *lesson, const lh_paper_how *how);
void lh_paper_free(lh_paper *p);
/* where the k-th cell of a step stands */
const lh_answer_block *lh_paper_block(const lh_paper *p, int ask, int k, int *cell);
/* its address: P{example 1}[0][2] */
const char *lh_paper_cell(const lh_paper *p, lh_arena *a, int ask, int k);
/* as the key writes it */
const char *lh_paper_number(lh_arena *a, const lh_paper_step *s, int digits, double x);

#endif
