/* cost_predict -- how long a step takes and how much memory, of a model that need not fit here: each repeat is measured with
 * one turn and with two, and every further turn takes as long as the second. The memory is counted, not taken. */
#include "base/clock.h"
#include "base/number.h"
#include "cli/cost_command.h"
#include "cli/train_command.h"

enum { RUNS = 5 }; /* at least so many */
/* seconds: short steps are taken more often, since a pause of the machine is as long as several */
static const double SOME = 0.3;

/* Of several steps the shortest: others work here, too. 0: the context failed. */
static double step_seconds(lh_cli *cli, const lh_source *s, const lh_settings *set,
                           const lh_bill *b, const lh_cost_how *how) {
    double least = 0, spent = 0;
    lh_cost_model m;
    lh_cost_model_new(cli, s, set, b, how, &m);
    lh_plan *p = lh_cost_model_plan(cli, &m);
    for (int i = -1; p && (i < RUNS || spent < SOME);
         i++) { /* the first one touches memory and fills caches */
        const double start = lh_seconds();
        lh_cost_model_feed(&m, p);
        lh_fast.run(p);
        if (m.is_training) lh_fast.commit(p);
        const double seconds = lh_seconds() - start;
        if (i == 0 || (i > 0 && seconds < least)) least = seconds;
        spent += seconds;
    }
    lh_fast.free(p);
    lh_graph_free(m.g);
    return p && !lh_failed(cli->ctx) ? least : 0;
}

/* The settings with each repeat at one turn, but one at two. */
lh_settings lh_cost_turned(const lh_cli *cli, const lh_settings *set, const lh_predicted *p,
                           int two) {
    lh_settings out = {
        lh_alloc_array(cli->arena, (size_t)set->n + (size_t)p->n + 1, sizeof *out.set), 0};
    for (int i = 0; out.set && i < set->n; i++) out.set[out.n++] = set->set[i];
    for (int i = 0; out.set && i < p->n; i++)
        out.set[out.n++] = (lh_setting){p->repeat[i].name, i == two ? "2" : "1"};
    return out;
}

void lh_cost_repeats(const lh_cli *cli, const lh_bill *b, lh_predicted *p) {
    for (int i = 0; i < b->g->n_axes; i++) {
        const lh_axis *x = &b->g->axis[i];
        if (!b->names->is_count[i] || !x->name || x->n < 3) continue;
        *lh_push(cli->arena, p->repeat, p->n) =
            (lh_predicted_repeat){.name = x->name, .turns = (double)x->n};
    }
}

bool lh_cost_predicted(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                       const lh_cost_how *how, lh_predicted *p) {
    *p = (lh_predicted){0};
    lh_cost_repeats(cli, b, p);
    lh_cost_model whole;
    lh_cost_model_new(cli, s, set, b, how, &whole);
    p->memory = whole.needs;
    p->is_training = whole.is_training;
    p->rows = whole.rows;
    const bool is_fewer = whole.g && p->n; /* from here on with fewer turns */
    int at = 0, tried = 1;
    lh_graph_free(whole.g);
    const lh_settings once = lh_cost_turned(cli, set, p, -1);
    if (!lh_failed(cli->ctx)) p->once = p->seconds = step_seconds(cli, s, &once, b, how);
    for (int i = 0; i < p->n && !lh_failed(cli->ctx); i++) {
        at = i, tried = 2;
        const lh_settings twice = lh_cost_turned(cli, set, p, i);
        p->repeat[i].twice = step_seconds(cli, s, &twice, b, how);
        const double turn = p->repeat[i].twice - p->once;
        if (turn > 0) p->seconds += (p->repeat[i].turns - 1) * turn;
    }
    if (!lh_failed(cli->ctx)) return true;
    lh_fail_in(cli->ctx, s->program->file, s->program->source, s->program->length);
    lh_cli_report(cli);
    if (is_fewer)
        fprintf(
            stderr,
            "this happens with %s = %d, which --predict tries; --measure runs the model itself\n",
            p->repeat[at].name, tried);
    return false;
}

/* ---- on the screen ---- */

void lh_print_predicted(const lh_cli *cli, const lh_predicted *p) {
    fputc('\n', cli->out);
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "Predicted\n");
    const char *from = "all of it was measured";
    for (int i = 0; i < p->n; i++)
        from =
            lh_printf(cli->arena, "%s%s = 2: %.3g ms", i ? lh_printf(cli->arena, "%s, ", from) : "",
                      p->repeat[i].name, 1e3 * p->repeat[i].twice);
    if (p->n)
        from = lh_printf(cli->arena, "measured: one turn of each repeat, %.3g ms, and %s",
                         1e3 * p->once, from);
    char memory[LH_NUMBER_MAX];
    const char *rate =
        p->rows > 0 ? lh_printf(cli->arena, ", %.4g tokens/s", p->rows / p->seconds) : "";
    lh_wrap(cli->out, cli->width, 0,
            lh_printf(cli->arena, "%s: %.3g ms%s, and %s (%s).",
                      p->is_training ? "One step of training" : "One forward pass",
                      1e3 * p->seconds, rate, lh_number_bytes(memory, sizeof memory, p->memory),
                      from));
}

void lh_predicted_json(lh_json *j, const lh_predicted *p) {
    lh_json_begin(j, "predicted", '{');
    lh_json_number(j, "seconds", p->seconds);
    lh_json_number(j, "memory", p->memory);
    lh_json_number(j, "once", p->once);
    lh_json_begin(j, "repeats", '[');
    for (int i = 0; i < p->n; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "name", p->repeat[i].name);
        lh_json_number(j, "turns", p->repeat[i].turns);
        lh_json_number(j, "twice", p->repeat[i].twice);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}
