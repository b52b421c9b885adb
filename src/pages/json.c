#include "pages/json.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"

static void put(const lh_json *j, const char *s) {
    j->put(j->to, s, strlen(s));
}

/* What needs no escape goes out in one piece. */
static void put_string(const lh_json *j, const char *s) {
    char escaped[LH_ESCAPED_MAX];
    const char *from = s;
    put(j, "\"");
    for (; *s; s++) {
        size_t n = lh_escape_json(escaped, (unsigned char)*s);
        if (!n) continue;
        j->put(j->to, from, (size_t)(s - from));
        j->put(j->to, escaped, n);
        from = s + 1;
    }
    j->put(j->to, from, (size_t)(s - from));
    put(j, "\"");
}

static void lead(lh_json *j, const char *name) {
    char indent[32];
    if (j->needs_comma) put(j, ",");
    if (name && j->depth <= 2 && !j->is_line)
        lh_format(indent, sizeof indent, "\n%*s", j->depth * 2, ""), put(j, indent);
    else if (j->needs_comma)
        put(j, " ");
    if (name) put_string(j, name), put(j, ": ");
    j->needs_comma = true;
}

static void put_text(void *to, const char *s, size_t n) {
    lh_text_add_n(to, s, n);
}

lh_json lh_json_into(lh_text *t) {
    return (lh_json){.put = put_text, .to = t};
}

void lh_json_close(lh_json *j) {
    put(j, "\n");
}

void lh_json_begin(lh_json *j, const char *name, char bracket) {
    lead(j, name);
    j->put(j->to, &bracket, 1);
    j->needs_comma = false;
    j->depth++;
}

void lh_json_end(lh_json *j, char bracket) {
    j->depth--;
    j->put(j->to, &bracket, 1);
    j->needs_comma = true;
}

void lh_json_text(lh_json *j, const char *name, const char *text) {
    lead(j, name);
    if (text)
        put_string(j, text);
    else
        put(j, "null");
}

void lh_json_number(lh_json *j, const char *name, double x) {
    char buffer[64];
    lead(j, name);
    if (isfinite(x))
        put(j, lh_number_exact(buffer, sizeof buffer, x));
    else
        put(j, isnan(x) ? "\"nan\"" : x > 0 ? "\"inf\"" : "\"-inf\"");
}

void lh_json_int(lh_json *j, const char *name, long long n) {
    char buffer[32];
    lead(j, name);
    lh_format(buffer, sizeof buffer, "%lld", n);
    put(j, buffer);
}

void lh_json_bool(lh_json *j, const char *name, bool b) {
    lead(j, name);
    put(j, b ? "true" : "false");
}
