#include "files/generation.h"

#include <math.h>
#include <string.h>

#include "files/json_read.h"

enum { MOST = 1 << 28 };

static const lh_place nowhere = {0, 0, 0};

void lh_generation_start(lh_generation *g) {
    *g = (lh_generation){.bos = -1,
                         .eos = -1,
                         .top_k = 50, /* where nothing is said, as in transformers */
                         .temperature = 1,
                         .top_p = 1,
                         .repetition_penalty = 1};
}

typedef struct generation_reader {
    lh_context *ctx;
    lh_arena *arena;
    const char *file;
    const cJSON *root;
} generation_reader;

static void refuse(const generation_reader *r, const char *name, const char *want) {
    lh_fail(r->ctx, LH_ERROR_FILE, nowhere, "%s must be %s", name, want);
    lh_fail_in(r->ctx, r->file, NULL, 0);
}

static const cJSON *field(const generation_reader *r, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(r->root, name);
    return cJSON_IsNull(item) ? NULL : item;
}

static void read_whole(const generation_reader *r, const char *name, int *n) {
    const cJSON *item = field(r, name);
    long long value;
    if (!item) return;
    if (!lh_json_whole(item, &value) || value > MOST)
        refuse(r, name, "a whole number from 0 on");
    else
        *n = (int)value;
}

static void read_number(const generation_reader *r, const char *name, double most, double *x) {
    const cJSON *item = field(r, name);
    if (!item) return;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= most))
        refuse(r, name, most <= 1 ? "a number from 0 to 1" : "a number from 0 on");
    else
        *x = item->valuedouble;
}

/* A token, or a list of them. */
static void read_tokens(const generation_reader *r, const char *name, int *token, int *n,
                        int most) {
    const cJSON *item = field(r, name), *one = cJSON_IsArray(item) ? item->child : item;
    long long value;
    for (; one; one = cJSON_IsArray(item) ? one->next : NULL) {
        if (!lh_json_whole(one, &value) || value > MOST) {
            refuse(r, name, "the number of a token, or a list of such");
            return;
        }
        if (*n == most) {
            refuse(r, name, "a shorter list");
            return;
        }
        token[(*n)++] = (int)value;
    }
}

/* Fields that mean another way of writing, and the value at which they mean nothing. */
static void find_odd(const generation_reader *r, lh_generation *g) {
    static const struct {
        const char *name;
        double none;
    } way[] = {
        {"num_beams", 1},         {"no_repeat_ngram_size", 0}, {"typical_p", 1},
        {"penalty_alpha", 0},     {"epsilon_cutoff", 0},       {"eta_cutoff", 0},
        {"length_penalty", 1},    {"num_beam_groups", 1},      {"encoder_no_repeat_ngram_size", 0},
        {"diversity_penalty", 0}, {"guidance_scale", 1}};
    static const char *const list[] = {
        "bad_words_ids",       "suppress_tokens",     "force_words_ids",       "sequence_bias",
        "forced_bos_token_id", "forced_eos_token_id", "begin_suppress_tokens", "stop_strings"};
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        const cJSON *x = field(r, way[i].name);
        bool is_odd = cJSON_IsNumber(x) && x->valuedouble != way[i].none;
        if (is_odd && g->n_odd < LH_MAX_ODD_WAYS)
            g->odd[g->n_odd++] = lh_printf(r->arena, "%s is %g", way[i].name, x->valuedouble);
    }
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (field(r, list[i]) && g->n_odd < LH_MAX_ODD_WAYS)
            g->odd[g->n_odd++] = lh_printf(r->arena, "%s is set", list[i]);
}

static void read_all(const generation_reader *r, lh_generation *g) {
    const cJSON *sampled = field(r, "do_sample");
    int n = 0;
    read_tokens(r, "bos_token_id", &g->bos, &n, 1);
    read_tokens(r, "eos_token_id", g->end, &g->n_ends, LH_MAX_ENDS);
    if (g->n_ends) g->eos = g->end[0];
    read_whole(r, "max_new_tokens", &g->max_new_tokens);
    read_whole(r, "top_k", &g->top_k);
    read_number(r, "temperature", 1e6, &g->temperature);
    read_number(r, "top_p", 1, &g->top_p);
    read_number(r, "min_p", 1, &g->min_p);
    read_number(r, "repetition_penalty", 1e6, &g->repetition_penalty);
    if (sampled && !cJSON_IsBool(sampled)) refuse(r, "do_sample", "true or false");
    if (sampled) g->is_sampled = cJSON_IsTrue(sampled) ? LH_SAMPLED : LH_LIKELIEST;
    find_odd(r, g);
}

bool lh_generation_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                        size_t length, lh_generation *g) {
    generation_reader r = {ctx, a, file, NULL};
    lh_generation_start(g);
    cJSON *root = lh_json_parse(ctx, file, text, length);
    r.root = root;
    if (root && !cJSON_IsObject(root)) refuse(&r, file, "fields in { }");
    if (root && !lh_failed(ctx)) read_all(&r, g);
    cJSON_Delete(root);
    g->kept = lh_copy(a, text, length);
    return !lh_failed(ctx);
}

/* ---- writing: what is not ours stays, and of the ways to choose a token only what was said ---- */

static void put(lh_context *ctx, cJSON *root, const char *name, cJSON *item) {
    bool is_old = cJSON_GetObjectItemCaseSensitive(root, name) != NULL;
    bool is_in = item && (is_old ? cJSON_ReplaceItemInObjectCaseSensitive(root, name, item)
                                 : cJSON_AddItemToObject(root, name, item));
    if (is_in && item->string) return;
    if (!is_in) cJSON_Delete(item);
    lh_fail(ctx, LH_ERROR_MEMORY, nowhere, "out of memory: writing %s", name);
}

static void put_token(lh_context *ctx, cJSON *root, const char *name, int token) {
    const cJSON *old = cJSON_GetObjectItemCaseSensitive(root, name);
    if (cJSON_IsArray(old) && cJSON_IsNumber(old->child) && old->child->valuedouble == token)
        return; /* a list that begins with it stays a list */
    if (token >= 0) put(ctx, root, name, cJSON_CreateNumber(token));
    while (token < 0 && cJSON_GetObjectItemCaseSensitive(root, name)) /* it may stand there twice */
        cJSON_DeleteItemFromObjectCaseSensitive(root, name);
}

char *lh_generation_text(lh_context *ctx, lh_arena *a, const lh_generation *g) {
    if (lh_failed(ctx)) return NULL;
    cJSON *root = g->kept ? lh_json_parse(ctx, "", g->kept, strlen(g->kept)) : cJSON_CreateObject();
    if (root) put_token(ctx, root, "bos_token_id", g->bos);
    if (root) put_token(ctx, root, "eos_token_id", g->eos);
    if (root && g->max_new_tokens)
        put(ctx, root, "max_new_tokens", cJSON_CreateNumber(g->max_new_tokens));
    char *text = root && !lh_failed(ctx) ? cJSON_Print(root) : NULL, *copy = NULL;
    if (text)
        copy = lh_printf(a, "%s\n", text);
    else
        lh_fail(ctx, LH_ERROR_MEMORY, nowhere, "out of memory");
    cJSON_free(text);
    cJSON_Delete(root);
    return lh_failed(ctx) ? NULL : copy;
}
