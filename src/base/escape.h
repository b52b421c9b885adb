/* escape -- text inside XML, HTML and JSON.
 *
 *     lh_text_add_xml(&out, "a < b");             a &lt; b
 *     lh_text_add_json(&out, "a\n", 2);           "a\n" with its quotes
 *
 * What is written is always well-formed: control characters and bytes that are not UTF-8 are no XML, so each of them
 * becomes a question mark. JSON strings keep their bytes; a reader that wants UTF-8 checks the text first.
 */
#ifndef LH_BASE_ESCAPE_H
#define LH_BASE_ESCAPE_H

#include "base/context.h"

enum { LH_ESCAPED_MAX = 8 }; /* bytes of the longest escape, with its end: \u001f */

/* One character: how many bytes of s it takes, and how it is written: out or, where it needs no escape, s itself. */
size_t lh_escape_xml(const char *s, const char **written, size_t *length);
size_t lh_escape_json(char out[LH_ESCAPED_MAX], unsigned char c); /* 0: it needs none */
/* likewise, in a script: < too, so that no </script> is in it wherever it may be put */
size_t lh_escape_js(char out[LH_ESCAPED_MAX], unsigned char c);

void lh_text_add_xml(lh_text *t, const char *s);            /* good between tags and in quotes */
void lh_text_add_json(lh_text *t, const char *s, size_t n); /* with quotes around it */

#endif
