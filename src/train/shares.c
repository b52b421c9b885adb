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

/* Groups go to the ranks in their order: a rank is full when it has its part of all numbers. */
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
                owner[i] = is_for_all[lead] ? EVERYBODY : to < n ? to : n - 1;
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

/* Params that examples look at: every rank has them. */
void lh_shares_tell(const lh_parts *p) {
    for (int i = 0; i < p->n_givens; i++) {
        const lh_given *given = p->given[i]->given;
        const int from = p->owner[given->number];
        if (given->renewed && from != EVERYBODY)
            p->how.ranks->tell(lh_floats(p->whole, p->given[i]),
                               lh_plan_fixed_cells(p->g, p->given[i]) * sizeof(float), from);
    }
}

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
