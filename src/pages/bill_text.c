#include "pages/bill_text.h"

#include <stdio.h>

#include "base/number.h"

const char *lh_bill_count(char *buf, size_t n, double x) {
    static const char *const units[] = {"G", "T", "P", "E"};
    if (x < 1e9) return lh_number_grouped(buf, n, x);
    int unit = 0;
    for (x /= 1e9; x >= 999.95 && unit < 3; unit++) x /= 1e3;
    lh_format(buf, n, x < 9.9995 ? "%.3f %s" : x < 99.995 ? "%.2f %s" : "%.1f %s", x, units[unit]);
    return buf;
}

const char *lh_bill_terms(lh_arena *a, const lh_polynomial *p, int most) {
    lh_polynomial largest = lh_polynomial_new(p->names);
    lh_polynomial_add(&largest, p);
    lh_polynomial_sort(&largest);
    int left = largest.n_terms - most;
    if (left <= 1) return lh_polynomial_text(p);
    largest.n_terms = most;
    return lh_printf(a, "%s + %d smaller", lh_polynomial_text(&largest), left);
}

bool lh_polynomial_has_names(const lh_polynomial *p) {
    return p->n_terms > 1 || (p->n_terms == 1 && p->term[0].n_factors > 0);
}

lh_cost lh_bill_both(const lh_bill *b, const lh_cost cost[LH_N_WHEN]) {
    lh_cost c = {lh_polynomial_new(b->names), lh_polynomial_new(b->names)};
    for (int w = 0; w < LH_N_WHEN; w++) {
        lh_polynomial_add(&c.multiply_adds, &cost[w].multiply_adds);
        lh_polynomial_add(&c.operations, &cost[w].operations);
    }
    return c;
}

const char *lh_bill_name(const lh_bill *b, const char *name, int repeat, int times) {
    int turns = 1;
    for (int k = repeat; k >= 0; k = b->outline->repeat[k].outer) turns *= b->outline->repeat[k].n;
    return times == turns ? name : lh_printf(b->arena, "%s (x %d)", name, times);
}

const char *lh_bill_turns(const lh_bill *b, int repeat) {
    lh_text text = lh_text_new(b->arena);
    char buf[LH_NUMBER_MAX];
    for (int k = repeat; k >= 0; k = b->outline->repeat[k].outer) {
        const lh_turns *turns = &b->outline->repeat[k];
        lh_text_add(&text, k == repeat ? "repeat %s, " : " in each turn of %s, ", turns->name);
        if (turns->axis >= 0) lh_text_add(&text, "%s = ", b->g->axis[turns->axis].name);
        lh_text_add(&text, "%s", lh_bill_count(buf, sizeof buf, turns->n));
    }
    lh_text_add(&text, " turn%s", b->outline->repeat[repeat].n == 1 ? ":" : "s; one turn:");
    return text.s;
}

static const char *axis_name(const lh_bill *b, int axis) {
    const lh_axis *a = &b->g->axis[axis];
    return a->name && a->n != 1 ? a->name : lh_printf(b->arena, "%zu", a->n);
}

const char *lh_bill_shape(const lh_bill *b, lh_shape s) {
    return lh_printf(b->arena, "%s x %s", axis_name(b, s.rows), axis_name(b, s.cols));
}

int lh_bill_growth(const lh_bill *b, lh_polynomial *all) {
    lh_cost c = lh_bill_both(b, b->sum[LH_WHOLE]);
    *all = lh_polynomial_new(b->names);
    lh_polynomial_add(all, &c.multiply_adds);
    lh_polynomial_add(all, &c.operations);
    lh_polynomial_sort(all);
    double whole = lh_polynomial_value(all), rest = whole;
    int n = 0;
    for (; n < all->n_terms && (n < 3 || (n < 8 && rest > 0.001 * whole)); n++)
        rest -= lh_monomial_value(all, n);
    return whole > 0 ? n : 0;
}
