/* api_value -- the public interface: numbers in and out. */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/number.h"
#include "eval/plan.h"
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

/* How many numbers of the caller's array it takes; 0 and the context failed. */
static size_t room_of(const longhand *lh, const lh_step *s, lh_sizes z, longhand_part part) {
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

/* ---- where it lies ---- */

/* What is given is there before anything was run; a param even before there is a plan. */
static bool is_fixed(const lh_step *s) {
    return s->node->kind == LH_OP_given;
}

/* The exact evaluator's numbers are double, in the memory of this process. A size of 1 has distance 0 there. */
static const double *view_of(const lh_plan *p, const lh_node *n, longhand_part *part) {
    const lh_layout *l = lh_exact.has(p, n) ? lh_layout_of(p, n, part->example) : NULL;
    const double *base = l ? lh_plan_base(p, l) : NULL;
    if (!base || (l->rows > 1 && l->rs <= 0) || (l->cols > 1 && l->cs <= 0)) return NULL;
    part->col_step = l->cols > 1 ? (size_t)l->cs : 1;
    part->row_step = l->rows > 1 ? (size_t)l->rs : (size_t)l->cols * part->col_step;
    return base + lh_layout_at(l, part->head, 0, 0);
}

const double *longhand_view(longhand *lh, const char *name, longhand_part *part) {
    if (!lh_api_ready(lh)) return NULL;
    if (!part) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "longhand_view: the part is NULL");
        return NULL;
    }
    const lh_step *s = !lh->from && lh_api_graph(lh) ? lh_api_find(lh, name) : NULL;
    if (!s || (is_fixed(s) ? !lh_api_plan(lh) : !lh_api_numbers(lh))) return NULL;
    if (!part_exists(lh, lh->plan, s, part->example, part->head)) return NULL;
    return view_of(lh->plan, s->node, part);
}

/* ---- copying ---- */

static void store(lh_api_array to, size_t at, double x) {
    if (to.exact)
        to.exact[at] = x;
    else
        to.rounded[at] = (float)x;
}

static double number_of(const lh_api_matrix *m, int row, int col) {
    return m->view ? m->view[(size_t)row * m->how.row_step + (size_t)col * m->how.col_step]
                   : m->get(m->from, m->node, (lh_cell){m->example, m->head, row, col});
}

static double get_exact(const void *plan, const lh_node *n, lh_cell at) {
    return lh_exact.get(plan, n, at);
}

size_t lh_api_copy_out(const longhand *lh, const lh_api_matrix *m, longhand_part part,
                       lh_api_array to, size_t room) {
    const lh_step *s = m->step;
    const size_t n = room_of(lh, s, m->sizes, part);
    if (!n || (!to.exact && !to.rounded)) return n;
    if (room < n) {
        lh_fail(lh->ctx, LH_ERROR_LIMIT, nowhere,
                "%s is %d x %d and takes %zu number%s; there is room for %zu", s->path,
                m->sizes.rows, m->sizes.cols, n, LH_PLURAL(n), room);
        return 0;
    }
    part = with_steps(part, m->sizes);
    for (int r = 0; r < m->sizes.rows; r++)
        for (int c = 0; c < m->sizes.cols; c++)
            store(to, (size_t)r * part.row_step + (size_t)c * part.col_step, number_of(m, r, c));
    return n;
}

size_t lh_api_take(const longhand *lh, const lh_plan *p, const lh_step *s, longhand_part part,
                   lh_api_array to, size_t room) {
    if (!part_exists(lh, p, s, part.example, part.head)) return 0;
    lh_api_matrix m = {.step = s,
                       .node = s->node,
                       .sizes = lh_exact.sizes(p, s->node, part.example),
                       .example = part.example,
                       .head = part.head,
                       .from = p,
                       .get = get_exact,
                       .how = part};
    m.view = view_of(p, s->node, &m.how);
    return lh_api_copy_out(lh, &m, part, to, room);
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

static double load(lh_api_given from, size_t at) {
    return from.exact ? from.exact[at] : (double)from.rounded[at];
}

/* Tokens are looked at before the first of them is set: all of a matrix, or none. */
static bool are_allowed(const longhand *lh, const lh_step *s, lh_sizes z, longhand_part part,
                        lh_api_given from) {
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++)
            if (!is_allowed(lh, s,
                            load(from, (size_t)r * part.row_step + (size_t)c * part.col_step)))
                return false;
    return true;
}

void lh_api_put(const longhand *lh, lh_plan *p, const lh_step *s, longhand_part part,
                lh_api_given from, size_t n) {
    if (!part_exists(lh, p, s, part.example, part.head)) return;
    const lh_sizes z = lh_exact.sizes(p, s->node, part.example);
    const size_t wanted = room_of(lh, s, z, part);
    if (!wanted) return;
    const bool is_there = from.exact || from.rounded;
    if (!is_there || n != wanted) {
        lh_fail(lh->ctx, LH_ERROR_SHAPE, nowhere, "%s is %d x %d and takes %zu number%s, not %zu",
                s->path, z.rows, z.cols, wanted, LH_PLURAL(wanted), is_there ? n : 0);
        return;
    }
    part = with_steps(part, z);
    if (!are_allowed(lh, s, z, part, from)) return;
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++)
            lh_exact.set(p, s->node, (lh_cell){part.example, part.head, r, c},
                         load(from, (size_t)r * part.row_step + (size_t)c * part.col_step));
}

/* ---- reading ---- */

/* Numbers that are no plan's. False: they are, or the context failed. */
static bool is_elsewhere(longhand *lh, const lh_step *s, longhand_part part, lh_api_matrix *m) {
    *m = (lh_api_matrix){0};
    if (lh->from) {
        *m = lh->from->matrix(lh, s, part);
        return m->step != NULL;
    }
    if (lh->plan || !lh->param || !is_fixed(s) || !lh->param(lh, s, m)) return false;
    return in_range(lh, s, "example", part.example, 1) && in_range(lh, s, "head", part.head, 1);
}

static lh_sizes sizes_elsewhere(void *from, const lh_node *n, int example) {
    const lh_api_matrix *m = from;
    (void)n, (void)example;
    return m->sizes;
}

static double value_elsewhere(longhand *lh, const lh_address *a, lh_api_matrix *m) {
    const lh_numbers numbers = {.from = m, .examples = 1, .sizes = sizes_elsewhere};
    const lh_explainer x = {.g = lh->g, .numbers = &numbers};
    lh_cell at;
    return lh_explain_cell(&x, a, m->node, &at) ? m->get(m->from, m->node, at) : NAN;
}

static double explained(lh_explanation *e) {
    const double x = e ? e->value : NAN;
    lh_explanation_free(e);
    return x;
}

double longhand_value(longhand *lh, const char *address) {
    lh_address a;
    lh_api_matrix m;
    lh_cell at;
    const lh_explain_how plain = {0};
    if (!lh_api_graph(lh)) return NAN;
    if (!lh_address_parse(lh->ctx, address ? address : "", &a)) return NAN;
    if (lh->from) return explained(lh->from->explain(lh, address, &plain));
    if (a.has_step) return explained(lh_explain(lh->g, address, NULL));
    lh_step *s = lh_address_find(lh->g, &a);
    if (!s) return NAN;
    if (is_elsewhere(lh, s, (longhand_part){0}, &m)) return value_elsewhere(lh, &a, &m);
    if (is_fixed(s) ? !lh_api_plan(lh) : !lh_api_numbers(lh)) return NAN;
    bool is_there = lh_address_cell(lh->g, lh->plan, &a, s->node, &at);
    return is_there ? lh_exact.get(lh->plan, s->node, at) : NAN;
}

longhand_size longhand_size_of(longhand *lh, const char *name, int example) {
    static const longhand_size none;
    lh_api_matrix m;
    const lh_step *s = lh_api_graph(lh) ? lh_api_find(lh, name) : NULL;
    if (!s) return none;
    if (is_elsewhere(lh, s, (longhand_part){.example = example}, &m))
        return (longhand_size){1, m.sizes.heads, m.sizes.rows, m.sizes.cols};
    if (is_fixed(s) ? !lh_api_plan(lh) : !lh_api_bound(lh)) return none;
    if (!part_exists(lh, lh->plan, s, example, 0)) return none;
    lh_sizes z = lh_exact.sizes(lh->plan, s->node, example);
    return (longhand_size){s->node->shape.is_batched ? lh_exact.examples(lh->plan) : 1, z.heads,
                           z.rows, z.cols};
}

static size_t read_part(longhand *lh, const char *name, longhand_part part, lh_api_array to,
                        size_t room) {
    lh_api_matrix m;
    const lh_step *s = lh_api_graph(lh) ? lh_api_find(lh, name) : NULL;
    if (!s) return 0;
    if (is_elsewhere(lh, s, part, &m)) return lh_api_copy_out(lh, &m, part, to, room);
    if (is_fixed(s) ? !lh_api_plan(lh) : !lh_api_numbers(lh)) return 0;
    return lh_api_take(lh, lh->plan, s, part, to, room);
}

size_t longhand_read(longhand *lh, const char *name, longhand_part part, double *to, size_t room) {
    return read_part(lh, name, part, (lh_api_array){.exact = to}, room);
}

size_t longhand_read_float(longhand *lh, const char *name, longhand_part part, float *to,
                           size_t room) {
    return read_part(lh, name, part, (lh_api_array){.rounded = to}, room);
}

/* ---- writing ---- */

static bool is_held(const longhand *lh, lh_node *n) {
    for (int i = 0; i < lh->n_held; i++)
        if (lh->held[i] == lh_api_result(n)) return true;
    return false;
}

static bool may_set(longhand *lh, const lh_step *s) {
    if (lh->from) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
                "%s cannot be set while a prompt is read: its numbers are the model's", s->path);
        lh_cure(lh->ctx, "longhand_prompt(lh, NULL) ends that");
        return false;
    }
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
    if (!lh_api_graph(lh)) return;
    if (!lh_address_parse(lh->ctx, address ? address : "", &a)) return;
    if (a.has_step) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%s: only the numbers of now can be set",
                address);
        return;
    }
    lh_step *s = lh_address_find(lh->g, &a);
    if (!s || !may_set(lh, s) || !(is_fixed(s) ? lh_api_plan(lh) : lh_api_bound(lh))) return;
    if (lh_address_cell(lh->g, lh->plan, &a, s->node, &at) && is_allowed(lh, s, x))
        lh_exact.set(lh->plan, s->node, at, x), lh->is_newer = true;
}

static void write_part(longhand *lh, const char *name, longhand_part part, lh_api_given from,
                       size_t n) {
    const lh_step *s = lh_api_graph(lh) ? lh_api_find(lh, name) : NULL;
    if (!s || !may_set(lh, s) || !(is_fixed(s) ? lh_api_plan(lh) : lh_api_bound(lh))) return;
    lh_api_put(lh, lh->plan, s, part, from, n);
    lh->is_newer = true;
}

void longhand_write(longhand *lh, const char *name, longhand_part part, const double *from,
                    size_t n) {
    write_part(lh, name, part, (lh_api_given){.exact = from}, n);
}

void longhand_write_float(longhand *lh, const char *name, longhand_part part, const float *from,
                          size_t n) {
    write_part(lh, name, part, (lh_api_given){.rounded = from}, n);
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
    if (!lh_api_bound(lh)) return;
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
