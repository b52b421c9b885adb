/* errata_work -- an entry worked out: the expression by the engine, the verdict by comparing.
 *
 * A printed number p with the last digit worth u, and the exact x:
 *
 *     exact    p = x, but for the last bits of a double
 *     rounds   |p - x| <= u / 2
 *     loose    |p - x| <= 2 u; or p is within one hundredth of x and within u of what the numbers printed before it come to
 *     wrong    all else, and every cell where the printed matrix has other rows or columns
 *
 * A whole number among others (0.0 beside 0.00493) is written short: it counts as precise as the least precise of those.
 * A large one with zeros at its end (150000000) is as precise as its last other digit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/errata.h"

static bool is_near(double a, double b, double most) {
    return fabs(a - b) <= most * (1 + 1e-9);
}

lh_erratum_verdict lh_erratum_judge(lh_written printed, double unit, double exact,
                                    const double *given) {
    double p = printed.value, larger = fmax(fabs(p), fabs(exact));
    if (is_near(p, exact, 1e-14 * larger)) return LH_ERRATUM_EXACT;
    if (is_near(p, exact, unit / 2 + 1e-14 * larger)) return LH_ERRATUM_ROUNDS;
    if (is_near(p, exact, 2 * unit)) return LH_ERRATUM_LOOSE;
    if (given && is_near(p, *given, unit) && is_near(p, exact, fabs(exact) / 100))
        return LH_ERRATUM_LOOSE;
    return LH_ERRATUM_WRONG;
}

static bool is_whole(const lh_erratum_cell *c) {
    return c->written.value == floor(c->written.value);
}

static double unit_of(const lh_erratum *x, const lh_erratum_cell *c) {
    int least = -1;
    if (!is_whole(c)) return c->written.unit;
    if (fabs(c->written.value) >= 1000 && !strchr(c->text, '.')) {
        double unit = 1;
        while (fmod(c->written.value, unit * 10) == 0) unit *= 10;
        return unit;
    }
    for (int i = 0; i < x->rows * x->cols; i++)
        if (!is_whole(&x->cell[i]) && (least < 0 || x->cell[i].written.decimals < least))
            least = x->cell[i].written.decimals;
    if (least < c->written.decimals) least = c->written.decimals;
    return pow(10, -least);
}

static lh_erratum_verdict worst(lh_erratum_verdict a, lh_erratum_verdict b) {
    return a > b ? a : b;
}

static void compare(lh_erratum *x) {
    bool has_given = x->given.cell && x->given.rows == x->rows && x->given.cols == x->cols;
    x->fits = x->exact.rows == x->rows && x->exact.cols == x->cols;
    for (int i = 0; i < x->rows * x->cols; i++) {
        lh_erratum_cell *c = &x->cell[i];
        const double *given = has_given ? &x->given.cell[i] : NULL;
        c->verdict = x->fits ? lh_erratum_judge(c->written, unit_of(x, c), x->exact.cell[i], given)
                             : LH_ERRATUM_WRONG;
        if (x->is_denied)
            c->verdict = c->verdict == LH_ERRATUM_EXACT ? LH_ERRATUM_WRONG : LH_ERRATUM_EXACT;
        x->verdict = worst(x->verdict, c->verdict);
    }
    if (x->judged) x->verdict = LH_ERRATUM_WRONG;
}

/* An error in an expression is in the list, whatever line of a program it was found at. */
static void fail_here(lh_errata *e, const char *file, int line) {
    lh_error *f = &e->ctx->error;
    if (!lh_failed(e->ctx) || f->kind == LH_ERROR_MEMORY) return;
    snprintf(f->file, sizeof f->file, "%s", file);
    f->source[0] = 0;
    f->at = (lh_place){line, 1, 0};
}

static bool value_of(lh_errata *e, const char *expr, const char *file, int line, lh_value *out) {
    if (lh_live_value(e->live, expr, (lh_where){0}, out)) return true;
    fail_here(e, file, line);
    return false;
}

bool lh_erratum_work(lh_errata *e, lh_erratum *x) {
    if (lh_failed(e->ctx)) return false;
    if (x->is_worked) return true;
    x->verdict = LH_ERRATUM_EXACT;
    if (!x->expr) {
        x->verdict = x->beyond ? LH_ERRATUM_BEYOND : LH_ERRATUM_OPEN;
        for (int i = 0; i < x->rows * x->cols; i++) x->cell[i].verdict = x->verdict;
    } else {
        if (!value_of(e, x->expr, "errata.txt", x->line, &x->exact)) return false;
        if (x->given_expr && !value_of(e, x->given_expr, "errata.txt", x->line, &x->given))
            return false;
        compare(x);
    }
    x->is_worked = true;
    return true;
}

bool lh_errata_work_all(lh_errata *e) {
    for (int i = 0; i < e->n; i++)
        if (!lh_erratum_work(e, &e->erratum[i])) return false;
    return true;
}

/* ---- claims ---- */

bool lh_false_claim_work(lh_errata *e, const lh_false_claim *c) {
    for (int i = 0; i < c->n_shows; i++) {
        lh_claim held;
        bool works = lh_live_claim(e->live, c->shows[i], (lh_where){0}, 4, &held);
        if (works && !held.holds)
            lh_fail(e->ctx, LH_ERROR_VALUE, (lh_place){c->line, 1, 0},
                    "what claim %d shows does not hold: %s, that is %s", c->number, c->shows[i],
                    held.shown);
        fail_here(e, "claims.txt", c->line);
        if (lh_failed(e->ctx)) return false;
    }
    return true;
}

/* The }} of an insert; one that ends in {example 1} has a brace of its own before it. */
static const char *insert_end(const char *open) {
    const char *close = strstr(open, "}}");
    while (close && close[2] == '}') close++;
    return close;
}

/* {{ex2:L | 6}}: that number, with six digits; with four where none are said. */
const char *lh_errata_text(lh_errata *e, const char *text, int line) {
    lh_text out = lh_text_new(e->arena);
    for (const char *open, *close; (open = strstr(text, "{{")) && (close = insert_end(open));
         text = close + 2) {
        const char *bar = memchr(open, '|', (size_t)(close - open)), *end = bar ? bar : close;
        int digits = bar ? atoi(bar + 1) : 4;
        lh_value x;
        if (!value_of(e, lh_copy(e->arena, open + 2, (size_t)(end - open) - 2), "claims.txt", line,
                      &x))
            return NULL;
        lh_text_add_n(&out, text, (size_t)(open - text));
        lh_text_add(&out, "%s", lh_value_text(e->arena, &x, digits < 1 ? 4 : digits));
    }
    lh_text_add(&out, "%s", text);
    return out.s;
}
