/* json_read -- JSON from a file, on top of cJSON, checked for what cJSON lets pass.
 *
 *     cJSON *root = lh_json_parse(ctx, "config.json", text, length);      NULL and the context failed
 *     long long n;
 *     if (lh_json_whole(cJSON_GetObjectItemCaseSensitive(root, "n_layer"), &n)) ...
 *     cJSON_Delete(root);
 *
 * Refused: text that is not UTF-8, a NUL in it (written \u0000 too: cJSON would cut the string there), anything behind the
 * value, more than 1000 brackets deep. Messages have a line and a column. The same name twice in an object passes here;
 * look-up in cJSON is linear, so long objects are walked by ->child.
 *
 * Memory: cJSON's own, from malloc. Where that ends, the error is LH_ERROR_MEMORY.
 */
#ifndef LH_FILES_JSON_READ_H
#define LH_FILES_JSON_READ_H

#include <cjson/cJSON.h>

#include "base/context.h"

/* free with cJSON_Delete */
cJSON *lh_json_parse(lh_context *ctx, const char *file, const char *text, size_t length);
/* What was 3.0 in the text is printed as 3.0 again, not as 3: other readers tell them apart. For writing: such an item is raw text
 * then, not a number. */
void lh_json_keep_fractions(cJSON *root, const char *text);
/* a whole number from 0 to 2^53; false otherwise */
bool lh_json_whole(const cJSON *item, long long *n);

#endif
