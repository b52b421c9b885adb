/* gpu_sample -- a text that grows on a GPU, in tokens a second, and where the time of a token goes.
 *
 *     bench_gpu_sample gpt bf16 16 512 layers=12 dim=768 heads=12 context=1024 vocab=50257
 *
 * The model, the precision, tokens of the prompt, tokens to write; then settings. Weights are random, the likeliest token is taken. The first tokens, in which
 * launches are recorded, are not counted. Where a token is one launch, the text is written once more by a launch for each work, and compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/embedded.h"
#include "eval/backend.h"
#include "eval/cuda/cuda.h"
#include "notation/notation.h"
#include "train/generate.h"

enum { MOST_SET = 16, WARM = 16 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lh_graph *build(lh_context *ctx, const char *model, int argc, char **argv, int *context) {
    static lh_setting set[MOST_SET];
    char name[64];
    int n = 0;
    snprintf(name, sizeof name, "models/%s.lh", model);
    for (int i = 0; i < argc && n < MOST_SET; i++) {
        char *is = strchr(argv[i], '=');
        if (!is) continue;
        *is = 0;
        set[n++] = (lh_setting){argv[i], is + 1};
        if (strcmp(argv[i], "context") == 0) *context = atoi(is + 1);
    }
    const lh_embedded *f = lh_embedded_find(name);
    lh_program *program = f ? lh_program_parse(ctx, name, f->text, f->length) : NULL;
    return program ? lh_graph_build(ctx, program,
                                    &(lh_build){.set = set, .n_set = n, .without_examples = true})
                   : NULL;
}

/* Rows of norms near 1 (and of biases), all else near 0. */
static void draw_weights(lh_generator *w) {
    for (int i = 0; i < w->g->n_givens; i++) {
        const lh_node *n = w->g->given[i]->node;
        if (w->g->given[i]->kind != LH_PARAM || !lh_plan_address(w->plan, n)) continue;
        const size_t cells = lh_plan_fixed_cells(w->g, n);
        const float middle = w->g->axis[n->shape.rows].n == 1 ? 1.0f : 0.0f;
        float *x = malloc(cells * sizeof *x);
        const char *why = NULL;
        unsigned state = 12345u + (unsigned)i;
        for (size_t k = 0; x && k < cells; k++) {
            state = state * 1664525u + 1013904223u;
            x[k] = middle + 0.08f * ((float)(state >> 8) / 16777216.0f - 0.5f);
        }
        if (x) lh_cuda_find(&why)->put(lh_plan_address(w->plan, n), x, cells * sizeof *x);
        free(x);
    }
}

/* n works: how long each takes, and whether it was printed with one of the same name */
static void print_timed(const lh_plan *p, int n, const double *seconds, bool *is_told) {
    double all = 0;
    int launches = 0;
    for (int i = 0; i < n; i++)
        launches += !lh_cuda_of(p)->work[LH_STAGE_RUN][i].is_joined, all += seconds[i];
    for (int i = 0; i < n; i++) {
        double sum = 0;
        int works = 0;
        const char *name = lh_cuda_work_name(p, i);
        for (int k = i; k < n && !is_told[i]; k++)
            if (strcmp(lh_cuda_work_name(p, k), name) == 0 &&
                !lh_cuda_of(p)->work[LH_STAGE_RUN][k].is_joined)
                sum += seconds[k], works++, is_told[k] = k > i;
        if (works) printf("  %10.3f us %5d  %s\n", 1e6 * sum, works, name);
    }
    printf("  %d works, %d launches; one by one %.3f us\n", n, launches, 1e6 * all);
}

static void print_works(const lh_generator *w) {
    const int n = w->plan->list[LH_STAGE_RUN].n;
    double *seconds = calloc((size_t)n + 1, sizeof *seconds);
    bool *is_told = calloc((size_t)n + 1, sizeof *is_told);
    if (seconds && is_told) {
        lh_cuda_time_works(w->plan, seconds);
        print_timed(w->plan, n, seconds, is_told);
    }
    free(seconds), free(is_told);
}

static bool write_text(lh_generator *w, int prompt, int tokens) {
    int *id = malloc(((size_t)prompt + 1) * sizeof *id);
    double start = 0, first = now();
    int n = 0;
    for (int i = 0; id && i < prompt; i++) id[i] = (i * 37 + 11) % 50;
    if (id) lh_generator_prompt(w, id, prompt);
    for (; n < tokens + WARM && lh_generator_next(w) >= 0; n++) {
        if (n == 0) first = now() - first;
        if (n == WARM - 1) start = now();
    }
    free(id);
    if (n < tokens + WARM) return false;
    const double each = (now() - start) / tokens;
    printf("%9.1f us a token, %.0f tokens/s%s; prompt of %d in %.3f ms; last token %d\n",
           1e6 * each, 1 / each, lh_cuda_of(w->plan)->is_token ? ", one launch each" : "", prompt,
           1e3 * first, w->token[w->n - 1]);
    return true;
}

/* Again, work by work: how much of the text is the same? */
static bool write_again(lh_generator *w, int prompt, int tokens) {
    const int n = w->n;
    if (!lh_cuda_of(w->plan)->is_token) return true;
    int *before = malloc((size_t)n * sizeof *before), same = 0;
    if (!before) return false;
    memcpy(before, w->token, (size_t)n * sizeof *before);
    lh_cuda_of(w->plan)->is_apart = true;
    const bool is_done = write_text(w, prompt, tokens);
    while (is_done && same < n && before[same] == w->token[same]) same++;
    if (is_done) printf("the first %d of %d tokens are the same\n", same, n);
    free(before);
    return is_done;
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    int context = 64;
    lh_context *ctx = lh_context_new();
    lh_graph *g = build(ctx, argv[1], argc - 5, argv + 5, &context);
    const bool is_short = strcmp(argv[2], "bf16") == 0;
    lh_generator *w =
        g ? lh_generator_new(g,
                             &(lh_generator_how){.with = &lh_cuda,
                                                 .context = context,
                                                 .end = -1,
                                                 .precision = is_short ? LH_IN_BF16 : LH_IN_FLOAT})
          : NULL;
    if (w) draw_weights(w);
    const int prompt = atoi(argv[3]), tokens = atoi(argv[4]);
    if (w && write_text(w, prompt, tokens) && write_again(w, prompt, tokens)) print_works(w);
    const bool is_well = w && !lh_failed(ctx);
    if (lh_failed(ctx)) {
        const lh_error *e = lh_context_error(ctx);
        printf("failed: line %d: %s (%s)\n", e->at.line, e->what, e->cure);
    }
    lh_generator_free(w);
    lh_graph_free(g);
    return is_well ? 0 : 2;
}
