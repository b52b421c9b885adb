/* build -- a program becomes a graph: statements in order, each making steps in the scope where it stands. */
#include "graph/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "graph/op.h"

enum { MAX_REPEAT = 10000 };

static void build_statement(lh_builder *b, const lh_statement *s);

const lh_statement *lh_find_fn(const lh_builder *b, const char *name) {
    for (int i = 0; i < b->n_fns; i++)
        if (strcmp(b->fn[i]->name, name) == 0) return b->fn[i];
    return NULL;
}

/* Names that are always there. */
static lh_node *build_word(lh_builder *b, const char *name) {
    if (strcmp(name, "pi") == 0) return lh_number(b->g, 3.14159265358979323846, "pi");
    if (strcmp(name, "inf") == 0) return lh_number(b->g, INFINITY, "inf");
    if (strcmp(name, "training") == 0 || strcmp(name, "step") == 0) return lh_runtime(b->g, name);
    const lh_vocab *v = lh_vocab_find(b->g, name);
    return v ? lh_axis_node(b->g, v->axis) : NULL;
}

/* All gradients of the params beside each other, for norm(gradients). */
static lh_node *build_gradients(lh_builder *b, lh_place at) {
    lh_graph *g = b->g;
    lh_node **in = lh_alloc_array(g->arena, (size_t)g->n_givens + 1, sizeof *in);
    int n = 0;
    for (int i = 0; in && i < g->n_givens; i++)
        if (g->given[i]->gradient) in[n++] = g->given[i]->gradient->node;
    if (n == 0) {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "there are no gradients yet");
        lh_cure(g->ctx, "`backward loss` computes them, for every param that affects the loss");
    }
    return lh_op_node(g, LH_OP_gradients, n, in);
}

/* The name most like it that is known where the builder stands, or NULL. */
static const char *nearest_name(const lh_builder *b, const char *name) {
    const char *known[512];
    int n = 0;
    for (const lh_scope *s = b->scope; s; s = s->parent)
        for (int i = 0; i < s->n_names && n < 512; i++) known[n++] = s->name[i].name;
    return lh_nearest(name, known, n);
}

static void fail_name(lh_builder *b, const lh_expr *e) {
    lh_graph *g = b->g;
    const char *near = nearest_name(b, e->text);
    lh_fail(g->ctx, LH_ERROR_NAME, g->at, "%s is not defined here", e->text);
    if (near)
        lh_cure(g->ctx, "did you mean %s?", near);
    else if (lh_find_fn(b, e->text) || lh_op_find(e->text) < LH_N_OPS)
        lh_cure(g->ctx, "%s is a function: write %s(...)", e->text, e->text);
    else if (b->scope->kind == LH_SCOPE_CALL)
        lh_cure(g->ctx, "a function can use only its parameters and its own lines");
    else if (e->text[0] == 'd' && lh_scope_find(b->scope, e->text + 1))
        lh_cure(g->ctx, "`backward` computes the gradient of %s, and must come first", e->text + 1);
    else
        lh_cure(g->ctx, "define it in a line above: %s = ...", e->text);
}

static lh_node *build_name(lh_builder *b, const lh_expr *e) {
    lh_node *n = lh_scope_find(b->scope, e->text);
    if (n) return n;
    if (strcmp(e->text, "gradients") == 0) return build_gradients(b, b->g->at);
    n = b->scope->kind == LH_SCOPE_CALL || b->scope->kind == LH_SCOPE_RULE
            ? lh_scope_here(b->g->top, e->text)
            : NULL;
    if (n && n->kind == LH_OP_size) return n; /* sizes are seen everywhere */
    n = build_word(b, e->text);
    if (n) return n;
    fail_name(b, e);
    return lh_number(b->g, 0, "0");
}

static lh_node *build_matrix(lh_graph *g, const lh_expr *e) {
    if (e->rows == 1 && e->cols == 1) return lh_number(g, e->cell[0], e->celltext[0]);
    lh_node *n = lh_node_new(g, LH_OP_matrix, 0, NULL);
    n->shape.rows = lh_axis_number(g, (size_t)e->rows);
    n->shape.cols = lh_axis_number(g, (size_t)e->cols);
    n->cells = e->cell;
    n->index[0] = e->rows;
    n->index[1] = e->cols;
    return n;
}

lh_node *lh_build_string(lh_builder *b, const lh_expr *e, const lh_vocab *of) {
    lh_graph *g = b->g;
    if (!of && g->n_vocabs == 1) of = g->vocab[0];
    if (!of) {
        lh_fail(g->ctx, LH_ERROR_NAME, e->at, "\"%s\" is a word, but of which vocabulary?",
                e->text);
        lh_cure(g->ctx, "compare it with a value that consists of tokens: source == \"%s\"",
                e->text);
        return lh_number(g, 0, "0");
    }
    int word = lh_vocab_word(of, e->text);
    if (word < 0) lh_fail_word(g, b->inside ? g->at : e->at, of, e->text);
    lh_text text = lh_text_new(g->arena);
    lh_expr_print(&text, e);
    lh_node *n = lh_number(g, word, text.s);
    n->vocab = of;
    return n;
}

/* Two operands, of which one may be a word of the other's vocabulary. */
static void build_pair(lh_builder *b, const lh_expr *e, const char *path, lh_node *in[2]) {
    bool words[2] = {e->arg[0]->kind == LH_E_STRING, e->arg[1]->kind == LH_E_STRING};
    for (int i = 0; i < 2; i++)
        if (!words[i]) in[i] = lh_build_expr(b, e->arg[i], path, false);
    for (int i = 0; i < 2; i++)
        if (words[i]) in[i] = lh_build_string(b, e->arg[i], words[1 - i] ? NULL : in[1 - i]->vocab);
}

static lh_op_id infix_op(lh_expr_kind kind) {
    switch (kind) {
    case LH_E_ADD: return LH_OP_add;
    case LH_E_SUB: return LH_OP_sub;
    case LH_E_MUL: return LH_OP_mul;
    case LH_E_TIMES: return LH_OP_mul;
    case LH_E_DIV: return LH_OP_div;
    case LH_E_MATMUL: return LH_OP_matmul;
    case LH_E_DOT: return LH_OP_matmul;
    case LH_E_POW: return LH_OP_pow;
    case LH_E_EQ: return LH_OP_eq;
    case LH_E_NE: return LH_OP_ne;
    case LH_E_LT: return LH_OP_lt;
    case LH_E_LE: return LH_OP_le;
    case LH_E_GT: return LH_OP_gt;
    case LH_E_GE: return LH_OP_ge;
    default: return LH_N_OPS;
    }
}

static bool is_one_number(const lh_graph *g, const lh_node *n) {
    return lh_axis_is_one(g, n->shape.rows) && lh_axis_is_one(g, n->shape.cols);
}

static bool are_rows_or_columns(const lh_graph *g, lh_shape a, lh_shape b) {
    return (lh_axis_is_one(g, a.rows) && lh_axis_is_one(g, b.rows)) ||
           (lh_axis_is_one(g, a.cols) && lh_axis_is_one(g, b.cols));
}

/* On paper × is any product. Between two matrices the writer says which one; none is advised that does not fit. */
static void refuse_times(lh_graph *g, const lh_expr *e, lh_node *const in[2]) {
    const lh_shape x = in[0]->shape, y = in[1]->shape;
    const bool is_dot = are_rows_or_columns(g, x, y),
               is_turned = !lh_axis_same(g, x.cols, y.rows) && lh_axis_same(g, x.cols, y.cols);
    lh_text a = lh_text_new(g->arena), b = lh_text_new(g->arena);
    lh_expr_print(&a, e->arg[0]);
    lh_expr_print(&b, e->arg[1]);
    lh_fail(g->ctx, LH_ERROR_SHAPE, g->at,
            "%.80s × %.80s: %s by %s: × between two matrices can mean two products", a.s, b.s,
            lh_shape_text(g, in[0]->shape), lh_shape_text(g, in[1]->shape));
    lh_cure(g->ctx, "%.80s %s %.80s%s is the %s product, %.40s * %.40s goes cell by cell", a.s,
            is_dot ? "·" : "@", b.s, !is_dot && is_turned ? "^T" : "", is_dot ? "dot" : "matrix",
            a.s, b.s);
}

/* a · b: of two rows or two columns the dot product. */
static lh_node *build_dot(lh_graph *g, lh_node *a, lh_node *b) {
    if (is_one_number(g, a) || is_one_number(g, b)) return lh_op2(g, LH_OP_mul, a, b);
    bool rows = lh_axis_is_one(g, a->shape.rows) && lh_axis_is_one(g, b->shape.rows),
         columns = lh_axis_is_one(g, a->shape.cols) && lh_axis_is_one(g, b->shape.cols);
    if (rows) b = lh_op1(g, LH_OP_transpose, b);
    if (columns) a = lh_op1(g, LH_OP_transpose, a);
    return lh_op2(g, LH_OP_matmul, a, b);
}

/* a[i]: one row where i is known from the program, the rows that i names where it is computed. */
static lh_node *build_row(lh_builder *b, const lh_expr *e, const char *path) {
    lh_graph *g = b->g;
    lh_node *a = lh_build_expr(b, e->arg[0], path, false);
    if (e->arg[1]->kind == LH_E_LAST) return lh_op1(g, LH_OP_last, a);
    lh_node *i = e->arg[1]->kind == LH_E_STRING
                     ? lh_build_string(b, e->arg[1], g->axis[a->shape.rows].vocab)
                     : lh_build_expr(b, e->arg[1], path, false);
    double at;
    if (!b->inside) g->at = e->at;
    return lh_op2(g, lh_node_constant(g, i, &at) ? LH_OP_row : LH_OP_lookup, a, i);
}

/* a[last][j] */
static lh_node *build_last_cell(lh_builder *b, const lh_expr *e, const char *path) {
    lh_node *row = lh_op1(b->g, LH_OP_last, lh_build_expr(b, e->arg[0], path, false));
    lh_node *column = lh_build_expr(b, e->arg[2], path, false);
    if (!b->inside) b->g->at = e->at;
    return lh_op2(b->g, LH_OP_column, row, column);
}

lh_node *lh_build_expr(lh_builder *b, const lh_expr *e, const char *path, bool is_whole) {
    lh_graph *g = b->g;
    if (lh_failed(g->ctx)) return lh_number(g, 0, "0");
    if (!b->inside) g->at = e->at;
    lh_node *in[3] = {NULL, NULL, NULL};
    switch (e->kind) {
    case LH_E_NUMBER: return lh_number(g, e->number, e->text);
    case LH_E_STRING: return lh_build_string(b, e, NULL);
    case LH_E_NAME: return build_name(b, e);
    case LH_E_CALL: return lh_build_call(b, e, path, is_whole);
    case LH_E_MATRIX: return build_matrix(g, e);
    case LH_E_ROW: return build_row(b, e, path);
    case LH_E_LAST:
    case LH_E_KINDS:
        lh_fail(g->ctx, LH_ERROR_TEXT, g->at, "`last` can only be used in an index: H[last]");
        return lh_number(g, 0, "0");
    case LH_E_NEG:
    case LH_E_TRANSPOSE:
        in[0] = lh_build_expr(b, e->arg[0], path, false);
        if (!b->inside) g->at = e->at;
        return lh_op1(g, e->kind == LH_E_NEG ? LH_OP_neg : LH_OP_transpose, in[0]);
    case LH_E_CELL:
        if (e->arg[1]->kind == LH_E_LAST) return build_last_cell(b, e, path);
        /* fall through */
    case LH_E_COLUMN:
        for (int i = 0; i < e->n_args; i++) in[i] = lh_build_expr(b, e->arg[i], path, false);
        if (!b->inside) g->at = e->at;
        return lh_op_node(g, e->kind == LH_E_CELL ? LH_OP_cell : LH_OP_column, e->n_args, in);
    default: break;
    }
    build_pair(b, e, path, in);
    if (!b->inside) g->at = e->at;
    if (lh_failed(g->ctx)) return lh_number(g, 0, "0");
    if (e->kind == LH_E_DOT) return build_dot(g, in[0], in[1]);
    if (e->kind == LH_E_TIMES && !is_one_number(g, in[0]) && !is_one_number(g, in[1]))
        refuse_times(g, e, in);
    return lh_op2(g, infix_op(e->kind), in[0], in[1]);
}

/* What a line makes. A number that came by a name (the turn of a repeat, an operand of a call) stands in other formulas, too:
 * the line gets a node of its own, to be named. */
lh_node *lh_build_line(lh_builder *b, const lh_expr *e, const char *path) {
    int before = b->g->n_nodes;
    lh_node *n = lh_build_expr(b, e, path, true);
    bool is_other = !n->step && n->id < before && !lh_failed(b->g->ctx);
    return is_other ? lh_op1(b->g, LH_OP_same, n) : n;
}

/* Name a node in the scope. A value that has a name already gets a node of its own. */
lh_step *lh_define(lh_builder *b, lh_step_kind kind, const char *name, lh_node *n,
                   const lh_statement *from) {
    lh_graph *g = b->g;
    n = lh_apply_rewrites(b, lh_path(g, b->scope->path, name), n);
    if (n->step) n = lh_op1(g, LH_OP_same, n);
    lh_step *s = lh_step_new(g, kind, b->scope, name, n);
    if (from) s->comment = from->comment;
    if (from && !b->inside) s->at = from->at;
    lh_scope_bind(g, b->scope, name, n);
    return s;
}

/* Words that functions and matrices use: a value of that name would not be seen there, and nobody would say so. */
static const char *meaning_of(const char *name) {
    static const char *const word[][2] = {
        {"training", "1 in training and 0 otherwise, used by dropout"},
        {"inf", "infinity, in matrices too"},
    };
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcmp(name, word[i][0]) == 0) return word[i][1];
    return NULL;
}

static bool is_free(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    const lh_node *old = lh_scope_here(b->scope, s->name);
    const char *meaning = meaning_of(s->name);
    if (!old && !meaning) return true;
    lh_place at = b->inside ? g->at : s->name_at;
    if (meaning) {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "%s already has a meaning: %s", s->name, meaning);
        lh_cure(g->ctx, "choose another name");
    } else if (old->step && old->step->kind == LH_STEP_GRADIENT) {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "%s is the gradient of %s, computed by `backward`",
                s->name, s->name + 1);
        lh_cure(g->ctx, "leave out `backward` to write gradients by hand, or choose another name");
    } else if (old->step) {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "%s is already defined, in line %d", s->name,
                old->step->at.line);
        lh_cure(g->ctx, "a name can be defined only once; a param or state is updated with :=");
    } else {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "%s already has a meaning here", s->name);
        lh_cure(g->ctx, "choose another name");
    }
    return false;
}

static void build_step(lh_builder *b, const lh_statement *s) {
    if (!is_free(b, s)) return;
    lh_node *n = lh_build_line(b, s->expr, lh_path(b->g, b->scope->path, s->name));
    if (!b->inside) b->g->at = s->at;
    lh_define(b, b->scope->kind == LH_SCOPE_CALL ? LH_STEP_BODY : LH_STEP_FORWARD, s->name, n, s);
}

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
        lh_expr *e = lh_expr_parse(b->g->ctx, b->g->arena, set->value, strlen(set->value));
        if (e) return e;
        lh_fail_in(b->g->ctx, lh_printf(b->g->arena, "%s=%s", set->name, set->value), set->value,
                   strlen(set->value));
    }
    return standard;
}

static void build_size(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    if (!is_free(b, s)) return;
    const lh_expr *e = lh_setting_for(b, s->name, s->expr);
    lh_node *value = lh_build_expr(b, e, s->name, false);
    if (!b->inside) g->at = s->at;
    double n = 0;
    if (lh_failed(g->ctx)) return;
    if (!lh_node_constant(g, value, &n) || !(n >= 0 && n <= LH_MAX_AXIS && n == floor(n))) {
        lh_fail(g->ctx, LH_ERROR_SHAPE, s->at, "size %s: a size is a whole number up to %d%s",
                s->name, LH_MAX_AXIS, e == s->expr ? "" : " (as it was set)");
        return;
    }
    lh_node *node = lh_axis_node(g, lh_axis_named(g, s->name, n > 0 ? (size_t)n : 1));
    node->number = n; /* layers = 0 is a number, though no matrix can have it */
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
    if (!is_free(b, s)) return;
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
        !is_listed(b->how->train, b->how->n_train, step))
        given->kind = LH_CONST;
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
        const char *near = old ? NULL : nearest_name(b, s->name);
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
            build_statement(b, s->body[i]);
    }
    for (int i = 0; i < s->n_bindings && !lh_failed(b->g->ctx); i++)
        if (!lh_scope_here(next, s->binding[i].name)) {
            lh_fail(b->g->ctx, LH_ERROR_NAME, s->at,
                    "repeat %s carries %s, but never says `next %s = ...`", s->name,
                    s->binding[i].name, s->binding[i].name);
            return;
        }
}

static void build_repeat(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    int count;
    if (!repeat_count(b, s, &count)) return;
    lh_scope *outer = b->scope, *scope = turn_scope(b, s, outer, 0);
    for (int i = 0; i < s->n_bindings && !lh_failed(g->ctx); i++) {
        const lh_binding *with = &s->binding[i];
        lh_statement first = {
            .kind = LH_S_STEP, .name = with->name, .name_at = with->at, .at = with->at};
        if (!is_free(b, &first)) return;
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
static void build_each(lh_builder *b, const lh_statement *s) {
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
        for (int k = 0; k < s->n_body && !lh_failed(g->ctx); k++) build_statement(b, s->body[k]);
    }
    b->scope = outer;
    if (count == 0 && !b->has_backward) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->at, "each %s in params: no param has a gradient yet",
                s->name);
        lh_cure(g->ctx, "`backward L` computes them, and must come first");
    }
}

static void build_generate(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    lh_generate *gen = lh_alloc(g->arena, sizeof *gen);
    gen->input = -1;
    for (int i = 0; i < g->n_inputs; i++)
        if (strcmp(g->input[i]->name, s->name) == 0) gen->input = i;
    if (gen->input < 0 || !g->input[gen->input]->is_many) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->name_at, "generate %s: it is not an input made of tokens",
                s->name);
        return;
    }
    gen->from = lh_scope_here(g->top, s->of);
    if (!gen->from) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->at, "generate %s from %s: there is no %s in this program",
                s->name, s->of, s->of);
        return;
    }
    const lh_vocab *v = g->input[gen->input]->vocab;
    const char *words[2] = {s->starting, s->until};
    for (int i = 0; i < 2; i++)
        if (words[i] && lh_vocab_word(v, words[i]) < 0) lh_fail_word(g, s->at, v, words[i]);
    gen->starting = s->starting;
    gen->until = s->until;
    g->generate = gen;
}

static void build_backward(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    lh_node *root = lh_scope_find(b->scope, s->name);
    if (!root || !root->step) {
        const char *near = nearest_name(b, s->name);
        lh_fail(g->ctx, LH_ERROR_NAME, s->name_at, "backward %s: %s is not defined here", s->name,
                s->name);
        if (near) lh_cure(g->ctx, "did you mean %s?", near);
        return;
    }
    if (b->has_backward) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->at, "a program can have only one `backward`");
        lh_cure(g->ctx, "add up the losses and use `backward` on the sum");
        return;
    }
    b->has_backward = true;
    g->at = s->at;
    lh_build_backward(b, root);
}

static void build_statement(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    if (!b->inside) g->at = s->at;
    bool is_top = b->scope->kind == LH_SCOPE_TOP;
    switch (s->kind) {
    case LH_S_COMMENT:
    case LH_S_BLANK:
    case LH_S_FN:
    case LH_S_GRAD:
    case LH_S_MISTAKE:
    case LH_S_KINDS: return;
    case LH_S_CONST:
    case LH_S_PARAM:
    case LH_S_STATE: lh_build_given(b, s); return;
    case LH_S_STEP: build_step(b, s); return;
    case LH_S_UPDATE: lh_build_update(b, s); return;
    case LH_S_REPEAT: build_repeat(b, s); return;
    case LH_S_NEXT:
        lh_fail(g->ctx, LH_ERROR_TEXT, s->at, "next %s is only allowed inside a repeat", s->name);
        return;
    default: break;
    }
    if (!is_top) {
        lh_fail(g->ctx, LH_ERROR_TEXT, s->at, "this line must stand outside the block");
        return;
    }
    switch (s->kind) {
    case LH_S_VOCAB: lh_build_vocab(b, s); return;
    case LH_S_SIZE: build_size(b, s); return;
    case LH_S_INPUT: lh_build_input(b, s); return;
    case LH_S_EXAMPLE:
    case LH_S_EXAMPLES:
    case LH_S_TEXT: lh_build_example(b, s); return;
    case LH_S_EACH: build_each(b, s); return;
    case LH_S_BACKWARD: build_backward(b, s); return;
    case LH_S_SEED:
        b->seed_kind = s->of;
        b->seed = s->seed;
        b->seed_number++;
        return;
    default: return;
    }
}

/* Functions and rules of a program, before those of the prelude. */
static void collect(lh_builder *b, const lh_program *p) {
    lh_graph *g = b->g;
    for (int i = 0; i < p->n_statements && !lh_failed(g->ctx); i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind == LH_S_FN) {
            const lh_statement *old = lh_find_fn(b, s->name);
            if (lh_op_find(s->name) < LH_N_OPS) {
                lh_fail(g->ctx, LH_ERROR_NAME, s->name_at, "%s is one of the primitive operations",
                        s->name);
                lh_cure(g->ctx, "choose another name");
            }
            for (int k = 0; old && p == g->program && k < b->n_fns; k++)
                if (b->fn[k] == old)
                    lh_fail(g->ctx, LH_ERROR_NAME, s->name_at,
                            "fn %s is already defined, in line %d", s->name, old->at.line);
            *lh_push(g->arena, b->fn, b->n_fns) = s;
        } else if (s->kind == LH_S_GRAD) {
            *lh_push(g->arena, b->rule, b->n_rules) = s;
        }
    }
}

static void check_named(lh_builder *b, const char *name, const char *what) {
    lh_graph *g = b->g;
    const char **known = lh_alloc_array(g->arena, (size_t)g->n_steps + 1, sizeof *known);
    int n = 0;
    if (strcmp(name, "*") == 0 || (strcmp(what, "set") == 0 && lh_vocab_find(g, name))) return;
    for (int i = 0; known && i < g->n_steps; i++) {
        const lh_step *s = g->step[i];
        if (s->kind != LH_STEP_GIVEN || s->node->kind == LH_OP_input) continue;
        if (strcmp(s->name, name) == 0 || strcmp(s->path, name) == 0) return;
        known[n++] = s->name;
    }
    const char *near = known ? lh_nearest(name, known, n) : NULL;
    lh_fail(g->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0}, "%s %s: the program has no such name", what,
            name);
    if (near) lh_cure(g->ctx, "did you mean %s?", near);
}

static void check_settings(lh_builder *b) {
    const lh_build *how = b->how;
    for (int i = 0; i < how->n_set; i++) check_named(b, how->set[i].name, "set");
    for (int i = 0; i < how->n_train; i++) check_named(b, how->train[i], "train");
    for (int i = 0; i < how->n_freeze; i++) check_named(b, how->freeze[i], "freeze");
}

static void build_all(lh_builder *b, const lh_program *p) {
    lh_graph *g = b->g;
    collect(b, p);
    b->n_own_fns = b->n_fns;
    b->n_own_rules = b->n_rules;
    collect(b, g->prelude);
    lh_check_rules(b);
    for (int i = 0; i < p->n_statements && !lh_failed(g->ctx); i++)
        if (p->statement[i]->kind != LH_S_GENERATE) build_statement(b, p->statement[i]);
    for (int i = 0; i < p->n_statements && !lh_failed(g->ctx); i++)
        if (p->statement[i]->kind == LH_S_GENERATE) build_generate(b, p->statement[i]);
    if (b->how->backward && !lh_failed(g->ctx)) {
        lh_node *root = lh_scope_here(g->top, b->how->backward);
        if (root && !b->has_backward) lh_build_backward(b, root);
    }
    g->seed = b->seed;
    if (!lh_failed(g->ctx)) check_settings(b);
}

static void free_prelude(void *kept) {
    lh_program_free(kept);
}

/* Parsed once for a context: a rewritten program is built hundreds of times. */
static const lh_program *prelude_of(lh_context *ctx) {
    const lh_embedded *e = lh_embedded_find("prelude.lh");
    if (!ctx->kept) {
        ctx->kept = lh_program_parse(ctx, e->name, e->text, e->length);
        ctx->free_kept = free_prelude;
    }
    return ctx->kept;
}

lh_graph *lh_graph_build(lh_context *ctx, const lh_program *p, const lh_build *how) {
    static const lh_build plain;
    if (lh_failed(ctx) || !p) return NULL;
    lh_arena *arena = lh_arena_new(ctx);
    if (!arena) return NULL;
    ctx->n_graphs++;
    lh_graph *g = lh_alloc(arena, sizeof *g);
    *g = (lh_graph){.ctx = ctx, .arena = arena, .program = p, .how = how ? *how : plain};
    g->prelude = prelude_of(ctx);
    lh_builder b = {.g = g, .how = how ? how : &plain};
    g->builder = &b;
    lh_axis_number(g, 1);
    g->top = b.scope = lh_scope_new(g, LH_SCOPE_TOP, NULL, NULL, "");
    if (!lh_failed(ctx)) build_all(&b, p);
    g->builder = NULL;
    if (!lh_failed(ctx)) return g;
    lh_fail_in(ctx, p->file, p->source, p->length);
    lh_graph_free(g);
    return NULL;
}

void lh_graph_free(lh_graph *g) {
    if (!g) return;
    lh_arena_free(g->arena);
}
