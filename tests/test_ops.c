/* Every operation of the table: its worked example, its formula as text, its value in two number
 * types, its gradient against differences, its explanation. An operation without a line here
 * is tried as name(a, b) on positive numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "op_trials.h"

/* Values that stand for themselves: there is nothing to work out. */
static bool is_leaf(lh_op_id id) {
    switch (id) {
    case LH_OP_number:
    case LH_OP_matrix:
    case LH_OP_size:
    case LH_OP_given:
    case LH_OP_input:
    case LH_OP_runtime:
    case LH_OP_same:
    case LH_OP_renew:
    case LH_OP_call:
    case LH_OP_back:
    case LH_OP_gradients:
    case LH_OP_toprows:
    case LH_OP_bottomrows:
    case LH_OP_place: return true;
    default: return false;
    }
}

static const char *const op_names[LH_N_OPS] = {
#define OP(name) [LH_OP_##name] = #name,
#include "graph/ops.def"
#undef OP
};

static const lh_node *value_named(const engine *e, const char *name) {
    const lh_step *s = lh_graph_step(e->graph, name);
    assert_non_null(s);
    return s->node;
}

/* The two expressions have the same shape and the same numbers. */
static void same_values(const char *one, const char *other, double slack) {
    char text[2048];
    assert_true(snprintf(text, sizeof text, "x = %s\ny = %s\n", one, other) < (int)sizeof text);
    engine e;
    if (!engine_open(&e, text, NULL) || !engine_run(&e, 0)) fail_msg("%s\n%s", e.problem, text);
    const lh_node *x = value_named(&e, "x"), *y = value_named(&e, "y");
    if (!engine_same(&lh_exact, e.exact, x, e.exact, y, slack)) fail_msg("they differ:\n%s", text);
    engine_close(&e);
}

static void examples_are_true(void **state) {
    (void)state;
    for (int i = 0; i < LH_N_OPS; i++) {
        const lh_op *op = lh_ops[i];
        if (!op->example[0] != is_leaf((lh_op_id)i))
            fail_msg("%s: %s", op_names[i],
                     op->example[0] ? "has an example, so it is no leaf" : "has no worked example");
        if (op->example[0]) same_values(op->example[0], op->example[1], 0);
        if (!op->summary || !*op->summary) fail_msg("%s has no summary", op_names[i]);
    }
}

/* Where brackets, signs and digits could get lost on the way. */
static const char *const tricky[] = {
    "[1.23456789012345 -2e-7; 3 0.1]",
    "1 - (2 - 3) - -4",
    "2 / (3 / 4) / 5",
    "-[1 2]^2",
    "(-[1 2])^2",
    "[-3]^2 - [-3]",
    "2^-[1 2]",
    "(2^3)^2 + 2^3^2",
    "-(1 + 2) * -3",
    "--2",
    "([1 2; 3 4] @ [1; 2])^T[0]",
    "(1 < 2) + ((2 > 1) == 1)",
    "(1 + 2)[0][0]",
    "1 - 2 * (3 - 4)",
    "[1 2; 3 4][1][0]^2",
    "[1 2; 3 4][last] - [1 2; 3 4][][1]^T",
    "layernorm([1 2 4], eps = 0.5)",
    "layernorm([1 2 4], 2, eps = 0.5)",
    "0.1 + 0.10 + 1e-3 + pi",
    "where(1 > 2, -inf, 3)",
    "2 * [1 2; 3 4] @ [5; 6] / 7",
    "2 * ([1 2; 3 4] @ [5; 6])",
    "(2 / 3) * (4 @ 5)",
};

/* A formula is notation: read again, it is the same value. */
static void formulas_read_back(void **state) {
    (void)state;
    const int n_tricky = (int)(sizeof tricky / sizeof *tricky);
    for (int i = 0; i < LH_N_OPS + n_tricky; i++) {
        const char *expr = i < LH_N_OPS ? lh_ops[i]->example[0] : tricky[i - LH_N_OPS];
        if (!expr) continue;
        char text[1024];
        snprintf(text, sizeof text, "x = %s\n", expr);
        engine e;
        if (!engine_open(&e, text, NULL)) fail_msg("%s", e.problem);
        same_values(lh_step_formula(e.graph, lh_graph_step(e.graph, "x")), expr, 0);
        engine_close(&e);
    }
}

static bool has_operation(const engine *e, const char *name) {
    for (int i = 0; i < e->graph->n_nodes; i++)
        if (strcmp(op_names[e->graph->node[i]->kind], name) == 0) return true;
    snprintf(((engine *)e)->problem, sizeof e->problem, "there is no %s in this graph", name);
    return false;
}

static bool was_there; /* a[t] with one number in t is a row: not every case has its operation */

static bool has_its_operation(engine *e, const trial_case *c) {
    was_there |= has_operation(e, c->of->of);
    return c->turn % 5 || (engine_explains(e, lh_graph_step(e->graph, "y")) &&
                           engine_explains(e, lh_graph_step(e->graph, "L")));
}

static bool agrees(const trial *t) {
    static char problem[16384];
    was_there = false;
    if (trial_run_all(t, problem, sizeof problem, has_its_operation) > 0 && was_there) return true;
    fprintf(stderr, "%s\n", problem);
    return false;
}

static void trials_agree(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof op_trials / sizeof *op_trials; i++)
        wrong += !agrees(&op_trials[i]);
    assert_int_equal(wrong, 0);
}

static void programs_agree(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof op_programs / sizeof *op_programs; i++) {
        engine e;
        if (!engine_open(&e, op_programs[i].text, NULL) || !engine_run(&e, 0) ||
            !engine_check(&e, 0, 1e-12) || !has_operation(&e, op_programs[i].of))
            fail_msg("%s\n%s", e.problem, op_programs[i].text);
        for (int k = 0; k < e.graph->n_steps; k++)
            if (!engine_explains(&e, e.graph->step[k]))
                fail_msg("%s\n%s", e.problem, op_programs[i].text);
        engine_close(&e);
    }
}

/* Positive numbers, for functions such as the logarithm take no others. */
static bool agrees_as_a_call(int i) {
    static const char *const forms[] = {"%s(a)", "%s(a, b)", "%s(a, b, c)"};
    const lh_op *op = lh_ops[i];
    char expr[100];
    if (op->is_internal || op->print_kind != LH_PRINT_CALL || op->n_min < 1 || op->n_min > 3)
        return false;
    snprintf(expr, sizeof expr, forms[op->n_min - 1], op->name);
    return agrees(&(trial){op_names[i],
                           expr,
                           {"+RxC", op->n_min > 1 ? "+RxC" : NULL, op->n_min > 2 ? "+RxC" : NULL},
                           op->is_discrete ? TRIAL_DISCRETE : 0});
}

static void every_operation_is_tried(void **state) {
    (void)state;
    for (int i = 0; i < LH_N_OPS; i++) {
        int n = i == LH_OP_back; /* in no formula: test_fast */
        for (size_t k = 0; k < sizeof op_trials / sizeof *op_trials; k++)
            n += strcmp(op_trials[k].of, op_names[i]) == 0;
        for (size_t k = 0; k < sizeof op_programs / sizeof *op_programs; k++)
            n += strcmp(op_programs[k].of, op_names[i]) == 0;
        if (n == 0 && !agrees_as_a_call(i))
            fail_msg("%s has no line in op_trials or op_programs, and is none as a call",
                     op_names[i]);
    }
}

/* Operations that `backward` makes have gradients too, which no program can ask for: they are asked
 * for by hand. y is made of a and b; L = sum(y * w). */
static lh_node *make_internal(lh_graph *g, int which, lh_node *a, lh_node *b) {
    switch (which) {
    case 0: return lh_op2(g, LH_OP_toprows, a, b);
    case 1: return lh_op2(g, LH_OP_bottomrows, a, b);
    case 2: return lh_place_node(g, b, a, 0, 0);
    case 3: return lh_place_node(g, b, a, LH_AT_END, 0);
    case 4: return lh_place_node(g, lh_op1(g, LH_OP_last, b), a, 1, 0);
    case 5: return lh_place_node(g, lh_op1(g, LH_OP_last, b), a, LH_AT_END, 0);
    case 6: return lh_place_node(g, lh_op2(g, LH_OP_column, b, lh_number(g, 0, NULL)), a, 0, 1);
    default: return NULL;
    }
}

static void internal_gradients_agree(void **state) {
    (void)state;
    for (int which = 0; which < 7; which++) {
        engine e;
        if (!engine_open(
                &e,
                "param A = [1 2 3; 4 5 6; 7 8 9; 0.5 0.25 2]\n"
                "param B = [3 1 4; 1 5 9]\nw = sin(1.7 * rowindex(A) + 2.9 * colindex(A))\n"
                "x = sin(1.7 * rowindex(B) + 2.9 * colindex(B))\n",
                NULL))
            fail_msg("%s", e.problem);
        lh_graph *g = e.graph;
        lh_node *a = (lh_node *)value_named(&e, "A"), *b = (lh_node *)value_named(&e, "B");
        lh_node *y = make_internal(g, which, a, b);
        lh_node *moved = which < 2 ? a : y->in[0];
        lh_node *w = (lh_node *)value_named(&e, which < 2 ? "x" : "w");
        lh_node *loss = lh_op1(g, LH_OP_sum, lh_op2(g, LH_OP_mul, y, w));
        lh_node *d = y->op->gradient(g, y, w, 0);
        assert_null(y->op->gradient(g, y, w, 1));
        lh_node *want[] = {loss, d, moved};
        lh_wish wish = {.node = want, .n_nodes = 3};
        lh_plan *p = lh_wide.plan(g, &wish), *q = lh_wide.plan(g, &wish);
        if (engine_failed(&e)) fail_msg("%s", e.problem);
        lh_wide.start(p), lh_wide.bind(p, NULL, 0);
        lh_wide.start(q), lh_wide.bind(q, NULL, 0);
        const lh_node *given = which < 2 ? a : b;
        ENGINE_EACH_CELL(&lh_wide, p, given, at) {
            double h = engine_h(), g_at = 0;
            lh_wide.add(p, given, at, h);
            lh_wide.run(p), lh_wide.run(q);
            double slope = lh_wide.difference(p, loss, (lh_cell){0, 0, 0, 0}, q) / h;
            lh_wide.add(p, given, at, -h);
            if (which < 4) g_at = lh_wide.get(q, d, at);
            if (which == 4 || which == 5)
                g_at = at.row == 1 ? lh_wide.get(q, d, (lh_cell){0, 0, 0, at.col}) : 0;
            if (which == 6) g_at = at.col == 0 ? lh_wide.get(q, d, (lh_cell){0, 0, at.row, 0}) : 0;
            if (fabs(slope - g_at) > 1e-9)
                fail_msg("%s (%d)[%d][%d]: %g, by differences %g", y->op->name, which, at.row,
                         at.col, g_at, slope);
        }
        lh_wide.free(p);
        lh_wide.free(q);
        engine_close(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_true),        cmocka_unit_test(formulas_read_back),
        cmocka_unit_test(every_operation_is_tried), cmocka_unit_test(trials_agree),
        cmocka_unit_test(programs_agree),           cmocka_unit_test(internal_gradients_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
