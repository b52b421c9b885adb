#include "base/ascii.h"
#include "learn/entry.h"

#include <stdlib.h>
#include <string.h>

static const char *skip(const char *s) {
    while (lh_is_space(*s)) s++;
    return s;
}

/* Signs that hold two parts of a number together, whatever spaces are around them: 1 / 3, 1.2 · 10^-3. */
static size_t joint(const char *s) {
    if (*s == '/' || *s == '*' || *s == '^') return 1;
    if (strncmp(s, "\xc2\xb7", 2) == 0 || strncmp(s, "\xc3\x97", 2) == 0) return 2; /* · × */
    return 0;
}

/* A comma belongs to a number when a digit follows it and a digit, a sign or nothing stands before it. */
static bool is_decimal_comma(const char *s, size_t n) {
    return lh_is_digit(s[1]) && (!n || lh_is_digit(s[-1]) || s[-1] == '-' || s[-1] == '+');
}

/* One cell: up to a space, a separator or the end, with the spaces taken out around / * · × ^ and before %. */
static const char *read_cell(lh_arena *a, char *room, const char *s, const char *end,
                             const char **cell) {
    size_t n = 0;
    while (s < end && *s != ';' && *s != '|' && (*s != ',' || is_decimal_comma(s, n))) {
        size_t k = joint(s);
        if (k) {
            memcpy(room + n, s, k);
            n += k;
            s = skip(s + k);
        } else if (lh_is_space(*s)) {
            const char *next = skip(s);
            if (next >= end || (!joint(next) && *next != '%')) break;
            s = next;
        } else {
            room[n++] = *s++;
        }
    }
    *cell = n ? lh_copy(a, room, n) : "_";
    return s;
}

static lh_entry_row *new_row(lh_arena *a, lh_entry *e, int block) {
    lh_entry_row *r = lh_push(a, e->row, e->n_rows);
    *r = (lh_entry_row){.block = block};
    return r;
}

static const char *skip_in_line(const char *s, const char *end) {
    while (s < end && lh_is_space(*s) && *s != '\n') s++;
    return s;
}

/* Rows by ; and line ends, blocks by |. Empty rows are none: a ; at the end says that more is to come. */
static void read_rows(lh_arena *a, lh_entry *e, const char *s, const char *end) {
    lh_entry_row *row = NULL;
    int block = 0;
    char *room = lh_alloc(a, (size_t)(end - s) + 1);
    for (s = skip(s); room && s < end; s = skip_in_line(s, end)) {
        if (*s == ';' || *s == '\n' || *s == '|') {
            block += *s == '|';
            if (*s != '\n') e->is_open = true;
            row = NULL;
            s++;
            continue;
        }
        if (!row) row = new_row(a, e, block);
        const char *cell;
        s = skip_in_line(read_cell(a, room, s, end, &cell), end);
        if (s < end && *s == ',' && !is_decimal_comma(s, 0)) s++;
        *lh_push(a, row->cell, row->n_cells) = cell;
        e->is_open = false;
    }
    e->n_blocks = block + 1;
}

static const char *trimmed(lh_arena *a, const char *s, const char *end) {
    s = skip(s);
    while (end > s && (lh_is_space(end[-1]) || end[-1] == ':')) end--;
    return lh_copy(a, s, end > s ? (size_t)(end - s) : 0);
}

lh_entry lh_entry_read(lh_arena *a, const char *text) {
    lh_entry e = {.target = "", .number = -1};
    const char *s = skip(text), *equals = strchr(s, '=');
    if (equals) {
        e.target = trimmed(a, s, equals);
        s = skip(equals + 1);
    } else if (lh_is_digit(*s)) {
        const char *p = s + strspn(s, "0123456789");
        if (*skip(p) == ':') {
            long n = strtol(s, NULL, 10);
            e.number = n > 1000000 ? 1000000 : (int)n;
            s = skip(skip(p) + 1);
        }
    }
    const char *end = s + strlen(s);
    bool has_open = *s == '[';
    if (has_open) s++;
    while (end > s && lh_is_space(end[-1])) end--;
    bool has_close = end > s && end[-1] == ']';
    if (has_close) end--;
    read_rows(a, &e, s, end);
    e.is_open = has_close ? false : e.is_open || has_open;
    return e;
}

bool lh_entry_is_numbers(const char *text) {
    const char *s = skip(text);
    if (strchr(s, '=')) return true;
    if (*s == '?') return s[1] && *skip(s + 1); /* ? alone asks for help */
    return *s && (lh_is_digit(*s) || strchr("+-.,[{_", *s) || (unsigned char)*s >= 0x80);
}
