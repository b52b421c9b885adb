/* cuda_works -- the works of a plan as a GPU sees them: made anew when layouts are.
 *
 * Every value has its blocks in a table that is copied to the GPU whole. Where rows do not know of each other, a work does not have to know of
 * examples: the rows of all of them become one block, if they lie so.
 */
#include <limits.h>
#include <string.h>

#include "eval/cuda/cuda.h"

/* ---- the table ---- */

void *lh_cuda_reserve(lh_cuda_table *t, size_t bytes, void **there) {
    const size_t at = t->used;
    t->used += (bytes + 15) / 16 * 16;
    if (t->used > t->bytes) return NULL; /* it is only measured */
    *there = t->there + at;
    return t->here + at;
}

static bool grow(lh_context *ctx, const lh_gpu *gpu, lh_cuda_table *t) {
    if (t->used <= t->bytes) return true;
    const size_t bytes = t->used + t->used / 2;
    gpu->give_back(t->there);
    t->there = NULL;
    ctx->release(t->here);
    t->bytes = 0;
    t->here = ctx->alloc(bytes);
    t->there = t->here ? gpu->take(bytes) : NULL;
    if (!t->there) {
        lh_cuda_no_room(ctx, gpu, (double)bytes, "the list of works");
        return false;
    }
    t->bytes = bytes;
    return true;
}

/* ---- blocks ---- */

static lh_gpu_block block_of(const lh_plan *p, const lh_layout *l) {
    float *at = lh_plan_base(p, l);
    return (lh_gpu_block){at ? at + l->at : NULL, l->hs, l->rs, l->cs, l->heads, l->rows, l->cols};
}

/* The blocks of a value here, as many as it has examples; and where they lie there. */
typedef struct value_blocks {
    const lh_gpu_block *here;
    lh_gpu_view view;
    int n;
} value_blocks;

static void add_blocks(lh_plan *p, lh_cuda_table *t, int i) {
    const lh_plan_value *v = &p->value[i];
    const int n = v->step ? p->examples : 1;
    void *there = NULL;
    const size_t at = t->used;
    lh_gpu_block *b = lh_cuda_reserve(t, (size_t)n * sizeof *b, &there);
    for (int e = 0; b && e < n; e++) b[e] = block_of(p, &v->layout[e]);
    lh_cuda_of(p)->first[i] = at + 1;
}

static void add_all_blocks(lh_plan *p, lh_cuda_table *t, bool is_bound) {
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_plan_value *v = &p->value[i];
        lh_cuda_of(p)->first[i] = 0;
        if (v->role == UNUSED || v->same || !v->layout || (v->step && !is_bound)) continue;
        add_blocks(p, t, i);
    }
}

static value_blocks blocks_of(const lh_plan *p, const lh_cuda_table *t, const lh_node *n) {
    const int id = lh_standing(p, n)->id;
    const size_t first = lh_cuda_of(p)->first[id];
    if (!first || first > t->bytes) return (value_blocks){0};
    const lh_plan_value *v = &p->value[id];
    return (value_blocks){(const lh_gpu_block *)(t->here + first - 1),
                          {(const lh_gpu_block *)(t->there + first - 1), v->step},
                          v->step ? p->examples : 1};
}

static lh_gpu_sizes most_of(const value_blocks *v) {
    lh_gpu_sizes s = {0, 0, 0};
    for (int e = 0; e < v->n && v->here; e++) {
        const lh_gpu_block *b = &v->here[e];
        if (b->heads > s.heads) s.heads = b->heads;
        if (b->rows > s.rows) s.rows = b->rows;
        if (b->cols > s.cols) s.cols = b->cols;
    }
    return s;
}

/* ---- examples that become one ---- */

bool lh_cuda_join_rows(const lh_gpu_block *b, int n, lh_gpu_block *one) {
    long long distance = 0, rows = 0;
    for (int e = 0; e < n && !distance; e++)
        distance = b[e].rows > 1 ? b[e].rs : e + 1 < n ? b[e + 1].p - b[e].p : 0;
    for (int e = 0; e < n; e++) {
        if (b[e].heads != b->heads || b[e].cols != b->cols || b[e].hs != b->hs ||
            b[e].cs != b->cs || (b[e].rows > 1 && b[e].rs != distance) ||
            b[e].p != b->p + rows * distance)
            return false;
        rows += b[e].rows;
    }
    *one = *b;
    one->rows = (int)rows, one->rs = rows > 1 ? distance : 0;
    return rows <= INT_MAX && b->p;
}

/* Operations whose rows do not know of each other, besides those that go cell by cell. */
static bool is_by_rows(const lh_cuda_work *w) {
    if (w->plan->match) return lh_cuda_kernels[w->kernel].by_rows;
    switch (w->plan->node->kind) {
    case LH_OP_rowsum:
    case LH_OP_rowmax:
    case LH_OP_argmax:
    case LH_OP_topk:
    case LH_OP_cumsum:
    case LH_OP_headsum:
    case LH_OP_lookup:
    case LH_OP_pick:
    case LH_OP_onehot:
    case LH_OP_join:
    case LH_OP_beside:
    case LH_OP_swap:
    case LH_OP_repeatheads:
    case LH_OP_sort:
    case LH_OP_unsort:
    case LH_OP_matmul: return true;
    default: return w->plan->node->op->is_each;
    }
}

/* Is operand i read as a whole for every row? */
static bool is_whole(const lh_cuda_work *w, int i) {
    const lh_op_id kind = w->plan->match ? LH_N_OPS : w->plan->node->kind;
    return (kind == LH_OP_lookup && i == 0) || (kind == LH_OP_matmul && i == 1);
}

/* Does operand i fit rows that are joined? One that all examples share has one row, or is read whole. */
static bool joins(const lh_cuda_work *w, int i, const value_blocks *in, const value_blocks *out,
                  lh_gpu_block *one) {
    const bool is_read = w->plan->match || lh_op_reads(w->plan->node, i);
    if (in->here) *one = in->here[0];
    if (!is_read || !in->here) return true;
    if (is_whole(w, i)) return !in->view.step;
    if (!in->view.step) return in->here->rows == 1 || in->here->rs == 0;
    for (int e = 0; e < in->n; e++)
        if (in->here[e].rows != out->here[e].rows) return false;
    return lh_cuda_join_rows(in->here, in->n, one);
}

/* ---- works ---- */

enum { MOST_JOINED = LH_GPU_OPERANDS };

static lh_gpu_sizes sizes_of(const lh_gpu_block *b) {
    return (lh_gpu_sizes){b->heads, b->rows, b->cols};
}

/* All examples of a work as one, if that is possible. */
static bool join_examples(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    const value_blocks out = blocks_of(p, t, w->plan->node);
    lh_gpu_block one[MOST_JOINED + 1] = {0};
    const int n = w->plan->n_in;
    if (!out.view.step || n > MOST_JOINED || !is_by_rows(w) ||
        !lh_cuda_join_rows(out.here, out.n, &one[0]))
        return false;
    for (int i = 0; i < n; i++) {
        const lh_node *node = lh_plan_operand(w->plan, i);
        const value_blocks in = node ? blocks_of(p, t, node) : (value_blocks){0};
        if (!joins(w, i, &in, &out, &one[i + 1])) return false;
        w->gpu.in[i] = (lh_gpu_view){0};
    }
    void *there = NULL;
    lh_gpu_block *here = lh_cuda_reserve(t, ((size_t)n + 1) * sizeof *here, &there);
    if (!here) return true;
    memcpy(here, one, ((size_t)n + 1) * sizeof *here);
    w->gpu.out = (lh_gpu_view){there, 0}, w->gpu.most = sizes_of(one), w->gpu.examples = 1;
    for (int i = 0; i < n; i++) {
        if (!lh_plan_operand(w->plan, i)) continue;
        w->gpu.in[i] = (lh_gpu_view){(lh_gpu_block *)there + i + 1, 0};
        w->gpu.most_in[i] = sizes_of(&one[i + 1]);
    }
    lh_cuda_find_products(p, w, t, (const lh_gpu_block *const[]){here, here + 1, here + 2});
    return true;
}

static void connect_operands(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    const int n = w->plan->n_in;
    void *there = NULL;
    lh_gpu_view *many = NULL;
    if (n > LH_GPU_OPERANDS) many = lh_cuda_reserve(t, (size_t)n * sizeof *many, &there);
    for (int i = 0; i < n; i++) {
        const lh_node *node = lh_plan_operand(w->plan, i);
        const value_blocks in = node ? blocks_of(p, t, node) : (value_blocks){0};
        if (many) many[i] = in.view;
        if (i >= LH_GPU_OPERANDS) continue;
        w->gpu.in[i] = in.view;
        w->gpu.most_in[i] = most_of(&in);
    }
    w->gpu.many = n > LH_GPU_OPERANDS ? there : NULL;
}

static void connect_outs(const lh_plan *p, lh_cuda_work *w, const lh_cuda_table *t) {
    const lh_match *m = w->plan->match;
    w->gpu.n_outs = m ? m->n_outs : 0;
    for (int i = 0; i < w->gpu.n_outs; i++) {
        const bool is_asked = m->out[i] && p->value[m->out[i]->id].role != UNUSED;
        w->gpu.outs[i] = is_asked ? blocks_of(p, t, m->out[i]).view : (lh_gpu_view){0};
    }
}

/* Each example by itself. */
static void connect_apart(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    const bool is_summed = w->plan->match && lh_cuda_kernels[w->kernel].sums_products;
    connect_operands(p, w, t);
    if (!is_summed && (w->plan->match || w->plan->node->kind != LH_OP_matmul)) return;
    const lh_gpu_block *const blocks[] = {blocks_of(p, t, w->plan->node).here,
                                          blocks_of(p, t, lh_plan_operand(w->plan, 0)).here,
                                          blocks_of(p, t, lh_plan_operand(w->plan, 1)).here};
    if (is_summed)
        lh_cuda_find_summed(p, w, blocks);
    else
        lh_cuda_find_products(p, w, t, blocks);
}

static void connect(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    const value_blocks out = blocks_of(p, t, w->plan->node);
    w->n_products = 0;
    w->gpu.out = out.view, w->gpu.most = most_of(&out);
    w->gpu.examples = out.view.step ? p->examples : 1;
    w->gpu.batch = p->examples ? p->examples : 1;
    w->gpu.n_in = w->plan->n_in;
    w->gpu.moment = lh_cuda_of(p)->moment_there;
    connect_outs(p, w, t);
    if (!join_examples(p, w, t)) connect_apart(p, w, t);
    if (w->plan->match && lh_cuda_kernels[w->kernel].prepare) lh_cuda_kernels[w->kernel].prepare(w);
}

static void connect_all(lh_plan *p, lh_cuda_table *t, bool is_bound) {
    t->used = 0;
    add_all_blocks(p, t, is_bound);
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < p->list[stage].n && is_bound == (stage != LH_STAGE_START); i++)
            connect(p, &lh_cuda_of(p)->work[stage][i], t);
}

static bool reserve_scratch(lh_plan *p, const lh_gpu *gpu) {
    lh_cuda_own *own = lh_cuda_of(p);
    size_t most = 0;
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < p->list[stage].n; i++)
            if (own->work[stage][i].gpu.scratch_cells > most)
                most = own->work[stage][i].gpu.scratch_cells;
    if (most > own->scratch_cells) {
        gpu->give_back(own->scratch);
        own->scratch_cells = 0;
        own->scratch = lh_cuda_take(p->g->ctx, most, sizeof(float));
        if (!own->scratch) return false;
        own->scratch_cells = most;
    }
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < p->list[stage].n; i++) own->work[stage][i].gpu.scratch = own->scratch;
    return true;
}

bool lh_cuda_connect(lh_plan *p, bool is_bound) {
    const lh_gpu *gpu = lh_cuda_gpu(p->g->ctx);
    lh_cuda_table *t = &lh_cuda_of(p)->table[is_bound];
    if (!gpu) return false;
    for (;;) { /* measured, then made: what is joined is seen only where there is room for blocks */
        connect_all(p, t, is_bound);
        if (t->used <= t->bytes) break;
        if (!grow(p->g->ctx, gpu, t)) return false;
    }
    lh_cuda_settle();
    gpu->put(t->there, t->here, t->used);
    return reserve_scratch(p, gpu);
}
