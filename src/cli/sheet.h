/* sheet -- what the commands around worksheets share: a lesson with its mistakes, and papers of it. */
#ifndef LH_CLI_SHEET_H
#define LH_CLI_SHEET_H

#include "cli/cli.h"
#include "learn/answers.h"
#include "learn/lesson.h"

/* A lesson from which sheets are made. */
typedef struct lh_stock {
    lh_cli *cli;
    lh_source source;
    const char *name; /* ex1; of mine/own.md: own */
    lh_mistakes *mistakes;
    lh_lesson_sheet asks; /* what the lesson wants to be asked */
} lh_stock;

bool lh_stock_open(lh_cli *cli, const char *lesson, lh_stock *s); /* false: already reported */
void lh_stock_close(lh_stock *s);

/* Which sheet. Steps: named for this one sheet; none: as the lesson says. digits 0: as the lesson says, or 4. */
typedef struct lh_sheet_wish {
    unsigned long long seed;
    int digits;
    const char *const *steps;
    int n_steps;
    const char *form;
    bool key;
} lh_sheet_wish;
lh_paper *lh_stock_paper(lh_stock *s,
                         const lh_sheet_wish *w); /* NULL and the context failed: report it */

/* The formats. */
void lh_sheet_text(const lh_cli *cli, FILE *out, const lh_paper *p, const char *hidden);
void lh_sheet_markdown(const lh_cli *cli, FILE *out, const lh_paper *p, const char *hidden);
void lh_sheet_html(FILE *out, const lh_paper *p, const char *hidden);
void lh_sheet_json(FILE *out, const lh_paper *p, const char *hidden);

const char *lh_short_name(lh_arena *a, const char *path); /* without folder and ending */
const char *lh_section_title(const lh_paper *p, int step,
                             bool *is_new); /* new: the step before is of another section */

#endif
