#include "pages/check_report.h"

#include <math.h>

#include "base/number.h"

static const char *const kind_name[LH_N_CHECKS] = {
    [LH_CHECK_NUMBERS] = "numbers", [LH_CHECK_SOFTMAX] = "softmax",
    [LH_CHECK_WIDE] = "wide",       [LH_CHECK_DIFFERENCES] = "differences",
    [LH_CHECK_RULES] = "rules",     [LH_CHECK_BY_HAND] = "by hand",
};

static const char *const labels[LH_N_CHECKS] = {
    [LH_CHECK_NUMBERS] = "numbers", [LH_CHECK_SOFTMAX] = "softmax",
    [LH_CHECK_WIDE] = "rounding",   [LH_CHECK_DIFFERENCES] = "differences",
    [LH_CHECK_RULES] = "rules",     [LH_CHECK_BY_HAND] = "by hand",
};

/* What all findings of a kind come to. */
typedef struct summary {
    int findings, wrong;
    long checked, cells, kinks, notes;
    const lh_finding *worst; /* the one nearest to its limit, or over it */
    const lh_finding *kink;  /* the first with one */
} summary;

static summary sum_up(const lh_check *c, lh_check_kind kind) {
    summary s = {0};
    double most = -1;
    for (int i = 0; i < c->n_findings; i++) {
        const lh_finding *f = &c->finding[i];
        if (f->kind != kind) continue;
        s.findings += !f->moment; /* the same again after a step of training */
        s.checked += f->moment ? 0 : f->checked;
        s.cells += f->moment ? 0 : f->cells;
        s.wrong += !f->ok;
        s.kinks += f->kinks;
        s.notes += f->ok && f->why;
        if (f->kinks && !s.kink) s.kink = f;
        double share = f->limit > 0 ? f->error / f->limit : f->error;
        if (f->where && share > most) most = share, s.worst = f;
    }
    return s;
}

static void add_worst(lh_text *t, const summary *s, lh_check_line *line) {
    char number[LH_NUMBER_MAX];
    if (!s->worst) return;
    if (!(s->worst->error > 0)) {
        lh_text_add(t, "; no error");
        return;
    }
    lh_text_add(t, "; largest error ");
    line->worst = s->worst;
    line->error = t->n;
    lh_text_add(t, "%s in ", lh_number_text(number, sizeof number, s->worst->error, 2));
    line->where = t->n;
    lh_text_add(t, "%s", s->worst->where);
    if (s->worst->moment) lh_text_add(t, "@%d", s->worst->moment);
}

/* What was checked, in words. */
static const char *describe(lh_arena *a, const lh_check *c, lh_check_kind kind, const summary *s,
                            lh_check_line *line) {
    lh_text t = lh_text_new(a);
    switch (kind) {
    case LH_CHECK_NUMBERS:
        if (s->worst)
            lh_text_add(&t, "%s in %s", isnan(s->worst->got) ? "nan" : "infinity", s->worst->where);
        else
            lh_text_add(&t, "no nan and no infinity in %ld step%s", s->checked,
                        LH_PLURAL(s->checked));
        return t.s;
    case LH_CHECK_SOFTMAX:
        lh_text_add(&t, "%ld row%s sum%s to 1", s->checked, LH_PLURAL(s->checked),
                    s->checked == 1 ? "s" : "");
        break;
    case LH_CHECK_WIDE:
        lh_text_add(&t, "%d step%s repeated with more digits", s->findings, LH_PLURAL(s->findings));
        break;
    case LH_CHECK_DIFFERENCES:
        if (s->checked < s->cells)
            lh_text_add(&t, "%d gradient%s of %s, %ld of %ld cells and all together", s->findings,
                        LH_PLURAL(s->findings), c->loss, s->checked, s->cells);
        else
            lh_text_add(&t, "%d gradient%s of %s, all %ld cell%s", s->findings,
                        LH_PLURAL(s->findings), c->loss, s->cells, LH_PLURAL(s->cells));
        break;
    case LH_CHECK_RULES:
        lh_text_add(&t, "%s: %d gradient%s by rule and by definition", c->rules, s->findings,
                    LH_PLURAL(s->findings));
        break;
    case LH_CHECK_BY_HAND:
        lh_text_add(&t, "%d gradient%s of %s written by hand", s->findings, LH_PLURAL(s->findings),
                    c->loss);
        break;
    case LH_N_CHECKS: break;
    }
    if (s->wrong) {
        lh_text_add(&t, "; %d wrong", s->wrong);
        return t.s;
    }
    add_worst(&t, s, line);
    if (s->kinks)
        lh_text_add(&t, "; %ld at a kink (%s), where there is no gradient", s->kinks,
                    s->kink->step);
    return t.s;
}

lh_check_line lh_check_describe(lh_arena *a, const lh_check *c, lh_check_kind kind) {
    const summary s = sum_up(c, kind);
    lh_check_line line = {.label = labels[kind], .is_wrong = s.wrong > 0};
    if (s.findings) line.text = describe(a, c, kind, &s, &line);
    return line;
}

const char *lh_finding_text(lh_arena *a, const lh_finding *f) {
    char got[LH_NUMBER_MAX], want[LH_NUMBER_MAX], off[LH_NUMBER_MAX];
    lh_number_text(got, sizeof got, f->got, 8);
    lh_number_text(want, sizeof want, f->want, 8);
    lh_number_text(off, sizeof off, f->got - f->want, 3);
    if (f->error == INFINITY && f->cells == 0 && f->kind != LH_CHECK_NUMBERS)
        return lh_printf(a, "%s", f->why);
    if (f->kind == LH_CHECK_NUMBERS) return lh_printf(a, "%s first appears here: %s", got, f->why);
    return lh_printf(a, "is %s and should be %s, off by %s%s%s", got, want, off, f->why ? ": " : "",
                     f->why ? f->why : "");
}

/* ---- lines ---- */

enum { LABEL = 12, SHOWN = 5 };

static void add_wrong(lh_text *out, const lh_check *c, lh_check_kind kind) {
    int wrong = 0;
    for (int i = 0; i < c->n_findings; i++) {
        const lh_finding *f = &c->finding[i];
        if (f->kind != kind || f->ok || ++wrong > SHOWN) continue;
        lh_text_add(out, "      %s%s",
                    f->where  ? f->where
                    : f->step ? f->step
                              : "?",
                    f->moment ? "@1" : "");
        if (f->at.line) lh_text_add(out, " (line %d)", f->at.line);
        lh_text_add(out, " %s\n", lh_finding_text(out->arena, f));
    }
    if (wrong > SHOWN) lh_text_add(out, "      and %d more\n", wrong - SHOWN);
}

void lh_check_text(lh_text *out, const lh_check *c) {
    for (int kind = 0; kind < LH_N_CHECKS; kind++) {
        const lh_check_line l = lh_check_describe(out->arena, c, (lh_check_kind)kind);
        if (!l.text) continue;
        lh_text_add(out, "  %s %-*s%s\n", l.is_wrong ? "✗" : "✓", LABEL, l.label, l.text);
        add_wrong(out, c, (lh_check_kind)kind);
    }
    if (!c->loss) lh_text_add(out, "    no gradients in this program: there is no `backward`\n");
    lh_text_add(out, c->ok ? "all is well%s\n" : "not all is well%s\n",
                c->ok && c->learns ? ", at the start and after one step of training" : "");
}

/* ---- JSON ---- */

static void write_finding(lh_json *j, const lh_finding *f) {
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "check", kind_name[f->kind]);
    lh_json_text(j, "step", f->step);
    lh_json_int(j, "at_step", f->moment);
    lh_json_bool(j, "ok", f->ok);
    lh_json_int(j, "checked", f->checked);
    lh_json_int(j, "cells", f->cells);
    lh_json_int(j, "kinks", f->kinks);
    lh_json_number(j, "error", f->error);
    lh_json_number(j, "limit", f->limit);
    lh_json_text(j, "where", f->where);
    lh_json_number(j, "got", f->got);
    lh_json_number(j, "want", f->want);
    lh_json_text(j, "why", f->why);
    lh_json_int(j, "line", f->at.line);
    lh_json_end(j, '}');
}

void lh_check_members(lh_json *j, const char *lesson, const lh_check *c) {
    lh_json_text(j, "lesson", lesson);
    lh_json_bool(j, "ok", c->ok);
    lh_json_text(j, "loss", c->loss);
    lh_json_text(j, "rules", c->rules);
    lh_json_bool(j, "after_training", c->learns);
    lh_json_int(j, "evaluations", c->evaluations);
    lh_json_begin(j, "findings", '[');
    for (int i = 0; i < c->n_findings; i++) write_finding(j, &c->finding[i]);
    lh_json_end(j, ']');
}
