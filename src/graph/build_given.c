/* build_given -- size, const, param and state: what has a value before the program runs, and := that renews it. */
#include <math.h>
#include <string.h>

#include "graph/build.h"
#include "graph/op.h"

/* WQ of the program; h[0].WQ of one turn of a repeat, and WQ of all of them. */
static bool is_set(const lh_builder *b, const char *set, const char *name) {
    const lh_scope *s = b->scope;
    if (s->kind != LH_SCOPE_TOP && s->kind != LH_SCOPE_REPEAT) return false;
    return strcmp(set, name) == 0 || strcmp(set, lh_path(b->g, s->path, name)) == 0;
}

/* Of two settings of one name the last one counts. */
const lh_expr *lh_setting_for(lh_builder *b, const char *name, const lh_expr *standard) {
    for (int i = b->how->n_set - 1; i >= 0; i--) {
        const lh_setting *set = &b->how->set[i];
        if (!is_set(b, set->name, name)) continue;
        b->setting = set;
        lh_expr *e = lh_expr_parse(b->g->ctx, b->g->arena, set->value, strlen(set->value));
        if (e) return e;
        lh_setting_end(b);
    }
    return standard;
}

/* It is no line of the program: what is wrong with it is said where it was typed. */
void lh_setting_end(lh_builder *b) {
    const lh_setting *set = b->setting;
    b->setting = NULL;
    if (set)
        lh_fail_in(b->g->ctx, lh_printf(b->g->arena, "set %s", set->name), set->value,
                   strlen(set->value));
}

void lh_build_size(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    if (!lh_name_is_free(b, s)) return;
    const lh_expr *e = lh_setting_for(b, s->name, s->expr);
    lh_node *value = lh_build_expr(b, e, s->name, false);
    lh_setting_end(b);
    if (!b->inside) g->at = s->at;
    double n = 0;
    if (lh_failed(g->ctx)) return;
    if (!lh_node_constant(g, value, &n) || !(n >= 0 && n <= LH_MAX_AXIS && n == floor(n))) {
        lh_fail(g->ctx, LH_ERROR_SHAPE, s->at, "size %s: a size is a whole number up to %d%s",
                s->name, LH_MAX_AXIS, e == s->expr ? "" : " (as it was set)");
        return;
    }
    /* layers = 0 is a number, though no axis: no matrix can have it */
    lh_node *node =
        lh_axis_node(g, n > 0 ? lh_axis_named(g, s->name, (size_t)n) : lh_axis_number(g, 1));
    node->number = n;
    node->text = s->name;
    lh_step_new(g, LH_STEP_GIVEN, b->scope, s->name, node)->comment = s->comment;
    lh_scope_bind(g, b->scope, s->name, node);
}

static bool is_listed(const char *const *list, int n, const lh_step *s) {
    for (int i = 0; i < n; i++)
        if (strcmp(list[i], "*") == 0 || strcmp(list[i], s->name) == 0 ||
            strcmp(list[i], s->path) == 0)
            return true;
    return false;
}

static double one_number(lh_builder *b, const lh_node *n, const char *what) {
    double v = 0;
    if (!lh_node_constant(b->g, n, &v))
        lh_fail(b->g->ctx, LH_ERROR_VALUE, n->at,
                "%s: a number known before the program runs is needed here", what);
    return v;
}

/* normal(0.02), uniform(0, 1), xavier(), he(), file("..."), or any expression of given numbers. */
static bool build_start_call(lh_builder *b, lh_given *given, const lh_expr *e, int *rows,
                             int *cols) {
    static const struct {
        const char *name;
        lh_start_kind kind;
        int max;
    } kinds[] = {{"normal", LH_START_NORMAL, 2},
                 {"uniform", LH_START_UNIFORM, 2},
                 {"xavier", LH_START_XAVIER, 0},
                 {"he", LH_START_HE, 0},
                 {"file", LH_START_FILE, 2}};
    if (e->kind != LH_E_CALL) return false;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(kinds[k].name, e->text) != 0) continue;
        given->start = kinds[k].kind;
        if (e->n_args > kinds[k].max)
            lh_fail(b->g->ctx, LH_ERROR_TEXT, e->at, "%s takes at most %d numbers", e->text,
                    kinds[k].max);
        if (given->start == LH_START_FILE) {
            lh_build_file(b, given, e, rows, cols);
            return true;
        }
        lh_node *x[2] = {NULL, NULL};
        for (int i = 0; i < e->n_args && i < 2; i++) {
            x[i] = lh_build_expr(b, e->arg[i], "", false);
            one_number(b, x[i], e->text);
        }
        if (e->n_args < 2)
            x[1] = x[0] ? x[0] : lh_number(b->g, 1, "1"), x[0] = lh_number(b->g, 0, "0");
        given->a = x[0];
        given->b = x[1];
        return true;
    }
    return false;
}

static void given_shape(lh_builder *b, lh_given *given, const lh_statement *s, int rows, int cols) {
    lh_graph *g = b->g;
    lh_node *n = given->node;
    if (given->start == LH_START_EXPR) {
        if (given->expr->sees_examples)
            lh_fail(g->ctx, LH_ERROR_SHAPE, s->at,
                    "%s exists before the first example, so its initial value cannot depend on "
                    "examples",
                    s->name);
        else if (!lh_axis_is_one(g, given->expr->shape.heads))
            lh_fail(g->ctx, LH_ERROR_SHAPE, s->at, "%s cannot have heads", s->name);
        if (rows < 0) rows = given->expr->shape.rows, cols = given->expr->shape.cols;
        lh_shape from = given->expr->shape;
        if ((!lh_axis_is_one(g, from.rows) && !lh_axis_same(g, from.rows, rows)) ||
            (!lh_axis_is_one(g, from.cols) && !lh_axis_same(g, from.cols, cols))) {
            lh_shape want = {rows, cols, from.heads, false};
            lh_fail(g->ctx, LH_ERROR_SHAPE, s->at, "%s is declared %s, but its initial value is %s",
                    s->name, lh_shape_text(g, want), lh_shape_text(g, from));
        }
    } else if (rows < 0) {
        lh_fail(g->ctx, LH_ERROR_SHAPE, s->at,
                "%s needs a shape: a random initial value has none of its own", s->name);
        lh_cure(g->ctx, "%s : 2 x 4 = ...", s->name);
        return;
    }
    if (g->axis[rows].n == 0 || g->axis[cols].n == 0)
        lh_fail(g->ctx, LH_ERROR_SHAPE, s->at,
                "%s cannot have a size that differs from example to example", s->name);
    n->shape.rows = rows;
    n->shape.cols = cols;
    lh_shape_fits(g, n->shape, s->at);
}

void lh_build_given(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    if (!lh_name_is_free(b, s)) return;
    int rows = -1, cols = -1;
    if (s->rows) {
        rows = lh_axis_of_node(g, lh_build_expr(b, s->rows, "", false));
        cols = lh_axis_of_node(g, lh_build_expr(b, s->cols, "", false));
    }
    lh_given *given = lh_alloc(g->arena, sizeof *given);
    given->kind = s->kind == LH_S_PARAM ? LH_PARAM : s->kind == LH_S_STATE ? LH_STATE : LH_CONST;
    given->as = s->as;
    given->seed_kind = b->seed_kind;
    given->seed = b->seed;
    given->seed_number = b->seed_number;
    const lh_expr *start = lh_setting_for(b, s->name, s->expr);
    if (!build_start_call(b, given, start, &rows, &cols))
        given->expr = lh_build_expr(b, start, lh_path(g, b->scope->path, s->name), false);
    lh_setting_end(b);
    if (!b->inside) g->at = s->at;
    if (lh_failed(g->ctx)) return;
    lh_node *n = given->node = lh_node_new(g, LH_OP_given, 0, NULL);
    n->given = given;
    given_shape(b, given, s, rows, cols);
    lh_step *step = lh_step_new(g, LH_STEP_GIVEN, b->scope, s->name, n);
    if (!b->inside) step->comment = s->comment, step->at = s->at;
    if (given->kind == LH_CONST && is_listed(b->how->train, b->how->n_train, step))
        given->kind = LH_PARAM;
    if (given->kind == LH_PARAM && is_listed(b->how->freeze, b->how->n_freeze, step) &&
        !is_listed(b->how->train, b->how->n_train, step)) {
        given->kind = LH_CONST;
        if (!given->as) given->as = step->path; /* a weight still: from its file and into it */
    }
    given->number = g->n_givens;
    *lh_push(g->arena, g->given, g->n_givens) = given;
    lh_scope_bind(g, b->scope, s->name, n);
}

/* The new value stands for the name from here on, in the scope where the name lives. */
static void rebind(lh_builder *b, const char *name, const lh_given *given, lh_node *n) {
    lh_step *home = given->node->step;
    lh_scope_bind(b->g, home->scope, home->name, n);
    if (b->scope != home->scope && lh_scope_here(b->scope, name))
        lh_scope_bind(b->g, b->scope, name, n);
}

void lh_build_update(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    lh_node *old = lh_scope_find(b->scope, s->name);
    lh_place at = b->inside ? g->at : s->name_at;
    if (!old || !old->given) {
        lh_fail(g->ctx, LH_ERROR_NAME, at,
                old ? "%s cannot be updated: it is neither a param nor a state"
                    : "%s is not defined here",
                s->name);
        const char *near = old ? NULL : lh_scope_nearest(b->scope, s->name);
        if (near)
            lh_cure(g->ctx, "did you mean %s?", near);
        else
            lh_cure(g->ctx, "declare it with param %s = ...; then %s := ... can update it", s->name,
                    s->name);
        return;
    }
    lh_given *given = old->given;
    const lh_step *home = given->node->step;
    if (given->kind == LH_CONST) {
        if (is_listed(b->how->freeze, b->how->n_freeze, home)) return;
        lh_fail(g->ctx, LH_ERROR_NAME, at, "%s is a const and cannot be updated", s->name);
        lh_cure(g->ctx, "make it a param: param %s = ...", s->name);
        return;
    }
    lh_node *n = lh_build_expr(b, s->expr, home->path, true);
    if (!b->inside) g->at = s->at;
    if (lh_failed(g->ctx)) return;
    const char *path = lh_printf(g->arena, "%s:=", home->path);
    n = lh_apply_rewrites(b, path, n);
    if (n->shape.is_batched) {
        lh_fail(g->ctx, LH_ERROR_SHAPE, g->at,
                "%s has one value for all examples, but this value differs from example to example",
                s->name);
        lh_cure(g->ctx, "average(...) or total(...) combines the examples");
    }
    lh_shape want = given->node->shape, is = n->shape;
    bool too_large = (!lh_axis_is_one(g, is.rows) && !lh_axis_same(g, is.rows, want.rows)) ||
                     (!lh_axis_is_one(g, is.cols) && !lh_axis_same(g, is.cols, want.cols)) ||
                     !lh_axis_is_one(g, is.heads);
    if (too_large)
        lh_fail(g->ctx, LH_ERROR_SHAPE, g->at, "%s is %s, but the new value is %s", s->name,
                lh_shape_text(g, want), lh_shape_text(g, is));
    if (lh_failed(g->ctx)) return;
    lh_node *renew = lh_op1(g, LH_OP_renew, lh_fit(g, n, given->node, false));
    renew->given = given;
    given->renewed = renew;
    lh_step *step = lh_step_new_at(g, LH_STEP_UPDATE, home->scope, home->name, path, renew);
    step->of = given->node->step;
    if (!b->inside) step->comment = s->comment, step->at = s->at;
    rebind(b, s->name, given, renew);
}
