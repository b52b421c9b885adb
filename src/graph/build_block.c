/* build_block -- repeat and each: lines that are built several times, each time in a scope of its own. */
#include <math.h>
#include <string.h>

#include "graph/build.h"

enum { MAX_REPEAT = 10000 };

/* How often a repeat turns. A length that differs by example will do when all examples agree on it. */
static bool repeat_count(lh_builder *b, const lh_statement *s, int *count) {
    lh_graph *g = b->g;
    lh_node *n = lh_build_expr(b, s->expr, "", false);
    double turns = -1;
    if (lh_failed(g->ctx)) return false;
    if (!lh_node_constant(g, n, &turns)) {
        const lh_axis *a = &g->axis[lh_axis_of_node(g, n)];
        for (int i = 0; a->input >= 0 && i < g->n_examples; i++) {
            int rows = g->example[i]->value[a->input].rows;
            if (i && rows != (int)turns)
                lh_fail(g->ctx, LH_ERROR_SHAPE, s->at,
                        "repeat %s: example 0 has %d, example %d has %d: all must agree", s->name,
                        (int)turns, i, rows);
            turns = rows;
        }
    }
    if (!(turns >= 0 && turns == floor(turns)))
        lh_fail(g->ctx, LH_ERROR_VALUE, s->at,
                "repeat %s: the number of repetitions must be a whole number known before the "
                "program runs",
                s->name);
    else if (turns > MAX_REPEAT)
        lh_fail(g->ctx, LH_ERROR_LIMIT, s->at,
                "repeat %s: %.0f repetitions are too many; the maximum is %d", s->name, turns,
                MAX_REPEAT);
    *count = lh_failed(g->ctx) ? 0 : (int)turns;
    return !lh_failed(g->ctx);
}

static lh_scope *turn_scope(lh_builder *b, const lh_statement *s, lh_scope *outer, int turn) {
    lh_graph *g = b->g;
    const char *name = lh_printf(g->arena, "%s[%d]", s->name, turn);
    lh_scope *scope = lh_scope_new(g, LH_SCOPE_REPEAT, outer, outer, lh_path(g, outer->path, name));
    scope->turn = turn;
    lh_node *number = lh_number(g, turn, NULL);
    lh_scope_bind(g, scope, s->name, number);
    return scope;
}

/* next X = ...: made in this turn, named in the next one. */
static void build_next(lh_builder *b, const lh_statement *s, const lh_statement *loop,
                       lh_scope *next) {
    lh_graph *g = b->g;
    bool carried = false;
    for (int i = 0; i < loop->n_bindings; i++)
        carried |= strcmp(loop->binding[i].name, s->name) == 0;
    if (!carried) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->name_at, "next %s: repeat %s does not carry %s", s->name,
                loop->name, s->name);
        lh_cure(g->ctx, "repeat %s for ... with %s = ...", loop->name, s->name);
        return;
    }
    if (lh_scope_here(next, s->name)) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->name_at, "next %s occurs twice", s->name);
        return;
    }
    lh_node *n = lh_build_line(b, s->expr, lh_path(g, next->path, s->name));
    lh_scope *here = b->scope;
    if (!b->inside) g->at = s->at;
    b->scope = next;
    lh_define(b, LH_STEP_FORWARD, s->name, n, s);
    b->scope = here;
}

static void build_turn(lh_builder *b, const lh_statement *s, lh_scope *scope, lh_scope *next) {
    b->scope = scope;
    for (int i = 0; i < s->n_body && !lh_failed(b->g->ctx); i++) {
        if (s->body[i]->kind == LH_S_NEXT)
            build_next(b, s->body[i], s, next);
        else
            lh_build_statement(b, s->body[i]);
    }
    for (int i = 0; i < s->n_bindings && !lh_failed(b->g->ctx); i++)
        if (!lh_scope_here(next, s->binding[i].name)) {
            lh_fail(b->g->ctx, LH_ERROR_NAME, s->at,
                    "repeat %s carries %s, but never says `next %s = ...`", s->name,
                    s->binding[i].name, s->binding[i].name);
            return;
        }
}

void lh_build_repeat(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    int count;
    if (!repeat_count(b, s, &count)) return;
    lh_scope *outer = b->scope, *scope = turn_scope(b, s, outer, 0);
    for (int i = 0; i < s->n_bindings && !lh_failed(g->ctx); i++) {
        const lh_binding *with = &s->binding[i];
        lh_statement first = {
            .kind = LH_S_STEP, .name = with->name, .name_at = with->at, .at = with->at};
        if (!lh_name_is_free(b, &first)) return;
        lh_node *n = lh_build_line(b, with->expr, lh_path(g, scope->path, with->name));
        b->scope = scope;
        lh_define(b, LH_STEP_FORWARD, with->name, n, &first);
        b->scope = outer;
    }
    for (int turn = 0; turn < count && !lh_failed(g->ctx); turn++) {
        lh_scope *next = turn_scope(b, s, outer, turn + 1);
        build_turn(b, s, scope, next);
        scope = next;
    }
    b->scope = outer;
    for (int i = 0; i < s->n_bindings && !lh_failed(g->ctx); i++)
        lh_scope_bind(g, outer, s->binding[i].name, lh_scope_here(scope, s->binding[i].name));
}

/* each W in params: W and dW stand for every param that has a gradient. */
void lh_build_each(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    lh_scope *outer = b->scope;
    const char *dname = lh_printf(g->arena, "d%s", s->name);
    int count = 0;
    for (int i = 0, n = g->n_givens; i < n && !lh_failed(g->ctx); i++) {
        lh_given *given = g->given[i];
        if (given->kind != LH_PARAM || !given->gradient) continue;
        count++;
        lh_scope *scope = lh_scope_new(g, LH_SCOPE_EACH, outer, given->node->step->scope,
                                       given->node->step->path);
        lh_scope_bind(g, scope, s->name, given->renewed ? given->renewed : given->node);
        lh_scope_bind(g, scope, dname, given->gradient->node);
        b->scope = scope;
        for (int k = 0; k < s->n_body && !lh_failed(g->ctx); k++) lh_build_statement(b, s->body[k]);
    }
    b->scope = outer;
    if (count == 0 && !b->has_backward) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->at, "each %s in params: no param has a gradient yet",
                s->name);
        lh_cure(g->ctx, "`backward L` computes them, and must come first");
    }
}
