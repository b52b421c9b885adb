/* book_page -- the frame of a page, the contents, the index for the search: what makes lessons a book. */
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/number.h"
#include "base/version.h"
#include "cli/book.h"
#include "learn/formula.h"

void lh_book_add(lh_book *b, const char *name, const char *text, size_t length) {
    *lh_push(b->arena, b->file, b->n_files) =
        (lh_book_file){name, lh_copy(b->arena, text, length), length};
}

/* ---- the frame ---- */

/* Nothing from elsewhere, no script but the book's own. Formulas align their columns by style attributes. */
static const char policy[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; style-src-attr "
    "'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src "
    "'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'";

static void put_head(lh_book *b, FILE *out, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
          "<meta charset=\"utf-8\" />\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n"
          "<meta name=\"color-scheme\" content=\"light dark\" />\n",
          out);
    lh_html_in(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"", policy, "\" />\n");
    lh_html_in(out, "<title>", title, "</title>\n");
    fputs("<link rel=\"stylesheet\" href=\"book.css\" />\n"
          "<link rel=\"stylesheet\" href=\"page.css\" />\n"
          "<link rel=\"stylesheet\" href=\"pictures.css\" />\n"
          "<link rel=\"icon\" href=\"icon.svg\" type=\"image/svg+xml\" />\n"
          "<script src=\"book.js\"></script>\n",
          out);
    if (b->is_alive)
        fputs("<link rel=\"manifest\" href=\"longhand.webmanifest\" />\n"
              "<script src=\"page.js\" defer=\"defer\"></script>\n",
              out);
    fputs("</head>\n", out);
}

static void put_way(FILE *out, const char *to, const char *word, const char *now) {
    bool is_here = now && strcmp(to, now) == 0;
    fprintf(out, "<a href=\"%s\"%s>%s</a>\n", to, is_here ? " aria-current=\"page\"" : "", word);
}

/* Title, ways, search and the switch of colours; the last two need the script and are hidden without it. */
static void put_top(lh_book *b, FILE *out, const char *now) {
    fprintf(out,
            "<body%s>\n<a class=\"skip\" href=\"#text\">Skip to the text</a>\n"
            "<header class=\"top\">\n<a class=\"home\" href=\"index.html\">Longhand</a>\n",
            b->is_alive ? " data-life=\"data-life\"" : "");
    if (b->is_alive) {
        fputs("<nav aria-label=\"Longhand\">\n", out);
        put_way(out, "index.html#contents", "Learn", now);
        put_way(out, "practice.html", "Practise", now);
        put_way(out, "play.html", "Play", now);
        put_way(out, "model.html", "Watch a GPT", now);
        put_way(out, "teach.html", "Teach", now);
        fputs("</nav>\n", out);
    }
    fputs("<form role=\"search\" hidden=\"hidden\"><label for=\"search\">Search</label>\n"
          "<input id=\"search\" type=\"search\" placeholder=\"Search\" autocomplete=\"off\" "
          "/></form>\n"
          "<button id=\"theme\" type=\"button\" hidden=\"hidden\">Dark</button>\n</header>\n"
          "<div id=\"found\" role=\"status\" hidden=\"hidden\"></div>\n",
          out);
}

void lh_book_head(lh_book *b, FILE *out, const char *title, const char *now) {
    put_head(b, out, title);
    put_top(b, out, now);
}

void lh_book_foot(FILE *out) {
    lh_html_in(
        out, "<footer class=\"foot\"><p>Made by Longhand ", lh_version(),
        ". Every number on this page was computed from the program that it shows.</p></footer>\n"
        "</body>\n</html>\n");
}

/* ---- contents ---- */

static void put_entry(FILE *out, const lh_book_lesson *l, bool is_single, const int *page,
                      const char *now) {
    fputs("<li>", out);
    lh_html_in(out, is_single ? "<a href=\"#" : "<a href=\"", l->name,
               is_single ? "--top\"" : ".html\"");
    fprintf(out, "%s>", now && strcmp(now, l->name) == 0 ? " aria-current=\"page\"" : "");
    lh_html_in(out, "", l->title, "</a>");
    if (page) fprintf(out, "<span class=\"page\">%d</span>", *page);
    if (!page && !now && l->minutes)
        fprintf(out, " <span class=\"quiet\">%d\u00a0min</span>", l->minutes);
    fputs("</li>\n", out);
}

static void put_list(lh_book *b, FILE *out, bool is_single, const int *page, const char *now,
                     int level) {
    const char *part = NULL;
    for (int i = 0; i < b->n_lessons; i++) {
        const lh_book_lesson *l = &b->lesson[i];
        if (!part || strcmp(part, l->part) != 0) {
            if (part) fputs("</ol>\n", out);
            if (level)
                fprintf(out, "<h%d>", level);
            else
                fputs("<p class=\"part\">", out);
            lh_html_text(out, l->part);
            if (level)
                fprintf(out, "</h%d>\n<ol>\n", level);
            else
                fputs("</p>\n<ol>\n", out);
            part = l->part;
        }
        put_entry(out, l, is_single, page ? &page[i] : NULL, now);
    }
    if (part) fputs("</ol>\n", out);
}

void lh_book_contents(lh_book *b, FILE *out, bool is_single, const int *page) {
    put_list(b, out, is_single, page, NULL, 2);
}

/* ---- pages ---- */

static void put_neighbour(FILE *out, const lh_book_lesson *l, const char *rel, const char *word) {
    lh_html_in(out, "<a rel=\"", rel, "\" href=\"");
    lh_html_in(out, "", l->name, ".html\">");
    lh_html_in(out, "<span class=\"quiet\">", word, "</span> ");
    lh_html_in(out, "", l->title, "</a>\n");
}

static void put_neighbours(lh_book *b, FILE *out, int i) {
    fputs("<nav class=\"neighbours\" aria-label=\"Neighbouring lessons\">\n", out);
    if (i > 0) put_neighbour(out, &b->lesson[i - 1], "prev", "Before:");
    if (i + 1 < b->n_lessons) put_neighbour(out, &b->lesson[i + 1], "next", "Next:");
    fputs("</nav>\n", out);
}

static void put_article(FILE *out, const lh_book_lesson *l) {
    lh_html_in(out, "<article data-lesson=\"", l->name, "\"");
    lh_html_in(out, " data-file=\"lessons/", l->name, ".md\">\n");
    fputs(l->body, out);
    fputs("</article>\n", out);
}

static void put_where(FILE *out) {
    fputs("<details class=\"where\"><summary>Where this fits in</summary>\n", out);
    lh_book_inline(out, "whole.html");
    fputs("</details>\n", out);
}

static void put_lesson(lh_book *b, FILE *out, int i) {
    const lh_book_lesson *l = &b->lesson[i];
    lh_book_head(b, out, lh_printf(b->arena, "%s \u00b7 Longhand", l->title), NULL);
    fputs("<div class=\"sides\">\n<nav class=\"side\" aria-label=\"Contents\">\n<details>"
          "<summary>Contents</summary>\n",
          out);
    put_list(b, out, false, NULL, l->name, 0);
    fputs("</details>\n</nav>\n<main id=\"text\" tabindex=\"-1\">\n", out);
    if (b->front.body) put_where(out);
    if (b->is_alive)
        fputs("<p class=\"how\">Every number here can be opened: point at it, tap it, or press "
              "Enter. Dotted numbers are given: drag "
              "them or type another value, and the lesson is recomputed.</p>\n",
              out);
    put_article(out, l);
    put_neighbours(b, out, i);
    fputs("</main>\n</div>\n", out);
    lh_book_foot(out);
}

/* How long lessons take: from the shortest to the longest that says it. */
static void put_minutes(const lh_book *b, FILE *out) {
    int least = 0, most = 0;
    for (int i = 0; i < b->n_lessons; i++) {
        int n = b->lesson[i].minutes;
        if (n && (!least || n < least)) least = n;
        if (n > most) most = n;
    }
    if (most > least)
        fprintf(out, "takes %d to %d minutes, ", least, most);
    else if (most)
        fprintf(out, "takes %d minute%s, ", most, LH_PLURAL(most));
}

/* The thing itself, the ways in, the whole as a drawing. */
static void put_front(lh_book *b, FILE *out) {
    put_article(out, &b->front);
    fputs("<section aria-labelledby=\"ways\">\n<h2 id=\"ways\">Where to begin</h2>\n", out);
    lh_book_inline(out, "ways.html");
    fputs("</section>\n<section aria-labelledby=\"whole\">\n"
          "<h2 id=\"whole\">The whole model, in one drawing</h2>\n"
          "<p>Each box leads to the lesson that explains it.</p>\n",
          out);
    lh_book_inline(out, "whole.html");
    fputs("</section>\n", out);
}

static void put_index(lh_book *b, FILE *out, int i) {
    (void)i;
    bool is_front = b->front.body;
    lh_book_head(b, out, "Longhand: transformers, worked out by hand", NULL);
    fprintf(out, "<main id=\"text\" tabindex=\"-1\" class=\"contents%s\">\n",
            is_front ? " front" : "");
    if (is_front) put_front(b, out);
    fputs("<section id=\"contents\">\n", out);
    fputs(is_front ? "<h2>The course</h2>\n" : "<h1>Longhand</h1>\n", out);
    fputs("<p>Transformers, worked out by hand and at full speed. Each lesson ", out);
    put_minutes(b, out);
    fputs("contains its own program and ends with exercises that are marked for you.</p>\n", out);
    fputs("<nav aria-label=\"Lessons\">\n", out);
    put_list(b, out, false, NULL, NULL, is_front ? 3 : 2);
    fputs("</nav>\n</section>\n</main>\n", out);
    lh_book_foot(out);
}

/* ---- all of them ---- */

bool lh_book_add_page(lh_book *b, const char *name, lh_book_put put, int i) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out) put(b, out, i);
    if (!out || fclose(out)) {
        free(text);
        lh_fail(b->cli->ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "there is no memory left");
        return false;
    }
    lh_book_add(b, name, text, length);
    free(text);
    return true;
}

static void put_search(lh_book *b, FILE *out, int i) {
    (void)i;
    fputs("longhandIndex([\n", out);
    for (int k = 0; k < b->n_lessons; k++) fputs(b->lesson[k].index, out);
    fputs("]);\n", out);
}

static void put_pictures(lh_book *b, FILE *out, int i) {
    (void)i;
    fputs(lh_formula_css(), out);
    if (b->graph_style) lh_html_scoped(out, b->graph_style, "svg.graph");
    if (b->chart_style) lh_html_scoped(out, b->chart_style, "svg.chart");
}

void lh_book_add_embedded(lh_book *b, const char *name) {
    const lh_embedded *f = lh_embedded_find(name);
    const char *slash = strrchr(name, '/');
    if (f) lh_book_add(b, slash ? slash + 1 : name, f->text, f->length);
}

bool lh_book_pages(lh_book *b) {
    bool ok = lh_book_add_page(b, "index.html", put_index, 0) &&
              lh_book_add_page(b, "search.js", put_search, 0) &&
              lh_book_add_page(b, "pictures.css", put_pictures, 0);
    for (int i = 0; ok && i < b->n_lessons; i++)
        ok = lh_book_add_page(b, lh_printf(b->arena, "%s.html", b->lesson[i].name), put_lesson, i);
    lh_book_add_embedded(b, "book.css");
    lh_book_add_embedded(b, "book.js");
    lh_book_add_embedded(b, "page.css");
    lh_book_add_embedded(b, "icon.svg");
    lh_book_add_embedded(b, LH_FORMULA_FONT);
    return ok && (!b->is_alive || lh_book_life(b)) && !lh_failed(b->cli->ctx);
}
