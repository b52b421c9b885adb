#include "base/ascii.h"
#include "learn/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode_forms.h"
#include "base/utf8.h"

/* U+00C0 to U+017F without their marks; large and small look alike here. ß and the ligatures go by their first letter. */
static const char plain[] = "aaaaaaaceeeeiiiidnooooo*ouuuuytsaaaaaaaceeeeiiiidnooooo*ouuuuyty"
                            "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
                            "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

static uint32_t next(const char **s) {
    uint32_t c;
    size_t n = lh_utf8_read(*s, strlen(*s), &c);
    if (n == 0) c = (unsigned char)**s;
    *s += n ? n : 1;
    return c;
}

static uint32_t without_mark(uint32_t c) {
    if (c >= 'A' && c <= 'Z') return c + 32;
    return c >= 0xC0 && c < 0x180 ? (uint32_t)(unsigned char)plain[c - 0xC0] : c;
}

/* Digits by their value, however many: the longer one without zeros at its front is larger. */
static int number_order(const char **a, const char **b) {
    while (**a == '0' && lh_is_digit((*a)[1])) (*a)++;
    while (**b == '0' && lh_is_digit((*b)[1])) (*b)++;
    size_t n = strspn(*a, "0123456789"), m = strspn(*b, "0123456789");
    int order = n != m ? (n < m ? -1 : 1) : memcmp(*a, *b, n);
    *a += n, *b += m;
    return order;
}

int lh_name_order(const char *a, const char *b) {
    const char *s = a, *t = b;
    while (*s && *t) {
        int order;
        if (lh_is_digit(*s) && lh_is_digit(*t)) {
            order = number_order(&s, &t);
        } else {
            uint32_t x = without_mark(next(&s)), y = without_mark(next(&t));
            order = x < y ? -1 : x > y;
        }
        if (order) return order;
    }
    return *s || *t ? (*s ? 1 : -1) : strcmp(a, b);
}

/* Large letters small, with their marks: A to Z, and the pairs of Latin-1 and Latin Extended-A. */
static uint32_t small(uint32_t c) {
    if (c >= 'A' && c <= 'Z') return c + 32;
    if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 32;
    bool is_odd_large = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E);
    if (c < 0x100 || c >= 0x180 || c == 0x130 || c == 0x138 || c == 0x149 || c == 0x178 ||
        c == 0x17F)
        return c;
    return (c % 2 == 1) == is_odd_large ? c + 1 : c;
}

static bool is_space(uint32_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xA0;
}

const char *lh_name_composed(lh_arena *a, const char *name) {
    lh_text t = lh_text_new(a);
    lh_unicode_normalize(&t, name, strlen(name), LH_NFC);
    return t.s;
}

char *lh_name_key(lh_arena *a, const char *name) {
    lh_text t = lh_text_new(a);
    bool wants_space = false;
    name = lh_name_composed(a, name);
    while (*name) {
        char out[4];
        uint32_t c = next(&name);
        if (is_space(c)) {
            wants_space = t.n > 0;
            continue;
        }
        if (wants_space) lh_text_add_n(&t, " ", 1);
        wants_space = false;
        lh_text_add_n(&t, out, lh_utf8_write(out, small(c)));
    }
    return t.s;
}

char *lh_name_file(lh_arena *a, const char *name) {
    lh_text t = lh_text_new(a);
    bool wants_dash = false;
    name = lh_name_composed(a, name);
    while (*name && t.n < 100) {
        char out[4];
        uint32_t c = next(&name);
        if (c <= ' ' || c == 0x7F || c == 0xA0 ||
            (c < 0x80 && strchr("/\\:*?\"<>|,;()[]{}'`$&#!~%", (int)c))) {
            wants_dash = t.n > 0;
            continue;
        }
        if (t.n == 0 && (c == '.' || c == '-')) continue;
        if (wants_dash) lh_text_add_n(&t, "-", 1);
        wants_dash = false;
        lh_text_add_n(&t, out, lh_utf8_write(out, c));
    }
    return t.n ? t.s : lh_printf(a, "nameless");
}

/* Keys do not change while places are sorted by them. */
typedef struct placed {
    const char *key;
    int at;
} placed;

static int by_key(const void *a, const void *b) {
    const placed *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : x->at - y->at;
}

void lh_names_apart(lh_arena *a, const char **name, int n) {
    placed *order = lh_alloc_array(a, (size_t)n + 1, sizeof *order);
    for (int i = 0; order && i < n; i++) order[i] = (placed){lh_name_key(a, name[i]), i};
    if (order) qsort(order, (size_t)n, sizeof *order, by_key);
    for (int i = 1, again = 1; order && i < n; i++) {
        again = strcmp(order[i].key, order[i - 1].key) == 0 ? again + 1 : 1;
        if (again > 1) name[order[i].at] = lh_printf(a, "%s-%d", name[order[i].at], again);
    }
}

/* ---- columns ---- */

static const struct {
    const char *words;
    lh_column column;
} columns[] = {
    {"name", LH_COLUMN_NAME},         {"full name", LH_COLUMN_NAME},
    {"student", LH_COLUMN_NAME},      {"student name", LH_COLUMN_NAME},
    {"learner", LH_COLUMN_NAME},      {"your name", LH_COLUMN_NAME},
    {"first name", LH_COLUMN_FIRST},  {"firstname", LH_COLUMN_FIRST},
    {"given name", LH_COLUMN_FIRST},  {"vorname", LH_COLUMN_FIRST},
    {"first", LH_COLUMN_FIRST},       {"forename", LH_COLUMN_FIRST},
    {"last", LH_COLUMN_LAST},         {"sis user id", LH_COLUMN_ID},
    {"last name", LH_COLUMN_LAST},    {"lastname", LH_COLUMN_LAST},
    {"surname", LH_COLUMN_LAST},      {"family name", LH_COLUMN_LAST},
    {"nachname", LH_COLUMN_LAST},     {"id", LH_COLUMN_ID},
    {"student id", LH_COLUMN_ID},     {"id number", LH_COLUMN_ID},
    {"number", LH_COLUMN_ID},         {"student number", LH_COLUMN_ID},
    {"username", LH_COLUMN_ID},       {"email", LH_COLUMN_ID},
    {"e-mail", LH_COLUMN_ID},         {"email address", LH_COLUMN_ID},
    {"matrikelnummer", LH_COLUMN_ID}, {"form", LH_COLUMN_FORM},
    {"seed", LH_COLUMN_SEED},         {"digits", LH_COLUMN_DIGITS},
    {"sheet", LH_COLUMN_SHEET},
};

lh_column lh_column_of(const char *words) {
    char key[40];
    size_t n = 0;
    for (; *words && n + 1 < sizeof key; words++) {
        char c = *words;
        if (c == '_' || c == '.') c = ' ';
        if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
        if (c == ' ' && (n == 0 || key[n - 1] == ' ')) continue;
        key[n++] = c;
    }
    while (n && key[n - 1] == ' ') n--;
    key[n] = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(columns[i].words, key) == 0) return columns[i].column;
    return LH_COLUMN_OTHER;
}
