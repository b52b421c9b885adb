/* plan_bind -- a batch gives every value that depends on an example its layouts. */
#include "eval/plan.h"

#include "base/memory.h"
#include "base/number.h"

#include <limits.h>
#include <string.h>

static int axis_size(const lh_plan *p, int axis, int example) {
    const lh_axis *a = &p->g->axis[axis];
    return a->n ? (int)a->n : p->size[(size_t)axis * (size_t)p->cap + (size_t)example];
}

lh_sizes lh_plan_sizes(const lh_plan *p, const lh_node *n, int e) {
    if (!n->shape.is_batched) return lh_plan_fixed_sizes(p->g, n);
    return (lh_sizes){axis_size(p, n->shape.heads, e), axis_size(p, n->shape.rows, e),
                      axis_size(p, n->shape.cols, e)};
}

static bool reserve_examples(lh_plan *p, int n) {
    lh_context *ctx = p->g->ctx;
    if (n <= p->cap) return true;
    ctx->release(p->size);
    ctx->release(p->layouts);
    ctx->release(p->example);
    size_t count = (size_t)n;
    const size_t each = (size_t)p->g->n_axes * sizeof *p->size +
                        (size_t)p->n_batched * sizeof *p->layouts + sizeof *p->example;
    p->cap = 0, p->size = NULL, p->layouts = NULL, p->example = NULL;
    if (!lh_memory_fits(ctx, (double)each * n, "a smaller batch")) return false;
    p->size = ctx->alloc(((size_t)p->g->n_axes * count + 1) * sizeof *p->size);
    p->layouts = ctx->alloc(((size_t)p->n_batched * count + 1) * sizeof *p->layouts);
    p->example = ctx->alloc(count * sizeof *p->example);
    if (!p->size || !p->layouts || !p->example) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
                "out of memory for a batch of %d example%s", n, LH_PLURAL(n));
        return false;
    }
    p->cap = n;
    return true;
}

static int input_rows(const lh_plan *p, int input, int e) {
    return p->batch ? p->batch->rows[input][e] : p->g->example[p->example[e]]->value[input].rows;
}

static void measure_axes(lh_plan *p) {
    const lh_graph *g = p->g;
    for (int a = 0; a < g->n_axes; a++) {
        const lh_axis *x = &g->axis[a];
        for (int e = 0; !x->n && e < p->examples; e++) {
            int *to = &p->size[(size_t)a * (size_t)p->cap + (size_t)e];
            if (x->input >= 0)
                *to = input_rows(p, x->input, e);
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
            if (input_rows(p, k, e) > 0) continue;
            lh_place at = p->batch ? (lh_place){0, 0, 0} : g->example[p->example[e]]->at;
            lh_fail(g->ctx, LH_ERROR_VALUE, at, "example %d has no %s", p->example[e],
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

/* By itself, or by a kernel that stands for the call it is in. */
static bool is_computed(const lh_plan *p, const lh_node *n) {
    lh_role r = p->value[n->id].role;
    if (r == MADE || r == VIEW) return true;
    for (const lh_scope *s = n->scope; p->kernels && s; s = s->outer)
        if (s->call && p->value[s->call->id].match && p->value[s->call->id].role == MADE)
            return true;
    return false;
}

static bool sizes_fit(const lh_plan *p) {
    const lh_graph *g = p->g;
    for (int i = 0; i < g->n_checks; i++) {
        const lh_size_check *c = &g->check[i];
        if (!is_computed(p, c->node)) continue;
        int first = g->axis[c->a].n ? c->b : c->a, second = g->axis[c->a].n ? c->a : c->b;
        for (int e = 0; e < p->examples; e++) {
            int a = axis_size(p, first, e), b = axis_size(p, second, e);
            if (a == b || !a || !b) continue;
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
        lh_role r = p->value[i].role;
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

/* What is kept of earlier rows has room for `grows` of them, and lies there for the examples it was kept of. */
static bool rows_fit(const lh_plan *p) {
    const lh_graph *g = p->g;
    const int past = p->moment.past;
    if (!p->grows) return true;
    for (int e = 0; e < p->examples; e++) {
        const int rows = input_rows(p, g->generate->input, e);
        if (rows <= p->grows - past) continue;
        lh_fail(g->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
                "%s of example %d: %d row%s after %d, but the plan has room for %d",
                g->input[g->generate->input]->name, p->example[e], rows, LH_PLURAL(rows), past,
                p->grows);
        lh_cure(g->ctx, "start over with fewer rows, or plan for %d", past + rows);
        return false;
    }
    if (!past || p->prevents || p->placed_examples == p->examples) return true;
    lh_fail(g->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
            "%d example%s cannot continue from the cached rows of %d", p->examples,
            LH_PLURAL(p->examples), p->placed_examples);
    lh_cure(g->ctx, "use as many as before, or start over with a past of 0");
    return false;
}

/* Never more than would be refused anyway: sums of it do not overflow. */
static size_t cells_now(lh_sizes s) {
    const double cells = (double)s.heads * s.rows * s.cols;
    return cells > (double)LH_MAX_CELLS ? LH_MAX_CELLS : (size_t)cells;
}

/* Where memory that lasts begins: short numbers on a whole line. */
static size_t begin_of(const lh_plan_value *v, size_t at) {
    return v->is_short ? (at + 15) / 16 * 16 : at;
}

static bool place_moving(lh_plan *p) {
    lh_graph *g = p->g;
    size_t total = 0;
    for (int i = 0; i < p->n_nodes; i++) {
        lh_plan_value *v = &p->value[i];
        const lh_node *n = g->node[i];
        if (v->role == UNUSED || v->same || !n->shape.is_batched) continue;
        v->layout = p->layouts + v->offset * (size_t)p->cap;
        if (!lh_plan_owns_memory(v) || lh_plan_is_pooled(p, v)) continue;
        size_t numbers = 0;
        for (int e = 0; e < p->examples; e++)
            numbers = lh_cells_sum(numbers, cells_now(lh_plan_sizes(p, n, e)));
        total = lh_cells_sum(begin_of(v, total), lh_plan_room(v, numbers));
    }
    p->n_lasting = (total + 15) / 16 * 16; /* the pool lies behind it, in whole lines */
    if (p->shares_memory) total = lh_plan_place_pool(p);
    if (!p->is_sketch && (total > p->cells[LH_MOVING] || !p->memory[LH_MOVING])) {
        p->by->give_back(g->ctx, p->memory[LH_MOVING]);
        p->cells[LH_MOVING] = 0;
        p->memory[LH_MOVING] = p->by->take(g->ctx, total, p->by->cell_bytes);
        if (!p->memory[LH_MOVING]) return false;
    }
    if (p->is_sketch || total > p->cells[LH_MOVING]) p->cells[LH_MOVING] = total;
    return true;
}

/* Its examples one behind the other, from cell `at` on; returns the cell behind the last. */
static size_t layouts_own(lh_plan *p, lh_plan_value *v, const lh_node *n, size_t at) {
    const size_t first = v->is_short ? 2 * at : at;
    size_t numbers = 0;
    for (int e = 0; e < p->examples; e++) {
        const lh_sizes s = lh_plan_sizes(p, n, e);
        lh_plan_layout_own(&v->layout[e], LH_MOVING, first + numbers, s);
        v->layout[e].is_short = v->is_short;
        numbers += (size_t)s.heads * (size_t)s.rows * (size_t)s.cols;
    }
    return at + lh_plan_room(v, numbers);
}

static void layouts_moving(lh_plan *p) {
    lh_graph *g = p->g;
    size_t at = 0;
    for (int i = 0; i < p->n_nodes; i++) {
        lh_plan_value *v = &p->value[i];
        lh_node *n = g->node[i];
        if (v->role == UNUSED || v->same || !n->shape.is_batched) continue;
        if (lh_plan_owns_memory(v)) {
            if (lh_plan_is_pooled(p, v))
                layouts_own(p, v, n, v->pool);
            else
                at = layouts_own(p, v, n, begin_of(v, at));
            continue;
        }
        for (int e = 0; e < p->examples; e++) {
            lh_sizes s = lh_plan_sizes(p, n, e);
            if (v->role == VIEW)
                lh_plan_layout_view(n, lh_layout_of(p, n->in[0], e), &v->layout[e], s);
            else
                lh_plan_layout_own(&v->layout[e], LH_NO_BUFFER, 0, s);
        }
    }
}

/* n cells of an input, from its cell `at` on. */
static lh_layout cells_of(const lh_layout *input, size_t at, int n) {
    return (lh_layout){.buffer = input->buffer,
                       .at = input->at + (ptrdiff_t)at,
                       .cs = n > 1 ? 1 : 0,
                       .heads = 1,
                       .rows = 1,
                       .cols = n};
}

/* Some at a time, as numbers; token NULL: zeros. */
static void write_tokens(lh_plan *p, const lh_layout *to, const int *token) {
    enum { SOME = 256 };
    double some[SOME] = {0};
    const size_t cells = (size_t)lh_layout_cells(to);
    for (size_t at = 0; at < cells; at += SOME) {
        const int n = cells - at < SOME ? (int)(cells - at) : SOME;
        for (int i = 0; token && i < n; i++) some[i] = token[at + (size_t)i];
        const lh_layout part = cells_of(to, at, n);
        p->by->write(p, &part, some);
    }
}

static void fill_from_batch(lh_plan *p, int k, const lh_plan_value *v) {
    const lh_batch *b = p->batch;
    const bool is_words = p->g->input[k]->vocab != NULL;
    const int *token = b->tokens && is_words ? b->tokens[k] : NULL;
    const double *number = b->numbers && !is_words ? b->numbers[k] : NULL;
    for (int e = 0; e < p->examples; e++) {
        const lh_layout *to = &v->layout[e];
        const size_t cells = (size_t)lh_layout_cells(to);
        if (number)
            p->by->write(p, to, number), number += cells;
        else
            write_tokens(p, to, token), token = token ? token + cells : NULL;
    }
}

/* From the program: numbers, tokens as numbers, or a row of a value that the start made. */
static void fill_from_example(lh_plan *p, const lh_example_value *x, const lh_layout *to) {
    if (!x->node) {
        p->by->write(p, to, x->cells);
        return;
    }
    const lh_layout all = cells_of(to, 0, to->rows * to->cols);
    lh_layout from = *lh_layout_of(p, x->node, 0);
    from.at += x->row * from.rs;
    from.rows = from.heads = 1, from.cols = all.cols;
    p->by->copy(p, &all, &from);
}

static void fill_inputs(lh_plan *p) {
    lh_graph *g = p->g;
    for (int k = 0; k < g->n_inputs; k++) {
        const lh_plan_value *v = &p->value[g->input[k]->node->id];
        if (v->role != INPUT) continue;
        if (p->batch) {
            fill_from_batch(p, k, v);
            continue;
        }
        for (int e = 0; e < p->examples; e++)
            fill_from_example(p, &g->example[p->example[e]]->value[k], &v->layout[e]);
    }
}

/* Is every size what it was when memory was placed? */
static bool is_placed(lh_plan *p) {
    lh_context *ctx = p->g->ctx;
    const size_t cells = (size_t)p->g->n_axes * (size_t)p->cap;
    if (p->placed && p->placed[0] == p->examples && p->placed[1] == p->cap &&
        memcmp(p->placed + 2, p->size, cells * sizeof *p->size) == 0)
        return true;
    ctx->release(p->placed);
    p->placed = ctx->alloc((cells + 2) * sizeof *p->placed);
    if (!p->placed) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
                "out of memory for a batch of %d example%s", p->examples, LH_PLURAL(p->examples));
        return false;
    }
    p->placed[0] = p->examples, p->placed[1] = p->cap;
    memcpy(p->placed + 2, p->size, cells * sizeof *p->size);
    return false;
}

static bool make_ready(lh_plan *p) {
    p->is_lent_anew = false;
    return p->by->ready(p, true);
}

/* Every value gets its layouts, and the backend learns of them. */
static bool place(lh_plan *p) {
    if (is_placed(p)) return !p->is_lent_anew || make_ready(p);
    if (lh_failed(p->g->ctx)) return false;
    bool is_good = sizes_fit(p) && indices_fit(p) && place_moving(p);
    if (is_good && p->shares_memory) lh_plan_layouts_fixed(p, true);
    if (is_good) layouts_moving(p);
    if (is_good && make_ready(p)) return true;
    p->g->ctx->release(p->placed);
    p->placed = NULL;
    return false;
}

static void bind_all(lh_plan *p) {
    lh_graph *g = p->g;
    p->moment.examples = p->examples;
    p->moment.of = p->batch && p->batch->of ? p->batch->of : p->examples;
    p->moment.adds = p->batch && p->batch->adds;
    p->moment.example = p->example;
    if (g->n_inputs && !inputs_are_there(p)) return;
    for (size_t i = 0; i < (size_t)g->n_axes * (size_t)p->cap; i++) p->size[i] = 0;
    measure_axes(p);
    if (!rows_fit(p) || !place(p)) return;
    p->placed_examples = p->examples;
    if (p->is_sketch) return;
    fill_inputs(p);
    p->is_bound = true;
}

void lh_plan_bind(lh_plan *p, const int *examples, int n) {
    lh_graph *g = p->g;
    if (lh_failed(g->ctx)) return;
    if (!p->is_started && !p->is_sketch) lh_plan_start(p);
    p->is_bound = false; /* until all is well: a batch that failed is not run */
    p->batch = NULL;
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
    bind_all(p);
}

void lh_plan_feed(lh_plan *p, const lh_batch *batch) {
    if (lh_failed(p->g->ctx)) return;
    if (!p->is_started && !p->is_sketch) lh_plan_start(p);
    p->is_bound = false;
    p->batch = batch;
    if (!reserve_examples(p, batch->examples)) return;
    p->examples = batch->examples;
    for (int e = 0; e < batch->examples; e++) p->example[e] = (int)batch->first + e;
    bind_all(p);
    p->batch = NULL; /* its numbers were copied; sizes are in p->size */
}
