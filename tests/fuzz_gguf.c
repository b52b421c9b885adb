/* Any bytes as a GGUF file: read or refused with a message, never a crash; every number of what was read can be had. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/gguf_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const lh_gguf *f) {
    static float some[256];
    for (int i = 0; i < f->n_values; i++) {
        const lh_gguf_value *v = &f->value[i];
        double x;
        uint64_t n;
        if (lh_gguf_value_of(f, v->name) != v) abort();
        lh_gguf_number(f, v->name, &x);
        lh_gguf_whole(f, v->name, &n);
        for (uint64_t k = 0; v->kind == LH_GGUF_LIST && k < v->n && k < 1000; k++)
            if (v->of == LH_GGUF_TEXT)
                lh_copy(f->arena, v->text[k].s, v->text[k].n);
            else
                lh_gguf_item(v, k);
    }
    for (int i = 0; i < f->n_tensors; i++) {
        const lh_gguf_tensor *t = &f->tensor[i];
        if (lh_gguf_find(f, t->name) != t || !lh_gguf_type_name(t->type)) abort();
        for (size_t at = 0; at < t->cells && at < 100000; at += 256)
            lh_gguf_copy(t, at, t->cells - at < 256 ? t->cells - at : 256, some);
    }
}

/* As a model in place of a folder: refused with a message, or every number can be had, as a row, a column or alone. */
static void look_as_model(const lh_gguf *f) {
    static float some[4096];
    lh_tensors t = {.ctx = f->ctx, .arena = lh_arena_new(f->ctx)};
    lh_text json = lh_text_new(t.arena);
    lh_gguf_config_json(f, &json);
    lh_context_clear(f->ctx);
    lh_gguf_tensors(f, &t);
    for (int i = 0; i < t.n; i++) {
        const lh_tensor *x = &t.tensor[i];
        double one;
        lh_tensor_copy_double(x, x->cells - 1, 1, &one);
        if (x->cells <= 4096) lh_tensor_copy_float(x, 0, x->cells, some);
        if (x->cells <= 4096 && x->rank == 2) lh_tensor_copy_column(x, x->size[1] - 1, some);
        if (x->cells > 3) lh_tensor_copy_float(x, 1, 2, some);
    }
    if (lh_failed(f->ctx) && !*lh_context_error(f->ctx)->what) abort();
    lh_arena_free(t.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    uint8_t *copy = malloc(size ? size : 1); /* exactly so long: what lies behind it is seen */
    if (!copy) return 0;
    if (size) memcpy(copy, data, size);
    lh_gguf *f = lh_gguf_read(ctx, "fuzz.gguf", copy, size);
    if ((f == NULL) != lh_failed(ctx)) abort();
    if (!f && !*lh_context_error(ctx)->what) abort();
    if (f) look_at(f), look_as_model(f);
    lh_gguf_close(f);
    free(copy);
    lh_context_free(ctx);
    return 0;
}
