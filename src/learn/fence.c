#include "learn/fence.h"
#include "base/ascii.h"

#include <string.h>

lh_text_row lh_row_trim(lh_text_row row) {
    while (row.n && lh_is_space(*row.s)) row.s++, row.n--;
    while (row.n && lh_is_space(row.s[row.n - 1])) row.n--;
    return row;
}

lh_text_row lh_row_code(lh_text_row row) {
    bool in_string = false;
    for (size_t i = 0; i < row.n; i++) {
        if (row.s[i] == '"') in_string = !in_string;
        if (row.s[i] == '#' && !in_string && (i == 0 || lh_is_space(row.s[i - 1]))) row.n = i;
    }
    return lh_row_trim(row);
}

bool lh_row_word(lh_text_row *rest, lh_text_row *word) {
    *rest = lh_row_trim(*rest);
    if (rest->n == 0) return false;
    size_t n = 0;
    while (n < rest->n && !lh_is_space(rest->s[n])) n++;
    *word = (lh_text_row){rest->s, n, rest->number};
    rest->s += n;
    rest->n -= n;
    return true;
}

/* The mark of its order of bytes, that some editors begin a file with. */
static size_t mark_length(const char *text, size_t length) {
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

bool lh_text_row_next(const char *text, size_t length, int first, lh_text_row *row) {
    const char *end = text + length,
               *s = row->s ? row->s + row->n : text + mark_length(text, length);
    if (row->s && s < end) s++;
    if (s >= end) return false;
    row->number = row->s ? row->number + 1 : first;
    const char *stop = memchr(s, '\n', (size_t)(end - s));
    row->s = s;
    row->n = stop ? (size_t)(stop - s) : (size_t)(end - s);
    return true;
}

/* How many signs the fence in this line has; 0: it is none. */
static size_t fence_length(lh_text_row row, char *sign) {
    size_t indent = 0, n = 0;
    while (indent < row.n && row.s[indent] == ' ') indent++;
    if (indent > 3 || indent == row.n) return 0;
    *sign = row.s[indent];
    if (*sign != '`' && *sign != '~') return 0;
    while (indent + n < row.n && row.s[indent + n] == *sign) n++;
    bool is_span = *sign == '`' && memchr(row.s + indent + n, '`', row.n - indent - n);
    return n >= 3 && !is_span ? n : 0;
}

static bool ends_fence(lh_text_row row, char sign, size_t n) {
    char other = 0;
    size_t k = fence_length(row, &other);
    return k >= n && other == sign && lh_row_trim(row).n == k;
}

static void open_block(lh_segment *s, lh_text_row row, size_t n) {
    lh_text_row rest = lh_row_trim(row), word = {0};
    s->is_block = true;
    s->n_fence = n;
    s->at = (lh_place){row.number, (int)(rest.s - row.s) + 1, (int)rest.n};
    rest.s += n;
    rest.n -= n;
    lh_row_word(&rest, &word);
    rest = lh_row_trim(rest);
    s->word = word.s;
    s->n_word = word.n;
    s->rest = rest.s;
    s->n_rest = rest.n;
}

static void advance(lh_segment *s, const char *text, size_t length, lh_text_row row) {
    size_t at = (size_t)(row.s - text) + row.n;
    s->next = at < length ? at + 1 : length;
    s->next_line = row.number + 1;
}

bool lh_segment_next(const char *text, size_t length, lh_segment *s) {
    size_t from = s->next ? s->next : mark_length(text, length), n;
    int line = s->next_line ? s->next_line : 1;
    if (from >= length) return false;
    *s = (lh_segment){.s = text + from, .line = line, .next = length, .next_line = line};
    char sign = 0, first = 0;
    size_t fence = 0;
    for (lh_text_row row = {0}; lh_text_row_next(text + from, length - from, line, &row);) {
        if (s->is_block && ends_fence(row, first, fence)) {
            s->n = (size_t)(row.s - s->s);
            s->is_closed = true;
            advance(s, text, length, row);
            return true;
        }
        if (s->is_block || (n = fence_length(row, &sign)) == 0) continue;
        if (row.s > s->s) { /* prose ends where a fence begins */
            s->n = (size_t)(row.s - s->s);
            s->next = (size_t)(row.s - text);
            s->next_line = row.number;
            return true;
        }
        first = sign;
        fence = n;
        open_block(s, row, n);
        advance(s, text, length, row);
        s->s = text + s->next;
        s->line = s->next_line;
    }
    s->n = (size_t)(text + length - s->s);
    s->next = length;
    return true;
}

bool lh_segment_is(const lh_segment *s, const char *word) {
    return s->is_block && s->n_word == strlen(word) && memcmp(s->word, word, s->n_word) == 0;
}
