/* cuda -- the backend for a GPU, in float, or with products and their operands in bf16. All values of a plan are in its memory, each work is a launch, and the launches of a step
 * are recorded as one list. */
#include "eval/cuda/cuda.h"

#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "eval/fast/wish.h"

static const lh_place nowhere = {0, 0, 0};

enum { MOST_EXAMPLES = 65535 }; /* of a launch: they are one side of its grid */

/* ---- from its making to its end ---- */

/* What is known before there are numbers. An operation that has no launch runs on the processor. */
static void work_for(const lh_gpu *gpu, const lh_plan_work *plan, lh_cuda_work *w) {
    const lh_node *n = plan->node;
    *w = (lh_cuda_work){.plan = plan};
    w->gpu.index[0] = n->index[0], w->gpu.index[1] = n->index[1];
    w->gpu.place = n->stream, w->gpu.is_batched = n->shape.is_batched;
    if (plan->match) {
        w->kernel = lh_cuda_kernel_number(plan->match->kernel);
        w->gpu.form = plan->match->form;
    }
    if (!gpu) return; /* only measured */
    if (plan->sum >= 0)
        w->launch = gpu->add_up;
    else
        w->launch = plan->match ? gpu->kernel[w->kernel] : gpu->op[n->kind];
}

/* Of a batch that is run in parts: a value becomes the sum, or is added to it. */
static const lh_kernel adds_up = {.name = "sum of parts"};

static bool make_works(lh_plan *p, const lh_gpu *gpu) {
    lh_cuda_own *own = lh_cuda_of(p);
    for (int stage = 0; stage < LH_N_STAGES; stage++) {
        const int n = p->list[stage].n;
        own->work[stage] = lh_alloc_array(p->arena, (size_t)n + 1, sizeof *own->work[stage]);
        for (int i = 0; own->work[stage] && i < n; i++) {
            work_for(gpu, &p->list[stage].work[i], &own->work[stage][i]);
            own->has_here |= !own->work[stage][i].launch;
        }
    }
    return !lh_failed(p->g->ctx);
}

static bool cuda_open(lh_plan *p, const lh_wish *wish) {
    (void)wish;
    p->own = lh_alloc(p->arena, sizeof(lh_cuda_own));
    lh_cuda_own *own = lh_cuda_of(p);
    if (!own || (p->by->shorten && !lh_cuda_open_shadows(p))) return false;
    const lh_gpu *gpu = p->is_sketch ? NULL : lh_cuda_gpu(p->g->ctx);
    own->first = lh_alloc_array(p->arena, (size_t)p->n_nodes + 1, sizeof *own->first);
    if ((!gpu && !p->is_sketch) || !own->first || !make_works(p, gpu)) return false;
    if (p->is_sketch) return true;
    own->moment_there = lh_cuda_take(p->g->ctx, 1, sizeof own->moment);
    return own->moment_there != NULL;
}

static void forget_lists(lh_plan *p, const lh_gpu *gpu) {
    lh_cuda_own *own = lh_cuda_of(p);
    for (int stage = 0; stage < LH_N_STAGES; stage++) {
        gpu->free_list(own->list[stage]);
        own->list[stage] = NULL, own->runs[stage] = 0;
    }
}

static void cuda_close(lh_plan *p) {
    lh_cuda_own *own = p->own;
    lh_context *ctx = p->g->ctx;
    const char *why;
    /* what open left unfinished, too */
    const lh_gpu *gpu = own && !p->is_sketch ? lh_cuda_find(&why) : NULL;
    for (int i = 0; own && i < 2; i++) {
        if (gpu) lh_cuda_give_back(ctx, own->table[i].there);
        ctx->release(own->table[i].here);
    }
    if (!gpu) return;
    forget_lists(p, gpu);
    lh_cuda_give_back(ctx, own->moment_there);
    lh_cuda_give_back(ctx, own->example_there);
    lh_cuda_give_back(ctx, own->scratch);
    lh_cuda_give_back(ctx, own->kept);
    lh_cuda_give_back(ctx, own->rows);
    lh_cuda_give_back(ctx, own->largest);
    lh_cuda_give_back(ctx, own->token_there);
    lh_cuda_close_shadows(p);
    ctx->release(own->example);
}

static double cuda_bytes(const lh_plan *p) {
    const lh_cuda_own *own = lh_cuda_of(p);
    return (double)own->table[0].bytes + (double)own->table[1].bytes +
           ((double)own->scratch_cells + (double)own->kept_cells + (double)own->rows_cells) *
               sizeof(float) +
           (double)own->n_shadows * sizeof *own->shadows + (double)own->token_bytes;
}

/* ---- numbers of the moment: the step, the examples ---- */

static bool reserve_examples(lh_plan *p) {
    lh_cuda_own *own = lh_cuda_of(p);
    lh_context *ctx = p->g->ctx;
    if (p->examples > MOST_EXAMPLES) {
        lh_fail(ctx, LH_ERROR_LIMIT, nowhere,
                "a batch of %d examples is too large for a GPU, which takes %d at a time",
                p->examples, MOST_EXAMPLES);
        lh_cure(ctx, "--micro %d, or less", MOST_EXAMPLES);
        return false;
    }
    if (p->examples <= own->cap) return true;
    lh_cuda_give_back(ctx, own->example_there);
    ctx->release(own->example);
    own->cap = 0;
    own->example_there = NULL;
    own->example = ctx->alloc((size_t)p->examples * sizeof *own->example);
    if (own->example)
        own->example_there = lh_cuda_take(ctx, (size_t)p->examples, sizeof *own->example);
    if (!own->example_there) {
        lh_fail(ctx, LH_ERROR_MEMORY, nowhere, "out of memory for a batch of %d example%s",
                p->examples, LH_PLURAL(p->examples));
        return false;
    }
    memset(own->example, -1, (size_t)p->examples * sizeof *own->example);
    own->cap = p->examples;
    return true;
}

static bool same_moment(const lh_gpu_moment *a, const lh_gpu_moment *b) {
    return a->past == b->past && a->of == b->of && a->step == b->step && a->seed == b->seed &&
           a->example == b->example && a->adds == b->adds;
}

/* A mean over examples is a number of its product, and recorded with it: it follows the batch that this one is a part of. */
static void scale_means(lh_plan *p, const lh_gpu *gpu) {
    lh_cuda_own *own = lh_cuda_of(p);
    if (own->of == p->moment.of) return;
    own->of = p->moment.of;
    if (lh_cuda_scale_summed(p)) forget_lists(p, gpu);
}

/* Sent where it changed. */
static void send_moment(lh_plan *p, const lh_gpu *gpu) {
    lh_cuda_own *own = lh_cuda_of(p);
    const lh_gpu_moment now = {.past = p->moment.past,
                               .of = p->moment.of,
                               .step = (unsigned)p->moment.step,
                               .seed = p->moment.seed,
                               .example = own->example_there,
                               .adds = p->moment.adds};
    if (!same_moment(&now, &own->moment)) {
        own->moment = now;
        gpu->put(own->moment_there, &now, sizeof now);
    }
    const size_t bytes =
        (size_t)(p->examples < own->cap ? p->examples : own->cap) * sizeof(unsigned);
    if (!bytes || !p->moment.example || memcmp(own->example, p->moment.example, bytes) == 0) return;
    memcpy(own->example, p->moment.example, bytes);
    gpu->put(own->example_there, own->example, bytes);
}

static bool cuda_ready(lh_plan *p, bool is_bound) {
    if (p->is_sketch) return lh_cuda_sketch(p, is_bound);
    const lh_gpu *gpu = lh_cuda_gpu(p->g->ctx);
    if (!gpu) return false;
    forget_lists(p, gpu);
    lh_cuda_of(p)->of = 0;
    return (!is_bound || reserve_examples(p)) && lh_cuda_connect(p, is_bound) &&
           (!is_bound || lh_cuda_list_token(p));
}

/* ---- running ---- */

static void launch(lh_plan *p, const lh_gpu *gpu, const lh_cuda_work *w) {
    if (w->is_joined) return;
    if (w->row) {
        gpu->row(w->row, gpu->stream);
        return;
    }
    if (w->many.n) {
        w->launch_many(&w->many, gpu->stream);
        return;
    }
    if (!w->launch) {
        lh_cuda_run_here(p, w->plan);
        return;
    }
    if (!w->n_steps) w->launch(&w->gpu, gpu->stream);
    for (int i = 0; i < w->n_steps; i++) {
        const lh_cuda_step *s = &w->step[i];
        if (s->work)
            w->launch(s->work, gpu->stream);
        else
            gpu->product(&s->product);
    }
}

static void launch_all(lh_plan *p, const lh_gpu *gpu, lh_stage stage, int from, int to) {
    const lh_cuda_work *work = lh_cuda_of(p)->work[stage];
    const bool goes_on = stage == LH_STAGE_RUN && p->moment.past > 0;
    const lh_cuda_own *own = lh_cuda_of(p);
    if (stage == LH_STAGE_RUN && from == 0 && !goes_on) {
        gpu->round(own->round_there, own->n_roundings, gpu->stream);
        if (p->grows) gpu->turn(own->round_there, own->n_roundings, gpu->stream);
    }
    for (int i = from; i < to; i++)
        if (!(goes_on && work[i].plan->is_once)) launch(p, gpu, &work[i]);
}

/* A whole stage, which is run again and again: recorded the third time. */
static void run_whole(lh_plan *p, const lh_gpu *gpu, lh_stage stage) {
    lh_cuda_own *own = lh_cuda_of(p);
    const int n = p->list[stage].n;
    if (!own->list[stage] && own->runs[stage] == 2 && gpu->begin_list()) {
        launch_all(p, gpu, stage, 0, n);
        own->list[stage] = gpu->end_list();
    }
    own->runs[stage]++;
    if (own->list[stage])
        gpu->run_list(own->list[stage]);
    else
        launch_all(p, gpu, stage, 0, n);
}

static void cuda_run(lh_plan *p, lh_stage stage, int from, int to) {
    const lh_gpu *gpu = from < to ? lh_cuda_gpu(p->g->ctx) : NULL;
    if (!gpu) return;
    const bool is_whole = from == 0 && to == p->list[stage].n;
    lh_cuda_settle();
    if (stage == LH_STAGE_RUN) scale_means(p, gpu);
    lh_cuda_of(p)->is_token = false;
    /* a step of training: a prompt would be over before */
    gpu->try_products(p->updates || p->n_sums > 0);
    if (stage != LH_STAGE_RUN || !is_whole || !lh_cuda_run_token(p, gpu)) {
        send_moment(p, gpu);
        if (stage != LH_STAGE_START && is_whole && (!p->grows || p->moment.past > 0) &&
            !lh_cuda_of(p)->has_here)
            run_whole(p, gpu, stage);
        else
            launch_all(p, gpu, stage, from, to);
    }
    lh_cuda_is_well(p->g->ctx);
}

/* ---- measuring ---- */

static const lh_cuda_work *nth_work(const lh_plan *p, int i) {
    const int n = p->list[LH_STAGE_RUN].n;
    return i < n ? &lh_cuda_of(p)->work[LH_STAGE_RUN][i]
                 : &lh_cuda_of(p)->work[LH_STAGE_COMMIT][i - n];
}

const char *lh_cuda_work_name(const lh_plan *p, int i) {
    const lh_plan_work *w = nth_work(p, i)->plan;
    return w->match ? w->match->kernel->name : w->node->op->name;
}

void lh_cuda_time_works(lh_plan *p, double *seconds) {
    const lh_gpu *gpu = lh_cuda_gpu(p->g->ctx);
    const int n = p->list[LH_STAGE_RUN].n + p->list[LH_STAGE_COMMIT].n;
    for (int i = 0; gpu && i < n; i++) {
        gpu->wait();
        const double start = lh_seconds();
        launch(p, gpu, nth_work(p, i));
        gpu->wait();
        seconds[i] = lh_seconds() - start;
    }
}

static void cuda_count(lh_plan *p, int i, unsigned long long count[2]) {
    (void)i, (void)count;
    lh_fail(p->g->ctx, LH_ERROR_LIMIT, nowhere, "operations cannot be counted on a GPU");
    lh_cure(p->g->ctx, "the evaluators exact and fast count them");
}

#define LH_REAL_EPSILON 1.1920928955078125e-7

#define RECORD                                                                                     \
    .name = "cuda", .element = "float", .cell_bytes = sizeof(float), .epsilon = LH_REAL_EPSILON,   \
    .line = 64, .shares_memory = true, .take = lh_cuda_take, .give_back = lh_cuda_give_back,       \
    .write = lh_cuda_write, .read = lh_cuda_read, .copy = lh_cuda_copy, .add = lh_cuda_add,        \
    .difference = lh_cuda_difference, .open = cuda_open, .close = cuda_close, .bytes = cuda_bytes, \
    .ready = cuda_ready, .run = cuda_run, .count = cuda_count, .largest = lh_cuda_largest,         \
    .rests = LH_CUDA_RESTS, .adds_up = &adds_up, .cells = &lh_cuda_cells

static const lh_backend in_float = {RECORD, .kernels = lh_cuda_likes},
                        grown_in_float = {RECORD, .kernels = lh_cuda_likes_bf16,
                                          .takes = lh_cuda_takes},
                        in_bf16 = {RECORD, .kernels = lh_cuda_likes_bf16, .takes = lh_cuda_takes,
                                   .shorten = lh_cuda_shorten,
                                   .rests_of_batch = LH_CUDA_RESTS_OF_BATCH};

static lh_plan *cuda_plan(lh_graph *g, const lh_wish *wish) {
    const lh_fast_wish *own = wish->own;
    const bool is_short = own && own->precision == LH_IN_BF16 && !wish->by_definition;
    if (wish->grows && !wish->is_sketch && !lh_cuda_fits_text(g, wish)) return NULL;
    return lh_plan_new(g, wish, is_short ? &in_bf16 : wish->grows ? &grown_in_float : &in_float);
}

const lh_evaluator lh_cuda = {.name = "cuda",
                              .epsilon = LH_REAL_EPSILON,
                              .has_bf16 = true,
                              .by = &in_float,
                              .plan = cuda_plan,
                              LH_EVALUATE};
