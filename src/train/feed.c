#include "train/feed.h"

#include <string.h>

#include "base/number.h"

static int *numbers(lh_context *ctx, int examples, int each) {
    return ctx->alloc((size_t)examples * (size_t)each * sizeof(int));
}

static bool is_whole(const lh_drawn_batch *b, bool has_source) {
    return b && b->rows && b->token && b->target && (!has_source || (b->source_rows && b->source));
}

static void name_inputs(lh_drawn_batch *b) {
    int n = 0;
    if (b->source) b->all_rows[n] = b->source_rows, b->all_tokens[n++] = b->source;
    b->all_rows[n] = b->rows, b->all_tokens[n++] = b->token;
    b->all_rows[n] = b->rows, b->all_tokens[n] = b->target;
    b->batch = (lh_batch){.rows = b->all_rows, .tokens = b->all_tokens};
}

lh_drawn_batch *lh_drawn_make(lh_context *ctx, int examples, int longest, bool has_source) {
    lh_drawn_batch *b = lh_failed(ctx) ? NULL : ctx->alloc(sizeof *b);
    if (b) {
        *b = (lh_drawn_batch){.ctx = ctx, .most = examples, .longest = longest};
        b->rows = numbers(ctx, examples, 1);
        b->token = numbers(ctx, examples, longest);
        b->target = numbers(ctx, examples, longest);
        if (has_source) b->source_rows = numbers(ctx, examples, 1);
        if (has_source) b->source = numbers(ctx, examples, longest);
    }
    if (is_whole(b, has_source)) {
        name_inputs(b);
        return b;
    }
    lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory for a batch of %d example%s",
            examples, LH_PLURAL(examples));
    lh_drawn_free(b);
    return NULL;
}

void lh_drawn_begin(lh_drawn_batch *b) {
    b->batch.examples = 0;
    b->n_tokens = b->n_source = 0;
}

void lh_drawn_free(lh_drawn_batch *b) {
    if (!b) return;
    b->ctx->release(b->rows);
    b->ctx->release(b->token);
    b->ctx->release(b->target);
    b->ctx->release(b->source_rows);
    b->ctx->release(b->source);
    b->ctx->release(b);
}

/* ---- what a program takes ---- */

bool lh_inputs_make(lh_arena *a, const lh_graph *g, lh_inputs *in) {
    const size_t n = (size_t)g->n_inputs + 1;
    *in = (lh_inputs){.n = g->n_inputs};
    in->rows = lh_alloc_array(a, n, sizeof *in->rows);
    in->tokens = lh_alloc_array(a, n, sizeof *in->tokens);
    in->numbers = lh_alloc_array(a, n, sizeof *in->numbers);
    return !lh_failed(g->ctx) && in->rows && in->tokens && in->numbers;
}

void lh_inputs_fill(const lh_inputs *in, const int *rows, const int *tokens) {
    for (int i = 0; i < in->n; i++) in->rows[i] = rows, in->tokens[i] = tokens;
}

static bool has_inputs(const lh_graph *g, const char *const *name, int n) {
    if (g->n_inputs != n) return false;
    for (int i = 0; i < n; i++) {
        const lh_input *x = g->input[i];
        if (strcmp(x->name, name[i]) != 0 || !x->vocab || !x->is_many) return false;
    }
    return g->input[n - 1]->vocab == g->input[n - 2]->vocab;
}

bool lh_takes_text(const lh_graph *g) {
    static const char *const name[] = {"tokens", "target"};
    return has_inputs(g, name, 2);
}

bool lh_takes_pairs(const lh_graph *g) {
    static const char *const name[] = {"source", "given", "wanted"};
    return has_inputs(g, name, 3);
}
