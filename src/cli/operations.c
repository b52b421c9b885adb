/* operations -- longhand help operations: every operation and every function of the prelude, as Markdown. docs/operations.md
 * is this text; a test compares the two. */
#include <string.h>

#include "cli/cli.h"
#include "graph/op.h"

static void print_op(const lh_op *op) {
    printf("| `%s` | %s%s | `%s` | `%s` |\n", op->name, op->summary,
           op->is_discrete ? " No gradient goes through it." : "", op->example[0], op->example[1]);
}

/* Signs are what is not called by a name. */
static void print_ops(const char *title, const char *column, bool calls) {
    printf("\n## %s\n\n| %s | what it does | example | result |\n| --- | --- | --- | --- |\n",
           title, column);
    for (int i = 0; i < LH_N_OPS; i++) {
        const lh_op *op = lh_ops[i];
        bool is_call = op->print_kind == LH_PRINT_CALL && !op->is_internal;
        if (op->example[0] && is_call == calls) print_op(op);
    }
}

/* How its gradient goes back. A rule may be for one call inside another: grad nll(softmax(x), t). */
static const char *way_back(lh_cli *cli, const lh_program *p, const char *name) {
    const char *way = "from its definition";
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind != LH_S_GRAD || strcmp(s->name, name) != 0) continue;
        const lh_expr *inner = NULL;
        for (int k = 0; k < s->n_patterns; k++)
            if (s->pattern[k]->kind == LH_E_CALL) inner = s->pattern[k];
        if (!inner) return "by its rule";
        way = lh_printf(cli->arena, "from its definition; around %s by a rule", inner->text);
    }
    return way;
}

static void print_fn(lh_cli *cli, const lh_program *p, const lh_statement *fn) {
    lh_text t = lh_text_new(cli->arena);
    for (int i = 0; i < fn->n_params; i++) {
        lh_text_add(&t, "%s%s", i ? ", " : "", fn->param[i]);
        if (!fn->standard[i]) continue;
        lh_text_add(&t, " = ");
        lh_expr_print(&t, fn->standard[i]);
    }
    printf("| `%s(%s)` | %s | %s |\n", fn->name, t.s, fn->comment ? fn->comment : "",
           way_back(cli, p, fn->name));
}

/* A comment "---- norms ----" begins a group; other comments between functions are not for this list. */
static void print_group(const lh_statement *s) {
    static const char dashes[] = "---- ";
    size_t n = s->comment ? strlen(s->comment) : 0;
    if (n < 11 || strncmp(s->comment, dashes, 5) != 0) return;
    printf("\n### %c%.*s\n\n| function | what it does | gradient |\n| --- | --- | --- |\n",
           s->comment[5] >= 'a' && s->comment[5] <= 'z' ? s->comment[5] - 32 : s->comment[5],
           (int)(n - 11), s->comment + 6);
}

int lh_cli_operations(lh_cli *cli) {
    const lh_program *p = lh_prelude(cli->ctx);
    if (!p) return lh_cli_report(cli);
    printf("# Operations and functions\n\n"
           "Made by `longhand help operations`; do not edit. Rows and columns count from 0. Where "
           "two values differ in shape, a row, a column or a number is stretched.\n");
    print_ops("Signs", "sign", false);
    print_ops("Operations", "operation", true);
    printf("\n## Functions of the prelude\n\nThey are written in the notation: "
           "[prelude.lh](../src/notation/prelude.lh) is what they mean.\n");
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind == LH_S_COMMENT) print_group(s);
        if (s->kind == LH_S_FN) print_fn(cli, p, s);
    }
    return LH_EXIT_YES;
}
