#include "train/trained.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "files/family.h"
#include "train/lora.h"

static const lh_place nowhere;

bool lh_trained_is_folder(lh_context *ctx, const char *path) {
    if (lh_failed(ctx)) return false;
    if (lh_folder_is(path)) return true;
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        lh_fail(ctx, LH_ERROR_FILE, nowhere,
                "%s is a file, and it does not begin with GGUF, as files with a model do", path);
        lh_cure(ctx, "give the folder with config.json and model.safetensors instead");
        return false;
    }
    lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s is not a folder with a model in it", path);
    lh_cure(
        ctx,
        "longhand train gpt -o FOLDER makes one that writes, train classic one that translates");
    return false;
}

bool lh_trained_has(const char *path, const char *file) {
    char whole[4096];
    struct stat st;
    const int n = snprintf(whole, sizeof whole, "%s/%s", path, file);
    return n > 0 && (size_t)n < sizeof whole && stat(whole, &st) == 0;
}

/* ---- the program ---- */

static void refuse_type(const lh_folder *f, lh_arena *a) {
    lh_text known = lh_text_new(a);
    for (int i = 0; i < lh_family_count(); i++)
        lh_text_add(&known, "%s%s", i ? ", " : "", lh_family_at(i)->type);
    if (*f->config.model_type)
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere,
                "%s has no program.lh, and its model_type, %.60s, is not known", f->path,
                f->config.model_type);
    else
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere,
                "%s has no program.lh, and no config.json that says what model it is", f->path);
    lh_cure(f->ctx, "known model types: %s", known.s);
}

/* An adapter that another tool made: the program of its base, rewritten. */
static lh_program *program_of_adapter(const lh_folder *f, lh_arena *a, lh_found *text) {
    lh_program *base = lh_trained_program(f->base, a, text);
    if (!base) return NULL;
    const lh_lora how = {.rank = f->adapter->rank,
                         .alpha = f->adapter->alpha,
                         .on = f->adapter->on,
                         .n_on = f->adapter->n_on,
                         .may_miss = true};
    const char *made = lh_lora_rewrite(f->ctx, a, base, &how);
    lh_program_free(base);
    if (!made) return NULL;
    *text = (lh_found){lh_printf(a, "%s/" LH_ADAPTER_CONFIG, f->path), made, strlen(made)};
    return lh_program_parse(f->ctx, text->file, text->text, text->length);
}

/* Weights from elsewhere bring no program: their config is one. */
lh_program *lh_trained_program(const lh_folder *f, lh_arena *a, lh_found *text) {
    *text = (lh_found){lh_printf(a, "%s/program.lh", f->path), f->program, f->program_length};
    if (!f->program && f->adapter) return program_of_adapter(f, a, text);
    if (!f->program && !lh_family_find(f->config.model_type)) {
        refuse_type(f, a);
        return NULL;
    }
    if (!f->program) {
        const char *file = lh_printf(a, f->gguf ? "%s, as config.json" : "%s/config.json", f->path),
                   *made =
                       lh_family_program(f->ctx, a, file, f->config.kept, strlen(f->config.kept));
        if (!made) return NULL;
        *text = (lh_found){file, made, strlen(made)};
    }
    return lh_lesson_parse(f->ctx, text->file, text->text, text->length);
}

bool lh_program_has(const lh_program *p, lh_statement_kind kind, const char *name) {
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        const char *its = s->kind == LH_S_VOCAB && !s->name ? "vocab" : s->name;
        if (s->kind == LH_S_VOCAB && !s->count) continue; /* made of words: cannot be set */
        if (s->kind == kind && its && strcmp(its, name) == 0) return true;
    }
    return false;
}

void lh_setting_put(lh_arena *a, lh_setting **set, int *n, const char *name, const char *value) {
    const char *own = lh_copy(a, value, strlen(value));
    for (int i = 0; i < *n; i++)
        if (strcmp((*set)[i].name, name) == 0) {
            (*set)[i].value = own;
            return;
        }
    *lh_push(a, *set, *n) = (lh_setting){lh_copy(a, name, strlen(name)), own};
}

/* Sizes as the program of its config has them, for other programs that begin with its weights. */
static const lh_setting *sizes_of_program(lh_arena *a, const lh_program *p, int *n) {
    lh_setting *set = NULL;
    *n = 0;
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind == LH_S_SIZE && s->expr->kind == LH_E_NUMBER)
            lh_setting_put(a, &set, n, s->name, lh_printf(a, "%.0f", s->expr->number));
        if (s->kind == LH_S_VOCAB && s->count > 0)
            lh_setting_put(a, &set, n, "vocab", lh_printf(a, "%d", s->count));
    }
    return set;
}

const lh_setting *lh_trained_settings(const lh_folder *f, lh_arena *a, const lh_program *p,
                                      int *n) {
    int n_from = f->n_set;
    const lh_setting *from = f->set;
    lh_setting *set = NULL;
    if (!f->program && f->adapter) return lh_trained_settings(f->base, a, p, n);
    if (!f->program) return sizes_of_program(a, p, n);
    if (!f->is_saved) from = lh_config_settings(a, &f->config, p, &n_from);
    *n = 0;
    for (int i = 0; from && i < n_from; i++)
        lh_setting_put(a, &set, n, from[i].name, from[i].value);
    return set;
}

/* Weights that the program leaves out are numbers that the model was made with: it is another program's. */
bool lh_trained_uses_all(lh_context *ctx, lh_arena *a, const lh_folder *f, const lh_weights *w) {
    enum { SHOWN = 3 };
    if (!w->n_unused || f->allows_unused) return true;
    lh_text names = lh_text_new(a);
    for (int i = 0; i < w->n_unused && i < SHOWN; i++)
        lh_text_add(&names, "%s%s", i ? ", " : "", w->unused[i]->name);
    if (w->n_unused > SHOWN) lh_text_add(&names, " and %d more", w->n_unused - SHOWN);
    lh_fail(ctx, LH_ERROR_NAME, nowhere, "the program does not use %s", names.s);
    lh_fail_in(ctx, lh_tensors_path(w->from), NULL, 0);
    lh_cure(ctx, "--allow-unused continues without them");
    return false;
}

lh_weights *lh_trained_weights(const lh_folder *f, lh_arena *a, const lh_graph *g) {
    if (!lh_folder_has_weights(f)) return NULL;
    lh_weights *w = lh_weights_of(g->ctx, a, g, LH_PARAM);
    if (!w) return NULL;
    if (!lh_weights_match(g->ctx, w, f->weights)) {
        if (f->adapter)
            lh_cure(g->ctx, "%s changes the model in %s: was it trained on that one?", f->path,
                    f->base->path);
        return NULL;
    }
    return lh_trained_uses_all(g->ctx, a, f, w) ? w : NULL;
}

/* ---- tokens ---- */

int lh_trained_end(const lh_folder *f, const lh_graph *g) {
    if (f && f->generation.eos >= 0) return f->generation.eos;
    if (f && *f->config.model_type && f->config.eos >= 0) return f->config.eos;
    const lh_vocab *v = g->generate ? g->input[g->generate->input]->vocab : NULL;
    for (int i = 0; v && g->generate->until && i < v->n_words; i++)
        if (strcmp(v->word[i], g->generate->until) == 0) return i;
    return -1;
}

/* Penalties count however the token is chosen then. */
lh_choice lh_trained_choice(const lh_folder *f) {
    lh_choice c = {.temperature = 0.8, .top_k = 40, .top_p = 1};
    const lh_generation *g = f ? &f->generation : NULL;
    if (!g) return c;
    c.repetition_penalty = g->repetition_penalty;
    c.presence_penalty = g->presence_penalty;
    c.frequency_penalty = g->frequency_penalty;
    if (g->is_sampled == LH_SAMPLING_NOT_SAID) return c;
    c.temperature = g->is_sampled == LH_SAMPLED ? g->temperature : 0;
    c.top_k = g->top_k, c.top_p = g->top_p, c.min_p = g->min_p;
    return c;
}

/* A text begins with what ended the one before it; else with a new line. */
int lh_trained_begin(const lh_trained_text *t) {
    int id = 0;
    if (t->end >= 0) return t->end;
    size_t n = lh_tokenizer_encode(t->tokens, "\n", 1, false, &id, 1);
    if (!lh_failed(t->g->ctx) && n == 1) return id;
    lh_context_clear(t->g->ctx);
    return 0;
}

static bool is_token(const lh_folder *f, const lh_graph *g, const char *file, int token) {
    const lh_vocab *v = g->generate ? g->input[g->generate->input]->vocab : NULL;
    if (!v || token < v->n_words) return true;
    const lh_folder *own = f->adapter ? f->base : f;
    const char *where = own->gguf ? own->path : lh_printf(own->arena, "%s/%s", own->path, file),
               *field = own->gguf ? "tokenizer.ggml.eos_token_id" : "eos_token_id";
    lh_fail(g->ctx, LH_ERROR_FILE, nowhere, "%s: %s is %d, but the tokens of the model are 0 to %d",
            where, field, token, v->n_words - 1);
    lh_cure(g->ctx,
            "give it the number of the token that ends a text, or take it out: then none does");
    return false;
}

static bool ends_are_tokens(const lh_folder *f, const lh_graph *g) {
    for (int i = 0; i < f->generation.n_ends; i++)
        if (!is_token(f, g, "generation_config.json", f->generation.end[i])) return false;
    return f->generation.eos >= 0 || is_token(f, g, "config.json", f->config.eos);
}

/* Tokens that the vocabulary does not have would be looked up where there is nothing. */
bool lh_trained_takes(const lh_trained_text *t) {
    const int n = lh_tokenizer_count(t->tokens);
    for (int i = 0; i < t->g->n_inputs; i++) {
        const lh_vocab *v = t->g->input[i]->vocab;
        if (!v || v->n_words >= n) continue;
        lh_fail(t->g->ctx, LH_ERROR_VALUE, nowhere,
                "the tokeniser has %d tokens, but the vocabulary of the model has %d", n,
                v->n_words);
        lh_cure(t->g->ctx, "vocab %d in the program, or another tokeniser", n);
        return false;
    }
    return !t->folder || ends_are_tokens(t->folder, t->g);
}

int *lh_trained_prompt(const lh_trained_text *t, lh_arena *a, const char *text, size_t length,
                       bool begins, int *begin, int *n) {
    const bool is_lines = t->g->generate && t->g->generate->until,
               is_begun = is_lines || (begins && !length && !t->tokens->frame.n_before);
    size_t k = 0;
    if (begin) *begin = -1;
    *n = 0;
    int *id = lh_failed(t->g->ctx)
                  ? NULL
                  : lh_tokenizer_prompt(t->tokens, a, text ? text : "", length,
                                        t->marks || !t->g->generate, &k); /* [MASK] hides a word */
    int *all = id && k < INT_MAX ? lh_alloc_array(a, k + 2, sizeof *all) : NULL;
    if (!all) return NULL;
    if (is_begun) all[(*n)++] = lh_trained_begin(t);
    if (begin && is_begun) *begin = all[0];
    for (size_t i = 0; i < k; i++) all[(*n)++] = id[i];
    return lh_failed(t->g->ctx) ? NULL : all;
}
