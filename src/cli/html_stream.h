/* html_stream -- HTML that goes to a stream as it is written; what lessons are made of is pages/html.h. */
#ifndef LH_CLI_HTML_STREAM_H
#define LH_CLI_HTML_STREAM_H

#include <stdio.h>

void lh_html_text(FILE *out, const char *s); /* escaped, as lh_text_add_xml */
void lh_html_in(FILE *out, const char *before, const char *text, const char *after);
void lh_js_text(FILE *out, const char *s); /* a string of JavaScript with its quotes */
/* rules of pictures for what stands in `scope`, light and dark */
void lh_html_scoped(FILE *out, const char *style, const char *scope);

#endif
