/* plan -- what is computed, in which order and in which memory: plain data that knows no element type.
 *
 *     lh_plan *p = lh_exact.plan(g, &wish);          or of any other evaluator; wish.is_sketch: without memory
 *     lh_exact.bind(p, NULL, 0);                     layouts of a batch are known
 *     for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) ... p->list[LH_STAGE_RUN].work[i]
 *     lh_plan_print(&text, p);                       the same as text: eval/plan_text.h
 *
 * Made in two stages. What does not depend on examples is decided when the plan is made: the role of each node, which nodes share
 * a value, which kernel makes which nodes, the order of works and from which to which a value is needed. A batch then gives every
 * value its layouts: buffer, first cell, distances. How the works are done is the backend's business (eval/backend.h).
 */
#ifndef LH_EVAL_PLAN_H
#define LH_EVAL_PLAN_H

#include "eval/backend.h"
#include "eval/moment.h"

typedef enum lh_role {
    UNUSED = 0,
    SHAPE, /* only its sizes matter */
    LEAF,  /* number, matrix, size, runtime: written at the start or before a run */
    GIVEN, /* const, param, state: written at the start, renewed by commit */
    INPUT, /* written by bind */
    KNOWN, /* written by the caller */
    VIEW,  /* other distances in another value's memory */
    MADE,  /* computed */
} lh_role;

typedef struct lh_plan_value {
    lh_role role;
    bool is_static;  /* does not change between runs */
    bool at_start;   /* needed to find the starts of givens */
    bool is_once;    /* does not depend on the growing input: found when it begins */
    bool is_half;    /* borrowed, in bf16 */
    bool is_short;   /* its own memory holds numbers of half a cell: the backend's wish */
    bool is_quant;   /* borrowed, quantised: a lh_quant (eval/fast/quant.h) */
    bool is_changed; /* a kernel makes another value of it in place: it stands for no other node */
    bool lasts;      /* is there after a run: asked for, or all are */
    lh_node *same;   /* another node with the same formula that stands for this one, or NULL */
    lh_match *match; /* the kernel that makes it, or NULL: its operation does */
    int uses;        /* how many read it, before kernels were joined */
    lh_layout *layout; /* layout[example * step] */
    int step;          /* 1: it has one for each example; 0: one alone */
    size_t offset;     /* of its memory: in LH_FIXED; of a batched one: the number of its layouts */
    size_t pool;       /* ... of one that does not last: in LH_MOVING, behind what does */
    int first, last;   /* the work that makes it and the last that reads it: between them its
                          memory is its own */
    int again, until;  /* likewise, of one that is made a second time, in the same place; -1 */
} lh_plan_value;

/* A kernel, or an operation by its definition. */
typedef struct lh_plan_work {
    lh_node *node;         /* what it makes; of a kernel the first of match->out that comes */
    const lh_match *match; /* NULL: by its definition */
    int n_in;              /* operands of the node, or leaves of the kernel */
    int sum;               /* it adds up p->sum[sum] from run to run; -1: it does not */
    bool is_once;          /* does not depend on the growing input: done when past is 0 */
    bool is_last;          /* only the last row of each example is asked for */
    bool is_again;         /* it runs again, for the backward pass: wish.recomputes */
} lh_plan_work;

typedef struct lh_plan_list {
    lh_plan_work *work;
    int n;
} lh_plan_list;

struct lh_plan {
    lh_graph *g;
    lh_arena *arena;
    const lh_backend *by;
    void *own;                       /* the backend's */
    const lh_kernel *const *kernels; /* ends with NULL; NULL: every operation by its definition */
    bool updates;                    /* what := needs is asked for */
    bool joins;                      /* kernels for several steps may be taken: uses are known */
    bool shares_memory;              /* values that do not last lie in memory that others had */
    bool is_sketch;                  /* sizes are found, and no memory is taken */
    bool recomputes;                 /* works of a layer run again for the backward pass */
    bool borrows;         /* known values of a fixed size are read in the caller's memory */
    lh_plan_value *value; /* one for each node */
    int n_nodes;
    int newest_used; /* while nodes are chosen */
    lh_plan_list list[LH_N_STAGES];
    lh_node **runtime;  /* training, step, examples */
    double *runtime_is; /* [n_runtime] as they were written last; nan: not yet */
    int n_runtime;
    void *memory[LH_N_BUFFERS]; /* the backend's; of LH_BORROWED: see borrowed */
    size_t cells[LH_N_BUFFERS]; /* how many it has */
    size_t n_lasting;           /* cells of LH_MOVING that are not shared */
    void **borrowed;            /* the caller's memory */
    int n_borrowed;
    bool is_lent_anew;   /* since layouts were made ready */
    lh_node *const *sum; /* added up from run to run, in the caller's memory */
    lh_layout *sum_layout;
    int n_sums;
    int *size;          /* of each axis for each example: size[axis * cap + example] */
    lh_layout *layouts; /* of batched values: cap for each */
    int cap, examples, n_batched;
    int grows;               /* rows that a growing input may come to; 0: none grows */
    const lh_node *prevents; /* why rows cannot be computed one at a time, or NULL */
    int placed_examples;     /* how many rows were kept of, when they were kept last */
    int *example;            /* the batch */
    const lh_batch *batch;   /* ... from elsewhere; NULL: examples of the program */
    int *placed;             /* the sizes that memory was placed for; examples first */
    bool is_started, is_stale, is_bound;
    lh_moment moment;
};

/* The node whose value stands for that of n. */
static inline const lh_node *lh_standing(const lh_plan *p, const lh_node *n) {
    while (p->value[n->id].same) n = p->value[n->id].same;
    return n;
}

static inline lh_plan_value *lh_value_of(const lh_plan *p, const lh_node *n) {
    return &p->value[lh_standing(p, n)->id];
}

static inline const lh_layout *lh_layout_of(const lh_plan *p, const lh_node *n, int example) {
    const lh_plan_value *v = lh_value_of(p, n);
    return &v->layout[example * v->step];
}

/* What a work reads, in its order; NULL: a leaf that is not there. */
static inline lh_node *lh_plan_operand(const lh_plan_work *w, int i) {
    return w->match ? lh_match_leaf(w->match, i) : w->node->in[i];
}

/* Its numbers, not its size alone. */
static inline bool lh_plan_reads(const lh_plan_work *w, int i) {
    return lh_plan_operand(w, i) && (w->match || lh_op_reads(w->node, i));
}

/* Where a buffer begins, in the backend's or the caller's memory. NULL: it has none. */
static inline void *lh_plan_base(const lh_plan *p, const lh_layout *l) {
    return l->buffer == LH_BORROWED ? p->borrowed[l->borrowed] : p->memory[l->buffer];
}

/* Cells of memory that so many numbers of a value take. */
static inline size_t lh_plan_room(const lh_plan_value *v, size_t numbers) {
    return v->is_short ? numbers / 2 + numbers % 2 : numbers;
}

/* Of a value that does not depend on the batch. */
size_t lh_plan_fixed_cells(const lh_graph *g, const lh_node *n);
lh_sizes lh_plan_fixed_sizes(const lh_graph *g, const lh_node *n);

/* whose memory it lies in */
const lh_plan_value *lh_plan_owner(const lh_plan *p, const lh_node *n);
bool lh_plan_is_pooled(const lh_plan *p, const lh_plan_value *v); /* shares memory with others */
bool lh_plan_owns_memory(const lh_plan_value *v);
bool lh_plan_axis_grows(const lh_graph *g, int axis); /* with the input of `generate` */

/* Where its cells begin in the backend's memory, for another plan of that backend to borrow; of a batch, those of the first
 * example. NULL: they are not contiguous, or the plan does not compute it. */
void *lh_plan_address(const lh_plan *p, const lh_node *n);

/* wish.borrows, wish.n_sums: before the first feed. */
void lh_plan_borrow(lh_plan *p, const lh_node *known, const void *memory);
void lh_plan_sum_to(lh_plan *p, const lh_node *sum, void *memory);
/* A run that says which of wish.sum has just been added to: it is not touched again in this run. */
void lh_plan_run_sums(lh_plan *p, void (*ready)(void *with, int sum), void *with);

/* Parts of planning, in the order in which they are done. */
bool lh_plan_choose(lh_plan *p, const lh_wish *wish); /* roles, kernels, sharing: plan_choose.c */
void lh_plan_find_kernel(lh_plan *p, lh_node *n); /* and of what is made with it: plan_match.c */
bool lh_plan_sends_whole(const lh_plan *p, const lh_node *back); /* is there a kernel for it? */
bool lh_plan_grow(lh_plan *p);        /* what is done once: plan_grow.c */
bool lh_plan_place_fixed(lh_plan *p); /* plan_memory.c */
void lh_plan_layouts_fixed(lh_plan *p, bool is_pool);
bool lh_plan_order(lh_plan *p); /* operands before users; when each value is needed: plan_order.c */
bool lh_plan_again(lh_plan *p); /* wish.recomputes: plan_again.c */
/* Of each node: the work of a run that makes it, or -1; and the work that a reader of n waits for, or -1. */
void lh_plan_find_makers(const lh_plan *p, int *maker);
int lh_plan_maker(const lh_plan *p, const int *maker, const lh_node *n);
size_t lh_plan_place_pool(lh_plan *p); /* memory that is shared, and how much in all */
void lh_plan_layout_own(lh_layout *l, lh_buffer buffer, size_t at, lh_sizes s);
void lh_plan_layout_view(const lh_node *n, const lh_layout *in, lh_layout *out, lh_sizes s);

#endif
