/* scope -- names, steps and the paths by which steps are found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"
#include "graph/op.h"

/* Path to step: open addressing, doubled when two thirds full. */
struct lh_path_table {
    const char **path;
    lh_step **step;
    size_t size, used;
};

static uint64_t path_hash(const char *s) {
    uint64_t h = 1469598103934665603u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static size_t path_slot(const struct lh_path_table *t, const char *path) {
    size_t i = (size_t)path_hash(path) & (t->size - 1);
    while (t->path[i] && strcmp(t->path[i], path) != 0) i = (i + 1) & (t->size - 1);
    return i;
}

static bool path_grow(lh_graph *g, size_t size) {
    struct lh_path_table old = *g->paths, *t = g->paths;
    const char **path = lh_alloc_array(g->arena, size, sizeof *path);
    lh_step **step = lh_alloc_array(g->arena, size, sizeof *step);
    if (!path || !step || lh_failed(g->ctx)) return false;
    *t = (struct lh_path_table){path, step, size, old.used};
    for (size_t i = 0; i < old.size; i++)
        if (old.path[i]) {
            size_t k = path_slot(t, old.path[i]);
            t->path[k] = old.path[i];
            t->step[k] = old.step[i];
        }
    return true;
}

void lh_path_alias(lh_graph *g, const char *path, lh_step *s) {
    if (!g->paths) g->paths = lh_alloc(g->arena, sizeof *g->paths);
    if (g->paths->used * 3 >= g->paths->size * 2 &&
        !path_grow(g, g->paths->size ? g->paths->size * 2 : 64))
        return;
    size_t i = path_slot(g->paths, path);
    if (!g->paths->path[i]) g->paths->used++;
    g->paths->path[i] = path;
    g->paths->step[i] = s;
}

lh_step *lh_graph_step(const lh_graph *g, const char *path) {
    if (!g->paths || !g->paths->size) return NULL;
    lh_step *s = g->paths->step[path_slot(g->paths, path)];
    return s && !s->is_dead ? s : NULL;
}

lh_node *lh_graph_scores(const lh_graph *g) {
    if (g->generate) return g->generate->from;
    const lh_step *s = lh_graph_step(g, "logits");
    return s ? s->node : NULL;
}

lh_scope *lh_scope_new(lh_graph *g, lh_scope_kind kind, lh_scope *parent, lh_scope *outer,
                       const char *path) {
    lh_scope *s = lh_alloc(g->arena, sizeof *s);
    *s = (lh_scope){.kind = kind, .parent = parent, .outer = outer, .path = path};
    return s;
}

lh_node *lh_scope_here(const lh_scope *s, const char *name) {
    for (int i = s->n_names - 1; i >= 0; i--)
        if (strcmp(s->name[i].name, name) == 0) return s->name[i].node;
    return NULL;
}

lh_node *lh_scope_find(const lh_scope *s, const char *name) {
    for (; s; s = s->parent) {
        lh_node *n = lh_scope_here(s, name);
        if (n) return n;
    }
    return NULL;
}

void lh_scope_bind(lh_graph *g, lh_scope *s, const char *name, lh_node *n) {
    *lh_push(g->arena, s->name, s->n_names) = (lh_name){name, n};
}

const char *lh_path(lh_graph *g, const char *path, const char *name) {
    size_t n = strlen(path), k = strlen(name);
    if (n == 0) return name;
    char *s = lh_alloc(g->arena, n + k + 2); /* there are thousands in every program */
    if (!s) return name;
    memcpy(s, path, n + 1);
    s[n] = '.';
    memcpy(s + n + 1, name, k + 1);
    return s;
}

lh_step *lh_step_new_at(lh_graph *g, lh_step_kind kind, lh_scope *s, const char *name,
                        const char *path, lh_node *n) {
    lh_step *step = lh_alloc(g->arena, sizeof *step);
    for (int i = 1; lh_graph_step(g, path) && !lh_failed(g->ctx) && i < 1000; i++) {
        const char *again = lh_printf(g->arena, "%s#%d", path, i);
        if (!lh_graph_step(g, again)) path = again;
    }
    *step = (lh_step){.id = g->n_steps,
                      .kind = kind,
                      .name = name,
                      .path = path,
                      .node = n,
                      .scope = s,
                      .at = n->at};
    n->step = step;
    *lh_push(g->arena, g->step, g->n_steps) = step;
    lh_path_alias(g, path, step);
    return step;
}

lh_step *lh_step_new(lh_graph *g, lh_step_kind kind, lh_scope *s, const char *name, lh_node *n) {
    return lh_step_new_at(g, kind, s, name, lh_path(g, s->path, name), n);
}

bool lh_node_is_result_line(const lh_node *n) {
    const lh_step *s = n->step;
    return s->kind == LH_STEP_BODY && s->scope->call && s->scope->call->call->result == n;
}

bool lh_step_is_inner(const lh_step *s) {
    return s->kind == LH_STEP_AUX || s->kind == LH_STEP_BODY || s->kind == LH_STEP_RULE ||
           s->scope->kind == LH_SCOPE_CALL || s->scope->kind == LH_SCOPE_RULE;
}

static bool is_same_letter(char x, char y) {
    return x == y || (x ^ y) == 32; /* another case alone costs nothing */
}

static int least_of(int a, int b) {
    return a < b ? a : b;
}

/* How many letters must be changed, added, left out or swapped with their neighbour to make b of a; above `limit` it does not
 * matter. */
static int distance(const char *a, const char *b, int limit) {
    enum { MOST = 61 };
    int d[MOST][MOST], n = (int)strlen(a), m = (int)strlen(b);
    if (n >= MOST || m >= MOST || abs(n - m) > limit) return limit + 1;
    for (int i = 0; i <= n; i++) d[i][0] = i;
    for (int j = 0; j <= m; j++) d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int cost = !is_same_letter(a[i - 1], b[j - 1]);
            d[i][j] = least_of(d[i - 1][j - 1] + cost, least_of(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
                is_same_letter(a[i - 2], b[j - 1]))
                d[i][j] = least_of(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

const char *lh_nearest(const char *word, const char *const *known, int n) {
    const char *best = NULL;
    int least = strlen(word) > 4 ? 3 : 2;
    for (int i = 0; i < n; i++) {
        int d = distance(word, known[i], least);
        if (d >= (int)strlen(word) && d > 0)
            continue; /* not a letter is left: D is not meant as A */
        if (d < least || (d == 0 && !best)) best = known[i], least = d;
    }
    return best;
}

const char *lh_scope_nearest(const lh_scope *s, const char *name) {
    const char *known[512];
    int n = 0;
    for (; s; s = s->parent)
        for (int i = 0; i < s->n_names && n < 512; i++) known[n++] = s->name[i].name;
    return lh_nearest(name, known, n);
}

/* Do the parts of the asked path occur in order in this path, the last one at its end? "h[3].P" in "h[3].H.P". */
static bool path_has_tail(const char *path, const char *tail) {
    const char *p_end = strrchr(path, '.'), *t_end = strrchr(tail, '.');
    const char *p_last = p_end ? p_end + 1 : path, *t_last = t_end ? t_end + 1 : tail;
    if (strcmp(p_last, t_last) != 0) return false;
    const char *p = path;
    for (const char *t = tail; t < t_last;) {
        size_t len = (size_t)(strchr(t, '.') - t);
        for (;; p += strcspn(p, ".") + 1) {
            if (p >= p_last) return false;
            if (strcspn(p, ".") == len && memcmp(p, t, len) == 0) break;
        }
        p += len + 1;
        t += len + 1;
    }
    return true;
}

/* Like the whole path, h[1].X for h[9].X; else like its last name. */
static const char *step_nearest(lh_graph *g, const char *tail) {
    const char **known = lh_alloc_array(g->arena, (size_t)g->n_steps + 1, sizeof *known);
    const char *last = strrchr(tail, '.') ? strrchr(tail, '.') + 1 : tail, *near = NULL;
    for (int turn = last == tail; known && turn < 2 && !near; turn++) {
        int n = 0;
        for (int i = 0; i < g->n_steps; i++)
            if (!g->step[i]->is_dead) known[n++] = turn ? g->step[i]->name : g->step[i]->path;
        near = lh_nearest(turn ? last : tail, known, n);
    }
    return near;
}

const char *lh_no_gradient(const lh_graph *g, const lh_node *of) {
    if (!g->loss) return "`backward` computes the gradient of %s, and must come first";
    if (of->given && of->given->kind == LH_CONST)
        return "%s does not learn: a const, or a param that is frozen, has no gradient";
    return "%s has no gradient: it does not affect the loss, or is computed from no param";
}

/* W where dW is asked for, or NULL */
static const lh_step *without_d(const lh_graph *g, const char *tail) {
    const char *dot = strrchr(tail, '.'), *last = dot ? dot + 1 : tail;
    if (last[0] != 'd') return NULL;
    const char *of = lh_printf(g->arena, "%.*s%s", (int)(last - tail), tail, last + 1);
    for (int i = 0; i < g->n_steps; i++)
        if (!g->step[i]->is_dead && path_has_tail(g->step[i]->path, of)) return g->step[i];
    return NULL;
}

static void fail_unknown(lh_graph *g, const char *tail) {
    const char *near = step_nearest(g, tail);
    const lh_step *of = without_d(g, tail);
    lh_fail(g->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0}, "there is no step named %s", tail);
    if (of && !g->loss)
        lh_cure(g->ctx, "`backward` computes the gradient of %s, and the program has none",
                of->path);
    else if (of)
        lh_cure(g->ctx, lh_no_gradient(g, of->node), of->path);
    else if (near)
        lh_cure(g->ctx, "did you mean %s?", near);
}

/* A shorter path is nearer: P before h[0].A.P. Two of the same depth are one too many. */
static int path_depth(const char *path) {
    int n = 0;
    for (; *path; path++) n += *path == '.';
    return n;
}

lh_step *lh_graph_find(lh_graph *g, const char *tail) {
    if (lh_failed(g->ctx)) return NULL;
    lh_step *found = lh_graph_step(g, tail), *other = NULL;
    if (found) return found;
    for (int i = 0; i < g->n_steps; i++) {
        lh_step *s = g->step[i];
        if (s->is_dead || !path_has_tail(s->path, tail)) continue;
        if (!found || path_depth(s->path) < path_depth(found->path))
            found = s, other = NULL;
        else if (path_depth(s->path) == path_depth(found->path))
            other = s;
    }
    if (!found) {
        fail_unknown(g, tail);
        return NULL;
    }
    if (other) {
        lh_fail(g->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0}, "%s is ambiguous: it could be %s or %s",
                tail, found->path, other->path);
        lh_cure(g->ctx, "write more of the path");
        return NULL;
    }
    return found;
}
