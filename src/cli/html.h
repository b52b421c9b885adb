/* html -- text, code, pictures and matrices as HTML that is well-formed XML too: any XML reader can check a page.
 *
 *     lh_html_text(out, "a < b");                  a &lt; b
 *     lh_html_in(out, "<p>", words, "</p>\n");
 *     lh_html_code(out, text, true);               notation: comments and keywords are marked
 */
#ifndef LH_CLI_HTML_H
#define LH_CLI_HTML_H

#include <stdio.h>

#include "learn/paper.h"

void lh_html_text(FILE *out, const char *s); /* escaped, as lh_text_add_xml */
void lh_html_in(FILE *out, const char *before, const char *text, const char *after);
void lh_html_code(FILE *out, const char *code, bool is_notation);
void lh_html_grid(FILE *out, const lh_grid *g, const char *label); /* a table with headers */

/* An SVG document inside a page: its ids get a prefix, its rules are left out and returned in *style (in a), so that a page
 * with many pictures has them once. */
void lh_html_svg(FILE *out, lh_arena *a, const char *svg, const char *prefix, const char *class,
                 const char **style);
void lh_html_scoped(FILE *out, const char *style,
                    const char *scope); /* those rules for what stands in `scope`, light and dark */
void lh_js_text(FILE *out, const char *s); /* a string of JavaScript with its quotes */

#endif
