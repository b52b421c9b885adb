/* help -- what there is, said from the records of the commands: --help, sections of the manual page, words for the shell to complete. */
#include "cli/help.h"

#include <string.h>

#include "base/embedded.h"
#include "base/version.h"

#define COMMAND(name) extern const lh_command lh_command_##name;
#include "cli/commands.def"
#undef COMMAND

const lh_command *const lh_commands[] = {
#define COMMAND(name) &lh_command_##name,
#include "cli/commands.def"
#undef COMMAND
    NULL,
};

const lh_command *lh_command_find(const char *name) {
    for (int i = 0; lh_commands[i]; i++)
        if (strcmp(lh_commands[i]->name, name) == 0) return lh_commands[i];
    return NULL;
}

/* ---- on the screen ---- */

/* Lines of two columns with a tab between them; what does not fit behind the first stands below it. */
static void print_columns(lh_cli *cli, const char *lines, int column) {
    while (*lines) {
        size_t n = strcspn(lines, "\n"), tab = strcspn(lines, "\t\n");
        fputs("  ", stdout);
        lh_ink_print(cli, stdout, LH_INK_NAME, "%.*s", (int)tab, lines);
        const char *text = tab < n ? lh_copy(cli->arena, lines + tab + 1, n - tab - 1) : "";
        const int at = 2 + (int)tab, gap = at < 2 + column ? 2 + column - at : 2;
        if (*text && at + gap + lh_columns(text) <= cli->width)
            printf("%*s", gap, "");
        else if (*text)
            printf("\n%*s", 6, "");
        lh_wrap(stdout, cli->width, 6, text);
        lines += n + (lines[n] == '\n');
    }
}

/* Long names stand below each other, with a letter before them or without; a text has a line of its own where the name
 * takes its room. */
static void print_option(const lh_cli *cli, const lh_option *o) {
    enum { COLUMN = 28 };
    char left[64];
    snprintf(left, sizeof left, "%c%c%c --%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? ',' : ' ', o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    if (lh_columns(left) > COLUMN - 3)
        printf("  %s\n%*s", left, COLUMN, "");
    else
        printf("  %-*s ", COLUMN - 3, left);
    lh_wrap(stdout, cli->width, COLUMN, o->help);
}

void lh_help_command(lh_cli *cli, const lh_command *c) {
    lh_wrap_at(stdout, cli->width, 0, 8,
               lh_printf(cli->arena, "longhand %s %s", c->name, c->synopsis));
    printf("    ");
    lh_wrap(stdout, cli->width, 4, c->summary);
    printf("\nExamples\n");
    print_columns(cli, c->examples, 46);
    if (c->options && c->options->name) printf("\nOptions\n");
    for (const lh_option *o = c->options; o && o->name; o++) print_option(cli, o);
    if (c->list) {
        printf("\n%s\n", c->list_title);
        print_columns(cli, c->list(cli->arena), 14);
    }
    if (c->notes) {
        fputc('\n', stdout);
        lh_wrap(stdout, cli->width, 0, c->notes);
    }
}

void lh_help_all(lh_cli *cli) {
    printf("Longhand %s   transformers, worked out by hand and at full speed\n\n", lh_version());
    printf("Commands   (longhand COMMAND --help says more)\n");
    for (int i = 0; lh_commands[i]; i++) {
        fputs("  ", stdout);
        lh_ink_print(cli, stdout, LH_INK_NAME, "%-9s", lh_commands[i]->name);
        fputs("  ", stdout);
        lh_wrap(stdout, cli->width, 13, lh_commands[i]->summary);
    }
    putchar('\n');
    lh_wrap(stdout, cli->width, 0,
            "LESSON is a short name from the list that `longhand help lessons` prints, or a file "
            "(.lh or "
            ".md); LESSON:NAME is one of the programs inside it.");
    lh_wrap(stdout, cli->width, 0,
            "--files FOLDER, with any command: programs may also read files below FOLDER.");
    lh_wrap(stdout, cli->width, 0,
            "Exit status: 0 yes or done, 1 the answer is no, 2 could not run. NO_COLOR is "
            "respected.");
}

/* ---- the manual page ---- */

/* In scdoc's own signs nothing is meant. */
static void put_manual(const char *text) {
    for (; *text; text++) {
        if (strchr("*_\\`", *text)) putchar('\\');
        putchar(*text);
    }
}

/* Lines of two columns: each a term with its text below. */
static void put_terms(const char *lines) {
    while (*lines) {
        size_t n = strcspn(lines, "\n"), tab = strcspn(lines, "\t\n");
        printf("*%.*s*\n\t%.*s\n\n", (int)tab, lines, tab < n ? (int)(n - tab - 1) : 0,
               lines + (tab < n ? tab + 1 : tab));
        lines += n + (lines[n] == '\n');
    }
}

void lh_help_manual(lh_cli *cli, const lh_command *c) {
    printf("## %s ", c->name);
    put_manual(c->synopsis);
    printf("\n\n");
    put_manual(c->summary);
    if (c->notes) putchar(' '), put_manual(c->notes);
    printf("\n\n");
    if (c->list) put_terms(c->list(cli->arena));
    for (const lh_option *o = c->options; o && o->name; o++) {
        if (o->letter) printf("*-%c*, ", o->letter);
        printf("*--%s*", o->name);
        if (o->argument) printf(" _%s_", o->argument);
        printf("\n\t");
        put_manual(o->help);
        printf("\n\n");
    }
}
