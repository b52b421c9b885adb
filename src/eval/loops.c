#include "eval/loops.h"

#include "base/memory.h"
#include "base/number.h"

/* ---- numbers ---- */

static lh_real *base(const lh_plan *p, const lh_layout *l) {
    return lh_plan_base(p, l);
}

void LH_LOOPS(write)(lh_plan *p, const lh_layout *to, const double *from) {
    lh_real *at = base(p, to);
    for (int h = 0; h < to->heads; h++)
        for (int r = 0; r < to->rows; r++) {
            lh_real *row = at + lh_layout_at(to, h, r, 0);
            for (int c = 0; c < to->cols; c++) row[c * to->cs] = (lh_real)*from++;
        }
}

void LH_LOOPS(read)(const lh_plan *p, const lh_layout *from, double *to) {
    const lh_real *at = base(p, from);
    for (int h = 0; h < from->heads; h++)
        for (int r = 0; r < from->rows; r++) {
            const lh_real *row = at + lh_layout_at(from, h, r, 0);
            for (int c = 0; c < from->cols; c++) *to++ = (double)row[c * from->cs];
        }
}

void LH_LOOPS(copy)(lh_plan *p, const lh_layout *to, const lh_layout *from) {
    lh_real *a = base(p, to);
    const lh_real *b = base(p, from);
    for (int h = 0; h < to->heads; h++)
        for (int r = 0; r < to->rows; r++) {
            lh_real *row = a + lh_layout_at(to, h, r, 0);
            const lh_real *other = b + lh_layout_at(from, h, r, 0);
            for (int c = 0; c < to->cols; c++) row[c * to->cs] = other[c * from->cs];
        }
}

void LH_LOOPS(add)(lh_plan *p, const lh_layout *to, double x) {
    lh_real *at = base(p, to);
    for (int h = 0; h < to->heads; h++)
        for (int r = 0; r < to->rows; r++)
            for (int c = 0; c < to->cols; c++) at[lh_layout_at(to, h, r, c)] += (lh_real)x;
}

double LH_LOOPS(difference)(const lh_plan *p, const lh_layout *a, const lh_plan *q,
                            const lh_layout *b) {
    return (double)(base(p, a)[a->at] - base(q, b)[b->at]);
}

/* ---- blocks: layouts in memory ---- */

static lh_block block_of(const lh_plan *p, const lh_layout *l) {
    lh_real *at = base(p, l);
    return (lh_block){at ? at + l->at : NULL, l->hs, l->rs, l->cs, l->heads, l->rows, l->cols};
}

static bool reserve_moving(lh_plan *p) {
    lh_loops *own = lh_loops_of(p);
    lh_context *ctx = p->g->ctx;
    if (own->cap == p->cap) return true;
    ctx->release(own->moving);
    own->cap = 0;
    own->moving = ctx->alloc(((size_t)p->n_batched * (size_t)p->cap + 1) * sizeof *own->moving);
    if (!own->moving) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
                "out of memory for a batch of %d example%s", p->cap, LH_PLURAL(p->cap));
        return false;
    }
    own->cap = p->cap;
    return true;
}

/* is_bound: of values of a batch, too. */
static void find_blocks(lh_plan *p, bool is_bound) {
    lh_loops *own = lh_loops_of(p);
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_plan_value *v = &p->value[i];
        if (v->role == UNUSED || v->same || (v->step && !is_bound)) continue;
        if (v->step) own->view[i] = (lh_view){own->moving + v->offset * (size_t)own->cap, 1};
        for (int e = 0; e < (v->step ? p->examples : 1); e++)
            own->view[i].block[e] = block_of(p, &v->layout[e]);
    }
    for (int i = 0; i < p->n_sums; i++) own->sums[i] = block_of(p, &p->sum_layout[i]);
}

/* ---- works ---- */

static lh_view view_of(const lh_plan *p, const lh_node *n) {
    return lh_loops_of(p)->view[lh_standing(p, n)->id];
}

static void connect_outs(const lh_plan *p, const lh_plan_work *plan, lh_work *w) {
    lh_view *outs = (lh_view *)w->outs;
    for (int i = 0; w->match && i < w->match->n_outs; i++) {
        const lh_node *n = w->match->out[i];
        bool is_asked = n && p->value[n->id].role != UNUSED;
        outs[i] = is_asked ? view_of(p, n) : (lh_view){0};
    }
    if (plan->sum >= 0) outs[0] = (lh_view){&lh_loops_of(p)->sums[plan->sum], 0};
    w->out = view_of(p, w->node);
    w->examples = w->out.step ? p->examples : 1;
}

/* Where its operands and its result lie now. */
static void connect(const lh_plan *p, const lh_plan_work *plan, lh_work *w) {
    lh_view *in = (lh_view *)w->in;
    w->halves = w->quants = 0;
    for (int i = 0; i < w->n_in; i++) {
        const lh_node *n = lh_plan_operand(plan, i);
        in[i] = n ? view_of(p, n) : (lh_view){0};
        if (n && lh_plan_owner(p, n)->is_half) w->halves |= 1u << i;
        if (n && lh_plan_owner(p, n)->is_quant) w->quants |= 1u << i;
    }
    connect_outs(p, plan, w);
}

/* Is an operand laid out as the result, cell after cell, through all examples? Or one number? */
static bool is_flat(const lh_work *w, const lh_view *in, unsigned char *step) {
    const lh_block *o0 = w->out.block, *a0 = in->block;
    if (!a0 || !a0->p) return false;
    if (!in->step && a0->heads == 1 && a0->rows == 1 && a0->cols == 1) {
        *step = 0;
        return true;
    }
    if (in->step != w->out.step) return false;
    for (int e = 0; e < w->examples; e++) {
        const lh_block *o = lh_block_of(&w->out, e), *a = lh_block_of(in, e);
        if (a->p - a0->p != o->p - o0->p || a->hs != o->hs || a->rs != o->rs || a->cs != o->cs ||
            a->heads != o->heads || a->rows != o->rows || a->cols != o->cols)
            return false;
    }
    *step = 1;
    return true;
}

static void flatten(lh_work *w) {
    size_t cells = 0;
    w->flat = 0;
    if (w->match) return;
    for (int e = 0; e < w->examples; e++) {
        const lh_block *o = lh_block_of(&w->out, e);
        cells += (size_t)o->heads * (size_t)o->rows * (size_t)o->cols;
    }
    for (int i = 0; i < w->node->n_in; i++)
        if (!is_flat(w, &w->in[i], (unsigned char *)&w->flat_step[i])) return;
    w->flat = cells;
}

bool LH_LOOPS(ready)(lh_plan *p, bool is_bound) {
    if (is_bound && !reserve_moving(p)) return false;
    find_blocks(p, is_bound);
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < p->list[stage].n && is_bound == (stage != LH_STAGE_START); i++) {
            lh_work *w = &lh_loops_of(p)->work[stage][i];
            connect(p, &p->list[stage].work[i], w);
            if (stage != LH_STAGE_COMMIT && !p->is_sketch) flatten(w);
        }
    return true;
}

/* ---- from its making to its end ---- */

static lh_work work_for(lh_plan *p, const lh_plan_work *plan) {
    const size_t n = (size_t)plan->n_in + 1;
    const lh_match *m = plan->match;
    return (lh_work){.node = plan->node,
                     .run = m ? m->kernel->run : LH_NAME(ops)[plan->node->kind]->exact,
                     .in = lh_alloc_array(p->arena, n, sizeof(lh_view)),
                     .n_in = plan->n_in,
                     .match = m,
                     .is_once = plan->is_once,
                     .is_last = plan->is_last,
                     .outs = m ? lh_alloc_array(p->arena, LH_MAX_OUTS, sizeof(lh_view)) : NULL,
                     .flat_step = lh_alloc_array(p->arena, n, 1),
                     .moment = &p->moment};
}

bool LH_LOOPS(open)(lh_plan *p, const lh_wish *wish) {
    (void)wish;
    if (!p->own) p->own = lh_alloc(p->arena, sizeof(lh_loops));
    lh_loops *own = lh_loops_of(p);
    own->view = lh_alloc_array(p->arena, (size_t)p->n_nodes + 1, sizeof *own->view);
    own->sums = lh_alloc_array(p->arena, (size_t)p->n_sums + 1, sizeof *own->sums);
    for (int i = 0; own->view && i < p->n_nodes; i++)
        if (p->value[i].layout && !p->value[i].step)
            own->view[i].block = lh_alloc(p->arena, sizeof(lh_block));
    for (int stage = 0; stage < LH_N_STAGES; stage++) {
        const int n = p->list[stage].n;
        lh_work *work = lh_alloc_array(p->arena, (size_t)n + 1, sizeof *work);
        for (int i = 0; work && i < n; i++) work[i] = work_for(p, &p->list[stage].work[i]);
        own->work[stage] = work;
    }
    return !lh_failed(p->g->ctx);
}

void LH_LOOPS(close)(lh_plan *p) {
    if (p->own) p->g->ctx->release(lh_loops_of(p)->moving);
}

void LH_LOOPS(run)(lh_plan *p, lh_stage stage, int from, int to) {
    const lh_work *work = lh_loops_of(p)->work[stage];
    const bool goes_on = stage == LH_STAGE_RUN && p->moment.past > 0;
    for (int i = from; i < to; i++)
        if (!(goes_on && work[i].is_once)) work[i].run(&work[i]);
}

void LH_LOOPS(count)(lh_plan *p, int i, unsigned long long count[2]) {
    lh_work w = lh_loops_of(p)->work[LH_STAGE_RUN][i];
    w.count = count;
    w.run(&w);
}
