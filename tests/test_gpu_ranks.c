/* Sums on a GPU and their way to other GPUs, by one process with a communicator of its own: no MPI is needed. On the emulated GPU of tests/emulated, or
 * on a real one with the system's NCCL: `make test-gpu`. Several ranks are in gpus_cli.sh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "eval/backends.h"
#include "eval/cuda/cuda.h"
#include "eval/plan.h"
#include "learn/lesson.h"
#include "train/floats.h"
#include "train/text_data.h"
#include "train/trainer.h"

extern const lh_evaluator lh_cuda;

/* The machine with the GPU may have no library for tests. */
#define fail_msg(...)                                                                              \
    do {                                                                                           \
        fprintf(stderr, "not ok: %s:%d: ", __FILE__, __LINE__);                                    \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fputc('\n', stderr);                                                                       \
        exit(1);                                                                                   \
    } while (0)
#define must(x)                                                                                    \
    do {                                                                                           \
        if (!(x)) fail_msg("%s", #x);                                                              \
    } while (0)

static void stop_if_failed(lh_context *ctx) {
    if (lh_failed(ctx)) fail_msg("%s", lh_context_error(ctx)->what);
}

/* ---- a rank that is alone ---- */

static void lone_tell(void *bytes, size_t n, int from) {
    (void)bytes, (void)n;
    must(from == 0);
}

static void lone_ints(int *x, size_t n) {
    (void)x, (void)n;
}

static void lone_doubles(double *x, size_t n) {
    (void)x, (void)n;
}

static __attribute__((noreturn)) void lone_abort(int status) {
    fail_msg("aborted with %d", status);
    abort();
}

static bool is_parted;
static lh_ranks lone = {.n = 1,
                        .carrier = {.tell = lone_tell},
                        .add_ints = lone_ints,
                        .add_doubles = lone_doubles,
                        .is_parted = &is_parted,
                        .abort = lone_abort};

/* ---- numbers ---- */

enum { N = 1000 };

static float *there(lh_context *ctx, const float *here) {
    float *x = lh_cuda_take(ctx, N, sizeof *x);
    must(x);
    lh_cuda_cells.put(x, here, N * sizeof *x);
    return x;
}

static void check(const char *what, const float *x, const float *wanted) {
    float here[N];
    lh_cuda_cells.get(here, x, sizeof here);
    if (memcmp(here, wanted, sizeof here) != 0) fail_msg("%s: other numbers", what);
}

static void numbers_go_round(void) {
    lh_context *ctx = lh_context_new();
    const char *why = NULL;
    char id[LH_GPU_ID] = "";
    const int counts[1] = {N}, fewer[1] = {N - 1};
    float x[N], twice[N], rounded[N];
    for (int i = 0; i < N; i++) x[i] = 1 / (float)(i + 1), twice[i] = 2 * x[i];
    if (!lh_cuda_cells.open(ctx)) fail_msg("%s", lh_context_error(ctx)->what);
    if (!lh_cuda_cells.can_carry(&why) || !lh_cuda_cells.make_id(id, &why)) fail_msg("%s", why);
    const lh_carrier *c = lh_cuda_cells.carry(id, 0, 1, &why);
    if (!c) fail_msg("%s", why);
    printf("%s on %s\n", c->name, lh_cuda_cells.device());
    lh_cuda_cells.follow();
    float *a = there(ctx, x), *b = lh_cuda_take(ctx, N, sizeof *b);
    uint16_t *half = lh_cuda_take(ctx, N, sizeof *half);
    c->exchange(0, LH_WIRE_FLOAT, a, counts, b, counts);
    check("exchange", b, x);
    lh_cuda_cells.add(b, a, N);
    check("add", b, twice);
    c->gather(0, LH_WIRE_FLOAT, a, N, b, counts);
    check("gather", b, x);
    c->add_floats(0, b, N);
    c->tell(b, N * sizeof *b, 0);
    check("a sum of one, told", b, x);
    lh_cuda_cells.shorten(half, a, N);
    lh_cuda_cells.lengthen(b, half, N);
    lh_cuda_cells.get(rounded, b, sizeof rounded);
    for (int i = 0; i < N; i++)
        if (!(fabsf(rounded[i] - x[i]) <= x[i] / 256)) fail_msg("number %d in bf16", i);
    uint16_t *other = lh_cuda_take(ctx, N, sizeof *other);
    c->exchange(1, LH_WIRE_BF16, half, fewer, other, fewer);
    lh_cuda_cells.lengthen(b, other, N);
    rounded[N - 1] = 0;
    check("exchange of bf16, one fewer", b, rounded);
    lh_cuda_cells.copy(b, a, sizeof x);
    check("copy", b, x);
    lh_cuda_cells.join();
    lh_cuda_cells.leave();
    stop_if_failed(ctx);
    void *const all[] = {a, b, half, other};
    for (int i = 0; i < 4; i++) lh_cuda_give_back(ctx, all[i]);
    lh_context_free(ctx);
}

/* ---- training ---- */

typedef struct run {
    lh_context *ctx;
    lh_tokenizer *tokens;
    lh_data *data;
    lh_program *program;
    lh_graph *g;
    lh_trainer *t;
} run;

static run open_run(const lh_trainer_how *how) {
    static const char text[] =
        "the cat sat on the mat. the dog saw a bird, and a bird saw the dog. a cat saw it all.\n"
        "the mat was on the cat, the bird was on the dog, and nobody knew why it was so.\n";
    static const lh_setting set[] = {{"vocab", "40"}, {"layers", "2"},  {"dim", "16"},
                                     {"heads", "2"},  {"context", "8"}, {"drop", "0.1"}};
    run r = {.ctx = lh_context_new()};
    r.tokens = lh_data_tokenizer(r.ctx, "char", "text", text, strlen(text));
    r.data = lh_data_new(r.ctx, r.tokens, &(lh_data_how){.name = "text", .context = 8}, text,
                         strlen(text));
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    r.program = lh_lesson_parse(r.ctx, "models/gpt.lh", f->text, f->length);
    r.g = lh_graph_build(
        r.ctx, r.program,
        &(lh_build){.set = set, .n_set = sizeof set / sizeof *set, .without_examples = true});
    stop_if_failed(r.ctx);
    r.t = lh_trainer_new(r.g, lh_data_feed(r.data), how);
    stop_if_failed(r.ctx);
    return r;
}

static void close_run(run *r) {
    lh_trainer_free(r->t);
    lh_graph_free(r->g);
    lh_program_free(r->program);
    lh_data_free(r->data);
    lh_tokenizer_free(r->tokens);
    lh_context_free(r->ctx);
}

/* The largest difference of two runs in any param or state. */
static double apart(const run *a, const run *b) {
    double most = 0;
    for (int i = 0; i < a->g->n_givens; i++) {
        const lh_node *n = a->g->given[i]->node, *m = b->g->given[i]->node;
        const size_t cells = lh_plan_fixed_cells(a->g, n);
        double *x = calloc(cells, sizeof *x), *y = calloc(cells, sizeof *y);
        if (lh_plan_has(a->t->plan, n) && lh_plan_has(b->t->plan, m)) {
            lh_plan_read(a->t->plan, n, x), lh_plan_read(b->t->plan, m, y);
            for (size_t k = 0; k < cells; k++) most = fmax(most, fabs(x[k] - y[k]));
        }
        free(x), free(y);
    }
    return most;
}

static void train(run *r, int steps) {
    for (int i = 0; i < steps; i++)
        if (!lh_trainer_step(r->t)) fail_msg("step %d: %s", i, lh_context_error(r->ctx)->what);
    const double held_out = lh_trainer_validate(r->t, 1);
    must(held_out > 0);
}

static double compare(lh_trainer_how a, lh_trainer_how b, int steps) {
    run x = open_run(&a), y = open_run(&b);
    train(&x, steps), train(&y, steps);
    if (b.ranks) must(y.t->parts->post.sent);
    const double d = apart(&x, &y);
    close_run(&x), close_run(&y);
    return d;
}

static void training_comes_to_the_same_bits(void) {
    const lh_trainer_how alone = {.with = &lh_cuda, .batch = 6, .seed = 3, .pieces = 3};
    lh_trainer_how other = alone;
    other.ranks = &lone;
    must(compare(alone, other, 2) == 0);
    other.micro = 1; /* sums go on from part to part: rounded in another order */
    must(compare(alone, other, 1) < 1e-4);
    lh_trainer_how with = alone;
    with.with = NULL;
    must(compare(with, alone, 1) < 1e-4);
    other = alone, other.ranks = &lone;
    other.sums.any_order = true;
    must(compare(alone, other, 1) < 1e-4);
    other.sums.wire = LH_WIRE_BF16;
    must(compare(alone, other, 1) < 1e-2);
}

/* How far another order comes apart is said by the GPU's numbers, too; and a batch can be run in parts without pieces. */
static void parts_and_orders(void) {
    lh_trainer_how how = {.with = &lh_cuda, .batch = 6, .seed = 3, .pieces = 3, .ranks = &lone};
    how.sums.any_order = true;
    run r = open_run(&how);
    const double d = lh_trainer_apart(r.t);
    if (!(d >= 0 && d < 1e-5)) fail_msg("%g apart", d);
    close_run(&r);
    const lh_trainer_how whole = {.with = &lh_cuda, .batch = 6, .seed = 3};
    lh_trainer_how parts = whole;
    parts.micro = 4;
    must(compare(whole, parts, 1) < 1e-4);
}

int main(void) {
    numbers_go_round();
    training_comes_to_the_same_bits();
    parts_and_orders();
    puts("ok: numbers on a GPU, and to other GPUs");
    return 0;
}
