/* cuda_works -- the works of a plan as the GPU needs them; rebuilt whenever the layouts change.
 *
 * Every value has its blocks in a table, which is copied to the GPU as a whole. Where rows do not depend on each other, a work does not need to know about
 * examples: the rows of all examples become one block, if their layout allows it.
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
    const size_t bytes = t->used + t->used / 8;
    if (gpu) gpu->give_back(t->there);
    t->there = NULL;
    ctx->release(t->here);
    t->bytes = 0;
    t->here = ctx->alloc(bytes);
    t->there = gpu && t->here ? gpu->take(bytes) : t->here;
    if (!t->there && !gpu) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory");
        return false;
    }
    if (!t->there) {
        lh_cuda_no_room(ctx, gpu, (double)bytes, "the list of works");
        return false;
    }
    t->bytes = bytes;
    return true;
}

/* ---- blocks ---- */

static lh_gpu_block block_of(const lh_plan *p, const lh_layout *l) {
    char *at = lh_plan_base(p, l);
    if (at) at += l->at * (l->is_short ? 2 : (ptrdiff_t)sizeof(float));
    return (lh_gpu_block){(float *)(void *)at, l->hs, l->rs, l->cs, l->heads, l->rows, l->cols,
                          l->is_short};
}

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

lh_cuda_blocks lh_cuda_blocks_of(const lh_plan *p, const lh_cuda_table *t, const lh_node *n) {
    const int id = lh_standing(p, n)->id;
    const size_t first = lh_cuda_of(p)->first[id];
    if (!first || first > t->bytes) return (lh_cuda_blocks){0};
    const lh_plan_value *v = &p->value[id];
    return (lh_cuda_blocks){(const lh_gpu_block *)(t->here + first - 1),
                            {(const lh_gpu_block *)(t->there + first - 1), v->step},
                            v->step ? p->examples : 1};
}

static lh_gpu_sizes most_of(const lh_cuda_blocks *v) {
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

/* In numbers. */
static long long between(const lh_gpu_block *a, const lh_gpu_block *b) {
    return ((char *)b->p - (char *)a->p) / (a->is_short ? 2 : (ptrdiff_t)sizeof(float));
}

bool lh_cuda_join_rows(const lh_gpu_block *b, int n, lh_gpu_block *one) {
    long long distance = 0, rows = 0;
    for (int e = 0; e < n && !distance; e++)
        distance = b[e].rows > 1 ? b[e].rs : e + 1 < n ? between(&b[e], &b[e + 1]) : 0;
    for (int e = 0; e < n; e++) {
        if (b[e].heads != b->heads || b[e].cols != b->cols || b[e].hs != b->hs ||
            b[e].cs != b->cs || (b[e].rows > 1 && b[e].rs != distance) ||
            b[e].is_short != b->is_short || between(b, &b[e]) != rows * distance)
            return false;
        rows += b[e].rows;
    }
    *one = *b;
    one->rows = (int)rows, one->rs = rows > 1 ? distance : 0;
    return rows <= INT_MAX && b->p;
}

/* Operations whose rows do not depend on each other, besides those that go cell by cell. */
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
    if (!w->plan->match && w->plan->node->kind == LH_OP_lookup) return i == 0;
    return lh_cuda_is_product(w) && i == 1;
}

/* Can operand i be used with joined rows? One that all examples share must have one row, or be read as a whole. */
static bool joins(const lh_cuda_work *w, int i, const lh_cuda_blocks *in, const lh_cuda_blocks *out,
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

/* ---- eight numbers at a time ---- */

static bool is_number(const lh_gpu_block *b) {
    return b->heads == 1 && b->rows == 1 && b->cols == 1;
}

static bool is_wide_block(const lh_gpu_block *b) {
    const long long bytes = b->is_short ? 2 : 4;
    return is_number(b) || (b->cs == 1 && b->cols % 8 == 0 && (size_t)b->p % 16 == 0 &&
                            b->rs * bytes % 16 == 0 && b->hs * bytes % 16 == 0);
}

/* may_be_number: it may also be a single number for all */
static bool is_wide_value(const lh_cuda_blocks *v, bool may_be_number) {
    for (int e = 0; v->here && e < v->n; e++)
        if (!is_wide_block(&v->here[e]) || (!may_be_number && is_number(&v->here[e]))) return false;
    return true;
}

/* Is operand i an index: one number for each row? */
static bool is_pointer(const lh_cuda_work *w, int i) {
    if (w->plan->match) return w->kernel == LH_GPU_scatter && i == 1;
    return w->plan->node->kind == LH_OP_lookup && i == 1;
}

/* Every row of every operand and result. */
static bool is_wide(const lh_plan *p, const lh_cuda_work *w, const lh_cuda_table *t) {
    const lh_match *m = w->plan->match;
    lh_cuda_blocks v = lh_cuda_blocks_of(p, t, w->plan->node);
    if (!is_wide_value(&v, false)) return false;
    for (int i = 0; i < w->plan->n_in; i++) {
        const lh_node *n = lh_plan_operand(w->plan, i);
        if (!n || (!m && !lh_op_reads(w->plan->node, i)) || is_pointer(w, i)) continue;
        v = lh_cuda_blocks_of(p, t, n);
        if (!is_wide_value(&v, i > 0)) return false;
    }
    for (int i = 0; m && i < m->n_outs; i++) {
        if (!m->out[i] || !w->gpu.outs[i].block) continue;
        v = lh_cuda_blocks_of(p, t, m->out[i]);
        if (!is_wide_value(&v, false)) return false;
    }
    return true;
}

static bool is_short_value(const lh_cuda_blocks *v) {
    for (int e = 0; e < v->n; e++)
        if (!v->here[e].is_short) return false;
    return v->here && v->n;
}

/* See lh_gpu_work.shorts. */
static unsigned shorts_of(const lh_plan *p, const lh_cuda_work *w, const lh_cuda_table *t) {
    const lh_match *m = w->plan->match;
    unsigned bits = 0;
    lh_cuda_blocks v;
    for (int i = 0; i < w->plan->n_in && i < LH_GPU_OPERANDS; i++) {
        const lh_node *n = lh_plan_operand(w->plan, i);
        if (!n || (!m && !lh_op_reads(w->plan->node, i))) continue;
        v = lh_cuda_blocks_of(p, t, n);
        if (is_short_value(&v)) bits |= 1u << i;
    }
    for (int i = 0; m && i < m->n_outs; i++) {
        if (!m->out[i] || !w->gpu.outs[i].block) continue;
        v = lh_cuda_blocks_of(p, t, m->out[i]);
        if (is_short_value(&v)) bits |= (unsigned)LH_GPU_SHORT_OUT << i;
    }
    return bits;
}

/* Are all numbers contiguous, in the same order as those of the other? */
static bool is_flat_like(const lh_gpu_block *b, const lh_gpu_block *y) {
    return b->heads == y->heads && b->rows == y->rows && b->cols == y->cols && b->cs == 1 &&
           (b->heads == 1 || b->hs == b->cols) &&
           (b->rows == 1 || b->rs == (long long)b->heads * b->cols) && (size_t)b->p % 16 == 0;
}

/* one: the result, then the operands */
static long long flat_of(const lh_cuda_work *w, const lh_gpu_block *one) {
    const long long cells = (long long)one->heads * one->rows * one->cols;
    if (cells % 8 || !is_flat_like(one, one)) return 0;
    for (int i = 0; i < w->plan->n_in; i++) {
        const lh_gpu_block *b = &one[i + 1];
        if (!lh_plan_operand(w->plan, i)) continue;
        if (!is_flat_like(b, one) && !(is_number(b) && !b->is_short)) return 0;
    }
    return cells;
}

/* The same for each result of a kernel that has several; what all examples share stays as it is. */
static bool join_outs(const lh_plan *p, const lh_cuda_work *w, const lh_cuda_table *t,
                      lh_gpu_block one[LH_GPU_OUTS]) {
    const lh_match *m = w->plan->match;
    for (int i = 0; m && i < m->n_outs; i++) {
        if (!m->out[i] || !w->gpu.outs[i].block) continue;
        const lh_cuda_blocks v = lh_cuda_blocks_of(p, t, m->out[i]);
        if (v.view.step && !lh_cuda_join_rows(v.here, v.n, &one[i])) return false;
    }
    return true;
}

/* What the others are compared with: the result, or an operand if the first result of a kernel is shared by all examples. */
static lh_cuda_blocks rows_of(const lh_plan *p, const lh_cuda_work *w, const lh_cuda_table *t) {
    const lh_cuda_blocks out = lh_cuda_blocks_of(p, t, w->plan->node);
    if (out.view.step || !w->plan->match) return out;
    return lh_cuda_blocks_of(p, t, lh_plan_operand(w->plan, 0));
}

/* All examples of a work become one, if that is possible. */
static bool join_examples(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    const lh_cuda_blocks out = rows_of(p, w, t);
    lh_gpu_block one[MOST_JOINED + 1] = {0}, outs[LH_GPU_OUTS] = {0};
    const int n = w->plan->n_in;
    if (!out.view.step || n > MOST_JOINED || !is_by_rows(w) ||
        !lh_cuda_join_rows(out.here, out.n, &one[0]) || !join_outs(p, w, t, outs))
        return false;
    for (int i = 0; i < n; i++) {
        const lh_node *node = lh_plan_operand(w->plan, i);
        const lh_cuda_blocks in = node ? lh_cuda_blocks_of(p, t, node) : (lh_cuda_blocks){0};
        if (!joins(w, i, &in, &out, &one[i + 1])) return false;
        w->gpu.in[i] = (lh_gpu_view){0};
    }
    const size_t blocks = (size_t)n + 1 + LH_GPU_OUTS;
    void *there = NULL;
    lh_gpu_block *here = lh_cuda_reserve(t, blocks * sizeof *here, &there);
    if (!here) return true;
    memcpy(here, one, ((size_t)n + 1) * sizeof *here);
    memcpy(here + n + 1, outs, sizeof outs);
    w->gpu.out = (lh_gpu_view){there, 0}, w->gpu.most = sizes_of(one), w->gpu.examples = 1;
    for (int i = 0; i < n; i++) {
        if (!lh_plan_operand(w->plan, i)) continue;
        w->gpu.in[i] = (lh_gpu_view){(lh_gpu_block *)there + i + 1, 0};
        w->gpu.most_in[i] = sizes_of(&one[i + 1]);
    }
    for (int i = 0; i < w->gpu.n_outs; i++)
        if (outs[i].p) w->gpu.outs[i] = (lh_gpu_view){(lh_gpu_block *)there + n + 1 + i, 0};
    w->gpu.flat = flat_of(w, here);
    lh_cuda_find_products(p, w, t,
                          (const lh_gpu_block *const[]){here, here + 1, here + 2, here + 3});
    return true;
}

static void connect_operands(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    const int n = w->plan->n_in;
    void *there = NULL;
    lh_gpu_view *many = NULL;
    if (n > LH_GPU_OPERANDS) many = lh_cuda_reserve(t, (size_t)n * sizeof *many, &there);
    for (int i = 0; i < n; i++) {
        const lh_node *node = lh_plan_operand(w->plan, i);
        const lh_cuda_blocks in = node ? lh_cuda_blocks_of(p, t, node) : (lh_cuda_blocks){0};
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
        w->gpu.outs[i] = is_asked ? lh_cuda_blocks_of(p, t, m->out[i]).view : (lh_gpu_view){0};
    }
}

/* Each example by itself. */
static void connect_apart(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    const bool is_summed = w->plan->match && lh_cuda_kernels[w->kernel].sums_products;
    connect_operands(p, w, t);
    if (!is_summed && !lh_cuda_is_product(w)) return;
    const lh_gpu_block *blocks[] = {lh_cuda_blocks_of(p, t, w->plan->node).here,
                                    lh_cuda_blocks_of(p, t, lh_plan_operand(w->plan, 0)).here,
                                    lh_cuda_blocks_of(p, t, lh_plan_operand(w->plan, 1)).here,
                                    NULL};
    if (w->plan->n_in > 2) blocks[3] = lh_cuda_blocks_of(p, t, lh_plan_operand(w->plan, 2)).here;
    if (is_summed)
        lh_cuda_find_summed(p, w, blocks);
    else
        lh_cuda_find_products(p, w, t, blocks);
}

/* The result of a part of a batch is added to the caller's memory. */
static void connect_sum(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    void *there = NULL;
    lh_gpu_block *sum = lh_cuda_reserve(t, sizeof *sum, &there);
    if (!sum) return;
    *sum = block_of(p, &p->sum_layout[w->plan->sum]);
    w->gpu.out = (lh_gpu_view){there, 0}, w->gpu.most = sizes_of(sum);
    w->gpu.in[0] = lh_cuda_blocks_of(p, t, lh_plan_operand(w->plan, 0)).view;
    w->gpu.moment = lh_cuda_of(p)->moment_there;
    w->gpu.examples = 1, w->gpu.n_in = 1;
}

static void connect(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    const lh_cuda_blocks out = lh_cuda_blocks_of(p, t, w->plan->node);
    w->n_steps = 0;
    w->is_joined = false, w->many.n = 0;
    w->gpu.flat = 0;
    w->gpu.out = out.view, w->gpu.most = most_of(&out);
    w->gpu.examples = out.view.step ? p->examples : 1;
    w->gpu.batch = p->examples ? p->examples : 1;
    w->gpu.n_in = w->plan->n_in;
    w->gpu.moment = lh_cuda_of(p)->moment_there;
    connect_outs(p, w, t);
    if (!join_examples(p, w, t)) connect_apart(p, w, t);
    w->gpu.is_wide = out.here && is_wide(p, w, t);
    w->gpu.shorts = out.here ? shorts_of(p, w, t) : 0;
    w->gpu.also = (lh_gpu_view){0};
    if (!w->plan->match || w->kernel < 0) return;
    if (lh_cuda_kernels[w->kernel].prepare) lh_cuda_kernels[w->kernel].prepare(p, w);
    if (w->kernel == LH_GPU_head) lh_cuda_measure_head(p, w, t);
}

static void connect_works(lh_plan *p, lh_cuda_table *t, bool is_bound) {
    t->used = 0;
    add_all_blocks(p, t, is_bound);
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < p->list[stage].n && is_bound == (stage != LH_STAGE_START); i++) {
            lh_cuda_work *w = &lh_cuda_of(p)->work[stage][i];
            if (w->plan->sum >= 0)
                connect_sum(p, w, t);
            else
                connect(p, w, t);
        }
}

/* ---- memory of works ---- */

static bool grow_floats(lh_plan *p, float **memory, size_t *has, size_t cells) {
    if (cells <= *has) return true;
    lh_cuda_give_back(p->g->ctx, *memory);
    *has = 0;
    *memory = lh_cuda_take(p->g->ctx, cells, sizeof(float));
    if (*memory) *has = cells;
    return *memory != NULL;
}

size_t lh_cuda_scratch_cells(const lh_plan *p) {
    size_t most = 0;
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < p->list[stage].n; i++) {
            const size_t cells = lh_cuda_of(p)->work[stage][i].gpu.scratch_cells;
            if (cells > most) most = cells;
        }
    return most;
}

/* All works share one piece of memory, one after the other. */
static bool reserve_scratch(lh_plan *p) {
    lh_cuda_own *own = lh_cuda_of(p);
    if (!grow_floats(p, &own->scratch, &own->scratch_cells, lh_cuda_scratch_cells(p))) return false;
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < p->list[stage].n; i++) own->work[stage][i].gpu.scratch = own->scratch;
    return true;
}

/* For a work of the backward pass: that of the forward pass, or NULL. */
static lh_cuda_work *work_there(const lh_plan *p, const lh_cuda_work *back) {
    const lh_plan_list *run = &p->list[LH_STAGE_RUN];
    const lh_node *y = lh_standing(p, lh_plan_operand(back->plan, back->plan->n_in - 1));
    for (int i = 0; i < run->n; i++)
        if (run->work[i].node == y) return &lh_cuda_of(p)->work[LH_STAGE_RUN][i];
    return NULL;
}

size_t lh_cuda_kept_cells(lh_plan *p) {
    lh_cuda_work *work = lh_cuda_of(p)->work[LH_STAGE_RUN];
    size_t all = 0;
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) {
        work[i].kept_at = all;
        if (work[i].plan->match && work[i].kernel == LH_GPU_attention && !work[i].plan->is_again)
            all += work[i].kept_cells; /* a work that is recomputed leaves nothing new */
    }
    return all;
}

/* What a forward pass leaves for its backward pass has memory of its own, until the next run. */
static bool reserve_kept(lh_plan *p) {
    lh_cuda_own *own = lh_cuda_of(p);
    const int n = p->list[LH_STAGE_RUN].n;
    lh_cuda_work *work = own->work[LH_STAGE_RUN];
    if (!grow_floats(p, &own->kept, &own->kept_cells, lh_cuda_kept_cells(p))) return false;
    for (int i = 0; i < n; i++) {
        if (!work[i].plan->match || work[i].kernel != LH_GPU_attention_back) continue;
        lh_cuda_work *there = work_there(p, &work[i]);
        if (there) there->gpu.kept = work[i].gpu.kept = own->kept + there->kept_at;
    }
    return true;
}

static bool plan_heads(lh_plan *p, const lh_cuda_table *t) {
    lh_cuda_work *work = lh_cuda_of(p)->work[LH_STAGE_RUN];
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) {
        if (!work[i].plan->match || work[i].kernel != LH_GPU_head) continue;
        if (!lh_cuda_plan_head(p, &work[i], t)) return false;
    }
    return true;
}

bool lh_cuda_connect_all(lh_plan *p, const lh_gpu *gpu, bool is_bound) {
    lh_cuda_table *t = &lh_cuda_of(p)->table[is_bound];
    for (;;) { /* measured, then made: what is joined is seen only where there is room for blocks */
        connect_works(p, t, is_bound);
        if (is_bound && t->used > t->bytes) t->used += lh_cuda_join_bytes(p);
        if (is_bound && t->used <= t->bytes && !lh_cuda_join_works(p, gpu, t)) return false;
        if (t->used <= t->bytes) return true;
        if (!grow(p->g->ctx, gpu, t)) return false;
    }
}

bool lh_cuda_connect(lh_plan *p, bool is_bound) {
    const lh_gpu *gpu = lh_cuda_gpu(p->g->ctx);
    lh_cuda_table *t = &lh_cuda_of(p)->table[is_bound];
    if (!gpu || !lh_cuda_connect_all(p, gpu, is_bound)) return false;
    lh_cuda_settle();
    gpu->put(t->there, t->here, t->used);
    if (!reserve_scratch(p) || !lh_cuda_list_shadows(p)) return false;
    return !is_bound || (reserve_kept(p) && plan_heads(p, t) && lh_cuda_keep(p, gpu) &&
                         lh_cuda_join_rows_of_one(p));
}
