/* Deviations moved together: where the sum of what each does alone is not the whole truth.
 *
 * A formula may be bent (a norm of two numbers that are nearly equal is 1 or -1, however many roundings could turn it round),
 * it may jump (the gradient of ReLU is there or it is not), and a number was rounded or it was not: there is nothing in
 * between. So everything is worked out anew with all deviations at the ends that pull a cell furthest, and where a number
 * was written that lies between, it is looked for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/reach_internal.h"

/* ---- all deviations together ---- */

typedef struct chain {
    lh_reach *r;
    reach_link *link; /* open units that lead to the last one, in order, and it */
    int n;
    const double *right;
    const lh_written *written; /* what stands on the sheet, or NULL */
    double *place;             /* for each deviation: where it is tried */
} chain;

/* Rounding leads no further than its box: a square is not rounded below 0. */
static double rounded(double x, double by, lh_reach_box b) {
    return by < 0 ? fmax(x + by, fmin(x, b.low)) : fmin(x + by, fmax(x, b.high));
}

/* Works everything out anew. False: it leads nowhere. */
static bool run_chain(const chain *c) {
    if (!lh_reach_may(c->r)) return false;
    for (int i = 0; i < c->n; i++) {
        const work *w = c->link[i].work;
        for (int k = 0; k < w->n_lines; k++) {
            const line *l = &w->line[k];
            reach_put(c->r, w, l, c->place);
            bool is_last = i == c->n - 1 && k == w->n_lines - 1;
            if (!reach_take(c->r, l, is_last ? c->right : NULL, l->now)) return false;
            for (int j = 0; j < l->n_cells; j++)
                if (l->rounding[j] >= 0)
                    l->now[j] = rounded(l->now[j], c->place[l->rounding[j]], l->box[j]);
        }
    }
    return true;
}

/* The end of a deviation that pulls a cell furthest in a direction: how far it pulls. */
static double pull(const effect *e, const deviation *f, int way, double *end) {
    double down = way * e->down, up = way * e->up, most = up >= down ? up : down;
    *end = most <= 0 ? 0 : up >= down ? f[e->deviation].high : f[e->deviation].low;
    return most > 0 ? most : 0;
}

/* Where two numbers are the greatest together, lowering one alone lowers nothing: what only lifts a cell at one end is
 * moved to the other end on the way down. */
static void place_cell(const chain *c, const effects *all, int way) {
    for (int k = 0; k < all->n; k++) {
        const effect *e = &all->effect[k];
        const deviation *f = &c->r->deviation[e->deviation];
        double end;
        if (pull(e, c->r->deviation, way, &end) > 0)
            c->place[e->deviation] = end;
        else if (pull(e, c->r->deviation, -way, &end) > 0)
            c->place[e->deviation] = end == f->low ? f->high : f->low;
    }
}

static void rest(const chain *c, const lh_sensitivity *w) {
    for (int k = 0; k < w->n; k++) c->place[w->deviation[k]] = 0;
}

typedef struct turned {
    int deviation;
    double pull;
} turned;

static int by_pull(const void *a, const void *b) {
    const turned *x = a, *y = b;
    return x->pull != y->pull ? (x->pull < y->pull ? 1 : -1) : x->deviation - y->deviation;
}

/* From the corner on, deviation by deviation, the strongest first: is there an end, or its rest, that leads further? */
static double climb(const chain *c, lh_arena *a, const line *l, int i, int way, double best) {
    const effects *all = &l->sensitivity.of_cell[i];
    turned *t = lh_alloc_array(a, (size_t)all->n + 1, sizeof *t);
    if (!t) return best;
    for (int k = 0; k < all->n; k++) {
        const effect *e = &all->effect[k];
        double end;
        t[k] = (turned){e->deviation,
                        pull(e, c->r->deviation, 1, &end) + pull(e, c->r->deviation, -1, &end)};
    }
    qsort(t, (size_t)all->n, sizeof *t, by_pull);
    bool is_better = true;
    for (int round = 0; round < 2 && is_better; round++) {
        is_better = false;
        for (int k = 0; k < all->n && k < LH_MOST_TURNED && t[k].pull > 0; k++) {
            const deviation *f = &c->r->deviation[t[k].deviation];
            double *place = &c->place[t[k].deviation], before = *place,
                   ends[] = {f->low, 0, f->high};
            for (int e = 0; e < 3; e++) {
                if (ends[e] == before) continue;
                double kept = *place;
                *place = ends[e];
                if (run_chain(c) && way * (l->now[i] - best) > 0)
                    best = l->now[i], is_better = true;
                else
                    *place = kept;
            }
        }
    }
    return best;
}

/* Whether none of a cell's deviations moves another cell of the group. Takes it in, if so. */
static bool joins(const effects *all, int *moved, int group) {
    for (int k = 0; k < all->n; k++)
        if (moved[all->effect[k].deviation] == group) return false;
    for (int k = 0; k < all->n; k++) moved[all->effect[k].deviation] = group;
    return true;
}

/* A number that is the rounding of where the cell rests is as it should be, however far the cell may go. And what is infinite
 * goes nowhere. */
static bool is_decided(const chain *c, const line *l, int i) {
    if (!isfinite(l->rest[i])) return true;
    if (!c->written) return false;
    const lh_written *w = &c->written[i];
    return w->kind != LH_WRITTEN_NUMBER || fabs(w->value - l->rest[i]) <= w->unit / 2;
}

/* Cells that have no deviation in common are tried together: rows of a product, say. Groups count from 1; 0: not tried. */
static int group_cells(const chain *c, lh_arena *a, const line *l, int *group) {
    int *moved = lh_alloc_array(a, (size_t)c->r->n_deviations + 1, sizeof *moved), n = 0, left = 0;
    for (int i = 0; i < l->n_cells; i++)
        if (!is_decided(c, l, i)) group[i] = -1, left++;
    while (moved && left > 0) {
        n++;
        for (int i = 0; i < l->n_cells; i++)
            if (group[i] < 0 && joins(&l->sensitivity.of_cell[i], moved, n)) group[i] = n, left--;
    }
    return n;
}

/* How far a cell goes in one direction: it was seen to go so far, and the sum says more. Where the number written lies in
 * between, and nowhere else does it matter, it is looked for. */
static double settled(const chain *c, lh_arena *a, const line *l, int i, int way, double seen) {
    double sum = way > 0 ? l->box[i].high : l->box[i].low;
    if (way * (sum - seen) <= 0 || !c->written) return seen;
    const lh_written *w = &c->written[i];
    if (w->kind != LH_WRITTEN_NUMBER || way * (w->value - seen) < w->unit / 2 ||
        way * (w->value - sum) > LH_BESIDE_UNITS * w->unit)
        return sum;
    rest(c, &l->sensitivity);
    place_cell(c, &l->sensitivity.of_cell[i], way);
    return climb(c, a, l, i, way, seen);
}

/* Does one deviation alone lead past x, and all others together neither to it nor back to it? */
static bool is_leap(const chain *c, const line *l, int i, int way, double x) {
    const effects *all = &l->sensitivity.of_cell[i];
    double most = 0, sum = 0, back = 0, end;
    for (int k = 0; k < all->n; k++) {
        double p = pull(&all->effect[k], c->r->deviation, way, &end);
        if (p > most) most = p;
        sum += p;
        back += pull(&all->effect[k], c->r->deviation, -way, &end);
    }
    double far = way * (x - l->rest[i]);
    return far > sum - most && far < most - back;
}

/* How far a cell may turn back from a corner: behind a jump deviations count that did nothing before it. */
static double way_back(const chain *c, const line *l, int i, int way) {
    const lh_sensitivity *w = &l->sensitivity;
    double from = l->now[i], sum = 0;
    for (int k = 0; k < w->n; k++) {
        const deviation *f = &c->r->deviation[w->deviation[k]];
        double *place = &c->place[w->deviation[k]], kept = *place, ends[] = {f->low, 0, f->high},
               most = 0;
        for (int e = 0; e < 3; e++) {
            *place = ends[e];
            if (ends[e] != kept && run_chain(c)) most = fmax(most, way * (from - l->now[i]));
        }
        *place = kept;
        sum += most < way * (from - l->rest[i]) / 2 ? most : 0; /* and not the jump itself */
    }
    return sum;
}

/* A wide box may have a hole: the gradient of ReLU is there or it is not. On the way from rest to the corner the number
 * written is looked for, and where the cell jumps over it, the box ends. */
static double without_hole(const chain *c, lh_arena *a, const line *l, int i, int way, double end) {
    const lh_written *w = c->written ? &c->written[i] : NULL;
    double from = l->rest[i], done = 0, left = 1;
    if (!w || w->kind != LH_WRITTEN_NUMBER || way * (end - from) < LH_REACH_WIDE * w->unit ||
        !is_leap(c, l, i, way, w->value - way * LH_BESIDE_UNITS * w->unit) ||
        !is_leap(c, l, i, way, w->value + way * LH_BESIDE_UNITS * w->unit))
        return end;
    rest(c, &l->sensitivity);
    place_cell(c, &l->sensitivity.of_cell[i], way);
    double *corner = lh_alloc_array(a, (size_t)c->r->n_deviations + 1, sizeof *corner);
    if (!corner || !run_chain(c)) return end;
    double past = way * (l->now[i] - w->value);
    if (past < 0 || past <= way_back(c, l, i, way) + w->unit) return end;
    memcpy(corner, c->place, (size_t)c->r->n_deviations * sizeof *corner);
    for (int k = 0; k < LH_HALVINGS; k++) {
        left /= 2;
        for (int f = 0; f < c->r->n_deviations; f++) c->place[f] = (done + left) * corner[f];
        if (!run_chain(c) || fabs(l->now[i] - w->value) <= w->unit / 2) return end;
        if (way * (l->now[i] - w->value) < 0) done += left, from = l->now[i];
    }
    return from;
}

/* ---- few numbers, or many? ---- */

typedef struct span {
    double low, high;
} span;

typedef struct spans {
    int n, most;
    span *span;
    bool is_full;
} spans;

static void add_span(spans *s, double low, double high) {
    if (s->n < s->most)
        s->span[s->n++] = (span){low, high};
    else
        s->is_full = true;
}

static int by_low(const void *a, const void *b) {
    const span *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* In order, and those that are not further apart than so much as one. */
static void join_spans(spans *s, double apart) {
    int kept = 0;
    qsort(s->span, (size_t)s->n, sizeof *s->span, by_low);
    for (int i = 0; i < s->n; i++)
        if (kept && s->span[i].low <= s->span[kept - 1].high + apart)
            s->span[kept - 1].high = fmax(s->span[kept - 1].high, s->span[i].high);
        else
            s->span[kept++] = s->span[i];
    s->n = kept;
}

/* A number between two others, rounded to whole units: to each of those from `down` to `up`. */
static void add_rounded(spans *s, const deviation *f, double unit, double down, double up) {
    const bool is_moved = isnan(f->at);
    const double most = is_moved ? f->to : f->at, least = is_moved ? f->from : f->at;
    if (!(up - down <= 2)) {
        add_span(s, unit * down - most, unit * up - least);
        return;
    }
    for (int k = 0; k <= (int)(up - down); k++)
        add_span(s, unit * (down + k) - most, unit * (down + k) - least);
}

/* Where a deviation may lie: where it rests, unrounded, rounded to the digits that were asked or to some more. */
static void find_parts(const deviation *f, bool is_cut, spans *s) {
    s->n = 0, s->is_full = false;
    add_span(s, 0, 0);
    if (!isnan(f->at)) add_span(s, f->from - f->at, f->to - f->at);
    for (int k = 0; k < LH_MORE_DIGITS; k++) {
        const double unit = pow(10, -f->decimals - k), low = f->from / unit, high = f->to / unit,
                     side = high - low > 2 * LH_DUST ? LH_DUST : -LH_DUST;
        add_rounded(s, f, unit, ceil(low - LH_HALF), floor(high + LH_HALF));
        if (is_cut) add_rounded(s, f, unit, floor(low - side), floor(high + LH_DUST));
        if (is_cut) add_rounded(s, f, unit, ceil(low - LH_DUST), ceil(high + side));
    }
    for (int i = 0; i < s->n; i++) { /* what lies outside is 0, to within the dust */
        s->span[i].low = fmin(fmax(s->span[i].low, f->low), f->high);
        s->span[i].high = fmin(fmax(s->span[i].high, f->low), f->high);
    }
    join_spans(s, LH_DUST * pow(10, -f->decimals));
}

/* What a deviation does alone: so much at a place between its ends. */
static double effect_at(const effect *e, const deviation *f, double place) {
    return place < 0 ? e->down * place / f->low : place > 0 ? e->up * place / f->high : 0;
}

/* The largest of what lies between two of its parts. */
static double gap_of(const effect *e, const deviation *f, const spans *part) {
    double most = 0;
    for (int p = 1; p < part->n; p++)
        most = fmax(most, fabs(effect_at(e, f, part->span[p].low) -
                               effect_at(e, f, part->span[p - 1].high)));
    return most;
}

/* By how much what it does half way to its ends is not half of what it does there. */
static double bent_by(const chain *c, const line *l, int i, const effect *e) {
    const deviation *f = &c->r->deviation[e->deviation];
    const double ends[] = {f->low, f->low / 2, f->high / 2, f->high};
    double most = 0;
    for (int k = 0; k < 4; k++) {
        rest(c, &l->sensitivity);
        c->place[e->deviation] = ends[k];
        if (ends[k] == 0) continue;
        if (!run_chain(c)) return INFINITY;
        most = fmax(most, fabs(l->now[i] - l->rest[i] - effect_at(e, f, ends[k])));
    }
    return most;
}

/* Few roundings that matter much leave few numbers to come to: two numbers that were rounded or not have four differences. All
 * sums of what each does in each of its parts are listed; where there are too many, nearly every number is one of them.
 * `bent`: by how much the furthest corner differs from the sum. */
static double without_gap(const chain *c, lh_arena *a, const line *l, int i, int way, double end,
                          double bent) {
    const lh_written *w = c->written ? &c->written[i] : NULL;
    const effects *all = &l->sensitivity.of_cell[i];
    double away, before = l->rest[i];
    if (!w || w->kind != LH_WRITTEN_NUMBER || way * (w->value - before) < LH_GAP_UNITS * w->unit ||
        way * (w->value - end) > LH_BESIDE_UNITS * w->unit)
        return end;
    span room[LH_MOST_PARTS];
    spans part = {.most = LH_MOST_PARTS, .span = room}, sum = {.n = 1, .most = LH_MOST_SUMS};
    sum.span = lh_alloc_array(a, LH_MOST_SUMS, sizeof *sum.span);
    if (!sum.span) return end;
    sum.span[0] = (span){before, before};
    for (int k = 0; k < all->n; k++) {
        const effect *e = &all->effect[k];
        const deviation *f = &c->r->deviation[e->deviation];
        const double most = pull(e, c->r->deviation, 1, &away),
                     least = -pull(e, c->r->deviation, -1, &away);
        if (most - least <= w->unit || !f->was_rounded ||
            (find_parts(f, c->r->habit.cuts, &part), part.is_full) ||
            gap_of(e, f, &part) <= w->unit) {
            for (int j = 0; j < sum.n; j++) sum.span[j].low += least, sum.span[j].high += most;
            continue;
        }
        bent += bent_by(c, l, i, e);
        const int had = sum.n;
        for (int p = 0; p < part.n; p++) {
            const double x = effect_at(e, f, part.span[p].low),
                         y = effect_at(e, f, part.span[p].high);
            for (int j = 0; j < had; j++)
                add_span(&sum, sum.span[j].low + fmin(x, y), sum.span[j].high + fmax(x, y));
        }
        if (sum.is_full) return end;
        memmove(sum.span, sum.span + had, (size_t)(sum.n - had) * sizeof *sum.span);
        sum.n -= had;
        join_spans(&sum, w->unit / LH_JOINED_PARTS);
    }
    const double slack = LH_BESIDE_UNITS * w->unit + 2 * bent;
    for (int j = 0; j < sum.n; j++) {
        const span *x = &sum.span[j];
        const double last = way > 0 ? x->high : x->low;
        if (x->low - slack <= w->value && w->value <= x->high + slack) return end;
        if (way * (w->value - last) > 0 && way * (last - before) > 0) before = last;
    }
    return before;
}

/* With one deviation beyond a jump, each other to the end that pulls furthest there: how far it goes. */
static double corner_behind(const chain *c, lh_arena *a, const line *l, int i, int way, int jump) {
    const lh_sensitivity *w = &l->sensitivity;
    double *chosen = lh_alloc_array(a, (size_t)w->n + 1, sizeof *chosen), from = l->now[i];
    for (int k = 0; chosen && k < w->n; k++) {
        const deviation *f = &c->r->deviation[w->deviation[k]];
        const double ends[] = {f->low, f->high};
        double *place = &c->place[w->deviation[k]], most = 0;
        if (w->deviation[k] == jump) continue;
        for (int e = 0; e < 2; e++) {
            *place = ends[e];
            if (ends[e] != 0 && run_chain(c) && way * (l->now[i] - from) > most)
                most = way * (l->now[i] - from), chosen[k] = ends[e];
        }
        *place = 0;
    }
    for (int k = 0; chosen && k < w->n; k++)
        if (w->deviation[k] != jump) c->place[w->deviation[k]] = chosen[k];
    return chosen && run_chain(c) ? l->now[i] : from;
}

/* The number written lies beyond the end. But behind a jump that leads the other way, or not so far, deviations count that did
 * nothing before it: perhaps they lead there. */
static double behind_jumps(const chain *c, lh_arena *a, const line *l, int i, int way, double end) {
    const lh_written *w = c->written ? &c->written[i] : NULL;
    const effects *all = &l->sensitivity.of_cell[i];
    if (!w || w->kind != LH_WRITTEN_NUMBER || way * (w->value - end) < LH_BEYOND_UNITS * w->unit)
        return end;
    for (int k = 0, tried = 0; k < all->n && tried < LH_MOST_JUMPS; k++) {
        const effect *e = &all->effect[k];
        const deviation *f = &c->r->deviation[e->deviation];
        const double ends[] = {f->low, f->high};
        double away,
            most = fmax(pull(e, c->r->deviation, 1, &away), pull(e, c->r->deviation, -1, &away));
        if (most < LH_REACH_WIDE * w->unit || bent_by(c, l, i, e) < most / LH_JUMP_SHARE) continue;
        tried++;
        for (int side = 0; side < 2; side++) {
            rest(c, &l->sensitivity);
            c->place[e->deviation] = ends[side];
            if (ends[side] == 0 || !run_chain(c) ||
                fabs(l->now[i] - l->rest[i]) < LH_REACH_WIDE * w->unit ||
                way * (l->now[i] - w->value) > 0)
                continue;
            const double corner = corner_behind(c, a, l, i, way, e->deviation);
            if (way * (corner - w->value) > -LH_BEYOND_UNITS * w->unit) return corner;
        }
    }
    return end;
}

static void try_corners(const chain *c, lh_arena *a, const line *l, lh_reach_box *out) {
    size_t n = (size_t)l->n_cells;
    int *group = lh_alloc_array(a, n + 1, sizeof *group);
    double *seen = lh_alloc_array(a, n + 1, sizeof *seen);
    if (!group || !seen) return;
    int n_groups = group_cells(c, a, l, group);
    for (int way = -1; way <= 1; way += 2) {
        for (int g = 1; g <= n_groups; g++) {
            rest(c, &l->sensitivity);
            for (int i = 0; i < l->n_cells; i++)
                if (group[i] == g) place_cell(c, &l->sensitivity.of_cell[i], way);
            bool ok = run_chain(c);
            for (int i = 0; i < l->n_cells;
                 i++) /* one that leads nowhere says nothing: the sum stays */
                if (group[i] == g) seen[i] = ok ? l->now[i] : way > 0 ? out[i].high : out[i].low;
        }
        for (int i = 0; i < l->n_cells; i++) {
            double *end = way > 0 ? &out[i].high : &out[i].low;
            if (group[i] <= 0) continue;
            const double sum = *end, far = settled(c, a, l, i, way, seen[i]),
                         bent = fmax(fabs(seen[i] - sum), fabs(far - sum));
            *end = without_hole(c, a, l, i, way, far);
            if (bent <= fabs(sum - l->rest[i]) / LH_BENT_SHARE)
                *end = without_gap(c, a, l, i, way, *end, bent);
            *end = behind_jumps(c, a, l, i, way, *end);
        }
    }
}

void reach_corners(lh_reach *r, lh_arena *a, work *w, const double *right,
                   const lh_written *written, lh_reach_box *out) {
    chain c = {.r = r, .right = right, .written = written};
    c.place = lh_alloc_array(a, (size_t)r->n_deviations + 1, sizeof *c.place);
    c.link = reach_chain(r, a, w, &c.n);
    if (!c.link || !c.place) return;
    try_corners(&c, a, &w->line[w->n_lines - 1], out);
}
