/* cost_recompute -- what --recompute saves and costs: the memory of a step with and without it, found with plans that only know sizes, and the operations
 * that are done twice. */
#include "cli/cost_command.h"

#include <string.h>

#include "cli/model.h"
#include "eval/plan.h"

static double needs(const lh_cost_model *m, bool recomputes) {
    lh_wish wish = m->wish;
    wish.recomputes = recomputes;
    return lh_failed(m->g->ctx) ? 0
                                : lh_fast_needs(m->g, &wish, m->batch.examples ? &m->batch : NULL);
}

static const lh_cost_row *row_of(const lh_bill *b, lh_outline *o, const lh_step *s) {
    const lh_home h = lh_outline_home(o, s);
    const lh_phase phase = lh_outline_phase(o, s);
    for (int i = 0; i < b->n_rows; i++)
        if (b->row[i].repeat == h.repeat && b->row[i].phase == phase &&
            strcmp(b->row[i].key, h.key) == 0)
            return &b->row[i];
    return NULL;
}

static double operations_of(const lh_cost cost[LH_N_WHEN], int examples) {
    double sum = 0;
    for (int w = 0; w < LH_N_WHEN; w++)
        sum += (w == LH_EACH ? examples : 1) * (2 * lh_polynomial_value(&cost[w].multiply_adds) +
                                                lh_polynomial_value(&cost[w].operations));
    return sum;
}

/* If one work of a line runs again, the whole line is counted. */
static void count_again(const lh_cli *cli, const lh_bill *b, const lh_plan *p, lh_recomputed *to) {
    const lh_plan_list *run = &p->list[LH_STAGE_RUN];
    lh_outline *o = lh_outline_new(p->g, cli->arena);
    bool *is_counted = lh_alloc_array(cli->arena, (size_t)p->g->n_steps + 1, sizeof *is_counted);
    for (int i = 0; o && is_counted && i < run->n; i++) {
        const lh_step *s = run->work[i].is_again ? o->owner[run->work[i].node->id] : NULL;
        const lh_cost_row *row = s && !is_counted[s->id] ? row_of(b, o, s) : NULL;
        if (!row) continue;
        is_counted[s->id] = true;
        to->again += operations_of(row->cost, to->examples);
    }
    to->operations = operations_of(b->sum[LH_WHOLE], to->examples);
}

bool lh_cost_recomputed(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                        const lh_cost_how *how, lh_recomputed *to) {
    lh_cost_model m;
    lh_cost_model_new(cli, s, set, b, how, &m);
    /* without inputs that are tokens: the program's own examples */
    *to = (lh_recomputed){.examples = m.batch.examples ? m.batch.examples
                                      : m.g            ? m.g->n_examples
                                                       : 1};
    m.wish.is_sketch = true;
    lh_plan *p = m.g ? lh_fast.plan(m.g, &m.wish) : NULL;
    if (p) {
        count_again(cli, b, p, to);
        to->memory = needs(&m, true), to->kept = needs(&m, false);
    }
    lh_fast.free(p);
    lh_graph_free(m.g);
    if (!lh_failed(cli->ctx)) return true;
    lh_fail_in(cli->ctx, s->program->file, s->program->source, s->program->length);
    lh_cli_report(cli);
    return false;
}

void lh_print_recomputed(const lh_cli *cli, const lh_recomputed *x) {
    lh_arena *a = cli->arena;
    fputc('\n', cli->out);
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "Recomputed\n");
    lh_wrap(
        cli->out, cli->width, 0,
        lh_printf(a,
                  "One step of training on %d example%s takes %s with --recompute and %s "
                  "without: only what enters each layer is kept, and %.3g of %.3g floating-point "
                  "operations are done twice (%.0f%% more).",
                  x->examples, x->examples == 1 ? "" : "s", lh_bytes_text(a, x->memory),
                  lh_bytes_text(a, x->kept), x->again, x->operations,
                  100 * x->again / x->operations));
}

void lh_recomputed_json(lh_json *j, const lh_recomputed *x) {
    lh_json_begin(j, "recomputed", '{');
    lh_json_int(j, "examples", x->examples);
    lh_json_number(j, "memory", x->memory);
    lh_json_number(j, "kept", x->kept);
    lh_json_number(j, "again", x->again);
    lh_json_number(j, "operations", x->operations);
    lh_json_end(j, '}');
}
