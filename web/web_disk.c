/* web_disk -- a model of the reader's own: the files of a folder, or a GGUF file, as `longhand sample` opens them. The page has them as files below /model
 * (web/modules/worker.js); they are read into the module's memory and sent nowhere. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "files/tokenizer_file.h"
#include "web_model.h"

lh_web_model lh_web_now = {.end = -1};

void lh_web_model_close(void) {
    lh_generator_free(lh_web_now.writer);
    lh_trainer_free(lh_web_now.t);
    lh_data_free(lh_web_now.data);
    lh_graph_free(lh_web_now.g);
    lh_tokenizer_free(lh_web_now.tokens);
    lh_program_free(lh_web_now.program);
    lh_folder_close(lh_web_now.folder);
    lh_arena_free(lh_web_now.arena);
    lh_web_now = (lh_web_model){.end = -1};
}

bool lh_web_model_is_open(lh_web *w) {
    return lh_web_now.t || lh_web_now.weights ||
           lh_web_fail(w, LH_ERROR_NAME, "no model is open: train or open_model makes one");
}

/* ---- tokens ---- */

const char *lh_web_model_piece(lh_web *w, int token) {
    lh_text t = lh_text_new(w->arena);
    if (!lh_web_now.tokens) return lh_printf(w->arena, "%d ", token);
    if (token < lh_tokenizer_count(lh_web_now.tokens))
        lh_tokenizer_decode(lh_web_now.tokens, &token, 1, false, &t);
    return t.s;
}

/* Where no tokeniser came with the weights, a text is the numbers of its tokens: 5 13 13 1. */
static int *read_numbers(lh_web *w, const char *text, int *n) {
    const lh_vocab *vocab = lh_web_now.g->input[lh_web_now.g->generate->input]->vocab;
    int *all = lh_alloc_array(w->arena, strlen(text) + 2, sizeof *all);
    *n = 0;
    for (char *end; all && *(text += strspn(text, " ,\n\t")); text = end) {
        const long id = strtol(text, &end, 10);
        if (end == text || id < 0 || (vocab && id >= vocab->n_words)) {
            lh_web_fail(
                w, LH_ERROR_VALUE,
                "\"%.40s\" is no token: without a tokenizer.json a text is numbers from 0 to %d",
                text, vocab ? vocab->n_words - 1 : 0);
            return NULL;
        }
        all[(*n)++] = (int)id;
    }
    if (all && !*n) all[(*n)++] = lh_web_now.end >= 0 ? lh_web_now.end : 0;
    return all;
}

/* Of a text that is learned here: behind what it begins with, the end of the line before it. */
static int *read_learned(lh_web *w, const char *text, int *n) {
    const lh_web_model *m = &lh_web_now;
    size_t k = 0;
    int *id = lh_tokenizer_ids(m->tokens, w->arena, text, strlen(text), false, &k);
    int *all = id ? lh_alloc_array(w->arena, k + 1, sizeof *all) : NULL;
    if (!all) return NULL;
    const bool begins_line = m->end >= 0 || k == 0;
    all[0] = m->end >= 0             ? m->end
             : m->data->newline >= 0 ? m->data->newline
                                     : lh_data_token(m->data, 0);
    for (size_t i = 0; i < k; i++) all[i + begins_line] = id[i];
    *n = (int)k + begins_line;
    return all;
}

int *lh_web_model_prompt(lh_web *w, const char *text, int *n) {
    const lh_web_model *m = &lh_web_now;
    if (m->t) return read_learned(w, text, n);
    if (!m->tokens) return read_numbers(w, text, n);
    return lh_trained_prompt(&(lh_trained_text){.g = m->g, .tokens = m->tokens, .end = m->end},
                             w->arena, text, strlen(text), true, NULL, n);
}

/* ---- a folder ---- */

static const lh_tensor *matrix(const char *name) {
    const lh_tensors *all = lh_web_now.folder->weights;
    const lh_tensor *t = all ? lh_tensors_find(all, name) : NULL;
    char whole[100];
    if (!t && all) {
        lh_format(whole, sizeof whole, "transformer.%s", name);
        t = lh_tensors_find(all, whole);
    }
    return t && t->rank == 2 ? t : NULL;
}

/* Weights alone, without config.json: GPT-2's have names of their own, and its heads are 64 wide in all of its sizes. */
static void guess_config(lh_web *w) {
    lh_folder *f = lh_web_now.folder;
    const lh_tensor *words = matrix("wte.weight"), *places = matrix("wpe.weight");
    int layers = 0;
    char name[60];
    do {
        lh_format(name, sizeof name, "h.%d.attn.c_attn.weight", layers);
    } while (matrix(name) && ++layers);
    if (f->program || *f->config.model_type || !words || !places || !layers ||
        words->size[1] % 64 != 0)
        return;
    const char *text =
        lh_printf(lh_web_now.arena,
                  "{\"model_type\": \"gpt2\", \"n_layer\": %d, \"n_head\": %zu, \"n_embd\": %zu, "
                  "\"n_positions\": %zu, \"vocab_size\": %zu}",
                  layers, words->size[1] / 64, words->size[1], places->size[0], words->size[0]);
    lh_config_read(w->ctx, lh_web_now.arena, "config.json", text, strlen(text), &f->config);
}

static bool open_graph(lh_web *w) {
    lh_web_model *m = &lh_web_now;
    lh_found text;
    int n = 0;
    m->program = lh_trained_program(m->folder, m->arena, &text);
    if (!m->program) return false;
    const lh_setting *set = lh_trained_settings(m->folder, m->arena, m->program, &n);
    m->g = lh_graph_build(w->ctx, m->program,
                          &(lh_build){.set = set, .n_set = n, .without_examples = true});
    if (!m->g) lh_fail_in(w->ctx, text.file, text.text, text.length);
    return m->g && (m->g->generate ||
                    lh_web_fail(w, LH_ERROR_VALUE,
                                "this model writes no text: its program has no generate line"));
}

static bool open_tokens(lh_web *w, const char *path) {
    lh_web_model *m = &lh_web_now;
    if (m->folder->gguf || lh_trained_has(path, "tokenizer.json") ||
        lh_trained_has(path, "vocab.json"))
        m->tokens = lh_tokenizer_load(w->ctx, path);
    m->end = lh_trained_end(m->folder, m->g);
    return !lh_failed(w->ctx) &&
           (!m->tokens || lh_trained_takes(&(lh_trained_text){.g = m->g, .tokens = m->tokens}));
}

static void write_model(lh_web *w) {
    const lh_web_model *m = &lh_web_now;
    double cells = 0;
    for (int i = 0; i < m->weights->n; i++)
        cells += (double)m->weights->weight[i].rows * (double)m->weights->weight[i].cols;
    lh_json_number(&w->json, "parameters", cells);
    lh_json_text(&w->json, "type",
                 *m->folder->config.model_type ? m->folder->config.model_type : "");
    lh_json_int(&w->json, "vocabulary", m->g->axis[m->g->generate->from->shape.cols].n);
    lh_json_int(&w->json, "context", lh_generator_context(m->g, LH_WEB_WINDOW));
    lh_json_bool(&w->json, "has_words", m->tokens != NULL);
    lh_json_bool(&w->json, "lines", m->g->generate->until != NULL);
    lh_json_int(&w->json, "unused", m->weights->n_unused);
}

void lh_web_open_model(lh_web *w, int n, const char *const *argument) {
    lh_web_model *m = &lh_web_now;
    (void)n;
    lh_web_model_close();
    w->ctx->memory_limit = LH_WEB_MODEL_MEMORY;
    m->arena = lh_arena_new(w->ctx);
    m->folder = m->arena ? lh_folder_open(w->ctx, argument[0]) : NULL;
    if (m->folder) {
        m->folder->allows_unused = true; /* the answer says how many */
        guess_config(w);
        if (open_graph(w) && open_tokens(w, argument[0]))
            m->weights = lh_trained_weights(m->folder, m->arena, m->g);
    }
    if (m->weights && !lh_failed(w->ctx))
        write_model(w);
    else
        lh_web_model_close();
}
