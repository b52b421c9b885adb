/* cuda_short -- with products in bf16: which values are stored in 16 bits, and copies of the weights that products read.
 *
 * Params, states, their gradients and losses are floats, and so is every sum. The results of norms, lookups and products of a batch are in bf16, and so is
 * what is computed from them cell by cell. Whole numbers (tokens, positions) stay floats.
 */
#include "eval/cuda/cuda.h"

/* ---- values ---- */

static bool is_short(const lh_plan *p, const lh_node *n) {
    return n && lh_plan_owner(p, n)->is_short;
}

static bool reads_short(const lh_plan *p, const lh_plan_work *w) {
    for (int i = 0; i < w->n_in; i++) {
        const lh_node *n = lh_plan_operand(w, i);
        if (n && (w->match || lh_op_reads(w->node, i)) && is_short(p, n)) return true;
    }
    return false;
}

/* Operations whose result is as exact as their operands, or a product. */
static bool passes_on(const lh_node *n) {
    switch (n->kind) {
    case LH_OP_matmul:
    case LH_OP_same:
    case LH_OP_neg:
    case LH_OP_add:
    case LH_OP_sub:
    case LH_OP_mul:
    case LH_OP_join:
    case LH_OP_place:
    case LH_OP_beside:
    case LH_OP_above:
    case LH_OP_swap:
    case LH_OP_repeatheads: return true;
    default: return false;
    }
}

/* While generating, the residual stream stays in float, and so do the logits. */
static bool makes_short(const lh_plan *p, const lh_plan_work *w) {
    if (p->grows &&
        (w->node == p->g->generate->from || (!w->match && w->node->kind != LH_OP_matmul)))
        return false;
    if (w->match)
        return lh_cuda_kernels[lh_cuda_kernel_number(w->match->kernel)].makes_short ||
               reads_short(p, w);
    if (w->node->kind == LH_OP_lookup) return w->node->in[0]->kind == LH_OP_given;
    return passes_on(w->node) && reads_short(p, w);
}

/* A computed matrix for each example, with more than one column. */
static void shorten(lh_plan *p, const lh_node *n) {
    lh_plan_value *v = n ? &p->value[n->id] : NULL;
    if (v && v->role == MADE && !v->same && v->step && !n->is_discrete &&
        !lh_axis_is_one(p->g, n->shape.cols))
        v->is_short = true;
}

void lh_cuda_shorten(lh_plan *p) {
    const lh_plan_list *run = &p->list[LH_STAGE_RUN];
    for (int i = 0; i < run->n; i++) {
        const lh_plan_work *w = &run->work[i];
        if (w->match && lh_cuda_kernel_number(w->match->kernel) < 0) continue;
        if (!makes_short(p, w)) continue;
        shorten(p, w->node);
        for (int k = 0; w->match && k < w->match->n_outs; k++) shorten(p, w->match->out[k]);
    }
}

/* ---- weights ---- */

/* Does a product read it, as a factor or as the row that is added? */
static bool is_factor(const lh_plan_work *w, int i) {
    const int k = w->match ? lh_cuda_kernel_number(w->match->kernel) : -1;
    if (!w->match) return w->node->kind == LH_OP_matmul;
    return (k == LH_GPU_linear && i > 0) || (k == LH_GPU_head && i == 1);
}

static bool is_weight(const lh_plan *p, const lh_node *n) {
    const lh_plan_value *v = n ? lh_plan_owner(p, n) : NULL;
    return v && (v->role == GIVEN || v->role == KNOWN) && !v->step;
}

static size_t owner_cols(const lh_plan *p, const lh_node *n) {
    return p->g->axis[p->g->node[lh_plan_owner(p, n) - p->value]->shape.cols].n;
}

static void add_shadow(const lh_plan *p, const lh_node *n) {
    lh_cuda_own *own = lh_cuda_of(p);
    lh_cuda_shadow *s = &own->shadow[lh_plan_owner(p, n) - p->value];
    const bool is_view = s->is_view || p->value[lh_standing(p, n)->id].role == VIEW;
    if (s->numbers) {
        s->is_view = is_view, s->is_turned &= !is_view;
        return;
    }
    s->at = own->n_shadows;
    s->numbers = lh_plan_fixed_cells(p->g, p->g->node[lh_plan_owner(p, n) - p->value]);
    s->cols = (int)owner_cols(p, n), s->rows = (int)(s->numbers / owner_cols(p, n));
    s->is_view = is_view, s->is_turned = p->grows && s->rows > 1 && !is_view;
    /* for readers that take eight rows at a time */
    const size_t rows_of_zeros = 8 * owner_cols(p, n);
    own->n_shadows += (s->numbers + rows_of_zeros + 63) / 64 * 64;
    own->n_shadowed++;
}

bool lh_cuda_open_shadows(lh_plan *p) {
    lh_cuda_own *own = lh_cuda_of(p);
    const lh_plan_list *run = &p->list[LH_STAGE_RUN];
    lh_context *ctx = p->g->ctx;
    own->shadow = lh_alloc_array(p->arena, (size_t)p->n_nodes + 1, sizeof *own->shadow);
    for (int i = 0; own->shadow && i < run->n; i++)
        for (int k = 0; k < run->work[i].n_in; k++)
            if (is_factor(&run->work[i], k) && is_weight(p, lh_plan_operand(&run->work[i], k)))
                add_shadow(p, lh_plan_operand(&run->work[i], k));
    if (!own->shadow || !own->n_shadows || p->is_sketch) return own->shadow != NULL;
    own->shadows = lh_cuda_take(ctx, own->n_shadows, sizeof *own->shadows);
    own->round_there = lh_cuda_take(ctx, (size_t)own->n_shadowed, sizeof *own->round_there);
    return own->shadows && own->round_there;
}

bool lh_cuda_list_shadows(lh_plan *p) {
    lh_cuda_own *own = lh_cuda_of(p);
    const char *why;
    int n = 0;
    if (!own->n_shadowed) return true;
    lh_context *ctx = p->g->ctx;
    lh_gpu_rounding *list = ctx->alloc((size_t)own->n_shadowed * sizeof *list);
    for (int i = 0; list && i < p->n_nodes; i++) {
        if (!own->shadow[i].numbers) continue;
        const lh_layout *l = p->value[i].layout;
        const float *base = l ? lh_plan_base(p, l) : NULL;
        if (base)
            list[n++] = (lh_gpu_rounding){base + l->at, own->shadows + own->shadow[i].at,
                                          (long long)own->shadow[i].numbers,
                                          own->shadow[i].is_turned ? own->shadow[i].cols : 0};
    }
    own->n_roundings = list ? n : 0;
    if (n) lh_cuda_find(&why)->put(own->round_there, list, (size_t)n * sizeof *list);
    ctx->release(list);
    return list != NULL;
}

void lh_cuda_close_shadows(lh_plan *p) {
    lh_cuda_own *own = lh_cuda_of(p);
    lh_cuda_give_back(p->g->ctx, own->shadows);
    lh_cuda_give_back(p->g->ctx, own->round_there);
}

bool lh_cuda_shadow_of(const lh_plan *p, const lh_node *n, const lh_gpu_block *b,
                       lh_gpu_block *to) {
    const lh_cuda_own *own = lh_cuda_of(p);
    const lh_plan_value *v = n ? lh_plan_owner(p, n) : NULL;
    const lh_cuda_shadow *s = own->shadow && v ? &own->shadow[v - p->value] : NULL;
    const float *base = s && s->numbers ? lh_plan_base(p, v->layout) : NULL;
    if (!base) return false;
    *to = *b;
    if (s->is_turned) {
        to->p = (float *)(void *)(own->shadows + s->at);
        to->rs = 1, to->cs = s->rows;
        to->is_short = true;
        return b->rows == s->rows && b->cols == s->cols;
    }
    to->p = (float *)(void *)(own->shadows + s->at + (b->p - (base + v->layout->at)));
    to->is_short = true;
    return true;
}
