/* command_formula -- longhand formula 'TEX': a formula as it looks in a lesson, on the screen, on a page or read aloud. */
#include <string.h>

#include "cli/cli.h"
#include "learn/formula.h"

static struct { bool display, mathml, spoken, notation, list; } options;

static const lh_option formula_options[] = {
    {"display", 0, LH_OPTION_FLAG, &options.display, NULL,
     "in two dimensions, as wide as the terminal", 0, 0},
    {"mathml", 0, LH_OPTION_FLAG, &options.mathml, NULL,
     "for a page; with --display as a block of its own", 0, 0},
    {"spoken", 0, LH_OPTION_FLAG, &options.spoken, NULL, "as it would be read aloud", 0, 0},
    {"notation", 0, LH_OPTION_FLAG, &options.notation, NULL,
     "the argument is in Longhand's own notation, not TeX", 0, 0},
    {"list", 0, LH_OPTION_FLAG, &options.list, NULL, "all commands, as Markdown", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static void print_formula(lh_cli *cli, const lh_formula *f) {
    if (options.mathml)
        puts(lh_formula_mathml(cli->arena, f, options.display));
    else if (options.spoken)
        puts(lh_formula_spoken(cli->arena, f));
    else if (!options.display)
        puts(lh_formula_inline(cli->arena, f));
    if (options.mathml || options.spoken || !options.display) return;
    lh_formula_lines lines = lh_formula_display(cli->arena, f, cli->width);
    for (int i = 0; i < lines.n; i++) {
        size_t n = strlen(lines.line[i]);
        while (n && lines.line[i][n - 1] == ' ') n--;
        printf("%.*s\n", (int)n, lines.line[i]);
    }
    if (!lines.fits)
        fprintf(stderr, "longhand: a part of it is wider than %d columns\n", cli->width);
}

/* Steps and updates become formulas; what else a text may say has none. */
static int print_notation(lh_cli *cli, const char *text) {
    lh_expr *e = lh_expr_parse(cli->ctx, cli->arena, text, strlen(text));
    if (e) {
        lh_formula *f = lh_formula_from_expr(cli->ctx, cli->arena, e, NULL);
        if (!f) return lh_cli_report(cli);
        print_formula(cli, f);
        return LH_EXIT_YES;
    }
    lh_context_clear(cli->ctx);
    lh_program *p = lh_program_parse(cli->ctx, "notation", text, strlen(text));
    for (int i = 0; p && i < p->n_statements && !lh_failed(cli->ctx); i++) {
        lh_formula *f = lh_formula_from_statement(cli->ctx, cli->arena, p->statement[i], NULL);
        if (f) print_formula(cli, f);
    }
    lh_program_free(p);
    return lh_failed(cli->ctx) ? lh_cli_report(cli) : LH_EXIT_YES;
}

/* A line of a table: | has a meaning there. */
static void print_cell(const char *s) {
    fputs("| `", stdout);
    for (; *s; s++) printf(*s == '|' ? "\\|" : "%c", *s);
    fputs("` ", stdout);
}

static int print_list(lh_cli *cli) {
    puts("# What a formula may hold\n\nMade by `longhand formula --list`.\n");
    puts("| TeX | looks like | MathML | is read |\n| --- | --- | --- | --- |");
    for (int i = 0; i < lh_n_formula_commands; i++) {
        const lh_formula_command *c = &lh_formula_commands[i];
        const char *tex = lh_formula_example(cli->arena, c);
        lh_formula *f = lh_formula_parse(cli->ctx, cli->arena, tex, strlen(tex), (lh_place){0});
        if (!f) return lh_cli_report(cli);
        print_cell(tex);
        print_cell(lh_formula_inline(cli->arena, f));
        printf("| %s | %s |\n", c->mathml, lh_formula_spoken(cli->arena, f));
    }
    return LH_EXIT_YES;
}

static int run_formula(lh_cli *cli, int argc, char **argv) {
    if (options.list) return print_list(cli);
    if (options.mathml && options.spoken)
        return lh_cli_fail(cli, "--mathml or --spoken, not both: MathML has the spoken form in it");
    if (argc < 1) return lh_cli_fail(cli, "formula needs a formula: longhand formula 'x^2'");
    if (options.notation) return print_notation(cli, argv[0]);
    lh_formula *f = lh_formula_parse(cli->ctx, cli->arena, argv[0], strlen(argv[0]), (lh_place){0});
    if (!f) return lh_cli_report(cli);
    print_formula(cli, f);
    return LH_EXIT_YES;
}

const lh_command lh_command_formula = {
    .name = "formula",
    .synopsis = "'TEX' [options]",
    .summary =
        "A formula as lessons show it: on a line, in two dimensions, for a page, read aloud.",
    .examples =
        "longhand formula '\\frac{QK^\\top}{\\sqrt{d_k}}'\ton one line\n"
        "longhand formula '\\sum_{i=1}^n x_i' --display\tin two dimensions\n"
        "longhand formula 'x^2' --mathml\tfor a page\n"
        "longhand formula --notation 'P = softmax(Q @ K^T / sqrt(d))'\ta step as a formula\n"
        "longhand formula --list\tevery command",
    .notes = "A small part of TeX: letters, Greek, fractions, roots, scripts, sums, brackets, "
             "matrices. An unknown "
             "command is named with its column and the nearest that is known.",
    .options = formula_options,
    .run = run_formula,
    .min_args = 0,
    .max_args = 1,
};
