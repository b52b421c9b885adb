#include "cli/model.h"

#include <string.h>

#include "base/number.h"
#include "learn/lesson.h"
#include "train/describe.h"
#include "train/floats.h"

bool lh_model_allows_unused;

static void tell_change(const lh_model *m) {
    if (m->folder->is_program_changed)
        fprintf(stderr, "%s/program.lh was changed after the weights were saved; it is used\n",
                m->path);
}

static void read_folder(lh_cli *cli, lh_model *m) {
    lh_found text;
    int n;
    m->folder = lh_folder_open(cli->ctx, m->path);
    m->source = (lh_source){.name = m->path};
    m->source.program = m->folder ? lh_trained_program(m->folder, cli->arena, &text) : NULL;
    if (!m->source.program) return;
    m->folder->allows_unused = lh_model_allows_unused;
    m->source.text = text.text;
    m->source.length = text.length;
    m->source.title = lh_lesson_title(cli->arena, text.file, text.text, text.length);
    const lh_setting *set = lh_trained_settings(m->folder, cli->arena, m->source.program, &n);
    for (int i = 0; i < n; i++)
        lh_setting_put(cli->arena, &m->set.set, &m->set.n, set[i].name, set[i].value);
}

bool lh_model_is_folder(lh_cli *cli, const char *path) {
    if (lh_trained_is_folder(cli->ctx, path)) return true;
    lh_cli_report(cli);
    return false;
}

bool lh_model_may_go_to(lh_cli *cli, const char *folder) {
    if (!lh_folder_holds_model(folder)) return true;
    lh_cli_fail(cli, "%s already contains a model", folder);
    fprintf(stderr, "choose another folder\n");
    return false;
}

bool lh_model_open(lh_cli *cli, const char *path, lh_model *m) {
    *m = (lh_model){.path = path};
    if (!lh_folder_is(path)) {
        if (!lh_cli_load(cli, path, &m->source)) return false;
        if (lh_cli_is_plain(cli, &m->source)) return true;
        lh_model_close(m);
        return false;
    }
    read_folder(cli, m);
    if (lh_failed(cli->ctx)) lh_cli_report(cli);
    if (m->folder) tell_change(m);
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

/* Two files that a person can edit: what the model computes is the program's to say. */
static void tell_config(lh_cli *cli, const lh_model *m, const lh_graph *g) {
    const char *edited = lh_describe_edited(cli->arena, g, m->folder);
    if (edited)
        fprintf(stderr,
                "%s/%s is not what was saved with the weights: %s. It is not used: "
                "%s/program.lh says what the model computes\n",
                m->path, m->folder->adapter ? LH_ADAPTER_CONFIG : "config.json", edited, m->path);
}

lh_graph *lh_model_graph(lh_cli *cli, const lh_model *m, const lh_settings *set) {
    lh_build how = {.set = set->set, .n_set = set->n, .without_examples = true};
    lh_graph *g = lh_cli_graph(cli, &m->source, &how);
    if (g && m->folder && set == &m->set) tell_config(cli, m, g);
    return g;
}

bool lh_model_load(lh_cli *cli, const lh_model *m, const lh_graph *g, lh_plan *p) {
    const lh_weights *w = lh_trained_weights(m->folder, cli->arena, g);
    if (!w) return false;
    for (int i = 0; i < w->n; i++) {
        float *to = lh_floats(p, w->weight[i].given->node);
        if (to) lh_weight_copy_float(&w->weight[i], to);
    }
    return true;
}

bool lh_model_takes(lh_cli *cli, const lh_model *m, const lh_graph *g, const lh_tokenizer *t) {
    if (lh_trained_takes(
            &(lh_trained_text){.g = g, .tokens = t, .end = -1, .folder = m ? m->folder : NULL}))
        return true;
    lh_cli_report(cli);
    return false;
}

void lh_model_tell_cut(lh_cli *cli, const lh_model *m, const lh_tokenizer *t, const char *text,
                       size_t length, bool marks) {
    const lh_prompt_frame *f = &t->frame;
    size_t n = 0;
    if (f->most < 0 || !text || !lh_tokenizer_ids(t, cli->arena, text, length, marks, &n)) return;
    const size_t most = (size_t)(f->most - f->n_before - f->n_after);
    if (n > most)
        fprintf(stderr,
                "only the %s %zu of %zu tokens of the prompt are read, as \"truncation\" in "
                "%s/tokenizer.json says; null there reads them all\n",
                f->cuts_left ? "last" : "first", most, n, m->path);
}

const char *lh_whole_text(lh_arena *a, double n) {
    char text[LH_NUMBER_MAX];
    return lh_printf(a, "%s", lh_number_grouped(text, sizeof text, n));
}

const char *lh_bytes_text(lh_arena *a, double n) {
    char text[LH_NUMBER_MAX];
    return lh_printf(a, "%s", lh_number_bytes(text, sizeof text, n));
}
