/* json -- JSON on its way out: commas and quotes are its business, the order of calls is the structure.
 *
 *     lh_json j = lh_json_into(&text);
 *     lh_json_begin(&j, NULL, '{');  lh_json_text(&j, "name", "P");  lh_json_end(&j, '}');  lh_json_close(&j);
 *
 * Where it goes is a function: into a text here, to a stream in the program (cli/json_stream.h).
 */
#ifndef LH_PAGES_JSON_H
#define LH_PAGES_JSON_H

#include "base/context.h"

typedef struct lh_json {
    void (*put)(void *to, const char *s, size_t n);
    void *to;
    bool needs_comma;
    bool is_line; /* all of it on one line; set it after the opening */
    int depth;
} lh_json;

lh_json lh_json_into(lh_text *t);
void lh_json_close(lh_json *j); /* the final newline */
/* '{' or '['; name NULL inside [ ] */
void lh_json_begin(lh_json *j, const char *name, char bracket);
void lh_json_end(lh_json *j, char bracket);
void lh_json_text(lh_json *j, const char *name, const char *text); /* NULL: null */
/* the shortest text that reads back the same; nan and inf as strings */
void lh_json_number(lh_json *j, const char *name, double x);
void lh_json_int(lh_json *j, const char *name, long long n);
void lh_json_bool(lh_json *j, const char *name, bool b);

#endif
