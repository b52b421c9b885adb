/* The book: pages that are well-formed XML, links that lead somewhere, nothing that asks for the network. */
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/file.h"
#include "cli/html_stream.h"
#include "pages/html.h"

/* A page, and what stands in it. */
typedef struct page {
    char name[256];
    char *text;
    char **id, **link; /* href and src */
    int n_ids, n_links;
} page;

typedef struct shelf {
    lh_context *ctx;
    lh_arena *arena;
    char folder[256];
    page page[64];
    int n;
} shelf;

static shelf book;

/* ---- a small reader of XML ---- */

enum { DEPTH = 200 };

static void keep(char ***list, int *n, const char *s, size_t length) {
    *lh_push(book.arena, *list, *n) = lh_copy(book.arena, s, length);
}

static bool is_entity(const char *s) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(s, known[i], strlen(known[i])) == 0) return true;
    return false;
}

/* Behind the attributes; fails where one has no quotes or stands twice. */
static const char *read_attributes(page *p, const char *s) {
    const char *begin = s;
    s += strspn(s, " \n");
    while (*s != '>' && *s != '/') {
        size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:");
        if (!n || s[n] != '=' || s[n + 1] != '"') fail_msg("%s: attribute: %.60s", p->name, s);
        for (const char *c = begin; c < s; c++)
            if (strncmp(c, s, n + 1) == 0 && c > begin && (c[-1] == ' ' || c[-1] == '\n'))
                fail_msg("%s: twice: %.60s", p->name, s);
        const char *value = s + n + 2, *end = value;
        for (; *end != '"'; end++)
            if (!*end || *end == '<' || (*end == '&' && !is_entity(end)))
                fail_msg("%s: value: %.60s", p->name, value);
        size_t length = (size_t)(end - value);
        if (n == 2 && strncmp(s, "id", 2) == 0) keep(&p->id, &p->n_ids, value, length);
        if ((n == 4 && strncmp(s, "href", 4) == 0) || (n == 3 && strncmp(s, "src", 3) == 0))
            keep(&p->link, &p->n_links, value, length);
        s = end + 1;
        s += strspn(s, " \n");
    }
    return s;
}

static void read_xml(page *p) {
    const char *open[DEPTH], *s = p->text;
    size_t length[DEPTH];
    int depth = 0, last_heading = 0, n_titles = 0;
    assert_int_equal(strncmp(s, "<!DOCTYPE html>\n", 16), 0);
    for (s += 16; *s;) {
        if (*s != '<') {
            if (*s == '>' || (*s == '&' && !is_entity(s)) || (!depth && *s != '\n'))
                fail_msg("%s: text: %.60s", p->name, s);
            s++;
            continue;
        }
        bool is_end = s[1] == '/';
        const char *name = s + 1 + is_end;
        size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        if (!n) fail_msg("%s: tag: %.60s", p->name, s);
        if (is_end) {
            if (!depth || length[depth - 1] != n || strncmp(open[depth - 1], name, n) != 0)
                fail_msg("%s: end of %.20s, open is %.20s", p->name, name,
                         depth ? open[depth - 1] : "");
            depth--, s = name + n + 1;
            continue;
        }
        if (n == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6') {
            int level = name[1] - '0';
            if (level > last_heading + 1)
                fail_msg("%s: h%d after h%d", p->name, level, last_heading);
            last_heading = level;
            n_titles += level == 1;
        }
        s = read_attributes(p, name + n);
        if (*s == '/') {
            s += 2;
            continue;
        }
        if (depth == DEPTH) fail_msg("%s: too deep", p->name);
        open[depth] = name, length[depth++] = n, s++;
    }
    if (depth) fail_msg("%s: %.20s is not closed", p->name, open[depth - 1]);
    assert_int_equal(n_titles, 1);
}

/* ---- the book ---- */

static int make_book(void **state) {
    char command[2048];
    (void)state;
    book.ctx = lh_context_new();
    book.arena = lh_arena_new(book.ctx);
    snprintf(book.folder, sizeof book.folder, "/tmp/longhand-book-test-XXXXXX");
    if (!mkdtemp(book.folder)) return -1;
    snprintf(command, sizeof command,
             "'%s/longhand' book -o '%s/b' --only ex1,ex2,ex3,'%s/tests/lessons/everything.md' "
             "2>/dev/null",
             getenv("LH_BUILD_ROOT"), book.folder, getenv("LH_SOURCE_ROOT"));
    if (system(command) != 0) return -1;
    char folder[300];
    snprintf(folder, sizeof folder, "%s/b", book.folder);
    DIR *d = opendir(folder);
    for (struct dirent *f; d && (f = readdir(d)) && book.n < 64;) {
        if (!strstr(f->d_name, ".html")) continue;
        page *p = &book.page[book.n++];
        size_t length;
        snprintf(p->name, sizeof p->name, "%s", f->d_name);
        p->text = lh_file_read(book.ctx, book.arena,
                               lh_printf(book.arena, "%s/%s", folder, f->d_name), &length);
        if (!p->text) return -1;
    }
    if (d) closedir(d);
    return book.n == 5 || book.n == 9 ? 0 : -1; /* with the engine four more than lessons */
}

static int remove_book(void **state) {
    char command[400];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", book.folder);
    lh_arena_free(book.arena);
    lh_context_free(book.ctx);
    return system(command);
}

static void pages_are_well_formed(void **state) {
    (void)state;
    for (int i = 0; i < book.n; i++) {
        page *p = &book.page[i];
        p->n_ids = p->n_links = 0;
        p->id = p->link = NULL;
        read_xml(p);
        for (int k = 0; k < p->n_ids; k++)
            for (int m = 0; m < k; m++)
                if (strcmp(p->id[k], p->id[m]) == 0) fail_msg("%s: two #%s", p->name, p->id[k]);
    }
}

static bool has_id(const page *p, const char *id) {
    for (int i = 0; i < p->n_ids; i++)
        if (strcmp(p->id[i], id) == 0) return true;
    return false;
}

static const page *page_named(const char *name, size_t n) {
    for (int i = 0; i < book.n; i++)
        if (strlen(book.page[i].name) == n && strncmp(book.page[i].name, name, n) == 0)
            return &book.page[i];
    return NULL;
}

static void links_lead_somewhere(void **state) {
    (void)state;
    int n_parts = 0;
    for (int i = 0; i < book.n; i++)
        for (int k = 0; k < book.page[i].n_links; k++) {
            const char *to = book.page[i].link[k];
            size_t n = strcspn(to, "#");
            const page *p = n ? page_named(to, n) : &book.page[i];
            if (strstr(to, ":")) fail_msg("%s: leads out: %s", book.page[i].name, to);
            char *path = lh_printf(book.arena, "%s/b/%.*s", book.folder, (int)n, to);
            FILE *f = n ? fopen(path, "r") : NULL;
            if (n && !f) fail_msg("%s: %s is not there", book.page[i].name, to);
            if (f) fclose(f);
            if (to[n] && (!p || !has_id(p, to + n + 1))) fail_msg("%s: %s", book.page[i].name, to);
            n_parts += to[n] != 0;
        }
    assert_true(n_parts > 5);
}

/* What the sample lesson must have become. */
static void everything_is_there(void **state) {
    (void)state;
    const page *p = page_named("everything.html", 15);
    assert_non_null(p);
    static const char *const wanted[] = {"<a href=\"ex2.html\">the second example</a>",
                                         "<a href=\"#numbers-in-prose\">",
                                         "<math",
                                         "0.498232",
                                         "25.63%",
                                         "<ol>",
                                         "<ul>",
                                         "<blockquote>",
                                         "<hr />",
                                         "<th scope=\"col\">",
                                         "<th scope=\"row\">A</th>",
                                         "<svg class=\"graph\"",
                                         "<svg class=\"chart\"",
                                         "<title id=",
                                         "<desc id=",
                                         "class=\"exercise\"",
                                         "<summary>Hint</summary>",
                                         "longhand exercise everything 1</code>",
                                         "<li>The loss rises.</li>",
                                         "<li id=\"source-1\">Vaswani",
                                         "id=\"program\"",
                                         "<b>vocab</b> A B C D",
                                         "rel=\"prev\"",
                                         "<code>wrong: P</code>",
                                         "with numbers",
                                         "\u2713 right",
                                         "Skip to the text",
                                         "<main",
                                         "<nav",
                                         "<header",
                                         "<footer"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(p->text, wanted[i])) fail_msg("%s is missing", wanted[i]);
    assert_null(strstr(p->text, "{{"));
    assert_null(strstr(p->text, "\xee\x80"));
    assert_null(strstr(p->text, "<style>")); /* of pictures: once, in pictures.css */
}

/* ---- pieces ---- */

static char *scoped(const char *style) {
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    lh_html_text(out, "a<b>&\"c\"\x01|");
    lh_html_scoped(out, style, "svg.graph");
    fclose(out);
    char *copy = lh_copy(book.arena, text, n);
    free(text);
    return copy;
}

static char *made(void (*put)(lh_text *)) {
    lh_text text = lh_text_new(book.arena);
    put(&text);
    return text.s;
}

static void put_text(lh_text *out) {
    lh_put_xml(out, "a<b>&\"c\"\x01");
}

static void put_code(lh_text *out) {
    lh_put_code(out, "const A = 1  # a < b\nconstant = 2\n", true);
}

static void put_picture(lh_text *out) {
    const char *style = NULL;
    lh_put_svg(out, book.arena,
               "<?xml?><svg width=\"1\" aria-labelledby=\"t d\"><title id=\"t\">x</title>"
               "<style>svg { a: b } .x, .y { c: d } @media (p) { .x { e: f } }</style><path "
               "m=\"url(#t)\"/></svg>",
               "f1-", "graph", &style);
    lh_put(out, "|");
    lh_put(out, scoped(style));
}

static void put_js(lh_text *out) {
    lh_put_js(out, "a\"b\\c</script>\n");
}

static void pieces(void **state) {
    (void)state;
    assert_string_equal(made(put_text), "a&lt;b&gt;&amp;&quot;c&quot;?");
    assert_string_equal(made(put_code), "<b>const</b> A = 1<i>  # a &lt; b</i>\nconstant = 2\n");
    assert_string_equal(made(put_js), "\"a\\\"b\\\\c\\u003c/script>\\n\"");
    assert_string_equal(made(put_picture),
                        "<svg class=\"graph\" width=\"1\" aria-labelledby=\"f1-t f1-d\"><title "
                        "id=\"f1-t\">x</title>"
                        "<path m=\"url(#f1-t)\"/></svg>|a&lt;b&gt;&amp;&quot;c&quot;?|"
                        "svg.graph { a: b }\nsvg.graph .x, svg.graph .y { c: d }\n"
                        "@media screen {\n:root[data-theme=\"dark\"] svg.graph .x { e: f }\n}\n"
                        "@media screen and (prefers-color-scheme: dark) {\n"
                        ":root:not([data-theme=\"light\"]) svg.graph .x { e: f }\n}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_well_formed),
        cmocka_unit_test(links_lead_somewhere),
        cmocka_unit_test(everything_is_there),
        cmocka_unit_test(pieces),
    };
    return cmocka_run_group_tests_name("book", tests, make_book, remove_book);
}
