/* plan -- what the files of the exact evaluator share. They are compiled twice (see real.h): every name below is one thing in
 * double and another in the wide type.
 */
#ifndef LH_EVAL_PLAN_H
#define LH_EVAL_PLAN_H

#include "eval/exact.h"
#include "eval/work.h"

typedef enum role {
    UNUSED = 0,
    SHAPE, /* only its sizes matter */
    LEAF,  /* number, matrix, size, runtime: written at the start or before a run */
    GIVEN, /* const, param, state: written at the start, renewed by commit */
    INPUT, /* written by bind */
    KNOWN, /* written by the caller */
    VIEW,  /* other strides on another value's memory */
    MADE,  /* computed */
} role;

typedef struct value {
    role role;
    bool is_static; /* does not change between runs */
    bool at_start;  /* needed to find the starts of givens */
    lh_node *same;  /* another node with the same formula that stands for this one, or NULL */
    lh_view view;
    size_t offset; /* of its memory: in fixed, when its size is fixed; else in moving */
} value;

struct lh_plan {
    lh_graph *g;
    lh_arena *arena;
    const lh_op *const *ops;
    value *value; /* one for each node */
    int n_nodes;
    lh_work *at_start, *each_run; /* the two programs */
    int n_start, n_run;
    lh_node **runtime; /* training, step, examples */
    int n_runtime;
    lh_real *fixed, *moving, *spare;
    size_t n_fixed, n_moving, cap_moving, n_spare;
    int *size;        /* of each axis for each example: size[axis * cap + example] */
    lh_block *blocks; /* of batched values: cap for each */
    int cap, examples, n_batched;
    int *example; /* the batch */
    bool is_started, is_stale, is_bound;
    lh_moment moment;
};

static inline const lh_node *standing(const lh_plan *p, const lh_node *n) {
    while (p->value[n->id].same) n = p->value[n->id].same;
    return n;
}

static inline value *value_of(const lh_plan *p, const lh_node *n) {
    return &p->value[standing(p, n)->id];
}

#define fixed_cells LH_NAME(fixed_cells)
#define reals       LH_NAME(reals)
#define block_own   LH_NAME(block_own)
#define block_view  LH_NAME(block_view)
#define sizes_fixed LH_NAME(sizes_fixed)
#define sizes_now   LH_NAME(sizes_now)
#define connect     LH_NAME(connect)
#define flatten     LH_NAME(flatten)
#define owns_memory LH_NAME(owns_memory)
#define plan_new    LH_NAME(plan_new)
#define plan_free   LH_NAME(plan_free)
#define plan_bind   LH_NAME(plan_bind)
#define plan_start  LH_NAME(plan_start)

size_t fixed_cells(const lh_graph *g,
                   const lh_node *n); /* of a value that does not depend on the batch */
lh_real *reals(lh_context *ctx,
               size_t n); /* zeroed; NULL and the context failed when they are refused */
void block_own(lh_block *b, lh_real *p, lh_sizes s);
void block_view(const lh_plan *p, const lh_node *n, const lh_block *in, lh_block *out, lh_sizes s);
lh_sizes sizes_fixed(const lh_graph *g, const lh_node *n);
lh_sizes sizes_now(const lh_plan *p, const lh_node *n, int example);
void connect(lh_plan *p, lh_work *w); /* where its operands and its result lie now */
void flatten(lh_work *w);
bool owns_memory(const value *v);
lh_plan *plan_new(lh_graph *g, const lh_wish *wish);
void plan_free(lh_plan *p);
void plan_bind(lh_plan *p, const int *examples, int n);
void plan_start(lh_plan *p);

#endif
