/* gpt -- one step of training of models/gpt.lh at four sizes, against PyTorch in the same run, two threads each.
 *
 *     bench_gpt [SOURCE_ROOT]        all sizes; PyTorch only where python3 has it
 *
 * For each size: tokens a second, the share of the multiply-adds that this machine can do (measured here), memory, and the
 * same for PyTorch as a ratio. The best of a few steps counts: the machine may be shared.
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
#include "eval/fast/product.h"
#include "eval/fast/threads.h"
#include "eval/kernel.h"
#include "notation/notation.h"

typedef struct size {
    int layers, dim, heads, context, vocab, batch, steps;
} size;

static const size sizes[] = {
    {2, 64, 4, 64, 65, 4, 60},
    {4, 128, 4, 128, 65, 8, 20},
    {6, 384, 6, 256, 65, 12, 5},
    {12, 768, 12, 256, 50257, 4, 3},
};

enum { THREADS = 2 };

typedef struct result {
    double seconds, bytes;
} result;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* models/gpt.lh with another vocabulary. */
static lh_program *gpt(lh_context *ctx, int vocab) {
    static char text[16384];
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    const char *line = f ? strstr(f->text, "vocab 65\n") : NULL;
    if (!line) return NULL;
    snprintf(text, sizeof text, "%.*svocab %d\n%s", (int)(line - f->text), f->text, vocab,
             line + 9);
    return lh_program_parse(ctx, "gpt.lh", text, strlen(text));
}

static double best_step(lh_context *ctx, lh_plan *p, const size *s) {
    const size_t n = (size_t)(s->context * s->batch);
    int *tokens = malloc(n * sizeof *tokens), *target = malloc(n * sizeof *target),
        *rows = malloc((size_t)s->batch * sizeof *rows);
    double best = 1e9;
    for (size_t i = 0; i < n; i++) tokens[i] = rand() % s->vocab, target[i] = rand() % s->vocab;
    for (int e = 0; e < s->batch; e++) rows[e] = s->context;
    const int *all_rows[] = {rows, rows}, *all_tokens[] = {tokens, target};
    const lh_batch batch = {.examples = s->batch, .rows = all_rows, .tokens = all_tokens};
    for (int i = 0; i < s->steps && !lh_failed(ctx); i++) {
        const double start = now();
        lh_fast.feed(p, &batch);
        lh_fast.run(p);
        lh_fast.commit(p);
        if (i && now() - start < best) best = now() - start;
    }
    free(tokens), free(target), free(rows);
    return best;
}

/* In a process of its own, so that its memory is its own. */
static void ours(const size *s, int to) {
    char value[4][16];
    const int number[] = {s->layers, s->dim, s->heads, s->context};
    const char *name[] = {"layers", "dim", "heads", "context"};
    lh_setting set[4];
    for (int i = 0; i < 4; i++) {
        snprintf(value[i], sizeof value[i], "%d", number[i]);
        set[i] = (lh_setting){name[i], value[i]};
    }
    lh_context *ctx = lh_context_new();
    lh_program *program = gpt(ctx, s->vocab);
    lh_graph *g =
        program
            ? lh_graph_build(ctx, program,
                             &(lh_build){.set = set, .n_set = 4, .is_whole = lh_kernel_is_whole})
            : NULL;
    lh_plan *p = g ? lh_fast.plan(g, &(lh_wish){.updates = true, .threads = THREADS}) : NULL;
    result r = {0};
    if (p) r.seconds = best_step(ctx, p, s);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    r.bytes = (double)used.ru_maxrss * 1024;
    if (write(to, &r, sizeof r) != sizeof r) _exit(2);
    _exit(0);
}

static result run_ours(const size *s) {
    int ends[2];
    result r = {0};
    if (pipe(ends) != 0) return r;
    pid_t child = fork();
    if (child == 0) ours(s, ends[1]);
    close(ends[1]);
    if (read(ends[0], &r, sizeof r) != sizeof r) r.seconds = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return r;
}

static result run_torch(const size *s, const char *root, const char *precision) {
    char command[1024];
    result r = {0};
    snprintf(command, sizeof command,
             "/usr/bin/python3 %s/bench/torch_gpt.py %d %d %d %d %d %d %d %d %s 2>/dev/null", root,
             s->layers, s->dim, s->heads, s->context, s->vocab, s->batch, s->steps, THREADS,
             precision);
    FILE *f = popen(command, "r");
    if (f && fscanf(f, "%lf %lf", &r.seconds, &r.bytes) != 2) r.seconds = 0;
    if (f) pclose(f);
    return r;
}

/* ---- what the machine can do: products that stay in the cache, on all threads ---- */

enum { SIDE = 256, TURNS = 200 };

static void multiply(void *what, int piece, int thread) {
    (void)thread;
    float *m = (float *)what + (size_t)piece * 3 * SIDE * SIDE;
    for (int i = 0; i < TURNS; i++)
        lh_product(SIDE, SIDE, SIDE, m, SIDE, 1, m + SIDE * SIDE, SIDE, 1, m + 2 * SIDE * SIDE,
                   SIDE, false);
}

static double peak(void) {
    lh_pool *pool = lh_pool_new(THREADS);
    float *m = calloc((size_t)THREADS * 3 * SIDE * SIDE, sizeof *m);
    double best = 0;
    for (int i = 0; m && i < 5; i++) {
        const double start = now();
        lh_pool_run(pool, THREADS, multiply, m);
        const double rate = 2.0 * SIDE * SIDE * SIDE * TURNS * THREADS / (now() - start);
        if (rate > best) best = rate;
    }
    free(m);
    lh_pool_free(pool);
    return best;
}

/* Multiply-adds of a step for each token, times two: 6 for each weight in a product, 12 for each score's dimension. */
static double flops_a_token(const size *s) {
    const double matrices = 12.0 * s->layers * s->dim * s->dim + (double)s->vocab * s->dim;
    return 6 * matrices + 6.0 * s->layers * s->context * s->dim; /* half of the scores are hidden */
}

int main(int argc, char **argv) {
    const char *root = argc > 1                   ? argv[1]
                       : getenv("LH_SOURCE_ROOT") ? getenv("LH_SOURCE_ROOT")
                                                  : ".";
    const double most = peak();
    printf("products by %s, %d threads, %.0f GFLOP/s at most\n", lh_product_name(), THREADS,
           most / 1e9);
    printf("%10s %10s %8s %9s %12s %8s %8s\n", "size", "tokens/s", "of peak", "memory", "PyTorch",
           "ratio", "memory");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size *s = &sizes[i];
        const double tokens = (double)s->context * s->batch;
        const result a = run_ours(s), b = run_torch(s, root, "");
        if (a.seconds <= 0) {
            printf("%d x %d could not run\n", s->layers, s->dim);
            continue;
        }
        printf("%4d x %-4d %9.0f %7.0f%% %6.0f MB", s->layers, s->dim, tokens / a.seconds,
               100 * flops_a_token(s) * tokens / a.seconds / most, a.bytes / 1e6);
        if (b.seconds > 0)
            printf(" %12.0f %7.2fx %7.2fx\n", tokens / b.seconds, b.seconds / a.seconds,
                   a.bytes / b.bytes);
        else
            printf(" %12s\n", "not installed");
        fflush(stdout);
    }
    return 0;
}
