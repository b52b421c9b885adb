#include "learn/mistakes.h"

#include <string.h>

#include "base/embedded.h"
#include "explain/trace.h"
#include "graph/build.h"
#include "graph/op.h"

enum { MAX_CHOICES = 32 };

static void take_all(lh_mistakes *m, const lh_program *p) {
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind != LH_S_MISTAKE) continue;
        bool is_same = s->choice && strcmp(s->choice, "same") == 0;
        *lh_push(m->arena, m->mistake, m->n) = (lh_mistake){.name = s->name,
                                                            .says = s->says,
                                                            .see = s->see,
                                                            .where = s->where,
                                                            .of = s->of,
                                                            .choice = is_same ? NULL : s->choice,
                                                            .is_same = is_same,
                                                            .from = (const lh_expr *const *)s->from,
                                                            .to = (const lh_expr *const *)s->to,
                                                            .n_rules = s->n_rules};
    }
}

void lh_mistakes_free(lh_mistakes *m) {
    if (!m) return;
    lh_program_free(m->program);
    lh_arena_free(m->arena);
}

lh_mistakes *lh_mistakes_load(lh_context *ctx, const lh_program *own) {
    if (lh_failed(ctx)) return NULL;
    lh_arena *a = lh_arena_new(ctx);
    if (!a) return NULL;
    lh_mistakes *m = lh_alloc(a, sizeof *m);
    const lh_embedded *e = lh_embedded_find("mistakes.lh");
    *m = (lh_mistakes){.arena = a, .program = lh_program_parse(ctx, e->name, e->text, e->length)};
    if (m->program) take_all(m, m->program);
    if (own) take_all(m, own);
    if (!lh_failed(ctx)) return m;
    lh_mistakes_free(m);
    return NULL;
}

const lh_mistake *lh_mistakes_find(const lh_mistakes *m, const char *name) {
    for (int i = m->n - 1; i >= 0; i--) /* a lesson's own comes before the catalogue's */
        if (strcmp(m->mistake[i].name, name) == 0) return &m->mistake[i];
    return NULL;
}

void lh_mistakes_refuse(lh_context *ctx, const lh_mistakes *m, const char *name) {
    lh_arena *a = lh_arena_new(ctx);
    const char **known = a ? lh_alloc_array(a, (size_t)m->n + 1, sizeof *known) : NULL,
               *near = NULL;
    for (int i = 0; known && i < m->n; i++) known[i] = m->mistake[i].name;
    if (known) near = lh_nearest(name, known, m->n);
    lh_fail(ctx, LH_ERROR_NAME, (lh_place){0, 0, 0}, "there is no mistake named %.60s", name);
    if (near)
        lh_cure(ctx, "did you mean %s?", near);
    else
        lh_cure(ctx, "`longhand mistakes` lists them");
    lh_arena_free(a);
}

/* ---- where a mistake can be made ---- */

typedef struct finder {
    lh_graph *g;
    lh_arena *a;
    lh_step **owner; /* for each node: the step a learner writes in whose formula it stands */
    lh_candidate *list;
    int n;
} finder;

static void own(lh_step **owner, const lh_node *n, lh_step *by, bool is_whole, int depth) {
    if (owner[n->id] || depth > 400) return;
    if (n->step && !lh_step_is_inner(n->step) && !is_whole) return;
    owner[n->id] = by;
    for (int i = 0; i < n->n_in; i++) own(owner, n->in[i], by, false, depth + 1);
    if (n->kind == LH_OP_call) own(owner, n->call->result, by, false, depth + 1);
}

lh_step **lh_owners(const lh_graph *g, lh_arena *a) {
    lh_step **owner = lh_alloc_array(a, (size_t)g->n_nodes + 1, sizeof *owner);
    for (int i = 0; owner && i < g->n_steps; i++)
        if (!g->step[i]->is_dead && !lh_step_is_inner(g->step[i]))
            own(owner, g->step[i]->node, g->step[i], true, 0);
    return owner;
}

static bool is_call_of(const lh_scope *s, lh_scope_kind kind, const char *fn) {
    return s->kind == kind && s->call && s->call->call && strcmp(s->call->call->fn->name, fn) == 0;
}

/* Does the place of a mistake allow this line? A gradient that a rule made has its formula in the rule's scope. */
static bool place_allows(const lh_mistake *m, const lh_step *s) {
    if (!m->where) return true;
    if (strcmp(m->where, "in") == 0)
        return is_call_of(s->scope, LH_SCOPE_CALL, m->of) && s->kind == LH_STEP_BODY;
    if (strcmp(m->where, "in grad") == 0) return is_call_of(s->node->scope, LH_SCOPE_RULE, m->of);
    if (strcmp(m->where, "forward") == 0)
        return s->kind == LH_STEP_FORWARD ||
               (s->kind == LH_STEP_BODY && s->scope->kind == LH_SCOPE_CALL);
    if (strcmp(m->where, "backward") == 0)
        return s->kind == LH_STEP_GRADIENT || s->kind == LH_STEP_PART;
    return s->kind == LH_STEP_UPDATE;
}

static lh_rewrite rewrite_for(const lh_mistake *m, int rule, const lh_step *line, int match,
                              int chosen, bool look) {
    return (lh_rewrite){.path = line->path,
                        .from = m->from[rule],
                        .to = m->to[rule],
                        .candidate = match,
                        .choice = m->choice,
                        .chosen = chosen,
                        .look = look};
}

static void add(finder *f, const lh_mistake *m, lh_step *line, const lh_rewrite *rewrites, int n,
                int chosen) {
    lh_step *step = f->owner[line->node->id];
    if (!step) return;
    lh_candidate *c = lh_push(f->a, f->list, f->n);
    *c =
        (lh_candidate){.mistake = m, .step = step, .line = line, .chosen = chosen, .n_rewrites = n};
    memcpy(c->rewrite, rewrites, (size_t)n * sizeof *rewrites);
}

static int choices_for(const lh_graph *g, const lh_mistake *m) {
    int n = 1;
    if (!m->choice) return 1;
    for (int i = 0; i < g->n_vocabs; i++)
        if (g->vocab[i]->n_words > n) n = g->vocab[i]->n_words;
    for (int e = 0; e < g->n_examples; e++)
        for (int k = 0; k < g->n_inputs; k++)
            if (g->example[e]->value[k].rows > n) n = g->example[e]->value[k].rows;
    return n < MAX_CHOICES ? n : MAX_CHOICES;
}

static int find_rule(finder *f, const lh_mistake *m, int rule, lh_step *line, bool look) {
    lh_rewrite probe = rewrite_for(m, rule, line, 0, 0, look);
    int matches = lh_rewrite_matches(f->g, line, &probe);
    for (int k = 0; k < matches; k++)
        for (int c = 0; c < choices_for(f->g, m); c++) {
            lh_rewrite r = rewrite_for(m, rule, line, k, c, look);
            add(f, m, line, &r, 1, m->choice ? c : -1);
        }
    return matches;
}

/* A mistake made in one formula: each place where a pattern fits is a candidate. */
static void find_in_line(finder *f, const lh_mistake *m, lh_step *line) {
    int matches = 0;
    for (int look = 0; look < 2 && !matches; look++)
        for (int rule = 0; rule < m->n_rules; rule++) matches += find_rule(f, m, rule, line, look);
}

/* A mistake inside a function is made on every line of that call where a rule fits. */
static void find_in_call(finder *f, const lh_mistake *m, lh_step *first) {
    lh_rewrite r[LH_MAX_REWRITES];
    int n = 0;
    for (int i = first->id; i < f->g->n_steps; i++) {
        lh_step *line = f->g->step[i];
        if (line->scope != first->scope || line->kind != LH_STEP_BODY) continue;
        for (int rule = 0; rule < m->n_rules; rule++)
            for (int look = 0; look < 2 && n < LH_MAX_REWRITES; look++) {
                lh_rewrite probe = rewrite_for(m, rule, line, 0, 0, look);
                if (!lh_rewrite_matches(f->g, line, &probe)) continue;
                r[n++] = probe;
                break;
            }
    }
    for (int c = 0; n && c < choices_for(f->g, m); c++) {
        for (int i = 0; i < n; i++) r[i].chosen = c;
        add(f, m, first, r, n, m->choice ? c : -1);
    }
}

static bool is_first_line(const lh_graph *g, const lh_step *s) {
    for (int i = s->id - 1; i >= 0 && g->step[i]->id >= 0; i--) {
        if (g->step[i]->scope == s->scope && g->step[i]->kind == LH_STEP_BODY) return false;
        if (i < s->id - 200) break;
    }
    return true;
}

lh_candidate *lh_candidates(lh_graph *g, const lh_mistakes *m, lh_arena *a, int *n) {
    finder f = {.g = g, .a = a, .owner = lh_owners(g, a)};
    *n = 0;
    if (!f.owner) return NULL;
    for (int k = 0; k < m->n; k++)
        for (int i = 0; i < g->n_steps; i++) {
            lh_step *s = g->step[i];
            const lh_mistake *mistake = &m->mistake[k];
            if (s->is_dead || s->kind == LH_STEP_GIVEN || !mistake->n_rules ||
                !place_allows(mistake, s))
                continue;
            if (mistake->where && strcmp(mistake->where, "in") == 0) {
                if (is_first_line(g, s)) find_in_call(&f, mistake, s);
            } else {
                find_in_line(&f, mistake, s);
            }
        }
    *n = f.n;
    return f.list;
}

char *lh_candidate_places(lh_arena *a, const lh_mistake *m, const lh_candidate *c, int n,
                          const lh_step *but) {
    lh_text t = lh_text_new(a);
    for (int i = 0; i < n; i++) {
        bool again = c[i].mistake != m || c[i].step == but;
        for (int k = 0; k < i; k++) again |= c[k].mistake == m && c[k].step == c[i].step;
        if (!again) lh_text_add(&t, "%s%s", t.n ? " " : "", c[i].step->path);
    }
    return t.s;
}
