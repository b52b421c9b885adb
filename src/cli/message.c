/* message -- what went wrong: file:line:col, what, the line with a mark below it, the cure. */
#define _GNU_SOURCE /* vasprintf */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/cli.h"

/* Messages repeat what was typed, and that may be any bytes. */
static void put(const char *text) {
    lh_put_text(stderr, text, strlen(text));
}

int lh_cli_fail(lh_cli *cli, const char *format, ...) {
    va_list args;
    char *text = NULL;
    fflush(stdout);
    lh_ink_print(cli, stderr, LH_INK_BAD, "longhand: ");
    va_start(args, format);
    if (vasprintf(&text, format, args) >= 0) {
        put(text);
        free(text);
    }
    va_end(args);
    fputc('\n', stderr);
    return LH_EXIT_FAILED;
}

/* The mark stands under the columns of the screen, not under bytes. */
static void print_mark(const lh_error *e) {
    char before[256];
    int n = e->source_col > 1 ? e->source_col - 1 : 0;
    if (n >= (int)sizeof before) n = (int)sizeof before - 1;
    memcpy(before, e->source, (size_t)n);
    before[n] = 0;
    int left = (int)strlen(e->source) - n, len = e->at.len > left ? left : e->at.len;
    fputs("    ", stderr);
    put(e->source);
    fprintf(stderr, "\n    %*s^", lh_columns(before), "");
    for (int i = 1; i < len; i++)
        if (lh_utf8_starts(e->source[n + i])) fputc('~', stderr);
    fputc('\n', stderr);
}

static void print_place(lh_cli *cli, const lh_error *e) {
    lh_ink_on(cli, stderr, LH_INK_BOLD);
    put(e->file);
    fputc(':', stderr);
    if (e->at.line) fprintf(stderr, "%d:%d:", e->at.line, e->at.col);
    lh_ink_off(cli, stderr);
}

/* Laid out as an error is, which it is not: the context's own stays as it was. */
void lh_cli_warn(lh_cli *cli, const char *file, const char *text, size_t length) {
    lh_context *ctx = cli->ctx;
    if (!ctx->warning[0] || lh_failed(ctx)) return;
    lh_fail(ctx, LH_ERROR_TEXT, ctx->warned_at, "%s", ctx->warning);
    lh_fail_in(ctx, file, text, length);
    const lh_error *e = lh_context_error(ctx);
    fflush(stdout);
    print_place(cli, e);
    fprintf(stderr, " note: %s\n", e->what);
    if (e->source[0]) print_mark(e);
    lh_context_clear(ctx);
    ctx->warning[0] = 0;
}

int lh_cli_report(lh_cli *cli) {
    const lh_error *e = lh_context_error(cli->ctx);
    fflush(stdout);
    if (!e->file[0]) {
        lh_cli_fail(cli, "%s", e->what);
    } else {
        print_place(cli, e);
        fputc(' ', stderr);
        put(e->what);
        fputc('\n', stderr);
        if (e->source[0]) print_mark(e);
    }
    if (e->cure[0]) put(e->cure), fputc('\n', stderr);
    return LH_EXIT_FAILED;
}
