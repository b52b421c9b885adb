/* cuda -- the backend that runs a plan on a GPU: what its files share.
 *
 *     const lh_gpu *gpu = lh_cuda_gpu(ctx);      opens the GPU; NULL: the context failed and says why there is none
 *
 * The program itself does not link CUDA. All CUDA code is in a shared object, longhand_cuda.so, which is loaded when a GPU is asked for
 * (eval/cuda/gpu.h). A process uses one GPU: the one that LONGHAND_GPU names, otherwise the first; several processes on a machine take one each, in turn. Only one thread uses it.
 */
#ifndef LH_EVAL_CUDA_H
#define LH_EVAL_CUDA_H

#include "eval/far_cells.h"
#include "eval/cuda/gpu.h"
#include "eval/cuda/gpu_ranks.h"
#include "eval/plan.h"

/* ---- the GPU (cuda_load.c) ---- */

const lh_gpu *lh_cuda_find(const char **why); /* NULL: *why; nothing is opened, nothing fails */
const lh_gpu *lh_cuda_gpu(lh_context *ctx);   /* opened */
bool lh_cuda_is_well(lh_context *ctx);        /* else the context failed: the GPU was lost */
const lh_gpu_ranks *lh_cuda_ranks(void);      /* behind lh_cuda_find; NULL: another version */

extern const lh_far_cells lh_cuda_cells; /* cuda_cells.c */

/* ---- its memory (cuda_memory.c) ---- */

void *lh_cuda_take(lh_context *ctx, size_t cells, size_t cell_bytes);
/* fails the context: says how many bytes are needed for `what`, and how many are free */
void lh_cuda_no_room(lh_context *ctx, const lh_gpu *g, double bytes, const char *what);
void lh_cuda_give_back(lh_context *ctx, void *memory);
void lh_cuda_write(lh_plan *p, const lh_layout *to, const double *from);
void lh_cuda_read(const lh_plan *p, const lh_layout *from, double *to);
void lh_cuda_copy(lh_plan *p, const lh_layout *to, const lh_layout *from);
void lh_cuda_add(lh_plan *p, const lh_layout *to, double x);
double lh_cuda_difference(const lh_plan *p, const lh_layout *a, const lh_plan *q,
                          const lh_layout *b);
/* on the processor, by its definition (cuda_here.c) */
void lh_cuda_run_here(lh_plan *p, const lh_plan_work *w);
/* before a launch: sends what was written, and forgets what was read */
void lh_cuda_settle(void);

/* ---- works (cuda_works.c) ---- */

/* Blocks, views and pointers of all works, built here and copied to the GPU in one go. */
typedef struct lh_cuda_table {
    char *here, *there; /* of the same size */
    size_t bytes, used;
} lh_cuda_table;

/* A step of a work: a product, or the launch with other numbers. */
typedef struct lh_cuda_step {
    lh_gpu_product product;
    const lh_gpu_work *work; /* NULL: it is a product */
} lh_cuda_step;

typedef struct lh_cuda_work {
    const lh_plan_work *plan;
    lh_gpu_launch launch;
    int kernel; /* its index, where the work is one */
    lh_gpu_work gpu;
    lh_cuda_step *step; /* these replace the launch, if there are any */
    int n_steps, room;
    lh_gpu_work *part; /* the works of steps */
    int room_of_parts;
    size_t kept_cells; /* memory in which it leaves something for the backward pass ... */
    size_t kept_at;    /* ... from this cell on */
    lh_gpu_row *row;   /* a product of one row, which replaces all of that; NULL: it is not one */
    bool is_joined;    /* another work computes it too: nothing is launched */
    lh_gpu_many many;  /* n > 0: it and others of its kind are one launch */
    void (*launch_many)(const lh_gpu_many *all, void *stream);
} lh_cuda_work;

/* A weight that products read, and its copy in bf16: which starts at this number; 0 numbers: it has none. */
typedef struct lh_cuda_shadow {
    size_t at, numbers;
    int rows, cols;
    bool is_view;   /* read through a view that is not contiguous */
    bool is_turned; /* the copy is stored column by column */
} lh_cuda_shadow;

/* p->own */
typedef struct lh_cuda_own {
    lh_cuda_table table[2]; /* of the start; of a batch */
    size_t *first; /* where each node's blocks are in the table, plus 1; 0: not there yet */
    lh_cuda_work *work[LH_N_STAGES];
    lh_gpu_moment moment, *moment_there;
    unsigned *example, *example_there;
    int cap;
    float *scratch;
    size_t scratch_cells;
    float *kept;
    size_t kept_cells;
    lh_cuda_shadow *shadow; /* of each node; NULL: products are in float */
    unsigned short *shadows;
    size_t n_shadows;             /* numbers in all */
    lh_gpu_rounding *round_there; /* how they are made, before every run */
    int n_shadowed, n_roundings; /* weights that have a copy; those whose address is known by now */
    void *list[LH_N_STAGES];     /* all launches of a stage, recorded */
    int runs[LH_N_STAGES];       /* since the layouts changed */
    float *rows;                 /* the key-value cache of generation */
    size_t rows_cells;
    lh_gpu_row *row;    /* of each work of a run, if it is a product of one row */
    int *largest;       /* in the GPU's memory: the index of the largest number of a row */
    lh_gpu_token token; /* a run on one row as a single launch; no steps: that is not possible */
    void *token_there;  /* its words, and behind them its steps */
    size_t token_bytes;
    const void *token_scores; /* what its last step makes */
    bool is_token;            /* the last run was one: the largest of its scores is found */
    bool is_apart;            /* for who compares: each work by its own launch all the same */
    int of;                   /* examples that means are taken over; 0: not known yet */
    bool has_here;            /* some works run on the processor: then nothing can be recorded */
} lh_cuda_own;

/* the number of the value in whose memory it lies */
static inline int lh_cuda_value_of(const lh_plan *p, const lh_node *n) {
    return (int)(lh_plan_owner(p, n) - p->value);
}

static inline lh_cuda_own *lh_cuda_of(const lh_plan *p) {
    return p->own;
}

bool lh_cuda_connect(lh_plan *p, bool is_bound); /* cuda_works.c */
/* ... only its table; gpu NULL: nothing is allocated, it is only measured */
bool lh_cuda_connect_all(lh_plan *p, const lh_gpu *gpu, bool is_bound);
size_t lh_cuda_scratch_cells(const lh_plan *p), lh_cuda_kept_cells(lh_plan *p);
bool lh_cuda_fits_text(lh_graph *g, const lh_wish *wish); /* else the context failed */
bool lh_cuda_sketch(lh_plan *p, bool is_bound);           /* sizes of it all (cuda_needs.c) */

/* For measuring: the works of a run and then those of :=, each launched and waited for; and their names. */
void lh_cuda_time_works(lh_plan *p, double *seconds);
const char *lh_cuda_work_name(const lh_plan *p, int i);

/* Products that a library can compute (cuda_product.c). blocks: those of the result and of the factors. */
bool lh_cuda_is_product(const lh_cuda_work *w); /* A @ B, or X @ W + b */
void lh_cuda_find_products(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t,
                           const lh_gpu_block *const blocks[4]); /* ... and the row that is added */
void lh_cuda_find_summed(const lh_plan *p, lh_cuda_work *w, const lh_gpu_block *const blocks[3]);
bool lh_cuda_scale_summed(const lh_plan *p); /* to the examples of this batch; are there some? */
/* C = A @ B of one head, factors in one type; false: they do not lie so */
bool lh_cuda_product_of(const lh_gpu_block *c, const lh_gpu_block *a, const lh_gpu_block *b,
                        lh_gpu_product *p);
lh_cuda_step *lh_cuda_steps(const lh_plan *p, lh_cuda_work *w, int n); /* room for so many */
/* The rows of n blocks as one block, if the blocks are equally far apart. */
bool lh_cuda_join_rows(const lh_gpu_block *b, int n, lh_gpu_block *one);
lh_gpu_block lh_cuda_turned(lh_gpu_block b);
lh_gpu_block lh_cuda_rows(lh_gpu_block b, long long from, long long n);

/* The blocks of a value in our table, one for each of its examples; and where they are on the GPU. */
typedef struct lh_cuda_blocks {
    const lh_gpu_block *here;
    lh_gpu_view view;
    int n;
} lh_cuda_blocks;

lh_cuda_blocks lh_cuda_blocks_of(const lh_plan *p, const lh_cuda_table *t, const lh_node *n);

/* crossentropy(X @ W, t) (cuda_head.c): first the memory it needs; then, when there is memory, its steps. */
void lh_cuda_measure_head(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t);
bool lh_cuda_plan_head(const lh_plan *p, lh_cuda_work *w, const lh_cuda_table *t);

/* ---- works of a batch that are fused into one launch (cuda_join.c) ---- */

enum { LH_CUDA_RESTS_OF_BATCH = 2 }; /* works that a value's memory rests behind its last use */

/* Adds blocks to the table for what it fuses; gpu NULL: it is only measured. */
bool lh_cuda_join_works(lh_plan *p, const lh_gpu *gpu, lh_cuda_table *t);
size_t lh_cuda_join_bytes(const lh_plan *p); /* ... so much at most */

/* ---- generation (cuda_grow.c, cuda_row.c, cuda_token.c) ---- */

enum { LH_CUDA_RESTS = 6 }; /* works that a value's memory rests behind its last use */

bool lh_cuda_keeps(const lh_plan *p, const lh_match *m); /* rows of this attention */
size_t lh_cuda_kept_rows(const lh_plan *p);              /* cells for all of them */
bool lh_cuda_keep(lh_plan *p, const lh_gpu *gpu);
int lh_cuda_largest(lh_plan *p, const lh_layout *row);
bool lh_cuda_join_rows_of_one(lh_plan *p);
/* All works of a run as one launch, if that is possible (cuda_token.c); after lh_cuda_connect. */
bool lh_cuda_list_token(lh_plan *p);
bool lh_cuda_run_token(lh_plan *p, const lh_gpu *gpu); /* false: it is not */
/* The index of the largest score, if this plan's token was the last one that made these scores. Waits for it. */
bool lh_cuda_token_answer(const lh_plan *p, const lh_gpu *gpu, const void *scores, int *at);

/* ---- 16-bit numbers (cuda_short.c) ---- */

void lh_cuda_shorten(lh_plan *p);      /* which values are stored in bf16 */
bool lh_cuda_open_shadows(lh_plan *p); /* memory for copies of weights */
/* how they are made, once the addresses of the weights are known */
bool lh_cuda_list_shadows(lh_plan *p);
void lh_cuda_close_shadows(lh_plan *p);
/* The copy of a weight's block; false: it has none. */
bool lh_cuda_shadow_of(const lh_plan *p, const lh_node *n, const lh_gpu_block *b, lh_gpu_block *to);

/* n bytes of the table: filled in at *here, and found by the GPU at *there. NULL while it is only measured. */
void *lh_cuda_reserve(lh_cuda_table *t, size_t bytes, void **there);

/* What a GPU kernel needs besides its leaves (cuda_kernels.c). */
typedef struct lh_cuda_kernel {
    /* sets w->gpu.scratch_cells, w->kept_cells and numbers; NULL: it needs nothing */
    void (*prepare)(const lh_plan *p, lh_cuda_work *w);
    bool by_rows;       /* rows do not depend on each other: examples can be joined */
    bool sums_products; /* total(A @ B) */
    bool makes_short;   /* where products are in bf16, so is its result, whatever it reads */
    /* Can it be used here? It may add leaves. NULL: yes */
    bool (*takes)(const lh_plan *p, lh_node *n, lh_match *m);
} lh_cuda_kernel;

extern const lh_cuda_kernel lh_cuda_kernels[]; /* as in kernels.def */
/* The kernels of eval/fast that have a counterpart here, with the same leaves; ends with NULL. In float, and in bf16. */
extern const lh_kernel *const lh_cuda_likes[], *const lh_cuda_likes_bf16[];
const lh_kernel *lh_cuda_like(int kernel); /* of that number */
int lh_cuda_kernel_number(const lh_kernel *k);
bool lh_cuda_takes(const lh_plan *p, lh_node *n, lh_match *m);

#endif
