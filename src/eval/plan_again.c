/* plan_again -- wish.recomputes: works of a layer run again for the backward pass, so that other values can use the memory of their results in between.
 *
 *     works    layer 0   layer 1   back through layer 1   back through layer 0
 *     X[0]     ■─────────────────────────────────────────────────────■        the input of a layer is kept
 *     A[0]      ■──■                                      ■───■               computed twice, by the same work
 *     X[1]           ■────────────────────────■
 *     A[1]                ■──■      ■───■
 *
 * A layer is a turn of an outermost repeat. A value that only the layer's own forward pass reads is not kept: it is recomputed just before the first work of the
 * backward pass that reads it, together with the values that it is computed from. A work that runs again has the same
 * kernel, the same operands and the same memory for its result, and random numbers are drawn by position: the bits are the same.
 */
#include "eval/plan.h"

typedef struct again {
    lh_plan *p;
    lh_plan_list from, to;
    int *maker;             /* of each node: its work in `from`, or -1 */
    const lh_scope **layer; /* of each work of the forward pass: its layer; NULL: it is in none */
    bool *stays;            /* of each work: are its results kept, because others read them? */
    char *state;            /* of each work: does it run again? */
} again;

enum { ONCE, WANTED, DONE };

/* Every node up to the loss belongs to the forward pass. */
static bool is_back(const again *a, const lh_plan_work *w) {
    return w->node->id > a->p->g->loss->id;
}

static const lh_scope *layer_of(const lh_node *n) {
    const lh_scope *layer = NULL;
    for (const lh_scope *s = n->scope; s; s = s->outer)
        if (s->kind == LH_SCOPE_REPEAT) layer = s;
    return layer;
}

/* The work that computes operand i, if it belongs to a layer; or -1. */
static int made_by(const again *a, const lh_plan_work *w, int i) {
    const int k = lh_plan_reads(w, i) ? lh_plan_maker(a->p, a->maker, lh_plan_operand(w, i)) : -1;
    return k >= 0 && a->layer[k] ? k : -1;
}

/* ---- what is kept ---- */

static void keep(again *a, const lh_node *n) {
    const int k = lh_plan_maker(a->p, a->maker, n);
    if (k >= 0) a->stays[k] = true;
}

static void keep_operands(again *a, const lh_plan_work *w, const lh_scope *but_of) {
    for (int i = 0; i < w->n_in; i++) {
        const int k = made_by(a, w, i);
        if (k >= 0 && a->layer[k] != but_of) a->stays[k] = true;
    }
}

static void find_what_stays(again *a) {
    const lh_plan *p = a->p;
    const lh_plan_list *commit = &p->list[LH_STAGE_COMMIT];
    for (int k = 0; k < a->from.n; k++) {
        const lh_plan_work *w = &a->from.work[k];
        if (!is_back(a, w)) keep_operands(a, w, a->layer[k]);
        if (w->match && w->match->kernel->in_place)
            a->stays[k] = true; /* its operand is overwritten */
    }
    for (int k = 0; k < commit->n; k++) keep_operands(a, &commit->work[k], NULL);
    for (int i = 0; i < p->n_nodes; i++)
        if (p->value[i].lasts) keep(a, p->g->node[i]);
    for (int i = 0; i < p->g->n_givens; i++)
        if (p->g->given[i]->renewed) keep(a, p->g->given[i]->renewed);
}

/* ---- the new list ---- */

/* The work that must run again before w reads its operand i; or -1. */
static int missing(const again *a, const lh_plan_work *w, int i) {
    const int k = made_by(a, w, i);
    return k >= 0 && !a->stays[k] && a->state[k] != DONE ? k : -1;
}

/* Runs work `last` again, and before it all works whose results it needs, in their original order. */
static void do_again(again *a, int last) {
    int first = last;
    a->state[last] = WANTED;
    for (int k = last; k >= first; k--) {
        const lh_plan_work *w = &a->from.work[k];
        for (int i = 0; a->state[k] == WANTED && i < w->n_in; i++) {
            const int before = missing(a, w, i);
            if (before < 0) continue;
            a->state[before] = WANTED;
            if (before < first) first = before;
        }
    }
    for (int k = first; k <= last; k++) {
        if (a->state[k] != WANTED) continue;
        a->state[k] = DONE;
        a->to.work[a->to.n] = a->from.work[k];
        a->to.work[a->to.n++].is_again = true;
    }
}

static void renew_operands(again *a, const lh_plan_work *w) {
    for (int i = 0; i < w->n_in; i++)
        if (missing(a, w, i) >= 0) do_again(a, missing(a, w, i));
}

static bool refuse(lh_graph *g) {
    bool any = false;
    for (int i = 0; i < g->n_nodes && !any; i++) any = layer_of(g->node[i]) != NULL;
    lh_fail(g->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0}, "nothing can be recomputed: %s",
            any ? "no gradient reads a value that only one turn of a repeat uses"
                : "the program repeats no layers");
    lh_cure(g->ctx, "leave out --recompute");
    return false;
}

bool lh_plan_again(lh_plan *p) {
    const lh_plan_list *run = &p->list[LH_STAGE_RUN];
    const size_t n = (size_t)run->n + 1;
    again a = {.p = p, .from = *run};
    a.maker = lh_alloc_array(p->arena, (size_t)p->n_nodes + 1, sizeof *a.maker);
    a.layer = lh_alloc_array(p->arena, n, sizeof *a.layer);
    a.stays = lh_alloc_array(p->arena, n, sizeof *a.stays);
    a.state = lh_alloc_array(p->arena, n, 1); /* ONCE */
    a.to.work = lh_alloc_array(p->arena, 2 * n, sizeof *a.to.work);
    if (!a.maker || !a.layer || !a.stays || !a.state || !a.to.work) return false;
    lh_plan_find_makers(p, a.maker);
    for (int k = 0; k < run->n && p->g->loss; k++)
        if (!is_back(&a, &run->work[k])) a.layer[k] = layer_of(run->work[k].node);
    if (p->g->loss) find_what_stays(&a);
    for (int k = 0; k < run->n; k++) {
        if (p->g->loss && is_back(&a, &run->work[k])) renew_operands(&a, &run->work[k]);
        a.to.work[a.to.n++] = run->work[k];
    }
    if (a.to.n == run->n) return refuse(p->g);
    p->list[LH_STAGE_RUN] = a.to;
    return true;
}
