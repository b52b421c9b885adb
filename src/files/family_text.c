/* The program that a description means, line by line. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "files/family_internal.h"

typedef struct writer {
    lh_text t;
    lh_arena *arena;
    const lh_decoder *d;
    const lh_family_names *names;
    bool has_residuals; /* matrices that add to the stream begin smaller */
} writer;

static const char *number(lh_arena *a, double x) {
    char s[LH_NUMBER_MAX];
    return lh_printf(a, "%s", lh_number_exact(s, sizeof s, x));
}

static const char *num(const writer *w, double x) {
    return number(w->arena, x);
}

/* ---- params ---- */

typedef enum start { ONES, ZEROS, RANDOM, SMALLER } start;

static const char *start_text(start s) {
    return s == ONES      ? "1"
           : s == ZEROS   ? "0"
           : s == SMALLER ? "normal(0.02 / sqrt(2 * layers))"
                          : "normal(0.02)";
}

static void param(writer *w, const char *indent, const char *name, const char *shape, start s,
                  const char *as, const char *end, const char *comment) {
    lh_text_add(&w->t, "%sparam %s : %s = %s as \"%s%s\"%s%s\n", indent, name, shape, start_text(s),
                as, end, comment ? "   # " : "", comment ? comment : "");
}

/* A weight of a layer: its name stands behind the layer's. */
static void layer_param(writer *w, const char *name, const char *shape, start s, const char *as,
                        const char *end, const char *comment) {
    param(w, "  ", name, shape, s, lh_printf(w->arena, "%s%s", w->names->layer, as), end, comment);
}

/* rows x cols in the files of most, cols x rows where matrices lie turned. */
static void matrix(writer *w, const char *name, const char *out, const char *in, start s,
                   const char *as, const char *comment) {
    layer_param(w, name,
                w->d->is_turned ? lh_printf(w->arena, "%s x %s", in, out)
                                : lh_printf(w->arena, "%s x %s", out, in),
                s, as, ".weight", comment);
}

static void bias(writer *w, bool has, const char *name, const char *cols, const char *as) {
    if (has) layer_param(w, name, lh_printf(w->arena, "1 x %s", cols), ZEROS, as, ".bias", NULL);
}

static void norm_params(writer *w, const char *g, const char *b, const char *as,
                        const char *comment) {
    const bool is_layer = w->d->norm == LH_NORM_LAYER;
    layer_param(w, g, "1 x dim", w->d->norm == LH_NORM_RMS_PLUS ? ZEROS : ONES, as, ".weight",
                comment);
    if (is_layer) layer_param(w, b, "1 x dim", ZEROS, as, ".bias", NULL);
}

/* ---- expressions ---- */

/* x @ W^T + b */
static const char *linear(writer *w, const char *x, const char *m, bool has_bias, const char *b) {
    return lh_printf(w->arena, "%s @ %s%s%s%s", x, m, w->d->is_turned ? "" : "^T",
                     has_bias ? " + " : "", has_bias ? b : "");
}

static const char *norm(writer *w, const char *x, const char *g, const char *b) {
    const lh_decoder *d = w->d;
    if (d->norm == LH_NORM_LAYER)
        return lh_printf(w->arena, "layernorm(%s, %s, %s, %s)", x, g, b, num(w, d->eps));
    return lh_printf(w->arena, "rmsnorm(%s, %s%s, %s)", x,
                     d->norm == LH_NORM_RMS_PLUS ? "1 + " : "", g, num(w, d->eps));
}

static const char *active(writer *w, const char *x) {
    return *w->d->activation ? lh_printf(w->arena, "%s(%s)", w->d->activation, x) : x;
}

/* ---- positions ---- */

static const char *turns(writer *w, const lh_rope *r, const char *x) {
    lh_arena *a = w->arena;
    const char *plain = r->base == 10000 ? lh_printf(a, "turns(%s)", x)
                                         : lh_printf(a, "turns(%s, %s)", x, num(w, r->base));
    switch (r->kind) {
    case LH_ROPE_LINEAR: return lh_printf(a, "%s / %s", plain, num(w, r->factor));
    case LH_ROPE_LLAMA3:
        return lh_printf(a, "turnslonger(%s, %s, %s, %s, %s)", plain, num(w, r->factor),
                         num(w, r->low), num(w, r->high), num(w, r->old));
    case LH_ROPE_YARN:
        return lh_printf(a, "turnsyarn(%s, %s, %s, %s, %s, %s%s)", x, num(w, r->base),
                         num(w, r->factor), num(w, r->old), num(w, r->fast), num(w, r->slow),
                         r->is_rounded ? "" : ", whole = 0");
    case LH_ROPE_LONG: {
        lh_text list = lh_text_new(a);
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < r->n_shares; i++)
                lh_text_add(&list, "%s%s", list.n ? " " : "", num(w, r->share[i]));
        return lh_printf(a, "%s / [%s]", plain, list.s);
    }
    default: return plain;
    }
}

static const char *like_turned(const writer *w) {
    return w->d->turned == w->d->width ? "zeros(1, width)" : "zeros(1, turned)";
}

static void positions(writer *w) {
    const lh_decoder *d = w->d;
    if (d->has_positions) return;
    if (d->turned < d->width)
        lh_text_add(&w->t,
                    "fn turn(x, w, n)                    # the first n columns of each head "
                    "are turned, the others stay\n"
                    "  y = beside(rope(columns(x, 0, n), w), columns(x, n, cols(x)))\nend\n");
    lh_text_add(&w->t,
                "w = %s   # by which angle each pair of columns is turned from position to "
                "position\n",
                turns(w, &d->rope, like_turned(w)));
    if (d->has_local)
        lh_text_add(&w->t, "wn = %s   # ... in layers with a window\n",
                    turns(w, &d->local, like_turned(w)));
    if (d->window && d->has_full) {
        lh_text_add(&w->t, "const full = [");
        for (long long i = 0; i < d->layers; i++)
            lh_text_add(&w->t, "%s%d", i ? " " : "", d->is_full[i]);
        lh_text_add(&w->t, "]   # 1: the layer looks back over the whole context\n");
    }
}

static const char *turned(writer *w, const char *x) {
    const lh_decoder *d = w->d;
    if (d->has_positions) return x;
    const char *by = d->has_local ? "where(full[0][h], w, wn)" : "w";
    const char *y = d->turned < d->width ? lh_printf(w->arena, "turn(%s, %s, turned)", x, by)
                                         : lh_printf(w->arena, "rope(%s, %s)", x, by);
    return d->rope.strength != 1 ? lh_printf(w->arena, "%s * %s", y, num(w, d->rope.strength)) : y;
}

/* ---- the head of the program ---- */

static void head(writer *w, const lh_family_record *f) {
    const lh_decoder *d = w->d;
    lh_text_add(&w->t, "# %s, as config.json says\n#\n", f->family.name);
    lh_text_add(&w->t,
                "# %lld layer%s of %lld head%s%s, %lld numbers wide. The names after `as` are "
                "those of the weights.\n",
                d->layers, LH_PLURAL(d->layers), d->heads, LH_PLURAL(d->heads),
                d->groups < d->heads
                    ? lh_printf(w->arena, " that share %lld of keys and values", d->groups)
                    : "",
                d->dim);
    lh_text_add(&w->t, "vocab %lld\nsize layers = %lld, heads = %lld", d->vocab, d->layers,
                d->heads);
    if (d->groups < d->heads) lh_text_add(&w->t, ", groups = %lld", d->groups);
    lh_text_add(&w->t, ", dim = %lld, width = %lld, hidden = %lld, context = %lld", d->dim,
                d->width, d->hidden, d->context);
    if (!d->has_positions && d->turned < d->width) lh_text_add(&w->t, ", turned = %lld", d->turned);
    if (d->window) lh_text_add(&w->t, ", window = %lld", d->window);
    if (d->experts) lh_text_add(&w->t, ", experts = %lld", d->experts);
    lh_text_add(&w->t,
                "\nconst rate  = 0.001                            # the highest learning "
                "rate\nconst warm  = 10                               # steps until it is "
                "reached\nconst steps = 100                              # steps until it "
                "has fallen to zero again\nconst decay = 0.1                              # "
                "of the weight matrices\n%sseed 1\ninput tokens : vocab*\n",
                d->is_encoder ? "const share = 0                                # of the words "
                                "that are hidden while it learns\nconst mask  = 0                "
                                "                # the token that hides them\n"
                              : "");
    if (!d->is_encoder)
        lh_text_add(&w->t, "input target : vocab*                          # from running text: "
                           "the token that follows each\ngenerate tokens from logits\n");
    lh_text_add(&w->t, "\n");
}

static void outer_norm(writer *w, const char *g, const char *b, const char *as,
                       const char *comment) {
    param(w, "", g, "1 x dim", w->d->norm == LH_NORM_RMS_PLUS ? ZEROS : ONES, as, ".weight",
          comment);
    if (w->d->norm == LH_NORM_LAYER) param(w, "", b, "1 x dim", ZEROS, as, ".bias", NULL);
}

static void outer_params(writer *w) {
    const lh_decoder *d = w->d;
    const lh_family_names *n = w->names;
    param(w, "", "E", "vocab x dim", RANDOM, n->embed, "",
          d->is_tied ? "embeddings, used again as the head" : "embeddings");
    if (d->has_positions) param(w, "", "U", "context x dim", RANDOM, n->positions, "", "positions");
    if (d->types)
        param(w, "", "S", lh_printf(w->arena, "%lld x dim", d->types), RANDOM, n->types, "",
              "which of two texts: the first");
    outer_norm(w, "g", "b", n->final, d->is_encoder ? "the first norm" : "the last norm");
    if (!d->is_tied) param(w, "", "O", "vocab x dim", RANDOM, n->head, "", "the head");
}

static const char *stream_start(writer *w) {
    const lh_decoder *d = w->d;
    const char *e = "E[tokens]";
    if (d->embeds_scaled) e = "E[tokens] * sqrt(dim)";
    if (d->is_encoder) e = "E[seen]";
    if (d->has_positions) e = lh_printf(w->arena, "%s + U[positions(tokens)]", e);
    if (d->types) e = lh_printf(w->arena, "%s + S[0]", e);
    return d->is_encoder ? norm(w, e, "g", "b") : e;
}

/* ---- a layer ---- */

static const char *groups(const writer *w) {
    return w->d->groups < w->d->heads ? "groups" : "heads";
}

static const char *all_heads(const writer *w) {
    return w->d->heads * w->d->width == w->d->dim ? "dim" : "heads*width";
}

static const char *all_groups(const writer *w) {
    return w->d->groups < w->d->heads ? "groups*width" : all_heads(w);
}

static void attention_params(writer *w) {
    const lh_decoder *d = w->d;
    const lh_family_names *n = w->names;
    const char *q = all_heads(w), *k = all_groups(w);
    if (d->norms_before) norm_params(w, "g1", "b1", n->before, NULL);
    if (d->joined == LH_APART) {
        matrix(w, "WQ", q, "dim", RANDOM, n->q, NULL), bias(w, d->bias_in, "bQ", q, n->q);
        matrix(w, "WK", k, "dim", RANDOM, n->k, NULL), bias(w, d->bias_in, "bK", k, n->k);
        matrix(w, "WV", k, "dim", RANDOM, n->v, NULL), bias(w, d->bias_in, "bV", k, n->v);
    } else {
        const char *all =
            d->groups == d->heads ? lh_printf(w->arena, "3*%s", q) : "(heads + 2*groups)*width";
        matrix(w, "WA", all, "dim", RANDOM, n->qkv,
               d->joined == LH_JOINED ? "queries, keys and values"
                                      : "for each head its queries, its keys, its values");
        bias(w, d->bias_in, "bA", all, n->qkv);
    }
    if (d->norms_heads || d->norms_all) {
        const start s = d->norm == LH_NORM_RMS_PLUS ? ZEROS : ONES;
        layer_param(w, "gQ", lh_printf(w->arena, "1 x %s", d->norms_heads ? "width" : q), s,
                    n->q_norm, ".weight", NULL);
        layer_param(w, "gK", lh_printf(w->arena, "1 x %s", d->norms_heads ? "width" : k), s,
                    n->k_norm, ".weight", NULL);
    }
    matrix(w, "WP", "dim", q, SMALLER, n->o, NULL);
    bias(w, d->bias_out, "bP", "dim", n->o);
    if (d->norms_after) norm_params(w, "ga", "ba", n->after, NULL);
}

/* Queries or keys, in heads, with their norms, and turned. */
static const char *looked(writer *w, const char *product, const char *heads, const char *g) {
    const lh_decoder *d = w->d;
    if (d->norms_all) product = norm(w, product, g, "");
    const char *y = heads ? lh_printf(w->arena, "split(%s, %s)", product, heads) : product;
    return turned(w, d->norms_heads ? norm(w, y, g, "") : y);
}

static void queries(writer *w, const char *x) {
    const lh_decoder *d = w->d;
    lh_text *t = &w->t;
    if (d->joined == LH_APART) {
        lh_text_add(t, "  Q = %s   # queries, one part for each head\n",
                    looked(w, linear(w, x, "WQ", d->bias_in, "bQ"), "heads", "gQ"));
        lh_text_add(t, "  K = %s   # keys\n",
                    looked(w, linear(w, x, "WK", d->bias_in, "bK"), groups(w), "gK"));
        lh_text_add(t, "  V = split(%s, %s)   # values\n", linear(w, x, "WV", d->bias_in, "bV"),
                    groups(w));
        return;
    }
    lh_text_add(t, "  A = %s\n", linear(w, x, "WA", d->bias_in, "bA"));
    if (d->joined == LH_JOINED_HEADS) {
        lh_text_add(t, "  B = split(A, heads)   # each head has its own three parts\n");
        lh_text_add(t, "  Q = %s\n", looked(w, "columns(B, 0, width)", NULL, "gQ"));
        lh_text_add(t, "  K = %s\n", looked(w, "columns(B, width, 2*width)", NULL, "gK"));
        lh_text_add(t, "  V = columns(B, 2*width, 3*width)\n");
        return;
    }
    const char *q = all_heads(w), *k = all_groups(w);
    const char *to_k = lh_printf(w->arena, "%s + %s", q, k),
               *to_v = lh_printf(w->arena, "%s + 2*%s", q, k);
    lh_text_add(t, "  Q = %s   # queries, one part for each head\n",
                looked(w, lh_printf(w->arena, "columns(A, 0, %s)", q), "heads", "gQ"));
    lh_text_add(t, "  K = %s   # keys\n",
                looked(w, lh_printf(w->arena, "columns(A, %s, %s)", q, to_k), groups(w), "gK"));
    lh_text_add(t, "  V = split(columns(A, %s, %s), %s)   # values\n", to_k, to_v, groups(w));
}

static const char *hiding(const writer *w) {
    const lh_decoder *d = w->d;
    if (d->is_encoder) return "";
    if (!d->window) return ", hide = later(Q, K)";
    if (!d->has_full) return ", hide = beyond(Q, K, window)";
    return ", hide = beyond(Q, K, where(full[0][h], context, window))";
}

static void attention(writer *w) {
    const lh_decoder *d = w->d;
    const bool is_scaled = d->scale > 0 || d->is_unscaled || d->scale_by_layer;
    lh_text_add(&w->t, "  H = attention%s(Q, K, V%s", is_scaled || d->cap > 0 ? "with" : "",
                hiding(w));
    if (is_scaled) {
        const char *usual = d->scale > 0     ? num(w, d->scale)
                            : d->is_unscaled ? "1"
                                             : "1 / sqrt(width)";
        lh_text_add(&w->t, ", scale = %s%s", usual, d->scale_by_layer ? " / (h + 1)" : "");
    }
    if (d->cap > 0) lh_text_add(&w->t, ", cap = %s", num(w, d->cap));
    lh_text_add(&w->t, ")   # %s\n",
                d->is_encoder ? "every position looks at every other" : "no position looks ahead");
}

static void network_params(writer *w) {
    const lh_decoder *d = w->d;
    const lh_family_names *n = w->names;
    if (d->norms_before) norm_params(w, "g2", "b2", n->net_before, NULL);
    if (d->experts) {
        matrix(w, "WR", "experts", "dim", RANDOM, n->router, "which expert for which position");
        return;
    }
    if (d->is_gated && !d->gate_is_joined) {
        matrix(w, "WG", "hidden", "dim", RANDOM, n->gate, NULL);
        bias(w, d->bias_hidden, "cG", "hidden", n->gate);
    }
    const char *out = d->gate_is_joined ? "2*hidden" : "hidden";
    matrix(w, "W1", out, "dim", RANDOM, n->up, d->gate_is_joined ? "gate and values" : NULL);
    bias(w, d->bias_hidden, "c1", out, n->up);
    matrix(w, "W2", "dim", "hidden", SMALLER, n->down, NULL);
    bias(w, d->bias_hidden, "c2", "dim", n->down);
    if (d->norms_after) norm_params(w, "gf", "bf", n->net_after, NULL);
}

/* What the network makes of x, as a formula. */
static const char *network(writer *w, const char *x) {
    const lh_decoder *d = w->d;
    const char *up = linear(w, x, "W1", d->bias_hidden, "c1"), *f;
    if (!d->is_gated) {
        f = active(w, up);
    } else {
        const char *gate = linear(w, x, "WG", d->bias_hidden, "cG");
        if (d->gate_is_joined) {
            lh_text_add(&w->t, "  G = %s\n", up);
            gate = "columns(G, 0, hidden)", up = "columns(G, hidden, 2*hidden)";
        }
        f = strcmp(d->activation, "silu") == 0
                ? lh_printf(w->arena, "swiglu(%s, %s)", gate, up)
                : lh_printf(w->arena, "%s * (%s)", active(w, gate), up);
    }
    lh_text_add(&w->t, "  F = %s   # %s\n", f,
                d->is_gated ? "a gate that lets values through" : "the network");
    return linear(w, "F", "W2", d->bias_hidden, "c2");
}

static void experts(writer *w, const char *x) {
    const lh_family_names *n = w->names;
    lh_text_add(&w->t, "  R = softmax(%s @ WR^T)   # how much each expert is wanted\n", x);
    lh_text_add(&w->t, "  C = R * topk(R, %lld)   # the best of them\n", w->d->chosen);
    lh_text_add(&w->t, "  p = C / rowsum(C)   # their shares\n");
    lh_text_add(&w->t, "  repeat e for experts with M = zeros(%s)\n", x);
    const struct {
        const char *name, *shape, *as;
        start s;
    } list[] = {{"G", "hidden x dim", n->gate, RANDOM},
                {"U", "hidden x dim", n->up, RANDOM},
                {"D", "dim x hidden", n->down, SMALLER}};
    for (int i = 0; i < 3; i++)
        param(w, "    ", list[i].name, list[i].shape, list[i].s,
              lh_printf(w->arena, "%s%s", n->layer, list[i].as), ".weight", NULL);
    lh_text_add(&w->t,
                "    next M = M + expert(%s, p[][e], G, U, D)   # only where it is wanted\n"
                "  end\n",
                x);
}

/* A sum in brackets: a product and its bias belong together. */
static const char *summand(writer *w, const char *what) {
    return strstr(what, " + ") ? lh_printf(w->arena, "(%s)", what) : what;
}

/* How something is added to the stream: with a norm around it, where there is one. */
static const char *added(writer *w, const char *to, const char *what, const char *g,
                         const char *b) {
    if (w->d->is_encoder)
        return norm(w, lh_printf(w->arena, "%s + %s", to, summand(w, what)), g, b);
    return lh_printf(w->arena, "%s + %s", to,
                     w->d->norms_after ? norm(w, what, g, b) : summand(w, what));
}

static void layer(writer *w) {
    const lh_decoder *d = w->d;
    lh_text *t = &w->t;
    attention_params(w);
    network_params(w);
    const char *x = "X";
    if (d->norms_before) lh_text_add(t, "  N = %s\n", norm(w, "X", "g1", "b1")), x = "N";
    queries(w, x);
    attention(w);
    const char *mixed = linear(w, "join(H)", "WP", d->bias_out, "bP");
    if (d->is_parallel)
        lh_text_add(t, "  Y = %s   # heads side by side again, mixed\n", mixed);
    else
        lh_text_add(t, "  Y = %s   # heads side by side again, mixed, and added\n",
                    added(w, "X", mixed, "ga", "ba"));
    const char *y = d->is_parallel ? "X" : "Y";
    if (d->norms_before) lh_text_add(t, "  N2 = %s\n", norm(w, y, "g2", "b2")), y = "N2";
    if (d->experts) {
        experts(w, y);
        lh_text_add(t, "  next X = Y + M   # and added\n");
        return;
    }
    const char *made = network(w, y);
    if (d->is_parallel)
        lh_text_add(t, "  next X = X + Y + %s   # both are added\n", summand(w, made));
    else
        lh_text_add(t, "  next X = %s   # and added\n", added(w, "Y", made, "gf", "bf"));
}

/* ---- the end ---- */

static void encoder_end(writer *w) {
    lh_text_add(
        &w->t,
        "param WT : dim x dim = normal(0.02) as \"cls.predictions.transform.dense.weight\"\n"
        "param bT : 1 x dim = 0 as \"cls.predictions.transform.dense.bias\"\n"
        "param gT : 1 x dim = 1 as \"cls.predictions.transform.LayerNorm.weight\"\n"
        "param cT : 1 x dim = 0 as \"cls.predictions.transform.LayerNorm.bias\"\n"
        "param bO : 1 x vocab = 0 as \"cls.predictions.bias\"\n"
        "T = layernorm(%s, gT, cT, %s)\n"
        "logits = T @ %s^T + bO                         # which word fits best, for each position\n"
        "\nL = crossentropy(logits, tokens) * hidden_words  # only hidden words count\n"
        "loss = total(sum(L)) / max(total(sum(hidden_words)), 1)\n",
        active(w, "X @ WT^T + bT"), num(w, w->d->eps), w->d->is_tied ? "E" : "O");
}

static void decoder_end(writer *w) {
    const lh_decoder *d = w->d;
    const char *scores =
        lh_printf(w->arena, "%s @ %s^T", norm(w, "X", "g", "b"), d->is_tied ? "E" : "O");
    lh_text_add(&w->t,
                "logits = %s   # which token fits best, for each position\n"
                "\nL = crossentropy(logits, target)               # one number for each position\n"
                "loss = average(mean(L))                        # the mean over positions, then "
                "over examples\n",
                d->cap_logits > 0
                    ? lh_printf(w->arena, "softcap(%s, %s)", scores, num(w, d->cap_logits))
                    : scores);
}

static void updates(writer *w) {
    lh_text_add(&w->t,
                "backward loss\n"
                "now = rate * min(1, (step + 1) / warm) * 0.5 * (1 + cos(pi * step / steps))   # "
                "up, then down in half a wave\n"
                "clip = min(1, 1 / norm(gradients))             # no step longer than 1 in the "
                "gradients\n"
                "each W in params\n"
                "  W := adamw(W, clip * dW, now, decay * (rows(W) > 1), 0.9, 0.95)   # rows of "
                "norms and biases do not decay\nend\n");
}

const char *lh_family_text(lh_arena *a, const lh_family_record *f, const lh_decoder *d) {
    writer w = {.t = lh_text_new(a), .arena = a, .d = d, .names = f->names};
    head(&w, f);
    positions(&w);
    outer_params(&w);
    if (d->is_encoder)
        lh_text_add(
            &w.t, "hidden_words = coin(tokens, share * training)  # 1 where a word is hidden\n"
                  "seen = where(hidden_words, mask, tokens)       # what the model gets to see\n");
    lh_text_add(&w.t, "repeat h for layers with X = %s\n", stream_start(&w));
    layer(&w);
    lh_text_add(&w.t, "end\n");
    if (d->is_encoder)
        encoder_end(&w);
    else
        decoder_end(&w);
    updates(&w);
    return w.t.s;
}
