/* live_expression -- an expression over the values of a lesson: fast:loss@10 - loss@0.
 *
 * The language is the notation's own. Each address in the text is found and read, then a small program is made in which it is a
 * param of that size, and the rest of the text is its one step:
 *
 *     abs(P[0] - Q@1[0]) < 0.1       param P_0 : 1 x 2 = 0
 *                                    param Q_at_1_0 : 1 x 2 = 0
 *                                    the_result_of_it = abs(P_0 - Q_at_1_0)           and the other side likewise
 *
 * So every operation and function may be called, those of the lesson's programs too, and messages are the usual ones.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/number.h"
#include "graph/build.h"
#include "learn/live_internal.h"
#include "learn/lesson_internal.h"

/* ---- finding addresses ---- */

static bool starts_name(const char *s) {
    static const char *const signs[] = {"\u00d7", "\u00b7", "\u2212", "\u221a", "\u2264",
                                        "\u2265", "\u2260", "\u1d40", "\u2192"};
    for (size_t i = 0; (unsigned char)*s >= 0x80 && i < sizeof signs / sizeof *signs; i++)
        if (strncmp(s, signs[i], strlen(signs[i])) == 0) return false;
    return lh_is_name_start(*s);
}

static const char *name_end(const char *s) {
    while (starts_name(s) || lh_is_digit(*s)) s++;
    return s;
}

static const char *skip_spaces(const char *s) {
    while (*s == ' ') s++;
    return s;
}

/* [12], spaces inside allowed; NULL: it is none. */
static const char *index_end(const char *s) {
    if (*s != '[') return NULL;
    s = skip_spaces(s + 1);
    if (*s < '0' || *s > '9') return NULL;
    while (lh_is_digit(*s)) s++;
    s = skip_spaces(s);
    return *s == ']' ? s + 1 : NULL;
}

static const char *step_end(const char *s) {
    if (*s != '@' || s[1] < '0' || s[1] > '9') return s;
    for (s++; lh_is_digit(*s);) s++;
    return s;
}

/* h[0].A.P, and W:= for what an update makes. */
static const char *path_end(const char *s) {
    for (s = name_end(s);;) {
        const char *turn = index_end(s), *next = turn ? turn : s;
        if (*next != '.' || !starts_name(next + 1)) break;
        s = name_end(next + 1);
    }
    return s[0] == ':' && s[1] == '=' ? s + 2 : s;
}

/* Behind the path: {example 1, head 2}, @3, [1][0], @3. */
static const char *address_end(const char *s) {
    s = path_end(s);
    if (*s == '{' && strchr(s, '}')) s = strchr(s, '}') + 1;
    s = step_end(s);
    for (int i = 0; i < 2; i++) {
        const char *end = index_end(s);
        if (end) s = end;
    }
    return step_end(s);
}

/* A name that is no address: a call, the name of an argument, a word of the language. */
static bool is_word(const char *s, const char *end) {
    static const char *const words[] = {"last", "pi", "inf", "and"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == (size_t)(end - s) && strncmp(s, words[i], (size_t)(end - s)) == 0)
            return true;
    const char *next = skip_spaces(end);
    return *next == '(' || (*next == '=' && next[1] != '=');
}

static const char *number_end(const char *s) {
    while (lh_is_digit(*s) || *s == '.') s++;
    if ((*s | 32) == 'e') {
        const char *e = s + 1;
        if (*e == '+' || *e == '-') e++;
        if (lh_is_digit(*e))
            for (s = e; lh_is_digit(*s);) s++;
    }
    return s;
}

typedef enum piece_kind { PIECE_END, PIECE_SIGN, PIECE_ADDRESS, PIECE_STRING } piece_kind;

typedef struct piece {
    piece_kind kind;
    const char *s, *end; /* all of it */
    const char *address; /* behind the program's name */
} piece;

/* The next piece of an expression. Whatever is neither an address nor a string passes as it stands. */
static piece next_piece(const char *s) {
    if (!*s) return (piece){PIECE_END, s, s, NULL};
    if (*s == '"') {
        const char *end = strchr(s + 1, '"');
        return (piece){PIECE_STRING, s, end ? end + 1 : s + strlen(s), NULL};
    }
    if (s[0] == '^' && s[1] == 'T' && name_end(s + 1) == s + 2)
        return (piece){PIECE_SIGN, s, s + 2, NULL};
    if (lh_is_digit(*s) || (*s == '.' && lh_is_digit(s[1])))
        return (piece){PIECE_SIGN, s, number_end(s), NULL};
    if (!starts_name(s)) return (piece){PIECE_SIGN, s, s + 1, NULL};
    const char *end = name_end(s), *address = s;
    if (end[0] == ':' && starts_name(end + 1)) address = end + 1, end = name_end(address);
    if (is_word(address, end)) return (piece){PIECE_SIGN, s, end, NULL};
    return (piece){PIECE_ADDRESS, s, address_end(address), address};
}

/* ---- reading them ---- */

typedef struct reference {
    int program;
    lh_address address;
    lh_value value;
    const char *name; /* in the small program */
} reference;

static bool find_program(lh_live *v, const piece *p, lh_where where, int *program) {
    *program = where.program;
    if (p->address == p->s) return true;
    const char *name = lh_copy(v->l->arena, p->s, (size_t)(p->address - p->s) - 1);
    *program = lh_lesson_program_named(v->l, name, where.exercise);
    if (*program >= 0) return true;
    const char *known[64] = {"this"};
    int n = 1;
    for (int i = 1; i < v->l->n_programs && n < 64; i++) known[n++] = v->l->program[i].name;
    const char *near = lh_nearest(name, known, n);
    lh_fail(v->ctx, LH_ERROR_NAME, where.at, "there is no program named %.60s", name);
    if (near)
        lh_cure(v->ctx, "did you mean %s?", near);
    else
        lh_cure(v->ctx, "a line of a use block names it: %.60s = this --set rate=1", name);
    return false;
}

static bool parse_address(lh_live *v, const piece *p, lh_where where, reference *r) {
    const char *text = lh_copy(v->l->arena, p->address, (size_t)(p->end - p->address));
    return find_program(v, p, where, &r->program) && lh_address_parse(v->ctx, text, &r->address);
}

void lh_live_announce_all(lh_live *v, const char *expr, lh_where where) {
    for (piece p = next_piece(expr); p.kind != PIECE_END; p = next_piece(p.end)) {
        reference r;
        if (p.kind != PIECE_ADDRESS) continue;
        if (parse_address(v, &p, where, &r)) lh_live_announce(v, r.program, &r.address);
        if (lh_failed(v->ctx) && v->ctx->error.kind == LH_ERROR_MEMORY) return;
        lh_context_clear(v->ctx); /* it fails again, with its place, when it is worked out */
    }
}

/* The number of a word, in whichever vocabulary has it. */
static bool read_word(lh_live *v, const piece *p, lh_where where, double *number) {
    lh_graph *g = lh_live_graph(v, where.program);
    if (!g) return false;
    size_t n = (size_t)(p->end - p->s);
    const char *word = lh_copy(v->l->arena, p->s + 1, n < 2 ? 0 : n - 2);
    for (int i = 0; i < g->n_vocabs; i++) {
        int found = lh_vocab_word(g->vocab[i], word);
        if (found < 0) continue;
        *number = found;
        return true;
    }
    lh_fail(v->ctx, LH_ERROR_NAME, where.at, "no vocabulary has the word \"%.60s\"", word);
    return false;
}

/* ---- the small program ---- */

#define RESULT "the_result_of_it" /* no lesson has a step of this name */

typedef struct small {
    lh_live *v;
    lh_where where;
    reference *reference;
    int n_references;
    lh_text given, step;
} small;

/* loss@1 -> loss_at_1: a name as near to the address as the notation allows, so that messages can be read. */
static const char *small_name(small *m, const piece *p) {
    lh_text t = lh_text_new(m->v->l->arena);
    for (const char *s = p->s; s < p->end; s++) {
        bool is_plain = starts_name(s) || lh_is_digit(*s) || (unsigned char)*s >= 0x80;
        if (is_plain)
            lh_text_add_n(&t, s, 1);
        else if (*s == '@')
            lh_text_add(&t, "_at_");
        else if (*s != ']' && *s != '}' && t.n && t.s[t.n - 1] != '_')
            lh_text_add(&t, "_");
    }
    for (int i = 0; i < m->n_references; i++)
        if (strcmp(m->reference[i].name, t.s) == 0) lh_text_add(&t, "_"), i = -1;
    return t.s;
}

static bool is_size(lh_live *v, const reference *r) {
    lh_graph *g = lh_live_graph(v, r->program);
    lh_step *s = g ? lh_address_find(g, &r->address) : NULL;
    return s && s->node->kind == LH_OP_size;
}

static void add_given(small *m, const reference *r) {
    const lh_value *x = &r->value;
    char number[LH_NUMBER_MAX];
    bool is_one = x->rows == 1 && x->cols == 1 && isfinite(x->cell[0]);
    if (is_one)
        lh_text_add(&m->given, "%s %s = %s\n", is_size(m->v, r) ? "size" : "const", r->name,
                    lh_number_exact(number, sizeof number, x->cell[0]));
    else
        lh_text_add(&m->given, "param %s : %d x %d = 0\n", r->name, x->rows, x->cols);
}

static void add_address(small *m, const piece *p) {
    reference r = {0};
    if (!parse_address(m->v, p, m->where, &r)) return;
    if (!lh_live_read(m->v, r.program, &r.address, &r.value)) return;
    r.name = small_name(m, p);
    add_given(m, &r);
    lh_text_add(&m->step, "%s", r.name);
    *lh_push(m->v->l->arena, m->reference, m->n_references) = r;
}

static void add_piece(small *m, const piece *p) {
    double number = 0;
    if (p->kind == PIECE_ADDRESS)
        add_address(m, p);
    else if (p->kind == PIECE_STRING && read_word(m->v, p, m->where, &number))
        lh_text_add(&m->step, "%g", number);
    else if (p->kind == PIECE_SIGN)
        lh_text_add_n(&m->step, p->s, (size_t)(p->end - p->s));
}

/* Functions of the lesson's program may be called too. Where that program is broken, 1 + 1 is still 2. */
static void add_functions(small *m, lh_program *p) {
    const lh_lesson_program *own = &m->v->l->program[m->where.program];
    if (!own->text && own->of < 0) return;
    const lh_program *from = lh_live_program_of(m->v, m->where.program);
    if (!from && m->v->ctx->error.kind != LH_ERROR_MEMORY) lh_context_clear(m->v->ctx);
    for (int i = 0; from && i < from->n_statements; i++)
        if (from->statement[i]->kind == LH_S_FN || from->statement[i]->kind == LH_S_GRAD)
            *lh_push(p->arena, p->statement, p->n_statements) = from->statement[i];
}

static void fill(const small *m, lh_graph *g, lh_plan *plan) {
    for (int i = 0; i < m->n_references; i++) {
        const reference *r = &m->reference[i];
        const lh_step *s = lh_graph_step(g, r->name);
        bool is_one = r->value.rows == 1 && r->value.cols == 1 && isfinite(r->value.cell[0]);
        for (int k = 0; s && !is_one && k < r->value.rows * r->value.cols; k++)
            lh_exact.set(plan, s->node, (lh_cell){0, 0, k / r->value.cols, k % r->value.cols},
                         r->value.cell[k]);
    }
}

static bool take_result(small *m, lh_graph *g, lh_plan *plan, lh_value *out) {
    const lh_node *n = lh_graph_step(g, RESULT)->node;
    lh_sizes z = lh_exact.sizes(plan, n, 0);
    double *cell =
        lh_alloc_array(m->v->l->arena, (size_t)z.rows * (size_t)z.cols + 1, sizeof *cell);
    if (!cell) return false;
    for (int k = 0; k < z.rows * z.cols; k++)
        cell[k] = lh_exact.get(plan, n, (lh_cell){0, 0, k / z.cols, k % z.cols});
    *out = (lh_value){z.rows, z.cols, cell, NULL};
    return true;
}

static bool small_run(small *m, lh_value *out) {
    lh_context *ctx = m->v->ctx;
    lh_text_add(&m->given, RESULT " = %s\n", m->step.s);
    lh_program *p = lh_program_parse(ctx, "expression", m->given.s, m->given.n);
    if (p) add_functions(m, p);
    lh_graph *g = p ? lh_graph_build(ctx, p, NULL) : NULL;
    lh_plan *plan = g ? lh_exact.plan(g, &(lh_wish){.all = true}) : NULL;
    bool good = false;
    if (plan) {
        lh_exact.start(plan);
        fill(m, g, plan);
        lh_exact.bind(plan, NULL, 0);
        lh_exact.run(plan);
        good = !lh_failed(ctx) && take_result(m, g, plan, out);
    }
    lh_exact.free(plan);
    lh_graph_free(g);
    lh_program_free(p);
    return good && !lh_failed(ctx);
}

/* An error of a program keeps its place there; all else is at the expression. */
static bool fail_here(lh_live *v, lh_where where) {
    for (int i = 0; i < v->n_programs; i++)
        if (v->program[i]->is_failed && strcmp(v->program[i]->error.what, v->ctx->error.what) == 0)
            return false;
    lh_live_fail_at(v, where.at);
    return false;
}

/* average(...) or total(...): of one example it would be that example, and say nothing of the others. */
static bool check_examples(small *m, const char *expr) {
    const char *found = NULL;
    for (piece p = next_piece(expr); p.kind != PIECE_END && !found; p = next_piece(p.end)) {
        size_t n = (size_t)(p.end - p.s);
        if (p.kind != PIECE_SIGN || *skip_spaces(p.end) != '(') continue;
        if (n == 7 && strncmp(p.s, "average", n) == 0) found = "average";
        if (n == 5 && strncmp(p.s, "total", n) == 0) found = "total";
    }
    for (int i = 0; found && i < m->n_references; i++) {
        const lh_graph *g = lh_live_graph(m->v, m->reference[i].program);
        if (!g || g->n_examples < 2) continue;
        lh_fail(m->v->ctx, LH_ERROR_VALUE, m->where.at,
                "%s goes over all examples, and an expression sees one of them", found);
        lh_cure(m->v->ctx, "name it in the program: mean = %s(...), then {{mean}}", found);
        return false;
    }
    return true;
}

static bool evaluate(lh_live *v, const char *expr, lh_where where, lh_value *out) {
    if (lh_failed(v->ctx)) return false;
    const char *start = skip_spaces(expr);
    piece first = next_piece(start);
    if (first.kind == PIECE_ADDRESS && !*skip_spaces(first.end)) { /* the usual case */
        reference r = {0};
        bool good =
            parse_address(v, &first, where, &r) && lh_live_read(v, r.program, &r.address, out);
        return good || fail_here(v, where);
    }
    small m = {v, where, NULL, 0, lh_text_new(v->l->arena), lh_text_new(v->l->arena)};
    for (piece p = first; p.kind != PIECE_END && !lh_failed(v->ctx); p = next_piece(p.end))
        add_piece(&m, &p);
    bool good = !lh_failed(v->ctx) && check_examples(&m, expr) && small_run(&m, out);
    return good || fail_here(v, where);
}

lh_step *lh_live_step(lh_live *v, const char *address, lh_where where) {
    const char *start = skip_spaces(address);
    piece p = next_piece(start);
    reference r = {0};
    lh_value value;
    if (lh_failed(v->ctx)) return NULL;
    if (p.kind != PIECE_ADDRESS || *skip_spaces(p.end)) {
        lh_fail(v->ctx, LH_ERROR_TEXT, where.at, "\"%.60s\" is not an address", address);
        lh_cure(v->ctx, "an address looks like P[1][0], h[0].A.P{example 2, head 1} or WO@1");
        fail_here(v, where);
        return NULL;
    }
    bool good = parse_address(v, &p, where, &r) && lh_live_read(v, r.program, &r.address, &value);
    lh_graph *g = good ? lh_live_graph(v, r.program) : NULL;
    lh_step *s = g ? lh_address_find(g, &r.address) : NULL;
    if (!s) fail_here(v, where);
    return s;
}

/* ---- claims ---- */

typedef struct comparison {
    const char *s; /* where the sign stands; NULL: there is none */
    size_t n;
    int sign; /* its place in signs[] */
} comparison;

static const struct {
    const char *text, *shown;
} signs[] = {
    {"<=", "\u2264"}, {">=", "\u2265"},     {"==", "="},          {"!=", "\u2260"},     {"<", "<"},
    {">", ">"},       {"\u2264", "\u2264"}, {"\u2265", "\u2265"}, {"\u2260", "\u2260"},
};

static bool holds(int sign, double a, double b) {
    switch (sign) {
    case 0:
    case 6: return a <= b;
    case 1:
    case 7: return a >= b;
    case 2: return a == b;
    case 3:
    case 8: return a != b;
    case 4: return a < b;
    default: return a > b;
    }
}

static int depth_change(char c) {
    return c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
}

static comparison find_comparison(const char *s, const char *end) {
    int depth = 0;
    for (bool in_string = false; s < end; s++) {
        if (*s == '"') in_string = !in_string;
        if (in_string) continue;
        depth += depth_change(*s);
        for (int i = 0; depth == 0 && i < (int)(sizeof signs / sizeof *signs); i++) {
            size_t n = strlen(signs[i].text);
            if (strncmp(s, signs[i].text, n) == 0) return (comparison){s, n, i};
        }
    }
    return (comparison){NULL, 0, 0};
}

/* Where this part of a claim ends: at the next `and` outside brackets. */
static const char *part_end(const char *s) {
    int depth = 0;
    for (const char *from = s; *s; s++) {
        if (*s == '"' && strchr(s + 1, '"')) s = strchr(s + 1, '"');
        depth += depth_change(*s);
        if (depth == 0 && strncmp(s, "and", 3) == 0 && s > from && s[-1] == ' ' && s[3] == ' ')
            return s;
    }
    return s;
}

bool lh_live_is_claim(const char *expr) {
    const char *end = part_end(expr);
    return *end || find_comparison(expr, end).s;
}

static bool fits(int a, int b) {
    return a == b || a == 1 || b == 1;
}

static double cell_at(const lh_value *x, int r, int c) {
    return x->cell[(x->rows == 1 ? 0 : r) * x->cols + (x->cols == 1 ? 0 : c)];
}

static const char *one_text(lh_arena *a, const lh_value *x, int digits) {
    bool is_word = x->vocab && x->rows == 1 && x->cols == 1 && x->cell[0] >= 0 &&
                   x->cell[0] < x->vocab->n_words;
    return is_word ? x->vocab->word[(int)x->cell[0]] : lh_value_text(a, x, digits);
}

/* Two numbers that differ are written with as many digits as it takes to see it. */
static const char *shown_text(lh_live *v, const lh_value *x, const lh_value *y, int sign,
                              int digits) {
    lh_arena *a = v->l->arena;
    const char *left = one_text(a, x, digits), *right = one_text(a, y, digits);
    bool is_one = x->rows * x->cols == 1 && y->rows * y->cols == 1;
    while (is_one && digits < 17 && x->cell[0] != y->cell[0] && strcmp(left, right) == 0) {
        digits++;
        left = one_text(a, x, digits);
        right = one_text(a, y, digits);
    }
    return lh_printf(a, "%s %s %s", left, signs[sign].shown, right);
}

static void compare(const lh_value *x, const lh_value *y, int sign, lh_claim *out) {
    int rows = x->rows > y->rows ? x->rows : y->rows, cols = x->cols > y->cols ? x->cols : y->cols;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            out->left = cell_at(x, r, c);
            out->right = cell_at(y, r, c);
            out->row = r;
            out->col = c;
            out->holds = holds(sign, out->left, out->right);
            if (!out->holds) return;
        }
}

static bool read_side(lh_live *v, const char *s, const char *end, lh_where where, lh_value *out) {
    return evaluate(v, lh_copy(v->l->arena, s, (size_t)(end - s)), where, out);
}

/* A side that is a word alone is its number in the vocabulary of the other side: fast:guess == "C". */
static bool read_quoted(lh_live *v, const char *s, const char *end, const lh_value *other,
                        lh_value *out) {
    const char *from = skip_spaces(s);
    piece p = next_piece(from);
    if (p.kind != PIECE_STRING || skip_spaces(p.end) < end || !other->vocab || p.end - p.s < 2)
        return false;
    int word =
        lh_vocab_word(other->vocab, lh_copy(v->l->arena, p.s + 1, (size_t)(p.end - p.s) - 2));
    if (word < 0) return false;
    double *cell = lh_alloc(v->l->arena, sizeof *cell);
    *cell = word;
    *out = (lh_value){1, 1, cell, other->vocab};
    return true;
}

static const char *side_text(lh_live *v, const char *s, const char *end) {
    s = skip_spaces(s);
    while (end > s && end[-1] == ' ') end--;
    return lh_copy(v->l->arena, s, (size_t)(end - s));
}

static bool claim_part(lh_live *v, const char *s, const char *end, lh_where where, int digits,
                       lh_claim *out) {
    comparison sign = find_comparison(s, end);
    lh_value x = {0}, y = {0};
    if (!sign.s) {
        lh_fail(v->ctx, LH_ERROR_TEXT, where.at, "\"%.*s\" compares nothing",
                (int)(end - s < 60 ? end - s : 60), s);
        lh_cure(v->ctx, "each part of a claim looks like loss@1 < loss@0");
        return fail_here(v, where);
    }
    const char *right = sign.s + sign.n;
    if (!read_side(v, s, sign.s, where, &x)) return false;
    if (!read_quoted(v, right, end, &x, &y) && !read_side(v, right, end, where, &y)) return false;
    if (!fits(x.rows, y.rows) || !fits(x.cols, y.cols)) {
        lh_fail(v->ctx, LH_ERROR_SHAPE, where.at, "%.*s: %dx%d cannot be compared with %dx%d",
                (int)(end - s < 60 ? end - s : 60), s, x.rows, x.cols, y.rows, y.cols);
        return fail_here(v, where);
    }
    if (x.vocab && !y.vocab) y.vocab = x.vocab;
    if (y.vocab && !x.vocab) x.vocab = y.vocab;
    const char *before = out->shown;
    compare(&x, &y, sign.sign, out);
    out->vocab = x.vocab;
    out->left_text = side_text(v, s, sign.s);
    out->right_text = side_text(v, right, end);
    out->sign = signs[sign.sign].shown;
    out->shown = shown_text(v, &x, &y, sign.sign, digits);
    if (before) out->shown = lh_printf(v->l->arena, "%s and %s", before, out->shown);
    return true;
}

bool lh_live_claim(lh_live *v, const char *expr, lh_where where, int digits, lh_claim *out) {
    *out = (lh_claim){.holds = true};
    if (lh_failed(v->ctx)) return false;
    for (const char *s = expr;;) {
        const char *end = part_end(s);
        if (!claim_part(v, s, end, where, digits ? digits : 4, out)) return false;
        if (!out->holds || !*end) return true;
        s = end + 3;
    }
}

bool lh_live_value(lh_live *v, const char *expr, lh_where where, lh_value *out) {
    lh_claim claim;
    if (!lh_live_is_claim(expr)) return evaluate(v, expr, where, out);
    if (!lh_live_claim(v, expr, where, 0, &claim)) return false;
    double *cell = lh_alloc(v->l->arena, sizeof *cell);
    *cell = claim.holds;
    *out = (lh_value){1, 1, cell, NULL};
    return true;
}

const char *lh_value_text(lh_arena *a, const lh_value *x, int digits) {
    lh_text t = lh_text_new(a);
    char number[LH_NUMBER_MAX];
    for (int i = 0; i < x->rows * x->cols; i++) {
        const char *before = i == 0 ? "" : i % x->cols ? " " : "; ";
        lh_text_add(&t, "%s%s", before, lh_number_text(number, sizeof number, x->cell[i], digits));
    }
    return t.s;
}
