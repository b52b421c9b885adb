/* cuda_product -- which products a library can compute: the matrices are stored by rows or by columns, without gaps inside a row or column. */
#include <limits.h>

#include "eval/cuda/cuda.h"

static char *number_at(const lh_gpu_block *b, long long i) {
    return (char *)b->p + i * (b->is_short ? 2 : 4);
}

/* A block as a factor; false: its layout is not one that a library reads. */
static bool factor_of(const lh_gpu_block *b, lh_gpu_factor *f) {
    *f = (lh_gpu_factor){.first = b->p, .apart = b->hs, .is_short = b->is_short};
    if (b->cols == 1 || b->cs == 1) {
        f->pitch = b->rows > 1 ? b->rs : b->cols;
        if (f->pitch >= b->cols && f->pitch <= INT_MAX) return true;
    }
    if (b->rows == 1 || b->rs == 1) {
        f->is_turned = true;
        f->pitch = b->cols > 1 ? b->cs : b->rows;
        return f->pitch >= b->rows && f->pitch <= INT_MAX;
    }
    return false;
}

static bool is_same(const lh_gpu_factor *f, const lh_gpu_factor *g) {
    return f->pitch == g->pitch && f->is_turned == g->is_turned;
}

/* All heads of one example. A library writes bf16 only if it reads bf16. */
bool lh_cuda_product_of(const lh_gpu_block *c, const lh_gpu_block *a, const lh_gpu_block *b,
                        lh_gpu_product *p) {
    *p = (lh_gpu_product){
        .rows = c->rows, .cols = c->cols, .inner = a->cols, .n = c->heads, .scale = 1};
    return a->is_short == b->is_short && (a->is_short || !c->is_short) && factor_of(a, &p->a) &&
           factor_of(b, &p->b) && factor_of(c, &p->c) && !p->c.is_turned;
}

static bool is_like(const lh_gpu_product *p, const lh_gpu_product *q) {
    return p->rows == q->rows && p->cols == q->cols && p->inner == q->inner && p->n == q->n &&
           is_same(&p->a, &q->a) && is_same(&p->b, &q->b) && is_same(&p->c, &q->c);
}

static void name_each(lh_gpu_factor *f, const lh_gpu_block *block, int step, int examples,
                      int heads, lh_cuda_table *t) {
    void *there = NULL;
    void **each = lh_cuda_reserve(t, (size_t)examples * (size_t)heads * sizeof *each, &there);
    for (int e = 0; each && e < examples; e++)
        for (int h = 0; h < heads; h++)
            each[e * heads + h] = number_at(&block[e * step], h * block[e * step].hs);
    f->each = there;
}

lh_cuda_step *lh_cuda_steps(const lh_plan *p, lh_cuda_work *w, int n) {
    if (n <= w->room) return w->step;
    w->step = lh_alloc_array(p->arena, (size_t)n, sizeof *w->step);
    w->room = w->step ? n : 0;
    return w->step;
}

bool lh_cuda_is_product(const lh_cuda_work *w) {
    return w->plan->match ? w->kernel == LH_GPU_linear : w->plan->node->kind == LH_OP_matmul;
}

/* The row that is added, which must have the type of the result; false: there is none, or its layout does not fit. */
static bool bias_of(const lh_plan *p, const lh_cuda_work *w, const lh_gpu_block *b, bool is_short,
                    const void **to) {
    lh_gpu_block row;
    if (!w->plan->match) return true;
    if (!is_short)
        row = *b;
    else if (!lh_cuda_shadow_of(p, lh_plan_operand(w->plan, 2), b, &row))
        return false;
    *to = row.p;
    return row.cs == 1;
}

/* Examples of one size are one call; otherwise each is a call of its own. */
void lh_cuda_find_products(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t,
                           const lh_gpu_block *const blocks[4]) {
    const lh_gpu_block *c = blocks[0], *a = blocks[1], *b = blocks[2];
    lh_gpu_block last[2];
    const int n = w->gpu.examples, sa = w->gpu.in[0].step, sb = w->gpu.in[1].step,
              sc = w->gpu.out.step;
    lh_gpu_block left, right;
    const void *bias = NULL;
    w->n_steps = 0;
    if (!lh_cuda_is_product(w) || !c || !a || !b || !lh_cuda_steps(p, w, n)) return;
    if (w->plan->is_last && p->examples == 1) { /* no other row is asked for */
        last[0] = lh_cuda_rows(*c, c->rows - 1, 1), last[1] = lh_cuda_rows(*a, a->rows - 1, 1);
        c = &last[0], a = &last[1];
    }
    if (a->is_short && !b->is_short && !sb &&
        lh_cuda_shadow_of(p, lh_plan_operand(w->plan, 1), b, &right))
        b = &right;
    if (b->is_short && !a->is_short && !sa &&
        lh_cuda_shadow_of(p, lh_plan_operand(w->plan, 0), a, &left))
        a = &left;
    if (!bias_of(p, w, blocks[3], c->is_short, &bias)) return;
    bool is_uniform = true;
    for (int e = 0; e < n; e++) {
        lh_cuda_step *s = &w->step[e];
        s->work = NULL;
        if (!lh_cuda_product_of(&c[e * sc], &a[e * sa], &b[e * sb], &s->product)) return;
        s->product.bias = bias;
        is_uniform &= is_like(&s->product, &w->step[0].product);
    }
    w->n_steps = is_uniform ? 1 : n;
    if (!is_uniform || n == 1) return;
    lh_gpu_product *all = &w->step[0].product;
    if (bias) { /* a library adds it to one product at a time */
        w->n_steps = n;
        return;
    }
    name_each(&all->a, a, sa, n, all->n, t);
    name_each(&all->b, b, sb, n, all->n, t);
    name_each(&all->c, c, sc, n, all->n, t);
    all->n *= n;
}

/* ---- total(A @ B): a single product where the examples are contiguous, otherwise one after the other, accumulated ---- */

lh_gpu_block lh_cuda_turned(lh_gpu_block b) {
    return (lh_gpu_block){b.p, b.hs, b.cs, b.rs, b.heads, b.cols, b.rows, b.is_short};
}

lh_gpu_block lh_cuda_rows(lh_gpu_block b, long long from, long long n) {
    b.p = (float *)(void *)number_at(&b, from * b.rs);
    b.rows = (int)n;
    return b;
}

/* The columns of A_e side by side, the rows of B_e one below the other. */
static bool join(const lh_plan *p, const lh_cuda_work *w, const lh_gpu_block *a,
                 const lh_gpu_block *b, lh_gpu_block one[2]) {
    const int n = w->gpu.batch;
    lh_context *ctx = p->g->ctx;
    lh_gpu_block *lines =
        w->gpu.in[0].step && w->gpu.in[1].step ? ctx->alloc((size_t)n * sizeof *lines) : NULL;
    for (int e = 0; lines && e < n; e++) lines[e] = lh_cuda_turned(a[e]);
    const bool is_one =
        lines && lh_cuda_join_rows(lines, n, &one[0]) && lh_cuda_join_rows(b, n, &one[1]);
    if (is_one) one[0] = lh_cuda_turned(one[0]);
    ctx->release(lines);
    return is_one;
}

void lh_cuda_find_summed(const lh_plan *p, lh_cuda_work *w, const lh_gpu_block *const blocks[3]) {
    const lh_gpu_block *c = blocks[0], *a = blocks[1], *b = blocks[2];
    const int n = w->gpu.batch, sa = w->gpu.in[0].step, sb = w->gpu.in[1].step;
    lh_gpu_block one[2];
    w->n_steps = 0;
    if (!a || !b || !c || !lh_cuda_steps(p, w, n)) return;
    const bool is_one =
        join(p, w, a, b, one) && lh_cuda_product_of(c, &one[0], &one[1], &w->step[0].product);
    for (int e = 0; !is_one && e < n; e++) {
        if (!lh_cuda_product_of(c, &a[e * sa], &b[e * sb], &w->step[e].product)) return;
        w->step[e].product.adds = e > 0;
    }
    w->n_steps = is_one ? 1 : n;
    for (int i = 0; i < w->n_steps; i++) w->step[i].work = NULL;
}

bool lh_cuda_scale_summed(const lh_plan *p) {
    lh_cuda_work *work = lh_cuda_of(p)->work[LH_STAGE_RUN];
    bool is_some = false;
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) {
        lh_cuda_work *w = &work[i];
        if (!w->plan->match || w->plan->sum >= 0 || !lh_cuda_kernels[w->kernel].sums_products ||
            !w->gpu.form)
            continue;
        for (int k = 0; k < w->n_steps; k++) w->step[k].product.scale = 1.0f / (float)p->moment.of;
        is_some = true;
    }
    return is_some;
}
