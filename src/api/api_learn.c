/* api_learn -- the public interface: training with the fast evaluator. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/api_model.h"
#include "base/clock.h"
#include "base/number.h"
#include "train/floats.h"

static const lh_place nowhere;

enum { STEPS = 1000, BATCH = 12, HELD_OUT = 20 };

/* ---- what it learns from ---- */

static bool names_source(const longhand_learn_how *how) {
    return how->text || how->file || how->task;
}

/* Where a call names nothing to learn from, the source is that of the last one. */
static lh_material_how source_of(const longhand *lh, const longhand_learn_how *how) {
    const lh_api_model *m = lh->model;
    lh_material_how s = m->source;
    if (names_source(how) || !m->material)
        s = (lh_material_how){.file = how->file,
                              .text = how->text,
                              .length = how->text_length ? how->text_length
                                        : how->text      ? strlen(how->text)
                                                         : 0,
                              .task = how->task,
                              .tokens = m->folder ? m->folder->path : NULL};
    if (how->tokens) s.tokens = how->tokens;
    s.is_lines |= how->lines;
    return s;
}

static lh_material *material_of(longhand *lh, const lh_material_how *source) {
    if (source->text && source->file) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
                "longhand_learn: a text or a file: one of the two, please");
        return NULL;
    }
    lh_material *l = lh_material_new(lh->ctx, lh->program, source);
    if (l && lh_material_read(l) && lh_material_find_tokens(l)) return l;
    lh_material_free(l);
    return NULL;
}

static const char *copy_of(lh_arena *a, const char *s) {
    return s ? lh_copy(a, s, strlen(s)) : NULL;
}

/* `s` may be what was kept before. */
static void keep_source(longhand *lh, const lh_material_how *s) {
    lh_arena *a = lh_arena_new(lh->ctx);
    if (!a) return;
    const lh_material_how copy = {.file = copy_of(a, s->file),
                                  .text = s->text ? lh_copy(a, s->text, s->length) : NULL,
                                  .length = s->length,
                                  .task = copy_of(a, s->task),
                                  .tokens = copy_of(a, s->tokens),
                                  .is_lines = s->is_lines};
    lh_arena_free(lh->model->of_source);
    lh->model->of_source = a;
    lh->model->source = copy;
}

/* ---- the program ---- */

static bool has_setting(const longhand *lh, const char *name) {
    const lh_api_changes *c = lh->wanted ? lh->wanted : lh->built;
    for (int i = 0; c && i < c->n_set; i++)
        if (strcmp(c->set[i].name, name) == 0) return true;
    return false;
}

static void set_number(longhand *lh, const char *name, int n) {
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    lh_api_set(lh, name, text);
}

/* As many words as there are tokens, and a rate that falls towards the last step: where the program has such names. */
static bool set_program(longhand *lh, const lh_material *m, const longhand_learn_how *how) {
    const lh_program *p = lh->program;
    if (lh_program_has(p, LH_S_VOCAB, "vocab") && !has_setting(lh, "vocab"))
        set_number(lh, "vocab", lh_tokenizer_count(m->tokens));
    if (lh_program_has(p, LH_S_CONST, "steps") && !has_setting(lh, "steps"))
        set_number(lh, "steps", how->steps);
    if (how->rate && !lh_program_has(p, LH_S_CONST, "rate")) {
        lh_fail(lh->ctx, LH_ERROR_NAME, nowhere,
                "longhand_learn: the rate is the program's const rate, and it has none");
        return false;
    }
    if (how->rate) longhand_set(lh, "rate", how->rate);
    if (!lh->has_no_examples) lh_api_forget(lh, LH_API_GRAPH);
    lh->has_no_examples = true;
    return lh_api_graph(lh);
}

static bool fits_in_memory(longhand *lh) {
    char needs[LH_NUMBER_MAX], has[LH_NUMBER_MAX];
    const double least = lh_trainer_least_memory(lh->g, NULL),
                 limit = (double)lh->ctx->memory_limit;
    if (limit <= 0 || least < limit) return true;
    lh_fail(lh->ctx, LH_ERROR_MEMORY, nowhere,
            "params, gradients and optimiser take %s, and the machine has %s",
            lh_number_bytes(needs, sizeof needs, least), lh_number_bytes(has, sizeof has, limit));
    lh_cure(lh->ctx, "smaller sizes: longhand_set(lh, \"layers\", \"2\")");
    return false;
}

/* ---- the trainer ---- */

bool lh_api_precision(longhand *lh, const char *text, lh_precision *p) {
    *p = text && strcmp(text, "bf16") == 0 ? LH_IN_BF16 : LH_IN_FLOAT;
    if (!text || *p == LH_IN_BF16 || strcmp(text, "float") == 0) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "the precision is float or bf16, not \"%.40s\"",
            text);
    return false;
}

/* ---- weights that are there already ---- */

/* Of a file, of an earlier training, or set by hand. The program is built anew for what it learns from, so they are copied. */
static bool is_begun(const longhand *lh) {
    const lh_api_model *m = lh->model;
    return (lh->plan && lh->is_newer) || m->trainer || m->file || m->folder;
}

static const lh_weights *keep_weights(longhand *lh, lh_arena *a) {
    const lh_weights *now = is_begun(lh) ? lh_api_weights(lh, a) : NULL;
    for (int i = 0; now && i < now->n; i++) {
        lh_weight *w = &now->weight[i];
        float *numbers = lh_alloc_array(a, w->rows * w->cols, sizeof *numbers);
        if (!numbers) return NULL;
        lh_weight_copy_float(w, numbers);
        w->name = lh_copy(a, w->name, strlen(w->name));
        lh_api_wrap(a, w, numbers);
    }
    return now;
}

static const lh_weight *same_weight(const lh_weights *before, const lh_weight *w) {
    for (int i = 0; i < before->n; i++) {
        const lh_weight *x = &before->weight[i];
        if (x->rows == w->rows && x->cols == w->cols && strcmp(x->name, w->name) == 0) return x;
    }
    return NULL;
}

/* A param of another size than before begins at its start. */
static void begin_with(lh_trainer *t, lh_arena *a, const lh_weights *before) {
    for (int i = 0; before && i < t->params->n; i++) {
        const lh_weight *w = &t->params->weight[i], *x = same_weight(before, w);
        if (x) lh_floats_write(a, t->plan, w->given->node, x);
    }
}

/* ---- the trainer ---- */

/* The program, built for what it learns from. Where that fails it is what it was. */
static bool fit_program(longhand *lh, lh_material *m, const longhand_learn_how *how) {
    const bool had_no_examples = lh->has_no_examples;
    if (set_program(lh, m, how) && lh_trainer_takes(lh->g) && fits_in_memory(lh) &&
        lh_trained_takes(&(lh_trained_text){.g = lh->g, .tokens = m->tokens}) &&
        lh_material_draw_for(m, lh->g)) {
        lh_api_prove(lh, true);
        return true;
    }
    lh_api_forget(lh, LH_API_GRAPH);
    lh_api_prove(lh, false);
    lh->has_no_examples = had_no_examples;
    return false;
}

static bool make_trainer(longhand *lh, lh_arena *a, const longhand_learn_how *how) {
    lh_api_model *m = lh->model;
    lh_precision precision;
    if (!lh_api_precision(lh, how->precision, &precision) || !lh_api_graph(lh)) return false;
    lh_api_prove(lh, true); /* what the caller changed stays, whatever comes of this */
    const lh_weights *before = keep_weights(lh, a);
    const lh_material_how source = source_of(lh, how);
    lh_material *material = lh_failed(lh->ctx) ? NULL : material_of(lh, &source);
    if (!material) return false;
    if (!fit_program(lh, material, how)) {
        lh_material_free(material);
        return false;
    }
    keep_source(lh, &source);
    lh_trainer_free(m->trainer); /* before what it draws from */
    m->trainer = NULL;
    lh_material_free(m->material);
    m->material = material;
    const uint64_t seed = how->seed ? (uint64_t)how->seed : (uint64_t)lh->g->seed;
    if (how->seed) lh_trainer_seed(lh->g, seed);
    m->trainer = lh_trainer_new(lh->g, lh_material_feed(material),
                                &(lh_trainer_how){.batch = how->batch,
                                                  .seed = seed,
                                                  .threads = how->threads,
                                                  .micro = how->micro,
                                                  .recomputes = how->recompute,
                                                  .precision = precision});
    if (m->trainer) begin_with(m->trainer, a, before);
    return m->trainer && !lh_failed(lh->ctx);
}

static bool is_in_range(longhand *lh, const char *what, int n, int most) {
    if (n >= 0 && n <= most) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "longhand_learn: %s is %d: 0 to %d is expected", what,
            n, most);
    return false;
}

static bool check_how(longhand *lh, const longhand_learn_how *how) {
    return is_in_range(lh, "steps", how->steps, 100000000) &&
           is_in_range(lh, "batch", how->batch, 1000000) &&
           is_in_range(lh, "micro", how->micro, 1000000) &&
           is_in_range(lh, "threads", how->threads, 256) &&
           is_in_range(lh, "every", how->every, 100000000) &&
           is_in_range(lh, "seed", how->seed, 2147483647);
}

/* With nothing new to learn from, the same run goes on. */
static bool goes_on(const longhand *lh, const longhand_learn_how *how) {
    return lh->model->trainer && !(lh->plan && lh->is_newer) && !names_source(how) &&
           !how->tokens && !how->lines && !how->batch && !how->micro && !how->precision &&
           !how->rate && !how->seed && !how->recompute;
}

/* ---- steps ---- */

static void say_lost(longhand *lh, lh_arena *a) {
    lh_trainer *t = lh->model->trainer;
    lh_text formula = lh_text_new(a);
    int line = 0;
    const bool is_found = lh_trainer_trouble(t, &formula, &line);
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "the loss of step %d is %s%s%.200s", t->step + 1,
            isnan(t->loss) ? "nan" : "inf", is_found ? ": it begins in " : "",
            is_found ? lh_printf(a, "line %d, %s", line, formula.s) : "");
    lh_cure(lh->ctx, "a lower learning rate is the usual cure");
    t->is_lost = false; /* a call with another rate begins with these weights */
}

static int train(longhand *lh, lh_arena *a, const longhand_learn_how *how) {
    lh_trainer *t = lh->model->trainer;
    const double start = lh_seconds();
    const int first = t->step, last = first + how->steps;
    bool is_stopped = false;
    while (t->step < last && !is_stopped) {
        if (!lh_trainer_step(t)) {
            if (t->is_lost) say_lost(lh, a);
            break;
        }
        const bool looks = how->every ? t->step % how->every == 0 : t->step == last;
        longhand_progress now = {t->step, last, t->loss, NAN, lh_seconds() - start};
        if (looks && how->progress) now.held_out = lh_trainer_validate(t, HELD_OUT);
        if (lh_failed(lh->ctx)) break;
        if (how->progress) is_stopped = !how->progress(how->who, &now);
    }
    return t->step - first;
}

int longhand_learn(longhand *lh, const longhand_learn_how *options) {
    longhand_learn_how how;
    if (!lh_api_program(lh) || !lh_api_options(lh, options, sizeof how, &how, sizeof how)) return 0;
    lh_arena *a = lh_api_model_of(lh) && check_how(lh, &how) ? lh_arena_new(lh->ctx) : NULL;
    if (!a) return 0;
    const bool is_same_run = goes_on(lh, &how);
    if (!how.steps) how.steps = STEPS;
    if (!how.batch) how.batch = BATCH;
    lh_api_end_prompt(lh);
    int done = 0;
    if (is_same_run || make_trainer(lh, a, &how)) {
        lh_api_forget_params(lh);
        done = train(lh, a, &how);
        lh_api_forget(lh, LH_API_PLAN); /* the next one begins with what was learned */
    }
    lh_arena_free(a);
    return done;
}
