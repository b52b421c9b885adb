#include "learn/chosen.h"

#include <string.h>

#include "base/embedded.h"
#include "graph/build.h"
#include "learn/effect.h"
#include "learn/lesson_internal.h"
#include "learn/variant.h"

static const lh_place nowhere;

const char *lh_chosen_name(const char *text, size_t *n) {
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || (colon[1] && !lh_is_name(colon + 1, strlen(colon + 1))))
        return NULL;
    *n = (size_t)(colon - text);
    return colon + 1;
}

const char **lh_chosen_names(lh_arena *a, const lh_found *lesson, int *n) {
    const char **name = NULL;
    *n = 0;
    for (lh_segment s = {0}; lh_segment_next(lesson->text, lesson->length, &s);)
        if (lh_segment_is(&s, "longhand") && s.n_rest)
            *lh_push(a, name, *n) = lh_copy(a, s.rest, s.n_rest);
    return name;
}

/* ---- settings ---- */

static void add_setting(lh_arena *a, lh_lesson_program *all, lh_setting set) {
    for (int k = 0; k < all->n_set; k++)
        if (strcmp(all->set[k].name, set.name) == 0) {
            all->set[k] = set;
            return;
        }
    *lh_push(a, all->set, all->n_set) = set;
}

static void add_names(lh_arena *a, const char ***list, int *n, const char *const *more,
                      int n_more) {
    for (int i = 0; i < n_more; i++) *lh_push(a, *list, *n) = more[i];
}

void lh_lesson_gather(const lh_lesson *l, lh_arena *a, int number, lh_lesson_program *all) {
    const lh_lesson_program *p = &l->program[number];
    if (p->of >= 0) lh_lesson_gather(l, a, p->of, all);
    for (int i = 0; i < p->n_set; i++) add_setting(a, all, p->set[i]);
    add_names(a, &all->train, &all->n_train, p->train, p->n_train);
    add_names(a, &all->freeze, &all->n_freeze, p->freeze, p->n_freeze);
    if (p->batch) all->batch = p->batch;
    if (p->shuffle >= 0) all->shuffle = p->shuffle;
    if (p->mistake) all->mistake = p->mistake;
    if (p->seed) all->seed = p->seed;
}

lh_build lh_chosen_build(lh_arena *a, const lh_lesson_program *use, const lh_build *more) {
    lh_build how = more ? *more : (lh_build){0};
    lh_lesson_program all = {.shuffle = -1};
    if (!use) return how;
    for (int i = 0; i < use->n_set; i++) add_setting(a, &all, use->set[i]);
    for (int i = 0; i < how.n_set; i++) add_setting(a, &all, how.set[i]);
    add_names(a, &all.train, &all.n_train, use->train, use->n_train);
    add_names(a, &all.train, &all.n_train, how.train, how.n_train);
    add_names(a, &all.freeze, &all.n_freeze, use->freeze, use->n_freeze);
    add_names(a, &all.freeze, &all.n_freeze, how.freeze, how.n_freeze);
    how.set = all.set;
    how.n_set = all.n_set;
    how.train = all.train;
    how.n_train = all.n_train;
    how.freeze = all.freeze;
    how.n_freeze = all.n_freeze;
    return how;
}

static void write_names(lh_text *t, const char *option, const char *const *name, int n) {
    for (int i = 0; i < n; i++) lh_text_add(t, "%s%s", i ? "," : option, name[i]);
}

const char *lh_chosen_options(lh_arena *a, const lh_lesson_program *use) {
    lh_text t = lh_text_new(a);
    if (!use) return t.s;
    for (int i = 0; i < use->n_set; i++)
        lh_text_add(&t, " --set %s=%s", use->set[i].name, use->set[i].value);
    write_names(&t, " --train ", use->train, use->n_train);
    write_names(&t, " --freeze ", use->freeze, use->n_freeze);
    if (use->batch) lh_text_add(&t, " --batch %d", use->batch);
    if (use->shuffle >= 0) lh_text_add(&t, " --shuffle %d", use->shuffle);
    if (use->mistake) lh_text_add(&t, " --mistake %s", use->mistake);
    if (use->seed) lh_text_add(&t, " --seed %llu", use->seed);
    return t.n ? t.s + 1 : t.s;
}

/* ---- parsing ---- */

/* The same program in the numbers of a worksheet. */
static lh_program *take_variant(const lh_lesson *l, lh_program *plain, unsigned long long seed) {
    lh_mistakes *m = plain ? lh_mistakes_load(l->ctx, plain) : NULL;
    lh_variant_how how = {
        .seed = seed, .digits = l->sheet.digits ? l->sheet.digits : 4, .mistakes = m};
    lh_program *variant = m ? lh_variant_program(l->ctx, plain, &how) : NULL;
    lh_mistakes_free(m);
    lh_program_free(plain);
    return variant;
}

static lh_program *parse_text(const lh_lesson *l, const lh_lesson_program *p) {
    if (p->is_elsewhere) {
        lh_chosen of;
        lh_found there = {p->file, p->text, p->length};
        lh_chosen_open(l->ctx, l->arena, &there, p->block, &l->finder, &of);
        return of.program;
    }
    lh_program *own = lh_program_parse(l->ctx, p->file, p->text, p->length);
    lh_error *e = &l->ctx->error;
    if (!own && e->kind != LH_ERROR_MEMORY && strcmp(p->file, l->file) == 0) {
        e->file[0] = e->source[0] = 0; /* show the line of the file: ours has no prose */
        lh_fail_in(l->ctx, l->file, l->source, l->length);
    }
    return own;
}

lh_program *lh_lesson_program_parse(const lh_lesson *l, int number) {
    const lh_lesson_program *p = &l->program[number];
    lh_program *program = NULL;
    if (p->text) {
        program = parse_text(l, p);
    } else if (p->of >= 0) {
        program = lh_lesson_program_parse(l, p->of);
    } else {
        lh_fail(l->ctx, LH_ERROR_NAME, p->at, "the lesson has no program of its own");
        lh_cure(l->ctx, "a block that begins with ```longhand holds it");
        lh_fail_in(l->ctx, l->file, l->source, l->length);
    }
    return p->seed ? take_variant(l, program, p->seed) : program;
}

static void fail_name(lh_context *ctx, lh_arena *a, const lh_lesson *l, const char *name) {
    const char **known = NULL, *near, *lesson = lh_embedded_find(l->file) ? l->name : l->file;
    int n = 0;
    lh_text list = lh_text_new(a);
    for (int i = 1; i < l->n_programs; i++) {
        const lh_lesson_program *p = &l->program[i];
        if (p->exercise) continue;
        *lh_push(a, known, n) = p->name;
        lh_text_add(&list, "%s%s", list.n ? " " : "", p->name);
    }
    if (!*name)
        lh_fail(ctx, LH_ERROR_NAME, nowhere, "%s: the name of a program is missing", lesson);
    else
        lh_fail(ctx, LH_ERROR_NAME, nowhere, "%s has no program %s", lesson, name);
    if (n == 0)
        lh_cure(ctx, "it has no programs with a name: write %s alone", lesson);
    else if (*name && (near = lh_nearest(name, known, n)))
        lh_cure(ctx, "did you mean %s:%s?", lesson, near);
    else
        lh_cure(ctx, "it has %s", list.s);
}

/* A program of an exercise is found too, where no other has its name. */
static int find(const lh_lesson *l, const char *name) {
    int found = lh_lesson_program_named(l, name, 0);
    for (int i = 1; i < l->n_programs && found < 0; i++)
        if (strcmp(l->program[i].name, name) == 0) found = i;
    return found;
}

/* The lesson's arena ends with the lesson: what is kept moves to the caller's. */
static lh_lesson_program *copy_use(lh_arena *a, const lh_lesson_program *all) {
    lh_lesson_program *use = lh_alloc(a, sizeof *use);
    *use = *all;
    for (int i = 0; i < use->n_set; i++)
        use->set[i] = (lh_setting){lh_copy(a, use->set[i].name, strlen(use->set[i].name)),
                                   lh_copy(a, use->set[i].value, strlen(use->set[i].value))};
    for (int i = 0; i < use->n_train; i++)
        use->train[i] = lh_copy(a, use->train[i], strlen(use->train[i]));
    for (int i = 0; i < use->n_freeze; i++)
        use->freeze[i] = lh_copy(a, use->freeze[i], strlen(use->freeze[i]));
    if (use->mistake) use->mistake = lh_copy(a, use->mistake, strlen(use->mistake));
    return use;
}

static bool is_empty(const lh_lesson_program *u) {
    return !u->n_set && !u->n_train && !u->n_freeze && !u->batch && u->shuffle < 0 && !u->mistake &&
           !u->seed;
}

bool lh_chosen_open(lh_context *ctx, lh_arena *a, const lh_found *lesson, const char *name,
                    const lh_finder *finder, lh_chosen *out) {
    *out = (lh_chosen){0};
    if (!name) {
        out->program = lh_lesson_parse(ctx, lesson->file, lesson->text, lesson->length);
        return out->program != NULL;
    }
    lh_lesson *l = lh_lesson_read(ctx, lesson->file, lesson->text, lesson->length, finder);
    int number = l ? find(l, name) : -1;
    lh_lesson_program all = {.shuffle = -1};
    if (l && (number < 0 || !*name)) fail_name(ctx, a, l, name);
    if (l && !lh_failed(ctx)) {
        out->program = lh_lesson_program_parse(l, number);
        lh_lesson_gather(l, a, number, &all);
        if (!is_empty(&all)) out->use = copy_use(a, &all);
    }
    lh_lesson_free(l);
    if (!lh_failed(ctx)) return true;
    lh_program_free(out->program);
    out->program = NULL;
    return false;
}

const char *lh_chosen_text(lh_arena *a, const char *text) {
    lh_text t = lh_text_new(a);
    bool gap = false;
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (strspn(text, " \t\r") >= n) {
            gap = t.n > 0;
        } else {
            if (gap) lh_text_add(&t, "\n");
            lh_text_add_n(&t, text, n);
            lh_text_add(&t, "\n");
            gap = false;
        }
        text += n + (text[n] == '\n');
    }
    return t.s;
}

/* ---- mistakes ---- */

static void fail_place(lh_context *ctx, lh_arena *a, const lh_candidate *c, int n,
                       const lh_mistake *m, const char *text) {
    const char *places = lh_candidate_places(a, m, c, n, NULL);
    lh_fail(ctx, LH_ERROR_NAME, nowhere, "the mistake %.60s cannot be made here", text);
    if (*places)
        lh_cure(ctx, "it can be made in: %s", places);
    else
        lh_cure(ctx, "`longhand mistakes LESSON` lists those that can");
}

bool lh_mistake_make(lh_graph *plain, const char *mistake, lh_arena *a, lh_made *out) {
    lh_context *ctx = plain->ctx;
    const char *at = strchr(mistake, '@');
    const char *name = lh_copy(a, mistake, at ? (size_t)(at - mistake) : strlen(mistake));
    *out = (lh_made){.rules = lh_mistakes_load(ctx, plain->program)};
    const lh_mistake *m = out->rules ? lh_mistakes_find(out->rules, name) : NULL;
    if (out->rules && !m) lh_mistakes_refuse(ctx, out->rules, name);
    lh_plan *plan = m ? lh_exact.plan(plain, &(lh_wish){.all = true}) : NULL;
    if (plan) {
        int n = 0;
        lh_exact.start(plan);
        lh_exact.bind(plan, NULL, 0);
        lh_exact.run(plan);
        lh_candidate *c = lh_candidates(plain, out->rules, a, &n);
        const lh_candidate *how = NULL;
        lh_effect_free(lh_effect_choose(plain, plan, m, at ? at + 1 : "", c, n, &how));
        if (how)
            out->how = *how;
        else
            fail_place(ctx, a, c, n, m, mistake);
        for (int i = 0; i < out->how.n_rewrites; i++) /* plain may end before what is built */
            out->how.rewrite[i].path =
                lh_copy(a, out->how.rewrite[i].path, strlen(out->how.rewrite[i].path));
    }
    lh_exact.free(plan);
    if (!lh_failed(ctx)) return true;
    lh_mistakes_free(out->rules);
    out->rules = NULL;
    return false;
}
