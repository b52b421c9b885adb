/* Any bytes: the parser refuses them with a message or reads them; what it has read prints, and
 * reads back the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "notation/notation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    if (!ctx) return 0;
    lh_program *p = lh_program_parse(ctx, "fuzz", (const char *)data, size);
    if (!p && (!lh_failed(ctx) || !*lh_context_error(ctx)->what)) abort();
    if (p) {
        const char *text = lh_program_print(p);
        lh_program *again = lh_program_parse(ctx, "printed", text, strlen(text));
        if (!again || !lh_program_same(p, again)) abort();
        if (strcmp(lh_program_print(again), text) != 0) abort();
        lh_program_free(again);
    }
    lh_program_free(p);
    lh_context_free(ctx);
    return 0;
}
