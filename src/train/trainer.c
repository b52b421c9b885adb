#include "train/trainer.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "eval/plan.h"
#include "train/floats.h"
#include "train/loop.h"
#include "train/shares.h"
#include "train/trained.h"

static const lh_place nowhere = {0, 0, 0};

/* ---- what can be trained ---- */

static bool refuse(const lh_graph *g, const char *what, const char *cure) {
    lh_fail(g->ctx, LH_ERROR_VALUE, nowhere, "%s", what);
    lh_cure(g->ctx, "%s", cure);
    return false;
}

bool lh_trainer_takes(const lh_graph *g) {
    if (lh_failed(g->ctx)) return false;
    if (!lh_takes_text(g) && !lh_takes_pairs(g))
        return refuse(
            g, "the program learns neither from running text nor from pairs",
            "it needs the inputs tokens : vocab* and target : vocab*, or source, given and wanted");
    if (!g->loss) return refuse(g, "the program does not say what to learn", "backward loss");
    if (!lh_loop_learns(g))
        return refuse(g, "the program has no update",
                      "each W in params, W := adam(W, dW, rate), end");
    return true;
}

static double cells_of(const lh_graph *g, const lh_node *n) {
    return (double)g->axis[n->shape.rows].n * (double)g->axis[n->shape.cols].n;
}

/* A state is on one rank of them. */
double lh_trainer_least_memory(const lh_graph *g, const lh_ranks *ranks) {
    double cells = 0;
    for (int i = 0; i < g->n_givens; i++) {
        const bool is_shared = ranks && g->given[i]->kind == LH_STATE;
        cells += cells_of(g, g->given[i]->node) / (is_shared ? ranks->n : 1);
        if (g->given[i]->gradient) cells += cells_of(g, g->given[i]->gradient->node);
    }
    return cells * sizeof(float);
}

double lh_trainer_params(const lh_graph *g) {
    double n = 0;
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->kind == LH_PARAM) n += cells_of(g, g->given[i]->node);
    return n;
}

double lh_trainer_frozen(const lh_graph *g) {
    double n = 0;
    for (int i = 0; i < g->n_givens; i++)
        if (lh_given_is_frozen(g->given[i])) n += cells_of(g, g->given[i]->node);
    return n;
}

void lh_trainer_seed(lh_graph *g, uint64_t seed) {
    g->seed = seed;
    for (int i = 0; i < g->n_givens; i++)
        if (!g->given[i]->seed_kind) g->given[i]->seed = seed;
}

/* ---- begin and end ---- */

static void draw(lh_trainer *t) {
    t->feed.draw(t->feed.from, t->how.seed, (uint32_t)t->step, t->batch);
}

/* Ranks have memory for a step or for a look, not for both at once: rank 0, which alone looks, needs no more than the others. */
static void close_look(lh_trainer *t) {
    if (!t->how.pieces) return;
    lh_plan_free(t->look);
    t->look = NULL;
}

/* The batch that was drawn, up to the update. */
static void run(lh_trainer *t) {
    close_look(t);
    if (t->parts) {
        lh_parts_run(t->parts, &t->batch->batch, t->step);
        return;
    }
    lh_plan_feed(t->plan, &t->batch->batch);
    lh_plan_run(t->plan);
}

static lh_parts_how parts_of(const lh_trainer *t) {
    const lh_trainer_how *how = &t->how;
    return (lh_parts_how){.with = t->with,
                          .most = how->micro ? how->micro : how->batch,
                          .threads = how->threads,
                          .precision = how->precision,
                          .recomputes = how->recomputes,
                          .pieces = how->pieces,
                          .ranks = how->ranks,
                          .sums = how->sums};
}

static void plan_parts(lh_trainer *t) {
    const lh_parts_how how = parts_of(t);
    t->parts = lh_parts_new(t->g, &how);
    if (t->parts) t->plan = t->parts->whole;
}

static bool is_root(const lh_trainer *t) {
    return !t->how.ranks || t->how.ranks->rank == 0;
}

/* Threads are a wish of the fast evaluator, precision one of a GPU's, too; others do not look at it. */
static void plan_whole(lh_trainer *t) {
    const lh_fast_wish own = {t->how.threads, t->how.precision};
    t->plan = t->with->plan(t->g, &(lh_wish){.updates = true,
                                             .node = &t->g->loss,
                                             .n_nodes = 1,
                                             .recomputes = t->how.recomputes,
                                             .own = &own});
}

/* How many examples are looked at together: whole batches, so that the same ones are. */
static int held_out_at_a_time(const lh_trainer *t) {
    const bool is_cut = t->how.pieces || (t->how.micro && t->how.micro < t->how.batch);
    int n = is_cut && t->how.micro ? t->how.micro : t->how.batch;
    if (t->how.pieces && n > t->how.batch / t->how.pieces) n = t->how.batch / t->how.pieces;
    while (t->how.batch % n) n--;
    return n;
}

/* As many examples as are run at a time. */
static void make_held_out(lh_trainer *t) {
    t->held_out = t->feed.make(t->feed.from, held_out_at_a_time(t));
    if (t->held_out) t->feed.draw(t->feed.from, t->how.seed, 0, t->held_out);
}

/* The loss alone: no gradient is made, and a value's memory is free for the next as soon as it was used. Params and states
 * are read where the other plan has them. */
static void open_look(lh_trainer *t) {
    lh_graph *g = t->g;
    lh_arena *a = lh_arena_new(g->ctx);
    lh_node **known = a ? lh_alloc_array(a, (size_t)g->n_givens + 1, sizeof *known) : NULL;
    int n = 0;
    for (int i = 0; known && i < g->n_givens; i++)
        if ((g->given[i]->kind != LH_CONST || lh_given_is_frozen(g->given[i])) &&
            lh_plan_address(t->plan, g->given[i]->node))
            known[n++] = g->given[i]->node;
    const lh_fast_wish own = {t->how.threads, t->how.precision};
    lh_trainer_rest(t);
    if (known)
        t->look = t->with->plan(g, &(lh_wish){.node = &g->loss,
                                              .n_nodes = 1,
                                              .known = known,
                                              .n_known = n,
                                              .borrows = true,
                                              .own = &own});
    if (t->look) lh_plan_start(t->look);
    for (int i = 0; t->look && i < n; i++)
        lh_plan_borrow(t->look, known[i], lh_plan_address(t->plan, known[i]));
    if (t->look && t->held_out) lh_plan_feed(t->look, &t->held_out->batch);
    lh_arena_free(a);
}

double lh_trainer_memory(const lh_trainer *t) {
    return (t->parts ? lh_parts_memory(t->parts) : lh_floats_memory(t->plan)) +
           (t->look ? lh_floats_memory(t->look) : 0);
}

/* The plans that will be made, by their sizes: refused before anything is taken. */
static bool fits_there(lh_trainer *t) {
    lh_graph *g = t->g;
    const lh_fast_wish own = {t->how.threads, t->how.precision};
    const lh_wish whole = {.updates = true,
                           .node = &g->loss,
                           .n_nodes = 1,
                           .recomputes = t->how.recomputes,
                           .own = &own};
    lh_node **known = lh_alloc_array(t->arena, (size_t)g->n_givens + 1, sizeof *known);
    int n = 0;
    draw(t);
    for (int i = 0; known && i < g->n_givens; i++)
        if (g->given[i]->kind != LH_CONST) known[n++] = g->given[i]->node;
    const lh_wish look = {
        .node = &g->loss, .n_nodes = 1, .known = known, .n_known = n, .borrows = true, .own = &own};
    const lh_parts_how parts = parts_of(t);
    const bool is_cut = t->how.micro && t->how.micro < t->how.batch;
    lh_batch some = t->batch->batch;
    some.examples = held_out_at_a_time(t);
    const double bytes = is_cut ? lh_parts_needs(g, &parts, &t->batch->batch)
                                : t->how.needs(g, &whole, &t->batch->batch);
    return !lh_failed(g->ctx) && t->how.fits(g->ctx, bytes + t->how.needs(g, &look, &some));
}

/* What is there is less by what the plan has already: the values of a batch are refused before they are taken. A run
 * without an update takes all memory that a step takes, and changes nothing. */
static void make_plan(lh_trainer *t) {
    lh_context *ctx = t->g->ctx;
    const size_t limit = ctx->memory_limit;
    if (t->how.needs && !t->how.pieces && !fits_there(t)) return;
    if (t->how.pieces || (t->how.micro && t->how.micro < t->how.batch))
        plan_parts(t);
    else
        plan_whole(t);
    if (!lh_ranks_well(t->how.ranks, ctx, t->arena)) return;
    const double taken = lh_trainer_memory(t);
    if (limit) ctx->memory_limit = taken < (double)limit ? limit - (size_t)taken : 1;
    lh_plan_start(t->plan);
    if (t->parts) lh_parts_borrow(t->parts);
    draw(t);
    if (t->parts)
        run(t);
    else
        lh_plan_feed(t->plan, &t->batch->batch);
    if (!lh_failed(ctx)) make_held_out(t);
    if (!lh_failed(ctx) && is_root(t)) open_look(t);
    ctx->memory_limit = limit;
}

lh_trainer *lh_trainer_new(lh_graph *g, lh_feed feed, const lh_trainer_how *how) {
    lh_arena *arena = lh_trainer_takes(g) ? lh_arena_new(g->ctx) : NULL;
    if (!arena) return NULL;
    lh_trainer *t = lh_alloc(arena, sizeof *t);
    *t = (lh_trainer){.g = g, .feed = feed, .how = *how, .arena = arena};
    t->with = how->with ? how->with : &lh_fast;
    t->params = lh_weights_of(g->ctx, arena, g, LH_PARAM);
    t->states = lh_weights_of(g->ctx, arena, g, LH_STATE);
    t->batch = feed.make(feed.from, how->batch);
    if (!lh_failed(g->ctx)) make_plan(t);
    if (!lh_failed(g->ctx)) return t;
    lh_trainer_free(t);
    return NULL;
}

void lh_trainer_free(lh_trainer *t) {
    if (!t) return;
    if (t->parts)
        lh_parts_free(t->parts);
    else
        lh_plan_free(t->plan);
    lh_plan_free(t->look);
    lh_drawn_free(t->held_out);
    lh_drawn_free(t->batch);
    lh_arena_free(t->arena);
}

/* ---- from and to a folder ---- */

static bool fill(lh_trainer *t, lh_weights *w, const lh_tensors *from) {
    if (!lh_weights_match(t->g->ctx, w, from)) return false;
    lh_arena *a = lh_arena_new(t->g->ctx);
    for (int i = 0; a && i < w->n; i++) {
        lh_floats_write(a, t->plan, w->weight[i].given->node, &w->weight[i]);
        lh_tensors_forget(from, w->weight[i].tensor);
    }
    lh_arena_free(a);
    return !lh_failed(t->g->ctx);
}

static bool has_states(const lh_graph *g) {
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->kind == LH_STATE) return true;
    return false;
}

static bool is_in_file(const lh_graph *g, lh_arena *a, lh_given_kind kind, const lh_folder *f) {
    lh_weights *w = lh_weights_of(g->ctx, a, g, kind);
    return w && lh_weights_match(g->ctx, w, kind == LH_STATE ? f->optimizer : f->weights) &&
           (kind == LH_STATE || lh_trained_uses_all(g->ctx, a, f, w));
}

bool lh_trainer_can_load(const lh_graph *g, const lh_folder *f, lh_load what) {
    lh_context *ctx = g->ctx;
    const bool goes_on = what == LH_LOAD_ALL;
    if (!lh_folder_has_weights(f)) return false;
    if (goes_on && !f->is_saved)
        lh_fail(ctx, LH_ERROR_FILE, nowhere,
                "%s contains weights that were not saved by longhand train", f->path);
    else if (goes_on && has_states(g) && !f->optimizer)
        lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s: the optimiser's state is not available: %s",
                f->path, f->trouble ? f->trouble : "none were saved");
    if (lh_failed(ctx)) {
        if (goes_on) lh_cure(ctx, "--init %s starts from its weights at step 0", f->path);
        return false;
    }
    lh_arena *a = lh_arena_new(ctx);
    bool is_there = a && is_in_file(g, a, what == LH_LOAD_FROZEN ? LH_CONST : LH_PARAM, f) &&
                    (!goes_on || !has_states(g) || is_in_file(g, a, LH_STATE, f));
    lh_arena_free(a);
    return is_there;
}

bool lh_trainer_load(lh_trainer *t, const lh_folder *f, lh_load what) {
    lh_weights *some =
        what == LH_LOAD_FROZEN ? lh_weights_of(t->g->ctx, t->arena, t->g, LH_CONST) : t->params;
    if (!lh_trainer_can_load(t->g, f, what) || !some || !fill(t, some, f->weights)) return false;
    if (what != LH_LOAD_ALL) return true;
    if (t->states->n && !fill(t, t->states, f->optimizer)) return false;
    t->step = (int)f->step;
    lh_plan_at_step(t->plan, t->step);
    return true;
}

/* ---- saving ---- */

enum { NO_MORE = -1 };

/* Tensors that are saved. Rank 0 asks for one after the other as it writes them, so that it holds one of the others' states at a
 * time. */
typedef struct fetching {
    lh_trainer *t;
    lh_save *save;
    const lh_given **given; /* of its weights, then of its states */
    int n, last;            /* the number that was asked for */
    lh_arena *arena;        /* of the last one */
} fetching;

/* On all ranks; what rank 0 asks for counts. */
static const void *fetch_number(fetching *f, int number) {
    const lh_trainer *t = f->t;
    lh_arena_free(f->arena);
    f->arena = lh_arena_new(t->g->ctx);
    if (!f->arena) number = NO_MORE;
    lh_ranks_tell(t->how.ranks, &number, sizeof number);
    f->last = number;
    if (number == NO_MORE || !f->arena || !f->given) return NULL;
    return t->parts ? lh_shares_fetch(t->parts, f->arena, f->given[number])
                    : lh_floats_read(f->arena, t->plan, f->given[number]->node);
}

static const void *fetch(void *with, const lh_tensor_entry *entry) {
    fetching *f = with;
    const lh_save *s = f->save;
    const bool is_weight = entry >= s->weight && entry < s->weight + s->n_weights;
    return fetch_number(f,
                        (int)(is_weight ? entry - s->weight : s->n_weights + (entry - s->state)));
}

static lh_tensor_entry *entries(fetching *f, const lh_weights *w, lh_arena *a, int *n,
                                bool is_learned_alone) {
    lh_tensor_entry *list = lh_alloc_array(a, (size_t)w->n + 1, sizeof *list);
    for (int i = 0; list && f->given && i < w->n; i++) {
        if (is_learned_alone && lh_given_is_frozen(w->weight[i].given)) continue;
        list[(*n)++] = lh_weight_entry(&w->weight[i], LH_F32, NULL, LH_F32);
        f->given[f->n++] = w->weight[i].given;
    }
    return list;
}

/* Rank 0 writes, the others hand over what it asks for until it has all, or has failed. */
static bool write_or_serve(fetching *f, lh_folder_writer *w, const lh_save *save) {
    bool is_done = true;
    if (is_root(f->t)) {
        is_done = f->given && save->weight && save->state && lh_folder_save(w, save);
        if (f->last != NO_MORE) fetch_number(f, NO_MORE);
    } else {
        do fetch_number(f, NO_MORE);
        while (f->last != NO_MORE);
    }
    lh_arena_free(f->arena);
    return is_done;
}

bool lh_trainer_save(lh_trainer *t, lh_folder_writer *w, const lh_save *with) {
    lh_arena *a = lh_arena_new(t->g->ctx);
    lh_save save = *with;
    if (!a) return false;
    save.step = t->step;
    save.seed = t->how.seed;
    save.precision = t->how.precision == LH_IN_BF16 ? "bf16" : NULL;
    save.batch = (uint64_t)t->how.batch;
    save.micro = (uint64_t)t->how.micro;
    save.pieces = (uint64_t)t->how.pieces;
    save.position = (uint64_t)t->step * (uint64_t)t->how.batch;
    save.n_weights = save.n_states = 0;
    fetching f = {.t = t, .save = &save};
    save.source = (lh_tensor_source){fetch, &f};
    f.given = lh_alloc_array(a, (size_t)(t->params->n + t->states->n) + 1, sizeof *f.given);
    save.weight = entries(&f, t->params, a, &save.n_weights, with->is_learned_alone);
    save.state = entries(&f, t->states, a, &save.n_states, false);
    const bool is_done = write_or_serve(&f, w, &save);
    lh_arena_free(a);
    return is_done;
}

void lh_trainer_rest(lh_trainer *t) {
    if (t->parts) lh_shared_sums_free(t->parts->pieces);
}

/* ---- steps ---- */

static double loss_in(const lh_trainer *t, const lh_plan *p) {
    const lh_node *loss = t->g->loss;
    const int n = loss->shape.is_batched ? lh_plan_examples(p) : 1;
    double sum = 0;
    for (int e = 0; e < n; e++) sum += lh_plan_get(p, loss, (lh_cell){e, 0, 0, 0});
    return sum / n;
}

static double loss_of(const lh_trainer *t) {
    return t->parts ? lh_parts_loss(t->parts) : loss_in(t, t->plan);
}

/* The loss of a batch, and nothing else. */
static double look_at(lh_trainer *t, const lh_drawn_batch *b, bool is_training) {
    if (!is_root(t)) return 0;
    if (!t->look) open_look(t);
    if (!t->look) return NAN;
    lh_plan_training(t->look, is_training);
    lh_plan_at_step(t->look, t->step);
    lh_plan_feed(t->look, &b->batch);
    lh_plan_run(t->look);
    return lh_failed(t->g->ctx) ? NAN : loss_in(t, t->look);
}

bool lh_trainer_step(lh_trainer *t) {
    if (lh_failed(t->g->ctx) || t->is_lost) return false;
    draw(t);
    run(t);
    if (lh_failed(t->g->ctx)) return false;
    t->loss = loss_of(t);
    t->is_lost = !isfinite(t->loss);
    if (t->is_lost) return false;
    if (t->parts)
        lh_parts_commit(t->parts);
    else
        lh_plan_commit(t->plan);
    t->step++;
    return !lh_failed(t->g->ctx);
}

bool lh_trainer_is_sound(lh_trainer *t) {
    if (lh_failed(t->g->ctx) || t->is_lost) return false;
    draw(t);
    if (t->parts) run(t);
    const double loss = t->parts ? loss_of(t) : look_at(t, t->batch, true);
    if (lh_failed(t->g->ctx)) return false;
    t->is_lost = !isfinite(loss);
    if (t->is_lost) t->loss = loss;
    return !t->is_lost;
}

double lh_trainer_try(lh_trainer *t) {
    const double start = lh_seconds();
    if (lh_failed(t->g->ctx)) return -1;
    draw(t);
    run(t);
    loss_of(t); /* a GPU is done when its numbers are there */
    return lh_failed(t->g->ctx) ? -1 : lh_seconds() - start;
}

double lh_trainer_apart(lh_trainer *t) {
    if (!t->parts || lh_failed(t->g->ctx)) return NAN;
    draw(t);
    return lh_parts_apart(t->parts, &t->batch->batch, t->step);
}

double lh_trainer_try_look(lh_trainer *t) {
    const double start = lh_seconds();
    if (lh_failed(t->g->ctx)) return -1;
    t->feed.draw(t->feed.from, t->how.seed, 0, t->held_out);
    look_at(t, t->held_out, false);
    return lh_failed(t->g->ctx) ? -1 : lh_seconds() - start;
}

/* Where a batch is run in parts, a part is a batch here: so many more of them. */
lh_held_out lh_trainer_held_out(const lh_trainer *t, int most) {
    const long long of = (long long)most * (t->how.batch / t->held_out->most);
    return (lh_held_out){.of = of < INT_MAX ? (int)of : INT_MAX};
}

bool lh_trainer_hold_out(lh_trainer *t, lh_held_out *h) {
    if (lh_failed(t->g->ctx) || h->i >= h->of ||
        t->feed.held_out(t->feed.from, h->i, h->of, t->held_out) == 0)
        return false;
    const double examples = t->held_out->batch.examples;
    h->sum += look_at(t, t->held_out, false) * examples;
    h->n += examples;
    return ++h->i < h->of && !lh_failed(t->g->ctx);
}

double lh_trainer_validate(lh_trainer *t, int most) {
    lh_held_out h = lh_trainer_held_out(t, most);
    while (lh_trainer_hold_out(t, &h)) {}
    return h.n > 0 ? h.sum / h.n : NAN;
}

/* ---- where a loss stopped being a number ---- */

/* The same step once more, by the definitions and with every value kept in a place of its own. */
static lh_trouble find_trouble(const lh_trainer *t) {
    lh_trouble found = {0};
    const lh_fast_wish own = {.threads = t->how.threads};
    lh_plan *p = t->with->plan(t->g, &(lh_wish){.all = true, .by_definition = true, .own = &own});
    if (!p) return found;
    lh_plan_start(p);
    for (int i = 0; i < t->g->n_givens; i++) {
        const lh_node *n = t->g->given[i]->node;
        if (t->g->given[i]->kind != LH_CONST || lh_given_is_frozen(t->g->given[i]))
            lh_floats_take(p, n, t->plan, n);
    }
    lh_plan_at_step(p, t->step);
    lh_plan_feed(p, &t->batch->batch); /* which is still that of the step */
    lh_plan_run(p);
    if (!lh_failed(t->g->ctx)) found = lh_plan_trouble(p);
    lh_plan_free(p);
    return found;
}

bool lh_trainer_trouble(lh_trainer *t, lh_text *formula, int *line) {
    lh_context *ctx = t->g->ctx;
    if (lh_failed(ctx)) return false;
    const lh_trouble found = find_trouble(t);
    if (found.node) {
        *line = found.node->at.line;
        lh_node_print_inside(formula, found.node, found.node->scope);
    }
    lh_context_clear(ctx); /* there was no room to look: nothing else is wrong */
    return found.node != NULL;
}
