/* backend -- what runs a plan: a type of numbers, the memory they lie in, code for operations, threads or a stream.
 *
 *     static const lh_backend backend = {.name = "mine", ...};
 *     LH_EVALUATOR(mine, &backend);                              BACKEND(mine) in backends.def names it
 *
 * A plan (eval/plan.h) says what is computed, in which order, and which cells of which buffer every value has. It knows no element
 * type and touches no number. The backend has the buffers and does the works. Each is in a folder of its own: exact, wide, fast,
 * cuda; tests/checked.h has one that checks every access.
 *
 * What a backend in the memory of this process needs is in eval/loops.h, compiled once for each element type. One in other
 * memory writes the functions below by itself: a plan never follows a pointer that take() returned.
 *
 * Errors stay in the context of the plan's graph. take, open and ready return NULL or false then.
 */
#ifndef LH_EVAL_BACKEND_H
#define LH_EVAL_BACKEND_H

#include "eval/exact.h"
#include "eval/kernel.h"
#include "eval/layout.h"

/* When works are done. */
typedef enum lh_stage {
    LH_STAGE_START,  /* once: what is made of consts, what starts are made of */
    LH_STAGE_RUN,    /* in every run */
    LH_STAGE_COMMIT, /* when := is carried out */
    LH_N_STAGES
} lh_stage;

typedef void (*lh_do_piece)(void *what, int piece, int thread);

struct lh_backend {
    const char *name;
    const char *element; /* its type of numbers: "double" */
    size_t cell_bytes;
    double epsilon;     /* of that type: the distance from 1 to the next number */
    int line;           /* values of a fixed size begin at multiples of so many cells */
    bool has_floats;    /* its buffers are floats in the memory of this process */
    bool shares_memory; /* values that are not needed together may lie in one place */
    const lh_kernel *const *kernels; /* ends with NULL; NULL: every operation by its definition */
    const lh_kernel *adds_up;        /* adds its leaf to wish.sum's memory; NULL: it cannot */
    /* numbers outside of plans (eval/far_cells.h); NULL: they are floats in this process's memory */
    const struct lh_far_cells *cells;

    /* Memory. Cells are read and written a whole matrix at a time: heads, then rows, then columns, of one example. */
    void *(*take)(lh_context *ctx, size_t cells, size_t cell_bytes); /* zeroed */
    void (*give_back)(lh_context *ctx, void *memory);                /* NULL is allowed */
    void (*write)(lh_plan *p, const lh_layout *to, const double *from);
    void (*read)(const lh_plan *p, const lh_layout *from, double *to);
    void (*copy)(lh_plan *p, const lh_layout *to, const lh_layout *from); /* no rounding */
    void (*add)(lh_plan *p, const lh_layout *to, double x);               /* to every cell */
    /* of two cells, in its own precision */
    double (*difference)(const lh_plan *p, const lh_layout *a, const lh_plan *q,
                         const lh_layout *b);

    /* Can a kernel of its own stand for this? It may add leaves to the match. NULL: all can */
    bool (*takes)(const lh_plan *p, lh_node *n, lh_match *m);
    /* Which values of a batch lie in numbers of half a cell: sets is_short, when works are known. NULL: none */
    void (*shorten)(lh_plan *p);

    /* Works. */
    bool (*open)(lh_plan *p, const lh_wish *wish); /* everything is planned: p->own is its own */
    void (*close)(lh_plan *p);                     /* also behind an open that failed */
    double (*bytes)(const lh_plan *p); /* its own, beside the buffers; NULL: none to speak of */
    bool (*ready)(lh_plan *p, bool is_bound); /* layouts are new: of the start, or of a batch */
    void (*run)(lh_plan *p, lh_stage stage, int from, int to); /* works from .. to - 1 of a list */
    void (*count)(lh_plan *p, int i, unsigned long long count[2]); /* runs work i, and counts */
    /* Of a text that grows: after `fed` rows, could it go on from fewer of them? NULL: it could */
    bool (*has_past)(lh_plan *p, int fed, int rows);
    /* The column of the first of the largest numbers of a row, -1: none is a number. NULL, or -2: it is read instead */
    int (*largest)(lh_plan *p, const lh_layout *row);
    int rests; /* of a text that grows: works that a value's memory rests behind its last use */
    int rests_of_batch; /* ... and else */
    /* n pieces that do not depend on each other; NULL: in turn */
    void (*each)(lh_plan *p, int n, lh_do_piece piece, void *what);
};

typedef struct lh_backend lh_backend;

/* Buffers in the memory of this process: asked of the system before they are taken. */
void *lh_host_take(lh_context *ctx, size_t cells, size_t cell_bytes);
void lh_host_give_back(lh_context *ctx, void *memory);

lh_plan *lh_plan_new(lh_graph *g, const lh_wish *wish, const lh_backend *by);

/* What all evaluators have in common: everything but .name, .epsilon, .by and .plan (eval/evaluate.c). */
void lh_plan_free(lh_plan *p);
void lh_plan_start(lh_plan *p);
void lh_plan_bind(lh_plan *p, const int *examples, int n);
void lh_plan_feed(lh_plan *p, const lh_batch *batch);
void lh_plan_run(lh_plan *p);
void lh_plan_commit(lh_plan *p);
void lh_plan_training(lh_plan *p, bool is_on);
void lh_plan_at_step(lh_plan *p, int step);
int lh_plan_examples(const lh_plan *p);
bool lh_plan_has(const lh_plan *p, const lh_node *n);
lh_sizes lh_plan_sizes(const lh_plan *p, const lh_node *n, int example);
double lh_plan_get(const lh_plan *p, const lh_node *n, lh_cell at);
void lh_plan_set(lh_plan *p, const lh_node *n, lh_cell at, double x);
void lh_plan_add(lh_plan *p, const lh_node *n, lh_cell at, double x);
double lh_plan_difference(const lh_plan *p, const lh_node *n, lh_cell at, const lh_plan *q);
/* A value that does not depend on an example: rows x cols numbers at once. */
void lh_plan_read(const lh_plan *p, const lh_node *n, double *to);
/* A row of the first example; and which column of it has the largest number, as lh_backend.largest. */
void lh_plan_read_row(const lh_plan *p, const lh_node *n, int row, double *to);
int lh_plan_largest(lh_plan *p, const lh_node *n, int row);
void lh_plan_write(lh_plan *p, const lh_node *n, const double *from);
double lh_plan_bytes(const lh_plan *p); /* memory of its values, once a batch is bound */
lh_trouble lh_plan_trouble(const lh_plan *p);
void lh_plan_count(lh_plan *p, unsigned long long count[2]);

#define LH_EVALUATE                                                                                \
    .free = lh_plan_free, .start = lh_plan_start, .bind = lh_plan_bind, .feed = lh_plan_feed,      \
    .run = lh_plan_run, .commit = lh_plan_commit, .training = lh_plan_training,                    \
    .at_step = lh_plan_at_step, .examples = lh_plan_examples, .has = lh_plan_has,                  \
    .sizes = lh_plan_sizes, .get = lh_plan_get, .set = lh_plan_set, .add = lh_plan_add,            \
    .difference = lh_plan_difference, .trouble = lh_plan_trouble, .count = lh_plan_count

/* lh_mine, the evaluator that runs plans by a backend. */
#define LH_EVALUATOR(id, backend)                                                                  \
    static lh_plan *id##_plan(lh_graph *g, const lh_wish *wish) {                                  \
        return lh_plan_new(g, wish, backend);                                                      \
    }                                                                                              \
    const lh_evaluator lh_##id = {                                                                 \
        .name = #id, .epsilon = LH_REAL_EPSILON, .by = backend, .plan = id##_plan, LH_EVALUATE}

#endif
