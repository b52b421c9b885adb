#include "files/config.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "files/json_fields.h"

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

/* ---- reading ---- */

static void read_text(const lh_json_fields *r, const char *name, const char **text) {
    const cJSON *item = lh_json_field(r, name);
    if (!item) return;
    if (cJSON_IsArray(item)) item = item->child; /* architectures: ["GPT2LMHeadModel"] */
    const char *s = cJSON_GetStringValue(item);
    if (!s || strlen(s) > 200)
        lh_json_refuse(r, name, "a short text");
    else
        *text = lh_copy(r->arena, s, strlen(s));
}

/* A token, or a list of them: the first. */
static void read_token(const lh_json_fields *r, const char *name, int *token) {
    const cJSON *item = lh_json_field(r, name);
    long long value;
    if (!item) return;
    if (cJSON_IsArray(item)) item = item->child;
    if (!lh_json_whole(item, &value) || value > LH_JSON_MOST)
        lh_json_refuse(r, name, "the number of a token");
    else
        *token = (int)value;
}

/* ---- config.json ---- */

static void read_config(const lh_json_fields *r, lh_config *c) {
    c->model_type = "";
    c->architecture = "";
    read_text(r, "model_type", &c->model_type);
    read_text(r, "architectures", &c->architecture);
    for (int i = 0; i < LH_CONFIG_SIZES; i++) {
        lh_json_read_whole(r, sizes[i].later, 1, size_at(c, i));
        lh_json_read_whole(r, sizes[i].field, 1, size_at(c, i));
    }
    read_token(r, "bos_token_id", &c->bos);
    read_token(r, "eos_token_id", &c->eos);
}

bool lh_config_read(lh_context *ctx, lh_arena *a, const char *file, const char *text, size_t length,
                    lh_config *c) {
    lh_json_fields r = {ctx, a, file, NULL};
    lh_config_start(c);
    if (lh_json_fields_read(&r, text, length)) read_config(&r, c);
    c->kept = lh_copy(a, text, length);
    return lh_json_fields_end(&r);
}

/* ---- writing ---- */

static void put_whole(const lh_json_fields *w, const char *name, int n) {
    lh_json_put(w, name, cJSON_CreateNumber(n));
}

static void put_token(const lh_json_fields *w, const char *name, int token) {
    if (lh_json_begins_with(w, name, token)) return;
    lh_json_put(w, name, token < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(token));
}

/* Another architecture is not named where the config that was read names its own. */
static void put_architecture(const lh_json_fields *w, const char *name) {
    const char *list[] = {name};
    if (*name) lh_json_put(w, "architectures", cJSON_CreateStringArray(list, 1));
}

char *lh_config_text(lh_context *ctx, lh_arena *a, const lh_config *c) {
    lh_json_fields w = {ctx, a, "config.json", NULL};
    if (!lh_json_fields_write(&w, c->kept)) return NULL;
    if (*c->model_type) lh_json_put(&w, "model_type", cJSON_CreateString(c->model_type));
    put_architecture(&w, c->architecture);
    for (int i = 0; i < LH_CONFIG_SIZES; i++)
        if (size_of(c, i))
            put_whole(&w, lh_json_has(&w, sizes[i].later) ? sizes[i].later : sizes[i].field,
                      size_of(c, i));
    if (lh_json_has(&w, "n_ctx") && c->n_positions) put_whole(&w, "n_ctx", c->n_positions);
    put_token(&w, "bos_token_id", c->bos);
    put_token(&w, "eos_token_id", c->eos);
    lh_json_put(&w, lh_json_has(&w, "dtype") ? "dtype" : "torch_dtype",
                cJSON_CreateString("float32"));
    return lh_json_fields_text(&w);
}

/* ---- between a config and a program ---- */

void lh_config_of_graph(const lh_graph *g, lh_config *c) {
    for (int k = 0; k < LH_CONFIG_SIZES; k++)
        for (int i = 0; i < g->n_axes; i++) {
            const lh_axis *x = &g->axis[i];
            bool is_it = x->name && strcmp(x->name, sizes[k].word) == 0;
            if (is_it && x->n > 0 && x->n <= LH_JSON_MOST) *size_at(c, k) = (int)x->n;
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

static const char *value_text(lh_arena *a, const cJSON *x) {
    if (cJSON_IsNumber(x)) return lh_printf(a, "%.15g", x->valuedouble);
    if (cJSON_IsString(x)) return lh_printf(a, "%s", x->valuestring);
    return cJSON_IsBool(x) ? cJSON_IsTrue(x) ? "true" : "false" : NULL;
}

bool lh_config_field(lh_arena *a, const char *text, const char *other, const char **field,
                     const char *value[2]) {
    cJSON *x = cJSON_Parse(text), *y = cJSON_Parse(other);
    *field = NULL;
    for (const cJSON *i = x ? x->child : NULL; i && !*field; i = i->next) {
        const cJSON *k = cJSON_GetObjectItemCaseSensitive(y, i->string);
        value[0] = value_text(a, i), value[1] = k ? value_text(a, k) : NULL;
        if (value[0] && value[1] && strcmp(value[0], value[1]) != 0)
            *field = lh_copy(a, i->string, strlen(i->string));
    }
    cJSON_Delete(x), cJSON_Delete(y);
    return *field != NULL;
}
