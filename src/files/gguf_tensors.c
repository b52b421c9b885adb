/* Tensors of a GGUF file, read in place. */
#include <string.h>

#include "files/gguf_folder.h"
#include "files/gguf_internal.h"

static const lh_place nowhere = {0, 0, 0};

/* What a reader needs: rows and columns as the file has them. */
typedef struct place {
    const lh_gguf_tensor *tensor;
    lh_gguf_layout layout;
    size_t rows, cols, width; /* width: rows of a head */
    size_t block;             /* numbers in a block */
} place;

enum { MOST = 256 }; /* numbers in a block of any type */

/* Cells of a row of the file, from column `from` on: whole blocks are read. */
static void read_row(const place *p, size_t row, size_t from, size_t n, float *out) {
    float some[MOST];
    if (p->block == 1) {
        lh_gguf_copy(p->tensor, row * p->cols + from, n, out);
        return;
    }
    while (n) {
        const size_t at = row * p->cols + from, first = at / p->block * p->block, skip = at - first,
                     k = p->block - skip < n ? p->block - skip : n;
        lh_gguf_copy(p->tensor, first, p->block, some);
        memcpy(out, some + skip, k * sizeof *out);
        from += k, out += k, n -= k;
    }
}

static size_t row_there(const place *p, size_t row) {
    return p->layout == LH_GGUF_TURNED ? lh_gguf_row_there(row, p->width) : row;
}

/* All of a transposed tensor, as the file has it. */
static void read_transposed(const place *p, float *out) {
    float some[MOST];
    for (size_t row = 0; row < p->rows; row++)
        for (size_t from = 0; from < p->cols; from += MOST) {
            const size_t n = p->cols - from < MOST ? p->cols - from : MOST;
            read_row(p, row, from, n, some);
            for (size_t i = 0; i < n; i++) out[(from + i) * p->rows + row] = some[i];
        }
}

static void read_cells(const lh_tensor *t, size_t at, size_t n, float *out) {
    const place *p = t->from;
    if (p->layout == LH_GGUF_TRANSPOSED && n == t->cells) {
        read_transposed(p, out);
        return;
    }
    if (p->layout == LH_GGUF_TRANSPOSED) {
        for (size_t i = 0; i < n; i++, at++) read_row(p, at % p->rows, at / p->rows, 1, out + i);
        return;
    }
    while (n) {
        const size_t row = at / p->cols, col = at % p->cols, left = p->cols - col,
                     k = left < n ? left : n;
        read_row(p, row_there(p, row), col, k, out);
        for (size_t i = 0; p->layout == LH_GGUF_ONE_MORE && i < k; i++) out[i] -= 1;
        at += k, out += k, n -= k;
    }
}

/* A column of a transposed tensor is a row of the file. */
static void read_column(const lh_tensor *t, size_t col, float *out) {
    const place *p = t->from;
    if (p->layout == LH_GGUF_TRANSPOSED)
        read_row(p, col, 0, p->cols, out);
    else
        for (size_t r = 0; r < t->size[0]; r++) read_cells(t, r * p->cols + col, 1, out + r);
}

static const lh_tensor_reader reader = {read_cells, read_column};

static lh_dtype dtype_of(lh_gguf_type type) {
    switch (type) {
    case LH_GGUF_TYPE_F16: return LH_F16;
    case LH_GGUF_TYPE_BF16: return LH_BF16;
    case LH_GGUF_TYPE_Q8_0: return LH_Q8_0;
    case LH_GGUF_TYPE_Q4_0: return LH_Q4_0;
    case LH_GGUF_TYPE_Q4_K: return LH_Q4_K;
    case LH_GGUF_TYPE_Q6_K: return LH_Q6_K;
    default: return LH_F32;
    }
}

/* The rows of a head of queries or keys; 0: they cannot be divided, and the context failed. */
static size_t width_of(const lh_gguf *f, const lh_gguf_family *m, const lh_gguf_tensor *t,
                       size_t rows) {
    uint64_t heads = 0;
    const bool is_key = strstr(t->name, "attn_k.") != NULL;
    if (!is_key ||
        !lh_gguf_whole(f, lh_printf(f->arena, "%s.attention.head_count_kv", m->name), &heads))
        lh_gguf_whole(f, lh_printf(f->arena, "%s.attention.head_count", m->name), &heads);
    if (heads && heads <= rows && rows % heads == 0 && rows / heads % 2 == 0) return rows / heads;
    lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%.80s: %zu rows cannot be divided among %llu heads",
            t->name, rows, (unsigned long long)heads);
    return 0;
}

static void add_tensor(const lh_gguf *f, const lh_gguf_family *m, const lh_gguf_tensor *t,
                       lh_tensors *to) {
    char layer[12];
    size_t bytes;
    const lh_gguf_pair *p = lh_gguf_pair_there(m, t->name, layer, sizeof layer);
    if (!p) {
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere,
                "the tensor %.80s does not belong to a model of the kind %s", t->name, m->name);
        return;
    }
    if (!p->here) return;
    place *here = lh_alloc(to->arena, sizeof *here);
    *here = (place){.tensor = t, .layout = p->layout, .cols = t->size[0]};
    here->rows = t->cells / t->size[0];
    if (p->layout == LH_GGUF_TURNED && t->rank == 1) here->rows = t->size[0], here->cols = 1;
    if (p->layout == LH_GGUF_TURNED) here->width = width_of(f, m, t, here->rows);
    if (lh_failed(f->ctx)) return;
    lh_gguf_block(t->type, &here->block, &bytes);
    lh_tensor x = {.name = lh_gguf_name(to->arena, p->here, layer),
                   .type = dtype_of(t->type),
                   .rank = t->rank,
                   .cells = t->cells,
                   .bytes = t->bytes,
                   .data = t->data,
                   .from = here};
    const bool is_plain = p->layout == LH_GGUF_AS_IT_IS && here->block == 1;
    for (int i = 0; i < t->rank; i++)
        x.size[i] = t->size[p->layout == LH_GGUF_TRANSPOSED ? i : t->rank - 1 - i];
    x.is_aligned = is_plain && (uintptr_t)t->data % lh_dtype_bytes(x.type) == 0;
    x.reader = is_plain ? NULL : &reader;
    *lh_push(to->arena, to->tensor, to->n) = x;
}

void lh_gguf_tensors(const lh_gguf *f, lh_tensors *to) {
    const lh_gguf_family *m = lh_gguf_family_of(f);
    for (int i = 0; m && i < f->n_tensors && !lh_failed(f->ctx); i++)
        add_tensor(f, m, &f->tensor[i], to);
}
