/* The numbers of one step together: each judged, and whether they say anything at all. */
#include <math.h>

#include "learn/mark_internal.h"

int marking_ask(const lh_sheet *s, const lh_step *step, int moment) {
    for (int i = 0; i < s->n_asks; i++)
        if (s->ask[i].step == step && s->ask[i].moment == moment) return i;
    return -1;
}

int marking_taint(marker *k, int variant, int unit) {
    int origin = -1;
    for (int i = 0; i < unit; i++)
        if (k->origin[i] >= 0 && lh_reach_reads(k->r, variant, unit, i) &&
            (origin < 0 || k->origin[i] < origin))
            origin = k->origin[i];
    return origin;
}

/* Every unit at its right numbers, which may have been rounded. */
void marking_put_truth(lh_reach *r) {
    lh_reach_begin(r);
    for (int i = 0; i < lh_reach_count(r); i++) {
        lh_unit *u = lh_reach_unit(r, i);
        for (int c = 0; c < u->n_cells; c++) u->box[c] = lh_box_either(u->right[c], u->decimals);
        if (!u->is_asked) lh_reach_open(r, 0, i, u->decimals);
    }
}

/* Found once for all who fill in this sheet. Each of them pays for it: whether marking gives up must not depend on those who
 * came before. */
static const lh_reach_box *known_truth(lh_sheet *s, int ask) {
    const lh_ask *q = &s->ask[ask];
    lh_reach_box *known = s->from_true + q->first;
    double left = lh_reach_left(s->truth);
    if (s->true_effort[ask] > 0) {
        lh_reach_pay(s->truth, s->true_effort[ask]);
        return known;
    }
    int unit = lh_reach_find(s->truth, q->step, q->moment);
    if (!lh_reach_of(s->truth, 0, unit, NULL, known))
        for (int i = 0; i < q->n_cells; i++)
            known[i] = lh_box_at(lh_reach_unit(s->truth, unit)->right[i]);
    if (!lh_reach_gave_up(s->truth)) s->true_effort[ask] = left - lh_reach_left(s->truth) + 1;
    return known;
}

/* A wide box is looked at again, with what was written. */
const lh_reach_box *marking_from_true(marker *k, int ask) {
    lh_sheet *s = k->s;
    const lh_ask *q = &s->ask[ask];
    if (k->truth_ask == ask) return k->truth;
    const lh_reach_box *known = known_truth(s, ask);
    bool is_wide = false;
    for (int i = 0; i < q->n_cells; i++)
        is_wide |= marking_written(k, ask, i)->kind == LH_WRITTEN_NUMBER &&
                   known[i].high - known[i].low > LH_REACH_WIDE * marking_unit(q);
    if (!is_wide) return known;
    int unit = lh_reach_find(s->truth, q->step, q->moment);
    if (!lh_reach_of(s->truth, 0, unit, marking_written(k, ask, 0), k->truth)) return known;
    k->truth_ask = ask;
    return k->truth;
}

/* What a number is held against: an infinite one says nothing about a finite one. */
static bool is_held(lh_written w, const lh_reach_box *own) {
    return own && !isnan(own->at) && (isfinite(own->at) || isinf(w.value));
}

lh_verdict marking_judge_cell(const marker *k, int ask, int i, const lh_reach_box *own,
                              const lh_reach_box *truth, bool is_tainted) {
    const lh_ask *q = &k->s->ask[ask];
    const lh_written *w = marking_written(k, ask, i);
    switch (w->kind) {
    case LH_WRITTEN_BLANK: return LH_BLANK;
    case LH_WRITTEN_UNREAD: return LH_UNREAD;
    case LH_WRITTEN_NONE: /* the log of a negative number, and of 0 on a calculator */
        return own && isfinite(own->at) ? LH_WRONG : is_tainted ? LH_FOLLOWS : LH_EARLY;
    default:
        return marking_judge(*w, lh_sheet_exact(k->s, ask, i), is_held(*w, own) ? own : NULL, truth,
                             is_tainted, q);
    }
}

/* Where a step can lie whose operands are the right numbers is looked for only where it decides. */
int marking_judge_step(marker *k, int ask, const lh_reach_box *own, bool is_tainted,
                       lh_verdict *out) {
    int bad = 0, n = k->s->ask[ask].n_cells;
    for (int i = 0; i < n; i++) {
        out[i] = marking_judge_cell(k, ask, i, own ? &own[i] : NULL, NULL, is_tainted);
        bad += lh_verdict_is_blame(out[i]);
    }
    const lh_reach_box *truth = bad && !k->is_quick ? marking_from_true(k, ask) : NULL;
    for (int i = 0; truth && i < n; i++) {
        if (!lh_verdict_is_blame(out[i])) continue;
        out[i] = marking_judge_cell(k, ask, i, own ? &own[i] : NULL, &truth[i], is_tainted);
        bad -= !lh_verdict_is_blame(out[i]);
    }
    return bad;
}

/* ---- numbers that say nothing ---- */

bool marking_reads_vague(marker *k, int unit) {
    for (int i = 0; i < unit; i++)
        if (k->is_vague[i] && lh_reach_reads(k->r, 0, unit, i)) return true;
    return false;
}

/* 0 for 0.02, and from there 0 for all that follows: right only as far as so few digits go. Not 0.803 for 0.8032, which is right
 * whatever stood before it. */
void marking_withhold_vague(marker *k, int ask, int unit, lh_verdict *v) {
    const lh_ask *q = &k->s->ask[ask];
    const bool reads_vague = marking_reads_vague(k, unit);
    for (int i = 0; i < q->n_cells; i++) {
        const bool is_rounded =
            v[i] == LH_FEW_DIGITS &&
            lh_written_rounds(lh_sheet_exact(k->s, ask, i), *marking_written(k, ask, i));
        const bool rests_on_others = v[i] != LH_RIGHT && !is_rounded && lh_verdict_has_credit(v[i]);
        if (reads_vague && rests_on_others && marking_is_short(*marking_written(k, ask, i), q))
            v[i] = LH_COARSE;
        k->is_vague[unit] |= v[i] == LH_COARSE;
    }
}

/* One number for each example may well be the same for all. */
static bool all_equal(const marker *k, int ask, bool exact) {
    const lh_node *node = k->s->ask[ask].step->node;
    double first = 0;
    int n = 0;
    if (node->shape.is_batched && k->s->ask[ask].n_cells == lh_exact.examples(k->s->plan))
        return false;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        if (marking_written(k, ask, i)->kind != LH_WRITTEN_NUMBER) continue;
        double x = exact ? lh_sheet_exact(k->s, ask, i) : marking_written(k, ask, i)->value;
        if (n++ && fabs(x - first) > (exact ? marking_unit(&k->s->ask[ask]) : 0)) return false;
        if (n == 1) first = x;
    }
    return n > 1;
}

/* The same numbers as in an earlier step that it reads, where the right ones differ. */
static bool is_copy(const marker *k, int ask, int unit) {
    const lh_ask *q = &k->s->ask[ask];
    for (int i = 0; i < unit; i++) {
        const lh_unit *u = lh_reach_unit(k->r, i);
        int other = marking_ask(k->s, u->step, u->moment);
        if (other < 0 || k->s->ask[other].n_cells != q->n_cells || q->n_cells < 2 ||
            !lh_reach_reads(k->r, 0, unit, i))
            continue;
        bool same = true, same_exact = true;
        for (int c = 0; c < q->n_cells && same; c++) {
            const lh_written *w = marking_written(k, ask, c), *x = marking_written(k, other, c);
            same = w->kind == LH_WRITTEN_NUMBER && x->kind == LH_WRITTEN_NUMBER &&
                   w->value == x->value;
            same_exact &= fabs(lh_sheet_exact(k->s, ask, c) - lh_sheet_exact(k->s, other, c)) <
                          marking_unit(q);
        }
        if (same && !same_exact) return true;
    }
    return false;
}

/* Does every number of the step that is not wrong anyway come of cutting digits off? */
static bool all_cut(const marker *k, int ask, const lh_reach_box *own, const lh_verdict *v) {
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_written *w = marking_written(k, ask, i);
        if (lh_verdict_is_blame(v[i])) continue;
        double dust = LH_DUST * w->unit, low = w->value > 0 ? w->value : w->value - w->unit,
               high = w->value < 0 ? w->value : w->value + w->unit;
        if (w->kind == LH_WRITTEN_NUMBER && (own[i].high < low - dust || own[i].low > high + dust))
            return false;
    }
    return true;
}

/* Is every number what the numbers before it lead to, as they stand? */
static bool all_rest(const marker *k, int ask, const lh_reach_box *own) {
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_written *w = marking_written(k, ask, i);
        if (w->kind == LH_WRITTEN_NUMBER && !lh_written_rounds(own[i].at, *w)) return false;
    }
    return true;
}

/* Do the numbers before it lead to one number in every cell? Who rounds on the way may come to another one, but to one. Behind a slip
 * it is enough that they can. */
static bool all_led_alike(const marker *k, int ask, bool is_tainted, const lh_reach_box *own) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        if (marking_written(k, ask, i)->kind != LH_WRITTEN_NUMBER) continue;
        least = fmin(least, is_tainted ? own[i].high : own[i].at);
        most = fmax(most, is_tainted ? own[i].low : own[i].at);
    }
    return most - least <= marking_unit(&k->s->ask[ask]);
}

static double first_written(const marker *k, int ask) {
    for (int i = 0; i < k->s->ask[ask].n_cells; i++)
        if (marking_written(k, ask, i)->kind == LH_WRITTEN_NUMBER)
            return marking_written(k, ask, i)->value;
    return NAN;
}

/* Are they taken over from numbers that say nothing? 0 may come of any, and x of x; but who goes from 3 3 3 to 0.3333 in each cell has
 * worked something out. */
static bool repeats_empty(marker *k, int ask, int unit) {
    const double x = first_written(k, ask);
    for (int i = 0; i < unit; i++) {
        const lh_unit *u = lh_reach_unit(k->r, i);
        if (k->is_empty[i] && lh_reach_reads(k->r, 0, unit, i) &&
            (x == 0 || x == first_written(k, marking_ask(k->s, u->step, u->moment))))
            return true;
    }
    return false;
}

/* More than one digit too few? */
static bool is_far_short(const marker *k, int ask, int cell) {
    const lh_ask *q = &k->s->ask[ask];
    return marking_written(k, ask, cell)->unit > LH_TELLING_UNITS * marking_unit(q);
}

/* Numbers that say nothing are carried on and not credited: all zero, all equal or copied, where the right ones are not. They
 * may be so by right: rounding or cutting off alone makes them so, or the numbers before lead to them. Not where those were
 * written so without being so: a sheet of zeros follows from its first line. */
void marking_withhold(marker *k, int ask, int unit, bool is_tainted, const lh_reach_box *own,
                      lh_verdict *v) {
    bool suspect = is_tainted;
    int wrong = 0, written = 0;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        suspect |= v[i] == LH_LAST_DIGIT;
        wrong += lh_verdict_is_blame(v[i]);
        written += v[i] != LH_BLANK;
    }
    bool is_zero = first_written(k, ask) == 0, /* cut off, it may well be */
        is_equal = all_equal(k, ask, false) && !all_equal(k, ask, true),
         is_copied = (suspect || wrong) && is_copy(k, ask, unit),
         is_empty = repeats_empty(k, ask, unit);
    k->is_empty[unit] = (is_equal || is_copied) &&
                        (is_empty || (is_zero || is_copied ? wrong > 0 : 2 * wrong > written));
    /* 0.25 in every cell where the right numbers lie about a quarter */
    for (int i = 0; is_equal && i < k->s->ask[ask].n_cells; i++)
        if (v[i] == LH_FEW_DIGITS && is_far_short(k, ask, i)) v[i] = LH_COARSE;
    if (!is_equal && !is_copied) return;
    if (!is_empty && own &&
        (all_rest(k, ask, own) || (is_equal && all_led_alike(k, ask, is_tainted, own))))
        return;
    bool says_nothing = is_equal && (is_empty || (is_tainted && !k->habit.cuts) || !own ||
                                     k->habit.fewer || !all_cut(k, ask, own, v));
    if (!(says_nothing && (suspect || ((k->habit.cuts || k->habit.fewer) && !is_zero))) &&
        !(suspect && is_copied))
        return;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++)
        if (v[i] == LH_FOLLOWS || v[i] == LH_EARLY || v[i] == LH_LAST_DIGIT) v[i] = LH_CARRIED;
}
