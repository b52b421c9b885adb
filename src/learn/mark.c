#include "base/number.h"
#include "learn/mark.h"

#include <math.h>
#include <string.h>

#include "learn/mark_internal.h"

const char *const lh_worth_names[] = {"full", "half", "none", NULL};

/* ---- a step ---- */

static lh_reach_box rounded_box(const marker *k, const lh_unit *u, lh_reach_box b, int decimals) {
    return u->is_whole ? b : lh_box_rounded(b, decimals - k->habit.fewer, k->habit.cuts);
}

static bool is_written(const marker *k, int ask) {
    for (int i = 0; i < k->s->ask[ask].n_cells; i++)
        if (marking_written(k, ask, i)->kind == LH_WRITTEN_NUMBER ||
            marking_written(k, ask, i)->kind == LH_WRITTEN_NONE)
            return true;
    return false;
}

static void note_slips(marker *k, int ask, const lh_reach_box *own, lh_verdict *v) {
    const lh_reach_box *truth = k->is_trial ? NULL : marking_from_true(k, ask);
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_written *w = marking_written(k, ask, i);
        int at = k->s->ask[ask].first + i;
        if (v[i] != LH_WRONG || w->kind != LH_WRITTEN_NUMBER) continue;
        const char *slip = own ? marking_slip(*w, own[i]) : NULL;
        if (!slip && truth) slip = marking_slip(*w, truth[i]);
        if (slip) v[i] = LH_SLIP, k->m->note[at] = slip;
    }
}

/* Who made a mistake may work everything out anew after an update, too, and make it again. Returns whether that speaks better for
 * the step: then later steps may follow it. */
static bool mistaken_anew(marker *k, int ask, int unit, int least, int *variant) {
    const made *newest = &k->made[k->n_active - 1];
    const int n = k->s->ask[ask].n_cells;
    lh_verdict *v = lh_alloc_array(k->a, (size_t)n + 1, sizeof *v);
    if (!v || !newest->n || !k->s->ask[ask].moment || k->n_active == LH_MOST_ACTIVE) return false;
    int program = lh_reach_variant_anew(k->r, newest->rewrite, newest->n);
    if (program < 0) return false;
    const int *before = lh_reach_reopen(k->r, program);
    if (before && lh_reach_of(k->r, program, unit, marking_written(k, ask, 0), k->other) &&
        marking_judge_step(k, ask, k->other, marking_taint(k, program, unit) >= 0, v) < least) {
        memcpy(k->box, k->other, (size_t)n * sizeof *k->box);
        k->made[k->n_active] = *newest;
        *variant = k->active[k->n_active++] = program;
        return true;
    }
    if (before) lh_reach_restore(k->r, before);
    lh_reach_drop(k->r, program);
    return false;
}

/* Which of the active programs speaks best for the step: the newest that leaves the fewest cells without credit. */
static bool best_reach(marker *k, int ask, int unit, int *variant) {
    int n = k->s->ask[ask].n_cells, least = n + 1;
    lh_verdict *v = lh_alloc_array(k->a, (size_t)n + 1, sizeof *v);
    bool any = false;
    *variant = 0;
    int last = k->anew > 0 && k->s->ask[ask].moment ? -1 : 0;
    for (int i = k->n_active - 1; v && i >= last && least > 0; i--) {
        int program = i < 0 ? k->anew : k->active[i];
        if (i < 0 && lh_reach_left(k->r) < LH_ANEW_SHARE * k->effort)
            break; /* everything anew is much work */
        const int *before = i < 0 ? lh_reach_reopen(k->r, program) : NULL;
        bool ok = lh_reach_of(k->r, program, unit, marking_written(k, ask, 0), k->other);
        int bad = ok ? marking_judge_step(k, ask, k->other, marking_taint(k, program, unit) >= 0, v)
                     : least;
        if (bad >= least && before) lh_reach_restore(k->r, before);
        if (bad >= least) continue;
        least = bad;
        *variant = program;
        memcpy(k->box, k->other, (size_t)n * sizeof *k->box);
        any = true;
    }
    if (least > 0 && mistaken_anew(k, ask, unit, least, variant)) any = true;
    return any;
}

/* Where the first of the usual ways leads; the others are tried where that does not. */
static bool quick_reach(marker *k, int ask, int unit, int *variant) {
    const lh_carry first = {.cuts = k->habit.cuts, .fewer = k->habit.fewer};
    *variant = 0;
    if (!lh_reach_plain(k->r, 0, unit, first, k->plain)) return false;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) k->box[i] = lh_box_at(k->plain[i]);
    return true;
}

static void replace(lh_verdict *v, int n, lh_verdict from, lh_verdict to) {
    for (int i = 0; i < n; i++)
        if (v[i] == from) v[i] = to;
}

/* Looks for what explains numbers that have no credit, and for old ones that have. Returns whether a slip begins here. */
static bool explain(marker *k, int ask, int unit, int variant, const lh_reach_box *own, int bad,
                    lh_verdict *v) {
    int n = k->s->ask[ask].n_cells;
    /* of somebody who cuts off, an old number may as well be a new one that comes to the same */
    if (!(k->shows_cuts && !bad) && marking_is_stale(k, ask, unit, variant, own)) {
        for (int i = 0; i < n; i++)
            if (v[i] != LH_RIGHT && v[i] != LH_BLANK && v[i] != LH_UNREAD) v[i] = LH_MISTAKE;
        return true;
    }
    if (!bad) return false;
    bool is_other = !k->is_quick && marking_other_way(k, ask, unit, true);
    if (!is_other && !k->is_trial) marking_diagnose(k, ask, unit);
    if (!is_other && !k->is_trial && !k->m->step[ask].n_diagnoses)
        is_other = marking_other_way(k, ask, unit, false);
    if (is_other) {
        replace(v, n, LH_WRONG, LH_OTHER_WAY);
        replace(v, n, LH_CANNOT, LH_OTHER_WAY);
        return true;
    }
    if (!k->m->step[ask].n_diagnoses) note_slips(k, ask, own, v);
    if (k->m->step[ask].n_diagnoses) {
        replace(v, n, LH_WRONG, LH_MISTAKE);
        replace(v, n, LH_CANNOT, LH_MISTAKE);
        k->is_empty[unit] = false; /* they say which mistake it was */
    }
    return true;
}

/* Where the cells of a step lie from now on. */
static void go_on(marker *k, int ask, int unit, const lh_reach_box *own, const lh_verdict *v) {
    const lh_ask *q = &k->s->ask[ask];
    lh_unit *u = lh_reach_unit(k->r, unit);
    lh_reach_known(k->r, unit);
    for (int i = 0; i < q->n_cells; i++) {
        const lh_written written = marking_meant(*marking_written(k, ask, i), v[i], q),
                         *w = &written;
        const bool has = own && !isnan(own[i].at);
        if (w->kind == LH_WRITTEN_NUMBER && u->is_whole)
            u->box[i] = lh_box_at(w->value);
        else if (w->kind == LH_WRITTEN_NONE && lh_verdict_has_credit(v[i]))
            u->box[i] = lh_box_at(NAN);
        else if (w->kind == LH_WRITTEN_NUMBER)
            u->box[i] = lh_box_dusty(marking_box(*w, v[i], has ? &own[i] : NULL, k->habit, q),
                                     marking_unit(q));
        else
            u->box[i] = rounded_box(k, u, has ? own[i] : lh_box_at(u->right[i]), u->decimals);
        k->m->own[q->first + i] = own ? own[i].at : NAN;
        if (has && lh_verdict_has_credit(v[i])) k->cuts += marking_looks_cut(*w, own[i]);
    }
}

/* Steps that no update changes may have been worked out again after it. */
static int usual_anew(marker *k, int ask, int unit, bool is_tainted, lh_verdict *v) {
    const int *before = lh_reach_reopen(k->r, k->anew);
    int bad = marking_usual(k, ask, unit, k->anew, is_tainted, v);
    if (bad && before) lh_reach_restore(k->r, before);
    return bad;
}

static void mark_step(marker *k, int ask, int unit) {
    const lh_ask *q = &k->s->ask[ask];
    lh_verdict *v = k->m->cell + q->first;
    int variant;
    bool leads =
        k->is_quick ? quick_reach(k, ask, unit, &variant) : best_reach(k, ask, unit, &variant);
    const lh_reach_box *own = leads ? k->box : NULL;
    int origin = marking_taint(k, variant, unit);
    if (origin < 0) origin = marking_made_before(k, ask, variant);
    marking_judge_step(k, ask, own, origin >= 0, v);
    int bad = marking_usual(k, ask, unit, variant, origin >= 0, v);
    if (bad && k->is_quick && k->anew > 0) bad = usual_anew(k, ask, unit, origin >= 0, v);
    marking_withhold_vague(k, ask, unit, v);
    marking_withhold(k, ask, unit, origin >= 0, own, v);
    marking_doubt_old(k, ask, v);
    bool begins = explain(k, ask, unit, variant, own, bad, v);
    go_on(k, ask, unit, own, v);
    k->m->step[ask].origin = origin;
    k->origin[unit] = begins ? ask : origin;
}

/* A step that nobody asked for, or that was left blank: worked out from the learner's own numbers, perhaps rounded. */
static void skip_step(marker *k, int ask, int unit) {
    lh_unit *u = lh_reach_unit(k->r, unit);
    int variant = k->active[k->n_active - 1];
    for (int i = 0; i < u->n_cells; i++)
        u->box[i] = rounded_box(k, u, lh_box_at(u->right[i]), u->decimals);
    lh_reach_open(k->r, variant, unit, u->decimals);
    bool ok = ask >= 0 && lh_reach_settle(k->r, unit);
    k->origin[unit] = marking_taint(k, variant, unit);
    k->is_vague[unit] = marking_reads_vague(k, unit);
    for (int i = 0; ask >= 0 && i < k->s->ask[ask].n_cells; i++) {
        k->m->cell[k->s->ask[ask].first + i] =
            marking_written(k, ask, i)->kind == LH_WRITTEN_UNREAD ? LH_UNREAD : LH_BLANK;
        k->m->own[k->s->ask[ask].first + i] = ok ? u->box[i].at : NAN;
    }
    if (ask >= 0) k->m->step[ask].origin = k->origin[unit];
}

/* ---- the walk through the sheet ---- */

/* What all who fill in this sheet have in common. */
static bool prepare(lh_sheet *s) {
    if (s->reach) return true;
    s->reach = lh_reach_new(s);
    s->truth = s->reach ? lh_reach_new(s) : NULL;
    if (!s->truth) return false;
    s->from_true = lh_alloc_array(s->arena, (size_t)s->n_cells + 1, sizeof *s->from_true);
    s->true_effort = lh_alloc_array(s->arena, (size_t)s->n_asks + 1, sizeof *s->true_effort);
    marking_put_truth(s->truth);
    return !lh_failed(s->g->ctx);
}

/* For one pass over what `like` looks at. */
static marker marker_new(const marker *like, lh_habit habit) {
    lh_arena *a = like->a;
    lh_sheet *s = like->s;
    int n = lh_reach_count(s->reach), most = 1;
    for (int i = 0; i < n; i++)
        if (lh_reach_unit(s->reach, i)->n_cells > most) most = lh_reach_unit(s->reach, i)->n_cells;
    lh_marks *m = lh_alloc(a, sizeof *m);
    m->cell = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *m->cell);
    m->own = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *m->own);
    m->note = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *m->note);
    m->step = lh_alloc_array(a, (size_t)s->n_asks + 1, sizeof *m->step);
    m->too_early = -1;
    marker k = {.all = like->all,
                .a = a,
                .s = s,
                .r = s->reach,
                .cell = like->cell,
                .mistakes = like->mistakes,
                .m = m,
                .habit = habit,
                .n_active = 1,
                .effort = fmax(fmin(LH_PASS_EFFORT, like->all->left), 0),
                .truth_ask = -1,
                .truth = lh_alloc_array(a, (size_t)most, sizeof *k.truth),
                .box = lh_alloc_array(a, (size_t)most, sizeof *k.box),
                .other = lh_alloc_array(a, (size_t)most, sizeof *k.other),
                .plain = lh_alloc_array(a, (size_t)most, sizeof *k.plain),
                .origin = lh_alloc_array(a, (size_t)n + 1, sizeof *k.origin),
                .is_empty = lh_alloc_array(a, (size_t)n + 1, sizeof *k.is_empty),
                .is_vague = lh_alloc_array(a, (size_t)n + 1, sizeof *k.is_vague)};
    return k;
}

/* One pass, with one idea of how numbers were carried on. A trial stops at the first step that has something wrong. */
static lh_marks *mark_once(marker *k) {
    lh_sheet *s = k->s;
    if (lh_failed(s->g->ctx)) return NULL;
    lh_reach_allow(s->reach, k->effort);
    lh_reach_begin(s->reach);
    lh_reach_habit(s->reach, k->habit);
    k->anew = lh_reach_anew(s->reach);
    bool ends = false;
    for (int i = 0; i < lh_reach_count(s->reach) && !ends && !lh_failed(s->g->ctx); i++) {
        const lh_unit *u = lh_reach_unit(s->reach, i);
        k->origin[i] = -1;
        int ask = marking_ask(s, u->step, u->moment);
        if (ask < 0 || !is_written(k, ask)) {
            skip_step(k, ask, i);
            continue;
        }
        mark_step(k, ask, i);
        for (int c = 0; c < s->ask[ask].n_cells && k->is_trial; c++)
            ends |= lh_verdict_is_blame(k->m->cell[s->ask[ask].first + c]);
    }
    for (int i = k->n_active - 1; i > 0; i--) lh_reach_drop(s->reach, k->active[i]);
    lh_reach_habit(s->reach, (lh_habit){0});
    k->left = lh_reach_left(s->reach);
    k->all->left -= k->effort - k->left;
    k->m->gave_up = lh_reach_gave_up(s->reach) || lh_reach_gave_up(s->truth);
    return lh_failed(s->g->ctx) ? NULL : k->m;
}

static int count_blame(const lh_sheet *s, const lh_marks *m) {
    int n = 0;
    for (int i = 0; i < s->n_cells; i++) n += lh_verdict_is_blame(m->cell[i]);
    return n;
}

/* Is there anything wrong that has no name? An old number may also be one that was rounded so. */
static bool has_riddle(const lh_sheet *s, const lh_marks *m) {
    for (int i = 0; i < s->n_asks; i++) {
        const lh_step_mark *mark = &m->step[i];
        bool is_named = mark->n_diagnoses && !marking_is_later(mark->diagnosis[0].mistake);
        for (int c = s->ask[i].first; c < s->ask[i].first + s->ask[i].n_cells; c++)
            if (lh_verdict_is_blame(m->cell[c]) && !(m->cell[c] == LH_MISTAKE && is_named))
                return true;
    }
    return false;
}

/* ---- how the numbers were carried on ---- */

/* Too few digits, or zeros that were dropped from a number that is worked out in another way? */
static bool may_lack_zeros(const marker *k, int cell, lh_verdict v) {
    return v == LH_FEW_DIGITS && k->cell[cell].drops_zeros;
}

/* Somebody who works everything out in one of the usual ways: most do. NULL: then something is wrong. */
static lh_marks *as_usual(const marker *plain, lh_habit habit, marker *k) {
    *k = marker_new(plain, habit);
    k->is_trial = k->is_quick = true;
    lh_marks *m = mark_once(k);
    for (int i = 0; m && i < k->s->n_cells; i++)
        if (lh_verdict_is_blame(m->cell[i]) || m->cell[i] == LH_COARSE ||
            may_lack_zeros(k, i, m->cell[i]))
            return NULL;
    return m;
}

/* A sheet with blame on it is looked at again as that of somebody who cuts off: if it looks so, or if some of the blame goes away
 * and it does not look rounded. */
static lh_marks *as_cut(const marker *plain, lh_marks *m) {
    const bool looks = plain->cuts > 0;
    marker k = marker_new(plain, (lh_habit){.cuts = true});
    k.is_trial = !looks;
    k.shows_cuts = looks;
    lh_marks *cut = mark_once(&k);
    if (!cut || looks || !count_blame(plain->s, cut)) return cut;
    if (plain->cuts < 0 || !has_riddle(plain->s, m) || plain->all->left < LH_PASS_EFFORT) return m;
    k = marker_new(plain, (lh_habit){.cuts = true});
    cut = mark_once(&k);
    return cut && count_blame(plain->s, cut) < count_blame(plain->s, m) ? cut : m;
}

/* Do the marks of the second pass have credit where those of the first have not? One number alone proves no habit: others must
 * show it, too, unless there are none that could. Returns the first ask with such a number, or -1. */
static int rescued(const marker *k, const lh_marks *m, const lh_marks *few) {
    const lh_sheet *s = k->s;
    int first = -1, proofs = 0, telling = 0, told = 0;
    for (int i = 0; i < s->n_asks; i++)
        for (int c = s->ask[i].first; c < s->ask[i].first + s->ask[i].n_cells; c++) {
            bool has = lh_verdict_has_credit(few->cell[c]);
            proofs += has && few->cell[c] != LH_RIGHT;
            if (first < 0 && has && lh_verdict_is_blame(m->cell[c])) first = i;
            if (fabs(few->own[c] - m->own[c]) <= marking_unit(&s->ask[i]) / 2) continue;
            telling++;
            told += marking_fits(k->cell[c], lh_box_at(few->own[c]), 0);
        }
    return proofs >= LH_PROVING_HABIT || (told && told == telling) ? first : -1;
}

/* And as that of somebody who carries on a digit fewer than is asked for. It must explain more than was explained before: the
 * numbers of somebody with a slip do not fit together so, and more of them are wrong. */
static lh_marks *as_fewer(marker *plain, lh_marks *m, bool cuts) {
    const lh_habit habit = {.cuts = cuts, .fewer = 1};
    marker k;
    lh_marks *few = as_usual(plain, habit, &k);
    if (!few && plain->left > LH_FEWER_SHARE * plain->effort &&
        plain->all->left >= LH_PASS_EFFORT) {
        k = marker_new(plain, habit);
        few = mark_once(&k);
    }
    if (!few || count_blame(k.s, few) >= count_blame(k.s, m)) return m;
    few->too_early = rescued(&k, m, few);
    return few->too_early >= 0 ? few : m;
}

/* Something is wrong, or the numbers were carried on in a way that is not usual. */
static lh_marks *examine(marker *plain) {
    lh_marks *m = mark_once(plain);
    /* where patience ended, a second look would see as little */
    if (m && count_blame(plain->s, m) && plain->left > -LH_PATIENCE) m = as_cut(plain, m);
    for (int cuts = 0; cuts < 2; cuts++)
        if (m && has_riddle(plain->s, m)) {
            if (plain->all->left > 0)
                m = as_fewer(plain, m, cuts);
            else
                m->gave_up = true;
        }
    return m;
}

/* ---- the sum ---- */

static void add_up(lh_sheet *s, lh_marks *m) {
    static const double worth[] = {[LH_WORTH_FULL] = 1, [LH_WORTH_HALF] = 0.5, [LH_WORTH_NONE] = 0};
    m->total = s->n_cells;
    m->few_digits = s->few_digits;
    for (int i = 0; i < s->n_asks; i++) {
        lh_step_mark *mark = &m->step[i];
        for (int c = s->ask[i].first; c < s->ask[i].first + s->ask[i].n_cells; c++) {
            bool is_few = m->cell[c] == LH_FEW_DIGITS, is_half = is_few && s->few_digits;
            mark->few_digits |= is_few;
            if (is_few && s->few_digits == LH_WORTH_NONE) m->cell[c] = LH_COARSE;
            bool has = lh_verdict_has_credit(m->cell[c]);
            m->points += is_few ? worth[s->few_digits] : has;
            m->credit += has && !is_half;
            if (m->cell[c] == LH_BLANK || m->cell[c] == LH_UNREAD)
                mark->n_blank += m->cell[c] == LH_BLANK, mark->n_wrong += m->cell[c] != LH_BLANK;
            else if (has && !is_half)
                mark->n_right++;
            else
                mark->n_wrong++;
        }
    }
}

static const lh_written *asked_cells(lh_arena *a, const lh_sheet *s, const lh_answers *answers) {
    lh_written *cell = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *cell);
    for (int i = 0; cell && i < s->n_asks; i++)
        for (int c = s->ask[i].first; c < s->ask[i].first + s->ask[i].n_cells; c++)
            cell[c] = marking_asked(answers->cell[c], &s->ask[i]);
    return cell;
}

lh_marks *lh_mark(lh_arena *a, lh_sheet *s, const lh_answers *answers,
                  const lh_mistakes *mistakes) {
    if (lh_failed(s->g->ctx) || !prepare(s)) return NULL;
    const lh_written *cell = asked_cells(a, s, answers);
    if (!cell) return NULL;
    if (lh_reach_gave_up(s->truth)) marking_put_truth(s->truth); /* for somebody before */
    lh_reach_allow(s->truth, LH_PASS_EFFORT);
    marking all = {.left = LH_MOST_EFFORT - LH_PASS_EFFORT};
    const marker sheet = {.all = &all, .a = a, .s = s, .cell = cell, .mistakes = mistakes};
    marker k = marker_new(&sheet, (lh_habit){0}), usual;
    lh_marks *m = as_usual(&k, (lh_habit){0}, &usual);
    if (!m) m = as_usual(&k, (lh_habit){.cuts = true}, &usual);
    if (!m) m = examine(&k);
    if (!m) return NULL;
    k.m = m;
    marking_remark(&k);
    add_up(s, m);
    return lh_failed(s->g->ctx) ? NULL : m;
}
