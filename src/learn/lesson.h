/* lesson -- a literate Markdown file: prose, programs, numbers that the engine puts in, a sheet, exercises.
 *
 *     lh_program *p = lh_lesson_parse(ctx, "ex1.md", text, length);        its program alone; a .lh text as it stands
 *     lh_lesson *l = lh_lesson_open(ctx, "ex1.md", text, length, NULL);    all of it, for learn/live.h to compute
 *     for (int i = 0; i < l->n_inserts; i++) ... l->insert[i].at, .kind, .expr
 *     lh_lesson_free(l);
 *
 * docs/writing-lessons.md is the format. Reading knows what was written; whether P[1][0] exists is learn/live.h's business.
 *
 * l->markdown is the text for a Markdown parser, line by line as long as the file: each {{...}} is one character, U+E000
 * and the number of the insert (three bytes); each block that is not code for the reader (lesson, use, show, sheet, exercise) is a
 * fenced block ```longhand-block whose first line is its number in l->block. Captions, questions, hints hold inserts likewise.
 *
 * Places are of the file. Everything lies in the lesson's arena.
 */
#ifndef LH_LEARN_LESSON_H
#define LH_LEARN_LESSON_H

#include "base/index.h"
#include "graph/graph.h"
#include "learn/problem.h"
#include "learn/task.h"

/* NULL on error */
lh_program *lh_lesson_parse(lh_context *ctx, const char *file, const char *text, size_t length);
/* its first heading, or of a .lh file its first comment; "" without one */
const char *lh_lesson_title(lh_arena *a, const char *file, const char *text, size_t length);

/* What the sheet blocks of a lesson say, all of them together. Nothing where there is none. */
typedef struct lh_lesson_sheet {
    int digits;        /* 0: not said */
    const char **step; /* names or paths, as written */
    lh_place *at;      /* where each stands */
    int n_steps;       /* 0: every step that is shown is asked */
} lh_lesson_sheet;

/* the context fails on error */
lh_lesson_sheet lh_lesson_sheet_read(lh_context *ctx, lh_arena *a, const char *file,
                                     const char *text, size_t length);

/* The text of another lesson or of a model. */
typedef struct lh_found {
    const char *file; /* lessons/ex1.md: the ending tells what it is */
    const char *text;
    size_t length;
} lh_found;

typedef struct lh_finder {
    bool (*find)(void *who, const char *name, lh_found *out); /* by its short name: ex1, gpt */
    void *who;
} lh_finder;

/* those that travel inside the program: the finder used for NULL */
bool lh_lesson_find(void *who, const char *name, lh_found *out);

/* A word or name as it stands in the text. */
typedef struct lh_mention {
    const char *text;
    lh_place at;
} lh_mention;

/* ---- programs ---- */

typedef struct lh_lesson_program {
    const char *name; /* "" for the lesson's own, which is program 0 */
    lh_place at;
    int exercise; /* the one whose `use:` names it, and that alone sees it, from 1; 0: all see it */
    /* whole, prose blank, so that lines keep their numbers; NULL where it is made from another */
    const char *text;
    size_t length;
    const char *file;  /* of the text */
    bool is_elsewhere; /* the text is another lesson's, whole, or a model's */
    const char *block; /* ... and this is the program of it that is meant; NULL: its own */

    int of;             /* made from this program of the lesson, or -1 */
    lh_mention of_name; /* ... as written: this, line, ex6-wide; text NULL: made from none */
    lh_setting *set;    /* --set */
    int n_set;
    const char **train, **freeze; /* --train, --freeze */
    int n_train, n_freeze;
    int batch;                     /* --batch; 0: all */
    int shuffle;                   /* --shuffle; -1: no */
    const char *mistake;           /* --mistake NAME[@STEP], or NULL */
    unsigned long long seed;       /* --seed; 0: its own numbers */
    struct lh_lesson_piece *piece; /* where its lines stand: one for each block */
    int n_pieces;
} lh_lesson_program;

/* One ```longhand block. */
typedef struct lh_lesson_piece {
    int line, n_lines; /* of the code, without the fences */
} lh_lesson_piece;

/* ---- what is put into the prose ---- */

typedef enum lh_insert_kind {
    LH_INSERT_VALUE,   /* {{P[1][0]}}: a number or a matrix */
    LH_INSERT_CLAIM,   /* {{loss@1 < loss@0}} */
    LH_INSERT_WORD,    /* {{word guess}} */
    LH_INSERT_FORMULA, /* {{formula Z}} */
    LH_INSERT_SHAPE,   /* {{shape WO}} */
    LH_INSERT_COST,    /* {{cost parameters}} */
    LH_INSERT_COUNT,   /* {{count mistakes}} */
    LH_INSERT_FACT,    /* {{fact 2017 | Vaswani et al.}} */
    LH_INSERT_BROKEN,  /* cannot be read: it is among the problems */
} lh_insert_kind;

typedef struct lh_insert {
    lh_insert_kind kind;
    lh_place at;        /* from {{ to }}, as far as it is on that line */
    const char *text;   /* what stands between, trimmed: for messages */
    const char *expr;   /* the expression, or what follows the word: P, parameters, 2017 */
    lh_place expr_at;   /* where that begins */
    int digits;         /* significant digits; 0: four */
    bool is_percent;    /* as a percentage */
    int places;         /* ... with so many places; -1: two */
    bool is_shown;      /* a claim: written out */
    const char *source; /* fact: where it is from */
    int exercise;       /* it stands in this one, from 1; or 0 */
} lh_insert;

enum { LH_INSERT_FIRST = 0xE000, LH_MAX_INSERTS = 0x1900 }; /* U+E000 to U+F8FF */
/* the number of the insert whose character begins here, or -1 */
int lh_insert_at(const char *utf8);

/* ---- show ---- */

typedef enum lh_show_verb {
    LH_SHOW_TRACE,    /* steps */
    LH_SHOW_EXPLAIN,  /* a cell */
    LH_SHOW_MATRIX,   /* steps */
    LH_SHOW_GIVEN,    /* - */
    LH_SHOW_GRAPH,    /* -, or a step: the way to it */
    LH_SHOW_HEAT,     /* a step */
    LH_SHOW_BARS,     /* a step */
    LH_SHOW_LOSS,     /* updates, then programs */
    LH_SHOW_TABLE,    /* updates */
    LH_SHOW_COMPARE,  /* a program, then steps */
    LH_SHOW_CHECK,    /* - */
    LH_SHOW_COST,     /* - */
    LH_SHOW_POINTS,   /* a step, one for the signs, and one to lie behind them */
    LH_SHOW_LINE,     /* steps: over the first, the others */
    LH_SHOW_JACOBIAN, /* a row of a call */
    LH_SHOW_MISTAKES, /* - */
    LH_SHOW_VECTORS,  /* a step */
    LH_SHOW_STRIPES,  /* a step */
    LH_SHOW_GROWTH,   /* as line */
    LH_SHOW_MODEL,    /* - */
    LH_SHOW_MOVES,    /* two steps */
    LH_SHOW_DIAGRAM,  /* a name of its own, no step */
    LH_N_SHOW
} lh_show_verb;

typedef struct lh_show {
    lh_show_verb verb;
    lh_place at;
    lh_mention of;       /* the program's name as written; text NULL: the lesson's own */
    int program;         /* ... its number */
    lh_mention *operand; /* addresses: Q, P[1][0], W@10 */
    int n_operands;
    int updates; /* loss, table */
    int *other;  /* loss, compare: further programs */
    int n_other;
    const char *caption; /* the comment, with inserts; or "" */
    lh_place caption_at;
    int exercise; /* it stands in this one, from 1; or 0 */
} lh_show;

extern const char *const lh_show_words[LH_N_SHOW]; /* "trace", "explain" ... */

/* ---- exercises ---- */

/* choice: The loss falls. | up:loss@1 < up:loss@0 */
typedef struct lh_field {
    const char *name;  /* "choice" */
    const char *value; /* behind the colon, without a comment, trimmed; inserts are characters */
    lh_place at, value_at;
    const char *left, *right; /* before and behind the last |; right NULL without one */
    lh_place right_at;
} lh_field;

typedef struct lh_exercise {
    const lh_task_kind *kind;
    int number;        /* in the lesson, from 1 */
    const char *title; /* "" without one */
    lh_field *field;   /* every field, in order; use: and show: are read already */
    int n_fields;
    const char *question; /* Markdown, with inserts */
    lh_place question_at;
    int *show; /* its show: items, in the lesson's list */
    int n_shows;
    lh_place at; /* the fence */
} lh_exercise;

/* The number-th of that name, from 0; or NULL. */
const lh_field *lh_exercise_field(const lh_exercise *e, const char *name, int number);

/* ---- the whole ---- */

typedef enum lh_lesson_block_kind {
    LH_BLOCK_LESSON,   /* head */
    LH_BLOCK_USE,      /* programs */
    LH_BLOCK_SHOW,     /* show items first to first + n - 1 */
    LH_BLOCK_SHEET,    /* sheet */
    LH_BLOCK_EXERCISE, /* exercise `first` */
} lh_lesson_block_kind;

typedef struct lh_lesson_block {
    lh_lesson_block_kind kind;
    lh_place at; /* its fence */
    int first, n;
} lh_lesson_block;

/* A run of text that a reader reads as prose, as it stands in the file. */
typedef struct lh_prose {
    const char *s;
    size_t n;
    lh_place at; /* where it begins */
} lh_prose;

typedef struct lh_heading {
    const char *text;   /* with inserts */
    const char *anchor; /* scores-scaled */
    int level;          /* 2 for ## */
    lh_place at;
} lh_heading;

enum { LH_MOST_UPDATES = 1000000, LH_MAX_PROGRAMS = 100 };

typedef struct lh_lesson {
    lh_context *ctx;
    lh_arena *arena;
    lh_finder finder;
    const char *file, *name; /* lessons/ex1.md, ex1 */
    const char *source;      /* a copy */
    size_t length;

    const char *title;
    int minutes;       /* 0: not said */
    lh_mention *needs; /* lessons to read before */
    int n_needs;
    lh_mention next; /* text NULL: not said */

    const char *markdown;
    /* paragraphs, captions, questions, hints: what markdown is made of, in order */
    lh_prose *prose;
    int n_proses;
    lh_heading *heading; /* but the title */
    int n_headings;
    lh_index anchors; /* of the headings, with their lines */
    /* program 0 is the lesson's own; its text is NULL where the lesson has none */
    lh_lesson_program *program;
    int n_programs;
    bool has_too_many; /* programs: it is said once */
    lh_insert *insert;
    int n_inserts;
    lh_show *show;
    int n_shows;
    lh_exercise *exercise;
    int n_exercises;
    lh_lesson_sheet sheet;
    lh_lesson_block *block;
    int n_blocks;

    lh_problems *problems; /* what is wrong with the text */
    int most_updates; /* that may be asked for: LH_MOST_UPDATES, unless a caller has less patience */
} lh_lesson;

/* NULL and the context failed when anything is wrong with it; finder may be NULL */
lh_lesson *lh_lesson_open(lh_context *ctx, const char *file, const char *text, size_t length,
                          const lh_finder *finder);
/* the same, with what is wrong in problems; NULL without memory */
lh_lesson *lh_lesson_read(lh_context *ctx, const char *file, const char *text, size_t length,
                          const lh_finder *finder);
void lh_lesson_free(lh_lesson *l); /* NULL is allowed */
/* as an exercise sees it, from 1, or the prose, 0; `this` and "" are program 0; -1: there is none */
int lh_lesson_program_named(const lh_lesson *l, const char *name, int exercise);
/* one more, without a place in the text; its number */
int lh_lesson_program_add(lh_lesson *l, const lh_lesson_program *p);
/* p's text with the line that makes `name` replaced (NULL: taken away); NULL: there is none */
char *lh_lesson_with_line(lh_arena *a, const lh_program *p, const char *name, const char *line);

#endif
