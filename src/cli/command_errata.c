/* command_errata -- longhand errata [WORD|NUMBER]: what was printed beside what is true. */
#include "cli/errata_command.h"

#include <stdlib.h>
#include <string.h>

#include "graph/build.h"

static struct { bool wrong, claims, json; } options;

static const lh_option errata_options[] = {
    {"wrong", 0, LH_OPTION_FLAG, &options.wrong, NULL, "only quantities that are wrong", 0, 0},
    {"claims", 0, LH_OPTION_FLAG, &options.claims, NULL, "what was said, in place of numbers", 0,
     0},
    {"json", 0, LH_OPTION_FLAG, &options.json, NULL, "for programs: see longhand-json(5)", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- words that all forms use ---- */

const char *lh_erratum_where(lh_arena *a, const lh_erratum_place *place, int n) {
    lh_text t = lh_text_new(a);
    for (int i = 0; i < n; i++)
        lh_text_add(&t, "%s%s %s", i ? "; " : "", place[i].document, place[i].lines);
    return t.s;
}

int lh_erratum_digits(const lh_erratum *x) {
    int most = 4;
    for (int i = 0; i < x->rows * x->cols; i++)
        if (x->cell[i].written.digits + 1 > most) most = x->cell[i].written.digits + 1;
    return most > 12 ? 12 : most;
}

const char *lh_false_kinds(lh_arena *a, int kinds) {
    static const char *const words[] = {"false", "misleading", "contradicts another place",
                                        "not known"};
    lh_text t = lh_text_new(a);
    for (int k = 0; k < 4; k++)
        if (kinds >> k & 1) lh_text_add(&t, "%s%s", t.n ? ", " : "", words[k]);
    return t.s;
}

void lh_verdict_print(const lh_cli *cli, lh_erratum_verdict v, int width) {
    static const lh_ink inks[LH_N_ERRATUM_VERDICTS] = {LH_INK_GOOD, LH_INK_GOOD,  LH_INK_PLAIN,
                                                       LH_INK_BAD,  LH_INK_QUIET, LH_INK_QUIET};
    int n = (int)strlen(lh_erratum_words[v]);
    fprintf(cli->out, "%*s", width > n ? width - n : 0, "");
    lh_ink_print(cli, cli->out, inks[v], "%s", lh_erratum_words[v]);
}

/* ---- the summary ---- */

static void print_line(const lh_cli *cli, const char *name, const int *n, int total) {
    fprintf(cli->out, "  %-10s%7d", name, total);
    for (int v = 0; v < LH_ERRATUM_BEYOND; v++) fprintf(cli->out, "%8d", n[v]);
    fputc('\n', cli->out);
}

static void count_in(const lh_errata *e, const char *document, int *n, int *total) {
    memset(n, 0, LH_N_ERRATUM_VERDICTS * sizeof *n);
    *total = 0;
    for (int i = 0; i < e->n; i++)
        for (int k = 0; k < e->erratum[i].n_places; k++)
            if (strcmp(e->erratum[i].place[k].document, document) == 0)
                n[e->erratum[i].verdict]++, ++*total;
}

static void print_counts(const lh_cli *cli, const lh_errata *e) {
    static const char *const documents[] = {"book", "sheet2", "sheet4", "chapter2", "paper"};
    int n[LH_N_ERRATUM_VERDICTS], total;
    fprintf(cli->out, "  %-10s%7s", "", "in all");
    for (int v = 0; v < LH_ERRATUM_BEYOND; v++) fprintf(cli->out, "%8s", lh_erratum_words[v]);
    fputc('\n', cli->out);
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        count_in(e, documents[i], n, &total);
        print_line(cli, documents[i], n, total);
    }
    for (int v = 0; v < LH_N_ERRATUM_VERDICTS; v++) n[v] = lh_errata_count(e, v);
    print_line(cli, "all", n, lh_errata_count(e, -1));
    fprintf(cli->out, "\n  %d cannot be worked out here, %d not yet\n", n[LH_ERRATUM_BEYOND],
            n[LH_ERRATUM_OPEN]);
    fprintf(cli->out, "  %d claims that are false, mislead or contradict: --claims\n\n",
            e->n_claims);
}

/* ---- lists ---- */

/* A text in so many columns, cut where it is longer; the last of a row without spaces behind it. */
static void put_cell(const lh_cli *cli, const char *text, int width, bool is_last) {
    int n = (int)strlen(text);
    if (n <= width)
        fprintf(cli->out, "%-*s", is_last ? 0 : width, text);
    else
        fprintf(cli->out, "%.*s\u2026", width - 1, text);
}

typedef struct columns {
    int name, number, where;
} columns;

static columns find_columns(const lh_cli *cli, const lh_errata *e, const bool *wanted) {
    columns c = {.name = 4, .where = cli->width >= 100 ? 20 : 0};
    for (int i = 0; i < e->n; i++) {
        int n = wanted[i] ? (int)strlen(e->erratum[i].name) : 0;
        if (n > c.name) c.name = n;
    }
    c.number = (cli->width - 8 - c.name - 2 - c.where - 2) / 2;
    return c;
}

static void print_row(const lh_cli *cli, columns c, const lh_erratum *x) {
    lh_verdict_print(cli, x->verdict, 6);
    fputs("  ", cli->out);
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%-*s", c.name + 2, x->name);
    put_cell(cli, x->printed, c.number - 2, false);
    fputs("  ", cli->out);
    const char *exact =
        x->exact.cell ? lh_value_text(cli->arena, &x->exact, lh_erratum_digits(x)) : "-";
    put_cell(cli, exact, c.where ? c.number - 2 : c.number, !c.where);
    if (c.where) fputs("  ", cli->out);
    if (c.where) put_cell(cli, lh_erratum_where(cli->arena, x->place, x->n_places), c.where, true);
    fputc('\n', cli->out);
}

static void print_list(const lh_cli *cli, const lh_errata *e, const bool *wanted) {
    columns c = find_columns(cli, e, wanted);
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%8s%-*s%-*s%-*s%s\n", "", c.name + 2, "name",
                 c.number, "printed", c.where ? c.number : 0, "exact", c.where ? "where" : "");
    for (int i = 0; i < e->n; i++)
        if (wanted[i]) print_row(cli, c, &e->erratum[i]);
}

static bool print_claims(lh_cli *cli, lh_errata *e, const bool *wanted) {
    for (int i = 0; i < e->n_claims; i++) {
        if (!wanted[i]) continue;
        lh_ink_print(cli, cli->out, LH_INK_NAME, "%4d  ", e->claim[i].number);
        lh_wrap(cli->out, cli->width, 6, e->claim[i].said);
        const char *truth = lh_errata_text(e, e->claim[i].truth, e->claim[i].line);
        if (!truth) return false;
        lh_ink_on(cli, cli->out, LH_INK_QUIET);
        fputs("      ", cli->out);
        lh_wrap(cli->out, cli->width, 6, truth);
        lh_ink_off(cli, cli->out);
    }
    return true;
}

/* ---- choosing ---- */

static bool is_at(const lh_erratum_place *place, int n, const char *word) {
    for (int i = 0; i < n; i++)
        if (strcmp(place[i].document, word) == 0) return true;
    return false;
}

static int choose(lh_errata *e, const char *word, bool *wanted) {
    int n = 0;
    for (int i = 0; i < e->n; i++) {
        const lh_erratum *x = &e->erratum[i];
        wanted[i] = !word || strstr(x->name, word) || strstr(x->what, word) ||
                    is_at(x->place, x->n_places, word) ||
                    strcmp(lh_erratum_words[x->verdict], word) == 0;
        if (options.wrong && x->verdict != LH_ERRATUM_WRONG) wanted[i] = false;
        n += wanted[i];
    }
    return n;
}

static int choose_claims(lh_errata *e, const char *word, bool *wanted) {
    int n = 0;
    for (int i = 0; i < e->n_claims; i++) {
        const lh_false_claim *c = &e->claim[i];
        wanted[i] = !word || strstr(c->said, word) || strstr(c->truth, word) ||
                    is_at(c->place, c->n_places, word);
        n += wanted[i];
    }
    return n;
}

static bool is_number(const char *word) {
    return word && *word && !word[strspn(word, "0123456789")];
}

static int fail_word(lh_cli *cli, const lh_errata *e, const char *word) {
    if (is_number(word)) {
        lh_cli_fail(cli, "there is no claim %s", word);
        fprintf(stderr, "longhand errata --claims lists them\n");
        return LH_EXIT_FAILED;
    }
    const char **known = lh_alloc_array(cli->arena, (size_t)e->n + 1, sizeof *known);
    for (int i = 0; known && i < e->n; i++) known[i] = e->erratum[i].name;
    const char *near = known ? lh_nearest(word, known, e->n) : NULL;
    lh_cli_fail(cli, "nothing in the errata is called or mentions \"%s\"", word);
    if (near)
        fprintf(stderr, "did you mean %s?\n", near);
    else
        fprintf(stderr, "longhand errata lists them\n");
    return LH_EXIT_FAILED;
}

/* ---- the command ---- */

static const lh_false_claim *claim_numbered(const lh_errata *e, const char *word) {
    if (!is_number(word)) return NULL;
    for (int i = 0; i < e->n_claims; i++)
        if (e->claim[i].number == atoi(word)) return &e->claim[i];
    return NULL;
}

typedef struct chosen {
    bool *wanted, *claims;
    int n, n_claims;
    const lh_erratum *one;
    const lh_false_claim *claim;
} chosen;

static bool choose_all(lh_cli *cli, lh_errata *e, const char *word, chosen *c) {
    c->wanted = lh_alloc_array(cli->arena, (size_t)e->n + 1, sizeof *c->wanted);
    c->claims = lh_alloc_array(cli->arena, (size_t)e->n_claims + 1, sizeof *c->claims);
    if (!c->wanted || !c->claims) return false;
    c->one = word ? lh_errata_find(e, word) : NULL;
    c->claim = claim_numbered(e, word);
    if (c->claim)
        c->n_claims = 1, c->claims[c->claim - e->claim] = true;
    else if (c->one)
        c->n = 1, c->wanted[c->one - e->erratum] = true;
    else if (!is_number(word)) {
        if (!options.claims) c->n = choose(e, word, c->wanted);
        if (options.claims || (options.json && !options.wrong))
            c->n_claims = choose_claims(e, word, c->claims);
    }
    return true;
}

static bool print_chosen(lh_cli *cli, lh_errata *e, const char *word, const chosen *c) {
    if (options.json) return lh_json_errata(e, c->wanted, c->claims);
    if (c->claim) return lh_print_false_claim(cli, e, c->claim);
    if (c->one) return lh_print_erratum(cli, e, c->one);
    if (options.claims) return print_claims(cli, e, c->claims);
    if (!word && !options.wrong) print_counts(cli, e);
    print_list(cli, e, c->wanted);
    lh_ink_print(cli, cli->out, LH_INK_QUIET, "\none of them: longhand errata NAME\n");
    return true;
}

static int errata_run(lh_cli *cli, int argc, char **argv) {
    const char *word = argc ? argv[0] : NULL;
    lh_errata *e = lh_errata_open(cli->ctx);
    chosen c = {0};
    if (!e || !lh_errata_work_all(e) || !choose_all(cli, e, word, &c)) {
        lh_errata_free(e);
        return lh_cli_report(cli);
    }
    int status = LH_EXIT_YES;
    if (c.n + c.n_claims == 0)
        status = fail_word(cli, e, word ? word : "");
    else if (!print_chosen(cli, e, word, &c))
        status = lh_cli_report(cli);
    lh_errata_free(e);
    return status;
}

const lh_command lh_command_errata = {
    .name = "errata",
    .synopsis = "[WORD|NUMBER] [options]",
    .summary = "Printed numbers and claims of the sources beside what is true.",
    .examples = "longhand errata\tall quantities, counted and listed\n"
                "longhand errata --wrong\tthose that are wrong\n"
                "longhand errata ex4-p2-pr\tone of them, and how to see it worked out\n"
                "longhand errata ex3\tall whose name has ex3 in it\n"
                "longhand errata --claims\twhat was said, and what is true\n"
                "longhand errata 26\tclaim 26, with what was checked\n",
    .notes = "WORD is a name, a part of one, a word of its description, a verdict or a document: "
             "book, sheet2 and sheet4 (the sheets of Examples 2 and 4), chapter2, paper. Verdicts: "
             "exact; rounds, a correct rounding; loose, off in the last digit or rounded on the "
             "way; wrong. No exact number is stored: all are worked out by the engine.",
    .options = errata_options,
    .run = errata_run,
    .min_args = 0,
    .max_args = 1,
};
