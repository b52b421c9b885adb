/* folder -- a model of one's own writes, batch 1: a token, and a prompt of 512 tokens or so many, in each precision.
 *
 *     bench_folder FOLDER|FILE.gguf [PRECISION] [THREADS] [PROMPT]        float, bf16, int8, int4; 2 threads; 512
 *
 * Of several tries the best counts, by the clock and by the processor's time of all threads: on a machine that others use, the
 * second says more. To be compared with another program on the same file, in turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "train/generate.h"
#include "train/trained.h"

enum { PROMPT = 512, TOKENS = 24, TRIES = 3, CONTEXT = 1024 };

typedef struct best {
    double clock, processor;
} best;

static double now(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void try(lh_generator *w, best *b) {
    const double clock = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
    lh_generator_next(w);
    const double c = now(CLOCK_MONOTONIC) - clock, p = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
    if (c < b->clock) b->clock = c;
    if (p < b->processor) b->processor = p;
}

static void measure(lh_generator *w, int words, int length) {
    static int token[PROMPT];
    best prompt = {1e9, 1e9}, one = prompt;
    for (int i = 0; i < PROMPT; i++) token[i] = (i * 7919 + 13) % (words < 20000 ? words : 20000);
    for (int i = 0; i < TRIES; i++) {
        lh_generator_prompt(w, token, length);
        try(w, &prompt);
    }
    lh_generator_prompt(w, token, 1);
    lh_generator_next(w);
    for (int i = 0; i < TOKENS; i++) try(w, &one);
    printf("prompt of %d: %.0f ms (processor %.0f); a token: %.2f ms (processor %.2f), %.1f a "
           "second\n",
           length, 1e3 * prompt.clock, 1e3 * prompt.processor, 1e3 * one.clock, 1e3 * one.processor,
           1 / one.clock);
}

static lh_graph *open_graph(lh_folder *f, lh_arena *a) {
    lh_found text;
    int n;
    lh_program *p = lh_trained_program(f, a, &text);
    const lh_setting *set = p ? lh_trained_settings(f, a, p, &n) : NULL;
    return p ? lh_graph_build(f->ctx, p,
                              &(lh_build){.set = set, .n_set = n, .without_examples = true})
             : NULL;
}

int main(int argc, char **argv) {
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_precision precision = LH_IN_FLOAT;
    if (argc < 2 || (argc > 2 && !lh_precision_read(argv[2], &precision))) {
        puts("1..0 # SKIP bench_folder FOLDER|FILE.gguf [float|bf16|int8|int4] [THREADS] [PROMPT]");
        return 0;
    }
    lh_folder *f = lh_folder_open(ctx, argv[1]);
    lh_graph *g = f ? open_graph(f, a) : NULL;
    const lh_weights *weights = g ? lh_trained_weights(f, a, g) : NULL;
    const int context = g ? lh_generator_context(g, CONTEXT) : 0;
    lh_generator *w =
        weights ? lh_generator_new(
                      g, &(lh_generator_how){.context = context < CONTEXT ? context : CONTEXT,
                                             .end = -1,
                                             .threads = argc > 3 ? atoi(argv[3]) : 2,
                                             .precision = precision})
                : NULL;
    const double start = now(CLOCK_MONOTONIC);
    if (w && lh_generator_weights(w, weights)) {
        printf("%s in %s: ready after %.2f s; ", argv[1], lh_precision_name(precision),
               now(CLOCK_MONOTONIC) - start);
        const int length = argc > 4 ? atoi(argv[4]) : PROMPT;
        measure(w, (int)g->axis[g->generate->from->shape.cols].n,
                length < 1 || length > PROMPT ? PROMPT : length);
    }
    const bool is_bad = lh_failed(ctx);
    if (is_bad) fprintf(stderr, "%s\n", lh_context_error(ctx)->what);
    lh_generator_free(w);
    lh_graph_free(g);
    lh_folder_close(f);
    lh_arena_free(a);
    lh_context_free(ctx);
    return is_bad;
}
