/* build_expr -- an expression becomes nodes: names, numbers, words, rows and cells, operators. */
#include <math.h>
#include <string.h>

#include "graph/build.h"
#include "graph/op.h"

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

/* Of dW where W has no gradient, or has none yet; NULL: the name is not of this kind. */
static const char *no_gradient(const lh_builder *b, const char *name) {
    if (b->scope->kind == LH_SCOPE_CALL || b->scope->kind == LH_SCOPE_RULE || name[0] != 'd')
        return NULL;
    const lh_node *of = lh_scope_find(b->scope, name + 1);
    return of && of->kind != LH_OP_size ? lh_no_gradient(b->g, of) : NULL;
}

static void fail_name(lh_builder *b, const lh_expr *e) {
    lh_graph *g = b->g;
    const char *near = lh_scope_nearest(b->scope, e->text),
               *elsewhere = lh_build_elsewhere(e->text), *gradient = no_gradient(b, e->text);
    lh_fail(g->ctx, LH_ERROR_NAME, g->at, "%s is not defined here", e->text);
    if (gradient)
        lh_cure(g->ctx, gradient, e->text + 1);
    else if (near)
        lh_cure(g->ctx, "did you mean %s?", near);
    else if (elsewhere)
        lh_cure(g->ctx, "%s", elsewhere);
    else if (lh_find_fn(b, e->text) || lh_op_find(e->text) < LH_N_OPS)
        lh_cure(g->ctx, "%s is a function: write %s(...)", e->text, e->text);
    else if (b->scope->kind == LH_SCOPE_CALL)
        lh_cure(g->ctx, "a function can use only its parameters and its own lines");
    else if (b->setting)
        lh_cure(g->ctx, "a setting is a number, a matrix or a formula: %s=0.5, %s=[1 0; 0 1]",
                b->setting->name, b->setting->name);
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

lh_op_id lh_op_infix(lh_expr_kind kind) {
    switch (kind) {
    case LH_E_ADD: return LH_OP_add;
    case LH_E_SUB: return LH_OP_sub;
    case LH_E_MUL:
    case LH_E_TIMES: return LH_OP_mul;
    case LH_E_DIV: return LH_OP_div;
    case LH_E_MATMUL: return LH_OP_matmul;
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

/* On paper × is any product. Between two matrices the writer says which one; none is advised that does not fit. It is a sign that
 * cannot be read, not sizes that do not fit: in an exercise it is no answer, and so not a wrong one. */
static void refuse_times(lh_graph *g, const lh_expr *e, lh_node *const in[2]) {
    const lh_shape x = in[0]->shape, y = in[1]->shape;
    const bool is_dot = are_rows_or_columns(g, x, y),
               is_turned = !lh_axis_same(g, x.cols, y.rows) && lh_axis_same(g, x.cols, y.cols);
    lh_text a = lh_text_new(g->arena), b = lh_text_new(g->arena);
    lh_expr_print(&a, e->arg[0]);
    lh_expr_print(&b, e->arg[1]);
    lh_fail(g->ctx, LH_ERROR_TEXT, g->at,
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
    return lh_op2(g, lh_op_infix(e->kind), in[0], in[1]);
}

/* What a line makes. A number that came by a name (the turn of a repeat, an operand of a call) stands in other formulas, too:
 * the line gets a node of its own, to be named. */
lh_node *lh_build_line(lh_builder *b, const lh_expr *e, const char *path) {
    int before = b->g->n_nodes;
    lh_node *n = lh_build_expr(b, e, path, true);
    bool is_other = !n->step && n->id < before && !lh_failed(b->g->ctx);
    return is_other ? lh_op1(b->g, LH_OP_same, n) : n;
}
