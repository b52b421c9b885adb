#include "learn/mark.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/reach.h"

const char *const lh_verdict_names[LH_N_VERDICTS] = {
    [LH_BLANK] = "blank",           [LH_RIGHT] = "right",           [LH_LAST_DIGIT] = "last digit",
    [LH_EARLY] = "rounded early",   [LH_FOLLOWS] = "follows",       [LH_CARRIED] = "carried",
    [LH_COARSE] = "too few digits", [LH_MISTAKE] = "known mistake", [LH_SLIP] = "slip of the pen",
    [LH_WRONG] = "wrong",           [LH_UNREAD] = "not read",       [LH_CANNOT] = "cannot go on",
};

bool lh_verdict_has_credit(lh_verdict v) {
    return v == LH_RIGHT || v == LH_LAST_DIGIT || v == LH_EARLY || v == LH_FOLLOWS;
}

enum { MAX_ACTIVE = 16, MAX_OPERANDS = 32 };

/* The mistakes that made an active program of the right one. */
typedef struct made {
    lh_rewrite rewrite[2 * LH_MAX_REWRITES];
    int n;
} made;

typedef struct marker {
    lh_arena *a;
    lh_sheet *s;
    lh_reach *r;
    const lh_answers *answers;
    const lh_mistakes *mistakes;
    lh_marks *m;
    lh_box *box;   /* room for one unit: its reach */
    lh_box *other; /* and for a second opinion */
    lh_box *truth; /* and for its reach from the right numbers */
    int truth_ask; /* the step that is in truth, or -1 */
    bool is_cut;   /* numbers that nobody wrote down may have been cut off, not rounded */
    int cuts;      /* how many more numbers look cut off than rounded */
    int *origin;   /* for each unit: the ask where a slip that reaches it began, or -1 */
    int active[MAX_ACTIVE],
        n_active; /* programs that later steps may follow: the right one, and those with the mistakes made so far */
    made made[MAX_ACTIVE];
} marker;

/* ---- one number ---- */

/* Does some value of the box round to the number written? `beside`: or to one that lies so far beside it. */
static bool fits(lh_written w, lh_box b, double beside) {
    if (isinf(w.value) || isinf(b.at)) return w.value == b.at;
    double slack = w.unit / 2 + beside + 1e-9 * w.unit + 1e-13 * fabs(w.value);
    return w.value >= b.low - slack && w.value <= b.high + slack;
}

/* asked: one unit of the last digit that the sheet asks for. Fewer digits than that must be a correct rounding, and so must
 * what is counted. Who goes on from the right numbers instead of their own is not wrong. */
static lh_verdict judge(lh_written w, double exact, bool has_own, lh_box own, lh_box from_true,
                        bool is_tainted, double asked, bool is_whole) {
    double one = w.unit > 1.5 * asked || is_whole ? 0 : w.unit;
    if (lh_written_rounds(exact, w)) return LH_RIGHT;
    if (has_own && fits(w, own, 0)) return is_tainted ? LH_FOLLOWS : LH_EARLY;
    if (has_own && fits(w, own, one)) return is_tainted ? LH_FOLLOWS : LH_LAST_DIGIT;
    if (fits(w, from_true, 0)) return LH_EARLY;
    if (fits(w, from_true, one)) return LH_LAST_DIGIT;
    return has_own ? LH_WRONG : LH_CANNOT;
}

/* Right as far as it goes, but it goes not far enough to tell: 0 for 0.05, 1 for 0.6. */
static bool is_coarse(lh_written w, double exact, double asked) {
    return w.unit > 30 * asked && fabs(w.value - exact) > asked / 2 + 1e-12;
}

/* ---- slips of the pen ---- */

static bool fits_number(lh_written w, double value, double unit, lh_box own) {
    w.value = value;
    w.unit = unit;
    return fits(w, own, 0);
}

/* Two neighbouring digits change places. */
static bool is_swapped(lh_written w, lh_box own) {
    char text[64];
    int n = snprintf(text, sizeof text, "%.*f", w.decimals > 0 ? w.decimals : 0, fabs(w.value));
    if (n <= 0 || n >= (int)sizeof text) return false;
    for (int i = 0; i + 1 < n; i++) {
        int k = text[i + 1] == '.' ? i + 2 : i + 1;
        if (text[i] == '.' || k >= n || text[i] == text[k]) continue;
        char c = text[i];
        text[i] = text[k];
        text[k] = c;
        double value = strtod(text, NULL);
        if (fits_number(w, w.value < 0 ? -value : value, w.unit, own)) return true;
        text[k] = text[i];
        text[i] = c;
    }
    return false;
}

static const char *slip_of(lh_written w, lh_box own) {
    if (w.value == 0 || isinf(w.value)) return NULL;
    if (fits_number(w, -w.value, w.unit, own)) return "the sign is turned round";
    if (fits_number(w, w.value * 10, w.unit * 10, own) ||
        fits_number(w, w.value / 10, w.unit / 10, own))
        return "a factor of ten: look at the decimal point";
    if (fits_number(w, w.value * 100, w.unit * 100, own) ||
        fits_number(w, w.value / 100, w.unit / 100, own))
        return "a factor of a hundred: look at the decimal point";
    if (is_swapped(w, own)) return "two digits look swapped";
    return NULL;
}

/* ---- boxes to go on with ---- */

/* The number written or that number before rounding, which may have had a few more digits. */
static lh_box written_box(lh_written w, lh_verdict v, bool has_own, lh_box own, double units) {
    if (isinf(w.value)) return lh_box_at(w.value);
    double room = w.unit * (v == LH_LAST_DIGIT || v == LH_FOLLOWS ? 1 : units);
    lh_box b = {.at = w.value, .low = w.value - w.unit / 2, .high = w.value + w.unit / 2};
    if (!has_own || !lh_verdict_has_credit(v) || own.low > w.value + room ||
        own.high < w.value - room)
        return b;
    double low = own.low > w.value - room ? own.low : w.value - room,
           high = own.high < w.value + room ? own.high : w.value + room;
    return (lh_box){.at = w.value,
                    .low = fmin(low, w.value),
                    .high = fmax(high, w.value),
                    .was_rounded = true,
                    .decimals = w.decimals,
                    .from = low,
                    .to = high};
}

static lh_box rounded_box(const lh_unit *u, lh_box b, int decimals, bool is_cut) {
    return u->is_whole ? b : lh_box_rounded(b, decimals, is_cut);
}

/* ---- a step ---- */

static double unit_of(int decimals) {
    return pow(10, -decimals);
}

static int ask_of(const lh_sheet *s, const lh_unit *u) {
    for (int i = 0; i < s->n_asks; i++)
        if (s->ask[i].step == u->step && s->ask[i].moment == u->moment) return i;
    return -1;
}

static const lh_written *written(const marker *k, int ask, int cell) {
    return &k->answers->cell[k->s->ask[ask].first + cell];
}

static bool is_written(const marker *k, int ask) {
    for (int i = 0; i < k->s->ask[ask].n_cells; i++)
        if (written(k, ask, i)->kind == LH_WRITTEN_NUMBER) return true;
    return false;
}

static int taint(marker *k, int variant, int unit) {
    int origin = -1;
    for (int i = 0; i < unit; i++)
        if (k->origin[i] >= 0 && lh_reach_reads(k->r, variant, unit, i) &&
            (origin < 0 || k->origin[i] < origin))
            origin = k->origin[i];
    return origin;
}

/* Every unit at its right numbers, which may have been rounded. */
static void put_truth(lh_sheet *s, lh_reach *r) {
    lh_reach_begin(r);
    for (int i = 0; i < lh_reach_count(r); i++) {
        lh_unit *u = lh_reach_unit(r, i);
        int ask = ask_of(s, u), decimals = ask >= 0 ? s->ask[ask].decimals : u->decimals;
        for (int c = 0; c < u->n_cells; c++) u->box[c] = lh_box_either(u->right[c], decimals);
        if (ask < 0) lh_reach_open(r, 0, i, u->decimals);
    }
}

/* Where a step can lie whose operands are the right numbers. A wide box is looked at again, with what was written. */
static const lh_box *from_true(marker *k, int ask) {
    lh_sheet *s = k->s;
    const lh_ask *q = &s->ask[ask];
    const lh_box *known = s->from_true + q->first;
    if (k->truth_ask == ask) return k->truth;
    bool is_wide = false;
    for (int i = 0; i < q->n_cells; i++)
        is_wide |= written(k, ask, i)->kind == LH_WRITTEN_NUMBER &&
                   known[i].high - known[i].low > LH_REACH_WIDE * unit_of(q->decimals);
    if (!is_wide || (!s->truth && !(s->truth = lh_reach_new(s)))) return known;
    put_truth(s, s->truth);
    int unit = lh_reach_find(s->truth, q->step, q->moment);
    if (!lh_reach_of(s->truth, 0, unit, written(k, ask, 0), k->truth)) return known;
    k->truth_ask = ask;
    return k->truth;
}

/* The verdicts of a step's cells if its formula is taken from one program. Returns how many have no credit. */
static int judge_step(marker *k, int ask, bool has_own, const lh_box *own, bool is_tainted,
                      lh_verdict *out) {
    int bad = 0;
    const lh_ask *q = &k->s->ask[ask];
    const lh_box *truth = from_true(k, ask);
    for (int i = 0; i < q->n_cells; i++) {
        const lh_written *w = written(k, ask, i);
        double exact = lh_sheet_exact(k->s, ask, i);
        if (w->kind != LH_WRITTEN_NUMBER) {
            out[i] = w->kind == LH_WRITTEN_BLANK ? LH_BLANK : LH_UNREAD;
            continue;
        }
        out[i] = judge(*w, exact, has_own, has_own ? own[i] : lh_box_at(0), truth[i], is_tainted,
                       unit_of(q->decimals), q->is_whole);
        if (lh_verdict_has_credit(out[i]) &&
            is_coarse(*w, has_own ? own[i].at : exact, unit_of(q->decimals)))
            out[i] = LH_COARSE;
        bad += !lh_verdict_has_credit(out[i]) && out[i] != LH_COARSE;
    }
    return bad;
}

static bool all_equal(const marker *k, int ask, bool exact) {
    double first = 0;
    int n = 0;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        if (written(k, ask, i)->kind != LH_WRITTEN_NUMBER) continue;
        double x = exact ? lh_sheet_exact(k->s, ask, i) : written(k, ask, i)->value;
        if (n++ && fabs(x - first) > (exact ? unit_of(k->s->ask[ask].decimals) : 0)) return false;
        if (n == 1) first = x;
    }
    return n > 1;
}

static bool is_copy(const marker *k, int ask, int unit) {
    for (int i = 0; i < unit; i++) {
        const lh_unit *u = lh_reach_unit(k->r, i);
        int other = ask_of(k->s, u);
        if (other < 0 || k->s->ask[other].n_cells != k->s->ask[ask].n_cells ||
            k->s->ask[ask].n_cells < 2 || !lh_reach_reads(k->r, 0, unit, i))
            continue;
        bool same = true, same_exact = true;
        for (int c = 0; c < k->s->ask[ask].n_cells && same; c++) {
            same = written(k, ask, c)->kind == LH_WRITTEN_NUMBER &&
                   written(k, other, c)->kind == LH_WRITTEN_NUMBER &&
                   written(k, ask, c)->value == written(k, other, c)->value;
            same_exact &= fabs(lh_sheet_exact(k->s, ask, c) - lh_sheet_exact(k->s, other, c)) <
                          unit_of(k->s->ask[ask].decimals);
        }
        if (same && !same_exact) return true;
    }
    return false;
}

/* Does every number of the step come of cutting digits off? */
static bool all_cut(const marker *k, int ask, const lh_box *own) {
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_written *w = written(k, ask, i);
        double dust = 1e-9 * w->unit, low = w->value > 0 ? w->value : w->value - w->unit,
               high = w->value < 0 ? w->value : w->value + w->unit;
        if (w->kind == LH_WRITTEN_NUMBER && (own[i].high < low - dust || own[i].low > high + dust))
            return false;
    }
    return true;
}

/* Numbers that say nothing are carried on and not credited: all zero, all equal or copied, where the right ones are not.
 * Rounding alone may make them so, or cutting off alone; then each of them is within reach and there was no slip before. */
static void withhold(marker *k, int ask, int unit, bool is_tainted, const lh_box *own,
                     lh_verdict *v) {
    bool suspect = is_tainted;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) suspect |= v[i] == LH_LAST_DIGIT;
    bool says_nothing = all_equal(k, ask, false) && !all_equal(k, ask, true) &&
                        (is_tainted || !own || !all_cut(k, ask, own));
    bool is_zero = written(k, ask, 0)->value == 0; /* cut off, it may well be */
    if (!(says_nothing && (suspect || (k->is_cut && !is_zero))) &&
        !(suspect && is_copy(k, ask, unit)))
        return;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++)
        if (v[i] == LH_FOLLOWS || v[i] == LH_EARLY || v[i] == LH_LAST_DIGIT) v[i] = LH_CARRIED;
}

/* ---- diagnosis ---- */

/* Does this program explain every number written in the step? */
static bool explains(marker *k, int variant, int ask, int unit) {
    if (!lh_reach_of(k->r, variant, unit, written(k, ask, 0), k->other)) return false;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_written *w = written(k, ask, i);
        if (w->kind == LH_WRITTEN_UNREAD) return false;
        if (w->kind == LH_WRITTEN_NUMBER && !fits(*w, k->other[i], 0)) return false;
    }
    return true;
}

/* A mistake on top of those that led to an active program. -1: it cannot be built. */
static int variant_with(marker *k, int base, const lh_candidate *c) {
    const made *m = &k->made[base];
    lh_rewrite all[2 * LH_MAX_REWRITES];
    if (m->n + c->n_rewrites > 2 * LH_MAX_REWRITES) return -1;
    memcpy(all, m->rewrite, (size_t)m->n * sizeof *all);
    memcpy(all + m->n, c->rewrite, (size_t)c->n_rewrites * sizeof *all);
    return lh_reach_variant(k->r, all, m->n + c->n_rewrites);
}

/* The program with this mistake made is one that later steps may follow. */
static bool keep_active(marker *k, int variant, int base, const lh_candidate *c) {
    const made *from = &k->made[base];
    made *to = &k->made[k->n_active];
    if (k->n_active == MAX_ACTIVE) return false;
    *to = *from;
    for (int i = 0; i < c->n_rewrites && to->n < 2 * LH_MAX_REWRITES; i++)
        to->rewrite[to->n++] = c->rewrite[i];
    k->active[k->n_active++] = variant;
    return true;
}

static bool is_diagnosed(const lh_step_mark *mark, const lh_mistake *m) {
    for (int d = 0; d < mark->n_diagnoses; d++)
        if (mark->diagnosis[d].mistake == m) return true;
    return false;
}

/* Which one was taken, in words. A choice inside a loss is a word, elsewhere a row. */
static const char *choice_words(marker *k, const lh_candidate *c) {
    const lh_graph *g = k->s->g;
    if (c->chosen < 0) return NULL;
    if (c->mistake->of && g->n_vocabs && c->chosen < g->vocab[0]->n_words)
        return g->vocab[0]->word[c->chosen];
    return lh_printf(k->a, "row %d", c->chosen);
}

/* Every mistake that, made in one active program, explains the step; the first goes on as an active program of its own. */
static void diagnose_on(marker *k, int ask, int unit, int base, const lh_candidate *c, int n) {
    lh_step_mark *mark = &k->m->step[ask];
    for (int i = 0; i < n && mark->n_diagnoses < LH_MAX_DIAGNOSES; i++) {
        if (c[i].mistake->is_same || is_diagnosed(mark, c[i].mistake)) continue;
        int v = variant_with(k, base, &c[i]);
        if (v < 0) continue;
        if (explains(k, v, ask, unit)) {
            mark->diagnosis[mark->n_diagnoses++] =
                (lh_diagnosis){c[i].mistake, c[i].line->path, c[i].chosen, choice_words(k, &c[i])};
            if (mark->n_diagnoses == 1 && keep_active(k, v, base, &c[i])) continue;
        }
        lh_reach_drop(k->r, v);
    }
}

/* Old numbers after an update: one operand as it was before, or in the end all of them. */
static void diagnose_stale(marker *k, int ask, int unit) {
    lh_step_mark *mark = &k->m->step[ask];
    for (int i = 0; i < k->mistakes->n && !mark->n_diagnoses; i++) {
        const lh_mistake *m = &k->mistakes->mistake[i];
        if (!m->where || strcmp(m->where, "later") != 0) continue;
        for (int n = 0, last = 0; !last && !mark->n_diagnoses; n++) {
            const char *name;
            int v = n < MAX_OPERANDS ? lh_reach_stale(k->r, unit, n, &name) : -1;
            if (v < 0) last = 1, v = lh_reach_stale(k->r, unit, -1, &name);
            if (v < 0) break;
            if (explains(k, v, ask, unit))
                mark->diagnosis[mark->n_diagnoses++] = (lh_diagnosis){
                    m, k->s->ask[ask].step->path, -1,
                    name ? lh_printf(k->a, "%s as it was before the update", name) : NULL};
            lh_reach_drop(k->r, v);
        }
    }
}

/* Alone first; a line that nobody asked for may need an earlier mistake besides. */
static void diagnose(marker *k, int ask, int unit) {
    int n, n_active = k->n_active;
    if (!k->mistakes) return;
    lh_candidate *c = lh_candidates(k->s->g, k->mistakes, k->s->ask[ask].step, k->a, &n);
    for (int base = 0; base < n_active && !k->m->step[ask].n_diagnoses; base++)
        diagnose_on(k, ask, unit, base, c, n);
    if (k->s->ask[ask].moment && !k->m->step[ask].n_diagnoses) diagnose_stale(k, ask, unit);
}

static void note_slips(marker *k, int ask, bool has_own, const lh_box *own, lh_verdict *v) {
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_written *w = written(k, ask, i);
        if (v[i] != LH_WRONG) continue;
        const char *slip = has_own ? slip_of(*w, own[i]) : NULL;
        if (!slip) slip = slip_of(*w, k->s->from_true[k->s->ask[ask].first + i]);
        if (slip) v[i] = LH_SLIP, k->m->note[k->s->ask[ask].first + i] = slip;
    }
}

/* ---- the walk through the sheet ---- */

/* Which of the active programs speaks best for the step: the newest that leaves the fewest cells without credit. */
static bool best_reach(marker *k, int ask, int unit, int *variant) {
    int n = k->s->ask[ask].n_cells, least = n + 1;
    lh_verdict *v = lh_alloc_array(k->a, (size_t)n + 1, sizeof *v);
    bool any = false;
    *variant = 0;
    for (int i = k->n_active - 1; v && i >= 0 && least > 0; i--) {
        if (!lh_reach_of(k->r, k->active[i], unit, written(k, ask, 0), k->other)) continue;
        int bad = judge_step(k, ask, true, k->other, taint(k, k->active[i], unit) >= 0, v);
        if (bad >= least) continue;
        least = bad;
        *variant = k->active[i];
        memcpy(k->box, k->other, (size_t)n * sizeof *k->box);
        any = true;
    }
    return any;
}

/* Somebody who cuts digits off gives it away: a number stands there that nobody comes to by rounding. 1: cut, -1: rounded,
 * 0: both may write it. */
static int looks_cut(lh_written w, lh_box own) {
    if (w.unit == 0 || w.value == 0 || own.low * own.high <= 0 || w.value * own.at <= 0) return 0;
    double x = fabs(w.value) / w.unit, least = fmin(fabs(own.low), fabs(own.high)) / w.unit,
           most = fmax(fabs(own.low), fabs(own.high)) / w.unit;
    if (x < least - 0.55 && x > least - 1) return 1;
    return x > most + 0.05 && x < most + 0.5 ? -1 : 0;
}

static void mark_step(marker *k, int ask, int unit) {
    const lh_ask *q = &k->s->ask[ask];
    lh_unit *u = lh_reach_unit(k->r, unit);
    lh_verdict *v = k->m->cell + q->first;
    int variant;
    bool has_own = best_reach(k, ask, unit, &variant);
    int origin = taint(k, variant, unit);
    int bad = judge_step(k, ask, has_own, k->box, origin >= 0, v);
    withhold(k, ask, unit, origin >= 0, has_own ? k->box : NULL, v);
    if (bad) diagnose(k, ask, unit);
    if (bad && !k->m->step[ask].n_diagnoses) note_slips(k, ask, has_own, k->box, v);
    double asked = unit_of(q->decimals);
    lh_step_mark *mark = &k->m->step[ask];
    lh_reach_known(k->r, unit);
    for (int i = 0; i < q->n_cells; i++) {
        const lh_written *w = written(k, ask, i);
        if (mark->n_diagnoses && (v[i] == LH_WRONG || v[i] == LH_CANNOT)) v[i] = LH_MISTAKE;
        if (w->kind == LH_WRITTEN_NUMBER && u->is_whole)
            u->box[i] = lh_box_at(w->value);
        else if (w->kind == LH_WRITTEN_NUMBER)
            u->box[i] =
                lh_box_dusty(written_box(*w, v[i], has_own, k->box[i], k->is_cut ? 1 : 0.5), asked);
        else if (has_own)
            u->box[i] = rounded_box(u, k->box[i], q->decimals, k->is_cut);
        else
            u->box[i] = rounded_box(u, k->s->exact[unit][i], q->decimals, k->is_cut);
        k->m->own[q->first + i] = has_own ? k->box[i].at : NAN;
        if (has_own && lh_verdict_has_credit(v[i])) k->cuts += looks_cut(*w, k->box[i]);
        if (lh_verdict_has_credit(v[i]))
            mark->n_right++;
        else if (v[i] == LH_BLANK)
            mark->n_blank++;
        else
            mark->n_wrong++;
        if (v[i] == LH_RIGHT && w->decimals >= 0 && w->decimals < q->decimals &&
            fabs(w->value - lh_sheet_exact(k->s, ask, i)) > asked / 2)
            mark->few_digits = true;
    }
    mark->origin = origin;
    k->origin[unit] = bad ? ask : origin;
}

/* A step that nobody asked for, or that was left blank: worked out from the learner's own numbers, perhaps rounded. */
static void skip_step(marker *k, int ask, int unit) {
    lh_unit *u = lh_reach_unit(k->r, unit);
    int variant = k->active[k->n_active - 1];
    int decimals = ask >= 0 ? k->s->ask[ask].decimals : u->decimals;
    for (int i = 0; i < u->n_cells; i++)
        u->box[i] = rounded_box(u, k->s->exact[unit][i], decimals, k->is_cut);
    lh_reach_open(k->r, variant, unit, decimals);
    bool ok = ask >= 0 && lh_reach_settle(k->r, unit);
    k->origin[unit] = taint(k, variant, unit);
    for (int i = 0; ask >= 0 && i < k->s->ask[ask].n_cells; i++) {
        k->m->cell[k->s->ask[ask].first + i] =
            written(k, ask, i)->kind == LH_WRITTEN_UNREAD ? LH_UNREAD : LH_BLANK;
        k->m->own[k->s->ask[ask].first + i] = ok ? u->box[i].at : NAN;
    }
    if (ask >= 0)
        k->m->step[ask].n_blank = k->s->ask[ask].n_cells, k->m->step[ask].origin = k->origin[unit];
}

/* Where each step can lie when its operands are the right numbers, rounded. Found once for a sheet. */
static bool prepare(lh_sheet *s) {
    if (s->reach) return true;
    s->reach = lh_reach_new(s);
    if (!s->reach) return false;
    int n = lh_reach_count(s->reach);
    s->from_true = lh_alloc_array(s->arena, (size_t)s->n_cells + 1, sizeof *s->from_true);
    s->exact = lh_alloc_array(s->arena, (size_t)n + 1, sizeof *s->exact);
    put_truth(s, s->reach);
    for (int i = 0; s->from_true && s->exact && i < n; i++) {
        const lh_unit *u = lh_reach_unit(s->reach, i);
        int ask = ask_of(s, u);
        lh_box *box = s->exact[i] = lh_alloc_array(s->arena, (size_t)u->n_cells + 1, sizeof *box);
        if (!box) return false;
        for (int c = 0; c < u->n_cells; c++) box[c] = lh_box_at(u->right[c]);
        if (ask >= 0 && !lh_reach_of(s->reach, 0, i, NULL, s->from_true + s->ask[ask].first))
            memcpy(s->from_true + s->ask[ask].first, box, (size_t)u->n_cells * sizeof *box);
    }
    return !lh_failed(s->g->ctx);
}

/* stops: at the first step that has something wrong; the rest is not marked. */
static lh_marks *mark_once(lh_arena *a, lh_sheet *s, const lh_answers *answers,
                           const lh_mistakes *mistakes, bool is_cut, bool stops, int *cuts) {
    int n = lh_reach_count(s->reach), most = 1;
    for (int i = 0; i < n; i++)
        if (lh_reach_unit(s->reach, i)->n_cells > most) most = lh_reach_unit(s->reach, i)->n_cells;
    lh_marks *m = lh_alloc(a, sizeof *m);
    m->cell = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *m->cell);
    m->own = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *m->own);
    m->note = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *m->note);
    m->step = lh_alloc_array(a, (size_t)s->n_asks + 1, sizeof *m->step);
    marker k = {.a = a,
                .s = s,
                .r = s->reach,
                .answers = answers,
                .mistakes = mistakes,
                .m = m,
                .is_cut = is_cut,
                .n_active = 1,
                .truth = lh_alloc_array(a, (size_t)most, sizeof *k.truth),
                .truth_ask = -1,
                .box = lh_alloc_array(a, (size_t)most, sizeof *k.box),
                .other = lh_alloc_array(a, (size_t)most, sizeof *k.other),
                .origin = lh_alloc_array(a, (size_t)n + 1, sizeof *k.origin)};
    if (!m->cell || !m->own || !m->note || !m->step || !k.box || !k.other || !k.truth || !k.origin)
        return NULL;
    lh_reach_begin(s->reach);
    bool ends = false;
    for (int i = 0; i < n && !ends && !lh_failed(s->g->ctx); i++) {
        k.origin[i] = -1;
        int ask = ask_of(s, lh_reach_unit(s->reach, i));
        if (ask >= 0 && is_written(&k, ask))
            mark_step(&k, ask, i), ends = stops && m->step[ask].n_wrong;
        else
            skip_step(&k, ask, i);
    }
    for (int i = k.n_active - 1; i > 0; i--) lh_reach_drop(s->reach, k.active[i]);
    m->total = s->n_cells;
    *cuts = k.cuts;
    for (int i = 0; i < s->n_cells; i++) m->credit += lh_verdict_has_credit(m->cell[i]);
    return lh_failed(s->g->ctx) ? NULL : m;
}

static bool has_blame(const lh_sheet *s, const lh_marks *m) {
    for (int i = 0; i < s->n_asks; i++)
        if (m->step[i].n_wrong) return true;
    return false;
}

/* A sheet with blame on it is looked at again as that of somebody who cuts off: if it looks so, or if
 * the blame goes away. */
lh_marks *lh_mark(lh_arena *a, lh_sheet *s, const lh_answers *answers,
                  const lh_mistakes *mistakes) {
    if (lh_failed(s->g->ctx) || !prepare(s)) return NULL;
    int cuts = 0, again;
    lh_marks *m = mark_once(a, s, answers, mistakes, false, false, &cuts);
    if (!m || !has_blame(s, m)) return m;
    lh_reach_cut(s->reach, true);
    lh_marks *cut = mark_once(a, s, answers, cuts > 0 ? mistakes : NULL, true, cuts <= 0, &again);
    lh_reach_cut(s->reach, false);
    return !cut || cuts > 0 || !has_blame(s, cut) ? cut : m;
}
