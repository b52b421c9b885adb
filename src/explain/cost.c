/* cost -- sizes multiplied and added up, with their names. */
#include "explain/cost.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- monomials and polynomials ---- */

/* m * axis^power, of a base axis. A product of more axes than a monomial holds keeps its value and loses names. */
static void monomial_times(const lh_graph *g, lh_monomial *m, int axis, int power) {
    int k = 0;
    while (k < m->n_factors && m->factor[k].axis < axis) k++;
    if (k < m->n_factors && m->factor[k].axis == axis) {
        m->factor[k].power += power;
        if (m->factor[k].power) return;
        m->n_factors--;
        memmove(m->factor + k, m->factor + k + 1, (size_t)(m->n_factors - k) * sizeof *m->factor);
        return;
    }
    if (m->n_factors == LH_COST_FACTORS) {
        m->times *= pow((double)g->axis[axis].n, power);
        if (!g->axis[axis].n)
            lh_fail(g->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
                    "a formula of cost has more than %d sizes in one product", LH_COST_FACTORS);
        return;
    }
    memmove(m->factor + k + 1, m->factor + k, (size_t)(m->n_factors - k) * sizeof *m->factor);
    m->factor[k] = (lh_factor){axis, power};
    m->n_factors++;
}

/* Sizes of 1 are left out: dim / heads is written dim where heads is 1. */
static void monomial_axis(const lh_cost_names *names, lh_monomial *m, int axis) {
    const lh_graph *g = names->g;
    const lh_axis *a = &g->axis[axis];
    if (axis == names->gradients) {
        monomial_times(g, m, axis, 1);
        return;
    }
    if (a->n == 1) return;
    m->times *= a->times;
    for (int i = 0; i < a->n_factors; i++)
        monomial_times(g, m, names->as[a->factor[i].axis], a->factor[i].power);
}

static bool same_factors(const lh_monomial *a, const lh_monomial *b) {
    return a->n_factors == b->n_factors &&
           memcmp(a->factor, b->factor, (size_t)a->n_factors * sizeof *a->factor) == 0;
}

static void polynomial_add(lh_polynomial *p, const lh_monomial *m) {
    int k = 0;
    if (m->times == 0) return;
    while (k < p->n_terms && !same_factors(&p->term[k], m)) k++;
    if (k == p->n_terms) {
        *lh_push(p->names->arena, p->term, p->n_terms) = *m;
    } else {
        p->term[k].times += m->times;
        if (p->term[k].times == 0) p->term[k] = p->term[--p->n_terms];
    }
}

static lh_monomial monomial_product(const lh_graph *g, const lh_monomial *a, const lh_monomial *b) {
    lh_monomial m = *a;
    m.times *= b->times;
    for (int i = 0; i < b->n_factors; i++)
        monomial_times(g, &m, b->factor[i].axis, b->factor[i].power);
    return m;
}

/* Add m, multiplied out: an axis that is a sum of two becomes two terms, the gradients become the params. */
static void add_expanded(lh_polynomial *p, const lh_monomial *m) {
    const lh_cost_names *names = p->names;
    const lh_graph *g = names->g;
    for (int i = 0; i < m->n_factors; i++) {
        int axis = m->factor[i].axis;
        bool is_params = axis == names->gradients;
        if (m->factor[i].power < 1 || (!is_params && g->axis[axis].how != '+')) continue;
        lh_monomial rest = *m;
        monomial_times(g, &rest, axis, -1);
        for (int k = 0; k < (is_params ? names->params->n_terms : 2); k++) {
            lh_monomial term = rest;
            if (is_params)
                term = monomial_product(g, &rest, &names->params->term[k]);
            else
                monomial_axis(names, &term, g->axis[axis].part[k]);
            add_expanded(p, &term);
        }
        return;
    }
    polynomial_add(p, m);
}

void lh_cost_add(const lh_graph *g, lh_polynomial *p, double times, int n, const int *axes) {
    lh_monomial m = {.times = times};
    (void)g;
    assert(n <= 4);
    for (int i = 0; i < n; i++) monomial_axis(p->names, &m, axes[i]);
    add_expanded(p, &m);
}

void lh_cost_cells(const lh_graph *g, const lh_node *n, lh_polynomial *p, double times) {
    lh_cost_add(g, p, times, 3, (int[]){n->shape.heads, n->shape.rows, n->shape.cols});
}

void lh_cost_operand(const lh_graph *g, const lh_node *n, lh_cost *c) {
    lh_cost_cells(g, n->in[0], &c->operations, 1);
}

lh_polynomial lh_polynomial_new(const lh_cost_names *names) {
    return (lh_polynomial){.names = names};
}

void lh_polynomial_add_times(lh_polynomial *p, const lh_polynomial *q, double times, int n,
                             const int *axes) {
    for (int i = 0; i < q->n_terms; i++) {
        lh_monomial m = q->term[i];
        m.times *= times;
        for (int k = 0; k < n; k++) monomial_times(p->names->g, &m, axes[k], 1);
        polynomial_add(p, &m);
    }
}

void lh_polynomial_add(lh_polynomial *p, const lh_polynomial *q) {
    lh_polynomial_add_times(p, q, 1, 0, NULL);
}

bool lh_polynomial_same(const lh_polynomial *p, const lh_polynomial *q) {
    if (p->n_terms != q->n_terms) return false;
    for (int i = 0; i < p->n_terms; i++) {
        int k = 0;
        while (k < q->n_terms && !same_factors(&p->term[i], &q->term[k])) k++;
        if (k == q->n_terms || p->term[i].times != q->term[k].times) return false;
    }
    return true;
}

/* ---- values ---- */

/* Parts of an axis come before it. */
void lh_cost_measure(const lh_graph *g, const size_t *length, size_t *size) {
    for (int a = 0; a < g->n_axes; a++) {
        const lh_axis *x = &g->axis[a];
        if (x->n || !(x->input >= 0 || x->how))
            size[a] = x->n;
        else if (x->input >= 0)
            size[a] = length[x->input];
        else if (x->how == '+')
            size[a] = size[x->part[0]] + size[x->part[1]];
        else if (x->how == '*')
            size[a] = size[x->part[0]] * size[x->part[1]];
        else
            size[a] = size[x->part[1]] ? size[x->part[0]] / size[x->part[1]] : 0;
    }
}

static long double monomial_value(const lh_monomial *m, const size_t *size) {
    long double x = m->times;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int i = 0; i < m->n_factors; i++)
            for (int k = m->factor[i].power * sign; k > 0; k--) {
                long double n = (long double)size[m->factor[i].axis];
                x = sign > 0 ? x * n : x / n;
            }
    return x;
}

/* Every value is a whole number; a third of dim is not one on its way there. */
static double polynomial_value(const lh_polynomial *p, const size_t *size) {
    long double sum = 0;
    for (int i = 0; i < p->n_terms; i++) sum += monomial_value(&p->term[i], size);
    return (double)roundl(sum);
}

double lh_polynomial_value(const lh_polynomial *p) {
    return polynomial_value(p, p->names->size);
}

double lh_monomial_value(const lh_polynomial *p, int term) {
    return (double)roundl(monomial_value(&p->term[term], p->names->size));
}

double lh_polynomial_value_at(const lh_polynomial *p, int example) {
    const lh_graph *g = p->names->g;
    lh_context *ctx = g->ctx;
    size_t *length = ctx->alloc(((size_t)g->n_inputs + 1) * sizeof *length);
    size_t *size = ctx->alloc(((size_t)g->n_axes + 1) * sizeof *size);
    double value = NAN;
    if (length && size) {
        for (int k = 0; k < g->n_inputs; k++)
            length[k] = (size_t)g->example[example]->value[k].rows;
        lh_cost_measure(g, length, size);
        value = polynomial_value(p, size);
    }
    ctx->release(length);
    ctx->release(size);
    return value;
}

/* ---- formulas ---- */

/* How often first, then lengths, then the rest as the program declares them: layers*tokens^2*dim. */
static int factor_rank(const lh_cost_names *names, int axis) {
    return names->is_count[axis] ? 0 : names->g->axis[axis].n == 0 ? 1 : 2;
}

static void factors_text(lh_text *t, const lh_cost_names *names, const lh_monomial *m, int sign,
                         bool *first) {
    for (int rank = 0; rank < 3; rank++)
        for (int i = 0; i < m->n_factors; i++) {
            int axis = m->factor[i].axis, power = m->factor[i].power * sign;
            if (power <= 0 || factor_rank(names, axis) != rank) continue;
            if (sign < 0 && *first) lh_text_add(t, "1");
            if (sign < 0 || !*first) lh_text_add(t, sign < 0 ? "/" : "*");
            lh_text_add(t, "%s", names->g->axis[axis].name);
            if (power > 1) lh_text_add(t, "^%d", power);
            *first = false;
        }
}

/* Without its sign. */
static void monomial_text(lh_text *t, const lh_cost_names *names, const lh_monomial *m) {
    double times = fabs(m->times);
    bool first = true;
    if (times != 1 || m->n_factors == 0) {
        if (times == floor(times) && times < 1e15)
            lh_text_add(t, "%.0f", times);
        else
            lh_text_add(t, "%g", times);
        first = false;
    }
    factors_text(t, names, m, 1, &first);
    factors_text(t, names, m, -1, &first);
}

char *lh_monomial_text(const lh_polynomial *p, int term) {
    lh_text t = lh_text_new(p->names->arena);
    if (p->term[term].times < 0) lh_text_add(&t, "-");
    monomial_text(&t, p->names, &p->term[term]);
    return t.s;
}

/* Of equally large ones the one with fewer factors; else as they were. */
void lh_polynomial_sort(lh_polynomial *p) {
    const size_t *size = p->names->size;
    for (int i = 1; i < p->n_terms; i++) {
        lh_monomial m = p->term[i];
        long double x = monomial_value(&m, size);
        int k = i;
        for (; k > 0; k--) {
            long double y = monomial_value(&p->term[k - 1], size);
            if (y > x || (y == x && p->term[k - 1].n_factors <= m.n_factors)) break;
            p->term[k] = p->term[k - 1];
        }
        p->term[k] = m;
    }
}

char *lh_polynomial_text(const lh_polynomial *p) {
    lh_polynomial sorted = lh_polynomial_new(p->names);
    lh_polynomial_add(&sorted, p);
    lh_polynomial_sort(&sorted);
    lh_text t = lh_text_new(p->names->arena);
    for (int i = 0; i < sorted.n_terms; i++) {
        bool is_less = sorted.term[i].times < 0;
        if (i || is_less) lh_text_add(&t, i ? (is_less ? " - " : " + ") : "-");
        monomial_text(&t, p->names, &sorted.term[i]);
    }
    if (!sorted.n_terms) lh_text_add(&t, "0");
    return t.s;
}
