/* The tree as text: two spaces for each block, one space around operators, the fewest brackets. */
#include "notation/lexer.h"
#include "notation/notation.h"

#include <string.h>

/* How tightly a kind of expression holds together, as in the grammar. */
enum { COMPARISON, SUM, TERM, UNARY, POWER, POSTFIX };

static const struct {
    const char *sign;       /* of an operation with two operands */
    int level, left, right; /* its own, and the least its operands need to stand without brackets */
} syntax[LH_E_KINDS] = {
    [LH_E_NUMBER] = {"", POSTFIX, 0, 0},       [LH_E_STRING] = {"", POSTFIX, 0, 0},
    [LH_E_NAME] = {"", POSTFIX, 0, 0},         [LH_E_CALL] = {"", POSTFIX, 0, 0},
    [LH_E_MATRIX] = {"", POSTFIX, 0, 0},       [LH_E_LAST] = {"", POSTFIX, 0, 0},
    [LH_E_NEG] = {"-", UNARY, UNARY, 0},       [LH_E_ADD] = {"+", SUM, SUM, TERM},
    [LH_E_SUB] = {"-", SUM, SUM, TERM},        [LH_E_MUL] = {"*", TERM, TERM, UNARY},
    [LH_E_TIMES] = {"×", TERM, TERM, UNARY},   [LH_E_DIV] = {"/", TERM, TERM, UNARY},
    [LH_E_MATMUL] = {"@", TERM, TERM, UNARY},  [LH_E_DOT] = {"·", TERM, TERM, UNARY},
    [LH_E_POW] = {"^", POWER, POSTFIX, UNARY}, [LH_E_TRANSPOSE] = {"^T", POSTFIX, POSTFIX, 0},
    [LH_E_EQ] = {"==", COMPARISON, SUM, SUM},  [LH_E_NE] = {"!=", COMPARISON, SUM, SUM},
    [LH_E_LT] = {"<", COMPARISON, SUM, SUM},   [LH_E_LE] = {"<=", COMPARISON, SUM, SUM},
    [LH_E_GT] = {">", COMPARISON, SUM, SUM},   [LH_E_GE] = {">=", COMPARISON, SUM, SUM},
    [LH_E_ROW] = {"", POSTFIX, POSTFIX, 0},    [LH_E_CELL] = {"", POSTFIX, POSTFIX, 0},
    [LH_E_COLUMN] = {"", POSTFIX, POSTFIX, 0},
};

static void put(lh_text *out, const char *s) {
    lh_text_add_n(out, s, strlen(s));
}

static void put_quoted(lh_text *out, const char *s) {
    put(out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') put(out, "\\");
        if (*s == '\n')
            put(out, "\\n");
        else if (*s == '\t')
            put(out, "\\t");
        else
            lh_text_add_n(out, s, 1);
    }
    put(out, "\"");
}

static void print(lh_text *out, const lh_expr *e, int least, bool tight);

static void print_call(lh_text *out, const lh_expr *e) {
    put(out, e->text);
    put(out, "(");
    for (int i = 0; i < e->n_args; i++) {
        if (i) put(out, ", ");
        if (e->argname && e->argname[i]) {
            put(out, e->argname[i]);
            put(out, " = ");
        }
        print(out, e->arg[i], COMPARISON, false);
    }
    put(out, ")");
}

static void print_matrix(lh_text *out, const lh_expr *e) {
    put(out, "[");
    for (int i = 0; i < e->rows * e->cols; i++) {
        if (i) put(out, i % e->cols ? " " : "; ");
        put(out, e->celltext[i]);
    }
    put(out, "]");
}

static void print_index(lh_text *out, const lh_expr *e) {
    put(out, "[");
    print(out, e, COMPARISON, false);
    put(out, "]");
}

/* a[i][j] would be read as one cell: a row of a row, or a cell of one, keeps brackets around the
 * inner row. */
static void print_indexed(lh_text *out, const lh_expr *e) {
    bool apart = e->arg[0]->kind == LH_E_ROW && e->kind != LH_E_COLUMN;
    print(out, e->arg[0], apart ? POSTFIX + 1 : POSTFIX, false);
    if (e->kind == LH_E_COLUMN) put(out, "[]");
    for (int i = 1; i < e->n_args; i++) print_index(out, e->arg[i]);
}

/* A power of T, or of what begins with T, would be read as a transpose. */
static bool begins_with_T(const lh_expr *e) {
    while (e->kind == LH_E_POW || e->kind == LH_E_TRANSPOSE || e->kind == LH_E_ROW ||
           e->kind == LH_E_CELL || e->kind == LH_E_COLUMN)
        e = e->arg[0];
    return (e->kind == LH_E_NAME || e->kind == LH_E_CALL) && strcmp(e->text, "T") == 0;
}

/* Brackets stand around its base alone: around all of it, every power of a chain would be nested twice. */
static void print_exponent(lh_text *out, const lh_expr *e, bool tight) {
    if (!begins_with_T(e)) {
        print(out, e, syntax[LH_E_POW].right, tight);
        return;
    }
    print(out, e->kind == LH_E_POW ? e->arg[0] : e, POSTFIX + 1, tight);
    if (e->kind != LH_E_POW) return;
    put(out, syntax[LH_E_POW].sign);
    print_exponent(out, e->arg[1], tight);
}

/* Shapes are written tight: dim x 3*dim. */
static void print_binary(lh_text *out, const lh_expr *e, bool tight) {
    bool space = e->kind != LH_E_POW && !tight;
    print(out, e->arg[0], syntax[e->kind].left, tight);
    if (space) put(out, " ");
    put(out, syntax[e->kind].sign);
    if (space) put(out, " ");
    if (e->kind == LH_E_POW)
        print_exponent(out, e->arg[1], tight);
    else
        print(out, e->arg[1], syntax[e->kind].right, tight);
}

/* `least` is what the place asks for; whatever holds together less stands in brackets. */
static void print(lh_text *out, const lh_expr *e, int least, bool tight) {
    bool brackets = syntax[e->kind].level < least;
    if (brackets) put(out, "(");
    switch (e->kind) {
    case LH_E_NUMBER:
    case LH_E_NAME: put(out, e->text); break;
    case LH_E_STRING: put_quoted(out, e->text); break;
    case LH_E_CALL: print_call(out, e); break;
    case LH_E_MATRIX: print_matrix(out, e); break;
    case LH_E_LAST: put(out, "last"); break;
    case LH_E_ROW:
    case LH_E_CELL:
    case LH_E_COLUMN: print_indexed(out, e); break;
    case LH_E_NEG:
        put(out, "-");
        print(out, e->arg[0], UNARY, tight);
        break;
    case LH_E_TRANSPOSE:
        print(out, e->arg[0], POSTFIX, tight);
        put(out, "^T");
        break;
    default: print_binary(out, e, tight);
    }
    if (brackets) put(out, ")");
}

void lh_expr_print(lh_text *out, const lh_expr *e) {
    print(out, e, COMPARISON, false);
}

/* A word is quoted where it would be read as something else: white space, a sign of the line, or
 * file(. */
static bool needs_quotes(const char *w) {
    const char *end = w + strlen(w);
    if (w == end || strchr("#(", *w)) return true;
    if (strncmp(w, "file(", 5) == 0) return true;
    if (strstr(w, "->") || strstr(w, "→") || strpbrk(w, "\",=\n")) return true;
    for (; w < end; w++)
        if (lh_space(w, end)) return true;
    return false;
}

static void print_words(lh_text *out, const char **word, int n) {
    for (int i = 0; i < n; i++) {
        put(out, " ");
        if (needs_quotes(word[i]))
            put_quoted(out, word[i]);
        else
            put(out, word[i]);
    }
}

static void print_vocab(lh_text *out, const lh_statement *s) {
    put(out, "vocab");
    if (s->name) {
        put(out, " ");
        put(out, s->name);
        put(out, " =");
    }
    if (s->file) {
        put(out, " ");
        lh_expr_print(out, s->file);
    } else if (s->n_words == 0) {
        lh_text_add(out, " %d", s->count);
    } else if (s->n_words == 1 && s->word[0][strspn(s->word[0], "0123456789")] == 0) {
        put(out, " ");
        put_quoted(out, s->word[0]); /* without quotes it would be a count */
    } else {
        print_words(out, s->word, s->n_words);
    }
}

static void print_shape(lh_text *out, const lh_statement *s) {
    if (!s->rows) return;
    put(out, " : ");
    print(out, s->rows, SUM, true);
    put(out, " x ");
    print(out, s->cols, SUM, true);
}

static void print_given(lh_text *out, const lh_statement *s) {
    put(out, s->kind == LH_S_CONST ? "const " : s->kind == LH_S_PARAM ? "param " : "state ");
    put(out, s->name);
    print_shape(out, s);
    put(out, " = ");
    lh_expr_print(out, s->expr);
    if (!s->as) return;
    put(out, " as ");
    put_quoted(out, s->as);
}

static void print_input(lh_text *out, const lh_statement *s) {
    put(out, "input ");
    put(out, s->name);
    print_shape(out, s);
    if (!s->of) return;
    put(out, " : ");
    put(out, s->of);
    if (s->is_many) put(out, "*");
}

static void print_example(lh_text *out, const lh_statement *s) {
    put(out, "example");
    for (int i = 0; i < s->n_bindings; i++) {
        const lh_binding *b = &s->binding[i];
        if (s->is_short) {
            if (strcmp(b->name, "target") == 0) put(out, " ->");
        } else {
            put(out, i ? ", " : " ");
            put(out, b->name);
            put(out, " =");
        }
        print_words(out, b->word, b->n_words);
    }
}

static void print_bindings(lh_text *out, const lh_statement *s) {
    for (int i = 0; i < s->n_bindings; i++) {
        put(out, i ? ", " : " ");
        put(out, s->binding[i].name);
        put(out, " = ");
        lh_expr_print(out, s->binding[i].expr);
    }
}

static void print_assign(lh_text *out, const char *keyword, const lh_statement *s) {
    put(out, keyword);
    put(out, s->name);
    put(out, s->kind == LH_S_UPDATE ? " := " : " = ");
    lh_expr_print(out, s->expr);
}

static void print_repeat(lh_text *out, const lh_statement *s) {
    put(out, "repeat ");
    put(out, s->name);
    put(out, " for ");
    lh_expr_print(out, s->expr);
    if (s->n_bindings) put(out, " with");
    print_bindings(out, s);
}

static void print_fn(lh_text *out, const lh_statement *s) {
    put(out, "fn ");
    put(out, s->name);
    for (int i = 0; i < s->n_params; i++) {
        put(out, i ? ", " : "(");
        put(out, s->param[i]);
        if (!s->standard[i]) continue;
        put(out, " = ");
        lh_expr_print(out, s->standard[i]);
    }
    put(out, ")");
}

static void print_grad(lh_text *out, const lh_statement *s) {
    put(out, "grad ");
    put(out, s->name);
    for (int i = 0; i < s->n_patterns; i++) {
        put(out, i ? ", " : "(");
        lh_expr_print(out, s->pattern[i]);
    }
    put(out, ")");
}

static void print_generate(lh_text *out, const lh_statement *s) {
    put(out, "generate ");
    put(out, s->name);
    put(out, " from ");
    put(out, s->of);
    if (s->starting) {
        put(out, " starting ");
        put_quoted(out, s->starting);
    }
    if (s->until) {
        put(out, " until ");
        put_quoted(out, s->until);
    }
}

static void print_seed(lh_text *out, const lh_statement *s) {
    put(out, "seed ");
    if (s->of) {
        put(out, s->of);
        put(out, " ");
    }
    lh_text_add(out, "%llu", s->seed);
}

/* A line that begins with one of these words is no rule: such a pattern stands in brackets. */
static bool begins_with_keyword(const lh_expr *e) {
    static const char *const words[] = {"mistake", "vocab", "example", "text"};
    while (e->kind != LH_E_NAME && e->kind != LH_E_CALL && e->kind != LH_E_NEG && e->n_args > 0)
        e = e->arg[0];
    for (size_t i = 0; e->kind != LH_E_NEG && e->text && i < sizeof words / sizeof *words; i++)
        if (strcmp(e->text, words[i]) == 0) return true;
    return false;
}

static void print_rule(lh_text *out, const lh_expr *from, const lh_expr *to) {
    print(out, from, begins_with_keyword(from) ? POSTFIX + 1 : COMPARISON, false);
    put(out, " => ");
    lh_expr_print(out, to);
}

static void print_indent(lh_text *out, int depth) {
    for (int i = 0; i < depth; i++) put(out, "  ");
}

static void print_comment(lh_text *out, const char *comment) {
    if (!comment) return;
    put(out, "  # ");
    put(out, comment);
}

/* One rule stands behind the sentence, several stand below it; the comment belongs to the first
 * line. */
static void print_mistake(lh_text *out, const lh_statement *s, int depth) {
    put(out, "mistake ");
    put(out, s->name);
    if (s->choice) {
        put(out, strcmp(s->choice, "same") == 0 ? " *" : " *each ");
        put(out, s->choice);
        put(out, "*");
    }
    if (s->where) {
        put(out, " ");
        put(out, s->where);
    }
    if (s->of) {
        put(out, " ");
        put(out, s->of);
    }
    put(out, " ");
    put_quoted(out, s->says);
    if (s->see) {
        put(out, " see ");
        put(out, s->see);
    }
    if (s->n_rules == 1) {
        put(out, "  ");
        print_rule(out, s->from[0], s->to[0]);
    }
    print_comment(out, s->comment);
    for (int i = 0; s->n_rules > 1 && i < s->n_rules; i++) {
        put(out, "\n");
        print_indent(out, depth + 1);
        print_rule(out, s->from[i], s->to[i]);
    }
}

static void print_statement(lh_text *out, const lh_statement *s, int depth) {
    switch (s->kind) {
    case LH_S_VOCAB: print_vocab(out, s); break;
    case LH_S_SIZE: print_assign(out, s->is_joined ? ", " : "size ", s); break;
    case LH_S_CONST:
    case LH_S_PARAM:
    case LH_S_STATE: print_given(out, s); break;
    case LH_S_INPUT: print_input(out, s); break;
    case LH_S_EXAMPLE: print_example(out, s); break;
    case LH_S_EXAMPLES:
        put(out, "examples");
        print_bindings(out, s);
        break;
    case LH_S_TEXT:
        put(out, "text");
        print_words(out, s->binding->word, s->binding->n_words);
        break;
    case LH_S_STEP:
    case LH_S_UPDATE: print_assign(out, "", s); break;
    case LH_S_REPEAT: print_repeat(out, s); break;
    case LH_S_NEXT: print_assign(out, "next ", s); break;
    case LH_S_EACH:
        put(out, "each ");
        put(out, s->name);
        put(out, " in params");
        break;
    case LH_S_FN: print_fn(out, s); break;
    case LH_S_GRAD: print_grad(out, s); break;
    case LH_S_BACKWARD:
        put(out, "backward ");
        put(out, s->name);
        break;
    case LH_S_GENERATE: print_generate(out, s); break;
    case LH_S_SEED: print_seed(out, s); break;
    case LH_S_MISTAKE: print_mistake(out, s, depth); break;
    case LH_S_COMMENT:
        put(out, *s->comment ? "# " : "#");
        put(out, s->comment);
        break;
    case LH_S_BLANK:
    case LH_S_KINDS: break;
    }
}

static bool has_body(const lh_statement *s) {
    return s->kind == LH_S_REPEAT || s->kind == LH_S_EACH || s->kind == LH_S_FN ||
           s->kind == LH_S_GRAD;
}

/* Sizes that stood behind a comma go on the line of the first, before its comment. Returns the last
 * one printed. */
static int print_joined(lh_text *out, lh_statement *const *list, int n, int i) {
    if (list[i]->kind != LH_S_SIZE) return i;
    while (i + 1 < n && list[i + 1]->kind == LH_S_SIZE && list[i + 1]->is_joined)
        print_statement(out, list[++i], 0);
    return i;
}

static void print_list(lh_text *out, lh_statement *const *list, int n, int depth) {
    for (int i = 0; i < n; i++) {
        const lh_statement *s = list[i];
        if (s->kind != LH_S_BLANK) print_indent(out, depth);
        print_statement(out, s, depth);
        i = print_joined(out, list, n, i);
        if (s->kind != LH_S_COMMENT && s->kind != LH_S_MISTAKE) print_comment(out, s->comment);
        put(out, "\n");
        if (!has_body(s)) continue;
        print_list(out, s->body, s->n_body, depth + 1);
        print_indent(out, depth);
        put(out, "end");
        print_comment(out, s->end_comment);
        put(out, "\n");
    }
}

char *lh_program_print(const lh_program *p) {
    lh_text out = lh_text_new(p->arena);
    if (!lh_failed(p->ctx)) print_list(&out, p->statement, p->n_statements, 0);
    return lh_failed(p->ctx) ? lh_copy(p->arena, "", 0) : out.s;
}
