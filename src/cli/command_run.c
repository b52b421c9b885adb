/* command_run -- longhand run LESSON: every step worked out, in order. */
#include "cli/run.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "cli/json_stream.h"
#include "cli/matrix.h"
#include "cli/trouble.h"
#include "explain/explain.h"
#include "train/loop.h"

enum { LINE = 70, COMMENT_COLUMN = 44, INNER_COLUMN = 34, APART = 2 };

static struct {
    lh_settings set;
    lh_names train, freeze, input;
    int steps, batch, shuffle, digits;
    const char *to, *mistake;
    bool table, json, all;
} options = {.shuffle = -1};

static const lh_option run_options[] = {
    {"to", 0, LH_OPTION_TEXT, &options.to, "STEP",
     "stop after this step; P.e: after the step that this line is in", 0, 0},
    LH_OPTION_SET(options.set),
    LH_OPTION_INPUT(&options.input),
    {"steps", 0, LH_OPTION_INT, &options.steps, "N",
     "make N updates: loss, gradient norm, a plot; row 10 is loss@10", 1, 100000000},
    {"batch", 0, LH_OPTION_INT, &options.batch, "N", "examples in a batch (all)", 1, 1000000},
    {"shuffle", 0, LH_OPTION_INT, &options.shuffle, "SEED",
     "shuffle the examples in every epoch, with this seed", 0, 2147483647},
    LH_OPTION_LEARNED(options.train),
    LH_OPTION_FROZEN(options.freeze),
    {"table", 0, LH_OPTION_FLAG, &options.table, NULL, "pattern, prediction, target, right or not",
     0, 0},
    {"all", 0, LH_OPTION_FLAG, &options.all, NULL, "also show gradients that no update needs", 0,
     0},
    {"mistake", 0, LH_OPTION_TEXT, &options.mistake, "NAME[@STEP]",
     "make a known mistake, and show it next to the right numbers; with --steps: train with it", 0,
     0},
    {"digits", 0, LH_OPTION_INT, &options.digits, "N", "significant digits (6)", 1, 17},
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static void rule(const lh_cli *cli, char sign) {
    for (int i = 0; i < LINE && i < cli->width; i++) fputc(sign, cli->out);
    fputc('\n', cli->out);
}

static void print_json(const lh_run *r, const lh_trace *t) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_run_members(
        &j, &(lh_run_of){r->cli->arena, r->source->name, r->source->title, r->g, r->plan}, t);
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

/* ---- one step ---- */

/* The formula, and behind it what the program says of the step; on a line of its own where there is no room. */
static void print_heading(const lh_run *r, const lh_step *s, const char *label) {
    lh_cli *cli = r->cli;
    const char *sign = s->kind == LH_STEP_UPDATE ? ":=" : "=",
               *comment = s->comment ? s->comment : "";
    const char *formula = lh_step_formula(r->g, s);
    int used = lh_columns(label) + (int)strlen(sign) + 2 + lh_columns(formula);
    int column = used + 3 > COMMENT_COLUMN ? used + 3 : COMMENT_COLUMN;
    bool beside = *comment && column + lh_columns(comment) <= cli->width;
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s", label);
    fprintf(cli->out, " %s ", sign);
    if (beside)
        fprintf(cli->out, "%s%*s", formula, column - used, "");
    else
        lh_wrap_at(cli->out, cli->width, used - lh_columns(formula), 8, formula);
    if (!*comment) return;
    lh_ink_on(cli, cli->out, LH_INK_QUIET);
    if (!beside) fputs("    ", cli->out);
    lh_wrap(cli->out, cli->width, 4, comment);
    lh_ink_off(cli, cli->out);
}

static void print_inner(const lh_run *r, const lh_trace_item *item) {
    lh_cli *cli = r->cli;
    for (int i = 0; i < item->n_inner; i++) {
        const lh_step *s = item->inner[i];
        const char *label = lh_step_label(r->g, s, s->node->scope);
        if (s->kind == LH_STEP_UPDATE) continue;
        char *left = lh_printf(cli->arena, "%s = %s", label, lh_step_formula(r->g, s));
        bool beside = lh_columns(left) + APART <= INNER_COLUMN && cli->width >= 70;
        int indent = beside ? 4 + INNER_COLUMN : 8;
        lh_ink_on(cli, cli->out, LH_INK_QUIET);
        fputs("    ", cli->out);
        if (beside)
            fprintf(cli->out, "%s%*s", left, INNER_COLUMN - lh_columns(left), "");
        else
            lh_wrap_at(cli->out, cli->width, 4, indent, left);
        lh_ink_off(cli, cli->out);
        fprintf(cli->out, "%*s%s\n", beside ? 0 : indent, "",
                lh_matrix_row(cli->arena, r->plan, s->node, 0, r->digits, cli->width - indent));
    }
}

static void print_value(const lh_run *r, const lh_step *s) {
    lh_cli *cli = r->cli;
    lh_sizes z = lh_exact.sizes(r->plan, s->node, 0);
    for (int h = 0; h < z.heads; h++) {
        int n, widest = 0;
        char **line = lh_matrix_lines(cli->arena, r->g, r->plan, s->node, 0, h, r->digits,
                                      cli->width - 4, &n);
        char *cell = h == 0 ? lh_run_cell(cli->arena, r->g, r->plan, s, h) : NULL;
        for (int i = 0; i < n; i++)
            if (lh_columns(line[i]) > widest) widest = lh_columns(line[i]);
        if (z.heads > 1) fprintf(cli->out, "    head %d\n", h);
        for (int i = 0; i < n; i++) {
            fprintf(cli->out, "    %s", line[i]);
            if (cell && i == n - 1 && 4 + widest + 4 + lh_columns(cell) <= cli->width) {
                lh_ink_print(cli, cli->out, LH_INK_QUIET, "%*s%s", widest - lh_columns(line[i]) + 4,
                             "", cell);
            }
            fputc('\n', cli->out);
        }
    }
}

static void print_bar(FILE *out, double share) {
    static const char *const eighth[] = {"",       "\u258f", "\u258e", "\u258d",
                                         "\u258c", "\u258b", "\u258a", "\u2589"};
    int n = (int)(share * 160 + 0.5);
    for (int i = 0; i < n / 8; i++) fputs("\u2588", out);
    fputs(eighth[n % 8], out);
}

static bool is_softmax(const lh_node *n) {
    return n->kind == LH_OP_call && strcmp(n->call->fn->name, "softmax") == 0;
}

/* Probabilities of words: a line each, the likeliest first where there are many, the right one marked. */
static bool print_words(const lh_run *r, const lh_step *s) {
    const lh_node *n = s->node;
    const lh_vocab *v = r->g->axis[n->shape.cols].vocab;
    lh_sizes z = lh_exact.sizes(r->plan, n, 0);
    if (!is_softmax(n) || !v || z.rows != 1 || z.heads != 1 || v->n_words > 16) return false;
    int right = -1, width = 1;
    for (int k = 0; k < r->g->n_inputs; k++)
        if (r->g->input[k]->vocab == v && !r->g->input[k]->is_many && r->g->n_examples)
            right = (int)r->g->example[0]->value[k].cells[0];
    for (int i = 0; i < v->n_words; i++)
        if (lh_columns(v->word[i]) > width) width = lh_columns(v->word[i]);
    for (int i = 0; i < v->n_words; i++) {
        char number[64];
        double p = lh_exact.get(r->plan, n, (lh_cell){0, 0, 0, i});
        fprintf(r->cli->out, "    %s%*s  %-10s %6.2f%%  ", v->word[i],
                width - lh_columns(v->word[i]), "",
                lh_number_text(number, sizeof number, p, r->digits), 100 * p);
        print_bar(r->cli->out, p);
        fprintf(r->cli->out, "%s\n", i == right ? "  <- target" : "");
    }
    return true;
}

/* What := changes: before and after, beside each other when there is room. */
static void print_update(const lh_run *r, const lh_step *s) {
    lh_cli *cli = r->cli;
    int n, m, left = 6;
    char **before = lh_matrix_lines(cli->arena, r->g, r->plan, s->of->node, 0, 0, r->digits,
                                    cli->width - 12, &n);
    char **after =
        lh_matrix_lines(cli->arena, r->g, r->plan, s->node, 0, 0, r->digits, cli->width - 12, &m);
    int right = 0;
    for (int i = 0; i < n; i++)
        if (lh_columns(before[i]) > left) left = lh_columns(before[i]);
    for (int i = 0; i < m; i++)
        if (lh_columns(after[i]) > right) right = lh_columns(after[i]);
    if (4 + left + 6 + right <= cli->width) {
        fprintf(cli->out, "    before%*s      after\n", left - 6, "");
        for (int i = 0; i < n && i < m; i++)
            fprintf(cli->out, "    %s%*s      %s\n", before[i], left - lh_columns(before[i]), "",
                    after[i]);
        return;
    }
    fprintf(cli->out, "    before\n");
    for (int i = 0; i < n; i++) fprintf(cli->out, "      %s\n", before[i]);
    fprintf(cli->out, "    after\n");
    for (int i = 0; i < m; i++) fprintf(cli->out, "      %s\n", after[i]);
}

void lh_run_step(const lh_run *r, const lh_trace_item *item) {
    const lh_step *s = item->step;
    const char *label = s->kind == LH_STEP_UPDATE ? s->of->path : s->path;
    print_heading(r, s, label);
    print_inner(r, item);
    if (s->kind == LH_STEP_UPDATE)
        print_update(r, s);
    else if (!print_words(r, s))
        print_value(r, s);
    const char *tie = lh_tie_text(r->cli->arena, r->g, r->plan, s->node, 0);
    if (*tie) fputs("    ", r->cli->out), lh_wrap(r->cli->out, r->cli->width, 4, tie);
    fputc('\n', r->cli->out);
}

/* ---- sections ---- */

static void print_given(const lh_run *r, const lh_step *s) {
    const lh_node *n = s->node;
    lh_cli *cli = r->cli;
    if (n->kind != LH_OP_given && n->kind != LH_OP_size) return;
    const char *kind = n->kind == LH_OP_size        ? "size"
                       : n->given->kind == LH_PARAM ? "param"
                       : n->given->kind == LH_STATE ? "state"
                                                    : "const";
    char *row = lh_matrix_row(cli->arena, r->plan, n, 0, r->digits, cli->width - 32);
    fprintf(cli->out, "  %-6s %-9s %-6s %s", kind, s->path,
            n->kind == LH_OP_size ? "" : lh_shape_text(r->g, n->shape), row);
    if (s->comment && 26 + lh_columns(row) + 3 + lh_columns(s->comment) <= cli->width) {
        lh_ink_print(cli, cli->out, LH_INK_QUIET, "   %s", s->comment);
    }
    fputc('\n', cli->out);
}

static void print_example(const lh_run *r, int indent, const char *label, int example) {
    fputs(label, r->cli->out);
    lh_wrap_at(r->cli->out, r->cli->width, lh_columns(label), indent,
               lh_example_text(r->cli->arena, r->g, example));
}

static void print_data(const lh_run *r) {
    const lh_graph *g = r->g;
    for (int i = 0; i < g->n_vocabs; i++) {
        lh_text t = lh_text_new(r->cli->arena);
        for (int w = 0; w < g->vocab[i]->n_words; w++) {
            if (w >= 12) {
                lh_text_add(&t, " ... (%d word%s)", g->vocab[i]->n_words,
                            LH_PLURAL(g->vocab[i]->n_words));
                break;
            }
            lh_text_add(&t, "%s%s", w ? " " : "", g->vocab[i]->word[w]);
        }
        const char *name = strcmp(g->vocab[i]->name, "vocab") == 0 ? "" : g->vocab[i]->name;
        fprintf(r->cli->out, "  vocab  %-9s ", name);
        lh_wrap(r->cli->out, r->cli->width, 19, t.s);
    }
    for (int i = 0; i < g->n_examples && i < 8; i++)
        print_example(r, 19, lh_printf(r->cli->arena, "  example %-8d ", i), i);
    if (g->n_examples > 8)
        fprintf(r->cli->out, "  and %d more example%s\n", g->n_examples - 8,
                LH_PLURAL(g->n_examples - 8));
}

static void print_section(const lh_run *r, lh_section section, bool is_first) {
    static const char *const title[] = {"Given", "Forward", "Backward", "Update"};
    if (!is_first) rule(r->cli, '-');
    lh_ink_print(r->cli, r->cli->out, LH_INK_BOLD, "%s\n", title[section]);
    if (section == LH_SECTION_GIVEN)
        print_data(r);
    else
        fputc('\n', r->cli->out);
}

void lh_run_given(const lh_run *r, const lh_trace *t) {
    print_data(r);
    for (int i = 0; i < t->n_items && t->item[i].section == LH_SECTION_GIVEN; i++)
        print_given(r, t->item[i].step);
}

/* In short: every step that is one row, on one line each; and the step that --to asks for, whatever its size. */
static void print_other(const lh_run *r, const lh_trace *t, int e) {
    for (int i = 0; i < t->n_items; i++) {
        const lh_step *s = t->item[i].step;
        if (t->item[i].section == LH_SECTION_GIVEN || !s->node->shape.is_batched ||
            s->kind == LH_STEP_PART)
            continue;
        lh_sizes z = lh_exact.sizes(r->plan, s->node, e);
        bool is_asked = options.to && i == t->n_items - 1;
        if ((z.rows != 1 || z.heads != 1) && !is_asked) continue;
        const char *tie = lh_tie_text(r->cli->arena, r->g, r->plan, s->node, e);
        fprintf(r->cli->out, "    %-10s %s%s%s\n", s->path,
                lh_matrix_row(r->cli->arena, r->plan, s->node, e, r->digits, r->cli->width - 16),
                *tie ? "   " : "", tie);
    }
}

static bool has_other(const lh_trace *t) {
    for (int i = 0; i < t->n_items; i++)
        if (t->item[i].section != LH_SECTION_GIVEN && t->item[i].step->node->shape.is_batched)
            return true;
    return false;
}

static void print_others(const lh_run *r, const lh_trace *t) {
    int n = lh_exact.examples(r->plan);
    if (n < 2 || (options.to && !has_other(t))) return;
    rule(r->cli, '-');
    fprintf(r->cli->out, "The other examples\n");
    for (int e = 1; e < n && e < 9; e++) {
        fputc('\n', r->cli->out);
        print_example(r, 14, lh_printf(r->cli->arena, "  example %d   ", e), e);
        print_other(r, t, e);
    }
    if (n > 9) fprintf(r->cli->out, "\n  and %d more\n", n - 9);
    fputc('\n', r->cli->out);
}

static void add_option(const lh_run *r, lh_text *to, const char *option, const char *value) {
    lh_text_add(to, " --%s %s", option, lh_shell_word(r->cli->arena, value));
}

static void add_names(const lh_run *r, lh_text *to, const char *option, const lh_names *names) {
    for (int i = 0; i < names->n; i++) add_option(r, to, option, names->name[i]);
}

/* The program as it was asked for, with what graph does not take or without. */
static const char *same_program(const lh_run *r, bool has_all) {
    lh_arena *a = r->cli->arena;
    lh_text t = lh_text_new(a);
    for (int i = 0; i < options.set.n; i++)
        add_option(r, &t, "set",
                   lh_printf(a, "%s=%s", options.set.set[i].name, options.set.set[i].value));
    add_names(r, &t, "files", &r->cli->files);
    if (!has_all) return t.s;
    add_names(r, &t, "input", &options.input);
    add_names(r, &t, "train", &options.train);
    add_names(r, &t, "freeze", &options.freeze);
    return t.s;
}

/* Commands that can be copied: they are about the program that was run. */
static void print_next(const lh_run *r, const lh_trace *t) {
    lh_arena *a = r->cli->arena;
    const char *lesson = lh_shell_word(a, r->source->name);
    int target;
    const lh_step *ask = NULL;
    for (int i = 0; i < t->n_items; i++)
        if (t->item[i].section != LH_SECTION_GIVEN && (!ask || is_softmax(t->item[i].step->node))) {
            ask = t->item[i].step;
            if (is_softmax(ask->node)) break;
        }
    if (!ask) return;
    lh_sizes z = lh_exact.sizes(r->plan, ask->node, 0);
    const char *address =
        lh_printf(a, "%s%s%s", ask->path, z.rows > 1 ? "[1]" : "", z.cols > 1 ? "[0]" : "");
    fprintf(r->cli->out, "Next: longhand explain %s %s%s\n", lesson, lh_shell_word(a, address),
            same_program(r, true));
    if (lh_loop_learns(r->g) && r->g->loss)
        fprintf(r->cli->out, "      longhand run %s --steps 100%s%s\n", lesson,
                lh_run_prediction(r->g, &target) ? " --table" : "", same_program(r, true));
    else
        fprintf(r->cli->out, "      longhand graph %s%s\n", lesson, same_program(r, false));
}

static void print_trace(lh_run *r, const lh_trace *t) {
    lh_cli *cli = r->cli;
    int section = -1;
    lh_cli_heading(cli, r->source->name, r->source->title);
    rule(cli, '=');
    for (int i = 0; i < t->n_items; i++) {
        const lh_trace_item *item = &t->item[i];
        if (item->section == LH_SECTION_GIVEN && (section >= 0 && section != LH_SECTION_GIVEN))
            continue; /* params inside a repeat: shown where they begin */
        if ((int)item->section != section)
            print_section(r, item->section, section < 0), section = (int)item->section;
        if (item->section == LH_SECTION_GIVEN)
            print_given(r, item->step);
        else
            lh_run_step(r, item);
    }
    print_others(r, t);
    if (!options.to && lh_loop_learns(r->g)) lh_run_effect(r);
    print_next(r, t);
}

static int run_graph(lh_run *r) {
    lh_cli *cli = r->cli;
    int target;
    if (options.table && !lh_run_prediction(r->g, &target))
        return lh_cli_fail(cli,
                           "--table needs a program that scores words and has an input `target`");
    if (options.steps) {
        if (options.mistake && !options.json) {
            lh_cli_heading(cli, r->source->name, r->source->title);
            fprintf(cli->out, "trained with the mistake %s\n\n", options.mistake);
        }
        lh_loop_how how = lh_cli_batches(r->source, options.batch, options.shuffle);
        return lh_run_training(r, options.steps, &how, options.table, options.json);
    }
    lh_plan *plan = lh_exact.plan(r->g, &(lh_wish){.all = true});
    if (plan) lh_exact.start(plan), lh_exact.bind(plan, NULL, 0), lh_exact.run(plan);
    r->plan = plan;
    lh_trace *t =
        lh_failed(cli->ctx) ? NULL : lh_trace_new(r->g, &(lh_trace_how){options.to, options.all});
    int status = LH_EXIT_YES;
    if (!t) {
        lh_fail_in(cli->ctx, r->source->program->file, r->source->program->source,
                   r->source->program->length);
        status = lh_cli_report(cli);
    } else if (options.mistake && !options.table) {
        status = lh_run_mistake(r, options.mistake, t);
    } else if (options.json) {
        print_json(r, t);
    } else if (options.table) {
        status = lh_run_table(r, r->plan);
    } else {
        print_trace(r, t);
    }
    if (t) {
        int trouble = lh_cli_trouble(cli, r->g, r->plan, false);
        if (trouble) status = trouble;
    }
    lh_trace_free(t);
    lh_exact.free(plan);
    return status;
}

/* Options that would do nothing. */
static bool are_fitting(lh_cli *cli) {
    const char *why = "it needs --steps", *trace = "with --steps there is no trace";
    bool steps = options.steps > 0, table = options.table && !steps;
    return !(
        lh_cli_refuse(cli, options.batch && !steps, "batch", why) ||
        lh_cli_refuse(cli, options.shuffle >= 0 && !steps, "shuffle", why) ||
        lh_cli_refuse(cli, options.to && steps, "to", trace) ||
        lh_cli_refuse(cli, options.all && steps, "all", trace) ||
        lh_cli_refuse(cli, options.to && table, "to", "with --table there is no trace") ||
        lh_cli_refuse(cli, options.all && table, "all", "with --table there is no trace") ||
        lh_cli_refuse(cli, table && options.json, "table", "JSON has every number") ||
        lh_cli_refuse(cli, options.mistake && options.json && !steps, "json",
                      "the comparison of --mistake is for reading; with --steps there is JSON") ||
        lh_cli_refuse(cli, options.digits && table, "digits", "the table has no numbers"));
}

/* In one batch of all examples their order changes nothing. */
static bool has_order(lh_run *r) {
    lh_loop_how how = lh_cli_batches(r->source, options.batch, -1);
    bool one = how.batch == 0 || how.batch >= r->g->n_examples;
    return !lh_cli_refuse(r->cli, options.shuffle >= 0 && one, "shuffle",
                          "all examples are in one batch; --batch N makes several");
}

/* Training and the table are of the program with the mistake; without them both are shown beside each other. */
static lh_graph *build(lh_cli *cli, const lh_source *s) {
    lh_build more = lh_cli_build(&options.set, &options.train, &options.freeze), how;
    const char *mistake = options.steps || options.table ? options.mistake : NULL;
    if (!lh_cli_how(cli, s, &more, mistake, &how)) return NULL;
    lh_graph *g = lh_graph_build(cli->ctx, s->program, &how);
    if (!g) lh_cli_report(cli);
    return g;
}

static int run_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_source s;
    if (!are_fitting(cli) || !lh_cli_load(cli, argv[0], &s)) return LH_EXIT_FAILED;
    lh_run r = {.cli = cli,
                .source = &s,
                .digits = options.digits ? options.digits : 6,
                .has_digits = options.digits > 0};
    if (lh_cli_input(cli, &s, &options.input)) r.g = build(cli, &s);
    bool ok = r.g && has_order(&r) &&
              lh_cli_learning(cli, &s, r.g, &options.train, &options.freeze, options.all);
    int status = ok ? run_graph(&r) : LH_EXIT_FAILED;
    lh_graph_free(r.g);
    lh_program_free(s.program);
    return status;
}

const lh_command lh_command_run = {
    .name = "run",
    .synopsis = "LESSON[:NAME]|FILE [options]",
    .summary = "Every step of a program worked out, forward, backward and update.",
    .examples =
        "longhand run ex1\tExample 1, step by step\n"
        "longhand run ex1 --to P\tup to the attention weights\n"
        "longhand run attention:bag\ta program inside a lesson, by its name\n"
        "longhand run translator --input 'source = thank you'\tother words than its examples\n"
        "longhand run ex2 --mistake uphill --steps 10\twhat a mistake does to the training\n"
        "longhand run ex4 --set rate=1 --steps 20 --table\ttrain, then see what was learned\n"
        "longhand run ex4 --freeze WQ,WK,WV --steps 30 --table\tonly the output matrix learns\n"
        "longhand run mine.lh --digits 10\ta file of your own\n",
    .options = run_options,
    .run = run_run,
    .min_args = 1,
    .max_args = 1,
};
