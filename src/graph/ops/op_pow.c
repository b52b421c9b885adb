/* pow -- a ^ b, cell by cell.
 *
 *     y = a^b
 *
 * Gradient: da = dy b a^(b - 1). And y = e^(b log a), so db = dy y log(a); an exponent that is a
 * plain number of the program needs none.
 */
#include "eval/work.h"
#include "explain/term.h"

#include <math.h>

#include <string.h>

LH_EACH2(pow_exact, a, b, R(pow)(a, b))

/* dy b a^(b - 1), written as a person would: dy * 2 * a for a^2, dy * 3 * a^2 for a^3. */
static lh_node *pow_base_gradient(lh_graph *g, lh_node *a, lh_node *b, lh_node *dy) {
    lh_node *less;
    if (b->kind == LH_OP_number) {
        if (b->number == 0) return NULL;
        if (b->number == 1) return dy;
        less = b->number == 2 ? NULL : lh_number(g, b->number - 1, NULL);
    } else {
        less = lh_op2(g, LH_OP_sub, b, lh_number(g, 1, "1"));
    }
    lh_node *power = less ? lh_op2(g, LH_OP_pow, a, less) : a;
    return lh_op2(g, LH_OP_mul, lh_op2(g, LH_OP_mul, dy, b), power);
}

static lh_node *pow_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    double constant;
    if (i == 0) return pow_base_gradient(g, n->in[0], n->in[1], dy);
    if (lh_node_constant(g, n->in[1], &constant)) return NULL;
    return lh_op2(g, LH_OP_mul, lh_op2(g, LH_OP_mul, dy, n), lh_op1(g, LH_OP_log, n->in[0]));
}

/* power = postfix ^ unary. A value named T stands in brackets: a^T is the transpose. */
static void pow_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_text exponent = lh_text_new(out->arena);
    lh_node_print_as(&exponent, n->in[1], from, LH_BIND_UNARY);
    lh_node_print_as(out, n->in[0], from, LH_BIND_POSTFIX);
    lh_text_add(out, strcmp(exponent.s, "T") == 0 ? "^(%s)" : "^%s", exponent.s);
}

static double pow_rounding(const lh_sized *y, const lh_sized *x, const lh_sized *other) {
    (void)x, (void)other;
    return y->value;
}

static double pow_number(double a, double b) {
    return pow(a, b);
}

LH_OP_RECORD(pow) = {
    .name = "^",
    .summary = "The first value to the power of the second, cell by cell.",
    .example = {"[1 2 3; 4 5 6]^[2; 3]", "[1 4 9; 64 125 216]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_POWER,
    .print = pow_print,
    .shape = lh_shape_stretch,
    .exact = pow_exact,
    .gradient = pow_gradient,
    .explain = lh_explain_infix,
    .trouble = {"a power that is too large", "a power that has no value"},
    .number = pow_number,
    .rounding = pow_rounding,
};
