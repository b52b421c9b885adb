#include "train/beam.h"

#include <math.h>
#include <string.h>

#include "eval/fast/grow.h"
#include "train/floats.h"

static const lh_place nowhere = {0, 0, 0};

/* A row that may be in the next beam: which it continues, by which token (-1: it has ended before), what it is worth. */
typedef struct lh_beam_candidate {
    int beam, token;
    double log_probability;
} lh_beam_candidate;

enum { SOURCE = 512 };

static int words_of(const lh_graph *g) {
    return (int)g->axis[g->generate->from->shape.cols].n;
}

static lh_plan *make_plan(lh_beam *b) {
    lh_graph *g = b->g;
    int n;
    lh_node **param = lh_floats_params(b->arena, g, &n);
    if (!param) return NULL;
    return lh_fast.plan(g, &(lh_wish){.node = &g->generate->from,
                                      .n_nodes = 1,
                                      .known = param,
                                      .n_known = n,
                                      .grows = b->how.given + b->how.longest,
                                      .own = &(lh_fast_wish){.threads = b->how.threads}});
}

static lh_answer *make_rows(lh_beam *b) {
    const size_t width = (size_t)b->how.width, longest = (size_t)b->how.longest;
    lh_answer *f = lh_alloc_array(b->arena, width, sizeof *f);
    int *token = lh_alloc_array(b->arena, width * longest, sizeof *token);
    for (size_t i = 0; f && token && i < width; i++) f[i].token = token + i * longest;
    return token ? f : NULL;
}

static bool make_room(lh_beam *b) {
    const size_t width = (size_t)b->how.width,
                 row = (size_t)(b->how.given + b->how.longest) + SOURCE;
    b->found = make_rows(b);
    b->other = make_rows(b);
    b->score = lh_alloc_array(b->arena, (size_t)words_of(b->g), sizeof *b->score);
    b->best = lh_alloc_array(b->arena, width + 1, sizeof *b->best);
    b->from = lh_alloc_array(b->arena, width, sizeof *b->from);
    for (int i = 0; i < 2; i++) {
        b->rows[i] = lh_alloc_array(b->arena, width, sizeof *b->rows[i]);
        b->token[i] = lh_alloc_array(b->arena, width * row, sizeof *b->token[i]);
        if (!b->rows[i] || !b->token[i]) return false;
    }
    return lh_inputs_make(b->arena, b->g, &b->inputs) && b->found && b->other && b->score &&
           b->best && b->from;
}

lh_beam *lh_beam_new(lh_graph *g, const lh_beam_how *how) {
    lh_arena *arena = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_beam *b = lh_alloc(arena, sizeof *b);
    *b = (lh_beam){.g = g, .arena = arena, .how = *how};
    if (b->how.given < 1) b->how.given = 1;
    if (!g->generate) {
        lh_fail(g->ctx, LH_ERROR_VALUE, nowhere, "the program does not say what is generated");
        lh_cure(g->ctx, "generate given from logits");
    } else if (make_room(b)) {
        b->plan = make_plan(b);
    }
    if (b->plan) lh_fast.start(b->plan), lh_fast.training(b->plan, false);
    if (!lh_failed(g->ctx)) return b;
    lh_beam_free(b);
    return NULL;
}

void lh_beam_free(lh_beam *b) {
    if (!b) return;
    lh_fast.free(b->plan);
    lh_arena_free(b->arena);
}

/* ---- one turn ---- */

typedef struct search {
    const int *source, *given;
    int n_source, n_given;
    int n_past; /* rows that the plan has seen */
    int n;      /* tokens of every row that has not ended */
} search;

/* Tokens from `past` on of what stands before the answer and of the answer. A row that has ended is fed on with its end: its
 * place must be held, what comes of it is not read. */
static int put_row(const lh_beam *b, const search *s, int beam, int *to) {
    const lh_answer *f = &b->found[beam < b->n_found ? beam : 0];
    int n = 0;
    for (int i = s->n_past; i < s->n_given + s->n; i++)
        to[n++] = i < s->n_given          ? s->given[i]
                  : i - s->n_given < f->n ? f->token[i - s->n_given]
                                          : b->how.end;
    return n;
}

/* All beams at once, in as many examples as the beam is wide: what was kept of earlier rows stays where it is. */
static void look(lh_beam *b, search *s) {
    const lh_graph *g = b->g;
    const lh_inputs *in = &b->inputs;
    if (lh_fast_prevents(b->plan)) s->n_past = 0;
    int *to = b->token[0], *from = b->token[1];
    for (int e = 0; e < b->how.width; e++) {
        to += b->rows[0][e] = put_row(b, s, e, to);
        b->rows[1][e] = s->n_source;
        if (s->n_source) memcpy(from, s->source, (size_t)s->n_source * sizeof *from);
        from += s->n_source;
    }
    for (int i = 0; i < g->n_inputs; i++) {
        const bool grows = i == g->generate->input || !s->n_source || i > g->generate->input;
        in->rows[i] = b->rows[!grows], in->tokens[i] = b->token[!grows];
    }
    lh_fast_past(b->plan, s->n_past);
    lh_fast.feed(b->plan,
                 &(lh_batch){.examples = b->how.width, .rows = in->rows, .tokens = in->tokens});
    lh_fast.run(b->plan);
    s->n_past = s->n_given + s->n;
}

/* log softmax of the last row. */
static bool find_scores(lh_beam *b, int beam) {
    const lh_node *from = b->g->generate->from;
    const int row = lh_fast.sizes(b->plan, from, beam).rows - 1, n = words_of(b->g);
    double high = -INFINITY, sum = 0;
    for (int c = 0; c < n; c++) {
        b->score[c] = lh_fast.get(b->plan, from, (lh_cell){beam, 0, row, c});
        if (b->score[c] > high) high = b->score[c];
    }
    for (int c = 0; c < n; c++) sum += exp(b->score[c] - high);
    for (int c = 0; c < n; c++) b->score[c] -= high + log(sum);
    if (isfinite(sum)) return true;
    lh_fail(b->g->ctx, LH_ERROR_VALUE, nowhere,
            "the scores of the next token are not numbers: the weights are damaged");
    return false;
}

/* Into the list of the best, behind those that are worth as much: the first of equal ones stays first. */
static int keep(lh_beam_candidate *best, int n, int width, lh_beam_candidate c) {
    int at = n;
    while (at > 0 && best[at - 1].log_probability < c.log_probability) at--;
    if (at >= width) return n;
    if (n == width) n--;
    memmove(best + at + 1, best + at, (size_t)(n - at) * sizeof *best);
    best[at] = c;
    return n + 1;
}

static int gather(lh_beam *b) {
    int n = 0;
    for (int i = 0; i < b->n_found; i++) {
        const lh_answer *f = &b->found[i];
        if (f->is_ended) {
            n = keep(b->best, n, b->how.width, (lh_beam_candidate){i, -1, f->log_probability});
            continue;
        }
        if (!find_scores(b, i)) return 0;
        for (int c = 0; c < words_of(b->g); c++)
            n = keep(b->best, n, b->how.width,
                     (lh_beam_candidate){i, c, f->log_probability + b->score[c]});
    }
    return n;
}

static void take(lh_beam *b, int n) {
    for (int i = 0; i < n; i++) {
        const lh_beam_candidate *c = &b->best[i];
        const lh_answer *old = &b->found[c->beam];
        lh_answer *f = &b->other[i];
        memcpy(f->token, old->token, (size_t)old->n * sizeof *f->token);
        f->n = old->n;
        f->is_ended = old->is_ended || c->token == b->how.end;
        f->log_probability = c->log_probability;
        if (c->token >= 0) f->token[f->n++] = c->token;
        b->from[i] = c->beam;
    }
    for (int i = n; i < b->how.width; i++) b->from[i] = i;
    lh_answer *old = b->found;
    b->found = b->other;
    b->other = old;
    b->n_found = n;
    lh_fast_reorder(b->plan, b->from, b->how.width);
}

/* ---- the search ---- */

static bool fits(const lh_beam *b, int n_source, int n_given) {
    if (lh_failed(b->g->ctx)) return false;
    if (n_source > SOURCE)
        lh_fail(b->g->ctx, LH_ERROR_LIMIT, nowhere, "%d tokens are too many; the maximum is %d",
                n_source, SOURCE);
    else if (n_given < 1 || n_given > b->how.given)
        lh_fail(b->g->ctx, LH_ERROR_LIMIT, nowhere,
                "%d tokens come before the answer, but there is room for 1 to %d", n_given,
                b->how.given);
    return !lh_failed(b->g->ctx);
}

bool lh_beam_search(lh_beam *b, const int *source, int n_source, const int *given, int n_given) {
    search s = {.source = source, .given = given, .n_source = n_source, .n_given = n_given};
    if (!fits(b, n_source, n_given)) return false;
    b->n_found = 1;
    b->found[0].n = 0;
    b->found[0].log_probability = 0;
    b->found[0].is_ended = false;
    while (s.n < b->how.longest && !b->found[0].is_ended) {
        look(b, &s);
        const int n = lh_failed(b->g->ctx) ? 0 : gather(b);
        if (!n) return false;
        take(b, n);
        if (lh_failed(b->g->ctx)) return false;
        s.n++;
    }
    return true;
}
