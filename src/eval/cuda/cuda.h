/* cuda -- the backend that runs a plan on a GPU: what its files share.
 *
 *     const lh_gpu *gpu = lh_cuda_gpu(ctx);      opens the GPU; NULL: the context failed and says why there is none
 *
 * The program itself has no CUDA. What has is a shared object, longhand_cuda.so, which is loaded when a GPU is asked for
 * (eval/cuda/gpu.h). One GPU is used: the one that LONGHAND_GPU names; of several processes on a machine each takes the next; otherwise the first. One thread speaks to it.
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
const lh_gpu_ranks *lh_cuda_ranks(void);      /* behind lh_cuda_find; NULL: another version */

extern const lh_far_cells lh_cuda_cells; /* cuda_cells.c */

/* ---- its memory (cuda_memory.c) ---- */

void *lh_cuda_take(lh_context *ctx, size_t cells, size_t cell_bytes);
/* fails: so many bytes are needed for `what`, and so many are free */
void lh_cuda_no_room(lh_context *ctx, const lh_gpu *g, double bytes, const char *what);
void lh_cuda_give_back(lh_context *ctx, void *memory);
void lh_cuda_write(lh_plan *p, const lh_layout *to, const double *from);
void lh_cuda_read(const lh_plan *p, const lh_layout *from, double *to);
void lh_cuda_copy(lh_plan *p, const lh_layout *to, const lh_layout *from);
void lh_cuda_add(lh_plan *p, const lh_layout *to, double x);
double lh_cuda_difference(const lh_plan *p, const lh_layout *a, const lh_plan *q,
                          const lh_layout *b);
/* by its definition, on the processor (cuda_here.c) */
void lh_cuda_run_here(lh_plan *p, const lh_plan_work *w);
/* what was written is on its way; what was read may be old: before a launch */
void lh_cuda_settle(void);

/* ---- works (cuda_works.c) ---- */

/* Blocks, views and pointers of all works, made here and copied to the GPU as one. */
typedef struct lh_cuda_table {
    char *here, *there; /* of the same size */
    size_t bytes, used;
} lh_cuda_table;

/* A product, or the launch with other numbers. */
typedef struct lh_cuda_step {
    lh_gpu_product product;
    const lh_gpu_work *work; /* NULL: it is a product */
} lh_cuda_step;

typedef struct lh_cuda_work {
    const lh_plan_work *plan;
    lh_gpu_launch launch;
    int kernel; /* its number, where the work is one */
    lh_gpu_work gpu;
    lh_cuda_step *step; /* instead of the launch, where there are some */
    int n_steps, room;
    lh_gpu_work *part; /* the works of steps */
    int room_of_parts;
    size_t kept_cells; /* memory that it leaves for the way back ... */
    size_t kept_at;    /* ... from this cell on */
    lh_gpu_row *row;   /* a product of one row, instead of all that; NULL: it is none */
    bool is_joined;    /* another work does it as well */
} lh_cuda_work;

/* A weight that products read, and where its copy in bf16 lies: from this number on; 0 numbers: it has none. */
typedef struct lh_cuda_shadow {
    size_t at, numbers;
    int rows, cols;
    bool is_view, is_turned; /* read in another way than it lies; columns lie in a row */
} lh_cuda_shadow;

/* p->own */
typedef struct lh_cuda_own {
    lh_cuda_table table[2]; /* of the start; of a batch */
    size_t *first;          /* in the table: blocks of each node, + 1; 0: not there yet */
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
    int n_shadowed, n_roundings;  /* weights that have one; those that lie somewhere by now */
    void *list[LH_N_STAGES];      /* all launches of a stage, as one */
    int runs[LH_N_STAGES];        /* since layouts were made */
    float *rows;                  /* keys and values of a text that grows */
    size_t rows_cells;
    lh_gpu_row *row; /* of each work of a run: where it is a product of one row */
    int *largest;    /* in the GPU's memory: where the largest of a row is */
    bool has_here;   /* some works run on the processor: then nothing can be recorded */
} lh_cuda_own;

static inline lh_cuda_own *lh_cuda_of(const lh_plan *p) {
    return p->own;
}

bool lh_cuda_connect(lh_plan *p, bool is_bound); /* cuda_works.c */
/* ... its table alone; gpu NULL: nothing is taken there, it is only measured */
bool lh_cuda_connect_all(lh_plan *p, const lh_gpu *gpu, bool is_bound);
size_t lh_cuda_scratch_cells(const lh_plan *p), lh_cuda_kept_cells(lh_plan *p);
bool lh_cuda_fits_text(lh_graph *g, const lh_wish *wish); /* else the context failed */
bool lh_cuda_sketch(lh_plan *p, bool is_bound);           /* sizes of it all (cuda_needs.c) */

/* For who measures: the works of a run, then those of :=, each started and waited for; how they are called. */
void lh_cuda_time_works(lh_plan *p, double *seconds);
const char *lh_cuda_work_name(const lh_plan *p, int i);

/* Products that a library can make (cuda_product.c); blocks: of the result and the factors. */
bool lh_cuda_is_product(const lh_cuda_work *w); /* A @ B, or X @ W + b */
void lh_cuda_find_products(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t,
                           const lh_gpu_block *const blocks[4]); /* ... and the row that is added */
void lh_cuda_find_summed(const lh_plan *p, lh_cuda_work *w, const lh_gpu_block *const blocks[3]);
/* C = A @ B of one head, factors in one type; false: they do not lie so */
bool lh_cuda_product_of(const lh_gpu_block *c, const lh_gpu_block *a, const lh_gpu_block *b,
                        lh_gpu_product *p);
lh_cuda_step *lh_cuda_steps(const lh_plan *p, lh_cuda_work *w, int n); /* room for so many */
/* The rows of n blocks as one, if they lie at one distance. */
bool lh_cuda_join_rows(const lh_gpu_block *b, int n, lh_gpu_block *one);
lh_gpu_block lh_cuda_turned(lh_gpu_block b);
lh_gpu_block lh_cuda_rows(lh_gpu_block b, long long from, long long n);

/* The blocks of a value here, as many as it has examples; and where they lie there. */
typedef struct lh_cuda_blocks {
    const lh_gpu_block *here;
    lh_gpu_view view;
    int n;
} lh_cuda_blocks;

lh_cuda_blocks lh_cuda_blocks_of(const lh_plan *p, const lh_cuda_table *t, const lh_node *n);

/* crossentropy(X @ W, t) (cuda_head.c): room for rows before each example, sizes of memory; then, when there is memory, its steps. */
void lh_cuda_measure_head(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t);
bool lh_cuda_plan_head(const lh_plan *p, lh_cuda_work *w, const lh_cuda_table *t);

/* ---- a text that grows (cuda_grow.c, cuda_row.c) ---- */

enum { LH_CUDA_RESTS = 6 }; /* works that a value's memory rests behind its last use */

bool lh_cuda_keeps(const lh_plan *p, const lh_match *m); /* rows of this attention */
size_t lh_cuda_kept_rows(const lh_plan *p);              /* cells for all of them */
bool lh_cuda_keep(lh_plan *p, const lh_gpu *gpu);
int lh_cuda_largest(lh_plan *p, const lh_layout *row);
bool lh_cuda_join_rows_of_one(lh_plan *p);

/* ---- numbers of 16 bits (cuda_short.c) ---- */

void lh_cuda_shorten(lh_plan *p);      /* which values lie in bf16 */
bool lh_cuda_open_shadows(lh_plan *p); /* memory for copies of weights */
bool lh_cuda_list_shadows(lh_plan *p); /* how they are made: where weights lie is known */
void lh_cuda_close_shadows(lh_plan *p);
/* The copy of a weight's block; false: it has none. */
bool lh_cuda_shadow_of(const lh_plan *p, const lh_node *n, const lh_gpu_block *b, lh_gpu_block *to);

/* n bytes of a table; what is made of them is copied by *here, and lies *there. NULL while it is only measured. */
void *lh_cuda_reserve(lh_cuda_table *t, size_t bytes, void **there);

/* What a GPU kernel needs besides its leaves (cuda_kernels.c). */
typedef struct lh_cuda_kernel {
    /* w->gpu.scratch_cells, w->kept_cells, numbers; NULL: nothing */
    void (*prepare)(const lh_plan *p, lh_cuda_work *w);
    bool by_rows;       /* rows do not know of each other: examples can be joined */
    bool sums_products; /* total(A @ B) */
    bool makes_short;   /* where products are in bf16, so is what it makes, whatever it reads */
    /* Can it be taken? It may add leaves. NULL: yes */
    bool (*takes)(const lh_plan *p, lh_node *n, lh_match *m);
} lh_cuda_kernel;

extern const lh_cuda_kernel lh_cuda_kernels[]; /* as in kernels.def */
/* Kernels of eval/fast that stand where a GPU's do, with the same leaves; ends with NULL. In float, and in bf16. */
extern const lh_kernel *const lh_cuda_likes[], *const lh_cuda_likes_bf16[];
const lh_kernel *lh_cuda_like(int kernel); /* of that number */
int lh_cuda_kernel_number(const lh_kernel *k);
bool lh_cuda_takes(const lh_plan *p, lh_node *n, lh_match *m);

#endif
