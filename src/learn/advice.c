#include "learn/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "learn/effect.h"
#include "base/number.h"

enum { NAMED = 4 };

const char *lh_verdict_sign(lh_verdict v) {
    switch (v) {
    case LH_BLANK: return "\302\267";
    case LH_RIGHT: return "\342\234\223";
    case LH_EARLY:
    case LH_OTHER_WAY:
    case LH_FEW_DIGITS:
    case LH_LAST_DIGIT: return "\342\211\210";
    case LH_FOLLOWS: return "\342\206\252";
    case LH_UNREAD: return "?";
    default: return "\342\234\227";
    }
}

typedef struct list {
    const lh_advisor *x;
    int ask;
    lh_advice *line;
    int n;
} list;

static void add(list *l, lh_verdict v, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(list *l, lh_verdict v, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    lh_vformat(text, sizeof text, format, args);
    va_end(args);
    *lh_push(l->x->arena, l->line, l->n) = (lh_advice){v, lh_printf(l->x->arena, "%s", text)};
}

static lh_verdict verdict(const list *l, int k) {
    return l->x->marks->cell[l->x->paper->sheet->ask[l->ask].first + k];
}

static int count(const list *l, lh_verdict v) {
    int n = 0;
    for (int k = 0; k < l->x->paper->sheet->ask[l->ask].n_cells; k++) n += verdict(l, k) == v;
    return n;
}

/* Z[0][1], Z[1][0] and 2 more; the step's name when it is all of them. */
static const char *cells(const list *l, lh_verdict v) {
    const lh_paper *p = l->x->paper;
    int n = p->sheet->ask[l->ask].n_cells, total = count(l, v), named = 0;
    if (total == n) return p->step[l->ask].name;
    lh_text t = lh_text_new(l->x->arena);
    for (int k = 0; k < n && named < NAMED; k++)
        if (verdict(l, k) == v)
            lh_text_add(&t, "%s%s", named++ ? ", " : "", lh_paper_cell(p, l->x->arena, l->ask, k));
    if (total > named) lh_text_add(&t, " and %d more", total - named);
    return t.s;
}

/* ---- known mistakes ---- */

static const lh_candidate *candidate_of(const list *l, const lh_diagnosis *d, const lh_candidate *c,
                                        int n) {
    for (int i = 0; i < n; i++)
        if (c[i].mistake == d->mistake && c[i].chosen == d->choice &&
            strcmp(c[i].line->path, d->where) == 0)
            return &c[i];
    (void)l;
    return NULL;
}

/* What was done, which one was taken, and where it is explained. */
const char *lh_diagnosis_text(lh_arena *a, const lh_diagnosis *d) {
    return lh_printf(a, "%s%s%s%s%s%s", d->mistake->says, d->what ? " (" : "",
                     d->what ? d->what : "", d->what ? ")" : "", d->mistake->see ? "; read: " : "",
                     d->mistake->see ? d->mistake->see : "");
}

/* take S / sqrt(cols(K)), not S: ... For a line inside a call its name stands before it. */
static void advise_mistakes(list *l) {
    const lh_advisor *x = l->x;
    const lh_step_mark *m = &x->marks->step[l->ask];
    lh_graph *g = x->paper->g;
    int n = 0;
    lh_candidate *c =
        m->n_diagnoses && x->mistakes ? lh_candidates(g, x->mistakes, x->arena, &n) : NULL;
    for (int i = 0; i < m->n_diagnoses; i++) {
        const lh_diagnosis *d = &m->diagnosis[i];
        const lh_candidate *how = candidate_of(l, d, c, n);
        const char *lead = i ? "or " : "";
        lh_changed f;
        const char *says = lh_diagnosis_text(x->arena, d);
        if (d->again >= 0) {
            add(l, LH_MISTAKE, "%sthe same again as in step %d (%s): %s", lead, d->again + 1,
                x->paper->step[d->again].name, d->mistake->says);
            continue;
        }
        if (!how || !lh_effect_formula(g, how, x->arena, &f) || strcmp(f.right, f.wrong) == 0) {
            add(l, LH_MISTAKE, "%slook at %s %s %s: %s", lead, x->paper->step[l->ask].name,
                x->paper->step[l->ask].sign, x->paper->step[l->ask].formula, says);
            continue;
        }
        const char *path = x->paper->step[l->ask].path;
        bool is_inner = strcmp(f.line, path) != 0;
        add(l, LH_MISTAKE, "%stake %s, not %s%s%s: %s", lead, f.right, f.wrong,
            is_inner ? ", in " : "", is_inner ? f.line : "", says);
    }
}

static void advise_slips(list *l) {
    const lh_advisor *x = l->x;
    const lh_ask *q = &x->paper->sheet->ask[l->ask];
    for (int k = 0, n = 0; k < q->n_cells; k++) {
        if (verdict(l, k) != LH_SLIP) continue;
        if (n++ == NAMED) {
            add(l, LH_SLIP, "and so in %d more", count(l, LH_SLIP) - NAMED);
            return;
        }
        add(l, LH_SLIP, "look at %s = %s again: %s", lh_paper_cell(x->paper, x->arena, l->ask, k),
            x->filled->text[q->first + k], x->marks->note[q->first + k]);
    }
}

/* ---- the rest ---- */

static const char *origin_of(const list *l) {
    int origin = l->x->marks->step[l->ask].origin;
    if (origin < 0) return "an earlier step";
    return lh_printf(l->x->arena, "step %d (%s)", origin + 1, l->x->paper->step[origin].name);
}

static void advise_wrong(list *l) {
    const lh_paper_step *s = &l->x->paper->step[l->ask];
    if (count(l, LH_WRONG))
        add(l, LH_WRONG, "work %s out again: %s %s %s", cells(l, LH_WRONG), s->name, s->sign,
            s->formula);
    if (count(l, LH_CANNOT))
        add(l, LH_CANNOT, "correct %s first: this step cannot be computed from it", origin_of(l));
    if (count(l, LH_COARSE))
        add(l, LH_COARSE,
            l->x->marks->few_digits == LH_WORTH_NONE
                ? "give %s: too few digits in %s, though those you gave are right"
                : "give %s: too few digits to judge %s",
            s->precision, cells(l, LH_COARSE));
    if (count(l, LH_CARRIED))
        add(l, LH_CARRIED,
            "work %s out: numbers that are all equal or copied get no credit, "
            "but later steps may use them",
            cells(l, LH_CARRIED));
    if (count(l, LH_UNREAD))
        add(l, LH_UNREAD, "write a number for %s: what is there cannot be read",
            cells(l, LH_UNREAD));
}

static void advise_credit(list *l) {
    const lh_paper_step *s = &l->x->paper->step[l->ask];
    if (count(l, LH_FOLLOWS))
        add(l, LH_FOLLOWS, "follows from %s, carried on correctly: full credit", origin_of(l));
    if (l->x->marks->too_early == l->ask)
        add(l, LH_EARLY,
            "rounded too early, here or on the way: keep at least as many digits as you write; "
            "full credit");
    else if (count(l, LH_EARLY))
        add(l, LH_EARLY, "rounded on the way: full credit");
    if (count(l, LH_OTHER_WAY))
        add(l, LH_OTHER_WAY, "%s: full credit", l->x->marks->step[l->ask].other_way->says);
    if (count(l, LH_LAST_DIGIT))
        add(l, LH_LAST_DIGIT, "round up from 5 on: the last digit is off by one; full credit");
    if (count(l, LH_FEW_DIGITS))
        add(l, LH_FEW_DIGITS, "right; give %s: %s credit", s->precision,
            lh_worth_names[l->x->marks->few_digits]);
}

/* Of the step's numbers together. */
static void advise_whole(list *l) {
    const lh_marks *m = l->x->marks;
    for (int i = 0; i < m->n_remarks; i++)
        if (m->remark[i].ask == l->ask) add(l, LH_WRONG, "%s", m->remark[i].text);
}

lh_advice *lh_advise(const lh_advisor *x, int ask, int *n) {
    list l = {.x = x, .ask = ask};
    const char *shape = x->filled->answers->other_shape[ask];
    if (shape) add(&l, LH_WRONG, "look at the shape: %s", shape);
    advise_mistakes(&l);
    advise_slips(&l);
    advise_wrong(&l);
    advise_whole(&l);
    advise_credit(&l);
    *n = l.n;
    return l.line;
}
