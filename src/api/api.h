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

/* What a caller changed in the open program. A change that cannot be built, or whose sizes do not fit the examples, is dropped
 * when that shows: the error stays, and the program is what it was. */
typedef struct lh_api_changes {
    lh_arena *arena;
    lh_setting *set;
    const char **train, **freeze;
    lh_rewrite *rewrite; /* their rules lie in the arena of the program */
    int n_set, n_train, n_freeze, n_rewrites;
    const char *backward;
} lh_api_changes;

/* Texts that calls return: each is valid until its own function is called again. */
typedef enum lh_api_telling {
    LH_API_EXPLANATION,
    LH_API_TRACE,
    LH_API_CHECK,
    LH_API_COST,
    LH_API_PLOT,
    LH_API_GRAPH_PICTURE,
    LH_API_DIAGRAM,
    LH_API_SHEET,
    LH_API_MARKS,
    LH_API_EXERCISE,
    LH_API_ANSWER,
    LH_API_SAMPLE,
    LH_API_LOOK,
    LH_API_PROGRAM_TEXT,
    LH_N_API_TELLINGS
} lh_api_telling;

/* Where the numbers of a matrix are. */
typedef struct lh_api_matrix {
    const lh_step *step; /* NULL: the context failed */
    const lh_node *node;
    lh_sizes sizes;
    int example, head;
    const double *view; /* in place, at the steps of `how`; or NULL: */
    longhand_part how;
    const void *from;
    double (*get)(const void *from, const lh_node *n, lh_cell at);
} lh_api_matrix;

struct longhand {
    lh_context *ctx;
    longhand_message message; /* the error, as longhand_error shows it */
    char folder[1024];        /* where an opened text may read files; ends in / */
    bool has_folder;

    lh_arena *arena; /* of the open program, for everything in this block */
    lh_program *program;
    lh_found opened;    /* its text, as it was opened */
    const char *chosen; /* the name of the program in its lesson; NULL: the lesson's own */
    const char *title;
    char beside[1024];      /* the folder of the open program; ends in /, or "" */
    lh_api_changes *proven; /* what a plan could be made of; NULL: nothing is changed */
    lh_api_changes *built;  /* what g is built with; until there is a plan perhaps not proven */
    lh_api_changes *wanted; /* what it is to be built with next; NULL: as built */
    const lh_lesson_program *use; /* what the opened program's use line sets; NULL: nothing */
    lh_mistakes *rules;           /* of its mistake, or NULL */
    /* settings that belong to what was opened: of a folder; or NULL */
    const lh_api_changes *opened_with;
    int n_opened; /* rewrites that belong to it: longhand_restore keeps them */

    lh_graph *g;         /* NULL: to be built */
    longhand_step *step; /* g->n_steps, in g's arena; path NULL: not yet asked for */
    lh_node **held;      /* in g's arena */
    int n_held;

    lh_plan *plan; /* NULL: to be made */
    int *batch;    /* from malloc; NULL: all examples */
    int n_batch;
    bool is_training, has_run;
    /* numbers of the plan were set or updated since weights were loaded or learned */
    bool is_newer;
    int updates;

    bool has_no_examples;             /* the program's own are left out: a trained model */
    struct lh_api_lesson *lesson;     /* its exercises, once they were asked for; or NULL */
    const struct lh_api_source *from; /* NULL: values are the plan's */
    struct lh_api_model *model;       /* weights, training, a prompt: api_model.h; or NULL */
    void (*forget_model)(longhand *lh, bool is_all); /* what depends on the graph, or all of it */
    /* its numbers where no plan is there; false: they are not known; or NULL */
    bool (*param)(longhand *lh, const lh_step *s, lh_api_matrix *m);
    bool (*fill_plan)(longhand *lh, lh_plan *p); /* a new plan: params as they are known; or NULL */

    lh_arena *text[LH_N_API_TELLINGS]; /* of the last text of each kind, or NULL */
    lh_explanation *told;              /* the last explanation */
    longhand_explanation explanation;
    lh_bill *bill; /* of g, or NULL */
    longhand_bill costs;
    longhand_marks marks;
    char trouble[512];
};

typedef enum lh_api_level { LH_API_PROGRAM, LH_API_GRAPH, LH_API_PLAN } lh_api_level;

/* closes what was open; false: nothing can be opened */
bool lh_api_begin(longhand *lh, const void *wanted, const char *what);
void lh_api_name(longhand *lh, const lh_found *text);               /* its text and title */
void lh_api_set(longhand *lh, const char *name, const char *value); /* a value that can be read */
void lh_api_keep_settings(longhand *lh); /* those so far belong to what was opened */
bool lh_api_ready(const longhand *lh);   /* no error so far */
bool lh_api_program(longhand *lh);       /* ... and a program is open */
bool lh_api_graph(longhand *lh);         /* ... and built */
bool lh_api_plan(longhand *lh);          /* ... and has a plan */
bool lh_api_bound(longhand *lh);         /* ... with a batch */
bool lh_api_numbers(longhand *lh);       /* ... and has run once */
void lh_api_forget(longhand *lh, lh_api_level from);
/* a new plan, with the givens, inputs and held numbers of the old one */
void lh_api_replan(longhand *lh);
void lh_api_inherit(const longhand *lh, const lh_plan *from, lh_plan *to); /* these numbers */
void lh_api_copy(const lh_node *n, const lh_plan *from, lh_plan *to); /* all cells of one value */

/* to be changed by the caller: the next build takes it; NULL and the context failed */
lh_api_changes *lh_api_change(longhand *lh);
void lh_api_settle(longhand *lh); /* behind a build: it worked, or the change is dropped */
void lh_api_prove(longhand *lh, bool is_good); /* behind a plan, likewise */
void lh_api_rewrite(longhand *lh, lh_rewrite r);
/* empty, for a new text of this kind; NULL and the context failed */
lh_arena *lh_api_text(longhand *lh, lh_api_telling what);
/* A struct of options as this library knows it: what the caller's lacks is 0. `first`: the size it had in its first version, meant
 * where the caller writes 0. False and the context failed: it asks for what this library does not have. */
bool lh_api_options(longhand *lh, const void *from, size_t first, void *to, size_t now);

/* A form that a function has; false and the context failed. */
enum {
    LH_API_TEXT = 1,
    LH_API_JSON = 2,
    LH_API_HTML = 4,
    LH_API_MARKDOWN = 8,
    LH_API_CSV = 16,
    LH_API_SVG = 32
};
bool lh_api_form(longhand *lh, longhand_form form, unsigned allowed, const char *call);

const char *lh_api_lesson_name(const longhand *lh, lh_arena *a); /* ex1; attention:bag */

void lh_api_lesson_free(struct lh_api_lesson *l);

lh_step *lh_api_find(longhand *lh, const char *name); /* NULL and the context failed */
lh_node *lh_api_result(lh_node *n);     /* of a call its last line: body, rule and users share it */
bool lh_api_is_given(const lh_node *n); /* const, param, state or input: may be set as it is */

/* One matrix of a value, and the caller's array of numbers: double or float. */
typedef struct lh_api_array {
    double *exact;
    float *rounded;
} lh_api_array;

typedef struct lh_api_given {
    const double *exact;
    const float *rounded;
} lh_api_given;

size_t lh_api_take(const longhand *lh, const lh_plan *p, const lh_step *s, longhand_part part,
                   lh_api_array to,
                   size_t room); /* copies unless there is no array; how many numbers, or 0
                                                     and the context failed */
void lh_api_put(const longhand *lh, lh_plan *p, const lh_step *s, longhand_part part,
                lh_api_given from, size_t n);

size_t lh_api_copy_out(const longhand *lh, const lh_api_matrix *m, longhand_part part,
                       lh_api_array to, size_t room);

/* Where values come from in place of the exact evaluator: a model that reads a prompt (api_prompt.c). */
typedef struct lh_api_source {
    lh_explanation *(*explain)(longhand *lh, const char *address, const lh_explain_how *how);
    lh_api_matrix (*matrix)(longhand *lh, const lh_step *s, longhand_part part);
} lh_api_source;

#endif
