/* plan -- what the files of the exact evaluator share. They are compiled twice (see real.h): every name below is one thing in
 * double and another in the wide type.
 */
#ifndef LH_EVAL_PLAN_H
#define LH_EVAL_PLAN_H

#include "eval/exact.h"
#include "eval/kernel.h"
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
    bool is_static;  /* does not change between runs */
    bool at_start;   /* needed to find the starts of givens */
    bool is_once;    /* does not depend on the growing input: found when it begins */
    bool is_half;    /* lent in bf16 */
    bool is_changed; /* a kernel makes another value of it in place: it stands for no other node */
    bool lasts;      /* is there after a run: asked for, or all are */
    lh_node *same;   /* another node with the same formula that stands for this one, or NULL */
    lh_match *match; /* the kernel that makes it, or NULL: its operation does */
    int uses;        /* how many read it, before kernels were joined */
    lh_view view;
    size_t offset; /* of its memory: in fixed, when its size is fixed; else in moving */
    size_t pool;   /* ... of one that does not last: in the pool, behind what does */
    int first,
        last; /* the work that makes it and the last that reads it: between them its memory is its own */
} value;

struct lh_plan {
    lh_graph *g;
    lh_arena *arena;
    const lh_op *const *ops;
    const lh_kernel *const *kernels; /* ends with NULL; NULL: every operation by its definition */
    bool updates;                    /* what := needs is asked for */
    bool joins;                      /* kernels for several steps may be taken: uses are known */
    bool shares_memory;              /* values that do not last lie in memory that others had */
    bool is_sketch;                  /* sizes are found, and no memory is taken */
    bool lends;                      /* known values of a fixed size lie in the caller's memory */
    value *value;                    /* one for each node */
    int n_nodes;
    lh_work *at_start, *each_run; /* the two programs */
    int n_start, n_run;
    lh_node **runtime; /* training, step, examples */
    int n_runtime;
    lh_real *fixed, *moving, *spare;
    size_t n_fixed, n_moving, cap_moving, n_spare;
    lh_node *const *sum; /* added up from run to run (fast/sums.c) */
    int n_sums;
    lh_block *sums;   /* where each is added up */
    int *size;        /* of each axis for each example: size[axis * cap + example] */
    lh_block *blocks; /* of batched values: cap for each */
    int cap, examples, n_batched;
    lh_work *at_commit; /* kernels that renew in place */
    int n_commit;
    int threads;
    int grows;               /* rows that a growing input may come to; 0: none grows */
    const lh_node *prevents; /* why rows cannot be computed one at a time, or NULL */
    float *kept;             /* what kernels keep of earlier rows */
    size_t n_kept;
    int placed_examples;   /* how many rows were kept of, when they were kept last */
    int *example;          /* the batch */
    const lh_batch *batch; /* ... from elsewhere; NULL: examples of the program */
    int *placed;           /* the sizes that memory was placed for; examples first */
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

#define fixed_cells  LH_NAME(fixed_cells)
#define reals        LH_NAME(reals)
#define block_own    LH_NAME(block_own)
#define block_view   LH_NAME(block_view)
#define sizes_fixed  LH_NAME(sizes_fixed)
#define sizes_now    LH_NAME(sizes_now)
#define connect      LH_NAME(connect)
#define flatten      LH_NAME(flatten)
#define owns_memory  LH_NAME(owns_memory)
#define plan_new     LH_NAME(plan_new)
#define plan_free    LH_NAME(plan_free)
#define plan_bind    LH_NAME(plan_bind)
#define plan_start   LH_NAME(plan_start)
#define plan_feed    LH_NAME(plan_feed)
#define find_kernel  LH_NAME(find_kernel)
#define order_work   LH_NAME(order_work)
#define place_pool   LH_NAME(place_pool)
#define owner_of     LH_NAME(owner_of)
#define is_pooled    LH_NAME(is_pooled)
#define blocks_fixed LH_NAME(blocks_fixed)

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
void plan_feed(lh_plan *p, const lh_batch *batch);
void plan_start(lh_plan *p);
void find_kernel(lh_plan *p,
                 lh_node *n);  /* sets the match of n, and of what is made with it (match.c) */
bool order_work(lh_plan *p);   /* operands before users; when each value is there (memory.c) */
size_t place_pool(lh_plan *p); /* memory for what does not last, and how much in all (memory.c) */
bool is_pooled(const lh_plan *p, const value *v); /* it owns memory, and does not last */
void blocks_fixed(lh_plan *p, bool is_pool);
lh_work sum_work(lh_plan *p, int i); /* adds sum i to what it came to before (fast/sums.c) */
bool grow_plan(lh_plan *p); /* which works are done once, which node prevents growing (grow.c) */
bool grow_keep(lh_plan *p); /* memory for what is kept of earlier rows */
const value *owner_of(const lh_plan *p, const lh_node *n); /* whose memory it lies in */

#endif
