/* gpu -- steps of training on a GPU, in milliseconds, and where the time goes.
 *
 *     bench_gpu gpt bf16 64 1024 30 layers=12 dim=768 heads=12 context=1024 vocab=50257
 *     bench_gpu gpt bf16 64 1024 30 ... profile                       each work by itself, added up by kernel
 *     bench_gpu gpt bf16 64 1024 30 untried ...                       each product in the way that the library suggests first
 *
 * The model, the precision, examples, tokens of each, steps; then settings. Tokens are random. Prints the middle step (of four between two looks at the loss), tokens in a second, the memory that
 * the plan said and the memory that the GPU had less, and the loss. The steps that plan and record are not counted. A process for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/embedded.h"
#include "eval/backend.h"
#include "eval/cuda/cuda.h"
#include "eval/cuda/devices.h"
#include "eval/fast/wish.h"
#include "notation/notation.h"
#include "rates.h"

enum { MOST_SET = 16 };

typedef struct run {
    lh_context *ctx;
    lh_graph *g;
    lh_plan *p;
    int examples, context, steps, vocab;
    size_t free; /* bytes, before the plan was made */
    bool profiles;
    const lh_fast_wish *own;
} run;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lh_graph *build(run *r, const char *model, int argc, char **argv) {
    static lh_setting set[MOST_SET];
    char name[64];
    int n = 0;
    snprintf(name, sizeof name, "models/%s.lh", model);
    for (int i = 0; i < argc && n < MOST_SET; i++) {
        char *is = strchr(argv[i], '=');
        if (!is) continue;
        *is = 0;
        set[n++] = (lh_setting){argv[i], is + 1};
        if (strcmp(argv[i], "vocab") == 0) r->vocab = atoi(is + 1);
    }
    const lh_embedded *f = lh_embedded_find(name);
    lh_program *program = f ? lh_program_parse(r->ctx, name, f->text, f->length) : NULL;
    return program ? lh_graph_build(r->ctx, program,
                                    &(lh_build){.set = set, .n_set = n, .without_examples = true})
                   : NULL;
}

static size_t memory_free(void) {
    const char *why;
    size_t has = 0, all;
    const lh_gpu *gpu = lh_cuda_find(&why);
    if (gpu) gpu->room(&has, &all);
    return has;
}

static void *room(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (p) return p;
    fputs("bench_gpu: out of memory\n", stderr);
    exit(1);
}

static void print_profile(const run *r) {
    const lh_plan *p = r->p;
    const int n = p->list[LH_STAGE_RUN].n + p->list[LH_STAGE_COMMIT].n;
    double *seconds = room((size_t)n + 1, sizeof *seconds), all = 0;
    bool *is_told = room((size_t)n + 1, sizeof *is_told);
    lh_cuda_time_works(r->p, seconds);
    for (int i = 0; i < n; i++) all += seconds[i];
    for (int i = 0; i < n; i++) {
        double sum = 0;
        int works = 0;
        const char *name = lh_cuda_work_name(p, i);
        for (int k = i; k < n && !is_told[i]; k++)
            if (strcmp(lh_cuda_work_name(p, k), name) == 0)
                sum += seconds[k], works++, is_told[k] = k > i;
        if (works) printf("  %6.2f%% %10.3f ms %5d  %s\n", 100 * sum / all, 1e3 * sum, works, name);
    }
    printf("  all works one by one: %.3f ms\n", 1e3 * all);
    free(seconds), free(is_told);
}

/* Large weights from a pattern of random numbers instead of one by one: the time of a step does not depend on which they are. */
static void start_quickly(run *r) {
    enum { PATTERN = 1 << 22, LARGE = 1 << 20 };
    const char *why = NULL;
    float *pattern = room(PATTERN, sizeof *pattern);
    for (int i = 0; i < PATTERN; i++)
        pattern[i] = 0.0346f * (2 * (float)rand() / (float)RAND_MAX - 1); /* a deviation of 0.02 */
    for (int i = 0; i < r->g->n_givens; i++) {
        lh_given *given = r->g->given[i];
        const size_t n = lh_plan_fixed_cells(r->g, given->node);
        char *at = lh_plan_address(r->p, given->node);
        if (!at || given->kind != LH_PARAM || n < LARGE) continue;
        given->start =
            (lh_start_kind)(LH_START_FILE + 1); /* in no way that is known: it stays as it is */
        for (size_t k = 0; k < n; k += PATTERN)
            lh_cuda_find(&why)->put(at + k * sizeof *pattern, pattern,
                                    (n - k < PATTERN ? n - k : PATTERN) * sizeof *pattern);
    }
    free(pattern);
    lh_cuda.start(r->p);
}

static void leave_untried(bool tries) {
    (void)tries;
}

static int compare_seconds(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take_steps(run *r) {
    enum {
        WARM = 4,
        TOGETHER = 4
    }; /* steps between two looks at the loss: nobody waits in between */
    const size_t n = (size_t)r->context * (size_t)r->examples;
    int *tokens = room(n, sizeof *tokens), *target = room(n, sizeof *target),
        *rows = room((size_t)r->examples, sizeof *rows);
    double *seconds = room((size_t)r->steps + 1, sizeof *seconds), loss = 0, whole = 0;
    for (size_t i = 0; i < n; i++) tokens[i] = rand() % r->vocab, target[i] = rand() % r->vocab;
    for (int e = 0; e < r->examples; e++) rows[e] = r->context;
    const int *all_rows[] = {rows, rows}, *all_tokens[] = {tokens, target};
    const lh_batch batch = {.examples = r->examples, .rows = all_rows, .tokens = all_tokens};
    const lh_wish wish = {.updates = true, .node = &r->g->loss, .n_nodes = 1, .own = r->own};
    const double said = lh_cuda_needs(r->g, &wish, &batch); /* by sizes alone */
    start_quickly(r);
    const int looks = (r->steps + TOGETHER - 1) / TOGETHER;
    for (int i = -1; i < looks && !lh_failed(r->ctx); i++) {
        const double start = now();
        if (i == 0) whole = start;
        for (int k = 0; k < (i < 0 ? WARM : TOGETHER); k++) {
            lh_cuda.feed(r->p, &batch);
            lh_cuda.run(r->p);
            lh_cuda.commit(r->p);
        }
        loss = lh_failed(r->ctx) ? 0 : lh_cuda.get(r->p, r->g->loss, (lh_cell){0, 0, 0, 0});
        if (i >= 0) seconds[i] = (now() - start) / TOGETHER;
    }
    const size_t after = memory_free();
    whole = (now() - whole) / looks / TOGETHER;
    if (!lh_failed(r->ctx)) {
        qsort(seconds, (size_t)looks, sizeof *seconds, compare_seconds);
        printf("%9.3f ms (mean %.3f) %10.0f tokens/s  memory said %.2f GiB, taken %.2f GiB  loss "
               "%.6f\n",
               1e3 * seconds[looks / 2], 1e3 * whole, (double)n / seconds[looks / 2],
               said / 1073741824.0, (double)(r->free - after) / 1073741824.0, loss);
        if (r->profiles) print_profile(r);
    }
    free(tokens), free(target), free(rows), free(seconds);
}

int main(int argc, char **argv) {
    if (argc < 6 || atoi(argv[3]) < 1 || atoi(argv[4]) < 1 || atoi(argv[5]) < 1) return 2;
    const bool is_short = strcmp(argv[2], "bf16") == 0;
    run r = {.ctx = lh_context_new(),
             .examples = atoi(argv[3]),
             .context = atoi(argv[4]),
             .steps = atoi(argv[5]),
             .profiles = strcmp(argv[argc - 1], "profile") == 0};
    r.g = build(&r, argv[1], argc - 6, argv + 6);
    const lh_fast_wish own = {.precision = is_short ? LH_IN_BF16 : LH_IN_FLOAT};
    r.own = &own;
    if (r.g && lh_cuda_gpu(r.ctx)) r.free = memory_free();
    if (r.free && argc > 6 && strcmp(argv[6], "untried") == 0)
        ((lh_gpu *)lh_cuda_gpu(r.ctx))->try_products = leave_untried;
    if (r.g && !lh_failed(r.ctx))
        r.p = lh_cuda.plan(
            r.g, &(lh_wish){.updates = true, .node = &r.g->loss, .n_nodes = 1, .own = &own});
    if (r.p && r.vocab > 0) take_steps(&r);
    const bool is_well = !lh_failed(r.ctx);
    if (!is_well) {
        const lh_error *e = lh_context_error(r.ctx);
        printf("failed: line %d: %s (%s)\n", e->at.line, e->what, e->cure);
    }
    lh_cuda.free(r.p);
    return is_well ? 0 : 2;
}
