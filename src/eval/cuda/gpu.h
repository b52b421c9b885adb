/* gpu -- what the program and the shared object that has the GPU's code say to each other.
 *
 *     lh_gpu_entry entry = dlsym(so, LH_GPU_ENTRY);
 *     const lh_gpu *gpu = entry();
 *     const char *trouble = gpu->open(0);                      NULL: the first device is ready
 *     float *x = gpu->take(bytes);                             its memory: never followed on this side
 *     gpu->op[LH_GPU_OP_exp](&work, gpu->stream);              in the order of the calls; nothing is waited for
 *     gpu->get(numbers, x, bytes);                             waits, and copies
 *
 * A work is as in eval/work.h: views of blocks with distances, in float or in bf16. Blocks lie in the GPU's memory, a work travels with its launch.
 * The same header is read by C11 and by the compiler for the GPU. tests/emulated has a second shared object with the same
 * kernels, run by this machine's processor: everything but speed is tried without a GPU.
 */
#ifndef LH_EVAL_CUDA_GPU_H
#define LH_EVAL_CUDA_GPU_H

#include <stdbool.h>
#include <stddef.h>

enum { LH_GPU_VERSION = 3, LH_GPU_OPERANDS = 16, LH_GPU_OUTS = 6, LH_GPU_NUMBERS = 6 };
enum { LH_GPU_PARTS = 256 }; /* that sums over rows are made in, at most */

#define LH_GPU_ENTRY "lh_gpu_entry_2"

/* Operations have the numbers of graph/ops.def. */
enum {
#define OP(id) LH_GPU_OP_##id,
#include "graph/ops.def"
#undef OP
    LH_GPU_N_OPS
};

/* Kernels that stand for several steps: those of eval/cuda/kernels.def. */
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
    bool is_short; /* numbers of 16 bits, bf16: p points at those, and distances count them */
} lh_gpu_block;

typedef struct lh_gpu_view {
    const lh_gpu_block *block; /* in the GPU's memory; NULL: there is none */
    int step;                  /* 1: one for each example; 0: one alone */
} lh_gpu_view;

/* What a work has to know besides its operands; in the GPU's memory, renewed before each run. */
typedef struct lh_gpu_moment {
    int past, of;
    unsigned step;
    unsigned long long seed;
    const unsigned *example; /* their numbers */
    bool adds;               /* a part of a batch, and not its first: sums go on */
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
    int batch;      /* examples in all: `total` reads them, and makes one */
    int index[2];   /* of the node */
    unsigned place; /* of a coin */
    bool is_batched;
    int form; /* of a kernel */
    float number[LH_GPU_NUMBERS];
    const lh_gpu_moment *moment;
    /* > 0: so many numbers in a row, in the result and in every operand that is not one number alone; eight of them at a time can be read */
    long long flat;
    bool is_wide;      /* so can eight of each row of every operand and result */
    int pitch;         /* of rows in scratch */
    const int *before; /* rows of the examples before each, in the GPU's memory; NULL: not needed */
    float *kept;       /* memory that the way there leaves for the way back; NULL: nobody asks */
    int kept_rows;     /* of a text that grows: `kept` has keys and values of so many rows */
    float *scratch;    /* memory for the time of this work */
    size_t scratch_cells;
} lh_gpu_work;

typedef void (*lh_gpu_launch)(const lh_gpu_work *w, void *stream);

/* n products C = A @ B of one size; a matrix lies by rows (or turned: by columns), `pitch` cells from one to the next. */
typedef struct lh_gpu_factor {
    void *first;       /* of the first product */
    void *const *each; /* of all, in the GPU's memory; NULL: at one distance */
    long long apart;   /* ... which is this */
    long long pitch;
    bool is_turned;
    bool is_short; /* bf16 */
} lh_gpu_factor;

typedef struct lh_gpu_product {
    int rows, cols, inner, n;
    lh_gpu_factor a, b, c;
    bool adds; /* C += A @ B */
    float scale;
    const void *bias; /* a row that is added to each row of C, of C's type; NULL: none */
} lh_gpu_product;

/* What is made of the row x before it is multiplied, and of its product before a row is added. */
typedef enum lh_gpu_before {
    LH_GPU_AS_IT_IS,
    LH_GPU_BY_LAYERNORM,
    LH_GPU_BY_RMSNORM,
    LH_GPU_BY_SWIGLU
} lh_gpu_before;
typedef enum lh_gpu_behind { LH_GPU_AS_IT_CAME, LH_GPU_THEN_GELU, LH_GPU_THEN_SILU } lh_gpu_behind;

/* A row in either type. */
typedef struct lh_gpu_line {
    void *p; /* NULL: there is none */
    bool is_short;
} lh_gpu_line;

/* y = behind(before(x) @ W + bias) + add, for one row: a step of a text that grows. W is in bf16, its columns lie in a row, `pitch` numbers apart. */
typedef struct lh_gpu_row {
    lh_gpu_line x, other, bias, add, y; /* other: the second of swiglu */
    const void *w;
    long long pitch;
    int inner, cols;
    lh_gpu_before before;
    lh_gpu_behind behind;
    const float *gain, *move, *epsilon; /* of a norm; move NULL: rmsnorm */
} lh_gpu_row;

/* Floats and their copy in bf16. */
typedef struct lh_gpu_rounding {
    const float *from;
    void *to;
    long long n;
    int turned; /* > 0: a matrix of so many columns, which lie in a row in the copy */
} lh_gpu_rounding;

typedef struct lh_gpu_device {
    char name[128];
    size_t memory, free; /* bytes */
    int major, minor;    /* what it can do: 9.0 */
    char trouble[256];   /* why it cannot be used, or "" */
} lh_gpu_device;

typedef struct lh_gpu {
    int version;            /* LH_GPU_VERSION */
    const char *built_with; /* "CUDA 13.0 for compute capability 9.0" */
    void *stream;
    lh_gpu_launch op[LH_GPU_N_OPS];         /* NULL: it moves no numbers */
    lh_gpu_launch kernel[LH_GPU_N_KERNELS]; /* as kernels.def has them */

    /* How many devices there are; the first `most` into list. 0: *why says why there is none. */
    int (*devices)(lh_gpu_device *list, int most, const char **why);
    const char *(*driver)(void);     /* its version, in words */
    const char *(*open)(int device); /* NULL: all is well; else what is wrong */

    void *(*take)(size_t bytes); /* zeroed; NULL: there is not so much */
    void (*give_back)(void *memory);
    void (*room)(size_t *free, size_t *all);
    void (*put)(void *to, const void *from, size_t bytes);  /* `from` may be changed at once */
    void (*move)(void *to, const void *from, size_t bytes); /* within its memory */
    void (*get)(void *to, const void *from, size_t bytes);  /* waits */
    void (*wait)(void);
    const char *(*trouble)(void); /* of what was launched so far, without waiting; NULL: none */

    /* Both factors are of one type. By a library, or more slowly where it cannot. */
    void (*product)(const lh_gpu_product *p);
    /* n copies, the list in the GPU's memory */
    void (*round)(const lh_gpu_rounding *list, int n, void *stream);
    /* ... of those that are turned */
    void (*turn)(const lh_gpu_rounding *list, int n, void *stream);
    void (*row)(const lh_gpu_row *r, void *stream);
    lh_gpu_launch add_up; /* out, the sum of parts so far, becomes out + in[0] */
    lh_gpu_launch attend; /* attention of a text that grows: rows before are in w->kept */
    /* Where the first of the largest of n numbers is; -1: none is a number. */
    void (*largest)(lh_gpu_line from, int n, int *to, void *stream);
    /* what makes products: "cuBLAS 13.0"; NULL: nothing but the slower way */
    const char *(*products)(void);

    /* Launches between begin_list and end_list are recorded, not done; run_list does all of them. NULL: it cannot be recorded. */
    bool (*begin_list)(void);
    void *(*end_list)(void);
    void (*run_list)(void *list);
    void (*free_list)(void *list);
} lh_gpu;

typedef const lh_gpu *(*lh_gpu_entry)(void);

#endif
