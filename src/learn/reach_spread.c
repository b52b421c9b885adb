/* How far a unit may lie from where it rests.
 *
 * A deviation is one number that may lie elsewhere: a cell that was written down may be anything that rounds to it, a line on
 * the way may have been rounded. What each does alone is followed from line to line, and added up, up and down apart. That
 * is enough where formulas are nearly straight over such small ways; reach_corner.c looks after the rest. Boxes that are
 * passed from line to line instead forget that two lines read the same number, as intervals do, and accept what nobody can
 * come to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/reach_internal.h"

/* ---- boxes ---- */

/* 0.1 * 0.3 - 0.03 is not quite 0 in every order of adding up, and ReLU asks on which side of 0 it lies. */
lh_reach_box lh_box_dusty(lh_reach_box b, double unit) {
    double dust = LH_DUST * unit;
    if (fabs(b.at) > dust) return b;
    b.low = fmin(b.low, -dust), b.high = fmax(b.high, dust);
    return b;
}

/* A number that may have been rounded on the way, to the digits asked for or to some more: rounding keeps the order, so the
 * ends of the box say it all. A tie goes either way. */
lh_reach_box lh_box_rounded(lh_reach_box b, int decimals, bool is_cut) {
    b = lh_box_dusty(b, pow(10, -decimals));
    for (int k = decimals; k < decimals + LH_MORE_DIGITS && isfinite(b.at); k++) {
        double unit = pow(10, -k), low = ceil(b.low / unit - LH_HALF) * unit,
               high = floor(b.high / unit + LH_HALF) * unit;
        if (is_cut) low = fmin(low, floor(b.low / unit + LH_DUST) * unit);
        if (is_cut) high = fmax(high, ceil(b.high / unit - LH_DUST) * unit);
        b.low = fmin(b.low, low);
        b.high = fmax(b.high, high);
    }
    return b;
}

/* By how much it may have been rounded, wherever in its box it was: a tie in it goes both ways. */
static lh_reach_box rounding_of(lh_reach_box b, int decimals, bool is_cut) {
    lh_reach_box d = {0};
    for (int k = decimals; k < decimals + LH_MORE_DIGITS && isfinite(b.at); k++) {
        double unit = pow(10, -k), low = b.low / unit, high = b.high / unit;
        bool is_tie = floor(high + LH_HALF) > ceil(low - LH_HALF);
        d.low = fmin(d.low, unit * (is_tie ? -0.5 : floor(high + LH_HALF) - high));
        d.high = fmax(d.high, unit * (is_tie ? 0.5 : ceil(low - LH_HALF) - low));
        /* just beside a whole number much is cut off */
        double side = high - low > 2 * LH_DUST ? LH_DUST : -LH_DUST;
        bool is_whole = side > 0 && floor(high - side) > floor(low + side);
        if (is_cut) d.low = fmin(d.low, unit * (is_whole ? -1 : floor(high - side) - high));
        if (is_cut) d.high = fmax(d.high, unit * (is_whole ? 1 : ceil(low + side) - low));
    }
    return d;
}

lh_reach_box lh_box_either(double x, int decimals) {
    lh_reach_box b = lh_box_rounded(lh_box_at(x), decimals, false);
    b.was_rounded = isfinite(x);
    b.decimals = decimals;
    b.from = b.to = x;
    return b;
}

/* ---- a new sheet ---- */

void lh_reach_begin(lh_reach *r) {
    lh_arena_back(r->sheet, (lh_arena_mark){0});
    r->deviation = NULL;
    r->n_deviations = 0;
    for (int i = 0; i < r->n_units; i++) lh_reach_known(r, i);
}

void lh_reach_known(lh_reach *r, int i) {
    r->unit[i].is_open = r->unit[i].is_spread = r->unit[i].is_free = false;
}

/* Its number, or -1 where it leaves no room. */
static int add_deviation(lh_reach *r, deviation f) {
    if (!(f.low < 0 || f.high > 0)) return -1;
    *lh_push(r->sheet, r->deviation, r->n_deviations) = f;
    return r->n_deviations - 1;
}

static deviation deviation_of(lh_reach_box b) {
    return (deviation){.low = fmin(b.low - b.at, 0),
                       .high = fmax(b.high - b.at, 0),
                       .was_rounded = b.was_rounded,
                       .decimals = b.decimals,
                       .from = b.from,
                       .to = b.to,
                       .at = b.at};
}

static void free_cells(lh_reach *r, lh_unit *u) {
    if (u->is_free) return;
    for (int k = 0; k < u->n_cells; k++)
        u->deviation[k] = add_deviation(r, deviation_of(u->box[k]));
    u->is_free = true;
}

/* ---- a line, from the numbers of others ---- */

static const line *last_line(lh_reach *r, const lh_unit *u) {
    const work *w = reach_work(r, u->variant, (int)(u - r->unit));
    return &w->line[w->n_lines - 1];
}

/* The line that a source is the result of, or NULL: a number that was written down, or its start. */
static const line *line_of(lh_reach *r, const work *w, const source *from) {
    if (from->unit < 0) return from->line >= 0 ? &w->line[from->line] : NULL;
    return lh_reach_settle(r, from->unit) ? last_line(r, &r->unit[from->unit]) : NULL;
}

/* Every operand to where it is while deviations have these places; NULL: at rest. Whatever must be worked out for them comes
 * first: it may need the same plan. */
void reach_put(lh_reach *r, const work *w, const line *l, const double *place) {
    for (int k = 0; k < l->n_from; k++) line_of(r, w, &l->from[k]);
    for (int k = 0; k < l->n_from; k++) {
        const source *from = &l->from[k];
        const line *made = line_of(r, w, from);
        const lh_unit *u = from->unit >= 0 ? &r->unit[from->unit] : NULL;
        for (int c = 0; c < from->n_cells && (u || made); c++) {
            double x = !made ? u->box[c].at : place ? made->now[c] : made->rest[c];
            if (!made && place && u->deviation[c] >= 0) x += place[u->deviation[c]];
            lh_exact.set(l->plan, from->node, from->at[c], x);
        }
    }
}

/* On the way from its rest nothing becomes infinite that should not be: a hidden score. What is no number is left out: a root of a negative number says
 * nothing about its neighbours. False: nothing is left, or something is none that is one at rest. */
bool reach_take(lh_reach *r, const line *l, const double *right, double *to) {
    bool any = false, is_rest = to == l->rest, is_same = true;
    reach_run(r, l);
    for (int i = 0; i < l->n_cells; i++) {
        to[i] = lh_exact.get(l->plan, l->node, l->at[i]);
        if (isinf(to[i]) && right && to[i] != right[i] && !is_rest) to[i] = NAN;
        any |= !isnan(to[i]);
        is_same &= is_rest || !isnan(to[i]) || !isfinite(l->rest[i]);
    }
    return any && is_same;
}

/* ---- what each deviation does alone ---- */

/* An operand's cell on its way through a line. */
typedef struct cell {
    const lh_node *node;
    lh_cell at;
    double rest, low, high; /* where it rests and where it may lie */
    int deviation;          /* of one that was written down, or -1 */
    const effects *from;    /* of another: what deviations do to it */
} cell;

typedef struct spreading {
    lh_reach *r;
    lh_arena *a; /* for what the line is to keep */
    line *l;
    const double *right; /* of a unit */
    cell *cell;
    int n_cells;
    double *slope; /* for each such cell: of the line's cells on its way down, then up */
    int *column;   /* for each deviation: its place among those of the line, plus 1 */
    effect *sum;   /* for each of those: what it does to one cell of the line */
    effect *found; /* room for those that do something */
} spreading;

static void add_column(spreading *s, int f) {
    lh_sensitivity *w = &s->l->sensitivity;
    if (s->column[f]) return;
    *lh_push(s->a, w->deviation, w->n) = f;
    s->column[f] = w->n;
}

static void add_cell(spreading *s, cell c) {
    if (!(c.high > c.low) || (!c.from && c.deviation < 0)) return; /* 1e308 leaves no room */
    *lh_push(s->r->scratch, s->cell, s->n_cells) = c;
    if (c.deviation >= 0) add_column(s, c.deviation);
    for (int k = 0; c.from && k < c.from->n; k++) add_column(s, c.from->effect[k].deviation);
}

static void list_cells(spreading *s, const work *w) {
    for (int k = 0; k < s->l->n_from; k++) {
        const source *from = &s->l->from[k];
        const line *made = line_of(s->r, w, from);
        const bool is_free = !made && from->unit >= 0;
        if (is_free) free_cells(s->r, &s->r->unit[from->unit]);
        for (int c = 0; c < from->n_cells; c++) {
            cell x = {.node = from->node, .at = from->at[c], .deviation = -1};
            if (!made && !is_free) continue;
            const lh_reach_box *b = made ? &made->box[c] : &s->r->unit[from->unit].box[c];
            x.rest = b->at, x.low = b->low, x.high = b->high;
            if (made)
                x.from = &made->sensitivity.of_cell[c];
            else
                x.deviation = s->r->unit[from->unit].deviation[c];
            add_cell(s, x);
        }
    }
}

/* To an end of its box, or as far as it leads somewhere: the root of a negative number is nowhere. */
static bool try_end(const spreading *s, const cell *c, double way) {
    for (int k = 0; k < 8 && way != 0; k++, way /= 2) {
        lh_exact.set(s->l->plan, c->node, c->at, c->rest + way);
        if (reach_take(s->r, s->l, s->right, s->l->now)) return true;
    }
    return false;
}

static void find_slopes(const spreading *s, const cell *c, double *slope) {
    const line *l = s->l;
    for (int side = 0; side < 2; side++, slope += l->n_cells) {
        double way = (side ? c->high : c->low) - c->rest;
        bool leads = try_end(s, c, way); /* over the whole way, however far of it led somewhere */
        for (int i = 0; i < l->n_cells; i++)
            slope[i] = leads && isfinite(l->rest[i]) && isfinite(l->now[i])
                           ? (l->now[i] - l->rest[i]) / way
                           : 0;
    }
    lh_exact.set(l->plan, c->node, c->at, c->rest);
}

/* What a deviation does to the operand moves a cell of the line by its slope on that side: of `by` one part is 0. Most of
 * marking's time is spent here, so there is no branch in it. */
static double moved(double by, double slope_down, double slope_up) {
    return (by < 0 ? by : 0) * slope_down + (by > 0 ? by : 0) * slope_up;
}

static void add_operand(const spreading *s, const cell *c, double slope_down, double slope_up) {
    if (slope_down == 0 && slope_up == 0) return;
    effect own = {.deviation = c->deviation};
    if (!c->from)
        own.down = s->r->deviation[c->deviation].low, own.up = s->r->deviation[c->deviation].high;
    const effect *all = c->from ? c->from->effect : &own;
    const int n = c->from ? c->from->n : 1;
    for (int k = 0; k < n; k++) {
        effect *sum = &s->sum[s->column[all[k].deviation] - 1];
        sum->down += moved(all[k].down, slope_down, slope_up);
        sum->up += moved(all[k].up, slope_down, slope_up);
    }
}

/* What every deviation does to one cell of the line, with room for one more: that the cell itself was rounded. */
static bool add_up(spreading *s, int i) {
    const size_t cells = (size_t)s->l->n_cells;
    const lh_sensitivity *w = &s->l->sensitivity;
    effects *to = &w->of_cell[i];
    int n = 0;
    for (int k = 0; k < s->n_cells; k++) {
        const double *slope = s->slope + 2 * cells * (size_t)k + i;
        add_operand(s, &s->cell[k], slope[0], slope[cells]);
    }
    for (int k = 0; k < w->n; k++) {
        effect *sum = &s->sum[k];
        if (sum->down == 0 && sum->up == 0) continue;
        s->found[n++] = (effect){w->deviation[k], sum->down, sum->up};
        sum->down = sum->up = 0;
    }
    to->effect = lh_alloc_array(s->a, (size_t)n + 1, sizeof *to->effect);
    if (!to->effect) return false;
    memcpy(to->effect, s->found, (size_t)n * sizeof *to->effect);
    to->n = n;
    return true;
}

/* Where a cell can lie by the sum of what deviations do. */
static lh_reach_box box_of(const line *l, int i) {
    const effects *all = &l->sensitivity.of_cell[i];
    lh_reach_box b = lh_box_at(l->rest[i]);
    for (int k = 0; k < all->n; k++) {
        double down = all->effect[k].down, up = all->effect[k].up, least = down < up ? down : up,
               most = down < up ? up : down;
        if (least < 0) b.low += least;
        if (most > 0) b.high += most;
    }
    return b;
}

/* No sum of effects leads out of the box that a cell was found to lie in: they are scaled down to it. */
static void fit_effects(const effects *all, lh_reach_box sum, lh_reach_box to) {
    double below = sum.low < to.low ? (to.low - to.at) / (sum.low - to.at) : 1,
           above = sum.high > to.high ? (to.high - to.at) / (sum.high - to.at) : 1;
    for (int k = 0; k < all->n && (below < 1 || above < 1); k++) {
        effect *e = &all->effect[k];
        e->down *= e->down < 0 ? below : above;
        e->up *= e->up < 0 ? below : above;
    }
}

/* The cell may have been rounded: a deviation of its own, behind the others. */
static void add_rounding(spreading *s, int i) {
    line *l = s->l;
    lh_sensitivity *w = &l->sensitivity;
    effects *all = &w->of_cell[i];
    const int decimals = l->decimals - s->r->habit.fewer;
    lh_reach_box sum = l->box[i], b = lh_box_dusty(l->box[i], pow(10, -decimals)),
                 d = rounding_of(b, decimals, s->r->habit.cuts);
    d.low = fmin(d.low, b.low - sum.low), d.high = fmax(d.high, b.high - sum.high);
    const deviation f = {.low = fmin(d.low, 0),
                         .high = fmax(d.high, 0),
                         .was_rounded = isfinite(b.at),
                         .decimals = decimals,
                         .from = b.low,
                         .to = b.high,
                         .at = NAN};
    l->rounding[i] = add_deviation(s->r, f);
    l->box[i] = lh_box_rounded(b, decimals, s->r->habit.cuts);
    if (l->rounding[i] < 0) return;
    *lh_push(s->a, w->deviation, w->n) = l->rounding[i];
    all->effect[all->n++] = (effect){l->rounding[i], f.low, f.high};
    sum.low += f.low, sum.high += f.high;
    fit_effects(all, sum, l->box[i]);
}

/* Room for all that is found on the way. */
static bool furnish(spreading *s, const work *w, bool is_by_hand) {
    lh_arena *a = s->r->scratch;
    lh_sensitivity *all = &s->l->sensitivity;
    const size_t n = (size_t)s->l->n_cells;
    /* deviations of operands that were just written down are still to come */
    int most = s->r->n_deviations;
    for (int k = 0; k < s->l->n_from; k++) most += s->l->from[k].n_cells;
    s->column = lh_alloc_array(a, (size_t)most + 1, sizeof *s->column);
    if (!s->column) return false;
    if (is_by_hand) list_cells(s, w);
    s->slope = lh_alloc_array(a, 2 * n * (size_t)s->n_cells + 1, sizeof *s->slope);
    s->sum = lh_alloc_array(a, (size_t)all->n + 1, sizeof *s->sum);
    s->found = lh_alloc_array(a, (size_t)all->n + 1, sizeof *s->found);
    all->of_cell = lh_alloc_array(s->a, n + 1, sizeof *all->of_cell);
    return s->slope && s->sum && s->found && all->of_cell && !lh_failed(s->r->ctx);
}

static bool spread_cells(spreading *s, const work *w) {
    line *l = s->l;
    const bool is_by_hand = l->n_cells <= LH_BY_HAND && reach_is_patient(s->r),
               is_rounded = l->decimals >= 0 && is_by_hand;
    if (!furnish(s, w, is_by_hand)) return false;
    s->r->left -= LH_SENSITIVITY_EFFORT * (double)l->n_cells *
                  (l->sensitivity.n + (is_rounded ? l->n_cells : 0));
    for (int k = 0; k < s->n_cells; k++)
        find_slopes(s, &s->cell[k], s->slope + 2 * (size_t)l->n_cells * (size_t)k);
    for (int i = 0; i < l->n_cells; i++) {
        if (!add_up(s, i)) return false;
        l->box[i] = box_of(l, i);
    }
    for (int i = 0; i < l->n_cells && is_rounded; i++) add_rounding(s, i);
    return true;
}

/* a: for what deviations do to its cells */
static bool spread_line(lh_reach *r, lh_arena *a, const work *w, line *l, const double *right) {
    spreading s = {.r = r, .a = a, .l = l, .right = right};
    l->sensitivity = (lh_sensitivity){0};
    reach_put(r, w, l, NULL);
    if (!reach_take(r, l, right, l->rest)) return false;
    for (int i = 0; i < l->n_cells; i++) l->rounding[i] = -1;
    const lh_arena_mark before = lh_arena_here(r->scratch);
    bool ok = spread_cells(&s, w);
    lh_arena_back(r->scratch, before);
    return ok;
}

/* a: for the unit itself; what its lines need is forgotten by whoever asked. */
static bool spread_work(lh_reach *r, lh_arena *a, work *w, const double *right, int decimals) {
    bool ok = w->is_possible;
    const int last = w->n_lines - 1;
    if (ok) w->line[last].decimals = decimals;
    for (int k = 0; ok && k <= last; k++)
        ok = spread_line(r, k == last ? a : r->inside, w, &w->line[k], k == last ? right : NULL);
    return ok && !lh_failed(r->ctx);
}

bool lh_reach_of(lh_reach *r, int v, int i, const lh_written *written, lh_reach_box *out) {
    work *w = reach_work(r, v, i);
    const lh_arena_mark before = lh_arena_here(r->inside);
    bool ok = spread_work(r, r->inside, w, r->unit[i].right, -1);
    const line *l = ok ? &w->line[w->n_lines - 1] : NULL;
    if (ok) memcpy(out, l->box, (size_t)l->n_cells * sizeof *out);
    if (ok && l->sensitivity.n > 0 && lh_reach_may(r))
        reach_corners(r, r->inside, w, r->unit[i].right, written, out);
    lh_arena_back(r->inside, before);
    /* What was found lay there, also for a unit that is open: whoever reads it next finds it anew. */
    if (r->unit[i].is_open && r->unit[i].variant == v) r->unit[i].is_spread = false;
    return ok;
}

void lh_reach_open(lh_reach *r, int v, int i, int decimals) {
    lh_unit *u = &r->unit[i];
    lh_reach_known(r, i);
    u->is_open = true;
    u->variant = v;
    u->rounded_to = u->is_whole ? -1 : decimals;
}

bool lh_reach_settle(lh_reach *r, int i) {
    lh_unit *u = &r->unit[i];
    if (!u->is_open || u->is_spread) return u->is_open;
    work *w = reach_work(r, u->variant, i);
    u->is_spread = true; /* who reads itself leads nowhere */
    const lh_arena_mark before = lh_arena_here(r->inside);
    bool ok = spread_work(r, r->sheet, w, u->right, u->rounded_to);
    lh_arena_back(r->inside, before);
    if (!ok) {
        lh_reach_known(r, i);
        for (int c = 0; c < u->n_cells && w->is_possible; c++) u->box[c] = lh_box_at(NAN);
        return false;
    }
    memcpy(u->box, w->line[w->n_lines - 1].box, (size_t)u->n_cells * sizeof *u->box);
    return true;
}
