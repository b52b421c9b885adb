/* The notation: every kind of statement and expression is read, printed and read again; wrong texts
 * get their message. Programs from models/ and src/notation/ are read too, and those given on the
 * command line. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "comma.h"

#include <glob.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/embedded.h"
#include "learn/lesson.h"
#include "notation/notation.h"
#include "scarce.h"

static char **given_files;
static int n_given_files;

static lh_program *parsed(lh_context *ctx, const char *text) {
    lh_program *p = lh_program_parse(ctx, "test.lh", text, strlen(text));
    const lh_error *e = lh_context_error(ctx);
    if (!p) fail_msg("%d:%d: %s\n%s", e->at.line, e->at.col, e->what, text);
    return p;
}

static void round_trip(lh_context *ctx, const char *text) {
    lh_program *p = parsed(ctx, text);
    const char *printed = lh_program_print(p);
    lh_program *again = parsed(ctx, printed);
    if (!lh_program_same(p, again)) fail_msg("not the same:\n%s\nas\n%s", text, printed);
    assert_string_equal(lh_program_print(again), printed);
    lh_program_free(again);
    lh_program_free(p);
}

/* Together these hold every kind there is; every_kind_is_tried counts. */
static const char *const texts[] = {
    "# a comment\n#   set in\n#\n\nvocab A B C D\nvocab english = <pad> you're 3 C# , \"a "
    "b\"\nvocab 65\n",
    "vocab v = 65\nvocab \"65\"\nvocab 65 66\nvocab file(\"words.txt\")\nvocab s = file(\"a\", "
    "2)\n",
    "vocab \"a\" \"=\" b\nvocab \"file(\" x\nvocab \"\" \"#\" \"->\" \"\\\"\" \"\\n\" \"\\t\" "
    "\"\\\\\" \\n a\"b\n",
    "size layers = 2, dim = 8 * 2, heads = 2  # three\nsize more = 1\n",
    "const E = [1 0; 0 1]  # rows\nparam W : 2 x vocab = normal(0.02) as \"h.{h}.w\"\nstate t = "
    "0\n",
    "param W : (a + b) * c x 3*dim = xavier()\nparam V : (a < b) x x = 0\nparam U : x x x = 1\n",
    "input tokens : vocab*\ninput target : vocab\ninput x : 1 x 2\ninput y : x * 2 x 3  # c\n",
    "example A B -> C\nexample A\nexample -> mat  # only\nexample \"->\" -> \"a b\"\n",
    "example source = You are, given = <start> \",\", x = 3 -1\nexamples x = [0; 1], y = f(x)\n",
    "text I love AI I  # words\ntext \"#\" \"a = b\" = c\n",
    "repeat h for layers with X = E[tokens], s = 0  # h\n  # in\n\n  param W = 0\n  next X = X @ "
    "W\n"
    "  repeat t for 3\n    a = 1\n  end\n  next s = s\nend  # of h\n",
    "each W in params\n  d = 0.1 * dW\n  W := W - d\nend\nbackward L  # back\n",
    "fn f(x, g = 1, eps = 0.1)\n  state v = zeros(x)\n  v := v + g\n  y = x / (v + eps)\nend  # "
    "f\n",
    "grad nll(softmax(x), f(g(t), u))  # both\n  dx = dy * x\nend\n",
    "generate given from logits\ngenerate a from b starting \"x y\" until \"<end>\"\nseed 0\nseed "
    "numpy 42\n",
    "generate a from b until \"\\n\"\nseed 18446744073709551615\n",
    "mistake unscaled forward \"not divided\"  a / sqrt(cols(k)) => a  # why\n",
    "mistake r *each i* in grad f \"x\"  # c\n  a[last] => a[i]\n  -x => x  # d\nmistake q *same* "
    "in f \"y\" a => b\n",
    "mistake a \"x\" text + 1 => 2\n  (text) => 3\n  a => text\ntext a => b\nmistake b update "
    "\"y\" a => b\n",
    "mistake e \"x\" see next-word  -x => x\nmistake f \"x\" see part-2-b  a => b\n",
    "mistake g in grad \"function grad\" a => b\nmistake h backward \"a\\\"b\" a == b => a\n",
    "a = 1 + 2 - 3 * 4 / 5 @ 6 · 7 ^ 8\nb = -a^2 + (-a)^2 + a^-b^c + (a^b)^c\n",
    "c = a^T + (a @ b)^T + (a + b)[0] + aᵀ[1] + a^T^T\nd = b[i][j] + b[][2] + (b[i])[j] + "
    "b[i][j][k] + b[last][1]\n",
    "e = (a == b) + (a != b) + (a < b) + (a <= b) + (a > b) + (a >= b)\nf = a ≤ b\ng = a ≠ b\nh = "
    "a ≥ b\n",
    "i = where(tokens == \"<pad>\", -inf, g(x, eps = 1e-5, k = a < b))\nj = f()\n",
    "k = √x + √(x + 1) + √x[0]^2 + √√x − 2 × y ⋅ z\nλ = [1, -2; − 3 .5]\nl = a^(T) + a^(T^2) + "
    "a^(T[0]) + a^T2\n",
    "text = 1\nstate := 2\nend = next + size\nexample = for\nx = x * x\nsize = 3\nmistake = 4\n",
    "later = max(later(Y, Y), 1)\nm = f(a,  # first\n  [1 2;  # second\n   3 4])  # third\n",
    "\xEF\xBB\xBFx = 1\r\n\r\n# c\r\ny = 2  # d\r\n",
    "mistake a \"x\" a => b\nx = 1  # => c\nparam W : (2 × n) x f(2 × n) = 0\n",
    "x = 1",
    "# only",
    "",
    "\n\n  \n",
};

static void statements_round_trip(void **state) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) round_trip(*state, texts[i]);
}

static void count_expr(const lh_expr *e, int *seen) {
    if (!e) return;
    seen[e->kind]++;
    for (int i = 0; i < e->n_args; i++) count_expr(e->arg[i], seen);
}

static void count_statements(lh_statement *const *list, int n, int *kinds, int *seen) {
    for (int i = 0; i < n; i++) {
        kinds[list[i]->kind]++;
        count_expr(list[i]->expr, seen);
        count_statements(list[i]->body, list[i]->n_body, kinds, seen);
    }
}

static void every_kind_is_tried(void **state) {
    int kinds[LH_S_KINDS] = {0}, seen[LH_E_KINDS] = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lh_program *p = parsed(*state, texts[i]);
        count_statements(p->statement, p->n_statements, kinds, seen);
        lh_program_free(p);
    }
    for (int k = 0; k < LH_S_KINDS; k++)
        if (!kinds[k]) fail_msg("no text has a statement of kind %d", k);
    for (int k = 0; k < LH_E_KINDS; k++)
        if (!seen[k]) fail_msg("no text has an expression of kind %d", k);
}

/* What is written, and how it is printed. */
static const char *const layouts[][2] = {
    {"((a))+(b*c)", "a + b * c"},
    {"(a+b)*c", "(a + b) * c"},
    {"a-(b-c)", "a - (b - c)"},
    {"(a-b)-c", "a - b - c"},
    {"a/(b*c)", "a / (b * c)"},
    {"a*-b", "a * -b"},
    {"- - a", "--a"},
    {"-(a^2)", "-a^2"},
    {"(-a)^2", "(-a)^2"},
    {"(a^b)^c", "(a^b)^c"},
    {"a^(b^c)", "a^b^c"},
    {"a ^ ( - b )", "a^-b"},
    {"(-a)^T", "(-a)^T"},
    {"(a @ b) ^ T", "(a @ b)^T"},
    {"(a^T)^T", "a^T^T"},
    {"(a^T)^b", "a^T^b"},
    {"a^(T)", "a^(T)"},
    {"(a+b)[0]", "(a + b)[0]"},
    {"(a[0])[1]", "(a[0])[1]"},
    {"(a[0][1])[2]", "a[0][1][2]"},
    {"a [ ] [ 1 ]", "a[][1]"},
    {"(a[0])[][1]", "a[0][][1]"},
    {"f( a , k=(b) )", "f(a, k = b)"},
    {"(a == b) < c", "(a == b) < c"},
    {"a < (b)", "a < b"},
    {"√x", "sqrt(x)"},
    {"√(a + b)^T * 2", "sqrt((a + b)^T) * 2"},
    {"√a^2", "sqrt(a)^2"},
    {"a × b · c ⋅ d", "a × b · c · d"},
    {"[ 1 -inf ; inf,2 ]", "[1 -inf; inf 2]"},
    {"[ 1,0 ;- .5   1e3 ]", "[1 0; -.5 1e3]"},
    {"a − 0.10", "a - 0.10"},
    {"\"a\\\"b\"", "\"a\\\"b\""},
};

static void formulas_have_one_layout(void **state) {
    lh_context *ctx = *state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        lh_arena *a = lh_arena_new(ctx);
        lh_expr *e = lh_expr_parse(ctx, a, layouts[i][0], strlen(layouts[i][0]));
        if (!e) fail_msg("%s: %s", layouts[i][0], lh_context_error(ctx)->what);
        lh_text out = lh_text_new(a);
        lh_expr_print(&out, e);
        assert_string_equal(out.s, layouts[i][1]);
        lh_arena_free(a);
    }
}

static void programs_have_one_layout(void **state) {
    lh_program *p = parsed(*state, "\n\nvocab  a   \"b\" \"c d\" # w\nsize n=2 ,m = 3#s\n\n\n"
                                   "repeat h for n\n\n # in\nx=n*m# y\n\nend#z\n"
                                   "param W : n x 3 * m = 0\nmistake a \"s\"\na=>b\nc=>d#e\n\n");
    assert_string_equal(lh_program_print(p), "vocab a b \"c d\"  # w\n"
                                             "size n = 2, m = 3  # s\n\n"
                                             "repeat h for n\n  # in\n  x = n * m  # y\nend  # z\n"
                                             "param W : n x 3*m = 0\n"
                                             "mistake a \"s\"  # e\n  a => b\n  c => d\n");
    lh_program_free(p);
}

/* The fields that a round trip alone would not notice to be empty on both sides. */
static void fields_are_filled(void **state) {
    lh_program *p = parsed(*state, "vocab english = a \"b c\"  # w\n"
                                   "example A B -> C\n"
                                   "example -> C\n"
                                   "input x : english*\n"
                                   "param W : 2 × n = [1 -0.50] as \"w\"\n"
                                   "mistake m *each i* in grad f \"s\" a => b\n"
                                   "seed numpy 42\n"
                                   "vocab 65\n"
                                   "vocab \"65\"\n");
    lh_statement **s = p->statement;
    assert_string_equal(s[0]->name, "english");
    assert_string_equal(s[0]->comment, "w");
    assert_int_equal(s[0]->n_words, 2);
    assert_string_equal(s[0]->word[1], "b c");
    assert_true(s[1]->is_short && s[1]->has_target);
    assert_string_equal(s[1]->binding[0].name, "tokens");
    assert_int_equal(s[1]->binding[0].n_words, 2);
    assert_string_equal(s[1]->binding[1].name, "target");
    assert_string_equal(s[1]->binding[1].word[0], "C");
    assert_int_equal(s[2]->n_bindings, 1);
    assert_string_equal(s[2]->binding[0].name, "target");
    assert_true(s[2]->is_short && s[2]->has_target);
    assert_string_equal(s[3]->of, "english");
    assert_true(s[3]->is_many && !s[3]->rows);
    assert_true(s[4]->rows->number == 2);
    assert_string_equal(s[4]->cols->text, "n");
    assert_string_equal(s[4]->as, "w");
    assert_true(s[4]->expr->cell[1] == -0.5);
    assert_string_equal(s[4]->expr->celltext[1], "-0.50");
    assert_string_equal(s[5]->choice, "i");
    assert_string_equal(s[5]->where, "in grad");
    assert_string_equal(s[5]->of, "f");
    assert_string_equal(s[5]->says, "s");
    assert_int_equal(s[5]->n_rules, 1);
    assert_string_equal(s[6]->of, "numpy");
    assert_true(s[6]->seed == 42);
    assert_int_equal(s[7]->count, 65);
    assert_int_equal(s[8]->n_words, 1);
    lh_program_free(p);
}

static void check_place(lh_place at, int line, int col, int len) {
    assert_int_equal(at.line, line);
    assert_int_equal(at.col, col);
    assert_int_equal(at.len, len);
}

static void places_are_exact(void **state) {
    lh_program *p = parsed(
        *state, "# c\n  yy = (a + b) * cc  # d\nz = f(a, # e\n  b) + 1\nexample A B -> CC\n");
    lh_statement **s = p->statement;
    check_place(s[1]->at, 2, 3, 17);
    check_place(s[1]->name_at, 2, 3, 2);
    check_place(s[1]->expr->at, 2, 8, 12);
    check_place(s[1]->expr->arg[0]->at, 2, 9, 5);
    check_place(s[1]->expr->arg[1]->at, 2, 18, 2);
    check_place(s[2]->at, 3, 1, 8); /* as far as its first line goes */
    check_place(s[2]->expr->at, 3, 5, 4);
    check_place(s[2]->expr->arg[1]->at, 4, 8, 1);
    assert_string_equal(s[2]->comment, "e");
    check_place(s[3]->at, 5, 1, 17);
    check_place(s[3]->binding[0].at, 5, 9, 3);
    check_place(s[3]->binding[1].at, 5, 16, 2);
    lh_program_free(p);
}

/* Wrong texts: where the error is and a part of what it says. */
static const struct bad {
    const char *text;
    int line, col;
    const char *what;
} bads[] = {
    {"x = ", 1, 4, "the formula of `x` is missing"},
    {"x = a +", 1, 8, "expected a value, found the end of the line"},
    {"x = a = b", 1, 7, "`=` is not allowed inside a formula"},
    {"x = a ** b", 1, 8, "expected a value, found `*`"},
    {"x = a // b", 1, 8, "expected a value, found `/`"},
    {"x = a b", 1, 7, "expected the end of the line, found `b`"},
    {"x = 3 (4)", 1, 7, "expected the end of the line, found `(`"},
    {"x = a)", 1, 6, "`)` has no opening bracket"},
    {"x = (a", 1, 5, "this bracket is never closed"},
    {"x = (((", 1, 7, "this bracket is never closed"},
    {"y = f(a, b\nz = 3", 1, 6, "this bracket is never closed"},
    {"y = (a b)", 1, 8, "expected `)`, found `b`"},
    {"y = (a = b)", 1, 8, "`=` is not allowed here"},
    {"y = f((a) = b)", 1, 11, "`=` is not allowed here"},
    {"y = f((a),", 1, 6, "this bracket is never closed"},
    {"y = f(a]", 1, 8, "expected `)`, found `]`"},
    {"y = f(,)", 1, 7, "expected a value, found `,`"},
    {"y = ()", 1, 6, "expected a value, found `)`"},
    {"x = a < b < c", 1, 11, "can compare only once"},
    {"x = [1 2; 3]", 1, 11, "row 2 has 1 number, the first row has 2"},
    {"x = [1 2;\n 1 2;\n 3 4 5]", 3, 2, "row 3 has 3 numbers, the first row has 2"},
    {"x = []", 1, 5, "this matrix is empty"},
    {"x = [a b]", 1, 6, "a matrix contains only numbers, and `a`"},
    {"x = [1 + 2]", 1, 8, "expected a number of the matrix, found `+`"},
    {"x = [1 2;]", 1, 10, "expected a number of the matrix, found `]`"},
    {"x = [1,, 2]", 1, 8, "expected a number of the matrix, found `,`"},
    {"x = [1 2\ny = 3", 1, 5, "this bracket is never closed"},
    {"x = a[]", 1, 8, "expected a column after `[]`"},
    {"x = a[1", 1, 6, "this bracket is never closed"},
    {"x = H[last - 1]", 1, 7, "`last` can only be used alone"},
    {"x = last + 1", 1, 5, "`last` can only be used alone"},
    {"x = H[0][last]", 1, 10, "`last` can only be used alone"},
    {"last = 3", 1, 1, "`last` is the last row"},
    {"vocab = 3", 1, 1, "`vocab` is the size of the vocabulary"},
    {"x = 3dim", 1, 5, "`3dim`: a number is followed directly by a name"},
    {"x = 1e999", 1, 5, "too large"},
    {"x = \"abc", 1, 5, "is not closed on its line"},
    {"x = \"a\\qb\"", 1, 7, "in a text, \\ can only"},
    {"x = a.T", 1, 6, "`.` is not part of the notation"},
    {"x = a ? b", 1, 7, "`?` is not part of the notation"},
    {"x = “a”", 1, 5, "is not part of the notation"},
    {"x = 3 – 2", 1, 7, "`–` is not part of the notation"},
    {"x = a—b", 1, 6, "`—` is not part of the notation"},
    {"x = a\xE2\x80\x8B", 1, 6, "there is an invisible character here: U+200B"},
    {"x = 1\ny = \xFF", 2, 5, "this does not look like text: byte 0xff"},
    {"x = \x01", 1, 5, "this does not look like text"},
    {"x = 1\ry = 2", 1, 6, "this does not look like text"},
    {"# \xC3", 1, 3, "this does not look like text"},
    {"x == 3", 1, 3, "expected `=` after `x`"},
    {"W[0] = 3", 1, 2, "expected `=` after `W`, found `[`"},
    {"parm W = 3", 1, 1, "no statement begins with `parm`"},
    {"3 = x", 1, 1, "no statement begins with `3`"},
    {"foo", 1, 1, "no statement begins with `foo`"},
    {"end", 1, 1, "this `end` belongs to no block"},
    {"a = 1\nrepeat h for 3\n  x = 1\n", 2, 1, "`end` is missing: `repeat h` begins in line 2"},
    {"fn f(x)\n  y = x", 1, 1, "`end` is missing: `fn f` begins in line 1"},
    {"fn f(x)\n  fn g(x)\n", 2, 3, "`fn` is not allowed inside `fn f`, which begins in line 1"},
    {"repeat h for 3\nvocab A B\nend", 2, 1, "`vocab` is not allowed inside `repeat h`"},
    {"each W in params\n  state v = 0\nend", 2, 3, "`state` is not allowed inside `each W`"},
    {"grad f(x)\n  x := 0\nend", 2, 5, "`:=` is not allowed inside `grad`"},
    {"next X = 3", 1, 1, "`next` is only allowed inside `repeat`"},
    {"fn f()\nend", 1, 6, "expected the name of a parameter, found `)`"},
    {"fn f\nend", 1, 5, "expected `(`, found the end of the line"},
    {"grad f(3)\nend", 1, 8, "expected the name of a parameter or of a call, found `3`"},
    {"repeat h\nend", 1, 9, "expected `for`"},
    {"repeat h for 3 with X\nend", 1, 22, "expected `=`"},
    {"repeat h for 3\nend end", 2, 5, "expected the end of the line, found `end`"},
    {"each W of params\nend", 1, 8, "expected `in`, found `of`"},
    {"backward", 1, 1, "`backward` needs the name of a step"},
    {"backward 3", 1, 10, "expected the name of a step, found `3`"},
    {"generate tokens", 1, 16, "expected `from`"},
    {"generate a from b until c", 1, 25, "expected the last word between quotes, found `c`"},
    {"seed 1.5", 1, 6, "expected a whole number, found `1.5`"},
    {"seed", 1, 5, "expected a whole number"},
    {"seed 18446744073709551616", 1, 6, "this whole number is too large"},
    {"vocab 2147483648", 1, 7, "this whole number is too large"},
    {"vocab 0", 1, 7, "at least one token"},
    {"vocab", 1, 1, "the words of the vocabulary are missing"},
    {"vocab a -> b", 1, 9, "the arrow is only allowed in"},
    {"vocab a \"b\"c", 1, 12, "a space is missing after the quoted word"},
    {"vocab file(\"a\") + 1", 1, 7, "a vocabulary consists of words, a number or one file"},
    {"example", 1, 8, "words are missing"},
    {"example A ->", 1, 13, "words are missing"},
    {"example A -> B -> C", 1, 16, "this is the second arrow"},
    {"example s = a, b", 1, 14, "expected NAME = words after the comma"},
    {"example s = , t = a", 1, 13, "words are missing"},
    {"text", 1, 1, "the words of the text are missing"},
    {"examples x", 1, 11, "expected `=`"},
    {"size dim", 1, 9, "expected `=`"},
    {"param W", 1, 8, "expected `=`"},
    {"param W : dim = 0", 1, 15, "expected the `x` of a shape, found `=`"},
    {"param W : 2x3 = 0", 1, 11, "`2x3`: a number is followed directly by a name"},
    {"param W : 2 × 3 × 4 = 0", 1, 18, "expected `=`, found `×`"},
    {"const c = 1 as w", 1, 16, "expected its name in a weights file between quotes"},
    {"input x 3", 1, 9, "expected `:`"},
    {"input x : 3", 1, 12, "expected the `x` of a shape"},
    {"mistake a \"b\"", 1, 1, "the mistake `a` has no rule"},
    {"mistake a \"b\" c", 1, 16, "expected `=>`"},
    {"mistake a c => d", 1, 11, "expected what the learner did between quotes"},
    {"mistake a *all* \"b\" c => d", 1, 12, "expected `each`, found `all`"},
    {"mistake a *each same* \"b\" c => d", 1, 17, "`same` cannot name a choice"},
};

static void wrong_texts_get_their_message(void **state) {
    lh_context *ctx = *state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        const struct bad *b = &bads[i];
        lh_program *p = lh_program_parse(ctx, "bad.lh", b->text, strlen(b->text));
        const lh_error *e = lh_context_error(ctx);
        if (p) fail_msg("was read: %s", b->text);
        if (e->at.line != b->line || e->at.col != b->col || !strstr(e->what, b->what))
            fail_msg("%s\n%d:%d: %s, not\n%d:%d: %s", b->text, e->at.line, e->at.col, e->what,
                     b->line, b->col, b->what);
        assert_string_equal(e->file, "bad.lh");
        assert_true(e->source[0]);
        assert_true(e->kind == LH_ERROR_TEXT || e->kind == LH_ERROR_LIMIT);
        lh_context_clear(ctx);
    }
    assert_null(lh_program_parse(ctx, "nul.lh", "x = 1\0", 6));
    assert_non_null(strstr(lh_context_error(ctx)->what, "does not look like text"));
}

static void cures_are_told(void **state) {
    static const char *const cures[][2] = {
        {"x = a = b", "=="},
        {"parm W = 3", "param"},
        {"x = [a b]", "beside(a, b)"},
        {"x = a.T", "K^T"},
        {"x = a ** b", "a^b"},
        {"param W : 2x3 = 0", "2 x 3"},
        {"def f(x)", "fn f(x)"},
        {"x = []", "zeros"},
        {"x = a\n  + b", "name = formula"},
        {"example s = a, b", "\",\""},
    };
    lh_context *ctx = *state;
    for (size_t i = 0; i < sizeof cures / sizeof *cures; i++) {
        assert_null(lh_program_parse(ctx, "bad.lh", cures[i][0], strlen(cures[i][0])));
        if (!strstr(lh_context_error(ctx)->cure, cures[i][1]))
            fail_msg("%s: %s", cures[i][0], lh_context_error(ctx)->cure);
        lh_context_clear(ctx);
    }
}

/* n times `unit`, between `before` and `after`. The caller frees it. */
static char *repeated(const char *before, const char *unit, int n, const char *after) {
    size_t b = strlen(before), u = strlen(unit), a = strlen(after);
    char *s = calloc(b + u * (size_t)n + a + 1, 1), *end = s + b;
    assert_non_null(s);
    memcpy(s, before, b + 1);
    for (int i = 0; i < n; i++, end += u) memcpy(end, unit, u);
    memcpy(end, after, a + 1);
    return s;
}

static void depth_has_a_limit(void **state) {
    static const char *const units[][2] = {
        {"x = ", "("},
        {"x = ", "-"},
        {"x = ", "2^"},
        {"x = ", "f("},
        {"x = ", "a["},
        {"x = ", "√"},
        {"x = ", "a[]["},
        {"x = a", "^T"},
        {"x = a", "+a"},
        {"x = a", "@a"},
        {"x = a", "[1]"},
        {"grad f(", "g("},
        {"", "repeat h for 1\n"},
    };
    lh_context *ctx = *state;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char *text = repeated(units[i][0], units[i][1], 10000, "");
        assert_null(lh_program_parse(ctx, "deep.lh", text, strlen(text)));
        assert_int_equal(lh_context_error(ctx)->kind, LH_ERROR_LIMIT);
        lh_context_clear(ctx);
        free(text);
    }
}

static void depth_up_to_the_limit_is_read(void **state) {
    char *open = repeated("x = ", "(1 + ", LH_MAX_DEPTH, "2");
    char *text = repeated(open, ")", LH_MAX_DEPTH, "\n");
    round_trip(*state, text);
    free(open);
    free(text);
    open = repeated("", "repeat h for 1\n", LH_MAX_DEPTH, "");
    text = repeated(open, "end\n", LH_MAX_DEPTH, "");
    round_trip(*state, text);
    free(open);
    free(text);
}

static void long_lines_are_read(void **state) {
    static const char *const units[][3] = {
        {"x = [1", " 2", "]"},         {"x = f(1", ", a", ")"}, {"x = f(1", ",#c\na", ")"},
        {"vocab a", " b", ""},         {"x = ", "n", ""},       {"x = 1", "0", "e-500000"},
        {"x = 1  # ", "c", ""},        {"x = \"", "c", "\""},   {"example a = b", ", a = b", ""},
        {"size a = 1", ", a = 1", ""},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char *text = repeated(units[i][0], units[i][1], 500000, units[i][2]);
        round_trip(*state, text);
        free(text);
    }
}

/* xorshift: the same trees on every machine. */
static uint64_t dice = 88172645463325252u;

static int draw(int n) {
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (int)(dice % (uint64_t)n);
}

static lh_expr *random_tree(lh_arena *a, int depth);

static lh_expr *tree_new(lh_arena *a, lh_expr_kind kind, int n_args, int depth) {
    lh_expr *e = lh_alloc(a, sizeof *e);
    e->kind = kind;
    e->n_args = n_args;
    e->arg = lh_alloc(a, 4 * sizeof(lh_expr *));
    for (int i = 0; i < n_args; i++) e->arg[i] = random_tree(a, depth - 1);
    return e;
}

static lh_expr *random_leaf(lh_arena *a) {
    static const char *const names[] = {"a", "b", "T", "x", "text", "vocab", "T2", "δ", "as"};
    static const char *const numbers[] = {"0", "1", "0.10", ".5", "3.", "1e-3"};
    lh_expr *e = tree_new(a, draw(3) ? LH_E_NAME : LH_E_NUMBER, 0, 0);
    if (draw(12) == 0) e->kind = LH_E_STRING;
    e->text = e->kind == LH_E_NUMBER ? numbers[draw(6)] : names[draw(9)];
    if (e->kind == LH_E_NUMBER) e->number = strtod(e->text, NULL);
    return e;
}

static lh_expr *random_matrix(lh_arena *a) {
    static const char *const cells[] = {"0", "-1", "2.50"};
    lh_expr *e = tree_new(a, LH_E_MATRIX, 0, 0);
    e->rows = 1 + draw(2);
    e->cols = 1 + draw(3);
    e->cell = lh_alloc(a, 6 * sizeof *e->cell);
    e->celltext = lh_alloc(a, 6 * sizeof *e->celltext);
    for (int i = 0; i < e->rows * e->cols; i++) {
        e->celltext[i] = cells[draw(3)];
        e->cell[i] = strtod(e->celltext[i], NULL);
    }
    return e;
}

static lh_expr *random_call(lh_arena *a, int depth) {
    static const char *const names[] = {"f", "T", "x", "sqrt"};
    lh_expr *e = tree_new(a, LH_E_CALL, draw(4), depth);
    e->text = names[draw(4)];
    e->argname = lh_alloc(a, 4 * sizeof *e->argname);
    for (int i = 0; i < e->n_args; i++) e->argname[i] = draw(3) ? NULL : names[draw(3)];
    return e;
}

static lh_expr *random_tree(lh_arena *a, int depth) {
    if (depth <= 0 || draw(8) == 0) return random_leaf(a);
    lh_expr_kind kind = (lh_expr_kind)draw(LH_E_KINDS);
    switch (kind) {
    case LH_E_CALL: return random_call(a, depth);
    case LH_E_MATRIX: return random_matrix(a);
    case LH_E_NUMBER:
    case LH_E_STRING:
    case LH_E_NAME:
    case LH_E_LAST: return random_leaf(a);
    case LH_E_NEG:
    case LH_E_TRANSPOSE: return tree_new(a, kind, 1, depth);
    case LH_E_CELL: return tree_new(a, kind, 3, depth);
    default: break;
    }
    lh_expr *e = tree_new(a, kind, 2, depth);
    if (kind == LH_E_ROW && draw(3) == 0) e->arg[1] = tree_new(a, LH_E_LAST, 0, 0);
    return e;
}

/* Without any one pair of its brackets (those of calls aside) the text must mean something else or
 * nothing. */
static void no_bracket_is_idle(lh_context *ctx, lh_arena *a, const lh_expr *e,
                               const char *printed) {
    size_t n = strlen(printed);
    for (size_t i = 0; i < n; i++) {
        bool call = i > 0 && (strchr("fTxt", printed[i - 1]) && printed[i - 1] != ' ');
        if (printed[i] != '(' || call) continue;
        size_t stop = i;
        for (int depth = 0; stop < n; stop++) {
            depth += (printed[stop] == '(') - (printed[stop] == ')');
            if (depth == 0) break;
        }
        char *without = lh_copy(a, printed, n);
        without[i] = without[stop] = ' ';
        const lh_expr *other = lh_expr_parse(ctx, a, without, n);
        if (other && lh_expr_same(e, other)) fail_msg("idle brackets: %s", printed);
        lh_context_clear(ctx);
    }
}

static void random_trees_round_trip(void **state) {
    lh_context *ctx = *state;
    printf("# seed %llu\n", (unsigned long long)dice);
    for (int i = 0; i < 2000; i++) {
        lh_arena *a = lh_arena_new(ctx);
        lh_expr *e = random_tree(a, 1 + i % 7);
        lh_text out = lh_text_new(a);
        lh_expr_print(&out, e);
        lh_expr *again = lh_expr_parse(ctx, a, out.s, out.n);
        if (!again) fail_msg("%s: %s", out.s, lh_context_error(ctx)->what);
        if (!lh_expr_same(e, again)) fail_msg("not the same: %s", out.s);
        no_bracket_is_idle(ctx, a, e, out.s);
        lh_arena_free(a);
    }
}

/* Does any difference between two trees go unnoticed? */
static void different_programs_differ(void **state) {
    static const char *const kinds[] = {
        "x = 1",
        "x = 2",
        "y = 1",
        "x := 1",
        "x = 1 # c",
        "x = [1 2]",
        "x = [1; 2]",
        "x = [1 3]",
        "x = f(1)",
        "x = f(k = 1)",
        "x = a",
        "x = \"a\"",
        "x = a[1]",
        "x = a[][1]",
        "vocab a b",
        "vocab a",
        "vocab v = a b",
        "vocab 65",
        "vocab 66",
        "vocab file(\"a\")",
        "seed 1",
        "seed 2",
        "seed numpy 1",
        "input x : v",
        "input x : v*",
        "input x : 1 x v",
        "input x : 2 x v",
        "example a",
        "example -> a",
        "example tokens = a",
        "text a",
        "const a = 1",
        "param a = 1",
        "param a : 1 x 1 = 1",
        "param a = 1 as \"w\"",
        "size a = 1, b = 2",
        "size a = 1\nsize b = 2",
        "backward a",
        "generate a from b",
        "generate a from b starting \"c\"",
        "generate a from b until \"c\"",
        "fn f(x)\nend",
        "fn f(x = 1)\nend",
        "fn f(x)\nend # c",
        "fn f(x)\ny = 1\nend",
        "grad f(x)\nend",
        "grad f(g(x))\nend",
        "repeat h for 1\nend",
        "repeat h for 1 with x = 1\nend",
        "mistake a \"s\" b => c",
        "mistake a \"t\" b => c",
        "mistake a \"s\" c => c",
        "mistake a \"s\" b => b",
        "mistake a *same* \"s\" b => c",
        "mistake a update \"s\" b => c",
        "",
    };
    enum { N = sizeof kinds / sizeof *kinds };
    lh_program *p[N];
    for (int i = 0; i < N; i++) p[i] = parsed(*state, kinds[i]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (lh_program_same(p[i], p[j]) != (i == j))
                fail_msg("%s\nand\n%s", kinds[i], kinds[j]);
    for (int i = 0; i < N; i++) lh_program_free(p[i]);
}

static void blank_lines_and_layout_do_not_count(void **state) {
    lh_program *a = parsed(*state, "x=1\n\n\nfn f( x )\n\ny = 0.10\nend");
    lh_program *b = parsed(*state, "\nx = (1)\nfn f(x)\n  y = 0.1\n\nend\n\n");
    assert_true(lh_program_same(a, b));
    lh_program_free(a);
    lh_program_free(b);
}

/* A text that needs many pieces, small and large. */
static char *large_program(void) {
    char *numbers = repeated("const M = [1", " 2.5", 3000, "]  # c\n");
    char *text = repeated(numbers, "repeat h for 2 with X = f(a, k = b)\n  next X = X @ X^T\nend\n",
                          300, "vocab a b \"c d\"\nexample a -> b\nx = f(a, # c\n b)\n");
    free(numbers);
    return text;
}

static void each_allocation_fails_once(void **state) {
    lh_context *ctx = *state;
    char *text = large_program();
    bool done = false;
    for (refused = 1; !done; refused++) {
        asked = 0;
        lh_program *p = lh_program_parse(ctx, "memory.lh", text, strlen(text));
        char *printed = p ? lh_program_print(p) : NULL;
        done = !lh_failed(ctx);
        if (p) assert_true(done == (*printed != 0));
        if (!done) assert_int_equal(lh_context_error(ctx)->kind, LH_ERROR_MEMORY);
        lh_program_free(p);
        assert_int_equal(live, 0);
        lh_context_clear(ctx);
    }
    assert_true(refused > 8); /* several pieces were asked for */
    refused = 0;
    free(text);
}

static void a_failed_context_does_nothing(void **state) {
    lh_context *ctx = *state;
    lh_arena *a = lh_arena_new(ctx);
    lh_program *p = parsed(ctx, "x = 1");
    lh_fail(ctx, LH_ERROR_FILE, (lh_place){0, 0, 0}, "before");
    assert_null(lh_program_parse(ctx, "a.lh", "x = ", 4));
    assert_null(lh_expr_parse(ctx, a, "1", 1));
    assert_string_equal(lh_program_print(p), "");
    assert_string_equal(lh_context_error(ctx)->what, "before");
    lh_program_free(p);
    lh_program_free(NULL);
    lh_arena_free(a);
}

static void a_formula_alone(void **state) {
    lh_context *ctx = *state;
    lh_arena *a = lh_arena_new(ctx);
    lh_expr *e = lh_expr_parse(ctx, a, "\n a + b # c\n\n", 13);
    assert_non_null(e);
    assert_int_equal(e->kind, LH_E_ADD);
    assert_null(lh_expr_parse(ctx, a, "a + b\nc", 7));
    check_place(lh_context_error(ctx)->at, 2, 1, 1);
    assert_string_equal(lh_context_error(ctx)->source, "c");
    lh_context_clear(ctx);
    assert_null(lh_expr_parse(ctx, a, "", 0));
    assert_null(lh_expr_parse(ctx, a, NULL, 0));
    lh_arena_free(a);
}

/* Where a comma is the decimal sign, 0.5 is still a half. */
static void numbers_do_not_ask_the_locale(void **state) {
    comma_begin();
    lh_program *p = parsed(
        *state, "x = [0.5 12.25e1 .5e-1 3. 1e22 0.1e-400 123456789012345678901234567890.5e-20]");
    static const double values[] = {0.5, 122.5, 0.05, 3, 1e22, 0, 1234567890.1234567890123456789};
    comma_end();
    for (int i = 0; i < 7; i++)
        if (p->statement[0]->expr->cell[i] != values[i]) fail_msg("number %d", i);
    lh_program_free(p);
}

static char *file_text(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s cannot be opened", path);
    enum { ROOM = 1 << 20 };
    char *text = malloc(ROOM);
    assert_non_null(text);
    size_t n = fread(text, 1, ROOM - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static void file_round_trip(lh_context *ctx, const char *path) {
    char *text = file_text(path);
    printf("# %s\n", path);
    round_trip(ctx, text);
    free(text);
}

static void files_round_trip(void **state) {
    static const char *const folders[] = {"models", "src/notation", "src/learn"};
    const char *root = getenv("LH_SOURCE_ROOT");
    for (int i = 0; i < n_given_files; i++) file_round_trip(*state, given_files[i]);
    for (size_t i = 0; root && i < sizeof folders / sizeof *folders; i++) {
        char pattern[4096];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%s/*.lh", root, folders[i]);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t k = 0; k < found.gl_pathc; k++) file_round_trip(*state, found.gl_pathv[k]);
        globfree(&found);
    }
}

/* The programs of the lessons, as they travel inside the program. */
static void lessons_round_trip(void **state) {
    int n = 0;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *e = &lh_embedded_files[i];
        if (strncmp(e->name, "lessons/", 8) != 0) continue;
        lh_program *p = lh_lesson_parse(*state, e->name, e->text, e->length);
        assert_non_null(p);
        round_trip(*state, lh_program_print(p));
        lh_program *again =
            lh_program_parse(*state, e->name, lh_program_print(p), strlen(lh_program_print(p)));
        assert_true(lh_program_same(p, again));
        lh_program_free(again);
        lh_program_free(p);
        n++;
    }
    assert_true(n >= 6);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, with_context, without_context)

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        TEST(statements_round_trip),
        TEST(every_kind_is_tried),
        TEST(formulas_have_one_layout),
        TEST(programs_have_one_layout),
        TEST(fields_are_filled),
        TEST(places_are_exact),
        TEST(wrong_texts_get_their_message),
        TEST(cures_are_told),
        TEST(depth_has_a_limit),
        TEST(depth_up_to_the_limit_is_read),
        TEST(long_lines_are_read),
        TEST(random_trees_round_trip),
        TEST(different_programs_differ),
        TEST(blank_lines_and_layout_do_not_count),
        TEST(each_allocation_fails_once),
        TEST(a_failed_context_does_nothing),
        TEST(a_formula_alone),
        TEST(numbers_do_not_ask_the_locale),
        TEST(files_round_trip),
        TEST(lessons_round_trip),
    };
    given_files = argv + 1;
    n_given_files = argc - 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
