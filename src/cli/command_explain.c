/* command_explain -- longhand explain LESSON ADDRESS: one number, down to the numbers that made it. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/explain_command.h"
#include "cli/explain_next.h"
#include "cli/opened.h"
#include "cli/parts.h"
#include "cli/precision.h"
#include "cli/rounded_show.h"
#include "explain/explain.h"
#include "explain/jacobian.h"
#include "pages/explain_json.h"

static struct {
    bool deep, all, jacobian, json, marks;
    const char *prompt, *next, *precision, *device;
    int digits, batch, shuffle;
    const char *mistake;
    lh_settings set;
    lh_names train, freeze, input;
} options = {.shuffle = -1};

static const lh_option explain_options[] = {
    {"deep", 0, LH_OPTION_FLAG, &options.deep, NULL,
     "follow the operands down to the given numbers", 0, 0},
    {"all", 0, LH_OPTION_FLAG, &options.all, NULL, "every term of a long sum, not only the largest",
     0, 0},
    {"jacobian", 0, LH_OPTION_FLAG, &options.jacobian, NULL,
     "of a call: how each cell of the result moves with each cell of its operands", 0, 0},
    LH_OPTION_SET(options.set),
    LH_OPTION_INPUT(&options.input),
    LH_OPTION_LEARNED(options.train),
    LH_OPTION_FROZEN(options.freeze),
    {"batch", 0, LH_OPTION_INT, &options.batch, "N", "examples in a batch (all), for L@10", 1,
     1000000},
    {"shuffle", 0, LH_OPTION_INT, &options.shuffle, "SEED",
     "shuffle the examples in every epoch, with this seed", 0, 2147483647},
    {"mistake", 0, LH_OPTION_TEXT, &options.mistake, "NAME[@STEP]", "make a known mistake", 0, 0},
    {"digits", 0, LH_OPTION_INT, &options.digits, "N", "significant digits (6)", 1, 17},
    {"prompt", 0, LH_OPTION_TEXT, &options.prompt, "TEXT",
     "what a trained model reads; - takes it from stdin", 0, 0},
    LH_OPTION_ALLOW_UNUSED,
    {"marks", 0, LH_OPTION_FLAG, &options.marks, NULL,
     "read special tokens such as <|endoftext|> in the prompt as tokens, not text", 0, 0},
    {"next", 0, LH_OPTION_TEXT, &options.next, "TOKEN",
     "what should follow the prompt: then the loss and its gradients are numbers too", 0, 0},
    {"precision", 0, LH_OPTION_TEXT, &options.precision, "KIND",
     "of a trained model: float, or what int8 or int4 makes of the number", 0, 0},
    {"device", 0, LH_OPTION_TEXT, &options.device, "NAME",
     "where a trained model reads the prompt: cpu (default), gpu or auto", 0, 0},
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* What is to be said of a line, in parts: label = formula = numbers = value   (note). */
typedef struct parts {
    const char *formula, *numbers, *value, *note; /* numbers: "" where they say no more */
    int column;                                   /* where the first = stands */
} parts;

/* In one line, the numbers of all lines below each other where that fits. */
static bool print_short(const lh_cli *cli, const parts *p, int formula) {
    int own = lh_columns(p->formula), pad = *p->numbers && formula > own ? formula - own : 0;
    int n = p->column + 2 + own + 3 + lh_columns(p->value) + lh_columns(p->note);
    if (*p->numbers) n += lh_columns(p->numbers) + 3;
    if (n > cli->width) return false;
    if (n + pad > cli->width) pad = 0;
    fprintf(cli->out, "= %s%*s%s%s = %s", p->formula, pad, "", *p->numbers ? " = " : "", p->numbers,
            p->value);
    lh_ink_print(cli, cli->out, LH_INK_QUIET, "%s\n", p->note);
    return true;
}

/* The signs below each other; what has no room goes on behind its sign. */
static void print_long(lh_cli *cli, const parts *p, int indent) {
    int column = p->column;
    if (column > cli->width / 2) column = indent + 4, fprintf(cli->out, "\n%*s", column, "");
    fputs("= ", cli->out);
    lh_wrap(cli->out, cli->width, column + 2, p->formula);
    const char *value = lh_printf(cli->arena, "%s%s", p->value, p->note);
    const char *both = lh_printf(cli->arena, "%s = %s", p->numbers, value);
    bool is_one = column + 2 + lh_columns(both) <= cli->width;
    if (*p->numbers) {
        fprintf(cli->out, "%*s= ", column, "");
        lh_wrap(cli->out, cli->width, column + 2, is_one ? both : p->numbers);
        if (is_one) return;
    }
    fprintf(cli->out, "%*s= ", column, "");
    lh_wrap(cli->out, cli->width, column + 2, value);
}

static void print_line(lh_cli *cli, const lh_line *l, int label, int formula, int digits) {
    char value[64];
    lh_number_text(value, sizeof value, l->value, digits);
    int indent = 2 + 2 * l->depth, own = lh_columns(l->label), pad = label - 2 * l->depth - own;
    if (pad < 0) pad = 0;
    fprintf(cli->out, "%*s", indent, "");
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%s", l->label);
    fprintf(cli->out, "%*s", pad + 1, "");
    if (strcmp(l->formula, "given") == 0) {
        fprintf(cli->out, "= %s   given\n", value);
        return;
    }
    if (strcmp(l->formula, value) == 0) {
        fprintf(cli->out, "= %s", value);
        lh_ink_print(cli, cli->out, LH_INK_QUIET, l->note ? "   (%s)\n" : "%s\n",
                     l->note ? l->note : "");
        return;
    }
    parts p = {.formula = l->formula,
               .numbers = lh_line_between(l, value),
               .value = value,
               .note = l->note ? lh_printf(cli->arena, "   (%s)", l->note) : "",
               .column = indent + own + pad + 1};
    if (!print_short(cli, &p, formula)) print_long(cli, &p, indent);
}

/* The [r][c] at the end of a label; n: how many. */
static const char *cell_of(const char *label, int *n) {
    const char *cell = label + strlen(label);
    for (*n = 0; cell > label && cell[-1] == ']'; ++*n) {
        do cell--;
        while (cell > label && *cell != '[');
    }
    return cell;
}

/* A matrix means its first cell and a row the first of the row: the cell is written as the explanation's own line has it. */
static const char *whole_address(lh_cli *cli, const char *address, const lh_explanation *e) {
    const char *label = e->n_lines ? e->line[e->n_lines - 1].label : "";
    int n, own;
    const char *cell = cell_of(label, &n);
    if (e->address.n_indices >= n || cell == label) return address;
    const char *moment = strchr(address, '@');
    char *path = lh_copy(cli->arena, address, strcspn(address, "@"));
    path[cell_of(path, &own) - path] = 0;
    return lh_printf(cli->arena, "%s%s%.*s", path, cell, moment ? (int)strcspn(moment, "[") : 0,
                     moment ? moment : "");
}

static void print_heading(lh_cli *cli, const char *address, const lh_explanation *e, int digits) {
    char value[64];
    address = whole_address(cli, address, e);
    lh_ink_on(cli, cli->out, LH_INK_BOLD);
    int at = fprintf(cli->out, "%s = %s", address,
                     lh_number_text(value, sizeof value, e->value, digits));
    lh_ink_off(cli, cli->out);
    if (e->where[0]) at += 3 + lh_columns(e->where), fprintf(cli->out, "   %s", e->where);
    const char *comment = e->step->comment ? e->step->comment : "";
    bool is_short = at + 3 + lh_columns(comment) <= cli->width;
    if (*comment) fprintf(cli->out, is_short ? "   " : "\n    ");
    lh_wrap(cli->out, is_short ? 1000 : cli->width, 4, comment);
}

void lh_print_explanation(lh_cli *cli, const char *address, const lh_explanation *e, int digits) {
    int label = 0, formula = 0;
    for (int i = 0; i < e->n_lines; i++) {
        int n = lh_columns(e->line[i].label) + 2 * e->line[i].depth,
            f = lh_columns(e->line[i].formula);
        if (n > label && n <= 24) label = n;
        if (f > formula && f <= 30) formula = f;
    }
    print_heading(cli, address, e, digits);
    for (int i = 0; i < e->n_lines; i++) print_line(cli, &e->line[i], label, formula, digits);
}

static void print_json(const char *lesson, const char *address, const lh_explanation *e) {
    lh_json j = lh_json_open(stdout);
    lh_explanation_json(&j, lesson, address, e);
}

static bool read_precision(lh_cli *cli, lh_precision *p) {
    return !lh_cli_refuse(cli, options.precision && options.next, "precision",
                          "with --next everything is worked out in double") &&
           lh_cli_pass_precision(cli, options.precision, p);
}

/* ---- jacobian ---- */

typedef struct table {
    const lh_graph *g;
    lh_step *step, *operand;
    lh_jacobian *j;
    lh_cell at;    /* the row of the result; its column too where one cell is asked for */
    bool one_cell; /* else the whole row */
    int digits;
} table;

/* One line for each column of the result's row (or for each row of the operand, when one cell is asked for). */
static void print_jacobian(lh_cli *cli, const table *t) {
    lh_sizes of = lh_jacobian_sizes(t->j, false, t->at.example),
             to = lh_jacobian_sizes(t->j, true, t->at.example);
    const char *name = t->step->path, *operand = t->operand ? t->operand->path : "x";
    int same_row = of.rows == to.rows ? t->at.row : 0, lines = t->one_cell ? to.rows : of.cols;
    char number[64];
    if (t->one_cell)
        fprintf(cli->out, "d %s[%d][%d] / d %s\n", name, t->at.row, t->at.col, operand);
    else
        fprintf(cli->out, "d %s[%d][c] / d %s[%d][k]   a line for each c, a column for each k\n",
                name, t->at.row, operand, same_row);
    for (int i = 0; i < lines && i < 64; i++) {
        fprintf(cli->out, "    %-4d", i);
        for (int k = 0; k < to.cols && 8 + 12 * (k + 1) <= cli->width; k++) {
            lh_cell cell = t->at, from = {t->at.example, to.heads > 1 ? t->at.head : 0,
                                          t->one_cell ? i : same_row, k};
            if (!t->one_cell) cell.col = i;
            fprintf(
                cli->out, " %11s",
                lh_number_text(number, sizeof number, lh_jacobian_at(t->j, cell, from), t->digits));
        }
        fputc('\n', cli->out);
    }
}

static void write_jacobian(lh_json *out, const table *t) {
    lh_sizes of = lh_jacobian_sizes(t->j, false, t->at.example),
             to = lh_jacobian_sizes(t->j, true, t->at.example);
    int same_row = of.rows == to.rows ? t->at.row : 0, lines = t->one_cell ? to.rows : of.cols;
    lh_json_begin(out, NULL, '{');
    lh_json_text(out, "operand", t->operand ? t->operand->path : NULL);
    lh_json_begin(out, "derivatives", '[');
    for (int i = 0; i < lines; i++) {
        lh_json_begin(out, NULL, '[');
        for (int k = 0; k < to.cols; k++) {
            lh_cell cell = t->at, from = {t->at.example, to.heads > 1 ? t->at.head : 0,
                                          t->one_cell ? i : same_row, k};
            if (!t->one_cell) cell.col = i;
            lh_json_number(out, NULL, lh_jacobian_at(t->j, cell, from));
        }
        lh_json_end(out, ']');
    }
    lh_json_end(out, ']');
    lh_json_end(out, '}');
}

bool lh_print_jacobian(lh_cli *cli, lh_graph *g, const char *address, int digits, lh_json *json) {
    lh_address a;
    lh_step *s = lh_address_parse(cli->ctx, address, &a) ? lh_address_find(g, &a) : NULL;
    if (!s) return false;
    lh_node *n = s->node;
    if (n->kind != LH_OP_call) {
        lh_fail(cli->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0},
                "%s is not made by a call of a function", s->path);
        lh_cure(cli->ctx, "a jacobian shows how f(x) moves with x: try it on a softmax");
        return false;
    }
    for (int i = 0; i < n->n_in && !lh_failed(cli->ctx); i++) {
        if (n->in[i]->is_discrete || n->in[i]->kind == LH_OP_number) continue;
        table t = {.g = g,
                   .step = s,
                   .operand = n->in[i]->step,
                   .digits = digits,
                   .j = lh_jacobian_new(g, &lh_wide, n, n->in[i])};
        if (!t.j) break;
        lh_sizes z = lh_jacobian_sizes(t.j, false, a.has_example ? a.example : 0);
        t.one_cell = a.n_indices == 2;
        t.at = (lh_cell){a.has_example ? a.example : 0, a.has_head ? a.head : 0,
                         a.n_indices ? a.index[0] : z.rows - 1, a.n_indices == 2 ? a.index[1] : 0};
        if (t.at.row >= z.rows || t.at.col >= z.cols || t.at.head >= z.heads)
            lh_fail(cli->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0},
                    "%s has %d row%s and %d column%s, counted from 0", s->path, z.rows,
                    LH_PLURAL(z.rows), z.cols, LH_PLURAL(z.cols));
        else if (json)
            write_jacobian(json, &t);
        else
            print_jacobian(cli, &t);
        lh_jacobian_free(t.j);
    }
    return !lh_failed(cli->ctx);
}

static int jacobian(lh_cli *cli, lh_graph *g, const char *address, int digits) {
    lh_json out = lh_json_open(stdout);
    if (options.json) lh_json_begin(&out, NULL, '[');
    bool ok = lh_print_jacobian(cli, g, address, digits, options.json ? &out : NULL);
    if (options.json && ok) lh_json_end(&out, ']'), lh_json_close(&out);
    return ok ? LH_EXIT_YES : lh_cli_report(cli);
}

/* A trained model: its numbers come from a run in float on a prompt. */
static int explain_model(lh_cli *cli, const char *path, const char *address) {
    lh_opened o;
    const int digits = options.digits ? options.digits : 6;
    const char *foreign = options.jacobian       ? "jacobian"
                          : options.set.n        ? "set"
                          : options.input.n      ? "input"
                          : options.train.n      ? "train"
                          : options.freeze.n     ? "freeze"
                          : options.batch        ? "batch"
                          : options.shuffle >= 0 ? "shuffle"
                          : options.mistake      ? "mistake"
                                                 : NULL;
    if (foreign)
        return lh_cli_fail(cli, "--%s is for programs, and %s is a trained model", foreign, path);
    if (!options.prompt) {
        lh_cli_fail(cli, "%s is a trained model: its numbers depend on a prompt", path);
        fprintf(stderr, "longhand explain %s --prompt 'The cat' %s\n",
                lh_shell_word(cli->arena, path), lh_shell_word(cli->arena, address));
        return LH_EXIT_FAILED;
    }
    lh_precision precision;
    const lh_evaluator *with;
    if (!read_precision(cli, &precision) ||
        !(with = lh_cli_device(cli, options.device, precision)) ||
        !lh_opened_open(cli, path, options.prompt, options.marks, 0, &o))
        return LH_EXIT_FAILED;
    o.in->with = with;
    lh_explain_how how = {.digits = digits, .deep = options.deep, .all_terms = options.all};
    const bool is_rounded = lh_precision_is_rounded(precision);
    if (is_rounded) lh_inside_round(o.in, precision);
    lh_explanation *e = options.next ? lh_explain_next(&o, options.next, address, &how)
                                     : lh_inside_explain(o.in, address, &how);
    int status = LH_EXIT_YES;
    if (!e)
        status = lh_cli_report(cli);
    else if (is_rounded)
        status = lh_show_rounding(&o, path, address, e, digits, options.json);
    else if (options.json)
        print_json(path, address, e);
    else
        lh_print_explanation(cli, address, e, digits);
    lh_explanation_free(e);
    lh_opened_close(&o);
    return status;
}

/* Options that would do nothing: batches are for a step of training. */
static bool are_fitting(lh_cli *cli, const char *address) {
    const char *why = "it needs a step of training, as in L@10";
    lh_address a;
    if (!lh_address_parse(cli->ctx, address, &a)) return lh_cli_report(cli), false;
    bool trains = a.has_step && a.step > 0 && !options.jacobian;
    return !(lh_cli_refuse(cli, options.batch && !trains, "batch", why) ||
             lh_cli_refuse(cli, options.shuffle >= 0 && !trains, "shuffle", why) ||
             lh_cli_refuse(cli, options.shuffle >= 0 && !options.batch, "shuffle",
                           "all examples are in one batch; --batch N makes several") ||
             lh_cli_refuse(cli, options.jacobian && options.deep, "deep",
                           "a Jacobian has no steps to follow") ||
             lh_cli_refuse(cli, options.jacobian && options.all, "all",
                           "a Jacobian has no steps to follow"));
}

static int explain_graph(lh_cli *cli, const lh_source *s, lh_graph *g, const char *address) {
    int digits = options.digits ? options.digits : 6, status = LH_EXIT_YES;
    if (options.jacobian) return jacobian(cli, g, address, digits);
    lh_explain_how how = {.digits = digits,
                          .deep = options.deep,
                          .all_terms = options.all,
                          .training = lh_cli_batches(s, options.batch, options.shuffle)};
    lh_explanation *e = lh_explain(g, address, &how);
    if (!e) {
        lh_fail_in(cli->ctx, s->program->file, s->program->source, s->program->length);
        status = lh_cli_report(cli);
    } else if (options.json) {
        print_json(s->name, address, e);
    } else {
        lh_print_explanation(cli, address, e, digits);
    }
    lh_explanation_free(e);
    return status;
}

static int explain_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_source s;
    lh_build more = lh_cli_build(&options.set, &options.train, &options.freeze), how;
    if (options.prompt || options.next || options.device || lh_folder_is(argv[0]))
        return explain_model(cli, argv[0], argv[1]);
    if (lh_cli_refuse(cli, options.precision, "precision",
                      "it is for a trained model; lessons are worked out in double"))
        return LH_EXIT_FAILED;
    if (!are_fitting(cli, argv[1]) || !lh_cli_load(cli, argv[0], &s)) return LH_EXIT_FAILED;
    lh_graph *g = NULL;
    if (lh_cli_input(cli, &s, &options.input) &&
        lh_cli_how(cli, &s, &more, options.mistake, &how)) {
        g = lh_graph_build(cli->ctx, s.program, &how);
        if (!g) lh_cli_report(cli);
    }
    bool ok = g && lh_cli_learning(cli, &s, g, &options.train, &options.freeze, true);
    int status = ok ? explain_graph(cli, &s, g, argv[1]) : LH_EXIT_FAILED;
    lh_graph_free(g);
    lh_program_free(s.program);
    return status;
}

const lh_command lh_command_explain = {
    .name = "explain",
    .synopsis = "LESSON[:NAME]|FILE|FOLDER ADDRESS [options]",
    .summary = "One number of a program, down to the numbers that made it.",
    .examples =
        "longhand explain ex1 'P[1][0]'\ta cell: rows and columns count from 0\n"
        "longhand explain ex3 'dZ[1][0]' --deep\ta gradient, down to the given numbers\n"
        "longhand explain ex2 'WO[1][2]@1'\ta weight after the first step of training\n"
        "longhand explain ex4 'L{example 1}'\tanother example\n"
        "longhand explain attention:bag 'H[2][0]'\ta program inside a lesson, by its name\n"
        "longhand explain ex4 'L@10' --freeze WQ,WK,WV --batch 1\tanother way to train\n"
        "longhand explain ex6 'h[1].A.P[0][1]'\tinside a layer and a call\n"
        "longhand explain out --prompt 'The cat sat' 'h[1].P{head 0}[2][1]'\ta trained model: how "
        "much "
        "\"sat\" looks at \"cat\"\n"
        "longhand explain out --prompt 'The cat' --next ' sat' 'dlogits[1][5]'\ta gradient of "
        "it\n"
        "longhand explain out --prompt 'The cat' 'logits[1][5]' --precision int8\twhat weights in "
        "8 "
        "bits make of it\n"
        "longhand explain ex3 'P[1]' --jacobian\thow the row of a softmax moves with its scores\n",
    .notes =
        "An address is a path, then {example N, head N}, then the cell, then @ and the step of "
        "training. A tail that is unique is enough: h[1].P for h[1].A.P. P.e is a line inside the "
        "call that made P, P.grad.dot a line of its gradient rule. FOLDER is a model that longhand "
        "train wrote, or a Hugging Face folder: the forward pass runs in float up to the "
        "requested step, the step itself in double. With --next, the token that should follow, the "
        "loss and every gradient are available, too: all of it in double. With --precision int8 or "
        "int4 the pass runs with rounded weights, and what this did to the number is shown: the "
        "codes and scales behind it, and the differences that they make.",
    .options = explain_options,
    .run = explain_run,
    .min_args = 2,
    .max_args = 2,
};
