/* scan_json -- answers as JSON: numbers keep the digits they were written with, bare or in quotes. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "learn/scan.h"

enum { DEEPEST = 64, ESCAPED = 256 };

typedef struct json {
    const char *s, *end;
    int line;
    const char *problem;
} json;

static void json_space(json *j) {
    for (; j->s < j->end && (lh_scan_is_space(*j->s) || *j->s == '\n'); j->s++)
        j->line += *j->s == '\n';
}

static void json_fail(json *j, const char *what) {
    if (!j->problem) j->problem = what;
    j->end = j->s;
}

static bool json_take(json *j, char c) {
    json_space(j);
    if (j->s == j->end || *j->s != c) return false;
    j->s++;
    return true;
}

/* A string as it stands between its quotes. */
static bool json_string(json *j, const char **from, const char **to) {
    if (!json_take(j, '"')) {
        json_fail(j, "a text in quotes is expected here");
        return false;
    }
    *from = j->s;
    while (j->s < j->end && *j->s != '"') {
        if (*j->s == '\\' && j->s + 1 < j->end) j->s++;
        j->line += *j->s == '\n';
        j->s++;
    }
    *to = j->s;
    if (j->s < j->end) {
        j->s++;
        return true;
    }
    json_fail(j, "a quote is not closed");
    return false;
}

static void json_skip(json *j, int depth);

static void json_skip_list(json *j, char close, int depth) {
    const char *from, *to;
    if (depth > DEEPEST) json_fail(j, "brackets inside brackets, too deep");
    if (json_take(j, close)) return;
    do {
        if (close == '}') {
            if (!json_string(j, &from, &to)) return;
            if (!json_take(j, ':')) json_fail(j, "a colon is expected here");
        }
        json_skip(j, depth + 1);
        if (j->problem) return;
    } while (json_take(j, ','));
    if (!json_take(j, close))
        json_fail(j,
                  close == '}' ? "a comma or } is expected here" : "a comma or ] is expected here");
}

static void json_skip(json *j, int depth) {
    const char *from, *to;
    json_space(j);
    if (j->s == j->end) {
        json_fail(j, "a value is missing at the end");
        return;
    }
    if (*j->s == '"') {
        json_string(j, &from, &to);
    } else if (*j->s == '{' || *j->s == '[') {
        char close = *j->s == '{' ? '}' : ']';
        j->s++;
        json_skip_list(j, close, depth);
    } else {
        from = j->s;
        while (j->s < j->end && !lh_scan_is_space(*j->s) && !strchr("\n,:{}[]\"", *j->s)) j->s++;
        if (j->s == from) json_fail(j, "a value is expected here");
    }
}

static unsigned hex4(const char *s) {
    char text[5] = {s[0], s[1], s[2], s[3], 0};
    return (unsigned)strtoul(text, NULL, 16);
}

/* What follows \\u: four digits, or two times four for what lies beyond. Half a pair is no character. */
static size_t put_escape(const char *s, const char *e, char *out, size_t *n) {
    unsigned c = hex4(s), low = e - s >= 10 && s[4] == '\\' && s[5] == 'u' ? hex4(s + 6) : 0;
    const uint32_t both = lh_utf16_pair(c, low);
    *n += lh_utf8_write(out + *n, both ? both : lh_utf16_is_half(c) ? '?' : c);
    return both ? 10 : 4;
}

/* A string without its escapes; 0 bytes long where it does not fit. */
static size_t unescape(const char *s, const char *e, char out[ESCAPED]) {
    size_t n = 0;
    while (s < e) {
        if (n + 4 > ESCAPED) return 0;
        if (*s != '\\' || s + 1 == e) {
            out[n++] = *s++;
            continue;
        }
        char c = s[1];
        s += 2;
        if (c == 'u' && e - s >= 4)
            s += put_escape(s, e, out, &n);
        else
            out[n++] = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
    return n;
}

static char *json_copy(lh_arena *a, const char *s, const char *e) {
    char out[ESCAPED];
    size_t n = unescape(s, e, out);
    return lh_clean(a, out, n, LH_SCAN_NAME);
}

void lh_scan_json_cells(const char *from, const char *to, int line, lh_cell_visit visit,
                        void *who) {
    json j = {from, to, line, NULL};
    lh_scan_rows r = {0, false};
    bool is_alone = true;
    while (json_space(&j), j.s < j.end) {
        const char *s = j.s, *e;
        if (*s == '[' || *s == ',') {
            is_alone = false;
            j.s++;
        } else if (*s == ']') {
            lh_scan_row_end(&r);
            j.s++;
        } else if (*s == '"') {
            char text[ESCAPED];
            if (!json_string(&j, &s, &e)) return;
            size_t n = memchr(s, '\\', (size_t)(e - s)) ? unescape(s, e, text) : 0;
            const char *plain = n ? text : s;
            if (n == 0) n = (size_t)(e - s);
            if (is_alone) { /* "0.1 0.2; 0.3 0.4" */
                lh_scan_cells(plain, plain + n, j.line, visit, who);
                continue;
            }
            lh_scan_bare(visit, who, r.at, plain, n, j.line);
            r.any = true;
        } else {
            json_skip(&j, 0);
            if (j.problem) return;
            bool is_null = j.s - s == 4 && memcmp(s, "null", 4) == 0;
            lh_scan_bare(visit, who, r.at, s, is_null ? 0 : (size_t)(j.s - s), j.line);
            r.any = true;
        }
    }
}

static void json_answers(lh_arena *a, lh_answer_file *f, json *j) {
    const char *from, *to;
    if (!json_take(j, '{')) {
        json_fail(j, "\"answers\" must be { \"P\": [[...]] }");
        return;
    }
    if (json_take(j, '}')) return;
    do {
        if (!json_string(j, &from, &to)) return;
        if (!json_take(j, ':')) json_fail(j, "a colon is expected here");
        json_space(j);
        int line = j->line;
        const char *value = j->s;
        json_skip(j, 0);
        if (j->problem) return;
        lh_scan_entry(a, f, (lh_answer_entry){json_copy(a, from, to), line, value, j->s});
    } while (json_take(j, ',') && !f->problem);
    if (!f->problem && !json_take(j, '}')) json_fail(j, "a comma or } is expected here");
}

/* A value of the header: a text, or a number as it stands. */
static char *json_word(lh_arena *a, const char *s, const char *e) {
    return e - s >= 2 && *s == '"' ? json_copy(a, s + 1, e - 1)
                                   : lh_clean(a, s, (size_t)(e - s), LH_SCAN_NAME);
}

static void json_steps(lh_arena *a, lh_answer_file *f, const char *s, const char *e) {
    json j = {s, e, 1, NULL};
    if (!json_take(&j, '[') || json_take(&j, ']')) return;
    do {
        const char *from, *to;
        if (!json_string(&j, &from, &to)) return;
        *lh_push(a, f->step, f->n_steps) = json_copy(a, from, to);
    } while (json_take(&j, ','));
}

static void json_field(lh_arena *a, lh_answer_file *f, const char *key, json *j) {
    json_space(j);
    const char *s = j->s;
    int line = j->line;
    json_skip(j, 0);
    if (j->problem) return;
    char *word = *s == '{' || *s == '[' ? NULL : json_word(a, s, j->s);
    bool is_null = !word || !*word || strcmp(word, "null") == 0;
    unsigned long long number;
    if (strcmp(key, "steps") == 0 && *s == '[') {
        json_steps(a, f, s, j->s);
    } else if (is_null) {
        return;
    } else if (strcmp(key, "lesson") == 0) {
        f->lesson = word;
    } else if (strcmp(key, "code") == 0) {
        f->code = word;
    } else if (strcmp(key, "form") == 0) {
        f->form = word;
    } else if (strcmp(key, "learner") == 0) {
        f->learner = word;
    } else if (strcmp(key, "name") == 0) {
        if (!f->learner) f->learner = word;
    } else if (strcmp(key, "id") == 0) {
        f->id = word;
    } else if (strcmp(key, "class") == 0) {
        f->class_code = word;
    } else if (strcmp(key, "seed") == 0) {
        f->has_seed = lh_scan_seed(word, strlen(word), &f->seed);
        if (!f->has_seed) lh_scan_refuse(f, line, "the seed of the sheet is not a number");
    } else if (strcmp(key, "digits") == 0) {
        if (lh_scan_seed(word, strlen(word), &number) && number >= 1 && number <= 15)
            f->digits = (int)number;
        else
            lh_scan_refuse(f, line, "the digits of the sheet are not a number from 1 to 15");
    }
}

void lh_scan_json(lh_arena *a, lh_answer_file *f, const char *text, size_t length) {
    json j = {text, text + length, 1, NULL};
    bool has_answers = false;
    f->is_json = true;
    json_take(&j, '{');
    if (!json_take(&j, '}')) {
        do {
            const char *from, *to;
            if (!json_string(&j, &from, &to)) break;
            if (!json_take(&j, ':')) json_fail(&j, "a colon is expected here");
            char *key = json_copy(a, from, to);
            if (strcmp(key, "answers") == 0 && !has_answers)
                has_answers = true, json_answers(a, f, &j);
            else
                json_field(a, f, key, &j);
        } while (!j.problem && !f->problem && json_take(&j, ','));
        if (!j.problem && !f->problem && !json_take(&j, '}'))
            json_fail(&j, "a comma or } is expected here");
    }
    json_space(&j);
    if (!j.problem && !f->problem && j.s < j.end) json_fail(&j, "something follows the last }");
    if (j.problem) lh_scan_refuse(f, j.line, j.problem);
    if (!has_answers) lh_scan_refuse(f, 0, "there is no \"answers\" in it");
}
