/* beside -- what comes back to a value from its columns, as one copy.
 *
 *     Q = columns(A, 0, d)   K = columns(A, d, 2*d)   V = columns(A, 2*d, 3*d)
 *     dA = place(dQ, 0) + place(dK, d) + place(dV, 2*d)
 *
 * By the definition that is three matrices of zeros with something in them, and two sums. Where the columns do not overlap
 * and leave none out, it is dQ, dK and dV laid beside each other.
 */
#include "eval/fast/fast.h"

#include <string.h>

enum { MOST = LH_MAX_LEAVES };

typedef struct parts {
    lh_node *place[MOST];
    int n;
} parts;

/* All of a sum are places, and nobody else reads them. */
static bool find_places(const lh_plan *p, lh_node *n, bool is_root, parts *found) {
    if (!is_root && !lh_read_once(p, n)) return false;
    if (n->kind == LH_OP_add)
        return find_places(p, n->in[0], false, found) && find_places(p, n->in[1], false, found);
    if (n->kind != LH_OP_place || found->n == MOST) return false;
    found->place[found->n++] = n;
    return true;
}

/* Ordered by their first column, each begins where the one before it ends. */
static bool are_beside(const lh_graph *g, const lh_node *n, parts *found) {
    size_t at = 0;
    for (int i = 0; i < found->n; i++) {
        int next = i;
        for (int k = i; k < found->n; k++)
            if (found->place[k]->index[1] < found->place[next]->index[1]) next = k;
        lh_node *x = found->place[next];
        found->place[next] = found->place[i], found->place[i] = x;
        if ((size_t)x->index[1] != at || x->index[0] != 0 ||
            !lh_axis_same(g, x->in[0]->shape.rows, n->shape.rows) ||
            !lh_axis_same(g, x->shape.cols, n->shape.cols) || !x->in[0]->shape.is_batched ||
            !lh_axis_is_one(g, x->in[0]->shape.heads))
            return false;
        at += g->axis[x->in[0]->shape.cols].n;
    }
    return at && at == g->axis[n->shape.cols].n;
}

static bool beside_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    parts found = {.n = 0};
    if (n->kind != LH_OP_add || !n->shape.is_batched || !find_places(p, n, true, &found) ||
        !are_beside(p->g, n, &found))
        return false;
    for (int i = 0; i < found.n; i++) m->leaf[i] = found.place[i]->in[0];
    m->n_leaves = found.n;
    return true;
}

typedef struct copying {
    const lh_work *w;
    lh_all_rows to, from[MOST];
    int pieces;
} copying;

static void copy_rows(void *what, int piece, int thread) {
    (void)thread;
    const copying *s = what;
    const ptrdiff_t end = lh_piece_from(s->to.n, piece + 1, s->pieces);
    for (ptrdiff_t r = lh_piece_from(s->to.n, piece, s->pieces); r < end; r++) {
        float *to = lh_row(&s->to, r);
        for (int i = 0; i < s->w->n_in; i++) {
            const int cols = s->w->in[i].block->cols;
            ptrdiff_t cs;
            const float *from = lh_row_cells(&s->from[i], r, &cs);
            if (cs == 1)
                memcpy(to, from, (size_t)cols * sizeof *to);
            else
                for (int c = 0; c < cols; c++) to[c] = from[c * cs];
            to += cols;
        }
    }
}

static void beside_run(const lh_work *w) {
    copying s = {.w = w, .to = lh_rows_of(&w->out, w->examples)};
    for (int i = 0; i < w->n_in; i++) s.from[i] = lh_rows_of(&w->in[i], w->examples);
    s.pieces = lh_pieces((size_t)s.to.n * (size_t)w->out.block->cols, 1 << 13);
    lh_pool_run(w->moment->pool, s.pieces, copy_rows, &s);
}

const lh_kernel lh_kernel_beside = {
    .name = "beside",
    .stands_for = "what comes back from columns(A, ...)",
    .joins = true,
    .fits = beside_fits,
    .run = beside_run,
    .trial = "param W : 6 x 9 = normal(1)\nA = X @ W\n"
             "Y = columns(A, 3, 6) * columns(A, 0, 3) + columns(A, 6, 9)\n",
};
