/* Statements. A table has one line for each keyword: what it is called, who reads it, and where it
 * may stand. */
#include "notation/parser.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { AT_TOP = 1, IN_REPEAT = 2, IN_EACH = 4, IN_FN = 8, IN_GRAD = 16 };

typedef struct keyword {
    const char *word;
    lh_statement_kind kind;
    unsigned places;
    /* begins with the keyword in hand, ends at the end of the line */
    void (*read)(lh_parser *p, lh_statement *s);
} keyword;

static lh_statement *statement_new(lh_parser *p, lh_statement_kind kind, lh_place at) {
    lh_statement *s = lh_alloc(p->lx.arena, sizeof *s);
    s->kind = kind;
    s->at = at;
    return s;
}

/* Blank lines: one for several, none where a list begins. */
static void scope_add(lh_parser *p, lh_statement *s) {
    lh_parser_scope *c = p->scope;
    if (s->kind == LH_S_BLANK && (*c->n == 0 || (*c->list)[*c->n - 1]->kind == LH_S_BLANK)) return;
    *lh_push(p->lx.arena, *c->list, *c->n) = s;
}

static void scope_end(lh_parser_scope *c) {
    if (*c->n > 0 && (*c->list)[*c->n - 1]->kind == LH_S_BLANK) --*c->n;
}

/* Takes the comment behind a statement; a bare # says nothing. */
static const char *comment_behind(lh_parser *p) {
    const char *s = lh_lexer_comment(&p->lx);
    while (s && (*s == ' ' || *s == '\t')) s++;
    return s && *s ? s : NULL;
}

static void finish(lh_parser *p, lh_statement *s) {
    lh_parser_line_end(p);
    s->at = lh_lexer_span(&p->lx, s->at);
    s->comment = comment_behind(p);
    lh_lexer_next(&p->lx);
}

static void name_of(lh_parser *p, lh_statement *s, const char *what) {
    s->name_at = p->lx.tok.at;
    s->name = lh_parse_name(p, what);
}

static void expect(lh_parser *p, lh_token_kind kind, const char *sign, const char *cure) {
    if (lh_parser_accept(p, kind)) return;
    lh_parser_fail(p, p->lx.tok.at, cure, "expected `%s`, found %s", sign, lh_parser_found(p));
}

static void expect_word(lh_parser *p, const char *word, const char *cure) {
    if (lh_parser_is(p, word))
        lh_lexer_next(&p->lx);
    else
        lh_parser_fail(p, p->lx.tok.at, cure, "expected `%s`, found %s", word, lh_parser_found(p));
}

static const char *expect_string(lh_parser *p, const char *what) {
    const char *text = p->lx.tok.text;
    if (p->lx.tok.kind != LH_T_STRING)
        lh_parser_fail(p, p->lx.tok.at, "text goes between \" and \"",
                       "expected %s between quotes, found %s", what, lh_parser_found(p));
    else
        lh_lexer_next(&p->lx);
    return text;
}

lh_binding *lh_parser_binding(lh_parser *p, lh_statement *s, const char *name) {
    lh_binding *b = lh_push(p->lx.arena, s->binding, s->n_bindings);
    b->name = name;
    b->at = p->lx.tok.at;
    return b;
}

/* NAME = expr {, NAME = expr} */
static void bindings(lh_parser *p, lh_statement *s, const char *cure) {
    do {
        lh_place start = p->lx.tok.at;
        lh_binding b = {.name = lh_parse_name(p, "a name")};
        expect(p, LH_T_ASSIGN, "=", cure);
        b.expr = lh_parse_expr(p);
        b.at = lh_lexer_span(&p->lx, start);
        *lh_parser_binding(p, s, b.name) = b;
    } while (lh_parser_accept(p, LH_T_COMMA));
}

/* (2 × dim) x 3: between sizes, which are numbers, the sign is plain multiplication; printed without its brackets it would be
 * the x of the shape. */
static void plain_product(lh_expr *e) {
    if (e->kind == LH_E_TIMES) e->kind = LH_E_MUL;
    for (int i = 0; i < e->n_args; i++) plain_product(e->arg[i]);
}

/* rows x cols: the word x, with white space around it, or the sign. */
static void shape(lh_parser *p, lh_statement *s) {
    p->in_shape = true;
    s->rows = lh_parse_sum(p);
    if (lh_parser_is(p, "x") || p->lx.tok.kind == LH_T_TIMES)
        lh_lexer_next(&p->lx);
    else
        lh_parser_fail(p, p->lx.tok.at,
                       "a shape is written rows x cols, with spaces around x: 2 x vocab",
                       "expected the `x` of a shape, found %s", lh_parser_found(p));
    s->cols = lh_parse_sum(p);
    p->in_shape = false;
    plain_product(s->rows);
    plain_product(s->cols);
}

unsigned long long lh_parser_whole(lh_parser *p, const char *digits, lh_place at,
                                   unsigned long long limit) {
    unsigned long long v = 0;
    for (const char *s = digits; *s; s++) {
        unsigned digit = (unsigned)(*s - '0');
        if (v > (limit - digit) / 10) {
            lh_lexer_fail(&p->lx, LH_ERROR_LIMIT, at, "",
                          "this whole number is too large: the largest is %llu", limit);
            return 0;
        }
        v = v * 10 + digit;
    }
    return v;
}

/* One statement for each name; the comment of the line goes to the first. */
static void read_size(lh_parser *p, lh_statement *s) {
    lh_statement *first = s;
    lh_lexer_next(&p->lx);
    for (;;) {
        name_of(p, s, "the name of the size");
        expect(p, LH_T_ASSIGN, "=", "size dim = 8, heads = 2");
        s->expr = lh_parse_expr(p);
        if (s != first) {
            s->at = lh_lexer_span(&p->lx, s->at);
            scope_add(p, s);
        }
        if (!lh_parser_accept(p, LH_T_COMMA)) return;
        s = statement_new(p, LH_S_SIZE, p->lx.tok.at);
        s->is_joined = true;
    }
}

static void read_given(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    name_of(p, s, "a name");
    if (lh_parser_accept(p, LH_T_COLON)) shape(p, s);
    expect(p, LH_T_ASSIGN, "=", "an initial value is needed: = [1 0; 0 1], = 0, = normal(0.02)");
    s->expr = lh_parse_expr(p);
    if (!lh_parser_is(p, "as")) return;
    lh_lexer_next(&p->lx);
    s->as = expect_string(p, "its name in a weights file");
}

/* vocab* and vocab are tried first; where the line goes on it was the beginning of a shape, and
 * reading starts again. */
static void read_input(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    name_of(p, s, "the name of the input");
    expect(p, LH_T_COLON, ":", "input tokens : vocab*, input target : vocab, or input x : 1 x 2");
    lh_lexer before = p->lx;
    if (p->lx.tok.kind == LH_T_NAME) {
        s->of = lh_token_copy(&p->lx);
        lh_lexer_next(&p->lx);
        s->is_many = lh_parser_accept(p, LH_T_STAR);
        if (p->lx.tok.kind == LH_T_NEWLINE || lh_failed(p->lx.ctx)) return;
        p->lx = before;
        s->of = NULL;
        s->is_many = false;
    }
    shape(p, s);
}

static void read_examples(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    bindings(p, s, "examples x = [0 0; 0 1], y = [0; 1]: one example for each row");
}

static void read_next(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    name_of(p, s, "the name that is carried to the next repetition");
    expect(p, LH_T_ASSIGN, "=", "next X = ... defines X for the next repetition");
    s->expr = lh_parse_expr(p);
}

static void read_backward(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    if (p->lx.tok.kind == LH_T_NEWLINE)
        lh_parser_fail(p, s->at, "backward L: L is the loss, the step that should become small",
                       "`backward` needs the name of a step");
    name_of(p, s, "the name of a step");
}

static void read_generate(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    name_of(p, s, "the name of the input that grows");
    expect_word(p, "from", "generate tokens from logits");
    s->of = lh_parse_name(p, "the name of the logits");
    if (lh_parser_is(p, "starting")) {
        lh_lexer_next(&p->lx);
        s->starting = expect_string(p, "the beginning");
    }
    if (lh_parser_is(p, "until")) {
        lh_lexer_next(&p->lx);
        s->until = expect_string(p, "the last word");
    }
}

static void read_seed(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    lh_lexer *lx = &p->lx;
    if (lx->tok.kind == LH_T_NAME) {
        s->of = lh_token_copy(lx);
        lh_lexer_next(lx);
    }
    const char *digits = lx->tok.kind == LH_T_NUMBER ? lh_token_copy(lx) : "";
    if (!*digits || digits[strspn(digits, "0123456789")])
        lh_parser_fail(p, lx->tok.at, "seed 42, or seed numpy 42",
                       "expected a whole number, found %s", lh_parser_found(p));
    else if (s->of && strcmp(s->of, "numpy") != 0)
        lh_parser_fail(p, s->at, "seed 42, or seed numpy 42",
                       "there is no random number generator %s", s->of);
    else
        s->seed = lh_parser_whole(p, digits, lx->tok.at, s->of ? UINT32_MAX : ULLONG_MAX);
    lh_lexer_next(lx);
}

/* What a block is called in a message: `repeat h`. */
static const char *block_title(lh_parser *p, const lh_statement *s) {
    const char *word = s->kind == LH_S_REPEAT ? "repeat"
                       : s->kind == LH_S_EACH ? "each"
                       : s->kind == LH_S_FN   ? "fn"
                                              : "grad";
    return lh_printf(p->lx.arena, "%s %s", word, lh_parser_cut(p, s->name, strlen(s->name)));
}

static void statement(lh_parser *p);

/* Memory that ends does so without the lexer: its token may still be in hand. */
static bool goes_on(const lh_parser *p) {
    return p->lx.tok.kind != LH_T_END && !lh_failed(p->lx.ctx);
}

static bool is_end(const lh_parser *p) {
    return lh_parser_is(p, "end") && !lh_lexer_sees_assign(&p->lx);
}

/* The lines up to `end`, whose own line is left for finish(): its comment is kept apart. */
static void block(lh_parser *p, lh_statement *s) {
    lh_parser_scope scope = {p->scope, s, &s->body, &s->n_body, p->scope->depth + 1};
    finish(p, s);
    if (scope.depth > LH_MAX_DEPTH)
        lh_lexer_fail(&p->lx, LH_ERROR_LIMIT, s->at, "",
                      "blocks are nested more than %d levels deep", LH_MAX_DEPTH);
    p->scope = &scope;
    while (goes_on(p) && !is_end(p)) statement(p);
    scope_end(&scope);
    p->scope = scope.outer;
    if (!goes_on(p)) {
        lh_parser_fail(p, s->at, "write `end` below its last line",
                       "`end` is missing: `%s` begins in line %d", block_title(p, s), s->at.line);
        return;
    }
    lh_lexer_next(&p->lx);
    lh_parser_line_end(p);
    s->end_comment = comment_behind(p);
    lh_lexer_next(&p->lx);
}

static void read_repeat(lh_parser *p, lh_statement *s) {
    const char *cure = "repeat h for layers with X = start";
    lh_lexer_next(&p->lx);
    name_of(p, s, "a name for the repetitions");
    expect_word(p, "for", cure);
    s->expr = lh_parse_expr(p);
    if (lh_parser_is(p, "with")) {
        lh_lexer_next(&p->lx);
        bindings(p, s, cure);
    }
    block(p, s);
}

static void read_each(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    name_of(p, s, "a name for the param");
    expect_word(p, "in", "each W in params");
    expect_word(p, "params", "each W in params");
    block(p, s);
}

static void fn_param(lh_parser *p, lh_statement *s) {
    int n = s->n_params;
    const char *name = lh_parse_name(p, "the name of a parameter");
    lh_expr *standard = lh_parser_accept(p, LH_T_ASSIGN) ? lh_parse_expr(p) : NULL;
    *lh_push(p->lx.arena, s->param, n) = name;
    *lh_push(p->lx.arena, s->standard, s->n_params) = standard;
}

static void read_fn(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    name_of(p, s, "the name of the function");
    if (p->lx.tok.kind != LH_T_OPEN) expect(p, LH_T_OPEN, "(", "fn softmax(x)");
    lh_bracket b = lh_parser_open(p);
    do fn_param(p, s);
    while (lh_parser_accept(p, LH_T_COMMA));
    lh_parser_close(p, LH_T_CLOSE, b);
    block(p, s);
}

static void read_grad(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    name_of(p, s, "the name of the function");
    if (p->lx.tok.kind != LH_T_OPEN) expect(p, LH_T_OPEN, "(", "grad softmax(x)");
    lh_bracket b = lh_parser_open(p);
    do {
        lh_expr *e = lh_parse_pattern(p);
        *lh_push(p->lx.arena, s->pattern, s->n_patterns) = e;
    } while (lh_parser_accept(p, LH_T_COMMA));
    lh_parser_close(p, LH_T_CLOSE, b);
    block(p, s);
}

/* *each i* or *same* */
static void mistake_choice(lh_parser *p, lh_statement *s) {
    const char *cure = "*each i* or *same*";
    if (!lh_parser_accept(p, LH_T_STAR)) return;
    if (lh_parser_is(p, "same")) {
        s->choice = "same";
        lh_lexer_next(&p->lx);
    } else {
        expect_word(p, "each", cure);
        if (lh_parser_is(p, "same"))
            lh_parser_fail(p, p->lx.tok.at, "*each i*", "`same` cannot name a choice");
        s->choice = lh_parse_name(p, "a name for the choice");
    }
    expect(p, LH_T_STAR, "*", cure);
}

static void mistake_where(lh_parser *p, lh_statement *s) {
    static const char *const places[] = {"forward", "backward", "update", "later"};
    for (int i = 0; i < 4; i++)
        if (lh_parser_is(p, places[i])) {
            s->where = places[i];
            lh_lexer_next(&p->lx);
            return;
        }
    if (!lh_parser_is(p, "in")) return;
    lh_lexer_next(&p->lx);
    s->where = "in";
    s->of = lh_parse_name(p, "the name of a function");
    if (p->lx.tok.kind != LH_T_NAME || strcmp(s->of, "grad") != 0) return;
    s->where = "in grad";
    s->of = lh_parse_name(p, "the name of a function");
}

static void mistake_rule(lh_parser *p, lh_statement *s) {
    int n = s->n_rules;
    lh_expr *from = lh_parse_expr(p);
    expect(p, LH_T_RULE, "=>", "a rule is written pattern => pattern");
    lh_expr *to = lh_parse_expr(p);
    *lh_push(p->lx.arena, s->from, n) = from;
    *lh_push(p->lx.arena, s->to, s->n_rules) = to;
}

/* Comments of further rule lines gather and become one with that of the first line. */
static void read_mistake(lh_parser *p, lh_statement *s) {
    lh_lexer_next(&p->lx);
    name_of(p, s, "the name of the mistake");
    mistake_choice(p, s);
    mistake_where(p, s);
    s->says = expect_string(p, "what the learner did");
    if (lh_parser_is(p, "see")) {
        lh_lexer_next(&p->lx);
        if (p->lx.tok.kind == LH_T_NAME) lh_lexer_join(&p->lx);
        s->see = lh_parse_name(p, "the lesson that explains it");
    }
    if (p->lx.tok.kind != LH_T_NEWLINE) mistake_rule(p, s);
    s->at = lh_lexer_span(&p->lx, s->at);
    while (p->lx.tok.kind == LH_T_NEWLINE && lh_lexer_sees_rule(&p->lx)) {
        lh_lexer_next(&p->lx);
        mistake_rule(p, s);
    }
    if (s->n_rules == 0 && !(s->where && strcmp(s->where, "later") == 0))
        lh_parser_fail(p, s->at, "write pattern => pattern after it or in the next line",
                       "the mistake `%s` has no rule", lh_parser_cut(p, s->name, strlen(s->name)));
}

static const keyword keywords[] = {
    {"vocab", LH_S_VOCAB, AT_TOP, lh_read_vocab},
    {"size", LH_S_SIZE, AT_TOP | IN_REPEAT, read_size},
    {"const", LH_S_CONST, AT_TOP | IN_REPEAT, read_given},
    {"param", LH_S_PARAM, AT_TOP | IN_REPEAT, read_given},
    {"state", LH_S_STATE, AT_TOP | IN_REPEAT | IN_FN, read_given},
    {"input", LH_S_INPUT, AT_TOP, read_input},
    {"example", LH_S_EXAMPLE, AT_TOP, lh_read_example},
    {"examples", LH_S_EXAMPLES, AT_TOP, read_examples},
    {"text", LH_S_TEXT, AT_TOP, lh_read_text},
    {"repeat", LH_S_REPEAT, AT_TOP | IN_REPEAT, read_repeat},
    {"next", LH_S_NEXT, IN_REPEAT, read_next},
    {"each", LH_S_EACH, AT_TOP | IN_REPEAT, read_each},
    {"fn", LH_S_FN, AT_TOP, read_fn},
    {"grad", LH_S_GRAD, AT_TOP, read_grad},
    {"backward", LH_S_BACKWARD, AT_TOP | IN_REPEAT, read_backward},
    {"generate", LH_S_GENERATE, AT_TOP, read_generate},
    {"seed", LH_S_SEED, AT_TOP | IN_REPEAT, read_seed},
    {"mistake", LH_S_MISTAKE, AT_TOP, read_mistake},
};
enum { N_KEYWORDS = sizeof keywords / sizeof *keywords };

/* A keyword begins its statement unless = or := follows: then it is the name of a step. */
static const keyword *keyword_at(const lh_parser *p) {
    for (int i = 0; i < N_KEYWORDS; i++)
        if (lh_parser_is(p, keywords[i].word))
            return lh_lexer_sees_assign(&p->lx) ? NULL : &keywords[i];
    return NULL;
}

static unsigned place_here(const lh_parser *p) {
    const lh_statement *head = p->scope->head;
    if (!head) return AT_TOP;
    switch (head->kind) {
    case LH_S_REPEAT: return IN_REPEAT;
    case LH_S_EACH: return IN_EACH;
    case LH_S_FN: return IN_FN;
    default: return IN_GRAD;
    }
}

static void misplaced(lh_parser *p, const char *word) {
    const lh_statement *head = p->scope->head;
    if (!head)
        lh_parser_fail(p, p->lx.tok.at, "next X = ... belongs between repeat and its end",
                       "`%s` is only allowed inside `repeat`", word);
    else
        lh_parser_fail(p, p->lx.tok.at, "put the `end` of that block above this line",
                       "`%s` is not allowed inside `%s`, which begins in line %d", word,
                       block_title(p, head), head->at.line);
}

/* Do a and b differ by one letter: another, one more, one less, or two that changed places? */
static bool is_near(const char *a, const char *b) {
    size_t i = 0, na = strlen(a), nb = strlen(b);
    while (a[i] && a[i] == b[i]) i++;
    if (na == nb) {
        if (na < 2 || !a[i]) return false;
        if (strcmp(a + i + 1, b + i + 1) == 0) return true;
        return a[i] == b[i + 1] && a[i + 1] == b[i] && strcmp(a + i + 2, b + i + 2) == 0;
    }
    return na == nb + 1 ? strcmp(a + i + 1, b + i) == 0
                        : nb == na + 1 && strcmp(a + i, b + i + 1) == 0;
}

static const char *unknown_cure(lh_parser *p, const char *word) {
    static const char *const foreign[][2] = {
        {"def", "a function is written fn f(x) ... end"},
        {"function", "a function is written fn f(x) ... end"},
        {"for", "a loop is written repeat h for 3 with X = start ... end"},
        {"while", "a loop is written repeat h for 3 with X = start ... end"},
        {"let", "leave it out: name = formula"},
        {"var", "leave it out: name = formula"},
        {"print", "leave it out: every named step can be shown"},
        {"return", "leave it out: the last line of fn is its result"},
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strcmp(word, foreign[i][0]) == 0) return foreign[i][1];
    for (int i = 0; i < N_KEYWORDS; i++)
        if (is_near(word, keywords[i].word))
            return lh_printf(p->lx.arena, "did you mean `%s`?", keywords[i].word);
    return "a line names a value: name = formula";
}

/* A name that begins a line, with neither = nor := behind it. */
static void unknown_statement(lh_parser *p) {
    lh_place at = p->lx.tok.at;
    const char *found = lh_parser_found(p), *word = lh_token_copy(&p->lx);
    const char *cure = unknown_cure(p, word);
    if (is_end(p)) {
        lh_parser_fail(p, at, "delete it, or write the beginning of the block",
                       "this `end` belongs to no block");
        return;
    }
    lh_lexer_next(&p->lx);
    if (p->lx.tok.kind == LH_T_EQ)
        lh_parser_fail(p, p->lx.tok.at, "`=` names a value, `==` compares two",
                       "expected `=` after %s, found `==`", found);
    else if (p->lx.tok.kind == LH_T_BRACKET)
        lh_parser_fail(p, p->lx.tok.at, "a step defines its whole value: name = formula",
                       "expected `=` after %s, found `[`", found);
    else
        lh_parser_fail(p, at, cure, "no statement begins with %s", found);
}

static void step(lh_parser *p, lh_statement *s) {
    name_of(p, s, "a name");
    s->kind = p->lx.tok.kind == LH_T_RENEW ? LH_S_UPDATE : LH_S_STEP;
    if (s->kind == LH_S_UPDATE && place_here(p) == IN_GRAD)
        lh_parser_fail(p, p->lx.tok.at, "in grad, every line is name = formula",
                       "`:=` is not allowed inside `grad`");
    lh_lexer_next(&p->lx);
    if (p->lx.tok.kind == LH_T_NEWLINE)
        lh_parser_fail(p, p->lx.tok.at, "a formula may break only inside ( ) or [ ]",
                       "the formula of `%s` is missing",
                       lh_parser_cut(p, s->name, strlen(s->name)));
    s->expr = lh_parse_expr(p);
}

/* A line without a token: a comment or nothing. */
static void empty_line(lh_parser *p) {
    lh_statement *s = statement_new(p, LH_S_BLANK, p->lx.tok.at);
    s->comment = lh_lexer_comment(&p->lx);
    if (s->comment) s->kind = LH_S_COMMENT;
    scope_add(p, s);
    lh_lexer_next(&p->lx);
}

static void statement(lh_parser *p) {
    if (p->lx.tok.kind == LH_T_NEWLINE) {
        empty_line(p);
        return;
    }
    const keyword *k = keyword_at(p);
    lh_statement *s = statement_new(p, k ? k->kind : LH_S_STEP, p->lx.tok.at);
    if (p->lx.tok.kind != LH_T_NAME)
        lh_parser_fail(p, s->at, "a line begins with a name or a keyword: name = formula",
                       "no statement begins with %s", lh_parser_found(p));
    else if (k && !(k->places & place_here(p)))
        misplaced(p, k->word);
    else if (!k && !lh_lexer_sees_assign(&p->lx))
        unknown_statement(p);
    if (lh_failed(p->lx.ctx)) return;
    scope_add(p, s);
    if (k)
        k->read(p, s);
    else
        step(p, s);
    bool is_block = k && (k->kind == LH_S_REPEAT || k->kind == LH_S_EACH || k->kind == LH_S_FN ||
                          k->kind == LH_S_GRAD);
    if (!is_block) finish(p, s);
}

static void program(lh_program *prog) {
    lh_parser p = {0};
    lh_parser_scope scope = {NULL, NULL, &prog->statement, &prog->n_statements, 0};
    p.scope = &scope;
    lh_lexer_start(&p.lx, prog->ctx, prog->arena, prog->source, prog->length);
    while (goes_on(&p)) statement(&p);
    scope_end(&scope);
}

lh_program *lh_program_parse(lh_context *ctx, const char *file, const char *text, size_t length) {
    if (lh_failed(ctx)) return NULL;
    lh_arena *arena = lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_program *p = lh_alloc(arena, sizeof *p);
    p->ctx = ctx;
    p->arena = arena;
    p->file = lh_copy(arena, file ? file : "", file ? strlen(file) : 0);
    p->source = lh_copy(arena, text ? text : "", length);
    p->length = length;
    ctx->warning[0] = 0;
    if (!lh_failed(ctx)) program(p);
    if (!lh_failed(ctx)) return p;
    lh_fail_in(ctx, p->file, text, length);
    lh_arena_free(arena);
    return NULL;
}

void lh_program_free(lh_program *p) {
    if (p) lh_arena_free(p->arena);
}

const lh_statement *lh_program_fn(const lh_program *p, const char *name) {
    for (int i = 0; p && i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_FN && strcmp(p->statement[i]->name, name) == 0)
            return p->statement[i];
    return NULL;
}

/* The error has no file: who asked for the formula knows where it came from and may name it with
 * lh_fail_in. */
lh_expr *lh_expr_parse(lh_context *ctx, lh_arena *arena, const char *text, size_t length) {
    if (lh_failed(ctx)) return NULL;
    lh_parser p = {0};
    const char *copy = lh_copy(arena, text ? text : "", length);
    lh_expr *e = NULL;
    if (!lh_failed(ctx)) {
        lh_lexer_start(&p.lx, ctx, arena, copy, length);
        while (lh_parser_accept(&p, LH_T_NEWLINE)) {}
        e = lh_parse_expr(&p);
        lh_parser_line_end(&p);
        while (lh_parser_accept(&p, LH_T_NEWLINE)) {}
        lh_parser_line_end(&p);
    }
    if (!lh_failed(ctx)) return e;
    lh_fail_in(ctx, "", text, length);
    return NULL;
}
