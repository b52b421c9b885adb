/* trouble -- something stopped being a number: where, and why that usually happens. */
#include "cli/trouble.h"

#include <math.h>

#include "base/number.h"

/* E[t], pick(p, t), onehot(t, n): t is a number of a row or column, and there is none like it. */
static bool cure_place(lh_cli *cli, const lh_graph *g, const lh_plan *p, const lh_trouble *bad) {
    const lh_node *n = bad->node;
    bool is_onehot = n->kind == LH_OP_onehot, is_row = n->kind == LH_OP_lookup;
    if (!is_onehot && !is_row && n->kind != LH_OP_pick) return false;
    const lh_node *t = n->in[is_onehot ? 0 : 1];
    lh_sizes z = lh_exact.sizes(p, is_onehot ? n : n->in[0], bad->at.example);
    char number[LH_NUMBER_MAX];
    lh_cell at = {bad->at.example, bad->at.head, bad->at.row, 0};
    if (!t->shape.is_batched) at.example = 0;
    lh_number_text(number, sizeof number, lh_exact.get(p, t, at), 6);
    (void)g;
    lh_cure(cli->ctx, "there is no %s %s: %ss count from 0 to %d, in whole numbers",
            is_row ? "row" : "column", number, is_row ? "row" : "column",
            (is_row ? z.rows : z.cols) - 1);
    return true;
}

static void cure(lh_cli *cli, const lh_graph *g, const lh_plan *p, const lh_trouble *bad) {
    lh_context *ctx = cli->ctx;
    if (cure_place(cli, g, p, bad)) return;
    const char *own = bad->node->op->cure[isnan(bad->value) != 0];
    if (own) lh_cure(ctx, "%s", own);
}

int lh_cli_trouble(lh_cli *cli, const lh_graph *g, const lh_plan *p, bool nan_alone) {
    lh_trouble bad = lh_exact.trouble(p);
    if (!bad.node || (nan_alone && !isnan(bad.value))) return LH_EXIT_YES;
    const lh_node *n = bad.node;
    lh_text formula = lh_text_new(cli->arena);
    lh_node_print_inside(&formula, n, n->scope);
    const lh_step *s = n->step;
    for (int i = n->id; !s && i < g->n_nodes; i++)
        for (int k = 0; k < g->node[i]->n_in && !s; k++)
            if (g->node[i]->in[k] == n) n = g->node[i], s = n->step;
    lh_fail(cli->ctx, LH_ERROR_VALUE, bad.node->at,
            "%s: %s first appears in %s (example %d, row %d, column %d)", s ? s->path : "?",
            isnan(bad.value) ? "nan" : "inf", formula.s, bad.at.example, bad.at.row, bad.at.col);
    cure(cli, g, p, &bad);
    lh_fail_in(cli->ctx, g->program->file, g->program->source, g->program->length);
    return lh_cli_report(cli);
}

/* ---- ties ---- */

static const lh_node *argmax_of(const lh_node *n) {
    while (n->kind == LH_OP_call || n->kind == LH_OP_same)
        n = n->kind == LH_OP_call ? n->call->result : n->in[0];
    return n->kind == LH_OP_argmax ? n : NULL;
}

/* The words or numbers of the columns that share the largest number of a row; "" where one alone has it. */
static const char *equals(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *x,
                          lh_cell at, int cols) {
    lh_text t = lh_text_new(a);
    const lh_vocab *words = g->axis[x->shape.cols].vocab;
    double most = -INFINITY;
    int n = 0;
    for (at.col = 0; at.col < cols; at.col++) most = fmax(most, lh_exact.get(p, x, at));
    for (at.col = 0; at.col < cols; at.col++) {
        if (lh_exact.get(p, x, at) != most) continue;
        if (n++ == 4) lh_text_add(&t, " = ...");
        if (n > 4) continue;
        if (words && at.col < words->n_words)
            lh_text_add(&t, "%s%s", t.n ? " = " : "", words->word[at.col]);
        else
            lh_text_add(&t, "%scolumn %d", t.n ? " = " : "", at.col);
    }
    return n > 1 ? t.s : "";
}

const char *lh_tie_text(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                        int example) {
    const lh_node *m = argmax_of(n);
    if (!m || !lh_exact.has(p, m->in[0])) return "";
    const lh_node *x = m->in[0];
    lh_cell at = {x->shape.is_batched ? example : 0, 0, 0, 0};
    lh_sizes z = lh_exact.sizes(p, x, at.example);
    lh_text t = lh_text_new(a);
    int more = 0;
    for (at.head = 0; at.head < z.heads; at.head++)
        for (at.row = 0; at.row < z.rows; at.row++) {
            const char *who = equals(a, g, p, x, at, z.cols);
            if (!*who) continue;
            if (t.n)
                more++;
            else if (z.rows > 1)
                lh_text_add(&t, "a tie in row %d: %s", at.row, who);
            else
                lh_text_add(&t, "a tie: %s", who);
        }
    if (more) lh_text_add(&t, ", and in %d more row%s", more, more == 1 ? "" : "s");
    if (t.n) lh_text_add(&t, "; the first is taken");
    return t.s;
}
