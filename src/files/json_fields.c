#include "files/json_fields.h"

#include <string.h>

static const lh_place nowhere = {0, 0, 0};

/* ---- reading ---- */

bool lh_json_fields_read(lh_json_fields *f, const char *text, size_t length) {
    f->root = lh_json_parse(f->ctx, f->file, text, length);
    if (f->root && !cJSON_IsObject(f->root)) {
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "fields in { } are expected");
        lh_fail_in(f->ctx, f->file, NULL, 0);
    }
    return !lh_failed(f->ctx);
}

bool lh_json_fields_end(lh_json_fields *f) {
    cJSON_Delete(f->root);
    f->root = NULL;
    return !lh_failed(f->ctx);
}

const cJSON *lh_json_field(const lh_json_fields *f, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(f->root, name);
    return cJSON_IsNull(item) ? NULL : item;
}

void lh_json_refuse(const lh_json_fields *f, const char *name, const char *want) {
    lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%s must be %s", name, want);
    lh_fail_in(f->ctx, f->file, NULL, 0);
}

void lh_json_read_whole(const lh_json_fields *f, const char *name, int least, int *n) {
    const cJSON *item = lh_json_field(f, name);
    long long value;
    if (!item) return;
    if (!lh_json_whole(item, &value) || value < least || value > LH_JSON_MOST)
        lh_json_refuse(f, name, least ? "a whole number from 1 on" : "a whole number from 0 on");
    else
        *n = (int)value;
}

/* ---- writing ---- */

bool lh_json_fields_write(lh_json_fields *f, const char *kept) {
    if (lh_failed(f->ctx)) return false;
    f->root = kept ? lh_json_parse(f->ctx, "", kept, strlen(kept)) : cJSON_CreateObject();
    if (!f->root) lh_fail(f->ctx, LH_ERROR_MEMORY, nowhere, "out of memory");
    if (kept && f->root) lh_json_keep_fractions(f->root, kept);
    return f->root != NULL;
}

char *lh_json_fields_text(lh_json_fields *f) {
    char *text = lh_failed(f->ctx) ? NULL : cJSON_Print(f->root), *copy = NULL;
    if (text)
        copy = lh_printf(f->arena, "%s\n", text);
    else
        lh_fail(f->ctx, LH_ERROR_MEMORY, nowhere, "out of memory");
    cJSON_free(text);
    return lh_json_fields_end(f) ? copy : NULL;
}

bool lh_json_has(const lh_json_fields *f, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(f->root, name) != NULL;
}

/* cJSON 1.7.15 puts an item without a name where there is no memory for it, and says that all went well. */
void lh_json_put(const lh_json_fields *f, const char *name, cJSON *item) {
    bool is_in =
        item && (lh_json_has(f, name) ? cJSON_ReplaceItemInObjectCaseSensitive(f->root, name, item)
                                      : cJSON_AddItemToObject(f->root, name, item));
    if (is_in && item->string) return;
    if (!is_in) cJSON_Delete(item);
    lh_fail(f->ctx, LH_ERROR_MEMORY, nowhere, "out of memory: writing %s", name);
}

bool lh_json_begins_with(const lh_json_fields *f, const char *name, int token) {
    const cJSON *old = cJSON_GetObjectItemCaseSensitive(f->root, name);
    return cJSON_IsArray(old) && cJSON_IsNumber(old->child) && old->child->valuedouble == token;
}
