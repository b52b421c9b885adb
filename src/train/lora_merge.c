/* What the small matrices of a program are to its weights: whether they fit, how a config describes them, and both added up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/file.h"
#include "base/memory.h"
#include "files/replace.h"
#include "files/save.h"
#include "train/lora.h"

static const lh_place nowhere = {0, 0, 0};

/* ---- in a graph ---- */

static const lh_given *given_as(const lh_graph *g, const char *as) {
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->as && strcmp(g->given[i]->as, as) == 0) return g->given[i];
    return NULL;
}

/* The small matrix of a weight that does not learn, or NULL. */
static const lh_given *small_of(lh_arena *a, const lh_graph *g, const lh_given *w,
                                const char *which) {
    return lh_given_is_frozen(w) ? given_as(g, lh_lora_name(a, w->as, which)) : NULL;
}

/* Is the weight read as x @ W^T? */
static bool is_turned(const lh_graph *g, const lh_given *w) {
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        if (n->kind != LH_OP_matmul) continue;
        if (n->in[1] == w->node) return false;
        if (n->in[1]->kind == LH_OP_transpose && n->in[1]->in[0] == w->node) return true;
    }
    return true;
}

static size_t rows_of(const lh_graph *g, const lh_given *w) {
    return g->axis[w->node->shape.rows].n;
}

static size_t cols_of(const lh_graph *g, const lh_given *w) {
    return g->axis[w->node->shape.cols].n;
}

bool lh_lora_fits(const lh_graph *g) {
    lh_arena *a = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    for (int i = 0; a && i < g->n_givens && !lh_failed(g->ctx); i++) {
        const lh_given *w = g->given[i], *small = small_of(a, g, w, "A");
        if (!small) continue;
        const size_t rows = rows_of(g, w), cols = cols_of(g, w), least = rows < cols ? rows : cols;
        if (rows_of(g, small) <= least) continue;
        lh_fail(g->ctx, LH_ERROR_VALUE, nowhere,
                "a rank of %zu is more than %s has: it is %zu x %zu", rows_of(g, small),
                w->node->step->path, rows, cols);
        lh_cure(g->ctx, "--lora %zu at most; usual are 4 to 64", least);
    }
    lh_arena_free(a);
    return !lh_failed(g->ctx);
}

/* ---- as a config says it ---- */

/* Would this end of a name also mean a matrix that has no small ones? */
static bool means_others(lh_arena *a, const lh_graph *g, const char *end) {
    for (int i = 0; i < g->n_givens; i++) {
        const lh_given *w = g->given[i];
        if (!lh_given_is_frozen(w) || small_of(a, g, w, "A") || rows_of(g, w) == 1) continue;
        const char *module = lh_lora_module(a, w->as);
        if (strcmp(module, end) == 0 || lh_ends_in(module, lh_printf(a, ".%s", end))) return true;
    }
    return false;
}

/* The shortest end of its name that says which module it is: q_proj, attn.c_proj. */
static const char *short_name(lh_arena *a, const lh_graph *g, const lh_given *w) {
    const char *module = lh_lora_module(a, w->as), *end = module + strlen(module);
    for (;;) {
        while (end > module && end[-1] != '.') end--;
        if (end == module || !means_others(a, g, end)) return end;
        end--;
    }
}

static void add_name(lh_arena *a, lh_adapter *x, const char *name) {
    for (int i = 0; i < x->n_on; i++)
        if (strcmp(x->on[i], name) == 0) return;
    *lh_push(a, x->on, x->n_on) = name;
}

lh_adapter lh_lora_adapter(lh_arena *a, const lh_graph *g, const char *base) {
    lh_adapter x = {.base = base};
    const lh_step *alpha = lh_graph_step(g, "alpha");
    if (!alpha || !lh_node_constant(g, alpha->node, &x.alpha)) x.alpha = 1;
    for (int i = 0; i < g->n_givens; i++) {
        const lh_given *w = g->given[i], *small = small_of(a, g, w, "A");
        if (!small) continue;
        x.rank = (int)rows_of(g, small);
        x.is_untransposed |= !is_turned(g, w);
        add_name(a, &x, short_name(a, g, w));
    }
    return x;
}

/* ---- both as one ---- */

typedef struct merging {
    lh_context *ctx;
    lh_arena *arena;
    const lh_folder *f;
    const lh_graph *g;
    const lh_weights *w;
    double scale;
} merging;

static const lh_weight *weight_named(const lh_weights *w, const char *name) {
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->weight[i].name, name) == 0) return &w->weight[i];
    return NULL;
}

static double *numbers_of(lh_arena *a, const lh_weight *w) {
    double *x = lh_alloc_array(a, w->rows * w->cols, sizeof *x);
    if (x) lh_tensor_copy_double(w->tensor, 0, w->rows * w->cols, x);
    return x;
}

/* One row of what is added: out x in where the weight is read turned, else in x out. */
static void add_row(const merging *m, const lh_weight *w, const double *a, const double *b,
                    size_t rank, bool turned, size_t row, double *to) {
    const size_t in = turned ? w->cols : w->rows;
    for (size_t k = 0; k < rank; k++)
        for (size_t c = 0; c < w->cols; c++)
            to[c] += m->scale * (turned ? b[row * rank + k] * a[k * in + c]
                                        : b[c * rank + k] * a[k * in + row]);
}

static float *added_up(const merging *m, const lh_weight *w, const lh_weight *a,
                       const lh_weight *b) {
    lh_arena *own = lh_arena_new(m->ctx);
    if (!own) return NULL;
    const double *x = numbers_of(own, a), *y = x ? numbers_of(own, b) : NULL;
    double *row = y ? lh_alloc_array(own, w->cols, sizeof *row) : NULL;
    float *sum = row ? lh_alloc_array(m->arena, w->rows * w->cols, sizeof *sum) : NULL;
    const bool turned = is_turned(m->g, w->given);
    for (size_t r = 0; sum && r < w->rows; r++) {
        lh_tensor_copy_double(w->tensor, r * w->cols, w->cols, row);
        add_row(m, w, x, y, a->rows, turned, r, row);
        for (size_t c = 0; c < w->cols; c++) sum[r * w->cols + c] = (float)row[c];
    }
    lh_arena_free(own);
    return sum;
}

static lh_tensor_entry entry_of(const lh_tensor *t) {
    lh_tensor_entry e = {
        .name = t->name, .type = t->type, .rank = t->rank, .data = t->data, .from = t->type};
    memcpy(e.size, t->size, sizeof e.size);
    return e;
}

/* F16 ends at 65504, and what is beyond would be infinity. */
static bool fits_in(const merging *m, const lh_tensor *t, const float *sum) {
    for (size_t i = 0; t->type == LH_F16 && i < t->cells; i++) {
        if (fabsf(sum[i]) < 65520) continue;
        lh_fail(m->ctx, LH_ERROR_VALUE, nowhere,
                "%s would have the number %g, and its type F16 goes up to 65504", t->name,
                (double)sum[i]);
        lh_cure(m->ctx, "merge it into a base whose weights are in BF16 or F32");
        return false;
    }
    return true;
}

/* The tensors of the base, those that have small matrices with these added, in the types of the base. */
static lh_tensor_entry *entries(const merging *m, int *n) {
    const lh_tensors *base = m->f->base->weights;
    lh_tensor_entry *list = lh_alloc_array(m->arena, (size_t)base->n + 1, sizeof *list);
    *n = 0;
    for (int i = 0; list && i < base->n; i++) list[(*n)++] = entry_of(&base->tensor[i]);
    for (int i = 0; list && i < m->w->n && !lh_failed(m->ctx); i++) {
        const lh_weight *w = &m->w->weight[i],
                        *a = weight_named(m->w, lh_lora_name(m->arena, w->name, "A")),
                        *b = weight_named(m->w, lh_lora_name(m->arena, w->name, "B"));
        if (!a || !b) continue;
        const float *sum = added_up(m, w, a, b);
        for (int k = 0; sum && fits_in(m, w->tensor, sum) && k < *n; k++)
            if (strcmp(list[k].name, w->tensor->name) == 0)
                list[k].data = sum, list[k].from = LH_F32;
    }
    return lh_failed(m->ctx) ? NULL : list;
}

/* What the base's save said, without its optimiser. */
static lh_pair *metadata(const merging *m, int *n) {
    const lh_tensors *base = m->f->base->weights;
    lh_pair *list = NULL;
    *n = 0;
    for (int i = 0; i < base->n_metadata; i++)
        if (strcmp(base->metadata[i].key, LH_SAVE_FILE) != 0)
            *lh_push(m->arena, list, *n) = base->metadata[i];
    if (!lh_tensors_metadata(base, "format"))
        *lh_push(m->arena, list, *n) = (lh_pair){"format", "pt"};
    return list;
}

/* As the adapter has it, else as its base. */
static bool copy_file(const merging *m, const char *out, const char *name, bool from_base) {
    const char *own = lh_printf(m->arena, "%s/%s", m->f->path, name),
               *base = lh_printf(m->arena, "%s/%s", m->f->base->path, name);
    struct stat st;
    size_t n;
    const char *from = !from_base && stat(own, &st) == 0 ? own : base;
    if (stat(from, &st)) return true;
    const char *text = lh_file_read_plain(m->ctx, m->arena, from, &n);
    return text &&
           lh_replace_file(m->ctx, m->arena, lh_printf(m->arena, "%s/%s", out, name), text, n);
}

static bool copy_files(const merging *m, const char *out) {
    static const char *const of_base[] = {"config.json", LH_SAVE_PROGRAM_FILE};
    static const char *const of_text[] = {"generation_config.json",
                                          "tokenizer.json",
                                          "tokenizer_config.json",
                                          "special_tokens_map.json",
                                          "added_tokens.json",
                                          "vocab.json",
                                          "merges.txt",
                                          "chat_template.jinja"};
    bool is_good = true;
    for (size_t i = 0; is_good && i < sizeof of_base / sizeof *of_base; i++)
        is_good = copy_file(m, out, of_base[i], true);
    for (size_t i = 0; is_good && i < sizeof of_text / sizeof *of_text; i++)
        is_good = copy_file(m, out, of_text[i], false);
    return is_good;
}

static bool make_folder(const merging *m, const char *out) {
    struct stat st;
    if (lh_folder_holds_model(out)) {
        lh_fail(m->ctx, LH_ERROR_FILE, nowhere, "%s already contains a model", out);
        lh_cure(m->ctx, "choose another folder");
        return false;
    }
    if (lh_disk_of(m->ctx)->mkdir(out) == 0 || (stat(out, &st) == 0 && S_ISDIR(st.st_mode)))
        return true;
    lh_fail(m->ctx, LH_ERROR_FILE, nowhere, "%s cannot be made", out);
    return false;
}

bool lh_lora_merge(const lh_folder *f, const lh_graph *g, const lh_weights *w, const char *out) {
    lh_context *ctx = g->ctx;
    lh_arena *a = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!a) return false;
    const lh_adapter x = lh_lora_adapter(a, g, "");
    merging m = {ctx, a, f, g, w, x.rank ? x.alpha / x.rank : 0};
    int n = 0, n_pairs;
    bool is_done = false;
    const lh_pair *pairs = metadata(&m, &n_pairs);
    if (make_folder(&m, out) && copy_files(&m, out)) {
        const lh_tensor_entry *list = entries(&m, &n);
        is_done = list && lh_tensors_write(ctx, lh_printf(a, "%s/model.safetensors", out), list, n,
                                           pairs, n_pairs);
    }
    lh_arena_free(a);
    return is_done && !lh_failed(ctx);
}
