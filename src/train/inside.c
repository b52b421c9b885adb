#include "train/inside.h"

#include <string.h>

#include "base/memory.h"
#include "eval/fast/profile.h"
#include "eval/fast/quant.h"
#include "train/feed.h"
#include "train/floats.h"
#include "train/generate.h"

static const lh_place nowhere = {0, 0, 0};

/* ---- the beginning ---- */

/* The input that is generated; without one, the only one made of tokens. */
static bool find_input(lh_inside *in) {
    const lh_graph *g = in->g;
    int n = 0;
    for (int i = 0; i < g->n_inputs; i++)
        if (g->input[i]->is_many && g->input[i]->vocab) in->input = i, n++;
    if (g->generate) in->input = g->generate->input;
    if (g->generate || n == 1) return true;
    lh_fail(g->ctx, LH_ERROR_VALUE, nowhere, "the program does not say where a prompt goes");
    lh_cure(g->ctx, "generate tokens from logits");
    return false;
}

static bool prompt_fits(const lh_inside *in) {
    const int most = lh_generator_context(in->g, 0);
    if (in->n == 0)
        lh_fail(in->g->ctx, LH_ERROR_VALUE, nowhere,
                "the prompt is empty: the model has nothing to read");
    else if (most && in->n > most)
        lh_fail(in->g->ctx, LH_ERROR_LIMIT, nowhere,
                "the prompt has %d tokens, but the model can use only %d (its context)", in->n,
                most);
    if (lh_failed(in->g->ctx))
        lh_cure(in->g->ctx, in->n ? "a shorter prompt" : "--prompt \"The cat\"");
    return !lh_failed(in->g->ctx);
}

static bool known(void *who, const lh_node *n, lh_cell at, double *x) {
    const lh_inside *in = who;
    const lh_weight *param = in->weight[n->id];
    if (param) {
        lh_tensor_copy_double(param->tensor, (size_t)at.row * param->cols + (size_t)at.col, 1, x);
        return true;
    }
    if (n->kind == LH_OP_input && n->input == in->input) {
        *x = in->token[at.row];
        return true;
    }
    if (!in->is_kept[n->id]) return false;
    *x = lh_plan_get(in->plan, n, at);
    return true;
}

static lh_sizes sizes(void *who, const lh_node *n, int example) {
    const lh_inside *in = who;
    return lh_plan_sizes(in->plan, n, example);
}

lh_inside *lh_inside_new(lh_graph *g, const lh_weights *w, const int *token, int n, int threads) {
    lh_arena *arena = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_inside *in = lh_alloc(arena, sizeof *in);
    *in = (lh_inside){
        .g = g, .arena = arena, .token = token, .n = n, .threads = threads, .weights = w};
    in->weight = lh_alloc_array(arena, (size_t)g->n_nodes + 1, sizeof *in->weight);
    in->copy = lh_alloc_array(arena, (size_t)g->n_nodes + 1, sizeof *in->copy);
    in->with = &lh_fast;
    in->is_kept = lh_alloc_array(arena, (size_t)g->n_nodes + 1, sizeof *in->is_kept);
    for (int i = 0; in->weight && i < w->n; i++)
        in->weight[w->weight[i].given->node->id] = &w->weight[i];
    if (in->weight && in->copy && in->is_kept && lh_inputs_make(arena, g, &in->inputs) &&
        find_input(in) && prompt_fits(in))
        return in;
    lh_inside_free(in);
    return NULL;
}

void lh_inside_free(lh_inside *in) {
    if (!in) return;
    lh_cells_free(in->cells);
    lh_plan_free(in->plan);
    lh_rounded_free(in->rounded);
    lh_arena_free(in->arena);
}

/* ---- what a node needs ---- */

static void mark(bool *needs, const lh_node *n) {
    needs[n->id] = true;
}

/* From a node back to whatever it reads; operands come before their users. `ends` says where to stop. */
static void spread(const lh_inside *in, bool *needs, const bool *ends) {
    for (int i = in->g->n_nodes - 1; i >= 0; i--) {
        const lh_node *n = in->g->node[i];
        if (!needs[i] || (ends && ends[i])) continue;
        if (n->kind == LH_OP_given && n->given->expr) mark(needs, n->given->expr);
        if (n->kind == LH_OP_call) mark(needs, n->call->result);
        for (int k = 0; n->kind != LH_OP_call && k < n->n_in; k++)
            if (lh_op_reads(n, k)) mark(needs, n->in[k]);
    }
}

static bool *marks(const lh_inside *in) {
    return lh_alloc_array(in->arena, (size_t)in->g->n_nodes + 1, sizeof(bool));
}

static void refuse(const lh_inside *in, const lh_node *n, const lh_node *needed) {
    lh_graph *g = in->g;
    const lh_node *from = lh_graph_scores(g);
    lh_fail(
        g->ctx, LH_ERROR_VALUE, nowhere, "%s depends on the input %s, but a prompt gives only %s",
        n->step ? n->step->path : "this", g->input[needed->input]->name, g->input[in->input]->name);
    lh_cure(g->ctx, "steps of the forward pass up to %s are available%s",
            from && from->step ? from->step->path : "the loss",
            lh_takes_text(g) ? "; with --next ' sat', which says what follows, the others are too"
                             : "");
}

bool lh_inside_can(lh_inside *in, const lh_node *n) {
    bool *needs = lh_failed(in->g->ctx) ? NULL : marks(in);
    if (!needs) return false;
    mark(needs, n);
    spread(in, needs, NULL);
    for (int i = 0; i < in->g->n_nodes; i++) {
        const lh_node *x = in->g->node[i];
        const bool is_other = x->kind == LH_OP_input && x->input != in->input;
        if (!needs[i] || !is_other) continue;
        refuse(in, n, x);
        return false;
    }
    return true;
}

/* ---- the forward pass ---- */

static bool fits_in_memory(const lh_inside *in, const lh_wish *wish) {
    const lh_inputs *all = &in->inputs;
    lh_inputs_fill(all, &in->n, NULL);
    const lh_batch prompt = {.examples = 1, .rows = all->rows, .tokens = all->tokens};
    return lh_memory_fits(in->g->ctx, lh_fast_needs(in->g, wish, &prompt), "a shorter prompt");
}

/* Floats of our own, made when a pass first reads them. */
static const float *copy_of(lh_inside *in, const lh_weight *one) {
    const int id = one->given->node->id;
    if (in->copy[id]) return in->copy[id];
    const double bytes = (double)(one->rows * one->cols) * sizeof(float);
    float *own = lh_memory_fits(in->g->ctx, bytes, NULL)
                     ? lh_alloc_array(in->arena, one->rows * one->cols, sizeof *own)
                     : NULL;
    if (own) lh_weight_copy_float(one, own);
    return in->copy[id] = own;
}

/* As few bits where that is asked for, in place where it lies well, else as a copy. */
static void borrow(lh_inside *in, lh_plan *p, int i) {
    const lh_weight *one = &in->weights->weight[i];
    const lh_tensor *t = one->tensor;
    const lh_node *n = one->given->node;
    bool is_by_rows;
    const lh_quant *q =
        in->rounded && lh_plan_has(p, n) && lh_floats_may_be_quant(p, n, &is_by_rows)
            ? lh_rounded_get(in->rounded, i, p)
            : NULL;
    if (lh_failed(in->g->ctx) || !lh_plan_has(p, n)) return;
    if (q && q->is_by_rows == is_by_rows)
        lh_floats_borrow_quant(p, n, q);
    else if (t->is_aligned && t->type == LH_F32)
        lh_floats_borrow(p, n, (const float *)(const void *)t->data);
    else if (t->is_aligned && t->type == LH_BF16 && lh_floats_may_be_half(p, n))
        lh_floats_borrow_half(p, n, (const uint16_t *)(const void *)t->data);
    else
        lh_floats_borrow(p, n, copy_of(in, one));
}

/* Into the memory of another backend. */
static void write_weight(const lh_inside *in, lh_plan *p, int i) {
    lh_arena *a = lh_arena_new(in->g->ctx);
    const lh_weight *one = &in->weights->weight[i];
    if (a) lh_floats_write(a, p, one->given->node, one);
    lh_arena_free(a);
}

static lh_plan *make_plan(lh_inside *in, lh_node *const *node, int n, lh_node *also_known) {
    lh_graph *g = in->g;
    lh_node **given = lh_alloc_array(in->arena, (size_t)g->n_givens + 2, sizeof *given);
    int n_given = 0;
    if (!given) return NULL;
    for (int i = 0; i < g->n_givens; i++)
        if (in->weight[g->given[i]->node->id]) given[n_given++] = g->given[i]->node;
    if (also_known) given[n_given++] = also_known;
    const bool is_fast = in->with == &lh_fast; /* others have memory of their own */
    const lh_fast_wish own = {.threads = in->threads};
    const lh_wish wish = {.node = node,
                          .n_nodes = n,
                          .known = given,
                          .n_known = n_given,
                          .borrows = is_fast,
                          .own = is_fast ? &own : NULL};
    lh_plan *p = !is_fast || fits_in_memory(in, &wish) ? in->with->plan(g, &wish) : NULL;
    if (!p) return NULL;
    for (int i = 0; i < in->weights->n; i++)
        if (is_fast)
            borrow(in, p, i);
        else
            write_weight(in, p, i);
    lh_plan_start(p);
    lh_plan_training(p, false);
    return p;
}

/* Which weights are rounded is decided by the whole pass. */
bool lh_inside_round(lh_inside *in, lh_precision precision) {
    lh_graph *g = in->g;
    int n;
    lh_node **param = lh_floats_params(in->arena, g, &n);
    if (!param || lh_failed(g->ctx)) return false;
    lh_node *from = lh_graph_scores(g);
    if (!from) {
        lh_fail(g->ctx, LH_ERROR_VALUE, nowhere,
                "the program does not say what is predicted, and so not which weights to round");
        return false;
    }
    const lh_fast_wish own = {.threads = 1};
    lh_plan *p = lh_fast.plan(g, &(lh_wish){.node = &from,
                                            .n_nodes = 1,
                                            .known = param,
                                            .n_known = n,
                                            .borrows = true,
                                            .own = &own});
    in->rounded =
        p ? lh_rounded_new(p, in->weights, &(lh_rounded_how){.precision = precision}) : NULL;
    lh_plan_free(p);
    return in->rounded != NULL;
}

/* Examples of `rows` rows each. Inputs beside the prompt's get as many rows, and nobody reads them. */
static void feed(const lh_inside *in, lh_plan *p, int examples, int rows) {
    const size_t all = (size_t)examples * (size_t)rows;
    int *count = lh_alloc_array(in->arena, (size_t)examples, sizeof *count);
    int *token = lh_alloc_array(in->arena, all, sizeof *token);
    if (!count || !token) return;
    for (int e = 0; e < examples; e++) count[e] = rows;
    for (size_t i = 0; i < all; i++) token[i] = examples == 1 ? in->token[i] : 0;
    lh_inputs_fill(&in->inputs, count, token);
    lh_plan_feed(
        p, &(lh_batch){.examples = examples, .rows = in->inputs.rows, .tokens = in->inputs.tokens});
}

bool lh_inside_run(lh_inside *in, lh_node *const *node, int n) {
    for (int i = 0; i < n; i++)
        if (!lh_inside_can(in, node[i])) return false;
    lh_cells_free(in->cells);
    lh_plan_free(in->plan);
    in->cells = NULL;
    in->plan = make_plan(in, node, n, NULL);
    memset(in->is_kept, 0, (size_t)in->g->n_nodes * sizeof *in->is_kept);
    if (!in->plan) return false;
    feed(in, in->plan, 1, in->n);
    lh_plan_run(in->plan);
    if (lh_failed(in->g->ctx)) return false;
    for (int i = 0; i < n; i++) in->is_kept[node[i]->id] = lh_plan_has(in->plan, node[i]);
    in->cells = lh_cells_new(
        in->g, &(lh_cells_from){.who = in, .known = known, .sizes = sizes, .examples = 1});
    return in->cells != NULL;
}

double lh_inside_get(lh_inside *in, const lh_node *n, lh_cell at) {
    return lh_cells_get(in->cells, n, at);
}

lh_sizes lh_inside_sizes(lh_inside *in, const lh_node *n) {
    return lh_plan_sizes(in->plan, n, 0);
}

/* ---- one number ---- */

static bool is_step(const lh_node *n) {
    return n->kind == LH_OP_given || n->kind == LH_OP_input ||
           (n->step && !lh_step_is_inner(n->step));
}

/* Run as far as the named operands of a step; deep: every named step below it. */
static bool run_operands(lh_inside *in, const lh_node *asked, bool deep) {
    lh_graph *g = in->g;
    bool *needs = marks(in), *ends = marks(in);
    lh_node **want = lh_alloc_array(in->arena, (size_t)g->n_nodes + 1, sizeof *want);
    int n = 0;
    if (!needs || !ends || !want || !lh_inside_can(in, asked)) return false;
    for (int i = 0; !deep && i < g->n_nodes; i++)
        ends[i] = is_step(g->node[i]) && g->node[i] != asked;
    mark(needs, asked);
    spread(in, needs, ends);
    for (int i = 0; i < g->n_nodes; i++) {
        lh_node *x = g->node[i];
        const bool is_leaf = x == asked || in->weight[i] || x->kind == LH_OP_input;
        if (needs[i] && is_step(x) && !is_leaf) want[n++] = x;
    }
    return lh_inside_run(in, want, n);
}

static double number_at(void *from, const lh_node *n, lh_cell at) {
    return lh_inside_get(from, n, at);
}

static const char *label_at(void *from, int axis, int at) {
    const lh_inside *in = from;
    const lh_axis *a = &in->g->axis[axis];
    const lh_vocab *vocab = in->g->input[in->input]->vocab;
    if (!in->word || !vocab) return NULL;
    if (a->vocab == vocab && a->n) return in->word(in->who, at);
    const bool is_place = !a->n && a->input == in->input && at < in->n;
    return is_place ? in->word(in->who, in->token[at]) : NULL;
}

lh_explanation *lh_inside_explain(lh_inside *in, const char *address, const lh_explain_how *how) {
    lh_graph *g = in->g;
    lh_address a;
    if (lh_failed(g->ctx) || !lh_address_parse(g->ctx, address, &a)) return NULL;
    const lh_step *s = lh_address_find(g, &a);
    if (s && a.step > 0) {
        lh_fail(g->ctx, LH_ERROR_VALUE, nowhere, "@%d: the model in the folder is trained already",
                a.step);
        lh_cure(g->ctx, "the address without @%d", a.step);
    }
    if (!s || lh_failed(g->ctx) || !run_operands(in, s->node, how->deep)) return NULL;
    lh_explain_how mine = *how;
    const lh_numbers numbers = {
        .from = in, .examples = 1, .sizes = sizes, .get = number_at, .label = label_at};
    mine.plan = NULL;
    mine.numbers = &numbers;
    return lh_explain(g, address, &mine);
}

/* ---- attention ---- */

static bool is_softmax(const lh_inside *in, const lh_step *s) {
    const lh_node *n = s->node;
    const lh_graph *g = in->g;
    return !s->is_dead && n->kind == LH_OP_call && strcmp(n->call->fn->name, "softmax") == 0 &&
           !g->axis[n->shape.rows].n && !g->axis[n->shape.cols].n;
}

lh_step **lh_inside_attention(lh_inside *in, int *n) {
    const lh_graph *g = in->g;
    lh_step **list = lh_alloc_array(in->arena, (size_t)g->n_steps + 1, sizeof *list);
    bool *needs = marks(in);
    *n = 0;
    if (!list || !needs || !lh_graph_scores(g)) return list;
    mark(needs, lh_graph_scores(g));
    spread(in, needs, NULL);
    for (int i = 0; i < g->n_steps; i++)
        if (needs[g->step[i]->node->id] && is_softmax(in, g->step[i])) list[(*n)++] = g->step[i];
    return list;
}

/* ---- what each layer would say ---- */

/* What leaves the last repeat on the way to the scores: whatever a turn makes that is needed ends in a `next`. */
static lh_step *find_end(const lh_inside *in, const bool *needs) {
    const lh_graph *g = in->g;
    lh_step *found = NULL;
    for (int i = 0; i < g->n_steps; i++) {
        lh_step *s = g->step[i];
        if (s->kind == LH_STEP_FORWARD && s->scope->kind == LH_SCOPE_REPEAT && needs[s->node->id] &&
            !s->is_dead)
            found = s;
    }
    return found;
}

/* Is every row made of the same row of X, of params and of consts alone? Else the line that is not. */
static const lh_node *find_mixing(lh_inside *in, const lh_node *from, const lh_node *X) {
    const lh_graph *g = in->g;
    bool *needs = marks(in), *ends = marks(in);
    if (!needs || !ends) return from;
    mark(ends, X);
    mark(needs, from);
    spread(in, needs, ends);
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        if (!needs[i] || n == X || !n->shape.is_batched || n->kind == LH_OP_call) continue;
        if (n->kind == LH_OP_input || n->op->rows != LH_ROWS_EACH || n->kind == LH_OP_positions ||
            n->kind == LH_OP_rowindex)
            return n;
    }
    return NULL;
}

static lh_step *turn_before(const lh_graph *g, const lh_step *s, int turn) {
    const int before = (int)(strrchr(s->path, '[') - s->path);
    return lh_graph_step(g, lh_printf(g->arena, "%.*s[%d].%s", before, s->path, turn, s->name));
}

lh_lens lh_inside_lens(lh_inside *in) {
    lh_graph *g = in->g;
    lh_lens lens = {.trouble = "no repeat of the program computes its scores"};
    bool *needs = marks(in);
    const lh_node *from = lh_graph_scores(g);
    if (!needs || !from || lh_failed(g->ctx)) return lens;
    mark(needs, from);
    spread(in, needs, NULL);
    lh_step *end = find_end(in, needs);
    if (!end) return lens;
    const lh_node *mixing = find_mixing(in, from, end->node);
    if (mixing) {
        lens.trouble =
            lh_printf(in->arena, "line %d mixes positions after the last layer", mixing->at.line);
        return lens;
    }
    lens.trouble = NULL;
    lens.n = end->scope->turn + 1;
    lens.scores = (int)g->axis[from->shape.cols].n;
    lens.at = lh_alloc_array(in->arena, (size_t)lens.n, sizeof(lh_step *));
    if (!lens.at) return (lh_lens){0};
    for (int i = 0; i < lens.n; i++) {
        lens.at[i] = turn_before(g, end, i);
        if (!lens.at[i]) return (lh_lens){.trouble = "a layer has no beginning"};
    }
    return lens;
}

/* Every turn is an example of one row. */
bool lh_inside_lens_read(lh_inside *in, lh_lens *lens, int row) {
    lh_node *from = lh_graph_scores(in->g), *X = lens->at[lens->n - 1]->node;
    if (!lens->score)
        lens->score =
            lh_alloc_array(in->arena, (size_t)lens->n * (size_t)lens->scores, sizeof *lens->score);
    lh_plan *p = lens->score ? make_plan(in, &from, 1, X) : NULL;
    if (!p) return false;
    feed(in, p, lens->n, 1);
    const int width = lh_failed(in->g->ctx) ? 0 : lh_plan_sizes(p, X, 0).cols;
    for (int i = 0; i < lens->n; i++)
        for (int c = 0; c < width; c++)
            lh_plan_set(p, X, (lh_cell){i, 0, 0, c},
                        lh_inside_get(in, lens->at[i]->node, (lh_cell){0, 0, row, c}));
    lh_plan_run(p);
    for (int i = 0; i < lens->n && width; i++)
        for (int c = 0; c < lens->scores; c++)
            lens->score[(size_t)i * (size_t)lens->scores + (size_t)c] =
                (float)lh_plan_get(p, from, (lh_cell){i, 0, 0, c});
    lh_plan_free(p);
    return !lh_failed(in->g->ctx);
}
