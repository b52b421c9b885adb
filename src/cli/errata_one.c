/* errata_one -- one quantity with the printed numbers above the exact ones; one claim beside what is true. */
#include <string.h>

#include "base/number.h"
#include "cli/errata_command.h"

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
        lh_verdict_print(r->cli, r->x->cell[row * r->x->cols + c].verdict, r->width);
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
    fprintf(r->cli->out, "  %-*s%dx%d is printed, and it should be %dx%d\n", LABEL, "", x->rows,
            x->cols, x->exact.rows, x->exact.cols);
}

static void title(const lh_cli *cli, const char *name, const char *what) {
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s", name);
    fputs("   ", cli->out);
    lh_wrap(cli->out, cli->width, (int)strlen(name) + 3, what);
}

bool lh_print_erratum(lh_cli *cli, lh_errata *e, const lh_erratum *found) {
    lh_erratum x = *found;
    rows r = {.cli = cli, .x = &x, .digits = lh_erratum_digits(&x)};
    r.width = widest(&r);
    title(cli, x.name, x.what);
    field(cli, "where", lh_erratum_where(cli->arena, x.place, x.n_places));
    fputc('\n', cli->out);
    if (x.is_denied) field(cli, "printed", x.printed);
    if (x.is_denied) field(cli, "exact", lh_value_text(cli->arena, &x.exact, 6));
    if (!x.is_denied && (x.fits || !x.exact.cell)) put_pairs(&r);
    if (!x.is_denied && !x.fits && x.exact.cell) put_both(&r);
    fputc('\n', cli->out);
    label(cli, "verdict");
    lh_verdict_print(cli, x.verdict, 0);
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

bool lh_print_false_claim(lh_cli *cli, lh_errata *e, const lh_false_claim *c) {
    const char *truth = lh_errata_text(e, c->truth, c->line);
    if (!truth || !lh_false_claim_work(e, c)) return false;
    title(cli, lh_printf(cli->arena, "%d", c->number), lh_false_kinds(cli->arena, c->kinds));
    field(cli, "where", lh_erratum_where(cli->arena, c->place, c->n_places));
    field(cli, "said", c->said);
    field(cli, "true", truth);
    for (int i = 0; i < c->n_shows; i++) {
        label(cli, i ? "" : "checked");
        lh_ink_print(cli, cli->out, LH_INK_GOOD, "✓ ");
        lh_wrap(cli->out, cli->width, LABEL + 4, c->shows[i]);
    }
    return true;
}
