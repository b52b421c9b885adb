/* live -- the numbers of a lesson: its programs run, its inserts worked out, its claims checked.
 *
 *     lh_live *v = lh_live_new(lesson);
 *     const lh_shown_insert *x = lh_live_insert(v, i);           x->text: "0.4982"
 *     lh_value p;
 *     if (lh_live_value(v, "fast:loss@10", (lh_where){0}, &p)) ... p.cell[0]
 *     lh_live_free(v);
 *
 * A program is parsed, built and run when it is first asked for. Training goes forward once, to the largest step that the lesson
 * asks for, and keeps what is asked for on the way; a step that nobody announced and that has passed is run to again.
 *
 * Errors go to the lesson's context: false or NULL is returned. lh_context_clear, and everything is of use again.
 */
#ifndef LH_LEARN_LIVE_H
#define LH_LEARN_LIVE_H

#include "eval/exact.h"
#include "learn/lesson.h"

typedef struct lh_live lh_live;

lh_live *lh_live_new(lh_lesson *l); /* NULL without memory; l must outlive it */
/* the same, and what exercises alone ask for is run to when it is asked for */
lh_live *lh_live_of_text(lh_lesson *l);
/* the lesson's program has changed: what was made of it is made again when asked for */
void lh_live_forget(lh_live *v, int program);
void lh_live_free(lh_live *v); /* NULL is allowed */
lh_lesson *lh_live_lesson(const lh_live *v);

/* ---- programs: numbers as in lesson->program, those added later too ---- */

/* parsed; a variant where it has a seed */
const lh_program *lh_live_program_of(lh_live *v, int program);
lh_graph *lh_live_graph(lh_live *v, int program); /* built with its settings and its mistake */
/* every value after so many updates; good until another moment of this program is asked for */
const lh_plan *lh_live_moment(lh_live *v, int program, int step);
/* updates + 1 numbers or more: before the first update, after the first ...; as `run --steps` has them, of its batch */
const double *lh_live_losses(lh_live *v, int program, int updates);
bool lh_live_has_batches(lh_live *v, int program); /* does an update see some examples alone? */

/* ---- expressions ---- */

/* Where an expression stands: names without a program are of this one; programs are those that this exercise sees. */
typedef struct lh_where {
    int program;  /* 0: the lesson's own */
    int exercise; /* its number from 1; 0: the prose */
    lh_place at;  /* for messages; line 0: no place */
} lh_where;

typedef struct lh_value {
    int rows, cols;
    const double *cell;    /* rows * cols, in the lesson's arena */
    const lh_vocab *vocab; /* they are tokens of it, or NULL */
} lh_value;

typedef struct lh_claim {
    bool holds;
    const char *sign;                   /* "<" of the part that fails, or of the last */
    double left, right;                 /* its numbers: of the first cell that fails */
    int row, col;                       /* that cell */
    const lh_vocab *vocab;              /* they are words of it, or NULL */
    const char *left_text, *right_text; /* the sides of that part as they are written */
    const char *shown; /* "1.383 < 1.384", as many digits as are needed to see it */
} lh_claim;

/* a claim is 1 or 0 */
bool lh_live_value(lh_live *v, const char *expr, lh_where where, lh_value *out);
/* true: it could be worked out; whether it holds is in out */
bool lh_live_claim(lh_live *v, const char *expr, lh_where where, int digits, lh_claim *out);
bool lh_live_is_claim(const char *expr); /* does it end in a comparison? */
/* the step of an address; the cell and the program are checked */
lh_step *lh_live_step(lh_live *v, const char *address, lh_where where);
/* 0.5018 0.4982; 0.4982 0.5018 */
const char *lh_value_text(lh_arena *a, const lh_value *x, int digits);

/* ---- what the text asks for ---- */

typedef struct lh_shown_insert {
    lh_insert_kind kind;
    const char *text;   /* "" for a claim that is not shown */
    bool is_code;       /* formula: it is notation */
    const char *source; /* fact: where it is from; else NULL */
} lh_shown_insert;

/* NULL and the context failed; a false claim fails */
const lh_shown_insert *lh_live_insert(lh_live *v, int insert);
bool lh_live_show_check(lh_live *v, int show); /* do its steps, cells and programs exist? */
/* every program, insert and show item; false: one is wrong */
bool lh_live_all(lh_live *v, lh_problems *problems);

#endif
