#include "pages/html.h"

#include <string.h>

#include "base/escape.h"

void lh_put(lh_text *out, const char *html) {
    lh_text_add_n(out, html, strlen(html));
}

void lh_put_xml(lh_text *out, const char *words) {
    lh_text_add_xml(out, words);
}

void lh_put_in(lh_text *out, const char *before, const char *words, const char *after) {
    lh_put(out, before);
    lh_put_xml(out, words);
    lh_put(out, after);
}

void lh_put_js(lh_text *out, const char *words) {
    char escaped[LH_ESCAPED_MAX];
    lh_put(out, "\"");
    for (const char *s = words; *s; s++) {
        size_t n = lh_escape_js(escaped, (unsigned char)*s);
        lh_text_add_n(out, n ? escaped : s, n ? n : 1);
    }
    lh_put(out, "\"");
}

/* ---- code ---- */

static const char *const keywords[] = {"vocab", "const",    "param",    "state",    "size",
                                       "input", "example",  "examples", "text",     "repeat",
                                       "next",  "backward", "fn",       "grad",     "end",
                                       "each",  "mistake",  "seed",     "generate", NULL};

static size_t keyword_at(const char *line) {
    size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyz");
    for (int i = 0; keywords[i]; i++)
        if (strlen(keywords[i]) == n && strncmp(keywords[i], line, n) == 0 &&
            (line[n] == ' ' || line[n] == '\n' || !line[n]))
            return n;
    return 0;
}

static void put_n(lh_text *out, const char *s, size_t n) {
    for (char one[2] = ""; n && *s; s++, n--) {
        one[0] = *s;
        lh_put_xml(out, one);
    }
}

/* The blanks before a comment belong to it: on a narrow screen it goes below its line, and they with it. */
static void put_notation(lh_text *out, const char *line, size_t n) {
    size_t blank = strspn(line, " "), comment = 0;
    if (blank > n) blank = n;
    put_n(out, line, blank);
    while (blank + comment < n && line[blank + comment] != '#') comment++;
    if (blank + comment < n)
        while (comment && line[blank + comment - 1] == ' ') comment--;
    size_t word = keyword_at(line + blank);
    if (word) {
        lh_put(out, "<b>");
        put_n(out, line + blank, word);
        lh_put(out, "</b>");
    }
    put_n(out, line + blank + word, comment - (word < comment ? word : comment));
    if (blank + comment >= n) return;
    lh_put(out, "<i>");
    put_n(out, line + blank + comment, n - blank - comment);
    lh_put(out, "</i>");
}

void lh_put_code(lh_text *out, const char *code, bool is_notation) {
    while (*code) {
        size_t n = strcspn(code, "\n");
        if (is_notation)
            put_notation(out, code, n);
        else
            put_n(out, code, n);
        code += n;
        if (*code) lh_put(out, "\n"), code++;
    }
}

/* ---- matrices ---- */

static bool is_of_reader(const lh_scope *s) {
    return s->kind == LH_SCOPE_TOP || s->kind == LH_SCOPE_REPEAT;
}

/* After the first update a param is no longer what was given. */
const char *lh_given_name(const lh_step *s, int moment) {
    const lh_node *n = s->node;
    if (s->kind != LH_STEP_GIVEN || !is_of_reader(s->scope)) return NULL;
    if (n->given && n->given->renewed && moment > 0) return NULL;
    return s->path;
}

void lh_put_marks(lh_text *out, const lh_grid_place *place, lh_cell at) {
    const char *given = lh_given_name(place->step, place->from.step);
    lh_put_in(out, " data-at=\"", lh_address_of_step(out->arena, &place->from, place->step, at),
              "\"");
    if (given)
        lh_put_in(out, " data-given=\"", lh_printf(out->arena, "%s%s", place->from.program, given),
                  "\"");
}

static void put_columns(lh_text *out, const lh_grid *g) {
    lh_put(out, "<thead><tr>");
    if (g->row) lh_put(out, "<td></td>");
    for (int c = 0; c < g->cols; c++) lh_put_in(out, "<th scope=\"col\">", g->col[c], "</th>");
    lh_put(out, "</tr></thead>\n");
}

static void put_cell(lh_text *out, const char *text, const lh_grid_place *place, int r, int c) {
    lh_put(out, "<td");
    if (place) lh_put_marks(out, place, (lh_cell){place->example, place->head, r, c});
    lh_put_in(out, ">", text, "</td>");
}

static void put_row(lh_text *out, const lh_grid *g, const lh_grid_place *place, int r) {
    lh_put(out, "<tr>");
    if (g->row) lh_put_in(out, "<th scope=\"row\">", g->row[r], "</th>");
    for (int c = 0; c < g->cols; c++) put_cell(out, g->cell[r * g->cols + c], place, r, c);
    lh_put(out, "</tr>\n");
}

void lh_put_grid(lh_text *out, const lh_grid *g, const char *label, const lh_grid_place *place) {
    lh_put_in(out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"", label,
              "\">");
    lh_text_add(out, "<table class=\"matrix%s\"", g->rows * g->cols == 1 ? " single" : "");
    if (place)
        lh_put_in(out, " data-value=\"",
                  lh_address_of_matrix(out->arena, &place->from, place->step, place->example,
                                       place->head),
                  "\"");
    lh_put(out, ">\n");
    if (g->col) put_columns(out, g);
    lh_put(out, "<tbody>\n");
    for (int r = 0; r < g->rows; r++) put_row(out, g, place, r);
    lh_put(out, "</tbody></table></div>\n");
}

/* ---- pictures ---- */

static bool begins(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

/* aria-labelledby="a b": each word gets the prefix. */
static const char *put_words(lh_text *out, const char *s, const char *prefix) {
    lh_text_add(out, "aria-labelledby=\"");
    for (s += strlen("aria-labelledby=\""); *s && *s != '"';) {
        size_t n = strcspn(s, " \"");
        lh_text_add(out, "%s%.*s", prefix, (int)n, s);
        s += n;
        if (*s == ' ') lh_text_add_n(out, &(char){*s++}, 1);
    }
    return s;
}

static const char *put_prefixed(lh_text *out, const char *s, const char *what, const char *prefix) {
    lh_text_add(out, "%s%s", what, prefix);
    return s + strlen(what);
}

void lh_put_svg(lh_text *out, lh_arena *a, const char *svg, const char *prefix, const char *class,
                const char **style) {
    const char *s = strstr(svg, "<svg"), *end;
    if (!s) return;
    lh_put_in(out, "<svg class=\"", class, "\"");
    for (s += 4; *s;) {
        if (begins(s, "<style>") && (end = strstr(s, "</style>"))) {
            *style = lh_copy(a, s + 7, (size_t)(end - s - 7));
            s = end + strlen("</style>");
        } else if (begins(s, " class=\"lh-chart\"")) {
            s += strlen(" class=\"lh-chart\"");
        } else if (begins(s, "aria-labelledby=\"")) {
            s = put_words(out, s, prefix);
        } else if (begins(s, " id=\"")) {
            s = put_prefixed(out, s, " id=\"", prefix);
        } else if (begins(s, "url(#")) {
            s = put_prefixed(out, s, "url(#", prefix);
        } else {
            lh_text_add_n(out, &(char){*s++}, 1);
        }
    }
}
