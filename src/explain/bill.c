/* bill -- every node's cost goes to the named step in whose formula it stands; the same step of all turns of a repeat is
 * one row, so that `layers` stands in the formulas as it stands in the program. */
#include "explain/bill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    lh_bill *b;
    lh_outline *o;
    lh_graph *g;
    bool *is_static;      /* made of numbers, sizes and consts alone */
    bool *is_gradient;    /* it holds the numbers of a param's gradient */
    lh_cost_row *of_step; /* for each step: its cost alone; .step NULL where it is not shown */
} reader;

/* ---- which nodes are computed ---- */

/* A number, a given, an input: there without being computed. */
static bool is_leaf(const lh_node *n) {
    return lh_op_is_leaf(n) || n->kind == LH_OP_given || n->kind == LH_OP_input;
}

static bool is_view(const lh_node *n) {
    return n->op->view != NULL;
}

static bool is_static(const reader *r, const lh_node *n) {
    if (n->kind == LH_OP_given) return n->given->kind == LH_CONST && !lh_given_is_frozen(n->given);
    if (is_leaf(n)) return n->kind != LH_OP_runtime && n->kind != LH_OP_input;
    if (n->shape.is_batched || n->sees_examples || n->kind == LH_OP_coin) return false;
    if (n->kind == LH_OP_call) return r->is_static[n->call->result->id];
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i) && !r->is_static[n->in[i]->id]) return false;
    return true;
}

/* The node whose memory a view shows. */
static const lh_node *seen_through(const lh_node *n) {
    while (is_view(n)) n = n->kind == LH_OP_call ? n->call->result : n->in[0];
    return n;
}

static void find_gradients(const reader *r) {
    for (int i = 0; i < r->g->n_givens; i++)
        if (r->g->given[i]->gradient)
            r->is_gradient[seen_through(r->g->given[i]->gradient->node)->id] = true;
}

/* How often a row counts, in names where it is there in every turn: layers. */
static void add_turns(const lh_bill *b, lh_polynomial *p, const lh_polynomial *q, int repeat,
                      int times) {
    int axes[8], n = 0, turns = 1;
    double number = 1;
    const lh_turns *list = b->outline->repeat;
    for (int k = repeat; k >= 0; k = list[k].outer) {
        turns *= list[k].n;
        if (list[k].axis >= 0 && n < 8)
            axes[n++] = list[k].axis;
        else
            number *= list[k].n;
    }
    bool one_less = n == 1 && number == 1 && turns > 2 && times == turns - 1;
    if (times == turns || one_less)
        lh_polynomial_add_times(p, q, number, n, axes);
    else
        lh_polynomial_add_times(p, q, times, 0, NULL);
    if (one_less) lh_polynomial_add_times(p, q, -1, 0, NULL); /* layers - 1 */
}

/* ---- numbers to keep ---- */

static void add_given(const reader *r, const lh_given *given, lh_given_row **list, int *n) {
    lh_bill *b = r->b;
    lh_home h = lh_outline_home(r->o, given->node->step);
    lh_polynomial cells = lh_polynomial_new(b->names);
    lh_cost_cells(r->g, given->node, &cells, 1);
    for (int i = 0; h.repeat >= 0 && i < *n; i++) {
        lh_given_row *row = &(*list)[i];
        if (strcmp(row->key, h.key) != 0 || !lh_polynomial_same(&row->cells, &cells) ||
            !row->given->gradient != !given->gradient)
            continue;
        row->times++;
        return;
    }
    *lh_push(b->arena, *list, *n) = (lh_given_row){given, h.name, h.repeat, 1, cells, h.key};
}

static void add_givens(const reader *r) {
    lh_bill *b = r->b;
    for (int i = 0; i < r->g->n_givens; i++) {
        const lh_given *given = r->g->given[i];
        if (lh_given_is_weight(given)) add_given(r, given, &b->param, &b->n_params);
        if (given->kind == LH_STATE) add_given(r, given, &b->state, &b->n_states);
    }
    for (int i = 0; i < b->n_params; i++) {
        const lh_given_row *row = &b->param[i];
        add_turns(b, &b->parameters, &row->cells, row->repeat, row->times);
        if (row->given->gradient) add_turns(b, &b->gradients, &row->cells, row->repeat, row->times);
    }
    for (int i = 0; i < b->n_states; i++)
        add_turns(b, &b->states, &b->state[i].cells, b->state[i].repeat, b->state[i].times);
}

/* norm(gradients) runs over all params that have one: its formula is theirs. */
static void name_gradients(const reader *r) {
    lh_bill *b = r->b;
    for (int i = 0; i < r->g->n_nodes; i++) {
        const lh_node *n = r->g->node[i];
        double cells = (double)r->g->axis[n->shape.cols].n;
        if (n->kind != LH_OP_gradients || cells == 1 || lh_polynomial_value(&b->gradients) != cells)
            continue;
        b->names->params = &b->gradients;
        b->names->gradients = n->shape.cols;
        return;
    }
}

/* ---- steps ---- */

static lh_cost_row row_new(const reader *r, const lh_step *s) {
    const lh_cost_names *names = r->b->names;
    lh_home h = lh_outline_home(r->o, s);
    lh_cost_row row = {.step = s,
                       .name = h.name,
                       .phase = lh_outline_phase(r->o, s),
                       .repeat = h.repeat,
                       .times = 1,
                       .key = h.key};
    for (int w = 0; w < LH_N_WHEN; w++) {
        row.cost[w] = (lh_cost){lh_polynomial_new(names), lh_polynomial_new(names)};
        row.values[w] = lh_polynomial_new(names);
    }
    return row;
}

/* For each example what exists once for each, and the bringing together of examples. */
static lh_cost_when when_of(const lh_node *n) {
    bool brings = n->kind == LH_OP_total || n->kind == LH_OP_average;
    return n->shape.is_batched || (brings && n->in[0]->shape.is_batched) ? LH_EACH : LH_ONCE;
}

static void add_node(const reader *r, const lh_node *n) {
    lh_cost_row *row = r->o->owner[n->id] ? &r->of_step[r->o->owner[n->id]->id] : NULL;
    if (!row || is_leaf(n) || is_view(n) || r->is_static[n->id]) return;
    lh_cost *c = &row->cost[when_of(n)];
    if (n->op->cost)
        n->op->cost(r->g, n, c);
    else
        lh_cost_cells(r->g, n, &c->operations, 1);
    if (!r->is_gradient[n->id])
        lh_cost_cells(r->g, n, &row->values[n->shape.is_batched ? LH_EACH : LH_ONCE], 1);
}

static bool row_fits(const lh_cost_row *a, const lh_cost_row *b) {
    if (a->phase != b->phase || strcmp(a->key, b->key) != 0) return false;
    for (int w = 0; w < LH_N_WHEN; w++)
        if (!lh_polynomial_same(&a->cost[w].multiply_adds, &b->cost[w].multiply_adds) ||
            !lh_polynomial_same(&a->cost[w].operations, &b->cost[w].operations) ||
            !lh_polynomial_same(&a->values[w], &b->values[w]))
            return false;
    return true;
}

static void add_row(lh_bill *b, const lh_cost_row *row) {
    for (int i = 0; row->repeat >= 0 && i < b->n_rows; i++)
        if (row_fits(&b->row[i], row)) {
            b->row[i].times++;
            return;
        }
    *lh_push(b->arena, b->row, b->n_rows) = *row;
}

static void add_sums(lh_bill *b) {
    for (int i = 0; i < b->n_rows; i++) {
        const lh_cost_row *row = &b->row[i];
        for (int w = 0; w < LH_N_WHEN; w++) {
            add_turns(b, &b->values[w], &row->values[w], row->repeat, row->times);
            for (int k = 0; k < 2; k++) {
                lh_cost *to = &b->sum[k ? LH_WHOLE : row->phase][w];
                add_turns(b, &to->multiply_adds, &row->cost[w].multiply_adds, row->repeat,
                          row->times);
                add_turns(b, &to->operations, &row->cost[w].operations, row->repeat, row->times);
            }
        }
    }
}

static void add_steps(const reader *r) {
    const lh_graph *g = r->g;
    lh_bill *b = r->b;
    for (int i = 0; i < g->n_steps; i++)
        if (lh_outline_shows(r->o, g->step[i])) r->of_step[i] = row_new(r, g->step[i]);
    for (int i = 0; i < g->n_nodes && !lh_failed(g->ctx); i++)
        if (r->o->is_needed[i]) add_node(r, g->node[i]);
    for (int i = 0; i < g->n_inputs; i++)
        lh_cost_cells(g, g->input[i]->node, &b->values[LH_EACH], 1);
    for (int phase = 0; phase < LH_WHOLE; phase++)
        for (int i = 0; i < g->n_steps && !lh_failed(g->ctx); i++)
            if (r->of_step[i].step && (int)r->of_step[i].phase == phase) add_row(b, &r->of_step[i]);
    add_sums(b);
}

/* ---- lengths ---- */

static int find_root(const int *as, int axis) {
    while (as[axis] != axis) axis = as[axis];
    return axis;
}

/* Lengths that must agree in every example have one name: that of the first input. */
static void join_lengths(const reader *r) {
    const lh_graph *g = r->g;
    int *as = r->b->names->as;
    for (int i = 0; i < g->n_checks; i++) {
        const lh_size_check *c = &g->check[i];
        if (!r->o->is_needed[c->node->id] || g->axis[c->a].input < 0 || g->axis[c->b].input < 0)
            continue;
        int a = find_root(as, c->a), b = find_root(as, c->b);
        as[a < b ? b : a] = a < b ? a : b;
    }
    for (int i = 0; i < g->n_axes; i++) as[i] = find_root(as, i);
}

/* Does an expression know how large it is before there are examples? */
static bool is_fixed(const lh_graph *g, const lh_expr *e) {
    if (e->kind == LH_E_NAME) {
        const lh_step *s = lh_graph_step(g, e->text);
        if (s && s->node->shape.is_batched) return false;
    }
    for (int i = 0; i < e->n_args; i++)
        if (!is_fixed(g, e->arg[i])) return false;
    return true;
}

static bool may_set(const reader *r, const char *name) {
    for (int i = 0; i < r->o->n_repeats; i++) {
        const lh_turns *t = &r->o->repeat[i];
        if (!t->from || is_fixed(r->g, t->from->expr)) continue;
        lh_fail(
            r->g->ctx, LH_ERROR_VALUE, t->from->at,
            "the length of %s cannot be set: repeat %s runs as many times as the examples are long",
            name, t->name);
        return false;
    }
    return true;
}

static void set_length(const reader *r, const lh_length *set, size_t *length, bool *is_set) {
    const lh_graph *g = r->g;
    const int *as = r->b->names->as;
    int k = 0;
    while (k < g->n_inputs && strcmp(g->input[k]->name, set->input) != 0) k++;
    if (k == g->n_inputs || !g->input[k]->is_many) {
        lh_fail(g->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0},
                k == g->n_inputs ? "set %s: the program has no such input"
                                 : "set %s: this input has no length that could differ",
                set->input);
        return;
    }
    if (!may_set(r, set->input)) return;
    for (int i = 0; i < g->n_inputs; i++) {
        if (!g->input[i]->is_many || as[g->input[i]->axis] != as[g->input[k]->axis]) continue;
        if (is_set[i] && length[i] != set->n)
            lh_fail(g->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                    "%s is set to %zu, but it always has the length of another input that is set "
                    "to %zu",
                    set->input, set->n, length[i]);
        length[i] = set->n;
        is_set[i] = true;
    }
}

/* The longest example's, unless it is set. A program without examples is shown for a length of 1. */
static void find_lengths(const reader *r, const lh_length *set, int n) {
    const lh_graph *g = r->g;
    lh_arena *a = r->b->arena;
    size_t *length = lh_alloc_array(a, (size_t)g->n_inputs + 1, sizeof *length);
    bool *is_set = lh_alloc_array(a, (size_t)g->n_inputs + 1, sizeof *is_set);
    if (!length || !is_set) return;
    for (int k = 0; k < g->n_inputs; k++) {
        length[k] = 1;
        for (int e = 0; e < g->n_examples; e++)
            if ((size_t)g->example[e]->value[k].rows > length[k])
                length[k] = (size_t)g->example[e]->value[k].rows;
    }
    for (int i = 0; i < n && !lh_failed(g->ctx); i++) set_length(r, &set[i], length, is_set);
    lh_cost_measure(g, length, r->b->names->size);
}

/* ---- the whole ---- */

static bool reader_new(reader *r, lh_graph *g, lh_bill *b) {
    size_t nodes = (size_t)g->n_nodes + 1, axes = (size_t)g->n_axes + 1;
    lh_arena *a = b->arena;
    lh_cost_names *names = b->names = lh_alloc(a, sizeof *names);
    *r = (reader){.b = b,
                  .g = g,
                  .is_static = lh_alloc_array(a, nodes, sizeof(bool)),
                  .is_gradient = lh_alloc_array(a, nodes, sizeof(bool)),
                  .o = b->outline = lh_outline_new(g, a),
                  .of_step = lh_alloc_array(a, (size_t)g->n_steps + 1, sizeof *r->of_step)};
    *names = (lh_cost_names){.arena = a,
                             .g = g,
                             .as = lh_alloc_array(a, axes, sizeof *names->as),
                             .size = lh_alloc_array(a, axes, sizeof *names->size),
                             .is_count = lh_alloc_array(a, axes, sizeof *names->is_count),
                             .gradients = -1};
    if (!r->o || !r->is_static || !r->is_gradient || !r->of_step || !names->as || !names->size ||
        !names->is_count)
        return false;
    for (int i = 0; i < g->n_axes; i++) names->as[i] = i;
    for (int i = 0; i < r->o->n_repeats; i++)
        if (r->o->repeat[i].axis >= 0) names->is_count[r->o->repeat[i].axis] = true;
    b->parameters = b->gradients = b->states = lh_polynomial_new(names);
    for (int w = 0; w < LH_N_WHEN; w++) {
        b->values[w] = lh_polynomial_new(names);
        for (int i = 0; i < LH_N_PHASES; i++)
            b->sum[i][w] = (lh_cost){lh_polynomial_new(names), lh_polynomial_new(names)};
    }
    return !lh_failed(g->ctx);
}

lh_bill *lh_bill_new(lh_graph *g, const lh_length *length, int n_lengths) {
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *arena = lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_bill *b = lh_alloc(arena, sizeof *b);
    *b = (lh_bill){.g = g, .arena = arena};
    reader r;
    if (reader_new(&r, g, b)) {
        for (int i = 0; i < g->n_nodes; i++) r.is_static[i] = is_static(&r, g->node[i]);
        find_gradients(&r);
        join_lengths(&r);
        find_lengths(&r, length, n_lengths);
        add_givens(&r);
        name_gradients(&r);
        add_steps(&r);
    }
    if (!lh_failed(g->ctx)) return b;
    lh_bill_free(b);
    return NULL;
}

void lh_bill_free(lh_bill *b) {
    if (b) lh_arena_free(b->arena);
}
