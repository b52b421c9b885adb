/* command_mistakes -- longhand mistakes [LESSON] [NAME]: the catalogue of known mistakes, and what each does to the numbers of a lesson. */
#include <string.h>

#include "base/number.h"
#include "cli/json_stream.h"
#include "cli/parts.h"
#include "cli/sheet.h"
#include "explain/explain.h"
#include "graph/build.h"
#include "learn/study.h"
#include "learn/variant.h"

static struct {
    bool json;
    int seed;
    const char *only; /* NULL: all mistakes */
} options;

static const lh_option mistakes_options[] = {
    {"seed", 0, LH_OPTION_INT, &options.seed, "N", "the lesson with other numbers", 0, 2147483647},
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static bool is_wanted(const lh_mistake *m) {
    return !options.only || strcmp(options.only, m->name) == 0;
}

/* ---- the catalogue ---- */

static char *rule_text(lh_arena *a, const lh_mistake *m, int i) {
    lh_text t = lh_text_new(a);
    lh_expr_print(&t, m->from[i]);
    lh_text_add(&t, " => ");
    lh_expr_print(&t, m->to[i]);
    return t.s;
}

static char *place_text(lh_arena *a, const lh_mistake *m) {
    lh_text t = lh_text_new(a);
    if (m->where) lh_text_add(&t, "%s%s%s", m->where, m->of ? " " : "", m->of ? m->of : "");
    if (m->choice) lh_text_add(&t, "%severy %s", t.n ? ", " : "", m->choice);
    if (m->is_same) lh_text_add(&t, "%sno mistake", t.n ? ", " : "");
    return t.s;
}

static void print_name(const lh_cli *cli, const char *name, int width) {
    fputs("  ", cli->out);
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%-*s", width, name);
}

static void print_mistake(lh_cli *cli, const lh_mistake *m) {
    print_name(cli, m->name, 22);
    lh_ink_print(cli, cli->out, LH_INK_QUIET, "%s\n", place_text(cli->arena, m));
    for (int i = 0; i < m->n_rules; i++) {
        fputs("      ", cli->out);
        lh_wrap(cli->out, cli->width, 8, rule_text(cli->arena, m, i));
    }
    fputs("      ", cli->out);
    lh_wrap(cli->out, cli->width, 6,
            m->see ? lh_printf(cli->arena, "%s; read: %s", m->says, m->see) : m->says);
}

/* A comment that stands right before a mistake is the title of a group. */
static const char *title_before(const lh_program *p, const char *name) {
    for (int i = 1; i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_MISTAKE && strcmp(p->statement[i]->name, name) == 0)
            return p->statement[i - 1]->kind == LH_S_COMMENT ? p->statement[i - 1]->comment : NULL;
    return NULL;
}

static void print_one(lh_cli *cli, const lh_mistakes *m) {
    for (int i = 0; i < m->n; i++)
        if (is_wanted(&m->mistake[i])) print_mistake(cli, &m->mistake[i]);
    fprintf(cli->out, "What it does to a lesson: longhand mistakes ex1 %s\n", options.only);
}

static void print_catalogue(lh_cli *cli, const lh_mistakes *m) {
    fprintf(cli->out, "%s\n", "Known mistakes   right formula => wrong formula\n");
    for (int i = 0; i < m->n; i++) {
        const char *title = title_before(m->program, m->mistake[i].name);
        if (title) { lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s%s\n", i ? "\n" : "", title); }
        print_mistake(cli, &m->mistake[i]);
    }
    fputc('\n', cli->out);
    lh_wrap(cli->out, cli->width, 0,
            lh_printf(cli->arena,
                      "%d in all. In the rules, w, b and g are given or learned, a, c, d, x and y "
                      "are computed, and any other letter is either.",
                      m->n));
    lh_wrap(cli->out, cli->width, 0,
            "What one does to a lesson: longhand run ex1 --mistake unscaled");
}

/* ---- in a lesson ---- */

typedef struct study {
    lh_cli *cli;
    const char *name;
    const lh_mistakes *mistakes;
    lh_program *program;
    lh_graph *g;
    lh_plan *plan;
    lh_study found;
} study;

/* "" when no number differs */
static const char *address_of(const study *t, const lh_way *w) {
    lh_explainer x = {.g = t->g, .plan = t->plan, .arena = t->cli->arena, .from = t->g->top};
    if (!w->step) return "";
    return w->is_other_shape ? w->step->path : lh_cell_text(&x, w->step->node, w->at);
}

static bool study_open(study *t, const lh_program *lesson, int seed, const lh_build *build) {
    lh_context *ctx = t->cli->ctx;
    lh_variant_how how = {.seed = (unsigned long long)seed, .mistakes = t->mistakes};
    t->program = lh_variant_program(ctx, lesson, &how);
    t->g = t->program ? lh_graph_build(ctx, t->program, build) : NULL;
    t->plan = t->g ? lh_exact.plan(t->g, &(lh_wish){.all = true}) : NULL;
    if (t->plan) lh_exact.start(t->plan), lh_exact.bind(t->plan, NULL, 0), lh_exact.run(t->plan);
    if (!t->plan || lh_failed(ctx)) return false;
    t->found = lh_study_of(t->cli->arena, t->g, t->plan, t->mistakes);
    return !lh_failed(ctx);
}

static void study_close(study *t) {
    lh_exact.free(t->plan);
    lh_graph_free(t->g);
    lh_program_free(t->program);
}

static void print_way(const study *t, const lh_way *w) {
    char a[LH_NUMBER_MAX], b[LH_NUMBER_MAX];
    const lh_cli *cli = t->cli;
    fputs("      ", cli->out);
    lh_wrap(cli->out, cli->width, 8, lh_way_text(cli->arena, w));
    fputs("          ", cli->out);
    if (!w->step)
        fprintf(cli->out, "%s\n", "no number differs here");
    else if (w->is_other_shape)
        fprintf(cli->out, "%s gets another shape\n", address_of(t, w));
    else
        fprintf(cli->out, "%s is %s, should be %s\n", address_of(t, w),
                lh_number_text(a, sizeof a, w->is, 6),
                lh_number_text(b, sizeof b, w->should_be, 6));
}

/* Those that can be made; the names of the others, in `absent`, and how many those are. */
static int print_made(const study *t, lh_text *absent) {
    lh_cli *cli = t->cli;
    const lh_mistakes *m = t->mistakes;
    int n_absent = 0;
    for (int i = 0; i < m->n; i++) {
        if (!is_wanted(&m->mistake[i])) continue;
        if (lh_study_count(&t->found, &m->mistake[i]) == 0) {
            lh_text_add(absent, "%s%s", n_absent++ ? " " : "", m->mistake[i].name);
            continue;
        }
        print_name(cli, m->mistake[i].name, 22);
        lh_wrap(cli->out, cli->width, 24, m->mistake[i].says);
        for (int k = 0; k < t->found.n; k++)
            if (t->found.way[k].how->mistake == &m->mistake[i] && !lh_way_is_repeated(&t->found, k))
                print_way(t, &t->found.way[k]);
    }
    return n_absent;
}

static void print_study(const study *t) {
    lh_cli *cli = t->cli;
    lh_text absent = lh_text_new(cli->arena);
    fprintf(cli->out, "%s   what %s does to its numbers (seed %d)\n\n", t->name,
            options.only ? options.only : "each mistake", options.seed);
    int n_absent = print_made(t, &absent);
    if (!n_absent) return;
    if (options.only) {
        fprintf(cli->out, "  it cannot be made in any formula of %s\n", t->name);
        return;
    }
    fprintf(cli->out, "\n%d cannot be made here:\n  ", n_absent);
    lh_wrap(cli->out, cli->width, 2, absent.s);
}

void lh_print_mistakes(lh_cli *cli, const lh_program *p, const lh_build *how) {
    lh_mistakes *m = lh_mistakes_load(cli->ctx, p);
    study t = {.cli = cli, .mistakes = m};
    lh_text absent = lh_text_new(cli->arena);
    if (m && study_open(&t, p, 0, how)) print_made(&t, &absent);
    study_close(&t);
    lh_mistakes_free(m);
}

/* ---- JSON ---- */

static void write_way(lh_json *j, const study *t, const lh_way *w) {
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "step", w->how->step->path);
    lh_json_text(j, "line", w->line);
    if (w->how->chosen >= 0) lh_json_int(j, "choice", w->how->chosen);
    lh_json_text(j, "right", w->right);
    lh_json_text(j, "wrong", w->wrong);
    lh_json_text(j, "first", w->step ? address_of(t, w) : NULL);
    if (w->step && !w->is_other_shape) {
        lh_json_number(j, "should_be", w->should_be);
        lh_json_number(j, "is", w->is);
    }
    lh_json_bool(j, "other_shape", w->is_other_shape);
    lh_json_end(j, '}');
}

static void write_json(lh_arena *a, const lh_mistakes *m, const study *t) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "lesson", t ? t->name : NULL);
    if (t) lh_json_int(&j, "seed", options.seed);
    lh_json_begin(&j, "mistakes", '[');
    for (int i = 0; i < m->n; i++) {
        const lh_mistake *x = &m->mistake[i];
        if (!is_wanted(x)) continue;
        lh_json_begin(&j, NULL, '{');
        lh_json_text(&j, "name", x->name);
        lh_json_text(&j, "says", x->says);
        lh_json_text(&j, "see", x->see);
        lh_json_text(&j, "where", x->where);
        lh_json_text(&j, "of", x->of);
        lh_json_text(&j, "each", x->choice);
        lh_json_bool(&j, "is_same", x->is_same);
        lh_json_begin(&j, "rules", '[');
        for (int k = 0; k < x->n_rules; k++) lh_json_text(&j, NULL, rule_text(a, x, k));
        lh_json_end(&j, ']');
        if (t) {
            lh_json_begin(&j, "made", '[');
            for (int k = 0; k < t->found.n; k++)
                if (t->found.way[k].how->mistake == x) write_way(&j, t, &t->found.way[k]);
            lh_json_end(&j, ']');
        }
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

static int print_all(lh_cli *cli, const lh_mistakes *m) {
    if (options.json)
        write_json(cli->arena, m, NULL);
    else if (options.only)
        print_one(cli, m);
    else
        print_catalogue(cli, m);
    return LH_EXIT_YES;
}

static int in_lesson(lh_cli *cli, const char *lesson) {
    lh_sheet_lesson s;
    if (!lh_sheet_lesson_open(cli, lesson, &s)) return LH_EXIT_FAILED;
    int status = LH_EXIT_YES;
    study t = {.cli = cli, .name = s.name, .mistakes = s.mistakes};
    if (options.only && !lh_mistakes_find(s.mistakes, options.only))
        lh_mistakes_refuse(cli->ctx, s.mistakes, options.only);
    if (lh_failed(cli->ctx) || !study_open(&t, s.source.program, options.seed, NULL))
        status = lh_cli_report(cli);
    else if (options.json)
        write_json(cli->arena, s.mistakes, &t);
    else
        print_study(&t);
    study_close(&t);
    lh_sheet_lesson_close(&s);
    return status;
}

static int mistakes_run(lh_cli *cli, int argc, char **argv) {
    lh_mistakes *m = lh_mistakes_load(cli->ctx, NULL);
    if (!m) return lh_cli_report(cli);
    const bool is_name = argc == 1 && lh_mistakes_find(m, argv[0]);
    options.only = is_name ? argv[0] : argc > 1 ? argv[1] : NULL;
    const int status = argc == 0 || is_name ? print_all(cli, m) : in_lesson(cli, argv[0]);
    lh_mistakes_free(m);
    return status;
}

const lh_command lh_command_mistakes = {
    .name = "mistakes",
    .synopsis = "[LESSON|FILE] [NAME] [options]",
    .summary = "The catalogue of known mistakes, and what each does to the numbers of a lesson.",
    .examples = "longhand mistakes\teach with its rule\n"
                "longhand mistakes unscaled\tone of them\n"
                "longhand mistakes ex3\twhat each does to its numbers\n"
                "longhand mistakes ex3 unscaled\twhat one of them does to them\n"
                "longhand run ex1 --mistake unscaled\ta lesson with a mistake made\n",
    .notes = "A lesson adds mistakes of its own with lines as in the catalogue: mistake NAME "
             "forward \"what was done\" formula => wrong formula.",
    .options = mistakes_options,
    .run = mistakes_run,
    .min_args = 0,
    .max_args = 2,
};
