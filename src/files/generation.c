#include "files/generation.h"

#include <math.h>
#include <string.h>

#include "files/json_fields.h"
#include "graph/build.h"

void lh_generation_start(lh_generation *g) {
    *g = (lh_generation){.bos = -1,
                         .eos = -1,
                         .top_k = 50, /* where nothing is said, as in transformers */
                         .temperature = 1,
                         .top_p = 1,
                         .repetition_penalty = 1};
}

static void read_number(const lh_json_fields *r, const char *name, double most, double *x) {
    const cJSON *item = lh_json_field(r, name);
    if (!item) return;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= most))
        lh_json_refuse(r, name, most <= 1 ? "a number from 0 to 1" : "a number from 0 on");
    else
        *x = item->valuedouble;
}

/* A token, or a list of them. */
static void read_tokens(const lh_json_fields *r, const char *name, int *token, int *n, int most) {
    const cJSON *item = lh_json_field(r, name), *one = cJSON_IsArray(item) ? item->child : item;
    long long value;
    for (; one; one = cJSON_IsArray(item) ? one->next : NULL) {
        if (!lh_json_whole(one, &value) || value > LH_JSON_MOST) {
            lh_json_refuse(r, name, "the number of a token, or a list of such");
            return;
        }
        if (*n == most) {
            lh_json_refuse(r, name, "a shorter list");
            return;
        }
        token[(*n)++] = (int)value;
    }
}

/* What a field means here: read below, nothing for what is written, or another way of writing unless it has its usual value. */
typedef enum meaning { HONOURED, HARMLESS, ODD_NUMBER, ODD } meaning;

static const struct {
    const char *name;
    meaning is;
    double usual; /* of ODD_NUMBER */
} fields[] = {
    {"bos_token_id", HONOURED, 0},
    {"eos_token_id", HONOURED, 0},
    {"do_sample", HONOURED, 0},
    {"temperature", HONOURED, 0},
    {"top_k", HONOURED, 0},
    {"top_p", HONOURED, 0},
    {"min_p", HONOURED, 0},
    {"repetition_penalty", HONOURED, 0},
    {"presence_penalty", HONOURED, 0},
    {"frequency_penalty", HONOURED, 0},
    {"max_new_tokens", HONOURED, 0},
    {"max_length", HONOURED, 0},
    {"pad_token_id", HARMLESS, 0}, /* of several texts at once */
    {"decoder_start_token_id", HARMLESS, 0},
    {"num_return_sequences", ODD_NUMBER, 1},
    {"use_cache", HARMLESS, 0},
    {"cache_implementation", HARMLESS, 0},
    {"cache_config", HARMLESS, 0},
    {"return_legacy_cache", HARMLESS, 0},
    {"prefill_chunk_size", HARMLESS, 0},
    {"early_stopping", HARMLESS, 0}, /* of beams */
    {"renormalize_logits", HARMLESS, 0},
    {"remove_invalid_values", HARMLESS, 0},
    {"low_memory", HARMLESS, 0},
    {"output_attentions", HARMLESS, 0},
    {"output_hidden_states", HARMLESS, 0},
    {"output_scores", HARMLESS, 0},
    {"output_logits", HARMLESS, 0},
    {"return_dict_in_generate", HARMLESS, 0},
    {"is_assistant", HARMLESS, 0}, /* guesses that are checked: the same text */
    {"num_assistant_tokens", HARMLESS, 0},
    {"num_assistant_tokens_schedule", HARMLESS, 0},
    {"assistant_confidence_threshold", HARMLESS, 0},
    {"assistant_early_exit", HARMLESS, 0},
    {"assistant_lookbehind", HARMLESS, 0},
    {"target_lookbehind", HARMLESS, 0},
    {"prompt_lookup_num_tokens", HARMLESS, 0},
    {"max_matching_ngram_size", HARMLESS, 0},
    {"compile_config", HARMLESS, 0},
    {"disable_compile", HARMLESS, 0},
    {"transformers_version", HARMLESS, 0},
    {"_from_model_config", HARMLESS, 0},
    {"trust_remote_code", HARMLESS, 0},
    {"num_beams", ODD_NUMBER, 1},
    {"num_beam_groups", ODD_NUMBER, 1},
    {"diversity_penalty", ODD_NUMBER, 0},
    {"length_penalty", ODD_NUMBER, 1},
    {"penalty_alpha", ODD_NUMBER, 0},
    {"no_repeat_ngram_size", ODD_NUMBER, 0},
    {"encoder_no_repeat_ngram_size", ODD_NUMBER, 0},
    {"encoder_repetition_penalty", ODD_NUMBER, 1},
    {"typical_p", ODD_NUMBER, 1},
    {"epsilon_cutoff", ODD_NUMBER, 0},
    {"eta_cutoff", ODD_NUMBER, 0},
    {"top_h", ODD_NUMBER, 1},
    {"guidance_scale", ODD_NUMBER, 1},
    {"min_length", ODD_NUMBER, 0},
    {"min_new_tokens", ODD_NUMBER, 0},
    {"max_time", ODD, 0},
    {"token_healing", ODD, 0},
    {"bad_words_ids", ODD, 0},
    {"suppress_tokens", ODD, 0},
    {"begin_suppress_tokens", ODD, 0},
    {"force_words_ids", ODD, 0},
    {"constraints", ODD, 0},
    {"sequence_bias", ODD, 0},
    {"forced_bos_token_id", ODD, 0},
    {"forced_eos_token_id", ODD, 0},
    {"exponential_decay_length_penalty", ODD, 0},
    {"watermarking_config", ODD, 0},
    {"stop_strings", ODD, 0},
    {"dola_layers", ODD, 0},
};

static void add_odd(lh_generation *g, const char *what) {
    if (g->n_odd < LH_MAX_ODD_WAYS) g->odd[g->n_odd++] = what;
}

static const char *unknown_field(lh_arena *a, const char *name) {
    const char *known[sizeof fields / sizeof *fields];
    const int n = (int)(sizeof fields / sizeof *fields);
    for (int i = 0; i < n; i++) known[i] = fields[i].name;
    const char *near = lh_nearest(name, known, n);
    return lh_printf(a, "there is no field %.60s%s", name,
                     near ? lh_printf(a, "; did you mean %s?", near) : "");
}

static void look_at_field(const lh_json_fields *r, const cJSON *x, lh_generation *g) {
    size_t i = 0;
    while (i < sizeof fields / sizeof *fields && strcmp(fields[i].name, x->string) != 0) i++;
    const bool is_empty = cJSON_IsNull(x) || cJSON_IsFalse(x) || (cJSON_IsArray(x) && !x->child);
    if (is_empty) return;
    if (i == sizeof fields / sizeof *fields)
        add_odd(g, unknown_field(r->arena, x->string));
    else if (fields[i].is == ODD_NUMBER && !cJSON_IsNumber(x))
        add_odd(g, lh_printf(r->arena, "%s is not a number", x->string));
    else if (fields[i].is == ODD_NUMBER && x->valuedouble != fields[i].usual)
        add_odd(g,
                lh_printf(r->arena, "%s is %g, which is not supported", x->string, x->valuedouble));
    else if (fields[i].is == ODD)
        add_odd(g, lh_printf(r->arena, "%s is not supported", x->string));
}

/* Without do_sample other tools take the likeliest token, whatever the ways of drawing one are. */
static void look_at_drawing(const lh_json_fields *r, lh_generation *g) {
    static const char *const drawing[] = {"temperature", "top_p", "min_p"};
    for (size_t i = 0; g->is_sampled == LH_SAMPLING_NOT_SAID && i < 3; i++)
        if (lh_json_field(r, drawing[i]))
            add_odd(g, lh_printf(r->arena, "%s counts only where do_sample is true", drawing[i]));
}

static void find_odd(const lh_json_fields *r, lh_generation *g) {
    for (const cJSON *x = r->root->child; x; x = x->next) look_at_field(r, x, g);
    look_at_drawing(r, g);
}

static void read_all(const lh_json_fields *r, lh_generation *g) {
    const cJSON *sampled = lh_json_field(r, "do_sample");
    int n = 0;
    read_tokens(r, "bos_token_id", &g->bos, &n, 1);
    read_tokens(r, "eos_token_id", g->end, &g->n_ends, LH_MAX_ENDS);
    if (g->n_ends) g->eos = g->end[0];
    lh_json_read_whole(r, "max_new_tokens", 0, &g->max_new_tokens);
    lh_json_read_whole(r, "max_length", 0, &g->max_length);
    lh_json_read_whole(r, "top_k", 0, &g->top_k);
    read_number(r, "temperature", 1e6, &g->temperature);
    read_number(r, "top_p", 1, &g->top_p);
    read_number(r, "min_p", 1, &g->min_p);
    read_number(r, "repetition_penalty", 1e6, &g->repetition_penalty);
    read_number(r, "presence_penalty", 1e6, &g->presence_penalty);
    read_number(r, "frequency_penalty", 1e6, &g->frequency_penalty);
    if (g->repetition_penalty == 0) lh_json_refuse(r, "repetition_penalty", "a number above 0");
    if (sampled && !cJSON_IsBool(sampled)) lh_json_refuse(r, "do_sample", "true or false");
    if (sampled) g->is_sampled = cJSON_IsTrue(sampled) ? LH_SAMPLED : LH_LIKELIEST;
    find_odd(r, g);
}

bool lh_generation_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                        size_t length, lh_generation *g) {
    lh_json_fields r = {ctx, a, file, NULL};
    lh_generation_start(g);
    if (lh_json_fields_read(&r, text, length)) read_all(&r, g);
    g->kept = lh_copy(a, text, length);
    return lh_json_fields_end(&r);
}

/* ---- writing: of the ways to choose a token only what was said ---- */

static void put_token(const lh_json_fields *w, const char *name, int token) {
    if (lh_json_begins_with(w, name, token)) return;
    if (token >= 0) lh_json_put(w, name, cJSON_CreateNumber(token));
    while (token < 0 && lh_json_has(w, name)) /* it may be there twice */
        cJSON_DeleteItemFromObjectCaseSensitive(w->root, name);
}

char *lh_generation_text(lh_context *ctx, lh_arena *a, const lh_generation *g) {
    lh_json_fields w = {ctx, a, "generation_config.json", NULL};
    if (!lh_json_fields_write(&w, g->kept)) return NULL;
    put_token(&w, "bos_token_id", g->bos);
    put_token(&w, "eos_token_id", g->eos);
    if (g->max_new_tokens) lh_json_put(&w, "max_new_tokens", cJSON_CreateNumber(g->max_new_tokens));
    return lh_json_fields_text(&w);
}
