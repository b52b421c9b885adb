#include "cli/html_stream.h"

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
        size_t n = lh_escape_js(escaped, (unsigned char)*s);
        fwrite(n ? escaped : s, 1, n ? n : 1, out);
    }
    fputc('"', out);
}

/* ---- rules of pictures ---- */

static bool begins(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

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
