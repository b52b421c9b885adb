/* adapter -- adapter_config.json: a folder whose small matrices change another model (LoRA), as PEFT writes and reads it.
 *
 *     lh_adapter x;
 *     lh_adapter_read(ctx, arena, "mine/adapter_config.json", text, length, &x);      x.rank 8, x.alpha 16, x.on {"q_proj", "v_proj"}
 *     const char *folder = lh_adapter_base(ctx, arena, "mine", &x);                   where the other model lies
 *     char *json = lh_adapter_text(ctx, arena, &x);
 *
 * Fields that would change a number and are not honoured are refused with their names (adapter.c has the table).
 *
 * Errors: in the context, with the file's name. Memory: in the arena.
 */
#ifndef LH_FILES_ADAPTER_H
#define LH_FILES_ADAPTER_H

#include "base/context.h"

typedef struct lh_adapter {
    const char *base; /* the folder of the model it changes, as the file says */
    int rank;
    double alpha;    /* what is added counts alpha / rank times */
    const char **on; /* [n_on] modules, by the ends of their names; n_on 0: all linear ones */
    int n_on;
    bool is_untransposed; /* weights are in x out, as GPT-2's */
} lh_adapter;

#define LH_ADAPTER_CONFIG  "adapter_config.json"
#define LH_ADAPTER_WEIGHTS "adapter_model.safetensors"

bool lh_adapter_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                     size_t length, lh_adapter *x); /* false and the context failed */
char *lh_adapter_text(lh_context *ctx, lh_arena *a, const lh_adapter *x);
/* The folder as written, or one of that name beside the adapter's; NULL and the context failed. */
const char *lh_adapter_base(lh_context *ctx, lh_arena *a, const char *folder, const lh_adapter *x);
/* Is this folder an adapter without weights of its own? */
bool lh_adapter_is(const char *folder);
/* The folder that a file of the model is read from: the adapter's own, or its base's; the path itself where it is no adapter. */
const char *lh_adapter_file_folder(lh_context *ctx, lh_arena *a, const char *folder,
                                   const char *file);

#endif
