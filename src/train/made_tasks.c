#include "train/made_tasks.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"

/* the place of these random numbers; one of so many is held out */
enum { MADE = 0x7A5C, HELD = 10 };

int lh_roll(lh_dice *d, int n) {
    const lh_random_place at = {.seed = d->seed,
                                .step = d->attempt,
                                .place = MADE,
                                .example = (uint32_t)d->number,
                                .row = (uint32_t)(d->number >> 32),
                                .col = d->k++};
    return (int)(lh_random_bits(at) % (uint64_t)n);
}

/* ---- rows of digits ---- */

enum { LEAST_DIGITS = 2, MOST_DIGITS = 8 };

static size_t roll_digits(lh_dice *d, lh_case *p) {
    const size_t n = LEAST_DIGITS + (size_t)lh_roll(d, MOST_DIGITS - LEAST_DIGITS + 1);
    for (size_t i = 0; i < n; i++) p->question[i] = (char)('0' + lh_roll(d, 10));
    return n;
}

static void make_copy(lh_dice *d, lh_case *p) {
    const size_t n = roll_digits(d, p);
    memcpy(p->answer, p->question, n);
}

static void make_reverse(lh_dice *d, lh_case *p) {
    const size_t n = roll_digits(d, p);
    for (size_t i = 0; i < n; i++) p->answer[i] = p->question[n - 1 - i];
}

static void make_sort(lh_dice *d, lh_case *p) {
    const size_t n = roll_digits(d, p);
    size_t at = 0;
    for (int c = '0'; c <= '9'; c++)
        for (size_t i = 0; i < n; i++)
            if (p->question[i] == c) p->answer[at++] = (char)c;
}

static void make_addition(lh_dice *d, lh_case *p) {
    const int a = 10 + lh_roll(d, 90), b = 10 + lh_roll(d, 90);
    snprintf(p->question, sizeof p->question, "%d+%d", a, b);
    snprintf(p->answer, sizeof p->answer, "%d", a + b);
}

/* ---- names ---- */

/* Two or three syllables: a beginning, a vowel, seldom a closing sound; and an ending of its own. A sound that stands
 * several times in a row of choices is that much likelier. */
static void make_name(lh_dice *d, lh_case *p) {
    static const char *const begin[] = {"b", "d", "f", "k",  "l",  "l",  "m",  "m", "n", "n",
                                        "r", "r", "s", "s",  "t",  "t",  "v",  "z", "j", "h",
                                        "g", "p", "",  "br", "ch", "th", "kr", "fl"};
    static const char *const vowel[] = {"a", "a", "a", "e", "e",  "i",
                                        "i", "o", "o", "u", "ai", "ei"};
    static const char *const close[] = {"", "", "", "", "n", "r", "l", "s", "m"};
    static const char *const end[] = {"a",  "a",  "ia", "o",  "e",  "en",
                                      "in", "is", "ar", "el", "us", "ette"};
    const int syllables = 1 + lh_roll(d, 2);
    size_t at = 0;
    for (int i = 0; i < syllables; i++)
        at += (size_t)snprintf(p->answer + at, sizeof p->answer - at, "%s%s%s",
                               begin[lh_roll(d, (int)(sizeof begin / sizeof *begin))],
                               vowel[lh_roll(d, (int)(sizeof vowel / sizeof *vowel))],
                               close[lh_roll(d, (int)(sizeof close / sizeof *close))]);
    snprintf(p->answer + at, sizeof p->answer - at, "%s%s", begin[lh_roll(d, 22)],
             end[lh_roll(d, (int)(sizeof end / sizeof *end))]);
}

/* ---- the list ---- */

const lh_train_task lh_train_tasks[] = {
    {"copy", "two to eight digits, and the same again", make_copy, "0123456789", MOST_DIGITS},
    {"reverse", "two to eight digits, and the same digits reversed", make_reverse, "0123456789",
     MOST_DIGITS},
    {"sort", "two to eight digits, and the same digits sorted", make_sort, "0123456789",
     MOST_DIGITS},
    {"addition", "two numbers of two digits, and their sum", make_addition, "0123456789+", 5},
    {"translate", "an English sentence of a small grammar, and its Spanish", lh_grammar_make, NULL,
     LH_CASE_WORDS},
    {"names", "invented names, one per line", make_name, "abcdefghijklmnopqrstuvwxyz", 24},
    {NULL, NULL, NULL, NULL, 0},
};

const lh_train_task *lh_train_task_find(const char *name) {
    for (const lh_train_task *t = lh_train_tasks; t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

bool lh_train_task_is_pairs(const lh_train_task *t) {
    return t->make != make_name;
}

/* ---- examples ---- */

/* FNV-1a, 64 bits; its low bits are the weakest, so the high ones decide. */
bool lh_question_is_held_out(const char *question, size_t n) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)question[i]) * 1099511628211u;
    return (h >> 32) % HELD == 0;
}

static bool is_held_out(const lh_case *p) {
    const char *s = *p->question ? p->question : p->answer;
    return !p->is_idiom && lh_question_is_held_out(s, strlen(s));
}

void lh_train_task_example(const lh_train_task *t, uint64_t seed, uint64_t number, bool held,
                           lh_case *p) {
    lh_dice d = {.seed = seed, .number = number};
    do {
        memset(p, 0, sizeof *p);
        d.k = 0;
        t->make(&d, p);
        d.attempt++;
    } while (is_held_out(p) != held);
}

void lh_train_task_line(const lh_case *p, lh_text *out) {
    const char *space = "\t";
    lh_text_add(out, "%s%s%s", p->question, *p->question ? "\t" : "", p->answer);
    for (int k = 0; k < p->n_from; k++)
        for (int i = 0; i < 32; i++)
            if (p->from[k] >> i & 1) lh_text_add(out, "%s%d-%d", space, i, k), space = " ";
    lh_text_add(out, "\n");
}

char *lh_train_task_text(lh_arena *a, const lh_train_task *t, uint64_t seed, int n,
                         size_t *length) {
    lh_text out = lh_text_new(a);
    lh_case p;
    for (int i = 0; i < n; i++) {
        lh_train_task_example(t, seed, (uint64_t)i, false, &p);
        lh_train_task_line(&p, &out);
    }
    *length = out.n;
    return out.s;
}

/* ---- the vocabulary ---- */

static void add_word(void *who, const char *word) {
    lh_tokenizer *t = who;
    char piece[LH_CASE_TEXT];
    const size_t n = (size_t)snprintf(piece, sizeof piece, " %s", word);
    for (int i = 0; i < t->n_tokens; i++)
        if (t->token[i].length == n && memcmp(t->token[i].bytes, piece, n) == 0) return;
    lh_tokenizer_add(t, piece, n, LH_TOKEN_PLAIN);
}

lh_tokenizer *lh_train_task_tokenizer(lh_context *ctx, const lh_train_task *task) {
    static const char *const special[] = {"<pad>", "<start>", "<end>"};
    if (lh_failed(ctx)) return NULL;
    lh_tokenizer *t = lh_tokenizer_new(ctx, task->letters ? LH_TOKENS_CHARS : LH_TOKENS_WORDS);
    if (!t) return NULL;
    for (int i = 0; i < 3; i++)
        lh_tokenizer_add(t, special[i], strlen(special[i]), LH_TOKEN_SPECIAL);
    for (const char *c = task->letters; c && *c; c++) lh_tokenizer_add(t, c, 1, LH_TOKEN_PLAIN);
    if (!task->letters) lh_grammar_words(add_word, t);
    return lh_tokenizer_finish(t);
}
