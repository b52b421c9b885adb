#include "train/matcher.h"

#include <math.h>

#include "train/floats.h"

static lh_plan *make_plan(lh_matcher *m, int threads) {
    lh_graph *g = m->g;
    int n;
    lh_node **param = lh_floats_params(m->arena, g, &n);
    if (!param) return NULL;
    return lh_fast.plan(g, &(lh_wish){.node = &g->generate->from,
                                      .n_nodes = 1,
                                      .known = param,
                                      .n_known = n,
                                      .own = &(lh_fast_wish){.threads = threads}});
}

lh_matcher *lh_matcher_new(lh_graph *g, lh_feed feed, int batch, int pad, int threads) {
    lh_arena *arena = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_matcher *m = lh_alloc(arena, sizeof *m);
    *m = (lh_matcher){.g = g, .arena = arena, .feed = feed, .pad = pad};
    if (!g->generate) {
        lh_fail(g->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                "the program does not say what gives the next token");
        lh_cure(g->ctx, "generate tokens from logits");
    } else {
        m->batch = feed.make(feed.from, batch);
        m->plan = make_plan(m, threads);
    }
    if (m->plan) lh_fast.start(m->plan), lh_fast.training(m->plan, false);
    if (!lh_failed(g->ctx)) return m;
    lh_matcher_free(m);
    return NULL;
}

void lh_matcher_free(lh_matcher *m) {
    if (!m) return;
    lh_fast.free(m->plan);
    lh_drawn_free(m->batch);
    lh_arena_free(m->arena);
}

int lh_matcher_says(const lh_matcher *m, int example, int row) {
    const lh_node *from = m->g->generate->from;
    const int n = lh_fast.sizes(m->plan, from, example).cols;
    int best = 0;
    double high = lh_fast.get(m->plan, from, (lh_cell){example, 0, row, 0});
    for (int c = 1; c < n; c++) {
        const double x = lh_fast.get(m->plan, from, (lh_cell){example, 0, row, c});
        if (x > high) high = x, best = c;
    }
    return best;
}

static bool is_right(const lh_matcher *m, int example, const int *target) {
    for (int r = 0; r < m->batch->rows[example]; r++)
        if (target[r] != m->pad && lh_matcher_says(m, example, r) != target[r]) return false;
    return true;
}

double lh_matched_share(const lh_matched *m) {
    return m->all ? (double)m->right / m->all : NAN;
}

lh_matched lh_matcher_count(lh_matcher *m, const lh_plan *trained, int most) {
    lh_matched found = {0, 0};
    const int batches = (most + m->batch->most - 1) / m->batch->most;
    lh_floats_copy(m->plan, trained, m->g);
    for (int i = 0; i < batches; i++) {
        const int n = m->feed.held_out(m->feed.from, i, batches, m->batch);
        const int *target = m->batch->target;
        if (!n) break;
        lh_fast.feed(m->plan, &m->batch->batch);
        lh_fast.run(m->plan);
        if (lh_failed(m->g->ctx)) break;
        for (int e = 0; e < n; target += m->batch->rows[e++]) found.right += is_right(m, e, target);
        found.all += n;
    }
    return found;
}
