/* generate -- GPT-2 of 124 million params writes, batch 1, on two threads: in float and in bf16.
 *
 *     bench_generate [THREADS]       LONGHAND=build/longhand: the first token of a small model from the shell, too
 *
 * One token reads every weight of every product once, so tokens a second are judged by the bytes read against what this machine
 * reads at most, measured in the same run; a prompt of 512 tokens by its multiply-adds against the peak of products. Both by the
 * clock and by processor time, which says more where the machine is shared. Weights are random numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/embedded.h"
#include "eval/fast/bf16.h"
#include "eval/fast/few.h"
#include "eval/fast/row.h"
#include "eval/kernel.h"
#include "notation/notation.h"
#include "train/floats.h"
#include "train/generate.h"

static int threads = 2;

enum { VOCAB = 50257, PROMPT = 512, TOKENS = 24, TRIES = 5 };

/* Seconds by the clock, and of the processor for each thread. */
typedef struct took {
    double clock, processor;
} took;

static double seconds_of(const struct rusage *used) {
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           1e-6 * (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
}

static took now(void) {
    struct timespec t;
    struct rusage used;
    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &used);
    return (took){(double)t.tv_sec + 1e-9 * (double)t.tv_nsec, seconds_of(&used) / threads};
}

/* Of several tries the shortest by the clock; of the processor their mean, since it is counted coarsely. */
typedef struct tries {
    took least;
    double processor;
    int n;
} tries;

static void add_try(tries *t, took from) {
    const took end = now();
    const double clock = end.clock - from.clock;
    if (!t->n++ || clock < t->least.clock) t->least.clock = clock;
    t->processor += end.processor - from.processor;
    t->least.processor = t->processor / t->n;
}

/* ---- what the machine can do ---- */

#define SWEEP ((size_t)480 << 20) /* bytes: about what a token reads in float */
enum { PIECES = 64, SIDE = 256, TURNS = 100, LARGE = 2048 };

typedef struct sweep {
    const float *from;
    volatile float sum[PIECES]; /* so that reading is not left out */
} sweep;

static void read_piece(void *what, int piece, int thread) {
    (void)thread;
    sweep *s = what;
    const size_t cells = SWEEP / sizeof *s->from / PIECES;
    s->sum[piece] = lh_row_way()->sum(s->from + (size_t)piece * cells, (ptrdiff_t)cells);
}

static took read_rate(lh_pool *pool) {
    float *memory = malloc(SWEEP);
    tries t = {0};
    if (!memory) return t.least;
    for (size_t i = 0; i < SWEEP / sizeof *memory; i++) memory[i] = (float)(i % 7);
    for (int i = 0; i < TRIES; i++) {
        sweep s = {.from = memory};
        const took from = now();
        lh_pool_run(pool, PIECES, read_piece, &s);
        add_try(&t, from);
    }
    free(memory);
    return (took){(double)SWEEP / t.least.clock, (double)SWEEP / t.least.processor};
}

/* In float, products that stay in the cache; in bf16, a large one. */
static void multiply(void *what, int piece, int thread) {
    (void)thread;
    float *m = (float *)what + (size_t)piece * 3 * SIDE * SIDE;
    for (int i = 0; i < TURNS; i++)
        lh_product(SIDE, SIDE, SIDE, m, SIDE, 1, m + SIDE * SIDE, SIDE, 1, m + 2 * SIDE * SIDE,
                   SIDE, false);
}

static took product_rate(lh_pool *pool, lh_precision precision) {
    const size_t n = (size_t)LARGE * LARGE;
    float *m = calloc(3 * n, sizeof *m);
    tries t = {0};
    if (!m) return t.least;
    const lh_matrix a = {m, LARGE, LARGE, LARGE, 1}, b = {m + n, LARGE, LARGE, LARGE, 1},
                    c = {m + 2 * n, LARGE, LARGE, LARGE, 1};
    for (int i = 0; i < TRIES; i++) {
        const took from = now();
        if (precision == LH_IN_FLOAT)
            lh_pool_run(pool, threads, multiply, m);
        else
            lh_bf16_product(pool, &a, &b, &c, NULL, false);
        add_try(&t, from);
    }
    free(m);
    const double flops = precision == LH_IN_FLOAT ? 2.0 * SIDE * SIDE * SIDE * TURNS * threads
                                                  : 2.0 * LARGE * LARGE * LARGE;
    return (took){flops / t.least.clock, flops / t.least.processor};
}

/* ---- the model ---- */

static lh_graph *gpt(lh_context *ctx) {
    static const lh_setting set[] = {{"layers", "12"},    {"heads", "12"},    {"dim", "768"},
                                     {"context", "1024"}, {"vocab", "50257"}, {"steps", "1"}};
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    lh_program *p = lh_program_parse(ctx, f->name, f->text, f->length);
    return p ? lh_graph_build(ctx, p,
                              &(lh_build){.set = set,
                                          .n_set = 6,
                                          .is_whole = lh_kernel_is_whole,
                                          .without_examples = true})
             : NULL;
}

/* All params in one piece of memory, as in a file; the bytes that a token reads: all but the positions, and one row of these. */
static double lend_all(lh_generator *w, lh_precision precision, float **room) {
    size_t cells = 0, at = 0;
    const lh_graph *g = w->g;
    double bytes = 0;
    for (int i = 0; i < g->n_givens; i++)
        cells += g->given[i]->kind != LH_PARAM ? 0
                                               : 16 + g->axis[g->given[i]->node->shape.rows].n *
                                                          g->axis[g->given[i]->node->shape.cols].n;
    float *x = *room = malloc((cells + 1) * sizeof *x);
    for (size_t i = 0; x && i < cells; i++) x[i] = (float)(i * 2654435761u % 2048) / 40960 - 0.025f;
    for (int i = 0; x && i < g->n_givens; i++) {
        const lh_node *n = g->given[i]->node;
        const size_t size = g->axis[n->shape.rows].n * g->axis[n->shape.cols].n;
        if (g->given[i]->kind != LH_PARAM || !lh_fast.has(w->plan, n)) continue;
        const bool is_half = precision == LH_IN_BF16 && lh_floats_may_be_half(w->plan, n);
        if (is_half) {
            lh_row_way()->narrow((uint16_t *)(void *)(x + at), x + at, (ptrdiff_t)size);
            lh_floats_lend_half(w->plan, n, (const uint16_t *)(const void *)(x + at));
        } else {
            lh_floats_lend(w->plan, n, x + at);
        }
        if (strcmp(n->step->path, "U") != 0) bytes += (double)size * (is_half ? 2 : 4);
        at += (size + 15) / 16 * 16 / (is_half ? 2 : 1);
    }
    return bytes;
}

typedef struct result {
    double bytes, memory;
    took token, prompt;
} result;

static result generate(lh_precision precision) {
    result r = {0};
    tries whole = {0}, one = {0};
    lh_context *ctx = lh_context_new();
    lh_graph *g = gpt(ctx);
    lh_generator *w = g ? lh_generator_new(g, &(lh_generator_how){.context = 1024,
                                                                  .choice = {0.8, 40, 1},
                                                                  .end = -1,
                                                                  .threads = threads,
                                                                  .precision = precision})
                        : NULL;
    int prompt[PROMPT];
    if (!w) return r;
    float *weights = NULL;
    r.bytes = lend_all(w, precision, &weights);
    for (int i = 0; i < PROMPT; i++) prompt[i] = i * 97 % VOCAB;
    for (int i = 0; i < 3; i++) {
        const took from = now();
        lh_generator_prompt(w, prompt, PROMPT);
        lh_generator_next(w);
        add_try(&whole, from);
    }
    lh_generator_prompt(w, prompt, 8);
    lh_generator_next(w);
    for (int i = 0; i < TOKENS && !lh_failed(ctx); i++) {
        const took from = now();
        lh_generator_next(w);
        add_try(&one, from);
    }
    if (lh_failed(ctx)) fprintf(stderr, "%s\n", lh_context_error(ctx)->what), r.bytes = 0;
    r.prompt = whole.least, r.token = one.least;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    r.memory = (double)used.ru_maxrss * 1024;
    free(weights); /* the generator is not asked again */
    return r;
}

/* In a process of its own, so that its memory is its own. */
static result run_alone(lh_precision precision) {
    int ends[2];
    result r = {0};
    if (pipe(ends) != 0) return r;
    pid_t child = fork();
    if (child == 0) {
        r = generate(precision);
        _exit(write(ends[1], &r, sizeof r) == sizeof r ? 0 : 2);
    }
    close(ends[1]);
    if (read(ends[0], &r, sizeof r) != sizeof r) r.bytes = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return r;
}

/* Two for each weight of a layer's matrices and for each score's dimension (half of these are hidden), for each token; the
 * head is applied to the last row alone. */
static double prompt_flops(void) {
    const double matrices = 12.0 * 12 * 768 * 768;
    return 2 * (matrices * PROMPT + 12.0 * PROMPT * PROMPT * 768 + (double)VOCAB * 768);
}

static void report(const char *name, lh_precision precision, took read, took peak) {
    const result r = run_alone(precision);
    if (r.bytes <= 0) {
        printf("%-6s failed\n", name);
        return;
    }
    printf("%-6s %7.1f %8.0f %6.0f%% %6.0f%%   %6.0f %8.0f %6.0f%% %6.0f%%  %8.0f\n", name,
           1 / r.token.clock, 1e-6 * r.bytes, 100 * r.bytes / r.token.clock / read.clock,
           100 * r.bytes / r.token.processor / read.processor, 1e3 * r.prompt.clock,
           1e-9 * prompt_flops() / r.prompt.clock,
           100 * prompt_flops() / r.prompt.clock / peak.clock,
           100 * prompt_flops() / r.prompt.processor / peak.processor, 1e-6 * r.memory);
}

/* ---- from the shell ---- */

static took shell(const char *command) {
    struct rusage before, after;
    tries t = {0};
    getrusage(RUSAGE_CHILDREN, &before);
    for (int i = 0; i < TRIES; i++) {
        const took from = now();
        if (system(command) != 0) return (took){0};
        add_try(&t, from);
    }
    getrusage(RUSAGE_CHILDREN, &after);
    return (took){t.least.clock, (seconds_of(&after) - seconds_of(&before)) / TRIES};
}

static void first_token(const char *longhand) {
    char folder[] = "/tmp/bench_generate_XXXXXX", command[1024];
    if (!longhand || !mkdtemp(folder)) return;
    snprintf(command, sizeof command,
             "'%s' train gpt --set layers=4 dim=128 heads=4 context=64 --steps 1 -o %s/m "
             ">/dev/null 2>&1",
             longhand, folder);
    took t = {0};
    if (system(command) == 0) {
        snprintf(command, sizeof command, "'%s' sample %s/m -n 1 >/dev/null", longhand, folder);
        t = shell(command);
    }
    printf("\nfirst token of 4 layers x 128 from the shell: %.1f ms, %.1f ms of processor time\n",
           1e3 * t.clock, 1e3 * t.processor);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0) fprintf(stderr, "%s stays\n", folder);
}

int main(int argc, char **argv) {
    if (argc > 1 && atoi(argv[1]) > 0) threads = atoi(argv[1]);
    lh_pool *pool = lh_pool_new(threads);
    const took read = read_rate(pool), peak = product_rate(pool, LH_IN_FLOAT),
               half = lh_bf16_name() ? product_rate(pool, LH_IN_BF16) : peak;
    lh_pool_free(pool);
    printf("reads %.1f GB/s (%.1f by processor time); products %.0f (%.0f) GFLOP/s in float, %.0f "
           "(%.0f) in bf16\n\n",
           1e-9 * read.clock, 1e-9 * read.processor, 1e-9 * peak.clock, 1e-9 * peak.processor,
           1e-9 * half.clock, 1e-9 * half.processor);
    printf("one token                                 prompt of %d\n", PROMPT);
    printf(
        "         a second  MB read  clock processor    ms  GFLOP/s  clock processor   MB peak\n");
    report("float", LH_IN_FLOAT, read, peak);
    report("bf16", LH_IN_BF16, read, half);
    first_token(getenv("LONGHAND"));
    return 0;
}
