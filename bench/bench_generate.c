/* generate -- GPT-2 of 124 million params writes, batch 1, on two threads: in float and in bf16.
 *
 *     bench_generate [THREADS]       LONGHAND=build/longhand: the first token of a small model from the shell, too
 *
 * One token reads every weight of every product once, so tokens a second are judged by the bytes read against what this machine
 * reads at most, measured just before and just after; a prompt of 512 tokens by its multiply-adds against the peak of products.
 * Weights are random numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/embedded.h"
#include "eval/fast/bf16.h"
#include "eval/fast/row.h"
#include "notation/notation.h"
#include "rates.h"
#include "train/floats.h"
#include "train/generate.h"

static int threads = 2;

enum { VOCAB = 50257, PROMPT = 512, TOKENS = 8, TRIES = 9 };

/* ---- the model ---- */

static lh_graph *gpt(lh_context *ctx) {
    static const lh_setting set[] = {{"layers", "12"},    {"heads", "12"},    {"dim", "768"},
                                     {"context", "1024"}, {"vocab", "50257"}, {"steps", "1"}};
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    lh_program *p = lh_program_parse(ctx, f->name, f->text, f->length);
    return p ? lh_graph_build(ctx, p, &(lh_build){.set = set, .n_set = 6, .without_examples = true})
             : NULL;
}

/* All params in one piece of memory, as in a file; the bytes that a token reads: all but the positions, and one row of these. */
static double borrow_all(lh_generator *w, lh_precision precision, float **room) {
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
            lh_floats_borrow_half(w->plan, n, (const uint16_t *)(const void *)(x + at));
        } else {
            lh_floats_borrow(w->plan, n, x + at);
        }
        if (strcmp(n->step->path, "U") != 0) bytes += (double)size * (is_half ? 2 : 4);
        at += (size + 15) / 16 * 16 / (is_half ? 2 : 1);
    }
    return bytes;
}

typedef struct result {
    double bytes, memory;
    double token, prompt;    /* seconds: the shortest */
    double read, peak;       /* what the machine did at that time: the middle of all tries */
    double of_read, of_peak; /* and the share of it that we did */
} result;

/* Two for each weight of a layer's matrices and for each score's dimension (half of these are hidden), for each token; the
 * head is applied to the last row alone. */
static double prompt_flops(void) {
    const double matrices = 12.0 * 12 * 768 * 768;
    return 2 * (matrices * PROMPT + 12.0 * PROMPT * PROMPT * 768 + (double)VOCAB * 768);
}

typedef double (*rate)(lh_pool *pool);

/* Some prompts, or some tokens, between windows in which the machine shows what it can do. The work of one of them. */
static void judge(lh_generator *w, lh_pool *pool, rate can, bool is_prompt, double work,
                  double *least, double *at_most, double *of) {
    int prompt[PROMPT];
    double share[TRIES], most[TRIES], before = can(pool);
    int done = 0;
    for (int i = 0; i < PROMPT; i++) prompt[i] = i * 97 % VOCAB;
    for (; done < TRIES && !lh_failed(w->g->ctx); done++) {
        double seconds = 0;
        const int n = is_prompt ? 1 : TOKENS;
        if (!is_prompt) lh_generator_prompt(w, prompt, 8), lh_generator_next(w);
        for (int k = 0; k < n; k++) {
            const double start = lh_clock();
            if (is_prompt) lh_generator_prompt(w, prompt, PROMPT);
            lh_generator_next(w);
            const double took = lh_clock() - start;
            if (*least <= 0 || took < *least) *least = took;
            seconds += took;
        }
        const double after = can(pool);
        most[done] = (before + after) / 2;
        share[done] = work * n / seconds / most[done];
        before = after;
    }
    *at_most = lh_middle(most, done);
    *of = lh_middle(share, done);
}

static result generate(lh_precision precision) {
    result r = {0};
    lh_context *ctx = lh_context_new();
    lh_graph *g = gpt(ctx);
    lh_generator *w =
        g ? lh_generator_new(
                g, &(lh_generator_how){.context = 1024,
                                       .choice = {.temperature = 0.8, .top_k = 40, .top_p = 1},
                                       .end = -1,
                                       .threads = threads,
                                       .precision = precision})
          : NULL;
    if (!w) return r;
    float *weights = NULL;
    lh_pool *pool = lh_pool_new(threads);
    r.bytes = borrow_all(w, precision, &weights);
    judge(w, pool, precision == LH_IN_BF16 ? lh_rate_halves : lh_rate_products, true,
          prompt_flops(), &r.prompt, &r.peak, &r.of_peak);
    struct rusage used; /* before there is memory to be read */
    getrusage(RUSAGE_SELF, &used);
    r.memory = (double)used.ru_maxrss * 1024;
    judge(w, pool, lh_rate_reading, false, r.bytes, &r.token, &r.read, &r.of_read);
    if (lh_failed(ctx)) fprintf(stderr, "%s\n", lh_context_error(ctx)->what), r.bytes = 0;
    lh_pool_free(pool);
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

static void report(const char *name, lh_precision precision) {
    const result r = run_alone(precision);
    if (r.bytes <= 0) {
        printf("%-6s failed\n", name);
        return;
    }
    printf("%-6s %7.1f %8.0f %6.1f %6.0f%%   %6.0f %8.0f %6.0f %6.0f%%  %8.0f\n", name, 1 / r.token,
           1e-6 * r.bytes, 1e-9 * r.read, 100 * r.of_read, 1e3 * r.prompt,
           1e-9 * prompt_flops() / r.prompt, 1e-9 * r.peak, 100 * r.of_peak, 1e-6 * r.memory);
    fflush(stdout);
}

/* ---- from the shell ---- */

/* Seconds of the shortest of some. */
static double shell(const char *command) {
    double least = 0;
    for (int i = 0; i < TRIES; i++) {
        const double start = lh_clock();
        if (system(command) != 0) return 0;
        const double took = lh_clock() - start;
        if (!i || took < least) least = took;
    }
    return least;
}

static void first_token(const char *longhand) {
    char folder[] = "/tmp/bench_generate_XXXXXX", command[1024];
    if (!longhand || !mkdtemp(folder)) return;
    snprintf(command, sizeof command,
             "'%s' train gpt --set layers=4 dim=128 heads=4 context=64 --steps 1 -o %s/m "
             ">/dev/null 2>&1",
             longhand, folder);
    double seconds = 0;
    if (system(command) == 0) {
        snprintf(command, sizeof command, "'%s' sample %s/m -n 1 >/dev/null", longhand, folder);
        seconds = shell(command);
    }
    printf("\nfirst token of 4 layers x 128 from the shell: %.1f ms\n", 1e3 * seconds);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0) fprintf(stderr, "%s stays\n", folder);
}

int main(int argc, char **argv) {
    if (argc > 1 && atoi(argv[1]) > 0) threads = atoi(argv[1]);
    printf("           one token                        prompt of %d\n", PROMPT);
    printf("         a second  MB read   GB/s  of it       ms  GFLOP/s   peak  of it   MB peak\n");
    report("float", LH_IN_FLOAT);
    report("bf16", LH_IN_BF16);
    first_token(getenv("LONGHAND"));
    return 0;
}
