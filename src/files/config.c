#include "files/config.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "files/json_read.h"

enum { MAX_SIZE = 1 << 28 };

static const lh_place nowhere = {0, 0, 0};

/* A size in config.json by its names, and what models/ calls it. */
static const struct size_field {
    const char *field, *later, *word;
    size_t at;
} sizes[LH_CONFIG_SIZES] = {
    {"n_layer", "num_hidden_layers", "layers", offsetof(lh_config, n_layer)},
    {"n_head", "num_attention_heads", "heads", offsetof(lh_config, n_head)},
    {"n_embd", "hidden_size", "dim", offsetof(lh_config, n_embd)},
    {"n_positions", "max_position_embeddings", "context", offsetof(lh_config, n_positions)},
    {"vocab_size", "vocab_size", "vocab", offsetof(lh_config, vocab_size)},
};

static int *size_at(lh_config *c, int i) {
    return (int *)((char *)c + sizes[i].at);
}

static int size_of(const lh_config *c, int i) {
    return *(const int *)((const char *)c + sizes[i].at);
}

void lh_config_start(lh_config *c) {
    *c = (lh_config){.model_type = "longhand", .architecture = "", .bos = -1, .eos = -1};
}

/* ---- reading: a field that is not there, or is null, leaves what was there ---- */

typedef struct reader {
    lh_context *ctx;
    lh_arena *arena;
    const char *file;
    const cJSON *root;
} reader;

static const cJSON *field(const reader *r, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(r->root, name);
    return cJSON_IsNull(item) ? NULL : item;
}

static void refuse(const reader *r, const char *name, const char *want) {
    lh_fail(r->ctx, LH_ERROR_FILE, nowhere, "%s must be %s", name, want);
    lh_fail_in(r->ctx, r->file, NULL, 0);
}

static void read_whole(const reader *r, const char *name, int least, int *n) {
    const cJSON *item = field(r, name);
    long long value;
    if (!item) return;
    if (!lh_json_whole(item, &value) || value < least || value > MAX_SIZE)
        refuse(r, name, least ? "a whole number from 1 on" : "a whole number from 0 on");
    else
        *n = (int)value;
}

static void read_text(const reader *r, const char *name, const char **text) {
    const cJSON *item = field(r, name);
    if (!item) return;
    if (cJSON_IsArray(item)) item = item->child; /* architectures: ["GPT2LMHeadModel"] */
    const char *s = cJSON_GetStringValue(item);
    if (!s || strlen(s) > 200)
        refuse(r, name, "a short text");
    else
        *text = lh_copy(r->arena, s, strlen(s));
}

/* A token, or a list of them: the first. */
static void read_token(const reader *r, const char *name, int *token) {
    const cJSON *item = field(r, name);
    long long value;
    if (!item) return;
    if (cJSON_IsArray(item)) item = item->child;
    if (!lh_json_whole(item, &value) || value > MAX_SIZE)
        refuse(r, name, "the number of a token");
    else
        *token = (int)value;
}

static bool reader_open(reader *r, const char *text, size_t length) {
    r->root = lh_json_parse(r->ctx, r->file, text, length);
    if (r->root && !cJSON_IsObject(r->root)) {
        lh_fail(r->ctx, LH_ERROR_FILE, nowhere, "fields in { } are expected");
        lh_fail_in(r->ctx, r->file, NULL, 0);
    }
    return !lh_failed(r->ctx);
}

static bool reader_close(const reader *r) {
    cJSON_Delete((cJSON *)r->root);
    return !lh_failed(r->ctx);
}

/* ---- config.json ---- */

static void read_config(const reader *r, lh_config *c) {
    c->model_type = "";
    c->architecture = "";
    read_text(r, "model_type", &c->model_type);
    read_text(r, "architectures", &c->architecture);
    for (int i = 0; i < LH_CONFIG_SIZES; i++) {
        read_whole(r, sizes[i].later, 1, size_at(c, i));
        read_whole(r, sizes[i].field, 1, size_at(c, i));
    }
    read_token(r, "bos_token_id", &c->bos);
    read_token(r, "eos_token_id", &c->eos);
}

bool lh_config_read(lh_context *ctx, lh_arena *a, const char *file, const char *text, size_t length,
                    lh_config *c) {
    reader r = {ctx, a, file, NULL};
    lh_config_start(c);
    if (reader_open(&r, text, length)) read_config(&r, c);
    c->kept = lh_copy(a, text, length);
    return reader_close(&r);
}

/* ---- writing: our fields go into what was kept, in its order; new ones behind ---- */

typedef struct writer {
    lh_context *ctx;
    cJSON *root;
} writer;

/* cJSON 1.7.15 puts an item without a name where there is no memory for it, and says that all went well. */
static void put(const writer *w, const char *name, cJSON *item) {
    bool is_old = cJSON_GetObjectItemCaseSensitive(w->root, name) != NULL;
    bool is_in = item && (is_old ? cJSON_ReplaceItemInObjectCaseSensitive(w->root, name, item)
                                 : cJSON_AddItemToObject(w->root, name, item));
    if (is_in && item->string) return;
    if (!is_in) cJSON_Delete(item);
    lh_fail(w->ctx, LH_ERROR_MEMORY, nowhere, "out of memory: writing %s", name);
}

static void put_whole(const writer *w, const char *name, int n) {
    put(w, name, cJSON_CreateNumber(n));
}

static void put_token(const writer *w, const char *name, int token) {
    const cJSON *old = cJSON_GetObjectItemCaseSensitive(w->root, name);
    if (old && cJSON_IsArray(old) && cJSON_IsNumber(old->child) && old->child->valuedouble == token)
        return; /* a list that begins with it stays a list */
    put(w, name, token < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(token));
}

static bool writer_open(writer *w, const char *kept) {
    if (lh_failed(w->ctx)) return false;
    w->root = kept ? lh_json_parse(w->ctx, "", kept, strlen(kept)) : cJSON_CreateObject();
    if (!w->root) lh_fail(w->ctx, LH_ERROR_MEMORY, nowhere, "out of memory");
    if (kept && w->root) lh_json_keep_fractions(w->root, kept);
    return w->root != NULL;
}

static char *writer_close(const writer *w, lh_arena *a) {
    char *text = lh_failed(w->ctx) ? NULL : cJSON_Print(w->root), *copy = NULL;
    if (text)
        copy = lh_printf(a, "%s\n", text);
    else
        lh_fail(w->ctx, LH_ERROR_MEMORY, nowhere, "out of memory");
    cJSON_free(text);
    cJSON_Delete(w->root);
    return lh_failed(w->ctx) ? NULL : copy;
}

static bool has(const writer *w, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(w->root, name) != NULL;
}

/* Another architecture is not named where the config that was read names its own. */
static void put_architecture(const writer *w, const char *name) {
    const char *list[] = {name};
    if (*name) put(w, "architectures", cJSON_CreateStringArray(list, 1));
}

char *lh_config_text(lh_context *ctx, lh_arena *a, const lh_config *c) {
    writer w = {ctx, NULL};
    if (!writer_open(&w, c->kept)) return NULL;
    if (*c->model_type) put(&w, "model_type", cJSON_CreateString(c->model_type));
    put_architecture(&w, c->architecture);
    for (int i = 0; i < LH_CONFIG_SIZES; i++)
        if (size_of(c, i))
            put_whole(&w, has(&w, sizes[i].later) ? sizes[i].later : sizes[i].field, size_of(c, i));
    if (has(&w, "n_ctx") && c->n_positions) put_whole(&w, "n_ctx", c->n_positions);
    put_token(&w, "bos_token_id", c->bos);
    put_token(&w, "eos_token_id", c->eos);
    put(&w, has(&w, "dtype") ? "dtype" : "torch_dtype", cJSON_CreateString("float32"));
    return writer_close(&w, a);
}

/* ---- between a config and a program ---- */

void lh_config_of_graph(const lh_graph *g, lh_config *c) {
    for (int k = 0; k < LH_CONFIG_SIZES; k++)
        for (int i = 0; i < g->n_axes; i++) {
            const lh_axis *x = &g->axis[i];
            bool is_it = x->name && strcmp(x->name, sizes[k].word) == 0;
            if (is_it && x->n > 0 && x->n <= MAX_SIZE) *size_at(c, k) = (int)x->n;
        }
}

/* size layers = 2, or vocab 65: one made of words has its size from them. */
static bool declares(const lh_program *p, const char *word) {
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind == LH_S_SIZE && strcmp(s->name, word) == 0) return true;
        if (s->kind == LH_S_VOCAB && !s->name && s->count > 0 && strcmp(word, "vocab") == 0)
            return true;
    }
    return false;
}

lh_setting *lh_config_settings(lh_arena *a, const lh_config *c, const lh_program *p, int *n) {
    lh_setting *list = lh_alloc_array(a, LH_CONFIG_SIZES, sizeof *list);
    *n = 0;
    for (int i = 0; i < LH_CONFIG_SIZES; i++)
        if (size_of(c, i) && declares(p, sizes[i].word))
            list[(*n)++] = (lh_setting){sizes[i].word, lh_printf(a, "%d", size_of(c, i))};
    return list;
}

bool lh_config_same(const lh_config *a, const lh_config *b, const char **which) {
    for (int i = 0; i < LH_CONFIG_SIZES; i++) {
        *which = sizes[i].field;
        if (size_of(a, i) != size_of(b, i)) return false;
    }
    *which = "model_type";
    return strcmp(a->model_type, b->model_type) == 0;
}
