/* api_run -- the public interface: from a program to numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/number.h"

static const lh_place nowhere;

bool lh_api_graph(longhand *lh) {
    if (!lh_api_program(lh)) return false;
    if (lh->g) return true;
    static const lh_api_changes nothing;
    const lh_api_changes *c = lh->wanted ? lh->wanted : lh->built ? lh->built : &nothing;
    lh_build more = {.set = c->set,
                     .n_set = c->n_set,
                     .train = c->train,
                     .n_train = c->n_train,
                     .freeze = c->freeze,
                     .n_freeze = c->n_freeze,
                     .rewrite = c->rewrite,
                     .n_rewrites = c->n_rewrites,
                     .backward = c->backward,
                     .without_examples = lh->has_no_examples};
    lh_build how = lh_chosen_build(c->arena ? c->arena : lh->arena, lh->use, &more);
    lh->g = lh_graph_build(lh->ctx, lh->program, &how);
    lh_api_settle(lh);
    return lh->g != NULL;
}

/* The batch was asked for before the program was known. */
static bool batch_fits(const longhand *lh) {
    for (int i = 0; i < lh->n_batch; i++) {
        if (lh->batch[i] >= 0 && lh->batch[i] < lh->g->n_examples) continue;
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
                "longhand_batch: there is no example %d: the program has %d, counted from 0",
                lh->batch[i], lh->g->n_examples);
        return false;
    }
    return true;
}

static lh_plan *new_plan(longhand *lh) {
    lh_plan *p =
        lh_exact.plan(lh->g, &(lh_wish){.all = true, .known = lh->held, .n_known = lh->n_held});
    if (!p) return NULL;
    lh_exact.start(p);
    if (lh->fill_plan) lh->fill_plan(lh, p);
    lh_exact.training(p, lh->is_training);
    if (!lh->has_no_examples) lh_exact.bind(p, lh->batch, lh->n_batch);
    if (!lh_failed(lh->ctx)) return p;
    lh_exact.free(p);
    return NULL;
}

bool lh_api_plan(longhand *lh) {
    if (!lh_api_graph(lh)) return false;
    if (lh->plan) return true;
    if (!batch_fits(lh)) return false;
    lh->plan = new_plan(lh);
    lh_api_prove(lh, lh->plan != NULL);
    return lh->plan != NULL;
}

/* A trained model has what is given, and computes what a prompt asks for. */
static bool has_examples(longhand *lh) {
    if (!lh_api_graph(lh)) return false;
    if (!lh->has_no_examples) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "the model has no examples of its own to run on");
    lh_cure(lh->ctx, "longhand_prompt(lh, \"The cat\") says what it reads");
    return false;
}

bool lh_api_bound(longhand *lh) {
    return has_examples(lh) && lh_api_plan(lh);
}

bool lh_api_numbers(longhand *lh) {
    if (!lh_api_bound(lh)) return false;
    if (!lh->has_run) longhand_run(lh);
    return !lh_failed(lh->ctx);
}

void lh_api_copy(const lh_node *n, const lh_plan *from, lh_plan *to) {
    if (!lh_exact.has(from, n) || !lh_exact.has(to, n)) return;
    int examples = n->shape.is_batched ? lh_exact.examples(from) : 1;
    for (int e = 0; e < examples; e++) {
        lh_sizes s = lh_exact.sizes(from, n, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++)
                    lh_exact.set(to, n, (lh_cell){e, h, r, c},
                                 lh_exact.get(from, n, (lh_cell){e, h, r, c}));
    }
}

void lh_api_inherit(const longhand *lh, const lh_plan *from, lh_plan *to) {
    const lh_graph *g = lh->g;
    for (int i = 0; i < g->n_givens; i++) lh_api_copy(g->given[i]->node, from, to);
    for (int i = 0; i < g->n_inputs; i++) lh_api_copy(g->input[i]->node, from, to);
    for (int i = 0; i < lh->n_held; i++) lh_api_copy(lh->held[i], from, to);
    lh_exact.at_step(to, lh->updates);
}

void lh_api_replan(longhand *lh) {
    lh_plan *p = new_plan(lh);
    if (!p) return;
    lh_api_inherit(lh, lh->plan, p);
    lh_exact.free(lh->plan);
    lh->plan = p;
    lh->has_run = false;
}

/* ---- running ---- */

void longhand_batch(longhand *lh, const int *example, int n) {
    if (!lh_api_program(lh)) return;
    if (n < 0 || (n > 0 && !example)) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "longhand_batch: there are no %d examples", n);
        return;
    }
    if (!has_examples(lh)) return;
    int *copy = n ? malloc((size_t)n * sizeof *copy) : NULL;
    if (n && !copy) {
        lh_fail(lh->ctx, LH_ERROR_MEMORY, nowhere, "out of memory for a batch of %d example%s", n,
                LH_PLURAL(n));
        return;
    }
    if (n) memcpy(copy, example, (size_t)n * sizeof *copy);
    int *old = lh->batch, n_old = lh->n_batch;
    lh->batch = copy;
    lh->n_batch = n;
    if (lh_api_graph(lh) && batch_fits(lh)) {
        free(old);
        if (lh->plan) lh_exact.bind(lh->plan, copy, n);
        lh->has_run = false;
        return;
    }
    free(copy);
    lh->batch = old;
    lh->n_batch = n_old;
}

int longhand_examples(longhand *lh) {
    return lh_api_graph(lh) && !lh->has_no_examples && lh_api_plan(lh) ? lh_exact.examples(lh->plan)
                                                                       : 0;
}

void longhand_training(longhand *lh, bool is_on) {
    if (!lh_api_program(lh)) return;
    lh->is_training = is_on;
    if (lh->plan) lh_exact.training(lh->plan, is_on);
}

void longhand_run(longhand *lh) {
    if (!lh_api_bound(lh)) return;
    lh_exact.run(lh->plan);
    lh->has_run = !lh_failed(lh->ctx);
}

void longhand_update(longhand *lh) {
    if (!lh_api_bound(lh)) return;
    longhand_run(lh);
    lh_exact.commit(lh->plan);
    if (!lh_failed(lh->ctx)) lh->updates++, lh->is_newer = true;
}

int longhand_updates(longhand *lh) {
    return lh_api_program(lh) ? lh->updates : 0;
}

void longhand_reset(longhand *lh) {
    if (!lh_api_program(lh)) return;
    lh_api_forget(lh, LH_API_PLAN);
    lh->n_held = 0;
}

/* A node without a name stands in the formula of a step further on. */
static const lh_step *step_around(const lh_graph *g, const lh_node *n) {
    for (int i = n->id; !n->step && i < g->n_nodes; i++)
        for (int k = 0; k < g->node[i]->n_in && !n->step; k++)
            if (g->node[i]->in[k] == n) n = g->node[i];
    return n->step;
}

const char *longhand_trouble(longhand *lh) {
    if (!lh_api_numbers(lh)) return NULL;
    lh_trouble bad = lh_exact.trouble(lh->plan);
    if (!bad.node) return NULL;
    lh_arena *scratch = lh_arena_new(lh->ctx);
    if (!scratch) return NULL;
    lh_text formula = lh_text_new(scratch);
    lh_node_print_inside(&formula, bad.node, bad.node->scope);
    const lh_step *s = step_around(lh->g, bad.node);
    snprintf(lh->trouble, sizeof lh->trouble,
             "%s: %s first appears in %s (example %d, head %d, row %d, column %d)",
             s ? s->path : "?",
             isnan(bad.value) ? "nan"
             : bad.value > 0  ? "inf"
                              : "-inf",
             formula.s, bad.at.example, bad.at.head, bad.at.row, bad.at.col);
    lh_arena_free(scratch);
    return lh->trouble;
}
