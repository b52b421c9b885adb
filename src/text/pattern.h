/* pattern -- regular expressions, as far as tokenisers use them to cut text.
 *
 *     lh_pattern *p = lh_pattern_new(ctx, arena, "\\p{L}+|\\s+(?!\\S)|\\s+");     NULL: the context failed
 *     lh_scan scan = lh_scan_new(ctx, arena, p, text, length);
 *     while (lh_scan_next(&scan, &start, &end)) ...                               one match after another, the leftmost first
 *
 * Known are: characters, ., \d \w \s \h and their opposites, \p{L} \p{Lu} \P{N}, \n \r \t \f \v \uXXXX \xHH, [...] with ranges, [^...],
 * groups ( ) (?: ) (?i: ) (?i) (?> ), alternatives, ? * + {n} {n,} {n,m} and their lazy and possessive forms (?? *? ++),
 * (?= ) (?! ), (?<= ) and (?<! ) of one character, ^ $ \A \z \Z \b \B. Anything else is refused by name: back references, [[:alpha:]],
 * && in a class. Alternatives are tried in their order, so that the first that fits is taken, as in Oniguruma and Perl.
 *
 * A repeated single character is a loop that needs no memory, so that a run of a million letters is one step. A pattern that takes more
 * than LH_PATTERN_STEPS and a thousand steps a byte for a text is given up with an error: (a+)+b and the like.
 *
 * A byte that is not UTF-8 is a character of no category.
 */
#ifndef LH_TEXT_PATTERN_H
#define LH_TEXT_PATTERN_H

#include <stdint.h>

#include "base/context.h"

enum { LH_PATTERN_STEPS = 50000000, LH_PATTERN_SIZE = 20000 };

/* A set of characters. */
typedef struct lh_charset {
    uint64_t ascii[2];   /* a bit for each of the 128, worked out beforehand */
    uint32_t categories; /* a bit for each lh_unicode_category */
    bool has_space, has_other_than_space, has_word, has_other_than_word;
    bool is_negated;
    const uint32_t *range; /* pairs: first and last */
    int n_ranges;
} lh_charset;

typedef enum lh_pattern_op {
    LH_P_ONE,      /* a character of the set */
    LH_P_LOOP,     /* min to max of them: as many as there are, and fewer if need be */
    LH_P_LAZY,     /* as few as will do */
    LH_P_ALL,      /* as many as there are, none given back */
    LH_P_SPLIT,    /* go on at x, and if that fails at y */
    LH_P_JUMP,     /* go on at x */
    LH_P_LOOK,     /* what follows up to x must fit here, or must not; go on at x */
    LH_P_ATOMIC,   /* what follows up to x, without a way back into it */
    LH_P_BEHIND,   /* the character before is of the set, or is not */
    LH_P_START,    /* of the text */
    LH_P_LINE,     /* of a line */
    LH_P_END,      /* of the text */
    LH_P_LINE_END, /* of a line */
    LH_P_LAST_END, /* of the text, or before its last line feed */
    LH_P_EDGE,     /* between \w and \W, or not */
    LH_P_FAIL,
    LH_P_ACCEPT,
} lh_pattern_op;

typedef struct lh_pattern_step {
    lh_pattern_op op;
    int x, y;
    int min, max; /* max -1: no end */
    bool is_not;
    bool may_be_empty;     /* LH_P_SPLIT: nothing is known about how x begins */
    const lh_charset *set; /* LH_P_SPLIT: how x can begin */
} lh_pattern_step;

typedef struct lh_pattern {
    lh_pattern_step *step;
    int n;
} lh_pattern;

lh_pattern *lh_pattern_new(lh_context *ctx, lh_arena *a, const char *regex);
/* the text itself, no sign in it is special */
lh_pattern *lh_pattern_of_text(lh_context *ctx, lh_arena *a, const char *text, size_t length);
bool lh_charset_has(const lh_charset *set, uint32_t c);

/* Where a match may still go back to. */
typedef struct lh_way_back {
    int pc;
    /* from `at` down to `least`, a character at a time; lazy: `least` are taken */
    size_t at, least;
    bool is_lazy;
} lh_way_back;

typedef struct lh_scan {
    lh_context *ctx;
    lh_arena *arena;
    const lh_pattern *pattern;
    const char *text;
    size_t length, at;
    size_t last_end; /* of the match before; SIZE_MAX: none */
    lh_way_back *back;
    int n_back, room;
    double steps, most_steps;
} lh_scan;

lh_scan lh_scan_new(lh_context *ctx, lh_arena *a, const lh_pattern *p, const char *text,
                    size_t length);
bool lh_scan_next(lh_scan *s, size_t *start, size_t *end); /* false: no more, or failed */

#endif
