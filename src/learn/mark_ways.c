/* The usual ways of working a step out: what was not written down is kept as it is, rounded or cut off line by line, with the
 * digits asked for or with one fewer. Each leads to numbers of its own, and who writes these has worked rightly.
 */
#include <math.h>

#include "learn/mark_internal.h"

/* Is the number this one, cut off? */
static bool is_cut_of(lh_written w, double x) {
    double rest = (fabs(x) - fabs(w.value)) / w.unit;
    return x * w.value >= 0 && rest > -LH_DUST && rest < 1 + LH_DUST;
}

bool marking_comes_to(marker *k, int ask, int unit, lh_carry how) {
    if (!lh_reach_plain(k->r, 0, unit, how, k->plain)) return false;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_written *w = marking_written(k, ask, i);
        if (w->kind != LH_WRITTEN_NUMBER || (how.cuts && is_cut_of(*w, k->plain[i]))) continue;
        if (!marking_fits(*w, lh_box_at(k->plain[i]), 0)) return false;
    }
    return true;
}

/* Has it no credit, or not all of it? */
static bool is_in_question(lh_verdict v) {
    return lh_verdict_is_blame(v) || v == LH_FEW_DIGITS || v == LH_COARSE;
}

static int count_questions(const marker *k, int ask, const lh_verdict *v) {
    int n = 0;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) n += is_in_question(v[i]);
    return n;
}

/* Credit where this way leads to the number. */
static void look_along(marker *k, int ask, bool is_tainted, lh_verdict *v) {
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_reach_box own = lh_box_at(k->plain[i]);
        if (!is_in_question(v[i])) continue;
        lh_verdict is = marking_judge_cell(k, ask, i, &own, NULL, is_tainted);
        if (!is_in_question(is) || (lh_verdict_is_blame(v[i]) && !lh_verdict_is_blame(is)))
            v[i] = is;
    }
}

/* The first of them, LH_SURE_WAYS, are tried however long they take. */
int marking_usual(marker *k, int ask, int unit, int variant, bool is_tainted, lh_verdict *v) {
    static const lh_carry ways[] = {{.rounds = false},
                                    {.rounds = true},
                                    {.rounds = true, .inside = true},
                                    {.rounds = true, .flat = true},
                                    {.rounds = true, .inside = true, .flat = true},
                                    {.shortens = true},
                                    {.shortens = true, .rounds = true, .inside = true}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways && count_questions(k, ask, v); i++) {
        lh_carry how = ways[i];
        how.cuts = k->habit.cuts;
        how.fewer = k->habit.fewer;
        if (how.fewer && how.shortens) continue; /* what was written is short already */
        if (i >= LH_SURE_WAYS && !lh_reach_may(k->r)) break;
        if (lh_reach_plain(k->r, variant, unit, how, k->plain)) look_along(k, ask, is_tainted, v);
    }
    int bad = 0;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) bad += lh_verdict_is_blame(v[i]);
    return bad;
}
