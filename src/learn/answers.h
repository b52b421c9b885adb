/* answers -- what a learner wrote, read from a file: never a crash, never a number that was not written.
 *
 *     lh_answer_file *f = lh_answer_file_read(arena, text, length);   whose sheet it is: f->lesson, f->seed, f->digits
 *     if (f->problem) ... refused, f->problem_line
 *     lh_filled *r = lh_answers_read(arena, paper, f);               every number in its place
 *     lh_mark(arena, paper->sheet, r->answers, mistakes);
 *
 * Three forms are read. The text of the sheet with its blanks filled in. Lines of your own:
 *
 *     sheet ex1, seed 7, digits 4
 *     Z = 0.1697 0.0424; 0.1061 0.2192          rows end at ; or at the end of a line, cells at spaces, tabs and |
 *     P{example 1, head 0} = [0.498 0.502
 *                             _     0.4]        _ is a blank: never zero
 *     P[1][0] = 0.45                            one cell; P[1] = ... one row
 *
 * And JSON: {"lesson": "ex1", "seed": 7, "digits": 4, "answers": {"Z": [["0.1697", "0.0424"], [0.1061, null]]}}; a bare number
 * keeps its digits too. Lines that begin with # are not read. In Markdown only blocks that begin with ```answers are. A table
 * with a row for each learner is learn/answer_table.h's.
 *
 * Time is linear in the length. The file's text must outlive what is made of it.
 */
#ifndef LH_LEARN_ANSWERS_H
#define LH_LEARN_ANSWERS_H

#include "learn/paper.h"

typedef struct lh_note {
    int line; /* from 1; 0: none */
    const char *what;
} lh_note;

enum { LH_MAX_NOTES = 20 };

/* A list of notes that does not grow without end: n counts all, the first LH_MAX_NOTES are kept. */
typedef struct lh_notes {
    lh_note note[LH_MAX_NOTES];
    int n;
} lh_notes;

typedef struct lh_answer_entry {
    const char *name; /* P{example 1}, as written */
    int line;
    const char *from, *to; /* its numbers in the text */
} lh_answer_entry;

typedef struct lh_answer_file {
    const char *problem; /* why it cannot be read at all, or NULL */
    int problem_line;
    bool is_json;
    int line;           /* of "sheet ex3, ..."; 0: there is none */
    const char *lesson; /* NULL where the file does not say; likewise below */
    const char *code, *form, *learner, *id;
    const char *class_code; /* of the secret it was made with */
    bool has_seed;
    unsigned long long seed;
    int digits; /* 0 */
    const char **step;
    int n_steps;
    lh_answer_entry *entry;
    int n_entries;
    bool drops_zeros; /* a spreadsheet had it, which shows 0.2500 as 0.25 */
    lh_notes notes;   /* lines that belong to nothing */
    bool has_lost;    /* some of them have digits: answers, perhaps */
} lh_answer_file;

lh_answer_file *lh_answer_file_read(lh_arena *a, const char *text, size_t length);

/* A sheet that was filled in. */
typedef struct lh_filled {
    lh_answers *answers;
    const char **text; /* for each cell of the sheet: as written; "" for a blank */
    lh_notes notes;    /* unknown steps, other shapes, what is no number: with its line */
    int n_written, n_unread;
    bool is_absent; /* nothing is written anywhere: nobody worked on it */
} lh_filled;

/* is there a place for it on this sheet? P[1][0], WO := */
bool lh_answer_is_asked(lh_arena *a, const lh_paper *p, const char *name);
lh_filled *lh_answers_read(lh_arena *a, const lh_paper *p, const lh_answer_file *f);

#endif
