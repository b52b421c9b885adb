/* explain_next -- longhand explain FOLDER --prompt TEXT --next TOKEN: the loss of a trained model and its gradients.
 *
 * A prompt and the token that follows it are what the model learns from: tokens is the prompt, target the prompt moved by one with
 * that token at its end. The exact evaluator runs the graph that the model was opened with, in double, with the weights of the
 * folder. Dropout is off, and nothing is renewed.
 */
#include "cli/explain_next.h"

#include <string.h>

#include "cli/tokens.h"
#include "train/feed.h"

static const lh_place nowhere;

typedef struct next {
    lh_opened *o;
    lh_graph *g; /* o->g */
    lh_plan *plan;
    int *target; /* o->n */
} next;

/* The first token of the text; what follows it is said to be left out. */
static bool read_next(next *x, const char *text) {
    lh_cli *cli = x->o->cli;
    size_t length = strlen(text), n;
    int *id = lh_tokenizer_ids(x->o->tokens, cli->arena, text, length, true, &n);
    x->target = lh_alloc_array(cli->arena, (size_t)x->o->n + 1, sizeof *x->target);
    if (!id || !x->target) return false;
    if (n == 0) lh_fail(cli->ctx, LH_ERROR_VALUE, nowhere, "--next is empty: a token is expected");
    if (lh_failed(cli->ctx)) return false;
    if (n > 1)
        fprintf(stderr, "longhand: \"%s\" is %zu tokens; the next one is %s\n", text, n,
                lh_opened_word(x->o, id[0]));
    for (int i = 0; i + 1 < x->o->n; i++) x->target[i] = x->o->id[i + 1];
    x->target[x->o->n - 1] = id[0];
    return true;
}

/* tokens, target: lh_takes_text has looked. */
static void feed(const next *x) {
    const int *const rows[] = {&x->o->n, &x->o->n}, *const tokens[] = {x->o->id, x->target};
    lh_exact.feed(x->plan, &(lh_batch){.examples = 1, .rows = rows, .tokens = tokens});
}

static bool run(next *x, lh_node *asked) {
    lh_cli *cli = x->o->cli;
    x->plan = lh_exact.plan(x->g, &(lh_wish){.node = &asked, .n_nodes = 1});
    const lh_weights *w = x->plan ? lh_trained_weights(x->o->model.folder, cli->arena, x->g) : NULL;
    if (!w) return false;
    lh_exact.start(x->plan);
    lh_weights_set(w, &lh_exact, x->plan);
    lh_exact.training(x->plan, false);
    feed(x);
    lh_exact.run(x->plan);
    return !lh_failed(cli->ctx);
}

static double number_at(void *from, const lh_node *n, lh_cell at) {
    const next *x = from;
    return lh_exact.get(x->plan, n, at);
}

static lh_sizes sizes(void *from, const lh_node *n, int example) {
    const next *x = from;
    return lh_exact.sizes(x->plan, n, example);
}

/* Positions have the tokens of the prompt; columns that are words, the words. */
static const char *label_at(void *from, int axis, int at) {
    const next *x = from;
    const lh_axis *a = &x->g->axis[axis];
    if (a->vocab && a->n) return lh_opened_word(x->o, at);
    return !a->n && at < x->o->n ? lh_opened_word(x->o, x->o->id[at]) : NULL;
}

static lh_explanation *explain(next *x, const char *address, const lh_explain_how *how) {
    lh_address a;
    lh_step *s = lh_address_parse(x->g->ctx, address, &a) ? lh_address_find(x->g, &a) : NULL;
    if (s && a.step > 0) {
        lh_fail(x->g->ctx, LH_ERROR_VALUE, nowhere,
                "@%d: the model in the folder is trained already", a.step);
        lh_cure(x->g->ctx, "the address without @%d", a.step);
    }
    if (!s || lh_failed(x->g->ctx) || !run(x, s->node)) return NULL;
    lh_explain_how mine = *how;
    const lh_numbers numbers = {
        .from = x, .examples = 1, .sizes = sizes, .get = number_at, .label = label_at};
    mine.numbers = &numbers;
    return lh_explain(x->g, address, &mine);
}

lh_explanation *lh_explain_next(lh_opened *o, const char *text, const char *address,
                                const lh_explain_how *how) {
    lh_cli *cli = o->cli;
    next x = {.o = o, .g = o->g};
    lh_explanation *e = NULL;
    if (!lh_takes_text(x.g)) {
        lh_fail(cli->ctx, LH_ERROR_VALUE, nowhere,
                "--next is for programs that learn from running text, with the inputs tokens and "
                "target");
    } else if (read_next(&x, text)) {
        e = explain(&x, address, how);
    }
    lh_exact.free(x.plan);
    return e;
}
