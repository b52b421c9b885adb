/* command_errata -- longhand errata [WORD|NUMBER]: what was printed beside what is true. */
#include "base/number.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "cli/json_stream.h"
#include "graph/build.h"
#include "learn/errata.h"

static struct { bool wrong, claims, json; } options;

static const lh_option errata_options[] = {
    {"wrong", 0, LH_OPTION_FLAG, &options.wrong, NULL, "only quantities that are wrong", 0, 0},
    {"claims", 0, LH_OPTION_FLAG, &options.claims, NULL, "what was said, in place of numbers", 0,
     0},
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- words that all forms use ---- */

static const char *where_text(lh_arena *a, lh_erratum_places at) {
    lh_text t = lh_text_new(a);
    for (int i = 0; i < at.n; i++)
        lh_text_add(&t, "%s%s %s", i ? "; " : "", at.place[i].document, at.place[i].lines);
    return t.s;
}

static int digits_of(const lh_erratum *x) {
    int most = 4;
    for (int i = 0; i < x->rows * x->cols; i++)
        if (x->cell[i].written.digits + 1 > most) most = x->cell[i].written.digits + 1;
    return most > 12 ? 12 : most;
}

static const char *kinds_text(lh_arena *a, int kinds) {
    static const char *const words[] = {"false", "misleading", "contradicts another place",
                                        "not known"};
    lh_text t = lh_text_new(a);
    for (int k = 0; k < 4; k++)
        if (kinds >> k & 1) lh_text_add(&t, "%s%s", t.n ? ", " : "", words[k]);
    return t.s;
}

static void print_verdict(const lh_cli *cli, lh_erratum_verdict v, int width) {
    static const lh_ink inks[LH_N_ERRATUM_VERDICTS] = {LH_INK_GOOD, LH_INK_GOOD,  LH_INK_PLAIN,
                                                       LH_INK_BAD,  LH_INK_QUIET, LH_INK_QUIET};
    int n = (int)strlen(lh_erratum_words[v]);
    fprintf(cli->out, "%*s", width > n ? width - n : 0, "");
    lh_ink_print(cli, cli->out, inks[v], "%s", lh_erratum_words[v]);
}

/* ---- one quantity with the printed numbers above the exact ones; one claim beside what is true ---- */

enum { LABEL = 10 };

static void label(const lh_cli *cli, const char *text) {
    lh_ink_print(cli, cli->out, LH_INK_QUIET, "  %-*s", LABEL, text);
}

static void field(const lh_cli *cli, const char *name, const char *text) {
    label(cli, name);
    lh_wrap(cli->out, cli->width, LABEL + 2, text);
}

static void command(const lh_cli *cli, const char *text) {
    label(cli, "see");
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%s", text);
    fputc('\n', cli->out);
}

/* ---- matrices ---- */

/* Numbers of a row under each other, each column as wide as its widest. */
typedef struct rows {
    const lh_cli *cli;
    lh_erratum *x;
    int digits, width; /* width: of a column, with the gap before it */
} rows;

static const char *number(const rows *r, double v, char buf[LH_NUMBER_MAX]) {
    return lh_number_text(buf, LH_NUMBER_MAX, v, r->digits);
}

static int widest(const rows *r) {
    char buf[LH_NUMBER_MAX];
    int n = 6;
    for (int i = 0; i < r->x->rows * r->x->cols; i++) {
        int k = (int)strlen(r->x->cell[i].text);
        if (k > n) n = k;
    }
    for (int i = 0; r->x->exact.cell && i < r->x->exact.rows * r->x->exact.cols; i++) {
        int k = (int)strlen(number(r, r->x->exact.cell[i], buf));
        if (k > n) n = k;
    }
    return n + 2;
}

static void put_printed(const rows *r, int row, int from, int to) {
    label(r->cli, r->x->fits || row + from == 0 ? "printed" : "");
    for (int c = from; c < to; c++)
        fprintf(r->cli->out, "%*s", r->width, r->x->cell[row * r->x->cols + c].text);
    fputc('\n', r->cli->out);
}

static void put_value(const rows *r, const char *name, const lh_value *v, int row, int from,
                      int to) {
    char buf[LH_NUMBER_MAX];
    label(r->cli, name);
    for (int c = from; c < to; c++)
        fprintf(r->cli->out, "%*s", r->width, number(r, v->cell[row * v->cols + c], buf));
    fputc('\n', r->cli->out);
}

static void put_verdicts(const rows *r, int row, int from, int to) {
    label(r->cli, "");
    for (int c = from; c < to; c++)
        print_verdict(r->cli, r->x->cell[row * r->x->cols + c].verdict, r->width);
    fputc('\n', r->cli->out);
}

static int fold(const rows *r, int cols) {
    int room = (r->cli->width - LABEL - 2) / r->width;
    return room < 1 ? 1 : room < cols ? room : cols;
}

/* Both of one shape: row by row, printed, exact, verdict. */
static void put_pairs(const rows *r) {
    lh_erratum *x = r->x;
    int room = fold(r, x->cols);
    bool has_given = x->given.cell && x->given.rows == x->rows && x->given.cols == x->cols;
    for (int row = 0; row < x->rows; row++)
        for (int c = 0; c < x->cols; c += room) {
            int to = c + room < x->cols ? c + room : x->cols;
            if (row || c) fputc('\n', r->cli->out);
            put_printed(r, row, c, to);
            if (x->exact.cell) put_value(r, "exact", &x->exact, row, c, to);
            if (has_given) put_value(r, "given", &x->given, row, c, to);
            put_verdicts(r, row, c, to);
        }
}

/* Of other shapes: one matrix after the other. */
static void put_both(const rows *r) {
    lh_erratum *x = r->x;
    for (int row = 0; row < x->rows; row++)
        for (int c = 0, room = fold(r, x->cols); c < x->cols; c += room)
            put_printed(r, row, c, c + room < x->cols ? c + room : x->cols);
    fputc('\n', r->cli->out);
    for (int row = 0; row < x->exact.rows; row++)
        for (int c = 0, room = fold(r, x->exact.cols); c < x->exact.cols; c += room)
            put_value(r, row + c == 0 ? "exact" : "", &x->exact, row, c,
                      c + room < x->exact.cols ? c + room : x->exact.cols);
    fprintf(r->cli->out, "  %-*s%dx%d is printed, but it should be %dx%d\n", LABEL, "", x->rows,
            x->cols, x->exact.rows, x->exact.cols);
}

static void title(const lh_cli *cli, const char *name, const char *what) {
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s", name);
    fputs("   ", cli->out);
    lh_wrap(cli->out, cli->width, (int)strlen(name) + 3, what);
}

static bool print_erratum(lh_cli *cli, lh_errata *e, const lh_erratum *found) {
    lh_erratum x = *found;
    rows r = {.cli = cli, .x = &x, .digits = digits_of(&x)};
    r.width = widest(&r);
    title(cli, x.name, x.what);
    field(cli, "where", where_text(cli->arena, x.at));
    fputc('\n', cli->out);
    if (x.is_denied) field(cli, "printed", x.printed);
    if (x.is_denied) field(cli, "exact", lh_value_text(cli->arena, &x.exact, 6));
    if (!x.is_denied && (x.fits || !x.exact.cell)) put_pairs(&r);
    if (!x.is_denied && !x.fits && x.exact.cell) put_both(&r);
    fputc('\n', cli->out);
    label(cli, "verdict");
    print_verdict(cli, x.verdict, 0);
    fputc('\n', cli->out);
    if (x.cause) field(cli, "cause", x.cause);
    if (x.beyond) field(cli, "beyond", x.beyond);
    if (x.expr) field(cli, "exact is", x.expr);
    if (x.given_expr)
        field(
            cli, "given is",
            lh_printf(cli->arena, "%s, what the numbers printed before it come to", x.given_expr));
    const char *see = lh_erratum_command(e, found);
    if (see) command(cli, see);
    return !lh_failed(cli->ctx);
}

static bool print_false_claim(lh_cli *cli, lh_errata *e, const lh_false_claim *c) {
    const char *truth = lh_errata_text(e, c->truth, c->line);
    if (!truth || !lh_false_claim_work(e, c)) return false;
    title(cli, lh_printf(cli->arena, "%d", c->number), kinds_text(cli->arena, c->kinds));
    field(cli, "where", where_text(cli->arena, c->at));
    field(cli, "said", c->said);
    field(cli, "true", truth);
    for (int i = 0; i < c->n_shows; i++) {
        label(cli, i ? "" : "checked");
        lh_ink_print(cli, cli->out, LH_INK_GOOD, "✓ ");
        lh_wrap(cli->out, cli->width, LABEL + 4, c->shows[i]);
    }
    return true;
}

/* ---- for programs ---- */

static void json_places(lh_json *j, lh_erratum_places at) {
    lh_json_begin(j, "at", '[');
    for (int i = 0; i < at.n; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "document", at.place[i].document);
        lh_json_text(j, "lines", at.place[i].lines);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void json_value(lh_json *j, const char *name, const lh_value *v) {
    if (!v->cell) {
        lh_json_text(j, name, NULL);
        return;
    }
    lh_json_begin(j, name, '[');
    for (int r = 0; r < v->rows; r++) {
        lh_json_begin(j, NULL, '[');
        for (int c = 0; c < v->cols; c++) lh_json_number(j, NULL, v->cell[r * v->cols + c]);
        lh_json_end(j, ']');
    }
    lh_json_end(j, ']');
}

/* Of the printed cells: their text, or their verdict. */
static void json_cells(lh_json *j, const char *name, const lh_erratum *x, bool verdicts) {
    lh_json_begin(j, name, '[');
    for (int r = 0; r < x->rows; r++) {
        lh_json_begin(j, NULL, '[');
        for (int c = 0; c < x->cols; c++) {
            const lh_erratum_cell *cell = &x->cell[r * x->cols + c];
            lh_json_text(j, NULL, verdicts ? lh_erratum_words[cell->verdict] : cell->text);
        }
        lh_json_end(j, ']');
    }
    lh_json_end(j, ']');
}

static void json_erratum(lh_json *j, lh_errata *e, const lh_erratum *x) {
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "name", x->name);
    json_places(j, x->at);
    lh_json_text(j, "what", x->what);
    json_cells(j, "printed", x, false);
    lh_json_bool(j, "is_denied", x->is_denied);
    json_value(j, "exact", &x->exact);
    json_value(j, "given", &x->given);
    lh_json_text(j, "verdict", lh_erratum_words[x->verdict]);
    json_cells(j, "cells", x, true);
    lh_json_text(j, "cause", x->cause);
    lh_json_text(j, "beyond", x->beyond);
    lh_json_text(j, "expression", x->expr);
    lh_json_text(j, "command", lh_erratum_command(e, x));
    lh_json_end(j, '}');
}

static void json_kinds(lh_json *j, int kinds) {
    static const char *const words[] = {"false", "misleading", "contradiction", "unknown"};
    lh_json_begin(j, "kinds", '[');
    for (int k = 0; k < 4; k++)
        if (kinds >> k & 1) lh_json_text(j, NULL, words[k]);
    lh_json_end(j, ']');
}

static bool json_claim(lh_json *j, lh_errata *e, const lh_false_claim *c) {
    const char *truth = lh_errata_text(e, c->truth, c->line);
    if (!truth || !lh_false_claim_work(e, c)) return false;
    lh_json_begin(j, NULL, '{');
    lh_json_int(j, "number", c->number);
    json_kinds(j, c->kinds);
    json_places(j, c->at);
    lh_json_text(j, "said", c->said);
    lh_json_text(j, "true", truth);
    lh_json_begin(j, "shows", '[');
    for (int i = 0; i < c->n_shows; i++) lh_json_text(j, NULL, c->shows[i]);
    lh_json_end(j, ']');
    lh_json_end(j, '}');
    return true;
}

static bool print_json(lh_errata *e, const bool *wanted, const bool *wanted_claims) {
    lh_json j = lh_json_open(stdout);
    bool ok = true;
    lh_json_begin(&j, NULL, '{');
    lh_json_begin(&j, "counts", '{');
    for (int i = 0; i < LH_N_ERRATUM_VERDICTS; i++)
        lh_json_int(&j, lh_erratum_words[i], lh_errata_count(e, i));
    lh_json_int(&j, "quantities", lh_errata_count(e, -1));
    lh_json_int(&j, "cells", lh_errata_cells(e));
    lh_json_int(&j, "claims", e->n_claims);
    lh_json_end(&j, '}');
    lh_json_begin(&j, "quantities", '[');
    for (int i = 0; i < e->n; i++)
        if (wanted[i]) json_erratum(&j, e, &e->erratum[i]);
    lh_json_end(&j, ']');
    lh_json_begin(&j, "claims", '[');
    for (int i = 0; ok && i < e->n_claims; i++)
        if (wanted_claims[i]) ok = json_claim(&j, e, &e->claim[i]);
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
    return ok;
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
        for (int k = 0; k < e->erratum[i].at.n; k++)
            if (strcmp(e->erratum[i].at.place[k].document, document) == 0)
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
    print_verdict(cli, x->verdict, 6);
    fputs("  ", cli->out);
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%-*s", c.name + 2, x->name);
    put_cell(cli, x->printed, c.number - 2, false);
    fputs("  ", cli->out);
    const char *exact = x->exact.cell ? lh_value_text(cli->arena, &x->exact, digits_of(x)) : "-";
    put_cell(cli, exact, c.where ? c.number - 2 : c.number, !c.where);
    if (c.where) fputs("  ", cli->out);
    if (c.where) put_cell(cli, where_text(cli->arena, x->at), c.where, true);
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

static bool is_at(lh_erratum_places at, const char *word) {
    for (int i = 0; i < at.n; i++)
        if (strcmp(at.place[i].document, word) == 0) return true;
    return false;
}

static int choose(lh_errata *e, const char *word, bool *wanted) {
    int n = 0;
    for (int i = 0; i < e->n; i++) {
        const lh_erratum *x = &e->erratum[i];
        wanted[i] = !word || strstr(x->name, word) || strstr(x->what, word) || is_at(x->at, word) ||
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
        wanted[i] = !word || strstr(c->said, word) || strstr(c->truth, word) || is_at(c->at, word);
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
    if (options.json) return print_json(e, c->wanted, c->claims);
    if (c->claim) return print_false_claim(cli, e, c->claim);
    if (c->one) return print_erratum(cli, e, c->one);
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
    .summary = "Numbers and claims printed in the sources, compared with the correct ones.",
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
