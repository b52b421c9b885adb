#include "cli/html.h"

#include <ctype.h>
#include <string.h>

#include "base/escape.h"

void lh_html_text(FILE *out, const char *s) {
    const char *written;
    for (size_t n; *s;) {
        s += lh_escape_xml(s, &written, &n);
        fwrite(written, 1, n, out);
    }
}

void lh_html_in(FILE *out, const char *before, const char *text, const char *after) {
    fputs(before, out);
    lh_html_text(out, text);
    fputs(after, out);
}

void lh_js_text(FILE *out, const char *s) {
    char escaped[LH_ESCAPED_MAX];
    fputc('"', out);
    for (; *s; s++) {
        size_t n = lh_escape_json(escaped, (unsigned char)*s);
        if (*s == '<') /* no </script> in it, wherever it may be put */
            fputs("\\u003c", out);
        else
            fwrite(n ? escaped : s, 1, n ? n : 1, out);
    }
    fputc('"', out);
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

static void put_n(FILE *out, const char *s, size_t n) {
    for (char one[2] = ""; n && *s; s++, n--) {
        one[0] = *s;
        lh_html_text(out, one);
    }
}

/* The blanks before a comment belong to it: on a narrow screen it goes below its line, and they with it. */
static void put_notation(FILE *out, const char *line, size_t n) {
    size_t blank = strspn(line, " "), comment = 0;
    if (blank > n) blank = n;
    put_n(out, line, blank);
    while (blank + comment < n && line[blank + comment] != '#') comment++;
    if (blank + comment < n)
        while (comment && line[blank + comment - 1] == ' ') comment--;
    size_t word = keyword_at(line + blank);
    if (word) {
        fputs("<b>", out);
        put_n(out, line + blank, word);
        fputs("</b>", out);
    }
    put_n(out, line + blank + word, comment - (word < comment ? word : comment));
    if (blank + comment >= n) return;
    fputs("<i>", out);
    put_n(out, line + blank + comment, n - blank - comment);
    fputs("</i>", out);
}

void lh_html_code(FILE *out, const char *code, bool is_notation) {
    while (*code) {
        size_t n = strcspn(code, "\n");
        if (is_notation)
            put_notation(out, code, n);
        else
            put_n(out, code, n);
        code += n;
        if (*code) fputc('\n', out), code++;
    }
}

/* ---- matrices ---- */

static void put_columns(FILE *out, const lh_grid *g) {
    fputs("<thead><tr>", out);
    if (g->row) fputs("<td></td>", out);
    for (int c = 0; c < g->cols; c++) lh_html_in(out, "<th scope=\"col\">", g->col[c], "</th>");
    fputs("</tr></thead>\n", out);
}

void lh_html_grid(FILE *out, const lh_grid *g, const char *label) {
    lh_html_in(out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"", label,
               "\">");
    fprintf(out, "<table class=\"matrix%s\">\n", g->rows * g->cols == 1 ? " single" : "");
    if (g->col) put_columns(out, g);
    fputs("<tbody>\n", out);
    for (int r = 0; r < g->rows; r++) {
        fputs("<tr>", out);
        if (g->row) lh_html_in(out, "<th scope=\"row\">", g->row[r], "</th>");
        for (int c = 0; c < g->cols; c++)
            lh_html_in(out, "<td>", g->cell[r * g->cols + c], "</td>");
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- pictures ---- */

static bool begins(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

/* aria-labelledby="a b": each word gets the prefix. */
static const char *put_words(FILE *out, const char *s, const char *prefix) {
    fprintf(out, "aria-labelledby=\"");
    for (s += strlen("aria-labelledby=\""); *s && *s != '"';) {
        size_t n = strcspn(s, " \"");
        fprintf(out, "%s%.*s", prefix, (int)n, s);
        s += n;
        if (*s == ' ') fputc(*s++, out);
    }
    return s;
}

static const char *put_prefixed(FILE *out, const char *s, const char *what, const char *prefix) {
    fprintf(out, "%s%s", what, prefix);
    return s + strlen(what);
}

void lh_html_svg(FILE *out, lh_arena *a, const char *svg, const char *prefix, const char *class,
                 const char **style) {
    const char *s = strstr(svg, "<svg"), *end;
    if (!s) return;
    lh_html_in(out, "<svg class=\"", class, "\"");
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
            fputc(*s++, out);
        }
    }
}

/* ---- rules of pictures ---- */

/* .a { x } .b, .c { y }  with `scope` before each selector. */
static void put_rules(FILE *out, const char *s, const char *end, const char *scope) {
    while (s < end) {
        while (s < end && isspace((unsigned char)*s)) s++;
        const char *open = memchr(s, '{', (size_t)(end - s)),
                   *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
        if (!close) return;
        for (const char *part = s; part < open;) {
            const char *comma = memchr(part, ',', (size_t)(open - part)),
                       *stop = comma ? comma : open;
            while (part < stop && isspace((unsigned char)*part)) part++;
            const char *last = stop;
            while (last > part && isspace((unsigned char)last[-1])) last--;
            bool is_root = (size_t)(last - part) == 3 && begins(part, "svg");
            if (begins(part, ".lh-chart")) part += strlen(".lh-chart");
            fprintf(out, "%s%s%.*s%s", scope, is_root || *part == ' ' ? "" : " ",
                    is_root ? 0 : (int)(last - part), part, comma ? ", " : " ");
            part = comma ? comma + 1 : open;
        }
        fprintf(out, "%.*s\n", (int)(close + 1 - open), open);
        s = close + 1;
    }
}

void lh_html_scoped(FILE *out, const char *style, const char *scope) {
    const char *dark = strstr(style, "@media"), *end = style + strlen(style);
    char with[128];
    put_rules(out, style, dark ? dark : end, scope);
    const char *open = dark ? strchr(dark, '{') : NULL, *close = strrchr(style, '}');
    if (!open || close <= open) return;
    snprintf(with, sizeof with, ":root[data-theme=\"dark\"] %s", scope);
    fputs("@media screen {\n", out);
    put_rules(out, open + 1, close, with);
    fputs("}\n@media screen and (prefers-color-scheme: dark) {\n", out);
    snprintf(with, sizeof with, ":root:not([data-theme=\"light\"]) %s", scope);
    put_rules(out, open + 1, close, with);
    fputs("}\n", out);
}
