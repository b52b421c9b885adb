/* run_mistake -- longhand run LESSON --mistake NAME[@STEP]: the numbers with a mistake made, beside the right ones. */
#include <string.h>

#include "cli/matrix.h"
#include "cli/run.h"
#include "graph/build.h"
#include "learn/effect.h"
#include "train/loop.h"

typedef struct wanted {
    const char *name, *step; /* step: "" anywhere */
} wanted;

/* ---- beside each other ---- */

static bool row_differs(const lh_run *r, const lh_effect *e, const lh_node *a, const lh_node *b,
                        lh_cell at, int cols) {
    for (at.col = 0; at.col < cols; at.col++) {
        double x = lh_exact.get(r->plan, a, at), y = lh_exact.get(e->plan, b, at);
        if (!(x == y) && !(x != x && y != y)) return true;
    }
    return false;
}

static int widest(char **line, int n) {
    int most = 5;
    for (int i = 0; i < n; i++)
        if (lh_columns(line[i]) > most) most = lh_columns(line[i]);
    return most;
}

/* Right and mistaken beside each other; one below the other where the screen is too narrow. A row that differs has a sign. */
static void print_pair(const lh_run *r, const lh_effect *e, const lh_step *s, lh_cell at) {
    lh_cli *cli = r->cli;
    const lh_node *wrong = lh_graph_step(e->g, s->path)->node;
    int n, m, room = cli->width - 8;
    char **right = lh_matrix_lines(cli->arena, r->g, r->plan, s->node, at.example, at.head,
                                   r->digits, room, &n);
    char **made =
        lh_matrix_lines(cli->arena, e->g, e->plan, wrong, at.example, at.head, r->digits, room, &m);
    lh_sizes z = lh_exact.sizes(r->plan, s->node, at.example),
             y = lh_exact.sizes(e->plan, wrong, at.example);
    bool same_shape = z.rows == y.rows && z.cols == y.cols && n == m;
    int heads = n - (z.rows > LH_MATRIX_ROWS ? LH_MATRIX_ROWS : z.rows), left = widest(right, n);
    bool beside = left + widest(made, m) + 8 <= cli->width;
    if (beside)
        fprintf(cli->out, "    right%*s    with the mistake\n", left - 5, "");
    else
        fprintf(cli->out, "%s\n", "    right");
    for (int i = 0; !beside && i < n; i++) fprintf(cli->out, "      %s\n", right[i]);
    if (!beside) fprintf(cli->out, "%s\n", "    with the mistake");
    for (int i = 0; i < (beside && n > m ? n : m); i++) {
        const char *a = beside && i < n ? right[i] : "", *b = i < m ? made[i] : "";
        at.row = i - heads;
        bool differs = same_shape && at.row >= 0 && at.row < z.rows &&
                       row_differs(r, e, s->node, wrong, at, z.cols);
        fprintf(cli->out, "    %s%*s%s %s\n", a, beside ? left - lh_columns(a) + 2 : 0, "",
                differs ? "\342\211\240" : " ", b);
    }
    if (!same_shape) fprintf(cli->out, "%s\n", "    another shape");
}

static void print_step(const lh_run *r, const lh_effect *e, const lh_step *s, lh_cell at,
                       bool is_first) {
    lh_cli *cli = r->cli;
    const lh_step *other = lh_graph_step(e->g, s->path);
    const char *right = lh_step_formula(r->g, s), *wrong = lh_step_formula(e->g, other);
    bool is_update = s->kind == LH_STEP_UPDATE;
    char text[1024];
    bool changed = strcmp(right, wrong) != 0;
    snprintf(text, sizeof text, "%s %s %s%s%s%s", is_update ? s->of->path : s->path,
             is_update ? ":=" : "=", wrong, changed ? ", instead of " : "", changed ? right : "",
             is_first ? "   <- the first difference" : "");
    lh_ink_on(cli, cli->out, LH_INK_BOLD);
    lh_wrap(cli->out, cli->width, 4, text);
    lh_ink_off(cli, cli->out);
    bool many = s->node->shape.is_batched && lh_exact.examples(r->plan) > 1;
    if (many) fprintf(cli->out, "    example %d\n", at.example);
    if (lh_exact.sizes(r->plan, s->node, at.example).heads > 1)
        fprintf(cli->out, "    head %d\n", at.head);
    print_pair(r, e, s, at);
    fputc('\n', cli->out);
}

static void print_same(const lh_run *r, lh_text *same) {
    if (same->n == 0) return;
    lh_wrap(r->cli->out, r->cli->width, 4, lh_printf(r->cli->arena, "the same: %s", same->s));
    fputc('\n', r->cli->out);
    *same = lh_text_new(r->cli->arena);
}

static void print_effect(const lh_run *r, const lh_effect *e, const lh_trace *t) {
    lh_text same = lh_text_new(r->cli->arena);
    bool any = false;
    for (int i = 0; i < t->n_items; i++) {
        const lh_step *s = t->item[i].step;
        lh_cell at;
        if (t->item[i].section == LH_SECTION_GIVEN || !lh_graph_step(e->g, s->path)) continue;
        if (!lh_effect_differs(e, r->plan, s, &at)) {
            lh_text_add(&same, "%s%s", same.n ? " " : "", s->path);
            continue;
        }
        print_same(r, &same);
        print_step(r, e, s, at, !any);
        any = true;
    }
    print_same(r, &same);
}

/* ---- in one step ---- */

static int show(lh_run *r, const lh_mistake *m, const wanted *w, const lh_candidate *c, int n,
                const lh_trace *t) {
    lh_cli *cli = r->cli;
    const lh_candidate *how = NULL;
    const char *where = lh_candidate_places(cli->arena, m, c, n, NULL);
    if (!*where)
        return lh_cli_fail(cli, "%s cannot be made in %s: no formula fits", m->name,
                           r->source->name);
    lh_effect *e = lh_effect_choose(r->g, r->plan, m, w->step, c, n, &how);
    if (!e) {
        lh_cli_fail(cli, *w->step ? "%s cannot be made in %s" : "%s leads to no numbers here%s",
                    m->name, w->step);
        fprintf(stderr, "it can be made in: %s\n", where);
        return LH_EXIT_FAILED;
    }
    lh_cli_heading(cli, r->source->name, r->source->title);
    lh_wrap(
        cli->out, cli->width, 4,
        lh_printf(cli->arena, "with the mistake %s in %s: %s", m->name, how->step->path, m->says));
    fputc('\n', cli->out);
    print_effect(r, e, t);
    if (!e->step)
        fprintf(cli->out,
                "No number differs: these numbers hide the mistake. Others show it:\n"
                "longhand mistakes %s --seed 1\n",
                lh_shell_word(cli->arena, r->source->name));
    const char *others = lh_candidate_places(cli->arena, m, c, n, how->step);
    if (*others)
        lh_wrap(cli->out, cli->width, 4,
                lh_printf(cli->arena, "It can also be made in: %s", others));
    lh_effect_free(e);
    return LH_EXIT_YES;
}

/* ---- after the update ---- */

/* A mistake of no formula: the numbers from before the update carried on, beside those that are worked out with the new weights. */
static int show_old(lh_run *r, const lh_mistake *m, const wanted *w, const lh_trace *t) {
    lh_cli *cli = r->cli;
    if (*w->step)
        return lh_cli_fail(cli, "%s is not made in a single step: leave out @%s", m->name, w->step);
    if (!lh_loop_learns(r->g))
        return lh_cli_fail(cli, "%s cannot be made in %s: it has no update", m->name,
                           r->source->name);
    lh_plan *plan = lh_exact.plan(r->g, &(lh_wish){.all = true, .updates = true});
    if (plan) {
        lh_exact.start(plan), lh_exact.bind(plan, NULL, 0), lh_exact.run(plan);
        lh_exact.commit(plan), lh_exact.at_step(plan, 1), lh_exact.run(plan);
    }
    if (!plan || lh_failed(cli->ctx)) return lh_exact.free(plan), lh_cli_report(cli);
    lh_run after = *r;
    after.plan = plan;
    lh_effect old = {.g = r->g, .plan = (lh_plan *)r->plan};
    lh_trace forward = *t;
    for (int i = 0; i < t->n_items; i++)
        if (t->item[i].section > LH_SECTION_FORWARD) {
            forward.n_items = i;
            break;
        }
    lh_cli_heading(cli, r->source->name, r->source->title);
    lh_wrap(cli->out, cli->width, 4,
            lh_printf(cli->arena, "after one update, with the mistake %s: %s", m->name, m->says));
    fputc('\n', cli->out);
    print_effect(&after, &old, &forward);
    lh_exact.free(plan);
    return LH_EXIT_YES;
}

int lh_run_mistake(lh_run *r, const char *text, const lh_trace *t) {
    const char *at = strchr(text, '@');
    wanted w = {at ? lh_copy(r->cli->arena, text, (size_t)(at - text)) : text, at ? at + 1 : ""};
    lh_mistakes *all = lh_mistakes_load(r->g->ctx, r->source->program);
    if (!all) return lh_cli_report(r->cli);
    const lh_mistake *m = lh_mistakes_find(all, w.name);
    int n, status;
    if (!m) {
        lh_mistakes_refuse(r->g->ctx, all, w.name);
        status = lh_cli_report(r->cli);
    } else if (m->n_rules == 0) {
        status = show_old(r, m, &w, t);
    } else {
        lh_candidate *c = lh_candidates(r->g, all, r->cli->arena, &n);
        status = show(r, m, &w, c, n, t);
    }
    lh_mistakes_free(all);
    return status;
}
