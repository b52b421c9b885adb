#include "train/generate.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "eval/fast/bf16.h"
#include "eval/fast/grow.h"
#include "eval/fast/profile.h"
#include "eval/fast/quant.h"
#include "eval/fast/row.h"
#include "eval/plan.h"
#include "train/floats.h"

static const lh_place nowhere = {0, 0, 0};

int lh_generator_context(const lh_graph *g, int standard) {
    for (int i = 0; i < g->n_axes; i++)
        if (g->axis[i].name && strcmp(g->axis[i].name, "context") == 0) return (int)g->axis[i].n;
    return standard;
}

static int scores_of(const lh_graph *g) {
    return (int)g->axis[g->generate->from->shape.cols].n;
}

static bool can_generate(const lh_graph *g) {
    if (!g->generate) {
        lh_fail(g->ctx, LH_ERROR_VALUE, nowhere, "the program does not say what is generated");
        lh_cure(g->ctx, "%s",
                lh_graph_scores(g)
                    ? "generate tokens from logits; where it guesses hidden words: longhand "
                      "look FOLDER --prompt 'The [MASK] sat.'"
                    : "generate tokens from logits");
        return false;
    }
    const lh_vocab *v = g->input[g->generate->input]->vocab;
    if (scores_of(g) == v->n_words) return true;
    lh_fail(g->ctx, LH_ERROR_SHAPE, g->generate->from->at,
            "there are %d scores for each position, but the vocabulary has %d tokens", scores_of(g),
            v->n_words);
    return false;
}

/* With the longest text that it may look back on. */
static bool fits_in_memory(lh_generator *w, const lh_wish *wish) {
    const lh_inputs *in = &w->inputs;
    lh_inputs_fill(in, &w->how.context, NULL);
    const lh_batch longest = {.examples = 1, .rows = in->rows, .tokens = in->tokens};
    w->needs = lh_fast_needs(w->g, wish, &longest);
    return lh_memory_fits(w->g->ctx, w->needs, "a shorter context; sample: --context N");
}

/* Params are set by the caller: their starts are not found, which would take longer than reading them. */
static lh_plan *make_plan(lh_generator *w) {
    lh_graph *g = w->g;
    int n;
    lh_node **param = lh_floats_params(w->arena, g, &n);
    if (!param) return NULL;
    const lh_fast_wish gpu = {.precision = w->how.precision};
    if (w->how.with != &lh_fast)
        return w->how.with->plan(g, &(lh_wish){.node = &g->generate->from,
                                               .n_nodes = 1,
                                               .known = param,
                                               .n_known = n,
                                               .grows = w->how.context,
                                               .own = &gpu});
    const bool by_bf16 = w->how.precision == LH_IN_BF16 && lh_bf16_name();
    const lh_fast_wish own = {w->how.threads, by_bf16 ? LH_IN_BF16 : LH_IN_FLOAT};
    const lh_wish wish = {.node = &g->generate->from,
                          .n_nodes = 1,
                          .known = param,
                          .n_known = n,
                          .borrows = true,
                          .grows = w->how.context,
                          .own = &own};
    return fits_in_memory(w, &wish) ? lh_fast.plan(g, &wish) : NULL;
}

lh_generator *lh_generator_new(lh_graph *g, const lh_generator_how *how) {
    lh_arena *arena = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_generator *w = lh_alloc(arena, sizeof *w);
    *w = (lh_generator){.g = g, .arena = arena, .how = *how};
    if (!how->with) w->how.with = &lh_fast;
    if (can_generate(g) && lh_inputs_make(arena, g, &w->inputs)) {
        w->score = lh_alloc_array(arena, (size_t)scores_of(g), sizeof *w->score);
        w->token = lh_alloc_array(arena, (size_t)how->context + 1, sizeof *w->token);
        w->chooser = lh_chooser_new(g->ctx, scores_of(g));
        w->plan = make_plan(w);
    }
    if (w->plan) lh_plan_start(w->plan), lh_plan_training(w->plan, false);
    if (!lh_failed(g->ctx)) return w;
    lh_generator_free(w);
    return NULL;
}

void lh_generator_free(lh_generator *w) {
    if (!w) return;
    lh_plan_free(w->plan);
    lh_rounded_free(w->rounded);
    lh_chooser_free(w->chooser);
    lh_arena_free(w->arena);
}

/* ---- weights ---- */

/* Of our own, from whatever the file has. */
static const float *floats_of(lh_generator *w, const lh_weight *one) {
    float *own = lh_alloc_array(w->arena, one->rows * one->cols, sizeof *own);
    if (own) lh_weight_copy_float(one, own);
    return own;
}

static const uint16_t *halves_of(lh_generator *w, const lh_weight *one) {
    enum { SOME = 4096 };
    const size_t cells = one->rows * one->cols;
    uint16_t *own = lh_alloc_array(w->arena, cells, sizeof *own);
    float some[SOME];
    for (size_t from = 0; own && from < cells; from += SOME) {
        const size_t n = cells - from < SOME ? cells - from : SOME;
        lh_tensor_copy_float(one->tensor, from, n, some);
        lh_row_way()->narrow(own + from, some, (ptrdiff_t)n);
    }
    return own;
}

/* In which form a weight is read, and whether it lies so in the file. */
typedef struct form {
    bool is_half, is_in_place;
} form;

static form form_of(const lh_generator *w, const lh_weight *one) {
    const lh_tensor *t = one->tensor;
    form f = {.is_half = (t->type == LH_BF16 || w->how.precision == LH_IN_BF16) &&
                         lh_floats_may_be_half(w->plan, one->given->node)};
    f.is_in_place = t->is_aligned && t->type == (f.is_half ? LH_BF16 : LH_F32);
    return f;
}

/* A weight in few bits; NULL: it is read as the file has it. */
static const lh_quant *rounded_of(const lh_generator *w, int i) {
    return w->rounded ? lh_rounded_get(w->rounded, i, w->plan) : NULL;
}

/* What does not lie well in the file is copied: that much memory must be there. */
static bool copies_fit(const lh_generator *w, const lh_weights *weights) {
    double bytes = 0;
    for (int i = 0; i < weights->n; i++) {
        const lh_weight *one = &weights->weight[i];
        const form f = form_of(w, one);
        if (rounded_of(w, i)) continue;
        if (!f.is_in_place) bytes += (double)(one->rows * one->cols) * (f.is_half ? 2 : 4);
    }
    return lh_memory_fits(w->g->ctx, bytes, "--precision bf16 halves it");
}

static bool borrow_weight(lh_generator *w, const lh_weights *all, int i) {
    const lh_weight *one = &all->weight[i];
    const lh_node *n = one->given->node;
    const form f = form_of(w, one);
    const void *at = one->tensor->data;
    if (!lh_plan_has(w->plan, n)) return true; /* nothing uses it */
    if (rounded_of(w, i)) {
        lh_floats_borrow_quant(w->plan, n, rounded_of(w, i));
        return true;
    }
    if (!f.is_in_place) {
        at = f.is_half ? (const void *)halves_of(w, one) : floats_of(w, one);
        lh_tensors_forget(all->from, one->tensor);
    }
    if (f.is_half)
        lh_floats_borrow_half(w->plan, n, at);
    else
        lh_floats_borrow(w->plan, n, at);
    return at != NULL;
}

/* Into the memory of another backend. */
static bool write_weights(lh_generator *w, const lh_weights *weights) {
    for (int i = 0; i < weights->n && !lh_failed(w->g->ctx); i++) {
        lh_arena *a = lh_arena_new(w->g->ctx);
        if (a) lh_floats_write(a, w->plan, weights->weight[i].given->node, &weights->weight[i]);
        lh_arena_free(a);
    }
    return !lh_failed(w->g->ctx);
}

bool lh_generator_weights(lh_generator *w, const lh_weights *weights) {
    if (w->how.with != &lh_fast) return write_weights(w, weights);
    if (lh_precision_is_rounded(w->how.precision)) {
        w->how.rounded.precision = w->how.precision;
        w->rounded = lh_rounded_new(w->plan, weights, &w->how.rounded);
        if (!w->rounded) return false;
    }
    bool is_good = copies_fit(w, weights);
    for (int i = 0; is_good && i < weights->n; i++) is_good = borrow_weight(w, weights, i);
    return is_good && !lh_failed(w->g->ctx);
}

/* ---- writing ---- */

void lh_generator_prompt(lh_generator *w, const int *token, int n) {
    const int most = w->how.context;
    if (n > most) token += n - most, n = most;
    memcpy(w->token, token, (size_t)n * sizeof *token);
    w->n = n;
    w->n_past = 0;
}

void lh_generator_continue(lh_generator *w, const int *token, int n) {
    int same = 0, seen = w->n_past;
    while (n <= w->how.context && same < seen && same + 1 < n && w->token[same] == token[same])
        same++;
    lh_generator_prompt(w, token, n);
    w->n_past = lh_fast_has_past(w->plan, seen, same) ? same : 0;
}

enum { CHOSEN = 0xC405 }; /* the place of these random numbers */

/* Feed what the plan has not seen yet. Only the growing input is read; the others get its rows, and no tokens. */
static void look(lh_generator *w) {
    const lh_inputs *in = &w->inputs;
    if (lh_fast_prevents(w->plan)) w->n_past = 0;
    const int count = w->n - w->n_past;
    lh_inputs_fill(in, &count, w->token + w->n_past);
    lh_fast_past(w->plan, w->n_past);
    lh_plan_feed(w->plan, &(lh_batch){.examples = 1, .rows = in->rows, .tokens = in->tokens});
    lh_plan_run(w->plan);
    w->n_past = w->n;
}

static int last_row(const lh_generator *w) {
    return lh_plan_sizes(w->plan, w->g->generate->from, 0).rows - 1;
}

static void read_scores(lh_generator *w) {
    const lh_node *from = w->g->generate->from;
    const size_t n = (size_t)scores_of(w->g);
    const float *scores = lh_floats(w->plan, from);
    if (scores) {
        memcpy(w->score, scores + (size_t)last_row(w) * n, n * sizeof *w->score);
        return;
    }
    if (!w->wide) w->wide = lh_alloc_array(w->arena, n, sizeof *w->wide);
    if (!w->wide) return;
    lh_plan_read_row(w->plan, from, last_row(w), w->wide);
    for (size_t i = 0; i < n; i++) w->score[i] = (float)w->wide[i];
}

static int choose(lh_generator *w) {
    const double u = lh_random_uniform(
        (lh_random_place){.seed = w->how.seed, .step = w->n_made++, .place = CHOSEN});
    const int first = lh_choice_is_greedy(&w->how.choice)
                          ? lh_plan_largest(w->plan, w->g->generate->from, last_row(w))
                          : -2;
    if (first != -2) return first; /* scores stay where they are */
    read_scores(w);
    lh_penalise(w->chooser, w->score, w->token, w->n, &w->how.choice);
    return lh_choose(w->chooser, w->score, &w->how.choice, u);
}

/* Room for one more token. */
static void slide(lh_generator *w) {
    const int kept = w->how.context / 2;
    if (w->n < w->how.context) return;
    memmove(w->token, w->token + w->n - kept, (size_t)kept * sizeof *w->token);
    w->n = kept;
    w->n_past = 0;
    w->n_slides++;
}

static bool is_end(const lh_generator *w, int token) {
    for (int i = 0; i < w->how.n_ends; i++)
        if (w->how.ends[i] == token) return true;
    return token == w->how.end;
}

int lh_generator_next(lh_generator *w) {
    if (w->n == 0 || lh_failed(w->g->ctx)) return -1;
    look(w);
    if (lh_failed(w->g->ctx)) return -1;
    const int token = choose(w);
    if (lh_failed(w->g->ctx)) return -1;
    if (token < 0)
        lh_fail(w->g->ctx, LH_ERROR_VALUE, nowhere,
                "the scores of the next token are not numbers: the weights are damaged");
    if (token < 0 || is_end(w, token)) return -1;
    slide(w);
    w->token[w->n++] = token;
    return token;
}
