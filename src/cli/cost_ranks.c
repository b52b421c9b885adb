/* cost_ranks -- how long a step takes on several processes, and how much memory each needs: one of them runs here, with a network
 * that is calculated from what it is asked to send.
 *
 * So the prediction is made by the code that trains: pieces, copies, sums, the share of the update, what is sent while the backward pass still
 * runs. Of a network are known its bandwidth (of each process, in both directions at once) and its latency. What is sent takes bytes / bandwidth,
 * and a latency for every round of messages: one where each process speaks to all others at the same time, as many as the tree
 * is deep where one tells all. Where processes have different amounts to send, the one with the most is waited for. What has to be waited for is waited for on paper. Each repeat is tried with one turn and with two, as in
 * cost_predict.c.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/cost_command.h"
#include "cli/model.h"
#include "cli/train_command.h"
#include "train/batch_parts.h"
#include "train/loop.h"

/* ---- a network on paper ---- */

/* Time goes on as it does, and jumps where a process would have to wait for the network. */
static struct {
    const lh_cost_ranks_how *how;
    clockid_t clock;
    double waited, bytes, rounds;
    double busy_until, done_at[LH_RANKS_SLOTS];
} network;

static lh_ranks paper;

/* With one thread it is the time of the processor: others who work here do not count. */
static double seconds(void) {
    return lh_seconds_by(network.clock);
}

static double now(void) {
    return seconds() + network.waited;
}

/* When it is there: what was sent before goes first. `most`: bytes of the process that has the most of them. */
static double sent_by_all(double bytes, double most, int rounds) {
    const double start = now() > network.busy_until ? now() : network.busy_until;
    network.bytes += bytes;
    network.rounds += rounds;
    network.busy_until = start + most / network.how->bandwidth + rounds * network.how->latency;
    return network.busy_until;
}

static double sent(double bytes, int rounds) {
    return sent_by_all(bytes, bytes, rounds);
}

static void wait_until(double moment) {
    const double left = moment - now();
    if (left > 0) network.waited += left;
}

static double others(const int *counts, lh_wire wire) {
    double n = 0;
    for (int i = 0; i < paper.n; i++)
        if (i != paper.rank) n += counts[i];
    return n * (wire == LH_WIRE_BF16 ? 2 : 4);
}

static void paper_exchange(int slot, lh_wire wire, const void *from, const int *send_counts,
                           void *to, const int *receive_counts) {
    const double out = others(send_counts, wire), in = others(receive_counts, wire);
    (void)from, (void)to;
    network.done_at[slot] = sent(out > in ? out : in, 1);
}

static void paper_gather(int slot, lh_wire wire, const void *from, int count, void *to,
                         const int *counts) {
    const double bytes = wire == LH_WIRE_BF16 ? 2 : 4;
    double all = 0, most = 0;
    (void)from, (void)count, (void)to;
    for (int i = 0; i < paper.n; i++) all += counts[i];
    for (int i = 0; i < paper.n; i++) { /* a part goes to all others, and theirs come */
        most = fmax(most, (double)counts[i] * (paper.n - 1));
        most = fmax(most, all - counts[i]);
    }
    network.done_at[slot] = sent_by_all(others(counts, wire), bytes * most, 1);
}

static int tree_depth(void) {
    int depth = 0;
    while (1 << depth < paper.n) depth++;
    return depth;
}

static void paper_add_floats(int slot, float *x, int n) {
    (void)x;
    network.done_at[slot] = sent(2.0 * n * sizeof *x * (paper.n - 1) / paper.n, 2 * (paper.n - 1));
}

static bool paper_is_done(int slot, bool waits) {
    if (waits) wait_until(network.done_at[slot]);
    return waits || now() >= network.done_at[slot];
}

static void paper_tell(void *bytes, size_t n, int from) {
    (void)bytes, (void)from;
    wait_until(sent((double)n, tree_depth()));
}

static void paper_add_ints(int *x, size_t n) {
    wait_until(sent((double)(n * sizeof *x), 2 * tree_depth()));
}

static void paper_add_doubles(double *x, size_t n) {
    wait_until(sent((double)(n * sizeof *x), 2 * tree_depth()));
}

static lh_ranks paper = {.carrier = {.exchange = paper_exchange,
                                     .gather = paper_gather,
                                     .add_floats = paper_add_floats,
                                     .is_done = paper_is_done,
                                     .tell = paper_tell},
                         .add_ints = paper_add_ints,
                         .add_doubles = paper_add_doubles};

/* ---- one process of them ---- */

/* What grows with every turn of a repeat. */
typedef struct amounts {
    double compute, communication, alone; /* seconds */
    double bytes, rounds, memory;
} amounts;

/* ... and what does not, once a model is large: of the largest that was tried */
static double wire_memory;

enum { N_AMOUNTS = sizeof(amounts) / sizeof(double), RUNS = 3, ROUNDS = 2 };
static const double SOME = 0.3, MANY = 2.5; /* seconds of trying: at least, at most */

/* Of several steps the shortest, and how long it waits. The first one touches memory. */
static double step_seconds(lh_parts *p, const lh_batch *batch, lh_context *ctx, double *waits) {
    double least = 0, spent = 0;
    for (int i = -1; !lh_failed(ctx) && (i < 1 || ((i < RUNS || spent < SOME) && spent < MANY));
         i++) {
        const double start = seconds();
        network.waited = network.bytes = network.rounds = network.busy_until = 0;
        lh_parts_run(p, batch, 0);
        lh_parts_commit(p);
        const double took = seconds() - start;
        if (i == 0 || (i > 0 && took + network.waited < least + *waits))
            least = took, *waits = network.waited;
        spent += took;
    }
    return least;
}

static double update_seconds(lh_parts *p) {
    double least = 0;
    for (int i = 0; i < RUNS; i++) {
        const double start = seconds();
        lh_fast.run(p->whole);
        lh_fast.commit(p->whole);
        const double took = seconds() - start;
        if (i == 0 || took < least) least = took;
    }
    return least;
}

static lh_parts *parts_of(const lh_cost_model *m, const lh_cost_how *how, int most, int pieces,
                          const lh_ranks *ranks, lh_shared_sums_how sums) {
    lh_parts *p = lh_parts_new(m->g, &(lh_parts_how){.most = most,
                                                     .threads = how->threads,
                                                     .precision = how->precision,
                                                     .recomputes = how->recomputes,
                                                     .pieces = pieces,
                                                     .ranks = ranks,
                                                     .sums = sums});
    if (!p) return NULL;
    lh_fast.start(p->whole);
    lh_parts_borrow(p);
    return p;
}

/* One process alone: two pieces of the batch, and what follows for all of them. */
static void try_alone(const lh_cost_model *m, const lh_cost_how *how, const lh_cost_ranks_how *r,
                      amounts *to) {
    lh_batch batch = m->batch;
    const int pieces = r->pieces < 2 ? r->pieces : 2;
    const int most = (batch.examples + r->pieces - 1) / r->pieces;
    batch.examples = most * pieces < batch.examples ? most * pieces : batch.examples;
    lh_parts *p = parts_of(m, how, most, pieces, NULL, (lh_shared_sums_how){0});
    if (!p) return;
    double waits = 0;
    const double all = step_seconds(p, &batch, m->g->ctx, &waits),
                 update = lh_failed(m->g->ctx) ? 0 : update_seconds(p);
    to->memory = lh_parts_memory(p);
    to->alone = (all - update) * m->batch.examples / batch.examples + update;
    lh_parts_free(p);
}

/* The last rank has as many pieces as any. */
static void try_rank(const lh_cost_model *m, const lh_cost_how *how, const lh_cost_ranks_how *r,
                     amounts *to) {
    paper.n = r->ranks, paper.rank = r->ranks - 1;
    network.how = r;
    lh_parts *p = parts_of(m, how, m->batch.examples, r->pieces, &paper, r->sums);
    if (!p) return;
    to->compute = step_seconds(p, &m->batch, m->g->ctx, &to->communication);
    to->bytes = network.bytes, to->rounds = network.rounds;
    wire_memory = lh_parts_wire_memory(p);
    to->memory = lh_parts_memory(p) - wire_memory;
    lh_parts_free(p);
}

static bool learns(lh_cli *cli, const lh_source *s, const lh_cost_model *m) {
    if (!m->g || lh_failed(cli->ctx)) return false;
    if (m->is_training && lh_loop_learns(m->g) && m->batch.examples) return true;
    lh_fail(cli->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
            "--ranks predicts a step of training, and %s %s", s->name,
            m->batch.examples ? "has no update" : "takes no tokens as its input");
    return false;
}

/* Of several rounds the shortest times: whatever disturbs a process makes it slower. */
static void keep_least(amounts *to, const amounts *now) {
    const bool is_first = to->compute <= 0;
    const double alone = is_first ? now->alone : fmin(to->alone, now->alone);
    if (is_first || now->compute + now->communication < to->compute + to->communication) *to = *now;
    to->alone = alone;
}

static bool try_model(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                      const lh_cost_how *how, const lh_cost_ranks_how *r, amounts *to) {
    lh_cost_model m;
    amounts now = {0};
    lh_cost_model_new(cli, s, set, b, how, &m);
    if (learns(cli, s, &m) && lh_memory_fits(cli->ctx, lh_trainer_least_memory(m.g, NULL),
                                             "smaller sizes: --set dim=... vocab=...")) {
        try_alone(&m, how, r, &now);
        if (r->ranks > 1)
            try_rank(&m, how, r, &now);
        else
            now.compute = now.alone;
    }
    lh_graph_free(m.g);
    keep_least(to, &now);
    return !lh_failed(cli->ctx);
}

/* ---- all turns ---- */

static void add_turns(amounts *sum, const amounts *once, const amounts *twice, double turns) {
    double *to = (double *)sum;
    const double *one = (const double *)once, *two = (const double *)twice;
    for (int i = 0; i < N_AMOUNTS; i++)
        if (two[i] > one[i]) to[i] += (turns - 1) * (two[i] - one[i]);
}

/* To do what each of them computes, one after the other, is a way to do it alone: it takes no longer than that. */
static void fill(const amounts *a, const lh_cost_model *whole, lh_cost_ranks *to) {
    to->seconds = a->compute + a->communication;
    to->compute = a->compute, to->communication = a->communication;
    to->alone = fmin(a->alone, a->compute * to->how.ranks);
    to->efficiency = to->seconds > 0 ? to->alone / (to->seconds * to->how.ranks) : 0;
    to->memory = a->memory + wire_memory, to->alone_memory = whole->needs;
    to->bytes = a->bytes, to->rounds = a->rounds;
    to->rows = whole->rows;
}

bool lh_cost_ranks_predicted(lh_cli *cli, const lh_source *s, const lh_settings *set,
                             const lh_bill *b, const lh_cost_how *how, const lh_cost_ranks_how *r,
                             lh_cost_ranks *to) {
    lh_predicted turns = {0};
    lh_cost_model whole;
    amounts once = {0};
    *to = (lh_cost_ranks){.how = *r};
    wire_memory = 0;
    network.clock = how->threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    lh_cost_repeats(cli, b, &turns);
    lh_cost_model_new(cli, s, set, b, how, &whole);
    lh_graph_free(whole.g);
    const lh_settings first = lh_cost_turned(cli, set, &turns, -1);
    amounts *twice = lh_alloc_array(cli->arena, (size_t)turns.n + 1, sizeof *twice);
    for (int k = 0; k < ROUNDS && !lh_failed(cli->ctx); k++) {
        try_model(cli, s, &first, b, how, r, &once);
        for (int i = 0; i < turns.n && !lh_failed(cli->ctx); i++) {
            const lh_settings second = lh_cost_turned(cli, set, &turns, i);
            try_model(cli, s, &second, b, how, r, &twice[i]);
        }
    }
    amounts sum = once;
    for (int i = 0; i < turns.n && !lh_failed(cli->ctx); i++)
        add_turns(&sum, &once, &twice[i], turns.repeat[i].turns);
    fill(&sum, &whole, to);
    if (!lh_failed(cli->ctx)) return true;
    lh_fail_in(cli->ctx, s->program->file, s->program->source, s->program->length);
    lh_cli_report(cli);
    return false;
}

/* ---- options ---- */

typedef struct unit {
    const char *name;
    double is;
} unit;

/* A number and its unit, as in 100Gb or 5us. */
static bool read_amount(const char *text, const unit *units, double *to) {
    char *end;
    const double x = lh_number_read(text, &end);
    for (; units->name && end != text; units++)
        if (strcmp(end, units->name) == 0) {
            *to = x * units->is;
            return *to > 0 && *to < 1e18;
        }
    return false;
}

static bool read_network(lh_cli *cli, const lh_cost_ranks_options *o, lh_cost_ranks_how *r) {
    static const unit rates[] = {
        {"kb", 125},       {"Mb", 125e3},   {"Gb", 125e6},   {"Tb", 125e9},   {"kB", 1e3},
        {"MB", 1e6},       {"GB", 1e9},     {"TB", 1e12},    {"Mb/s", 125e3}, {"Gb/s", 125e6},
        {"Tb/s", 125e9},   {"MB/s", 1e6},   {"GB/s", 1e9},   {"TB/s", 1e12},  {"Mbit/s", 125e3},
        {"Gbit/s", 125e6}, {"Mbit", 125e3}, {"Gbit", 125e6}, {NULL, 0}};
    static const unit times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6},
                                 {"ms", 1e-3}, {"s", 1},     {NULL, 0}};
    if (!read_amount(o->network ? o->network : "10Gb", rates, &r->bandwidth)) {
        lh_cli_fail(cli,
                    "--network needs a rate such as 100Gb (gigabits in a second) or 12.5GB "
                    "(gigabytes in a second), not \"%s\"",
                    o->network);
        return false;
    }
    if (read_amount(o->latency ? o->latency : "50us", times, &r->latency)) return true;
    lh_cli_fail(cli, "--latency needs a time such as 5us or 0.2ms, not \"%s\"", o->latency);
    return false;
}

/* As longhand train does it: 8 pieces, or as many as there are processes; without a batch an example in each. */
bool lh_cost_ranks_read(lh_cli *cli, const lh_cost_ranks_options *o, int *batch,
                        lh_cost_ranks_how *r) {
    enum { PIECES = 8 };
    *r = (lh_cost_ranks_how){.ranks = o->ranks, .pieces = o->pieces};
    const char *alone = o->network     ? "network"
                        : o->latency   ? "latency"
                        : o->pieces    ? "pieces"
                        : o->any_order ? "any-order"
                        : o->wire      ? "wire"
                                       : NULL;
    if (!o->ranks && alone) {
        lh_cli_fail(cli, "--%s says how several processes work together: --ranks N says how many",
                    alone);
        return false;
    }
    if (!o->ranks) return true;
    if (!lh_train_ranks_sums(cli, o->any_order, o->wire, &r->sums)) return false;
    if (!r->pieces) r->pieces = o->ranks > PIECES ? o->ranks : PIECES;
    if (*batch && *batch < r->pieces && !o->pieces) r->pieces = *batch;
    if (!*batch) *batch = r->pieces;
    if (r->pieces > *batch) r->pieces = *batch;
    r->batch = *batch;
    if (r->pieces >= r->ranks) return read_network(cli, o, r);
    lh_cli_fail(cli, "there are %d processes, and a batch of %d in %d pieces has work for %d",
                r->ranks, *batch, r->pieces, r->pieces);
    fprintf(stderr, "--batch %d --pieces %d gives each one\n",
            *batch < r->ranks ? r->ranks : *batch, r->ranks);
    return false;
}

/* ---- on the screen ---- */

static const char *seconds_text(lh_arena *a, double s) {
    return s < 1 ? lh_printf(a, "%.3g ms", 1e3 * s) : lh_printf(a, "%.3g s", s);
}

void lh_print_cost_ranks(const lh_cli *cli, const lh_cost_ranks *p) {
    lh_arena *a = cli->arena;
    const int n = p->how.ranks;
    fputc('\n', cli->out);
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "Predicted for %d process%s\n", n, n > 1 ? "es" : "");
    lh_wrap(
        cli->out, cli->width, 0,
        lh_printf(a,
                  "One step of training, a batch of %d in %d pieces: %s, %s tokens/s. A process "
                  "computes for %s and sends or waits for %s (%.0f%% of the step). Alone, one "
                  "process would take %s: an efficiency of %.0f%%.",
                  p->how.batch, p->how.pieces, seconds_text(a, p->seconds),
                  lh_whole_text(a, p->rows / p->seconds), seconds_text(a, p->compute),
                  seconds_text(a, p->communication), 100 * p->communication / p->seconds,
                  seconds_text(a, p->alone), 100 * p->efficiency));
    lh_wrap(cli->out, cli->width, 0,
            lh_printf(a,
                      "Memory: %s for each process; %s for one that does the whole batch at once. "
                      "Sent and received in a step: %s by each, in %.0f rounds of messages.",
                      lh_bytes_text(a, p->memory), lh_bytes_text(a, p->alone_memory),
                      lh_bytes_text(a, p->bytes), p->rounds));
    lh_ink_on(cli, cli->out, LH_INK_QUIET);
    lh_wrap(
        cli->out, cli->width, 0,
        lh_printf(a,
                  "One of the processes was run here, with every repeat at one turn and at two; "
                  "each is taken to have processors like these to itself. The network is "
                  "calculated: %.4g Gb/s for each process and direction, %.3g us for a message.",
                  8e-9 * p->how.bandwidth, 1e6 * p->how.latency));
    lh_ink_off(cli, cli->out);
}

void lh_cost_ranks_json(lh_json *j, const lh_cost_ranks *p) {
    lh_json_begin(j, "ranks", '{');
    lh_json_int(j, "processes", p->how.ranks);
    lh_json_int(j, "batch", p->how.batch);
    lh_json_int(j, "pieces", p->how.pieces);
    lh_json_number(j, "bandwidth", p->how.bandwidth);
    lh_json_number(j, "latency", p->how.latency);
    lh_json_number(j, "seconds", p->seconds);
    lh_json_number(j, "compute", p->compute);
    lh_json_number(j, "communication", p->communication);
    lh_json_number(j, "alone", p->alone);
    lh_json_number(j, "efficiency", p->efficiency);
    lh_json_number(j, "memory", p->memory);
    lh_json_number(j, "bytes", p->bytes);
    lh_json_number(j, "rounds", p->rounds);
    lh_json_end(j, '}');
}
