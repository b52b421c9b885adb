#include "learn/csv.h"

#include <string.h>

#include "base/decode.h"

typedef struct reader {
    lh_context *ctx;
    lh_arena *a;
    const char *s, *end;
    int line;
    char separator;
} reader;

static void fail(reader *r, int line, const char *what, const char *cure) {
    lh_fail(r->ctx, LH_ERROR_TEXT, (lh_place){line, 1, 0}, "%s", what);
    lh_cure(r->ctx, "%s", cure);
}

static bool is_end(const reader *r, const char *s) {
    return s == r->end || *s == '\n' || *s == '\r';
}

/* CR LF, LF, and the CR alone of older spreadsheets. */
static void end_line(reader *r) {
    if (r->s == r->end) return;
    r->s += *r->s == '\r' && r->s + 1 < r->end && r->s[1] == '\n' ? 2 : 1;
    r->line++;
}

/* What most of the first rows have, outside quotes: above them there may be a title, with a comma in it. Of two signs that as many
 * have, the one there is more of, and rather not the comma: it stands in numbers, too. */
static char guess_separator(const reader *r) {
    enum { ROWS = 8, N_SIGNS = 3 };
    static const char signs[] = ",;\t";
    int rows[N_SIGNS] = {0}, all[N_SIGNS] = {0}, here[N_SIGNS] = {0}, n = 0, best = 0;
    bool inside = false;
    for (const char *s = r->s; s <= r->end && n < ROWS; s++) {
        if (s == r->end || (!inside && is_end(r, s))) {
            bool has_any = here[0] || here[1] || here[2];
            for (int i = 0; i < N_SIGNS; i++) rows[i] += here[i] > 0, all[i] += here[i];
            memset(here, 0, sizeof here);
            n += has_any;
            continue;
        }
        const char *sign = *s ? strchr(signs, *s) : NULL;
        if (*s == '"') inside = !inside;
        if (sign && !inside) here[sign - signs]++;
    }
    for (int i = 1; i < N_SIGNS; i++)
        if (rows[i] > rows[best] || (rows[i] && rows[i] == rows[best] && all[i] >= all[best]))
            best = i;
    return signs[best];
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* '=1+1 is what lh_csv_put wrote for =1+1. */
static const char *bare(lh_arena *a, const char *s, size_t n) {
    while (n && is_blank(*s)) s++, n--;
    while (n && is_blank(s[n - 1])) n--;
    if (n >= 2 && *s == '\'' && strchr("=+-@", s[1])) s++, n--;
    return n ? lh_copy(a, s, n) : "";
}

static const char *quoted_cell(reader *r) {
    int line = r->line;
    lh_text t = lh_text_new(r->a);
    for (r->s++; r->s < r->end; r->s++) {
        if (*r->s == '"' && r->s + 1 < r->end && r->s[1] == '"')
            r->s++;
        else if (*r->s == '"')
            break;
        r->line += *r->s == '\n';
        lh_text_add_n(&t, r->s, 1);
    }
    if (r->s == r->end)
        fail(r, line, "a quote is opened here and never closed",
             "close it with \"; a quote inside a cell is written \"\"");
    if (r->s < r->end) r->s++;
    while (r->s < r->end && !is_end(r, r->s) && *r->s != r->separator)
        lh_text_add_n(&t, r->s++, 1); /* "Anna" B */
    return bare(r->a, t.s, t.n);
}

static const char *plain_cell(reader *r) {
    const char *from = r->s;
    while (!is_end(r, r->s) && *r->s != r->separator) r->s++;
    return bare(r->a, from, (size_t)(r->s - from));
}

static bool read_row(reader *r, lh_csv_row *row) {
    bool any = false;
    *row = (lh_csv_row){.line = r->line};
    for (;;) {
        const char *s = r->s;
        while (s < r->end && *s == ' ') s++;
        if (s < r->end && *s == '"') r->s = s;
        const char *cell = r->s < r->end && *r->s == '"' ? quoted_cell(r) : plain_cell(r);
        any |= *cell != 0;
        *lh_push(r->a, row->cell, row->n_cells) = cell;
        if (is_end(r, r->s)) break;
        r->s++;
    }
    end_line(r);
    return any;
}

static const char workbook[] = "PK\3\4"; /* how .xlsx and .ods begin */

/* sep=; in the first line, as Excel has it. */
static bool says_separator(reader *r) {
    size_t n = (size_t)(r->end - r->s);
    if (n < 5 || memcmp(r->s, "sep=", 4) != 0 || !is_end(r, r->s + 5)) return false;
    r->separator = r->s[4];
    r->s += 5;
    end_line(r);
    return true;
}

lh_csv *lh_csv_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                    size_t length) {
    lh_csv *t = lh_alloc(a, sizeof *t);
    bool is_workbook = length >= 4 && memcmp(text, workbook, 4) == 0;
    text = lh_decode(a, text, length, &length);
    reader r = {.ctx = ctx, .a = a, .s = text, .end = text + length, .line = 1};
    if (is_workbook)
        fail(&r, 0, "this is a workbook (.xlsx or .ods), but a table of text is expected",
             "save it as CSV (UTF-8) in the spreadsheet program");
    else if (length && memchr(text, 0, length))
        fail(&r, 0, "this is not plain text", "save it as CSV (UTF-8)");
    if (!says_separator(&r)) r.separator = guess_separator(&r);
    t->separator = r.separator;
    while (r.s < r.end && !lh_failed(ctx)) {
        lh_csv_row row;
        if (read_row(&r, &row)) *lh_push(a, t->row, t->n_rows) = row;
    }
    if (!lh_failed(ctx)) return t;
    lh_fail_in(ctx, file, text, length);
    return NULL;
}

const char *lh_csv_cell(const lh_csv_row *row, int column) {
    return column >= 0 && column < row->n_cells ? row->cell[column] : "";
}

/* ---- writing ---- */

/* What a reader takes for more than text when a table begins with it. */
static bool is_signature(const char *text) {
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    return strncmp(text, "sep=", 4) == 0 || strncmp(text, workbook, 4) == 0 ||
           strncmp(text, byte_order_mark, 3) == 0;
}

void lh_csv_put(lh_text *out, const char *text) {
    bool wants_quotes = strpbrk(text, ",;\t\"\r\n") || *text == ' ' || is_signature(text);
    if (wants_quotes) lh_text_add_n(out, "\"", 1);
    if (*text && strchr("=+-@\t\r", *text)) lh_text_add_n(out, "'", 1);
    for (; *text; text++) {
        if (*text == '"') lh_text_add_n(out, "\"", 1);
        lh_text_add_n(out, text, 1);
    }
    if (wants_quotes) lh_text_add_n(out, "\"", 1);
}

void lh_csv_row_put(lh_text *out, const char *const *cell, int n) {
    for (int i = 0; i < n; i++) {
        if (i) lh_text_add_n(out, ",", 1);
        lh_csv_put(out, cell[i]);
    }
    lh_text_add_n(out, "\r\n", 2);
}
