/* fast -- steps of training of a GPT: tokens a second, and where the time goes.
 *
 *     bench_fast LAYERS DIM HEADS CONTEXT VOCAB BATCH STEPS [profile]
 *
 * T=2 in the environment: threads; PRECISION=bf16: products in bf16.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/embedded.h"
#include "eval/exact.h"
#include "eval/fast/profile.h"
#include "eval/kernel.h"
#include "notation/notation.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lh_precision wished_precision(void) {
    const char *s = getenv("PRECISION");
    return s && strcmp(s, "bf16") == 0 ? LH_IN_BF16 : LH_IN_FLOAT;
}

int main(int argc, char **argv) {
    int size[7] = {2, 64, 4, 64, 65, 4, 20};
    for (int i = 0; i < 7 && i + 1 < argc; i++) size[i] = atoi(argv[i + 1]);
    const lh_embedded *gpt = lh_embedded_find("models/gpt.lh");
    if (!gpt) return 2;
    char text[16384], value[4][32];
    snprintf(text, sizeof text, "%s", gpt->text);
    char *vocab = strstr(text, "vocab 65");
    char rest[16384];
    snprintf(rest, sizeof rest, "%s", vocab + 8);
    snprintf(vocab, sizeof text - (size_t)(vocab - text), "vocab %d%s", size[4], rest);
    const char *name[4] = {"layers", "dim", "heads", "context"};
    lh_setting set[4];
    for (int i = 0; i < 4; i++) {
        snprintf(value[i], sizeof value[i], "%d", size[i]);
        set[i] = (lh_setting){name[i], value[i]};
    }
    lh_context *ctx = lh_context_new();
    lh_program *program = lh_program_parse(ctx, "gpt.lh", text, strlen(text));
    lh_graph *g = lh_graph_build(
        ctx, program, &(lh_build){.set = set, .n_set = 4, .is_whole = lh_kernel_is_whole});
    lh_plan *p = g ? lh_fast.plan(g, &(lh_wish){.updates = true,
                                                .node = &g->loss,
                                                .n_nodes = 1,
                                                .threads = getenv("T") ? atoi(getenv("T")) : 0,
                                                .precision = wished_precision()})
                   : NULL;
    if (!p) {
        fprintf(stderr, "%s\n", lh_context_error(ctx)->what);
        return 2;
    }
    int T = size[3], B = size[5];
    int *tokens = malloc(sizeof(int) * (size_t)(T * B)),
        *target = malloc(sizeof(int) * (size_t)(T * B));
    int *rows = malloc(sizeof(int) * (size_t)B);
    for (int i = 0; i < T * B; i++) tokens[i] = rand() % size[4], target[i] = rand() % size[4];
    for (int e = 0; e < B; e++) rows[e] = T;
    const int *all_rows[] = {rows, rows}, *all_tokens[] = {tokens, target};
    lh_batch batch = {.examples = B, .rows = all_rows, .tokens = all_tokens};
    double t = now();
    lh_fast.start(p);
    printf("start %.2f s\n", now() - t);
    double best = 1e9, sum = 0;
    for (int i = 0; i < size[6]; i++) {
        t = now();
        lh_fast.feed(p, &batch);
        lh_fast.run(p);
        lh_fast.commit(p);
        t = now() - t;
        if (i) sum += t;
        if (i && t < best) best = t;
        if (lh_failed(ctx)) {
            fprintf(stderr, "%s\n", lh_context_error(ctx)->what);
            return 2;
        }
        if (i < 3 || i == size[6] - 1)
            printf("step %d loss %.4f %.2f ms\n", i, lh_fast.get(p, g->loss, (lh_cell){0}),
                   t * 1e3);
    }
    printf("%d x %d: %.0f tokens/s at best, %.0f in the mean\n", size[0], size[1], T * B / best,
           T * B * (size[6] - 1) / sum);
    lh_profile f = lh_fast_profile(p);
    for (int i = 0; argc > 8 && i < f.n; i++)
        printf("%6.2f%% %10.1f us %5d  %s%s\n", 100 * f.kind[i].seconds / f.seconds,
               f.kind[i].seconds * 1e6, f.kind[i].works, f.kind[i].name,
               f.kind[i].is_kernel ? "" : "   (by definition)");
    printf("memory %.1f MB\n", f.bytes / 1e6);
    lh_fast.free(p);
    lh_graph_free(g);
    lh_program_free(program);
    lh_context_free(ctx);
    free(tokens), free(target), free(rows);
    return 0;
}
