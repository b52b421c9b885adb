/* command_cost -- longhand cost LESSON: parameters, operations and bytes, as numbers and as formulas in the axis names. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/cost_command.h"
#include "cli/parts.h"
#include "cli/train_command.h"
#include "pages/bill_text.h"

static struct {
    bool json, measure, predict, recompute;
    int threads, batch;
    const char *precision, *device;
    lh_settings set;
    lh_cost_ranks_options ranks;
} options;

static const lh_option cost_options[] = {
    {"set", 0, LH_OPTION_SETTINGS, &options.set, "NAME=VALUE",
     "another value for a size, a const, the number of words (vocab=50257) or the length of an "
     "input (tokens=1024)",
     0, 0},
    {"measure", 0, LH_OPTION_FLAG, &options.measure, NULL,
     "run it with the fast evaluator: the time of each step, against what this machine can do", 0,
     0},
    {"predict", 0, LH_OPTION_FLAG, &options.predict, NULL,
     "predict time and memory of a whole step from one and two turns of each repeat: the model "
     "need not fit here",
     0, 0},
    {"batch", 0, LH_OPTION_INT, &options.batch, "N",
     "with --measure, --predict, --recompute or --ranks: examples in a step (1, or one for each "
     "piece)",
     1, 1000000},
    {"ranks", 0, LH_OPTION_INT, &options.ranks.ranks, "N",
     "predict a step of training on N processes: time, share of communication, efficiency, memory "
     "for each",
     1, 100000},
    {"network", 0, LH_OPTION_TEXT, &options.ranks.network, "RATE",
     "with --ranks: what each process can send in a second, 100Gb or 12.5GB (10Gb)", 0, 0},
    {"latency", 0, LH_OPTION_TEXT, &options.ranks.latency, "TIME",
     "with --ranks: how long a message takes however short it is, 5us or 0.2ms (50us)", 0, 0},
    {"pieces", 0, LH_OPTION_INT, &options.ranks.pieces, "N",
     "with --ranks: pieces of a batch, as for train (8, or one for each process)", 1, 1000000},
    {"any-order", 0, LH_OPTION_FLAG, &options.ranks.any_order, NULL,
     "with --ranks: gradients are added up in any order, as for train", 0, 0},
    {"wire", 0, LH_OPTION_TEXT, &options.ranks.wire, "KIND",
     "with --ranks: gradients are sent as float (default) or bf16, as for train", 0, 0},
    {"recompute", 0, LH_OPTION_FLAG, &options.recompute, NULL,
     "what train --recompute saves and costs: the memory of a step, the operations done twice; "
     "--measure, --predict and --ranks run with it",
     0, 0},
    {"precision", 0, LH_OPTION_TEXT, &options.precision, "KIND",
     "with --measure, --predict or --ranks: precision of matrix products, float or bf16 (float)", 0,
     0},
    {"device", 0, LH_OPTION_TEXT, &options.device, "NAME",
     "with --measure: where it runs: cpu (default), gpu, or auto: a GPU where there is one", 0, 0},
    {"threads", 0, LH_OPTION_INT, &options.threads, "N",
     "with --measure, --predict or --ranks: threads (one per processor), of each process", 1, 256},
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- settings that are lengths ---- */

static bool is_input(const lh_program *p, const char *name) {
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind == LH_S_INPUT && strcmp(s->name, name) == 0) return true;
        bool is_short = s->kind == LH_S_TEXT || (s->kind == LH_S_EXAMPLE && s->is_short);
        if (is_short && (strcmp(name, "tokens") == 0 || strcmp(name, "target") == 0)) return true;
    }
    return false;
}

/* Takes the lengths out of the settings: building knows nothing of them. */
static bool take_lengths(lh_cli *cli, const lh_program *p, lh_settings *set, lh_length **length,
                         int *n) {
    int kept = 0;
    for (int i = 0; i < set->n; i++) {
        const lh_setting *s = &set->set[i];
        if (!is_input(p, s->name)) {
            set->set[kept++] = *s;
            continue;
        }
        int value;
        if (!lh_number_whole(s->value, 1, LH_MAX_AXIS, &value)) {
            lh_cli_fail(cli, "set %s: its length must be a whole number from 1 to %d, not \"%s\"",
                        s->name, LH_MAX_AXIS, s->value);
            return false;
        }
        *lh_push(cli->arena, *length, *n) = (lh_length){s->name, (size_t)value};
    }
    set->n = kept;
    return true;
}

/* ---- numbers and formulas ---- */

/* A sum, folded between its terms: a new line begins with the sign. */
static void print_terms(const lh_cli *cli, int indent, int at, const char *text) {
    bool first = true;
    while (*text) {
        size_t n = strcspn(text, " ");
        bool is_sign = n == 1 && (*text == '+' || *text == '-') && text[1];
        if (is_sign) n = 2 + strcspn(text + 2, " ");
        if (!first && at + 1 + (int)n > cli->width) {
            fprintf(cli->out, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        if (!first) fputc(' ', cli->out), at++;
        fwrite(text, 1, n, cli->out);
        at += (int)n;
        first = false;
        text += n;
        while (*text == ' ') text++;
    }
    fputc('\n', cli->out);
}

typedef struct table {
    const lh_cli *cli;
    const lh_bill *bill;
    int name;    /* columns for names, with their indent */
    int number;  /* columns for a number */
    int formula; /* where formulas begin; 0: on a line of their own */
} table;

enum { NAME_LEAST = 13, NAME_MOST = 24 };

static void find_longest(const lh_cost cost[LH_N_WHEN], int *most) {
    for (int w = 0; w < LH_N_WHEN; w++) {
        const lh_polynomial *both[2] = {&cost[w].multiply_adds, &cost[w].operations};
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < both[k]->n_terms; i++) {
                int n = lh_columns(lh_monomial_text(both[k], i));
                if (n > *most) *most = n;
            }
    }
}

/* Formulas stand behind the numbers where the longest term fits there: "and + " and the term. */
static table table_new(const lh_cli *cli, const lh_bill *b) {
    table t = {cli, b, NAME_LEAST, cli->width < 72 ? 11 : 13, 0};
    int term = 14;
    for (int i = 0; i < b->n_rows; i++) {
        const lh_cost_row *row = &b->row[i];
        int n = lh_columns(lh_bill_name(b, row->name, row->repeat, row->times)) +
                (row->repeat >= 0 ? 4 : 2);
        if (n > t.name && n <= NAME_MOST) t.name = n;
        find_longest(row->cost, &term);
    }
    find_longest(b->sum[LH_WHOLE], &term);
    t.formula = t.name + 2 * t.number + 2;
    if (t.formula + term + 6 > cli->width) t.formula = 0;
    return t;
}

static void print_name(const table *t, int indent, const char *name, lh_ink ink) {
    fprintf(t->cli->out, "%*s", indent, "");
    lh_ink_print(t->cli, t->cli->out, ink, "%s", name);
    int at = indent + lh_columns(name);
    if (at > t->name)
        fprintf(t->cli->out, "\n%*s", t->name, "");
    else
        fprintf(t->cli->out, "%*s", t->name - at, "");
}

static void print_number(const table *t, double x) {
    char buf[32];
    fprintf(t->cli->out, "%*s", t->number, x == 0 ? "-" : lh_bill_count(buf, sizeof buf, x));
}

/* Behind the numbers, or below them where the screen is narrow. `lead` stands before the formula. */
static void print_formula(const table *t, bool is_first, const char *lead, const char *text) {
    int at = t->formula ? t->formula : 8;
    if (t->formula && is_first)
        fputs("  ", t->cli->out);
    else
        fprintf(t->cli->out, "%s%*s", is_first ? "\n" : "", at, "");
    lh_ink_on(t->cli, t->cli->out, LH_INK_QUIET);
    fputs(lead, t->cli->out);
    print_terms(t->cli, at + (int)strlen(lead), at + (int)strlen(lead), text);
    lh_ink_off(t->cli, t->cli->out);
}

static void print_cost(const table *t, int indent, const char *name, lh_ink ink,
                       const lh_cost cost[LH_N_WHEN], int terms) {
    lh_cost c = lh_bill_both(t->bill, cost);
    print_name(t, indent, name, ink);
    print_number(t, lh_polynomial_value(&c.multiply_adds));
    print_number(t, lh_polynomial_value(&c.operations));
    bool has_products = lh_polynomial_has_names(&c.multiply_adds),
         has_others = lh_polynomial_has_names(&c.operations);
    if (has_products)
        print_formula(t, true, "", lh_bill_terms(t->bill->arena, &c.multiply_adds, terms));
    if (has_others)
        print_formula(t, !has_products, has_products ? "and " : "",
                      lh_bill_terms(t->bill->arena, &c.operations, terms));
    if (!has_products && !has_others) fputc('\n', t->cli->out);
}

/* The lines below are for one turn. */
static void print_repeat(const table *t, int repeat, int before) {
    if (repeat < 0 || repeat == before) return;
    fputs("  ", t->cli->out);
    lh_wrap(t->cli->out, t->cli->width, 2, lh_bill_turns(t->bill, repeat));
}

/* ---- the parts of the page ---- */

static void print_sizes(const lh_cli *cli, const lh_bill *b, bool is_longest) {
    const lh_graph *g = b->g;
    lh_text t = lh_text_new(b->arena);
    char buf[32];
    for (int i = 0; i < g->n_inputs; i++) {
        int axis = g->input[i]->axis;
        if (!g->input[i]->is_many || b->names->as[axis] != axis) continue;
        lh_text_add(&t, "%s%s = %s", t.n ? ", " : "", g->input[i]->name,
                    lh_bill_count(buf, sizeof buf, (double)b->names->size[axis]));
    }
    if (t.n && is_longest) lh_text_add(&t, " (the longest example)");
    for (int i = 0; i < g->n_axes; i++) {
        const lh_axis *a = &g->axis[i];
        bool is_base = a->n && a->name && a->n_factors == 1 && a->factor[0].axis == i;
        if (!is_base) continue;
        lh_text_add(&t, "%s%s = %s", t.n ? ", " : "", a->name,
                    lh_bill_count(buf, sizeof buf, (double)a->n));
    }
    for (int i = 0; i < g->n_steps; i++) /* 0 is the length of nothing, but the number of turns */
        if (g->step[i]->node->kind == LH_OP_size && g->step[i]->node->number == 0)
            lh_text_add(&t, "%s%s = 0", t.n ? ", " : "", g->step[i]->name);
    if (t.n) lh_wrap(cli->out, cli->width, 0, t.s);
    fputc('\n', cli->out);
}

static void print_heading(const table *t, const char *name, const char *first, const char *second,
                          const char *formula) {
    lh_ink_print(t->cli, t->cli->out, LH_INK_BOLD, "%-*s", t->name, name);
    lh_ink_on(t->cli, t->cli->out, LH_INK_QUIET);
    fprintf(t->cli->out, "%*s%*s", t->number, first, t->number, second);
    if (t->formula && formula) fprintf(t->cli->out, "  %s", formula);
    lh_ink_off(t->cli, t->cli->out);
    fputc('\n', t->cli->out);
}

static void print_params(const table *t) {
    const lh_bill *b = t->bill;
    if (b->n_params == 0) {
        fprintf(t->cli->out, "%s\n", "Parameters: none\n");
        return;
    }
    print_heading(t, "Parameters", "shape", "numbers", NULL);
    int before = -1;
    for (int i = 0; i < b->n_params; i++) {
        const lh_given_row *row = &b->param[i];
        lh_shape s = row->given->node->shape;
        print_repeat(t, row->repeat, before);
        before = row->repeat;
        print_name(t, row->repeat >= 0 ? 4 : 2, lh_bill_name(b, row->name, row->repeat, row->times),
                   LH_INK_NAME);
        fprintf(t->cli->out, "%*s", t->number,
                lh_printf(b->arena, "%zux%zu", b->g->axis[s.rows].n, b->g->axis[s.cols].n));
        print_number(t, lh_polynomial_value(&row->cells));
        if (lh_polynomial_has_names(&row->cells))
            print_formula(t, true, "", lh_bill_shape(b, s));
        else
            fputc('\n', t->cli->out);
    }
    print_name(t, 2, "all", LH_INK_BOLD);
    fprintf(t->cli->out, "%*s", t->number, "");
    char buf[40]; /* exact even when it is long: models are known by this number */
    fprintf(t->cli->out, "%*s", t->number,
            lh_number_grouped(buf, sizeof buf, lh_polynomial_value(&b->parameters)));
    print_formula(t, true, "", lh_polynomial_text(&b->parameters));
    fputc('\n', t->cli->out);
}

static const char *products_word(const table *t) {
    return t->number < 13 ? "mul-adds" : "multiply-adds";
}

static void print_phase(const table *t, lh_phase phase) {
    const lh_bill *b = t->bill;
    int before = -1, n = 0;
    for (int i = 0; i < b->n_rows; i++) {
        const lh_cost_row *row = &b->row[i];
        if (row->phase != phase) continue;
        if (n++ == 0) {
            static const char *const titles[] = {"Forward", "Backward", "Update"};
            print_heading(t, titles[phase], products_word(t), "others", "formula");
        }
        print_repeat(t, row->repeat, before);
        before = row->repeat;
        print_cost(t, row->repeat >= 0 ? 4 : 2, lh_bill_name(b, row->name, row->repeat, row->times),
                   LH_INK_NAME, row->cost, LH_BILL_TERMS);
    }
    if (n == 0) return;
    print_cost(t, 2, "sum", LH_INK_BOLD, b->sum[phase], LH_BILL_TERMS);
    fputc('\n', t->cli->out);
}

static void print_whole(const table *t) {
    const lh_bill *b = t->bill;
    lh_cost c = lh_bill_both(b, b->sum[LH_WHOLE]), once = b->sum[LH_WHOLE][LH_ONCE];
    double madds = lh_polynomial_value(&c.multiply_adds),
           others = lh_polynomial_value(&c.operations);
    double steady =
        lh_polynomial_value(&once.multiply_adds) + lh_polynomial_value(&once.operations);
    char buf[32];
    print_heading(t, "Whole", products_word(t), "others", NULL);
    for (int i = 0; i < LH_WHOLE; i++) {
        lh_cost part = lh_bill_both(b, b->sum[i]);
        if (!part.multiply_adds.n_terms && !part.operations.n_terms) continue;
        print_name(t, 2, lh_phase_names[i], LH_INK_PLAIN);
        print_number(t, lh_polynomial_value(&part.multiply_adds));
        print_number(t, lh_polynomial_value(&part.operations));
        fputc('\n', t->cli->out);
    }
    print_name(t, 2, "sum", LH_INK_BOLD);
    print_number(t, madds);
    print_number(t, others);
    fprintf(t->cli->out, "\n  ");
    lh_wrap(t->cli->out, t->cli->width, 2,
            lh_printf(b->arena, "%s floating-point operations, a multiply-add being two",
                      lh_bill_count(buf, sizeof buf, 2 * madds + others)));
    if (steady > 0) {
        fputs("  ", t->cli->out);
        lh_wrap(t->cli->out, t->cli->width, 2,
                lh_printf(b->arena, "%s of these operations are done once for a batch of any size",
                          lh_bill_count(buf, sizeof buf, steady)));
    }
    fputc('\n', t->cli->out);
}

/* The whole as one polynomial, a line for each of its largest terms. */
static void print_growth(const table *t) {
    const lh_bill *b = t->bill;
    lh_polynomial all;
    const int n = lh_bill_growth(b, &all);
    double whole = lh_polynomial_value(&all), rest = whole;
    if (n == 0) return;
    print_heading(t, "Growth", "operations", "share", "term");
    for (int i = 0; i < n; i++) {
        double x = lh_monomial_value(&all, i);
        char share[16];
        snprintf(share, sizeof share, "%.1f %%", 100 * x / whole);
        rest -= x;
        fprintf(t->cli->out, "%*s", t->name, "");
        print_number(t, x);
        fprintf(t->cli->out, "%*s", t->number, share);
        print_formula(t, true, "", lh_monomial_text(&all, i));
    }
    if (n < all.n_terms) {
        char share[16];
        snprintf(share, sizeof share, "%.1f %%", 100 * rest / whole);
        fprintf(t->cli->out, "%*s", t->name, "");
        print_number(t, rest);
        fprintf(t->cli->out, "%*s", t->number, share);
        print_formula(t, true, "",
                      lh_printf(b->arena, "%d smaller term%s", all.n_terms - n,
                                all.n_terms - n == 1 ? "" : "s"));
    }
    fputc('\n', t->cli->out);
}

static void print_bytes(const table *t) {
    const lh_bill *b = t->bill;
    lh_keep list[LH_KEEPS];
    double sum = 0;
    char buf[32];
    lh_keeps(b, list);
    print_heading(t, "Bytes", "float", "double", "numbers kept");
    for (int i = 0; i <= LH_KEEPS; i++) {
        double n = i < LH_KEEPS ? lh_polynomial_value(list[i].numbers) : sum;
        sum += n;
        print_name(t, 2, i < LH_KEEPS ? list[i].name : "sum",
                   i < LH_KEEPS ? LH_INK_PLAIN : LH_INK_BOLD);
        fprintf(t->cli->out, "%*s", t->number,
                n > 0 ? lh_number_bytes(buf, sizeof buf, 4 * n) : "-");
        fprintf(t->cli->out, "%*s", t->number,
                n > 0 ? lh_number_bytes(buf, sizeof buf, 8 * n) : "-");
        if (i < LH_KEEPS && lh_polynomial_has_names(list[i].numbers))
            print_formula(t, true, "", lh_bill_terms(b->arena, list[i].numbers, LH_BILL_TERMS));
        else
            fputc('\n', t->cli->out);
    }
    fputc('\n', t->cli->out);
}

void lh_print_cost(const lh_cli *cli, const lh_bill *b) {
    table t = table_new(cli, b);
    print_params(&t);
    for (int i = 0; i < LH_WHOLE; i++) print_phase(&t, (lh_phase)i);
    print_whole(&t);
    print_growth(&t);
    print_bytes(&t);
}

static void print_text(const lh_cli *cli, const lh_source *s, const lh_bill *b, bool is_longest) {
    lh_cli_heading(cli, s->name, s->title);
    print_sizes(cli, b, is_longest);
    lh_print_cost(cli, b);
    lh_ink_on(cli, cli->out, LH_INK_QUIET);
    lh_wrap(cli->out, cli->width, 0,
            "Counted for one example, as the formulas are written: a call with all of its body, "
            "views free. The plan computes what is written twice only once, and values that are no "
            "longer needed need not be kept: both only lower these numbers.");
    lh_ink_off(cli, cli->out);
}

static int cost_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_source s;
    lh_length *length = NULL;
    lh_measured m = {0};
    lh_predicted p = {0};
    lh_cost_ranks_how on;
    lh_cost_ranks r = {0};
    lh_recomputed x = {0};
    int n_lengths = 0, status = LH_EXIT_YES;
    if (!lh_cost_ranks_read(cli, &options.ranks, &options.batch, &on)) return LH_EXIT_FAILED;
    lh_cost_how how = {.threads = options.threads,
                       .batch = options.batch,
                       .with = &lh_fast,
                       .recomputes = options.recompute};
    if (options.device && !options.measure) {
        lh_cli_fail(cli, "--device says where --measure runs, but --measure is not given");
        return LH_EXIT_FAILED;
    }
    if (!lh_train_precision(cli, options.precision, NULL, &how.precision) ||
        !(how.with = lh_cli_device(cli, options.device, how.precision)) ||
        (how.with == &lh_fast && !lh_train_has_precision(cli, options.precision, how.precision)))
        return LH_EXIT_FAILED;
    if (!lh_cli_load(cli, argv[0], &s)) return LH_EXIT_FAILED;
    lh_graph *g = NULL;
    if (take_lengths(cli, s.program, &options.set, &length, &n_lengths))
        g = lh_cli_graph(cli, &s, &(lh_build){.set = options.set.set, .n_set = options.set.n});
    if (!g) {
        lh_program_free(s.program);
        return LH_EXIT_FAILED;
    }
    lh_bill *b = lh_bill_new(g, length, n_lengths);
    if (!b) {
        lh_fail_in(cli->ctx, s.program->file, s.program->source, s.program->length);
        status = lh_cli_report(cli);
    } else if ((options.recompute && !lh_cost_recomputed(cli, &s, &options.set, b, &how, &x)) ||
               (options.measure && !lh_cost_measured(cli, &s, &options.set, b, &how, &m)) ||
               (options.predict && !lh_cost_predicted(cli, &s, &options.set, b, &how, &p)) ||
               (on.ranks && !lh_cost_ranks_predicted(cli, &s, &options.set, b, &how, &on, &r))) {
        status = LH_EXIT_FAILED;
    } else if (options.json) {
        lh_cost_json(&s, b, options.measure ? &m : NULL, options.predict ? &p : NULL,
                     on.ranks ? &r : NULL, options.recompute ? &x : NULL);
    } else {
        print_text(cli, &s, b, n_lengths == 0);
        if (options.recompute) lh_print_recomputed(cli, &x);
        if (options.measure) lh_print_measured(cli, b, &m);
        if (options.measure && options.threads && how.with == &lh_fast) lh_print_cores(cli, &m);
        if (options.predict) lh_print_predicted(cli, &p);
        if (on.ranks) lh_print_cost_ranks(cli, &r);
    }
    lh_bill_free(b);
    lh_graph_free(g);
    lh_program_free(s.program);
    return status;
}

const lh_command lh_command_cost = {
    .name = "cost",
    .synopsis = "LESSON[:NAME]|FILE [--set NAME=VALUE ...] [--measure] [--predict] [--ranks N] "
                "[--json]",
    .summary = "Parameters, operations and bytes, as numbers and as formulas in the sizes.",
    .examples =
        "longhand cost ex1\tevery step of the first example\n"
        "longhand cost gpt --set tokens=16\twith a longer example\n"
        "longhand cost gpt --set layers=12 heads=12 dim=768 context=1024 vocab=50257\tGPT-2\n"
        "longhand cost gpt --set layers=6 dim=384 tokens=256 --measure\thow long each step takes "
        "here\n"
        "longhand cost gpt --set layers=6 dim=384 tokens=256 --batch 12 --measure --threads "
        "16\tand how fast 1 to 64 cores would be\n"
        "longhand cost gpt --set layers=48 heads=25 dim=1600 context=1024 vocab=50257 tokens=1024 "
        "--predict\tGPT-2 XL: how long and how much memory\n"
        "longhand cost gpt --set layers=12 heads=12 dim=768 context=1024 vocab=50257 tokens=1024 "
        "--ranks 64 --network 100Gb --latency 5us\tGPT-2 on 64 processes\n"
        "longhand cost gpt --set layers=12 heads=12 dim=768 context=1024 tokens=1024 --batch 8 "
        "--recompute\twhat recomputing layers saves\n"
        "longhand cost mine.lh --json\tfor programs\n",
    .notes = "Nothing is computed, so the model can have any size; only --measure runs it, and "
             "--predict and --ranks run two turns of it. One example is counted, the longest of "
             "the program "
             "unless its length is set, exactly as the formulas are written: a call with all of "
             "its body, a gradient rule with all of its lines; the plan computes what is written "
             "twice only once. A multiply-add is one step of a matrix product; any other number "
             "made or added to a sum is one operation. Views (transpose, split, join, rows and "
             "columns taken out) are free, and so is what is computed from constants alone.",
    .options = cost_options,
    .run = cost_run,
    .min_args = 1,
    .max_args = 1,
};
