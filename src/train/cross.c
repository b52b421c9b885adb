#include "train/cross.h"

#include <math.h>
#include <string.h>

static const lh_place nowhere = {0, 0, 0};

/* The attention weights of a call that looks from the growing input at another. */
static bool is_cross(const lh_graph *g, const lh_step *s) {
    const lh_node *call = s->scope->call, *n = s->node;
    if (s->kind != LH_STEP_BODY || strcmp(s->name, "P") != 0 || !call || !call->call) return false;
    if (strcmp(call->call->fn->name, "attention") != 0) return false;
    const int grows = g->generate->input, from = g->axis[n->shape.rows].input,
              to = g->axis[n->shape.cols].input;
    return from == grows && to >= 0 && to != grows;
}

static lh_node **find_nodes(lh_arena *a, const lh_graph *g, int *n) {
    lh_node **list = lh_alloc_array(a, (size_t)g->n_steps + 1, sizeof *list);
    *n = 0;
    for (int i = 0; list && i < g->n_steps; i++)
        if (is_cross(g, g->step[i])) list[(*n)++] = g->step[i]->node;
    if (list) list[*n] = g->generate->from;
    return list;
}

/* Before the answer's last token: what stands before it, and all but that token. What should follow is not read. */
static void feed(lh_arena *a, const lh_graph *g, lh_plan *p, const lh_asked *q) {
    const int n = q->n_given + q->n_answer - 1;
    const size_t inputs = (size_t)g->n_inputs;
    int *token = lh_alloc_array(a, (size_t)n + 1, sizeof *token);
    const int **rows = lh_alloc_array(a, inputs, sizeof *rows);
    const int **tokens = lh_alloc_array(a, inputs, sizeof *tokens);
    if (!token || !rows || !tokens) return;
    memcpy(token, q->given, (size_t)q->n_given * sizeof *token);
    memcpy(token + q->n_given, q->answer, (size_t)(q->n_answer - 1) * sizeof *token);
    for (int i = 0; i < g->n_inputs; i++) {
        const bool is_source = q->source && i < g->generate->input;
        rows[i] = is_source ? &q->n_source : &n;
        tokens[i] = is_source ? q->source : token;
    }
    lh_exact.feed(p, &(lh_batch){.examples = 1, .rows = rows, .tokens = tokens});
}

/* log softmax of a row, at one token. */
static double log_probability(const lh_plan *p, const lh_node *from, int row, int token) {
    const int n = lh_exact.sizes(p, from, 0).cols;
    double high = -INFINITY, sum = 0;
    for (int c = 0; c < n; c++) high = fmax(high, lh_exact.get(p, from, (lh_cell){0, 0, row, c}));
    for (int c = 0; c < n; c++) sum += exp(lh_exact.get(p, from, (lh_cell){0, 0, row, c}) - high);
    if (!(sum > 0)) return -INFINITY;
    return lh_exact.get(p, from, (lh_cell){0, 0, row, token}) - high - log(sum);
}

static void collect(lh_cross *c, const lh_plan *p, lh_node *const *node, const lh_asked *q) {
    double *to = c->weight;
    for (int l = 0; l < c->layers; l++)
        for (int h = 0; h < c->heads; h++)
            for (int r = 0; r < c->rows; r++)
                for (int k = 0; k < c->cols; k++)
                    *to++ = lh_exact.get(p, node[l], (lh_cell){0, h, q->n_given - 1 + r, k});
    for (int r = 0; r < c->rows; r++)
        c->log_probability += log_probability(p, node[c->layers], q->n_given - 1 + r, q->answer[r]);
}

static void work(lh_cross *c, lh_arena *a, lh_graph *g, const lh_tensors *weights,
                 const lh_asked *q) {
    lh_node **node = find_nodes(a, g, &c->layers);
    lh_weights *w = lh_weights_of(g->ctx, a, g, LH_PARAM);
    if (!node || !w || !lh_weights_match(g->ctx, w, weights)) return;
    lh_plan *p = lh_exact.plan(g, &(lh_wish){.node = node, .n_nodes = c->layers + 1});
    if (!p) return;
    lh_exact.start(p);
    lh_weights_set(w, &lh_exact, p);
    lh_exact.training(p, false);
    feed(a, g, p, q);
    lh_exact.run(p);
    if (!lh_failed(g->ctx) && c->layers) c->heads = lh_exact.sizes(p, node[0], 0).heads;
    const size_t cells = (size_t)c->rows * (size_t)c->cols;
    c->weight =
        lh_alloc_array(a, (size_t)c->layers * (size_t)c->heads * cells + 1, sizeof *c->weight);
    if (!lh_failed(g->ctx) && c->weight) collect(c, p, node, q);
    lh_exact.free(p);
}

lh_cross *lh_cross_new(lh_arena *a, lh_graph *g, const lh_tensors *weights, const lh_asked *q) {
    if (lh_failed(g->ctx)) return NULL;
    lh_cross *c = lh_alloc(a, sizeof *c);
    *c = (lh_cross){.rows = q->n_answer, .cols = q->n_source};
    if (!g->generate)
        lh_fail(g->ctx, LH_ERROR_VALUE, nowhere, "the program does not say what is generated");
    else
        work(c, a, g, weights, q);
    return lh_failed(g->ctx) ? NULL : c;
}

double lh_cross_mean(const lh_cross *c, int layer, int row, int col) {
    const double *from =
        c->weight +
        (((size_t)layer * (size_t)c->heads * (size_t)c->rows) + (size_t)row) * (size_t)c->cols +
        (size_t)col;
    double sum = 0;
    for (int h = 0; h < c->heads; h++) sum += from[(size_t)h * (size_t)c->rows * (size_t)c->cols];
    return sum / c->heads;
}
