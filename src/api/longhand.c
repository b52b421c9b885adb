/* longhand -- the public interface: beginning and end, errors, opening, changing the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/embedded.h"
#include "base/file.h"
#include "base/version.h"
#include "graph/build.h"
#include "learn/lesson.h"

static const lh_place nowhere;

const char *longhand_version(void) {
    return lh_version();
}

/* ---- errors ---- */

const longhand_message *longhand_error(longhand *lh) {
    static const longhand_message no_memory = {
        LONGHAND_MEMORY, "", 0, 0, "", "out of memory: there is no longhand", ""};
    if (!lh) return &no_memory;
    if (!lh_failed(lh->ctx)) return NULL;
    const lh_error *e = lh_context_error(lh->ctx);
    if (e->at.line && !e->file[0] && lh->program)
        lh_fail_in(lh->ctx, lh->program->file, lh->program->source, lh->program->length);
    lh->message = (longhand_message){
        .kind = (longhand_error_kind)e->kind, /* both lists are in one order: see below */
        .file = e->file,
        .line = e->at.line,
        .column = e->at.col,
        .source = e->source,
        .what = e->what,
        .cure = e->cure,
    };
    return &lh->message;
}

_Static_assert((int)LONGHAND_TEXT == LH_ERROR_TEXT && (int)LONGHAND_NAME == LH_ERROR_NAME &&
                   (int)LONGHAND_SHAPE == LH_ERROR_SHAPE && (int)LONGHAND_VALUE == LH_ERROR_VALUE &&
                   (int)LONGHAND_LIMIT == LH_ERROR_LIMIT && (int)LONGHAND_FILE == LH_ERROR_FILE &&
                   (int)LONGHAND_MEMORY == LH_ERROR_MEMORY,
               "kinds of errors");

void longhand_clear_error(longhand *lh) {
    if (lh) lh_context_clear(lh->ctx);
}

bool lh_api_ready(const longhand *lh) {
    return lh && !lh_failed(lh->ctx);
}

bool lh_api_program(longhand *lh) {
    if (!lh_api_ready(lh)) return false;
    if (lh->program) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "no program is open");
    lh_cure(lh->ctx, "longhand_open_lesson(lh, \"ex1\") opens one");
    return false;
}

/* ---- beginning and end ---- */

longhand *longhand_new(void) {
    longhand *lh = calloc(1, sizeof *lh);
    if (lh && !(lh->ctx = lh_context_new())) free(lh), lh = NULL;
    return lh;
}

static void changes_free(const lh_api_changes *c) {
    if (c) lh_arena_free(c->arena);
}

void lh_api_forget(longhand *lh, lh_api_level from) {
    lh_explanation_free(lh->told);
    lh->told = NULL;
    lh_exact.free(lh->plan);
    lh->plan = NULL;
    lh->has_run = lh->is_newer = false;
    lh->updates = 0;
    if (from == LH_API_PLAN) return;
    if (lh->forget_model) lh->forget_model(lh, from == LH_API_PROGRAM);
    lh_bill_free(lh->bill);
    lh->bill = NULL;
    lh_graph_free(lh->g);
    lh->g = NULL;
    lh->step = NULL;
    lh->held = NULL;
    lh->n_held = 0;
    if (from == LH_API_GRAPH) return;
    lh_api_lesson_free(lh->lesson);
    lh->lesson = NULL;
    free(lh->batch);
    lh->batch = NULL;
    lh->n_batch = 0;
    lh_program_free(lh->program);
    lh->program = NULL;
    lh_arena_free(lh->arena);
    lh->arena = NULL;
    lh->title = NULL;
    if (lh->built != lh->proven) changes_free(lh->built);
    changes_free(lh->proven);
    changes_free(lh->wanted);
    lh->proven = lh->built = lh->wanted = NULL;
    changes_free(lh->opened_with);
    lh->opened_with = NULL;
    lh->n_opened = 0;
    lh->opened = (lh_found){0};
    lh->chosen = NULL;
    lh->use = NULL;
    lh_mistakes_free(lh->rules);
    lh->rules = NULL;
}

void longhand_free(longhand *lh) {
    if (!lh) return;
    lh_api_forget(lh, LH_API_PROGRAM);
    for (int i = 0; i < LH_N_API_TELLINGS; i++) lh_arena_free(lh->text[i]);
    lh_context_free(lh->ctx);
    free(lh);
}

/* ---- opening ---- */

static void read_beside(void *who, lh_context *ctx, lh_arena *arena, const char *path,
                        const char **text, size_t *length) {
    const longhand *lh = who;
    *text = lh_file_read_within(ctx, arena, &(lh_file_reach){.beside = lh->beside}, path, length);
}

bool lh_api_begin(longhand *lh, const void *wanted, const char *what) {
    if (!lh_api_ready(lh)) return false;
    if (!wanted) lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%s is NULL", what);
    if (lh_failed(lh->ctx)) return false;
    lh_api_forget(lh, LH_API_PROGRAM);
    lh->is_training = true;
    lh->arena = lh_arena_new(lh->ctx);
    return lh->arena != NULL;
}

/* ---- what a caller changed ---- */

static const char *keep(lh_api_changes *c, const char *s) {
    return lh_copy(c->arena, s, strlen(s));
}

static void push_name(lh_api_changes *c, const char ***list, int *n, const char *name) {
    *lh_push(c->arena, *list, *n) = keep(c, name);
}

static void push_rewrite(lh_api_changes *c, lh_rewrite r) {
    *lh_push(c->arena, c->rewrite, c->n_rewrites) = r;
}

static void put_setting(lh_api_changes *c, const char *name, const char *value) {
    lh_setting *s = NULL;
    for (int i = 0; i < c->n_set; i++)
        if (strcmp(c->set[i].name, name) == 0) s = &c->set[i];
    if (!s) s = lh_push(c->arena, c->set, c->n_set);
    *s = (lh_setting){keep(c, name), keep(c, value)};
}

static lh_api_changes *changes_copy(lh_context *ctx, const lh_api_changes *from) {
    lh_arena *arena = lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_api_changes *c = lh_alloc(arena, sizeof *c);
    *c = (lh_api_changes){.arena = arena};
    if (!from) return c;
    for (int i = 0; i < from->n_set; i++) put_setting(c, from->set[i].name, from->set[i].value);
    for (int i = 0; i < from->n_train; i++) push_name(c, &c->train, &c->n_train, from->train[i]);
    for (int i = 0; i < from->n_freeze; i++)
        push_name(c, &c->freeze, &c->n_freeze, from->freeze[i]);
    for (int i = 0; i < from->n_rewrites; i++) push_rewrite(c, from->rewrite[i]);
    c->backward = from->backward ? keep(c, from->backward) : NULL;
    return c;
}

lh_api_changes *lh_api_change(longhand *lh) {
    if (!lh->wanted) lh->wanted = changes_copy(lh->ctx, lh->built);
    if (lh->wanted) lh_api_forget(lh, LH_API_GRAPH);
    return lh_failed(lh->ctx) ? NULL : lh->wanted;
}

void lh_api_settle(longhand *lh) {
    lh_api_changes *c = lh->wanted;
    if (!c) return;
    lh->wanted = NULL;
    if (!lh->g) {
        changes_free(c);
        return;
    }
    if (lh->built != lh->proven) changes_free(lh->built);
    lh->built = c;
}

void lh_api_prove(longhand *lh, bool is_good) {
    if (lh->built == lh->proven) return;
    if (is_good) {
        changes_free(lh->proven);
        lh->proven = lh->built;
        return;
    }
    changes_free(lh->built);
    lh->built = lh->proven;
    lh_api_forget(lh, LH_API_GRAPH);
}

void lh_api_set(longhand *lh, const char *name, const char *value) {
    lh_api_changes *c = lh_api_change(lh);
    if (c) put_setting(c, name, value);
}

void lh_api_keep_settings(longhand *lh) {
    if (!lh->wanted) return;
    lh->proven = lh->built = lh->wanted;
    lh->wanted = NULL;
    lh->opened_with = changes_copy(lh->ctx, lh->built);
}

void lh_api_rewrite(longhand *lh, lh_rewrite r) {
    lh_api_changes *c = lh_api_change(lh);
    if (c) push_rewrite(c, r);
}

/* ---- texts and options ---- */

lh_arena *lh_api_text(longhand *lh, lh_api_telling what) {
    lh_arena_free(lh->text[what]);
    lh->text[what] = NULL;
    return lh->text[what] = lh_arena_new(lh->ctx);
}

bool lh_api_options(longhand *lh, const void *from, size_t first, void *to, size_t now) {
    size_t size = first;
    memset(to, 0, now);
    if (!from) return true;
    memcpy(&size, from, sizeof size);
    if (size == 0) size = first;
    const unsigned char *more = from;
    for (size_t i = now; i < size; i++)
        if (more[i]) {
            lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
                    "an option was set that this library (%s) does not know", longhand_version());
            return false;
        }
    memcpy(to, from, size < now ? size : now);
    return true;
}

/* A program with a mistake in it is opened as such. */
static void make_mistake(longhand *lh) {
    lh_made made;
    lh_build how = lh_chosen_build(lh->arena, lh->use, NULL);
    lh_graph *plain = lh_graph_build(lh->ctx, lh->program, &how);
    if (plain && lh_mistake_make(plain, lh->use->mistake, lh->arena, &made)) {
        lh_api_changes *c = lh_api_change(lh);
        lh->rules = made.rules;
        for (int i = 0; c && i < made.how.n_rewrites; i++) push_rewrite(c, made.how.rewrite[i]);
        lh->n_opened = c ? c->n_rewrites : 0;
        lh->proven = lh->built = c; /* what restoring goes back to */
        lh->wanted = NULL;
    }
    lh_graph_free(plain);
}

/* A lesson is read again for its sheet and its exercises. */
void lh_api_name(longhand *lh, const lh_found *text) {
    lh->opened = *text;
    lh->opened.file = lh_copy(lh->arena, text->file, strlen(text->file));
    lh->opened.text = lh_copy(lh->arena, text->text, text->length);
    lh->title = lh_lesson_title(lh->arena, text->file, text->text, text->length);
}

/* program: one of the lesson's, by its name, or NULL. */
static void open_program(longhand *lh, const lh_found *text, const char *program, bool may_read) {
    lh_chosen chosen;
    lh->ctx->read_file = may_read ? read_beside : NULL;
    lh->ctx->read_file_who = lh;
    lh_api_name(lh, text);
    if (!lh_chosen_open(lh->ctx, lh->arena, text, program, NULL, &chosen)) return;
    lh->program = chosen.program;
    lh->chosen = program ? lh_copy(lh->arena, program, strlen(program)) : NULL;
    lh->use = chosen.use;
    if (lh->use && lh->use->mistake) make_mistake(lh);
}

/* notes.md:fit is the program fit of notes.md; a colon elsewhere is part of the name. */
static const char *program_of(const char *name, size_t *n) {
    const char *program = lh_chosen_name(name, n);
    bool is_lesson = program && *n > 3 && memcmp(name + *n - 3, ".md", 3) == 0;
    if (!is_lesson) *n = strlen(name);
    return is_lesson ? program : NULL;
}

void longhand_open_text(longhand *lh, const char *name, const char *text, size_t length) {
    if (!lh_api_begin(lh, text, "longhand_open_text: the text")) return;
    size_t n;
    const char *program = program_of(name ? name : "", &n);
    memcpy(lh->beside, lh->folder, sizeof lh->beside);
    open_program(
        lh,
        &(lh_found){lh_copy(lh->arena, name ? name : "", n), text, length ? length : strlen(text)},
        program, lh->has_folder);
}

static bool copy_folder(longhand *lh, char *to, size_t room, const char *path, size_t n) {
    bool needs_slash = n && path[n - 1] != '/';
    if (n + 2 > room) {
        lh_fail(lh->ctx, LH_ERROR_LIMIT, nowhere, "the name of the folder is longer than %zu bytes",
                room - 2);
        return false;
    }
    memcpy(to, path, n);
    if (needs_slash) to[n++] = '/';
    to[n] = 0;
    return true;
}

void longhand_open_file(longhand *lh, const char *path) {
    if (!lh_api_begin(lh, path, "longhand_open_file: the path")) return;
    size_t length, end;
    const char *program = program_of(path, &end), *file = lh_copy(lh->arena, path, end),
               *slash = strrchr(file, '/');
    size_t n = slash ? (size_t)(slash - file) + 1 : 0;
    const char *text = lh_file_read(lh->ctx, lh->arena, file, &length);
    if (text && copy_folder(lh, lh->beside, sizeof lh->beside, file, n))
        open_program(lh, &(lh_found){file, text, length}, program, true);
}

/* "ex1" of "lessons/ex1.md": where it begins and how long it is; false for files that are no lessons. */
static bool short_name(const lh_embedded *e, const char **name, size_t *n) {
    const char *slash = strchr(e->name, '/'), *dot = strrchr(e->name, '.');
    if (!slash || !dot) return false;
    *name = slash + 1;
    *n = (size_t)(dot - slash) - 1;
    return true;
}

static void fail_lesson(longhand *lh, const char *wanted) {
    const char *known[256], *name, *near;
    size_t length;
    int n = 0;
    for (int i = 0; i < lh_n_embedded_files && n < 256; i++)
        if (short_name(&lh_embedded_files[i], &name, &length))
            known[n++] = lh_copy(lh->arena, name, length);
    lh_fail(lh->ctx, LH_ERROR_NAME, nowhere, "there is no lesson %s", wanted);
    if ((near = lh_nearest(wanted, known, n))) lh_cure(lh->ctx, "did you mean %s?", near);
}

static const lh_embedded *find_lesson(const char *wanted, size_t length) {
    const char *name;
    size_t n;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *e = &lh_embedded_files[i];
        if (!short_name(e, &name, &n)) continue;
        bool is_short = length == n && memcmp(wanted, name, n) == 0,
             is_whole = strlen(e->name) == length && memcmp(wanted, e->name, length) == 0;
        if (is_short || is_whole) return e;
    }
    return NULL;
}

void longhand_open_lesson(longhand *lh, const char *wanted) {
    if (!lh_api_begin(lh, wanted, "longhand_open_lesson: the name")) return;
    size_t n = strlen(wanted);
    const char *program = lh_chosen_name(wanted, &n);
    const lh_embedded *e = find_lesson(wanted, n);
    if (e)
        open_program(lh, &(lh_found){e->name, e->text, e->length}, program, false);
    else
        fail_lesson(lh, lh_copy(lh->arena, wanted, n));
}

const char *longhand_lesson(int i) {
    const char *name;
    size_t n;
    for (int k = 0; k < lh_n_embedded_files && i >= 0; k++)
        if (short_name(&lh_embedded_files[k], &name, &n) && i-- == 0)
            return lh_embedded_files[k].name;
    return NULL;
}

const char *longhand_file(const char *name, size_t *length) {
    const lh_embedded *e = name ? lh_embedded_find(name) : NULL;
    if (length) *length = e ? e->length : 0;
    return e ? e->text : NULL;
}

void longhand_set_folder(longhand *lh, const char *path) {
    if (!lh_api_ready(lh)) return;
    lh->has_folder = path && copy_folder(lh, lh->folder, sizeof lh->folder, path, strlen(path));
}

const char *longhand_title(longhand *lh) {
    return lh_api_program(lh) ? lh->title : "";
}

/* A program in other numbers than its lesson's is printed anew: its source has the lesson's. */
const char *longhand_text(longhand *lh) {
    lh_arena *a = lh_api_program(lh) ? lh_api_text(lh, LH_API_PROGRAM_TEXT) : NULL;
    if (!a) return "";
    const char *text = lh->use && lh->use->seed ? lh_program_print(lh->program)
                                                : lh_chosen_text(a, lh->program->source);
    return lh_failed(lh->ctx) || !text ? "" : text;
}

/* ---- changing the program ---- */

static bool may_change(longhand *lh, const char *name, const char *call) {
    if (!lh_api_program(lh)) return false;
    if (name) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%s: the name is NULL", call);
    return false;
}

/* A value that cannot be read is refused here, where its own text can be shown. */
static bool can_be_read(longhand *lh, const char *name, const char *value) {
    lh_arena *scratch = lh_arena_new(lh->ctx);
    if (scratch && !lh_expr_parse(lh->ctx, scratch, value, strlen(value)))
        snprintf(lh->ctx->error.file, sizeof lh->ctx->error.file, "longhand_set %s", name);
    lh_arena_free(scratch);
    return !lh_failed(lh->ctx);
}

void longhand_set(longhand *lh, const char *name, const char *value) {
    if (!may_change(lh, name && value ? name : NULL, "longhand_set")) return;
    if (can_be_read(lh, name, value)) lh_api_set(lh, name, value);
}

void longhand_train(longhand *lh, const char *name) {
    if (!may_change(lh, name, "longhand_train")) return;
    lh_api_changes *c = lh_api_change(lh);
    if (c) push_name(c, &c->train, &c->n_train, name);
}

void longhand_freeze(longhand *lh, const char *name) {
    if (!may_change(lh, name, "longhand_freeze")) return;
    lh_api_changes *c = lh_api_change(lh);
    if (c) push_name(c, &c->freeze, &c->n_freeze, name);
}

void longhand_differentiate(longhand *lh, const char *name) {
    if (!may_change(lh, name, "longhand_differentiate")) return;
    lh_api_changes *c = lh_api_change(lh);
    if (c) c->backward = keep(c, name);
    if (!lh_api_graph(lh) || lh->g->loss) return;
    lh_fail(lh->ctx, LH_ERROR_NAME, nowhere, "longhand_differentiate: there is no step %s", name);
    lh_api_prove(lh, false);
}

void longhand_restore(longhand *lh) {
    if (!lh_api_program(lh)) return;
    lh_api_changes *c = lh_api_change(lh);
    if (!c) return;
    const lh_api_changes *first = lh->opened_with;
    c->n_set = 0;
    for (int i = 0; first && i < first->n_set; i++)
        put_setting(c, first->set[i].name, first->set[i].value);
    c->n_train = c->n_freeze = 0;
    c->n_rewrites = lh->n_opened;
    c->backward = NULL;
}
