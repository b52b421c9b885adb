/* live_insert -- what an insert shows, and whether everything that a lesson asks for exists. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/embedded.h"
#include "base/number.h"
#include "explain/bill.h"
#include "explain/diagram.h"
#include "graph/build.h"
#include "learn/fence.h"
#include "learn/errata.h"
#include "learn/live_internal.h"

static lh_where where_of(const lh_insert *x) {
    return (lh_where){0, x->exercise, x->expr_at};
}

static bool fail(lh_live *v, const lh_insert *x, lh_error_kind kind, const char *what,
                 const char *about) {
    lh_fail(v->ctx, kind, x->at, what, about);
    lh_live_fail_at(v, x->at);
    return false;
}

/* ---- numbers and claims ---- */

/* 25.06%; a zero has no sign. */
static const char *percent_text(lh_arena *a, double x, int places) {
    char *text = lh_printf(a, "%.*f%%", places, 100 * x);
    return *text == '-' && !strpbrk(text, "123456789") ? text + 1 : text;
}

/* 124,439,808; with digits 124 million. */
static const char *large_text(lh_arena *a, double x, int digits) {
    char number[LH_NUMBER_MAX], whole[64];
    double unit = x >= 1e12 ? 1e12 : x >= 1e9 ? 1e9 : x >= 1e6 ? 1e6 : 1;
    if (digits && unit > 1)
        return lh_printf(a, "%s %s", lh_number_text(number, sizeof number, x / unit, digits),
                         unit == 1e12  ? "trillion"
                         : unit == 1e9 ? "billion"
                                       : "million");
    lh_text t = lh_text_new(a);
    int n = snprintf(whole, sizeof whole, "%.0f", x);
    for (int i = 0; i < n; i++)
        lh_text_add(&t, "%c%s", whole[i], i + 1 < n && (n - i - 1) % 3 == 0 ? "," : "");
    return t.s;
}

/* One whole number, of a size that is better read in groups or with a word: 38,597,376; {{50257 * 768 | 3}}: 38.6 million. */
static const char *whole_text(lh_arena *a, const lh_value *value, int digits) {
    double x = value->cell[0];
    bool is_whole = value->rows * value->cols == 1 && isfinite(x) && x == floor(x);
    bool is_long = digits && x >= pow(10, digits);
    if (!is_whole || x >= 1e15 || (x < 1e6 && !is_long)) return NULL;
    if (!is_long) return large_text(a, x, 0);
    double unit = pow(10, floor(log10(x)) - digits + 1);
    return large_text(a, round(x / unit) * unit, digits);
}

static bool show_value(lh_live *v, const lh_insert *x, lh_shown_insert *out) {
    lh_value value;
    lh_arena *a = v->l->arena;
    if (!lh_live_value(v, x->expr, where_of(x), &value)) return false;
    for (int i = 0; i < value.rows * value.cols; i++)
        if (isnan(value.cell[i]))
            return fail(v, x, LH_ERROR_VALUE, "%.80s is not a number (nan)", x->expr);
    if (x->is_percent && value.rows * value.cols != 1)
        return fail(v, x, LH_ERROR_SHAPE, "%.80s is not one number: no percentage", x->expr);
    out->text = x->is_percent ? percent_text(a, value.cell[0], x->places < 0 ? 2 : x->places)
                              : lh_value_text(a, &value, x->digits ? x->digits : 4);
    const char *whole = x->is_percent ? NULL : whole_text(a, &value, x->digits);
    if (whole) out->text = whole;
    return true;
}

static bool check_claim(lh_live *v, const lh_insert *x, lh_shown_insert *out) {
    lh_claim claim;
    char left[LH_NUMBER_MAX], right[LH_NUMBER_MAX];
    if (!lh_live_claim(v, x->expr, where_of(x), x->digits, &claim)) return false;
    out->text = x->is_shown ? claim.shown : "";
    if (claim.holds) return true;
    lh_number_text(left, sizeof left, claim.left, 6);
    lh_number_text(right, sizeof right, claim.right, 6);
    if (strcmp(left, right) == 0) {
        lh_number_exact(left, sizeof left, claim.left);
        lh_number_exact(right, sizeof right, claim.right);
    }
    const char *cell = claim.row || claim.col
                           ? lh_printf(v->l->arena, " in row %d, column %d", claim.row, claim.col)
                           : "";
    lh_fail(v->ctx, LH_ERROR_VALUE, x->at, "the claim %.120s is false: %s is not %s %s%s", x->expr,
            left, claim.sign, right, cell);
    lh_live_fail_at(v, x->at);
    return false;
}

/* ---- words ---- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The first program that the expression names, as in argmax(fast:logits); the lesson's own when it names none. */
static int program_of(lh_live *v, const lh_insert *x) {
    const char *colon = strchr(x->expr, ':'), *from = colon;
    if (!colon || colon[1] == '=') return 0;
    while (from > x->expr && is_letter(from[-1])) from--;
    return lh_lesson_program_named(v->l, lh_copy(v->l->arena, from, (size_t)(colon - from)),
                                   x->exercise);
}

/* Tokens know their vocabulary; the result of an expression does not, and takes the only one of its program. */
static const lh_vocab *vocab_for(lh_live *v, const lh_insert *x, const lh_value *value) {
    int program = program_of(v, x);
    lh_graph *g = value->vocab || program < 0 ? NULL : lh_live_graph(v, program);
    return value->vocab ? value->vocab : g && g->n_vocabs == 1 ? g->vocab[0] : NULL;
}

static bool show_word(lh_live *v, const lh_insert *x, lh_shown_insert *out) {
    lh_value value;
    if (!lh_live_value(v, x->expr, where_of(x), &value)) return false;
    const lh_vocab *vocab = vocab_for(v, x, &value);
    if (!vocab) return fail(v, x, LH_ERROR_NAME, "%.80s is not a token of a vocabulary", x->expr);
    lh_text t = lh_text_new(v->l->arena);
    for (int i = 0; i < value.rows * value.cols; i++) {
        double n = value.cell[i];
        if (!(n >= 0 && n < vocab->n_words && n == floor(n)))
            return fail(v, x, LH_ERROR_VALUE, "%.80s is not the number of a word", x->expr);
        lh_text_add(&t, "%s%s", i ? " " : "", vocab->word[(int)n]);
    }
    out->text = t.s;
    return true;
}

/* ---- formula, shape ---- */

/* The right-hand side as the program has it; of a given its first numbers; of a gradient the generated one. */
static bool show_formula(lh_live *v, const lh_insert *x, lh_shown_insert *out) {
    lh_step *s = lh_live_step(v, x->expr, where_of(x));
    if (!s) return false;
    out->is_code = true;
    if (s->node->kind == LH_OP_given || s->node->kind == LH_OP_input)
        return fail(v, x, LH_ERROR_NAME, "%.80s is given: it has no formula", x->expr);
    lh_graph *g = lh_live_graph(v, program_of(v, x));
    out->text = g ? lh_step_formula(g, s) : "";
    return g != NULL;
}

static bool show_shape(lh_live *v, const lh_insert *x, lh_shown_insert *out) {
    lh_value value;
    if (!lh_live_value(v, x->expr, where_of(x), &value)) return false;
    out->text = lh_printf(v->l->arena, "%dx%d", value.rows, value.cols);
    return true;
}

/* ---- cost ---- */

static double flops(const lh_bill *b, lh_phase phase) {
    double sum = 0;
    for (int w = 0; w < LH_N_WHEN; w++)
        sum += 2 * lh_polynomial_value(&b->sum[phase][w].multiply_adds) +
               lh_polynomial_value(&b->sum[phase][w].operations);
    return sum;
}

/* Numbers of four bytes: the parameters alone, or all that training keeps for one example. */
static bool cost_of(const lh_bill *b, const char *what, double *x) {
    double parameters = lh_polynomial_value(&b->parameters);
    if (strcmp(what, "parameters") == 0)
        *x = parameters;
    else if (strcmp(what, "flops") == 0)
        *x = flops(b, LH_WHOLE);
    else if (strcmp(what, "forward") == 0)
        *x = flops(b, LH_FORWARD);
    else if (strcmp(what, "bytes") == 0)
        *x = 4 * parameters;
    else if (strcmp(what, "memory") == 0)
        *x = 4 *
             (parameters + lh_polynomial_value(&b->gradients) + lh_polynomial_value(&b->states) +
              lh_polynomial_value(&b->values[LH_EACH]) + lh_polynomial_value(&b->values[LH_ONCE]));
    else
        return false;
    return true;
}

static bool show_cost(lh_live *v, const lh_insert *x, lh_shown_insert *out) {
    const char *colon = strchr(x->expr, ':'), *what = colon ? colon + 1 : x->expr;
    const char *name = colon ? lh_copy(v->l->arena, x->expr, (size_t)(colon - x->expr)) : "";
    int program = lh_lesson_program_named(v->l, name, x->exercise);
    double value = 0;
    if (program < 0) return fail(v, x, LH_ERROR_NAME, "there is no program named %.60s", name);
    lh_graph *g = lh_live_graph(v, program);
    lh_bill *b = g ? lh_bill_new(g, NULL, 0) : NULL;
    bool known = b && cost_of(b, what, &value);
    lh_bill_free(b);
    if (b && !known) {
        lh_fail(v->ctx, LH_ERROR_NAME, x->at, "cost has no \"%.60s\"", what);
        lh_cure(v->ctx, "parameters, flops, forward, bytes or memory");
        lh_live_fail_at(v, x->at);
    }
    out->text = large_text(v->l->arena, value, x->digits);
    return known;
}

/* ---- count, fact ---- */

static bool is_lesson(const lh_embedded *e) {
    return strncmp(e->name, "lessons/", 8) == 0 && lh_ends_in(e->name, ".md");
}

static int count_lessons(bool exercises) {
    int n = 0;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *e = &lh_embedded_files[i];
        if (!is_lesson(e)) continue;
        n += !exercises;
        for (lh_segment s = {0}; exercises && lh_segment_next(e->text, e->length, &s);)
            n += lh_segment_is(&s, "exercise");
    }
    return n;
}

/* errata-wrong, errata-claims ...: all are worked out once for a lesson. */
static bool count_errata(lh_live *v, const char *what, int *n) {
    if (!v->errata) v->errata = lh_errata_open(v->ctx);
    if (!v->errata || !lh_errata_work_all(v->errata)) return false;
    *n = lh_errata_count_named(v->errata, what);
    return true;
}

static bool show_count(lh_live *v, const lh_insert *x, lh_shown_insert *out) {
    int n = -1;
    if (strcmp(x->expr, "lessons") == 0)
        n = count_lessons(false);
    else if (strcmp(x->expr, "exercises") == 0)
        n = count_lessons(true);
    else if (strcmp(x->expr, "operations") == 0)
        n = LH_N_OPS;
    else if (strncmp(x->expr, "errata-", 7) == 0) {
        if (!count_errata(v, x->expr + 7, &n)) return false;
    } else if (strcmp(x->expr, "mistakes") == 0) {
        lh_mistakes *m = lh_mistakes_load(v->ctx, NULL);
        if (!m) return false;
        n = m->n;
        lh_mistakes_free(m);
    }
    if (n < 0) {
        lh_fail(v->ctx, LH_ERROR_NAME, x->at, "count has no \"%.60s\"", x->expr);
        lh_cure(v->ctx, "mistakes, lessons, exercises, operations, errata-wrong or errata-claims");
        lh_live_fail_at(v, x->at);
        return false;
    }
    out->text = lh_printf(v->l->arena, "%d", n);
    return true;
}

static bool work_out(lh_live *v, const lh_insert *x, lh_shown_insert *out) {
    switch (x->kind) {
    case LH_INSERT_VALUE: return show_value(v, x, out);
    case LH_INSERT_CLAIM: return check_claim(v, x, out);
    case LH_INSERT_WORD: return show_word(v, x, out);
    case LH_INSERT_FORMULA: return show_formula(v, x, out);
    case LH_INSERT_SHAPE: return show_shape(v, x, out);
    case LH_INSERT_COST: return show_cost(v, x, out);
    case LH_INSERT_COUNT: return show_count(v, x, out);
    case LH_INSERT_FACT:
        out->text = x->expr;
        out->source = x->source;
        return true;
    case LH_INSERT_BROKEN: break;
    }
    return fail(v, x, LH_ERROR_TEXT, "{{%.80s}} cannot be read", x->text);
}

const lh_shown_insert *lh_live_insert(lh_live *v, int insert) {
    if (lh_failed(v->ctx) || insert < 0 || insert >= v->l->n_inserts) return NULL;
    if (v->shown[insert]) return v->shown[insert];
    const lh_insert *x = &v->l->insert[insert];
    lh_shown_insert *out = lh_alloc(v->l->arena, sizeof *out);
    *out = (lh_shown_insert){.kind = x->kind, .text = ""};
    if (!work_out(v, x, out) || lh_failed(v->ctx)) return NULL;
    v->shown[insert] = out;
    return out;
}

/* ---- show ---- */

/* A trace shows steps of the first example, matrix and compare show whole matrices: more in an address would go unheard. */
static bool check_whole(lh_live *v, const lh_show *x, lh_mention operand) {
    lh_address a;
    bool is_trace = x->verb == LH_SHOW_TRACE;
    if (!is_trace && x->verb != LH_SHOW_MATRIX && x->verb != LH_SHOW_COMPARE) return true;
    if (!lh_address_parse(v->ctx, operand.text, &a)) return false;
    bool is_part = a.n_indices > 0, is_other = is_trace && (a.has_example || a.has_head);
    if (!is_part && !is_other) return true;
    lh_fail(v->ctx, LH_ERROR_NAME, operand.at, "%s shows whole steps%s, not %.60s",
            lh_show_words[x->verb], is_other ? " of the first example" : "", operand.text);
    lh_cure(v->ctx, is_part ? "a row or a cell can be put into the prose: {{P[1]}}"
                            : "matrix P{example 1} shows another example");
    lh_live_fail_at(v, operand.at);
    return false;
}

static bool check_operand(lh_live *v, const lh_show *x, int program, lh_mention operand) {
    lh_where where = {program, x->exercise, operand.at};
    lh_step *s = lh_live_step(v, operand.text, where);
    if (!s) return false;
    if (x->verb == LH_SHOW_JACOBIAN && s->node->kind != LH_OP_call) {
        lh_fail(v->ctx, LH_ERROR_NAME, operand.at, "jacobian: %.60s is not made by a call",
                operand.text);
        lh_cure(v->ctx, "a step such as P = softmax(Z)");
        lh_live_fail_at(v, operand.at);
        return false;
    }
    return check_whole(v, x, operand);
}

/* The loop of training is made from the program, which must have one. */
static bool check_diagram(lh_live *v, const lh_show *x) {
    if (lh_diagram_find(x->operand[0].text)) return true;
    lh_graph *g = lh_live_graph(v, x->program);
    if (g) lh_diagram_training(v->l->arena, g);
    if (lh_failed(v->ctx) && v->ctx->error.at.line == 0) lh_live_fail_at(v, x->at);
    return !lh_failed(v->ctx);
}

bool lh_live_show_check(lh_live *v, int show) {
    const lh_show *x = &v->l->show[show];
    bool has_loss = x->verb == LH_SHOW_LOSS;
    if (x->verb == LH_SHOW_DIAGRAM) return check_diagram(v, x);
    if (!lh_live_graph(v, x->program)) return false;
    for (int i = 0; i < x->n_other && !lh_failed(v->ctx); i++) lh_live_graph(v, x->other[i]);
    for (int i = 0; i < x->n_operands && !lh_failed(v->ctx); i++) {
        check_operand(v, x, x->program, x->operand[i]);
        if (x->verb == LH_SHOW_COMPARE) check_operand(v, x, x->other[0], x->operand[i]);
    }
    if (!lh_failed(v->ctx) && has_loss) lh_live_losses(v, x->program, x->updates);
    if (!lh_failed(v->ctx) && x->verb == LH_SHOW_TABLE) lh_live_moment(v, x->program, x->updates);
    for (int i = 0; has_loss && !lh_failed(v->ctx) && i < x->n_other; i++)
        lh_live_losses(v, x->other[i], x->updates);
    if (lh_failed(v->ctx) && v->ctx->error.at.line == 0) lh_live_fail_at(v, x->at);
    return !lh_failed(v->ctx);
}

/* ---- all ---- */

/* The error of a program is told once, not by everything that needs the program. */
static bool is_known(const lh_live *v) {
    const lh_error *e = &v->ctx->error;
    for (int i = 0; v->program && i < v->n_programs; i++) {
        const lh_live_program *x = v->program[i];
        if (x->is_failed && strcmp(x->error.what, e->what) == 0 && x->error.at.line == e->at.line)
            return true;
    }
    return false;
}

static void note(lh_live *v, lh_problems *problems, lh_place at, bool is_program) {
    if (!is_program && lh_failed(v->ctx) && v->ctx->error.kind != LH_ERROR_MEMORY && is_known(v))
        lh_context_clear(v->ctx);
    lh_problems_take(problems, v->ctx, at);
}

bool lh_live_all(lh_live *v, lh_problems *problems) {
    int before = problems->n_errors;
    const lh_lesson *l = v->l;
    for (int i = 0; i < l->n_programs && !lh_failed(v->ctx); i++) {
        const lh_lesson_program *p = &l->program[i];
        bool was_told = p->of >= 0 && v->program && i < v->n_programs && v->program[p->of] &&
                        v->program[p->of]->is_failed;
        if (!p->text && p->of < 0) continue;
        lh_live_graph(v, i);
        note(v, problems, p->at, !was_told);
        const lh_live_program *x = v->program && i < v->n_programs ? v->program[i] : NULL;
        if (x && x->warning)
            lh_problem_add(problems, LH_ERROR_TEXT, x->warned_at, "%s", x->warning);
    }
    for (int i = 0; i < l->n_inserts && !lh_failed(v->ctx); i++) {
        if (l->insert[i].kind == LH_INSERT_BROKEN) continue;
        lh_live_insert(v, i);
        note(v, problems, l->insert[i].at, false);
    }
    for (int i = 0; i < l->n_shows && !lh_failed(v->ctx); i++) {
        lh_live_show_check(v, i);
        note(v, problems, l->show[i].at, false);
    }
    return problems->n_errors == before && !lh_failed(v->ctx);
}
