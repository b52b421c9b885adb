/* command_graph -- longhand graph LESSON: the steps forward, back and of the update, and what each of them reads. */
#include <string.h>

#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/json_stream.h"
#include "cli/parts.h"
#include "eval/plan_text.h"
#include "explain/picture.h"

static struct {
    const char *out, *backend;
    bool all, forward, json, plan, recompute;
    lh_settings set;
} options;

static const lh_option graph_options[] = {
    {"output", 'o', LH_OPTION_TEXT, &options.out, "FILE.svg", "a drawing instead of the list", 0,
     0},
    {"all", 0, LH_OPTION_FLAG, &options.all, NULL, "every turn of a repeat, not only the first", 0,
     0},
    {"forward", 0, LH_OPTION_FLAG, &options.forward, NULL,
     "only the forward pass: no gradients, no updates", 0, 0},
    {"plan", 0, LH_OPTION_FLAG, &options.plan, NULL,
     "show what an evaluator does: its operations, and the memory that they read and write", 0, 0},
    {"backend", 0, LH_OPTION_TEXT, &options.backend, "NAME",
     "with --plan: exact, wide or fast (fast)", 0, 0},
    {"recompute", 0, LH_OPTION_FLAG, &options.recompute, NULL,
     "with --plan: compute layers again for their gradients, as train does", 0, 0},
    LH_OPTION_SET(options.set),
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static const char *const kind_names[] = {
    [LH_BOX_INPUT] = "input", [LH_BOX_CONST] = "const",   [LH_BOX_PARAM] = "param",
    [LH_BOX_STATE] = "state", [LH_BOX_STEP] = "step",     [LH_BOX_GRADIENT] = "gradient",
    [LH_BOX_PART] = "part",   [LH_BOX_UPDATE] = "update",
};

/* ---- text ---- */

enum { NUMBER = 5 };

typedef struct table {
    const lh_cli *cli;
    const lh_picture *p;
    int formula, shape; /* columns for `name = formula` and for the shape */
    bool is_wide;       /* what is read stands behind the shape, not below */
} table;

static const char *left_text(const table *t, const lh_box *b) {
    return lh_printf(t->p->arena, "%s %s%s", b->name,
                     b->folds                   ? "   "
                     : b->kind == LH_BOX_UPDATE ? ""
                                                : "= ",
                     b->formula);
}

static int indent_of(const lh_box *b) {
    return NUMBER + 2 * b->n_turns;
}

static table table_new(const lh_cli *cli, const lh_picture *p) {
    table t = {cli, p, 20, 6, cli->width >= 76};
    int most = (cli->width - NUMBER) / 2;
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        if (b->is_given || b->folds) continue;
        int n = lh_columns(left_text(&t, b)) + indent_of(b) - NUMBER, s = lh_columns(b->shape);
        if (n > t.formula && n <= most) t.formula = n;
        if (s > t.shape && s <= 16) t.shape = s;
    }
    return t;
}

/* By its short name in the same turn, by its path from elsewhere. */
static const char *read_name(const table *t, const lh_box *b, const lh_box *reader) {
    bool is_here = b->n_turns <= reader->n_turns;
    for (int i = 0; i < b->n_turns && is_here; i++)
        is_here = strcmp(b->turn[i], reader->turn[i]) == 0;
    if (!b->folds) return is_here ? b->name : b->path;
    return lh_printf(t->p->arena, "%s %s",
                     b->is_given               ? "given in"
                     : b->phase == LH_BACKWARD ? "gradients of"
                     : b->phase == LH_UPDATE   ? "updates of"
                                               : "steps of",
                     b->name);
}

/* What it reads and, beside a value, its gradient. */
static const char *right_text(const table *t, const lh_box *b) {
    const lh_picture *p = t->p;
    lh_text text = lh_text_new(p->arena);
    for (int i = 0; i < b->n_reads; i++)
        lh_text_add(&text, "%s%s", i ? ", " : "← ", read_name(t, &p->box[b->reads[i]], b));
    if (b->beside >= 0 && b->phase == LH_FORWARD && !b->folds && !p->box[b->beside].folds) {
        const lh_box *d = &p->box[b->beside];
        lh_text_add(&text, "%s%s:%d", text.n ? "; " : "", d->name, d->number);
    }
    return text.s;
}

/* The formula, folded under its own beginning; returns the column where it ends. */
static int print_formula(const table *t, const lh_box *b) {
    const lh_cli *cli = t->cli;
    const char *left = left_text(t, b), *rest = left + strlen(b->name);
    int indent = indent_of(b), at = indent + lh_columns(left), name = indent + lh_columns(b->name);
    fprintf(cli->out, "%*d%*s", NUMBER - 1, b->number, indent - NUMBER + 1, "");
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%s", b->name);
    if (at <= cli->width) {
        fputs(rest, cli->out);
        return at;
    }
    fputc(' ', cli->out);
    lh_wrap_at(cli->out, cli->width, name + 1, name + 1 < cli->width / 2 ? name + 1 : indent + 4,
               rest + 1);
    return 0;
}

static int longest_word(const char *text) {
    int most = 0, n = 0;
    for (; *text; text++) {
        n = *text == ' ' ? 0 : n + (lh_utf8_starts(*text));
        if (n > most) most = n;
    }
    return most;
}

/* Behind the formula where the screen is wide and the formula short, else on the next line. */
static void print_box(const table *t, const lh_box *b) {
    const lh_cli *cli = t->cli;
    const char *right = right_text(t, b);
    int at = print_formula(t, b), column = NUMBER + t->formula + 2, shape = lh_columns(b->shape);
    bool fits = at > 0 && at <= column - 2;
    int pad = shape > t->shape ? 2 : t->is_wide ? t->shape - shape + 2 : 2;
    if (!t->is_wide || column + shape + pad + longest_word(right) > cli->width) {
        column = indent_of(b) + 4;
        pad = b->shape[0] ? 2 : 0;
        fits = false;
    }
    if (!b->shape[0] && !right[0]) {
        if (at > 0) fputc('\n', cli->out);
        return;
    }
    if (!fits && at > 0) fputc('\n', cli->out);
    fprintf(cli->out, "%*s", fits ? column - at : column, "");
    lh_ink_on(cli, cli->out, LH_INK_QUIET);
    if (right[0] && shape > t->shape &&
        column == NUMBER + t->formula + 2) { /* what is read begins a line */
        shape = t->shape, pad = 2;
        fprintf(cli->out, "%s\n%*s", b->shape, column + shape + pad, "");
        lh_wrap(cli->out, cli->width, column + shape + pad, right);
    } else if (right[0]) {
        fprintf(cli->out, "%s%*s", b->shape, pad, "");
        lh_wrap(cli->out, cli->width, column + shape + pad, right);
    } else {
        fprintf(cli->out, "%s\n", b->shape);
    }
    lh_ink_off(cli, cli->out);
}

static void print_given(const table *t) {
    const lh_picture *p = t->p;
    lh_text text = lh_text_new(p->arena);
    for (int kind = LH_BOX_INPUT; kind <= LH_BOX_STATE; kind++) {
        text.n = 0;
        for (int i = 0; i < p->n_boxes; i++) {
            const lh_box *b = &p->box[i];
            if (!b->is_given || (int)b->kind != kind) continue;
            const char *shape = b->shape;
            lh_text_add(&text, "%s%s%s%s%s", text.n ? ", " : "", b->folds ? b->name : b->path,
                        shape[0] ? " (" : "", shape, shape[0] ? ")" : "");
        }
        if (text.n == 0) continue;
        fprintf(t->cli->out, "  %-7s", kind_names[kind]);
        lh_wrap(t->cli->out, t->cli->width, 9, text.s);
    }
}

/* The turn a line stands in, when it is another one than that of the line before. */
static void print_turn(const table *t, const lh_box *b, const lh_box *before) {
    for (int i = 0; i < b->n_turns; i++) {
        bool is_same = before && i < before->n_turns && strcmp(before->turn[i], b->turn[i]) == 0;
        if (is_same) continue;
        fprintf(t->cli->out, "%*s", NUMBER + 2 * i, "");
        lh_ink_print(t->cli, t->cli->out, LH_INK_QUIET, "%s\n", b->turn[i]);
    }
}

/* Steps behind the gradients are an update where one of them renews something. */
static const char *title_of(const lh_picture *p, int from) {
    static const char *const titles[] = {"Forward", "Backward", "Update"};
    lh_phase phase = p->box[from].phase;
    bool renews = false;
    for (int i = from; i < p->n_boxes && p->box[i].phase == phase; i++)
        renews |= p->box[i].kind == LH_BOX_UPDATE;
    return phase == LH_UPDATE && !renews ? "After that" : titles[phase];
}

/* The signs, with one of the picture's own numbers. */
static void print_legend(const lh_cli *cli, const lh_picture *p) {
    const char *more = "";
    for (int i = 0; i < p->n_boxes && !*more; i++) {
        const lh_box *b = &p->box[i];
        if (b->phase != LH_FORWARD || b->is_given || b->folds || b->beside < 0) continue;
        const lh_box *d = &p->box[b->beside];
        if (!d->folds)
            more = lh_printf(p->arena, "; %s:%d its gradient, which is step %d", d->name, d->number,
                             d->number);
    }
    lh_ink_on(cli, cli->out, LH_INK_QUIET);
    lh_wrap(cli->out, cli->width, 0, lh_printf(p->arena, "← what a step reads%s.", more));
    lh_ink_off(cli, cli->out);
}

/* Of a model with two texts: the encoder's steps, or the decoder's. */
static void print_side(const table *t, bool is_second) {
    const lh_picture *p = t->p;
    const lh_box *before = NULL;
    fprintf(t->cli->out, is_second ? "\nDecoder: reads %s too\n" : "\nEncoder: reads %s\n",
            p->text[is_second]);
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        if (b->is_given || b->is_second != is_second) continue;
        print_turn(t, b, before);
        print_box(t, b);
        before = b;
    }
}

void lh_print_picture(const lh_cli *cli, const lh_picture *p) {
    table t = table_new(cli, p);
    fputs("Given\n", cli->out);
    print_given(&t);
    const lh_box *before = NULL;
    for (int side = 0; p->text[0] && side < 2; side++) print_side(&t, side);
    for (int i = 0; i < p->n_boxes && !p->text[0]; i++) {
        const lh_box *b = &p->box[i];
        if (b->is_given) continue;
        if (!before || before->phase != b->phase) {
            fprintf(cli->out, "\n%s\n", title_of(p, i));
            before = NULL;
        }
        print_turn(&t, b, before);
        print_box(&t, b);
        before = b;
    }
    fputc('\n', cli->out);
    print_legend(cli, p);
}

static void print_head(const lh_cli *cli, const lh_source *s) {
    lh_cli_heading(cli, s->name, s->title);
    fputc('\n', cli->out);
}

static void print_text(const lh_cli *cli, const lh_source *s, const lh_picture *p) {
    print_head(cli, s);
    lh_print_picture(cli, p);
}

/* ---- the plan ---- */

/* A step of training, where the program has a loss; a plan of sizes, for which no memory is taken. */
static lh_plan *sketch(const lh_evaluator *with, lh_graph *g) {
    const bool trains = g->loss && !options.forward;
    lh_plan *p = with->plan(g, &(lh_wish){.node = &g->loss,
                                          .n_nodes = g->loss != NULL,
                                          .updates = trains,
                                          .all = !g->loss,
                                          .recomputes = options.recompute,
                                          .is_sketch = true});
    if (p) with->bind(p, NULL, 0);
    return p;
}

static int print_plan(lh_cli *cli, const lh_source *s, lh_graph *g) {
    const lh_evaluator *with = lh_cli_evaluator(cli, options.backend);
    if (with && options.recompute && !lh_cli_can_recompute(cli, with)) return LH_EXIT_FAILED;
    lh_plan *p = with ? sketch(with, g) : NULL;
    lh_text text = lh_text_new(cli->arena);
    if (p) lh_plan_print(&text, p, &(lh_plan_how){.width = cli->width, .all_turns = options.all});
    const bool is_good = p && !lh_failed(cli->ctx);
    if (is_good) print_head(cli, s), fputs(text.s, cli->out);
    if (with) with->free(p);
    return is_good ? LH_EXIT_YES : lh_cli_report(cli);
}

/* ---- JSON ---- */

static void print_json(const lh_source *s, const lh_picture *p) {
    static const char *const phases[] = {"forward", "backward", "update"};
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "lesson", s->name);
    lh_json_begin(&j, "nodes", '[');
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        lh_json_begin(&j, NULL, '{');
        lh_json_int(&j, "id", i);
        lh_json_text(&j, "kind", kind_names[b->kind]);
        lh_json_text(&j, "phase", b->is_given ? "given" : phases[b->phase]);
        lh_json_int(&j, "number", b->number);
        lh_json_text(&j, "path", b->path);
        lh_json_text(&j, "name", b->name);
        lh_json_text(&j, "formula", b->is_given ? NULL : b->formula);
        lh_json_text(&j, "shape", b->shape);
        lh_json_text(&j, "turn", b->n_turns ? b->turn[b->n_turns - 1] : NULL);
        lh_json_text(&j, "beside", b->beside >= 0 ? p->box[b->beside].path : NULL);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_begin(&j, "edges", '[');
    for (int i = 0; i < p->n_boxes; i++)
        for (int k = 0; k < p->box[i].n_reads; k++) {
            lh_json_begin(&j, NULL, '{');
            lh_json_int(&j, "from", p->box[i].reads[k]);
            lh_json_int(&j, "to", i);
            lh_json_end(&j, '}');
        }
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

static int draw(lh_cli *cli, const lh_source *s, lh_picture *p) {
    lh_text svg = lh_text_new(p->arena);
    lh_picture_svg(p, s->title && s->title[0] ? s->title : s->name, &svg);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    if (!lh_cli_write_file(cli, options.out, svg.s, svg.n)) return LH_EXIT_FAILED;
    fprintf(stderr, "%s\n", options.out);
    return LH_EXIT_YES;
}

static int graph_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_source s;
    if (options.plan && (options.out || options.json))
        return lh_cli_fail(cli, "--plan is text: leave out %s",
                           options.out ? "--output" : "--json");
    if (options.backend && !options.plan)
        return lh_cli_fail(cli, "--backend chooses the plan to show: it needs --plan");
    if (options.recompute && !options.plan)
        return lh_cli_fail(cli, "--recompute changes the plan, not the steps: it needs --plan");
    if (!lh_cli_is_svg(cli, options.out) || !lh_cli_load(cli, argv[0], &s)) return LH_EXIT_FAILED;
    lh_graph *g =
        lh_cli_graph(cli, &s, &(lh_build){.set = options.set.set, .n_set = options.set.n});
    if (g && options.plan) {
        const int status = print_plan(cli, &s, g);
        lh_graph_free(g);
        lh_program_free(s.program);
        return status;
    }
    lh_picture *p = g ? lh_picture_new(g, options.forward               ? LH_PICTURE_FORWARD
                                          : options.all || options.json ? LH_PICTURE_ALL
                                                                        : LH_PICTURE_FOLDED)
                      : NULL;
    int status = LH_EXIT_YES;
    if (!p) {
        status = g ? lh_cli_report(cli) : LH_EXIT_FAILED;
    } else {
        if (options.out) status = draw(cli, &s, p);
        if (options.json)
            print_json(&s, p);
        else if (!options.out)
            print_text(cli, &s, p);
    }
    lh_picture_free(p);
    lh_graph_free(g);
    lh_program_free(s.program);
    return status;
}

const lh_command lh_command_graph = {
    .name = "graph",
    .synopsis = "LESSON[:NAME]|FILE [-o FILE.svg] [options]",
    .summary = "The steps in the order they are computed, and what each of them reads.",
    .examples = "longhand graph ex3\tforward, backward and update as a list\n"
                "longhand graph ex3 -o ex3.svg\tthe same as a drawing\n"
                "longhand graph ex6 --forward\tthe model alone\n"
                "longhand graph gpt --set layers=12\tturns after the first are one line\n"
                "longhand graph ex6 --all\tevery turn of a repeat\n"
                "longhand graph ex3 --plan\twhat the fast evaluator does, operation by operation\n"
                "longhand graph ex3 --plan --backend exact\tthe same by the definitions\n"
                "longhand graph mine.lh --json\tnodes and edges, for programs\n",
    .notes = "In the drawing the forward pass runs down on the left and the backward pass up next "
             "to it, so that each gradient is next to its value. Lines inside calls belong to the "
             "step that calls.",
    .options = graph_options,
    .run = graph_run,
    .min_args = 1,
    .max_args = 1,
};
