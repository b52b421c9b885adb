/* api -- what the files of the public interface share. include/longhand.h is the manual.
 *
 * Every public function asks for what it needs and goes on only when it is there:
 *
 *     if (!lh_api_plan(lh)) return;       (no error so far, a program is open, built and planned)
 *
 * What depends on what: program -> graph -> plan -> numbers of a run. lh_api_forget drops one of them with all behind it.
 */
#ifndef LH_API_H
#define LH_API_H

#include "eval/exact.h"
#include "explain/bill.h"
#include "explain/explain.h"
#include "learn/chosen.h"
#include "longhand.h"

struct longhand {
    lh_context *ctx;
    longhand_message message; /* the error, as longhand_error shows it */
    char folder[1024];        /* where an opened text may read files; ends in / */
    bool has_folder;

    lh_arena *arena; /* of the open program, for everything in this block */
    lh_program *program;
    const char *title;
    char beside[1024]; /* the folder of the open program; ends in /, or "" */
    lh_setting *set;
    const char **train, **freeze;
    lh_rewrite *rewrite;
    int n_set, n_train, n_freeze, n_rewrites;
    const char *backward;
    const lh_lesson_program *use; /* what the opened program's use line sets; NULL: nothing */
    lh_mistakes *rules;           /* of its mistake, or NULL */
    int n_opened;                 /* rewrites that belong to it: longhand_restore keeps them */

    lh_graph *g;         /* NULL: to be built */
    longhand_step *step; /* g->n_steps, in g's arena; path NULL: not yet asked for */
    lh_node **held;      /* in g's arena */
    int n_held;

    lh_plan *plan; /* NULL: to be made */
    int *batch;    /* from malloc; NULL: all examples */
    int n_batch;
    bool is_training, has_run;
    int updates;

    lh_explanation *told; /* the last explanation */
    longhand_explanation explanation;
    lh_bill *bill; /* of g, or NULL */
    longhand_bill costs;
    char trouble[512];
};

typedef enum lh_api_level { LH_API_PROGRAM, LH_API_GRAPH, LH_API_PLAN } lh_api_level;

bool lh_api_ready(const longhand *lh); /* no error so far */
bool lh_api_program(longhand *lh);     /* ... and a program is open */
bool lh_api_graph(longhand *lh);       /* ... and built */
bool lh_api_plan(longhand *lh);        /* ... and has a plan with a batch */
bool lh_api_numbers(longhand *lh);     /* ... and has run once */
void lh_api_forget(longhand *lh, lh_api_level from);
void lh_api_replan(
    longhand *lh); /* a new plan, with the givens, inputs and held numbers of the old one */
void lh_api_inherit(const longhand *lh, const lh_plan *from, lh_plan *to); /* these numbers */
void lh_api_copy(const lh_node *n, const lh_plan *from, lh_plan *to); /* all cells of one value */

lh_step *lh_api_find(longhand *lh, const char *name); /* NULL and the context failed */
lh_node *lh_api_result(lh_node *n);     /* of a call its last line: body, rule and users share it */
bool lh_api_is_given(const lh_node *n); /* const, param, state or input: may be set as it is */

/* One matrix of a value and the caller's array of numbers. */
size_t lh_api_room(const longhand *lh, const lh_plan *p, const lh_step *s,
                   longhand_part part); /* how many numbers; 0 and the context failed */
size_t lh_api_take(const longhand *lh, const lh_plan *p, const lh_step *s, longhand_part part,
                   double *to, size_t room); /* copies unless `to` is NULL; how many numbers */
void lh_api_put(const longhand *lh, lh_plan *p, const lh_step *s, longhand_part part,
                const double *from, size_t n);

#endif
