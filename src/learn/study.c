#include "learn/study.h"

#include <string.h>

#include "explain/explain.h"

static void add_way(lh_arena *a, lh_study *s, lh_graph *g, const lh_plan *plan,
                    const lh_candidate *c) {
    lh_effect *e = lh_effect_new(g, plan, c);
    if (!e) return;
    const char *path = c->rewrite[0].path;
    const lh_step *should = lh_graph_step(g, path), *is = lh_graph_step(e->g, path);
    *lh_push(a, s->way, s->n) =
        (lh_way){.how = c,
                 .line = lh_printf(a, "%s", path),
                 .right = should ? lh_step_formula(g, should) : "",
                 .wrong = is ? lh_printf(a, "%s", lh_step_formula(e->g, is)) : "",
                 .step = e->step,
                 .at = e->at,
                 .should_be = e->should_be,
                 .is = e->is,
                 .is_other_shape = e->is_other_shape};
    lh_effect_free(e);
}

lh_study lh_study_of(lh_arena *a, lh_graph *g, const lh_plan *plan, const lh_mistakes *m) {
    lh_study s = {0};
    int n;
    lh_candidate *c = lh_candidates(g, m, a, &n);
    for (int i = 0; i < n && !lh_failed(g->ctx); i++) add_way(a, &s, g, plan, &c[i]);
    return s;
}

int lh_study_count(const lh_study *s, const lh_mistake *m) {
    int n = 0;
    for (int i = 0; i < s->n; i++) n += s->way[i].how->mistake == m;
    return n;
}

bool lh_way_is_repeated(const lh_study *s, int i) {
    const lh_way *w = &s->way[i];
    for (int k = 0; k < s->n; k++) {
        const lh_way *o = &s->way[k];
        if (k == i || o->how->mistake != w->how->mistake || o->how->chosen < 0 ||
            strcmp(o->line, w->line) != 0)
            continue;
        if (o->step && (!w->step || k < i)) return true;
        if (!o->step && !w->step && k < i) return true;
    }
    return false;
}

const char *lh_way_text(lh_arena *a, const lh_way *w) {
    const size_t n = strlen(w->line);
    const bool is_update = n > 2 && strcmp(w->line + n - 2, ":=") == 0;
    return lh_printf(a, "%s%s %s, not %s", w->line, is_update ? "" : " =", w->wrong, w->right);
}
