/* check_report -- what a check found, in words and as JSON.
 *
 *     lh_check_line l = lh_check_describe(arena, check, LH_CHECK_DIFFERENCES);
 *     if (l.text) ... l.label, l.is_wrong                        differences   6 gradients of L, all 24 cells; ...
 *     lh_check_text(&text, check);                               all of it as lines
 */
#ifndef LH_PAGES_CHECK_REPORT_H
#define LH_PAGES_CHECK_REPORT_H

#include "explain/check.h"
#include "pages/json.h"

/* What all findings of a kind come to. */
typedef struct lh_check_line {
    const char *label; /* "differences" */
    const char *text;  /* NULL: nothing of this kind was looked at */
    bool is_wrong;
    const lh_finding *worst; /* whose error and place the text tells, or NULL */
    size_t error, where;     /* ... and where in it they begin */
} lh_check_line;

lh_check_line lh_check_describe(lh_arena *a, const lh_check *c, lh_check_kind kind);
/* of a wrong one: is 0.5 and should be 0.25, ... */
const char *lh_finding_text(lh_arena *a, const lh_finding *f);
void lh_check_text(lh_text *out, const lh_check *c);
void lh_check_members(lh_json *j, const char *lesson, const lh_check *c); /* inside an object */

#endif
