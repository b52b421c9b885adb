#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/cli.h"

const char *const lh_ink_codes[] = {
    [LH_INK_PLAIN] = "",        [LH_INK_NAME] = "\033[36m",   [LH_INK_NUMBER] = "",
    [LH_INK_QUIET] = "\033[2m", [LH_INK_GOOD] = "\033[32m",   [LH_INK_BAD] = "\033[31m",
    [LH_INK_BOLD] = "\033[1m",  [LH_INK_EMPHASIS] = "\033[3m"};

void lh_ink_on(const lh_cli *cli, FILE *out, lh_ink ink) {
    if (cli->colour) fputs(lh_ink_codes[ink], out);
}

void lh_ink_off(const lh_cli *cli, FILE *out) {
    if (cli->colour) fputs(LH_INK_END, out);
}

void lh_ink_print(const lh_cli *cli, FILE *out, lh_ink ink, const char *format, ...) {
    va_list args;
    va_start(args, format);
    lh_ink_on(cli, out, ink);
    vfprintf(out, format, args);
    lh_ink_off(cli, out);
    va_end(args);
}

lh_chart_screen lh_cli_screen(const lh_cli *cli) {
    const char *kind = getenv("COLORTERM");
    bool has_all = kind && (strcmp(kind, "truecolor") == 0 || strcmp(kind, "24bit") == 0);
    return (lh_chart_screen){.width = cli->width < 120 ? cli->width : 120,
                             .colours = !cli->colour ? LH_COLOURS_NONE
                                        : has_all    ? LH_COLOURS_ALL
                                                     : LH_COLOURS_256};
}

/* Columns of the next so many bytes. */
static int columns_of(const char *text, size_t n) {
    int columns = 0;
    for (size_t at = 0; at < n;) {
        int bytes;
        columns += lh_columns_next(text + at, &bytes);
        at += (size_t)bytes;
    }
    return columns;
}

void lh_put_text(FILE *out, const char *text, size_t n) {
    for (uint32_t c; n > 0;) {
        const size_t bytes = lh_utf8_read(text, n, &c), step = bytes ? bytes : 1;
        if (bytes)
            fwrite(text, 1, bytes, out);
        else
            fputs("\uFFFD", out);
        text += step;
        n -= step;
    }
}

void lh_wrap(FILE *out, int width, int indent, const char *text) {
    lh_wrap_at(out, width, indent, indent, text);
}

/* A word ends at a space; {example 1, head 0} stays in one piece, as one would copy it. */
static size_t word_length(const char *text) {
    enum { LONGEST = 24 };
    size_t n = strcspn(text, " \n{");
    while (text[n] == '{') {
        const size_t inside = strcspn(text + n, "}\n");
        n += inside < LONGEST && text[n + inside] == '}' ? inside : 1;
        n += strcspn(text + n, " \n{");
    }
    return n;
}

void lh_wrap_at(FILE *out, int width, int at, int indent, const char *text) {
    bool first = true;
    while (*text) {
        size_t n = word_length(text);
        int w = columns_of(text, n);
        if ((!first || at > indent) && at + !first + w > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        if (!first) fputc(' ', out), at++;
        lh_put_text(out, text, n);
        at += w;
        first = false;
        text += n;
        while (*text == ' ' || *text == '\n') text++;
    }
    fputc('\n', out);
}

void lh_cli_heading(const lh_cli *cli, const char *name, const char *title) {
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s", name);
    bool has_title = title && *title;
    if (has_title) fputs("   ", cli->out);
    lh_wrap(cli->out, cli->width, lh_columns(name) + 3, has_title ? title : "");
}

const char *lh_shell_word(lh_arena *a, const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.,:/@%";
    lh_text word = lh_text_new(a);
    if (*text && !text[strspn(text, plain)]) return text;
    lh_text_add(&word, "'");
    for (; *text; text++)
        if (*text == '\'')
            lh_text_add(&word, "'\\''");
        else
            lh_text_add_n(&word, text, 1);
    lh_text_add(&word, "'");
    return word.s;
}
