/* cJSON -- JSON to a tree, as RFC 8259 has it: one function for each kind of value. src/files/json_read.c looks at UTF-8 and at NUL before it and
 * at what stands behind it. */
#include <cjson/cJSON.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 1000, LONGEST_NUMBER = 400 };

typedef struct reader {
    const char *at, *end;
    int depth;
} reader;

static void skip_space(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}

/* ':' or so, behind space. */
static int takes(reader *r, char sign) {
    skip_space(r);
    if (r->at == r->end || *r->at != sign) return 0;
    r->at++;
    return 1;
}

/* ---- texts ---- */

static int read_hex(reader *r, unsigned *code) {
    if (r->end - r->at < 4) return 0;
    *code = 0;
    for (int i = 0; i < 4; i++) {
        const char c = r->at[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return 0;
        *code = *code * 16 + (unsigned)digit;
    }
    r->at += 4;
    return 1;
}

/* Behind \u: one sign, or two that belong together (\ud83d\ude00). */
static int read_code(reader *r, unsigned *code) {
    unsigned low;
    if (!read_hex(r, code) || (*code >= 0xdc00 && *code <= 0xdfff)) return 0;
    if (*code < 0xd800 || *code > 0xdbff) return 1;
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') return 0;
    r->at += 2;
    if (!read_hex(r, &low) || low < 0xdc00 || low > 0xdfff) return 0;
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return 1;
}

static char *put_utf8(char *to, unsigned c) {
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(first[more] | c >> (6 * more));
    for (int i = more - 1; i >= 0; i--) *to++ = (char)(0x80 | ((c >> (6 * i)) & 0x3f));
    return to;
}

/* Behind a backslash; NULL: no such escape. */
static char *read_escape(reader *r, char *to) {
    static const char letter[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    unsigned code;
    const char c = r->at < r->end ? *r->at++ : 0;
    const char *found = c ? strchr(letter, c) : NULL;
    if (found) {
        *to++ = means[found - letter];
        return to;
    }
    return c == 'u' && read_code(r, &code) ? put_utf8(to, code) : NULL;
}

/* The length as it is written is enough: no escape is shorter than what it means. */
static size_t written_length(const reader *r) {
    const char *p = r->at;
    while (p < r->end && *p != '"') p += *p == '\\' && p + 1 < r->end ? 2 : 1;
    return (size_t)(p - r->at);
}

/* From the first quote to the last; NULL: not a text, or no memory. */
static char *read_text(reader *r) {
    if (!takes(r, '"')) return NULL;
    char *text = malloc(written_length(r) + 1), *to = text;
    while (to && r->at < r->end && *r->at != '"') {
        if (*r->at == '\\')
            r->at++, to = read_escape(r, to);
        else
            *to++ = *r->at++;
    }
    if (to && takes(r, '"')) {
        *to = 0;
        return text;
    }
    free(text);
    return NULL;
}

/* ---- values ---- */

static int read_value(reader *r, cJSON *to);

static int read_word(reader *r, cJSON *to) {
    static const struct {
        const char *word;
        int type;
    } words[] = {{"null", cJSON_NULL}, {"false", cJSON_False}, {"true", cJSON_True}};
    for (int i = 0; i < 3; i++) {
        const size_t n = strlen(words[i].word);
        if ((size_t)(r->end - r->at) < n || memcmp(r->at, words[i].word, n) != 0) continue;
        r->at += n;
        to->type = words[i].type;
        return 1;
    }
    return 0;
}

static int read_number(reader *r, cJSON *to) {
    char copy[LONGEST_NUMBER + 1], *end;
    size_t n = 0;
    while (r->at + n < r->end && n < LONGEST_NUMBER && r->at[n] &&
           strchr("0123456789+-.eE", r->at[n]))
        n++;
    memcpy(copy, r->at, n);
    copy[n] = 0;
    const int saved = errno; /* a number too large is no lack of memory */
    to->valuedouble = strtod(copy, &end);
    errno = saved;
    if (end == copy) return 0;
    r->at += end - copy;
    to->type = cJSON_Number;
    to->valueint = to->valuedouble >= 2147483647.0    ? 2147483647
                   : to->valuedouble <= -2147483648.0 ? -2147483647 - 1
                                                      : (int)to->valuedouble;
    return 1;
}

static cJSON *new_child(cJSON *of) {
    cJSON *item = calloc(1, sizeof *item);
    if (!item) return NULL;
    cJSON *last = of->child ? of->child->prev : NULL;
    if (last)
        last->next = item, item->prev = last;
    else
        of->child = item;
    of->child->prev = item;
    return item;
}

/* [1, 2] and {"a": 1}: what begins and ends it has been looked at by the caller. */
static int read_inside(reader *r, cJSON *to, char end) {
    const int is_object = end == '}';
    if (++r->depth > DEEP) return 0;
    to->type = is_object ? cJSON_Object : cJSON_Array;
    if (!takes(r, end)) {
        do {
            cJSON *item = new_child(to);
            if (!item) return 0;
            if (is_object && (!(item->string = read_text(r)) || !takes(r, ':'))) return 0;
            if (!read_value(r, item)) return 0;
        } while (takes(r, ','));
        if (!takes(r, end)) return 0;
    }
    r->depth--;
    return 1;
}

static int read_value(reader *r, cJSON *to) {
    skip_space(r);
    if (r->at == r->end) return 0;
    if (*r->at == '{' || *r->at == '[') return read_inside(r, to, *r->at++ == '{' ? '}' : ']');
    if (*r->at != '"') return strchr("-0123456789", *r->at) ? read_number(r, to) : read_word(r, to);
    to->type = cJSON_String;
    return (to->valuestring = read_text(r)) != NULL;
}

cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t length, const char **end,
                                 cJSON_bool is_whole) {
    reader r = {text, text + length, 0};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        r.at += 3; /* a mark that some editors write */
    cJSON *root = calloc(1, sizeof *root);
    int is_good = root && read_value(&r, root);
    if (is_good && is_whole) {
        skip_space(&r);
        is_good = r.at == r.end || !*r.at;
    }
    if (end) *end = r.at;
    if (is_good) return root;
    cJSON_Delete(root);
    return NULL;
}

cJSON *cJSON_Parse(const char *text) {
    return cJSON_ParseWithLengthOpts(text, strlen(text) + 1, NULL, 0);
}

void cJSON_Delete(cJSON *item) {
    while (item) {
        cJSON *next = item->next;
        cJSON_Delete(item->child);
        free(item->valuestring);
        free(item->string);
        free(item);
        item = next;
    }
}

/* ---- asking ---- */

cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *name) {
    cJSON *item = object ? object->child : NULL;
    while (item && (!item->string || strcmp(item->string, name) != 0)) item = item->next;
    return item;
}

int cJSON_GetArraySize(const cJSON *array) {
    int n = 0;
    for (const cJSON *item = array ? array->child : NULL; item; item = item->next) n++;
    return n;
}

static int is(const cJSON *item, int type) {
    return item && (item->type & 0xff & type) != 0;
}

char *cJSON_GetStringValue(const cJSON *item) {
    return is(item, cJSON_String) ? item->valuestring : NULL;
}

cJSON_bool cJSON_IsArray(const cJSON *item) {
    return is(item, cJSON_Array);
}

cJSON_bool cJSON_IsObject(const cJSON *item) {
    return is(item, cJSON_Object);
}

cJSON_bool cJSON_IsString(const cJSON *item) {
    return is(item, cJSON_String);
}

cJSON_bool cJSON_IsNumber(const cJSON *item) {
    return is(item, cJSON_Number);
}

cJSON_bool cJSON_IsBool(const cJSON *item) {
    return is(item, cJSON_True | cJSON_False);
}

cJSON_bool cJSON_IsTrue(const cJSON *item) {
    return is(item, cJSON_True);
}

cJSON_bool cJSON_IsFalse(const cJSON *item) {
    return is(item, cJSON_False);
}

cJSON_bool cJSON_IsNull(const cJSON *item) {
    return is(item, cJSON_NULL);
}
