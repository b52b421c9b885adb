/* sheet -- what the commands around worksheets share: a lesson with its mistakes, and papers of it. */
#ifndef LH_CLI_SHEET_H
#define LH_CLI_SHEET_H

#include "cli/cli.h"
#include "learn/answers.h"
#include "learn/lesson.h"
#include "learn/roster.h"
#include "learn/secret.h"
#include "pages/sheet_text.h"

/* A lesson from which sheets are made. */
typedef struct lh_sheet_lesson {
    lh_cli *cli;
    lh_source source;
    const char *name; /* ex1; of mine/own.md: own */
    lh_mistakes *mistakes;
    lh_lesson_sheet asks; /* what the lesson wants to be asked */
} lh_sheet_lesson;

/* false: already reported */
bool lh_sheet_lesson_open(lh_cli *cli, const char *lesson, lh_sheet_lesson *s);
void lh_sheet_lesson_close(lh_sheet_lesson *s);

/* Which sheet. Steps: named for this one sheet; none: as the lesson says. digits 0: as the lesson says, or 4. */
typedef struct lh_sheet_wish {
    unsigned long long seed;
    int digits;
    const char *const *steps;
    int n_steps;
    const char *form;
    bool key;
    bool with_tiny; /* see lh_paper_how */
} lh_sheet_wish;
/* NULL and the context failed: report it */
lh_paper *lh_sheet_lesson_paper(lh_sheet_lesson *s, const lh_sheet_wish *w);

/* The formats. */
typedef enum lh_sheet_format {
    LH_SHEET_TEXT,
    LH_SHEET_MARKDOWN,
    LH_SHEET_HTML,
    LH_SHEET_JSON,
    LH_SHEET_CSV,
    LH_SHEET_MOODLE,
    LH_SHEET_QTI,
    LH_N_SHEET_FORMATS
} lh_sheet_format;
extern const char *const lh_sheet_endings[LH_N_SHEET_FORMATS]; /* "txt", "md" ... */

void lh_sheet_write(const lh_cli *cli, FILE *out, const lh_handout *h, lh_sheet_format f);
void lh_sheet_html(FILE *out, const lh_handout *h);
void lh_sheet_moodle(FILE *out, const lh_handout *h); /* of a key: sheet_quiz.c */
void lh_sheet_qti(FILE *out, const lh_handout *h);    /* likewise: a package, in bytes */

/* Pages of several students as one file, to be printed in one go. */
void lh_sheet_html_open(FILE *out, const char *title, bool is_short);
void lh_sheet_html_add(FILE *out, const lh_handout *h, int number);
void lh_sheet_html_close(FILE *out);
bool lh_sheet_html_fits(const lh_paper *p); /* on two pages, and still to be read */

/* Sheets for a class (sheet_class.c). */
typedef struct lh_sheet_class {
    lh_sheet_lesson *from;
    const lh_secret *secret; /* or NULL */
    const lh_roster *roster; /* or NULL: forms alone */
    int forms;               /* 0: everybody has numbers of his own */
    lh_sheet_wish wish;      /* seed: of the first form where there is no secret */
    lh_sheet_format format;
    bool is_short, wants_key;
    const char *out;
} lh_sheet_class;
int lh_sheet_class_write(const lh_sheet_class *c);
const char *lh_form_name(lh_arena *a, int number);  /* from 0: A ... Z, AA, AB ... */
bool lh_form_number(const char *form, int *number); /* and back; 12 is the twelfth */

lh_secret *lh_cli_secret(lh_cli *cli, const char *file); /* NULL: already reported */
lh_roster *lh_cli_roster(lh_cli *cli, const char *file);

const char *lh_short_name(lh_arena *a, const char *path); /* without folder and ending */

#endif
