/* train_show -- how training goes: a line in place on a terminal, plain lines elsewhere, a plot at the end. */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "cli/model.h"
#include "cli/train_command.h"
#include "cli/screen.h"
#include "explain/chart.h"

enum { SPARK = 10, SMOOTH = 20, POINTS = 400 };

const char *lh_time_text(lh_arena *a, double s) {
    if (s < 10) return lh_printf(a, "%.1f s", s);
    if (s < 100) return lh_printf(a, "%.0f s", s);
    if (s < 6000) return lh_printf(a, "%.0f min", s / 60);
    long minutes = (long)(s / 60 + 0.5);
    return minutes % 60 ? lh_printf(a, "%ld h %ld min", minutes / 60, minutes % 60)
                        : lh_printf(a, "%ld h", minutes / 60);
}

void lh_show_begin(lh_train_show *s, lh_cli *cli, int first, int steps, int every) {
    *s = (lh_train_show){.cli = cli,
                         .in_place = cli->is_terminal && cli->colour,
                         .steps = steps,
                         .first = first,
                         .every = every,
                         .start = lh_seconds(),
                         .val = NAN,
                         .best_val = NAN};
}

void lh_show_free(lh_train_show *s) {
    free(s->loss);
    s->loss = NULL;
}

double lh_show_mean(const lh_train_show *s, int last) {
    double sum = 0;
    int n = last < s->n ? last : s->n;
    for (int i = s->n - n; i < s->n; i++) sum += s->loss[i];
    return n ? sum / n : NAN;
}

void lh_show_mind_reader(void) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    fflush(stdout);
    if (poll(&out, 1, 0) <= 0 || !(out.revents & POLLERR) || !freopen("/dev/null", "w", stdout))
        return;
    fputs(
        "longhand: nobody reads the output any more; training goes on without it, and Ctrl-C saves "
        "and ends it\n",
        stderr);
}

/* ---- the line ---- */

/* The whole run so far in ten signs, from its lowest loss to its highest. */
static void add_spark(lh_text *out, const lh_train_show *s) {
    static const char *const sign[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double mean[SPARK], low = INFINITY, high = -INFINITY;
    const int n = s->n < SPARK ? s->n : SPARK;
    for (int i = 0; i < n; i++) {
        const int from = (int)((long long)s->n * i / n), to = (int)((long long)s->n * (i + 1) / n);
        mean[i] = 0;
        for (int k = from; k < to; k++) mean[i] += s->loss[k] / (to - from);
        low = fmin(low, mean[i]), high = fmax(high, mean[i]);
    }
    for (int i = 0; i < n; i++) {
        int level = high > low ? (int)((mean[i] - low) / (high - low) * 7 + 0.5) : 0;
        lh_text_add(out, "%s", sign[level]);
    }
}

/* Tokens a second, looks and saves included: what a run of this length will take. */
static double rate_of(const lh_train_show *s) {
    return s->tokens / fmax(lh_seconds() - s->start, 1e-6);
}

static double left_of(const lh_train_show *s, int step) {
    return s->n ? (lh_seconds() - s->start) / s->n * (s->steps - step) : 0;
}

/* What does not fit is left out from the right, the spark line first: as many parts as there is room for. */
static char *line_text(const lh_train_show *s, lh_arena *a, int step) {
    const char *part[5];
    int n = 0;
    lh_text out = lh_text_new(a), spark = lh_text_new(a);
    lh_text_add(&out, "  %d/%d %3d%%   loss %.4f", step, s->steps,
                (int)(100LL * step / (s->steps ? s->steps : 1)), lh_show_mean(s, SMOOTH));
    if (!isnan(s->val)) part[n++] = lh_printf(a, "   val %.4f", s->val);
    if (s->n) part[n++] = lh_printf(a, "   %s tok/s", lh_whole_text(a, rate_of(s)));
    if (step < s->steps) part[n++] = lh_printf(a, "   %s left", lh_time_text(a, left_of(s, step)));
    add_spark(&spark, s);
    part[n++] = lh_printf(a, "   %s", spark.s);
    for (int i = 0, used = lh_columns(out.s); i < n; i++) {
        used += lh_columns(part[i]);
        if (used >= s->cli->width) break;
        lh_text_add(&out, "%s", part[i]);
    }
    return out.s;
}

void lh_show_line(lh_train_show *s, int step) {
    lh_arena *a = lh_arena_new(s->cli->ctx);
    if (!a) return;
    const char *text = line_text(s, a, step);
    lh_show_mind_reader();
    if (s->in_place)
        lh_screen_begin_line(stdout), fputs(text, stdout);
    else
        puts(text);
    fflush(stdout);
    lh_arena_free(a);
    s->next_time = lh_seconds() + 0.2;
}

void lh_show_held_out(lh_train_show *s, int done, int of) {
    if (!s->in_place || lh_seconds() < s->next_time) return;
    printf("\r\033[K  held out: batch %d of %d", done, of);
    fflush(stdout);
    s->next_time = lh_seconds() + 0.2;
}

void lh_show_keep(lh_train_show *s) {
    if (s->in_place) putchar('\n');
}

void lh_show_clear(lh_train_show *s) {
    if (s->in_place) lh_screen_begin_line(stdout);
}

bool lh_show_add(lh_train_show *s, const lh_trainer *t) {
    if (s->n == s->cap) {
        int cap = s->cap ? 2 * s->cap : 1024;
        double *more = realloc(s->loss, (size_t)cap * sizeof *more);
        if (!more) return false;
        s->loss = more;
        s->cap = cap;
    }
    s->loss[s->n++] = t->loss;
    s->tokens += (double)t->batch->n_tokens;
    return true;
}

void lh_show_step(lh_train_show *s, const lh_trainer *t) {
    if (s->in_place ? lh_seconds() >= s->next_time : t->step % s->every == 0)
        lh_show_line(s, t->step);
}

/* ---- the end ---- */

/* Many steps as the means of a few hundred stretches, so that a plot shows the course and not the noise. */
static void plot(const lh_train_show *s, lh_arena *a) {
    const int n = s->n < POINTS ? s->n : POINTS;
    double *x = lh_alloc_array(a, (size_t)n + 1, sizeof *x),
           *y = lh_alloc_array(a, (size_t)n + 1, sizeof *y);
    if (!x || !y || n < 2) return;
    for (int i = 0; i < n; i++) {
        const int from = (int)((long long)s->n * i / n), to = (int)((long long)s->n * (i + 1) / n);
        for (int k = from; k < to; k++) y[i] += s->loss[k] / (to - from);
        x[i] = s->first + to;
    }
    lh_series series = {.name = "loss", .x = x, .y = y, .n = n, .mark = LH_MARK_LINE};
    lh_chart c = {.kind = LH_CHART_PLANE, .x_name = "step", .series = &series, .n_series = 1};
    lh_text text = lh_text_new(a);
    lh_chart_screen screen = lh_cli_screen(s->cli);
    screen.height = 8;
    lh_chart_text(&c, &screen, &text);
    fputs(text.s, stdout);
}

void lh_show_end(lh_train_show *s, const char *out, const char *try) {
    lh_arena *a = lh_arena_new(s->cli->ctx);
    if (!a) return;
    const double took = lh_seconds() - s->start;
    plot(s, a);
    printf("loss %.4f", lh_show_mean(s, SMOOTH));
    if (!isnan(s->val)) printf(", held out %.4f (best %.4f)", s->val, s->best_val);
    printf("; %d step%s in %s", s->n, LH_PLURAL(s->n), lh_time_text(a, took));
    if (s->n) printf(", %s tok/s", lh_whole_text(a, rate_of(s)));
    printf("\n%s: %s\n", out, try);
    lh_arena_free(a);
}
