/* Which family a program belongs to: the one whose program, made from a config, computes the same.
 *
 * What a program computes decides what its config says. Sizes are found by their names, the numbers of norms and turns in the calls
 * that have them; what is left (the activation, whether the head is the embeddings) is tried. A candidate counts only where the
 * logits of its program are, operation by operation, the logits of ours, made of weights with the same names.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "files/family.h"
#include "files/family_internal.h"
#include "files/weights.h"

/* ---- do two graphs compute the same? ---- */

typedef struct comparing {
    const lh_graph *a, *b;
    const char **name_a, **name_b; /* tensors of params, by the numbers of givens */
    int *same;                     /* node of a: 1 + the node of b that it was found to be */
} comparing;

/* Dropout does nothing but in training. */
static const lh_node *meant(const lh_node *n) {
    for (;;) {
        if (n->kind == LH_OP_call && n->call->known && strcmp(n->call->known->name, "dropout") == 0)
            n = n->call->param[0];
        else if (lh_node_meaning(n))
            n = lh_node_meaning(n);
        else if (n->kind == LH_OP_same)
            n = n->in[0];
        else if (n->kind == LH_OP_given && lh_given_is_written(n->given))
            n = n->given->expr;
        else
            return n;
    }
}

static bool same_shape(const comparing *c, const lh_node *x, const lh_node *y) {
    const lh_shape *a = &x->shape, *b = &y->shape;
    return c->a->axis[a->rows].n == c->b->axis[b->rows].n &&
           c->a->axis[a->cols].n == c->b->axis[b->cols].n &&
           c->a->axis[a->heads].n == c->b->axis[b->heads].n && a->is_batched == b->is_batched;
}

static bool same_number(const comparing *c, const lh_node *x, const lh_node *y, bool *is_known) {
    double p, q;
    const bool a = lh_node_constant(c->a, x, &p), b = lh_node_constant(c->b, y, &q);
    *is_known = a && b;
    return *is_known && (p == q || fabs(p - q) <= 1e-12 * fmax(fabs(p), fabs(q)));
}

static bool same_leaf(const comparing *c, const lh_node *x, const lh_node *y) {
    if (x->kind == LH_OP_given)
        return lh_given_is_weight(x->given) && lh_given_is_weight(y->given) &&
               strcmp(c->name_a[x->given->number], c->name_b[y->given->number]) == 0;
    if (x->kind == LH_OP_input)
        return strcmp(c->a->input[x->input]->name, c->b->input[y->input]->name) == 0;
    if (x->kind == LH_OP_matrix)
        return memcmp(x->index, y->index, sizeof x->index) == 0 &&
               memcmp(x->cells, y->cells,
                      (size_t)x->index[0] * (size_t)x->index[1] * sizeof *x->cells) == 0;
    if (x->kind == LH_OP_runtime) return strcmp(x->text, y->text) == 0;
    return x->n_in > 0;
}

/* Operands come before their users, so that this goes no deeper than the graph. */
static bool same_node(const comparing *c, const lh_node *x, const lh_node *y) {
    bool is_known;
    x = meant(x), y = meant(y);
    if (c->same[x->id] == y->id + 1) return true;
    if (!same_shape(c, x, y)) return false;
    bool is_same = same_number(c, x, y, &is_known);
    if (!is_known) {
        is_same = x->kind == y->kind && x->n_in == y->n_in && same_leaf(c, x, y);
        if (x->n_in) is_same &= memcmp(x->index, y->index, sizeof x->index) == 0;
        for (int i = 0; is_same && i < x->n_in; i++) is_same = same_node(c, x->in[i], y->in[i]);
    }
    if (is_same) c->same[x->id] = y->id + 1;
    return is_same;
}

static const char **tensor_names(lh_context *ctx, lh_arena *a, const lh_graph *g) {
    const char **name = lh_alloc_array(a, (size_t)g->n_givens + 1, sizeof *name);
    const lh_weights *w = lh_weights_of(ctx, a, g, LH_PARAM);
    for (int i = 0; w && name && i < w->n; i++)
        name[w->weight[i].given->number] = w->weight[i].name;
    return w ? name : NULL;
}

static bool computes_same(lh_context *ctx, lh_arena *a, const lh_graph *x, const lh_graph *y) {
    comparing c = {x, y, tensor_names(ctx, a, x), tensor_names(ctx, a, y), NULL};
    c.same = lh_alloc_array(a, (size_t)x->n_nodes + 1, sizeof *c.same);
    const lh_node *of_x = lh_graph_scores(x), *of_y = lh_graph_scores(y);
    return c.name_a && c.name_b && c.same && of_x && of_y && same_node(&c, of_x, of_y);
}

/* ---- a config, tried ---- */

static long long size_named(const lh_graph *g, const char *name) {
    for (int i = 0; i < g->n_axes; i++)
        if (g->axis[i].name && strcmp(g->axis[i].name, name) == 0) return (long long)g->axis[i].n;
    return 0;
}

/* A config that means the program within its first context alone (longrope) does not mean a longer one. */
static bool reaches(const lh_graph *own, const lh_graph *g) {
    return size_named(own, "context") >= size_named(g, "context");
}

bool lh_family_describes(const lh_graph *g, const char *config, bool *is_as_long) {
    lh_context *ctx = lh_context_new(); /* a candidate that cannot be is no error */
    lh_arena *a = ctx ? lh_arena_new(ctx) : NULL;
    bool is_same = false;
    const char *text = a ? lh_family_program(ctx, a, "config.json", config, strlen(config)) : NULL;
    lh_program *p = text ? lh_program_parse(ctx, "program", text, strlen(text)) : NULL;
    lh_graph *own = p ? lh_graph_build(ctx, p, &(lh_build){.without_examples = true}) : NULL;
    if (own) is_same = reaches(own, g) && computes_same(ctx, a, g, own);
    if (is_as_long) *is_as_long = own && reaches(g, own);
    lh_graph_free(own);
    lh_program_free(p);
    if (a) lh_arena_free(a);
    lh_context_free(ctx);
    return is_same;
}

/* ---- candidates ---- */

/* A number that the first call of a function has for a parameter. */
static double number_of_call(const lh_graph *g, const char *fn, const char *param,
                             double standard) {
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        if (n->kind != LH_OP_call || !n->call->known || strcmp(n->call->known->name, fn) != 0)
            continue;
        for (int k = 0; k < n->call->known->n_params; k++) {
            double x;
            if (strcmp(n->call->known->param[k], param) == 0 &&
                lh_node_constant(g, n->call->param[k], &x))
                return x;
        }
    }
    return standard;
}

/* The k of the first topk(x, k). */
static long long number_chosen(const lh_graph *g) {
    for (int i = 0; i < g->n_nodes; i++)
        if (g->node[i]->kind == LH_OP_topk) return g->node[i]->index[0];
    return 0;
}

typedef struct candidate {
    lh_arena *arena;
    const lh_graph *g;
    const lh_family_record *f;
    const char *activation;
    bool is_tied;
} candidate;

static void put_whole(lh_text *t, const char *field, long long n) {
    if (n > 0) lh_text_add(t, ", \"%s\": %lld", field, n);
}

/* 30.0, not 30: where a fraction is meant, other readers refuse a whole number. */
static void put_number(lh_text *t, const char *field, double x) {
    if (x > 0) lh_text_add(t, ", \"%s\": %.17g%s", field, x, x == floor(x) && x < 1e16 ? ".0" : "");
}

/* A value by what it is kept in. */
static void put_field(lh_text *t, const candidate *c, const lh_family_field *f) {
    const lh_graph *g = c->g;
    const double dim = (double)size_named(g, "dim"), heads = (double)size_named(g, "heads");
    static const struct {
        size_t at;
        const char *size;
    } sizes[] = {{offsetof(lh_family_values, vocab), "vocab"},
                 {offsetof(lh_family_values, dim), "dim"},
                 {offsetof(lh_family_values, layers), "layers"},
                 {offsetof(lh_family_values, heads), "heads"},
                 {offsetof(lh_family_values, width), "width"},
                 {offsetof(lh_family_values, hidden), "hidden"},
                 {offsetof(lh_family_values, context), "context"},
                 {offsetof(lh_family_values, window), "window"},
                 {offsetof(lh_family_values, experts), "experts"}};
    if (f->kind == LH_FIELD_TEXT && f->text) {
        lh_text_add(t, ", \"%s\": \"%s\"", f->name, c->activation);
    } else if (f->kind == LH_FIELD_YES && f->at == offsetof(lh_family_values, is_tied)) {
        lh_text_add(t, ", \"%s\": %s", f->name, c->is_tied ? "true" : "false");
    } else if (f->kind == LH_FIELD_WHOLE &&
               (f->standard != 0 || strcmp(f->name, "head_dim") == 0)) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (f->at == sizes[i].at) put_whole(t, f->name, size_named(g, sizes[i].size));
    }
    if (f->kind == LH_FIELD_WHOLE && f->at == offsetof(lh_family_values, chosen))
        put_whole(t, f->name, number_chosen(g));
    if (f->kind == LH_FIELD_WHOLE && f->at == offsetof(lh_family_values, groups)) {
        const long long groups = size_named(g, "groups");
        put_whole(t, f->name, groups ? groups : (long long)heads);
    }
    if ((f->kind != LH_FIELD_NUMBER && f->kind != LH_FIELD_NEEDED) || f->standard == 0) return;
    const bool is_rms = c->f->means && number_of_call(g, "rmsnorm", "eps", 0) > 0;
    if (f->at == offsetof(lh_family_values, eps))
        put_number(t, f->name, number_of_call(g, is_rms ? "rmsnorm" : "layernorm", "eps", 1e-5));
    if (f->at == offsetof(lh_family_values, theta))
        put_number(t, f->name, number_of_call(g, "turns", "base", 10000));
    if (f->at == offsetof(lh_family_values, cap))
        put_number(t, f->name, number_of_call(g, "attentionwith", "cap", 0));
    if (f->at == offsetof(lh_family_values, cap_logits))
        put_number(t, f->name, number_of_call(g, "softcap", "cap", 0));
    if (f->at == offsetof(lh_family_values, scalar)) {
        const double scale = number_of_call(g, "attentionwith", "scale", 0),
                     x = scale > 0 ? round(1e6 / (scale * scale)) / 1e6 : dim / heads;
        if (x == floor(x) && x < 1e9)
            put_whole(t, f->name, (long long)x); /* here other readers refuse 4.0 */
        else
            put_number(t, f->name, x);
    }
}

static const char *config_of(const candidate *c) {
    lh_text t = lh_text_new(c->arena);
    lh_text_add(&t, "{\"architectures\": [\"%s\"], \"model_type\": \"%s\"",
                c->f->family.architecture, c->f->family.type);
    for (const lh_family_field *f = c->f->field; f->name; f++) put_field(&t, c, f);
    lh_text_add(&t, "}");
    return t.s;
}

/* Of two names for one function the one that the family uses. */
static bool is_usual(const lh_family_record *f, const char *activation) {
    const bool is_gpt2 = strcmp(f->family.type, "gpt2") == 0;
    return strcmp(activation, is_gpt2 ? "gelu_pytorch_tanh" : "gelu_new") != 0;
}

static bool has_tensor(const lh_graph *g, const char *as) {
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->as && strcmp(g->given[i]->as, as) == 0) return true;
    return false;
}

const char *lh_family_config(lh_arena *a, const lh_graph *g) {
    static const char *const activations[] = {"silu", "gelu_new", "gelu_pytorch_tanh",
                                              "gelu", "relu",     "tanh"};
    if (!size_named(g, "layers") || !size_named(g, "dim") || !size_named(g, "heads")) return NULL;
    for (int i = 0; i < lh_family_n_records; i++) {
        candidate c = {.arena = a, .g = g, .f = &lh_family_records[i]};
        if (!has_tensor(g, c.f->names->embed)) continue;
        for (size_t k = 0; k < sizeof activations / sizeof *activations; k++)
            for (int tied = 0; is_usual(c.f, activations[k]) && tied < 2; tied++) {
                c.activation = activations[k], c.is_tied = tied;
                const char *config = config_of(&c);
                if (lh_family_describes(g, config, NULL)) return config;
            }
    }
    return NULL;
}
