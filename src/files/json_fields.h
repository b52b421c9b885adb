/* json_fields -- the fields of a JSON file that other tools write too: read by name, and written among those that are not ours.
 *
 *     lh_json_fields f = {ctx, arena, "config.json", NULL};
 *     if (lh_json_fields_read(&f, text, length)) lh_json_read_whole(&f, "n_layer", 1, &layers);
 *     bool ok = lh_json_fields_end(&f);
 *
 *     if (lh_json_fields_write(&f, kept)) lh_json_put(&f, "n_layer", cJSON_CreateNumber(layers));
 *     char *text = lh_json_fields_text(&f);                ends it, too; in the arena; NULL and the context failed
 *
 * Reading: a field that is not there, or is null, leaves what was there. Writing: into what was kept, in its order; new fields come
 * behind. Errors name the field and the file.
 */
#ifndef LH_FILES_JSON_FIELDS_H
#define LH_FILES_JSON_FIELDS_H

#include "files/json_read.h"

enum { LH_JSON_MOST = 1 << 28 }; /* sizes and tokens */

typedef struct lh_json_fields {
    lh_context *ctx;
    lh_arena *arena;
    const char *file;
    cJSON *root;
} lh_json_fields;

/* false: the context failed */
bool lh_json_fields_read(lh_json_fields *f, const char *text, size_t length);
bool lh_json_fields_end(lh_json_fields *f);
const cJSON *lh_json_field(const lh_json_fields *f, const char *name);
void lh_json_refuse(const lh_json_fields *f, const char *name, const char *want);
void lh_json_read_whole(const lh_json_fields *f, const char *name, int least, int *n);

/* kept: what was read, or NULL; false: the context failed */
bool lh_json_fields_write(lh_json_fields *f, const char *kept);
char *lh_json_fields_text(lh_json_fields *f);
bool lh_json_has(const lh_json_fields *f, const char *name);
void lh_json_put(const lh_json_fields *f, const char *name, cJSON *item); /* takes it */
/* a list of tokens that begins with this one: it stays a list */
bool lh_json_begins_with(const lh_json_fields *f, const char *name, int token);

#endif
