/* micro -- models/micro.lh on a file of names, one thread: processor time until the loss of 100 steps is below 2.1.
 *
 *     bench_micro NAMES [DIM BATCH STEPS RATE]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/embedded.h"
#include "base/file.h"
#include "train/text_data.h"
#include "train/trainer.h"

enum { LAST = 100 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct bench {
    lh_context *ctx;
    lh_arena *arena;
    lh_tokenizer *tokens;
    lh_program *program;
    lh_graph *g;
    lh_data *data;
    lh_trainer *t;
} bench;

static void open_bench(bench *b, const char *path, lh_setting *set, int n, int batch) {
    size_t length;
    const lh_embedded *micro = lh_embedded_find("models/micro.lh");
    b->ctx = lh_context_new();
    b->arena = lh_arena_new(b->ctx);
    const char *text = lh_file_read(b->ctx, b->arena, path, &length);
    if (!text) return;
    b->tokens = lh_data_tokenizer(b->ctx, "char", path, text, length);
    b->program = lh_program_parse(b->ctx, micro->name, micro->text, micro->length);
    set[n].name = "vocab", set[n].value = lh_printf(b->arena, "%d", lh_tokenizer_count(b->tokens));
    b->g = lh_graph_build(b->ctx, b->program,
                          &(lh_build){.set = set, .n_set = n + 1, .without_examples = true});
    b->data =
        lh_data_new(b->ctx, b->tokens,
                    &(lh_data_how){.name = path, .context = 16, .is_lines = true}, text, length);
    if (b->g && b->data)
        b->t = lh_trainer_new(b->g, lh_data_feed(b->data),
                              &(lh_trainer_how){.batch = batch, .seed = 42, .threads = 1});
}

static void train(const bench *b, int steps) {
    double last[LAST] = {0}, sum = 0;
    const double start = now();
    bool is_below = false;
    while (b->t->step < steps && lh_trainer_step(b->t)) {
        double *old = &last[b->t->step % LAST];
        sum += b->t->loss - *old;
        *old = b->t->loss;
        if (is_below || b->t->step < LAST || sum / LAST >= 2.1) continue;
        printf("below 2.1 after %d steps, %.2f s\n", b->t->step, now() - start);
        is_below = true;
    }
    printf("%d steps, %.2f s: loss %.4f, held out %.4f\n", b->t->step, now() - start, sum / LAST,
           lh_trainer_validate(b->t, 1000));
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "bench_micro NAMES [DIM BATCH STEPS RATE]: a file of names is needed\n");
        return 77; /* skipped */
    }
    const char *dim = argc > 2 ? argv[2] : "32", *steps = argc > 4 ? argv[4] : "2500",
               *rate = argc > 5 ? argv[5] : "0.01";
    lh_setting set[4] = {{"dim", dim}, {"steps", steps}, {"rate", rate}};
    bench b = {0};
    open_bench(&b, argv[1], set, 3, argc > 3 ? atoi(argv[3]) : 32);
    if (b.t) train(&b, atoi(steps));
    const bool is_failed = lh_failed(b.ctx);
    if (is_failed) fprintf(stderr, "%s\n", lh_context_error(b.ctx)->what);
    lh_trainer_free(b.t);
    lh_data_free(b.data);
    lh_graph_free(b.g);
    lh_program_free(b.program);
    lh_tokenizer_free(b.tokens);
    lh_arena_free(b.arena);
    lh_context_free(b.ctx);
    return is_failed ? 2 : 0;
}
