#include "train/floats.h"

#include <string.h>

#include "eval/fast/quant.h"
#include "eval/plan.h"

float *lh_floats(const lh_plan *p, const lh_node *given) {
    return p->by->has_floats ? lh_plan_address(p, given) : NULL;
}

static size_t cells_of(const lh_plan *p, const lh_node *n) {
    const lh_sizes s = lh_plan_sizes(p, n, 0);
    return (size_t)s.heads * (size_t)s.rows * (size_t)s.cols;
}

/* Numbers that lie elsewhere, or in another type. */
static double *copy_out(lh_arena *a, const lh_plan *p, const lh_node *n) {
    double *x = lh_plan_has(p, n) ? lh_alloc_array(a, cells_of(p, n) + 1, sizeof *x) : NULL;
    if (x) lh_plan_read(p, n, x);
    return x;
}

const float *lh_floats_read(lh_arena *a, const lh_plan *p, const lh_node *given) {
    const float *here = lh_floats(p, given);
    const double *x = here ? NULL : copy_out(a, p, given);
    float *copy = x ? lh_alloc_array(a, cells_of(p, given) + 1, sizeof *copy) : NULL;
    for (size_t i = 0; copy && i < cells_of(p, given); i++) copy[i] = (float)x[i];
    return here ? here : copy;
}

void lh_floats_write(lh_arena *a, lh_plan *p, const lh_node *given, const lh_weight *from) {
    float *here = lh_floats(p, given);
    if (here) {
        lh_weight_copy_float(from, here);
        return;
    }
    if (!lh_plan_has(p, given)) return; /* a param that nothing uses */
    const size_t n = cells_of(p, given);
    float *copy = lh_alloc_array(a, n + 1, sizeof *copy);
    double *x = lh_alloc_array(a, n + 1, sizeof *x);
    if (!copy || !x) return;
    lh_weight_copy_float(from, copy);
    for (size_t i = 0; i < n; i++) x[i] = (double)copy[i];
    lh_plan_write(p, given, x);
}

/* Kernels read what is known and never write it. */
lh_node **lh_floats_params(lh_arena *a, const lh_graph *g, int *n) {
    lh_node **param = lh_alloc_array(a, (size_t)g->n_givens + 1, sizeof *param);
    *n = 0;
    for (int i = 0; param && i < g->n_givens; i++)
        if (lh_given_is_weight(g->given[i])) param[(*n)++] = g->given[i]->node;
    return param;
}

void lh_floats_borrow(lh_plan *p, const lh_node *known, const float *numbers) {
    lh_plan_borrow(p, known, numbers);
}

/* As it lies (0), or turned so many times; -1: a view that moves p would move it by floats. */
static int turns_of(const lh_plan *p, const lh_node *n, const lh_plan_value *known) {
    int turns = 0;
    for (n = lh_standing(p, n); n->kind == LH_OP_transpose; n = lh_standing(p, n->in[0])) turns++;
    return &p->value[n->id] == known ? turns : -1;
}

/* Can the work read this value in bf16, if it reads it at all? */
static bool reads_half(const lh_plan *p, const lh_plan_work *w, const lh_plan_value *v) {
    for (int i = 0; i < w->n_in; i++) {
        const lh_node *n = lh_plan_operand(w, i);
        if (!n || lh_plan_owner(p, n) != v) continue;
        const bool is_able = w->match && i < LH_MAX_LEAVES && w->match->kernel->halves >> i & 1;
        if (!is_able || turns_of(p, n, v) < 0) return false;
    }
    return true;
}

bool lh_floats_may_be_half(const lh_plan *p, const lh_node *known) {
    const lh_plan_value *v = lh_value_of(p, known);
    if (v->role != KNOWN || !p->borrows || p->list[LH_STAGE_COMMIT].n || v->lasts) return false;
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int k = 0; k < p->list[stage].n; k++)
            if (!reads_half(p, &p->list[stage].work[k], v)) return false;
    return true;
}

void lh_floats_borrow_half(lh_plan *p, const lh_node *known, const uint16_t *numbers) {
    lh_plan_value *v = lh_value_of(p, known);
    if (!lh_floats_may_be_half(p, known)) return;
    v->is_half = true;
    p->is_lent_anew = true;
    lh_plan_borrow(p, known, numbers);
}

/* How a line lies in the matrix as it is: not asked yet, along rows, along columns, or not everywhere the same. */
typedef enum lines { UNKNOWN, ROWS, COLS, MIXED } lines;

static lines both(lines a, lines b) {
    return a == UNKNOWN ? b : b == UNKNOWN || a == b ? a : MIXED;
}

/* Can the work read this value in few bits, and along what? A product is worth it, a lookup is not. */
static lines reads_quant(const lh_plan *p, const lh_plan_work *w, const lh_plan_value *v,
                         bool *is_worth) {
    lines found = UNKNOWN;
    for (int i = 0; i < w->n_in; i++) {
        const lh_node *n = lh_plan_operand(w, i);
        if (!n || lh_plan_owner(p, n) != v) continue;
        const lh_kernel *by = w->match && i < LH_MAX_LEAVES ? w->match->kernel : NULL;
        const int turns = turns_of(p, n, v);
        const bool is_col = by && by->quant_cols >> i & 1, is_row = by && by->quant_rows >> i & 1;
        if (turns < 0 || (!is_col && !is_row)) return MIXED;
        found = both(found, is_col == (turns % 2 == 1) ? ROWS : COLS);
        *is_worth |= w->node->kind != LH_OP_lookup;
    }
    return found;
}

bool lh_floats_may_be_quant(const lh_plan *p, const lh_node *known, bool *is_by_rows) {
    const lh_plan_value *v = lh_value_of(p, known);
    lines found = UNKNOWN;
    bool is_worth = false;
    if (v->role != KNOWN || !p->borrows || p->list[LH_STAGE_COMMIT].n || v->lasts) return false;
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int k = 0; k < p->list[stage].n; k++)
            found = both(found, reads_quant(p, &p->list[stage].work[k], v, &is_worth));
    *is_by_rows = found == ROWS;
    return is_worth && (found == ROWS || found == COLS);
}

void lh_floats_borrow_quant(lh_plan *p, const lh_node *known, const lh_quant *matrix) {
    bool is_by_rows;
    if (!lh_floats_may_be_quant(p, known, &is_by_rows) || is_by_rows != matrix->is_by_rows) return;
    lh_value_of(p, known)->is_quant = true;
    p->is_lent_anew = true;
    lh_plan_borrow(p, known, matrix);
}

void lh_floats_sum(lh_plan *p, const lh_node *sum, float *to) {
    lh_plan_sum_to(p, sum, to);
}

double lh_floats_memory(const lh_plan *p) {
    return lh_plan_bytes(p);
}

/* A plan that borrows gets floats of its own to read, where the other has none. */
static void borrow_copy(lh_plan *to, const lh_node *n, const lh_plan *from, const lh_node *m) {
    const lh_layout *l = lh_layout_of(to, n, 0);
    lh_arena *a = lh_arena_new(to->g->ctx);
    const double *x = a ? copy_out(a, from, m) : NULL;
    float *mine = lh_plan_base(to, l);
    if (x && !mine) mine = lh_alloc_array(to->arena, cells_of(to, n) + 1, sizeof *mine);
    for (size_t i = 0; x && mine && i < cells_of(to, n); i++) mine[i] = (float)x[i];
    if (x && mine) lh_floats_borrow(to, n, mine);
    lh_arena_free(a);
}

static void copy_any(lh_plan *to, const lh_node *n, const lh_plan *from, const lh_node *m) {
    lh_arena *a = lh_arena_new(to->g->ctx);
    const double *x = a && lh_plan_has(to, n) ? copy_out(a, from, m) : NULL;
    if (x) lh_plan_write(to, n, x);
    lh_arena_free(a);
}

void lh_floats_take(lh_plan *to, const lh_node *n, const lh_plan *from, const lh_node *m) {
    const float *b = lh_floats(from, m);
    const bool is_borrowed = to->borrows && lh_value_of(to, n)->role == KNOWN;
    if (b && is_borrowed) lh_floats_borrow(to, n, b);
    if (!b && is_borrowed) borrow_copy(to, n, from, m);
    if (is_borrowed) return;
    float *a = lh_floats(to, n);
    if (!a || !b)
        copy_any(to, n, from, m);
    else if (a != b)
        memcpy(a, b, cells_of(to, n) * sizeof *a);
}

void lh_floats_copy(lh_plan *to, const lh_plan *from, const lh_graph *g) {
    for (int i = 0; i < g->n_givens; i++) {
        const lh_node *n = g->given[i]->node;
        if (lh_given_is_weight(g->given[i])) lh_floats_take(to, n, from, n);
    }
}
