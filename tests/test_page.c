/* The text of a lesson as a tree, and the tree as lines: what is read, what is refused, and that no line is too wide. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid_text.h"
#include "cli/read.h"

typedef struct bench {
    lh_cli cli;
} bench;

static bench open_bench(void) {
    bench b = {.cli = {.ctx = lh_context_new(), .out = stdout, .width = 80}};
    b.cli.arena = lh_arena_new(b.cli.ctx);
    return b;
}

static void close_bench(bench *b) {
    lh_arena_free(b->cli.arena);
    lh_context_free(b->cli.ctx);
}

static void insert(void *who, int i, lh_span *s) {
    static const char *const texts[] = {"0.4982", "S / sqrt(2)", "2017"};
    (void)who;
    s->text = texts[i];
    s->is_formula = i == 1;
    s->source = i == 2 ? "Vaswani et al." : NULL;
}

static lh_page *read_text(bench *b, const char *text) {
    lh_page_how how = {
        .file = "mine.md", .text = text, .length = strlen(text), .insert = insert, .n_inserts = 3};
    return lh_page_read(b->cli.ctx, b->cli.arena, &how);
}

/* A tree as one line: (heading 1 a-b: text "A b") ... */
static void describe_spans(lh_text *t, const lh_span *s) {
    static const char *const words[] = {"text", "em",      "strong", "code",  "link",
                                        "math", "display", "break",  "insert"};
    for (; s; s = s->next) {
        lh_text_add(t, " %s", words[s->kind]);
        if (s->to) lh_text_add(t, "->%s", s->to);
        if (s->child) {
            lh_text_add(t, "(");
            describe_spans(t, s->child);
            lh_text_add(t, ")");
        } else if (s->text) {
            lh_text_add(t, "'%s'", s->text);
        }
    }
}

static void describe(lh_text *t, const lh_piece *p) {
    static const char *const words[] = {"heading", "p",   "quote", "list", "item", "code",
                                        "table",   "row", "cell",  "rule", "block"};
    for (; p; p = p->next) {
        lh_text_add(t, "[%s", words[p->kind]);
        if (p->kind == LH_PIECE_HEADING) lh_text_add(t, " %d #%s", p->level, p->anchor);
        if (p->kind == LH_PIECE_BLOCK || p->is_ordered) lh_text_add(t, " %d", p->number);
        if (p->kind == LH_PIECE_CODE) lh_text_add(t, " %s '%s'", p->language, p->text);
        if (p->kind == LH_PIECE_CELL && p->align) lh_text_add(t, " align %d", p->align);
        describe_spans(t, p->span);
        describe(t, p->child);
        lh_text_add(t, "]");
    }
}

static void tree_is(const char *text, const char *wanted) {
    bench b = open_bench();
    lh_page *p = read_text(&b, text);
    lh_text t = lh_text_new(b.cli.arena);
    if (!p) fail_msg("%s: %s", text, lh_context_error(b.cli.ctx)->what);
    describe(&t, p->piece);
    assert_string_equal(t.s, wanted);
    close_bench(&b);
}

static void trees(void **state) {
    (void)state;
    tree_is("# A b\n\nx *y* **z** `c`\n", "[heading 1 #a-b text'A b'][p text'x ' em( text'y') "
                                          "text' ' strong( text'z') text' ' code'c']");
    tree_is("## A\n## A\n### A, B!\n",
            "[heading 2 #a text'A'][heading 2 #a-2 text'A'][heading 3 #a-b text'A, B!']");
    tree_is("[w](ex2#q) $a^2$\n\n$$b$$\n",
            "[p link->ex2#q( text'w') text' ' math'a^2'][p display'b']");
    tree_is("3. a\n4. b\n   - c\n", "[list 3[item text'a'][item text'b'[list[item text'c']]]]");
    tree_is("- a\n\n- b\n", "[list[item[p text'a']][item[p text'b']]]");
    tree_is("> q\n\n---\n", "[quote[p text'q']][rule]");
    tree_is("| a | b |\n| --- | --: |\n| 1 | 2 |\n",
            "[table[row[cell text'a'][cell align 3 text'b']][row[cell text'1'][cell align 3 "
            "text'2']]]");
    tree_is("```longhand\nX = 1\n```\n", "[code longhand 'X = 1\n']");
    tree_is("```longhand-block\n7\n```\n", "[block 7]");
    tree_is("a &lt; b &amp; c\n", "[p text'a ' text'<' text' b ' text'&' text' c']");
}

/* U+E000 is insert 0; in code and formulas it becomes words; a character without an insert stays. */
static void inserts(void **state) {
    (void)state;
    tree_is("is \uE000, `\uE001` $\uE000$ \uE003\n",
            "[p text'is ' insert'0.4982' text', ' code'S / sqrt(2)' text' ' math'0.4982' text' "
            "\uE003']");
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *what;
        int line;
    } all[] = {{"a\n\n<b>x</b>\n", "cannot contain HTML", 3},
               {"a\nb <i>c</i>\n", "cannot contain HTML", 2},
               {"a\n\n![p](x.png)\n", "cannot contain image", 3},
               {"a\n\n&unknown; b\n", "entity", 3}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bench b = open_bench();
        assert_null(read_text(&b, all[i].text));
        const lh_error *e = lh_context_error(b.cli.ctx);
        if (!strstr(e->what, all[i].what)) fail_msg("%s: %s", all[i].text, e->what);
        assert_int_equal(e->at.line, all[i].line);
        assert_string_equal(e->file, "mine.md");
        assert_true(e->cure[0]);
        close_bench(&b);
    }
    bench b = open_bench();
    char deep[600];
    memset(deep, '>', sizeof deep - 3);
    strcpy(deep + sizeof deep - 3, "x\n");
    assert_null(read_text(&b, deep));
    assert_non_null(strstr(lh_context_error(b.cli.ctx)->what, "deep"));
    close_bench(&b);
}

/* ---- lines ---- */

static void fits(const lh_page_layout *l, int width, const char *what) {
    assert_true(l->n_lines > 0);
    for (int i = 0; i < l->n_lines; i++)
        if (lh_layout_columns(l->line[i]) > width)
            fail_msg("%s at %d columns: %d: %s", what, width, lh_layout_columns(l->line[i]),
                     l->line[i]);
}

static lh_page_layout *lay(bench *b, const char *text, int width) {
    lh_page *p = read_text(b, text);
    if (!p) fail_msg("%s: %s", text, lh_context_error(b->cli.ctx)->what);
    lh_page_layout *l = lh_layout_new(&b->cli, b->cli.arena, width);
    lh_layout_pieces(l, p->piece, 0);
    if (lh_failed(b->cli.ctx)) fail_msg("%s", lh_context_error(b->cli.ctx)->what);
    return l;
}

static void lines_are(const char *text, int width, const char *wanted) {
    bench b = open_bench();
    lh_page_layout *l = lay(&b, text, width);
    lh_text t = lh_text_new(b.cli.arena);
    for (int i = 0; i < l->n_lines; i++) lh_text_add(&t, "%s\n", l->line[i]);
    assert_string_equal(t.s, wanted);
    close_bench(&b);
}

static void laid_out(void **state) {
    (void)state;
    lines_are("# Title\n\nOne two, `three`.\n", 60, "Title\n═════\n\nOne two, three.\n");
    lines_are("aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb cccccccccc, d\n", 40,
              "aaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbb cccccccccc, d\n");
    lines_are("9. a\n10. b\n    - c\n", 60, " 9. a\n10. b\n    • c\n");
    lines_are("a \uE002, b\n", 60, "a 2017[1], b\n");
    lines_are("| n | v |\n| --- | --: |\n| a | 1 |\n| b | 10 |\n", 60,
              "n    v\n─   ──\na    1\nb   10\n");
    lines_are("> a\n> b\n", 60, "│ a b\n");
    /* comments: as written; moved to the left; above the line */
    lines_are("```longhand\nX = 1      # one\n```\n", 60, "    X = 1      # one\n");
    lines_are("```longhand\nX = 1                              # some words\n```\n", 40,
              "    X = 1  # some words\n");
    lines_are("```longhand\nlong_name = another_name   # words that take a line\n```\n", 40,
              "    # words that take a line\n    long_name = another_name\n");
}

static const char *const hard =
    "# A title that is as long as a title can be and then goes on for quite some time, wider than "
    "any screen\n\n"
    "Words, and "
    "supercalifragilisticexpialidociousupercalifragilisticexpialidociousupercalifragilisticexpialid"
    "ocious, "
    "`code_that_is_long_and_has_no_space_in_it_at_all_so_that_it_must_be_cut_somewhere_or_other` "
    "and 日本語日本語日本語"
    "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本"
    "語日本語.\n\n"
    "- a\n  - b\n    - c\n      - d with words that go on until the line has to be folded, deep "
    "inside of lists of lists\n\n"
    "> - quoted lists fold too, inside of their line on the left, which takes two columns of the "
    "width away\n\n"
    "| a | b | c | d | e | f | g | h |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    "| one two three | four_five_six_seven | eight nine ten | x | y | z | words words words | "
    "more_of_the_same |\n\n"
    "```\nplain code that is far longer than the screen is wide, and has to be cut, because it "
    "cannot be folded, can it, no\n```\n\n"
    "$$\\frac{a + b + c + d + e + f + g + h + i + j + k + l + m}{n + o + p + q + r + s + t + u + v "
    "+ w + x + y + z}$$\n";

static void hard_lines_fit(void **state) {
    (void)state;
    for (int width = 40; width <= 130; width++) {
        bench b = open_bench();
        fits(lay(&b, hard, width), width, "hard");
        close_bench(&b);
    }
}

/* The sample that uses everything, with and without colours; and every lesson. */
static void lesson_fits(const char *lesson, int width, bool colour) {
    bench b = open_bench();
    b.cli.colour = colour;
    lh_reading r;
    lh_read_lines lines;
    if (!lh_reading_open(&b.cli, lesson, &r)) fail_msg("%s cannot be read", lesson);
    if (!lh_read_layout(&r, r.arena, width, &lines))
        fail_msg("%s: %s", lesson, lh_context_error(b.cli.ctx)->what);
    fits(lines.layout, width, lesson);
    for (int i = 1; i < lines.n_pieces; i++) assert_true(lines.first[i] >= lines.first[i - 1]);
    lh_reading_close(&r);
    close_bench(&b);
}

static void lessons_fit(void **state) {
    (void)state;
    char sample[1024];
    snprintf(sample, sizeof sample, "%s/tests/lessons/everything.md", getenv("LH_SOURCE_ROOT"));
    for (int width = 60; width <= 120; width += 20) {
        lesson_fits(sample, width, false);
        lesson_fits(sample, width, true);
        bench b = open_bench();
        lh_course c = lh_course_read(b.cli.ctx, b.cli.arena);
        assert_true(c.n_listed >= 6 && c.n > c.n_listed);
        for (int i = 0; i < c.n_listed; i++) lesson_fits(c.entry[i].name, width, false);
        close_bench(&b);
    }
}

/* ---- matrices ---- */

static void grids(void **state) {
    (void)state;
    bench b = open_bench();
    const char *row[] = {"A", "B"}, *col[] = {"A", "longer"},
               *cell[] = {"0.1", "-10", "12", "0.25"};
    lh_grid g = {2, 2, row, col, cell};
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    lh_grid_print(out, b.cli.arena, &g, "P = ", 2, 60);
    fclose(out);
    assert_string_equal(text, "           A    longer\n"
                              "  P = A ⎡  0.1  -10    ⎤\n"
                              "      B ⎣ 12      0.25 ⎦\n");
    free(text);
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),    cmocka_unit_test(inserts),        cmocka_unit_test(refused),
        cmocka_unit_test(laid_out), cmocka_unit_test(hard_lines_fit), cmocka_unit_test(lessons_fit),
        cmocka_unit_test(grids),
    };
    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
