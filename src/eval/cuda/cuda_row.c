/* cuda_row -- generating one token: many works on one row become few launches.
 *
 *     layernorm(X) @ W + b         every product recomputes the norm of its row,
 *     gelu(... @ W + b)            and includes what follows it,
 *     Y + (... @ W + b)            up to one row that is added
 *
 * A work that is included in another one is dropped. The memory of a value is not reused for a while after its last use (lh_backend.rests), because a result may be
 * written some works earlier than planned.
 */
#include <string.h>

#include "eval/cuda/cuda.h"

enum { MOST_INNER = 1 << 14, REACH = LH_CUDA_RESTS - 1 };

typedef struct rows {
    lh_plan *p;
    lh_cuda_work *work;
    int n;
    int *maker, *readers, *reader; /* of each value: its work or -1; how many read it; the last */
} rows;

static void count_readers(const rows *r) {
    for (int i = 0; i < r->p->n_nodes; i++) r->maker[i] = r->reader[i] = -1, r->readers[i] = 0;
    for (int i = 0; i < r->n; i++) {
        const lh_plan_work *w = r->work[i].plan;
        r->maker[lh_cuda_value_of(r->p, w->node)] = i;
        for (int k = 0; w->match && k < w->match->n_outs; k++)
            if (w->match->out[k]) r->maker[lh_cuda_value_of(r->p, w->match->out[k])] = i;
        for (int k = 0; k < w->n_in; k++) {
            if (!lh_plan_reads(w, k)) continue;
            const int v = lh_cuda_value_of(r->p, lh_plan_operand(w, k));
            r->readers[v]++, r->reader[v] = i;
        }
    }
}

/* ---- rows ---- */

/* The whole of a value that is one contiguous row. */
static bool line_of(const rows *r, const lh_node *n, int cols, lh_gpu_line *to) {
    const lh_plan_value *v = lh_value_of(r->p, n);
    const lh_layout *l = v->layout;
    const char *base = l ? lh_plan_base(r->p, l) : NULL;
    if (!base || r->p->examples != 1 || l->rows != 1 || l->heads * l->cols != cols ||
        !lh_layout_is_flat(l))
        return false;
    *to = (lh_gpu_line){(char *)base + l->at * (l->is_short ? 2 : (ptrdiff_t)sizeof(float)),
                        l->is_short};
    return (size_t)to->p % 16 == 0;
}

static bool floats_of(const rows *r, const lh_node *n, int cols, const float **to) {
    lh_gpu_line line;
    if (!line_of(r, n, cols, &line) || line.is_short) return false;
    *to = line.p;
    return true;
}

/* ---- a product ---- */

/* One row times a matrix that is stored column by column. */
static bool product_of(const rows *r, const lh_cuda_work *w, lh_gpu_row *to) {
    const lh_gpu_product *x = w->n_steps == 1 && !w->step->work ? &w->step->product : NULL;
    const lh_node *a = lh_plan_operand(w->plan, 0);
    if (!x || !lh_cuda_is_product(w) || x->rows != 1 || x->n != 1 || x->a.each || x->adds ||
        x->scale != 1 || !x->b.is_short || !x->b.is_turned || x->inner % 8 ||
        x->inner > MOST_INNER || x->b.pitch % 8 || (size_t)x->b.first % 16)
        return false;
    *to = (lh_gpu_row){.w = x->b.first, .pitch = x->b.pitch, .inner = x->inner, .cols = x->cols};
    to->bias = (lh_gpu_line){(void *)x->bias, x->c.is_short};
    to->y = (lh_gpu_line){x->c.first, x->c.is_short};
    return line_of(r, a, x->inner, &to->x);
}

/* ---- before it ---- */

static bool norm_of(const rows *r, const lh_cuda_work *w, lh_gpu_row *to) {
    const lh_plan_work *plan = w->plan;
    const bool is_layernorm = w->kernel == LH_GPU_layernorm;
    if (!plan->match || (!is_layernorm && w->kernel != LH_GPU_rmsnorm)) return false;
    lh_gpu_line x;
    to->move = NULL;
    if (!line_of(r, lh_plan_operand(plan, 0), to->inner, &x) ||
        lh_plan_operand(plan, 0)->shape.heads != plan->node->shape.heads ||
        !floats_of(r, lh_plan_operand(plan, 1), to->inner, &to->gain) ||
        (is_layernorm && !floats_of(r, lh_plan_operand(plan, 2), to->inner, &to->move)) ||
        !floats_of(r, lh_plan_operand(plan, is_layernorm ? 3 : 2), 1, &to->epsilon))
        return false;
    to->x = x;
    to->before = is_layernorm ? LH_GPU_BY_LAYERNORM : LH_GPU_BY_RMSNORM;
    return true;
}

static bool gate_of(const rows *r, const lh_cuda_work *w, lh_gpu_row *to) {
    const lh_plan_work *plan = w->plan;
    lh_gpu_line a, b;
    if (!plan->match || w->kernel != LH_GPU_swiglu ||
        !line_of(r, lh_plan_operand(plan, 0), to->inner, &a) ||
        !line_of(r, lh_plan_operand(plan, 1), to->inner, &b))
        return false;
    to->x = a, to->other = b, to->before = LH_GPU_BY_SWIGLU;
    return true;
}

/* Is every reader a product of one row that can include it, and not far away? */
static bool all_can(const rows *r, int i) {
    const lh_node *y = r->work[i].plan->node;
    const int v = lh_cuda_value_of(r->p, y);
    int found = 0;
    for (int k = i + 1; k < r->n && k <= i + REACH; k++) {
        const lh_gpu_row *row = r->work[k].row;
        if (row && lh_cuda_value_of(r->p, lh_plan_operand(r->work[k].plan, 0)) == v) found++;
    }
    return found && found == r->readers[v] && !r->p->value[v].lasts;
}

static void join_before(const rows *r, int i) {
    lh_gpu_row all = {0};
    const int v = lh_cuda_value_of(r->p, r->work[i].plan->node);
    if (!all_can(r, i)) return;
    for (int k = i + 1; k < r->n && k <= i + REACH;
         k++) { /* first check all of them, then change them */
        lh_gpu_row *row = r->work[k].row;
        if (!row || lh_cuda_value_of(r->p, lh_plan_operand(r->work[k].plan, 0)) != v) continue;
        all = *row;
        if (row->before || !(norm_of(r, &r->work[i], &all) || gate_of(r, &r->work[i], &all)))
            return;
    }
    for (int k = i + 1; k < r->n && k <= i + REACH; k++) {
        lh_gpu_row *row = r->work[k].row;
        if (!row || lh_cuda_value_of(r->p, lh_plan_operand(r->work[k].plan, 0)) != v) continue;
        if (!norm_of(r, &r->work[i], row)) gate_of(r, &r->work[i], row);
    }
    r->work[i].is_joined = true;
}

/* ---- after it ---- */

/* The only work that reads the result, if it comes soon; -1: there is no such work. */
static int next_of(const rows *r, int i, const lh_node *made) {
    const int v = lh_cuda_value_of(r->p, made);
    const int k = r->readers[v] == 1 && !r->p->value[v].lasts ? r->reader[v] : -1;
    return k > i && k - i <= REACH ? k : -1;
}

static bool activation_of(const lh_cuda_work *w, lh_gpu_behind *to) {
    if (!w->plan->match || (w->kernel != LH_GPU_gelu && w->kernel != LH_GPU_silu)) return false;
    *to = w->kernel == LH_GPU_gelu ? LH_GPU_THEN_GELU : LH_GPU_THEN_SILU;
    return true;
}

/* The other operand of a sum: a row that existed before the product. */
static bool other_of(const rows *r, int i, const lh_cuda_work *sum, const lh_node *made, int cols,
                     lh_gpu_line *to) {
    const lh_node *n = sum->plan->node;
    if (sum->plan->match || n->kind != LH_OP_add) return false;
    const int side = lh_cuda_value_of(r->p, n->in[0]) == lh_cuda_value_of(r->p, made) ? 1 : 0;
    const int maker = r->maker[lh_cuda_value_of(r->p, n->in[side])];
    return lh_cuda_value_of(r->p, n->in[side]) != lh_cuda_value_of(r->p, made) && maker < i &&
           line_of(r, n->in[side], cols, to);
}

static void join_behind(const rows *r, int i) {
    lh_gpu_row *row = r->work[i].row;
    const lh_node *made = r->work[i].plan->node;
    for (;;) {
        const int k = next_of(r, i, made);
        lh_gpu_row with = *row;
        if (k < 0 || !line_of(r, r->work[k].plan->node, row->cols, &with.y)) return;
        const bool is_activation = !row->behind && activation_of(&r->work[k], &with.behind);
        if (!is_activation && !other_of(r, i, &r->work[k], made, row->cols, &with.add)) return;
        *row = with;
        made = r->work[k].plan->node;
        r->work[k].is_joined = true;
        if (row->add.p) return;
    }
}

/* ---- all of it ---- */

static bool is_one_row(const lh_plan *p) {
    return p->grows && !p->prevents && p->examples == 1 && p->by->shorten;
}

bool lh_cuda_join_rows_of_one(lh_plan *p) {
    lh_cuda_own *own = lh_cuda_of(p);
    const size_t nodes = (size_t)p->n_nodes;
    rows r = {.p = p, .work = own->work[LH_STAGE_RUN], .n = p->list[LH_STAGE_RUN].n};
    for (int i = 0; i < r.n; i++) r.work[i].row = NULL;
    if (!is_one_row(p)) return true;
    if (!own->row) own->row = lh_alloc_array(p->arena, (size_t)r.n + 1, sizeof *own->row);
    int *lists = p->g->ctx->alloc((3 * nodes + 1) * sizeof *lists);
    if (!lists || !own->row) {
        p->g->ctx->release(lists);
        lh_fail(p->g->ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory");
        return false;
    }
    r.maker = lists, r.readers = lists + nodes, r.reader = lists + 2 * nodes;
    count_readers(&r);
    for (int i = 0; i < r.n; i++)
        if (product_of(&r, &r.work[i], &own->row[i])) r.work[i].row = &own->row[i];
    for (int i = 0; i < r.n; i++)
        if (r.work[i].plan->match && !r.work[i].row) join_before(&r, i);
    for (int i = 0; i < r.n; i++)
        if (r.work[i].row) join_behind(&r, i);
    p->g->ctx->release(lists);
    return true;
}
