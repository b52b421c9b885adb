/* plan -- which nodes run, which share a value, which are only another view of memory, which can be done once at the start. */
#include "eval/plan.h"

#ifdef LH_FAST
#include "eval/fast/bf16.h"
#include "eval/fast/threads.h"
#endif
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- which nodes, and in which role ---- */

/* rows(x) and cols(x) are numbers as they stand where they are the same for all examples. */
static bool is_leaf(const lh_node *n) {
    lh_op_id k = n->kind;
    return k == LH_OP_number || k == LH_OP_matrix || k == LH_OP_size || k == LH_OP_runtime ||
           ((k == LH_OP_rows || k == LH_OP_cols) && !n->shape.is_batched);
}

/* join is a view where the heads lie beside each other: not behind a view that moved columns. */
static bool heads_lie_beside(const lh_node *n) {
    for (n = n->in[0];; n = n->kind == LH_OP_call ? n->call->result : n->in[0]) {
        switch (n->kind) {
        case LH_OP_transpose:
        case LH_OP_reverse:
        case LH_OP_columns:
        case LH_OP_column:
        case LH_OP_cell:
        case LH_OP_spread: return false;
        default: break;
        }
        if (n->kind != LH_OP_call && !n->op->view) return true;
        if (n->kind == LH_OP_join) return true;
    }
}

static role role_of(const lh_plan *p, const lh_node *n) {
    const lh_match *m = p->value[n->id].match;
    if (m) return m->kernel->run ? MADE : VIEW;
    if (is_leaf(n)) return LEAF;
    if (n->kind == LH_OP_given) return GIVEN;
    if (n->kind == LH_OP_input) return INPUT;
    if (n->kind == LH_OP_call) return VIEW;
    if (n->kind == LH_OP_join) return heads_lie_beside(n) ? VIEW : MADE;
    return p->ops[n->kind]->view ? VIEW : MADE;
}

static void use(lh_plan *p, const lh_node *n, bool at_start);

static void use_operands(lh_plan *p, const lh_node *n, bool at_start) {
    if (n->kind == LH_OP_call) {
        use(p, n->call->result, at_start);
        return;
    }
    for (int i = 0; i < n->n_in; i++) {
        if (lh_op_reads(n, i))
            use(p, n->in[i], at_start);
        else if (p->value[n->in[i]->id].role == UNUSED)
            p->value[n->in[i]->id].role = SHAPE;
    }
}

/* Marks one node; spread_use finds what it needs. */
static void use(lh_plan *p, const lh_node *n, bool at_start) {
    value *v = &p->value[n->id];
    v->uses += !p->joins;
    v->at_start |= at_start;
    if (v->role == KNOWN || v->role > SHAPE) return;
    if (p->kernels && !at_start && !v->match) find_kernel(p, (lh_node *)n);
    v->role = role_of(p, n);
    if (!v->match) return;
    for (int i = 0; i < v->match->n_leaves; i++)
        if (lh_match_leaf(v->match, i)) use(p, lh_match_leaf(v->match, i), false);
}

static void use_wishes(lh_plan *p, const lh_wish *wish) {
    lh_graph *g = p->g;
    for (int i = 0; i < wish->n_known; i++) p->value[wish->known[i]->id].role = KNOWN;
    for (int i = 0; i < wish->n_nodes; i++) {
        use(p, wish->node[i], false);
        p->value[wish->node[i]->id].lasts = true;
    }
    for (int i = 0; i < wish->n_sums; i++) use(p, wish->sum[i], false);
    for (int e = 0; e < g->n_examples; e++) /* examples x = expr: made at the start */
        for (int k = 0; k < g->n_inputs; k++)
            if (g->example[e]->value[k].node) use(p, g->example[e]->value[k].node, true);
    for (int i = 0; wish->all && i < g->n_steps; i++)
        if (!g->step[i]->is_dead) use(p, g->step[i]->node, false);
    for (int i = 0; (wish->updates || wish->all) && i < g->n_givens; i++)
        if (g->given[i]->renewed) use(p, g->given[i]->renewed, false);
}

/* Operands come before users, so one pass from the end marks everything. */
static void spread_use(lh_plan *p) {
    lh_graph *g = p->g;
    for (int i = p->n_nodes - 1; i >= 0; i--) {
        lh_node *n = g->node[i];
        const value *v = &p->value[i];
        if (v->role == UNUSED || v->role == SHAPE || v->role == KNOWN || v->match) continue;
        if (v->role == GIVEN) {
            const lh_given *given = n->given;
            if (given->expr) use(p, given->expr, true);
        } else if (v->role != INPUT) {
            use_operands(p, n, v->at_start);
        }
    }
}

static bool is_constant_value(const lh_plan *p, const lh_node *n) {
    switch (p->value[n->id].role) {
    case LEAF: return n->kind != LH_OP_runtime;
    case GIVEN: return n->given->kind == LH_CONST;
    case VIEW:
    case MADE: break;
    default: return false;
    }
    if (n->shape.is_batched || n->kind == LH_OP_coin) return false;
    if (n->kind == LH_OP_call) return p->value[n->call->result->id].is_static;
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i) && !p->value[n->in[i]->id].is_static) return false;
    return true;
}

/* ---- the same formula written twice is computed once ---- */

static size_t mix(size_t h, size_t x) {
    return (h ^ x) * 1099511628211u;
}

static bool can_share(const lh_node *n, role r) {
    return (r == MADE || r == VIEW || (r == LEAF && n->kind != LH_OP_matrix)) &&
           n->kind != LH_OP_coin && n->kind != LH_OP_renew && n->kind != LH_OP_call;
}

static size_t formula_hash(const lh_plan *p, const lh_node *n) {
    size_t h = mix(1469598103934665603u, (size_t)n->kind);
    for (int i = 0; i < n->n_in; i++) h = mix(h, (size_t)standing(p, n->in[i])->id);
    uint64_t bits = 0;
    if (n->n_in == 0) memcpy(&bits, &n->number, sizeof bits);
    h = mix(mix(h, (size_t)(bits >> 32)), (size_t)(bits & 0xffffffffu));
    h = mix(h, (size_t)(unsigned)n->index[0]);
    return mix(h, (size_t)(unsigned)n->index[1]);
}

static bool same_formula(const lh_plan *p, const lh_node *a, const lh_node *b) {
    if (a->kind != b->kind || a->n_in != b->n_in ||
        memcmp(a->index, b->index, sizeof a->index) != 0)
        return false;
    if (a->shape.rows != b->shape.rows || a->shape.cols != b->shape.cols ||
        a->shape.heads != b->shape.heads || a->shape.is_batched != b->shape.is_batched)
        return false;
    if (a->kind == LH_OP_runtime) return strcmp(a->text, b->text) == 0;
    if (a->n_in == 0 && (a->number != b->number || signbit(a->number) != signbit(b->number)))
        return false;
    for (int i = 0; i < a->n_in; i++)
        if (standing(p, a->in[i]) != standing(p, b->in[i])) return false;
    return true;
}

static bool share_formulas(lh_plan *p, bool calls_only) {
    size_t size = 64;
    while (size < (size_t)p->n_nodes * 2) size *= 2;
    lh_node **table = lh_alloc_array(p->arena, size, sizeof *table);
    if (!table) return false;
    for (int i = 0; i < p->n_nodes; i++) {
        lh_node *n = p->g->node[i];
        value *v = &p->value[i];
        if (v->match) continue;
        if (v->role == VIEW && n->kind == LH_OP_call)
            v->same = (lh_node *)standing(p, n->call->result);
        if (calls_only || v->is_changed || !can_share(n, v->role)) continue;
        size_t k = formula_hash(p, n) & (size - 1);
        while (table[k] && !same_formula(p, table[k], n)) k = (k + 1) & (size - 1);
        if (!table[k])
            table[k] = n;
        else
            v->same = table[k], p->value[table[k]->id].at_start |= v->at_start;
    }
    return true;
}

/* ---- memory ---- */

/* What is to last may lie in the memory of another. */
static bool keep_lasting(lh_plan *p) {
    for (int i = 0; i < p->n_nodes; i++)
        if (p->value[i].lasts) ((value *)owner_of(p, p->g->node[i]))->lasts = true;
    return true;
}

size_t fixed_cells(const lh_graph *g, const lh_node *n) {
    return g->axis[n->shape.rows].n * g->axis[n->shape.cols].n * g->axis[n->shape.heads].n;
}

bool is_pooled(const lh_plan *p, const value *v) {
    return p->shares_memory && v->role == MADE && !v->same && !v->lasts && !v->is_static &&
           !v->at_start;
}

bool owns_memory(const value *v) {
    return !v->same && (v->role == LEAF || v->role == GIVEN || v->role == INPUT ||
                        v->role == KNOWN || v->role == MADE);
}

enum { MANY_BYTES = 1 << 24 }; /* below that it is not worth asking the system */

/* Asked before it is taken: a machine that lends more than it has ends programs later, without a message. */
lh_real *reals(lh_context *ctx, size_t n) {
    const double bytes = ((double)n + 1) * sizeof(lh_real);
    static const char *const cure = "a smaller batch, a shorter context, or smaller sizes";
    if (bytes > MANY_BYTES && !lh_memory_fits(ctx, bytes, cure)) return NULL;
    if (ctx->memory_limit && bytes > (double)ctx->memory_limit) lh_memory_fits(ctx, bytes, cure);
    if (lh_failed(ctx) || bytes > (double)(SIZE_MAX / 2)) n = SIZE_MAX;
    const bool is_plain = ctx->alloc == malloc; /* then the system's zeros are taken as they are */
    lh_real *r = n == SIZE_MAX ? NULL
                 : is_plain    ? calloc(n + 1, sizeof *r)
                               : ctx->alloc((n + 1) * sizeof *r);
    if (!r) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory for values of %.0f kB",
                bytes / 1e3);
        return NULL;
    }
    if (!is_plain) memset(r, 0, (n + 1) * sizeof *r);
    return r;
}

/* Values begin on lines of the cache where kernels run over them. */
static size_t in_lines(size_t cells) {
#ifdef LH_FAST
    return (cells + 15) / 16 * 16;
#else
    return cells;
#endif
}

static void block_settle(lh_block *b) {
    if (b->heads == 1) b->hs = 0;
    if (b->rows == 1) b->rs = 0;
    if (b->cols == 1) b->cs = 0;
}

void block_own(lh_block *b, lh_real *p, lh_sizes s) {
    *b = (lh_block){p, s.cols, (ptrdiff_t)s.heads * s.cols, 1, s.heads, s.rows, s.cols};
    block_settle(b);
}

void block_view(const lh_plan *p, const lh_node *n, const lh_block *in, lh_block *out, lh_sizes s) {
    *out = in ? *in : (lh_block){0};
    out->heads = s.heads;
    out->rows = s.rows;
    out->cols = s.cols;
    if ((in && in->p) || !lh_op_reads(n, 0)) p->ops[n->kind]->view(n, in, out);
    block_settle(out);
}

/* A given whose new value is copied when := is carried out: one that is made, and not written in place by a kernel. */
static bool is_copied(const lh_plan *p, const lh_node *n) {
    const lh_node *renewed = n->given ? n->given->renewed : NULL;
    return renewed && p->value[n->id].role == GIVEN && value_of(p, renewed)->role != UNUSED &&
           standing(p, renewed) != n;
}

/* Its memory is the caller's: it has none until it is lent. */
static bool is_lent(const lh_plan *p, const value *v) {
    return p->lends && v->role == KNOWN;
}

/* The memory of values that do not depend on the batch. */
static bool place_fixed(lh_plan *p) {
    lh_graph *g = p->g;
    for (int i = 0; i < p->n_nodes; i++) {
        value *v = &p->value[i];
        const lh_node *n = g->node[i];
        if (v->role == UNUSED || v->same) continue;
        if (n->shape.is_batched) {
            v->offset = (size_t)p->n_batched++;
            v->view.step = 1;
            continue;
        }
        v->view.block = lh_alloc(p->arena, sizeof *v->view.block);
        if (!owns_memory(v) || is_pooled(p, v) || is_lent(p, v)) continue;
        v->offset = p->n_fixed;
        p->n_fixed += in_lines(fixed_cells(g, n));
        if (is_copied(p, n)) p->n_spare += fixed_cells(g, n);
    }
    if (p->is_sketch) return true;
    p->fixed = reals(g->ctx, p->n_fixed);
    p->spare = reals(g->ctx, p->n_spare);
    return !lh_failed(g->ctx);
}

lh_sizes sizes_fixed(const lh_graph *g, const lh_node *n) {
    return (lh_sizes){(int)g->axis[n->shape.heads].n, (int)g->axis[n->shape.rows].n,
                      (int)g->axis[n->shape.cols].n};
}

/* First what is there as long as the plan is; then, for each placing of the pool, what lies in that. */
void blocks_fixed(lh_plan *p, bool is_pool) {
    lh_graph *g = p->g;
    for (int i = 0; i < p->n_nodes; i++) {
        value *v = &p->value[i];
        lh_node *n = g->node[i];
        if (v->role == UNUSED || v->same || n->shape.is_batched) continue;
        lh_sizes s = sizes_fixed(g, n);
        if (is_pooled(p, v))
            block_own(v->view.block, is_pool && p->moving ? p->moving + v->pool : NULL, s);
        else if (is_pool && v->role != VIEW)
            continue;
        else if (owns_memory(v) && !is_lent(p, v))
            block_own(v->view.block, p->fixed ? p->fixed + v->offset : NULL, s);
        else if (v->role == VIEW)
            block_view(p, n, value_of(p, n->in[0])->view.block, v->view.block, s);
        else
            block_own(v->view.block, NULL, s);
    }
}

static void fill_leaf(lh_plan *p, const lh_node *n) {
    lh_real *to = value_of(p, n)->view.block[0].p;
    if (n->kind == LH_OP_number || n->kind == LH_OP_size) to[0] = (lh_real)n->number;
    if (n->kind == LH_OP_rows) to[0] = (lh_real)p->g->axis[n->in[0]->shape.rows].n;
    if (n->kind == LH_OP_cols) to[0] = (lh_real)p->g->axis[n->in[0]->shape.cols].n;
    for (size_t i = 0; n->kind == LH_OP_matrix && i < fixed_cells(p->g, n); i++)
        to[i] = (lh_real)n->cells[i];
}

/* One call for each node that is computed. */
static lh_work work_for(lh_plan *p, lh_node *n) {
    const lh_match *m = p->value[n->id].match;
    const int n_in = m ? m->n_leaves : n->n_in;
    lh_view *in = lh_alloc_array(p->arena, (size_t)n_in + 1, sizeof *in);
    unsigned char *step = lh_alloc_array(p->arena, (size_t)n_in + 1, 1);
    lh_work w = {.node = n, .in = in, .n_in = n_in, .flat_step = step, .moment = &p->moment};
    w.run = m ? m->kernel->run : p->ops[n->kind]->exact;
    w.match = m;
    w.is_once = p->value[n->id].is_once;
    w.is_last = p->grows && !p->prevents && n == p->g->generate->from;
    if (m) w.outs = lh_alloc_array(p->arena, LH_MAX_OUTS, sizeof *w.outs);
    return w;
}

/* A kernel that makes several values is one work, in the place of the first of them. */
static bool is_listed(lh_plan *p, const lh_node *n) {
    lh_match *m = p->value[n->id].match;
    if (!m) return false;
    bool was = m->is_listed;
    m->is_listed = true;
    return was;
}

static bool is_changing(const value *v) {
    return v->match && v->match->kernel->in_place;
}

static bool list_work(lh_plan *p) {
    int start = 0, run = 0, commit = 0;
    for (int i = 0; i < p->n_nodes; i++) {
        const value *v = &p->value[i];
        commit += v->match && v->match->kernel->renews;
        if (v->role != MADE || (v->same && !is_changing(v))) continue;
        start += v->is_static || v->at_start;
        run += !v->is_static;
    }
    p->at_start = lh_alloc_array(p->arena, (size_t)start + 1, sizeof *p->at_start);
    p->each_run = lh_alloc_array(p->arena, (size_t)run + 1, sizeof *p->each_run);
    p->at_commit = lh_alloc_array(p->arena, (size_t)commit + 1, sizeof *p->at_commit);
    if (!p->at_start || !p->each_run || !p->at_commit) return false;
    for (int i = 0; i < p->n_nodes && !lh_failed(p->g->ctx); i++) {
        const value *v = &p->value[i];
        bool renews = v->match && v->match->kernel->renews;
        if (v->role != MADE || (v->same && !renews && !is_changing(v)) ||
            is_listed(p, p->g->node[i]))
            continue;
        lh_node *n = p->g->node[i];
        if (renews) p->at_commit[p->n_commit++] = work_for(p, n);
        if (!renews && (v->is_static || v->at_start)) p->at_start[p->n_start++] = work_for(p, n);
        if (!renews && !v->is_static) p->each_run[p->n_run++] = work_for(p, n);
    }
    return !lh_failed(p->g->ctx) && (!p->kernels || order_work(p));
}

void connect(lh_plan *p, lh_work *w) {
    lh_view *in = (lh_view *)w->in, *outs = (lh_view *)w->outs;
    w->halves = 0;
    for (int i = 0; i < w->n_in; i++) {
        const lh_node *n = w->match ? lh_match_leaf(w->match, i) : w->node->in[i];
        in[i] = n ? value_of(p, n)->view : (lh_view){0};
        if (n && owner_of(p, n)->is_half) w->halves |= 1u << i;
    }
    for (int i = 0; w->match && i < w->match->n_outs; i++) {
        const lh_node *n = w->match->out[i];
        bool is_asked = n && p->value[n->id].role != UNUSED;
        outs[i] = is_asked ? value_of(p, n)->view : (lh_view){0};
    }
    w->out = value_of(p, w->node)->view;
    w->examples = w->out.step ? p->examples : 1;
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

void flatten(lh_work *w) {
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

void plan_free(lh_plan *p) {
    if (!p) return;
    lh_context *ctx = p->g->ctx;
    ctx->release(p->fixed);
    ctx->release(p->moving);
    ctx->release(p->spare);
    ctx->release(p->size);
    ctx->release(p->blocks);
    ctx->release(p->example);
    ctx->release(p->placed);
    ctx->release(p->moment.scratch);
    ctx->release(p->kept);
#ifdef LH_FAST
    lh_pool_free(p->moment.pool);
#endif
    lh_arena_free(p->arena);
}

/* Which nodes run. Kernels that join several steps need to know who else reads them, so they wait for a second round. */
static void choose(lh_plan *p, const lh_wish *wish) {
    use_wishes(p, wish);
    spread_use(p);
    if (!p->kernels) return;
    for (int i = 0; i < p->n_nodes; i++) p->value[i] = (value){.uses = p->value[i].uses};
    p->joins = true;
    use_wishes(p, wish);
    spread_use(p);
}

/* What a whole call sends back has no definition in such a graph: the rule of the call was left out for the kernel. */
static bool backs_have_kernels(const lh_plan *p) {
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_node *n = p->g->node[i];
        if (n->kind != LH_OP_back || p->value[i].role != MADE || p->value[i].match) continue;
        lh_fail(p->g->ctx, LH_ERROR_VALUE, n->at,
                "what %s sends back was left to a kernel when the graph was built, and this plan "
                "goes by definitions",
                n->in[0]->call->fn->name);
        lh_cure(p->g->ctx, "build the graph without is_whole, or plan with kernels");
        return false;
    }
    return true;
}

#ifdef LH_FAST
static void set_precision(lh_plan *p, lh_precision precision) {
    if (precision == LH_IN_BF16 && !lh_bf16_name()) {
        lh_fail(
            p->g->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
            "this processor has no products in bf16: they need AMX, and a system that lends it");
        lh_cure(p->g->ctx, "products in float run everywhere: leave bf16 out");
    }
    lh_pool_use_bf16(p->moment.pool, precision == LH_IN_BF16);
}
#endif

lh_plan *plan_new(lh_graph *g, const lh_wish *wish) {
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *arena = lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_plan *p = lh_alloc(arena, sizeof *p);
    *p = (lh_plan){.g = g, .arena = arena, .n_nodes = g->n_nodes};
    p->ops = LH_NAME(ops);
#ifdef LH_FAST
    p->kernels = wish->by_definition ? NULL : lh_kernels;
    p->shares_memory = !wish->all;
    p->updates = wish->updates || wish->all;
    p->grows = wish->grows;
    p->lends = wish->lends;
    p->is_sketch = wish->is_sketch;
    p->n_sums = wish->n_sums;
    p->sum = lh_alloc_array(arena, (size_t)wish->n_sums + 1, sizeof *p->sum);
    p->sums = lh_alloc_array(arena, (size_t)wish->n_sums + 1, sizeof *p->sums);
    for (int i = 0; p->sum && p->sums && i < wish->n_sums; i++) {
        ((lh_node **)p->sum)[i] = wish->sum[i];
        block_own(&p->sums[i], NULL, sizes_fixed(g, wish->sum[i]));
    }
    p->moment.pool = p->is_sketch ? NULL : lh_pool_new(wish->threads);
    p->threads = lh_pool_threads(p->moment.pool);
    set_precision(p, wish->precision);
#endif
    p->moment.training = 1;
    p->value = lh_alloc_array(arena, (size_t)g->n_nodes + 1, sizeof *p->value);
    if (p->value) {
        choose(p, wish);
        for (int i = 0; i < p->n_nodes; i++)
            p->value[i].is_static = is_constant_value(p, g->node[i]);
        if (backs_have_kernels(p) && share_formulas(p, wish->as_written) &&
            (!p->grows || grow_plan(p)) && keep_lasting(p) && place_fixed(p) && list_work(p)) {
            blocks_fixed(p, false);
            for (int i = 0; i < p->n_nodes; i++)
                if (p->value[i].role == LEAF && !p->value[i].same && !p->is_sketch) {
                    fill_leaf(p, g->node[i]);
                    if (g->node[i]->kind == LH_OP_runtime)
                        *(lh_node **)lh_push(arena, (void **)&p->runtime, &p->n_runtime,
                                             sizeof *p->runtime) = g->node[i];
                }
            for (int i = 0; i < p->n_start && !p->is_sketch; i++)
                connect(p, &p->at_start[i]), flatten(&p->at_start[i]);
        }
    }
    if (!lh_failed(g->ctx)) return p;
    plan_free(p);
    return NULL;
}
