#include "train/material.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "files/tokenizer_file.h"
#include "train/describe.h"
#include "train/generate.h"
#include "train/text_part.h"

static const lh_place nowhere;

enum { NAMES = 10000, WINDOW = 64 };

/* ---- a text, or pairs ---- */

/* name: NULL for any */
static bool has_input(const lh_program *p, const char *name) {
    for (int i = 0; i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_INPUT &&
            (!name || strcmp(p->statement[i]->name, name) == 0))
            return true;
    return false;
}

/* The vocabulary that the program writes in words. */
static const lh_vocab *own_words(lh_arena *a, const lh_program *p) {
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind != LH_S_VOCAB || s->count || s->file) continue;
        lh_vocab *v = lh_alloc(a, sizeof *v);
        v->word = s->word;
        v->n_words = s->n_words;
        return v;
    }
    return NULL;
}

static const char *task_names(const lh_material *l) {
    lh_text known = lh_text_new(l->arena);
    for (const lh_train_task *t = lh_train_tasks; t->name; t++)
        lh_text_add(&known, "%s%s", known.n ? ", " : "", t->name);
    return known.s;
}

static void refuse_task(const lh_material *l, const char *task) {
    lh_fail(l->ctx, LH_ERROR_NAME, nowhere, "%s is not a task", task);
    lh_cure(l->ctx, "tasks are %s", task_names(l));
}

static void choose_kind(lh_material *l, const lh_program *p, const lh_material_how *how) {
    lh_pairs_how *pairs = &l->how;
    const bool has_text = how->text || how->file;
    pairs->has_source = has_input(p, "source");
    pairs->task = how->task ? lh_train_task_find(how->task) : NULL;
    if (how->task && !pairs->task) {
        refuse_task(l, how->task);
        return;
    }
    if (how->task && has_text) {
        lh_fail(l->ctx, LH_ERROR_VALUE, nowhere,
                "both a task and a text to learn from are given: use only one of the two");
        return;
    }
    if (pairs->has_source && !how->task && !has_text) pairs->task = lh_train_task_find("translate");
    l->own = own_words(l->arena, p);
    if (l->own && !pairs->task && !has_text && has_input(p, NULL)) {
        lh_fail(l->ctx, LH_ERROR_VALUE, nowhere,
                "the program has a vocabulary of %d words, but the course's text uses others",
                l->own->n_words);
        lh_cure(l->ctx, "give it a task (--task %s) or a text of its own (--data FILE)",
                task_names(l));
        return;
    }
    l->is_pairs = pairs->task ? lh_train_task_is_pairs(pairs->task) : pairs->has_source;
    if (!l->is_pairs && pairs->has_source)
        lh_fail(l->ctx, LH_ERROR_VALUE, nowhere,
                "%s has no questions, but the program needs a source", how->task);
}

static const char *name_of(const lh_material_how *how) {
    return how->name   ? how->name
           : how->file ? how->file
           : how->text ? "the text"
           : how->task ? how->task
                       : "the course's text";
}

static const char *copy(lh_arena *a, const char *s) {
    return s ? lh_copy(a, s, strlen(s)) : NULL;
}

lh_material *lh_material_new(lh_context *ctx, const lh_program *p, const lh_material_how *how) {
    lh_arena *a = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!a) return NULL;
    lh_material *l = lh_alloc(a, sizeof *l);
    *l = (lh_material){.ctx = ctx, .arena = a, .is_lines = how->is_lines || how->task, .end = -1};
    l->name = copy(a, name_of(how));
    l->file = copy(a, how->file);
    l->tokens_from = copy(a, how->tokens);
    choose_kind(l, p, how);
    if (how->file && !l->is_pairs) l->ranks = how->ranks;
    l->of_text = how->text && !lh_failed(ctx) ? lh_arena_new(ctx) : NULL;
    if (l->of_text) l->text = lh_copy(l->of_text, how->text, how->length), l->length = how->length;
    if (!lh_failed(ctx)) return l;
    lh_material_free(l);
    return NULL;
}

void lh_material_free(lh_material *l) {
    if (!l) return;
    lh_data_free(l->data);
    lh_pairs_free(l->pairs);
    lh_tokenizer_free(l->tokens);
    lh_arena_free(l->of_text);
    lh_arena_free(l->arena);
}

/* ---- its text ---- */

/* A tokeniser is read from there; otherwise the text decides what its tokens are. */
static bool has_vocabulary(const lh_material *l) {
    struct stat st;
    const char *from = l->tokens_from;
    return from && strcmp(from, "char") != 0 && strcmp(from, "word") != 0 && stat(from, &st) == 0;
}

/* Of a task of pairs nothing is read: its examples are made as they are drawn. Of a shared text rank 0 reads all of it here, where there
 * is a vocabulary to be found in it, and lets go of it again. */
static void find_text(lh_material *l) {
    if (l->ranks && (l->ranks->rank || has_vocabulary(l)))
        l->text = "";
    else if (l->file)
        l->text = lh_file_read(l->ctx, l->of_text, l->file, &l->length);
    else if (l->is_pairs)
        l->text = "";
    else if (l->how.task)
        l->text = lh_train_task_text(l->of_text, l->how.task, 0, NAMES, &l->length);
    else
        l->text = lh_data_course(l->of_text, &l->length);
}

bool lh_material_read(lh_material *l) {
    if (!l->of_text) l->of_text = lh_arena_new(l->ctx);
    if (l->of_text && !l->text) find_text(l);
    if (lh_failed(l->ctx)) return false;
    l->how.name = l->name, l->how.text = l->text, l->how.length = l->length;
    l->whole = l->length;
    l->sum = lh_text_sum(l->text, l->length);
    return true;
}

/* This process's part of a shared text. */
static bool read_part(lh_material *l) {
    lh_text_part part;
    lh_arena_free(l->of_text);
    l->of_text = lh_arena_new(l->ctx);
    if (!l->of_text || !lh_text_part_read(l->ctx, l->of_text, l->file, l->ranks, &part))
        return false;
    l->text = part.text, l->length = part.length;
    l->whole = part.whole, l->sum = part.sum;
    return true;
}

/* ---- its tokens ---- */

static lh_tokenizer *pair_tokens(lh_material *l, const char *spec) {
    struct stat st;
    if (spec && stat(spec, &st) == 0) return lh_tokenizer_load(l->ctx, spec);
    if (spec && strcmp(spec, "char") != 0 && strcmp(spec, "word") != 0) {
        lh_fail(l->ctx, LH_ERROR_VALUE, nowhere,
                "%s is not a vocabulary for pairs: char, word or a folder", spec);
        return NULL;
    }
    l->how.is_chars = spec && strcmp(spec, "char") == 0;
    return lh_pairs_tokenizer(l->ctx, &l->how, l->own);
}

/* What rank 0 found in the text, for all. */
static lh_tokenizer *share_tokens(lh_material *l) {
    lh_text json = lh_text_new(l->arena);
    lh_tokenizer *t = NULL;
    if (l->ranks->rank == 0) {
        t = lh_data_tokenizer(l->ctx, l->tokens_from, l->name, l->text, l->length);
        if (t) lh_tokenizer_write_json(&json, t);
    }
    const char *text = lh_ranks_tell_text(l->ranks, l->ctx, l->arena, json.s);
    if (!text) {
        lh_tokenizer_free(t);
        return NULL;
    }
    return t ? t : lh_tokenizer_read_json(l->ctx, l->name, text, strlen(text));
}

bool lh_material_find_tokens(lh_material *l) {
    if (l->is_pairs)
        l->tokens = pair_tokens(l, l->tokens_from);
    else if (l->ranks && !has_vocabulary(l))
        l->tokens = share_tokens(l);
    else
        l->tokens = lh_data_tokenizer(l->ctx, l->tokens_from, l->name, l->text, l->length);
    return l->tokens != NULL;
}

/* ---- batches ---- */

static bool pairs_for(lh_material *l, lh_graph *g) {
    if (l->how.has_source && g->input[0]->vocab != g->input[1]->vocab) {
        lh_fail(l->ctx, LH_ERROR_VALUE, nowhere,
                "source and given have two vocabularies, and a model folder has one tokeniser");
        lh_cure(l->ctx, "vocab 100, and input source : vocab*, as in models/classic.lh");
        return false;
    }
    l->how.context = l->context;
    l->pairs = lh_pairs_new(l->ctx, l->tokens, &l->how);
    if (l->pairs) l->end = l->pairs->end;
    return l->pairs != NULL;
}

bool lh_material_draw_for(lh_material *l, lh_graph *g) {
    l->context = lh_generator_context(g, WINDOW);
    if (l->is_pairs) return pairs_for(l, g);
    const bool is_lines = l->is_lines || (g->generate && g->generate->until);
    const lh_data_how how = {
        .name = l->name, .context = l->context, .is_lines = is_lines, .ranks = l->ranks};
    if (l->ranks && !read_part(l)) return false;
    l->data = lh_data_new(l->ctx, l->tokens, &how, l->text, l->length);
    lh_arena_free(l->of_text);
    l->of_text = NULL;
    l->text = NULL;
    l->end = l->data && is_lines ? l->data->newline : -1;
    return l->data != NULL;
}

lh_feed lh_material_feed(const lh_material *l) {
    return l->is_pairs ? lh_pairs_feed(l->pairs) : lh_data_feed(l->data);
}

/* ---- where it goes ---- */

lh_folder_writer *lh_material_folder(const char *path, const lh_graph *g, const lh_tokenizer *t,
                                     const lh_material *l, const lh_folder *from,
                                     const lh_adapter *adapter) {
    const bool is_same = !l || (from && l->tokens_from && strcmp(l->tokens_from, from->path) == 0);
    return lh_describe_folder(path, g,
                              &(lh_describe){.from = from,
                                             .tokens = t,
                                             .has_own_tokens = !is_same,
                                             .begin = l && l->pairs ? l->pairs->start : -1,
                                             .end = l ? l->end : -1,
                                             .adapter = adapter});
}
