/* Any bytes as a formula: refused with a message and a place, or read; what was read has every form: UTF-8, well-formed, as wide as
 * it claims. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "learn/formula.h"
#include "wellformed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(lh_arena *a, const lh_formula *f, int room) {
    lh_formula_lines lines = lh_formula_display(a, f, room);
    if (!lines.line || lines.n < 1 || lines.baseline < 0 || lines.baseline >= lines.n) abort();
    if (lines.fits != (lines.width <= room)) abort();
    for (int i = 0; i < lines.n; i++)
        if (lh_formula_columns(lines.line[i]) != lines.width) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    lh_arena *a = ctx ? lh_arena_new(ctx) : NULL;
    if (!a) abort();
    lh_formula *f = lh_formula_parse(ctx, a, (const char *)data, size, (lh_place){0});
    const lh_error *e = lh_context_error(ctx);
    if (!f && (!lh_failed(ctx) || !e->what[0] || e->at.line < 1 || e->at.col < 1)) abort();
    if (f) {
        lh_formula_inline(a, f);
        if (wellformed(lh_formula_mathml(a, f, true)) || wellformed(lh_formula_mathml(a, f, false)))
            abort();
        check(a, f, 60);
        check(a, f, 7);
        if (lh_failed(ctx)) abort();
    }
    lh_arena_free(a);
    lh_context_free(ctx);
    return 0;
}
