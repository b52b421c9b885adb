/* axis -- sizes with names. An axis is interned: two sizes that must be equal are usually the same axis. */
#include "graph/graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/op.h"

static int axis_push(lh_graph *g, lh_axis a) {
    int id = g->n_axes;
    *lh_push(g->arena, g->axis, g->n_axes) = a;
    return id < g->n_axes ? id : 0;
}

int lh_axis_number(lh_graph *g, size_t n) {
    for (int i = 0; i < g->n_axes; i++)
        if (!g->axis[i].name && g->axis[i].n == n && n) return i;
    return axis_push(g, (lh_axis){.n = n, .input = -1, .times = (double)n});
}

int lh_axis_named(lh_graph *g, const char *name, size_t n) {
    int id = axis_push(g, (lh_axis){.name = name, .n = n, .input = -1, .times = 1, .n_factors = 1});
    g->axis[id].factor[0] = (lh_factor){id, 1};
    return id;
}

bool lh_axis_is_one(const lh_graph *g, int axis) {
    return g->axis[axis].n == 1;
}

bool lh_axis_same(const lh_graph *g, int a, int b) {
    if (a == b) return true;
    const lh_axis *x = &g->axis[a], *y = &g->axis[b];
    if (x->n || y->n) return x->n == y->n;
    if (!x->how || x->how != y->how) return false;
    const int *p = x->part, *q = y->part;
    return (lh_axis_same(g, p[0], q[0]) && lh_axis_same(g, p[1], q[1])) ||
           (x->how != '/' && lh_axis_same(g, p[0], q[1]) && lh_axis_same(g, p[1], q[0]));
}

bool lh_axis_meet(lh_graph *g, const lh_node *n, int a, int b) {
    if (lh_axis_same(g, a, b)) return true;
    if (g->axis[a].n && g->axis[b].n) return false;
    *lh_push(g->arena, g->check, g->n_checks) = (lh_size_check){n, a, b};
    return true;
}

/* The factors of a product, equal bases joined, powers of 0 dropped. False when there are too many. */
static bool factors_join(lh_axis *to, const lh_axis *b, int sign) {
    for (int i = 0; i < b->n_factors; i++) {
        int k = 0;
        while (k < to->n_factors && to->factor[k].axis != b->factor[i].axis) k++;
        if (k == LH_MAX_FACTORS) return false;
        if (k == to->n_factors) to->factor[to->n_factors++] = (lh_factor){b->factor[i].axis, 0};
        to->factor[k].power += sign * b->factor[i].power;
        if (to->factor[k].power == 0) to->factor[k] = to->factor[--to->n_factors];
    }
    return true;
}

/* "3*dim", "dim/heads". */
static const char *product_text(lh_graph *g, const lh_axis *a) {
    lh_text t = lh_text_new(g->arena);
    bool first = true;
    if (a->times != 1 || a->n_factors == 0) lh_text_add(&t, "%g", a->times), first = false;
    for (int pass = 1; pass >= -1; pass -= 2)
        for (int i = 0; i < a->n_factors; i++) {
            int power = a->factor[i].power * pass;
            if (power <= 0) continue;
            if (first && pass < 0) lh_text_add(&t, "1");
            if (!first || pass < 0) lh_text_add(&t, pass > 0 ? "*" : "/");
            lh_text_add(&t, "%s", g->axis[a->factor[i].axis].name);
            if (power > 1) lh_text_add(&t, "^%d", power);
            first = false;
        }
    return t.s;
}

/* An axis like this one that exists already, else this one. */
static int axis_intern(lh_graph *g, lh_axis a) {
    for (int i = 0; i < g->n_axes; i++) {
        const lh_axis *o = &g->axis[i];
        if (o->n != a.n || o->how != a.how || o->times != a.times || o->n_factors != a.n_factors)
            continue;
        if (a.how && (o->part[0] != a.part[0] || o->part[1] != a.part[1])) continue;
        if (!a.n && !a.how) continue;
        if (a.n_factors &&
            memcmp(o->factor, a.factor, sizeof a.factor[0] * (size_t)a.n_factors) != 0)
            continue;
        if (!a.n_factors && o->name) continue;
        return i;
    }
    return axis_push(g, a);
}

static int axis_product(lh_graph *g, int x, int y, int sign) {
    const lh_axis *a = &g->axis[x], *b = &g->axis[y];
    lh_axis p = *a;
    p.vocab = NULL;
    p.input = -1;
    p.times = sign > 0 ? a->times * b->times : a->times / b->times;
    bool fits = factors_join(&p, b, sign);
    if (a->n && b->n) {
        p.how = 0;
        if (sign > 0 && a->n > LH_MAX_AXIS / b->n) {
            lh_fail(g->ctx, LH_ERROR_LIMIT, g->at, "a size of %zu times %zu is too large", a->n,
                    b->n);
            return x;
        }
        p.n = sign > 0 ? a->n * b->n : a->n / b->n;
    } else {
        p.n = 0;
        p.how = sign > 0 ? '*' : '/';
        p.part[0] = x;
        p.part[1] = y;
    }
    if (!fits || (p.n_factors == 0 && p.n)) return lh_axis_number(g, p.n);
    p.name = product_text(g, &p);
    return axis_intern(g, p);
}

int lh_axis_times(lh_graph *g, int a, int b) {
    if (lh_axis_is_one(g, a)) return b;
    if (lh_axis_is_one(g, b)) return a;
    return axis_product(g, a, b, 1);
}

/* A length as a number of times another: 2 * tokens. */
static int multiple_of(const lh_graph *g, int axis, size_t *times) {
    const lh_axis *a = &g->axis[axis];
    *times = 1;
    for (int i = 0; a->how == '*' && i < 2; i++)
        if (g->axis[a->part[i]].n) {
            *times = g->axis[a->part[i]].n;
            return a->part[1 - i];
        }
    return axis;
}

int lh_axis_divide(lh_graph *g, int a, int b) {
    size_t n = g->axis[a].n, by = g->axis[b].n, times;
    const int length = multiple_of(g, a, &times);
    if (by == 1) return a;
    if (!n && by && times % by == 0) return lh_axis_times(g, length, lh_axis_number(g, times / by));
    if (!n && g->axis[a].how == '*') /* heads that were joined come apart again */
        for (int i = 0; i < 2; i++)
            if (lh_axis_same(g, g->axis[a].part[i], b)) return g->axis[a].part[1 - i];
    if (by == 0 || n == 0 || n % by != 0) {
        lh_fail(g->ctx, LH_ERROR_SHAPE, g->at, "%s cannot be divided into %s equal parts",
                lh_axis_text(g, a), lh_axis_text(g, b));
        return a;
    }
    return axis_product(g, a, b, -1);
}

int lh_axis_sum(lh_graph *g, int a, int b) {
    size_t x = g->axis[a].n, y = g->axis[b].n;
    if (x && y) {
        if (x + y > LH_MAX_AXIS)
            lh_fail(g->ctx, LH_ERROR_LIMIT, g->at, "a size of %zu is too large", x + y);
        return lh_axis_number(g, x + y);
    }
    size_t times[2];
    const int length = multiple_of(g, a, &times[0]);
    if (!x && !y && lh_axis_same(g, length, multiple_of(g, b, &times[1])) &&
        times[0] + times[1] <= LH_MAX_AXIS) /* tokens + tokens: 2 * tokens can be divided */
        return lh_axis_times(g, length, lh_axis_number(g, times[0] + times[1]));
    const char *name = lh_printf(g->arena, "(%s + %s)", lh_axis_text(g, a), lh_axis_text(g, b));
    int id = axis_intern(
        g, (lh_axis){
               .name = name, .input = -1, .how = '+', .part = {a, b}, .times = 1, .n_factors = 0});
    if (!g->axis[id].n_factors) { /* its own base: a sum is no product */
        g->axis[id].n_factors = 1;
        g->axis[id].factor[0] = (lh_factor){id, 1};
    }
    return id;
}

const char *lh_axis_text(lh_graph *g, int axis) {
    const lh_axis *a = &g->axis[axis];
    if (a->n) return lh_printf(g->arena, "%zu", a->n);
    if (a->input >= 0) return lh_printf(g->arena, "the length of %s", g->input[a->input]->name);
    return a->name ? a->name : "?";
}

/* "2x4"; a length shows the name of its input: "tokens x 8". */
const char *lh_shape_text(lh_graph *g, lh_shape s) {
    const lh_axis *r = &g->axis[s.rows], *c = &g->axis[s.cols];
    lh_text t = lh_text_new(g->arena);
    if (r->n && c->n) {
        lh_text_add(&t, "%zux%zu", r->n, c->n);
    } else {
        const lh_axis *both[2] = {r, c};
        for (int i = 0; i < 2; i++) {
            if (i) lh_text_add(&t, " x ");
            if (both[i]->n)
                lh_text_add(&t, "%zu", both[i]->n);
            else
                lh_text_add(&t, "%s", both[i]->name ? both[i]->name : "?");
        }
    }
    if (!lh_axis_is_one(g, s.heads)) lh_text_add(&t, " in %zu heads", g->axis[s.heads].n);
    return t.s;
}

bool lh_shape_fits(lh_graph *g, lh_shape s, lh_place at) {
    double cells = (double)g->axis[s.rows].n * (double)g->axis[s.cols].n;
    if (!lh_axis_is_one(g, s.heads)) cells *= (double)g->axis[s.heads].n;
    if (cells <= (double)LH_MAX_CELLS) return true;
    lh_fail(g->ctx, LH_ERROR_LIMIT, at, "%s is too large: %.3g numbers", lh_shape_text(g, s),
            cells);
    return false;
}

/* Numbers, sizes, consts and sums of them. Sizes that differ by example are not constant. Found out when a node is made, from
 * its operands: a name used twice in each of many lines would be looked through 2 * 2 * 2 ... times. */
bool lh_node_constant(const lh_graph *g, const lh_node *n, double *value) {
    (void)g;
    while (n->kind == LH_OP_given) {
        if (!lh_given_is_written(n->given)) return false;
        n = n->given->expr;
    }
    bool is_number = n->kind == LH_OP_number || n->kind == LH_OP_size;
    if (!is_number && !n->is_known && !n->is_chosen) return false;
    *value = n->number;
    return true;
}

/* The number that stands in a matrix of the program: windows[0][h]. */
static bool known_cell(const lh_node *n, double *value) {
    const lh_node *a = n->in[0];
    while (a->kind == LH_OP_given && lh_given_is_written(a->given)) a = a->given->expr;
    if (a->kind != LH_OP_matrix || n->index[0] >= a->index[0] || n->index[1] >= a->index[1])
        return false;
    *value = a->cells[n->index[0] * a->index[1] + n->index[1]];
    return true;
}

void lh_node_find_constant(const lh_graph *g, lh_node *n) {
    double v[3] = {0, 0, 0};
    switch (n->kind) {
    case LH_OP_cell: n->is_chosen = known_cell(n, &n->number); return;
    case LH_OP_call: n->is_chosen = lh_node_constant(g, n->call->result, &n->number); return;
    case LH_OP_where:
        for (int i = 0; i < 3; i++)
            if (!lh_node_constant(g, n->in[i], &v[i])) return;
        n->number = v[0] != 0 ? v[1] : v[2];
        n->is_chosen = true;
        return;
    default: break;
    }
    if (n->kind == LH_OP_rows || n->kind == LH_OP_cols) {
        int a = n->kind == LH_OP_rows ? n->in[0]->shape.rows : n->in[0]->shape.cols;
        n->number = (double)g->axis[a].n;
        n->is_known = g->axis[a].n > 0;
        return;
    }
    if (!n->op->number) return;
    bool is_chosen = n->op->is_discrete && n->kind != LH_OP_floor;
    for (int i = 0; i < n->n_in; i++) {
        if (i > 1 || !lh_node_constant(g, n->in[i], &v[i])) return;
        is_chosen |= n->in[i]->is_chosen;
    }
    n->number = n->op->number(v[0], v[1]);
    n->is_known = !is_chosen;
    n->is_chosen = is_chosen;
}

/* The names of sizes are kept through products and sums, a few of them inside each other. */
static int axis_of(lh_graph *g, const lh_node *n, int depth);

int lh_axis_of_node(lh_graph *g, const lh_node *n) {
    return axis_of(g, n, 0);
}

static int axis_of(lh_graph *g, const lh_node *n, int depth) {
    double v;
    bool is_plain = depth > 8 && lh_node_constant(g, n, &v);
    switch (is_plain ? LH_OP_number : n->kind) {
    case LH_OP_size:
        if (n->number > 0) return n->index[0];
        break;
    case LH_OP_rows: return n->in[0]->shape.rows;
    case LH_OP_cols: return n->in[0]->shape.cols;
    case LH_OP_mul:
        return lh_axis_times(g, axis_of(g, n->in[0], depth + 1), axis_of(g, n->in[1], depth + 1));
    case LH_OP_add:
        if (!lh_node_constant(g, n, &v))
            return lh_axis_sum(g, axis_of(g, n->in[0], depth + 1), axis_of(g, n->in[1], depth + 1));
        break;
    case LH_OP_div:
        if (lh_node_constant(g, n, &v) && v == floor(v) && v >= 1 && n->in[0]->kind != LH_OP_number)
            return lh_axis_divide(g, axis_of(g, n->in[0], depth + 1),
                                  axis_of(g, n->in[1], depth + 1));
        break;
    default: break;
    }
    if (lh_failed(g->ctx)) return lh_axis_number(g, 1);
    lh_text t = lh_text_new(g->arena);
    if (!lh_node_constant(g, n, &v)) {
        lh_node_print(&t, n, n->scope);
        lh_fail(g->ctx, LH_ERROR_SHAPE, n->at, "%s is not a size known before the program runs",
                t.s);
        lh_cure(g->ctx, "a size is a number, a name defined with `size`, rows(...) or cols(...)");
        return lh_axis_number(g, 1);
    }
    if (!(v >= 1 && v <= LH_MAX_AXIS && v == floor(v))) {
        const bool is_named = n->kind == LH_OP_size;
        lh_fail(g->ctx, v > LH_MAX_AXIS ? LH_ERROR_LIMIT : LH_ERROR_SHAPE, is_named ? g->at : n->at,
                "a size must be a whole number from 1 to %d, but %s is %g", LH_MAX_AXIS,
                is_named ? n->text : "this", v);
        if (is_named)
            lh_cure(g->ctx, "a larger %s: only a number of turns (repeat ... for %s) may be 0",
                    n->text, n->text);
        return lh_axis_number(g, 1);
    }
    return lh_axis_number(g, (size_t)v);
}
