/* Writing: values, the list of tensors, and their numbers, row by row. */
#include <string.h>

#include "files/gguf_internal.h"
#include "base/half.h"
#include "files/replace.h"

enum { ALIGNMENT = 32 };

static const lh_place nowhere = {0, 0, 0};

static void add_number(lh_text *out, uint64_t x, int bytes) {
    for (int i = 0; i < bytes; i++) lh_text_add_n(out, (char[]){(char)(x >> 8 * i)}, 1);
}

static void add_words(lh_text *out, const char *s, size_t n) {
    add_number(out, n, 8);
    lh_text_add_n(out, s, n);
}

static void add_float(lh_text *out, float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    add_number(out, bits, 4);
}

static void add_list(lh_text *out, const lh_gguf_field *f) {
    add_number(out, f->of, 4);
    add_number(out, f->n, 8);
    for (size_t i = 0; i < f->n; i++) {
        if (f->of == LH_GGUF_TEXT) add_words(out, f->text[i], strlen(f->text[i]));
        if (f->of == LH_GGUF_F32) add_float(out, f->floats[i]);
        if (f->of == LH_GGUF_I32) add_number(out, (uint32_t)f->wholes[i], 4);
    }
}

static void add_field(lh_text *out, const lh_gguf_field *f) {
    add_words(out, f->name, strlen(f->name));
    add_number(out, f->kind, 4);
    if (f->kind == LH_GGUF_LIST)
        add_list(out, f);
    else if (f->kind == LH_GGUF_TEXT)
        add_words(out, f->words, strlen(f->words));
    else if (f->kind == LH_GGUF_F32)
        add_float(out, (float)f->number);
    else
        add_number(out, (uint64_t)f->number, f->kind == LH_GGUF_BOOL ? 1 : 4);
}

static lh_gguf_type type_of(const lh_gguf_entry *e) {
    size_t cells = 1, bytes;
    if (!lh_gguf_block(e->type, &cells, &bytes) || e->size[0] % cells || e->rank < 2)
        return LH_GGUF_TYPE_F32;
    return e->type;
}

static size_t rows_of(const lh_gguf_entry *e) {
    size_t n = 1;
    for (int i = 1; i < e->rank; i++) n *= e->size[i];
    return n;
}

static size_t row_bytes(const lh_gguf_entry *e) {
    size_t cells = 1, bytes = 4;
    lh_gguf_block(type_of(e), &cells, &bytes);
    return e->size[0] / cells * bytes;
}

static void pack_row(lh_gguf_type type, const float *x, size_t n, unsigned char *out) {
    if (type == LH_GGUF_TYPE_Q8_0) {
        lh_gguf_pack_q8(x, n, out);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], 4);
        if (type == LH_GGUF_TYPE_F16) bits = lh_f16_from_float(x[i]);
        if (type == LH_GGUF_TYPE_BF16) bits = lh_bf16_from_float(x[i]);
        int width = type == LH_GGUF_TYPE_F32 ? 4 : 2;
        for (int k = 0; k < width; k++) *out++ = (unsigned char)(bits >> 8 * k);
    }
}

static void write_tensor(lh_context *ctx, lh_replace *to, const lh_gguf_entry *e) {
    static const char zeros[ALIGNMENT];
    lh_arena *a = lh_arena_new(ctx);
    float *x = a ? lh_alloc_array(a, e->size[0], sizeof *x) : NULL;
    unsigned char *packed = a ? lh_alloc_array(a, row_bytes(e), 1) : NULL;
    size_t rows = rows_of(e), bytes = row_bytes(e);
    for (size_t i = 0; x && packed && i < rows && !lh_failed(ctx); i++) {
        e->read(e->from, i, x);
        pack_row(type_of(e), x, e->size[0], packed);
        lh_replace_write(to, packed, bytes);
    }
    lh_replace_write(to, zeros, (ALIGNMENT - rows * bytes % ALIGNMENT) % ALIGNMENT);
    lh_arena_free(a);
}

bool lh_gguf_write(lh_context *ctx, const char *path, const lh_gguf_field *field, int n_fields,
                   const lh_gguf_entry *entry, int n_entries) {
    lh_arena *a = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!a) return false;
    lh_text head = lh_text_new(a);
    uint64_t offset = 0;
    lh_text_add_n(&head, "GGUF", 4);
    add_number(&head, 3, 4);
    add_number(&head, (uint64_t)n_entries, 8);
    add_number(&head, (uint64_t)n_fields, 8);
    for (int i = 0; i < n_fields; i++) add_field(&head, &field[i]);
    for (int i = 0; i < n_entries; i++) {
        const lh_gguf_entry *e = &entry[i];
        if (strlen(e->name) > 63)
            lh_fail(ctx, LH_ERROR_NAME, nowhere,
                    "%.80s: llama.cpp reads names of 63 letters at most", e->name);
        add_words(&head, e->name, strlen(e->name));
        add_number(&head, (uint64_t)e->rank, 4);
        for (int k = 0; k < e->rank; k++) add_number(&head, e->size[k], 8);
        add_number(&head, type_of(e), 4);
        add_number(&head, offset, 8);
        offset += (rows_of(e) * row_bytes(e) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    while (head.n % ALIGNMENT) lh_text_add_n(&head, "", 1);
    lh_replace *to = lh_failed(ctx) ? NULL : lh_replace_open(ctx, a, path);
    lh_replace_write(to, head.s, head.n);
    for (int i = 0; i < n_entries && to; i++) write_tensor(ctx, to, &entry[i]);
    bool ok = lh_replace_end(to);
    lh_arena_free(a);
    return ok && !lh_failed(ctx);
}
