/* cuda_product -- which products of a work a library can make: its matrices lie by rows or by columns, without gaps inside a line. */
#include <limits.h>

#include "eval/cuda/cuda.h"

/* How a block lies, as a factor; false: in no way that a library reads. */
static bool factor_of(const lh_gpu_block *b, lh_gpu_factor *f) {
    *f = (lh_gpu_factor){.first = b->p, .apart = b->hs};
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

/* The product of one example: all of its heads. */
static bool product_of(const lh_gpu_block *c, const lh_gpu_block *a, const lh_gpu_block *b,
                       lh_gpu_product *p) {
    *p = (lh_gpu_product){
        .rows = c->rows, .cols = c->cols, .inner = a->cols, .n = c->heads, .scale = 1};
    return factor_of(a, &p->a) && factor_of(b, &p->b) && factor_of(c, &p->c) && !p->c.is_turned;
}

static bool is_like(const lh_gpu_product *p, const lh_gpu_product *q) {
    return p->rows == q->rows && p->cols == q->cols && p->inner == q->inner && p->n == q->n &&
           is_same(&p->a, &q->a) && is_same(&p->b, &q->b) && is_same(&p->c, &q->c);
}

static void name_each(lh_gpu_factor *f, const lh_gpu_block *block, int step, int examples,
                      int heads, lh_cuda_table *t) {
    void *there = NULL;
    float **each = lh_cuda_reserve(t, (size_t)examples * (size_t)heads * sizeof *each, &there);
    for (int e = 0; each && e < examples; e++)
        for (int h = 0; h < heads; h++)
            each[e * heads + h] = block[e * step].p + h * block[e * step].hs;
    f->each = there;
}

static bool reserve(const lh_plan *p, lh_cuda_work *w, int n) {
    if (n <= w->room) return true;
    w->product = lh_alloc_array(p->arena, (size_t)n, sizeof *w->product);
    w->room = w->product ? n : 0;
    return w->product != NULL;
}

/* Examples of one size are one call; else each is one. */
void lh_cuda_find_products(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t,
                           const lh_gpu_block *const blocks[3]) {
    const lh_gpu_block *c = blocks[0], *a = blocks[1], *b = blocks[2];
    const int n = w->gpu.examples, sa = w->gpu.in[0].step, sb = w->gpu.in[1].step,
              sc = w->gpu.out.step;
    w->n_products = 0;
    if (w->plan->match || w->plan->node->kind != LH_OP_matmul || !c || !a || !b ||
        !reserve(p, w, n))
        return;
    bool is_uniform = true;
    for (int e = 0; e < n; e++) {
        if (!product_of(&c[e * sc], &a[e * sa], &b[e * sb], &w->product[e])) return;
        is_uniform &= is_like(&w->product[e], &w->product[0]);
    }
    w->n_products = is_uniform ? 1 : n;
    if (!is_uniform || n == 1) return;
    lh_gpu_product *all = &w->product[0];
    name_each(&all->a, a, sa, n, all->n, t);
    name_each(&all->b, b, sb, n, all->n, t);
    name_each(&all->c, c, sc, n, all->n, t);
    all->n *= n;
}

/* ---- total(A @ B): one product where the examples lie beside each other, else one after the other, added up ---- */

static lh_gpu_block turned(lh_gpu_block b) {
    return (lh_gpu_block){b.p, b.hs, b.cs, b.rs, b.heads, b.cols, b.rows};
}

/* The columns of A_e one beside the other, the rows of B_e one below the other. */
static bool join(const lh_plan *p, const lh_cuda_work *w, const lh_gpu_block *a,
                 const lh_gpu_block *b, lh_gpu_block one[2]) {
    const int n = w->gpu.batch;
    lh_context *ctx = p->g->ctx;
    lh_gpu_block *lines =
        w->gpu.in[0].step && w->gpu.in[1].step ? ctx->alloc((size_t)n * sizeof *lines) : NULL;
    for (int e = 0; lines && e < n; e++) lines[e] = turned(a[e]);
    const bool is_one =
        lines && lh_cuda_join_rows(lines, n, &one[0]) && lh_cuda_join_rows(b, n, &one[1]);
    if (is_one) one[0] = turned(one[0]);
    ctx->release(lines);
    return is_one;
}

void lh_cuda_find_summed(const lh_plan *p, lh_cuda_work *w, const lh_gpu_block *const blocks[3]) {
    const lh_gpu_block *c = blocks[0], *a = blocks[1], *b = blocks[2];
    const int n = w->gpu.batch, sa = w->gpu.in[0].step, sb = w->gpu.in[1].step;
    lh_gpu_block one[2];
    w->n_products = 0;
    if (!a || !b || !c || !reserve(p, w, n)) return;
    const bool is_one = join(p, w, a, b, one) && product_of(c, &one[0], &one[1], &w->product[0]);
    for (int e = 0; !is_one && e < n; e++) {
        if (!product_of(c, &a[e * sa], &b[e * sb], &w->product[e])) return;
        w->product[e].adds = e > 0;
    }
    w->n_products = is_one ? 1 : n;
    for (int i = 0; w->gpu.form && i < w->n_products; i++)
        w->product[i].scale = 1.0f / (float)p->moment.of;
}
