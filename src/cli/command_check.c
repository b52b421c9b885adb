/* command_check -- longhand check LESSON: gradients, numbers and rules, each against another way to find it. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/parts.h"
#include "cli/json_stream.h"
#include "explain/check.h"
#include "learn/chosen.h"

enum { SHOWN = 5, LABEL = 14 };

static struct {
    lh_settings set;
    lh_names train, freeze, input;
    bool json;
} options;

static const lh_option check_options[] = {
    {"set", 0, LH_OPTION_SETTINGS, &options.set, "NAME=VALUE",
     "another value for a size or const; several may follow", 0, 0},
    LH_OPTION_INPUT(&options.input),
    {"train", 0, LH_OPTION_NAMES, &options.train, "NAMES", "consts that should learn too: WQ,WK", 0,
     0},
    {"freeze", 0, LH_OPTION_NAMES, &options.freeze, "NAMES", "params that should not learn", 0, 0},
    {"json", 0, LH_OPTION_FLAG, &options.json, NULL, "for programs: see longhand-json(5)", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static const char *const kind_name[LH_N_CHECKS] = {
    [LH_CHECK_NUMBERS] = "numbers", [LH_CHECK_SOFTMAX] = "softmax",
    [LH_CHECK_WIDE] = "wide",       [LH_CHECK_DIFFERENCES] = "differences",
    [LH_CHECK_RULES] = "rules",     [LH_CHECK_BY_HAND] = "by hand",
};

/* What all findings of a kind come to. */
typedef struct summary {
    int findings, wrong;
    long checked, cells, kinks, notes;
    const lh_finding *worst; /* the one nearest to its limit, or over it */
    const lh_finding *kink;  /* the first with one */
} summary;

static summary sum_up(const lh_check *c, lh_check_kind kind) {
    summary s = {0};
    double most = -1;
    for (int i = 0; i < c->n_findings; i++) {
        const lh_finding *f = &c->finding[i];
        if (f->kind != kind) continue;
        s.findings += !f->moment; /* the same again after a step of training */
        s.checked += f->moment ? 0 : f->checked;
        s.cells += f->moment ? 0 : f->cells;
        s.wrong += !f->ok;
        s.kinks += f->kinks;
        s.notes += f->ok && f->why;
        if (f->kinks && !s.kink) s.kink = f;
        double share = f->limit > 0 ? f->error / f->limit : f->error;
        if (f->where && share > most) most = share, s.worst = f;
    }
    return s;
}

static const char *plural(long n) {
    return n == 1 ? "" : "s";
}

static void add_worst(lh_text *t, const summary *s) {
    char number[LH_NUMBER_MAX];
    if (!s->worst) return;
    lh_number_text(number, sizeof number, s->worst->error, 2);
    lh_text_add(t, s->worst->error > 0 ? "; largest error %s in %s" : "; no error", number,
                s->worst->where);
    if (s->worst->error > 0 && s->worst->moment) lh_text_add(t, "@%d", s->worst->moment);
}

/* What was checked, in words. */
static const char *describe(lh_cli *cli, const lh_check *c, lh_check_kind kind, const summary *s) {
    lh_text t = lh_text_new(cli->arena);
    switch (kind) {
    case LH_CHECK_NUMBERS:
        if (s->worst)
            lh_text_add(&t, "%s in %s", isnan(s->worst->got) ? "nan" : "infinity", s->worst->where);
        else
            lh_text_add(&t, "no nan and no infinity in %ld step%s", s->checked, plural(s->checked));
        return t.s;
    case LH_CHECK_SOFTMAX:
        lh_text_add(&t, "%ld row%s sum%s to 1", s->checked, plural(s->checked),
                    s->checked == 1 ? "s" : "");
        break;
    case LH_CHECK_WIDE: lh_text_add(&t, "%d steps repeated with more digits", s->findings); break;
    case LH_CHECK_DIFFERENCES:
        if (s->checked < s->cells)
            lh_text_add(&t, "%d gradient%s of %s, %ld of %ld cells and all together", s->findings,
                        plural(s->findings), c->loss, s->checked, s->cells);
        else
            lh_text_add(&t, "%d gradient%s of %s, all %ld cells", s->findings, plural(s->findings),
                        c->loss, s->cells);
        break;
    case LH_CHECK_RULES:
        lh_text_add(&t, "%s: %d gradient%s by rule and by definition", c->rules, s->findings,
                    plural(s->findings));
        break;
    case LH_CHECK_BY_HAND:
        lh_text_add(&t, "%d gradient%s of %s written by hand", s->findings, plural(s->findings),
                    c->loss);
        break;
    case LH_N_CHECKS: break;
    }
    if (s->wrong) {
        lh_text_add(&t, "; %d wrong", s->wrong);
        return t.s;
    }
    add_worst(&t, s);
    if (s->kinks)
        lh_text_add(&t, "; %ld at a kink (%s), where there is no gradient", s->kinks,
                    s->kink->step);
    return t.s;
}

static void print_kind(lh_cli *cli, const lh_check *c, lh_check_kind kind) {
    static const char *const label[LH_N_CHECKS] = {
        [LH_CHECK_NUMBERS] = "numbers", [LH_CHECK_SOFTMAX] = "softmax",
        [LH_CHECK_WIDE] = "rounding",   [LH_CHECK_DIFFERENCES] = "differences",
        [LH_CHECK_RULES] = "rules",     [LH_CHECK_BY_HAND] = "by hand",
    };
    summary s = sum_up(c, kind);
    if (!s.findings) return;
    lh_ink_print(cli, cli->out, s.wrong ? LH_INK_BAD : LH_INK_GOOD, "%s",
                 s.wrong ? "  ✗ " : "  ✓ ");
    fprintf(cli->out, "%-*s", LABEL - 2, label[kind]);
    lh_wrap(cli->out, cli->width, LABEL + 2, describe(cli, c, kind, &s));
}

static void print_wrong(lh_cli *cli, const lh_finding *f) {
    char got[LH_NUMBER_MAX], want[LH_NUMBER_MAX], off[LH_NUMBER_MAX];
    lh_text t = lh_text_new(cli->arena);
    lh_number_text(got, sizeof got, f->got, 8);
    lh_number_text(want, sizeof want, f->want, 8);
    lh_number_text(off, sizeof off, f->got - f->want, 3);
    fputs("\n  ", cli->out);
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s", f->where ? f->where : f->step ? f->step : "?");
    if (f->moment) fputs("@1", cli->out);
    if (f->at.line) fprintf(cli->out, "   (line %d)", f->at.line);
    fputs("\n    ", cli->out);
    bool no_cells = f->error == INFINITY && f->cells == 0 && f->kind != LH_CHECK_NUMBERS;
    if (no_cells)
        lh_text_add(&t, "%s", f->why);
    else if (f->kind == LH_CHECK_NUMBERS)
        lh_text_add(&t, "%s first appears here: %s", got, f->why);
    else
        lh_text_add(&t, "is %s and should be %s, off by %s%s%s", got, want, off, f->why ? ": " : "",
                    f->why ? f->why : "");
    lh_wrap(cli->out, cli->width, 4, t.s);
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
                    wrong - shown, plural(wrong - shown));
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

static void write_finding(lh_json *j, const lh_finding *f) {
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "check", kind_name[f->kind]);
    lh_json_text(j, "step", f->step);
    lh_json_int(j, "at_step", f->moment);
    lh_json_bool(j, "ok", f->ok);
    lh_json_int(j, "checked", f->checked);
    lh_json_int(j, "cells", f->cells);
    lh_json_int(j, "kinks", f->kinks);
    lh_json_number(j, "error", f->error);
    lh_json_number(j, "limit", f->limit);
    lh_json_text(j, "where", f->where);
    lh_json_number(j, "got", f->got);
    lh_json_number(j, "want", f->want);
    lh_json_text(j, "why", f->why);
    lh_json_int(j, "line", f->at.line);
    lh_json_end(j, '}');
}

static void write_check(lh_json *j, const lh_source *s, const lh_check *c) {
    lh_json_text(j, "lesson", s->name);
    lh_json_bool(j, "ok", c->ok);
    lh_json_text(j, "loss", c->loss);
    lh_json_text(j, "rules", c->rules);
    lh_json_bool(j, "after_training", c->learns);
    lh_json_int(j, "evaluations", c->evaluations);
    lh_json_begin(j, "findings", '[');
    for (int i = 0; i < c->n_findings; i++) write_finding(j, &c->finding[i]);
    lh_json_end(j, ']');
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
    write_check(&j, &list[0].source, list[0].check);
    lh_json_begin(&j, "programs", '[');
    for (int i = 1; i < n; i++) {
        lh_json_begin(&j, NULL, '{');
        write_check(&j, &list[i].source, list[i].check);
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
    .summary = "Checks gradients, numbers and rules of a program, each in a second way.",
    .examples = "longhand check ex3\tevery gradient against differences of the loss\n"
                "longhand check calculus-rules\tall programs of a lesson\n"
                "longhand check attention:bag\tone of them\n"
                "longhand check mine.lh\ta gradient made by hand against the true one\n"
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
