/* Wide types first, so that every tensor begins at a multiple of its own width: the header is filled up with spaces to a
 * multiple of 8. Numbers are converted a piece at a time on their way to the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/half.h"
#include "files/json_read.h"
#include "files/replace.h"
#include "files/tensors.h"

enum { CELLS = 4096 }; /* converted at a time */

static const lh_place nowhere = {0, 0, 0};

static int by_name(const void *a, const void *b) {
    return strcmp((*(const lh_tensor_entry *const *)a)->name,
                  (*(const lh_tensor_entry *const *)b)->name);
}

static int by_width(const void *a, const void *b) {
    const lh_tensor_entry *x = *(const lh_tensor_entry *const *)a,
                          *y = *(const lh_tensor_entry *const *)b;
    size_t m = lh_dtype_bytes(x->type), n = lh_dtype_bytes(y->type);
    return m != n ? (m > n ? -1 : 1) : by_name(a, b);
}

static bool count_cells(const lh_tensor_entry *e, size_t *cells) {
    *cells = 1;
    for (int i = 0; i < e->rank; i++) {
        if (e->size[i] && *cells > SIZE_MAX / 8 / e->size[i]) return false;
        *cells *= e->size[i];
    }
    return true;
}

static bool can_convert(const lh_tensor_entry *e) {
    bool is_short = e->type == LH_F32 || e->type == LH_F16 || e->type == LH_BF16;
    return e->from == e->type || (e->from == LH_F64 && is_short) || (e->from == LH_F32 && is_short);
}

/* What lh_tensors_open would refuse is not written. */
static bool check_entries(lh_context *ctx, const char *path, const lh_tensor_entry **list, int n) {
    for (int i = 0; i < n && !lh_failed(ctx); i++) {
        const lh_tensor_entry *e = list[i];
        size_t cells;
        bool has_control = false;
        for (const char *s = e->name; *s; s++) has_control |= (unsigned char)*s < ' ' || *s == 0x7F;
        if (strlen(e->name) > LH_MAX_TENSOR_NAME || has_control || !*e->name ||
            strcmp(e->name, "__metadata__") == 0)
            lh_fail(ctx, LH_ERROR_NAME, nowhere, "\"%.80s\" cannot name a tensor", e->name);
        else if (i && strcmp(e->name, list[i - 1]->name) == 0)
            lh_fail(ctx, LH_ERROR_NAME, nowhere, "\"%.80s\" is to be written twice", e->name);
        else if (!count_cells(e, &cells))
            lh_fail(ctx, LH_ERROR_LIMIT, nowhere, "\"%.80s\" is too large", e->name);
        else if (!can_convert(e))
            lh_fail(ctx, LH_ERROR_VALUE, nowhere, "\"%.80s\": %s cannot become %s", e->name,
                    lh_dtype_name(e->from), lh_dtype_name(e->type));
    }
    lh_fail_in(ctx, path, NULL, 0);
    return !lh_failed(ctx);
}

static void header_metadata(lh_text *out, const lh_pair *metadata, int n) {
    if (n == 0) return;
    lh_text_add(out, "\"__metadata__\":{");
    for (int i = 0; i < n; i++) {
        if (i) lh_text_add_n(out, ",", 1);
        lh_text_add_json(out, metadata[i].key, strlen(metadata[i].key));
        lh_text_add_n(out, ":", 1);
        lh_text_add_json(out, metadata[i].value, strlen(metadata[i].value));
    }
    lh_text_add_n(out, "}", 1);
}

/* Filled up so that the numbers begin on a line of the cache: mapped, they are used in place. */
enum { LINE = 64 };

static lh_text header_text(lh_arena *a, const lh_tensor_entry **list, int n,
                           const lh_pair *metadata, int n_metadata) {
    lh_text out = lh_text_new(a);
    size_t at = 0, cells;
    lh_text_add_n(&out, "{", 1);
    header_metadata(&out, metadata, n_metadata);
    for (int i = 0; i < n; i++) {
        const lh_tensor_entry *e = list[i];
        if (i || n_metadata) lh_text_add_n(&out, ",", 1);
        lh_text_add_json(&out, e->name, strlen(e->name));
        lh_text_add(&out, ":{\"dtype\":\"%s\",\"shape\":[", lh_dtype_name(e->type));
        for (int k = 0; k < e->rank; k++) lh_text_add(&out, k ? ",%zu" : "%zu", e->size[k]);
        count_cells(e, &cells);
        size_t end = at + cells * lh_dtype_bytes(e->type);
        lh_text_add(&out, "],\"data_offsets\":[%zu,%zu]}", at, end);
        at = end;
    }
    lh_text_add_n(&out, "}", 1);
    while ((8 + out.n) % LINE) lh_text_add_n(&out, " ", 1); /* 8: its length stands before it */
    return out;
}

static void store(unsigned char *p, uint64_t x, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(x >> 8 * i);
}

/* Cell i of the entry at p, in the file's type. A double becomes 16 bits by way of a float. */
static void store_cell(const lh_tensor_entry *e, size_t i, unsigned char *p) {
    float x = e->from == LH_F64 ? (float)((const double *)e->data)[i] : ((const float *)e->data)[i];
    uint32_t bits;
    if (e->type == LH_F16) {
        store(p, lh_f16_from_float(x), 2);
    } else if (e->type == LH_BF16) {
        store(p, lh_bf16_from_float(x), 2);
    } else {
        memcpy(&bits, &x, sizeof bits);
        store(p, bits, 4);
    }
}

/* Numbers as they lie in memory: on machines that have the lowest byte first there is nothing to do. */
static void write_same(lh_replace *r, const lh_tensor_entry *e, size_t cells) {
    size_t width = lh_dtype_bytes(e->type);
    if (lh_dtype_is_native(e->type)) {
        if (cells) lh_replace_write(r, e->data, cells * width);
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        const unsigned char *from = (const unsigned char *)e->data + i * width;
        unsigned char cell[8];
        for (size_t k = 0; k < width; k++) cell[k] = from[width - 1 - k];
        lh_replace_write(r, cell, width);
    }
}

static void write_cells(lh_replace *r, const lh_tensor_entry *e) {
    unsigned char piece[CELLS * 4];
    size_t cells, width = lh_dtype_bytes(e->type);
    count_cells(e, &cells);
    if (e->from == e->type) {
        write_same(r, e, cells);
        return;
    }
    for (size_t at = 0; at < cells; at += CELLS) {
        size_t n = cells - at < CELLS ? cells - at : CELLS;
        for (size_t i = 0; i < n; i++) store_cell(e, at + i, piece + i * width);
        lh_replace_write(r, piece, n * width);
    }
}

static void write_entry(lh_replace *r, const lh_tensor_entry *entry, lh_tensor_source source) {
    lh_tensor_entry e = *entry;
    if (!e.data && source.fetch) e.data = source.fetch(source.with, entry);
    if (e.data) write_cells(r, &e);
}

static bool write_all(lh_context *ctx, lh_arena *a, const char *path, const lh_tensor_entry *entry,
                      int n, const lh_pair *metadata, int n_metadata, lh_tensor_source source) {
    unsigned char length[8];
    const lh_tensor_entry **list = lh_alloc_array(a, (size_t)n, sizeof *list);
    for (int i = 0; list && i < n; i++) list[i] = &entry[i];
    if (!list || lh_failed(ctx)) return false;
    qsort(list, (size_t)n, sizeof *list, by_name);
    if (!check_entries(ctx, path, list, n)) return false;
    qsort(list, (size_t)n, sizeof *list, by_width);
    lh_text header = header_text(a, list, n, metadata, n_metadata);
    if (header.n > LH_MAX_TENSOR_HEADER)
        lh_fail(ctx, LH_ERROR_LIMIT, nowhere, "%s: too many names for one file", path);
    cJSON_Delete(lh_json_parse(ctx, path, header.s, header.n)); /* texts that are not UTF-8 */
    lh_replace *r = lh_replace_open(ctx, a, path);
    store(length, header.n, 8);
    lh_replace_write(r, length, 8);
    lh_replace_write(r, header.s, header.n);
    for (int i = 0; r && i < n && !lh_failed(ctx); i++) write_entry(r, list[i], source);
    return lh_replace_end(r);
}

bool lh_tensors_write_from(lh_context *ctx, const char *path, const lh_tensor_entry *entry, int n,
                           const lh_pair *metadata, int n_metadata, lh_tensor_source source) {
    lh_arena *a = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!a) return false;
    bool is_done = write_all(ctx, a, path, entry, n, metadata, n_metadata, source);
    lh_arena_free(a);
    return is_done;
}

bool lh_tensors_write(lh_context *ctx, const char *path, const lh_tensor_entry *entry, int n,
                      const lh_pair *metadata, int n_metadata) {
    return lh_tensors_write_from(ctx, path, entry, n, metadata, n_metadata, (lh_tensor_source){0});
}
