#include "cli/model.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/embedded.h"
#include "base/number.h"
#include "files/weights.h"
#include "learn/lesson.h"
#include "train/floats.h"

void lh_model_set(lh_cli *cli, lh_settings *s, const char *name, const char *value) {
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->set[i].name, name) == 0) {
            s->set[i].value = value;
            return;
        }
    *lh_push(cli->arena, s->set, s->n) = (lh_setting){name, value};
}

bool lh_model_has(const lh_program *p, lh_statement_kind kind, const char *name) {
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        const char *its = s->kind == LH_S_VOCAB && !s->name ? "vocab" : s->name;
        if (s->kind == LH_S_VOCAB && !s->count) continue; /* made of words: cannot be set */
        if (s->kind == kind && its && strcmp(its, name) == 0) return true;
    }
    return false;
}

/* Weights from elsewhere bring no program: GPT-2's is ours. */
static bool folder_program(lh_cli *cli, lh_model *m) {
    const lh_folder *f = m->folder;
    const char *file = lh_printf(cli->arena, "%s/program.lh", m->path);
    m->source = (lh_source){.name = m->path, .text = f->program};
    if (!f->program && strcmp(f->config.model_type, "gpt2") == 0) {
        const lh_embedded *gpt = lh_embedded_find("models/gpt.lh");
        m->source.text = gpt ? gpt->text : NULL;
        file = "models/gpt.lh";
    }
    if (!m->source.text) {
        lh_cli_fail(cli, "%s has no program.lh, and its model is %s, not gpt2", m->path,
                    *f->config.model_type ? f->config.model_type : "not said");
        return false;
    }
    m->source.length = f->program ? f->program_length : strlen(m->source.text);
    m->source.title = lh_lesson_title(cli->arena, file, m->source.text, m->source.length);
    m->source.program = lh_lesson_parse(cli->ctx, file, m->source.text, m->source.length);
    return m->source.program != NULL;
}

static void folder_settings(lh_cli *cli, lh_model *m) {
    const lh_folder *f = m->folder;
    int n = f->n_set;
    const lh_setting *set = f->set;
    if (!f->is_saved) set = lh_config_settings(cli->arena, &f->config, m->source.program, &n);
    for (int i = 0; i < n; i++)
        lh_model_set(cli, &m->set, lh_copy(cli->arena, set[i].name, strlen(set[i].name)),
                     lh_copy(cli->arena, set[i].value, strlen(set[i].value)));
}

bool lh_model_is_folder(lh_cli *cli, const char *path) {
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return true;
    lh_cli_fail(cli, "%s is no folder with a model in it", path);
    fprintf(stderr, "longhand train gpt -o FOLDER makes one\n");
    return false;
}

bool lh_model_open(lh_cli *cli, const char *path, lh_model *m) {
    struct stat st;
    *m = (lh_model){.path = path};
    if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
        if (!lh_cli_load(cli, path, &m->source)) return false;
        if (lh_cli_is_plain(cli, &m->source)) return true;
        lh_model_close(m);
        return false;
    }
    m->folder = lh_folder_open(cli->ctx, path);
    if (m->folder && folder_program(cli, m)) folder_settings(cli, m);
    if (lh_failed(cli->ctx)) lh_cli_report(cli);
    if (m->folder && m->folder->is_program_changed)
        fprintf(stderr, "%s/program.lh was changed after the weights were saved; it is used\n",
                path);
    for (int i = 0; m->folder && i < m->folder->config.n_odd; i++)
        fprintf(stderr, "%s/config.json: %s\n", path, m->folder->config.odd[i]);
    if (!lh_failed(cli->ctx) && m->source.program) return true;
    lh_model_close(m);
    return false;
}

void lh_model_close(lh_model *m) {
    lh_program_free(m->source.program);
    lh_folder_close(m->folder);
    m->source.program = NULL;
    m->folder = NULL;
}

lh_graph *lh_model_graph(lh_cli *cli, const lh_model *m, const lh_settings *set) {
    lh_build how = {.set = set->set, .n_set = set->n, .without_examples = true};
    return lh_cli_graph(cli, &m->source, &how);
}

lh_weights *lh_model_weights(lh_cli *cli, const lh_model *m, const lh_graph *g) {
    const lh_folder *f = m->folder;
    if (!f->weights) {
        lh_fail(cli->ctx, LH_ERROR_FILE, (lh_place){0, 0, 0}, "there is no model.safetensors in %s",
                f->path);
        return NULL;
    }
    lh_weights *w = lh_weights_of(cli->ctx, cli->arena, g, LH_PARAM);
    return w && lh_weights_match(cli->ctx, w, f->weights) ? w : NULL;
}

bool lh_model_load(lh_cli *cli, const lh_model *m, const lh_graph *g, lh_plan *p) {
    const lh_weights *w = lh_model_weights(cli, m, g);
    if (!w) return false;
    for (int i = 0; i < w->n; i++) {
        float *to = lh_floats(p, w->weight[i].given->node);
        if (to) lh_weight_copy_float(&w->weight[i], to);
    }
    return true;
}

/* As the folder says, or as the program does. */
int lh_model_end(const lh_model *m, const lh_graph *g) {
    const lh_folder *f = m->folder;
    if (f->generation.eos >= 0) return f->generation.eos;
    if (*f->config.model_type && f->config.eos >= 0) return f->config.eos;
    const lh_vocab *v = g->generate ? g->input[g->generate->input]->vocab : NULL;
    for (int i = 0; v && g->generate->until && i < v->n_words; i++)
        if (strcmp(v->word[i], g->generate->until) == 0) return i;
    return -1;
}

/* A text begins with what ended the one before it; else with a new line. */
int lh_model_begin(lh_cli *cli, const lh_tokenizer *t, int end) {
    int id;
    if (end >= 0) return end;
    size_t n = lh_tokenizer_encode(t, "\n", 1, false, &id, 1);
    if (!lh_failed(cli->ctx) && n == 1) return id;
    lh_context_clear(cli->ctx);
    return 0;
}

int *lh_model_prompt(lh_cli *cli, const lh_tokenizer *t, const char *text, size_t length,
                     bool marks, int begin, int *n) {
    size_t k = 0;
    int *id = lh_tokenizer_prompt(t, cli->arena, text, length, marks, &k);
    if (!id || k >= INT_MAX) return NULL;
    *n = (int)k;
    if (begin < 0) return id;
    int *all = lh_alloc_array(cli->arena, k + 1, sizeof *all);
    if (!all) return NULL;
    all[0] = begin;
    for (size_t i = 0; i < k; i++) all[i + 1] = id[i];
    ++*n;
    return all;
}

/* Tokens that the vocabulary does not have would be looked up where there is nothing. */
bool lh_model_takes(lh_cli *cli, const lh_graph *g, const lh_tokenizer *t) {
    for (int i = 0; i < g->n_inputs; i++) {
        const lh_vocab *v = g->input[i]->vocab;
        if (!v || v->n_words >= lh_tokenizer_count(t)) continue;
        lh_cli_fail(cli, "the tokeniser has %d tokens, and the vocabulary of the model has %d",
                    lh_tokenizer_count(t), v->n_words);
        fprintf(stderr, "vocab %d in the program, or another tokeniser\n", lh_tokenizer_count(t));
        return false;
    }
    return true;
}

const char *lh_whole_text(lh_arena *a, double n) {
    const char *digits = lh_printf(a, "%.0f", n);
    lh_text out = lh_text_new(a);
    for (size_t k = strlen(digits); k > 0; k--) {
        lh_text_add_n(&out, digits + strlen(digits) - k, 1);
        if (k > 1 && k % 3 == 1) lh_text_add_n(&out, ",", 1);
    }
    return out.s;
}

const char *lh_bytes_text(lh_arena *a, double n) {
    char text[LH_NUMBER_MAX];
    return lh_printf(a, "%s", lh_number_bytes(text, sizeof text, n));
}
