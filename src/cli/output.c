#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

void lh_ink_on(const lh_cli *cli, FILE *out, lh_ink ink) {
    static const char *const code[] = {
        [LH_INK_PLAIN] = "",        [LH_INK_NAME] = "\033[36m",   [LH_INK_NUMBER] = "",
        [LH_INK_QUIET] = "\033[2m", [LH_INK_GOOD] = "\033[32m",   [LH_INK_BAD] = "\033[31m",
        [LH_INK_BOLD] = "\033[1m",  [LH_INK_EMPHASIS] = "\033[3m"};
    if (cli->colour) fputs(code[ink], out);
}

void lh_ink_off(const lh_cli *cli, FILE *out) {
    if (cli->colour) fputs("\033[0m", out);
}

lh_chart_screen lh_cli_screen(const lh_cli *cli) {
    const char *kind = getenv("COLORTERM");
    bool has_all = kind && (strcmp(kind, "truecolor") == 0 || strcmp(kind, "24bit") == 0);
    return (lh_chart_screen){.width = cli->width < 120 ? cli->width : 120,
                             .colours = !cli->colour ? LH_COLOURS_NONE
                                        : has_all    ? LH_COLOURS_ALL
                                                     : LH_COLOURS_256};
}

void lh_wrap(FILE *out, int width, int indent, const char *text) {
    int at = indent;
    bool first = true;
    while (*text) {
        size_t n = strcspn(text, " \n");
        char word[512];
        size_t k = n < sizeof word - 1 ? n : sizeof word - 1;
        memcpy(word, text, k);
        word[k] = 0;
        int w = lh_columns(word);
        if (!first && at + 1 + w > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        if (!first) fputc(' ', out), at++;
        fputs(word, out);
        at += w;
        first = false;
        text += n;
        while (*text == ' ' || *text == '\n') text++;
    }
    fputc('\n', out);
}
