/* Any text as config.json, as generation_config.json and as the program that it means. What is refused has a message; what is read is written again, and
 * that is read as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/config.h"
#include "files/family.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const lh_context *ctx) {
    const lh_error *e = lh_context_error(ctx);
    if (!lh_failed(ctx) || e->kind == LH_OK || !*e->what) abort();
}

static void try_config(lh_context *ctx, lh_arena *a, const char *text, size_t size) {
    lh_config c, again;
    const char *which;
    if (!lh_config_read(ctx, a, "config.json", text, size, &c)) {
        check_error(ctx);
        return;
    }
    char *written = lh_config_text(ctx, a, &c);
    if (!written) abort();
    if (!lh_config_read(ctx, a, "config.json", written, strlen(written), &again)) abort();
    if (!lh_config_same(&c, &again, &which)) abort();
    if (c.eos != again.eos) abort();
}

static void try_generation(lh_context *ctx, lh_arena *a, const char *text, size_t size) {
    lh_generation g, again;
    if (!lh_generation_read(ctx, a, "generation_config.json", text, size, &g)) {
        check_error(ctx);
        return;
    }
    char *written = lh_generation_text(ctx, a, &g);
    if (!written) abort();
    if (!lh_generation_read(ctx, a, "generation_config.json", written, strlen(written), &again))
        abort();
    if (g.top_k != again.top_k || g.temperature != again.temperature || g.eos != again.eos) abort();
}

/* What a config means can be read as a program. */
static void try_family(lh_context *ctx, lh_arena *a, const char *text, size_t size) {
    const char *program = lh_family_program(ctx, a, "config.json", text, size);
    if (!program) {
        check_error(ctx);
        return;
    }
    lh_program *p = lh_program_parse(ctx, "program.lh", program, strlen(program));
    if (!p) abort();
    lh_program_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    void (*const tries[])(lh_context *, lh_arena *, const char *,
                          size_t) = {try_config, try_generation, try_family};
    for (int i = 0; i < 3; i++) {
        lh_context *ctx = lh_context_new();
        lh_arena *a = lh_arena_new(ctx);
        tries[i](ctx, a, (const char *)data, size);
        lh_arena_free(a);
        lh_context_free(ctx);
    }
    return 0;
}
