#include "files/weights.h"
#include "base/ascii.h"

#include <string.h>

static const lh_place nowhere = {0, 0, 0};

/* ---- names ---- */

/* The turn of the repeat called by the n bytes at `name` around a scope; -1: there is none. Its path ends in name[turn]. */
static int turn_of(const lh_scope *s, const char *name, size_t n) {
    for (; s; s = s->parent) {
        if (s->kind != LH_SCOPE_REPEAT) continue;
        const char *dot = strrchr(s->path, '.'), *last = dot ? dot + 1 : s->path;
        if (strncmp(last, name, n) == 0 && last[n] == '[') return s->turn;
    }
    return -1;
}

/* "h.{h}.ln_1.weight" in turn 3 is "h.3.ln_1.weight". */
static const char *tensor_name(lh_context *ctx, lh_arena *a, const lh_given *given) {
    const lh_step *step = given->node->step;
    const char *s = given->as;
    if (!s) return step->path;
    lh_text out = lh_text_new(a);
    while (*s) {
        size_t n = strcspn(s, "{"), inside = s[n] ? strcspn(s + n + 1, "}") : 0;
        lh_text_add_n(&out, s, n);
        s += n;
        if (!*s) break;
        int turn = s[1 + inside] ? turn_of(step->scope, s + 1, inside) : -1;
        if (turn < 0) {
            lh_fail(ctx, LH_ERROR_NAME, step->at,
                    "%s as \"%s\": no repeat around it is called %.*s", step->path, given->as,
                    (int)inside, s + 1);
            return "";
        }
        lh_text_add(&out, "%d", turn);
        s += inside + 2;
    }
    return out.s;
}

lh_weights *lh_weights_of(lh_context *ctx, lh_arena *a, const lh_graph *g, lh_given_kind kind) {
    if (lh_failed(ctx)) return NULL;
    lh_weights *w = lh_alloc(a, sizeof *w);
    *w = (lh_weights){.arena = a, .graph = g};
    for (int i = 0; i < g->n_givens && !lh_failed(ctx); i++) {
        const lh_given *given = g->given[i];
        if (given->kind != kind && !(kind == LH_PARAM && lh_given_is_frozen(given))) continue;
        if (given->kind == LH_CONST && !given->as) continue;
        lh_weight one = {.given = given,
                         .name = tensor_name(ctx, a, given),
                         .rows = g->axis[given->node->shape.rows].n,
                         .cols = g->axis[given->node->shape.cols].n};
        *lh_push(a, w->weight, w->n) = one;
    }
    return lh_failed(ctx) ? NULL : w;
}

/* ---- from a file ---- */

/* What a model without its head leaves out of names, and one with it puts before them. */
static const char *const prefixes[] = {"transformer.", "model.", "gpt_neox.", "bert."};

static const lh_tensor *find(const lh_weights *w, const lh_tensors *t, const char *name) {
    const lh_tensor *found = lh_tensors_find(t, name);
    for (size_t i = 0; !found && i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t n = strlen(prefixes[i]);
        found = lh_tensors_find(t, strncmp(name, prefixes[i], n) == 0
                                       ? name + n
                                       : lh_printf(w->arena, "%s%s", prefixes[i], name));
    }
    return found;
}

static bool has_shape(const lh_weight *w, const lh_tensor *t) {
    if (t->rank == 2) return t->size[0] == w->rows && t->size[1] == w->cols;
    bool is_vector = t->rank < 2 && (w->rows == 1 || w->cols == 1);
    return is_vector && t->cells == w->rows * w->cols;
}

static void refuse_shape(lh_context *ctx, const lh_weights *all, const lh_weight *w) {
    const lh_tensor *t = w->tensor;
    lh_fail(ctx, LH_ERROR_SHAPE, nowhere,
            "%s is %s in the file, and %s is %zu x %zu in the program", t->name,
            lh_sizes_text(all->arena, t->rank, t->size), w->given->node->step->path, w->rows,
            w->cols);
    if (t->rank == 2 && t->size[0] == w->cols && t->size[1] == w->rows)
        lh_cure(ctx, "the file has it transposed");
    else
        lh_cure(ctx, "set the program's sizes to those of the model: --set dim=...");
}

static void refuse_missing(lh_context *ctx, const lh_weight *w, int n_missing) {
    const char *path = w->given->node->step->path;
    if (n_missing == 1)
        lh_fail(ctx, LH_ERROR_NAME, nowhere, "%s is not in the file; %s needs it", w->name, path);
    else
        lh_fail(ctx, LH_ERROR_NAME, nowhere,
                "%s is not in the file, nor are %d others; %s needs it", w->name, n_missing - 1,
                path);
    if (!w->given->as) lh_cure(ctx, "param ... as \"NAME\" says what %s is called there", path);
}

/* The same numbers once more: a head that is tied to the embeddings. */
static bool is_copy(const lh_weights *w, const lh_tensor *x) {
    for (int i = 0; i < w->n; i++) {
        const lh_tensor *t = w->weight[i].tensor;
        if (t->bytes == x->bytes && t->type == x->type && memcmp(t->data, x->data, x->bytes) == 0)
            return true;
    }
    return false;
}

/* What other tools keep beside the weights: masks, turns, numbers of positions, heads for other questions. */
static bool is_known_extra(const lh_weights *w, const lh_tensor *x) {
    static const char *const ends[] = {".attn.bias",
                                       ".attn.masked_bias",
                                       ".attention.bias",
                                       ".attention.masked_bias",
                                       "rotary_emb.inv_freq",
                                       "embeddings.position_ids",
                                       "pooler.dense.weight",
                                       "pooler.dense.bias",
                                       "cls.seq_relationship.weight",
                                       "cls.seq_relationship.bias"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (lh_ends_in(x->name, ends[i])) return true;
    const bool is_head = strcmp(x->name, "lm_head.weight") == 0 ||
                         strcmp(x->name, "embed_out.weight") == 0 ||
                         strncmp(x->name, "cls.predictions.decoder.", 24) == 0;
    return is_head && is_copy(w, x);
}

static void find_unused(lh_context *ctx, lh_weights *w, const lh_tensors *t) {
    bool *is_used = lh_alloc_array(w->arena, (size_t)t->n + 1, sizeof *is_used);
    if (!is_used || lh_failed(ctx)) return;
    for (int i = 0; i < w->n; i++) is_used[w->weight[i].tensor - t->tensor] = true;
    for (int i = 0; i < t->n; i++) {
        if (is_used[i] || is_known_extra(w, &t->tensor[i])) continue;
        *lh_push(w->arena, w->unused, w->n_unused) = &t->tensor[i];
    }
}

bool lh_weights_match(lh_context *ctx, lh_weights *w, const lh_tensors *t) {
    const lh_weight *missing = NULL;
    int n_missing = 0;
    if (lh_failed(ctx)) return false;
    w->n_unused = 0;
    w->from = t;
    for (int i = 0; i < w->n && !lh_failed(ctx); i++) {
        lh_weight *one = &w->weight[i];
        one->tensor = find(w, t, one->name);
        if (!one->tensor) {
            if (n_missing++ == 0) missing = one;
        } else if (!has_shape(one, one->tensor)) {
            refuse_shape(ctx, w, one);
        } else if (!lh_tensor_is_number(one->tensor)) {
            lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s is of type %s, which is not read",
                    one->tensor->name, lh_dtype_name(one->tensor->type));
            lh_cure(ctx, "F32, F16, BF16 and F64 are");
        }
    }
    if (missing) refuse_missing(ctx, missing, n_missing);
    if (!lh_failed(ctx)) find_unused(ctx, w, t);
    lh_fail_in(ctx, lh_tensors_path(t), NULL, 0);
    return !lh_failed(ctx);
}

void lh_weight_copy_float(const lh_weight *w, float *out) {
    lh_tensor_copy_float(w->tensor, 0, w->rows * w->cols, out);
}

/* ---- an evaluator's numbers ---- */

void lh_weights_set(const lh_weights *w, const lh_evaluator *with, lh_plan *p) {
    for (int i = 0; i < w->n; i++) {
        const lh_weight *one = &w->weight[i];
        if (!with->has(p, one->given->node)) continue;
        for (size_t k = 0; k < one->rows * one->cols; k++) {
            double x;
            lh_tensor_copy_double(one->tensor, k, 1, &x);
            lh_cell at = {0, 0, (int)(k / one->cols), (int)(k % one->cols)};
            with->set(p, one->given->node, at, x);
        }
    }
}

lh_tensor_entry lh_weight_entry(const lh_weight *w, lh_dtype type, const void *data,
                                lh_dtype from) {
    lh_tensor_entry e = {.name = w->name, .type = type, .data = data, .from = from};
    if (w->rows != 1) e.size[e.rank++] = w->rows;
    e.size[e.rank++] = w->cols;
    return e;
}

lh_tensor_entry *lh_weights_get(lh_context *ctx, const lh_weights *w, const lh_evaluator *with,
                                const lh_plan *p, lh_dtype type) {
    lh_tensor_entry *list = lh_alloc_array(w->arena, (size_t)w->n, sizeof *list);
    for (int i = 0; list && i < w->n && !lh_failed(ctx); i++) {
        const lh_weight *one = &w->weight[i];
        size_t cells = one->rows * one->cols;
        double *x = lh_alloc_array(w->arena, cells, sizeof *x);
        for (size_t k = 0; x && k < cells; k++) {
            lh_cell at = {0, 0, (int)(k / one->cols), (int)(k % one->cols)};
            x[k] = with->get(p, one->given->node, at);
        }
        list[i] = lh_weight_entry(one, type, x, LH_F64);
    }
    return lh_failed(ctx) ? NULL : list;
}
