/* tensors -- named arrays of numbers in a file: safetensors.
 *
 *     lh_tensors *t = lh_tensors_open(ctx, "gpt2");            a folder, a .safetensors file, an index of several, or a .gguf file
 *     const lh_tensor *w = lh_tensors_find(t, "h.0.attn.c_attn.weight");
 *     if (w) lh_tensor_copy_float(w, 0, w->cells, out);        F64, F32, F16, BF16 and whole numbers become floats
 *     lh_tensors_close(t);
 *
 *     lh_tensor_entry e = {.name = "wte.weight", .type = LH_F32, .rank = 2, .size = {65, 8}, .data = x, .from = LH_F32};
 *     lh_tensors_write(ctx, "out/model.safetensors", &e, 1, metadata, n_metadata);
 *
 * The file: 8 bytes, the length N of the header, lowest first; N bytes of JSON, {"name": {"dtype": "F32", "shape": [65, 8],
 * "data_offsets": [0, 2080]}, ..., "__metadata__": {"key": "text"}}; then the numbers, offsets counted from there, lowest
 * byte first. Data may begin at any byte (GPT-2's own file has it so), so `data` is read through the copying functions or
 * as bytes, and as numbers in place only where is_aligned says so.
 *
 * Checked before anything is used: lengths against the file, offsets against each other (no overlap, no hole, nothing
 * behind the last), sizes against offsets, types, names (no control characters, up to LH_MAX_TENSOR_NAME bytes, none twice).
 *
 * Errors: in the context, with the file's name. Memory: files are mapped, not read; they must not be shortened while they
 * are open (lh_tensors_write never does that: it makes a new file). Names and the table lie in the arena of lh_tensors.
 */
#ifndef LH_FILES_TENSORS_H
#define LH_FILES_TENSORS_H

#include "base/context.h"

enum {
    LH_MAX_RANK = 8,
    LH_MAX_TENSOR_NAME = 1000,
    LH_MAX_TENSOR_HEADER = 1 << 24, /* of one file: more than a hundred thousand tensors */
    LH_MAX_TENSOR_FILES = 1000,
};

typedef enum lh_dtype {
    LH_F64,
    LH_F32,
    LH_F16,
    LH_BF16,
    LH_I64,
    LH_I32,
    LH_I16,
    LH_I8,
    LH_U64,
    LH_U32,
    LH_U16,
    LH_U8,
    LH_BOOL,
    LH_Q8_0, /* in blocks, of a GGUF file: files/gguf.h */
    LH_Q4_0,
    LH_Q4_K,
    LH_Q6_K,
    LH_F8_E4M3, /* listed, not read as numbers */
    LH_F8_E5M2,
    LH_N_DTYPES
} lh_dtype;

typedef struct lh_tensor {
    const char *name;
    lh_dtype type;
    int rank;                 /* 0: one number */
    size_t size[LH_MAX_RANK]; /* the last runs fastest */
    size_t cells, bytes;      /* the product of the sizes; of them all in the file */
    const unsigned char *data;
    bool is_aligned; /* data may be used in place as numbers of its type */
    /* of one that lies in another order, or in blocks; or NULL */
    const struct lh_tensor_reader *reader;
    const void *from; /* the reader's */
} lh_tensor;

/* How numbers are found that do not lie one after another. */
typedef struct lh_tensor_reader {
    void (*cells)(const lh_tensor *t, size_t at, size_t n, float *out);
    void (*column)(const lh_tensor *t, size_t col, float *out); /* size[0] numbers */
} lh_tensor_reader;

typedef struct lh_pair {
    const char *key, *value;
} lh_pair;

typedef struct lh_tensors {
    lh_context *ctx;
    lh_arena *arena;
    lh_tensor *tensor; /* in the order of the files and of the data in them */
    int n;
    const lh_tensor **by_name;
    lh_pair *metadata; /* of the first file */
    int n_metadata;
    struct lh_mapped *file; /* n_files */
    int n_files;
    struct lh_gguf *gguf; /* a file of that kind, or NULL */
} lh_tensors;

/* A tensor to be written. `from` is the type of data in memory: the file's own, or LH_F64 or LH_F32 and rounded on the way. */
typedef struct lh_tensor_entry {
    const char *name;
    lh_dtype type;
    int rank;
    size_t size[LH_MAX_RANK];
    const void *data;
    lh_dtype from;
} lh_tensor_entry;

lh_tensors *lh_tensors_open(lh_context *ctx, const char *path); /* NULL and the context failed */
/* the tensors of `path` and of `under` together, metadata of the first */
lh_tensors *lh_tensors_open_over(lh_context *ctx, const char *path, const char *under);
/* a file in memory, which must outlive it */
lh_tensors *lh_tensors_read(lh_context *ctx, const char *name, const void *bytes, size_t length);
void lh_tensors_close(lh_tensors *t);                                    /* NULL is allowed */
const lh_tensor *lh_tensors_find(const lh_tensors *t, const char *name); /* or NULL */
const char *lh_tensors_path(const lh_tensors *t);                        /* of its first file */
const char *lh_tensors_metadata(const lh_tensors *t, const char *key);   /* or NULL */
bool lh_tensor_is_number(const lh_tensor *t);                            /* can be copied */
void lh_tensor_copy_float(const lh_tensor *t, size_t at, size_t n, float *out); /* cells at ... */
void lh_tensor_copy_double(const lh_tensor *t, size_t at, size_t n, double *out);
void lh_tensor_copy_column(const lh_tensor *t, size_t col, float *out); /* of rank 2 */
/* its part of the file need not stay in memory: read again, it comes back */
void lh_tensors_forget(const lh_tensors *t, const lh_tensor *x);
/* says of its files how long they are and when they were changed: another text, other files */
const char *lh_tensors_stamp(const lh_tensors *t, lh_arena *a);
size_t lh_dtype_bytes(lh_dtype type);
bool lh_dtype_is_native(lh_dtype type); /* do its bytes lie in memory as in a file, lowest first? */
const char *lh_dtype_name(lh_dtype type);                             /* "BF16" */
const char *lh_sizes_text(lh_arena *a, int rank, const size_t *size); /* "2 x 8"; "1" of rank 0 */

/* Data that is not here yet (NULL in its entry) is fetched when it is written, and needed only until the next one is fetched; NULL: the
 * context failed. */
typedef struct lh_tensor_source {
    const void *(*fetch)(void *with, const lh_tensor_entry *entry);
    void *with;
} lh_tensor_source;

/* whole or not at all; false and the context failed */
bool lh_tensors_write_from(lh_context *ctx, const char *path, const lh_tensor_entry *entry, int n,
                           const lh_pair *metadata, int n_metadata, lh_tensor_source source);
/* the same where all data is here */
bool lh_tensors_write(lh_context *ctx, const char *path, const lh_tensor_entry *entry, int n,
                      const lh_pair *metadata, int n_metadata);

#endif
