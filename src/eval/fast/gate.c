/* gate -- swiglu(a, b): b, let through by silu(a).
 *
 *     h = a s     s = sigmoid(a)     y = h b
 *     da = dy b (s + h (1 - s))      db = dy h
 *
 * Row by row, so that a and b may be columns of one product.
 */
#include "eval/fast/fast.h"

#include "eval/fast/vector.h"

enum { A, B, DY };

/* Both as large as the result, and without heads. */
static bool swiglu_suits(const lh_graph *g, const lh_node *call) {
    const lh_shape *a = &lh_param_of(call, "a")->shape, *b = &lh_param_of(call, "b")->shape;
    return lh_axis_is_one(g, a->heads) && lh_axis_is_one(g, b->heads) &&
           lh_axis_same(g, a->rows, b->rows) && lh_axis_same(g, a->cols, b->cols) &&
           a->is_batched == b->is_batched;
}

static bool swiglu_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "swiglu") || !swiglu_suits(p->g, n)) return false;
    m->leaf[A] = (lh_node *)lh_param_of(n, "a");
    m->leaf[B] = (lh_node *)lh_param_of(n, "b");
    m->n_leaves = 2;
    return true;
}

static bool back_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_back || !lh_call_is(p->g, n->in[0], "swiglu")) return false;
    m->leaf[A] = (lh_node *)lh_param_of(n->in[0], "a");
    m->leaf[B] = (lh_node *)lh_param_of(n->in[0], "b");
    m->leaf[DY] = n->in[1];
    m->n_leaves = 3;
    lh_match_backs(n, m);
    return true;
}

typedef struct gates {
    lh_all_rows in[3], to[2];
    bool is_asked[2];
    ptrdiff_t n;
    int pieces, cols;
} gates;

static gates gates_of(const lh_work *w) {
    const int examples = w->in[A].step ? w->moment->examples : 1;
    gates s = {.cols = w->in[A].block->cols};
    for (int i = 0; i < w->n_in; i++) s.in[i] = lh_rows_of(&w->in[i], examples);
    s.n = s.in[A].n;
    s.pieces = lh_pieces((size_t)s.n * (size_t)s.cols, 1 << 13);
    return s;
}

/* A number at a time where cells do not lie side by side. */
static void forward_rows(void *what, int piece, int thread) {
    (void)thread;
    const gates *s = what;
    const ptrdiff_t end = lh_piece_from(s->n, piece + 1, s->pieces);
    for (ptrdiff_t r = lh_piece_from(s->n, piece, s->pieces); r < end; r++) {
        ptrdiff_t step[3];
        const float *a = lh_row_cells(&s->in[A], r, &step[0]),
                    *b = lh_row_cells(&s->in[B], r, &step[1]);
        float *y = lh_row_cells(&s->to[0], r, &step[2]);
        if (step[0] == 1 && step[1] == 1 && step[2] == 1) {
            lh_vector()->gate(y, a, b, s->cols);
            continue;
        }
        for (int c = 0; c < s->cols; c++)
            lh_vector()->gate(y + c * step[2], a + c * step[0], b + c * step[1], 1);
    }
}

static void swiglu_run(const lh_work *w) {
    gates s = gates_of(w);
    s.to[0] = lh_rows_of(&w->out, w->examples);
    lh_pool_run(w->moment->pool, s.pieces, forward_rows, &s);
}

const lh_kernel lh_kernel_swiglu = {
    .name = "swiglu",
    .stands_for = "swiglu(a, b)",
    .fits = swiglu_fits,
    .run = swiglu_run,
    .trial = "Y = swiglu(X, X * 2)\n",
};

static void back_rows(void *what, int piece, int thread) {
    (void)thread;
    const gates *s = what;
    const ptrdiff_t end = lh_piece_from(s->n, piece + 1, s->pieces);
    for (ptrdiff_t r = lh_piece_from(s->n, piece, s->pieces); r < end; r++) {
        const float *in[3];
        float *to[2] = {NULL, NULL};
        ptrdiff_t step[3], out[2] = {1, 1};
        bool is_plain = true;
        for (int i = 0; i < 3; i++) {
            in[i] = lh_row_cells(&s->in[i], r, &step[i]);
            is_plain &= step[i] == 1;
        }
        for (int i = 0; i < 2; i++) {
            if (s->is_asked[i]) to[i] = lh_row_cells(&s->to[i], r, &out[i]);
            is_plain &= out[i] == 1;
        }
        for (int c = 0; c < (is_plain ? 1 : s->cols); c++)
            lh_vector()->gate_back(to[0] ? to[0] + c * out[0] : NULL,
                                   to[1] ? to[1] + c * out[1] : NULL, in[A] + c * step[A],
                                   in[B] + c * step[B], in[DY] + c * step[DY],
                                   is_plain ? s->cols : 1);
    }
}

static void back_run(const lh_work *w) {
    gates s = gates_of(w);
    for (int i = 0; i < 2; i++) {
        s.is_asked[i] = w->outs[i].block != NULL;
        if (s.is_asked[i])
            s.to[i] = lh_rows_of(&w->outs[i], w->outs[i].step ? w->moment->examples : 1);
    }
    lh_pool_run(w->moment->pool, s.pieces, back_rows, &s);
}

const lh_kernel lh_kernel_swiglu_back = {
    .name = "swiglu, back",
    .stands_for = "the gradient of swiglu(a, b)",
    .fn = "swiglu",
    .suits = swiglu_suits,
    .fits = back_fits,
    .run = back_run,
    .trial = "Y = swiglu(X * 2, X * X)\n",
};
