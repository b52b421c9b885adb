/* formula_notation -- an expression of the notation as a formula: softmax(Q @ K^T / sqrt(d)) as it stands in a paper.
 *
 *     a @ b       side by side                 a / b      a fraction             WQ, W1, d_k   W_Q, W₁, d_k
 *     a * b       a ⊙ b; where a side is one number, a ⋅ b                       alpha, beta   α, β
 *     a^T         a⊤                           sqrt(a)    a root                 a[i][j]       a with i, j below it
 *
 * Brackets are set where the notation's own would be needed in the paper's: a fraction, a root and a script need none.
 */
#include <string.h>

#include "base/ascii.h"
#include "learn/formula_internal.h"

typedef struct maker {
    lh_context *ctx;
    lh_arena *arena;
    const lh_formula_names *names;
    int depth;
} maker;

/* How tightly an expression holds together; what is looser than its place asks for stands in brackets. */
enum { LOOSE, SUM, PRODUCT, SIGNED, POWER, TIGHT };

static lh_formula *make(maker *m, const lh_expr *e, int place);

static lh_formula *row(maker *m) {
    return lh_formula_new(m->arena, LH_F_ROW, LH_SIGN_LETTER, 0);
}

static void append(maker *m, lh_formula *to, lh_formula *item) {
    lh_formula_append(m->arena, to, item);
}

static void append_sign(maker *m, lh_formula *to, const char *sign) {
    append(m, to, lh_formula_sign(m->arena, sign));
}

/* ---- names ---- */

static bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

static lh_formula *number(maker *m, const char *text) {
    lh_formula *f = lh_formula_new(m->arena, LH_F_NUMBER, LH_SIGN_LETTER, 0);
    f->text = lh_copy(m->arena, text, strlen(text));
    return f;
}

/* A name without parts: one letter, a Greek one by its name, or a word. */
static lh_formula *plain_name(maker *m, const char *s, size_t n) {
    const lh_formula_command *c = lh_formula_find(s, n, false);
    const char *text = lh_copy(m->arena, s, n);
    unsigned char first = n ? (unsigned char)s[0] : 0;
    bool is_greek = c && c->class == LH_SIGN_LETTER && (unsigned char)c->sign[0] >= 0xCE &&
                    (unsigned char)c->sign[0] <= 0xCF && n > 1;
    if (is_greek) return lh_formula_sign(m->arena, c->sign);
    if (n == 1 || (first >= 0x80 && lh_utf8_length(s, s + n) == n))
        return lh_formula_sign(m->arena, text);
    if (strspn(text, "0123456789") == n) return number(m, text);
    return lh_formula_word(m->arena, text, LH_SIGN_LETTER);
}

/* Where a name parts into a letter and what stands below it: W|Q, W|1, d_|k; 0 where it does not. */
static size_t name_split(const char *s, size_t n, size_t *skip) {
    const char *mark = memchr(s, '_', n);
    *skip = 0;
    if (mark && mark > s && mark + 1 < s + n) {
        *skip = 1;
        return (size_t)(mark - s);
    }
    size_t digits = n;
    while (digits > 0 && lh_is_digit(s[digits - 1])) digits--;
    if (digits > 0 && digits < n) return digits;
    for (size_t i = 1; i < n; i++)
        if (!is_capital(s[i])) return 0;
    return n > 1 && is_capital(s[0]) && n <= 3 ? 1 : 0;
}

/* dWQ, a gradient, is a d before W_Q. A dot of a path parts two names. */
static lh_formula *name(maker *m, const char *s, size_t n) {
    size_t skip, at = name_split(s, n, &skip);
    bool is_gradient = n > 1 && s[0] == 'd' && (is_capital(s[1]) || (n == 2 && !lh_is_digit(s[1])));
    if (is_gradient) {
        lh_formula *f = row(m), *d = lh_formula_sign(m->arena, "d");
        d->alphabet = LH_ALPHABET_ROMAN;
        d->class = LH_SIGN_PREFIX;
        append(m, f, d);
        append(m, f, name(m, s + 1, n - 1));
        return f;
    }
    if (!at) return plain_name(m, s, n);
    return lh_formula_script(m->arena, plain_name(m, s, at),
                             plain_name(m, s + at + skip, n - at - skip), NULL);
}

/* ---- one number or many ---- */

static bool is_number(const maker *m, const lh_expr *e) {
    switch (e->kind) {
    case LH_E_NUMBER: return true;
    case LH_E_NAME:
        return m->names && m->names->is_number && m->names->is_number(m->names->who, e->text);
    case LH_E_CALL:
        if (strcmp(e->text, "rows") == 0 || strcmp(e->text, "cols") == 0) return true;
        return strcmp(e->text, "sqrt") == 0 && e->n_args == 1 && is_number(m, e->arg[0]);
    case LH_E_NEG: return is_number(m, e->arg[0]);
    case LH_E_ADD:
    case LH_E_SUB:
    case LH_E_MUL:
    case LH_E_TIMES:
    case LH_E_DIV:
    case LH_E_POW: return is_number(m, e->arg[0]) && is_number(m, e->arg[1]);
    case LH_E_CELL: return true;
    default: return false;
    }
}

/* ---- expressions ---- */

typedef struct binary {
    lh_expr_kind kind;
    const char *sign; /* "" for side by side */
    int holds;        /* how tightly it does */
} binary;

static const binary binaries[] = {
    {LH_E_ADD, "+", SUM},       {LH_E_SUB, "-", SUM},       {LH_E_MUL, "⊙", PRODUCT},
    {LH_E_MATMUL, "", PRODUCT}, {LH_E_TIMES, "×", PRODUCT}, {LH_E_DOT, "⋅", PRODUCT},
    {LH_E_EQ, "=", LOOSE},      {LH_E_NE, "≠", LOOSE},      {LH_E_LT, "<", LOOSE},
    {LH_E_LE, "≤", LOOSE},      {LH_E_GT, ">", LOOSE},      {LH_E_GE, "≥", LOOSE},
};

static const binary *find_binary(lh_expr_kind kind) {
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (binaries[i].kind == kind) return &binaries[i];
    return NULL;
}

/* A chain of sums or of products is one row: its left side is written first, in a loop. */
static lh_formula *make_binary(maker *m, const lh_expr *e, const binary *b) {
    lh_formula *f = row(m);
    const lh_expr *chain[LH_MAX_HEIGHT];
    int n = 0;
    const lh_expr *left = e;
    for (; n < LH_MAX_HEIGHT; left = left->arg[0]) {
        const binary *at = find_binary(left->kind);
        if (!at || at->holds != b->holds || (n && b->holds == LOOSE)) break;
        chain[n++] = left;
    }
    append(m, f, make(m, left, b->holds + (b->holds == LOOSE)));
    while (n-- > 0) {
        const lh_expr *at = chain[n];
        const char *sign = find_binary(at->kind)->sign;
        bool is_scaled =
            at->kind == LH_E_MUL && (is_number(m, at->arg[0]) || is_number(m, at->arg[1]));
        if (*sign) append_sign(m, f, is_scaled ? "⋅" : sign);
        append(m, f, make(m, at->arg[1], b->holds + 1));
    }
    return f;
}

static lh_formula *make_arguments(maker *m, const lh_expr *e) {
    lh_formula *f = row(m);
    for (int i = 0; i < e->n_args; i++) {
        if (i) append_sign(m, f, ",");
        if (e->argname && e->argname[i]) {
            append(m, f, name(m, e->argname[i], strlen(e->argname[i])));
            append_sign(m, f, "=");
        }
        append(m, f, make(m, e->arg[i], LOOSE));
    }
    return f;
}

static lh_formula *make_call(maker *m, const lh_expr *e) {
    bool is_single = e->n_args == 1 && !(e->argname && e->argname[0]);
    if (is_single && strcmp(e->text, "sqrt") == 0) {
        lh_formula *f = lh_formula_new(m->arena, LH_F_ROOT, LH_SIGN_LETTER, 2);
        f->arg[0] = make(m, e->arg[0], LOOSE);
        return f;
    }
    if (is_single && strcmp(e->text, "abs") == 0)
        return lh_formula_fence(m->arena, "|", make(m, e->arg[0], LOOSE), "|");
    lh_formula *f = row(m);
    const lh_formula_command *c = lh_formula_find(e->text, strlen(e->text), false);
    bool is_known = c && c->class == LH_SIGN_FUNCTION && c->does != LH_DOES_NAME;
    lh_formula *called = lh_formula_word(m->arena, e->text, LH_SIGN_FUNCTION);
    called->command = is_known ? c : NULL;
    if (strlen(e->text) == 1) called = lh_formula_sign(m->arena, e->text);
    append(m, f, called);
    append(m, f, lh_formula_fence(m->arena, "(", make_arguments(m, e), ")"));
    return f;
}

static lh_formula *make_matrix(maker *m, const lh_expr *e) {
    lh_formula *f = lh_formula_new(m->arena, LH_F_TABLE, LH_SIGN_INNER, e->rows * e->cols);
    f->open = "[", f->close = "]";
    f->rows = e->rows, f->cols = e->cols;
    for (int i = 0; i < f->n_args; i++) {
        const char *text = e->celltext[i];
        f->arg[i] = row(m);
        if (*text == '-' || *text == '+') append_sign(m, f->arg[i], *text == '-' ? "-" : "+");
        append(m, f->arg[i], number(m, text + (*text == '-' || *text == '+')));
    }
    return f;
}

/* a[i], a[i][j], a[][j]: the places stand below. */
static lh_formula *make_part(maker *m, const lh_expr *e) {
    lh_formula *below = row(m);
    if (e->kind == LH_E_COLUMN) {
        append_sign(m, below, "⋅");
        append_sign(m, below, ",");
    }
    for (int i = 1; i < e->n_args; i++) {
        if (i > 1) append_sign(m, below, ",");
        append(m, below, make(m, e->arg[i], LOOSE));
    }
    lh_formula *base = make(m, e->arg[0], TIGHT);
    if (base->kind == LH_F_SCRIPT && !base->arg[2]) { /* W_Q[i]: both below, one behind the other */
        lh_formula *both = row(m);
        append(m, both, base->arg[1]);
        append_sign(m, both, ",");
        append(m, both, below);
        return lh_formula_script(m->arena, base->arg[0], both, NULL);
    }
    return lh_formula_script(m->arena, base, below, NULL);
}

/* A script that is there goes up beside it: W_Q^⊤ has both. */
static lh_formula *make_raised(maker *m, lh_formula *base, lh_formula *sup) {
    if (base->kind == LH_F_SCRIPT && base->arg[1] && !base->arg[2])
        return lh_formula_script(m->arena, base->arg[0], base->arg[1], sup);
    return lh_formula_script(m->arena, base, NULL, sup);
}

static lh_formula *make_bare(maker *m, const lh_expr *e) {
    lh_formula *f;
    const binary *b = find_binary(e->kind);
    if (b) return make_binary(m, e, b);
    switch (e->kind) {
    case LH_E_NUMBER: return number(m, e->text);
    case LH_E_STRING:
        f = lh_formula_new(m->arena, LH_F_TEXT, LH_SIGN_LETTER, 0);
        f->text = lh_printf(m->arena, "“%s”", e->text);
        return f;
    case LH_E_NAME: return name(m, e->text, strlen(e->text));
    case LH_E_LAST: return lh_formula_word(m->arena, "last", LH_SIGN_LETTER);
    case LH_E_CALL: return make_call(m, e);
    case LH_E_MATRIX: return make_matrix(m, e);
    case LH_E_NEG:
        f = row(m);
        append_sign(m, f, "-");
        append(m, f, make(m, e->arg[0], SIGNED));
        return f;
    case LH_E_DIV:
        f = lh_formula_new(m->arena, LH_F_FRACTION, LH_SIGN_INNER, 2);
        f->arg[0] = make(m, e->arg[0], LOOSE), f->arg[1] = make(m, e->arg[1], LOOSE);
        return f;
    case LH_E_POW: return make_raised(m, make(m, e->arg[0], TIGHT), make(m, e->arg[1], LOOSE));
    case LH_E_TRANSPOSE:
        return make_raised(m, make(m, e->arg[0], TIGHT), lh_formula_sign(m->arena, "⊤"));
    default: return make_part(m, e);
    }
}

/* How tightly what was made holds together on paper. A fraction stands by itself, but not under a power. */
static int holds(const lh_expr *e) {
    const binary *b = find_binary(e->kind);
    if (b) return b->holds;
    switch (e->kind) {
    case LH_E_NEG: return PRODUCT;
    case LH_E_DIV: return SIGNED;
    case LH_E_POW:
    case LH_E_TRANSPOSE:
    case LH_E_CALL: return POWER;
    default: return TIGHT;
    }
}

static lh_formula *make(maker *m, const lh_expr *e, int place) {
    if (++m->depth > LH_FORMULA_DEPTH)
        lh_fail(m->ctx, LH_ERROR_LIMIT, e->at, "more than %d operations inside each other",
                LH_FORMULA_DEPTH);
    lh_formula *f = lh_failed(m->ctx) ? row(m) : make_bare(m, e);
    m->depth--;
    return holds(e) < place ? lh_formula_fence(m->arena, "(", f, ")") : f;
}

lh_formula *lh_formula_from_expr(lh_context *ctx, lh_arena *a, const lh_expr *e,
                                 const lh_formula_names *names) {
    maker m = {ctx, a, names, 0};
    lh_formula *f = lh_formula_new(a, LH_F_ROW, LH_SIGN_LETTER, 0);
    lh_formula *made = make(&m, e, LOOSE);
    if (made->kind == LH_F_ROW)
        f = made;
    else
        lh_formula_append(a, f, made);
    return lh_failed(ctx) ? NULL : f;
}

lh_formula *lh_formula_from_statement(lh_context *ctx, lh_arena *a, const lh_statement *s,
                                      const lh_formula_names *names) {
    if (!s->name || !s->expr) return NULL;
    maker m = {ctx, a, names, 0};
    lh_formula *f = row(&m), *right = lh_formula_from_expr(ctx, a, s->expr, names);
    if (!right) return NULL;
    append(&m, f, name(&m, s->name, strlen(s->name)));
    append_sign(&m, f, s->kind == LH_S_UPDATE ? "←" : "=");
    for (int i = 0; i < right->n_args; i++) append(&m, f, right->arg[i]);
    return f;
}
