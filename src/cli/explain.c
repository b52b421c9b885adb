/* explain -- longhand explain LESSON ADDRESS: one number, down to the numbers that made it. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "explain/explain.h"

static struct {
    bool deep, all, jacobian, json;
    int digits;
    lh_settings set;
} options;

static const lh_option explain_options[] = {
    {"deep", 0, LH_OPTION_FLAG, &options.deep, NULL,
     "follow the operands down to the given numbers", 0, 0},
    {"all", 0, LH_OPTION_FLAG, &options.all, NULL, "every term of a long sum, not only the largest",
     0, 0},
    {"jacobian", 0, LH_OPTION_FLAG, &options.jacobian, NULL,
     "of a call: how each cell of the result moves with each cell of its operands", 0, 0},
    {"set", 0, LH_OPTION_SETTINGS, &options.set, "NAME=VALUE", "another value for a size or const",
     0, 0},
    {"digits", 0, LH_OPTION_INT, &options.digits, "N", "significant digits (6)", 1, 17},
    {"json", 0, LH_OPTION_FLAG, &options.json, NULL, "for programs: see longhand-json(5)", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static void print_line(const lh_cli *cli, const lh_line *l, int label, int formula, int digits) {
    char value[64];
    lh_number_text(value, sizeof value, l->value, digits);
    int indent = 2 + 2 * l->depth;
    printf("%*s", indent, "");
    lh_ink_on(cli, stdout, LH_INK_NAME);
    printf("%s%*s", l->label,
           label > lh_columns(l->label) + 2 * l->depth ? label - lh_columns(l->label) - 2 * l->depth
                                                       : 0,
           "");
    lh_ink_off(cli, stdout);
    bool is_given = strcmp(l->formula, "given") == 0;
    bool plain = strcmp(l->numbers, value) == 0 || is_given;
    int width = indent + label + 3 + formula + 3 + lh_columns(l->numbers) + 3 + lh_columns(value);
    if (is_given)
        printf(" = %s   given", value);
    else if (plain)
        printf(" = %s = %s", l->formula, value);
    else if (width <= cli->width)
        printf(" = %s%*s = %s = %s", l->formula, formula - lh_columns(l->formula), "", l->numbers,
               value);
    else
        printf("\n%*s= %s\n%*s= %s\n%*s= %s", indent + 4, "", l->formula, indent + 4, "",
               l->numbers, indent + 4, "", value);
    if (l->note) {
        lh_ink_on(cli, stdout, LH_INK_QUIET);
        printf("   (%s)", l->note);
        lh_ink_off(cli, stdout);
    }
    fputc('\n', stdout);
}

static void print_text(const lh_cli *cli, const char *address, const lh_explanation *e,
                       int digits) {
    char value[64];
    int label = 0, formula = 0;
    for (int i = 0; i < e->n_lines; i++) {
        int n = lh_columns(e->line[i].label) + 2 * e->line[i].depth,
            f = lh_columns(e->line[i].formula);
        if (n > label && n <= 24) label = n;
        if (f > formula && f <= 30) formula = f;
    }
    lh_ink_on(cli, stdout, LH_INK_BOLD);
    printf("%s = %s", address, lh_number_text(value, sizeof value, e->value, digits));
    lh_ink_off(cli, stdout);
    if (e->where[0]) printf("   %s", e->where);
    if (e->step->comment) printf("   %s", e->step->comment);
    fputc('\n', stdout);
    for (int i = 0; i < e->n_lines; i++) print_line(cli, &e->line[i], label, formula, digits);
}

static void print_json(const char *lesson, const char *address, const lh_explanation *e) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "lesson", lesson);
    lh_json_text(&j, "address", address);
    lh_json_text(&j, "step", e->step->path);
    lh_json_number(&j, "value", e->value);
    lh_json_text(&j, "where", e->where);
    lh_json_begin(&j, "lines", '[');
    for (int i = 0; i < e->n_lines; i++) {
        const lh_line *l = &e->line[i];
        lh_json_begin(&j, NULL, '{');
        lh_json_int(&j, "depth", l->depth);
        lh_json_text(&j, "label", l->label);
        lh_json_text(&j, "formula", l->formula);
        lh_json_text(&j, "numbers", l->numbers);
        lh_json_number(&j, "value", l->value);
        lh_json_text(&j, "note", l->note);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

static int explain_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_source s;
    if (!lh_cli_load(cli, argv[0], &s)) return LH_EXIT_FAILED;
    lh_graph *g =
        lh_cli_graph(cli, &s, &(lh_build){.set = options.set.set, .n_set = options.set.n});
    if (!g) {
        lh_program_free(s.program);
        return LH_EXIT_FAILED;
    }
    int digits = options.digits ? options.digits : 6;
    lh_explanation *e = lh_explain(
        g, argv[1],
        &(lh_explain_how){.digits = digits, .deep = options.deep, .all_terms = options.all});
    int status = LH_EXIT_YES;
    if (!e) {
        lh_fail_in(cli->ctx, s.program->file, s.program->source, s.program->length);
        status = lh_cli_report(cli);
    } else if (options.json) {
        print_json(s.name, argv[1], e);
    } else {
        print_text(cli, argv[1], e, digits);
    }
    lh_explanation_free(e);
    lh_graph_free(g);
    lh_program_free(s.program);
    return status;
}

const lh_command lh_command_explain = {
    .name = "explain",
    .synopsis = "LESSON|FILE ADDRESS [options]",
    .summary = "One number of a program, down to the numbers that made it.",
    .examples = "longhand explain ex1 'P[1][0]'\ta cell: rows and columns count from 0\n"
                "longhand explain ex3 'dZ[1][0]' --deep\ta gradient, down to the given numbers\n"
                "longhand explain ex2 'WO[1][2]@1'\ta weight after the first step of training\n"
                "longhand explain ex4 'L{example 1}'\tanother example\n"
                "longhand explain ex6 'h[1].A.P[0][1]'\tinside a layer and a call\n",
    .notes = "An address is a path, then {example N, head N}, then the cell, then @ and the step "
             "of training. A tail that is unique is enough: h[1].P for h[1].A.P. P.e is a line "
             "inside the call that made P, P.grad.dot a line of its gradient rule.",
    .options = explain_options,
    .run = explain_run,
    .min_args = 2,
    .max_args = 2,
};
