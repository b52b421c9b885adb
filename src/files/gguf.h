/* gguf -- a model in one file, as llama.cpp has it: values by name, then tensors, some of them quantised.
 *
 *     lh_gguf *f = lh_gguf_open(ctx, "model.gguf");
 *     uint64_t layers;
 *     if (lh_gguf_whole(f, "llama.block_count", &layers)) ...
 *     const lh_gguf_tensor *t = lh_gguf_find(f, "blk.0.attn_q.weight");
 *     lh_gguf_copy(t, 0, t->cells, floats);
 *     lh_gguf_close(f);
 *
 * The file: "GGUF", a version (2 or 3), the number of tensors and of values; values (a name, a type, the value); tensors (a name, up to
 * four sizes, the first of which runs fastest, a type, where it begins); from the next multiple of general.alignment on, the numbers.
 *
 * Types in blocks along the first size. A block of Q8_0 is 32 numbers: a scale d in 16 bits and 32 whole numbers q of 8 bits, and
 *
 *     x_i = d q_i                                                     8.5 bits a number
 *     Q4_0: x_i = d (q_i - 8), q of 4 bits                            4.5
 *     Q4_K: 256 numbers in 8 groups, x_i = d s_g q_i - m t_g          4.5    s, t of 6 bits
 *     Q6_K: 256 numbers in 16 groups, x_i = d s_g (q_i - 32)          6.56   s of 8 bits, q of 6
 *
 * Checked before anything is used: every length against the file, sizes against types, that tensors lie inside and no two overlap, names (none
 * twice). Errors: in the context, with the file's name. Memory: the file is mapped, not read, and must not be shortened while it is open.
 */
#ifndef LH_FILES_GGUF_H
#define LH_FILES_GGUF_H

#include <stdint.h>

#include "base/context.h"

enum { LH_GGUF_SIZES = 4, LH_GGUF_NAME = 200, LH_GGUF_MOST = 1 << 20 };

typedef enum lh_gguf_kind {
    LH_GGUF_U8,
    LH_GGUF_I8,
    LH_GGUF_U16,
    LH_GGUF_I16,
    LH_GGUF_U32,
    LH_GGUF_I32,
    LH_GGUF_F32,
    LH_GGUF_BOOL,
    LH_GGUF_TEXT,
    LH_GGUF_LIST,
    LH_GGUF_U64,
    LH_GGUF_I64,
    LH_GGUF_F64,
    LH_GGUF_KINDS
} lh_gguf_kind;

typedef struct lh_gguf_text {
    const char *s; /* not ended by 0 */
    size_t n;
} lh_gguf_text;

typedef struct lh_gguf_value {
    const char *name;
    lh_gguf_kind kind, of;   /* of: what a list is made of */
    const unsigned char *at; /* where it is in the file; of a list, its first element */
    uint64_t n;              /* of a list */
    lh_gguf_text *text;      /* of a list of texts: [n]; of a text: [1] */
} lh_gguf_value;

/* The types that are read, by their numbers in the file. */
typedef enum lh_gguf_type {
    LH_GGUF_TYPE_F32 = 0,
    LH_GGUF_TYPE_F16 = 1,
    LH_GGUF_TYPE_Q4_0 = 2,
    LH_GGUF_TYPE_Q8_0 = 8,
    LH_GGUF_TYPE_Q4_K = 12,
    LH_GGUF_TYPE_Q6_K = 14,
    LH_GGUF_TYPE_BF16 = 30
} lh_gguf_type;

typedef struct lh_gguf_tensor {
    const char *name;
    lh_gguf_type type;
    int rank;
    size_t size[LH_GGUF_SIZES]; /* the first runs fastest */
    size_t cells, bytes;
    const unsigned char *data;
} lh_gguf_tensor;

typedef struct lh_gguf {
    lh_context *ctx;
    lh_arena *arena;
    uint32_t version;
    lh_gguf_value *value;
    int n_values;
    lh_gguf_tensor *tensor;
    int n_tensors;
    void *map; /* of the file, or NULL */
    size_t mapped;
} lh_gguf;

lh_gguf *lh_gguf_open(lh_context *ctx, const char *path); /* NULL and the context failed */
/* a file in memory, which must outlive it */
lh_gguf *lh_gguf_read(lh_context *ctx, const char *name, const void *bytes, size_t length);
void lh_gguf_close(lh_gguf *f);    /* NULL is allowed */
bool lh_gguf_is(const char *path); /* does the file begin like a GGUF file? */
const lh_gguf_value *lh_gguf_value_of(const lh_gguf *f, const char *name); /* or NULL */
bool lh_gguf_whole(const lh_gguf *f, const char *name, uint64_t *n); /* false: there is none */
bool lh_gguf_number(const lh_gguf *f, const char *name, double *x);
const char *lh_gguf_words(const lh_gguf *f, const char *name); /* a text, ended by 0; or NULL */
double lh_gguf_item(const lh_gguf_value *v, uint64_t i);       /* a number of a list */
const lh_gguf_tensor *lh_gguf_find(const lh_gguf *f, const char *name); /* or NULL */
const char *lh_gguf_type_name(lh_gguf_type type);                       /* "Q8_0", or NULL */
/* cells; at and n whole blocks (256 are of every type) */
void lh_gguf_copy(const lh_gguf_tensor *t, size_t at, size_t n, float *out);

/* ---- writing ---- */

/* A value or a tensor of a file to be. */
typedef struct lh_gguf_field {
    const char *name;
    lh_gguf_kind kind, of;
    double number;           /* U32, F32, BOOL */
    const char *words;       /* TEXT */
    const char *const *text; /* a LIST of TEXT: [n] */
    const float *floats;     /* a LIST of F32: [n] */
    const int *wholes;       /* a LIST of I32: [n] */
    size_t n;
} lh_gguf_field;

typedef struct lh_gguf_entry {
    const char *name;
    /* F32, F16, BF16 or Q8_0; one that does not fill its blocks is written as F32 */
    lh_gguf_type type;
    int rank;
    size_t size[LH_GGUF_SIZES];
    void (*read)(void *from, size_t row, float *out); /* row: size[0] numbers */
    void *from;
} lh_gguf_entry;

bool lh_gguf_write(lh_context *ctx, const char *path, const lh_gguf_field *field, int n_fields,
                   const lh_gguf_entry *entry, int n_entries); /* whole or not at all */
/* n a multiple of 32; 34 bytes each */
void lh_gguf_pack_q8(const float *x, size_t n, unsigned char *out);

#endif
