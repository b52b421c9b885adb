/* build_call -- a call of a function: its body is built for these operands and stays inside the call's node. */
#include <string.h>

#include "base/number.h"
#include "graph/build.h"
#include "graph/op.h"

static lh_node *nothing(lh_builder *b) {
    return lh_number(b->g, 0, "0");
}

static void fail_function(lh_builder *b, const lh_expr *e) {
    lh_graph *g = b->g;
    const char *known[LH_N_OPS + 256];
    int n = 0;
    for (int i = 0; i < LH_N_OPS; i++)
        if (!lh_ops[i]->is_internal && lh_ops[i]->print_kind == LH_PRINT_CALL)
            known[n++] = lh_ops[i]->name;
    for (int i = 0; i < b->n_fns && i < 256; i++) known[n++] = b->fn[i]->name;
    const char *near = lh_nearest(e->text, known, n), *elsewhere = lh_build_elsewhere(e->text);
    static const char *const starts[] = {"normal", "uniform", "xavier", "he", "file"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strcmp(e->text, starts[i]) == 0) {
            lh_fail(g->ctx, LH_ERROR_NAME, g->at,
                    "%s(...) is an initial value: it can only be used alone, after the = of const, "
                    "param or state",
                    e->text);
            return;
        }
    lh_fail(g->ctx, LH_ERROR_NAME, g->at, "there is no function %s", e->text);
    if (elsewhere)
        lh_cure(g->ctx, "%s", elsewhere);
    else if (near)
        lh_cure(g->ctx, "did you mean %s?", near);
    else if (lh_scope_find(b->scope, e->text))
        lh_cure(g->ctx, "%s is a value: * multiplies", e->text);
}

/* A word among the operands belongs to the vocabulary of another operand: where(hidden, "<mask>", tokens). */
static const lh_vocab *vocab_among(lh_node *const *in, int n) {
    for (int i = 0; i < n; i++)
        if (in[i] && in[i]->vocab) return in[i]->vocab;
    return NULL;
}

static lh_node *build_op_call(lh_builder *b, const lh_expr *e, lh_op_id id, const char *path) {
    lh_graph *g = b->g;
    const lh_op *op = lh_ops[id];
    lh_place at = g->at;
    lh_node *in[8] = {0};
    if (e->n_args < op->n_min || e->n_args > op->n_max || e->n_args > 8) {
        lh_fail(g->ctx, LH_ERROR_TEXT, at, "%s takes %d%s, not %d", op->name, op->n_min,
                op->n_max > op->n_min ? " or more"
                : op->n_min == 1      ? " value"
                                      : " values",
                e->n_args);
        if (op->example[0]) lh_cure(g->ctx, "for example %s", op->example[0]);
        return nothing(b);
    }
    for (int i = 0; i < e->n_args; i++) {
        if (e->argname[i]) {
            lh_fail(g->ctx, LH_ERROR_TEXT, at, "%s takes its values by position, not by name",
                    op->name);
            return nothing(b);
        }
        if (e->arg[i]->kind != LH_E_STRING) in[i] = lh_build_expr(b, e->arg[i], path, false);
    }
    for (int i = 0; i < e->n_args; i++)
        if (e->arg[i]->kind == LH_E_STRING)
            in[i] = lh_build_string(b, e->arg[i], vocab_among(in, e->n_args));
    if (!b->inside) g->at = at;
    return lh_op_node(g, id, e->n_args, in);
}

/* Which expression is given for parameter k: by place or by name. Fails when something fits no parameter. */
static bool match_arguments(lh_builder *b, const lh_expr *e, const lh_statement *fn,
                            const lh_expr **given) {
    lh_graph *g = b->g;
    for (int i = 0; i < e->n_args; i++) {
        int k = i;
        if (e->argname[i])
            for (k = 0; k < fn->n_params && strcmp(fn->param[k], e->argname[i]) != 0;) k++;
        else if (i && e->argname[i - 1])
            lh_fail(g->ctx, LH_ERROR_TEXT, g->at,
                    "%s: after a named value, every value needs its name", fn->name);
        if (k >= fn->n_params) {
            if (e->argname[i]) {
                const char *near = lh_nearest(e->argname[i], fn->param, fn->n_params);
                lh_fail(g->ctx, LH_ERROR_NAME, g->at, "%s has no parameter %s", fn->name,
                        e->argname[i]);
                if (near) lh_cure(g->ctx, "did you mean %s?", near);
            } else {
                lh_fail(g->ctx, LH_ERROR_TEXT, g->at, "%s takes at most %d value%s, not %d",
                        fn->name, fn->n_params, LH_PLURAL(fn->n_params), e->n_args);
            }
            return false;
        }
        if (given[k]) {
            lh_fail(g->ctx, LH_ERROR_TEXT, g->at, "%s: %s is given twice", fn->name, fn->param[k]);
            return false;
        }
        given[k] = e->arg[i];
    }
    for (int k = 0; k < fn->n_params; k++)
        if (!given[k] && !fn->standard[k]) {
            lh_fail(g->ctx, LH_ERROR_TEXT, g->at, "%s needs a value for %s", fn->name,
                    fn->param[k]);
            return false;
        }
    return !lh_failed(g->ctx);
}

/* An unnamed operand takes the parameter's name inside the call: A.Q. */
static void name_operand(lh_builder *b, lh_scope *scope, const char *name, lh_node *n) {
    if (n->step || n->kind == LH_OP_number || n->kind == LH_OP_size || n->kind == LH_OP_runtime)
        return;
    lh_step_new(b->g, LH_STEP_AUX, scope, name, n);
}

static lh_node *build_body(lh_builder *b, const lh_statement *fn) {
    lh_node *result = NULL;
    for (int i = 0; i < fn->n_body && !lh_failed(b->g->ctx); i++) {
        const lh_statement *s = fn->body[i];
        if (s->kind == LH_S_STEP) {
            lh_node *n = lh_build_line(b, s->expr, lh_path(b->g, b->scope->path, s->name));
            if (lh_scope_here(b->scope, s->name)) {
                lh_fail(b->g->ctx, LH_ERROR_NAME, b->g->at, "fn %s defines %s twice", fn->name,
                        s->name);
                break;
            }
            result = lh_define(b, LH_STEP_BODY, s->name, n, s)->node;
        } else if (s->kind == LH_S_STATE) {
            lh_build_given(b, s);
        } else if (s->kind == LH_S_UPDATE) {
            lh_build_update(b, s);
        }
    }
    if (!result && !lh_failed(b->g->ctx))
        lh_fail(b->g->ctx, LH_ERROR_TEXT, fn->at, "fn %s has no line that computes a value",
                fn->name);
    return result ? result : nothing(b);
}

static bool enter(lh_builder *b, const lh_statement *fn) {
    for (int i = 0; i < b->n_active; i++)
        if (b->active[i] == fn) {
            lh_fail(b->g->ctx, LH_ERROR_LIMIT, b->g->at, "fn %s calls itself: that would never end",
                    fn->name);
            return false;
        }
    if (b->n_active == (int)(sizeof b->active / sizeof *b->active)) {
        lh_fail(b->g->ctx, LH_ERROR_LIMIT, b->g->at,
                "function calls are nested more than %d levels deep", b->n_active);
        return false;
    }
    b->active[b->n_active++] = fn;
    return true;
}

/* relu, then relu#1 ...: a path of its own for each unnamed call of a line. */
static const char *call_path(lh_builder *b, const char *path, const char *name) {
    const char *first = lh_path(b->g, path, name), *p = first;
    for (int i = 1; lh_graph_step(b->g, p) && !lh_failed(b->g->ctx); i++)
        p = lh_printf(b->g->arena, "%s#%d", first, i);
    return p;
}

/* It divides by the share that stays: of a rate of 1 that is 0, and 0 / 0 is no number. Other rates are checked by coin. */
static void check_dropout(lh_graph *g, const lh_call *c) {
    double rate;
    if (!c->known || strcmp(c->known->name, "dropout") != 0) return;
    if (!lh_node_constant(g, c->param[1], &rate) || rate != 1) return;
    lh_fail(g->ctx, LH_ERROR_VALUE, g->at, "dropout with a rate of 1 leaves out every number");
    lh_cure(g->ctx, "the rate must be at least 0 and less than 1");
}

lh_node *lh_call_node(lh_builder *b, const lh_statement *fn, lh_node **param, bool *is_standard,
                      const char *path) {
    lh_graph *g = b->g;
    lh_scope *outer = b->scope;
    lh_scope *scope = lh_scope_new(g, LH_SCOPE_CALL, NULL, outer, path);
    if (!enter(b, fn)) return nothing(b);
    b->inside++;
    b->scope = scope;
    for (int k = 0; k < fn->n_params && !lh_failed(g->ctx); k++) {
        if (!param[k]) {
            param[k] = lh_build_expr(b, fn->standard[k], lh_path(g, path, fn->param[k]), true);
            is_standard[k] = true;
        }
        name_operand(b, scope, fn->param[k], param[k]);
        lh_scope_bind(g, scope, fn->param[k], param[k]);
    }
    int rewrites = b->n_rewritten;
    lh_node *result = build_body(b, fn);
    b->scope = outer;
    b->inside--;
    b->n_active--;
    if (lh_failed(g->ctx)) return nothing(b);
    lh_node *n = lh_node_new(g, LH_OP_call, fn->n_params, param);
    n->call = lh_alloc(g->arena, sizeof *n->call);
    *n->call = (lh_call){.fn = fn,
                         .known = lh_fn_known(b, fn),
                         .scope = scope,
                         .result = result,
                         .param = param,
                         .is_standard = is_standard,
                         .is_rewritten = b->n_rewritten > rewrites};
    check_dropout(g, n->call);
    n->shape = result->shape;
    n->vocab = result->vocab;
    n->is_discrete = result->is_discrete;
    n->sees_examples = result->sees_examples;
    lh_node_find_constant(g, n);
    scope->call = n;
    return n;
}

/* A path without that of the scope. In `next X` it is the path of the next turn: h[10].X.relu made in h[9]. */
static const char *name_in_scope(const lh_scope *s, const char *path) {
    size_t n = strlen(s->path),
           skip = s->outer && s->outer->path[0] ? strlen(s->outer->path) + 1 : 0;
    if (n == 0) return path;
    if (strncmp(path, s->path, n) == 0 && path[n] == '.') return path + n + 1;
    const char *dot = strlen(path) > skip ? strchr(path + skip, '.') : NULL;
    return dot ? dot + 1 : path;
}

lh_node *lh_build_call(lh_builder *b, const lh_expr *e, const char *path, bool is_whole) {
    lh_graph *g = b->g;
    lh_place at = g->at;
    const lh_statement *fn = lh_find_fn(b, e->text);
    lh_op_id op = lh_op_find(e->text);
    if (!fn && op < LH_N_OPS) return build_op_call(b, e, op, path);
    if (!fn) {
        fail_function(b, e);
        return nothing(b);
    }
    size_t n = (size_t)fn->n_params + 1;
    const lh_expr **given = lh_alloc_array(g->arena, n, sizeof *given);
    lh_node **param = lh_alloc_array(g->arena, n, sizeof *param);
    bool *is_standard = lh_alloc_array(g->arena, n, sizeof *is_standard);
    if (!given || !param || !is_standard || !match_arguments(b, e, fn, given)) return nothing(b);
    if (!is_whole) path = call_path(b, path, fn->name);
    for (int k = 0; k < fn->n_params; k++)
        if (given[k] && given[k]->kind != LH_E_STRING)
            param[k] = lh_build_expr(b, given[k], lh_path(g, path, fn->param[k]), true);
    for (int k = 0; k < fn->n_params; k++)
        if (given[k] && given[k]->kind == LH_E_STRING)
            param[k] = lh_build_string(b, given[k], vocab_among(param, fn->n_params));
    if (!b->inside) g->at = at;
    if (lh_failed(g->ctx)) return nothing(b);
    lh_node *call = lh_call_node(b, fn, param, is_standard, path);
    if (!is_whole && !lh_failed(g->ctx)) {
        lh_step_new_at(g, LH_STEP_AUX, b->scope, name_in_scope(b->scope, path), path, call);
    }
    return call;
}
