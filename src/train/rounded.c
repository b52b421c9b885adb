#include "train/rounded.h"

#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "eval/fast/quant.h"
#include "eval/fast/row.h"
#include "eval/plan.h"
#include "train/floats.h"

static const lh_place nowhere = {0, 0, 0};

static const char *const names[] = {"float", "bf16", "int8", "int4"};

bool lh_precision_is_rounded(lh_precision p) {
    return p == LH_IN_INT8 || p == LH_IN_INT4;
}

const char *lh_precision_name(lh_precision p) {
    return names[p];
}

bool lh_precision_read(const char *text, lh_precision *p) {
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            *p = (lh_precision)i;
            return true;
        }
    return false;
}

/* ---- which ---- */

static bool has_words(const lh_graph *g, const lh_node *n) {
    return g->axis[n->shape.rows].vocab || g->axis[n->shape.cols].vocab;
}

static void choose(lh_rounded *r, const lh_plan *p) {
    for (int i = 0; i < r->weights->n; i++) {
        const lh_weight *one = &r->weights->weight[i];
        const lh_node *n = one->given->node;
        lh_quant *q = &r->quant[i];
        if (!lh_fast.has(p, n) || !lh_floats_may_be_quant(p, n, &q->is_by_rows)) continue;
        q->bits = r->precision == LH_IN_INT8 || has_words(p->g, n) ? 8 : 4;
        q->lines = (ptrdiff_t)(q->is_by_rows ? one->rows : one->cols);
        q->k = (ptrdiff_t)(q->is_by_rows ? one->cols : one->rows);
        r->bytes += (double)lh_quant_bytes(q->bits, q->lines, q->k);
    }
}

static size_t bytes_of(const lh_quant *q) {
    return lh_quant_bytes(q->bits, q->lines, q->k);
}

/* ---- the file beside the weights ---- */

enum { FORM = 1 }; /* of the panels: another one is another number */

#define KEY_FORM "longhand.quant"
#define KEY_FROM "longhand.from"

static const char *path_beside(const lh_rounded *r) {
    const char *path = lh_tensors_path(r->weights->from), *slash = strrchr(path, '/');
    if (r->weights->from->gguf)
        return lh_printf(r->arena, "%s.longhand-%s.safetensors", path,
                         lh_precision_name(r->precision));
    return lh_printf(r->arena, "%.*slonghand-%s.safetensors", slash ? (int)(slash + 1 - path) : 0,
                     path, lh_precision_name(r->precision));
}

static const char *form_text(const lh_rounded *r) {
    return lh_printf(r->arena, "%d %s", FORM, lh_precision_name(r->precision));
}

static bool is_same(const lh_tensors *t, const char *key, const char *text) {
    const char *is = lh_tensors_metadata(t, key);
    return is && strcmp(is, text) == 0;
}

/* All that is needed, as it is needed. */
static bool has_all(const lh_rounded *r, const lh_tensors *t) {
    for (int i = 0; i < r->weights->n; i++) {
        const lh_quant *q = &r->quant[i];
        const lh_tensor *x = q->bits ? lh_tensors_find(t, r->weights->weight[i].name) : NULL;
        if (q->bits && (!x || x->type != LH_U8 || x->bytes != bytes_of(q))) return false;
    }
    return true;
}

/* One that cannot be read, or was made of other weights, is as good as none. */
static bool open_kept(lh_rounded *r) {
    struct stat st;
    if (!r->path || stat(r->path, &st) != 0) return false;
    lh_tensors *t = lh_tensors_open(r->ctx, r->path);
    if (!t && lh_context_error(r->ctx)->kind != LH_ERROR_MEMORY) lh_context_clear(r->ctx);
    if (!t) return false;
    if (!is_same(t, KEY_FORM, form_text(r)) ||
        !is_same(t, KEY_FROM, lh_tensors_stamp(r->weights->from, r->arena)) || !has_all(r, t)) {
        lh_tensors_close(t);
        return false;
    }
    r->kept = t;
    for (int i = 0; i < r->weights->n; i++)
        if (r->quant[i].bits)
            r->quant[i].data = /* only read, as every borrowed matrix */
                (unsigned char *)lh_tensors_find(t, r->weights->weight[i].name)->data;
    return true;
}

static void write_kept(lh_rounded *r) {
    lh_tensor_entry *e = lh_alloc_array(r->arena, (size_t)r->weights->n + 1, sizeof *e);
    int n = 0;
    for (int i = 0; e && i < r->weights->n; i++)
        if (r->quant[i].bits)
            e[n++] = (lh_tensor_entry){.name = r->weights->weight[i].name,
                                       .type = LH_U8,
                                       .rank = 1,
                                       .size = {bytes_of(&r->quant[i])},
                                       .data = r->quant[i].data,
                                       .from = LH_U8};
    const lh_pair metadata[] = {{KEY_FORM, form_text(r)},
                                {KEY_FROM, lh_tensors_stamp(r->weights->from, r->arena)}};
    r->is_written = e && lh_tensors_write(r->ctx, r->path, e, n, metadata, 2);
}

/* ---- rounding ---- */

typedef struct source {
    const lh_weight *weight;
    bool is_by_rows;
} source;

static void read_some(const lh_tensor *t, size_t at, size_t n, float *out) {
    if (t->type == LH_BF16 && t->is_aligned)
        lh_row_way()->widen(out, (const uint16_t *)(const void *)t->data + at, (ptrdiff_t)n);
    else if (t->type == LH_F32 && t->is_aligned)
        memcpy(out, (const float *)(const void *)t->data + at, n * sizeof *out);
    else
        lh_tensor_copy_float(t, at, n, out);
}

/* Columns side by side, a piece of each row; one by one where they do not lie so. */
static void read_lines(void *who, ptrdiff_t line, int n, float *out, ptrdiff_t step) {
    const source *s = who;
    const size_t rows = s->weight->rows, cols = s->weight->cols;
    float piece[LH_QUANT_LINES];
    if (s->is_by_rows)
        for (int i = 0; i < n; i++)
            read_some(s->weight->tensor, (size_t)(line + i) * cols, cols, out + i * step);
    else if (s->weight->tensor->reader)
        for (int i = 0; i < n; i++)
            lh_tensor_copy_column(s->weight->tensor, (size_t)(line + i), out + i * step);
    else
        for (size_t row = 0; row < rows; row++) {
            read_some(s->weight->tensor, row * cols + (size_t)line, (size_t)n, piece);
            for (int i = 0; i < n; i++) out[i * step + (ptrdiff_t)row] = piece[i];
        }
}

/* On a line of the cache. */
static unsigned char *memory_for(lh_rounded *r, int i) {
    r->own[i] = r->ctx->alloc(bytes_of(&r->quant[i]) + 63);
    if (!r->own[i])
        lh_fail(r->ctx, LH_ERROR_MEMORY, nowhere, "out of memory for %s in %d bits",
                r->weights->weight[i].name, r->quant[i].bits);
    return (unsigned char *)(((uintptr_t)r->own[i] + 63) / 64 * 64);
}

/* One with numbers that are too large stays as it is. */
static void round_weight(lh_rounded *r, lh_plan *p, int i) {
    const lh_weight *one = &r->weights->weight[i];
    lh_quant *q = &r->quant[i];
    source s = {one, q->is_by_rows};
    q->data = memory_for(r, i);
    if (!r->own[i]) return;
    if (!lh_quant_pack(p->moment.pool, q, read_lines, &s)) {
        r->bytes -= (double)bytes_of(q);
        *q = (lh_quant){0};
    }
    if (r->weights->from) lh_tensors_forget(r->weights->from, one->tensor);
}

const lh_quant *lh_rounded_get(lh_rounded *r, int weight, lh_plan *p) {
    lh_quant *q = &r->quant[weight];
    if (q->bits && !q->data && !lh_failed(r->ctx)) round_weight(r, p, weight);
    return q->bits && !lh_failed(r->ctx) ? q : NULL;
}

lh_rounded *lh_rounded_new(lh_plan *p, const lh_weights *w, const lh_rounded_how *how) {
    lh_context *ctx = p->g->ctx;
    lh_arena *arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_rounded *r = lh_alloc(arena, sizeof *r);
    *r = (lh_rounded){.ctx = ctx, .arena = arena, .precision = how->precision, .weights = w};
    r->quant = lh_alloc_array(arena, (size_t)w->n + 1, sizeof *r->quant);
    r->own = lh_alloc_array(arena, (size_t)w->n + 1, sizeof *r->own);
    if (r->quant && r->own) {
        choose(r, p);
        if (w->from) r->path = path_beside(r);
        const bool is_kept = open_kept(r);
        if (how->tell && !lh_failed(ctx)) how->tell(how->who, r);
        if (!is_kept) lh_memory_fits(ctx, r->bytes, "--precision int4 takes about half of int8");
        for (int i = 0; !is_kept && how->keeps && i < w->n; i++) lh_rounded_get(r, i, p);
        if (!is_kept && how->keeps && r->path && !lh_failed(ctx)) write_kept(r);
    }
    if (!lh_failed(ctx)) return r;
    lh_rounded_free(r);
    return NULL;
}

void lh_rounded_free(lh_rounded *r) {
    if (!r) return;
    lh_tensors_close(r->kept);
    for (int i = 0; r->own && i < r->weights->n; i++) r->ctx->release(r->own[i]);
    lh_arena_free(r->arena);
}
