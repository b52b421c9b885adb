#include "train/loop.h"

#include <math.h>

#include "base/random.h"

bool lh_loop_learns(const lh_graph *g) {
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->renewed) return true;
    return false;
}

/* Fisher and Yates, with numbers by counter: the order depends on the seed and the epoch alone. */
static void arrange(lh_loop *t) {
    int n = t->g->n_examples;
    for (int i = 0; i < n; i++) t->order[i] = i;
    for (int i = n - 1; t->how.shuffle && i > 0; i--) {
        double u = lh_random_uniform(
            (lh_random_place){.seed = t->how.seed, .step = (uint32_t)t->epoch, .row = (uint32_t)i});
        int k = (int)(u * (i + 1)), old = t->order[i];
        t->order[i] = t->order[k];
        t->order[k] = old;
    }
    t->next = 0;
}

lh_loop *lh_loop_new(lh_graph *g, const lh_loop_how *how) {
    lh_arena *arena = lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_loop *t = lh_alloc(arena, sizeof *t);
    *t = (lh_loop){.g = g, .how = *how, .arena = arena};
    t->order = lh_alloc_array(arena, (size_t)g->n_examples + 1, sizeof *t->order);
    int n = 0;
    lh_node **wanted = lh_alloc_array(arena, (size_t)g->n_givens + 1, sizeof *wanted);
    if (t->order && wanted) {
        if (g->loss) wanted[n++] = g->loss;
        for (int i = 0; i < g->n_givens; i++)
            if (g->given[i]->gradient) wanted[n++] = g->given[i]->gradient->node;
        arrange(t);
        t->plan = lh_exact.plan(g, &(lh_wish){.updates = true, .node = wanted, .n_nodes = n});
    }
    if (t->plan) {
        lh_exact.start(t->plan);
        if (how->batch <= 0 || how->batch >= g->n_examples) t->how.batch = 0;
        if (!t->how.batch) lh_exact.bind(t->plan, NULL, 0);
    }
    if (!lh_failed(g->ctx)) return t;
    lh_loop_free(t);
    return NULL;
}

void lh_loop_free(lh_loop *t) {
    if (!t) return;
    lh_exact.free(t->plan);
    lh_arena_free(t->arena);
}

static double mean_over_batch(const lh_loop *t, const lh_node *n, lh_cell at) {
    int count = n->shape.is_batched ? lh_exact.examples(t->plan) : 1;
    double sum = 0;
    for (at.example = 0; at.example < count; at.example++) sum += lh_exact.get(t->plan, n, at);
    return sum / count;
}

static double gradient_norm(const lh_loop *t) {
    double sum = 0;
    for (int i = 0; i < t->g->n_givens; i++) {
        if (!t->g->given[i]->gradient) continue;
        const lh_node *n = t->g->given[i]->gradient->node;
        lh_sizes s = lh_exact.sizes(t->plan, n, 0);
        for (int r = 0; r < s.rows; r++)
            for (int c = 0; c < s.cols; c++) {
                double d = mean_over_batch(t, n, (lh_cell){0, 0, r, c});
                sum += d * d;
            }
    }
    return sqrt(sum);
}

bool lh_loop_step(lh_loop *t) {
    int n = t->g->n_examples;
    if (t->how.batch) {
        int left = n - t->next;
        lh_exact.bind(t->plan, t->order + t->next, left < t->how.batch ? left : t->how.batch);
        t->next += t->how.batch;
    }
    lh_exact.run(t->plan);
    if (lh_failed(t->g->ctx)) return false;
    t->loss = t->g->loss ? mean_over_batch(t, t->g->loss, (lh_cell){0, 0, 0, 0}) : 0;
    t->norm = gradient_norm(t);
    lh_exact.commit(t->plan);
    t->step++;
    if (!t->how.batch || t->next >= n) {
        t->epoch++;
        if (t->how.batch) arrange(t);
    }
    return true;
}
