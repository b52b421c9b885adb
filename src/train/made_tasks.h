/* made_tasks -- data that are made, not collected: copy, reverse, sort, addition, names, and sentences in two languages.
 *
 *     const lh_train_task *t = lh_train_task_find("addition");
 *     lh_case p;
 *     lh_train_task_example(t, seed, 17, false, &p);           p.question "12+34", p.answer "46"
 *     lh_train_task_line(&p, &text);                           12+34 <tab> 46
 *     lh_tokenizer *k = lh_train_task_tokenizer(ctx, t);       <pad> <start> <end> 0 1 2 ... 9 +
 *
 * Example i of seed s is always the same: its random numbers are counted by (s, i) alone. There is no end to them.
 *
 * A tenth of all questions is held out, and which is decided by the question itself: what was learned under one number is
 * never asked under another, whatever the seeds. (Idioms, which nobody can work out, are always learned.)
 *
 * A sentence of `translate` also knows from which English words each Spanish word comes: what an attention that translates should
 * look at. Memory: none; a pair holds its texts.
 */
#ifndef LH_MADE_TASKS_H
#define LH_MADE_TASKS_H

#include <stdint.h>

#include "base/context.h"
#include "text/tokenizer.h"

enum { LH_CASE_TEXT = 256, LH_CASE_WORDS = 24 };

typedef struct lh_case {
    char question[LH_CASE_TEXT]; /* "" of names */
    char answer[LH_CASE_TEXT];
    /* translate: of each word of the answer, bit i: word i of the question */
    uint32_t from[LH_CASE_WORDS];
    int n_from;    /* words of the answer; 0: not known */
    bool is_idiom; /* never held out */
} lh_case;

/* Random numbers of one example: the k-th that is asked for. */
typedef struct lh_dice {
    uint64_t seed, number;
    uint32_t attempt, k;
} lh_dice;

int lh_roll(lh_dice *d, int n); /* 0 to n - 1 */

typedef struct lh_train_task {
    const char *name, *summary;
    void (*make)(lh_dice *d, lh_case *p);
    const char *letters; /* the characters that examples are made of; NULL: words */
    int longest;         /* tokens of the longest question or answer */
} lh_train_task;

extern const lh_train_task lh_train_tasks[]; /* ends with a NULL name */

const lh_train_task *lh_train_task_find(const char *name); /* NULL: there is none */
bool lh_train_task_is_pairs(const lh_train_task *t); /* false: lines without a question (names) */
void lh_train_task_example(const lh_train_task *t, uint64_t seed, uint64_t number, bool is_held_out,
                           lh_case *p);
bool lh_question_is_held_out(const char *question, size_t n);
/* question, tab, answer; where known, tab, 0-0 2-1: which word from which */
void lh_train_task_line(const lh_case *p, lh_text *out);
/* n lines of examples to learn from; NULL: no memory */
char *lh_train_task_text(lh_arena *a, const lh_train_task *t, uint64_t seed, int n, size_t *length);

/* <pad> <start> <end>, then every character or word of the task. Words carry the space before them: " cat". */
/* NULL and the context failed */
lh_tokenizer *lh_train_task_tokenizer(lh_context *ctx, const lh_train_task *t);

/* The grammar (grammar.c). */
void lh_grammar_make(lh_dice *d, lh_case *p);
/* a sentence from elsewhere: its Spanish; false: it is none of the grammar */
bool lh_grammar_read(const char *text, lh_case *p);
void lh_grammar_words(void (*each)(void *who, const char *word), void *who); /* some twice */

#endif
