/* learning -- what training does to a program: the loss step by step, a plot of it, and what is right in the end. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "cli/json_stream.h"
#include "cli/run.h"
#include "explain/chart_show.h"
#include "train/loop.h"

typedef struct score {
    int right, total;
} score;

static score count_right(const lh_graph *g, const lh_plan *p, const lh_node *n, int target) {
    score s = {0, 0};
    for (int e = 0; e < lh_exact.examples(p); e++) {
        int at = n->shape.is_batched ? e : 0, rows = lh_exact.sizes(p, n, at).rows;
        const lh_example_value *v = &g->example[e]->value[target];
        for (int r = 0; r < v->rows && r < rows; r++) {
            if (lh_is_padding(g->input[target]->vocab, v->cells[r])) continue;
            int tied, best = lh_winner(p, n, at, rows == 1 ? 0 : r, &tied);
            s.total++;
            s.right += tied < 0 && best == (int)v->cells[r];
        }
    }
    return s;
}

static int pad_to(int width, const char *text) {
    int n = lh_columns(text);
    return n < width ? width - n : 0;
}

enum { USUAL_PATTERN = 28, LEAST_PATTERN = 12, BESIDE_PATTERN = 36 };

/* As wide as the longest example, as far as the screen allows. */
static int pattern_width(const lh_cli *cli, const lh_prediction *row, int n) {
    int width = USUAL_PATTERN, most = cli->width - BESIDE_PATTERN;
    if (most < LEAST_PATTERN) most = LEAST_PATTERN;
    for (int i = 0; i < n; i++)
        if (lh_columns(row[i].pattern) > width) width = lh_columns(row[i].pattern);
    return width < most ? width : most;
}

static const char *cut(lh_arena *a, const char *text, int width) {
    size_t n = strlen(text);
    if (lh_columns(text) <= width) return text;
    char *shorter = lh_copy(a, text, n);
    while (n && lh_columns(shorter) > width - 1) {
        do n--;
        while (n && !lh_utf8_starts(shorter[n]));
        shorter[n] = 0;
    }
    return lh_printf(a, "%s\u2026", shorter);
}

int lh_run_table(lh_run *r, const lh_plan *p) {
    const lh_cli *cli = r->cli;
    lh_prediction *row = NULL;
    /* the command asked whether it has any */
    int n = lh_run_predictions(cli->arena, r->g, p, &row);
    int width = pattern_width(cli, row, n);
    fprintf(cli->out, "%-*s %-14s %s\n", width, "pattern", "prediction", "target");
    for (int i = 0; i < n; i++) {
        const char *pattern = cut(cli->arena, row[i].pattern, width);
        fprintf(cli->out, "%s%*s %s%*s %s%*s ", pattern, width - lh_columns(pattern), "",
                row[i].said, pad_to(14, row[i].said), "", row[i].target, pad_to(10, row[i].target),
                "");
        lh_ink_print(cli, cli->out, row[i].is_right ? LH_INK_GOOD : LH_INK_BAD, "%s\n",
                     row[i].is_right  ? "\u2713 right"
                     : row[i].is_tied ? "\u2717 a tie"
                                      : "\u2717 wrong");
    }
    int target = 0;
    const lh_node *scores = lh_run_prediction(r->g, &target);
    score s = count_right(r->g, p, scores, target);
    fprintf(cli->out, "%d of %d right\n", s.right, s.total);
    return s.right == s.total ? LH_EXIT_YES : LH_EXIT_NO;
}

/* ---- the plot ---- */

void lh_plot_loss(const lh_cli *cli, const double *loss, int n) {
    lh_text text = lh_text_new(cli->arena);
    lh_chart_screen screen = lh_cli_screen(cli);
    if (n < 2) return;
    screen.height = 8;
    lh_chart_text(lh_chart_losses(cli->arena, NULL, &loss, &n, 1), &screen, &text);
    fputs(text.s, cli->out);
}

/* ---- training ---- */

typedef struct record {
    double *loss, *norm;
    /* the step after which all was right: first, and for good; -1 never */
    int first_right, since_right;
} record;

/* 0, 1, 2, 3, 5, 10, 20, 30, 50, 100 ... and the last */
static bool is_shown(int step, int last) {
    int unit = 1;
    if (step == 0) return true;
    while (step / unit >= 10) unit *= 10;
    int lead = step / unit;
    return step == last || (step % unit == 0 && (lead == 1 || lead == 2 || lead == 3 || lead == 5));
}

/* Of the column of losses, for as many digits as were asked for: a sign, a point and an exponent, too. */
static int loss_width(const lh_run *r) {
    return r->has_digits && r->digits > 10 ? r->digits + 8 : 18;
}

/* The loss before an update belongs to the number of updates before it: row 10 is loss@10. */
static void print_progress(const lh_run *r, int step, int epoch, double loss, const char *norm) {
    char a[64];
    lh_number_text(a, sizeof a, loss, r->has_digits ? r->digits : 10);
    fprintf(r->cli->out, "%8d %8d   %s", step, epoch, a);
    if (*norm) fprintf(r->cli->out, "%*s%s", pad_to(loss_width(r), a), "", norm);
    fputc('\n', r->cli->out);
}

static void watch(lh_run *r, const lh_loop *t, lh_plan *all, const lh_node *n, int target,
                  record *rec) {
    lh_loop_copy(t, all);
    lh_exact.run(all);
    score s = count_right(r->g, all, n, target);
    if (s.right < s.total)
        rec->since_right = -1;
    else if (rec->since_right < 0)
        rec->since_right = t->step;
    if (s.right == s.total && rec->first_right < 0) rec->first_right = t->step;
}

static void write_json(lh_run *r, const lh_loop *t, const record *rec, double after) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "lesson", r->source->name);
    lh_json_int(&j, "steps", t->step);
    lh_json_int(&j, "epochs", t->epoch);
    lh_json_int(&j, "all_right_from", rec->since_right);
    lh_json_begin(&j, "loss", '[');
    for (int i = 0; i < t->step; i++) lh_json_number(&j, NULL, rec->loss[i]);
    lh_json_end(&j, ']');
    lh_json_number(&j, "loss_after", after);
    lh_json_begin(&j, "gradient_norm", '[');
    for (int i = 0; i < t->step; i++) lh_json_number(&j, NULL, rec->norm[i]);
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

static void print_right(FILE *out, const record *rec, const lh_loop *t) {
    if (rec->first_right < 0)
        fprintf(out, "not all right at any step up to %d\n", t->step);
    else if (rec->since_right == rec->first_right)
        fprintf(out, "all right from step %d on\n", rec->since_right);
    else if (rec->since_right < 0)
        fprintf(out, "all right at step %d, but not at the end\n", rec->first_right);
    else
        fprintf(out, "all right first at step %d, for good from step %d on\n", rec->first_right,
                rec->since_right);
}

/* The loss over all examples after the last update: the training itself only knows those before each update. */
static double loss_after(lh_run *r, const lh_loop *t, lh_plan *all) {
    double sum = 0;
    const lh_node *loss = r->g->loss;
    lh_loop_copy(t, all);
    lh_exact.at_step(all, t->step);
    lh_exact.run(all);
    int n = loss && loss->shape.is_batched ? lh_exact.examples(all) : 1;
    for (int e = 0; loss && e < n; e++) sum += lh_exact.get(all, loss, (lh_cell){e, 0, 0, 0});
    return sum / n;
}

static int finish(lh_run *r, const lh_loop *t, lh_plan *all, bool table, const record *rec) {
    char number[64];
    if (r->g->loss)
        fprintf(r->cli->out, "\nafter %d update%s the loss over all examples is %s\n", t->step,
                t->step == 1 ? "" : "s",
                lh_number_text(number, sizeof number, rec->loss[t->step],
                               r->has_digits ? r->digits : 10));
    if (!table) return LH_EXIT_YES;
    fputc('\n', r->cli->out);
    int status = lh_run_table(r, all);
    print_right(r->cli->out, rec, t);
    return status;
}

static void print_start(lh_run *r) {
    fprintf(r->cli->out, "%8s %8s   %-*s%s\n", "step", "epoch", loss_width(r), "loss",
            "gradient norm");
}

/* Infinity may pass: the gradient of softmax and logarithm together is finite. What is no number stays none. */
static int report_loss(const record *rec, int n) {
    for (int i = 0; i <= n; i++) {
        if (isfinite(rec->loss[i])) continue;
        fflush(stdout);
        fprintf(stderr, "longhand: the loss is %s after %d update%s\n",
                isnan(rec->loss[i]) ? "not a number (nan)" : "infinite", i, i == 1 ? "" : "s");
        fprintf(stderr, "a smaller rate may help\n");
        return isnan(rec->loss[n]) ? LH_EXIT_NO : LH_EXIT_YES;
    }
    return LH_EXIT_YES;
}

/* One row of the table for each update that is shown; it ends where no number comes any more. */
static void go(lh_run *r, lh_loop *t, lh_plan *all, int steps, bool json, record *rec,
               const lh_node *scores, int target) {
    char norm[64];
    for (int epoch = 0; t->step < steps && lh_loop_step(t); epoch = t->epoch) {
        rec->loss[t->step - 1] = t->loss;
        rec->norm[t->step - 1] = t->norm;
        if (scores) watch(r, t, all, scores, target, rec);
        if (!json && is_shown(t->step - 1, steps))
            print_progress(r, t->step - 1, epoch, t->loss,
                           lh_number_text(norm, sizeof norm, t->norm, 4));
        if (isnan(t->loss)) break;
    }
}

static int train(lh_run *r, lh_loop *t, lh_plan *all, int steps, bool table, bool json) {
    int target = -1;
    const lh_node *n = table ? lh_run_prediction(r->g, &target) : NULL;
    record rec = {lh_alloc_array(r->cli->arena, (size_t)steps + 1, sizeof(double)),
                  lh_alloc_array(r->cli->arena, (size_t)steps, sizeof(double)), -1, -1};
    if (!rec.loss || !rec.norm) return lh_cli_report(r->cli);
    if (!json) print_start(r);
    if (n) {
        score s = count_right(r->g, all, n, target);
        if (s.right == s.total) rec.first_right = rec.since_right = 0;
    }
    go(r, t, all, steps, json, &rec, n, target);
    rec.loss[t->step] = loss_after(r, t, all);
    if (lh_failed(r->g->ctx)) return lh_cli_report(r->cli);
    if (json) {
        write_json(r, t, &rec, rec.loss[t->step]);
        return report_loss(&rec, t->step);
    }
    print_progress(r, t->step, t->epoch, rec.loss[t->step], "");
    fputc('\n', r->cli->out);
    lh_plot_loss(r->cli, rec.loss, t->step + 1);
    int status = finish(r, t, all, table, &rec), trouble = report_loss(&rec, t->step);
    return trouble ? trouble : status;
}

static bool has_update(const lh_program *p) {
    for (int i = 0; i < p->n_statements; i++) {
        lh_statement_kind kind = p->statement[i]->kind;
        if (kind == LH_S_UPDATE || kind == LH_S_EACH) return true;
    }
    return false;
}

int lh_run_training(lh_run *r, int steps, const lh_loop_how *how, bool table, bool json) {
    if (!lh_loop_learns(r->g))
        return lh_cli_fail(r->cli, "--steps needs a program that learns: in this one %s",
                           has_update(r->source->program) ? "everything with a := line is frozen"
                                                          : "no line has a :=");
    if (!r->g->loss) {
        const int status =
            lh_cli_fail(r->cli, "--steps shows the loss, and this program does not name one");
        fputs("write `backward L` below the line of the loss L; for one number after an update: "
              "longhand explain FILE W@1\n",
              stderr);
        return status;
    }
    lh_loop *t = lh_loop_new(r->g, how);
    lh_node *wanted[2] = {r->g->loss, NULL};
    int target, n = r->g->loss ? 1 : 0;
    wanted[n] = lh_run_prediction(r->g, &target);
    lh_plan *all =
        t ? lh_exact.plan(r->g, &(lh_wish){.node = wanted, .n_nodes = n + (wanted[n] != NULL)})
          : NULL;
    if (all)
        lh_exact.start(all), lh_exact.bind(all, NULL, 0), lh_exact.training(all, false),
            lh_exact.run(all);
    int status;
    if (!t || !all || lh_failed(r->g->ctx)) {
        lh_fail_in(r->g->ctx, r->source->program->file, r->source->program->source,
                   r->source->program->length);
        status = lh_cli_report(r->cli);
    } else {
        status = train(r, t, all, steps, table, json);
    }
    lh_exact.free(all);
    lh_loop_free(t);
    return status;
}

/* ---- one update, before and after ---- */

void lh_run_effect(lh_run *r) {
    lh_graph *g = r->g;
    lh_node *wanted[2] = {g->loss, NULL};
    int target = -1, n = g->loss ? 1 : 0;
    if (!g->loss) return;
    lh_node *scores = lh_run_prediction(g, &target);
    bool is_share =
        scores && scores->kind == LH_OP_call && strcmp(scores->call->fn->name, "softmax") == 0;
    if (is_share) wanted[n++] = scores;
    lh_plan *p = lh_exact.plan(g, &(lh_wish){.updates = true, .node = wanted, .n_nodes = n});
    if (!p) return;
    double loss[2] = {0, 0};
    lh_exact.start(p);
    lh_exact.bind(p, NULL, 0);
    double *share[2] = {NULL, NULL};
    int examples = lh_exact.examples(p);
    for (int i = 0; i < 2; i++) {
        lh_exact.run(p);
        int m = g->loss->shape.is_batched ? examples : 1;
        for (int e = 0; e < m; e++) loss[i] += lh_exact.get(p, g->loss, (lh_cell){e, 0, 0, 0}) / m;
        share[i] = lh_alloc_array(r->cli->arena, (size_t)examples + 1, sizeof(double));
        for (int e = 0; is_share && share[i] && e < examples; e++)
            share[i][e] = lh_exact.get(p, scores,
                                       (lh_cell){scores->shape.is_batched ? e : 0, 0, 0,
                                                 (int)g->example[e]->value[target].cells[0]});
        lh_exact.commit(p);
    }
    char a[64], b[64];
    lh_wrap(r->cli->out, r->cli->width, 4,
            "After this update: the steps above, once more with the new weights");
    fputc('\n', r->cli->out);
    fprintf(r->cli->out, "  %-14s %-12s %-12s %s\n", "", "before", "after", "change");
    for (int e = 0; is_share && share[0] && share[1] && e < examples && e < 8; e++) {
        const char *word =
            g->input[target]->vocab->word[(int)g->example[e]->value[target].cells[0]];
        char *label = examples > 1 ? lh_printf(r->cli->arena, "P(%s), ex. %d", word, e)
                                   : lh_printf(r->cli->arena, "P(%s)", word);
        fprintf(r->cli->out, "  %-14s %-12s %-12s %+.3g\n", label,
                lh_number_text(a, sizeof a, share[0][e], r->digits),
                lh_number_text(b, sizeof b, share[1][e], r->digits), share[1][e] - share[0][e]);
    }
    fprintf(r->cli->out, "  %-14s %-12s %-12s %+.3g\n", "loss",
            lh_number_text(a, sizeof a, loss[0], r->digits),
            lh_number_text(b, sizeof b, loss[1], r->digits), loss[1] - loss[0]);
    bool better = loss[1] < loss[0];
    lh_ink_print(r->cli, r->cli->out, better ? LH_INK_GOOD : LH_INK_BAD, "  %s\n\n",
                 better ? "\u2713 the loss fell" : "\u2717 the loss did not fall");
    lh_exact.free(p);
}
