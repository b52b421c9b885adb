/* context -- where errors and memory live.
 *
 *     lh_context *ctx = lh_context_new();
 *     lh_program *p = lh_program_parse(ctx, "mine.lh", text, length);
 *     lh_graph *g = lh_graph_build(ctx, p, NULL);
 *     if (lh_failed(ctx)) puts(lh_context_error(ctx)->what);
 *     lh_context_free(ctx);
 *
 * Errors: the first one stays in the context, later calls do nothing, the caller looks once.
 *
 * Memory: an arena hands out zeroed memory and frees it all at its end. When the machine has no more, the error is set, and
 * pieces of up to LH_SMALL bytes still come (from a reserve made with the arena), so that code which makes small objects
 * needs no check of its own: it runs on to its next look at the error. Larger pieces may be NULL and are checked.
 */
#ifndef LH_BASE_CONTEXT_H
#define LH_BASE_CONTEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define LH_SMALL 1024

/* A place in a text: line and column count from 1, columns in bytes; 0 means "no place". */
typedef struct lh_place {
    int line, col, len;
} lh_place;

typedef enum lh_error_kind {
    LH_OK = 0,
    LH_ERROR_TEXT,   /* the notation: a word, a sign, a block */
    LH_ERROR_NAME,   /* a name that is not known, or made twice */
    LH_ERROR_SHAPE,  /* two sizes that do not fit */
    LH_ERROR_VALUE,  /* nan, inf, a token outside the vocabulary */
    LH_ERROR_LIMIT,  /* too deep, too many, too large */
    LH_ERROR_FILE,   /* cannot be opened, read, written */
    LH_ERROR_MEMORY, /* the machine has no more */
} lh_error_kind;

typedef struct lh_error {
    lh_error_kind kind;
    char file[256]; /* which text, or "" */
    lh_place at;    /* where in it */
    /* that line of it, cut where it is too long (at.col still counts in the full line) */
    char source[256];
    int source_col; /* column of at.col inside source, from 1 */
    char what[512]; /* what is wrong, both sides named */
    char cure[256]; /* the likely cure, or "" */
} lh_error;

typedef struct lh_context lh_context;
typedef struct lh_arena lh_arena;

/* A text file that a program names: sets *text (in arena) and *length, or fails the context. */
typedef void (*lh_read_file)(void *who, lh_context *ctx, lh_arena *arena, const char *path,
                             const char **text, size_t *length);

struct lh_context {
    lh_error error;
    bool is_failed;
    bool wants_cure;        /* the last lh_fail was kept and has no cure yet */
    char warning[256];      /* the first of the text that was parsed last, or "": no error */
    lh_place warned_at;     /* where in that text */
    void *(*alloc)(size_t); /* malloc, unless a test makes it fail */
    void (*release)(void *);
    size_t memory_limit;    /* bytes that one value may take: what the machine has; 0: not known */
    lh_read_file read_file; /* NULL: file() is refused */
    void *read_file_who;
    /* NULL: the system's, unless a test makes it fail (files/replace.h) */
    const struct lh_disk *disk;
    /* what a folder further on keeps for the context's life (the parsed prelude), or NULL */
    void *kept;
    void (*free_kept)(void *kept);
    int n_graphs; /* that were built in it: one is enough for everything */
};

lh_context *lh_context_new(void);       /* NULL only when there is no memory at all */
void lh_context_free(lh_context *ctx);  /* NULL is allowed */
bool lh_failed(const lh_context *ctx);  /* has anything gone wrong so far? */
void lh_context_clear(lh_context *ctx); /* forget the error: a prompt goes on with the next line */
const lh_error *lh_context_error(const lh_context *ctx);

/* Set the error unless there is one. `what` and `cure` are printf formats; cure may be "" . */
void lh_fail(lh_context *ctx, lh_error_kind kind, lh_place at, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
/* adds to the last lh_fail if that one was kept */
void lh_cure(lh_context *ctx, const char *cure, ...) __attribute__((format(printf, 2, 3)));
/* fills file and source of an error that has a place and no file yet */
void lh_fail_in(lh_context *ctx, const char *file, const char *text, size_t length);

/* unless there is one: what runs, and is likely not meant */
void lh_warn(lh_context *ctx, lh_place at, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

lh_arena *lh_arena_new(lh_context *ctx);  /* NULL and the context failed when there is no memory */
void lh_arena_free(lh_arena *a);          /* NULL is allowed */
void *lh_alloc(lh_arena *a, size_t size); /* zeroed, aligned for any type */
void *lh_alloc_array(lh_arena *a, size_t n, size_t size); /* n * size, checked */
/* n bytes and a final 0; "" when there is no memory */
char *lh_copy(lh_arena *a, const char *s, size_t n);
char *lh_printf(lh_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
size_t lh_arena_used(const lh_arena *a); /* bytes handed out so far */

/* Work that is done again and again takes the same memory each time: what was handed out since a mark is given back, and stays
 * with the arena for what comes next. Marks are given back in the reverse of their order. */
typedef struct lh_arena_mark {
    void *chunk;
    size_t used;
} lh_arena_mark;
lh_arena_mark lh_arena_here(const lh_arena *a);
void lh_arena_back(lh_arena *a, lh_arena_mark to); /* (lh_arena_mark){0}: all of it */

/* A list that grows: room for one more, and its address, of the list's own type.
 *     *lh_push(arena, g->step, g->n_steps) = step;
 * Where there is no memory it is a piece of the reserve, and n stays as it is. */
#define lh_push(arena, list, n)                                                                    \
    ((__typeof__(list))lh_push_bytes(arena, (void **)&(list), &(n), sizeof *(list)))
void *lh_push_bytes(lh_arena *a, void **list, int *n, size_t size);

/* Text that grows. */
typedef struct lh_text {
    lh_arena *arena;
    char *s; /* always ends in 0 */
    size_t n, cap;
} lh_text;
lh_text lh_text_new(lh_arena *a);
void lh_text_add(lh_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lh_text_add_n(lh_text *t, const char *s, size_t n);

#endif
