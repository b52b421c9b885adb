/* command_lint -- longhand lint FILE...: everything that is wrong with a lesson, with lines. */
#include <string.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/json_stream.h"
#include "cli/lint_command.h"
#include "learn/contents.h"
#include "learn/lint.h"

static struct { bool json; } options;

static const lh_option lint_options[] = {
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static void print_problem(const lh_cli *cli, const lh_lesson *l, const lh_problem *p) {
    const lh_error *e = &p->error;
    lh_ink_on(cli, stdout, LH_INK_BOLD);
    printf("%s:", e->file[0] ? e->file : l->file);
    if (e->at.line) printf("%d:%d:", e->at.line, e->at.col);
    lh_ink_off(cli, stdout);
    printf(" %s%s\n", p->is_warning ? "warning: " : "", e->what);
    if (e->cure[0]) { lh_ink_print(cli, stdout, LH_INK_QUIET, "    %s\n", e->cure); }
}

static int count(const lh_lesson *l, bool claims) {
    int n = 0;
    for (int i = 0; i < l->n_inserts; i++) n += (l->insert[i].kind == LH_INSERT_CLAIM) == claims;
    return n;
}

static void print_summary(const lh_lesson *l) {
    int errors = l->problems->n_errors, warnings = l->problems->n - errors;
    printf("%s: ", l->file);
    if (errors) printf("%d problem%s", errors, LH_PLURAL(errors));
    if (errors && warnings) printf(", ");
    if (warnings) printf("%d warning%s", warnings, LH_PLURAL(warnings));
    if (errors + warnings == 0)
        printf("all is well: %d number%s, %d claim%s, %d exercise%s", count(l, false),
               LH_PLURAL(count(l, false)), count(l, true), LH_PLURAL(count(l, true)),
               l->n_exercises, LH_PLURAL(l->n_exercises));
    putchar('\n');
}

static void json_lesson(lh_json *j, const lh_lesson *l) {
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "file", l->file);
    lh_json_text(j, "title", l->title);
    lh_json_int(j, "numbers", count(l, false));
    lh_json_int(j, "claims", count(l, true));
    lh_json_int(j, "exercises", l->n_exercises);
    lh_json_begin(j, "problems", '[');
    for (int i = 0; i < l->problems->n; i++) {
        const lh_problem *p = l->problems->problem[i];
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "file", p->error.file[0] ? p->error.file : l->file);
        lh_json_int(j, "line", p->error.at.line);
        lh_json_int(j, "column", p->error.at.col);
        lh_json_int(j, "length", p->error.at.len);
        lh_json_bool(j, "is_warning", p->is_warning);
        lh_json_text(j, "message", p->error.what);
        lh_json_text(j, "cure", p->error.cure[0] ? p->error.cure : NULL);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}

static int lint_one(lh_cli *cli, const char *name, lh_json *j) {
    lh_source s;
    if (!lh_cli_find(cli, name, &s)) {
        lh_context_clear(cli->ctx);
        return LH_EXIT_FAILED;
    }
    lh_finder finder = lh_cli_finder(cli);
    lh_lesson *l = lh_lesson_read(cli->ctx, s.file, s.text, s.length, &finder);
    if (l) lh_lint_page(l);
    if (l && !lh_failed(cli->ctx)) lh_lesson_lint(l);
    if (!l || lh_failed(cli->ctx)) {
        lh_cli_report(cli);
        lh_lesson_free(l);
        return LH_EXIT_FAILED;
    }
    for (int i = 0; !j && i < l->problems->n; i++) print_problem(cli, l, l->problems->problem[i]);
    if (j)
        json_lesson(j, l);
    else
        print_summary(l);
    int status = l->problems->n_errors ? LH_EXIT_NO : LH_EXIT_YES;
    lh_lesson_free(l);
    return status;
}

/* Without a name: the course. */
static int lint_run(lh_cli *cli, int argc, char **argv) {
    lh_json j = {0};
    int status = LH_EXIT_YES;
    if (options.json) j = lh_json_open(stdout), lh_json_begin(&j, NULL, '[');
    lh_contents *c = argc ? NULL : lh_contents_read(cli->ctx, cli->arena);
    for (int i = 0; i < (c ? c->n : argc); i++) {
        if (c && !c->item[i].file) continue;
        int one = lint_one(cli, c ? c->item[i].name : argv[i], options.json ? &j : NULL);
        if (one > status) status = one;
    }
    if (options.json) lh_json_end(&j, ']'), lh_json_close(&j);
    return status;
}

const lh_command lh_command_lint = {
    .name = "lint",
    .synopsis = "[LESSON|FILE ...] [options]",
    .summary = "Checks a lesson: blocks, numbers, claims, digits typed into prose.",
    .examples = "longhand lint my-lesson.md\tevery problem of a lesson of your own, with its line\n"
                "longhand lint ex1 ex2\tlessons of the course\n"
                "longhand lint\tall of them\n",
    .notes = "Exit status 1: something is wrong with the text. Warnings do not count.",
    .options = lint_options,
    .run = lint_run,
    .min_args = 0,
    .max_args = 1000,
};
