#include "train/shares.h"

#include <string.h>

#include "eval/plan.h"
#include "train/floats.h"

enum { EVERYBODY = -1 };

typedef struct sharing {
    const lh_parts *p;
    int *leader;    /* [n_givens] of the group that a given belongs to */
    int *seen;      /* [n_nodes] for which given a node was last looked at, from 1 */
    bool *is_known; /* [n_nodes] found before the params are renewed */
} sharing;

static int leader_of(const sharing *s, int given) {
    while (s->leader[given] != given) given = s->leader[given];
    return given;
}

static void join(const sharing *s, int a, int b) {
    const int x = leader_of(s, a), y = leader_of(s, b);
    if (x < y)
        s->leader[y] = x;
    else
        s->leader[x] = y;
}

/* Which states does the := of a given read? Those belong to it. */
static void follow(const sharing *s, const lh_node *n, int given) {
    if (s->is_known[n->id] || s->seen[n->id] == given + 1) return;
    s->seen[n->id] = given + 1;
    if (n->kind == LH_OP_given) {
        if (n->given->kind == LH_STATE) join(s, given, n->given->number);
        return;
    }
    if (n->kind == LH_OP_call) {
        follow(s, n->call->result, given);
        return;
    }
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i)) follow(s, n->in[i], given);
}

static double cells_of(const lh_graph *g, const lh_given *given) {
    return (double)lh_plan_fixed_cells(g, given->node);
}

/* Groups go to the ranks in their order, the last rank first: a rank is full when it has its part of all numbers. A program often begins with its largest
 * param, the table of tokens, which may be more than a part: so rank 0, which looks and saves besides, is not the one that has it. */
static void hand_out(const sharing *s, int *owner, const bool *is_for_all) {
    const lh_graph *g = s->p->g;
    double all = 0, done = 0;
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->renewed && !is_for_all[leader_of(s, i)]) all += cells_of(g, g->given[i]);
    for (int lead = 0; lead < g->n_givens; lead++) {
        if (leader_of(s, lead) != lead) continue;
        double own = 0;
        for (int i = lead; i < g->n_givens; i++)
            if (leader_of(s, i) == lead && g->given[i]->renewed) own += cells_of(g, g->given[i]);
        const int n = s->p->how.ranks->n, to = all > 0 ? (int)((done + own / 2) / all * n) : 0;
        for (int i = lead; i < g->n_givens; i++)
            if (leader_of(s, i) == lead)
                owner[i] = is_for_all[lead] ? EVERYBODY : to < n ? n - 1 - to : 0;
        if (!is_for_all[lead]) done += own;
    }
}

static bool make(sharing *s, bool **is_for_all) {
    const lh_parts *p = s->p;
    const lh_graph *g = p->g;
    const size_t n = (size_t)g->n_givens + 1;
    s->leader = lh_alloc_array(p->arena, n, sizeof *s->leader);
    s->seen = lh_alloc_array(p->arena, (size_t)g->n_nodes + 1, sizeof *s->seen);
    s->is_known = lh_alloc_array(p->arena, (size_t)g->n_nodes + 1, sizeof *s->is_known);
    *is_for_all = lh_alloc_array(p->arena, n, sizeof **is_for_all);
    if (!s->leader || !s->seen || !s->is_known || !*is_for_all) return false;
    for (int i = 0; i < g->n_givens; i++) s->leader[i] = i;
    for (int i = 0; i < p->n_first; i++) s->is_known[p->first[i]->id] = true;
    for (int i = 0; i < p->n_sums; i++) s->is_known[p->sum[i]->id] = true;
    return true;
}

const bool *lh_shares_mine(lh_parts *p) {
    const lh_graph *g = p->g;
    sharing s = {.p = p};
    bool *is_for_all;
    if (!p->how.ranks || !make(&s, &is_for_all)) return NULL;
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->renewed) follow(&s, g->given[i]->renewed, i);
    for (int i = 0; i < p->n_givens; i++)
        if (p->given[i]->given->kind == LH_STATE)
            is_for_all[leader_of(&s, p->given[i]->given->number)] = true;
    p->owner = lh_alloc_array(p->arena, (size_t)g->n_givens + 1, sizeof *p->owner);
    bool *mine = lh_alloc_array(p->arena, (size_t)g->n_givens + 1, sizeof *mine);
    if (!p->owner || !mine) return NULL;
    hand_out(&s, p->owner, is_for_all);
    for (int i = 0; i < g->n_givens; i++)
        mine[i] = p->owner[i] == EVERYBODY || p->owner[i] == p->how.ranks->rank;
    return mine;
}

/* ---- telling ---- */

enum {
    AT_ONCE = 2,    /* parts on their way at the same time */
    TELL = 1 << 19, /* cells of a part, of all ranks, */
    LEAST = 1 << 12 /* ... or so many of each, where there are many */
};

/* Every rank tells what it renewed, one param behind the other, a part at a time, all at once. A param that is more than a rank's share would leave
 * the others silent: it is told by itself, since MPI lets those who have a part of it pass it on. */
struct lh_shares_wire {
    size_t share; /* cells */
    size_t *own;  /* [ranks] cells that each tells in parts */
    size_t most, part;
    float *out[AT_ONCE], *all[AT_ONCE];
    int *counts[AT_ONCE]; /* [ranks] */
};

/* Which rank tells it? Params that examples look at: every rank has them. */
static int teller_of(const lh_parts *p, int i) {
    const lh_given *given = p->given[i]->given;
    return given->renewed ? p->owner[given->number] : EVERYBODY;
}

static bool is_large(const lh_parts *p, int i) {
    return lh_plan_fixed_cells(p->g, p->given[i]) > p->telling->share;
}

static bool is_told_by(const lh_parts *p, int i, int rank) {
    return teller_of(p, i) == rank && !is_large(p, i);
}

static bool make_telling(lh_parts *p) {
    const size_t n = (size_t)p->how.ranks->n;
    struct lh_shares_wire *w = lh_alloc(p->arena, sizeof *w);
    if (!w) return false;
    *w = (struct lh_shares_wire){.own = lh_alloc_array(p->arena, n, sizeof *w->own)};
    p->telling = w;
    for (int i = 0; i < p->n_givens; i++)
        if (teller_of(p, i) != EVERYBODY) w->share += lh_plan_fixed_cells(p->g, p->given[i]);
    w->share = w->share / n + 1;
    for (int i = 0; w->own && i < p->n_givens; i++)
        for (int r = 0; r < p->how.ranks->n; r++)
            if (is_told_by(p, i, r)) w->own[r] += lh_plan_fixed_cells(p->g, p->given[i]);
    for (size_t r = 0; w->own && r < n; r++)
        if (w->own[r] > w->most) w->most = w->own[r];
    w->part = TELL / n > LEAST ? TELL / n : LEAST;
    if (w->part > w->most) w->part = w->most + 1;
    for (int k = 0; k < AT_ONCE; k++) {
        w->out[k] = lh_post_take(&p->post, p->g->ctx, p->arena, w->part, sizeof *w->out[k]);
        w->all[k] = lh_post_take(&p->post, p->g->ctx, p->arena, n * w->part, sizeof *w->all[k]);
        w->counts[k] = lh_alloc_array(p->arena, n, sizeof *w->counts[k]);
    }
    return !lh_failed(p->g->ctx);
}

void lh_shares_free(lh_parts *p) {
    for (int k = 0; p->telling && k < AT_ONCE; k++) {
        lh_post_give_back(&p->post, p->g->ctx, p->telling->out[k]);
        lh_post_give_back(&p->post, p->g->ctx, p->telling->all[k]);
    }
    p->telling = NULL;
}

double lh_shares_memory(const lh_parts *p) {
    if (!p->telling) return 0;
    return AT_ONCE * (double)p->telling->part * (p->how.ranks->n + 1) * sizeof(float);
}

/* Cells at .. at + n - 1 of what a rank tells. */
static void told(const lh_parts *p, int rank, size_t at, size_t n, float *numbers,
                 bool is_written) {
    size_t begin = 0;
    for (int i = 0; i < p->n_givens && n; i++) {
        if (!is_told_by(p, i, rank)) continue;
        const size_t cells = lh_plan_fixed_cells(p->g, p->given[i]), first = begin;
        begin += cells;
        if (at >= begin) continue;
        const size_t here = at - first, left = cells - here, k = left < n ? left : n;
        float *param = (float *)lh_plan_address(p->whole, p->given[i]) + here;
        lh_far_transfer(p->post.cells, p->post.sent, param, numbers, k, is_written);
        at += k, n -= k, numbers += k;
    }
}

static void begin_part(const lh_parts *p, size_t done, int slot) {
    const lh_ranks *r = p->how.ranks;
    const struct lh_shares_wire *w = p->telling;
    for (int i = 0; i < r->n; i++) {
        const size_t left = w->own[i] > done ? w->own[i] - done : 0;
        w->counts[slot][i] = (int)(left < w->part ? left : w->part);
    }
    const int mine = w->counts[slot][r->rank];
    told(p, r->rank, done, (size_t)mine, w->out[slot], false);
    p->post.carrier->gather(slot, LH_WIRE_FLOAT, w->out[slot], mine, w->all[slot], w->counts[slot]);
}

static void end_part(const lh_parts *p, size_t done, int slot) {
    const lh_ranks *r = p->how.ranks;
    const struct lh_shares_wire *w = p->telling;
    float *all = w->all[slot];
    p->post.carrier->is_done(slot, true);
    for (int i = 0; i < r->n; all += w->counts[slot][i++])
        if (i != r->rank) told(p, i, done, (size_t)w->counts[slot][i], all, true);
}

/* What lies in another memory, and cannot be told from there, comes here a part at a time. */
static void tell_one(const lh_parts *p, float *param, size_t n, int from) {
    const lh_post *by = &p->post;
    const size_t room = (size_t)p->how.ranks->n * p->telling->part;
    if (!by->cells || by->sent) {
        by->carrier->tell(param, n * sizeof *param, from);
        return;
    }
    for (size_t at = 0; at < n; at += room) {
        const size_t k = n - at < room ? n - at : room;
        float *some = p->telling->all[0];
        if (from == p->how.ranks->rank) by->cells->get(some, param + at, k * sizeof *some);
        by->carrier->tell(some, k * sizeof *some, from);
        if (from != p->how.ranks->rank) by->cells->put(param + at, some, k * sizeof *some);
    }
}

static void tell_large(const lh_parts *p) {
    for (int i = 0; i < p->n_givens; i++)
        if (teller_of(p, i) != EVERYBODY && is_large(p, i))
            tell_one(p, lh_plan_address(p->whole, p->given[i]),
                     lh_plan_fixed_cells(p->g, p->given[i]), teller_of(p, i));
}

void lh_shares_tell(lh_parts *p) {
    if (!p->telling && !make_telling(p)) return;
    const struct lh_shares_wire *w = p->telling;
    if (p->post.cells) p->post.cells->follow();
    tell_large(p);
    size_t begun = 0;
    for (size_t done = 0; done < w->most; done += w->part) {
        for (; begun < w->most && begun <= done + w->part; begun += w->part)
            begin_part(p, begun, (int)(begun / w->part % AT_ONCE));
        end_part(p, done, (int)(done / w->part % AT_ONCE));
    }
    if (p->post.cells) p->post.cells->join();
}

/* ---- saving ---- */

/* Only one rank has it, and that is not rank 0. */
static bool is_elsewhere(const lh_parts *p, const lh_given *given) {
    if (!p->how.ranks || p->owner[given->number] <= 0) return false;
    for (int i = 0; i < p->n_givens; i++)
        if (p->given[i] == given->node) return false;
    return true;
}

const float *lh_shares_fetch(const lh_parts *p, lh_arena *a, const lh_given *given) {
    const lh_ranks *r = p->how.ranks;
    if (!is_elsewhere(p, given)) return lh_floats_read(a, p->whole, given->node);
    const size_t n = lh_plan_fixed_cells(p->g, given->node);
    if (r->rank == p->owner[given->number]) {
        const float *mine = lh_floats_read(a, p->whole, given->node);
        if (mine) r->send(mine, n, 0);
    }
    if (r->rank != 0) return NULL;
    float *copy = lh_alloc_array(a, n + 1, sizeof *copy);
    if (copy) r->receive(copy, n, p->owner[given->number]);
    return copy;
}
