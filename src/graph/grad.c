/* grad -- backward: for every step X that leads to the loss a step dX, as ordinary nodes with formulas.
 *
 * Nodes are visited from the loss back. What the users of a node send back are its contributions; their sum is its gradient,
 * which its operation (or the rule of its call) sends on to its operands:
 *
 *     Q = X @ WQ   K = X @ WK        dX.Q = dQ @ WQ^T   dX.K = dK @ WK^T   dX = dX.Q + dX.K
 *
 * backward of a value that exists once for each example makes gradients that do, too: only `average` and `total` of the
 * program bring them together. backward of one number for all examples sums over examples where a param is reached.
 */
#include <string.h>

#include "graph/grad.h"

/* Params want a gradient, and every computed step; numbers, words and consts do not. */
static void find_wants(lh_backward *w) {
    for (int i = 0; i < w->n; i++) {
        const lh_node *n = w->g->node[i];
        if (n->is_discrete) continue;
        if (n->kind == LH_OP_given) {
            w->wants[i] = n->given->kind == LH_PARAM;
            continue;
        }
        bool any = n->step && (n->step->kind == LH_STEP_FORWARD) && n->n_in > 0;
        any |= n->step && n->step->kind == LH_STEP_FORWARD && n->kind == LH_OP_zeros;
        for (int k = 0; k < n->n_in && !any; k++) any = w->wants[n->in[k]->id];
        if (n->kind == LH_OP_call && w->wants[n->call->result->id]) any = true;
        w->wants[i] = any;
    }
}

/* From the loss back: which nodes lead to it. */
static void find_leads(lh_backward *w) {
    w->leads[w->root->id] = true;
    for (int i = w->root->id; i >= 0; i--) {
        const lh_node *n = w->g->node[i];
        if (!w->leads[i] || !w->wants[i]) continue;
        if (n->kind == LH_OP_call) w->leads[n->call->result->id] = true;
        for (int k = 0; k < n->n_in; k++) w->leads[n->in[k]->id] = true;
    }
}

static bool is_in_body(const lh_node *n, const lh_node *call) {
    for (const lh_scope *s = n->scope; s; s = s->outer)
        if (s == call->call->scope) return true;
    return false;
}

/* Does anything but this call lead from the value to the loss? */
static bool has_other_user(const lh_backward *w, const lh_node *value, const lh_node *call) {
    for (int i = value->id + 1; i <= w->root->id; i++) {
        const lh_node *n = w->g->node[i];
        if (n == call || !w->leads[i] || !w->wants[i] || is_in_body(n, call)) continue;
        for (int k = 0; k < n->n_in; k++)
            if (n->in[k] == value) return true;
    }
    return false;
}

static void contribute(lh_backward *w, lh_node *to, lh_node *d, const lh_step *user,
                       const char *alias) {
    if (to->id >= w->n || !w->wants[to->id] || lh_failed(w->g->ctx)) return;
    lh_contribution *c = lh_alloc(w->g->arena, sizeof *c);
    *c = (lh_contribution){.next = w->got[to->id],
                           .node = lh_fit(w->g, d, to, w->across),
                           .user = user,
                           .alias = alias};
    lh_whole_find(w, to, c);
    w->got[to->id] = c;
}

/* d before the last part of a name: X -> dX, F.relu -> F.drelu. */
static const char *gradient_name(lh_graph *g, const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? lh_printf(g->arena, "%.*s.d%s", (int)(dot - name), name, dot + 1)
               : lh_printf(g->arena, "d%s", name);
}

/* Give a node a name of the given kind; a node that has one gets another of its own. */
static lh_step *name_node(lh_backward *w, lh_step_kind kind, lh_scope *scope, const char *name,
                          lh_node *n, const char *alias) {
    lh_graph *g = w->g;
    lh_scope *here = w->b->scope;
    w->b->scope = scope;
    n = lh_apply_rewrites(w->b, lh_path(g, scope->path, name), n);
    bool is_theirs = n->step || n->id < w->n; /* part of a formula of the program: 1 * sin(x) */
    if (is_theirs) n = lh_op1(g, LH_OP_same, n);
    w->b->scope = here;
    lh_step *s = lh_step_new(g, kind, scope, name, n);
    lh_scope_bind(g, scope, name, n);
    if (alias) lh_path_alias(g, alias, s);
    return s;
}

static const char *last_part(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* Parts are named after the step that uses the value; where one step uses it twice, after the operand there. */
static const char *part_label(const lh_contribution *c, bool by_operand) {
    const lh_step *user = c->user;
    if (!user) return "?";
    if (!by_operand && user->kind == LH_STEP_AUX && user->scope->call && user->scope->call->step)
        user = user->scope->call->step;
    return last_part(user->name);
}

static bool is_shared(const lh_contribution *all, const lh_contribution *c, bool by_operand) {
    for (const lh_contribution *o = all; o; o = o->next)
        if (o != c && strcmp(part_label(o, by_operand), part_label(c, by_operand)) == 0)
            return true;
    return false;
}

static const char *part_name(lh_backward *w, const lh_scope *scope, const char *name,
                             const lh_contribution *c, const lh_contribution *all) {
    const char *label = part_label(c, false);
    if (is_shared(all, c, false))
        label = is_shared(all, c, true) && c->user ? c->user->path : part_label(c, true);
    const char *first = lh_printf(w->g->arena, "%s.%s", name, label), *part = first;
    for (int i = 1; lh_scope_here(scope, part) && !lh_failed(w->g->ctx); i++)
        part = lh_printf(w->g->arena, "%s#%d", first, i); /* A * A: used twice in one place */
    return part;
}

/* The gradient of a named node: its parts, if there are several, then their sum. */
static lh_node *name_gradient(lh_backward *w, lh_node *n) {
    lh_graph *g = w->g;
    lh_step *x = n->step;
    const char *name = gradient_name(g, x->name);
    lh_contribution *all = w->got[n->id]; /* users in the order of the program */
    const lh_node *taken = lh_scope_here(x->scope, name);
    if (taken && !w->b->has_backward) { /* asked from outside: the program's own dX stays dX */
        name = lh_printf(g->arena, "%s'", name);
        taken = lh_scope_here(x->scope, name);
    }
    if (taken) {
        if (taken->step && taken->step->kind == LH_STEP_GRADIENT) {
            lh_fail(g->ctx, LH_ERROR_NAME, g->at,
                    "%s is updated above: the old and the new %s would both have a gradient %s",
                    x->name, x->name, name);
            lh_cure(g->ctx, "write %s := ... below `backward`", x->name);
            return n;
        }
        lh_place at = taken->step ? taken->step->at : g->at;
        lh_fail(g->ctx, LH_ERROR_NAME, at,
                "%s is the name of the gradient of %s, computed by `backward`", name, x->name);
        lh_cure(g->ctx, "choose another name, or leave out `backward` to write gradients by hand");
        return n;
    }
    lh_node *sum = all->node;
    const char *alias = all->alias;
    if (all->next) {
        alias = NULL;
        lh_node *first = NULL;
        for (lh_contribution *c = all; c && !lh_failed(g->ctx); c = c->next) {
            lh_step *part = name_node(w, LH_STEP_PART, x->scope,
                                      part_name(w, x->scope, name, c, all), c->node, c->alias);
            part->of = x;
            first = first ? lh_op2(g, LH_OP_add, first, part->node) : part->node;
        }
        if (first) sum = first;
    }
    lh_whole_attach(w, sum, all, true);
    if (!w->across && n->kind == LH_OP_given && !sum->shape.is_batched) {
        /* of each example its own, though all are equal: total(dW) counts them */
        sum = lh_op1(g, LH_OP_same, sum);
        sum->shape.is_batched = true;
    }
    lh_step *d = name_node(w, LH_STEP_GRADIENT, x->scope, name, sum, alias);
    d->of = x;
    x->gradient = d;
    if (n->kind == LH_OP_given) n->given->gradient = d;
    return d->node;
}

/* An unnamed node: its gradient stays inside the next formula, unless several operands need it. */
static lh_node *unnamed_gradient(lh_backward *w, lh_node *n) {
    lh_graph *g = w->g;
    lh_node *d = w->got[n->id]->node;
    int users = 0;
    for (int k = 0; k < n->n_in; k++) users += w->wants[n->in[k]->id];
    for (lh_contribution *c = w->got[n->id]->next; c; c = c->next)
        d = lh_op2(g, LH_OP_add, c->node, d);
    lh_whole_attach(w, d, w->got[n->id], false);
    if (d->step || d->n_in == 0 || users < 2 || !w->owner[n->id]) return d;
    const lh_step *owner = w->owner[n->id];
    const char *base = gradient_name(g, owner->name), *name = NULL;
    for (int i = 1; !name || lh_scope_here(owner->scope, name); i++)
        name = lh_printf(g->arena, "%s#%d", base, i);
    return name_node(w, LH_STEP_GRADIENT, owner->scope, name, d, NULL)->node;
}

/* ---- rules ---- */

typedef struct match {
    const lh_builder *b;
    const lh_statement *rule;
    bool is_own;          /* the program's rule: it may speak of functions of the prelude, too */
    const char *name[32]; /* what the names of its patterns stand for */
    lh_node *node[32];
    int n;
} match;

/* A rule of the prelude speaks of the prelude's functions: one of the same name that the program makes is another. */
static bool is_about(const match *m, const char *name, const lh_statement *fn) {
    if (strcmp(name, fn->name) != 0) return false;
    for (int i = 0; !m->is_own && i < m->b->n_own_fns; i++)
        if (m->b->fn[i] == fn) return false;
    return true;
}

static bool match_pattern(match *m, const lh_expr *pattern, lh_node *n) {
    if (m->n == 32) return false;
    if (pattern->kind == LH_E_NAME) {
        m->name[m->n] = pattern->text;
        m->node[m->n++] = n;
        return true;
    }
    if (n->kind != LH_OP_call || !is_about(m, pattern->text, n->call->fn) || n->call->is_rewritten)
        return false;
    for (int i = 0; i < pattern->n_args; i++)
        if (i >= n->n_in || !match_pattern(m, pattern->arg[i], n->in[i])) return false;
    return true;
}

static const lh_statement *rule_line(const lh_statement *rule, const char *name) {
    for (int i = 0; i < rule->n_body; i++)
        if (rule->body[i]->kind == LH_S_STEP && strcmp(rule->body[i]->name, name) == 0)
            return rule->body[i];
    return NULL;
}

/* A rule serves when its patterns fit, it says what goes back to every operand that wants a gradient, and the operands it
 * leaves out want none. */
static bool rule_serves(lh_backward *w, const lh_node *n, int k, match *m) {
    const lh_statement *rule = w->b->rule[k];
    *m = (match){.b = w->b, .rule = rule, .is_own = k < w->b->n_own_rules};
    if (!is_about(m, rule->name, n->call->fn) || rule->n_patterns > n->n_in) return false;
    for (int i = 0; i < n->n_in; i++) {
        /* a value that something else uses, too, keeps its own gradient */
        if (i < rule->n_patterns && rule->pattern[i]->kind == LH_E_CALL &&
            has_other_user(w, n->in[i], n))
            return false;
        if (i < rule->n_patterns ? !match_pattern(m, rule->pattern[i], n->in[i])
                                 : w->wants[n->in[i]->id])
            return false;
    }
    for (int i = 0; i < m->n; i++)
        if (w->wants[m->node[i]->id] && !rule_line(rule, lh_printf(w->g->arena, "d%s", m->name[i])))
            return false;
    return true;
}

static bool is_nested(const lh_statement *rule) {
    for (int i = 0; i < rule->n_patterns; i++)
        if (rule->pattern[i]->kind == LH_E_CALL) return true;
    return false;
}

static bool find_rule(lh_backward *w, const lh_node *n, match *m) {
    if (w->b->how->ignore_rules || n->call->is_rewritten) return false;
    const lh_builder *b = w->b;
    for (int own = 1; own >= 0; own--)
        for (int nested = 1; nested >= 0; nested--)
            for (int i = own ? 0 : b->n_own_rules; i < (own ? b->n_own_rules : b->n_rules); i++)
                if (is_nested(b->rule[i]) == nested && rule_serves(w, n, i, m)) return true;
    return false;
}

/* Which lines of the rule are needed for the gradients that are wanted. */
static void need(const lh_statement *rule, const lh_expr *e, bool *needed) {
    if (e->kind == LH_E_NAME)
        for (int i = 0; i < rule->n_body; i++)
            if (rule->body[i]->kind == LH_S_STEP && strcmp(rule->body[i]->name, e->text) == 0 &&
                !needed[i]) {
                needed[i] = true;
                need(rule, rule->body[i]->expr, needed);
            }
    for (int i = 0; i < e->n_args; i++) need(rule, e->arg[i], needed);
}

static lh_scope *rule_scope(lh_backward *w, lh_node *n, const match *m, lh_node *dy) {
    lh_graph *g = w->g;
    const lh_call *call = n->call;
    lh_scope *s =
        lh_scope_new(g, LH_SCOPE_RULE, NULL, n->scope, lh_path(g, call->scope->path, "grad"));
    s->call = n;
    for (int i = 0; i < call->scope->n_names; i++)
        lh_scope_bind(g, s, call->scope->name[i].name, call->scope->name[i].node);
    for (int i = 0; i < m->n; i++) lh_scope_bind(g, s, m->name[i], m->node[i]);
    const lh_step *last = call->result->step;
    const char *result = last && last->scope == call->scope ? last->name : "y";
    lh_scope_bind(g, s, lh_printf(g->arena, "d%s", result), dy);
    return s;
}

static bool is_output(lh_backward *w, const match *m, const char *line, lh_node **to) {
    for (int i = 0; i < m->n; i++)
        if (line[0] == 'd' && strcmp(line + 1, m->name[i]) == 0 && w->wants[m->node[i]->id]) {
            *to = m->node[i];
            return true;
        }
    return false;
}

/* A rule of the prelude is written for operands of full size. Where a row or a number stands in for one and the lines of
 * the rule do not fit, nothing has happened yet, and the call is differentiated through its body. */
static bool give_up_rule(lh_backward *w, const match *m, int steps) {
    lh_graph *g = w->g;
    if (!lh_failed(g->ctx) || m->is_own || g->ctx->error.kind != LH_ERROR_SHAPE) return false;
    lh_context_clear(g->ctx);
    for (int i = steps; i < g->n_steps; i++) g->step[i]->is_dead = true;
    return true;
}

/* The lines of a rule in its scope; what goes back is kept in `out` until all of them are made. */
static int rule_lines(lh_backward *w, const match *m, const bool *needed, lh_contribution *out,
                      lh_node **to) {
    lh_graph *g = w->g;
    lh_builder *b = w->b;
    int n = 0;
    for (int i = 0; i < m->rule->n_body && !lh_failed(g->ctx); i++) {
        const lh_statement *s = m->rule->body[i];
        if (!needed[i]) continue;
        const char *path = lh_path(g, b->scope->path, s->name);
        lh_node *line = lh_build_expr(b, s->expr, path, true);
        line = lh_apply_rewrites(b, path, line);
        if (n < 32 && is_output(w, m, s->name, &to[n])) {
            out[n++] = (lh_contribution){.node = line, .alias = path};
        } else if (!line->step) {
            if (line->id < w->n) line = lh_op1(g, LH_OP_same, line);
            lh_step_new(g, LH_STEP_RULE, b->scope, s->name, line);
        }
        lh_scope_bind(g, b->scope, s->name, line);
    }
    return n;
}

static bool apply_rule(lh_backward *w, lh_node *n, const match *m, lh_node *dy) {
    lh_graph *g = w->g;
    lh_builder *b = w->b;
    const lh_statement *rule = m->rule;
    bool needed[64] = {false};
    lh_contribution out[32];
    lh_node *to[33];
    if (rule->n_body > 64) {
        lh_fail(g->ctx, LH_ERROR_LIMIT, rule->at, "grad %s has more than 64 lines", rule->name);
        return true;
    }
    for (int i = 0; i < rule->n_body; i++)
        if (rule->body[i]->kind == LH_S_STEP && is_output(w, m, rule->body[i]->name, &to[0])) {
            needed[i] = true;
            need(rule, rule->body[i]->expr, needed);
        }
    lh_scope *here = b->scope;
    int steps = g->n_steps;
    b->scope = rule_scope(w, n, m, dy);
    b->inside++;
    int n_out = rule_lines(w, m, needed, out, to);
    b->inside--;
    if (give_up_rule(w, m, steps)) {
        b->scope = here;
        return false;
    }
    n->call->rule = rule;
    for (int i = 0; i < n_out; i++)
        contribute(w, to[i], out[i].node, n->step ? n->step : w->owner[n->id], out[i].alias);
    b->scope = here;
    return true;
}

/* ---- the visit ---- */

static void fail_across(lh_backward *w, const lh_node *n) {
    lh_graph *g = w->g;
    lh_fail(g->ctx, LH_ERROR_SHAPE, g->at,
            "backward %s: %s exists once for each example and depends on other examples through %s",
            w->root->step->name, w->root->step->name, n->op->name);
    lh_cure(g->ctx, "use `backward` on one number for all examples: loss = average(%s)",
            w->root->step->name);
}

static void send_back(lh_backward *w, lh_node *n, lh_node *dy) {
    lh_graph *g = w->g;
    const lh_step *user = n->step ? n->step : w->owner[n->id];
    match m;
    w->visiting = n;
    if (n->kind == LH_OP_call) w->dy[n->id] = dy;
    if (n->kind == LH_OP_call && find_rule(w, n, &m) && apply_rule(w, n, &m, dy)) return;
    if (n->kind == LH_OP_call) {
        w->owner[n->call->result->id] = user;
        contribute(w, n->call->result, dy, user, NULL);
        return;
    }
    if (!w->across && (n->kind == LH_OP_total || n->kind == LH_OP_average) &&
        n->in[0]->shape.is_batched) {
        fail_across(w, n);
        return;
    }
    if (!n->op->gradient) return;
    for (int i = 0; i < n->n_in && !lh_failed(g->ctx); i++) {
        if (!w->wants[n->in[i]->id]) continue;
        if (!n->in[i]->step) w->owner[n->in[i]->id] = user;
        lh_node *d = n->op->gradient(g, n, dy, i);
        if (d) contribute(w, n->in[i], d, user, NULL);
    }
}

/* The last line of a body has the gradient of its call. */
static bool is_result_of_call(const lh_node *n) {
    const lh_step *s = n->step;
    return s && s->kind == LH_STEP_BODY && s->scope->call && s->scope->call->call &&
           s->scope->call->call->result == n;
}

static void visit(lh_backward *w, lh_node *n) {
    if (!w->got[n->id]) return;
    lh_node *dy;
    lh_scope *here = w->b->scope;
    w->b->scope = n->scope; /* formulas are written as seen from the step they go back through */
    if (!n->step)
        dy = unnamed_gradient(w, n);
    else if (is_result_of_call(n) && !w->got[n->id]->next)
        dy = w->got[n->id]->node;
    else
        dy = name_gradient(w, n);
    if (!lh_failed(w->g->ctx)) send_back(w, n, dy);
    w->b->scope = here;
}

static bool root_is_fit(lh_backward *w) {
    lh_graph *g = w->g;
    const lh_node *root = w->root;
    if (!lh_axis_is_one(g, root->shape.rows) || !lh_axis_is_one(g, root->shape.cols) ||
        !lh_axis_is_one(g, root->shape.heads)) {
        lh_fail(g->ctx, LH_ERROR_SHAPE, g->at,
                "backward %s: %s is %s, but a loss must be one number", root->step->name,
                root->step->name, lh_shape_text(g, root->shape));
        const bool is_flat = lh_axis_is_one(g, root->shape.heads);
        const char *name =
            is_flat ? root->step->name : lh_printf(g->arena, "join(%s)", root->step->name);
        lh_cure(g->ctx, "sum(%s) or mean(%s) makes it one number", name, name);
        return false;
    }
    if (!w->wants[root->id]) {
        lh_fail(g->ctx, LH_ERROR_VALUE, g->at,
                "backward %s: nothing that affects %s has a gradient", root->step->name,
                root->step->name);
        return false;
    }
    return true;
}

void lh_build_backward(lh_builder *b, lh_node *root) {
    lh_graph *g = b->g;
    lh_backward w = {
        .b = b, .g = g, .root = root, .n = g->n_nodes, .across = !root->shape.is_batched};
    size_t n = (size_t)w.n;
    w.wants = lh_alloc_array(g->arena, n, sizeof *w.wants);
    w.leads = lh_alloc_array(g->arena, n, sizeof *w.leads);
    w.got = lh_alloc_array(g->arena, n, sizeof *w.got);
    w.owner = lh_alloc_array(g->arena, n, sizeof *w.owner);
    w.dy = lh_alloc_array(g->arena, n, sizeof *w.dy);
    if (!w.wants || !w.leads || !w.got || !w.owner || !w.dy) return;
    g->loss = root;
    find_wants(&w);
    find_leads(&w);
    if (!root_is_fit(&w)) return;
    g->is_generating = true;
    contribute(&w, root, lh_number(g, 1, "1"), root->step, NULL);
    for (int i = root->id; i >= 0 && !lh_failed(g->ctx); i--) visit(&w, g->node[i]);
    g->is_generating = false;
}
