/* ragged -- random programs over examples of different lengths, and random batches of such examples.
 *
 *     ragged r;
 *     ragged_make(&r, seed);                     r.text is a program; the same for the same seed
 *     ragged_batch b;
 *     ragged_draw_batch(&r, g, &b);              a batch for it: b.batch, with one row first, last, everywhere ...
 *
 * A program begins with a few values (rows of tables by tokens, numbers, params), makes others of them, step by step, by rules
 * that each know what shapes they need, and ends in a loss, gradients and updates. Numbers stay near 1, so that what float rounds
 * off stays small.
 */
#ifndef LH_TESTS_RAGGED_H
#define LH_TESTS_RAGGED_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "eval/exact.h"

enum { RAGGED_TEXT = 1 << 14, RAGGED_VALUES = 48, RAGGED_EXAMPLES = 6, RAGGED_LONGEST = 7 };
enum { RAGGED_WORDS = 7, RAGGED_INPUTS = 5 };
enum { LONG_TOKENS = -1, LONG_SOURCE = -2 }; /* sizes that differ; others are above 0 */

typedef struct ragged_value {
    char name[8];
    int rows, cols, heads;
    bool is_batched;
} ragged_value;

typedef struct ragged_name {
    char text[16];
} ragged_name;

typedef struct ragged {
    uint64_t seed;
    uint32_t drawn;
    char text[RAGGED_TEXT];
    size_t n_text;
    ragged_value value[RAGGED_VALUES + 1];
    int n_values, n_params;
    bool is_across; /* the loss is one number for all examples: a step may look at all of them */
} ragged;

static inline int ragged_draw(ragged *r, int n) {
    const lh_random_place at = {.seed = r->seed, .row = r->drawn++};
    return (int)(lh_random_bits(at) % (uint64_t)n);
}

static inline void ragged_put(ragged *r, const char *text, va_list args) {
    const size_t room = sizeof r->text - r->n_text;
    const int n = vsnprintf(r->text + r->n_text, room, text, args);
    r->n_text += n < 0 || (size_t)n >= room ? room - 1 : (size_t)n;
}

__attribute__((format(printf, 2, 3))) static inline void ragged_add(ragged *r, const char *text,
                                                                    ...) {
    va_list args;
    va_start(args, text);
    ragged_put(r, text, args);
    va_end(args);
}

/* A step with the next name, in the shape of `like`. */
__attribute__((format(printf, 3, 4))) static inline void ragged_step(ragged *r, ragged_value like,
                                                                     const char *text, ...) {
    va_list args;
    if (r->n_values == RAGGED_VALUES) return;
    snprintf(like.name, sizeof like.name, "v%d", r->n_values);
    ragged_add(r, "%s = ", like.name);
    va_start(args, text);
    ragged_put(r, text, args);
    va_end(args);
    ragged_add(r, "\n");
    r->value[r->n_values++] = like;
}

/* ---- values ---- */

static inline ragged_name ragged_given(ragged *r, int rows, int cols, double deviation,
                                       bool is_const) {
    ragged_name t;
    snprintf(t.text, sizeof t.text, "W%d", r->n_params++);
    ragged_add(r, "%s %s : %d x %d = normal(%g)\n", is_const ? "const" : "param", t.text, rows,
               cols, deviation);
    return t;
}

static inline ragged_name ragged_param(ragged *r, int rows, int cols, double deviation) {
    return ragged_given(r, rows, cols, deviation, r->n_params && ragged_draw(r, 8) == 0);
}

static inline const ragged_value *ragged_any(ragged *r) {
    const int from = ragged_draw(r, 2) ? 0 : r->n_values * 2 / 3; /* often something new */
    return &r->value[from + ragged_draw(r, r->n_values - from)];
}

/* One of fixed width without heads, or NULL. */
static inline const ragged_value *ragged_wide(ragged *r, int least) {
    for (int i = 0; i < 20; i++) {
        const ragged_value *v = ragged_any(r);
        if (v->heads == 1 && v->cols >= least) return v;
    }
    return NULL;
}

/* Another that can be stretched to v, or has its shape; or NULL. */
static inline const ragged_value *ragged_fitting(ragged *r, const ragged_value *v) {
    for (int i = 0; i < 30; i++) {
        const ragged_value *o = ragged_any(r);
        if ((o->rows == v->rows || o->rows == 1) && (o->cols == v->cols || o->cols == 1) &&
            (o->heads == v->heads || o->heads == 1))
            return o;
    }
    return NULL;
}

/* A column of words, one for each row of v; NULL: there is none. */
static inline const char *ragged_words(ragged *r, const ragged_value *v) {
    if (v->rows == LONG_TOKENS) return ragged_draw(r, 2) ? "target" : "tokens";
    if (v->rows == LONG_SOURCE) return "source";
    return v->rows == 1 ? "word" : NULL;
}

/* ---- rules: each writes a line, or nothing ---- */

/* Now and then turned: then it lies column after column. */
static inline void ragged_linear(ragged *r) {
    static const int width[] = {1, 2, 3, 4, 6, 8};
    const ragged_value *x = ragged_wide(r, 1);
    if (!x) return;
    ragged_value y = *x;
    y.cols = width[ragged_draw(r, 6)];
    const int k = ragged_draw(r, 5);
    const ragged_name w = ragged_param(r, k ? x->cols : y.cols, k ? y.cols : x->cols, 0.5);
    if (k == 0)
        ragged_step(r, y, "(%s @ %s^T)^T", w.text, x->name);
    else if (k < 3)
        ragged_step(r, y, "%s @ %s + %s", x->name, w.text, ragged_param(r, 1, y.cols, 0.5).text);
    else
        ragged_step(r, y, "%s @ %s", x->name, w.text);
}

static inline void ragged_unary(ragged *r) {
    static const char *const form[][2] = {{"gelu(", ")"},         {"tanh(", ")"},
                                          {"relu(", ")"},         {"sigmoid(", ")"},
                                          {"silu(", ")"},         {"softplus(", ")"},
                                          {"sin(", ")"},          {"-", ""},
                                          {"exp(tanh(", "))"},    {"0.5 * ", ""},
                                          {"abs(", ")"},          {"softmax(", ")"},
                                          {"logsoftmax(", ")"},   {"", "^2"},
                                          {"gelu(", ")"},         {"dropout(", ", 0)"},
                                          {"dropout(", ", 0.3)"}, {"layernorm(", ", 1, 0, 0.1)"}};
    const int k = ragged_draw(r, (int)(sizeof form / sizeof *form));
    const ragged_value *x = ragged_any(r);
    ragged_step(r, *x, "%s%s%s", form[k][0], x->name, form[k][1]);
}

static inline void ragged_binary(ragged *r) {
    static const char *const sign[] = {"+", "-", "*"};
    const ragged_value *x = ragged_any(r), *o = ragged_fitting(r, x);
    if (!o) return;
    const bool is_turned = ragged_draw(r, 2);
    const char *a = is_turned ? o->name : x->name, *b = is_turned ? x->name : o->name;
    ragged_value y = *x;
    y.is_batched |= o->is_batched;
    switch (ragged_draw(r, 6)) {
    case 0: ragged_step(r, y, "max(%s, %s)", a, b); break;
    case 1: ragged_step(r, y, "where(%s > 0, %s, %s)", o->name, x->name, o->name); break;
    case 2: ragged_step(r, y, "%s / (2 + sin(%s))", a, b); break;
    default: ragged_step(r, y, "%s %s %s", a, sign[ragged_draw(r, 3)], b);
    }
}

static inline void ragged_norm(ragged *r) {
    const ragged_value *x = ragged_wide(r, 2);
    if (!x) return;
    const bool is_const = ragged_draw(r, 3) == 0;
    const ragged_name g = ragged_given(r, 1, x->cols, 1, is_const),
                      b = ragged_given(r, 1, x->cols, 1, is_const);
    ragged_step(r, *x, "layernorm(%s, %s, %s, 0.1)", x->name, g.text, b.text);
}

static inline void ragged_reduce(ragged *r) {
    static const char *const form[] = {"rowsum", "colsum", "sum", "mean", "rowmean", "rowmax"};
    const ragged_value *x = ragged_any(r);
    const int k = ragged_draw(r, 6);
    ragged_value y = *x;
    if (k == 1 || k == 2 || k == 3) y.rows = 1;
    if (k != 1) y.cols = 1;
    ragged_step(r, y, "%s(%s)%s", form[k], x->name, k < 3 ? " * 0.3" : "");
}

static inline void ragged_turn(ragged *r) {
    const ragged_value *x = ragged_any(r);
    ragged_value y = *x;
    y.rows = x->cols, y.cols = x->rows;
    ragged_step(r, y, "%s^T", x->name);
}

/* With another whose rows are the columns of the first. */
static inline void ragged_product(ragged *r) {
    const ragged_value *x = ragged_any(r), *o = NULL;
    for (int i = 0; i < 40 && !o; i++) {
        const ragged_value *v = ragged_any(r);
        if (v->rows == x->cols && (v->heads == x->heads || v->heads == 1 || x->heads == 1)) o = v;
    }
    if (!o) return;
    ragged_value y = *x;
    y.cols = o->cols, y.is_batched |= o->is_batched;
    if (o->heads > 1) y.heads = o->heads;
    ragged_step(r, y, "%s @ %s / (1 + cols(%s))", x->name, o->name, x->name);
}

/* 1 where a row must not look, and never on the first key; "" for nothing hidden. True: it depends on the example. */
static inline bool ragged_hide(ragged *r, const ragged_value *q, const ragged_value *key, char *to,
                               size_t room) {
    const char *words = ragged_words(r, key), *a = q->name, *b = key->name;
    char row[96] = "";
    *to = 0;
    if (words) snprintf(row, sizeof row, "(%s == 3)^T * (positions(%s) > 0)^T", words, words);
    switch (ragged_draw(r, words ? 7 : 5)) {
    case 4:
        snprintf(to, room, ", (word == 3) * (colindex(rows(%s), rows(%s)) > 0)", a, b);
        return true;
    case 0:
    case 1: return false;
    case 2: snprintf(to, room, ", later(%s, %s)", a, b); return false;
    case 3:
        snprintf(to, room, ", colindex(rows(%s), rows(%s)) > 2 + rowindex(rows(%s), rows(%s))", a,
                 b, a, b);
        return false;
    case 5: snprintf(to, room, ", max(later(%s, %s), %s)", a, b, row); return true;
    default: snprintf(to, room, ", %s", row); return true;
    }
}

static inline void ragged_attention(ragged *r) {
    const ragged_value *x = ragged_wide(r, 1), *o = ragged_draw(r, 2) ? ragged_wide(r, 1) : x;
    if (!x || !o) return;
    const int heads = 1 + ragged_draw(r, 3);
    ragged_value y = *x;
    ragged_name w[3];
    char hide[256];
    y.cols = heads * (1 + ragged_draw(r, 3));
    for (int i = 0; i < 3; i++) w[i] = ragged_param(r, i ? o->cols : x->cols, y.cols, 0.7);
    y.is_batched |= ragged_hide(r, x, o, hide, sizeof hide) || o->is_batched;
    if (heads > 1)
        ragged_step(
            r, y, "join(attention(split(%s @ %s, %d), split(%s @ %s, %d), split(%s @ %s, %d)%s))",
            x->name, w[0].text, heads, o->name, w[1].text, heads, o->name, w[2].text, heads, hide);
    else
        ragged_step(r, y, "attention(%s @ %s, %s @ %s, %s @ %s%s)", x->name, w[0].text, o->name,
                    w[1].text, o->name, w[2].text, hide);
}

static inline void ragged_heads(ragged *r) {
    const ragged_value *x = ragged_any(r);
    ragged_value y = *x;
    y.heads = x->cols > 0 && x->cols % 3 == 0 ? 3 : 2;
    if (x->heads == 1 && (x->cols < 0 || x->cols % y.heads)) return;
    if (x->heads == 1) {
        y.cols /= y.heads;
        ragged_step(r, y, ragged_draw(r, 3) ? "split(%s, %d)" : "reverse(split(%s, %d))", x->name,
                    y.heads);
        return;
    }
    y.heads = 1;
    if (x->cols < 0 || ragged_draw(r, 3) == 0) {
        ragged_step(r, y, "headsum(%s)", x->name);
        return;
    }
    y.cols *= x->heads;
    ragged_step(r, y, "join(%s)", x->name);
}

/* Parts of a value. */
static inline void ragged_part(ragged *r) {
    const ragged_value *x = ragged_any(r);
    ragged_value y = *x;
    switch (ragged_draw(r, 5)) {
    case 0: y.rows = 1, ragged_step(r, y, "%s[last]", x->name); break;
    case 1: y.rows = 1, ragged_step(r, y, "%s[0]", x->name); break;
    case 2: y.cols = 1, ragged_step(r, y, "%s[][0]", x->name); break;
    case 3:
        if (x->cols < 3) break;
        y.cols = x->cols - 1 - ragged_draw(r, 2);
        ragged_step(r, y, "columns(%s, %d, %d)", x->name, x->cols - y.cols, x->cols);
        break;
    default:
        y.rows = LONG_TOKENS, y.is_batched = true;
        if (x->heads == 1 && x->rows == RAGGED_WORDS) ragged_step(r, y, "%s[target]", x->name);
    }
}

static inline void ragged_join(ragged *r) {
    const ragged_value *x = ragged_wide(r, 1);
    for (int i = 0; x && i < 30; i++) {
        const ragged_value *o = ragged_wide(r, 1);
        ragged_value y = *x;
        if (!o || o->rows != x->rows || o->cols > 8) continue;
        y.cols += o->cols, y.is_batched |= o->is_batched;
        ragged_step(r, y, "beside(%s, %s)", x->name, o->name);
        return;
    }
}

static inline void ragged_stretch(ragged *r) {
    const ragged_value *x = ragged_any(r), *o = ragged_fitting(r, x);
    if (!o) return;
    ragged_value y = *x;
    y.is_batched |= o->is_batched;
    ragged_step(r, y, "spread(%s, %s)", o->name, x->name);
}

/* A loss for each row: of words, or of places among as many rows. */
static inline void ragged_loss(ragged *r) {
    const ragged_value *x = ragged_wide(r, 1);
    const char *words = x ? ragged_words(r, x) : NULL;
    if (!words) return;
    ragged_value y = *x;
    y.cols = 1, y.is_batched = true;
    const ragged_name w = ragged_param(r, x->cols, RAGGED_WORDS, 0.7);
    switch (ragged_draw(r, 5)) {
    case 0: ragged_step(r, y, "nll(softmax(%s @ %s), %s)", x->name, w.text, words); break;
    case 1: ragged_step(r, y, "pick(%s @ %s, %s)", x->name, w.text, words); break;
    case 2:
        ragged_step(r, y, "crossentropy(%s @ %s^T, positions(%s))", x->name, x->name, x->name);
        break;
    default: ragged_step(r, y, "crossentropy(%s @ %s, %s)", x->name, w.text, words);
    }
}

/* What all examples come to. */
static inline void ragged_together(ragged *r) {
    const ragged_value *x = ragged_any(r);
    if (!r->is_across || x->rows < 0 || x->cols < 0) return;
    ragged_value y = *x;
    y.is_batched = false;
    ragged_step(r, y, ragged_draw(r, 2) ? "average(%s)" : "total(%s) / total(1)", x->name);
}

typedef void (*ragged_rule)(ragged *r);

static inline void ragged_steps(ragged *r, int n) {
    static const ragged_rule rule[] = {
        ragged_linear,  ragged_linear,    ragged_unary, ragged_unary,   ragged_binary,
        ragged_binary,  ragged_norm,      ragged_norm,  ragged_reduce,  ragged_turn,
        ragged_product, ragged_attention, ragged_heads, ragged_part,    ragged_join,
        ragged_stretch, ragged_loss,      ragged_loss,  ragged_together};
    for (int i = 0; i < n; i++) rule[ragged_draw(r, (int)(sizeof rule / sizeof *rule))](r);
}

/* ---- the whole program ---- */

static inline void ragged_inputs(ragged *r) {
    ragged_add(r,
               "vocab %d\nseed %llu\ninput tokens : vocab*\ninput target : vocab*\ninput source : "
               "vocab*\ninput word : vocab\ninput x : 3 x 4\n",
               RAGGED_WORDS, (unsigned long long)r->seed);
}

static inline void ragged_begin(ragged *r) {
    const int width = 2 + ragged_draw(r, 5);
    ragged_inputs(r);
    const ragged_name e = ragged_param(r, RAGGED_WORDS, width, 1), f = ragged_param(r, 3, width, 1);
    ragged_step(r,
                (ragged_value){.rows = LONG_TOKENS, .cols = width, .heads = 1, .is_batched = true},
                "%s[tokens]", e.text);
    ragged_step(r,
                (ragged_value){.rows = LONG_SOURCE, .cols = width, .heads = 1, .is_batched = true},
                "%s[source]", e.text);
    ragged_step(r, (ragged_value){.rows = 1, .cols = width, .heads = 1, .is_batched = true},
                "%s[word]", e.text);
    ragged_step(r, (ragged_value){.rows = 3, .cols = 4, .heads = 1, .is_batched = true}, "0.5 * x");
    ragged_step(r, (ragged_value){.rows = 3, .cols = width, .heads = 1}, "%s * 1", f.text);
    ragged_step(r, (ragged_value){.rows = RAGGED_WORDS, .cols = width, .heads = 1}, "%s * 1",
                e.text);
}

/* The newest values, each as one number; weighted, since a plain sum hides much. */
static inline void ragged_end(ragged *r) {
    const int terms = 1 + ragged_draw(r, 3), n = r->n_values;
    for (int i = 0; i < terms; i++) {
        const ragged_value *v = i ? ragged_any(r) : &r->value[n - 1];
        char weight[32] = "";
        if (v->cols > 0 && ragged_draw(r, 2))
            snprintf(weight, sizeof weight, " * %s",
                     ragged_param(r, v->rows > 0 ? v->rows : 1, v->cols, 1).text);
        ragged_add(r, "l%d = %s%s(%s%s)%s\n", i, v->heads > 1 ? "headsum(" : "",
                   ragged_draw(r, 3) ? "mean" : "0.2 * sum", v->name, weight,
                   v->heads > 1 ? ")" : "");
    }
    ragged_add(r, "L = l0");
    for (int i = 1; i < terms; i++) ragged_add(r, " + l%d", i);
    ragged_add(r, " + mean(crossentropy(v0 @ %s^T, target))\n", "W0");
}

static inline void ragged_learn(ragged *r) {
    static const char *const loss[] = {"average(L)", "total(L)", "total(L) / total(rows(target))",
                                       "average(L) + total(L) / total(rows(word))"};
    static const char *const update[] = {"V - 0.1 * clip * dV", "momentum(V, clip * dV, 0.1)",
                                         "adam(V, clip * dV, 0.1, 0.9, 0.99, 0.1)"};
    if (r->is_across) {
        ragged_add(r, "loss = %s\nbackward loss\n", loss[ragged_draw(r, 4)]);
        ragged_add(r, "clip = %s\n", ragged_draw(r, 2) ? "1" : "min(1, 1 / norm(gradients))");
        ragged_add(r, "each V in params\nV := %s\nend\n", update[ragged_draw(r, 3)]);
    } else {
        ragged_add(r, "backward L\neach V in params\nV := V - 0.1 * %s(dV)\nend\n",
                   ragged_draw(r, 2) ? "average" : "total");
    }
}

static inline void ragged_make(ragged *r, uint64_t seed) {
    *r = (ragged){.seed = seed};
    r->is_across = ragged_draw(r, 4) != 0;
    ragged_begin(r);
    ragged_steps(r, 2 + ragged_draw(r, 14));
    ragged_end(r);
    ragged_learn(r);
}

/* ---- batches ---- */

typedef struct ragged_batch {
    int rows[RAGGED_INPUTS][RAGGED_EXAMPLES];
    int token[RAGGED_INPUTS][RAGGED_EXAMPLES * RAGGED_LONGEST];
    double number[RAGGED_EXAMPLES * 12];
    const int *all_rows[RAGGED_INPUTS], *all_tokens[RAGGED_INPUTS];
    const double *all_numbers[RAGGED_INPUTS];
    lh_batch batch;
} ragged_batch;

/* One row first, last, in the middle, in all but the last, everywhere; equal lengths; any lengths. */
static inline int ragged_length(ragged *r, int how, int e, int n) {
    const int some = 2 + ragged_draw(r, RAGGED_LONGEST - 1);
    switch (how) {
    case 0: return e == 0 ? 1 : some;
    case 1: return e == n - 1 ? 1 : some;
    case 2: return e == n / 2 ? 1 : some;
    case 3: return e == n - 1 ? some : 1;
    case 4: return 1;
    case 5: return 4;
    default: return 1 + ragged_draw(r, RAGGED_LONGEST);
    }
}

/* The inputs in their order: tokens and target of one length, source of another, one word, numbers. */
static inline void ragged_draw_batch(ragged *r, ragged_batch *b) {
    const int n = 1 + ragged_draw(r, RAGGED_EXAMPLES),
              how[2] = {ragged_draw(r, 8), ragged_draw(r, 8)};
    *b = (ragged_batch){.batch = {.examples = n, .first = (unsigned)ragged_draw(r, 100)}};
    for (int e = 0; e < n; e++) {
        b->rows[0][e] = b->rows[1][e] = ragged_length(r, how[0], e, n);
        b->rows[2][e] = ragged_length(r, how[1], e, n);
        b->rows[3][e] = 1, b->rows[4][e] = 3;
    }
    for (int i = 0; i < RAGGED_INPUTS; i++) {
        b->all_rows[i] = b->rows[i];
        b->all_tokens[i] = i < 4 ? b->token[i] : NULL;
        b->all_numbers[i] = i < 4 ? NULL : b->number;
        for (int k = 0; i < 4 && k < RAGGED_EXAMPLES * RAGGED_LONGEST; k++)
            b->token[i][k] = ragged_draw(r, RAGGED_WORDS);
    }
    for (int k = 0; k < RAGGED_EXAMPLES * 12; k++) b->number[k] = 0.25 * (ragged_draw(r, 17) - 8);
    b->batch.rows = b->all_rows, b->batch.tokens = b->all_tokens, b->batch.numbers = b->all_numbers;
}

#endif
