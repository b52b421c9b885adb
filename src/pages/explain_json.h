/* explain_json -- how a number came about, line by line, as JSON. */
#ifndef LH_PAGES_EXPLAIN_JSON_H
#define LH_PAGES_EXPLAIN_JSON_H

#include "explain/explain.h"
#include "pages/json.h"

void lh_explanation_json(lh_json *j, const char *lesson, const char *address,
                         const lh_explanation *e);
/* what is inside its brackets */
void lh_explanation_fields(lh_json *j, const char *lesson, const char *address,
                           const lh_explanation *e);

/* The same as lines: address = value, then each line below it, the signs of equality below each other where that fits. */
void lh_explanation_text(lh_text *out, const char *address, const lh_explanation *e, int digits);

#endif
