#include "train/describe.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "files/family.h"
#include "files/tokenizer_file.h"
#include "train/generate.h"
#include "train/lora.h"

typedef struct describing {
    lh_context *ctx;
    lh_arena *arena;
    const lh_graph *g;
    const lh_describe *how;
} describing;

/* Do tokens mean what they meant in the folder before? */
static bool has_same_tokens(const describing *d) {
    return d->how->from && d->how->tokens && !d->how->has_own_tokens;
}

/* ---- config.json ---- */

/* The fields of the folder before, where they mean this program: as they are, or with its sizes, such as a shorter context. Sizes are not
 * put in for nothing: with longrope, the longest context decides how strong turned queries and keys are, and is not the program's. */
static const char *fields_before(const describing *d) {
    const lh_folder *f = d->how->from;
    const char *kept = f ? f->config.kept : NULL;
    bool is_as_long;
    if (!kept || !lh_family_find(f->config.model_type)) return NULL;
    const bool is_it = lh_family_describes(d->g, kept, &is_as_long);
    if (is_it && is_as_long) return kept;
    lh_config sized = f->config;
    lh_config_of_graph(d->g, &sized);
    const char *text = lh_config_text(d->ctx, d->arena, &sized);
    if (text && lh_family_describes(d->g, text, NULL)) return text;
    return is_it ? kept : NULL;
}

static void find_config(const describing *d, lh_config *config) {
    const lh_folder *f = d->how->from;
    const char *fields = fields_before(d);
    if (!fields) fields = lh_family_config(d->arena, d->g);
    lh_config_start(config);
    if (fields) {
        lh_config_read(d->ctx, d->arena, "config.json", fields, strlen(fields), config);
        return;
    }
    if (f && strcmp(f->config.model_type, config->model_type) == 0) *config = f->config;
    lh_config_of_graph(d->g, config);
}

/* ---- tokens ---- */

static void find_ends(const describing *d, lh_config *c, lh_generation *g) {
    const lh_describe *how = d->how;
    lh_generation_start(g);
    c->bos = c->eos = how->tokens ? lh_tokenizer_special(how->tokens, "<|endoftext|>") : -1;
    if (has_same_tokens(d)) {
        const lh_folder *f = how->from;
        *g = f->generation;
        if (f->config.bos >= 0 || g->bos >= 0) c->bos = g->bos >= 0 ? g->bos : f->config.bos;
        if (f->config.eos >= 0 || g->eos >= 0) c->eos = g->eos >= 0 ? g->eos : f->config.eos;
    }
    if (how->end >= 0) c->bos = c->eos = how->end;
    if (how->begin >= 0) c->bos = how->begin;
    g->bos = c->bos, g->eos = c->eos;
}

/* A file of the folder before, where it speaks of the same tokens; or NULL. */
static const char *kept_file(const describing *d, const char *name) {
    size_t n;
    if (!has_same_tokens(d)) return NULL;
    const char *folder = lh_adapter_file_folder(d->ctx, d->arena, d->how->from->path, name),
               *path = lh_printf(d->arena, "%s/%s", folder, name);
    return access(path, R_OK) == 0 ? lh_file_read_plain(d->ctx, d->arena, path, &n) : NULL;
}

static const char *tokenizer_config(const describing *d, const lh_config *c) {
    const char *kept = kept_file(d, "tokenizer_config.json");
    if (kept || !d->how->tokens) return kept;
    lh_text text = lh_text_new(d->arena);
    lh_tokenizer_write_config(&text, d->how->tokens, c->bos, c->eos, lh_generator_context(d->g, 0));
    return text.s;
}

static lh_folder_writer *create(const describing *d, const char *path) {
    lh_config config;
    lh_generation generation;
    lh_text json = lh_text_new(d->arena);
    find_config(d, &config);
    find_ends(d, &config, &generation);
    if (d->how->tokens) lh_tokenizer_write_json(&json, d->how->tokens);
    const lh_folder_files files = {.config = d->how->adapter ? NULL : &config,
                                   .adapter = d->how->adapter,
                                   .generation = &generation,
                                   .tokenizer = d->how->tokens ? json.s : NULL,
                                   .tokenizer_config = tokenizer_config(d, &config),
                                   .chat_template = kept_file(d, "chat_template.jinja")};
    return lh_failed(d->ctx) ? NULL : lh_folder_create(d->ctx, path, &files);
}

lh_folder_writer *lh_describe_folder(const char *path, const lh_graph *g, const lh_describe *how) {
    lh_arena *a = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    if (!a) return NULL;
    lh_folder_writer *w = create(&(describing){g->ctx, a, g, how}, path);
    lh_arena_free(a);
    return w;
}

/* The fields that the folder would be saved with now. */
static const char *fields_now(lh_arena *a, const lh_graph *g, const lh_folder *f) {
    const char *fields = lh_family_config(a, g);
    if (fields) return fields;
    lh_config sized = f->config;
    lh_config_of_graph(g, &sized);
    return lh_config_text(g->ctx, a, &sized);
}

static bool changes(const lh_adapter *x, const char *module) {
    for (int i = 0; i < x->n_on; i++)
        if (strcmp(x->on[i], module) == 0) return true;
    return x->n_on == 0;
}

static const char *adapter_edited(lh_arena *a, const lh_graph *g, const lh_adapter *now) {
    const lh_adapter is = lh_lora_adapter(a, g, "");
    if (now->rank != is.rank)
        return lh_printf(a, "r is %d there, and %d in the program", now->rank, is.rank);
    if (fabs(now->alpha - is.alpha) > 1e-6 * fabs(is.alpha))
        return lh_printf(a, "lora_alpha is %.9g there, and %.9g in the program", now->alpha,
                         is.alpha);
    for (int i = 0; i < now->n_on; i++)
        if (!changes(&is, now->on[i]))
            return lh_printf(a, "target_modules has %.60s, and the program does not change it",
                             now->on[i]);
    for (int i = 0; i < is.n_on; i++)
        if (!changes(now, is.on[i]))
            return lh_printf(a, "target_modules has no %.60s, and the program changes it",
                             is.on[i]);
    return NULL;
}

const char *lh_describe_edited(lh_arena *a, const lh_graph *g, const lh_folder *f) {
    const char *kept = f->config.kept, *field, *value[2];
    if (!f->is_saved || !f->program || f->is_program_changed || f->gguf) return NULL;
    if (f->adapter) return adapter_edited(a, g, f->adapter);
    if (!kept) return NULL;
    const bool is_known = lh_family_find(f->config.model_type) != NULL;
    if (is_known && lh_family_describes(g, kept, NULL)) return NULL;
    const char *now = fields_now(a, g, f);
    if (now && lh_config_field(a, kept, now, &field, value))
        return lh_printf(a, "%.60s is %.60s there, and %.60s in the program", field, value[0],
                         value[1]);
    return is_known ? "it means another program" : NULL;
}
