#include "cli/json.h"

#include <math.h>

#include "base/escape.h"
#include "base/number.h"

static void write_string(FILE *out, const char *s) {
    char escaped[LH_ESCAPED_MAX];
    fputc('"', out);
    for (; *s; s++) {
        size_t n = lh_escape_json(escaped, (unsigned char)*s);
        fwrite(n ? escaped : s, 1, n ? n : 1, out);
    }
    fputc('"', out);
}

static void lead(lh_json *j, const char *name) {
    if (j->needs_comma) fputc(',', j->out);
    if (name && j->depth <= 2 && !j->is_line)
        fprintf(j->out, "\n%*s", j->depth * 2, "");
    else if (j->needs_comma)
        fputc(' ', j->out);
    if (name) write_string(j->out, name), fputs(": ", j->out);
    j->needs_comma = true;
}

lh_json lh_json_open(FILE *out) {
    return (lh_json){.out = out};
}

void lh_json_close(lh_json *j) {
    fputc('\n', j->out);
}

void lh_json_begin(lh_json *j, const char *name, char bracket) {
    lead(j, name);
    fputc(bracket, j->out);
    j->needs_comma = false;
    j->depth++;
}

void lh_json_end(lh_json *j, char bracket) {
    j->depth--;
    fputc(bracket, j->out);
    j->needs_comma = true;
}

void lh_json_text(lh_json *j, const char *name, const char *text) {
    lead(j, name);
    if (text)
        write_string(j->out, text);
    else
        fputs("null", j->out);
}

void lh_json_number(lh_json *j, const char *name, double x) {
    char buffer[64];
    lead(j, name);
    if (isfinite(x))
        fputs(lh_number_exact(buffer, sizeof buffer, x), j->out);
    else
        fprintf(j->out, "\"%s\"", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

void lh_json_int(lh_json *j, const char *name, long long n) {
    lead(j, name);
    fprintf(j->out, "%lld", n);
}

void lh_json_bool(lh_json *j, const char *name, bool b) {
    lead(j, name);
    fputs(b ? "true" : "false", j->out);
}
