/* plan_memory -- who has memory of his own, and the layouts of what does not depend on a batch. */
#include "eval/plan.h"

size_t lh_plan_fixed_cells(const lh_graph *g, const lh_node *n) {
    return g->axis[n->shape.rows].n * g->axis[n->shape.cols].n * g->axis[n->shape.heads].n;
}

lh_sizes lh_plan_fixed_sizes(const lh_graph *g, const lh_node *n) {
    return (lh_sizes){(int)g->axis[n->shape.heads].n, (int)g->axis[n->shape.rows].n,
                      (int)g->axis[n->shape.cols].n};
}

bool lh_plan_is_pooled(const lh_plan *p, const lh_plan_value *v) {
    return p->shares_memory && v->role == MADE && !v->same && !v->lasts && !v->is_static &&
           !v->at_start;
}

bool lh_plan_owns_memory(const lh_plan_value *v) {
    return !v->same && (v->role == LEAF || v->role == GIVEN || v->role == INPUT ||
                        v->role == KNOWN || v->role == MADE);
}

const lh_plan_value *lh_plan_owner(const lh_plan *p, const lh_node *n) {
    for (;;) {
        n = lh_standing(p, n);
        const lh_plan_value *v = &p->value[n->id];
        if (v->role != VIEW) return v;
        n = n->in[0];
    }
}

/* ---- layouts ---- */

static void settle(lh_layout *l) {
    if (l->heads == 1) l->hs = 0;
    if (l->rows == 1) l->rs = 0;
    if (l->cols == 1) l->cs = 0;
}

void lh_plan_layout_own(lh_layout *l, lh_buffer buffer, size_t at, lh_sizes s) {
    *l = (lh_layout){.buffer = buffer,
                     .at = (ptrdiff_t)at,
                     .hs = s.cols,
                     .rs = (ptrdiff_t)s.heads * s.cols,
                     .cs = 1,
                     .heads = s.heads,
                     .rows = s.rows,
                     .cols = s.cols};
    settle(l);
}

void lh_plan_layout_view(const lh_node *n, const lh_layout *in, lh_layout *out, lh_sizes s) {
    *out = in ? *in : (lh_layout){.buffer = LH_NO_BUFFER};
    out->heads = s.heads;
    out->rows = s.rows;
    out->cols = s.cols;
    if ((in && in->buffer != LH_NO_BUFFER) || !lh_op_reads(n, 0)) n->op->view(n, in, out);
    settle(out);
}

/* ---- what does not depend on the batch ---- */

/* What is to last may lie in the memory of another. */
static void keep_lasting(lh_plan *p) {
    for (int i = 0; i < p->n_nodes; i++)
        if (p->value[i].lasts) ((lh_plan_value *)lh_plan_owner(p, p->g->node[i]))->lasts = true;
}

/* A given whose new value is copied when := is carried out: one that is made, and not written in place by a kernel. */
static bool is_copied(const lh_plan *p, const lh_node *n) {
    const lh_node *renewed = n->given ? n->given->renewed : NULL;
    return renewed && p->value[n->id].role == GIVEN && lh_value_of(p, renewed)->role != UNUSED &&
           lh_standing(p, renewed) != n;
}

/* Its memory is the caller's: it has none until lh_plan_borrow. */
static bool is_borrowed(const lh_plan *p, const lh_plan_value *v) {
    return p->borrows && v->role == KNOWN;
}

/* Values begin on lines of the cache where kernels run over them. */
static size_t in_lines(const lh_plan *p, size_t cells) {
    const size_t line = (size_t)p->by->line;
    return (cells + line - 1) / line * line;
}

static bool take(lh_plan *p, lh_buffer buffer) {
    p->memory[buffer] = p->by->take(p->g->ctx, p->cells[buffer], p->by->cell_bytes);
    return p->memory[buffer] != NULL;
}

static bool take_fixed(lh_plan *p) {
    static const double number[] = {[LH_CELL_ZERO] = 0, [LH_CELL_MISSING] = __builtin_nan("")};
    p->cells[LH_CONSTANTS] = LH_N_CONSTANTS;
    if (p->is_sketch) return true;
    if (!take(p, LH_FIXED) || !take(p, LH_SPARE) || !take(p, LH_CONSTANTS)) return false;
    for (int i = 0; i < LH_N_CONSTANTS; i++) {
        lh_layout cell = {.heads = 1, .rows = 1, .cols = 1};
        lh_layout_constant(&cell, i);
        p->by->write(p, &cell, &number[i]);
    }
    return true;
}

static bool borrow_places(lh_plan *p) {
    const size_t most = (size_t)p->n_nodes + (size_t)p->n_sums + 1;
    p->borrowed =
        p->borrows || p->n_sums ? lh_alloc_array(p->arena, most, sizeof *p->borrowed) : NULL;
    for (int i = 0; p->borrowed && i < p->n_sums; i++) {
        lh_sizes s = lh_plan_fixed_sizes(p->g, p->sum[i]);
        lh_plan_layout_own(&p->sum_layout[i], LH_BORROWED, 0, s);
        p->sum_layout[i].borrowed = p->n_borrowed++;
    }
    return p->borrowed || !(p->borrows || p->n_sums);
}

bool lh_plan_place_fixed(lh_plan *p) {
    lh_graph *g = p->g;
    keep_lasting(p);
    if (!borrow_places(p)) return false;
    for (int i = 0; i < p->n_nodes; i++) {
        lh_plan_value *v = &p->value[i];
        const lh_node *n = g->node[i];
        if (v->role == UNUSED || v->same) continue;
        if (n->shape.is_batched) {
            v->offset = (size_t)p->n_batched++;
            v->step = 1;
            continue;
        }
        v->layout = lh_alloc(p->arena, sizeof *v->layout);
        if (!lh_plan_owns_memory(v) || lh_plan_is_pooled(p, v)) continue;
        v->offset = is_borrowed(p, v) ? (size_t)p->n_borrowed++ : p->cells[LH_FIXED];
        if (is_borrowed(p, v)) continue;
        p->cells[LH_FIXED] =
            lh_cells_sum(p->cells[LH_FIXED], in_lines(p, lh_plan_fixed_cells(g, n)));
        if (is_copied(p, n))
            p->cells[LH_SPARE] = lh_cells_sum(p->cells[LH_SPARE], lh_plan_fixed_cells(g, n));
    }
    return !lh_failed(g->ctx) && take_fixed(p);
}

/* First what is there as long as the plan is; then, for each placing of the pool, what lies in that. */
void lh_plan_layouts_fixed(lh_plan *p, bool is_pool) {
    lh_graph *g = p->g;
    for (int i = 0; i < p->n_nodes; i++) {
        lh_plan_value *v = &p->value[i];
        lh_node *n = g->node[i];
        if (v->role == UNUSED || v->same || n->shape.is_batched) continue;
        lh_sizes s = lh_plan_fixed_sizes(g, n);
        if (lh_plan_is_pooled(p, v))
            lh_plan_layout_own(v->layout, is_pool ? LH_MOVING : LH_NO_BUFFER, v->pool, s);
        else if (is_pool && v->role != VIEW)
            continue;
        else if (v->role == VIEW)
            lh_plan_layout_view(n, lh_value_of(p, n->in[0])->layout, v->layout, s);
        else if (is_borrowed(p, v))
            lh_plan_layout_own(v->layout, LH_BORROWED, 0, s), v->layout->borrowed = (int)v->offset;
        else if (lh_plan_owns_memory(v))
            lh_plan_layout_own(v->layout, LH_FIXED, v->offset, s);
        else
            lh_plan_layout_own(v->layout, LH_NO_BUFFER, 0, s);
    }
}

/* ---- the caller's memory ---- */

void *lh_plan_address(const lh_plan *p, const lh_node *n) {
    if (!lh_plan_has(p, n)) return NULL;
    const lh_layout *l = lh_layout_of(p, n, 0);
    char *from = l ? lh_plan_base(p, l) : NULL;
    return from && lh_layout_is_flat(l) && !l->is_short ? from + (size_t)l->at * p->by->cell_bytes
                                                        : NULL;
}

static void borrow(lh_plan *p, const lh_layout *l, void *memory) {
    if (p->borrowed[l->borrowed] == memory) return;
    p->borrowed[l->borrowed] = memory;
    p->is_lent_anew = true;
}

void lh_plan_borrow(lh_plan *p, const lh_node *known, const void *memory) {
    const lh_plan_value *v = lh_value_of(p, known);
    if (is_borrowed(p, v) && v->layout) borrow(p, v->layout, (void *)(uintptr_t)memory);
}

void lh_plan_sum_to(lh_plan *p, const lh_node *sum, void *memory) {
    for (int i = 0; i < p->n_sums; i++)
        if (p->sum[i] == sum) borrow(p, &p->sum_layout[i], memory);
}
