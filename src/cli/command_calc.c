/* command_calc -- longhand calc: the notation as a calculator that shows its steps. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/explain_command.h"
#include "cli/matrix.h"
#include "cli/prompt.h"
#include "cli/session.h"
#include "cli/trouble.h"
#include "explain/trace.h"
#include "graph/build.h"

enum { FORMULA = 30, MANY_EXAMPLES = 4, MAX_KNOWN = 512, WHOLE_ROW = 1000 };

static struct { int digits; } options;

static const lh_option calc_options[] = {
    {"digits", 0, LH_OPTION_INT, &options.digits, "N", "significant digits (6)", 1, 17},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static int digits(void) {
    return options.digits ? options.digits : 6;
}

/* ---- values ---- */

static bool is_number(const lh_session *s, const lh_node *n) {
    const lh_graph *g = s->g;
    bool many = n->shape.is_batched && lh_exact.examples(s->plan) > 1;
    return !many && lh_axis_is_one(g, n->shape.rows) && lh_axis_is_one(g, n->shape.cols) &&
           lh_axis_is_one(g, n->shape.heads);
}

static void print_value(const lh_session *s, const lh_node *n) {
    int examples = n->shape.is_batched ? lh_exact.examples(s->plan) : 1;
    for (int e = 0; e < examples && e < MANY_EXAMPLES; e++) {
        if (examples > 1) printf("    example %d\n", e);
        lh_print_matrix(s->cli, stdout, s->g, s->plan, n, e, 4, digits());
    }
    if (examples > MANY_EXAMPLES)
        printf("    … %d more example%s\n", examples - MANY_EXAMPLES,
               LH_PLURAL(examples - MANY_EXAMPLES));
}

static bool is_literal_node(const lh_node *n) {
    return n->kind == LH_OP_matrix || n->kind == LH_OP_number;
}

/* What a function hands to another is v.x: an x of its own stands above it. */
static const char *label_of(const lh_session *s, const lh_step *step) {
    const lh_scope *from = step->node->scope;
    const size_t n = from && from->path ? strlen(from->path) : 0;
    const bool is_handed = from && from != step->scope && from->kind == LH_SCOPE_CALL;
    if (is_handed && n && strncmp(step->path, from->path, n) == 0 && step->path[n] == '.')
        return step->path + n + 1;
    return lh_step_label(s->g, step, step->scope);
}

/* m = rowmax(x)      2 */
static void print_line(const lh_session *s, const lh_step *step) {
    lh_cli *cli = s->cli;
    char *left = lh_printf(cli->arena, "%s = %s", label_of(s, step), lh_step_formula(s->g, step));
    int used = lh_columns(left), column = used + 2 < FORMULA ? FORMULA : used + 2;
    lh_ink_print(cli, stdout, LH_INK_QUIET, "    %s", left);
    char *row = lh_matrix_row(cli->arena, s->plan, step->node, 0, digits(), WHOLE_ROW);
    if (is_literal_node(step->node)) {
        putchar('\n');
    } else if (lh_columns(row) <= cli->width - 4 - column) {
        printf("%*s%s\n", column - used, "", row);
    } else if (lh_columns(row) <= cli->width - 8) {
        printf("\n        %s\n", row);
    } else {
        putchar('\n');
        lh_print_matrix(cli, stdout, s->g, s->plan, step->node, 0, 8, digits());
    }
}

/* The lines of the calls in a step's formula, in the order they are worked out. */
static void print_inner(const lh_session *s, const lh_step *step) {
    lh_cli *cli = s->cli;
    lh_trace *t = lh_trace_new(s->g, &(lh_trace_how){.all = true});
    for (int i = 0; t && i < t->n_items; i++) {
        if (t->item[i].step != step) continue;
        for (int k = 0; k < t->item[i].n_inner; k++) {
            const lh_step *inner = t->item[i].inner[k];
            if (!lh_exact.has(s->plan, inner->node) || inner->kind == LH_STEP_UPDATE) continue;
            print_line(s, inner);
        }
    }
    lh_trace_free(t);
    const lh_step *last = step->node->kind == LH_OP_call ? step->node->call->result->step : NULL;
    if (!last || last->scope != step->node->call->scope) return;
    lh_ink_on(cli, stdout, LH_INK_QUIET); /* the last line of the call: its value is the step's */
    printf("    %s = ", last->name);
    lh_wrap(stdout, cli->width, 8, lh_step_formula(s->g, last));
    lh_ink_off(cli, stdout);
}

/* A step with its formula, the lines inside it and its value. */
static void show_step(const lh_session *s, const lh_step *step, const char *name) {
    lh_cli *cli = s->cli;
    char number[LH_NUMBER_MAX];
    const char *sign = step->kind == LH_STEP_UPDATE ? ":=" : "=";
    const char *formula = lh_step_formula(s->g, step);
    lh_ink_print(cli, stdout, LH_INK_BOLD, "%s", name);
    printf(" %s ", sign);
    lh_wrap(stdout, cli->width, 8, formula);
    if (!s->plan) {
        printf("    %s; an example is missing: example ...\n",
               lh_shape_text(s->g, step->node->shape));
        return;
    }
    print_inner(s, step);
    if (!is_number(s, step->node) || (step->node->vocab && lh_exact.examples(s->plan))) {
        print_value(s, step->node);
    } else {
        lh_number_text(number, sizeof number,
                       lh_exact.get(s->plan, step->node, (lh_cell){0, 0, 0, 0}), digits());
        if (strcmp(number, formula) != 0) printf("    %s\n", number);
    }
    const char *tie = lh_tie_text(cli->arena, s->g, s->plan, step->node, 0);
    if (*tie) fputs("    ", stdout), lh_wrap(stdout, cli->width, 4, tie);
}

static void show_gradients(const lh_session *s) {
    lh_text t = lh_text_new(s->cli->arena);
    for (int i = 0; i < s->g->n_steps; i++) {
        const lh_step *d = s->g->step[i];
        if (d->kind == LH_STEP_GRADIENT && !d->is_dead && !lh_step_is_inner(d) &&
            !strchr(d->name, '#'))
            lh_text_add(&t, "%s%s", t.n ? ", " : "made: ", d->path);
    }
    fputs("    ", stdout);
    lh_wrap(stdout, s->cli->width, 4, t.s);
}

static const lh_step *find_update(const lh_session *s, const char *name) {
    const lh_step *found = NULL;
    for (int i = 0; i < s->g->n_steps; i++) {
        const lh_step *u = s->g->step[i];
        if (u->kind == LH_STEP_UPDATE && !u->is_dead && u->of && strcmp(u->of->path, name) == 0)
            found = u;
    }
    return found;
}

static bool is_literal(const lh_expr *e) {
    return e && (e->kind == LH_E_MATRIX || e->kind == LH_E_NUMBER);
}

static void show_statement(const lh_session *s, const lh_statement *st, bool all) {
    const lh_step *step;
    switch (st->kind) {
    case LH_S_STEP:
        step = lh_graph_step(s->g, st->name);
        if (step && (all || !is_literal(st->expr))) show_step(s, step, st->name);
        return;
    case LH_S_UPDATE:
        step = find_update(s, st->name);
        if (step) show_step(s, step, st->name);
        return;
    case LH_S_CONST:
    case LH_S_PARAM:
    case LH_S_STATE:
        step = lh_graph_step(s->g, st->name);
        if (step && s->plan && (all || !is_literal(st->expr))) print_value(s, step->node);
        return;
    case LH_S_REPEAT:
        for (int i = 0; i < st->n_bindings; i++) {
            const lh_node *n = lh_scope_here(s->g->top, st->binding[i].name);
            if (n && n->step) show_step(s, n->step, st->binding[i].name);
        }
        return;
    case LH_S_BACKWARD: show_gradients(s); return;
    default: return;
    }
}

/* What is shown of a line: a formula without a name alone; all but numbers as they were typed; everything. */
typedef enum shown { SHOW_BARE, SHOW_COMPUTED, SHOW_ALL } shown;

static void show_last(const lh_session *s, shown what) {
    const lh_calc_line *l = &s->line[s->n_lines - 1];
    if (what == SHOW_BARE && !l->is_bare) return;
    for (int i = 0; i < l->parsed->n_statements; i++)
        show_statement(s, l->parsed->statement[i], l->is_bare || what == SHOW_ALL);
}

/* ---- powers ---- */

static bool is_square(const lh_session *s, const lh_expr *e) {
    const lh_step *step = e->kind == LH_E_NAME ? lh_graph_step(s->g, e->text) : NULL;
    if (e->kind == LH_E_MATRIX) return e->rows == e->cols && e->rows > 1;
    if (!step || !s->plan || !lh_exact.has(s->plan, step->node)) return false;
    lh_sizes z = lh_exact.sizes(s->plan, step->node, 0);
    return z.rows == z.cols && z.rows > 1;
}

/* A^2 or A^-1 of a square matrix, or NULL. */
static const lh_expr *find_power(const lh_session *s, const lh_expr *e) {
    if (!e) return NULL;
    if (e->kind == LH_E_POW && is_square(s, e->arg[0])) {
        const lh_expr *by = e->arg[1], *number = by->kind == LH_E_NEG ? by->arg[0] : by;
        if (number->kind == LH_E_NUMBER && number->number == floor(number->number)) return e;
    }
    const lh_expr *found = NULL;
    for (int i = 0; i < e->n_args && !found; i++) found = find_power(s, e->arg[i]);
    return found;
}

/* On paper A^2 is a matrix product and A^-1 an inverse. */
static void note_power(const lh_session *s) {
    const lh_calc_line *l = &s->line[s->n_lines - 1];
    const lh_expr *e = NULL;
    for (int i = 0; i < l->parsed->n_statements && !e; i++)
        e = find_power(s, l->parsed->statement[i]->expr);
    if (!e) return;
    const char *name = e->arg[0]->kind == LH_E_NAME ? e->arg[0]->text : "A";
    lh_place at = e->at;
    at.line -= l->first - 1;
    if (e->arg[1]->kind == LH_E_NEG)
        lh_warn(s->cli->ctx, at,
                "^ works cell by cell, so this is not the inverse of a matrix: no operation makes "
                "it");
    else
        lh_warn(s->cli->ctx, at, "^ works cell by cell; the matrix product is %s @ %s", name, name);
    lh_cli_warn(s->cli, "calc", l->text, strlen(l->text));
}

/* ---- ?name ---- */

static void print_indented(const lh_cli *cli, const char *text) {
    while (*text) {
        size_t n = strcspn(text, "\n");
        printf("    %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
    (void)cli;
}

/* fn and grad statements of that name, as they stand in a program. */
static bool show_function(const lh_session *s, const lh_program *p, const char *name) {
    lh_arena *a = s->cli->arena;
    lh_program only = {.ctx = s->cli->ctx, .arena = a, .file = p->file};
    bool found = false;
    for (int i = 0; i < p->n_statements; i++) {
        lh_statement *st = p->statement[i];
        if ((st->kind != LH_S_FN && st->kind != LH_S_GRAD) || strcmp(st->name, name) != 0) continue;
        *lh_push(a, only.statement, only.n_statements) = st;
        found |= st->kind == LH_S_FN;
    }
    if (!found) return false;
    print_indented(s->cli, lh_program_print(&only));
    bool has_rule = false;
    for (int i = 0; i < only.n_statements; i++) has_rule |= only.statement[i]->kind == LH_S_GRAD;
    if (!has_rule) puts("    its gradient follows from its lines");
    return true;
}

static bool show_operation(const lh_session *s, const char *name) {
    bool found = false;
    for (int i = 0; i < LH_N_OPS; i++) {
        const lh_op *op = lh_ops[i];
        if (!op->name || strcmp(op->name, name) != 0 || (op->is_internal && !op->example[0]))
            continue;
        fputs("    ", stdout);
        lh_wrap(stdout, s->cli->width, 4, op->summary);
        if (op->example[0]) printf("    %s = %s\n", op->example[0], op->example[1]);
        found = true;
    }
    return found;
}

static const char *kind_of(const lh_step *step) {
    const lh_node *n = step->node;
    if (n->kind == LH_OP_size) return "size";
    if (n->kind == LH_OP_input) return "input";
    if (n->kind != LH_OP_given) return "";
    return n->given->kind == LH_PARAM ? "param" : n->given->kind == LH_STATE ? "state" : "const";
}

static void show_name(const lh_session *s, const lh_step *step) {
    lh_cli *cli = s->cli;
    const char *kind = kind_of(step),
               *name = step->kind == LH_STEP_UPDATE ? step->of->path : step->path;
    if (kind[0]) {
        printf("%s %s", kind, step->path);
        if (step->node->kind != LH_OP_size) printf("   %s", lh_shape_text(s->g, step->node->shape));
        putchar('\n');
        if (s->plan && lh_exact.has(s->plan, step->node)) print_value(s, step->node);
    } else {
        show_step(s, step, name);
        if (!is_number(s, step->node)) printf("    %s\n", lh_shape_text(s->g, step->node->shape));
    }
    if (step->comment) {
        fputs("    ", stdout);
        lh_wrap(stdout, cli->width, 4, step->comment);
    }
}

static bool show_cell(const lh_session *s, const char *address) {
    lh_explanation *e = lh_explain(s->g, address, &(lh_explain_how){.digits = digits()});
    if (e) lh_print_explanation(s->cli, address, e, digits());
    lh_explanation_free(e);
    return e != NULL;
}

static bool fail_unknown(lh_session *s, const char *name) {
    const char *known[MAX_KNOWN];
    int n = 0;
    const lh_program *p = lh_prelude(s->cli->ctx);
    for (int i = 0; s->g && i < s->g->n_steps && n < MAX_KNOWN; i++)
        if (!lh_step_is_inner(s->g->step[i])) known[n++] = s->g->step[i]->name;
    for (int i = 0; p && i < p->n_statements && n < MAX_KNOWN; i++)
        if (p->statement[i]->kind == LH_S_FN) known[n++] = p->statement[i]->name;
    for (int i = 0; i < LH_N_OPS && n < MAX_KNOWN; i++)
        if (!lh_ops[i]->is_internal) known[n++] = lh_ops[i]->name;
    const char *near = lh_nearest(name, known, n);
    lh_cli_fail(s->cli, "%s is neither a name defined here nor a function", name);
    if (near) fprintf(stderr, "did you mean %s?\n", near);
    return false;
}

/* A cell of a step, a step, a function made at the prompt or of the prelude, a primitive operation. */
static bool explain(lh_session *s, const char *what) {
    lh_context *ctx = s->cli->ctx;
    bool is_sign = ispunct((unsigned char)what[0]), has_cell = what[strcspn(what, "[{@")];
    if (is_sign) return show_operation(s, what) || fail_unknown(s, what);
    if (has_cell && s->plan) {
        if (show_cell(s, what)) return true;
        lh_cli_report(s->cli);
        lh_context_clear(ctx);
        return false;
    }
    const lh_step *step = s->g ? lh_graph_step(s->g, what) : NULL;
    if (!step && s->g && strchr(what, '.')) step = lh_graph_find(s->g, what);
    if (lh_failed(ctx)) {
        lh_cli_report(s->cli);
        lh_context_clear(ctx);
        return false;
    }
    if (step) {
        show_name(s, step);
        return true;
    }
    if (s->g && show_function(s, s->program, what)) return true;
    const lh_program *p = lh_prelude(s->cli->ctx);
    if (p && show_function(s, p, what)) return true;
    return show_operation(s, what) || fail_unknown(s, what);
}

/* ---- commands ---- */

static void list(lh_session *s) {
    for (int i = 0; i < s->n_lines; i++) {
        const lh_calc_line *l = &s->line[i];
        const char *text = lh_program_print(l->parsed);
        for (int k = 0; *text; k++) {
            size_t n = strcspn(text, "\n");
            printf("%4d  %.*s\n", l->first + k, (int)n, text);
            text += n + (text[n] == '\n');
        }
    }
    if (!s->n_lines) puts("    nothing yet");
}

static void help(const lh_session *s) {
    fputs("    ", stdout);
    lh_wrap(stdout, s->cli->width, 4,
            "A formula shows its value and its steps, and is called ans; name = formula gives it a "
            "name. ?name explains a name, ?P[1][0] one number, ?softmax a function; list shows the "
            "lines so far, undo removes the last one, quit or Ctrl-D ends.");
}

static bool is_word(const char *text, const char *word) {
    size_t n = strlen(word);
    return strncmp(text, word, n) == 0 && text[n + strspn(text + n, " \t")] == 0;
}

typedef enum reply { GO_ON, WRONG, END } reply;

/* One entry: a command, a question, or lines of a program. */
static reply answer(lh_session *s, const char *text, shown how) {
    text += strspn(text, " \t\n");
    if (!text[0]) return GO_ON;
    if (is_word(text, "quit") || is_word(text, "exit")) return END;
    if (is_word(text, "list")) {
        list(s);
    } else if (is_word(text, "help") || is_word(text, "?")) {
        help(s);
    } else if (is_word(text, "undo")) {
        if (!lh_session_undo(s)) puts("    nothing to undo");
    } else if (text[0] == '?') {
        char *what = lh_copy(s->cli->arena, text + 1, strlen(text + 1));
        what += strspn(what, " \t");
        for (size_t n = strlen(what); n && (what[n - 1] == ' ' || what[n - 1] == '\n'); n--)
            what[n - 1] = 0;
        return explain(s, what) ? GO_ON : WRONG;
    } else {
        if (!lh_session_add(s, text)) return WRONG;
        note_power(s);
        show_last(s, how);
        if (s->plan && lh_cli_trouble(s->cli, s->g, s->plan, true)) {
            lh_context_clear(s->cli->ctx);
            return WRONG;
        }
    }
    return GO_ON;
}

/* ---- from a terminal, from a pipe, from arguments ---- */

static void measure(lh_cli *cli) {
    struct winsize size;
    if (getenv("COLUMNS") || !cli->is_terminal) return;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        cli->width = size.ws_col < 200 ? size.ws_col : 200;
}

/* Lines as long as a bracket or a block is open; from a person an empty line ends it too. NULL at the end. */
static const char *read_entry(lh_session *s, lh_prompt *p, bool is_interactive, bool *dropped) {
    lh_text entry = lh_text_new(s->cli->arena);
    *dropped = false;
    for (const char *line; (line = lh_prompt_line(p, entry.n ? "| " : "> "));) {
        if (lh_prompt_dropped(p)) {
            *dropped = true;
            return "";
        }
        lh_prompt_remember(p, line);
        bool is_empty = !line[strspn(line, " \t")];
        if (is_empty && (is_interactive || !entry.n)) return entry.s;
        lh_text_add(&entry, "%s%s", entry.n ? "\n" : "", line);
        if (!lh_session_is_open(entry.s)) return entry.s;
    }
    return entry.n ? entry.s : NULL;
}

static int converse(lh_session *s, bool is_interactive) {
    lh_prompt *p = lh_prompt_open(is_interactive, "history");
    reply r = GO_ON;
    bool dropped;
    if (!p) return lh_cli_fail(s->cli, "out of memory");
    if (is_interactive)
        lh_wrap(stdout, s->cli->width, 0,
                "Type a formula: softmax([2 1 0.2]). ?name explains, list shows the lines, undo "
                "removes the last one, quit or Ctrl-D ends.");
    while (r == GO_ON || (r == WRONG && is_interactive)) {
        const char *entry = read_entry(s, p, is_interactive, &dropped);
        if (!entry) break;
        measure(s->cli);
        r = dropped ? GO_ON : answer(s, entry, is_interactive ? SHOW_COMPUTED : SHOW_BARE);
        fflush(stdout);
    }
    if (is_interactive && r != END) putchar('\n');
    lh_prompt_close(p);
    return r == WRONG && !is_interactive ? LH_EXIT_FAILED : LH_EXIT_YES;
}

/* The arguments as one text: how a formula looks that the shell has split at its spaces. */
static const char *joined(lh_arena *a, int argc, char **argv) {
    lh_text t = lh_text_new(a);
    for (int i = 0; i < argc; i++) lh_text_add(&t, "%s%s", i ? " " : "", argv[i]);
    return t.s;
}

static bool is_formula(lh_cli *cli, const char *text) {
    bool is = lh_expr_parse(cli->ctx, cli->arena, text, strlen(text)) && !lh_failed(cli->ctx);
    lh_context_clear(cli->ctx);
    return is;
}

/* What a shell makes of a formula without quotes, and that a name needs a line of its own before. */
static void hint_at_shell(lh_session *s, int argc, char **argv, int wrong) {
    lh_cli *cli = s->cli;
    const char *text = joined(cli->arena, argc, argv);
    if (argc > 1 && is_formula(cli, text))
        fprintf(stderr, "quote the whole formula: longhand calc %s\n",
                lh_shell_word(cli->arena, text));
    else if (argc > 2 && access(argv[wrong], F_OK) == 0)
        fprintf(stderr, "without quotes * stands for the files of the folder: longhand calc "
                        "'3 * 4'\n");
    else if (strstr(s->error.cure, "in a line above"))
        fprintf(stderr, "the line above is an argument before: longhand calc 'A = [1 2; 3 4]' "
                        "'A^T'\n");
}

static int calc_run(lh_cli *cli, int argc, char **argv) {
    lh_session s = {.cli = cli};
    int status = LH_EXIT_YES;
    if (argc == 0) status = converse(&s, isatty(STDIN_FILENO) && cli->is_terminal);
    for (int i = 0; i < argc && status == LH_EXIT_YES; i++) {
        reply r = answer(&s, argv[i], i + 1 < argc ? SHOW_BARE : SHOW_ALL);
        if (r == WRONG) {
            status = LH_EXIT_FAILED;
            hint_at_shell(&s, argc, argv, i);
        }
        if (r == END) break;
    }
    lh_session_close(&s);
    return status;
}

const lh_command lh_command_calc = {
    .name = "calc",
    .synopsis = "['FORMULA' ...] [options]",
    .summary = "The notation as a calculator that shows its steps; without a formula, a prompt.",
    .examples = "longhand calc 'softmax([2 1 0.2])'\ta value with its steps\n"
                "longhand calc 'a = [1 2; 3 4]' 'a @ a^T'\tseveral lines, the last one shown\n"
                "longhand calc '?layernorm'\twhat a function does, and its gradient\n"
                "echo 'exp(1)' | longhand calc\tlines from a pipe\n"
                "longhand calc\ta prompt\n",
    .notes = "At the prompt, ?name explains a name or a function and ?P[1][0] one number, list "
             "shows the lines so far, undo removes the last one, quit or Ctrl-D ends and Ctrl-C "
             "drops the line. A formula without a name is called ans. A line with an error is "
             "dropped; from a pipe or as an argument it ends the command with exit status 2.",
    .options = calc_options,
    .run = calc_run,
    .takes_formulas = true,
    .min_args = 0,
    .max_args = 1 << 16,
};
