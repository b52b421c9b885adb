/* api_value -- the public interface: numbers in and out. */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "graph/build.h"

static const lh_place nowhere;

lh_node *lh_api_result(lh_node *n) {
    while (n->kind == LH_OP_call) n = n->call->result;
    return n;
}

bool lh_api_is_given(const lh_node *n) {
    return n->kind == LH_OP_given || n->kind == LH_OP_input;
}

lh_step *lh_api_find(longhand *lh, const char *name) {
    if (!name) lh_fail(lh->ctx, LH_ERROR_NAME, nowhere, "the name of a step is NULL");
    return lh_graph_find(lh->g, name ? name : "");
}

/* ---- which cells ---- */

static bool in_range(const longhand *lh, const lh_step *s, const char *what, int i, int n) {
    if (i >= 0 && i < n) return true;
    lh_fail(lh->ctx, LH_ERROR_NAME, nowhere, "there is no %s %d in %s: it has %d, counted from 0",
            what, i, s->path, n);
    return false;
}

static bool part_exists(const longhand *lh, const lh_plan *p, const lh_step *s, int example,
                        int head) {
    int examples = s->node->shape.is_batched ? lh_exact.examples(p) : 1;
    return in_range(lh, s, "example", example, examples) &&
           in_range(lh, s, "head", head, lh_exact.sizes(p, s->node, example).heads);
}

static longhand_part with_steps(longhand_part part, lh_sizes s) {
    if (part.row_step || part.col_step) return part;
    part.row_step = (size_t)s.cols;
    part.col_step = 1;
    return part;
}

size_t lh_api_room(const longhand *lh, const lh_plan *p, const lh_step *s, longhand_part part) {
    if (!part_exists(lh, p, s, part.example, part.head)) return 0;
    lh_sizes z = lh_exact.sizes(p, s->node, part.example);
    part = with_steps(part, z);
    size_t rows = (size_t)z.rows - 1, cols = (size_t)z.cols - 1;
    if ((rows && part.row_step > (size_t)-1 / 4 / rows) ||
        (cols && part.col_step > (size_t)-1 / 4 / cols)) {
        lh_fail(lh->ctx, LH_ERROR_LIMIT, nowhere, "%s: row_step and col_step are too large",
                s->path);
        return 0;
    }
    return rows * part.row_step + cols * part.col_step + 1;
}

size_t lh_api_take(const longhand *lh, const lh_plan *p, const lh_step *s, longhand_part part,
                   double *to, size_t room) {
    size_t n = lh_api_room(lh, p, s, part);
    if (!n || !to) return n;
    lh_sizes z = lh_exact.sizes(p, s->node, part.example);
    if (room < n) {
        lh_fail(lh->ctx, LH_ERROR_LIMIT, nowhere,
                "%s is %d x %d and takes %zu numbers; there is room for %zu", s->path, z.rows,
                z.cols, n, room);
        return 0;
    }
    part = with_steps(part, z);
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++)
            to[(size_t)r * part.row_step + (size_t)c * part.col_step] =
                lh_exact.get(p, s->node, (lh_cell){part.example, part.head, r, c});
    return n;
}

/* A token is a place in its vocabulary. */
static bool is_allowed(const longhand *lh, const lh_step *s, double x) {
    const lh_vocab *v = s->node->vocab;
    if (!v || s->node->kind != LH_OP_input || (x >= 0 && x < v->n_words && x == floor(x)))
        return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%s: %g is not a token: there are %d, from 0",
            s->path, x, v->n_words);
    return false;
}

void lh_api_put(const longhand *lh, lh_plan *p, const lh_step *s, longhand_part part,
                const double *from, size_t n) {
    size_t wanted = lh_api_room(lh, p, s, part);
    if (!wanted) return;
    lh_sizes z = lh_exact.sizes(p, s->node, part.example);
    if (!from || n != wanted) {
        lh_fail(lh->ctx, LH_ERROR_SHAPE, nowhere, "%s is %d x %d and takes %zu numbers, not %zu",
                s->path, z.rows, z.cols, wanted, from ? n : 0);
        return;
    }
    part = with_steps(part, z);
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++) {
            double x = from[(size_t)r * part.row_step + (size_t)c * part.col_step];
            if (!is_allowed(lh, s, x)) return;
            lh_exact.set(p, s->node, (lh_cell){part.example, part.head, r, c}, x);
        }
}

/* ---- reading ---- */

double longhand_value(longhand *lh, const char *address) {
    lh_address a;
    lh_cell at;
    if (!lh_api_graph(lh)) return NAN;
    if (!lh_address_parse(lh->ctx, address ? address : "", &a)) return NAN;
    if (a.has_step) {
        lh_explanation *e = lh_explain(lh->g, address, NULL);
        double x = e ? e->value : NAN;
        lh_explanation_free(e);
        return x;
    }
    if (!lh_api_numbers(lh)) return NAN;
    lh_step *s = lh_address_find(lh->g, &a);
    bool is_there = s && lh_address_cell(lh->g, lh->plan, &a, s->node, &at);
    return is_there ? lh_exact.get(lh->plan, s->node, at) : NAN;
}

longhand_size longhand_size_of(longhand *lh, const char *name, int example) {
    static const longhand_size none;
    if (!lh_api_plan(lh)) return none;
    const lh_step *s = lh_api_find(lh, name);
    if (!s || !part_exists(lh, lh->plan, s, example, 0)) return none;
    lh_sizes z = lh_exact.sizes(lh->plan, s->node, example);
    return (longhand_size){s->node->shape.is_batched ? lh_exact.examples(lh->plan) : 1, z.heads,
                           z.rows, z.cols};
}

size_t longhand_read(longhand *lh, const char *name, longhand_part part, double *to, size_t room) {
    if (!lh_api_numbers(lh)) return 0;
    const lh_step *s = lh_api_find(lh, name);
    return s ? lh_api_take(lh, lh->plan, s, part, to, room) : 0;
}

/* ---- writing ---- */

static bool is_held(const longhand *lh, lh_node *n) {
    for (int i = 0; i < lh->n_held; i++)
        if (lh->held[i] == lh_api_result(n)) return true;
    return false;
}

static bool may_set(longhand *lh, const lh_step *s) {
    if (lh_api_is_given(s->node) || is_held(lh, s->node)) return true;
    if (s->node->kind == LH_OP_size) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%s is a size and shapes the program", s->path);
        lh_cure(lh->ctx, "longhand_set(lh, \"%s\", \"4\") builds it anew", s->path);
    } else {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%s is computed: what is set would be lost",
                s->path);
        lh_cure(lh->ctx, "longhand_hold(lh, \"%s\") keeps its numbers as they are set", s->path);
    }
    return false;
}

void longhand_set_value(longhand *lh, const char *address, double x) {
    lh_address a;
    lh_cell at;
    if (!lh_api_plan(lh)) return;
    if (!lh_address_parse(lh->ctx, address ? address : "", &a)) return;
    if (a.has_step) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%s: only the numbers of now can be set",
                address);
        return;
    }
    lh_step *s = lh_address_find(lh->g, &a);
    if (s && may_set(lh, s) && lh_address_cell(lh->g, lh->plan, &a, s->node, &at) &&
        is_allowed(lh, s, x))
        lh_exact.set(lh->plan, s->node, at, x);
}

void longhand_write(longhand *lh, const char *name, longhand_part part, const double *from,
                    size_t n) {
    if (!lh_api_plan(lh)) return;
    const lh_step *s = lh_api_find(lh, name);
    if (s && may_set(lh, s)) lh_api_put(lh, lh->plan, s, part, from, n);
}

void longhand_hold(longhand *lh, const char *name) {
    if (!lh_api_numbers(lh)) return;
    lh_step *s = lh_api_find(lh, name);
    if (!s || lh_api_is_given(s->node) || is_held(lh, s->node)) return;
    if (s->node->kind == LH_OP_size) {
        may_set(lh, s);
        return;
    }
    *lh_push(lh->g->arena, lh->held, lh->n_held) = lh_api_result(s->node);
    lh_api_replan(lh);
}

void longhand_release(longhand *lh, const char *name) {
    if (!lh_api_plan(lh)) return;
    const lh_step *s = name ? lh_api_find(lh, name) : NULL;
    if (name && !s) return;
    int n = 0;
    for (int i = 0; i < lh->n_held && name; i++)
        if (lh->held[i] != lh_api_result(s->node)) lh->held[n++] = lh->held[i];
    if (n == lh->n_held) return;
    lh->n_held = n;
    lh_api_replan(lh);
}

/* ---- words ---- */

static const lh_vocab *find_vocab(longhand *lh, const char *name) {
    if (!lh_api_graph(lh)) return NULL;
    const lh_vocab *v = lh_vocab_find(lh->g, name ? name : "vocab");
    if (!v)
        lh_fail(lh->ctx, LH_ERROR_NAME, nowhere, "there is no vocabulary %s",
                name ? name : "without a name");
    return v;
}

int longhand_token(longhand *lh, const char *vocab, const char *word) {
    const lh_vocab *v = find_vocab(lh, vocab);
    return v && word ? lh_vocab_word(v, word) : -1;
}

const char *longhand_word(longhand *lh, const char *vocab, int token) {
    const lh_vocab *v = find_vocab(lh, vocab);
    return v && token >= 0 && token < v->n_words ? v->word[token] : NULL;
}
