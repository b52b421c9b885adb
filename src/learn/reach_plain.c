/* One way of carrying on: everything that is not written down is worked out as somebody would who rounds every line, cuts it off
 * or keeps it. There is no deviation in it, so it says exactly where that way leads, across any kink, and costs next to nothing.
 */
#include <math.h>

#include "learn/reach_internal.h"

/* ---- what must be worked out ---- */

typedef struct chain {
    lh_reach *r;
    lh_arena *a;
    bool *has;
    reach_link *link;
    int n;
} chain;

static void add_link(chain *c, work *w, const lh_unit *unit) {
    for (int k = 0; k < w->n_lines; k++)
        for (int j = 0; j < w->line[k].n_from; j++) {
            int u = w->line[k].from[j].unit;
            if (u < 0 || !c->r->unit[u].is_open || c->has[u]) continue;
            c->has[u] = true;
            add_link(c, reach_work(c->r, c->r->unit[u].variant, u), &c->r->unit[u]);
        }
    *lh_push(c->a, c->link, c->n) = (reach_link){w, unit};
}

reach_link *reach_chain(lh_reach *r, lh_arena *a, work *w, int *n) {
    chain c = {.r = r, .a = a};
    c.has = lh_alloc_array(a, (size_t)r->n_units + 1, sizeof *c.has);
    if (c.has) add_link(&c, w, NULL);
    *n = c.n;
    return c.link;
}

/* ---- one way ---- */

static double carried(double x, double unit, bool cuts) {
    if (!isfinite(x)) return x;
    if (cuts) return trunc(x / unit + (x > 0 ? LH_DUST : -LH_DUST)) * unit;
    return (x < 0 ? -1 : 1) * floor(fabs(x) / unit + LH_HALF) * unit;
}

/* A number that was written down, as it is carried on: of 1.5e-9 digits count, not decimals. */
static double taken(const lh_reach *r, const lh_unit *u, int c, lh_carry how) {
    double x = u->box[c].at;
    if (!how.shortens || u->is_whole || x == 0 || !isfinite(x)) return x;
    int decimals = u->decimals;
    if (decimals > LH_PLAIN_DECIMALS) decimals = r->s->digits - 1 - (int)floor(log10(fabs(x)));
    return carried(x, pow(10, how.fewer - decimals), how.cuts);
}

static void put(lh_reach *r, const work *w, const line *l, lh_carry how) {
    for (int k = 0; k < l->n_from; k++) {
        const source *from = &l->from[k];
        const lh_unit *u = from->unit >= 0 ? &r->unit[from->unit] : NULL;
        const work *other = u && u->is_open ? reach_work(r, u->variant, from->unit) : NULL;
        const line *made = other             ? &other->line[other->n_lines - 1]
                           : from->line >= 0 ? &w->line[from->line]
                                             : NULL;
        for (int c = 0; c < from->n_cells && (u || made); c++)
            lh_exact.set(l->plan, from->node, from->at[c],
                         made ? made->now[c] : taken(r, u, c, how));
    }
}

/* As many decimals as its own numbers need: who is far from the right ones knows no others. */
static void work_out(lh_reach *r, const line *l, bool rounds, lh_carry how) {
    double most = 0;
    reach_run(r, l);
    for (int c = 0; c < l->n_cells; c++) {
        l->now[c] = lh_exact.get(l->plan, l->node, l->at[c]);
        if (isfinite(l->now[c])) most = fmax(most, fabs(l->now[c]));
    }
    int decimals = (how.flat ? r->s->digits : lh_decimals_below(most, r->s->digits)) - how.fewer;
    const double unit = pow(10, -decimals);
    for (int c = 0; c < l->n_cells && rounds; c++) l->now[c] = carried(l->now[c], unit, how.cuts);
}

static bool run(lh_reach *r, const reach_link *link, lh_carry how) {
    const work *w = link->work;
    for (int k = 0; w->is_possible && k < w->n_lines; k++) {
        const line *l = &w->line[k];
        bool is_step = k == w->n_lines - 1;
        int decimals = !is_step ? l->decimals : link->unit ? link->unit->rounded_to : -1;
        put(r, w, l, how);
        work_out(r, l, decimals >= 0 && how.rounds && (is_step || how.inside), how);
    }
    return w->is_possible;
}

bool lh_reach_plain(lh_reach *r, int v, int i, lh_carry how, double *out) {
    const lh_arena_mark before = lh_arena_here(r->scratch);
    work *w = reach_work(r, v, i);
    int n = 0;
    bool ok = w->is_possible, any = false;
    reach_link *link = ok ? reach_chain(r, r->scratch, w, &n) : NULL;
    for (int k = 0; k < n && ok; k++) ok = run(r, &link[k], how);
    const line *l = ok && n ? &w->line[w->n_lines - 1] : NULL;
    for (int c = 0; l && c < l->n_cells; c++) out[c] = l->now[c], any |= !isnan(out[c]);
    lh_arena_back(r->scratch, before);
    return any;
}
