/* progress -- what was tried, where a sheet was left, and what to repeat when.
 *
 *     lh_store *s = lh_store_memory(ctx);                        or lh_store_open: files/store.h
 *     s->record(s, &attempt, &sheet);                            both are kept, or neither
 *     lh_progress *p = lh_progress_new(arena, s, now_as_day);    lessons, mistakes, what is due
 *     s->close(s);
 *
 * Attempts are appended and never changed. A store that fails says why in `problem`, and returns false: a learner can go on
 * without it, so its trouble is not an error of the context.
 *
 * Repeating. A step that went wrong comes back after 1, 3, 7 and 14 days, in other numbers. A right answer on its day or
 * later moves it to the next interval, after the last one it is learned; a wrong one moves it back to the first. A right
 * answer before its day, or in the numbers that it went wrong in, changes nothing. Exercises are counted, not repeated.
 */
#ifndef LH_LEARN_PROGRESS_H
#define LH_LEARN_PROGRESS_H

#include "base/context.h"

typedef struct lh_attempt {
    long long number; /* set by the store: 1, 2 ... */
    long long time;   /* seconds since 1970 */
    const char *lesson;
    unsigned long long seed;
    int digits;
    const char *step;    /* a path; of an exercise lh_exercise_step: "exercise 3" */
    const char *raw;     /* as it was typed */
    const char *verdict; /* "right", "follows", "known mistake" ...; "partly": all right so far */
    const char *mistake; /* names from the catalogue with a space between them; "slip"; or "" */
    int hints;           /* that were given before it; LH_HINTS: the answer was seen */
    bool is_right;       /* every number of the step is there and has full credit */
    bool is_wrong;       /* some number has none */
} lh_attempt;

enum { LH_HINTS = 4 };

const char *lh_exercise_step(lh_arena *a, int number); /* "exercise 3": no step has such a name */

/* A step of a sheet that was begun. */
typedef struct lh_saved_step {
    const char *step;
    const char *cells; /* as typed, with a space between them; _ is blank */
    int tries, hints;
    bool is_skipped;
} lh_saved_step;

/* A sheet that was begun. Lesson, seed, digits and only say which. */
typedef struct lh_saved {
    const char *lesson;
    unsigned long long seed;
    int digits;
    const char *only; /* the one step that is asked, or "" */
    const char *at;   /* the step to go on with */
    long long time;   /* of the last entry */
    int done, total;  /* steps */
    bool is_finished;
    lh_saved_step *step; /* those with an entry, a hint or a skip; NULL in the list of sessions */
    int n_steps;
} lh_saved;

/* How far a lesson was read. */
typedef struct lh_read {
    const char *lesson;
    int piece;        /* of its text: paragraphs, lists, tables ... counted from 0 */
    bool is_finished; /* its end was seen, then or before */
    long long time;
} lh_read;

typedef void (*lh_attempt_visit)(void *who, const lh_attempt *a);

typedef struct lh_store lh_store;
struct lh_store {
    /* Appends an attempt and replaces what was saved of the sheet, together; either may be NULL. */
    bool (*record)(lh_store *s, const lh_attempt *attempt, const lh_saved *sheet);
    /* Every sheet that was begun, the newest first, in a. */
    bool (*sessions)(lh_store *s, lh_arena *a, lh_saved **list, int *n);
    /* The steps of a sheet: fills sheet->step and n_steps, in a. */
    bool (*load)(lh_store *s, lh_arena *a, lh_saved *sheet);
    /* Every attempt in the order of time; the texts are valid during the call. */
    bool (*attempts)(lh_store *s, lh_attempt_visit visit, void *who);
    /* Where somebody stopped reading; a lesson has one such place. */
    bool (*read)(lh_store *s, const lh_read *r);
    /* Every lesson that was begun to be read, the newest first, in a. */
    bool (*reads)(lh_store *s, lh_arena *a, lh_read **list, int *n);
    /* Forgets everything. backup: the name of the copy that is kept, or "" where there is none. */
    bool (*reset)(lh_store *s, char *backup, size_t size);
    void (*close)(lh_store *s);
    char problem[512]; /* why the last call failed */
};

/* as long as the program runs; NULL and the context failed without memory */
lh_store *lh_store_memory(lh_context *ctx);

/* Which sheet to go on with: the newest unfinished one of this lesson; seed -1 and digits 0: any. NULL: none. */
const lh_saved *lh_saved_find(const lh_saved *list, int n, const char *lesson, const char *only,
                              long long seed, int digits);
/* Numbers that were not practised yet: 0 (the lesson's own) the first time, then 1, 2 ... */
unsigned long long lh_saved_seed(const lh_saved *list, int n, const char *lesson);

const lh_read *lh_read_find(const lh_read *list, int n, const char *lesson); /* or NULL */

/* ---- repeating ---- */

enum { LH_INTERVALS = 4 };
extern const int lh_interval_days[LH_INTERVALS]; /* 1, 3, 7, 14 */

long long lh_day(long long time, long zone); /* days since 1970, at `zone` seconds east of UTC */

/* A step that went wrong once. */
typedef struct lh_repeat {
    const char *lesson, *step;
    int stage;               /* which interval it waits for; LH_INTERVALS: learned */
    long long due;           /* day */
    unsigned long long seed; /* the numbers it was last counted in */
    const char *mistake;     /* what was made of it last, or "" */
} lh_repeat;

/* what one more attempt makes of it */
void lh_repeat_count(lh_repeat *r, const lh_attempt *a, long long day);

typedef struct lh_lesson_progress {
    const char *lesson;
    /* steps: once right; right when last tried, without the answer, and nothing to repeat */
    int done, mastered;
    int total; /* of the sheet; 0: not known */
    int attempts;
    int *exercise; /* the numbers of its exercises that were done, without the key: each once */
    int n_exercises;
    long long last;        /* time */
    const lh_saved *begun; /* an unfinished sheet to go on with, or NULL */
} lh_lesson_progress;

typedef struct lh_tally {
    const char *mistake;
    int n;
} lh_tally;

typedef struct lh_progress {
    int n_attempts;
    lh_lesson_progress *lesson; /* in the order they were begun */
    int n_lessons;
    lh_tally *mistake; /* the most frequent first */
    int n_mistakes;
    lh_repeat *repeat; /* the first due first; learned ones are left out */
    int n_repeats;
} lh_progress;

/* NULL when the store fails: s->problem; texts in a */
lh_progress *lh_progress_new(lh_arena *a, lh_store *s, long zone);
bool lh_progress_has_done(const lh_lesson_progress *l, int exercise); /* l may be NULL */
/* or NULL */
const lh_lesson_progress *lh_progress_lesson(const lh_progress *p, const char *lesson);

#endif
