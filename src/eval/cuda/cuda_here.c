/* cuda_here -- an operation that is not implemented for GPUs: its operands are copied to the processor, it runs there by its definition in float, and its result is copied back.
 * Slow, but never wrong. */
#define LH_FAST
#include "eval/work.h"

#include "eval/cuda/cuda.h"

/* A copy of a value of all examples, numbers and blocks in one allocation; NULL: not enough memory. */
static lh_view bring(lh_plan *p, lh_arena *a, const lh_node *n, bool reads) {
    const lh_plan_value *v = lh_value_of(p, n);
    const int examples = v->step ? p->examples : 1;
    lh_view view = {lh_alloc_array(a, (size_t)examples, sizeof(lh_block)), v->step};
    for (int e = 0; view.block && e < examples; e++) {
        const lh_layout *l = &v->layout[e];
        const size_t cells = (size_t)lh_layout_cells(l);
        const bool has_numbers = reads && lh_plan_base(p, l);
        float *to = lh_alloc_array(a, cells + 1, sizeof *to);
        double *x = has_numbers ? lh_alloc_array(a, cells + 1, sizeof *x) : NULL;
        if (x) lh_cuda_read(p, l, x);
        for (size_t i = 0; x && to && i < cells; i++) to[i] = (float)x[i];
        view.block[e] = (lh_block){.p = to,
                                   .hs = (ptrdiff_t)l->rows * l->cols,
                                   .rs = l->cols,
                                   .cs = 1,
                                   .heads = l->heads,
                                   .rows = l->rows,
                                   .cols = l->cols};
    }
    return view;
}

/* A size of 1 is stretched by reading it again. */
static void stretch(const lh_view *v, int examples) {
    for (int e = 0; v->block && e < (v->step ? examples : 1); e++) {
        lh_block *b = &v->block[e];
        if (b->heads == 1) b->hs = 0;
        if (b->rows == 1) b->rs = 0;
        if (b->cols == 1) b->cs = 0;
    }
}

static void send_back(lh_plan *p, lh_arena *a, const lh_node *n, const lh_view *view) {
    const lh_plan_value *v = lh_value_of(p, n);
    for (int e = 0; view->block && e < (v->step ? p->examples : 1); e++) {
        const size_t cells = (size_t)lh_layout_cells(&v->layout[e]);
        double *x = lh_alloc_array(a, cells + 1, sizeof *x);
        for (size_t i = 0; x && i < cells; i++) x[i] = (double)view->block[e].p[i];
        if (x) lh_cuda_write(p, &v->layout[e], x);
    }
}

void lh_cuda_run_here(lh_plan *p, const lh_plan_work *plan) {
    lh_arena *a = lh_arena_new(p->g->ctx);
    if (!a) return;
    const int n = plan->n_in;
    lh_view *in = lh_alloc_array(a, (size_t)n + 1, sizeof *in);
    lh_work w = {.node = plan->node, .in = in, .n_in = n, .moment = &p->moment};
    w.flat_step = lh_alloc_array(a, (size_t)n + 1, 1);
    for (int i = 0; in && i < n; i++) {
        in[i] = bring(p, a, plan->node->in[i], lh_op_reads(plan->node, i));
        stretch(&in[i], p->examples);
    }
    w.out = bring(p, a, plan->node, false);
    w.examples = w.out.step ? p->examples : 1;
    stretch(&w.out, p->examples);
    if (!lh_failed(p->g->ctx)) lh_fast_ops[plan->node->kind]->exact(&w);
    if (!lh_failed(p->g->ctx)) send_back(p, a, plan->node, &w.out);
    lh_cuda_settle();
    lh_arena_free(a);
}
