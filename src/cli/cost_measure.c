/* cost_measure -- a step with the fast evaluator: which kernels do it, how long each line takes, and what the machine could do. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "cli/cost_command.h"
#include "eval/cuda/cuda.h"
#include "eval/exact.h"
#include "eval/backend.h"
#include "eval/fast/product.h"
#include "eval/fast/profile.h"

enum { RUNS = 3 };

/* ---- a run ---- */

/* Examples as long as the bill says, of tokens that go round the vocabulary; programs with other inputs run on their own:
 * then there are none. */
static lh_batch batch_of(const lh_cli *cli, const lh_bill *b, const lh_graph *g, int examples) {
    const int **rows = lh_alloc_array(cli->arena, (size_t)g->n_inputs + 1, sizeof *rows),
              **tokens = lh_alloc_array(cli->arena, (size_t)g->n_inputs + 1, sizeof *tokens);
    bool is_own = g->n_inputs == 0 || !rows || !tokens;
    for (int i = 0; i < g->n_inputs; i++) is_own |= !g->input[i]->vocab;
    for (int i = 0; !is_own && i < g->n_inputs; i++) {
        const lh_input *in = g->input[i];
        const int n = in->is_many ? (int)b->names->size[b->names->as[b->g->input[i]->axis]] : 1;
        const size_t all = (size_t)n * (size_t)examples;
        if (!lh_memory_fits(cli->ctx, (double)all * sizeof(int), "a smaller batch"))
            return (lh_batch){0};
        int *row = lh_alloc_array(cli->arena, (size_t)examples, sizeof *row),
            *token = lh_alloc_array(cli->arena, all, sizeof *token);
        if (!row || !token) return (lh_batch){0};
        for (int e = 0; e < examples; e++) row[e] = n;
        for (size_t k = 0; k < all; k++) token[k] = (int)(k % (size_t)in->vocab->n_words);
        rows[i] = row, tokens[i] = token;
    }
    return (lh_batch){.examples = is_own ? 0 : examples, .rows = rows, .tokens = tokens};
}

void lh_cost_model_new(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                       const lh_cost_how *how, lh_cost_model *m) {
    *m = (lh_cost_model){0};
    m->g = lh_graph_build(cli->ctx, s->program, &(lh_build){.set = set->set, .n_set = set->n});
    if (!m->g) return;
    m->end = m->g->loss ? m->g->loss : m->g->generate ? m->g->generate->from : NULL;
    m->is_training = m->g->loss != NULL;
    m->own = (lh_fast_wish){how->threads, how->precision};
    m->wish = (lh_wish){.node = &m->end,
                        .n_nodes = m->end != NULL,
                        .updates = m->is_training,
                        .all = !m->end,
                        .recomputes = how->recomputes,
                        .own = &m->own};
    m->batch = batch_of(cli, b, m->g, how->batch ? how->batch : 1);
    if (!m->batch.examples) return;
    m->needs = lh_fast_needs(m->g, &m->wish, &m->batch);
    for (int e = 0; e < m->batch.examples; e++) m->rows += m->batch.rows[0][e];
}

void lh_cost_model_feed(const lh_cost_model *m, lh_plan *p) {
    if (m->batch.examples)
        lh_fast.feed(p, &m->batch);
    else
        lh_fast.bind(p, NULL, 0);
}

lh_plan *lh_cost_model_plan(lh_cli *cli, lh_cost_model *m) {
    if (!m->g || lh_failed(cli->ctx) ||
        !lh_memory_fits(cli->ctx, m->needs, "smaller sizes: --set context=... dim=..."))
        return NULL;
    lh_plan *p = lh_fast.plan(m->g, &m->wish);
    if (!p) return NULL;
    lh_fast.start(p);
    lh_cost_model_feed(m, p);
    return p;
}

/* ---- rows ---- */

static lh_measured_row *row_of(const lh_cli *cli, lh_measured *m, lh_outline *o, const lh_step *s) {
    const lh_home h =
        s ? lh_outline_home(o, s) : (lh_home){.repeat = -1, .name = "other", .key = ""};
    const lh_phase phase = s ? lh_outline_phase(o, s) : LH_WHOLE;
    for (int i = 0; i < m->n; i++)
        if (m->row[i].repeat == h.repeat && m->row[i].phase == phase &&
            strcmp(m->row[i].key, h.key) == 0)
            return &m->row[i];
    lh_measured_row *row = lh_push(cli->arena, m->row, m->n);
    *row = (lh_measured_row){.name = lh_copy(cli->arena, h.name, strlen(h.name)),
                             .key = lh_copy(cli->arena, h.key, strlen(h.key)),
                             .repeat = h.repeat,
                             .phase = phase,
                             .by = "",
                             .by_definition = ""}; /* the graph ends before the rows do */
    return row;
}

static void name_work(const lh_cli *cli, const char **list, const char *name) {
    const char *at = strstr(*list, name);
    const size_t n = strlen(name);
    for (; at; at = strstr(at + 1, name)) /* a word of its own, not "gelu" in "geluexact" */
        if ((at == *list || at[-1] == ' ') && (at[n] == 0 || at[n] == ',')) return;
    *list = lh_printf(cli->arena, "%s%s%s", *list, **list ? ", " : "", name);
}

void lh_measured_add(const lh_cli *cli, lh_measured *m, lh_outline *o, const lh_profile_work *w) {
    lh_measured_row *row = row_of(cli, m, o, o->owner[w->node->id]);
    name_work(cli, w->is_kernel ? &row->by : &row->by_definition, w->name);
    row->seconds += w->seconds;
    row->bytes += w->bytes;
    m->seconds += w->seconds;
    m->bytes += w->bytes;
    m->kernel_seconds += w->is_kernel ? w->seconds : 0;
    m->kernels += w->is_kernel;
    m->definitions += !w->is_kernel;
}

/* The bill counts the lines of the same program, whose gradients are made line by line. */
static void add_flops(const lh_bill *b, lh_measured *m) {
    for (int i = 0; i < b->n_rows; i++) {
        const lh_cost_row *r = &b->row[i];
        for (int k = 0; k < m->n; k++) {
            lh_measured_row *row = &m->row[k];
            if (row->repeat != r->repeat || row->phase != r->phase || strcmp(row->key, r->key) != 0)
                continue;
            for (int w = 0; w < LH_N_WHEN; w++)
                row->flops += r->times * (w == LH_EACH ? m->examples : 1) *
                              (2 * lh_polynomial_value(&r->cost[w].multiply_adds) +
                               lh_polynomial_value(&r->cost[w].operations));
        }
    }
    for (int w = 0; w < LH_N_WHEN; w++)
        m->flops += (w == LH_EACH ? m->examples : 1) *
                    (2 * lh_polynomial_value(&b->sum[LH_WHOLE][w].multiply_adds) +
                     lh_polynomial_value(&b->sum[LH_WHOLE][w].operations));
}

typedef struct counted {
    lh_pool_counts counts;
    double seconds;
} counted;

/* On one thread, of each work the shorter of two tries. */
static void count_works(const lh_cli *cli, lh_plan *p, lh_outline *o, lh_measured *m) {
    const int n = lh_fast_works(p);
    counted *best = lh_alloc_array(cli->arena, (size_t)n + 1, sizeof *best);
    for (int k = 0; best && k < 2; k++)
        for (int i = 0; i < n; i++) {
            counted c;
            c.seconds = lh_fast_work_count(p, i, &c.counts);
            if (k == 0 || c.seconds < best[i].seconds) best[i] = c;
        }
    for (int i = 0; best && i < n; i++) {
        const lh_step *s = o->owner[lh_fast_work_node(p, i)->id];
        lh_cores_add(&row_of(cli, m, o, s)->cores, &best[i].counts, best[i].seconds);
        lh_cores_add(&m->cores, &best[i].counts, best[i].seconds);
    }
}

static void run_works(const lh_cli *cli, const lh_bill *b, lh_graph *g, lh_plan *p,
                      lh_measured *m) {
    lh_outline *o = lh_outline_new(g, cli->arena);
    lh_fast.run(p); /* memory is touched, caches are filled */
    const int n = lh_fast_works(p);
    lh_profile_work *best = lh_alloc_array(cli->arena, (size_t)n + 1, sizeof *best);
    for (int run = 0; o && best && run < RUNS && !lh_failed(g->ctx); run++)
        for (int i = 0; i < n; i++) { /* of several runs the shortest: others work here, too */
            const lh_profile_work w = lh_fast_work_run(p, i);
            if (run == 0 || w.seconds < best[i].seconds) best[i] = w;
        }
    for (int i = 0; o && best && i < n && !lh_failed(g->ctx); i++)
        lh_measured_add(cli, m, o, &best[i]);
    if (o && best) count_works(cli, p, o, m);
    m->memory = lh_plan_bytes(p);
    add_flops(b, m);
}

/* Where the GPU was measured, the processor is not tried. */
static void measure_gpu(lh_cli *cli, const lh_bill *b, lh_cost_model *model, lh_plan *p,
                        lh_measured *m) {
    const char *why = NULL;
    lh_outline *o = lh_outline_new(model->g, cli->arena);
    if (o) lh_cost_gpu_works(cli, p, o, m);
    m->device = model->device;
    m->products = lh_cuda_find(&why)->products();
    m->memory = lh_plan_bytes(p);
    add_flops(b, m);
}

bool lh_cost_measured(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                      const lh_cost_how *how, lh_measured *m) {
    *m = (lh_measured){0};
    lh_cost_model model;
    lh_cost_model_new(cli, s, set, b, how, &model);
    const bool is_gpu = how->with == &lh_cuda;
    lh_plan *p = is_gpu ? lh_cost_gpu_plan(cli, &model) : lh_cost_model_plan(cli, &model);
    m->is_training = model.is_training;
    m->examples = how->batch ? how->batch : 1;
    if (p && is_gpu)
        measure_gpu(cli, b, &model, p, m);
    else if (p)
        run_works(cli, b, model.g, p, m);
    lh_fast.free(p);
    if (!lh_failed(cli->ctx) && !is_gpu) m->machine = lh_machine_try(cli->ctx, how->threads);
    if (lh_failed(cli->ctx))
        lh_fail_in(cli->ctx, s->program->file, s->program->source, s->program->length);
    lh_graph_free(model.g);
    return !lh_failed(cli->ctx) || (lh_cli_report(cli), false);
}

/* ---- on the screen ---- */

/* The least time that the operations and the bytes take here, as a part of the time that it took. */
static double part_of_possible(const lh_machine *m, double flops, double bytes, double seconds) {
    const double compute = flops / (2 * m->multiply_adds), read = bytes / m->bytes;
    return seconds > 0 ? (compute > read ? compute : read) / seconds : 0;
}

static void print_row(const lh_cli *cli, const lh_machine *machine, const lh_measured_row *r,
                      int width) {
    const char *name = r->repeat >= 0 ? lh_printf(cli->arena, "  %s", r->name) : r->name;
    const int pad = width - lh_columns(name);
    const double part = part_of_possible(machine, r->flops, r->bytes, r->seconds);
    fprintf(cli->out, "  ");
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%s", name);
    fprintf(cli->out, "%*s%10.3f%9.1f", pad > 0 ? pad : 0, "", 1e3 * r->seconds,
            r->seconds > 0 ? 1e-9 * r->flops / r->seconds : 0);
    if (r->flops > 0 && part < 1 && machine->bytes > 0)
        fprintf(cli->out, "%6.0f%%", 100 * part);
    else
        fprintf(cli->out, "%7s", "-");
    lh_ink_on(cli, cli->out, LH_INK_QUIET);
    fprintf(cli->out, "  %s", r->by);
    if (*r->by_definition)
        fprintf(cli->out, "%sby definition: %s", *r->by ? "; " : "", r->by_definition);
    fputc('\n', cli->out);
    lh_ink_off(cli, cli->out);
}

static void print_rows(const lh_cli *cli, const lh_bill *b, const lh_measured *m) {
    enum { NAME_MOST = 18 };
    int width = 8;
    (void)b;
    for (int i = 0; i < m->n; i++) {
        const int n = lh_columns(m->row[i].name) + 2;
        if (n > width && n <= NAME_MOST) width = n;
    }
    for (int phase = 0; phase <= LH_WHOLE; phase++) {
        bool is_first = true;
        for (int i = 0; i < m->n; i++) {
            if ((int)m->row[i].phase != phase) continue;
            if (is_first) {
                lh_ink_print(cli, cli->out, LH_INK_BOLD, "%-*s", width + 2,
                             phase < LH_WHOLE ? lh_phase_names[phase] : "beside");
                fprintf(cli->out, "%10s%9s%7s  by\n", "ms", "GFLOP/s", "");
            }
            is_first = false;
            print_row(cli, &m->machine, &m->row[i], width);
        }
    }
}

void lh_print_measured(const lh_cli *cli, const lh_bill *b, const lh_measured *m) {
    const lh_machine *machine = &m->machine;
    fputc('\n', cli->out);
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "Measured\n");
    const char *what = m->is_training ? "One step of training" : "One forward pass";
    char memory[LH_NUMBER_MAX];
    lh_number_bytes(memory, sizeof memory, m->memory);
    lh_wrap(cli->out, cli->width, 0,
            m->device
                ? lh_printf(cli->arena,
                            "%s on %s in %.3g ms, its steps started one by one: %.3g GFLOP/s. "
                            "Memory: %s. Products by %s.",
                            what, m->device, 1e3 * m->seconds, 1e-9 * m->flops / m->seconds, memory,
                            m->products ? m->products : "our own kernel")
                : lh_printf(cli->arena,
                            "%s in %.3g ms on %d thread%s: %.3g GFLOP/s. Memory at its peak: %s. "
                            "This machine, tried in the same run: %.3g GFLOP/s in products "
                            "(%s), %.3g GB/s read.",
                            what, 1e3 * m->seconds, machine->threads,
                            machine->threads > 1 ? "s" : "", 1e-9 * m->flops / m->seconds, memory,
                            2e-9 * machine->multiply_adds, lh_product_name(),
                            1e-9 * machine->bytes));
    fputc('\n', cli->out);
    print_rows(cli, b, m);
    lh_ink_on(cli, cli->out, LH_INK_QUIET);
    lh_wrap(cli->out, cli->width, 0,
            lh_printf(
                cli->arena,
                "%d pieces of work have a kernel and take %.0f%% of the time; %d run by their "
                "definition%s. %sOperations are "
                "counted as the formulas are written, and a line's time is that of the kernel "
                "that computes it: one that computes several lines is listed at the last of them.",
                m->kernels, m->seconds > 0 ? 100 * m->kernel_seconds / m->seconds : 0,
                m->definitions, m->device ? ", each operation a launch of its own" : "",
                m->device ? "" : "Percent: of what products and memory allow here. "));
    lh_ink_off(cli, cli->out);
}

void lh_measured_json(lh_json *j, const lh_bill *b, const lh_measured *m) {
    lh_json_begin(j, "measured", '{');
    lh_json_text(j, "device", m->device);
    lh_json_int(j, "threads", m->machine.threads);
    lh_json_number(j, "seconds", m->seconds);
    lh_json_number(j, "flops", m->flops);
    lh_json_number(j, "memory", m->memory);
    lh_json_number(j, "peak_flops", 2 * m->machine.multiply_adds);
    lh_json_number(j, "peak_bytes", m->machine.bytes);
    lh_json_int(j, "kernels", m->kernels);
    lh_json_int(j, "definitions", m->definitions);
    lh_json_begin(j, "steps", '[');
    for (int i = 0; i < m->n; i++) {
        const lh_measured_row *r = &m->row[i];
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "name", r->name);
        lh_json_text(j, "phase", r->phase < LH_WHOLE ? lh_phase_names[r->phase] : NULL);
        lh_json_text(j, "repeat", r->repeat >= 0 ? b->outline->repeat[r->repeat].name : NULL);
        lh_json_text(j, "by", r->by);
        lh_json_text(j, "by_definition", r->by_definition);
        lh_json_number(j, "seconds", r->seconds);
        lh_json_number(j, "flops", r->flops);
        lh_json_number(j, "bytes", r->bytes);
        lh_cores_json(j, &r->cores);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_cores_json(j, &m->cores);
    lh_json_end(j, '}');
}
