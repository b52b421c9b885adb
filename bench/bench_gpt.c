/* gpt -- steps of training of models/gpt.lh at four sizes, against PyTorch in the same run, two threads each.
 *
 *     bench_gpt                            all sizes, in float and bf16; PyTorch where /usr/bin/python3 has it
 *     bench_gpt 6 bf16                     one size (its layers: 2, 4, 6, 12), one precision
 *     bench_gpt 6 float profile            where the time goes; PyTorch is left out
 *
 * The machine may be shared, so both sides take turns, a few steps in each turn, each turn in a process of its own, and
 * the best step counts. Beside the time by the clock stands the time of the processors, which others disturb less.
 * LH_SOURCE_ROOT: where bench/torch_gpt.py lies. T=1: threads of both. TURNS=1: how many each takes (3). STEPS=3: of a
 * turn, on a busy machine. V=65: another vocabulary. ALONE=1: without PyTorch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/embedded.h"
#include "eval/exact.h"
#include "eval/backend.h"
#include "eval/fast/wish.h"
#include "eval/fast/bf16.h"
#include "eval/fast/profile.h"
#include "notation/notation.h"
#include "rates.h"

typedef struct size {
    int layers, dim, heads, context, vocab, batch, steps;
} size;

static const size sizes[] = {
    {2, 64, 4, 64, 65, 4, 200},
    {4, 128, 4, 128, 65, 8, 30},
    {6, 384, 6, 256, 65, 12, 4},
    {12, 768, 12, 256, 50257, 4, 5},
};

typedef struct result {
    double seconds, processor, bytes; /* of the best step; peak memory */
    double said;                      /* ours: the memory that is said before it begins */
    double of_peak; /* ours: how much of what the machine did just before and after */
} result;

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int number_from(const char *name, int standard) {
    const char *s = getenv(name);
    return s ? atoi(s) : standard;
}

static int threads(void) {
    return number_from("T", 2);
}

static int turns(void) {
    return number_from("TURNS", 3);
}

static void keep_best(result *best, result r) {
    if (r.seconds <= 0) return;
    if (best->seconds <= 0 || r.seconds < best->seconds) best->seconds = r.seconds;
    if (best->processor <= 0 || r.processor < best->processor) best->processor = r.processor;
    if (r.bytes > best->bytes) best->bytes = r.bytes;
    if (r.said > best->said) best->said = r.said;
}

/* Multiply-adds of a step for each token, times two: 6 for each weight in a product, 12 for each score's dimension. */
static double flops_a_token(const size *s) {
    const double matrices = 12.0 * s->layers * s->dim * s->dim + (double)s->vocab * s->dim;
    return 6 * matrices + 6.0 * s->layers * s->context * s->dim; /* half of the scores are hidden */
}

/* ---- ours ---- */

static lh_graph *gpt(lh_context *ctx, const size *s) {
    static char text[5][16];
    static lh_setting set[5];
    const int number[] = {s->layers, s->dim, s->heads, s->context, s->vocab};
    const char *name[] = {"layers", "dim", "heads", "context", "vocab"};
    for (int i = 0; i < 5; i++) {
        snprintf(text[i], sizeof text[i], "%d", number[i]);
        set[i] = (lh_setting){name[i], text[i]};
    }
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    lh_program *program = f ? lh_program_parse(ctx, "gpt.lh", f->text, f->length) : NULL;
    if (!program) return NULL;
    return lh_graph_build(ctx, program,
                          &(lh_build){.set = set, .n_set = 5, .without_examples = true});
}

/* The machine's peak is taken before and after every few steps, and the share that is given is the one in the middle. */
static result take_steps(lh_plan *p, const size *s) {
    enum { GROUPS = 4 };
    const size_t n = (size_t)s->context * (size_t)s->batch;
    int *tokens = malloc(n * sizeof *tokens), *target = malloc(n * sizeof *target),
        *rows = malloc((size_t)s->batch * sizeof *rows);
    result best = {0};
    if (!tokens || !target || !rows) return best;
    for (size_t i = 0; i < n; i++) tokens[i] = rand() % s->vocab, target[i] = rand() % s->vocab;
    for (int e = 0; e < s->batch; e++) rows[e] = s->context;
    const int *all_rows[] = {rows, rows}, *all_tokens[] = {tokens, target};
    const lh_batch batch = {.examples = s->batch, .rows = all_rows, .tokens = all_tokens};
    lh_pool *pool = lh_pool_new(threads());
    double share[GROUPS + 1], before = 0, in_group = 0;
    int groups = 0;
    for (int i = 0, taken = 0; i < s->steps; i++) {
        const double start = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
        lh_fast.feed(p, &batch);
        lh_fast.run(p);
        lh_fast.commit(p);
        const result r = {.seconds = now(CLOCK_MONOTONIC) - start,
                          .processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor};
        if (i) keep_best(&best, r);
        in_group += r.seconds, taken++;
        if (i > 0 && i * GROUPS / s->steps == (i + 1) * GROUPS / s->steps) continue;
        const double after = lh_rate_products(pool),
                     rate = flops_a_token(s) * (double)n * taken / in_group;
        if (before > 0) share[groups++] = rate / (before / 2 + after / 2);
        before = after, in_group = 0, taken = 0;
    }
    lh_pool_free(pool);
    best.of_peak = lh_middle(share, groups);
    free(tokens), free(target), free(rows);
    return best;
}

static void print_profile(lh_plan *p) {
    const lh_profile f = lh_fast_profile(p);
    for (int i = 0; i < f.n; i++)
        printf("%6.2f%% %10.1f us %5d  %s%s\n", 100 * f.kind[i].seconds / f.seconds,
               f.kind[i].seconds * 1e6, f.kind[i].works, f.kind[i].name,
               f.kind[i].is_kernel ? "" : "   (by definition)");
}

/* In a process of its own, so that its memory is its own. */
static void ours(const size *s, lh_precision precision, bool profiles, int to) {
    lh_context *ctx = lh_context_new();
    lh_graph *g = gpt(ctx, s);
    lh_plan *p = g ? lh_fast.plan(g, &(lh_wish){.updates = true,
                                                .node = &g->loss,
                                                .n_nodes = 1,
                                                .own = &(lh_fast_wish){threads(), precision}})
                   : NULL;
    result r = {0};
    if (p) r = take_steps(p, s);
    if (lh_failed(ctx)) fprintf(stderr, "%s\n", lh_context_error(ctx)->what), r.seconds = 0;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    r.bytes = (double)used.ru_maxrss * 1024;
    r.said = p ? lh_plan_bytes(p) : 0;
    if (profiles && r.seconds > 0) print_profile(p);
    fflush(stdout);
    _exit(write(to, &r, sizeof r) == sizeof r ? 0 : 2);
}

static result run_ours(const size *s, lh_precision precision, bool profiles) {
    int ends[2];
    result r = {0};
    if (pipe(ends) != 0) return r;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) ours(s, precision, profiles, ends[1]);
    close(ends[1]);
    if (read(ends[0], &r, sizeof r) != sizeof r) r.seconds = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return r;
}

/* ---- PyTorch ---- */

/* OpenBLAS, which PyTorch multiplies with, does not know every processor by name and then takes it for one of 2004. */
static const char *core_type(void) {
    if (getenv("OPENBLAS_CORETYPE")) return "";
#ifndef __x86_64__
    return "";
#else
    return __builtin_cpu_supports("avx512f") ? "OPENBLAS_CORETYPE=SkylakeX"
           : __builtin_cpu_supports("avx2")  ? "OPENBLAS_CORETYPE=Haswell"
                                             : "";
#endif
}

static result run_torch_with(const size *s, lh_precision precision, const char *settings) {
    const char *root = getenv("LH_SOURCE_ROOT");
    char command[1024];
    result r = {0};
    snprintf(command, sizeof command,
             "%s %s /usr/bin/python3 %s/bench/torch_gpt.py %d %d %d %d %d %d %d %d %s 2>/dev/null",
             core_type(), settings, root ? root : ".", s->layers, s->dim, s->heads, s->context,
             s->vocab, s->batch, s->steps, threads(), precision == LH_IN_BF16 ? "bf16" : "");
    FILE *f = popen(command, "r");
    if (f && fscanf(f, "%lf %lf %lf", &r.seconds, &r.processor, &r.bytes) != 3) r.seconds = 0;
    if (f) pclose(f);
    return r;
}

/* As it comes; if it is killed because its library uses instructions that the system has not enabled, without those. */
static result run_torch(const size *s, lh_precision precision) {
    if (getenv("ALONE")) return (result){0};
    const result r = run_torch_with(s, precision, "");
    if (r.seconds > 0 || precision != LH_IN_BF16) return r;
    return run_torch_with(s, precision, "ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16");
}

static void compare(const size *s, lh_precision precision) {
    const double tokens = (double)s->context * s->batch;
    result a = {0}, b = {0};
    double share[100];
    int n = 0;
    for (int i = 0; i < turns(); i++) {
        const result r = run_ours(s, precision, false);
        if (r.of_peak > 0 && n < 100) share[n++] = r.of_peak;
        keep_best(&a, r);
        keep_best(&b, run_torch(s, precision));
    }
    printf("%4d x %-4d %-5s %9.0f %9.0f %6.0f%% %6.0f MB (%.2f)", s->layers, s->dim,
           precision == LH_IN_BF16 ? "bf16" : "float", tokens / a.seconds, tokens / a.processor,
           100 * lh_middle(share, n), a.bytes / 1e6, a.said / a.bytes);
    if (b.seconds > 0)
        printf(" %9.0f %9.0f %6.2fx %6.2fx %6.2fx\n", tokens / b.seconds, tokens / b.processor,
               b.seconds / a.seconds, b.processor / a.processor, a.bytes / b.bytes);
    else
        puts(getenv("ALONE") ? "" : "   PyTorch is not installed");
    fflush(stdout);
}

static size shortened(size s) {
    s.steps = number_from("STEPS", s.steps);
    s.vocab = number_from("V", s.vocab);
    return s;
}

int main(int argc, char **argv) {
    const int layers = argc > 1 ? atoi(argv[1]) : 0;
    const bool profiles = argc > 3 && strcmp(argv[3], "profile") == 0;
    printf("products by %s%s%s, %d threads. Tokens in a second of the clock, of processors; of the "
           "peak in float; memory (said, of it)\n",
           lh_product_name(), lh_bf16_name() ? " and " : "", lh_bf16_name() ? lh_bf16_name() : "",
           threads());
    printf("%10s %15s %9s %7s %16s %20s %7s %7s %7s\n", "size", "clock", "proc.", "of peak",
           "memory", "PyTorch: clock proc.", "clock", "proc.", "memory");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = LH_IN_FLOAT; k <= (lh_bf16_name() ? LH_IN_BF16 : LH_IN_FLOAT); k++) {
            if (layers && sizes[i].layers != layers) continue;
            if (argc > 2 && (strcmp(argv[2], "bf16") == 0) != (k == LH_IN_BF16)) continue;
            const size s = shortened(sizes[i]);
            if (profiles)
                run_ours(&s, (lh_precision)k, true);
            else
                compare(&s, (lh_precision)k);
        }
    return 0;
}
