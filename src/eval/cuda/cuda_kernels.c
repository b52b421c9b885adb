/* cuda_kernels -- the table of kernels: their counterparts in eval/fast, and what they need besides their leaves. */
#include "eval/cuda/cuda.h"
#include "eval/fast/attention.h"

#define KERNEL(id, file) extern const lh_kernel lh_kernel_##id;
#include "eval/cuda/kernels.def"
#undef KERNEL
extern const lh_kernel lh_kernel_nothing; /* only a view: it needs no code */

const lh_kernel *const lh_cuda_likes[] = {
    &lh_kernel_nothing,
#define KERNEL(id, file) &lh_kernel_##id,
#define IN_BF16(id, file)
#include "eval/cuda/kernels.def"
#undef IN_BF16
#undef KERNEL
    NULL,
};

const lh_kernel *const lh_cuda_likes_bf16[] = {
    &lh_kernel_nothing,
#define KERNEL(id, file) &lh_kernel_##id,
#include "eval/cuda/kernels.def"
#undef KERNEL
    NULL,
};

const lh_kernel *lh_cuda_like(int kernel) {
    return lh_cuda_likes_bf16[kernel + 1];
}

int lh_cuda_kernel_number(const lh_kernel *k) {
    for (int i = 0; i < LH_GPU_N_KERNELS; i++)
        if (lh_cuda_like(i) == k) return i;
    return -1;
}

/* ---- scratch memory that a kernel needs, as its file describes ---- */

enum { PARTS = LH_GPU_PARTS, PARTS_OF_GRADIENT = 64 };

static void prepare_columns(const lh_plan *p, lh_cuda_work *w) {
    (void)p;
    w->gpu.scratch_cells = (size_t)PARTS * (size_t)w->gpu.most.cols;
}

/* Rows of all heads and examples of operand i. */
static size_t rows_of(const lh_cuda_work *w, int i) {
    const size_t examples = w->gpu.in[i].step ? (size_t)w->gpu.batch : 1;
    return examples * (size_t)w->gpu.most_in[i].rows * (size_t)w->gpu.most_in[i].heads;
}

/* A cell for each row of each example, as if all had as many rows as the longest. */
static void prepare_scatter(const lh_plan *p, lh_cuda_work *w) {
    (void)p;
    w->gpu.scratch_cells = (size_t)w->gpu.most_in[0].rows * (size_t)w->gpu.batch;
}

static void prepare_layernorm_back(const lh_plan *p, lh_cuda_work *w) {
    (void)p;
    w->gpu.scratch_cells = 2 * (rows_of(w, 0) + PARTS * (size_t)w->gpu.most_in[0].cols);
}

static void prepare_rmsnorm_back(const lh_plan *p, lh_cuda_work *w) {
    (void)p;
    w->gpu.scratch_cells = rows_of(w, 0) + PARTS * (size_t)w->gpu.most_in[0].cols;
}

static void prepare_rope(const lh_plan *p, lh_cuda_work *w) {
    (void)p;
    w->gpu.scratch_cells = 2 * (size_t)w->gpu.most_in[0].rows * (size_t)w->gpu.most_in[0].cols;
}

static void prepare_length(const lh_plan *p, lh_cuda_work *w) {
    (void)p;
    w->gpu.scratch_cells =
        (size_t)PARTS_OF_GRADIENT * (size_t)w->gpu.n_in * (sizeof(double) / sizeof(float));
}

/* ---- attention ---- */

/* Y: the result, which the backward pass reads besides fast's leaves */
enum { Q, K, V, MASK, BIAS, DY, Y };
enum { MOST_COLS = 128 }; /* of a head */

enum { MOST_COLS_KEPT = 256, CAUSAL = 1 };

/* Attention with a key-value cache (device/grow.cu). */
static bool takes_growing(const lh_plan *p, lh_node *n, const lh_match *m) {
    const lh_graph *g = p->g;
    const size_t cols = g->axis[m->leaf[K]->shape.cols].n, out = g->axis[m->leaf[V]->shape.cols].n;
    if (m->leaf[MASK] || m->leaf[BIAS] || m->form != CAUSAL || !cols || cols > MOST_COLS_KEPT ||
        !out || out > MOST_COLS_KEPT ||
        !lh_axis_same(g, m->leaf[Q]->shape.rows, m->leaf[K]->shape.rows))
        return false;
    const lh_attention_numbers x = lh_attention_numbers_of(n, m, (int)cols);
    return x.window < 1 << 24 && x.sinks < 1 << 24;
}

/* Other kinds of masks, a soft cap, and a scale that is not positive are left to the definition. */
static bool takes_attention(const lh_plan *p, lh_node *n, lh_match *m) {
    const lh_graph *g = p->g;
    if (lh_cuda_keeps(p, m)) return takes_growing(p, n, m);
    const size_t cols = p->by->shorten ? g->axis[m->leaf[Q]->shape.cols].n : 0;
    if (m->leaf[MASK] || m->leaf[BIAS] || !cols || cols > MOST_COLS ||
        g->axis[m->leaf[V]->shape.cols].n != cols)
        return false;
    const lh_attention_numbers x = lh_attention_numbers_of(n, m, (int)cols);
    return x.cap == 0 && x.scale > 0 && x.window < 1 << 24 && x.sinks < 1 << 24;
}

static bool takes_attention_back(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!takes_attention(p, n, m)) return false;
    m->leaf[Y] = n->in[0];
    m->n_leaves = Y + 1;
    return true;
}

static void prepare_attention(const lh_plan *p, lh_cuda_work *w) {
    const lh_attention_numbers x =
        lh_attention_numbers_of(w->plan->node, w->plan->match, w->gpu.most_in[K].cols);
    w->gpu.number[0] = x.scale;
    w->gpu.number[1] = (float)x.window, w->gpu.number[2] = (float)x.sinks;
    w->gpu.number[3] = x.cap;
    w->kept_cells = lh_cuda_keeps(p, w->plan->match) ? 0 : rows_of(w, Q);
}

static void prepare_attention_back(const lh_plan *p, lh_cuda_work *w) {
    prepare_attention(p, w);
    w->gpu.scratch_cells = w->kept_cells;
    w->kept_cells = 0;
}

/* ---- the table ---- */

const lh_cuda_kernel lh_cuda_kernels[LH_GPU_N_KERNELS + 1] = {
    [LH_GPU_linear] = {.by_rows = true},
    [LH_GPU_beside] = {.by_rows = true},
    [LH_GPU_summed] = {.sums_products = true},
    [LH_GPU_columns] = {.prepare = prepare_columns},
    [LH_GPU_scatter] = {.prepare = prepare_scatter},
    [LH_GPU_attention] = {.prepare = prepare_attention, .takes = takes_attention},
    [LH_GPU_attention_back] = {.prepare = prepare_attention_back, .takes = takes_attention_back},
    [LH_GPU_layernorm] = {.by_rows = true, .makes_short = true},
    [LH_GPU_layernorm_back] = {.by_rows = true, .prepare = prepare_layernorm_back},
    [LH_GPU_rmsnorm] = {.by_rows = true, .makes_short = true},
    [LH_GPU_rmsnorm_back] = {.by_rows = true, .prepare = prepare_rmsnorm_back},
    [LH_GPU_rope] = {.prepare = prepare_rope},
    [LH_GPU_rope_back] = {.prepare = prepare_rope},
    [LH_GPU_swiglu] = {.by_rows = true},
    [LH_GPU_swiglu_back] = {.by_rows = true},
    [LH_GPU_silu] = {.by_rows = true},
    [LH_GPU_silu_back] = {.by_rows = true},
    [LH_GPU_gelu] = {.by_rows = true},
    [LH_GPU_gelu_back] = {.by_rows = true},
    [LH_GPU_crossentropy] = {.by_rows = true},
    [LH_GPU_length] = {.prepare = prepare_length},
};

bool lh_cuda_takes(const lh_plan *p, lh_node *n, lh_match *m) {
    const int i = lh_cuda_kernel_number(m->kernel);
    return i < 0 || !lh_cuda_kernels[i].takes || lh_cuda_kernels[i].takes(p, n, m);
}
