/* api_model -- the public interface: model folders and weights. */
#include "api/api_model.h"

#include <string.h>

#include "base/ascii.h"
#include "files/tokenizer_file.h"
#include "train/floats.h"

static const lh_place nowhere;

/* ---- beginning and end ---- */

void lh_api_end_prompt(longhand *lh) {
    lh_api_model *m = lh->model;
    lh->from = NULL;
    if (!m) return;
    lh_inside_free(m->in);
    lh_arena_free(m->of_prompt);
    m->in = NULL;
    m->of_prompt = NULL;
    m->id = NULL;
    m->n = 0;
}

/* What was found of the params as they were. */
void lh_api_forget_params(longhand *lh) {
    lh_api_model *m = lh->model;
    lh_arena_free(m->of_params);
    m->of_params = NULL;
    m->weights = NULL;
}

static void forget(longhand *lh, bool is_all) {
    lh_api_model *m = lh->model;
    lh_api_end_prompt(lh);
    lh_api_forget_params(lh);
    lh_trainer_free(m->trainer);
    m->trainer = NULL;
    if (!is_all) return;
    lh_material_free(m->material);
    lh_arena_free(m->of_source);
    lh_tokenizer_free(m->tokens);
    lh_tensors_close(m->file);
    lh_folder_close(m->folder);
    lh_arena_free(m->arena);
    lh->model = NULL;
    lh->forget_model = NULL;
    lh->fill_plan = NULL;
    lh->param = NULL;
    lh->has_no_examples = false;
}

static bool fill_plan(longhand *lh, lh_plan *p);
static bool find_param(longhand *lh, const lh_step *s, lh_api_matrix *m);

lh_api_model *lh_api_model_of(longhand *lh) {
    if (lh->model || lh_failed(lh->ctx)) return lh->model;
    lh_arena *a = lh_arena_new(lh->ctx);
    if (!a) return NULL;
    lh->model = lh_alloc(a, sizeof *lh->model);
    *lh->model = (lh_api_model){.arena = a};
    lh->forget_model = forget;
    lh->fill_plan = fill_plan;
    lh->param = find_param;
    return lh->model;
}

/* ---- the params as they are ---- */

static const lh_tensors *file_of(const lh_api_model *m) {
    return m->file ? m->file : m->folder ? m->folder->weights : NULL;
}

static lh_weights *match_file(const longhand *lh, lh_arena *a) {
    lh_weights *w = lh_weights_of(lh->ctx, a, lh->g, LH_PARAM);
    return w && lh_weights_match(lh->ctx, w, file_of(lh->model)) ? w : NULL;
}

/* A tensor of our own around numbers that lie in memory. */
void lh_api_wrap(lh_arena *a, lh_weight *w, const float *numbers) {
    lh_tensor *t = lh_alloc(a, sizeof *t);
    *t = (lh_tensor){.name = w->name,
                     .type = LH_F32,
                     .rank = 2,
                     .size = {w->rows, w->cols},
                     .cells = w->rows * w->cols,
                     .bytes = w->rows * w->cols * sizeof *numbers,
                     .data = (const unsigned char *)numbers,
                     .is_aligned = true};
    w->tensor = t;
}

static const float *rounded(const longhand *lh, lh_arena *a, const lh_weight *w) {
    float *to = lh_alloc_array(a, w->rows * w->cols, sizeof *to);
    const lh_step *s = w->given->node->step;
    return to && lh_api_take(lh, lh->plan, s, (longhand_part){0}, (lh_api_array){.rounded = to},
                             w->rows * w->cols)
               ? to
               : NULL;
}

static lh_weights *in_memory(longhand *lh, lh_arena *a, const lh_trainer *t) {
    lh_weights *w = lh_weights_of(lh->ctx, a, lh->g, LH_PARAM);
    for (int i = 0; w && i < w->n; i++) {
        const float *numbers = t ? lh_floats_read(a, t->plan, w->weight[i].given->node)
                                 : rounded(lh, a, &w->weight[i]);
        if (!numbers) return NULL;
        lh_api_wrap(a, &w->weight[i], numbers);
    }
    return w;
}

const lh_weights *lh_api_weights(longhand *lh, lh_arena *a) {
    const lh_api_model *m = lh->model;
    if (!lh_api_graph(lh)) return NULL;
    if (!(lh->plan && lh->is_newer)) {
        if (m && m->trainer) return in_memory(lh, a, m->trainer);
        if (m && file_of(m)) return match_file(lh, a);
    }
    return lh_api_plan(lh) ? in_memory(lh, a, NULL) : NULL;
}

/* A plan that is new: behind its start. */
static bool fill_plan(longhand *lh, lh_plan *p) {
    const lh_api_model *m = lh->model;
    if (!m->trainer && !file_of(m)) return true;
    lh_arena *a = lh_arena_new(lh->ctx);
    if (!a) return false;
    const lh_weights *w = m->trainer ? in_memory(lh, a, m->trainer) : match_file(lh, a);
    if (w) lh_weights_set(w, &lh_exact, p);
    lh_arena_free(a);
    return w && !lh_failed(lh->ctx);
}

static double tensor_cell(const void *from, const lh_node *n, lh_cell at) {
    const lh_tensor *t = from;
    double x;
    const size_t cols = t->size[t->rank - 1];
    (void)n;
    lh_tensor_copy_double(t, (size_t)at.row * cols + (size_t)at.col, 1, &x);
    return x;
}

/* Of a large model a plan in double would take more memory than the machine has: its weights are read where they lie. */
static bool find_param(longhand *lh, const lh_step *s, lh_api_matrix *m) {
    lh_api_model *model = lh->model;
    if (!lh_given_is_weight(s->node->given) || (!model->trainer && !file_of(model))) return false;
    if (!model->of_params) model->of_params = lh_arena_new(lh->ctx);
    if (model->of_params && !model->weights) model->weights = lh_api_weights(lh, model->of_params);
    for (int i = 0; model->weights && i < model->weights->n; i++) {
        const lh_weight *w = &model->weights->weight[i];
        if (w->given->node != s->node) continue;
        *m = (lh_api_matrix){.step = s,
                             .node = s->node,
                             .sizes = {1, (int)w->rows, (int)w->cols},
                             .from = w->tensor,
                             .get = tensor_cell};
        return true;
    }
    return false;
}

/* ---- opening and loading ---- */

static void load_tokens(longhand *lh, const char *path) {
    static const char *const names[] = {"tokenizer.json", "vocab.json"};
    for (int i = 0; i < 2 && !lh->model->tokens; i++)
        if (lh_trained_has(path, names[i])) lh->model->tokens = lh_tokenizer_load(lh->ctx, path);
}

void longhand_open_folder(longhand *lh, const char *path) {
    lh_found text;
    int n;
    if (!lh_api_begin(lh, path, "longhand_open_folder: the path")) return;
    lh_api_model *m = lh_trained_is_folder(lh->ctx, path) ? lh_api_model_of(lh) : NULL;
    if (!m || !(m->folder = lh_folder_open(lh->ctx, path))) return;
    lh->program = lh_trained_program(m->folder, m->arena, &text);
    if (!lh->program) return;
    lh->has_no_examples = true;
    lh_api_name(lh, &text);
    const lh_setting *set = lh_trained_settings(m->folder, m->arena, lh->program, &n);
    for (int i = 0; i < n; i++) lh_api_set(lh, set[i].name, set[i].value);
    lh_api_keep_settings(lh);
    load_tokens(lh, path);
}

/* The file is opened first, and compared: what was loaded before stays where that fails. */
void longhand_load(longhand *lh, const char *path) {
    if (!lh_api_graph(lh)) return;
    if (!path) lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "longhand_load: the path is NULL");
    lh_api_model *m = lh_api_model_of(lh);
    lh_tensors *file = m ? lh_tensors_open(lh->ctx, path) : NULL, *old = m ? m->file : NULL;
    lh_arena *a = file ? lh_arena_new(lh->ctx) : NULL;
    if (!a) {
        lh_tensors_close(file);
        return;
    }
    m->file = file;
    const bool is_good = match_file(lh, a) != NULL;
    lh_arena_free(a);
    if (!is_good) m->file = old;
    lh_tensors_close(is_good ? old : file);
    if (!is_good) return;
    lh_api_end_prompt(lh);
    lh_api_forget_params(lh);
    lh_trainer_free(m->trainer);
    m->trainer = NULL;
    lh_api_forget(lh, LH_API_PLAN);
}

/* ---- saving ---- */

static bool is_one_file(const char *path) {
    return lh_ends_in(path, ".safetensors");
}

/* In double, so that what is loaded is what was saved. */
static void save_file(longhand *lh, lh_arena *a, const char *path) {
    const lh_weights *w = lh_api_plan(lh) ? lh_weights_of(lh->ctx, a, lh->g, LH_PARAM) : NULL;
    lh_tensor_entry *e = w ? lh_weights_get(lh->ctx, w, &lh_exact, lh->plan, LH_F64) : NULL;
    if (e && w->n == 0) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "the program has no params to save");
        lh_cure(lh->ctx, "longhand_train(lh, \"WO\") makes a const a param");
    } else if (e) {
        lh_tensors_write(lh->ctx, path, e, w->n, NULL, 0);
    }
}

static const char *program_text(const longhand *lh, lh_arena *a) {
    return lh_copy(a, lh->program->source, lh->program->length);
}

/* Without a trainer there is nothing to go on from but the weights. */
static void save_weights(longhand *lh, lh_arena *a, lh_folder_writer *w, lh_save *save) {
    const lh_weights *all = lh_api_weights(lh, a);
    lh_tensor_entry *e = all ? lh_alloc_array(a, (size_t)all->n + 1, sizeof *e) : NULL;
    for (int i = 0; e && i < all->n; i++) {
        const lh_weight *one = &all->weight[i];
        float *numbers = lh_alloc_array(a, one->rows * one->cols, sizeof *numbers);
        if (!numbers) return;
        lh_weight_copy_float(one, numbers);
        e[i] = lh_weight_entry(one, LH_F32, numbers, LH_F32);
    }
    save->weight = e;
    save->n_weights = all ? all->n : 0;
    if (e) lh_folder_save(w, save);
}

static void save_folder(longhand *lh, lh_arena *a, const char *path) {
    const lh_api_model *m = lh_api_model_of(lh);
    if (!m || !lh_api_graph(lh)) return;
    lh_folder_writer *w =
        lh_material_folder(path, lh->g, lh_api_tokens(lh), m->material, m->folder, NULL);
    if (!w) return;
    lh_save save = {
        .program = program_text(lh, a), .set = lh->g->how.set, .n_set = lh->g->how.n_set};
    if (m->trainer && !(lh->plan && lh->is_newer))
        lh_trainer_save(m->trainer, w, &save);
    else
        save_weights(lh, a, w, &save);
    lh_folder_end(w);
}

void longhand_save(longhand *lh, const char *path) {
    if (!lh_api_program(lh)) return;
    if (!path) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "longhand_save: the path is NULL");
        return;
    }
    lh_arena *a = lh_failed(lh->ctx) ? NULL : lh_arena_new(lh->ctx);
    if (!a) return;
    if (is_one_file(path))
        save_file(lh, a, path);
    else
        save_folder(lh, a, path);
    lh_arena_free(a);
}

/* ---- tokens ---- */

const lh_tokenizer *lh_api_tokens(const longhand *lh) {
    const lh_api_model *m = lh->model;
    return !m ? NULL : m->material ? m->material->tokens : m->tokens;
}

bool lh_api_takes_text(longhand *lh, lh_trained_text *t) {
    if (!lh_api_graph(lh)) return false;
    const lh_api_model *m = lh->model;
    *t = (lh_trained_text){
        .g = lh->g, .tokens = lh_api_tokens(lh), .folder = m && !m->material ? m->folder : NULL};
    if (!t->tokens) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
                "there is no tokeniser: this program reads no text");
        lh_cure(lh->ctx, "longhand_open_folder opens a trained model, longhand_learn trains one");
        return false;
    }
    t->end = m->material ? m->material->end : lh_trained_end(m->folder, lh->g);
    return lh_trained_takes(t);
}
