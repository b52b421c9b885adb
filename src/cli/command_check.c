/* command_check -- longhand check LESSON: gradients, numbers and rules, each against another way to find it. */
#include <string.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/parts.h"
#include "cli/json_stream.h"
#include "explain/check.h"
#include "learn/chosen.h"
#include "pages/check_report.h"

enum { SHOWN = 5, LABEL = 14 };

static struct {
    lh_settings set;
    lh_names train, freeze, input;
    bool json;
} options;

static const lh_option check_options[] = {
    LH_OPTION_SET(options.set),       LH_OPTION_INPUT(&options.input),
    LH_OPTION_LEARNED(options.train), LH_OPTION_FROZEN(options.freeze),
    LH_OPTION_JSON(options.json),     {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static void print_kind(lh_cli *cli, const lh_check *c, lh_check_kind kind) {
    const lh_check_line l = lh_check_describe(cli->arena, c, kind);
    if (!l.text) return;
    lh_ink_print(cli, cli->out, l.is_wrong ? LH_INK_BAD : LH_INK_GOOD,
                 l.is_wrong ? "  ✗ " : "  ✓ ");
    fprintf(cli->out, "%-*s", LABEL - 2, l.label);
    lh_wrap(cli->out, cli->width, LABEL + 2, l.text);
}

static void print_wrong(lh_cli *cli, const lh_finding *f) {
    fputs("\n  ", cli->out);
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s", f->where ? f->where : f->step ? f->step : "?");
    if (f->moment) fputs("@1", cli->out);
    if (f->at.line) fprintf(cli->out, "   (line %d)", f->at.line);
    fputs("\n    ", cli->out);
    lh_wrap(cli->out, cli->width, 4, lh_finding_text(cli->arena, f));
}

/* Going back from the loss, the first wrong gradient is the cause; those behind it follow. */
static void print_details(lh_cli *cli, const lh_check *c) {
    for (int kind = 0; kind < LH_N_CHECKS; kind++) {
        bool follows = kind == LH_CHECK_DIFFERENCES || kind == LH_CHECK_RULES;
        int wrong = 0, shown = 0, most = follows ? 1 : SHOWN;
        for (int i = 0; i < c->n_findings; i++) {
            const lh_finding *f = &c->finding[i];
            if ((int)f->kind != kind || f->ok) continue;
            if (++wrong > most) continue;
            print_wrong(cli, f);
            shown++;
        }
        if (wrong > shown && follows)
            fprintf(cli->out, "    %d more wrong gradient%s after it may follow from this one\n",
                    wrong - shown, LH_PLURAL(wrong - shown));
        else if (wrong > shown)
            fprintf(cli->out, "    and %d more\n", wrong - shown);
    }
}

void lh_print_check(lh_cli *cli, const lh_check *c) {
    for (int kind = 0; kind < LH_N_CHECKS; kind++) print_kind(cli, c, (lh_check_kind)kind);
    if (!c->loss) fputs("    no gradients in this program: there is no `backward`\n", cli->out);
    print_details(cli, c);
    lh_ink_on(cli, cli->out, c->ok ? LH_INK_GOOD : LH_INK_BAD);
    if (c->ok)
        fprintf(cli->out, "all is well%s\n",
                c->learns ? ", at the start and after one step of training" : "");
    else
        fprintf(cli->out, "\nnot all is well\n");
    lh_ink_off(cli, cli->out);
}

static void print_text(lh_cli *cli, const lh_source *s, const lh_check *c) {
    lh_cli_heading(cli, s->name, s->title);
    lh_print_check(cli, c);
}

/* A program of the lesson and what was found. */
typedef struct checked {
    lh_source source;
    lh_check *check;
} checked;

static bool check_one(lh_cli *cli, const char *lesson, checked *out) {
    lh_build more = lh_cli_build(&options.set, &options.train, &options.freeze), how;
    *out = (checked){0};
    if (!lh_cli_load(cli, lesson, &out->source)) return false;
    if (lh_cli_learning(cli, &out->source, NULL, &options.train, &options.freeze, true) &&
        lh_cli_input(cli, &out->source, &options.input) &&
        lh_cli_how(cli, &out->source, &more, NULL, &how)) {
        out->check = lh_check_program(cli->ctx, out->source.program, &how);
        if (!out->check) lh_cli_report(cli);
    }
    return out->check != NULL;
}

/* The lesson's own program, then those of its blocks that have a name. What is set is set in the first alone. */
static int check_all(lh_cli *cli, const char *lesson, checked *list, const char *const *name,
                     int n_names) {
    if (!check_one(cli, lesson, &list[0])) return 0;
    bool is_changed = options.set.n || options.train.n || options.freeze.n || options.input.n;
    if (list[0].source.chosen || is_changed) return 1;
    for (int i = 0; i < n_names; i++)
        if (!check_one(cli, lh_printf(cli->arena, "%s:%s", lesson, name[i]), &list[i + 1]))
            return 0;
    return 1 + n_names;
}

static void print_json(const checked *list, int n) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_check_members(&j, list[0].source.name, list[0].check);
    lh_json_begin(&j, "programs", '[');
    for (int i = 1; i < n; i++) {
        lh_json_begin(&j, NULL, '{');
        lh_check_members(&j, list[i].source.name, list[i].check);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

static void print_all(lh_cli *cli, const checked *list, int n) {
    int right = 0;
    for (int i = 0; i < n; i++) {
        if (i) fputc('\n', cli->out);
        print_text(cli, &list[i].source, list[i].check);
        right += list[i].check->ok;
    }
    if (n > 1) fprintf(cli->out, "\n%d of %d programs pass\n", right, n);
}

/* Of LESSON:NAME there are no others to check. */
static bool find_names(lh_cli *cli, const char *lesson, const char ***name, int *n) {
    lh_source s;
    size_t length;
    if (lh_chosen_name(lesson, &length)) return true;
    if (!lh_cli_find(cli, lesson, &s)) return false;
    *name = lh_chosen_names(cli->arena, &(lh_found){s.file, s.text, s.length}, n);
    return true;
}

static int check_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    int n_names = 0, status = LH_EXIT_YES;
    const char **name = NULL;
    if (!find_names(cli, argv[0], &name, &n_names)) return LH_EXIT_FAILED;
    checked *list = lh_alloc_array(cli->arena, (size_t)n_names + 1, sizeof *list);
    if (!list) return lh_cli_report(cli);
    int n = check_all(cli, argv[0], list, name, n_names);
    if (n == 0)
        status = LH_EXIT_FAILED;
    else if (options.json)
        print_json(list, n);
    else
        print_all(cli, list, n);
    for (int i = 0; i < n; i++)
        if (!list[i].check->ok) status = LH_EXIT_NO;
    for (int i = 0; i <= n_names; i++) {
        lh_check_free(list[i].check);
        lh_program_free(list[i].source.program);
    }
    return status;
}

const lh_command lh_command_check = {
    .name = "check",
    .synopsis = "LESSON[:NAME]|FILE [options]",
    .summary = "Checks the gradients, numbers and rules of a program, each in a second way.",
    .examples = "longhand check ex3\tcompare every gradient with differences of the loss\n"
                "longhand check calculus-rules\tall programs of a lesson\n"
                "longhand check attention:bag\tone of them\n"
                "longhand check mine.lh\tcompare a gradient made by hand with the true one\n"
                "longhand check gpt --set layers=1\twith another size\n",
    .notes = "Numbers: no nan and no infinity. Softmax: rows sum to 1. Rounding: every step "
             "repeated with more digits. Differences: each gradient against what the loss does "
             "when the number is moved a little. Rules: each gradient rule against its function's "
             "own lines. By hand: in a program without `backward`, a step dX is compared with the "
             "true gradient of X. Of a lesson all programs are checked: its own, and the blocks "
             "with a name; with --set, --input, --train or --freeze its own alone. Exit status 0 "
             "when all is well, 1 when something is not.",
    .options = check_options,
    .run = check_run,
    .min_args = 1,
    .max_args = 1,
};
