/* family_internal -- what the files of family share: fields as they are read, and what they mean. */
#ifndef LH_FILES_FAMILY_INTERNAL_H
#define LH_FILES_FAMILY_INTERNAL_H

#include "files/family.h"
#include "files/json_read.h"

enum { LH_FAMILY_MAX_LAYERS = 1024, LH_FAMILY_MAX_PAIRS = 512 };

/* ---- fields ---- */

/* What config.json says, with the family's usual values for what it leaves out. null is 0, or no text. */
typedef struct lh_family_values {
    double vocab, dim, layers, heads, groups, width, hidden, context, types, experts, chosen;
    double eps, theta, local_theta, part, old_context;
    double window, pattern, window_layers, scalar, cap, cap_logits;
    bool is_tied, has_bias, has_hidden_bias, is_parallel, by_layer, is_scaled, uses_window;
    const char *activation, *gemma_activation;
} lh_family_values;

typedef enum lh_field_kind {
    LH_FIELD_WHOLE,
    LH_FIELD_NUMBER,
    LH_FIELD_NEEDED, /* a number that cannot be null */
    LH_FIELD_USUAL,  /* a number that must be the usual one, or null; it is not kept */
    LH_FIELD_YES,
    LH_FIELD_TEXT,
    LH_FIELD_ROPE,     /* an object that says how positions are turned */
    LH_FIELD_LAYERS,   /* a list: which layers have a window */
    LH_FIELD_HARMLESS, /* it changes no number that the model makes */
    LH_FIELD_OFF,      /* false, 0 or null; anything else is refused */
    LH_FIELD_ON,       /* true; anything else is refused */
} lh_field_kind;

typedef struct lh_family_field {
    const char *name;
    lh_field_kind kind;
    size_t at;       /* in lh_family_values */
    double standard; /* where it is left out */
    const char *text;
} lh_family_field;

typedef struct lh_family_reader {
    lh_context *ctx;
    lh_arena *arena;
    const char *file;
    const cJSON *root;
    const lh_family_field *field; /* of the family */
    lh_family_values v;
} lh_family_reader;

extern const lh_family_field lh_family_common[]; /* of every family; they end with a name of NULL */

void lh_family_refuse(const lh_family_reader *r, const char *field, const char *why, ...)
    __attribute__((format(printf, 3, 4)));
/* NULL: left out or null */
const cJSON *lh_family_item(const lh_family_reader *r, const char *field);
/* What config.json calls the value at `at` of lh_family_values: the name that it uses, else the family's first; NULL: it has none. */
const char *lh_family_name(const lh_family_reader *r, size_t at);

/* ---- what they mean ---- */

typedef enum lh_rope_kind {
    LH_ROPE_PLAIN,
    LH_ROPE_LINEAR,
    LH_ROPE_LLAMA3,
    LH_ROPE_YARN,
    LH_ROPE_LONG
} lh_rope_kind;

/* How positions are turned, and how turns are made for a longer context. */
typedef struct lh_rope {
    lh_rope_kind kind;
    double base, factor, low, high, old, fast, slow;
    double strength;                   /* what turned queries and keys are multiplied by */
    bool is_rounded;                   /* YaRN: to whole pairs */
    double share[LH_FAMILY_MAX_PAIRS]; /* LH_ROPE_LONG: by which each pair is slowed down */
    int n_shares;
} lh_rope;

typedef enum lh_norm_kind { LH_NORM_LAYER, LH_NORM_RMS, LH_NORM_RMS_PLUS } lh_norm_kind;

/* Where queries, keys and values lie in the files. */
typedef enum lh_joined {
    LH_APART,       /* three matrices */
    LH_JOINED,      /* one below the other, or beside each other where matrices lie turned */
    LH_JOINED_HEADS /* for each head its query, its key, its value */
} lh_joined;

/* Everything that the families differ in. A number that is 0 is not there. */
typedef struct lh_decoder {
    long long vocab, layers, heads, groups, dim, width, hidden, context, types, experts, chosen;
    lh_norm_kind norm;
    double eps;
    const char *activation; /* a function of the notation */
    bool is_gated, gate_is_joined, is_tied, is_parallel, is_encoder;
    bool is_turned;     /* matrices lie in x out, as the notation has them */
    lh_joined joined;   /* queries, keys and values */
    bool has_positions; /* learned; else rope */
    /* of queries, keys, values; of what mixes heads; of the network */
    bool bias_in, bias_out, bias_hidden;
    bool norms_heads, norms_all;    /* of queries and keys: of each head, or of all at once */
    bool norms_before, norms_after; /* around attention and network */
    long long turned;               /* columns of a head that rope turns */
    lh_rope rope, local;            /* local: of layers with a window */
    bool has_local;
    double scale; /* of scores; 0: by the width of a head */
    bool is_unscaled, scale_by_layer;
    double cap, cap_logits;
    bool embeds_scaled; /* by the square root of dim */
    long long window;
    bool is_full[LH_FAMILY_MAX_LAYERS]; /* layers without the window */
    bool has_full;
} lh_decoder;

/* Names in files of weights; {h} is the layer. NULL: not there. */
typedef struct lh_family_names {
    const char *embed, *positions, *types, *final, *head;
    const char *layer;          /* what the names below begin with */
    const char *before, *after; /* norms of attention */
    const char *q, *k, *v, *qkv, *o;
    const char *q_norm, *k_norm;
    const char *net_before, *net_after; /* norms of the network */
    const char *gate, *up, *down, *router;
} lh_family_names;

typedef struct lh_family_record {
    lh_family family;
    const lh_family_field *field; /* ends with a name of NULL */
    const lh_family_names *names;
    void (*means)(lh_family_reader *r, lh_decoder *d);
} lh_family_record;

extern const lh_family_record lh_family_records[];
extern const int lh_family_n_records;

void lh_family_read(lh_family_reader *r, const lh_family_record *f); /* fields to r->v */
void lh_family_rope(lh_family_reader *r, lh_decoder *d);             /* d->rope, d->local */
/* d->is_full: as layer_types says, else each layer with a number that `every` divides; 0: those before max_window_layers */
void lh_family_windows(lh_family_reader *r, lh_decoder *d, long long every);
/* The function of the notation for r->v.activation. */
const char *lh_family_activation(const lh_family_reader *r);
const char *lh_family_text(lh_arena *a, const lh_family_record *f, const lh_decoder *d);

#endif
