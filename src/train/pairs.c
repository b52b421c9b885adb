#include "train/pairs.h"

#include <string.h>

#include "base/index.h"
#include "base/random.h"
#include "text/split.h"
#include "text/piece_count.h"

static const lh_place nowhere = {0, 0, 0};

/* ---- texts as tokens ---- */

int lh_pairs_encode(lh_context *ctx, const lh_tokenizer *t, const char *text, size_t n, int *id,
                    int most) {
    const bool is_chars = t->kind == LH_TOKENS_CHARS;
    char *spaced = lh_failed(ctx) ? NULL : ctx->alloc(n + 2);
    if (!spaced) {
        lh_fail(ctx, LH_ERROR_MEMORY, nowhere, "out of memory for a line");
        return -1;
    }
    spaced[0] = ' ';
    memcpy(spaced + 1, text, n);
    const size_t k = lh_tokenizer_encode(t, is_chars ? spaced + 1 : spaced, is_chars ? n : n + 1,
                                         false, id, (size_t)most);
    ctx->release(spaced);
    if (lh_failed(ctx)) return -1;
    return k > (size_t)INT32_MAX ? INT32_MAX : (int)k;
}

void lh_pairs_decode(const lh_tokenizer *t, const int *id, int n, lh_text *out) {
    bool is_first = t->kind != LH_TOKENS_CHARS;
    for (int i = 0; i < n; i++) {
        size_t k = 0;
        if (id[i] < 0 || id[i] >= lh_tokenizer_count(t)) continue;
        if (t->token[id[i]].role == LH_TOKEN_SPECIAL) continue;
        const char *piece = lh_tokenizer_piece(t, id[i], &k);
        if (!piece) return;
        const size_t skip = is_first && k > 0 && *piece == ' ';
        is_first = false;
        lh_text_add_n(out, piece + skip, k - skip);
    }
}

/* ---- lines of a file ---- */

/* The pair of the line that begins at `at`; false: it has no tab, or nothing before or behind it. */
static bool read_line(const lh_pairs_how *how, size_t at, size_t *next, lh_pair_line *l) {
    const char *text = how->text + at, *end = memchr(text, '\n', how->length - at);
    const size_t n = end ? (size_t)(end - text) : how->length - at;
    *next = at + n + 1;
    const char *tab = memchr(text, '\t', n);
    if (!tab) return false;
    l->question = text, l->n_question = (size_t)(tab - text);
    l->answer = tab + 1, l->n_answer = n - l->n_question - 1;
    const char *second = memchr(l->answer, '\t', l->n_answer);
    if (second) l->n_answer = (size_t)(second - l->answer);
    if (l->n_answer && l->answer[l->n_answer - 1] == '\r') l->n_answer--;
    return l->n_question && l->n_answer;
}

/* Tokens of a row: the question apart, or everything in one. */
static int rows_of(const lh_pairs_how *how, int question, int answer) {
    return how->has_source ? (question > answer + 1 ? question : answer + 1)
                           : question + 1 + answer;
}

/* Which of the different questions of a file are held out, in the order of the file. Each decides for itself, so that it is the same
 * one in every file; of a few, too many may. */
typedef struct held_questions {
    lh_index seen, held;
} held_questions;

enum { MOST_HELD = 5 }; /* one of so many */

static held_questions find_held(const lh_pairs *p) {
    held_questions q = {{.arena = p->arena}, {.arena = p->arena}};
    lh_pair_line l;
    for (size_t at = 0, next; at < p->how.length && !lh_failed(p->ctx); at = next)
        if (read_line(&p->how, at, &next, &l) &&
            lh_index_add(&q.seen, l.question, l.n_question, (int)q.seen.n) < 0 &&
            lh_question_is_held_out(l.question, l.n_question))
            lh_index_add(&q.held, l.question, l.n_question, (int)q.held.n);
    return q;
}

static bool is_held(held_questions *q, const lh_pair_line *l) {
    if (!lh_question_is_held_out(l->question, l->n_question)) return false;
    const int number = lh_index_add(&q->held, l->question, l->n_question, 0); /* it is there */
    return number >= 0 && (size_t)number < q->seen.n / MOST_HELD;
}

static void keep_line(lh_pairs *p, held_questions *questions, const lh_pair_line *l) {
    const int q = lh_pairs_encode(p->ctx, p->tokens, l->question, l->n_question, NULL, 0);
    const int a = q < 0 ? -1 : lh_pairs_encode(p->ctx, p->tokens, l->answer, l->n_answer, NULL, 0);
    if (a < 0) return;
    if (rows_of(&p->how, q, a) > p->how.context) {
        p->n_cut++;
        return;
    }
    const int held = is_held(questions, l);
    *lh_push(p->arena, p->line[held], p->n_lines[held]) = *l;
}

static void refuse_file(lh_context *ctx) {
    lh_fail(ctx, LH_ERROR_FILE, nowhere, "no line has a pair in it");
    lh_cure(
        ctx,
        "each line needs a question, a tab and an answer, as longhand data addition writes them");
}

static void keep_lines(lh_pairs *p) {
    held_questions questions = find_held(p);
    lh_pair_line l;
    for (size_t at = 0, next; at < p->how.length && !lh_failed(p->ctx); at = next)
        if (read_line(&p->how, at, &next, &l)) keep_line(p, &questions, &l);
    if (lh_failed(p->ctx) || p->n_lines[0]) return;
    if (p->n_cut) {
        lh_fail(p->ctx, LH_ERROR_FILE, nowhere,
                "every pair has more than the %d tokens of the context", p->how.context);
        lh_cure(p->ctx, "shorter lines, or --set context=...");
    } else {
        refuse_file(p->ctx);
    }
}

/* ---- the vocabulary ---- */

static const char *const special[] = {"<pad>", "<start>", "<end>"};

static bool is_special(const char *word) {
    for (int i = 0; i < 3; i++)
        if (strcmp(word, special[i]) == 0) return true;
    return false;
}

/* " cat": the word behind the space; else the piece itself. */
static lh_tokenizer *own_words(lh_context *ctx, const lh_vocab *own, bool is_chars) {
    lh_tokenizer *t = lh_tokenizer_new(ctx, is_chars ? LH_TOKENS_CHARS : LH_TOKENS_WORDS);
    lh_arena *a = lh_arena_new(ctx);
    for (int i = 0; t && a && i < own->n_words && !lh_failed(ctx); i++) {
        const char *piece = own->word[i];
        const bool is_mark = is_special(piece);
        if (!is_mark && !is_chars) piece = lh_printf(a, " %s", piece);
        lh_tokenizer_add(t, piece, strlen(piece), is_mark ? LH_TOKEN_SPECIAL : LH_TOKEN_PLAIN);
    }
    lh_arena_free(a);
    if (t) return lh_tokenizer_finish(t);
    return NULL;
}

/* A file's pairs as one text, each side on a line: as it is encoded, with a space before it where words are tokens. */
static char *joined(lh_arena *a, const lh_pairs_how *how, size_t *length) {
    const char *space = how->is_chars ? "" : " ";
    lh_text out = lh_text_new(a);
    lh_pair_line l;
    for (size_t at = 0, next; at < how->length; at = next) {
        if (!read_line(how, at, &next, &l)) continue;
        lh_text_add(&out, "%s", space);
        lh_text_add_n(&out, l.question, l.n_question);
        lh_text_add(&out, "\n%s", space);
        lh_text_add_n(&out, l.answer, l.n_answer);
        lh_text_add(&out, "\n");
    }
    *length = out.n;
    return out.s;
}

/* A piece never goes beyond its side: space at the end of one would be cut another way where a word follows. */
static size_t cut_side(const char *text, size_t length) {
    const char *end = memchr(text, '\n', length);
    return end == text ? 1 : lh_split(text, end ? (size_t)(end - text) : length);
}

static void add_pieces(lh_tokenizer *t, lh_arena *a, const char *text, size_t length) {
    const lh_counts c = lh_count_pieces(a, text, length, cut_side);
    for (int i = 0; i < c.n && !lh_failed(t->ctx); i++)
        if (*c.piece[i].bytes != '\n')
            lh_tokenizer_add(t, c.piece[i].bytes, c.piece[i].length, LH_TOKEN_PLAIN);
}

static void add_chars(lh_tokenizer *t, const char *text, size_t length) {
    const lh_tokenizer_how how = {.kind = LH_TOKENS_CHARS, .is_closed = true};
    lh_tokenizer *seen = lh_tokenizer_train(t->ctx, text, length, &how);
    for (int i = 0; seen && i < seen->n_tokens && !lh_failed(t->ctx); i++)
        if (*seen->token[i].bytes != '\n')
            lh_tokenizer_add(t, seen->token[i].bytes, seen->token[i].length, seen->token[i].role);
    lh_tokenizer_free(seen);
}

/* Special tokens come first: their numbers are the same in every vocabulary of pairs. */
static lh_tokenizer *file_words(lh_context *ctx, const lh_pairs_how *how) {
    lh_arena *a = lh_arena_new(ctx);
    lh_tokenizer *t = NULL;
    size_t length = 0;
    const char *text = a ? joined(a, how, &length) : NULL;
    if (!lh_failed(ctx) && !length) refuse_file(ctx);
    if (!lh_failed(ctx))
        t = lh_tokenizer_new(ctx, how->is_chars ? LH_TOKENS_CHARS : LH_TOKENS_WORDS);
    for (int i = 0; t && i < 3; i++)
        lh_tokenizer_add(t, special[i], strlen(special[i]), LH_TOKEN_SPECIAL);
    if (t && how->is_chars) add_chars(t, text, length);
    if (t && !how->is_chars) add_pieces(t, a, text, length);
    lh_arena_free(a);
    lh_fail_in(ctx, how->name, NULL, 0);
    return t ? lh_tokenizer_finish(t) : NULL;
}

lh_tokenizer *lh_pairs_tokenizer(lh_context *ctx, const lh_pairs_how *how, const lh_vocab *own) {
    if (lh_failed(ctx)) return NULL;
    if (own) return own_words(ctx, own, how->task ? how->task->letters != NULL : how->is_chars);
    return how->task ? lh_train_task_tokenizer(ctx, how->task) : file_words(ctx, how);
}

/* ---- begin and end ---- */

static void find_specials(lh_pairs *p) {
    int *id[] = {&p->pad, &p->start, &p->end};
    for (int i = 0; i < 3; i++) {
        *id[i] = lh_tokenizer_special(p->tokens, special[i]);
        if (*id[i] >= 0) continue;
        lh_fail(p->ctx, LH_ERROR_VALUE, nowhere, "the vocabulary has no %s", special[i]);
        lh_cure(p->ctx, "vocab <pad> <start> <end> ..., or a number: vocab 100");
        return;
    }
}

/* Every token of the task must be in the vocabulary: a hundred examples have them all, or nearly. */
static void check_task(lh_pairs *p) {
    const lh_train_task *t = p->how.task;
    const int longest = rows_of(&p->how, t->longest, t->longest);
    lh_case pair;
    if (longest > p->how.context) {
        lh_fail(p->ctx, LH_ERROR_VALUE, nowhere, "%s takes up to %d tokens, but the context has %d",
                t->name, longest, p->how.context);
        lh_cure(p->ctx, "--set context=%d", longest);
    }
    for (uint64_t i = 0; i < 100 && !lh_failed(p->ctx); i++) {
        lh_train_task_example(t, 0, i, false, &pair);
        if (lh_pairs_encode(p->ctx, p->tokens, pair.question, strlen(pair.question), NULL, 0) >= 0)
            lh_pairs_encode(p->ctx, p->tokens, pair.answer, strlen(pair.answer), NULL, 0);
    }
}

lh_pairs *lh_pairs_new(lh_context *ctx, const lh_tokenizer *t, const lh_pairs_how *how) {
    lh_arena *arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_pairs *p = lh_alloc(arena, sizeof *p);
    *p = (lh_pairs){.ctx = ctx, .arena = arena, .how = *how, .tokens = t};
    find_specials(p);
    if (!lh_failed(ctx)) (how->task ? check_task : keep_lines)(p);
    lh_fail_in(ctx, how->task ? how->task->name : how->name, NULL, 0);
    if (!lh_failed(ctx)) return p;
    lh_pairs_free(p);
    return NULL;
}

void lh_pairs_free(lh_pairs *p) {
    if (p) lh_arena_free(p->arena);
}

/* ---- batches ---- */

static void add_source(const lh_pairs *p, lh_drawn_batch *b, const lh_pair_line *l) {
    const int n = lh_pairs_encode(p->ctx, p->tokens, l->question, l->n_question,
                                  b->source + b->n_source, b->longest);
    if (n < 0) return;
    b->source_rows[b->batch.examples] = n;
    b->n_source += (size_t)n;
}

/* [question] <start> answer, and what follows each: <pad> up to <start>. The answer is encoded one further on, so that a
 * row is as long as the answer and the <start> before it. */
static void add_pair(const lh_pairs *p, lh_drawn_batch *b, const lh_pair_line *l) {
    int *token = b->token + b->n_tokens, *target = b->target + b->n_tokens, n = 0;
    if (b->source)
        add_source(p, b, l);
    else
        n = lh_pairs_encode(p->ctx, p->tokens, l->question, l->n_question, token, b->longest);
    if (lh_failed(p->ctx)) return;
    for (int i = 0; i < n; i++) target[i] = p->pad;
    token[n] = p->start;
    const int a = lh_pairs_encode(p->ctx, p->tokens, l->answer, l->n_answer, token + n + 1,
                                  b->longest - n - 1);
    if (a < 0) return;
    for (int i = 0; i < a; i++) target[n + i] = token[n + 1 + i];
    target[n + a] = p->end;
    b->rows[b->batch.examples++] = n + 1 + a;
    b->n_tokens += (size_t)(n + 1 + a);
}

static void add_made(const lh_pairs *p, lh_drawn_batch *b, uint64_t seed, uint64_t number,
                     bool held) {
    lh_case made;
    lh_train_task_example(p->how.task, seed, number, held, &made);
    add_pair(
        p, b,
        &(lh_pair_line){made.question, made.answer, strlen(made.question), strlen(made.answer)});
}

enum { DRAWN = 0xDA7B, HELD_SEED = 0 }; /* the place of these random numbers */

static void draw(const void *from, uint64_t seed, uint32_t step, lh_drawn_batch *b) {
    const lh_pairs *p = from;
    lh_drawn_begin(b);
    b->batch.first = step * (unsigned)b->most;
    for (int e = 0; e < b->most && !lh_failed(p->ctx); e++) {
        lh_random_place at = {.seed = seed, .step = step, .place = DRAWN, .example = (uint32_t)e};
        if (p->how.task)
            add_made(p, b, seed, (uint64_t)step * (uint64_t)b->most + (uint64_t)e, false);
        else
            add_pair(p, b, &p->line[0][lh_random_bits(at) % (uint64_t)p->n_lines[0]]);
    }
}

static int held_out(const void *from, int i, int of, lh_drawn_batch *b) {
    const lh_pairs *p = from;
    const int64_t asked = (int64_t)of * b->most, count = p->how.task ? asked : p->n_lines[1];
    const int64_t all = asked < count ? asked : count;
    lh_drawn_begin(b);
    b->batch.first = 0;
    for (int64_t k = (int64_t)i * b->most; b->batch.examples < b->most && k < all; k++) {
        if (p->how.task)
            add_made(p, b, HELD_SEED, (uint64_t)k, true);
        else
            add_pair(p, b, &p->line[1][k * count / all]);
        if (lh_failed(p->ctx)) return 0;
    }
    return b->batch.examples;
}

static lh_drawn_batch *make(const void *from, int examples) {
    const lh_pairs *p = from;
    return lh_drawn_make(p->ctx, examples, p->how.context + 1, p->how.has_source);
}

lh_feed lh_pairs_feed(const lh_pairs *p) {
    return (lh_feed){p, make, draw, held_out};
}
