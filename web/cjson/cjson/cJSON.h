/* cJSON -- the part of cJSON's interface that src/files uses, for the module of a page: Debian has the library for this machine alone. What reads
 * is web/cjson/cJSON.c. A page writes no files, so what writes is declared and never called: the linker leaves out whoever would call it.
 *
 * The record and the numbers of its types are those of the library: tests put this reader below the program's own files.
 */
#ifndef LH_WEB_CJSON_H
#define LH_WEB_CJSON_H

#include <stddef.h>

enum {
    cJSON_False = 1,
    cJSON_True = 2,
    cJSON_NULL = 4,
    cJSON_Number = 8,
    cJSON_String = 16,
    cJSON_Array = 32,
    cJSON_Object = 64
};

typedef int cJSON_bool;

typedef struct cJSON {
    struct cJSON *next, *prev; /* beside it; prev of the first is the last */
    struct cJSON *child;       /* the first inside it */
    int type;
    char *valuestring;
    int valueint;
    double valuedouble;
    char *string; /* its name in an object */
} cJSON;

/* NULL: not JSON, and *end is where; or no memory */
cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t length, const char **end,
                                 cJSON_bool is_whole);
cJSON *cJSON_Parse(const char *text);
void cJSON_Delete(cJSON *item); /* NULL is allowed */
cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *name);
int cJSON_GetArraySize(const cJSON *array);
char *cJSON_GetStringValue(const cJSON *item);
cJSON_bool cJSON_IsArray(const cJSON *item);
cJSON_bool cJSON_IsObject(const cJSON *item);
cJSON_bool cJSON_IsString(const cJSON *item);
cJSON_bool cJSON_IsNumber(const cJSON *item);
cJSON_bool cJSON_IsBool(const cJSON *item);
cJSON_bool cJSON_IsTrue(const cJSON *item);
cJSON_bool cJSON_IsFalse(const cJSON *item);
cJSON_bool cJSON_IsNull(const cJSON *item);

cJSON *cJSON_CreateObject(void);
cJSON *cJSON_CreateNull(void);
cJSON *cJSON_CreateNumber(double x);
cJSON *cJSON_CreateString(const char *text);
cJSON *cJSON_CreateStringArray(const char *const *text, int n);
cJSON_bool cJSON_AddItemToObject(cJSON *object, const char *name, cJSON *item);
cJSON_bool cJSON_ReplaceItemInObjectCaseSensitive(cJSON *object, const char *name, cJSON *item);
void cJSON_DeleteItemFromObjectCaseSensitive(cJSON *object, const char *name);
char *cJSON_Print(const cJSON *item);
void cJSON_free(void *memory);
/* asked for by what writes GGUF files, which a page does not do: the linker leaves both out */
cJSON_bool cJSON_Compare(const cJSON *a, const cJSON *b, cJSON_bool case_sensitive);

#define cJSON_ArrayForEach(item, array)                                                            \
    for ((item) = (array) ? (array)->child : NULL; (item); (item) = (item)->next)

#endif
