/* exercise_show -- what an exercise shows when it is answered: numbers of steps, a cell worked out, the loss over updates. */
#include <string.h>

#include "cli/exercise.h"
#include "cli/explain.h"
#include "cli/matrix.h"
#include "cli/run.h"

enum { INDENT = 4, DIGITS = 4 };

static void heading(const lh_cli *cli, const lh_lesson *l, const lh_show *x, const char *what) {
    lh_ink_on(cli, stdout, LH_INK_QUIET);
    printf("%*s", INDENT, "");
    if (x->program > 0) printf("%s: ", l->program[x->program].name);
    printf("%s\n", what);
    lh_ink_off(cli, stdout);
}

static void show_step(lh_cli *cli, lh_live *v, const lh_show *x, lh_mention operand) {
    lh_address a;
    lh_step *s = lh_live_step(v, operand.text, (lh_where){x->program, x->exercise, operand.at});
    if (!s || !lh_address_parse(cli->ctx, operand.text, &a)) return;
    lh_graph *g = lh_live_graph(v, x->program);
    const lh_plan *p = lh_live_moment(v, x->program, a.step);
    if (!p) return;
    heading(cli, lh_live_lesson(v), x,
            lh_printf(cli->arena, "%s = %s", operand.text, lh_step_formula(g, s)));
    int examples = s->node->shape.is_batched ? lh_exact.examples(p) : 1;
    for (int e = 0; e < examples && e < 4; e++) {
        if (a.has_example && a.example != e) continue;
        if (examples > 1) printf("%*s%s\n", INDENT, "", lh_example_text(cli->arena, g, e));
        lh_print_matrix(cli, stdout, g, p, s->node, e, INDENT, DIGITS);
    }
}

static void show_cell(lh_cli *cli, lh_live *v, const lh_show *x, lh_mention operand) {
    lh_graph *g = lh_live_graph(v, x->program);
    lh_explanation *e = g ? lh_explain(g, operand.text, &(lh_explain_how){.digits = DIGITS}) : NULL;
    if (e) lh_print_explanation(cli, operand.text, e, DIGITS);
    lh_explanation_free(e);
}

static void show_loss(lh_cli *cli, lh_live *v, const lh_show *x) {
    const double *loss = lh_live_losses(v, x->program, x->updates);
    if (!loss) return;
    heading(cli, lh_live_lesson(v), x,
            lh_printf(cli->arena, "the loss over %d updates", x->updates));
    lh_plot_loss(cli, loss, x->updates + 1);
}

void lh_view_show(lh_cli *cli, lh_live *v, int show) {
    const lh_show *x = &lh_live_lesson(v)->show[show];
    switch (x->verb) {
    case LH_SHOW_TRACE:
    case LH_SHOW_MATRIX:
    case LH_SHOW_HEAT:
    case LH_SHOW_BARS:
    case LH_SHOW_COMPARE:
        for (int i = 0; i < x->n_operands; i++) show_step(cli, v, x, x->operand[i]);
        return;
    case LH_SHOW_EXPLAIN:
        for (int i = 0; i < x->n_operands; i++) show_cell(cli, v, x, x->operand[i]);
        return;
    case LH_SHOW_LOSS: show_loss(cli, v, x); return;
    default: return; /* pictures are for the lesson's own page */
    }
}
