/* Formulas, by recursive descent: one function for each line of the grammar.
 *
 *     expr -> sum -> term -> unary -> power -> postfix -> atom
 */
#include "base/ascii.h"
#include "base/utf8.h"
#include "notation/parser.h"

#include <math.h>
#include <string.h>

bool lh_parser_is(const lh_parser *p, const char *name) {
    const lh_lexer_token *t = &p->lx.tok;
    size_t n = strlen(name);
    return t->kind == LH_T_NAME && (size_t)t->at.len == n && memcmp(t->s, name, n) == 0;
}

bool lh_parser_accept(lh_parser *p, lh_token_kind kind) {
    if (p->lx.tok.kind != kind) return false;
    lh_lexer_next(&p->lx);
    return true;
}

const char *lh_parser_cut(lh_parser *p, const char *s, size_t n) {
    if (n <= 40) return lh_copy(p->lx.arena, s, n);
    for (n = 40; !lh_utf8_starts(s[n]);) n--;
    return lh_printf(p->lx.arena, "%.*s...", (int)n, s);
}

const char *lh_parser_found(lh_parser *p) {
    const lh_lexer_token *t = &p->lx.tok;
    if (t->kind == LH_T_END) return "the end of the text";
    if (t->kind == LH_T_NEWLINE) return "the end of the line";
    return lh_printf(p->lx.arena, "`%s`", lh_parser_cut(p, t->s, (size_t)t->at.len));
}

/* One level deeper. Where it is too deep the context fails, and the recursion ends at the next
 * token. */
static void enter(lh_parser *p, lh_place at) {
    if (++p->depth > LH_MAX_DEPTH)
        lh_lexer_fail(&p->lx, LH_ERROR_LIMIT, at, "give an inner part a name of its own",
                      "brackets, signs or powers are nested more than %d levels deep",
                      LH_MAX_DEPTH);
}

static void leave(lh_parser *p) {
    p->depth--;
}

lh_bracket lh_parser_open(lh_parser *p) {
    lh_bracket outside = {p->open, p->in_shape};
    p->open = p->lx.tok.at;
    p->in_shape = false;
    enter(p, p->open);
    lh_lexer_next(&p->lx);
    return outside;
}

static void never_closed(lh_parser *p) {
    lh_parser_fail(p, p->open, "add the closing bracket where it belongs",
                   "this bracket is never closed");
}

/* A bracket that is left open swallows the lines below it: then the bracket is what is wrong, not
 * the line. */
void lh_parser_close(lh_parser *p, lh_token_kind kind, lh_bracket outside) {
    const lh_lexer_token *t = &p->lx.tok;
    char sign = kind == LH_T_CLOSE ? ')' : ']';
    if (t->kind == LH_T_END || (t->kind != kind && t->at.line > p->lx.last.line))
        never_closed(p);
    else if (t->kind == LH_T_ASSIGN)
        lh_parser_fail(p, t->at, "`==` compares two values",
                       "`=` is not allowed here: expected `%c`", sign);
    else if (t->kind != kind)
        lh_parser_fail(p, t->at,
                       t->kind == LH_T_COMMA && kind == LH_T_UNBRACKET
                           ? "a row and a column have a bracket each: A[1][0]"
                           : "an operator, a comma or a closing bracket is missing before it",
                       "expected `%c`, found %s", sign, lh_parser_found(p));
    else
        lh_lexer_next(&p->lx);
    p->depth--;
    p->open = outside.open;
    p->in_shape = outside.in_shape;
}

static bool is_glued(lh_place before, lh_place behind) {
    return before.line == behind.line && before.col + before.len == behind.col;
}

/* 0,5 as many countries write one half: the comma in hand, right between digits. */
static bool is_decimal_comma(const lh_parser *p) {
    const lh_lexer *lx = &p->lx;
    return lx->tok.kind == LH_T_COMMA && is_glued(lx->last, lx->tok.at) &&
           lh_is_digit(lx->tok.s[-1]) && lx->pos < lx->end && lh_is_digit(*lx->pos);
}

void lh_parser_line_end(lh_parser *p) {
    const lh_lexer_token *t = &p->lx.tok;
    switch (t->kind) {
    case LH_T_NEWLINE:
    case LH_T_END: return;
    case LH_T_ASSIGN:
        lh_parser_fail(p, t->at, "`==` compares two values; a line defines one name",
                       "`=` is not allowed inside a formula");
        return;
    case LH_T_CLOSE:
    case LH_T_UNBRACKET:
        lh_parser_fail(p, t->at, "delete it, or add the opening bracket further left",
                       "%s has no opening bracket", lh_parser_found(p));
        return;
    case LH_T_NAME:
    case LH_T_NUMBER:
    case LH_T_STRING:
    case LH_T_OPEN:
        lh_parser_fail(p, t->at, "a product is written a * b or a @ b; a comment begins with #",
                       "expected the end of the line, found %s", lh_parser_found(p));
        return;
    default:
        lh_parser_fail(p, t->at,
                       is_decimal_comma(p) ? "a decimal number has a point: 0.5"
                       : t->kind == LH_T_SEMICOLON
                           ? "a ; separates rows of a matrix; a line just ends"
                           : "a comment begins with #",
                       "expected the end of the line, found %s", lh_parser_found(p));
    }
}

/* `vocab` is a size everywhere and `last` a row: neither can be made. */
const char *lh_parse_name(lh_parser *p, const char *what) {
    const lh_lexer_token *t = &p->lx.tok;
    if (t->kind != LH_T_NAME)
        lh_parser_fail(p, t->at,
                       "a name consists of letters, digits and _ and starts with a letter",
                       "expected %s, found %s", what, lh_parser_found(p));
    else if (lh_parser_is(p, "vocab"))
        lh_parser_fail(p, t->at, "choose another name",
                       "`vocab` is the size of the vocabulary and cannot be used as a name");
    else if (lh_parser_is(p, "last"))
        lh_parser_fail(p, t->at, "choose another name",
                       "`last` is the last row, as in H[last], and cannot be used as a name");
    if (lh_failed(p->lx.ctx)) return "";
    const char *name = lh_token_copy(&p->lx);
    lh_lexer_next(&p->lx);
    return name;
}

static lh_expr *expr_new(lh_parser *p, lh_expr_kind kind, lh_place at) {
    lh_expr *e = lh_alloc(p->lx.arena, sizeof *e);
    e->kind = kind;
    e->at = at;
    e->height = 1;
    return e;
}

/* A chain such as a + a + a ... is as high as it is long. */
static void grow(lh_parser *p, lh_expr *e, const lh_expr *child) {
    if (child->height >= e->height) e->height = child->height + 1;
    if (e->height > LH_MAX_HEIGHT)
        lh_lexer_fail(&p->lx, LH_ERROR_LIMIT, e->at, "give a part of it a name of its own",
                      "this formula has more than %d operations nested inside each other",
                      LH_MAX_HEIGHT);
}

/* The operations of the grammar have up to three operands: there is room for them from the start.
 */
static lh_expr *operation(lh_parser *p, lh_expr_kind kind, lh_place start, lh_expr *a, lh_expr *b) {
    lh_expr *e = expr_new(p, kind, lh_lexer_span(&p->lx, start));
    e->arg = lh_alloc_array(p->lx.arena, 3, sizeof(lh_expr *));
    e->arg[e->n_args++] = a;
    grow(p, e, a);
    if (b) {
        e->arg[e->n_args++] = b;
        grow(p, e, b);
    }
    return e;
}

static void call_add(lh_parser *p, lh_expr *call, const char *name, lh_expr *arg) {
    int n = call->n_args;
    *lh_push(p->lx.arena, call->argname, n) = name;
    *lh_push(p->lx.arena, call->arg, call->n_args) = arg;
    grow(p, call, arg);
}

/* k = expr, or expr alone: only behind a bare name does `=` belong to the argument. */
static void argument(lh_parser *p, lh_expr *call) {
    bool may_name = p->lx.tok.kind == LH_T_NAME;
    lh_expr *e = lh_parse_expr(p);
    const char *name = NULL;
    if (may_name && e->kind == LH_E_NAME && p->lx.tok.kind == LH_T_ASSIGN) {
        name = e->text;
        lh_lexer_next(&p->lx);
        e = lh_parse_expr(p);
    }
    call_add(p, call, name, e);
}

static lh_expr *call(lh_parser *p, lh_place start, const char *name) {
    lh_expr *e = expr_new(p, LH_E_CALL, start);
    e->text = name;
    lh_bracket b = lh_parser_open(p);
    if (p->lx.tok.kind != LH_T_CLOSE) {
        do argument(p, e);
        while (lh_parser_accept(p, LH_T_COMMA));
    }
    lh_parser_close(p, LH_T_CLOSE, b);
    e->at = lh_lexer_span(&p->lx, start);
    return e;
}

static lh_expr *name_or_call(lh_parser *p) {
    lh_place start = p->lx.tok.at;
    if (lh_parser_is(p, "last")) {
        lh_parser_fail(p, start, "H[last] is the last row, H[rows(H) - 2] the one before it",
                       "`last` can only be used alone, between [ and ]");
        return expr_new(p, LH_E_LAST, start);
    }
    const char *name = lh_token_copy(&p->lx);
    lh_lexer_next(&p->lx);
    if (p->lx.tok.kind == LH_T_OPEN) return call(p, start, name);
    lh_expr *e = expr_new(p, LH_E_NAME, start);
    e->text = name;
    return e;
}

static lh_expr *bracketed(lh_parser *p) {
    lh_bracket b = lh_parser_open(p);
    lh_expr *e = lh_parse_expr(p);
    lh_parser_close(p, LH_T_CLOSE, b);
    return e;
}

static void matrix_wrong(lh_parser *p) {
    const lh_lexer_token *t = &p->lx.tok;
    if (t->kind == LH_T_END)
        never_closed(p);
    else if (t->kind == LH_T_BRACKET)
        lh_parser_fail(
            p, t->at, "a matrix is written [1 0; 0 1]: one pair of brackets, a ; between rows",
            "a matrix contains only numbers, and %s is not a number", lh_parser_found(p));
    else if (t->kind == LH_T_NAME || t->kind == LH_T_STRING || t->kind == LH_T_OPEN)
        lh_parser_fail(
            p, t->at, "beside(a, b) joins values side by side, above(a, b) one above the other",
            "a matrix contains only numbers, and %s is not a number", lh_parser_found(p));
    else
        lh_parser_fail(p, t->at, "a matrix is written [1 0; 0 1]: a ; between its rows, no sums",
                       "expected a number of the matrix, found %s", lh_parser_found(p));
}

/* [1 - 2] and [1-2] are two numbers, and look like one; [1 -2] is plain. */
static void warn_minus(lh_parser *p, lh_place before, lh_place minus, const char *first) {
    const lh_place *number = &p->lx.tok.at;
    const bool is_line = before.line == minus.line && minus.line == number->line,
               is_plain = !is_glued(before, minus) && is_glued(minus, *number);
    if (!is_line || is_plain || p->lx.tok.kind != LH_T_NUMBER) return;
    lh_place at = {before.line, before.col, number->col + number->len - before.col};
    lh_warn(p->lx.ctx, at,
            "this is read as two numbers, %s and -%.*s: for these write %s -%.*s, for the "
            "difference its value",
            first, number->len, p->lx.tok.s, first, number->len, p->lx.tok.s);
}

/* One number of a matrix, or inf; n counts them all. */
static void matrix_cell(lh_parser *p, lh_expr *m, int *n, bool may_warn) {
    lh_place before = p->lx.last, minus = p->lx.tok.at;
    bool negative = lh_parser_accept(p, LH_T_MINUS), is_inf = lh_parser_is(p, "inf");
    if (p->lx.tok.kind != LH_T_NUMBER && !is_inf) {
        matrix_wrong(p);
        return;
    }
    if (negative && may_warn) warn_minus(p, before, minus, m->celltext[*n - 1]);
    const lh_lexer_token *t = &p->lx.tok;
    const char *text = lh_printf(p->lx.arena, "%s%.*s", negative ? "-" : "", t->at.len, t->s);
    double value = is_inf ? INFINITY : t->number;
    int same = *n;
    *lh_push(p->lx.arena, m->celltext, same) = text;
    *lh_push(p->lx.arena, m->cell, *n) = negative ? -value : value;
    lh_lexer_next(&p->lx);
}

/* What a matrix shows of how it is written: [0,5 1,5] has the signs of decimal commas, but [1, 2], [1,2] and [1.5,2 3] have not. */
typedef struct matrix_look {
    lh_place comma; /* of the row in hand: the number before a comma between digits; line 0: none */
    bool has_space, has_point; /* of the row in hand */
    bool is_decimal;           /* a row has such a comma and no point */
} matrix_look;

static void look_behind(const lh_parser *p, matrix_look *look, const char *cell) {
    if (is_decimal_comma(p) && !look->comma.line) look->comma = p->lx.last;
    look->has_space |= p->lx.tok.kind == LH_T_NUMBER || p->lx.tok.kind == LH_T_MINUS;
    look->has_point |= strchr(cell, '.') != NULL;
}

static void matrix_row(lh_parser *p, lh_expr *m, int *n, matrix_look *look) {
    lh_place start = p->lx.tok.at;
    int before = *n;
    lh_token_kind kind;
    bool may_warn = false;
    *look = (matrix_look){.is_decimal = look->is_decimal};
    do {
        matrix_cell(p, m, n, may_warn);
        if (lh_failed(p->lx.ctx)) return;
        look_behind(p, look, m->celltext[*n - 1]);
        may_warn = p->lx.tok.kind != LH_T_COMMA;
        if (lh_parser_accept(p, LH_T_COMMA)) continue;
        kind = p->lx.tok.kind;
        if (kind == LH_T_SEMICOLON || kind == LH_T_UNBRACKET || kind == LH_T_END) break;
        if (kind == LH_T_NAME && !lh_parser_is(p, "inf") && p->lx.tok.at.line > p->lx.last.line)
            break; /* ] was forgotten */
    } while (!lh_failed(p->lx.ctx));
    int cols = *n - before;
    m->rows++;
    if (m->rows == 1) m->cols = cols;
    look->is_decimal |= look->comma.line && !look->has_point;
    if (cols != m->cols)
        lh_parser_fail(p, lh_lexer_span(&p->lx, start),
                       look->is_decimal
                           ? "a decimal number has a point: 0.5"
                           : "every row of a matrix needs as many numbers as the first",
                       "row %d has %d number%s, the first row has %d", m->rows, cols,
                       cols == 1 ? "" : "s", m->cols);
    else if (look->comma.line && look->has_space && !look->has_point)
        lh_warn(p->lx.ctx, look->comma,
                "a comma separates two numbers, so this row has %d: a decimal number has a point, "
                "0.5",
                cols);
}

static lh_expr *matrix(lh_parser *p) {
    lh_expr *m = expr_new(p, LH_E_MATRIX, p->lx.tok.at);
    int n = 0;
    lh_bracket b = lh_parser_open(p);
    if (p->lx.tok.kind == LH_T_UNBRACKET)
        lh_parser_fail(p, m->at, "zeros(rows, cols) makes a matrix of zeros",
                       "this matrix is empty: it needs at least one number");
    matrix_look look = {0};
    do matrix_row(p, m, &n, &look);
    while (lh_parser_accept(p, LH_T_SEMICOLON));
    lh_parser_close(p, LH_T_UNBRACKET, b);
    m->at = lh_lexer_span(&p->lx, m->at);
    return m;
}

/* What a formula cannot begin with, and what its writer probably meant. */
static void value_missing(lh_parser *p) {
    const lh_lexer_token *t = &p->lx.tok;
    const char *cure = "a sign such as + or @ goes between two values";
    switch (t->kind) {
    case LH_T_END:
        if (p->open.line) never_closed(p);
        break;
    case LH_T_NEWLINE: cure = "a formula may break only inside ( ) or [ ]"; break;
    case LH_T_STAR: cure = "a power is written a^b"; break;
    case LH_T_SLASH: cure = "a comment begins with #"; break;
    case LH_T_ASSIGN: cure = "`==` compares two values"; break;
    case LH_T_PLUS: cure = "a number needs no + before it"; break;
    case LH_T_COMMA:
    case LH_T_CLOSE:
    case LH_T_UNBRACKET: cure = "something is missing before it, or it does not belong here"; break;
    default: break;
    }
    lh_parser_fail(p, t->at, cure, "expected a value, found %s", lh_parser_found(p));
}

static lh_expr *atom(lh_parser *p) {
    lh_lexer_token t = p->lx.tok;
    if (t.kind == LH_T_NAME) return name_or_call(p);
    if (t.kind == LH_T_OPEN) return bracketed(p);
    if (t.kind == LH_T_BRACKET) return matrix(p);
    lh_expr *e = expr_new(p, t.kind == LH_T_STRING ? LH_E_STRING : LH_E_NUMBER, t.at);
    if (t.kind != LH_T_NUMBER && t.kind != LH_T_STRING) {
        value_missing(p);
        return e;
    }
    e->number = t.kind == LH_T_NUMBER ? t.number : 0;
    e->text = t.kind == LH_T_NUMBER ? lh_token_copy(&p->lx) : t.text;
    lh_lexer_next(&p->lx);
    return e;
}

/* [ what stands in it ]. Only the rows have a `last`. */
static lh_expr *index_in(lh_parser *p, bool may_be_last) {
    lh_expr *e;
    if (may_be_last && lh_parser_is(p, "last")) {
        e = expr_new(p, LH_E_LAST, p->lx.tok.at);
        lh_lexer_next(&p->lx);
        if (p->lx.tok.kind != LH_T_UNBRACKET)
            lh_parser_fail(p, e->at, "H[last] is the last row, H[rows(H) - 2] the one before it",
                           "`last` can only be used alone, between [ and ]");
    } else {
        e = lh_parse_expr(p);
    }
    return e;
}

static lh_expr *column(lh_parser *p, lh_expr *e, lh_place start) {
    if (p->lx.tok.kind != LH_T_BRACKET)
        lh_parser_fail(p, p->lx.tok.at, "a column is written a[][j], a row a[i]",
                       "expected a column after `[]`, found %s", lh_parser_found(p));
    lh_bracket b = lh_parser_open(p);
    lh_expr *j = index_in(p, false);
    lh_parser_close(p, LH_T_UNBRACKET, b);
    return operation(p, LH_E_COLUMN, start, e, j);
}

/* a[i] is a row; a second index makes it a cell; a[][j] is a column. *row tells whether e is a row
 * still open for one. */
static lh_expr *index_of(lh_parser *p, lh_expr *e, lh_place start, bool *row) {
    bool is_second = *row;
    lh_bracket b = lh_parser_open(p);
    bool is_column = p->lx.tok.kind == LH_T_UNBRACKET;
    lh_expr *i = is_column ? NULL : index_in(p, !is_second);
    lh_parser_close(p, LH_T_UNBRACKET, b);
    *row = !is_second && !is_column;
    if (is_column) return column(p, e, start);
    if (!is_second) return operation(p, LH_E_ROW, start, e, i);
    e->kind = LH_E_CELL;
    e->at = lh_lexer_span(&p->lx, start);
    e->arg[e->n_args++] = i;
    grow(p, e, i);
    return e;
}

static lh_expr *postfix(lh_parser *p);

static lh_expr *root(lh_parser *p) {
    lh_place start = p->lx.tok.at;
    enter(p, start);
    lh_lexer_next(&p->lx);
    lh_expr *e = expr_new(p, LH_E_CALL, start);
    e->text = "sqrt";
    call_add(p, e, NULL, postfix(p));
    leave(p);
    e->at = lh_lexer_span(&p->lx, start);
    return e;
}

static lh_expr *postfix(lh_parser *p) {
    if (p->lx.tok.kind == LH_T_ROOT) return root(p);
    lh_place start = p->lx.tok.at;
    lh_expr *e = atom(p);
    bool row = false;
    for (;;) {
        if (p->lx.tok.kind == LH_T_BRACKET) {
            e = index_of(p, e, start, &row);
        } else if (lh_parser_accept(p, LH_T_TRANSPOSE)) {
            e = operation(p, LH_E_TRANSPOSE, start, e, NULL);
            row = false;
        } else {
            return e;
        }
    }
}

static lh_expr *unary(lh_parser *p);

static lh_expr *power(lh_parser *p) {
    lh_place start = p->lx.tok.at;
    lh_expr *e = postfix(p);
    if (p->lx.tok.kind != LH_T_POWER) return e;
    enter(p, p->lx.tok.at);
    lh_lexer_next(&p->lx);
    lh_expr *exponent = unary(p);
    leave(p);
    return operation(p, LH_E_POW, start, e, exponent);
}

static lh_expr *unary(lh_parser *p) {
    lh_place start = p->lx.tok.at;
    if (p->lx.tok.kind != LH_T_MINUS) return power(p);
    enter(p, start);
    lh_lexer_next(&p->lx);
    lh_expr *e = unary(p);
    leave(p);
    return operation(p, LH_E_NEG, start, e, NULL);
}

/* The operation that the token in hand stands for at this level, or LH_E_KINDS. */
static lh_expr_kind term_kind(const lh_parser *p) {
    switch (p->lx.tok.kind) {
    case LH_T_STAR: return LH_E_MUL;
    case LH_T_TIMES: return p->in_shape ? LH_E_KINDS : LH_E_TIMES;
    case LH_T_SLASH: return LH_E_DIV;
    case LH_T_AT: return LH_E_MATMUL;
    case LH_T_DOT: return LH_E_DOT;
    default: return LH_E_KINDS;
    }
}

static lh_expr *term(lh_parser *p) {
    lh_place start = p->lx.tok.at;
    lh_expr *e = unary(p);
    for (lh_expr_kind kind; (kind = term_kind(p)) != LH_E_KINDS;) {
        lh_lexer_next(&p->lx);
        lh_expr *right = unary(p);
        e = operation(p, kind, start, e, right);
    }
    return e;
}

lh_expr *lh_parse_sum(lh_parser *p) {
    lh_place start = p->lx.tok.at;
    lh_expr *e = term(p);
    while (p->lx.tok.kind == LH_T_PLUS || p->lx.tok.kind == LH_T_MINUS) {
        lh_expr_kind kind = p->lx.tok.kind == LH_T_PLUS ? LH_E_ADD : LH_E_SUB;
        lh_lexer_next(&p->lx);
        lh_expr *right = term(p);
        e = operation(p, kind, start, e, right);
    }
    return e;
}

/* The tokens and the operations of comparison stand in the same order. */
static bool is_comparison(lh_token_kind kind) {
    return kind >= LH_T_EQ && kind <= LH_T_GE;
}

lh_expr *lh_parse_expr(lh_parser *p) {
    lh_place start = p->lx.tok.at;
    lh_expr *e = lh_parse_sum(p);
    if (!is_comparison(p->lx.tok.kind)) return e;
    lh_expr_kind kind = (lh_expr_kind)(LH_E_EQ + (p->lx.tok.kind - LH_T_EQ));
    lh_lexer_next(&p->lx);
    lh_expr *right = lh_parse_sum(p);
    e = operation(p, kind, start, e, right);
    if (is_comparison(p->lx.tok.kind))
        lh_parser_fail(p, p->lx.tok.at, "(a < b) * (b < c) means both",
                       "a formula can compare only once, and this is a second %s",
                       lh_parser_found(p));
    return e;
}

lh_expr *lh_parse_pattern(lh_parser *p) {
    lh_place start = p->lx.tok.at;
    lh_expr *e = expr_new(p, LH_E_NAME, start);
    e->text = lh_parse_name(p, "the name of a parameter or of a call");
    if (p->lx.tok.kind != LH_T_OPEN) return e;
    e->kind = LH_E_CALL;
    lh_bracket b = lh_parser_open(p);
    do call_add(p, e, NULL, lh_parse_pattern(p));
    while (lh_parser_accept(p, LH_T_COMMA));
    lh_parser_close(p, LH_T_CLOSE, b);
    e->at = lh_lexer_span(&p->lx, start);
    return e;
}
