/* gguf_internal -- what those who read and write GGUF files share: blocks of a type, and what a tensor is called on both sides.
 *
 *     const lh_gguf_family *m = lh_gguf_family_of(f);                         by general.architecture
 *     const lh_gguf_pair *p = lh_gguf_pair_there(m, "blk.12.attn_q.weight", layer, sizeof layer);
 *     const char *name = lh_gguf_name_here(arena, p, layer);                  "model.layers.12.self_attn.q_proj.weight"
 */
#ifndef LH_FILES_GGUF_INTERNAL_H
#define LH_FILES_GGUF_INTERNAL_H

#include "files/gguf.h"

bool lh_gguf_block(lh_gguf_type type, size_t *cells, size_t *bytes); /* false: not known */

/* How the file stores a tensor. llama.cpp reorders the rows of Llama's queries and keys so that those of a rotated pair are neighbours; GPT-2's
 * matrices are in x out in a folder and out x in in a file; the gains of Gemma's norms are one more in a file than in a folder. */
typedef enum lh_gguf_layout {
    LH_GGUF_AS_IT_IS,
    LH_GGUF_TURNED,
    LH_GGUF_TRANSPOSED,
    LH_GGUF_ONE_MORE
} lh_gguf_layout;

typedef struct lh_gguf_pair {
    const char *there, *here; /* # is the number of a layer; here NULL: left out */
    lh_gguf_layout layout;
} lh_gguf_pair;

typedef struct lh_gguf_family {
    const char *name, *model_type, *architecture;
    const lh_gguf_pair *names; /* ends with NULL */
} lh_gguf_family;

const lh_gguf_family *lh_gguf_family_of(const lh_gguf *f); /* NULL and the context failed */
/* of a model_type of Hugging Face, or NULL */
const lh_gguf_family *lh_gguf_family_here(const char *model_type);
const char *lh_gguf_families(lh_arena *a); /* their names, for messages */
/* or NULL; layer: its number as text */
const lh_gguf_pair *lh_gguf_pair_there(const lh_gguf_family *m, const char *name, char *layer,
                                       size_t room);
const lh_gguf_pair *lh_gguf_pair_here(const lh_gguf_family *m, const char *name, char *layer,
                                      size_t room);
char *lh_gguf_name(lh_arena *a, const char *pattern, const char *layer); /* with the layer in it */

/* For heads whose rows are reordered: the row in the file that is row `row` in the folder; and the reverse. */
static inline size_t lh_gguf_row_there(size_t row, size_t width) {
    const size_t h = row / width, k = row % width;
    return h * width + k % (width / 2) * 2 + k / (width / 2);
}

static inline size_t lh_gguf_row_here(size_t row, size_t width) {
    const size_t h = row / width, k = row % width;
    return h * width + k % 2 * (width / 2) + k / 2;
}

#endif
