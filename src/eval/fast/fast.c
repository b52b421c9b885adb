#include "eval/fast/fast.h"

#include <string.h>

#include "eval/fast/bf16.h"
#include "eval/fast/few.h"

/* ---- memory ---- */

/* The blocks of a value as lines that all lie at one distance from each other: lines of one example, and from block to block. */
typedef struct lines {
    const lh_view *view;
    int blocks;
    bool along_rows; /* the lines are rows; else columns */
} lines;

static ptrdiff_t lines_of(const lines *l, int e) {
    return l->along_rows ? l->view->block[e].rows : l->view->block[e].cols;
}

/* A distance of 0 is one, too: a row that is stretched over many. It is unknown only where there is one line in all. */
static ptrdiff_t distance_of(const lines *l) {
    const lh_block *b = l->view->block;
    for (int e = 0; e < l->blocks; e++)
        if (lines_of(l, e) > 1) return l->along_rows ? b[e].rs : b[e].cs;
    return l->blocks > 1 ? b[1].p - b[0].p : 0;
}

/* Its lines have the distance, and lie and end as those of the first block. */
static bool lies_so(const lines *l, int e, ptrdiff_t distance) {
    const lh_block *a = l->view->block, *b = &a[e];
    const ptrdiff_t own = l->along_rows ? b->rs : b->cs;
    const int cells = l->along_rows ? b->cols : b->rows, all = l->along_rows ? a->cols : a->rows;
    return b->heads == 1 && cells == all && (lines_of(l, e) == 1 || own == distance) &&
           (cells == 1 || (l->along_rows ? b->cs == a->cs : b->rs == a->rs));
}

static bool stack(const lh_view *v, int examples, lh_matrix *m, bool along_rows) {
    const lines l = {v, v->step ? examples : 1, along_rows};
    const lh_block *b = v->block;
    if (!b->p) return false; /* a plan of sizes alone */
    const ptrdiff_t step = distance_of(&l);
    ptrdiff_t n = 0;
    for (int e = 0; e < l.blocks; e++) {
        if (!lies_so(&l, e, step) || b[e].p != b->p + n * step) return false;
        n += lines_of(&l, e);
    }
    *m = along_rows ? (lh_matrix){b->p, n, b->cols, step, b->cs}
                    : (lh_matrix){b->p, b->rows, n, b->rs, step};
    return true;
}

bool lh_stack_rows(const lh_view *v, int examples, lh_matrix *m) {
    return stack(v, examples, m, true);
}

bool lh_stack_cols(const lh_view *v, int examples, lh_matrix *m) {
    return stack(v, examples, m, false);
}

lh_all_rows lh_rows_of(const lh_view *v, int examples) {
    lh_all_rows rows = {.view = v};
    rows.is_stack = stack(v, examples, &rows.stack, true) &&
                    (v->step || examples == 1 || rows.stack.rs == 0); /* else it begins again */
    for (int e = 0; e < examples; e++) rows.n += lh_block_of(v, e)->rows;
    return rows;
}

/* Heads lie beside each other in the columns of a row. */
bool lh_flat(const lh_view *v, int examples, float **p, size_t *cells) {
    const int n = v->step ? examples : 1;
    const lh_block *b = v->block;
    *cells = 0;
    *p = b->p;
    for (int e = 0; e < n; e++) {
        const ptrdiff_t width = (ptrdiff_t)b[e].heads * b[e].cols;
        if (b[e].p != b->p + *cells || (b[e].cols > 1 && b[e].cs != 1) ||
            (b[e].heads > 1 && b[e].hs != b[e].cols) || (b[e].rows > 1 && b[e].rs != width))
            return false;
        *cells += (size_t)(width * b[e].rows);
    }
    return true;
}

/* ---- products ---- */

/* By the definition where an operand lies in no way that a product reads. */
void lh_matrix_product(const lh_matrix *a, const lh_matrix *b, const lh_matrix *c, bool adds) {
    if (lh_matrix_is_plain(a) && lh_matrix_is_plain(b) && (c->cs == 1 || c->cols == 1)) {
        lh_product(c->rows, c->cols, a->cols, a->p, a->rs, a->cs, b->p, b->rs, b->cs, c->p,
                   c->rows == 1 ? c->cols : c->rs, adds);
        return;
    }
    for (ptrdiff_t r = 0; r < c->rows; r++)
        for (ptrdiff_t k = 0; k < c->cols; k++) {
            float sum = adds ? c->p[r * c->rs + k * c->cs] : 0;
            for (ptrdiff_t i = 0; i < a->cols; i++)
                sum += a->p[r * a->rs + i * a->cs] * b->p[i * b->rs + k * b->cs];
            c->p[r * c->rs + k * c->cs] = sum;
        }
}

typedef struct tiles {
    const lh_matrix *a, *b, *c;
    const float *bias;
    bool adds;
    int down, across; /* how many tiles */
} tiles;

static void tile(void *what, int piece, int thread) {
    (void)thread;
    const tiles *t = what;
    const lh_matrix *a = t->a, *b = t->b, *c = t->c;
    const int i = piece / t->across, j = piece % t->across;
    const ptrdiff_t r0 = lh_piece_from(c->rows, i, t->down),
                    r1 = lh_piece_from(c->rows, i + 1, t->down);
    const ptrdiff_t c0 = lh_piece_from(c->cols, j, t->across),
                    c1 = lh_piece_from(c->cols, j + 1, t->across);
    float *to = c->p + r0 * c->rs + c0;
    for (ptrdiff_t r = 0; t->bias && r < r1 - r0; r++)
        memcpy(to + r * c->rs, t->bias + c0, (size_t)(c1 - c0) * sizeof *to);
    lh_product(r1 - r0, c1 - c0, a->cols, a->p + r0 * a->rs, a->rs, a->cs, b->p + c0 * b->cs, b->rs,
               b->cs, to, c->rs, t->adds || t->bias);
}

/* Another cut pays: up to 8 tiles for balance, where one takes a tenth of a millisecond; more for more threads, the larger the more
 * there are, since a large tile is made faster than two small ones. */
static bool is_worth(double work, int n) {
    const double worth = n < 8 ? 1e6 : 1e6 * n;
    return n < 128 && work / (2 * n) > worth;
}

/* Cut where it is longer, by the sizes alone. */
static void cut(tiles *t) {
    double work = 2.0 * (double)t->c->rows * (double)t->c->cols * (double)t->a->cols;
    t->down = t->across = 1;
    while (is_worth(work, t->down * t->across)) {
        ptrdiff_t rows = t->c->rows / t->down, cols = t->c->cols / t->across;
        if (rows < 64 && cols < 128) break;
        if (rows * 2 > cols)
            t->down *= 2;
        else
            t->across *= 2;
    }
}

bool lh_product_threads(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                        const float *bias, bool adds) {
    if (!lh_matrix_is_plain(a) || !lh_matrix_is_plain(b) || (c->cs != 1 && c->cols > 1))
        return false;
    if (!adds && lh_few_product(pool, a, b, false, c, bias)) return true;
    if (lh_pool_uses_bf16(pool) && lh_bf16_product(pool, a, b, c, bias, adds)) return true;
    tiles t = {a, b, c, bias, adds, 1, 1};
    cut(&t);
    lh_pool_run(pool, t.down * t.across, tile, &t);
    return true;
}

/* ---- nodes ---- */

bool lh_is_zero(const lh_graph *g, const lh_node *n) {
    double x;
    if (n->kind == LH_OP_given && lh_given_is_written(n->given)) n = n->given->expr;
    return lh_node_constant(g, n, &x) && x == 0;
}

const lh_node *lh_param_of(const lh_node *call, const char *name) {
    const lh_statement *fn = call->call->known;
    for (int i = 0; fn && i < fn->n_params; i++)
        if (strcmp(fn->param[i], name) == 0) return call->call->param[i];
    return NULL;
}

void lh_match_backs(const lh_node *n, lh_match *m) {
    m->n_outs = n->call->fn->n_params < LH_MAX_OUTS ? n->call->fn->n_params : LH_MAX_OUTS;
    for (int i = 0; i < m->n_outs; i++) m->out[i] = n->call->back[i];
}
