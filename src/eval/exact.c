/* exact -- plain loops over the nodes in their order. Compiled twice: see real.h.
 *
 * A plan is made in two stages. What does not depend on examples is fixed when the plan is made: which nodes run, which
 * share a value (the same formula written twice), which are only another view of memory, which can be done once at the
 * start. Binding a batch gives every value its blocks. A run then calls one function after another.
 */
#include "eval/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "eval/work.h"

typedef enum role {
    UNUSED = 0,
    SHAPE, /* only its sizes matter */
    LEAF,  /* number, matrix, size, runtime: written at the start or before a run */
    GIVEN, /* const, param, state: written at the start, renewed by commit */
    INPUT, /* written by bind */
    KNOWN, /* written by the caller */
    VIEW,  /* other strides on another value's memory */
    MADE,  /* computed */
} role;

typedef struct value {
    role role;
    bool is_static; /* does not change between runs */
    bool at_start;  /* needed to find the starts of givens */
    lh_node *same;  /* another node with the same formula that stands for this one, or NULL */
    lh_view view;
    size_t offset; /* of its memory: in fixed, when its size is fixed; else in moving */
} value;

struct lh_plan {
    lh_graph *g;
    lh_arena *arena;
    const lh_op *const *ops;
    value *value; /* one for each node */
    int n_nodes;
    lh_work *at_start, *each_run; /* the two programs */
    int n_start, n_run;
    lh_node **runtime; /* training, step, examples */
    int n_runtime;
    lh_real *fixed, *moving, *spare;
    size_t n_fixed, n_moving, cap_moving, n_spare;
    int *size;        /* of each axis for each example: size[axis * cap + example] */
    lh_block *blocks; /* of batched values: cap for each */
    int cap, examples, n_batched;
    int *example; /* the batch */
    bool is_started, is_stale, is_bound;
    lh_moment moment;
};

static const lh_node *standing(const lh_plan *p, const lh_node *n) {
    while (p->value[n->id].same) n = p->value[n->id].same;
    return n;
}

static value *value_of(const lh_plan *p, const lh_node *n) {
    return &p->value[standing(p, n)->id];
}

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
    if (v->role != KNOWN && v->role <= SHAPE) v->role = role_of(p, n);
    v->at_start |= at_start;
}

static void use_wishes(lh_plan *p, const lh_wish *wish) {
    lh_graph *g = p->g;
    for (int i = 0; i < wish->n_known; i++) p->value[wish->known[i]->id].role = KNOWN;
    for (int i = 0; i < wish->n_nodes; i++) use(p, wish->node[i], false);
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
        if (v->role == UNUSED || v->role == SHAPE || v->role == KNOWN) continue;
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
    if (memcmp(&a->shape, &b->shape, sizeof a->shape) != 0) return false;
    if (a->kind == LH_OP_runtime) return strcmp(a->text, b->text) == 0;
    if (a->n_in == 0 && memcmp(&a->number, &b->number, sizeof a->number) != 0) return false;
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
        if (v->role == VIEW && n->kind == LH_OP_call)
            v->same = (lh_node *)standing(p, n->call->result);
        if (calls_only || !can_share(n, v->role)) continue;
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

static size_t fixed_cells(const lh_graph *g, const lh_node *n) {
    return g->axis[n->shape.rows].n * g->axis[n->shape.cols].n * g->axis[n->shape.heads].n;
}

static bool owns_memory(const value *v) {
    return !v->same && (v->role == LEAF || v->role == GIVEN || v->role == INPUT ||
                        v->role == KNOWN || v->role == MADE);
}

/* Asked before it is taken: a machine that lends more than it has ends programs later, without a message. */
static lh_real *reals(lh_context *ctx, size_t n) {
    size_t most = ctx->memory_limit ? ctx->memory_limit / sizeof(lh_real) : (size_t)-1 / sizeof(lh_real) / 2;
    lh_real *r = n < most ? ctx->alloc((n + 1) * sizeof *r) : NULL;
    if (!r) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
                "the values need %.3g GB, and the machine has %.3g", (double)n * sizeof *r / 1e9,
                (double)ctx->memory_limit / 1e9);
        return NULL;
    }
    memset(r, 0, (n + 1) * sizeof *r);
    return r;
}

static void block_settle(lh_block *b) {
    if (b->heads == 1) b->hs = 0;
    if (b->rows == 1) b->rs = 0;
    if (b->cols == 1) b->cs = 0;
}

static void block_own(lh_block *b, lh_real *p, lh_sizes s) {
    *b = (lh_block){p, s.cols, (ptrdiff_t)s.heads * s.cols, 1, s.heads, s.rows, s.cols};
    block_settle(b);
}

static void block_view(const lh_plan *p, const lh_node *n, const lh_block *in, lh_block *out,
                       lh_sizes s) {
    *out = *in;
    out->heads = s.heads;
    out->rows = s.rows;
    out->cols = s.cols;
    if (in->p) p->ops[n->kind]->view(n, in, out);
    block_settle(out);
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
        if (!owns_memory(v)) continue;
        v->offset = p->n_fixed;
        p->n_fixed += fixed_cells(g, n);
        if (n->given && n->given->renewed) p->n_spare += fixed_cells(g, n);
    }
    p->fixed = reals(g->ctx, p->n_fixed);
    p->spare = reals(g->ctx, p->n_spare);
    return !lh_failed(g->ctx);
}

static lh_sizes sizes_fixed(const lh_graph *g, const lh_node *n) {
    return (lh_sizes){(int)g->axis[n->shape.heads].n, (int)g->axis[n->shape.rows].n,
                      (int)g->axis[n->shape.cols].n};
}

static void blocks_fixed(lh_plan *p) {
    lh_graph *g = p->g;
    for (int i = 0; i < p->n_nodes; i++) {
        value *v = &p->value[i];
        lh_node *n = g->node[i];
        if (v->role == UNUSED || v->same || n->shape.is_batched) continue;
        lh_sizes s = sizes_fixed(g, n);
        if (owns_memory(v))
            block_own(v->view.block, p->fixed + v->offset, s);
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
    lh_view *in = lh_alloc_array(p->arena, (size_t)n->n_in + 1, sizeof *in);
    unsigned char *step = lh_alloc_array(p->arena, (size_t)n->n_in + 1, 1);
    return (lh_work){.node = n, .in = in, .flat_step = step, .moment = &p->moment};
}

static bool list_work(lh_plan *p) {
    int start = 0, run = 0;
    for (int i = 0; i < p->n_nodes; i++) {
        const value *v = &p->value[i];
        if (v->role != MADE || v->same) continue;
        start += v->is_static || v->at_start;
        run += !v->is_static;
    }
    p->at_start = lh_alloc_array(p->arena, (size_t)start + 1, sizeof *p->at_start);
    p->each_run = lh_alloc_array(p->arena, (size_t)run + 1, sizeof *p->each_run);
    if (!p->at_start || !p->each_run) return false;
    for (int i = 0; i < p->n_nodes && !lh_failed(p->g->ctx); i++) {
        const value *v = &p->value[i];
        if (v->role != MADE || v->same) continue;
        if (v->is_static || v->at_start) p->at_start[p->n_start++] = work_for(p, p->g->node[i]);
        if (!v->is_static) p->each_run[p->n_run++] = work_for(p, p->g->node[i]);
    }
    return !lh_failed(p->g->ctx);
}

static void connect(lh_plan *p, lh_work *w) {
    lh_view *in = (lh_view *)w->in;
    for (int i = 0; i < w->node->n_in; i++) in[i] = value_of(p, w->node->in[i])->view;
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

static void flatten(lh_work *w) {
    size_t cells = 0;
    w->flat = 0;
    for (int e = 0; e < w->examples; e++) {
        const lh_block *o = lh_block_of(&w->out, e);
        cells += (size_t)o->heads * (size_t)o->rows * (size_t)o->cols;
    }
    for (int i = 0; i < w->node->n_in; i++)
        if (!is_flat(w, &w->in[i], (unsigned char *)&w->flat_step[i])) return;
    w->flat = cells;
}

static void plan_free(lh_plan *p) {
    if (!p) return;
    lh_context *ctx = p->g->ctx;
    ctx->release(p->fixed);
    ctx->release(p->moving);
    ctx->release(p->spare);
    ctx->release(p->size);
    ctx->release(p->blocks);
    ctx->release(p->example);
    lh_arena_free(p->arena);
}

static lh_plan *plan_new(lh_graph *g, const lh_wish *wish) {
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *arena = lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_plan *p = lh_alloc(arena, sizeof *p);
    *p = (lh_plan){.g = g, .arena = arena, .n_nodes = g->n_nodes};
#ifdef LH_WIDE
    p->ops = lh_wide_ops;
#else
    p->ops = lh_ops;
#endif
    p->moment.training = 1;
    p->value = lh_alloc_array(arena, (size_t)g->n_nodes + 1, sizeof *p->value);
    if (p->value) {
        use_wishes(p, wish);
        spread_use(p);
        for (int i = 0; i < p->n_nodes; i++)
            p->value[i].is_static = is_constant_value(p, g->node[i]);
        if (share_formulas(p, wish->as_written) && place_fixed(p) && list_work(p)) {
            blocks_fixed(p);
            for (int i = 0; i < p->n_nodes; i++)
                if (p->value[i].role == LEAF && !p->value[i].same) {
                    fill_leaf(p, g->node[i]);
                    if (g->node[i]->kind == LH_OP_runtime)
                        *(lh_node **)lh_push(arena, (void **)&p->runtime, &p->n_runtime,
                                             sizeof *p->runtime) = g->node[i];
                }
            for (int i = 0; i < p->n_start; i++)
                connect(p, &p->at_start[i]), flatten(&p->at_start[i]);
        }
    }
    if (!lh_failed(g->ctx)) return p;
    plan_free(p);
    return NULL;
}

/* ---- the start ---- */

static void work_do(const lh_plan *p, const lh_work *w) {
    p->ops[w->node->kind]->exact(w);
}

/* Normal and uniform numbers by counter: each given has its own place, each cell its own number. */
static void start_random(lh_plan *p, const lh_given *given, lh_numpy *numpy) {
    const lh_node *n = given->node;
    size_t rows = p->g->axis[n->shape.rows].n, cols = p->g->axis[n->shape.cols].n;
    double a = 0, b = 1;
    if (given->a) lh_node_constant(p->g, given->a, &a), lh_node_constant(p->g, given->b, &b);
    bool is_normal = given->start == LH_START_NORMAL || given->start == LH_START_HE;
    if (given->start == LH_START_XAVIER) b = sqrt(6.0 / (double)(rows + cols)), a = -b;
    if (given->start == LH_START_HE) a = 0, b = sqrt(2.0 / (double)rows);
    value *v = value_of(p, n);
    for (size_t i = 0; i < rows * cols; i++) {
        lh_random_place at = {.seed = given->seed,
                              .place = (uint32_t)given->number,
                              .row = (uint32_t)(i / cols),
                              .col = (uint32_t)(i % cols)};
        double x = numpy ? (is_normal ? lh_numpy_normal(numpy) : lh_numpy_uniform(numpy))
                         : (is_normal ? lh_random_normal(at) : lh_random_uniform(at));
        x = is_normal ? a + b * x : a + (b - a) * x;
        if (v->role == GIVEN) v->view.block[0].p[i] = (lh_real)x;
    }
}

static void start_given(lh_plan *p, const lh_given *given) {
    const lh_node *n = given->node;
    const value *v = value_of(p, n);
    if (v->role != GIVEN) return;
    const lh_block *to = v->view.block;
    if (given->start == LH_START_FILE) {
        for (size_t i = 0; i < fixed_cells(p->g, n); i++) to->p[i] = (lh_real)given->data[i];
    } else if (given->start == LH_START_EXPR) {
        const lh_block *from = value_of(p, given->expr)->view.block;
        for (int r = 0; r < to->rows; r++)
            for (int c = 0; c < to->cols; c++)
                to->p[r * to->rs + c * to->cs] = from->p[r * from->rs + c * from->cs];
    }
}

static void fill_runtime(lh_plan *p) {
    for (int i = 0; i < p->n_runtime; i++) {
        const lh_node *n = p->runtime[i];
        double x = strcmp(n->text, "training") == 0 ? p->moment.training
                   : strcmp(n->text, "step") == 0   ? p->moment.step
                                                    : p->moment.examples;
        p->value[n->id].view.block[0].p[0] = (lh_real)x;
    }
}

/* Starts are found in the order of the program: an expression may use the givens above it. */
static void start_all(lh_plan *p) {
    lh_graph *g = p->g;
    lh_numpy numpy;
    int seeded = -1, k = 0;
    for (int i = 0; i < g->n_givens; i++) {
        const lh_given *given = g->given[i];
        for (; k < p->n_start && p->at_start[k].node->id < given->node->id; k++)
            work_do(p, &p->at_start[k]);
        bool is_random = given->start == LH_START_NORMAL || given->start == LH_START_UNIFORM ||
                         given->start == LH_START_XAVIER || given->start == LH_START_HE;
        if (!is_random) {
            start_given(p, given);
            continue;
        }
        bool is_numpy = given->seed_kind != NULL;
        if (is_numpy && seeded != given->seed_number)
            lh_numpy_seed(&numpy, (uint32_t)given->seed), seeded = given->seed_number;
        if (is_numpy || value_of(p, given->node)->role == GIVEN)
            start_random(p, given, is_numpy ? &numpy : NULL);
    }
    for (; k < p->n_start; k++) work_do(p, &p->at_start[k]);
}

static void start(lh_plan *p) {
    if (lh_failed(p->g->ctx)) return;
    p->moment.step = 0;
    p->moment.seed = p->g->seed;
    fill_runtime(p);
    start_all(p);
    p->is_started = true;
    p->is_stale = false;
}

/* ---- binding a batch ---- */

static int axis_size(const lh_plan *p, int axis, int example) {
    const lh_axis *a = &p->g->axis[axis];
    return a->n ? (int)a->n : p->size[(size_t)axis * (size_t)p->cap + (size_t)example];
}

static lh_sizes sizes_now(const lh_plan *p, const lh_node *n, int e) {
    return (lh_sizes){axis_size(p, n->shape.heads, e), axis_size(p, n->shape.rows, e),
                      axis_size(p, n->shape.cols, e)};
}

static bool reserve_examples(lh_plan *p, int n) {
    lh_context *ctx = p->g->ctx;
    if (n <= p->cap) return true;
    ctx->release(p->size);
    ctx->release(p->blocks);
    ctx->release(p->example);
    size_t count = (size_t)n;
    p->size = ctx->alloc(((size_t)p->g->n_axes * count + 1) * sizeof *p->size);
    p->blocks = ctx->alloc(((size_t)p->n_batched * count + 1) * sizeof *p->blocks);
    p->example = ctx->alloc(count * sizeof *p->example);
    if (!p->size || !p->blocks || !p->example) {
        p->cap = 0;
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
                "out of memory for a batch of %d examples", n);
        return false;
    }
    p->cap = n;
    return true;
}

static void measure_axes(lh_plan *p) {
    const lh_graph *g = p->g;
    for (int a = 0; a < g->n_axes; a++) {
        const lh_axis *x = &g->axis[a];
        for (int e = 0; !x->n && e < p->examples; e++) {
            int *to = &p->size[(size_t)a * (size_t)p->cap + (size_t)e];
            if (x->input >= 0)
                *to = g->example[p->example[e]]->value[x->input].rows;
            else if (x->how == '+')
                *to = axis_size(p, x->part[0], e) + axis_size(p, x->part[1], e);
            else if (x->how == '*')
                *to = axis_size(p, x->part[0], e) * axis_size(p, x->part[1], e);
            else
                *to = axis_size(p, x->part[0], e) / axis_size(p, x->part[1], e);
        }
    }
}

static bool inputs_are_there(const lh_plan *p) {
    lh_graph *g = p->g;
    for (int k = 0; k < g->n_inputs; k++) {
        if (p->value[g->input[k]->node->id].role == UNUSED ||
            p->value[g->input[k]->node->id].role == KNOWN)
            continue;
        for (int e = 0; e < p->examples; e++) {
            const lh_example *ex = g->example[p->example[e]];
            if (ex->value[k].rows > 0) continue;
            lh_fail(g->ctx, LH_ERROR_VALUE, ex->at, "example %d has no %s", p->example[e],
                    g->input[k]->name);
            return false;
        }
    }
    return true;
}

static void fail_sizes(const lh_plan *p, const lh_node *n, int e, int a, int sa, int sb) {
    lh_graph *g = p->g;
    lh_text t = lh_text_new(p->arena);
    lh_node_print_inside(&t, n, n->scope);
    lh_fail(g->ctx, LH_ERROR_SHAPE, n->at,
            "%s: sizes differ for example %d (%s is %d, the other side %d)", t.s, p->example[e],
            lh_axis_text(g, a), sa, sb);
}

static bool sizes_fit(const lh_plan *p) {
    const lh_graph *g = p->g;
    for (int i = 0; i < g->n_checks; i++) {
        const lh_size_check *c = &g->check[i];
        role r = p->value[c->node->id].role;
        if (r != MADE && r != VIEW) continue;
        int first = g->axis[c->a].n ? c->b : c->a, second = g->axis[c->a].n ? c->a : c->b;
        for (int e = 0; e < p->examples; e++) {
            int a = axis_size(p, first, e), b = axis_size(p, second, e);
            if (a == b) continue;
            fail_sizes(p, c->node, e, first, a, b);
            return false;
        }
    }
    return true;
}

/* Rows that a formula names must be there in every example. */
static bool indices_fit(const lh_plan *p) {
    const lh_graph *g = p->g;
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_node *n = g->node[i];
        role r = p->value[i].role;
        if ((n->kind != LH_OP_row && n->kind != LH_OP_cell) || (r != VIEW && r != MADE) ||
            g->axis[n->in[0]->shape.rows].n)
            continue;
        for (int e = 0; e < p->examples; e++) {
            int rows = axis_size(p, n->in[0]->shape.rows, e);
            if (n->index[0] < rows) continue;
            lh_fail(g->ctx, LH_ERROR_SHAPE, n->at,
                    "there is no row %d in example %d: it has %d, counted from 0", n->index[0],
                    p->example[e], rows);
            return false;
        }
    }
    return true;
}

/* Never more than would be refused anyway: sums of it do not overflow. */
static size_t cells_now(lh_sizes s) {
    const double cells = (double)s.heads * s.rows * s.cols;
    return cells > (double)LH_MAX_CELLS ? LH_MAX_CELLS : (size_t)cells;
}

static bool place_moving(lh_plan *p) {
    lh_graph *g = p->g;
    size_t total = 0;
    for (int i = 0; i < p->n_nodes; i++) {
        value *v = &p->value[i];
        const lh_node *n = g->node[i];
        if (v->role == UNUSED || v->same || !n->shape.is_batched) continue;
        v->view.block = p->blocks + v->offset * (size_t)p->cap;
        for (int e = 0; e < p->examples && owns_memory(v); e++) {
            total += cells_now(sizes_now(p, n, e));
            if (total > LH_MAX_CELLS) break;
        }
    }
    if (total > p->cap_moving || !p->moving) {
        g->ctx->release(p->moving);
        p->moving = reals(g->ctx, total);
        p->cap_moving = p->moving ? total : 0;
    }
    return p->moving != NULL;
}

static void blocks_moving(lh_plan *p) {
    lh_graph *g = p->g;
    size_t at = 0;
    for (int i = 0; i < p->n_nodes; i++) {
        value *v = &p->value[i];
        lh_node *n = g->node[i];
        if (v->role == UNUSED || v->same || !n->shape.is_batched) continue;
        bool owns = owns_memory(v);
        for (int e = 0; e < p->examples; e++) {
            lh_sizes s = sizes_now(p, n, e);
            if (owns) {
                block_own(&v->view.block[e], p->moving + at, s);
                at += (size_t)s.heads * (size_t)s.rows * (size_t)s.cols;
            } else if (v->role == VIEW) {
                block_view(p, n, lh_block_of(&value_of(p, n->in[0])->view, e), &v->view.block[e],
                           s);
            } else {
                block_own(&v->view.block[e], NULL, s);
            }
        }
    }
}

static void fill_inputs(lh_plan *p) {
    lh_graph *g = p->g;
    for (int k = 0; k < g->n_inputs; k++) {
        const value *v = &p->value[g->input[k]->node->id];
        if (v->role != INPUT) continue;
        for (int e = 0; e < p->examples; e++) {
            const lh_example_value *x = &g->example[p->example[e]]->value[k];
            const lh_block *to = &v->view.block[e];
            size_t cells = (size_t)to->rows * (size_t)to->cols;
            const lh_block *from = x->node ? value_of(p, x->node)->view.block : NULL;
            for (size_t i = 0; i < cells; i++)
                to->p[i] = from ? from->p[x->row * from->rs + (ptrdiff_t)i * from->cs]
                                : (lh_real)x->cells[i];
        }
    }
}

static void bind(lh_plan *p, const int *examples, int n) {
    lh_graph *g = p->g;
    if (lh_failed(g->ctx)) return;
    if (!p->is_started) start(p);
    p->is_bound = false; /* until all is well: a batch that failed is not run */
    bool all = !examples;
    if (all) n = g->n_inputs ? g->n_examples : 1;
    if (n == 0) {
        lh_fail(g->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                "the program has no example to run on");
        lh_cure(g->ctx, "example A B -> C");
        return;
    }
    if (!reserve_examples(p, n)) return;
    p->examples = n;
    for (int e = 0; e < n; e++) p->example[e] = all ? e : examples[e];
    p->moment.examples = n;
    p->moment.example = p->example;
    if (g->n_inputs && !inputs_are_there(p)) return;
    measure_axes(p);
    if (!sizes_fit(p) || !indices_fit(p) || !place_moving(p)) return;
    blocks_moving(p);
    fill_inputs(p);
    for (int i = 0; i < p->n_run; i++) connect(p, &p->each_run[i]), flatten(&p->each_run[i]);
    p->is_bound = true;
}

/* ---- running ---- */

static void run(lh_plan *p) {
    if (lh_failed(p->g->ctx)) return;
    if (!p->is_bound) bind(p, NULL, 0);
    if (lh_failed(p->g->ctx)) return;
    if (p->is_stale) {
        for (int i = 0; i < p->n_start; i++)
            if (p->value[p->at_start[i].node->id].is_static) work_do(p, &p->at_start[i]);
        p->is_stale = false;
    }
    fill_runtime(p);
    for (int i = 0; i < p->n_run; i++) work_do(p, &p->each_run[i]);
}

/* New values first go aside, so that a := b and b := a change places. */
static void commit(lh_plan *p) {
    lh_graph *g = p->g;
    if (lh_failed(g->ctx)) return;
    for (int pass = 0; pass < 2; pass++) {
        lh_real *spare = p->spare;
        for (int i = 0; i < g->n_givens; i++) {
            const lh_given *given = g->given[i];
            if (!given->renewed || value_of(p, given->node)->role != GIVEN ||
                value_of(p, given->renewed)->role == UNUSED)
                continue;
            const lh_block *to = value_of(p, given->node)->view.block,
                           *from = value_of(p, given->renewed)->view.block;
            for (int r = 0; r < to->rows; r++)
                for (int c = 0; c < to->cols; c++, spare++) {
                    if (pass == 0)
                        *spare = from->p[r * from->rs + c * from->cs];
                    else
                        to->p[r * to->rs + c * to->cs] = *spare;
                }
        }
    }
    p->moment.step++;
}

static void set_training(lh_plan *p, bool is_on) {
    p->moment.training = is_on;
}

static void set_step(lh_plan *p, int step) {
    p->moment.step = step;
}

static int count_examples(const lh_plan *p) {
    return p->examples;
}

static bool has(const lh_plan *p, const lh_node *n) {
    role r = value_of(p, n)->role;
    return r != UNUSED && r != SHAPE;
}

static lh_sizes sizes_of(const lh_plan *p, const lh_node *n, int example) {
    return n->shape.is_batched ? sizes_now(p, n, example) : sizes_fixed(p->g, n);
}

static lh_real *cell(const lh_plan *p, const lh_node *n, lh_cell at) {
    const lh_block *b = lh_block_of(&value_of(p, n)->view, at.example);
    return b->p + at.head * b->hs + at.row * b->rs + at.col * b->cs;
}

static double get(const lh_plan *p, const lh_node *n, lh_cell at) {
    return (double)*cell(p, n, at);
}

static void touched(lh_plan *p, const lh_node *n) {
    if (value_of(p, n)->is_static) p->is_stale = true;
}

static void set(lh_plan *p, const lh_node *n, lh_cell at, double x) {
    *cell(p, n, at) = (lh_real)x;
    touched(p, n);
}

static void add(lh_plan *p, const lh_node *n, lh_cell at, double x) {
    *cell(p, n, at) += (lh_real)x;
    touched(p, n);
}

static double difference(const lh_plan *p, const lh_node *n, lh_cell at, const lh_plan *q) {
    return (double)(*cell(p, n, at) - *cell(q, n, at));
}

/* ---- where numbers stop being numbers ---- */

static bool find_in(const lh_plan *p, const lh_node *n, bool want_nan, lh_trouble *t) {
    const lh_view *v = &value_of(p, n)->view;
    for (int e = 0; e < (v->step ? p->examples : 1); e++) {
        const lh_block *b = &v->block[e];
        for (int h = 0; b->p && h < b->heads; h++)
            for (int r = 0; r < b->rows; r++)
                for (int c = 0; c < b->cols; c++) {
                    double x = (double)b->p[h * b->hs + r * b->rs + c * b->cs];
                    bool is_bad = want_nan ? x != x : (x != x || x - x != 0);
                    if (!is_bad) continue;
                    *t = (lh_trouble){n, {e, h, r, c}, x};
                    return true;
                }
    }
    return false;
}

/* A given or an input that came so: from a file, from an example, or as an earlier step left it. A start that its own formula
 * makes so is found there, or meant so (-inf). */
static bool came_so(const lh_plan *p, lh_trouble *t) {
    lh_trouble ignore;
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_node *n = p->g->node[i];
        role r = p->value[i].role;
        if ((r != GIVEN && r != INPUT) || !find_in(p, n, false, t)) continue;
        const lh_node *expr = r == GIVEN ? n->given->expr : NULL;
        if (!expr || !find_in(p, expr, t->value != t->value, &ignore)) return true;
    }
    return false;
}

/* nan from operands without nan, or infinity from finite operands: that is where it began. */
static lh_trouble trouble(const lh_plan *p) {
    lh_trouble t = {0}, ignore;
    if (came_so(p, &t)) return t;
    for (int i = 0; i < p->n_start + p->n_run; i++) { /* constant formulas run at the start */
        const lh_node *n =
            i < p->n_start ? p->at_start[i].node : p->each_run[i - p->n_start].node;
        if (!find_in(p, n, false, &t)) continue;
        bool nan_before = false, inf_before = false;
        for (int k = 0; k < n->n_in; k++) {
            if (!has(p, n->in[k]) || !lh_op_reads(n, k)) continue;
            nan_before |= find_in(p, n->in[k], true, &ignore);
            inf_before |= find_in(p, n->in[k], false, &ignore);
        }
        bool is_nan = find_in(p, n, true, &ignore);
        if (is_nan && !nan_before) return ignore;
        if (!is_nan && !inf_before) return t;
    }
    return (lh_trouble){0};
}

static void count(lh_plan *p, unsigned long long total[2]) {
    total[0] = total[1] = 0;
    if (lh_failed(p->g->ctx)) return;
    if (!p->is_bound) bind(p, NULL, 0);
    fill_runtime(p);
    for (int i = 0; i < p->n_run && !lh_failed(p->g->ctx); i++) {
        lh_work w = p->each_run[i];
        w.count = total;
        work_do(p, &w);
        if (w.node->op->cost || w.node->op->view) continue; /* a view is free, copied or not */
        for (int e = 0; e < w.examples; e++) {
            const lh_block *o = lh_block_of(&w.out, e);
            total[1] += (unsigned long long)o->heads * (unsigned)o->rows * (unsigned)o->cols;
        }
    }
}

const lh_evaluator
#ifdef LH_WIDE
    lh_wide
#else
    lh_exact
#endif
    = {
#ifdef LH_WIDE
        .name = "wide",
#else
        .name = "exact",
#endif
        .epsilon = LH_REAL_EPSILON,
        .plan = plan_new,
        .free = plan_free,
        .start = start,
        .bind = bind,
        .run = run,
        .commit = commit,
        .training = set_training,
        .at_step = set_step,
        .examples = count_examples,
        .has = has,
        .sizes = sizes_of,
        .get = get,
        .set = set,
        .add = add,
        .difference = difference,
        .trouble = trouble,
        .count = count,
};
