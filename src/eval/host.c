/* host -- buffers in the memory of this process. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "eval/backend.h"

enum { MANY_BYTES = 1 << 24 }; /* below that it is not worth asking the system */

/* The system is asked first: it may promise more memory than it has, and then kill the program later, without a message. */
void *lh_host_take(lh_context *ctx, size_t cells, size_t cell_bytes) {
    const double bytes = ((double)cells + 1) * (double)cell_bytes;
    static const char *const cure = "a smaller batch, a shorter context, or smaller sizes";
    if (bytes > MANY_BYTES && !lh_memory_fits(ctx, bytes, cure)) return NULL;
    if (ctx->memory_limit && bytes > (double)ctx->memory_limit) lh_memory_fits(ctx, bytes, cure);
    const bool is_refused = lh_failed(ctx) || bytes > (double)(SIZE_MAX / 2);
    const bool is_plain = ctx->alloc == malloc; /* then the system's zeros are taken as they are */
    void *memory = is_refused ? NULL
                   : is_plain ? calloc(cells + 1, cell_bytes)
                              : ctx->alloc((cells + 1) * cell_bytes);
    if (!memory) {
        char needs[LH_NUMBER_MAX];
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory: values need %s",
                lh_number_bytes(needs, sizeof needs, bytes));
        return NULL;
    }
    if (!is_plain) memset(memory, 0, (cells + 1) * cell_bytes);
    return memory;
}

void lh_host_give_back(lh_context *ctx, void *memory) {
    ctx->release(memory);
}
