/* Any bytes as a safetensors file. What is refused has a message; of what is accepted every cell lies in the file and can be
 * read, and every tensor is found by its name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/tensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const lh_tensors *t, const uint8_t *data, size_t size) {
    for (int i = 0; i < t->n; i++) {
        const lh_tensor *x = &t->tensor[i];
        size_t cells = 1;
        for (int k = 0; k < x->rank; k++) cells *= x->size[k];
        if (lh_tensors_find(t, x->name) != x || cells != x->cells) abort();
        if (x->cells * lh_dtype_bytes(x->type) != x->bytes || x->bytes > size) abort();
        if (x->data < data || x->data + x->bytes > data + size) abort();
        double sum = 0;
        for (size_t k = 0; k < x->cells; k++) {
            double d;
            float f;
            lh_tensor_copy_double(x, k, 1, &d);
            lh_tensor_copy_float(x, k, 1, &f);
            sum += d;
        }
        if (sum == 0.12345) abort(); /* so that nothing is left out */
    }
    for (int i = 1; i < t->n; i++)
        if (strcmp(t->by_name[i - 1]->name, t->by_name[i]->name) >= 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    if (!ctx) return 0;
    lh_tensors *t = lh_tensors_read(ctx, "fuzz.safetensors", data, size);
    const lh_error *e = lh_context_error(ctx);
    if (!t != lh_failed(ctx)) abort();
    if (!t && (e->kind == LH_OK || !*e->what)) abort();
    if (t) read_all(t, data, size);
    lh_tensors_close(t);
    lh_context_free(ctx);
    return 0;
}
