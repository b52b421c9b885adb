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

/* The examples of the next update into a plan. */
static void bind_next(const lh_loop *t, lh_plan *p) {
    int left = t->g->n_examples - t->next;
    lh_exact.bind(p, t->order + t->next, left < t->how.batch ? left : t->how.batch);
}

bool lh_loop_step(lh_loop *t) {
    int n = t->g->n_examples;
    if (t->how.batch) {
        bind_next(t, t->plan);
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

/* ---- moments ---- */

static void copy_given(const lh_given *given, const lh_plan *from, lh_plan *to) {
    const lh_node *n = given->node;
    if (!given->renewed || !lh_exact.has(from, n) || !lh_exact.has(to, n)) return;
    lh_sizes z = lh_exact.sizes(to, n, 0);
    for (int h = 0; h < z.heads; h++)
        for (int r = 0; r < z.rows; r++)
            for (int c = 0; c < z.cols; c++)
                lh_exact.set(to, n, (lh_cell){0, h, r, c},
                             lh_exact.get(from, n, (lh_cell){0, h, r, c}));
}

void lh_loop_copy(const lh_loop *t, lh_plan *to) {
    for (int i = 0; i < t->g->n_givens && !lh_failed(t->g->ctx); i++)
        copy_given(t->g->given[i], t->plan, to);
}

bool lh_moments_open(lh_moments *m, lh_graph *g, const lh_loop_how *how, lh_node **node,
                     int n_nodes, bool learns) {
    bool has_batches = learns && how && how->batch > 0 && how->batch < g->n_examples;
    *m = (lh_moments){.g = g, .step = -1};
    m->plan = lh_exact.plan(
        g, &(lh_wish){.node = node, .n_nodes = n_nodes, .updates = learns && !has_batches});
    if (m->plan) lh_exact.start(m->plan), lh_exact.bind(m->plan, NULL, 0);
    if (m->plan && has_batches) m->loop = lh_loop_new(g, how);
    if (!lh_failed(g->ctx)) return true;
    lh_moments_close(m);
    return false;
}

static void show_learned(lh_moments *m, int step) {
    lh_loop_copy(m->loop, m->plan);
    lh_exact.at_step(m->plan, step);
    lh_exact.run(m->plan);
    m->step = step;
}

bool lh_moments_to(lh_moments *m, int step) {
    const lh_context *ctx = m->g->ctx;
    while (m->loop && m->loop->step < step && lh_loop_step(m->loop)) {}
    if (m->loop && !lh_failed(ctx)) show_learned(m, step);
    for (; !m->loop && m->step < step && !lh_failed(ctx); m->step++) {
        if (m->step >= 0) lh_exact.commit(m->plan);
        lh_exact.run(m->plan);
    }
    return !lh_failed(ctx);
}

bool lh_moments_batch(lh_moments *m) {
    if (!m->loop) return true;
    bind_next(m->loop, m->plan);
    show_learned(m, m->step);
    return !lh_failed(m->g->ctx);
}

void lh_moments_close(lh_moments *m) {
    if (m->plan) lh_exact.free(m->plan);
    lh_loop_free(m->loop);
    m->plan = NULL;
    m->loop = NULL;
}
