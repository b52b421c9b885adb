/* html -- text, code, pictures and matrices as HTML that is well-formed XML too: any XML reader can check a page.
 *
 *     lh_put_xml(out, "a < b");                          a &lt; b
 *     lh_put_in(out, "<p>", words, "</p>\n");
 *     lh_put_code(out, text, true);                      notation: comments and keywords are marked
 *     lh_put_grid(out, &grid, "P", &place);              a table whose cells have their addresses: data-at="P[1][0]"
 */
#ifndef LH_PAGES_HTML_H
#define LH_PAGES_HTML_H

#include "learn/paper.h"
#include "pages/page_address.h"

void lh_put(lh_text *out, const char *html);      /* as it is */
void lh_put_xml(lh_text *out, const char *words); /* escaped */
void lh_put_in(lh_text *out, const char *before, const char *words, const char *after);
void lh_put_js(lh_text *out, const char *words); /* a string of JavaScript with its quotes */
void lh_put_code(lh_text *out, const char *code, bool is_notation);

/* Where the numbers of a matrix come from. */
typedef struct lh_grid_place {
    lh_addressed from;
    const lh_step *step;
    int example, head;
} lh_grid_place;

/* a table with headers; place may be NULL */
void lh_put_grid(lh_text *out, const lh_grid *g, const char *label, const lh_grid_place *place);
/* the attributes of a number: data-at and, of a given, data-given */
void lh_put_marks(lh_text *out, const lh_grid_place *place, lh_cell at);
const char *lh_given_name(const lh_step *s, int moment); /* that a reader may change; or NULL */

/* An SVG document inside a page: its ids get a prefix, its rules are left out and returned in *style (in a), so that a page
 * with many pictures has them once. */
void lh_put_svg(lh_text *out, lh_arena *a, const char *svg, const char *prefix, const char *class,
                const char **style);

#endif
