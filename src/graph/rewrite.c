/* rewrite -- pattern => pattern on the formula of one step: how a mistake is made on purpose.
 *
 *     a / sqrt(cols(k)) => a           Z = S / sqrt(cols(K))   becomes   Z = S
 *
 * A pattern is an expression. Its letters stand for operands, the same letter for the same operand:
 *     w b g       given or learned matrices
 *     a c d x y   computed values
 *     u           computed values that have a name of their own
 *     any other   anything
 * Matching looks inside unnamed values, and with `look` through the names of steps too. A part of the pattern that such a step
 * stands for, and that is also on the right side, stays that step: in x * s(x) * y => x * s(x) + y the gate x * s(x) is read, not
 * worked out again.
 */
#include <string.h>

#include "graph/build.h"
#include "graph/op.h"

typedef struct rewrite {
    lh_builder *b;
    const lh_rewrite *rule;
    const char *letter[32];
    lh_node *stands[32];
    int n_letters;
    const lh_expr *part[32]; /* of the pattern that a step stands for, */
    lh_node *step[32];       /* and that step */
    int n_parts;
    int seen; /* matches so far */
    bool is_done;
} rewrite;

static bool is_given(const lh_node *n) {
    return n->kind == LH_OP_given || n->kind == LH_OP_renew || n->kind == LH_OP_matrix;
}

static bool is_number(const lh_node *n) {
    return n->kind == LH_OP_number || n->kind == LH_OP_size || n->kind == LH_OP_rows ||
           n->kind == LH_OP_cols;
}

/* Heads that the graph stretched of itself: no formula says so, and building a formula does it again. */
static bool is_stretch(const lh_node *n) {
    return n->kind == LH_OP_repeatheads && n->index[1] && !n->step;
}

static bool letter_allows(const char *letter, const lh_node *n) {
    if (strchr("wbg", letter[0])) return is_given(n);
    if (strchr("acdxyu", letter[0]))
        return !is_given(n) && !is_number(n) && (letter[0] != 'u' || n->step);
    return true;
}

/* The same operand: one node, or the same formula written twice. */
static bool same_node(const lh_node *a, const lh_node *b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->n_in != b->n_in || (a->step && b->step)) return false;
    if (a->n_in == 0) return a->kind == LH_OP_number && a->number == b->number;
    for (int i = 0; i < a->n_in; i++)
        if (!same_node(a->in[i], b->in[i])) return false;
    return true;
}

static bool match_letter(rewrite *w, const char *letter, lh_node *n) {
    while (is_stretch(n)) n = n->in[0];
    for (int i = 0; i < w->n_letters; i++)
        if (strcmp(w->letter[i], letter) == 0) return same_node(w->stands[i], n);
    if (w->n_letters == 32 || !letter_allows(letter, n)) return false;
    w->letter[w->n_letters] = letter;
    w->stands[w->n_letters++] = n;
    return true;
}

static lh_op_id op_of_expr(const lh_expr *e) {
    switch (e->kind) {
    case LH_E_NEG: return LH_OP_neg;
    case LH_E_TRANSPOSE: return LH_OP_transpose;
    case LH_E_CALL: return lh_op_find(e->text);
    default: return lh_op_infix(e->kind);
    }
}

static bool match(rewrite *w, const lh_expr *p, lh_node *n, bool is_root);

static bool match_all(rewrite *w, const lh_expr *p, lh_node *const *in, int n) {
    if (p->n_args > n) return false;
    for (int i = 0; i < p->n_args; i++)
        if (!match(w, p->arg[i], in[i], false)) return false;
    return true;
}

static bool match(rewrite *w, const lh_expr *p, lh_node *n, bool is_root) {
    if (p->kind == LH_E_NAME) {
        if (strcmp(p->text, "inf") == 0) return n->kind == LH_OP_number && n->number > 1e308;
        if (strcmp(p->text, "target") == 0) return n->step && strcmp(n->step->name, "target") == 0;
        return match_letter(w, p->text, n);
    }
    bool is_open = is_root || !n->step || n->step->kind == LH_STEP_AUX || w->rule->look;
    if (!is_open) return false;
    if (!is_root && n->step && n->step->kind != LH_STEP_AUX && w->n_parts < 32)
        w->part[w->n_parts] = p, w->step[w->n_parts++] = n;
    while ((n->kind == LH_OP_same && n->n_in == 1) || is_stretch(n)) n = n->in[0];
    switch (p->kind) {
    case LH_E_NUMBER: return n->kind == LH_OP_number && n->number == p->number;
    case LH_E_ROW:
        if (p->arg[1]->kind == LH_E_LAST)
            return n->kind == LH_OP_last && match(w, p->arg[0], n->in[0], false);
        return (n->kind == LH_OP_row || n->kind == LH_OP_lookup) && match_all(w, p, n->in, n->n_in);
    case LH_E_CALL:
        if (n->kind == LH_OP_call && strcmp(n->call->fn->name, p->text) == 0)
            return match_all(w, p, n->in, n->n_in);
        break;
    default: break;
    }
    lh_op_id op = op_of_expr(p);
    return op < LH_N_OPS && n->kind == op && (p->n_args == n->n_in) &&
           match_all(w, p, n->in, n->n_in);
}

/* The right side, with the names of steps in place of the parts that they stand for. */
static const lh_expr *with_steps(rewrite *w, lh_scope *letters, const lh_expr *e) {
    lh_arena *a = w->b->g->arena;
    lh_expr *copy = lh_alloc(a, sizeof *copy);
    *copy = *e;
    for (int i = 0; i < w->n_parts; i++)
        if (lh_expr_same(e, w->part[i])) {
            *copy = (lh_expr){.kind = LH_E_NAME, .at = e->at, .height = 1};
            copy->text = lh_printf(a, "step %d", i);
            lh_scope_bind(w->b->g, letters, copy->text, w->step[i]);
            return copy;
        }
    copy->arg = lh_alloc_array(a, (size_t)e->n_args + 1, sizeof *copy->arg);
    for (int i = 0; i < e->n_args && copy->arg; i++)
        copy->arg[i] = (lh_expr *)with_steps(w, letters, e->arg[i]);
    return copy->arg ? copy : e;
}

/* The right side, with the letters put in. */
static lh_node *replacement(rewrite *w, const char *path) {
    lh_builder *b = w->b;
    lh_scope *here = b->scope;
    lh_scope *letters = lh_scope_new(b->g, LH_SCOPE_REPEAT, here, here, here->path);
    for (int i = 0; i < w->n_letters; i++) lh_scope_bind(b->g, letters, w->letter[i], w->stands[i]);
    if (w->rule->choice)
        lh_scope_bind(b->g, letters, w->rule->choice, lh_number(b->g, w->rule->chosen, NULL));
    const lh_expr *to = w->n_parts ? with_steps(w, letters, w->rule->to) : w->rule->to;
    b->scope = letters;
    b->inside++;
    lh_node *n = lh_build_expr(b, to, path, false);
    b->inside--;
    b->scope = here;
    return n;
}

/* The lines of a call, and of calls inside it, are no steps any more: their names are free for another. */
static void forget_lines(lh_graph *g, const lh_node *call) {
    for (int i = 0; i < g->n_steps; i++) {
        const lh_scope *s = g->step[i]->scope;
        while (s && s != call->call->scope) s = s->outer;
        if (!s) continue;
        g->step[i]->is_dead = true;
        g->step[i]->node->step = NULL;
    }
}

/* A copy of n whose operand i is another. The lines of a call have its names from now on: h[0].A.Q is what the new one reads. */
static lh_node *with_operand(rewrite *w, lh_node *n, int i, lh_node *other) {
    lh_graph *g = w->b->g;
    lh_node **in = lh_alloc_array(g->arena, (size_t)n->n_in, sizeof *in);
    if (!in) return n;
    memcpy(in, n->in, (size_t)n->n_in * sizeof *in);
    in[i] = other;
    if (n->kind == LH_OP_call) {
        bool *standard = lh_alloc_array(g->arena, (size_t)n->n_in, sizeof *standard);
        if (!standard) return n;
        memcpy(standard, n->call->is_standard, (size_t)n->n_in * sizeof *standard);
        standard[i] = false;
        for (int k = 0; k < n->n_in; k++)
            if (standard[k]) in[k] = NULL; /* worked out anew: it may read what changed */
        forget_lines(g, n);
        return lh_call_node(w->b, n->call->fn, in, standard, n->call->scope->path);
    }
    if (n->kind == LH_OP_place) return lh_place_node(g, in[0], in[1], n->index[0], n->index[1]);
    return lh_op_node(g, n->kind, n->n_in, in);
}

/* In a line of a function: an operand of the call, whose formula stands where the function is called. */
static bool is_operand(const rewrite *w, const lh_node *n) {
    return n->kind != LH_OP_call && n->step->scope == w->b->scope &&
           w->b->scope->kind == LH_SCOPE_CALL;
}

static lh_node *rewritten(rewrite *w, lh_node *n, const char *path, bool is_root) {
    if (w->is_done || lh_failed(w->b->g->ctx)) return n;
    bool is_elsewhere = n->step && (n->step->kind != LH_STEP_AUX || is_operand(w, n));
    if (!is_root && is_elsewhere) return n; /* another step's formula */
    w->n_letters = w->n_parts = 0;
    if (match(w, w->rule->from, n, is_root) && w->seen++ == w->rule->candidate) {
        w->is_done = true;
        return replacement(w, path);
    }
    for (int i = 0; i < n->n_in && !w->is_done; i++) {
        if (!lh_op_reads(n, i) && n->kind != LH_OP_call) continue; /* only its size counts */
        lh_node *other = rewritten(w, n->in[i], path, false);
        if (other != n->in[i]) return with_operand(w, n, i, other);
    }
    return n;
}

lh_node *lh_apply_rewrites(lh_builder *b, const char *path, lh_node *n) {
    const lh_build *how = b->how;
    for (int i = 0; i < how->n_rewrites; i++) {
        if (strcmp(how->rewrite[i].path, path) != 0) continue;
        rewrite w = {.b = b, .rule = &how->rewrite[i]};
        lh_node *new = rewritten(&w, n, path, true);
        if (w.is_done) b->n_rewritten++;
        n = new;
    }
    return n;
}

/* How many places of a step's formula a pattern fits. */
int lh_rewrite_matches(lh_graph *g, const lh_step *s, const lh_rewrite *rule) {
    lh_build how = {0};
    lh_builder b = {.g = g, .how = &how, .scope = s->scope};
    lh_rewrite probe = *rule;
    probe.candidate = -1;
    rewrite w = {.b = &b, .rule = &probe};
    rewritten(&w, s->node, s->path, true);
    return w.seen;
}
