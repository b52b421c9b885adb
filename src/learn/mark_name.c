/* Names for what went wrong, and for what went right by another way: the rules of the catalogue, tried on the learner's own
 * numbers. */
#include <math.h>
#include <string.h>

#include "learn/mark_internal.h"

/* Does what a program leads to speak for this number? What may be many times the number, and nothing as well, speaks for those alone
 * that lie near where it rests: a sum that is all but 0 was divided by. */
static bool speaks_for(lh_reach_box b, lh_written w, double beside) {
    const double room = LH_REACH_WIDE * fmax(w.unit, fabs(w.value));
    if (isfinite(b.at) && b.high - b.low > room)
        b.low = fmax(b.low, b.at - room), b.high = fmin(b.high, b.at + room);
    return marking_fits(w, b, beside);
}

/* Does this program explain every number written in the step? In a matrix one or a few may have a last digit off besides. */
bool marking_explains(marker *k, int variant, int ask, int unit) {
    const lh_ask *q = &k->s->ask[ask];
    if (!lh_reach_of(k->r, variant, unit, marking_written(k, ask, 0), k->other)) return false;
    int beside = 0, n = 0, telling = 0;
    for (int i = 0; i < q->n_cells; i++) {
        const lh_written *w = marking_written(k, ask, i);
        if (w->kind == LH_WRITTEN_UNREAD) return false;
        if (w->kind == LH_WRITTEN_NONE && isfinite(k->other[i].at)) return false;
        if (w->kind != LH_WRITTEN_NUMBER) continue;
        n++;
        telling += marking_is_telling(*w, q) ||
                   (w->value != 0 && fabs(k->other[i].at - w->value) < marking_unit(q) / 2);
        if (marking_is_short(*w, q)) { /* fewer digits must be a correct rounding */
            if (!lh_written_rounds(k->other[i].at, *w)) return false;
            continue;
        }
        if (speaks_for(k->other[i], *w, k->habit.cuts && !marking_is_sharp(q) ? w->unit / 2 : 0))
            continue;
        if (marking_is_sharp(q) || !speaks_for(k->other[i], *w, w->unit)) return false;
        beside++;
    }
    if (n && !telling) return false;
    return beside == 0 || (n > 1 && beside <= (n < LH_MOST_SLIPS ? 1 : n / LH_MOST_SLIPS));
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
    if (k->n_active == LH_MOST_ACTIVE) return false;
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

/* The first step in which the same mistake was named, or -1. */
static int named_before(const marker *k, int ask, const lh_mistake *m) {
    for (int i = 0; i < ask; i++)
        if (is_diagnosed(&k->m->step[i], m)) return i;
    return -1;
}

/* Which one was taken, in words. A choice inside a loss is a word, elsewhere a row. */
static const char *choice_words(marker *k, const lh_candidate *c) {
    const lh_graph *g = k->s->g;
    if (c->chosen < 0) return NULL;
    if (c->mistake->of && g->n_vocabs && c->chosen < g->vocab[0]->n_words)
        return g->vocab[0]->word[c->chosen];
    return lh_printf(k->a, "row %d", c->chosen);
}

static void add_diagnosis(marker *k, int ask, lh_diagnosis d) {
    lh_step_mark *mark = &k->m->step[ask];
    d.again = named_before(k, ask, d.mistake);
    mark->diagnosis[mark->n_diagnoses++] = d;
}

/* Every mistake in every step. */
static const lh_candidate *all_candidates(marker *k, int *n) {
    marking *all = k->all;
    if (!all->owner) {
        all->candidate = lh_candidates(k->s->g, k->mistakes, k->a, &all->n_candidates);
        all->owner = lh_owners(k->s->g, k->a);
    }
    *n = all->owner ? all->n_candidates : 0;
    return all->candidate;
}

/* Is it made in the step that is asked for? Of a line inside a call: in the step it stands in. */
static bool is_made_in(const marker *k, const lh_candidate *c, int ask) {
    const lh_step *s = k->s->ask[ask].step;
    return c->step == (lh_step_is_inner(s) ? k->all->owner[s->node->id] : s);
}

/* Every mistake that, made in one active program, explains the step; the first goes on as an active program of its own. */
static const lh_candidate *diagnose_on(marker *k, int ask, int unit, int base,
                                       const lh_candidate *c, int n) {
    lh_step_mark *mark = &k->m->step[ask];
    const lh_candidate *first = NULL;
    for (int i = 0; i < n && mark->n_diagnoses < LH_MAX_DIAGNOSES; i++) {
        if (!is_made_in(k, &c[i], ask) || c[i].mistake->is_same || is_diagnosed(mark, c[i].mistake))
            continue;
        int v = variant_with(k, base, &c[i]);
        if (v < 0) continue;
        if (marking_explains(k, v, ask, unit)) {
            add_diagnosis(k, ask,
                          (lh_diagnosis){.mistake = c[i].mistake,
                                         .where = c[i].line->path,
                                         .choice = c[i].chosen,
                                         .what = choice_words(k, &c[i])});
            if (!first) {
                first = &c[i];
                if (keep_active(k, v, base, first)) continue;
            }
        }
        lh_reach_drop(k->r, v);
    }
    return first;
}

/* Later steps, on the way back above all, may follow from all mistakes made so far together. */
static void keep_union(marker *k, int base, int newest, const lh_candidate *c) {
    if (newest == 0 || base == newest) return;
    int v = variant_with(k, newest, c);
    if (v >= 0 && !keep_active(k, v, newest, c)) lh_reach_drop(k->r, v);
}

bool marking_is_later(const lh_mistake *m) {
    return m->where && strcmp(m->where, "later") == 0;
}

static const lh_mistake *stale_mistake(const marker *k) {
    for (int i = 0; k->mistakes && i < k->mistakes->n; i++) {
        const lh_mistake *m = &k->mistakes->mistake[i];
        if (marking_is_later(m)) return m;
    }
    return NULL;
}

/* Old numbers after an update: one operand as it was before, or in the end all of them. */
static void diagnose_stale(marker *k, int ask, int unit) {
    lh_step_mark *mark = &k->m->step[ask];
    const lh_mistake *m = stale_mistake(k);
    for (int n = 0, last = 0; m && !last && !mark->n_diagnoses; n++) {
        const char *name;
        int v = n < LH_MOST_OPERANDS ? lh_reach_stale(k->r, unit, n, &name) : -1;
        if (v < 0) last = 1, v = lh_reach_stale(k->r, unit, -1, &name);
        if (v < 0) break;
        if (marking_explains(k, v, ask, unit))
            add_diagnosis(
                k, ask,
                (lh_diagnosis){
                    .mistake = m,
                    .where = k->s->ask[ask].step->path,
                    .choice = -1,
                    .what = name ? lh_printf(k->a, "%s as it was before the update", name) : NULL});
        lh_reach_drop(k->r, v);
    }
}

/* ---- a mistake in a step that nobody wrote down ---- */

static int unit_at(const marker *k, const lh_step *step, int unit) {
    for (int i = unit; i >= 0; i--)
        if (lh_reach_unit(k->r, i)->step == step) return i;
    return -1;
}

/* Open units that lead to this one. */
static void find_open(marker *k, int unit, bool *is) {
    for (int i = 0; i < unit; i++)
        if (!is[i] && lh_reach_unit(k->r, i)->is_open && lh_reach_reads(k->r, 0, unit, i))
            is[i] = true, find_open(k, i, is);
}

/* What the mistake changed reaches further: open steps behind it follow from this ask. */
static void taint_open(marker *k, int ask, int from, int to) {
    k->origin[from] = ask;
    for (int i = from + 1; i < to; i++)
        if (lh_reach_unit(k->r, i)->is_open && k->origin[i] < 0)
            k->origin[i] = marking_taint(k, 0, i);
}

static int count_written(const marker *k, int ask) {
    int n = 0;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++)
        n += marking_written(k, ask, i)->kind == LH_WRITTEN_NUMBER;
    return n;
}

/* Does a slip without a name reach it? Then any name for a step that nobody wrote down is a guess. */
static bool reads_riddle(marker *k, int unit) {
    int origin = marking_taint(k, 0, unit);
    return origin >= 0 && !k->m->step[origin].n_diagnoses && !k->m->step[origin].other_way;
}

/* Does the mistake explain the step, made in one that nobody wrote down? If it is the first, later steps may follow it. */
static bool diagnose_one(marker *k, int ask, int unit, int from, const lh_candidate *c) {
    const bool is_first = !k->m->step[ask].n_diagnoses;
    const int base = k->n_active - (is_first ? 1 : 2);
    int v = variant_with(k, base < 0 ? 0 : base, c);
    if (v < 0) return false;
    const int *before = lh_reach_reopen(k->r, v);
    bool is = before && marking_explains(k, v, ask, unit);
    if (is)
        add_diagnosis(k, ask,
                      (lh_diagnosis){.mistake = c->mistake,
                                     .where = c->line->path,
                                     .choice = c->chosen,
                                     .what = choice_words(k, c)});
    if (is && is_first && keep_active(k, v, base, c)) {
        taint_open(k, ask, from, unit);
        return true;
    }
    if (before) lh_reach_restore(k->r, before);
    lh_reach_drop(k->r, v);
    return is;
}

/* Several numbers must speak for it: of all mistakes in all steps before, some would explain any number alone. Others in the same
 * step may explain it as well. */
static void diagnose_before(marker *k, int ask, int unit) {
    int n;
    bool *is = lh_alloc_array(k->a, (size_t)unit + 1, sizeof *is);
    lh_step_mark *mark = &k->m->step[ask];
    const lh_step *where = NULL;
    if (!is || count_written(k, ask) < LH_PROVING_CELLS || reads_riddle(k, unit)) return;
    find_open(k, unit, is);
    const lh_candidate *c = all_candidates(k, &n);
    for (int i = 0; i < n && mark->n_diagnoses < LH_MAX_DIAGNOSES; i++) {
        int from = c[i].mistake->is_same ? -1 : unit_at(k, c[i].step, unit - 1);
        if (from < 0 || !is[from] || (where && c[i].step != where) ||
            is_diagnosed(mark, c[i].mistake))
            continue;
        if (diagnose_one(k, ask, unit, from, &c[i])) where = c[i].step;
    }
}

/* Nothing, or for an update what was there before: any rule that makes something small explains such numbers. */
static bool tells(const marker *k, int ask) {
    const lh_ask *q = &k->s->ask[ask];
    const lh_step *of = q->step->kind == LH_STEP_UPDATE ? q->step->of : NULL;
    const lh_plan *before = k->s->at[q->moment];
    for (int i = 0; i < q->n_cells; i++) {
        const lh_written *w = marking_written(k, ask, i);
        double old =
            of && of->node ? lh_exact.get(before, of->node, lh_sheet_cell(k->s, ask, i)) : 0;
        if (w->kind == LH_WRITTEN_NUMBER && fabs(w->value - old) > w->unit / 2) return true;
    }
    return false;
}

/* Alone first; a line that nobody asked for may need an earlier mistake besides. */
void marking_diagnose(marker *k, int ask, int unit) {
    int n, n_active = k->n_active;
    if (!k->mistakes || !tells(k, ask)) return;
    const lh_candidate *c = all_candidates(k, &n);
    for (int base = 0; base < n_active && !k->m->step[ask].n_diagnoses; base++) {
        const lh_candidate *first = diagnose_on(k, ask, unit, base, c, n);
        if (first) keep_union(k, base, n_active - 1, first);
    }
    if (k->s->ask[ask].moment && !k->m->step[ask].n_diagnoses && !reads_riddle(k, unit))
        diagnose_stale(k, ask, unit);
    if (!k->m->step[ask].n_diagnoses) diagnose_before(k, ask, unit);
}

/* ---- the same by another way ---- */

/* Do the numbers lie where the other way leads, or only somewhere within its reach? */
static bool is_near(const marker *k, int ask) {
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_written *w = marking_written(k, ask, i);
        if (w->kind == LH_WRITTEN_NUMBER && isfinite(w->value) &&
            fabs(w->value - k->other[i].at) >
                LH_OTHER_UNITS * fmax(w->unit, marking_last_digit(w->value, k->s->digits)))
            return false;
    }
    return true;
}

/* Steps that nobody wrote down went the other way, too. */
bool marking_other_way(marker *k, int ask, int unit, bool is_own) {
    int n;
    if (!k->mistakes) return false;
    const lh_candidate *c = all_candidates(k, &n);
    for (int i = 0; i < n; i++) {
        if (is_own && !is_made_in(k, &c[i], ask)) continue;
        if (!c[i].mistake->is_same) continue;
        int v = variant_with(k, 0, &c[i]);
        if (v < 0) continue;
        const int *before = lh_reach_reopen(k->r, v);
        bool is = before && marking_explains(k, v, ask, unit) && is_near(k, ask);
        if (before) lh_reach_restore(k->r, before);
        lh_reach_drop(k->r, v);
        if (!is) continue;
        k->m->step[ask].other_way = c[i].mistake;
        return true;
    }
    return false;
}

/* ---- not recomputed ---- */

static int ask_before(const marker *k, int ask) {
    const lh_ask *q = &k->s->ask[ask];
    for (int m = q->moment - 1; m >= 0; m--) {
        int before = marking_ask(k->s, q->step, m);
        if (before >= 0) return before;
    }
    return -1;
}

int marking_made_before(const marker *k, int ask, int variant) {
    int before = variant > 0 && variant != k->anew ? ask_before(k, ask) : -1;
    const lh_step_mark *mark = before >= 0 ? &k->m->step[before] : NULL;
    return mark && mark->n_diagnoses && !marking_is_later(mark->diagnosis[0].mistake) ? before : -1;
}

/* The same numbers stand there as before the update, and some are too far from right to be so by chance. own: where they rest, of
 * somebody who went another way or makes a mistake again, or NULL. */
static bool is_copied(const marker *k, int ask, int before, const lh_reach_box *own) {
    double most = 0;
    for (int i = 0; i < k->s->ask[ask].n_cells; i++) {
        const lh_written *w = marking_written(k, ask, i), *old = marking_written(k, before, i);
        if (w->kind == LH_WRITTEN_BLANK) continue;
        if (w->kind != LH_WRITTEN_NUMBER || old->kind != LH_WRITTEN_NUMBER ||
            w->value != old->value)
            return false;
        double off = fabs(lh_sheet_exact(k->s, ask, i) - w->value);
        if (own) off = fmin(off, fabs(own[i].at - w->value));
        if (isfinite(off)) most = fmax(most, off);
    }
    return most >= LH_STALE_UNITS * marking_unit(&k->s->ask[ask]);
}

/* After an update a sheet asks for more digits, where fewer would not show what it did. Who writes the old numbers there once more, in
 * no more digits than before, may have worked them out again or not: they do not tell. */
void marking_doubt_old(const marker *k, int ask, lh_verdict *v) {
    const lh_ask *q = &k->s->ask[ask];
    int before = q->moment ? ask_before(k, ask) : -1;
    if (before < 0 || q->decimals <= k->s->ask[before].decimals) return;
    for (int i = 0; i < q->n_cells; i++) {
        const lh_written *w = marking_written(k, ask, i), *old = marking_written(k, before, i);
        if (w->kind == LH_WRITTEN_BLANK) continue;
        if (w->kind != LH_WRITTEN_NUMBER || old->kind != LH_WRITTEN_NUMBER ||
            w->value != old->value || w->unit != old->unit)
            return;
    }
    for (int i = 0; i < q->n_cells; i++)
        if (v[i] == LH_FEW_DIGITS) v[i] = LH_COARSE;
}

/* Somebody may come to these numbers in one of the usual ways. Within reach is not enough here: some rounding excuses nearly
 * every number that a small step leaves as it was. variant: the program that speaks best for them, and own where it leads. */
bool marking_is_stale(marker *k, int ask, int unit, int variant, const lh_reach_box *own) {
    static const lh_carry ways[] = {{.rounds = false},
                                    {.rounds = true},
                                    {.rounds = true, .inside = true},
                                    {.rounds = true, .cuts = true},
                                    {.rounds = true, .inside = true, .cuts = true},
                                    {.rounds = true, .shortens = true},
                                    {.rounds = true, .shortens = true, .cuts = true},
                                    {.rounds = true, .shortens = true, .fewer = 1},
                                    {.rounds = true, .shortens = true, .fewer = 1, .cuts = true}};
    const lh_mistake *m = stale_mistake(k);
    int before = k->s->ask[ask].moment && m ? ask_before(k, ask) : -1;
    if (before < 0) return false;
    int origin = marking_taint(k, 0, unit);
    bool went_other_way = origin >= 0 && k->m->step[origin].other_way,
         is_again = marking_made_before(k, ask, variant) >= 0;
    if (!is_copied(k, ask, before, went_other_way || is_again ? own : NULL)) return false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (marking_comes_to(k, ask, unit, ways[i])) return false;
    add_diagnosis(k, ask,
                  (lh_diagnosis){.mistake = m,
                                 .where = k->s->ask[ask].step->path,
                                 .choice = -1,
                                 .what = "as before the update"});
    return true;
}
