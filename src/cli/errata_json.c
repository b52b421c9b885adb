/* errata_json -- longhand errata --json. */
#include "cli/errata_command.h"
#include "cli/json_stream.h"

static void json_places(lh_json *j, const lh_erratum_place *place, int n) {
    lh_json_begin(j, "at", '[');
    for (int i = 0; i < n; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "document", place[i].document);
        lh_json_text(j, "lines", place[i].lines);
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
    json_places(j, x->place, x->n_places);
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
    json_places(j, c->place, c->n_places);
    lh_json_text(j, "said", c->said);
    lh_json_text(j, "true", truth);
    lh_json_begin(j, "shows", '[');
    for (int i = 0; i < c->n_shows; i++) lh_json_text(j, NULL, c->shows[i]);
    lh_json_end(j, ']');
    lh_json_end(j, '}');
    return true;
}

bool lh_json_errata(lh_errata *e, const bool *wanted, const bool *wanted_claims) {
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
