/* The backend cuda against the exact evaluator: every operation, every kernel, every program, random ones; forward and each gradient.
 *
 *     test_gpu [operations] [kernels] [programs] [random] [bf16] [attention] [growing] [steps] [recompute] [joined]
 *              [norms] [lists] [parts] [tried] [scarce] [races]                                                                                all of them unless named
 *
 * It needs a GPU, or an emulated one, and nothing else: it runs where the tests' own library is not. A case that fails is told in full, and the next
 * one follows. The last line is `N passed, N failed`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/embedded.h"
#include "base/half.h"
#include "base/random.h"
#include "eval/cuda/cuda.h"
#include "eval/cuda/devices.h"
#include "eval/fast/grow.h"
#include "eval/fast/wish.h"
#include "eval/kernel.h"
#include "eval/plan.h"
#include "learn/lesson.h"
#include "notation/notation.h"
#include "train/feed.h"
#include "kernel_trials.h"
#include "op_trials.h"
#include "ragged.h"

enum { MOST_TOLD = 40 };

static int passed, failed;
static lh_fast_wish precision; /* what the plans of the GPU are asked for */

typedef struct tried {
    const char *name, *text;
    lh_context *ctx;
    lh_program *program;
    lh_graph *g;
    lh_plan *exact,
        *moved;            /* moved: starts a little beside, to see what rounding can do; or NULL */
    const lh_batch *batch; /* NULL: the program's own examples */
    bool is_wrong;
} tried;

static void tell(tried *t, const char *how, const char *what) {
    if (!t->is_wrong && ++failed <= MOST_TOLD)
        printf("FAILED %s, %s: %s\n%s\n", t->name, how, what, t->text);
    t->is_wrong = true;
    fflush(stdout);
}

static bool is_well(tried *t, const char *how) {
    const lh_error *e = lh_context_error(t->ctx);
    char what[1024];
    if (!lh_failed(t->ctx)) return true;
    snprintf(what, sizeof what, "line %d: %s (%s)", e->at.line, e->what, e->cure);
    tell(t, how, what);
    return false;
}

static bool open_tried_with(tried *t, const char *name, const char *text, size_t length,
                            const lh_build *how) {
    *t = (tried){.name = name, .text = length > 6000 ? "" : text, .ctx = lh_context_new()};
    t->program = lh_lesson_parse(t->ctx, name, text, length);
    t->g = t->program ? lh_graph_build(t->ctx, t->program, how) : NULL;
    return is_well(t, "building");
}

static bool open_tried(tried *t, const char *name, const char *text, size_t length) {
    return open_tried_with(t, name, text, length, NULL);
}

static void close_tried(tried *t) {
    lh_exact.free(t->exact);
    lh_exact.free(t->moved);
    lh_graph_free(t->g);
    lh_program_free(t->program);
    lh_context_free(t->ctx);
    if (!t->is_wrong) passed++;
}

/* ---- comparing ---- */

typedef struct distance {
    double off, length, moved;
    lh_cell at; /* the worst cell */
    double worst, x, y;
} distance;

static void add_cell(distance *d, lh_cell at, double x, double y, double z) {
    if (x == y || (x != x && y != y)) y = x = isfinite(x) ? x : 0, z = isfinite(z) ? z : 0;
    const double off = fabs(x - y);
    d->off += off * off, d->length += x * x;
    if (isfinite(x - z)) d->moved += (x - z) * (x - z);
    if (off > d->worst || (off != off && d->worst == d->worst))
        d->worst = off, d->at = at, d->x = x, d->y = y;
}

static distance apart(const tried *t, const lh_plan *gpu, const lh_node *n) {
    distance d = {0};
    for (int e = 0; e < (n->shape.is_batched ? lh_exact.examples(t->exact) : 1); e++) {
        const lh_sizes s = lh_exact.sizes(t->exact, n, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++) {
                    const lh_cell at = {e, h, r, c};
                    const double x = lh_exact.get(t->exact, n, at);
                    add_cell(&d, at, x, lh_cuda.get(gpu, n, at),
                             t->moved ? lh_exact.get(t->moved, n, at) : x);
                }
    }
    d.off = sqrt(d.off), d.length = sqrt(d.length), d.moved = sqrt(d.moved);
    return d;
}

static void compare(tried *t, const lh_plan *gpu, const lh_node *n, const char *how, double slack) {
    if (!lh_exact.has(t->exact, n) || !lh_cuda.has(gpu, n)) return;
    const distance d = apart(t, gpu, n);
    if (d.off <= slack * (d.length > 1e-2 ? d.length : 1e-2) + 10 * d.moved) return;
    char what[1024];
    const lh_sizes s = lh_exact.sizes(t->exact, n, d.at.example);
    snprintf(what, sizeof what,
             "%s (%s) is off by %g of %g; %d heads x %d x %d, worst in example %d head %d "
             "[%d][%d]: %.9g, exact %.9g",
             n->step ? n->step->path : "a value", n->op->name, d.off, d.length, s.heads, s.rows,
             s.cols, d.at.example, d.at.head, d.at.row, d.at.col, d.y, d.x);
    tell(t, how, what);
}

static void feed(const tried *t, lh_plan *p) {
    if (t->batch)
        lh_exact.feed(p, t->batch);
    else
        lh_exact.bind(p, NULL, 0);
}

static bool make_exact(tried *t) {
    if (!t->exact) {
        t->exact = lh_exact.plan(t->g, &(lh_wish){.all = true});
        if (t->exact) feed(t, t->exact), lh_exact.run(t->exact);
    }
    return is_well(t, "the exact evaluator");
}

/* Everything by its definition: each step, each inner line, each gradient, after two runs. asks_all: what has no name, too. */
static void by_definition(tried *t, bool asks_all, double slack) {
    if (!make_exact(t)) return;
    lh_plan *gpu = lh_cuda.plan(t->g, &(lh_wish){.all = true, .by_definition = true});
    for (int i = 0; gpu && i < 2; i++) feed(t, gpu), lh_cuda.run(gpu);
    if (is_well(t, "by definition"))
        for (int i = 0; i < t->g->n_nodes && !t->is_wrong;
             i++) /* in their order: the first is where it began */
            if (lh_exact.has(t->exact, t->g->node[i]) &&
                (asks_all || (t->g->node[i]->step && !lh_step_is_inner(t->g->node[i]->step))))
                compare(t, gpu, t->g->node[i], "by definition", slack);
    lh_cuda.free(gpu);
}

static void compare_steps(tried *t, const lh_plan *gpu, const char *how, double slack) {
    for (int i = 0; i < t->g->n_steps && !t->is_wrong; i++)
        if (!t->g->step[i]->is_dead) compare(t, gpu, t->g->step[i]->node, how, slack);
}

/* Steps by kernels, where there are some. asks: every step by name; else only the loss and the params' gradients, so that all else is joined. */
static void by_kernels(tried *t, bool asks, double slack) {
    int n = 0;
    if (!make_exact(t)) return;
    lh_node **node = calloc((size_t)t->g->n_steps + (size_t)t->g->n_givens + 2, sizeof *node);
    if (t->g->loss) node[n++] = t->g->loss;
    for (int i = 0; asks && i < t->g->n_steps; i++) {
        const lh_step *s = t->g->step[i];
        if (!s->is_dead && (s->kind == LH_STEP_FORWARD || s->kind == LH_STEP_GRADIENT))
            node[n++] = s->node;
    }
    for (int i = 0; !asks && i < t->g->n_givens; i++)
        if (t->g->given[i]->gradient) node[n++] = t->g->given[i]->gradient->node;
    lh_plan *gpu =
        n ? lh_cuda.plan(t->g, &(lh_wish){.node = node, .n_nodes = n, .own = &precision}) : NULL;
    for (int i = 0; gpu && i < (engine_quick() ? 2 : 4); i++)
        feed(t, gpu), lh_cuda.run(gpu); /* the third is recorded */
    const char *how = asks ? "every step asked for" : "gradients alone";
    if (is_well(t, how) && gpu) compare_steps(t, gpu, how, slack);
    lh_cuda.free(gpu);
    free(node);
}

/* An optimiser that measures each step by the gradient itself makes much of a gradient that is 0 but for rounding. */
static bool is_measured(const lh_graph *g) {
    for (int i = 0; i < g->n_nodes; i++)
        if (g->node[i]->kind == LH_OP_call && (strstr(g->node[i]->call->fn->name, "adam") ||
                                               strstr(g->node[i]->call->fn->name, "rms")))
            return true;
    return false;
}

/* Updates, with nothing asked for but the loss. */
static void by_learning(tried *t, double slack) {
    enum { UPDATES = 4 };
    lh_exact.free(t->exact);
    t->exact = lh_exact.plan(
        t->g, &(lh_wish){.updates = true, .node = &t->g->loss, .n_nodes = t->g->loss != NULL});
    lh_plan *gpu = lh_cuda.plan(t->g, &(lh_wish){.updates = true,
                                                 .node = &t->g->loss,
                                                 .n_nodes = t->g->loss != NULL,
                                                 .own = &precision});
    for (int i = 0; t->exact && gpu && i <= UPDATES; i++) {
        feed(t, t->exact), feed(t, gpu);
        lh_exact.run(t->exact), lh_cuda.run(gpu);
        if (i < UPDATES) lh_exact.commit(t->exact), lh_cuda.commit(gpu);
    }
    if (is_well(t, "learning")) {
        if (t->g->loss) compare(t, gpu, t->g->loss, "the loss after four updates", slack);
        for (int i = 0; i < t->g->n_givens && !is_measured(t->g); i++)
            compare(t, gpu, t->g->given[i]->node, "after four updates", slack);
    }
    lh_cuda.free(gpu);
    lh_exact.free(t->exact);
    t->exact = NULL;
}

static bool runs(const tried *t) {
    return t->g && (t->g->n_examples || !t->g->n_inputs) && t->g->n_steps;
}

/* Starts as float has them; the second plan a little beside. */
static void start_alike(tried *t, uint64_t seed) {
    uint32_t drawn = 0;
    lh_exact.start(t->exact), lh_exact.start(t->moved);
    for (int i = 0; i < t->g->n_givens; i++) {
        const lh_node *n = t->g->given[i]->node;
        if (!lh_exact.has(t->exact, n)) continue;
        const lh_sizes s = lh_exact.sizes(t->exact, n, 0);
        for (int k = 0; k < s.rows * s.cols; k++) {
            const lh_cell at = {0, 0, k / s.cols, k % s.cols};
            const double x = (float)lh_exact.get(t->exact, n, at);
            const lh_random_place by = {.seed = seed, .place = 9, .row = drawn++};
            lh_exact.set(t->exact, n, at, x);
            lh_exact.set(t->moved, n, at, x * (1 + 3e-7 * (2 * lh_random_uniform(by) - 1)));
        }
    }
}

/* ---- operations ---- */

/* is_large: many numbers add up to one that may be near 0, so what rounding can do is seen from starts a little beside. */
static void try_case_of(const trial_case *c, bool is_large) {
    lh_context *ctx = lh_context_new();
    lh_arena *arena = lh_arena_new(ctx);
    const char *text = trial_text(arena, c);
    tried t;
    if (text && open_tried(&t, c->of->of, text, strlen(text))) {
        t.exact = is_large ? lh_exact.plan(t.g, &(lh_wish){.all = true}) : NULL;
        t.moved = is_large ? lh_exact.plan(t.g, &(lh_wish){.all = true}) : NULL;
        if (t.exact && t.moved) {
            start_alike(&t, 7);
            feed(&t, t.exact), feed(&t, t.moved);
            lh_exact.run(t.exact), lh_exact.run(t.moved);
        }
        by_definition(&t, true, 1e-4);
    }
    if (text) close_tried(&t);
    lh_arena_free(arena);
    lh_context_free(ctx);
}

static void try_case(const trial_case *c) {
    try_case_of(c, false);
}

/* A table has a row for each word, however wide the case is. */
static const trial large_tables[] = {
    TRY(lookup, "a[t]", "CxC", NULL, NULL, 0),
    TRY(lookup, "a[t] * b[t]", "CxC", "CxC Cx1", NULL, 0),
    TRY(addrows, "addrows(a, t, rows(b)) * b", "RxC", "CxC", NULL, 0),
};

static bool has_small_table(const trial *of) {
    return (strcmp(of->of, "lookup") == 0 || strcmp(of->of, "addrows") == 0) &&
           !strstr(of->expr, "positions");
}

static void try_large(const trial *of, int *turn) {
    static const int sizes[][2] = {{37, 70}, {129, 33}}; /* more than a warp, more than a tile */
    for (int mode = TRIAL_FIXED; mode < TRIAL_MODES; mode++)
        for (size_t s = 0; s < 2; s++, ++*turn)
            try_case_of(
                &(trial_case){of, (trial_mode)mode, sizes[s][0], sizes[s][1], *turn % 5, *turn},
                true);
}

/* Which operations have no form of their own: they run, slowly. Kernels must have code. */
static void every_operation_has_a_form(void) {
    const char *why;
    const lh_gpu *gpu = lh_cuda_find(&why);
    for (int i = 0; i < LH_N_OPS; i++)
        if (lh_ops[i]->exact && !gpu->op[i]) printf("%s has no form for a GPU\n", lh_ops[i]->name);
    for (int i = 0; i < LH_GPU_N_KERNELS; i++) {
        if (gpu->kernel[i]) continue;
        printf("FAILED kernel %s has no code for a GPU\n", lh_cuda_like(i)->name);
        failed++;
    }
}

/* An operation that somebody has just added: without a form it runs on the processor. */
static void try_without_a_form(void) {
    static const lh_op_id without[] = {LH_OP_tanh, LH_OP_lookup, LH_OP_coin, LH_OP_total,
                                       LH_OP_rows};
    const char *why;
    lh_gpu *gpu = (lh_gpu *)lh_cuda_find(&why);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        const lh_gpu_launch was = gpu->op[without[i]];
        gpu->op[without[i]] = NULL;
        for (size_t k = 0; k < sizeof op_trials / sizeof *op_trials; k++)
            for (int mode = 0;
                 mode < TRIAL_MODES && strcmp(op_trials[k].of, lh_ops[without[i]]->name) == 0;
                 mode++)
                try_case(&(trial_case){&op_trials[k], (trial_mode)mode, 3, 5, 0, mode});
        gpu->op[without[i]] = was;
    }
}

static void try_operations(void) {
    static const int sizes[][2] = {{1, 1}, {1, 4}, {3, 1}, {2, 3}, {3, 5}, {5, 2}};
    int n = 0;
    for (size_t i = 0; i < sizeof op_trials / sizeof *op_trials; i++) {
        const trial *of = &op_trials[i];
        for (int mode = 0; mode < TRIAL_MODES; mode++)
            for (size_t s = 0; s < 6; s += engine_quick() ? 3 : 1, n++)
                try_case(&(trial_case){of, (trial_mode)mode, sizes[s][0], sizes[s][1],
                                       n % trial_shapes(of), n});
        if (!engine_quick() && !has_small_table(of)) try_large(of, &n);
    }
    for (size_t i = 0; i < sizeof large_tables / sizeof *large_tables; i++)
        if (!engine_quick()) try_large(&large_tables[i], &n);
    try_without_a_form();
    for (size_t i = 0; i < sizeof op_programs / sizeof *op_programs; i++) {
        tried t;
        if (open_tried(&t, op_programs[i].of, op_programs[i].text, strlen(op_programs[i].text)))
            by_definition(&t, true, 1e-4), by_learning(&t, 1e-4);
        close_tried(&t);
    }
}

/* ---- kernels ---- */

static bool uses(const lh_plan *p, const char *kernel) {
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < p->list[stage].n; i++)
            if (p->list[stage].work[i].match &&
                strcmp(p->list[stage].work[i].match->kernel->name, kernel) == 0)
                return true;
    return false;
}

static bool is_listed(const char *kernel) {
    const lh_kernel *const *k =
        precision.precision == LH_IN_BF16 ? lh_cuda_likes_bf16 : lh_cuda_likes;
    for (k++; *k; k++) /* behind the one that does nothing */
        if (strcmp((*k)->name, kernel) == 0) return true;
    return false;
}

/* Of what numbers of its precision come to in a few steps. */
static double slack(void) {
    return precision.precision == LH_IN_BF16 ? 3e-2 : 1e-4;
}

/* must: the kernel has to be taken, and not only where it can be */
static void try_text(const char *kernel, const char *text, bool must) {
    tried t;
    if (open_tried(&t, kernel, text, strlen(text))) {
        lh_plan *p = lh_cuda.plan(t.g, &(lh_wish){.updates = true,
                                                  .node = &t.g->loss,
                                                  .n_nodes = 1,
                                                  .is_sketch = true,
                                                  .own = &precision});
        if (p && must && !uses(p, kernel)) tell(&t, "planning", "the kernel is not used");
        lh_cuda.free(p);
        by_kernels(&t, true, slack());
        by_kernels(&t, false, slack());
        if (precision.precision == LH_IN_FLOAT) by_learning(&t, slack());
    }
    close_tried(&t);
}

static void try_kernel(const char *kernel, const char *lines, bool must) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", kernel_head, lines, kernel_tail);
    try_text(kernel, text, must && is_listed(kernel));
}

static void try_kernels(void) {
    for (const lh_kernel *const *k = lh_kernels; *k; k++) try_kernel((*k)->name, (*k)->trial, true);
    for (size_t i = 0; i < sizeof kernel_trials / sizeof *kernel_trials; i++)
        try_kernel(kernel_trials[i].kernel, kernel_trials[i].text,
                   strncmp(kernel_trials[i].kernel, "attention", 9) != 0);
}

/* ---- in bf16 ---- */

/* Weights that are computed, of another type than the rows, and rows that begin at an odd column. */
static void try_heads(void) {
    static const char *const lines[] = {
        "P = E * 0.5\nlogits = X @ P^T\nY = crossentropy(logits, target)\n",
        "param W : 6 x 9 = normal(1)\nA = X @ W\nlogits = columns(A, 1, 7) @ E^T\nY = "
        "crossentropy(logits, target)\n",
        "param W : 6 x 9 = normal(1)\nA = columns(X @ W, 3, 9)\nP = W @ W^T\nlogits = A @ P\nY = "
        "crossentropy(logits @ E^T, target)\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        try_kernel("projection and crossentropy", lines[i], false);
}

static void try_bf16(void) {
    precision.precision = LH_IN_BF16;
    try_kernels();
    try_heads();
    precision.precision = LH_IN_FLOAT;
}

/* Rows so wide that there are several groups of 256 columns, the last of them not full; with EMULATED_SHARED too wide for shared memory. */
static void try_norms(void) {
    static const int cols[] = {264, 776, 1096, 1544, 2048, 2056};
    precision.precision = LH_IN_BF16;
    for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
        for (int is_rms = 0; is_rms < 2; is_rms++) {
            char text[2048];
            int n = snprintf(text, sizeof text,
                             "vocab 11\nseed 3\ninput tokens : vocab*\ninput target : vocab*\n"
                             "example tokens = t1 t2 t3, target = t4 t5 t6\n"
                             "example tokens = t0, target = t10\nparam E : vocab x 8 = normal(1)\n"
                             "param W : 8 x %d = normal(0.5)\nparam G : 1 x %d = normal(1)\n",
                             cols[i], cols[i]);
            n += snprintf(text + n, sizeof text - (size_t)n,
                          is_rms
                              ? "X = E[tokens] @ W\nN = X + rmsnorm(X, G)\nlogits = N @ W^T @ E^T\n"
                                "Y = crossentropy(logits, target)\n"
                              : "param B : 1 x %d = normal(1)\nX = E[tokens] @ W\nN = X + "
                                "layernorm(X, G, B)\nlogits = N @ W^T @ E^T\n"
                                "Y = crossentropy(logits, target)\n",
                          cols[i]);
            snprintf(text + n, sizeof text - (size_t)n, "%s", kernel_tail);
            try_text(is_rms ? "rmsnorm" : "layernorm", text, true);
        }
    precision.precision = LH_IN_FLOAT;
}

/* Rows of several tiles, heads of several widths, keys that heads share, windows. */
static void try_attention_of(int heads, int shared, int cols, const char *hide) {
    static const int rows[] = {150, 1, 67};
    char *text = malloc(1 << 14);
    int n =
        snprintf(text, 1 << 14, "vocab 29\nseed 5\ninput tokens : vocab*\ninput target : vocab*\n");
    for (int e = 0; e < 3; e++) {
        for (int side = 0; side < 2; side++) {
            n += snprintf(text + n, 32, "%s", side ? ", target =" : "example tokens =");
            for (int i = 0; i < rows[e]; i++)
                n += snprintf(text + n, 16, " t%d", (i * 7 + i * i + 3 * e + side) % 29);
        }
        n += snprintf(text + n, 16, "\n");
    }
    n += snprintf(text + n, 4096,
                  "param E : vocab x 24 = normal(1)\nparam WQ : 24 x %d = normal(0.3)\n"
                  "param WK : 24 x %d = normal(0.3)\nparam WV : 24 x %d = normal(0.3)\n"
                  "X = E[tokens]\nQ = split(X @ WQ, %d)\nK = split(X @ WK, %d)\n"
                  "V = split(X @ WV, %d)\nH = attention(Q, K, V, hide = %s)\nY = join(H)\n",
                  heads * cols, shared * cols, shared * cols, heads, shared, shared, hide);
    snprintf(text + n, 4096, "%s", kernel_tail);
    try_text("attention", text, true);
    try_text("attention, back", text, true);
    free(text);
}

static void try_attention(void) {
    precision.precision = LH_IN_BF16;
    try_attention_of(2, 2, 32, "later(Q, K)");
    try_attention_of(2, 1, 64, "later(Q, K)");
    try_attention_of(2, 2, 20, "0");
    if (!engine_quick()) {
        try_attention_of(4, 2, 128, "later(Q, K)");
        try_attention_of(1, 1, 7, "later(Q, K)");
        try_attention_of(3, 3, 48, "beyond(Q, K, 40, 3)");
        try_attention_of(2, 2, 64, "beyond(Q, K, 9, 0)");
        try_attention_of(2, 2, 96, "0");
    }
    precision.precision = LH_IN_FLOAT;
}

/* ---- programs ---- */

/* Width-2 norms turn rounding into signs, and lessons take differences of close numbers: not for float. */
static bool is_for_float(const char *name) {
    static const char *const not_for[] = {"ex6.md", "ex6-causal.md", "ex6-three.md"};
    for (size_t i = 0; i < sizeof not_for / sizeof *not_for; i++)
        if (strstr(name, not_for[i])) return false;
    if (strstr(name, "sine.lh")) return false; /* one of its gradients is 0 but for rounding */
    return strncmp(name, "lessons/ex", 10) == 0 || strncmp(name, "models/", 7) == 0;
}

static void try_programs(void) {
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *f = &lh_embedded_files[i];
        if (!is_for_float(f->name)) continue;
        tried t;
        if (open_tried(&t, f->name, f->text, f->length) && runs(&t)) {
            by_definition(&t, false, 1e-4);
            by_kernels(&t, true, 1e-4);
            by_learning(&t, 1e-4);
        }
        close_tried(&t);
    }
}

/* ---- random programs over examples of different lengths ---- */

static void try_random_one(uint64_t seed) {
    static ragged r;
    static ragged_batch b;
    ragged_make(&r, seed);
    tried t;
    if (open_tried(&t, "random", r.text, strlen(r.text))) {
        t.text = r.text;
        t.exact = lh_exact.plan(t.g, &(lh_wish){.all = true});
        t.moved = lh_exact.plan(t.g, &(lh_wish){.all = true});
        if (is_well(&t, "planning")) {
            start_alike(&t, seed);
            ragged_draw_batch(&r, &b);
            t.batch = &b.batch;
            feed(&t, t.exact), feed(&t, t.moved);
            lh_exact.run(t.exact), lh_exact.run(t.moved);
            by_definition(&t, true, 2e-4);
            by_kernels(&t, true, 2e-4);
            by_kernels(&t, false, 2e-4);
        }
    }
    close_tried(&t);
}

static void try_random(void) {
    const char *n = getenv("LH_GPU_RANDOM");
    for (int i = 0; i < (n ? atoi(n) : engine_quick() ? 40 : 150); i++) try_random_one((uint64_t)i);
}

/* ---- a text that grows ---- */

enum { PROMPT = 5, TEXT = 14 };

/* The scores behind `count` tokens, by a plan that has seen `past` of them. */
static void grow(const tried *t, lh_plan *p, const lh_inputs *in, const int *token, int past,
                 int count) {
    const int n = count - past;
    lh_inputs_fill(in, &n, token + past);
    lh_fast_past(p, past);
    lh_exact.feed(p, &(lh_batch){.examples = 1, .rows = in->rows, .tokens = in->tokens});
    lh_exact.run(p);
    (void)t;
}

static void compare_scores(tried *t, lh_plan *gpu, int count, double slack) {
    const lh_node *from = t->g->generate->from;
    const int row = lh_exact.sizes(t->exact, from, 0).rows - 1,
              last = lh_exact.sizes(gpu, from, 0).rows - 1,
              cols = lh_exact.sizes(gpu, from, 0).cols;
    distance d = {0};
    int best = 0;
    double x[4096];
    if (cols > 4096) return;
    lh_plan_read_row(gpu, from, last, x);
    for (int c = 0; c < cols; c++) {
        add_cell(&d, (lh_cell){0, 0, row, c}, lh_exact.get(t->exact, from, (lh_cell){0, 0, row, c}),
                 x[c], x[c]);
        if (x[c] > x[best]) best = c;
    }
    char what[256];
    snprintf(what, sizeof what, "after %d tokens scores are off by %g of %g", count, sqrt(d.off),
             sqrt(d.length));
    if (!(sqrt(d.off) <= slack * sqrt(d.length) + 1e-6)) tell(t, "growing", what);
    if (lh_plan_largest(gpu, from, last) != best) tell(t, "growing", "another score is largest");
}

/* Works that others do as well. */
static int joined(const lh_plan *p) {
    int n = 0;
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++)
        n += lh_cuda_of(p)->work[LH_STAGE_RUN][i].is_joined;
    return n;
}

/* must: rows are made one at a time; joins: in bf16 by fewer launches than works; is_one: by one */
static void grow_within(tried *t, double slack, bool must, bool joins, bool is_one) {
    lh_inputs in;
    int token[TEXT];
    const int words = t->g->input[t->g->generate->input]->vocab->n_words;
    lh_arena *arena = lh_arena_new(t->ctx);
    lh_plan *gpu = lh_cuda.plan(
        t->g,
        &(lh_wish){.node = &t->g->generate->from, .n_nodes = 1, .grows = TEXT, .own = &precision});
    for (int i = 0; i < TEXT; i++) token[i] = (i * 5 + i * i) % words;
    lh_exact.free(t->exact);
    t->exact = lh_exact.plan(t->g, &(lh_wish){.node = &t->g->generate->from, .n_nodes = 1});
    const bool is_made = gpu && t->exact && lh_inputs_make(arena, t->g, &in);
    if (is_made) lh_exact.training(gpu, false), lh_exact.training(t->exact, false);
    for (int count = PROMPT, past = 0; is_made && count <= TEXT && !t->is_wrong; past = count++) {
        if (lh_fast_prevents(gpu)) past = 0;
        grow(t, t->exact, &in, token, 0, count);
        grow(t, gpu, &in, token, past, count);
        if (is_well(t, "growing")) compare_scores(t, gpu, count, slack);
    }
    if (is_well(t, "growing") && must && lh_fast_prevents(gpu))
        tell(t, "growing", "all rows are needed again and again");
    if (!t->is_wrong && joins && precision.precision == LH_IN_BF16 && !joined(gpu))
        tell(t, "growing", "no works were joined");
    if (!t->is_wrong && is_one && !lh_cuda_of(gpu)->is_token)
        tell(t, "growing", "a token takes more than one launch");
    lh_cuda.free(gpu);
    lh_arena_free(arena);
}

/* A token by one launch, and work by work: the scores are the same but for the order of some sums. */
static void grow_both(tried *t) {
    lh_inputs in;
    int token[TEXT];
    double x[2][4096];
    const lh_node *from = t->g->generate->from;
    const int words = t->g->input[t->g->generate->input]->vocab->n_words;
    lh_arena *arena = lh_arena_new(t->ctx);
    lh_plan *by[2];
    for (int i = 0; i < TEXT; i++) token[i] = (i * 7 + 3) % words;
    for (int i = 0; i < 2; i++)
        by[i] = lh_cuda.plan(t->g, &(lh_wish){.node = &t->g->generate->from,
                                              .n_nodes = 1,
                                              .grows = TEXT,
                                              .own = &precision});
    const bool is_made = by[0] && by[1] && lh_inputs_make(arena, t->g, &in) && words <= 4096;
    if (is_made) lh_cuda_of(by[1])->is_apart = true;
    for (int count = PROMPT, past = 0; is_made && count <= TEXT && !t->is_wrong; past = count++) {
        double off = 0, length = 0;
        for (int i = 0; i < 2; i++) {
            lh_exact.training(by[i], false);
            grow(t, by[i], &in, token, past, count);
            lh_plan_read_row(by[i], from, lh_exact.sizes(by[i], from, 0).rows - 1, x[i]);
        }
        for (int c = 0; c < words; c++)
            off += (x[0][c] - x[1][c]) * (x[0][c] - x[1][c]), length += x[1][c] * x[1][c];
        if (!(sqrt(off) <= 5e-3 * sqrt(length))) tell(t, "growing", "another way, other scores");
    }
    if (is_well(t, "growing") && lh_cuda_of(by[1])->is_token) tell(t, "growing", "not apart");
    lh_cuda.free(by[0]), lh_cuda.free(by[1]);
    lh_arena_free(arena);
}

static const char sighted[] =
    "vocab 11\nsize context = 14\nseed 3\ninput tokens : vocab*\ngenerate tokens from logits\n"
    "param E : vocab x 40 = normal(1)\nparam WQ : 40 x 40 = normal(0.3)\n"
    "param WK : 40 x 20 = normal(0.3)\nX = E[tokens]\nQ = split(X @ WQ, 4)\n"
    "K = split(X @ WK, 2)\nH = attentionwith(Q, K, K * 0.5, hide = beyond(Q, K, 4, 2), "
    "scale = 0.4, cap = 3, bias = 0)\nlogits = (X + join(H)) @ E^T\n";

/* Sizes at which a whole token is one launch. */
static const struct {
    const char *model;
    lh_setting set[6];
    int n_set;
} whole[] = {
    {"models/gpt.lh", {{"heads", "3"}, {"dim", "48"}}, 2},
    {"models/gpt.lh", {{"heads", "5"}, {"dim", "80"}, {"layers", "3"}}, 3},
    {"models/gpt.lh", {{"heads", "15"}, {"dim", "120"}, {"layers", "1"}}, 3},
};

static const char shared_keys[] =
    "vocab 13\nsize dim = %d\nsize context = 14\nseed 3\ninput tokens : vocab*\n"
    "generate tokens from logits\nparam E : vocab x dim = normal(1)\n"
    "param g : 1 x dim = normal(1)\nparam WQ : dim x 6*16 = normal(0.1)\n"
    "param WK : dim x 2*16 = normal(0.1)\nparam WV : dim x 2*8 = normal(0.1)\n"
    "param WO : 6*8 x dim = normal(0.1)\nrepeat h for 2 with X = E[tokens]\n"
    "N = rmsnorm(X, g)\nQ = split(N @ WQ, 6)\nK = split(N @ WK, 2)\nV = split(N @ WV, 2)\n"
    "H = attentionwith(Q, K, V, hide = beyond(Q, K, 4, 2), scale = 0.4, cap = 3, bias = 0)\n"
    "next X = X + join(H) @ WO\nend\nlogits = rmsnorm(X, g) @ E^T\n";

static const int widths[] = {8, 120, 256, 264,
                             512}; /* up to what a row's warps take at once, and more */

static bool (*token_of)(const lh_gpu_token *t, void *stream);
static int n_tokens;

/* A GPU that others use as well has no room for all blocks of threads now and then. */
static bool token_now_and_then(const lh_gpu_token *t, void *stream) {
    return (!t->n_steps || ++n_tokens % 3) && token_of(t, stream);
}

static void try_refused_launches(void) {
    const char *why;
    lh_gpu *gpu = (lh_gpu *)lh_cuda_find(&why);
    const lh_embedded *f = lh_embedded_find(whole[0].model);
    const lh_build how = {.set = whole[0].set, .n_set = whole[0].n_set};
    tried t;
    token_of = gpu->token, gpu->token = token_now_and_then, n_tokens = 0;
    if (open_tried_with(&t, f->name, f->text, f->length, &how))
        grow_within(&t, 3e-2, true, true, false);
    if (!t.is_wrong && n_tokens < 6) tell(&t, "growing", "no launch was refused");
    close_tried(&t);
    gpu->token = token_of;
}

static void try_whole_tokens(void) {
    precision.precision = LH_IN_BF16;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        const lh_embedded *f = lh_embedded_find(whole[i].model);
        const lh_build how = {.set = whole[i].set, .n_set = whole[i].n_set};
        tried t;
        if (open_tried_with(&t, f->name, f->text, f->length, &how))
            grow_within(&t, 3e-2, true, true, true), grow_both(&t);
        close_tried(&t);
    }
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char text[sizeof shared_keys + 8];
        tried t;
        snprintf(text, sizeof text, shared_keys, widths[i]);
        if (open_tried(&t, "shared keys", text, strlen(text)))
            grow_within(&t, 3e-2, true, true, true), grow_both(&t);
        close_tried(&t);
    }
    try_refused_launches();
    precision.precision = LH_IN_FLOAT;
}

static void try_growing(void) {
    try_whole_tokens();
    for (int is_short = 0; is_short < 2; is_short++) {
        precision.precision = is_short ? LH_IN_BF16 : LH_IN_FLOAT;
        const double within = is_short ? 3e-2 : 1e-4;
        tried t;
        if (open_tried(&t, "a window, sinks, a soft cap", sighted, strlen(sighted)))
            grow_within(&t, within, true, false, false);
        close_tried(&t);
        for (int i = 0; i < lh_n_embedded_files; i++) {
            const lh_embedded *f = &lh_embedded_files[i];
            if (strncmp(f->name, "models/", 7) != 0) continue;
            const bool must = strstr(f->name, "gpt") || strstr(f->name, "llama");
            if (open_tried(&t, f->name, f->text, f->length) && t.g->generate && t.g->n_inputs < 3)
                grow_within(&t, within, must, must, false); /* three: it reads a source, too */
            close_tried(&t);
        }
    }
    precision.precision = LH_IN_FLOAT;
}

/* ---- steps: memory that is said before it is taken, none that is taken in a step, nobody who waits in one ---- */

static struct {
    void *(*take)(size_t bytes);
    void (*get)(void *to, const void *from, size_t bytes);
    int takes, gets;
    size_t taken;
} counted;

static void *take_counted(size_t bytes) {
    counted.takes++, counted.taken += bytes;
    return counted.take(bytes);
}

static void get_counted(void *to, const void *from, size_t bytes) {
    counted.gets++;
    counted.get(to, from, bytes);
}

static lh_gpu *begin_counting(void) {
    const char *why;
    lh_gpu *gpu = (lh_gpu *)lh_cuda_find(&why);
    counted.take = gpu->take, counted.get = gpu->get;
    counted.takes = counted.gets = 0, counted.taken = 0;
    gpu->take = take_counted, gpu->get = get_counted;
    return gpu;
}

static void stop_counting(lh_gpu *gpu) {
    gpu->take = counted.take, gpu->get = counted.get;
}

static void count_steps(tried *t, const lh_wish *wish, const lh_batch *batch) {
    enum { WARM = 3, STEPS = 4 };
    char what[256];
    const double said = lh_cuda_needs(t->g, wish, batch);
    lh_gpu *gpu = begin_counting();
    lh_plan *p = lh_cuda.plan(t->g, wish);
    int takes = 0, gets = 0;
    for (int i = 0; p && i < WARM + STEPS && !lh_failed(t->ctx); i++) {
        if (i == WARM) takes = counted.takes, gets = counted.gets;
        lh_cuda.feed(p, batch), lh_cuda.run(p), lh_cuda.commit(p);
    }
    snprintf(what, sizeof what, "memory was taken %d times in %d steps, and waited for %d times",
             counted.takes - takes, STEPS, counted.gets - gets);
    if (is_well(t, "steps") && (counted.takes != takes || counted.gets != gets))
        tell(t, "steps", what);
    snprintf(what, sizeof what, "%.0f bytes were said, %zu were taken", said, counted.taken);
    /* of so small a model, lists of works count */
    const double apart = fabs(said - (double)counted.taken);
    if (!(apart <= 0.05 * (double)counted.taken + 65536)) tell(t, "steps", what);
    stop_counting(gpu);
    lh_cuda.free(p);
}

typedef void (*trial_of_steps)(tried *t, const lh_wish *wish, const lh_batch *batch);

static void try_steps_of(const char *model, lh_precision in, bool recomputes, int examples,
                         int rows, trial_of_steps how) {
    char name[64];
    snprintf(name, sizeof name, "models/%s.lh", model);
    const lh_embedded *f = lh_embedded_find(name);
    int *token = calloc((size_t)(examples * rows), sizeof *token),
        *row = calloc((size_t)examples, sizeof *row);
    tried t = {.name = name, .text = "", .ctx = lh_context_new()};
    lh_setting set[] = {{"dim", "64"}, {"layers", "2"}, {"context", "64"}};
    t.program = f ? lh_program_parse(t.ctx, name, f->text, f->length) : NULL;
    t.g = t.program ? lh_graph_build(t.ctx, t.program,
                                     &(lh_build){.set = set, .n_set = 3, .without_examples = true})
                    : NULL;
    for (int e = 0; e < examples; e++) row[e] = rows;
    for (int i = 0; i < examples * rows; i++) token[i] = i * i % 11;
    if (is_well(&t, "building") && t.g) {
        const int *all_rows[] = {row, row}, *all_tokens[] = {token, token};
        const lh_batch batch = {.examples = examples, .rows = all_rows, .tokens = all_tokens};
        const lh_fast_wish own = {.precision = in};
        const lh_wish wish = {.updates = true,
                              .node = &t.g->loss,
                              .n_nodes = 1,
                              .recomputes = recomputes,
                              .own = &own};
        how(&t, &wish, &batch);
    }
    close_tried(&t);
    free(token), free(row);
}

static void try_models(trial_of_steps how) {
    for (int in_bf16 = 0; in_bf16 < 2; in_bf16++) {
        const lh_precision in = in_bf16 ? LH_IN_BF16 : LH_IN_FLOAT;
        for (int again = 0; again < 2; again++) {
            try_steps_of("gpt", in, again, engine_quick() ? 2 : 12, engine_quick() ? 9 : 60, how);
            try_steps_of("llama", in, again, engine_quick() ? 2 : 12, engine_quick() ? 7 : 60, how);
        }
    }
}

static void try_steps(void) {
    try_models(count_steps);
}

/* ---- layers that are computed again for their gradients: the same bits in less memory ---- */

enum { INPUTS = 3 };

static bool same_numbers(const lh_plan *a, const lh_plan *b, const lh_node *n) {
    if (!lh_cuda.has(a, n)) return !lh_cuda.has(b, n);
    const lh_sizes s = lh_cuda.sizes(a, n, 0);
    for (int k = 0; k < s.rows * s.cols; k++) {
        const lh_cell at = {0, 0, k / s.cols, k % s.cols};
        const double x = lh_cuda.get(a, n, at), y = lh_cuda.get(b, n, at);
        if (memcmp(&x, &y, sizeof x) != 0) return false;
    }
    return true;
}

static lh_plan *learn(tried *t, bool recomputes, const lh_batch *batch) {
    enum { UPDATES = 5 }; /* from the third on, a list that was recorded */
    lh_plan *p = lh_cuda.plan(t->g, &(lh_wish){.updates = true,
                                               .node = &t->g->loss,
                                               .n_nodes = 1,
                                               .recomputes = recomputes,
                                               .own = &precision});
    for (int i = 0; p && i < UPDATES; i++)
        lh_cuda.feed(p, batch), lh_cuda.run(p), lh_cuda.commit(p);
    return p;
}

static void compare_learning(tried *t, const lh_batch *batch) {
    lh_plan *kept = learn(t, false, batch), *again = learn(t, true, batch);
    char what[256];
    if (is_well(t, "recomputing")) {
        if (!same_numbers(kept, again, t->g->loss)) tell(t, "recomputing", "another loss");
        for (int i = 0; i < t->g->n_givens; i++)
            if (!same_numbers(kept, again, t->g->given[i]->node))
                tell(t, "recomputing", t->g->given[i]->node->step->path);
        const size_t less = again->cells[LH_MOVING], all = kept->cells[LH_MOVING];
        snprintf(what, sizeof what, "%zu cells for values, and %zu with all kept", less, all);
        if (!(lh_plan_bytes(again) < lh_plan_bytes(kept) && (double)less < 0.85 * (double)all))
            tell(t, "recomputing", what);
    }
    lh_cuda.free(kept), lh_cuda.free(again);
}

static void try_recompute_of(const char *model, const lh_setting *set, int n_set) {
    enum { EXAMPLES = 3, ROWS = 23 };
    char name[64];
    int row[EXAMPLES] = {ROWS, 9, 17}, token[EXAMPLES * ROWS];
    for (int i = 0; i < EXAMPLES * ROWS; i++) token[i] = i % 7;
    snprintf(name, sizeof name, "models/%s.lh", model);
    const lh_embedded *f = lh_embedded_find(name);
    tried t = {.name = name, .text = "", .ctx = lh_context_new()};
    t.program = f ? lh_program_parse(t.ctx, name, f->text, f->length) : NULL;
    t.g = t.program ? lh_graph_build(t.ctx, t.program, &(lh_build){.set = set, .n_set = n_set})
                    : NULL;
    if (is_well(&t, "building") && t.g) {
        const int *rows[INPUTS], *tokens[INPUTS];
        for (int i = 0; i < INPUTS; i++) rows[i] = row, tokens[i] = token;
        compare_learning(&t, &(lh_batch){.examples = EXAMPLES, .rows = rows, .tokens = tokens});
    }
    close_tried(&t);
}

static void try_recompute(void) {
    const lh_setting gpt[] = {{"dim", "16"}, {"layers", "4"}, {"context", "32"}, {"drop", "0.2"}},
                     llama[] = {{"layers", "4"}},
                     classic[] = {{"dim", "16"}, {"layers", "3"}, {"heads", "2"}, {"hidden", "64"}};
    for (int in_bf16 = 0; in_bf16 < 2; in_bf16++) {
        precision.precision = in_bf16 ? LH_IN_BF16 : LH_IN_FLOAT;
        try_recompute_of("gpt", gpt, 4);
        try_recompute_of("llama", llama, 1);
        try_recompute_of("classic", classic, 4);
    }
    precision.precision = LH_IN_FLOAT;
}

/* ---- joined: works that one launch does together against each by itself ---- */

static int joined_works(const lh_plan *p) {
    int n = 0;
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < p->list[stage].n; i++) n += lh_cuda_of(p)->work[stage][i].is_joined;
    return n;
}

/* How far all params of two plans are apart, added up. */
static double params_apart(const tried *t, const lh_plan *p, const lh_plan *q) {
    double sum = 0;
    for (int i = 0; i < t->g->n_givens; i++) {
        const lh_given *given = t->g->given[i];
        if (given->kind != LH_PARAM) continue;
        const size_t n = lh_plan_fixed_cells(t->g, given->node);
        double *x = calloc(2 * n, sizeof *x);
        lh_plan_read(p, given->node, x), lh_plan_read(q, given->node, x + n);
        for (size_t k = 0; k < n; k++) sum += fabs(x[k] - x[n + k]);
        free(x);
    }
    return sum;
}

static int joined_steps = 4;

static void compare_joined(tried *t, const lh_wish *wish, const lh_batch *batch) {
    enum { LAYERS = 2, OF_A_LAYER = 6 };
    const bool is_short = ((const lh_fast_wish *)wish->own)->precision == LH_IN_BF16;
    const double allowed = is_short ? 0.02 : 1e-5;
    char what[256];
    lh_plan *p[2];
    double loss[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        p[i] = lh_cuda.plan(t->g, wish);
        if (p[i]) lh_cuda_of(p[i])->is_apart = i == 0;
        for (int k = 0; p[i] && k < joined_steps && !lh_failed(t->ctx); k++) {
            lh_cuda.feed(p[i], batch), lh_cuda.run(p[i]);
            if (lh_failed(t->ctx)) break;
            loss[i] = lh_cuda.get(p[i], t->g->loss, (lh_cell){0, 0, 0, 0});
            lh_cuda.commit(p[i]);
        }
    }
    if (is_well(t, "joined")) {
        const int joined = joined_works(p[1]);
        snprintf(what, sizeof what, "only %d works are joined", joined);
        if (joined_works(p[0]) ||
            joined < (is_short ? OF_A_LAYER * LAYERS : 0) + 2 * p[1]->list[LH_STAGE_COMMIT].n - 2)
            tell(t, "joined", what);
        snprintf(what, sizeof what, "loss %.9g, and %.9g together", loss[0], loss[1]);
        if (!(fabs(loss[0] - loss[1]) <= allowed * fabs(loss[0]))) tell(t, "joined", what);
        const double apart = params_apart(t, p[0], p[1]);
        lh_cuda.start(p[1]);
        const double way = params_apart(t, p[0], p[1]);
        snprintf(what, sizeof what, "params moved by %.3g, together by %.3g less or more", way,
                 apart);
        if (!(way > 0 && apart <= 10 * allowed * way)) tell(t, "joined", what);
    }
    for (int i = 0; i < 2; i++) lh_cuda.free(p[i]);
}

static void try_joined(void) {
    try_models(compare_joined);
}

/* The same in so few launches that compute-sanitizer's racecheck comes to an end. */
static void try_races(void) {
    const int steps = joined_steps;
    joined_steps = 1;
    try_steps_of("gpt", LH_IN_BF16, false, 2, 9, compare_joined);
    try_steps_of("llama", LH_IN_BF16, false, 2, 7, compare_joined);
    joined_steps = steps;
}

/* ---- lists: launches that were recorded, when a batch of other sizes comes, when there is a second plan, when sums count for more examples ---- */

enum { PLANS = 2, TIMES = 4 }; /* the third time it is recorded, and the fourth time run again */

typedef struct other_batch {
    int rows[4], tokens[4 * 16];
    const int *all_rows[2], *all_tokens[2];
    lh_batch batch;
} other_batch;

static void make_batch(other_batch *b, int examples, int longest, int from) {
    b->all_rows[0] = b->all_rows[1] = b->rows;
    b->all_tokens[0] = b->all_tokens[1] = b->tokens;
    for (int e = 0; e < examples; e++) b->rows[e] = longest - e;
    for (int i = 0; i < 4 * 16; i++) b->tokens[i] = (from + i * i) % 7;
    b->batch = (lh_batch){.examples = examples, .rows = b->all_rows, .tokens = b->all_tokens};
}

static double loss_of(const tried *t, const lh_plan *p) {
    double sum = 0;
    for (int e = 0; e < (t->g->loss->shape.is_batched ? lh_cuda.examples(p) : 1); e++)
        sum += lh_cuda.get(p, t->g->loss, (lh_cell){e, 0, 0, 0});
    return sum;
}

/* TIMES updates with each of three batches; fresh: by a new plan for each, with the weights and states of the last. Nothing is recorded then. */
static void learn_in_turn(tried *t, const lh_wish *wish, bool is_fresh, double loss[3 * TIMES]) {
    other_batch b[3];
    lh_plan *p = NULL, *other = NULL;
    make_batch(&b[0], 3, 9, 1), make_batch(&b[1], 2, 12, 5), make_batch(&b[2], 3, 9, 3);
    for (int i = 0; i < 3 * TIMES && !lh_failed(t->ctx); i++) {
        if (is_fresh || !i) {
            lh_plan *last = p;
            p = lh_cuda.plan(t->g, wish);
            if (p) lh_cuda.start(p);
            for (int k = 0; p && last && k < t->g->n_givens; k++) {
                const lh_node *n = t->g->given[k]->node;
                double *x = calloc(lh_plan_fixed_cells(t->g, n) + 1, sizeof *x);
                if (lh_plan_has(last, n)) lh_plan_read(last, n, x), lh_plan_write(p, n, x);
                free(x);
            }
            lh_cuda.free(last);
            if (p) lh_cuda.at_step(p, i);
        }
        lh_cuda.feed(p, &b[i / TIMES].batch), lh_cuda.run(p);
        if (!is_fresh && i == TIMES) { /* another one takes memory, and writes there */
            other = lh_cuda.plan(t->g, wish);
            lh_cuda.feed(other, &b[2].batch), lh_cuda.run(other);
        }
        if (lh_failed(t->ctx)) break;
        loss[i] = loss_of(t, p);
        lh_cuda.commit(p);
    }
    lh_cuda.free(p), lh_cuda.free(other);
}

static void compare_lists(tried *t, const lh_wish *wish, const lh_batch *batch) {
    double loss[PLANS][3 * TIMES] = {{0}};
    (void)batch;
    for (int i = 0; i < PLANS; i++) learn_in_turn(t, wish, i == 1, loss[i]);
    if (!is_well(t, "lists")) return;
    for (int i = 0; i < 3 * TIMES && !t->is_wrong; i++) {
        char what[128];
        snprintf(what, sizeof what, "update %d: loss %.9g, and %.9g by a new plan", i, loss[0][i],
                 loss[1][i]);
        if (!(loss[0][i] == loss[1][i])) tell(t, "lists", what);
    }
}

static void try_lists(void) {
    try_steps_of("gpt", LH_IN_BF16, false, 2, 9, compare_lists);
    try_steps_of("llama", LH_IN_FLOAT, false, 2, 9, compare_lists);
}

/* Two examples of two, then the same two of six: a mean over examples becomes a third. */
static void try_parts(void) {
    static const int of[] = {2, 6, 6, 6, 6, 2};
    other_batch b;
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", kernel_head, "Y = X @ average(X^T @ X)\n", kernel_tail);
    make_batch(&b, 2, 9, 1);
    for (int in_bf16 = 0; in_bf16 < 2; in_bf16++) {
        tried t;
        precision.precision = in_bf16 ? LH_IN_BF16 : LH_IN_FLOAT;
        if (open_tried(&t, "parts of a batch", text, strlen(text))) {
            lh_plan *gpu =
                lh_cuda.plan(t.g, &(lh_wish){.node = &t.g->loss, .n_nodes = 1, .own = &precision});
            t.exact = lh_exact.plan(t.g, &(lh_wish){.node = &t.g->loss, .n_nodes = 1});
            for (size_t i = 0; i < sizeof of / sizeof *of && gpu && t.exact && !t.is_wrong; i++) {
                b.batch.of = of[i];
                lh_exact.feed(t.exact, &b.batch), lh_cuda.feed(gpu, &b.batch);
                lh_exact.run(t.exact), lh_cuda.run(gpu);
                if (is_well(&t, "parts")) compare(&t, gpu, t.g->loss, "parts", slack());
            }
            lh_cuda.free(gpu);
        }
        close_tried(&t);
    }
    precision.precision = LH_IN_FLOAT;
}

/* ---- tried: whichever way of a product is the fastest, it comes to the bits of the one that is decided on without a clock ---- */

typedef struct tried_product {
    int rows, cols, inner;
    bool a_is_turned, b_is_turned, is_float, has_bias, has_also, adds;
    lh_gpu_behind behind;
} tried_product;

static const tried_product tried_products[] = {
    {.rows = 1024, .cols = 768, .inner = 640},
    {.rows = 1000, .cols = 776, .inner = 1032, .b_is_turned = true},
    {.rows = 768, .cols = 768, .inner = 4096, .a_is_turned = true, .is_float = true},
    {.rows = 2048, .cols = 1152, .inner = 2048, .a_is_turned = true, .is_float = true},
    {.rows = 1024, .cols = 1024, .inner = 512, .has_bias = true},
    {.rows = 1024, .cols = 1024, .inner = 512, .has_bias = true, .behind = LH_GPU_THEN_GELU},
    {.rows = 1024, .cols = 1024, .inner = 512, .behind = LH_GPU_THEN_GELU_BACK},
    {.rows = 1024, .cols = 1024, .inner = 512, .has_also = true},
    {.rows = 1024, .cols = 1024, .inner = 512, .adds = true},
};

/* n random numbers around 0, in bf16, in the GPU's memory. */
static void *take_shorts(const lh_gpu *gpu, size_t n, unsigned seed) {
    uint16_t *here = malloc(n * sizeof *here);
    void *there = here ? gpu->take(n * sizeof *here) : NULL;
    for (size_t i = 0; here && i < n; i++)
        here[i] = lh_bf16_from_float((float)lh_random_normal(
            (lh_random_place){.seed = seed, .row = (unsigned)(i >> 16), .col = i & 0xffff}));
    if (there) gpu->put(there, here, n * sizeof *here);
    free(here);
    return there;
}

/* Made three times: in the way that is suggested, in the one that was just found, and once more. */
static bool comes_to_the_same(const lh_gpu *gpu, lh_gpu_product *p, size_t bytes) {
    char *first = malloc(bytes), *then = malloc(bytes), *before = malloc(bytes);
    bool is_same = first && then && before;
    if (is_same) gpu->get(before, p->c.first, bytes);
    for (int i = 0; is_same && i < 3; i++) {
        gpu->put(p->c.first, before, bytes);
        if (i < 2) gpu->try_products(i > 0);
        gpu->product(p);
        gpu->get(i ? then : first, p->c.first, bytes);
        is_same = !i || memcmp(first, then, bytes) == 0;
    }
    free(first), free(then), free(before);
    return is_same;
}

static void try_product(const lh_gpu *gpu, tried_product of) {
    const char *by = gpu->products();
    if (by && strcmp(by, "loops") == 0) of.rows = 33, of.cols = 40, of.inner = 24;
    const size_t m = (size_t)of.rows, n = (size_t)of.cols, k = (size_t)of.inner,
                 bytes = m * n * (of.is_float ? 4 : 2);
    lh_gpu_product p = {.rows = of.rows,
                        .cols = of.cols,
                        .inner = of.inner,
                        .n = 1,
                        .scale = 1,
                        .adds = of.adds,
                        .behind = of.behind};
    p.a = (lh_gpu_factor){.first = take_shorts(gpu, m * k, 1), .is_short = true};
    p.b = (lh_gpu_factor){.first = take_shorts(gpu, k * n, 2), .is_short = true};
    p.c = (lh_gpu_factor){.first = take_shorts(gpu, bytes / 2, 3), .is_short = !of.is_float};
    p.a.is_turned = of.a_is_turned, p.a.pitch = of.a_is_turned ? of.rows : of.inner;
    p.b.is_turned = of.b_is_turned, p.b.pitch = of.b_is_turned ? of.inner : of.cols;
    p.c.pitch = of.cols;
    void *bias = of.has_bias ? take_shorts(gpu, n, 4) : NULL,
         *also = of.has_also ? take_shorts(gpu, m * n, 5) : NULL;
    p.bias = bias, p.also = also, p.kept = of.behind ? take_shorts(gpu, m * n, 6) : NULL;
    const bool is_made = !by || !of.behind || gpu->makes(&p);
    if (is_made && by && comes_to_the_same(gpu, &p, bytes))
        passed++;
    else if (is_made && by)
        failed++, printf("FAILED a product of %d x %d by %d x %d, tried\n", of.rows, of.inner,
                         of.inner, of.cols);
    gpu->give_back(p.a.first), gpu->give_back(p.b.first), gpu->give_back(p.c.first);
    gpu->give_back(bias), gpu->give_back(also), gpu->give_back(p.kept);
}

static void try_tried(void) {
    lh_context *ctx = lh_context_new();
    const lh_gpu *gpu = lh_cuda_gpu(ctx); /* opened: no other part may have run before */
    for (size_t i = 0; gpu && i < sizeof tried_products / sizeof *tried_products; i++)
        try_product(gpu, tried_products[i]);
    failed += !gpu;
    lh_context_free(ctx);
}

/* ---- scarce: whatever memory is not there, that is said, and all that was taken is given back ---- */

static struct {
    void *(*take)(size_t bytes);
    void (*give_back)(void *memory);
    long left; /* that may be taken, in pieces; < 0: all */
    long held;
} scarce;

static void *take_scarce(size_t bytes) {
    void *p = scarce.left ? scarce.take(bytes) : NULL;
    if (scarce.left > 0) scarce.left--;
    scarce.held += p != NULL;
    return p;
}

static void give_back_scarce(void *memory) {
    scarce.held -= memory != NULL;
    scarce.give_back(memory);
}

static bool runs_within(tried *t, const lh_wish *wish, const lh_batch *batch, long pieces) {
    scarce.left = pieces;
    lh_plan *p = lh_cuda.plan(t->g, wish);
    for (int i = 0; p && i < 2 && !lh_failed(t->ctx); i++)
        lh_cuda.feed(p, batch), lh_cuda.run(p), lh_cuda.commit(p);
    lh_cuda.free(p);
    const bool is_done = !lh_failed(t->ctx);
    if (!is_done && !strstr(lh_context_error(t->ctx)->what, "out of memory"))
        is_well(t, "scarce memory");
    lh_context_clear(t->ctx);
    return is_done;
}

static void count_scarce(tried *t, const lh_wish *wish, const lh_batch *batch) {
    const char *why;
    lh_gpu *gpu = (lh_gpu *)lh_cuda_find(&why);
    scarce.take = gpu->take, scarce.give_back = gpu->give_back, scarce.held = 0;
    gpu->take = take_scarce, gpu->give_back = give_back_scarce;
    long pieces = 0;
    for (; !runs_within(t, wish, batch, pieces) && pieces < 100 && !scarce.held && !t->is_wrong;)
        pieces++;
    char what[128];
    snprintf(what, sizeof what, "with %ld pieces of memory, %ld were not given back", pieces,
             scarce.held);
    if (scarce.held || pieces == 100) tell(t, "scarce memory", what);
    gpu->take = scarce.take, gpu->give_back = scarce.give_back;
}

static void try_scarce(void) {
    try_steps_of("gpt", LH_IN_BF16, false, 2, 5, count_scarce);
    try_steps_of("gpt", LH_IN_FLOAT, false, 2, 5, count_scarce);
}

/* ---- all of it ---- */

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {{"operations", try_operations},
             {"kernels", try_kernels},
             {"programs", try_programs},
             {"random", try_random},
             {"bf16", try_bf16},
             {"attention", try_attention},
             {"growing", try_growing},
             {"steps", try_steps},
             {"recompute", try_recompute},
             {"joined", try_joined},
             {"lists", try_lists},
             {"parts", try_parts},
             {"norms", try_norms},
             {"tried", try_tried},
             {"scarce", try_scarce},
             {"races", try_races}};

static bool is_asked(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return true;
    return argc == 1;
}

int main(int argc, char **argv) {
    const char *why = "";
    lh_gpu_device device;
    if (!lh_devices(&device, 1, &why)) {
        printf("1..0 # SKIP no GPU: %s\n", why);
        return 77;
    }
    const char *products;
    printf("%s, %.1f GB, driver %s\n", device.name, (double)device.memory / 1e9,
           lh_cuda_find(&why)->driver());
    every_operation_has_a_form();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct timespec from, to;
        const int before = passed, lost = failed;
        if (!is_asked(argc, argv, parts[i].name)) continue;
        clock_gettime(CLOCK_MONOTONIC, &from);
        parts[i].run();
        clock_gettime(CLOCK_MONOTONIC, &to);
        printf("%s: %d passed, %d failed, %.1f s\n", parts[i].name, passed - before, failed - lost,
               (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
        fflush(stdout);
    }
    products = lh_cuda_find(&why)->products();
    printf("products by %s\n", products ? products : "our own kernel alone");
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
