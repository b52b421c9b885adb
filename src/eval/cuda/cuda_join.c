/* cuda_join -- works of a batch in bf16 that are fused into one launch:
 *
 *     gelu(X @ W + b)              a product includes what follows it, as dY @ W^T includes the gradient of gelu,
 *     Y + (X @ W + b)              and a matrix that is added
 *     dY + gradient of a norm      the gradient of a residual connection is added as the gradient of the norm is written
 *     [dQ dK dV]                   the gradients of attention are written where they will be put side by side
 *     E := adamw(...), ...         all updates are one launch; so are all sums of two numbers, such as their counters
 *
 * A fused product runs in the place of the work that follows it, provided that its factors still exist then. The gradient of a residual connection is written one
 * work earlier than planned. Memory is reused late enough for both (lh_backend.rests_of_batch).
 */
#include <string.h>

#include "eval/cuda/cuda.h"

/* The lifetime of a value, from the work that computes it to the last that reads it. Where layers are recomputed it has two. */
typedef struct life {
    int maker, first, last, readers; /* first: -1 if nobody reads it */
} life;

typedef struct joining {
    lh_plan *p;
    const lh_gpu *gpu; /* NULL: it is only measured */
    lh_cuda_table *t;
    lh_cuda_work *work; /* of a run */
    int n;
    life *life;
    int *now;  /* of each value: its current lifetime; -1: none yet, or it is given */
    int *made; /* of each work: the lifetime of its value */
    int lives; /* begun so far */
} joining;

static void begin_lives(joining *j) {
    for (int i = 0; i < j->p->n_nodes; i++) j->now[i] = -1;
    j->lives = 0;
}

static void begin_life(joining *j, int k, const lh_node *n) {
    const int v = lh_cuda_value_of(j->p, n);
    if (j->now[v] >= 0 && j->life[j->now[v]].maker == k) return; /* two results in one place */
    j->life[j->lives].maker = k;
    j->now[v] = j->lives++;
}

/* The lifetimes of what work k computes begin. */
static void pass(joining *j, int k) {
    const lh_plan_work *w = j->work[k].plan;
    j->made[k] = 0;
    if (w->sum >= 0) return;
    begin_life(j, k, w->node);
    j->made[k] = j->now[lh_cuda_value_of(j->p, w->node)];
    for (int i = 0; w->match && i < w->match->n_outs; i++)
        if (w->match->out[i]) begin_life(j, k, w->match->out[i]);
}

static void read_by(joining *j, const lh_plan_work *w, int k) {
    for (int i = 0; i < w->n_in; i++) {
        const int l =
            lh_plan_reads(w, i) ? j->now[lh_cuda_value_of(j->p, lh_plan_operand(w, i))] : -1;
        if (l < 0) continue;
        if (!j->life[l].readers++) j->life[l].first = k;
        j->life[l].last = k;
    }
}

static void find_lives(joining *j) {
    const lh_plan_list *commit = &j->p->list[LH_STAGE_COMMIT];
    begin_lives(j);
    for (int k = 0; k < j->n; k++) {
        read_by(j, j->work[k].plan, k);
        pass(j, k);
    }
    for (int i = 0; i < commit->n; i++) read_by(j, &commit->work[i], j->n + i);
}

/* The lifetime of operand i of the work that is being looked at; NULL: it is given. */
static const life *life_of(const joining *j, const lh_plan_work *w, int i) {
    const lh_node *n = lh_plan_operand(w, i);
    const int l = n ? j->now[lh_cuda_value_of(j->p, n)] : -1;
    return l < 0 ? NULL : &j->life[l];
}

/* Is operand i of this work its only use? */
static bool is_between(const joining *j, const lh_plan_work *w, int i) {
    const life *l = life_of(j, w, i);
    return l && l->readers == 1 &&
           !j->p->value[lh_cuda_value_of(j->p, lh_plan_operand(w, i))].lasts;
}

static bool is_kernel(const lh_cuda_work *w, int kernel) {
    return w->plan->match && w->plan->sum < 0 && w->kernel == kernel;
}

static bool is_sum(const lh_cuda_work *w) {
    return !w->plan->match && w->plan->node->kind == LH_OP_add;
}

/* ---- blocks ---- */

/* The one block of a view that all examples share, or NULL. */
static const lh_gpu_block *block_of(const joining *j, const lh_gpu_view *v) {
    if (!v->block || v->step) return NULL;
    return (const lh_gpu_block *)(const void *)(j->t->here +
                                                ((const char *)v->block - j->t->there));
}

/* The block of a view that is contiguous, in bf16 and as long as a flat work; or NULL. */
static const lh_gpu_block *shorts_of(const joining *j, const lh_cuda_work *w,
                                     const lh_gpu_view *v) {
    const lh_gpu_block *b = block_of(j, v);
    const bool is_so =
        b && w->gpu.flat && b->is_short && (long long)b->heads * b->rows * b->cols == w->gpu.flat;
    return is_so ? b : NULL;
}

/* ---- after a product ---- */

/* Do the factors of a product still exist when work k runs? */
static bool has_factors_at(const joining *j, const lh_plan_work *w, int k) {
    for (int i = 0; i < w->n_in; i++) {
        if (!lh_plan_reads(w, i) ||
            !lh_plan_is_pooled(j->p, lh_plan_owner(j->p, lh_plan_operand(w, i))))
            continue;
        const life *l = life_of(j, w, i);
        if (!l || l->last + LH_CUDA_RESTS_OF_BATCH < k) return false;
    }
    return true;
}

/* The product that computes operand i of work k, if it can run in its place; NULL: it cannot. */
static lh_gpu_product *product_before(const joining *j, int k, int i) {
    const lh_cuda_work *w = &j->work[k];
    const life *made = life_of(j, w->plan, i);
    lh_cuda_work *by = made ? &j->work[made->maker] : NULL;
    if (!by || by->is_joined || by->n_steps != 1 || by->step->work || by->plan->is_last ||
        !lh_cuda_is_product(by))
        return NULL;
    lh_gpu_product *x = &by->step->product;
    if (x->n != 1 || x->a.each || x->adds || x->scale != 1 || x->also || x->behind ||
        !x->c.is_short || x->c.pitch != x->cols || (long long)x->rows * x->cols != w->gpu.flat)
        return NULL;
    return has_factors_at(j, by->plan, k) ? x : NULL;
}

/* Work k becomes the product, and the earlier one is dropped. */
static bool becomes(const joining *j, int k, int i, const lh_gpu_product *x) {
    lh_cuda_work *w = &j->work[k];
    if (!j->gpu || !j->gpu->makes(x) || !lh_cuda_steps(j->p, w, 1)) return false;
    w->step[0] = (lh_cuda_step){.product = *x};
    w->n_steps = 1;
    j->work[life_of(j, w->plan, i)->maker].is_joined = true;
    return true;
}

static void join_gelu(const joining *j, int k) {
    const lh_cuda_work *w = &j->work[k];
    const lh_gpu_product *made = product_before(j, k, 0);
    const lh_gpu_block *to = shorts_of(j, w, &w->gpu.out);
    if (!made || !to || life_of(j, w->plan, 0)->first != k) return;
    lh_gpu_product x = *made;
    x.behind = LH_GPU_THEN_GELU;
    x.kept = x.c.first, x.c.first = to->p;
    becomes(j, k, 0, &x);
}

static void join_gelu_back(const joining *j, int k) {
    const lh_cuda_work *w = &j->work[k];
    const lh_gpu_product *made = product_before(j, k, 1);
    const lh_gpu_block *to = shorts_of(j, w, &w->gpu.out), *of = shorts_of(j, w, &w->gpu.in[0]);
    if (!made || !to || !of || made->bias || !is_between(j, w->plan, 1)) return;
    lh_gpu_product x = *made;
    x.behind = LH_GPU_THEN_GELU_BACK;
    x.kept = of->p, x.c.first = to->p;
    becomes(j, k, 1, &x);
}

static void join_product(const joining *j, int k) {
    const lh_cuda_work *w = &j->work[k];
    const lh_gpu_block *to = shorts_of(j, w, &w->gpu.out);
    for (int side = 0; to && side < 2; side++) {
        const lh_gpu_product *made = product_before(j, k, side);
        const lh_gpu_block *other = shorts_of(j, w, &w->gpu.in[1 - side]);
        if (!made || !other || !is_between(j, w->plan, side)) continue;
        lh_gpu_product x = *made;
        x.also = other->p, x.c.first = to->p;
        if (becomes(j, k, side, &x)) return;
    }
}

/* ---- after the gradient of a norm ---- */

static void join_norm(const joining *j, int k) {
    lh_cuda_work *w = &j->work[k], *norm = k ? &j->work[k - 1] : NULL;
    if (!norm || w->n_steps ||
        (!is_kernel(norm, LH_GPU_layernorm_back) && !is_kernel(norm, LH_GPU_rmsnorm_back)) ||
        !shorts_of(j, w, &w->gpu.out))
        return;
    const lh_node *dx = norm->plan->match->out[0];
    for (int side = 0; dx && side < 2; side++) {
        const int v = lh_cuda_value_of(j->p, w->plan->node->in[side]);
        const lh_gpu_block *from = shorts_of(j, w, &w->gpu.in[side]),
                           *made = block_of(j, &norm->gpu.outs[0]);
        if (v != lh_cuda_value_of(j->p, dx) || !is_between(j, w->plan, side) || !from || !made ||
            from->p != made->p || made->rs != made->cols || made->heads != 1 ||
            !norm->gpu.is_wide || !shorts_of(j, w, &w->gpu.in[1 - side]))
            continue;
        norm->gpu.outs[0] = w->gpu.out, norm->gpu.also = w->gpu.in[1 - side];
        w->is_joined = true;
        return;
    }
}

/* ---- dQ, dK and dV side by side ---- */

/* The columns of `to` from c on, as a block of heads; false: its heads are not side by side. */
static bool part_of(const lh_gpu_block *to, const lh_gpu_block *heads, int c, lh_gpu_block *part) {
    if (heads->cs != 1 || to->cs != 1 || to->heads != 1 || heads->hs != heads->cols ||
        heads->is_short != to->is_short || heads->rows != to->rows || c % 8 || to->rs % 8 ||
        (size_t)to->p % 16)
        return false;
    *part = *heads;
    part->p = (float *)(void *)((char *)to->p + (size_t)c * (to->is_short ? 2 : 4));
    part->rs = to->rs;
    return c + heads->heads * heads->cols <= to->cols;
}

static int out_of(const joining *j, const lh_match *m, const lh_node *n) {
    for (int i = 0; i < m->n_outs; i++)
        if (m->out[i] && lh_cuda_value_of(j->p, m->out[i]) == lh_cuda_value_of(j->p, n)) return i;
    return -1;
}

/* Blocks for operand i of work k, which is a result of work k - 1, inside the result of work k; NULL: that is not possible, or it is only measured. */
static const lh_gpu_block *lay_beside(const joining *j, int k, int i, int *c) {
    const lh_cuda_work *back = &j->work[k - 1], *w = &j->work[k];
    const lh_node *n = lh_plan_operand(w->plan, i);
    const int o = out_of(j, back->plan->match, n), examples = j->p->examples;
    const lh_cuda_blocks to = lh_cuda_blocks_of(j->p, j->t, w->plan->node);
    if (o < 0 || !back->gpu.outs[o].step || !to.view.step || !is_between(j, w->plan, i))
        return NULL;
    const lh_cuda_blocks heads = lh_cuda_blocks_of(j->p, j->t, back->plan->match->out[o]);
    void *there = NULL;
    lh_gpu_block *here = lh_cuda_reserve(j->t, (size_t)examples * sizeof *here, &there);
    for (int e = 0; here && e < examples; e++)
        if (!part_of(&to.here[e], &heads.here[e], *c, &here[e])) return NULL;
    *c += heads.here->heads * heads.here->cols;
    return here ? there : NULL;
}

static void join_beside(const joining *j, int k) {
    lh_cuda_work *w = &j->work[k], *back = k ? &j->work[k - 1] : NULL;
    const lh_gpu_block *at[LH_GPU_OUTS];
    int c = 0;
    if (!back || !is_kernel(back, LH_GPU_attention_back) || w->plan->n_in > LH_GPU_OUTS ||
        !back->gpu.is_wide || !w->gpu.is_wide)
        return;
    for (int i = 0; i < w->plan->n_in; i++)
        if (!(at[i] = lay_beside(j, k, i, &c))) return;
    for (int i = 0; i < w->plan->n_in; i++)
        back->gpu.outs[out_of(j, back->plan->match, lh_plan_operand(w->plan, i))].block = at[i];
    w->is_joined = true;
}

/* ---- many works of one kind ---- */

static bool is_flat(const lh_gpu_block *b) {
    return b && !b->is_short && b->heads == 1 && b->cs == 1 && b->rs == b->cols;
}

/* An update of which only the gradient is stored column by column. */
static bool is_turned(const joining *j, const lh_cuda_work *w) {
    const lh_gpu_block *d = block_of(j, &w->gpu.in[3]);
    for (int i = 0; i < 3; i++)
        if (!is_flat(block_of(j, &w->gpu.in[i]))) return false;
    return d && !d->is_short && d->cols > 1 && d->rows > 1 && d->rs == 1 && d->cs == d->rows;
}

static int parts_of(const joining *j, const lh_cuda_work *w) {
    const lh_gpu_sizes s = w->gpu.most_in[0];
    const long long side = LH_GPU_UPDATED_SIDE, cells = (long long)s.rows * s.cols;
    if (is_kernel(w, LH_GPU_adam) && is_turned(j, w))
        return (int)((s.rows + side - 1) / side * ((s.cols + side - 1) / side));
    return (int)((cells + LH_GPU_UPDATED - 1) / LH_GPU_UPDATED);
}

/* n works from `from` on, all of which run in the place of the last one. */
static void join_many(const joining *j, lh_cuda_work *from, int n,
                      void (*launch)(const lh_gpu_many *all, void *stream)) {
    void *works = NULL, *before = NULL, *room = NULL;
    if (n < 2) return;
    lh_gpu_work *work = lh_cuda_reserve(j->t, (size_t)n * sizeof *work, &works);
    int *parts = lh_cuda_reserve(j->t, ((size_t)n + 1) * sizeof *parts, &before), all = 0;
    if (!work || !parts || !lh_cuda_reserve(j->t, (size_t)n * LH_GPU_ROOM_OF_EACH, &room)) return;
    for (int i = 0; i < n; i++) {
        work[i] = from[i].gpu;
        work[i].number[LH_GPU_IS_TURNED] =
            is_kernel(&from[i], LH_GPU_adam) && is_turned(j, &from[i]);
        parts[i] = all, all += parts_of(j, &from[i]);
        from[i].is_joined = i + 1 < n;
    }
    from[n - 1].many = (lh_gpu_many){works, before, room, n, all};
    from[n - 1].launch_many = launch;
}

static bool is_number(const joining *j, const lh_gpu_view *v) {
    const lh_gpu_block *b = block_of(j, v);
    return b && !b->is_short && b->heads == 1 && b->rows == 1 && b->cols == 1;
}

static bool is_number_given(const joining *j, const lh_cuda_work *w, int i) {
    return is_number(j, &w->gpu.in[i]) &&
           !lh_plan_is_pooled(j->p, lh_plan_owner(j->p, w->plan->node->in[i]));
}

/* A sum of two numbers that is not needed before work `end`. */
static bool can_wait(const joining *j, int i, int end) {
    const lh_cuda_work *w = &j->work[i];
    const int first = j->life[j->made[i]].first;
    return is_sum(w) && is_number(j, &w->gpu.out) && is_number_given(j, w, 0) &&
           is_number_given(j, w, 1) && (first < 0 || first > end);
}

/* Starting from the end: those that can all wait for the last one. */
static void join_sums(const joining *j) {
    for (int last = j->n - 1, first; last >= 0; last = first - 1) {
        first = last;
        if (!can_wait(j, last, last)) continue;
        while (first > 0 && can_wait(j, first - 1, last)) first--;
        join_many(j, &j->work[first], last - first + 1, j->gpu ? j->gpu->add_many_numbers : NULL);
    }
}

static void join_updates(const joining *j) {
    lh_cuda_work *work = lh_cuda_of(j->p)->work[LH_STAGE_COMMIT];
    const int n = j->p->list[LH_STAGE_COMMIT].n;
    for (int from = 0, to; from < n; from = to + 1) {
        for (to = from; to < n && is_kernel(&work[to], LH_GPU_adam);) to++;
        join_many(j, &work[from], to - from, j->gpu ? j->gpu->update_many : NULL);
    }
}

/* ---- all of it ---- */

static void join_one(const joining *j, int k) {
    const lh_cuda_work *w = &j->work[k];
    if (is_kernel(w, LH_GPU_gelu)) join_gelu(j, k);
    if (is_kernel(w, LH_GPU_gelu_back)) join_gelu_back(j, k);
    if (is_kernel(w, LH_GPU_beside)) join_beside(j, k);
    if (!is_sum(w)) return;
    join_product(j, k);
    join_norm(j, k);
}

static void join_all(joining *j) {
    begin_lives(j);
    for (int k = 0; k < j->n; k++) {
        join_one(j, k);
        pass(j, k);
    }
}

static bool open_lives(joining *j) {
    const size_t nodes = (size_t)j->p->n_nodes;
    size_t most = 1;
    for (int k = 0; k < j->n; k++) {
        const lh_match *m = j->work[k].plan->match;
        most += 1 + (size_t)(m ? m->n_outs : 0);
    }
    lh_context *ctx = j->p->g->ctx;
    j->life = ctx->alloc(most * sizeof *j->life + (nodes + (size_t)j->n + 1) * sizeof *j->now);
    if (!j->life) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory");
        return false;
    }
    for (size_t i = 0; i < most; i++) j->life[i] = (life){-1, -1, -1, 0};
    j->now = (int *)(void *)(j->life + most), j->made = j->now + nodes;
    return true;
}

bool lh_cuda_join_works(lh_plan *p, const lh_gpu *gpu, lh_cuda_table *t) {
    joining j = {.p = p, .gpu = gpu, .t = t};
    j.work = lh_cuda_of(p)->work[LH_STAGE_RUN], j.n = p->list[LH_STAGE_RUN].n;
    if (p->grows || lh_cuda_of(p)->is_apart) return true;
    if (!open_lives(&j)) return false;
    find_lives(&j);
    if (p->by->shorten) join_all(&j);
    join_sums(&j);
    join_updates(&j);
    p->g->ctx->release(j.life);
    return true;
}

size_t lh_cuda_join_bytes(const lh_plan *p) {
    enum { EACH = sizeof(lh_gpu_work) + sizeof(int) + LH_GPU_ROOM_OF_EACH + 3 * 16 };
    const lh_cuda_work *work = lh_cuda_of(p)->work[LH_STAGE_RUN];
    size_t bytes = 0;
    if (p->grows) return 0;
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) {
        if (is_sum(&work[i])) bytes += EACH;
        if (is_kernel(&work[i], LH_GPU_beside))
            bytes += (size_t)work[i].plan->n_in * ((size_t)p->examples * sizeof(lh_gpu_block) + 16);
    }
    return bytes + (size_t)p->list[LH_STAGE_COMMIT].n * EACH;
}
