/* gpu -- the interface between the program and the shared object with the code for GPUs.
 *
 *     lh_gpu_entry entry = dlsym(so, LH_GPU_ENTRY);
 *     const lh_gpu *gpu = entry();
 *     const char *trouble = gpu->open(0);                      NULL: the first device is ready
 *     float *x = gpu->take(bytes);                             its memory: never dereferenced on this side
 *     gpu->op[LH_GPU_OP_exp](&work, gpu->stream);              in the order of the calls; does not wait
 *     gpu->get(numbers, x, bytes);                             waits, and copies
 *
 * A work is as in eval/work.h: views of strided blocks, in float or in bf16. Blocks are in the GPU's memory; a work is a parameter of its launch.
 * This header is compiled as C11 and by the compiler for the GPU. tests/emulated has a second shared object with the same
 * kernels, which run on this machine's processor: everything but speed is tested without a GPU.
 */
#ifndef LH_EVAL_CUDA_GPU_H
#define LH_EVAL_CUDA_GPU_H

#include <stdbool.h>
#include <stddef.h>

enum { LH_GPU_VERSION = 7, LH_GPU_OPERANDS = 16, LH_GPU_OUTS = 6, LH_GPU_NUMBERS = 6 };
enum { LH_GPU_SHORT_OUT = 1 << LH_GPU_OPERANDS };
enum { LH_GPU_PARTS = 256 }; /* in which sums over rows are computed, at most */

#define LH_GPU_ENTRY "lh_gpu_entry_2"

/* Operations are numbered as in graph/ops.def. */
enum {
#define OP(id) LH_GPU_OP_##id,
#include "graph/ops.def"
#undef OP
    LH_GPU_N_OPS
};

/* Kernels for several steps at once: those of eval/cuda/kernels.def. */
enum {
#define KERNEL(id, file) LH_GPU_##id,
#include "eval/cuda/kernels.def"
#undef KERNEL
    LH_GPU_N_KERNELS
};

typedef struct lh_gpu_block {
    float *p; /* or bf16 */
    long long hs, rs, cs;
    int heads, rows, cols;
    bool is_short; /* in bf16: p points at 16-bit numbers, and strides count these */
} lh_gpu_block;

typedef struct lh_gpu_view {
    const lh_gpu_block *block; /* in the GPU's memory; NULL: there is none */
    int step;                  /* 1: one for each example; 0: the same for all */
} lh_gpu_view;

/* What a work has to know besides its operands; in the GPU's memory, updated before each run. */
typedef struct lh_gpu_moment {
    int past, of;
    unsigned step;
    unsigned long long seed;
    const unsigned *example; /* their numbers */
    bool adds;               /* a part of a batch, but not its first: adds to the sums */
} lh_gpu_moment;

/* The largest that an example has. */
typedef struct lh_gpu_sizes {
    int heads, rows, cols;
} lh_gpu_sizes;

typedef struct lh_gpu_work {
    lh_gpu_view out, in[LH_GPU_OPERANDS], outs[LH_GPU_OUTS];
    lh_gpu_sizes most, most_in[LH_GPU_OPERANDS]; /* of out, of each operand */
    const lh_gpu_view *many; /* more operands than that: all of them, in the GPU's memory */
    int n_in, n_outs;
    int examples;   /* blocks of out to make */
    int batch;      /* examples in the batch: `total` reads all of them and computes one result */
    int index[2];   /* of the node */
    unsigned place; /* of a coin */
    bool is_batched;
    int form; /* of a kernel */
    float number[LH_GPU_NUMBERS];
    const lh_gpu_moment *moment;
    /* > 0: so many numbers in a row, in the result and in every operand that is not one number alone; eight of them at a time can be read */
    long long flat;
    bool is_wide;     /* so can eight of each row of every operand and result */
    unsigned shorts;  /* bit i: operand i is in bf16; LH_GPU_SHORT_OUT << i: result i of a kernel */
    lh_gpu_view also; /* added to the first result, and stored like it; NULL: nothing */
    int pitch;        /* of rows in scratch */
    /* for each example the number of rows before it, in the GPU's memory; NULL: not needed */
    const int *before;
    float *kept;    /* what the forward pass leaves for the backward pass; NULL: nothing needs it */
    int kept_rows;  /* while generating: `kept` is a key-value cache of so many rows */
    float *scratch; /* scratch memory while this work runs */
    size_t scratch_cells;
} lh_gpu_work;

typedef void (*lh_gpu_launch)(const lh_gpu_work *w, void *stream);

/* n products C = A @ B of one size; a matrix is stored by rows (or, transposed, by columns), `pitch` cells apart. */
typedef struct lh_gpu_factor {
    void *first;       /* of the first product */
    void *const *each; /* of all, in the GPU's memory; NULL: they are equally far apart */
    long long apart;   /* ... which is this */
    long long pitch;
    bool is_turned;
    bool is_short; /* bf16 */
} lh_gpu_factor;

/* What is done to the row x before it is multiplied, and to a product before a row is added. */
typedef enum lh_gpu_before {
    LH_GPU_AS_IT_IS,
    LH_GPU_BY_LAYERNORM,
    LH_GPU_BY_RMSNORM,
    LH_GPU_BY_SWIGLU
} lh_gpu_before;
typedef enum lh_gpu_behind {
    LH_GPU_AS_IT_CAME,
    LH_GPU_THEN_GELU,
    LH_GPU_THEN_SILU,
    LH_GPU_THEN_GELU_BACK
} lh_gpu_behind;

typedef struct lh_gpu_product {
    int rows, cols, inner, n;
    lh_gpu_factor a, b, c;
    bool adds; /* C += A @ B */
    float scale;
    const void *bias; /* a row that is added to each row of C, of C's type; NULL: none */
    const void *also; /* a matrix that is added to C, and is stored like it; NULL: none */
    /* gelu: stores its operand in kept, which is laid out like C; backward: A @ B is the gradient, and kept holds the operand */
    lh_gpu_behind behind;
    void *kept;
} lh_gpu_product;

/* A row in either type. */
typedef struct lh_gpu_line {
    void *p; /* NULL: there is none */
    bool is_short;
} lh_gpu_line;

/* y = behind(before(x) @ W + bias) + add, for one row: a step of generation. W is in bf16, stored column by column, `pitch` numbers apart. */
typedef struct lh_gpu_row {
    lh_gpu_line x, other, bias, add, y; /* other: the second of swiglu */
    const void *w;
    long long pitch;
    int inner, cols;
    lh_gpu_before before;
    lh_gpu_behind behind;
    const float *gain, *move, *epsilon; /* of a norm; move NULL: rmsnorm */
} lh_gpu_row;

/* ---- a whole token in one launch (device/token.cu) ---- */

/* A row that a step reads and that another step of the same token computes: one word for each number, which is 0 until the number is there. */
typedef struct lh_gpu_flow {
    int word;     /* its first; -1: there is no such row */
    int parts_of; /* the index of the attention whose parts have to be combined, or -1 */
} lh_gpu_flow;

typedef enum lh_gpu_step_kind {
    LH_GPU_LOOKS_UP,
    LH_GPU_MULTIPLIES,
    LH_GPU_ATTENDS
} lh_gpu_step_kind;

enum { LH_GPU_TABLES = 2 };

/* Rows of tables, added up; index NULL: row `past`. */
typedef struct lh_gpu_looks {
    lh_gpu_line table[LH_GPU_TABLES];
    const float *index[LH_GPU_TABLES];
    int rows[LH_GPU_TABLES];
    int n;
} lh_gpu_looks;

/* As lh_gpu_row; the columns of W are contiguous. */
typedef struct lh_gpu_multiplies {
    const void *w;
    lh_gpu_line bias;
    const float *gain, *move, *epsilon;
    int inner;
    lh_gpu_before before;
    lh_gpu_behind behind;
} lh_gpu_multiplies;

/* x, other and add are queries, keys and values; `kept`, the key-value cache, has k_cols numbers of a key and v_cols of a value for each row, in bf16. */
typedef struct lh_gpu_attends {
    void *kept;
    int kept_rows, heads, each, k_cols, v_cols; /* so many heads share the same keys */
    float scale, cap;
    int window, sinks;
} lh_gpu_attends;

typedef struct lh_gpu_step {
    lh_gpu_step_kind kind;
    int cols;      /* of the result */
    int word;      /* its first; -1: no step reads it */
    lh_gpu_line y; /* its address in memory as well; for attention only its type matters */
    lh_gpu_flow x, other, add;
    union {
        lh_gpu_looks looks;
        lh_gpu_multiplies multiplies;
        lh_gpu_attends attends;
    } as;
} lh_gpu_step;

enum {
    LH_GPU_ATTENTION_PARTS = 4, /* in which attention of a head is computed, at most */
    LH_GPU_PART_MORE = 4,       /* words of a part besides its numbers */
    LH_GPU_BEST_WORDS = 512     /* the largest of each thread block */
};

/* There are two sets of words, for one token and the next: while one is written, the other is cleared. */
typedef struct lh_gpu_token {
    const lh_gpu_step *step; /* in the GPU's memory */
    int n_steps;             /* 0: only clears */
    unsigned *words[2];
    int n_words;                   /* of a set, a multiple of 4 */
    int best_word;                 /* of the largest of each thread block */
    int turn;                      /* which set is being written: the one that was cleared */
    int past;                      /* rows before this one */
    int most_inner, most_attended; /* numbers of a product's row; cols of keys and of values */
    int *largest; /* receives the index of the largest number of the last step: lh_gpu.answer */
} lh_gpu_token;

/* Floats and their copy in bf16. */
typedef struct lh_gpu_rounding {
    const float *from;
    void *to;
    long long n;
    int turned; /* > 0: a matrix of so many columns, which is transposed in the copy */
} lh_gpu_rounding;

/* A small copy from one place to another. */
typedef struct lh_gpu_move {
    void *to;
    const void *from;
    size_t bytes; /* in whole floats */
} lh_gpu_move;

enum { LH_GPU_MOVES = 128 }; /* in one launch, at most */

/* Works of one kind that do not depend on each other, in the GPU's memory, with the number of parts before each, and in all. */
typedef struct lh_gpu_many {
    const lh_gpu_work *work;
    const int *before;
    void *room; /* LH_GPU_ROOM_OF_EACH bytes for each of them */
    int n, parts;
} lh_gpu_many;

enum { LH_GPU_ROOM_OF_EACH = 32 };

/* Weights in a part of an update; a square of them if the gradient is transposed, which number[LH_GPU_IS_TURNED] says. */
enum { LH_GPU_UPDATED = 1 << 14, LH_GPU_UPDATED_SIDE = 128 };
enum { LH_GPU_IS_TURNED = 0 };

typedef struct lh_gpu_device {
    char name[128];
    size_t memory, free; /* bytes */
    int major, minor;    /* its compute capability: 9.0 */
    char trouble[256];   /* why it cannot be used, or "" */
} lh_gpu_device;

typedef struct lh_gpu {
    int version;            /* LH_GPU_VERSION */
    const char *built_with; /* "CUDA 13.0 for compute capability 9.0" */
    void *stream;
    int *answer; /* what a token's launch comes to: written by the GPU, read here after wait() */
    lh_gpu_launch op[LH_GPU_N_OPS];         /* NULL: it moves no numbers */
    lh_gpu_launch kernel[LH_GPU_N_KERNELS]; /* as kernels.def has them */

    /* The number of devices; copies the first `most` into list. 0: *why says why there is none. */
    int (*devices)(lh_gpu_device *list, int most, const char **why);
    const char *(*driver)(void);     /* its version, in words */
    const char *(*open)(int device); /* NULL: no error; otherwise what is wrong */

    void *(*take)(size_t bytes); /* zeroed; NULL: not enough memory */
    void (*give_back)(void *memory);
    void (*room)(size_t *free, size_t *all);
    /* `from` may be changed as soon as it returns */
    void (*put)(void *to, const void *from, size_t bytes);
    void (*move)(void *to, const void *from, size_t bytes); /* within its memory */
    void (*get)(void *to, const void *from, size_t bytes);  /* waits */
    void (*wait)(void);
    /* an error of what was launched so far, without waiting; NULL: none */
    const char *(*trouble)(void);

    /* Both factors have the same type. By a library, or more slowly where that is not possible. */
    void (*product)(const lh_gpu_product *p);
    bool (*makes)(const lh_gpu_product *p); /* can a library do it, with all that follows it? */
    /* n copies, the list in the GPU's memory */
    void (*round)(const lh_gpu_rounding *list, int n, void *stream);
    /* ... of those that are turned */
    void (*turn)(const lh_gpu_rounding *list, int n, void *stream);
    void (*row)(const lh_gpu_row *r, void *stream);
    void (*move_many)(const lh_gpu_move *list, int n, void *stream);
    void (*update_many)(const lh_gpu_many *all, void *stream);      /* adam */
    void (*add_many_numbers)(const lh_gpu_many *all, void *stream); /* a + b, one number each */
    lh_gpu_launch add_up; /* out, the sum of parts so far, becomes out + in[0] */
    lh_gpu_launch attend; /* attention while generating: earlier rows are in w->kept */
    /* The index of the largest of n numbers, the first if there are several; -1: none of them is a number. */
    void (*largest)(lh_gpu_line from, int n, int *to, void *stream);
    /* false: a single launch cannot do it, and nothing was done */
    bool (*token)(const lh_gpu_token *t, void *stream);
    /* the library for products: "cuBLAS 13.0"; NULL: there is none, only our slower kernel */
    const char *(*products)(void);
    /* From now on large products are tried in several ways when they are first computed, and the fastest is kept that comes to the same bits: for what is run again and again. false, as at
     * first: they are not. */
    void (*try_products)(bool tries);

    /* Launches between begin_list and end_list are recorded instead of run; run_list runs all of them. NULL: they cannot be recorded. */
    bool (*begin_list)(void);
    void *(*end_list)(void);
    void (*run_list)(void *list);
    void (*free_list)(void *list);
} lh_gpu;

typedef const lh_gpu *(*lh_gpu_entry)(void);

#endif
