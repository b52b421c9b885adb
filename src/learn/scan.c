#include "base/ascii.h"
#include "base/utf8.h"
#include "base/written.h"
#include "learn/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/decode.h"

enum { MOST_ENTRIES = 100000 };

void lh_note_add(lh_notes *n, int line, const char *what) {
    if (n->n < LH_MAX_NOTES) n->note[n->n] = (lh_note){line, what};
    n->n++;
}

char *lh_clean(lh_arena *a, const char *s, size_t n, size_t most) {
    bool is_cut = n > most;
    if (is_cut)
        for (n = most; n && !lh_utf8_starts(s[n]);) n--;
    char *out = lh_copy(a, s, n);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    return is_cut ? lh_printf(a, "%s...", out) : out;
}

bool lh_scan_seed(const char *s, size_t n, unsigned long long *seed) {
    if (n == 0 || n > 19) return false;
    *seed = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9') return false;
        *seed = *seed * 10 + (unsigned long long)(s[i] - '0');
    }
    return true;
}

void lh_scan_refuse(lh_answer_file *f, int line, const char *why) {
    if (f->problem) return;
    f->problem = why;
    f->problem_line = line;
}

void lh_scan_entry(lh_arena *a, lh_answer_file *f, lh_answer_entry e) {
    if (f->n_entries >= MOST_ENTRIES)
        lh_scan_refuse(f, e.line, "more answers than any sheet has: is this another file?");
    else
        *lh_push(a, f->entry, f->n_entries) = e;
}

bool lh_scan_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **s, const char **e) {
    while (*s < *e && lh_scan_is_space(**s)) (*s)++;
    while (*s < *e && lh_scan_is_space((*e)[-1])) (*e)--;
}

static bool begins(const char *s, const char *e, const char *word) {
    size_t n = strlen(word);
    return (size_t)(e - s) >= n && memcmp(s, word, n) == 0;
}

/* The same in capitals, and : or a space behind it: how many bytes, or 0. */
static size_t begins_word(const char *s, const char *e, const char *word) {
    const size_t n = strlen(word);
    if ((size_t)(e - s) < n) return 0;
    for (size_t i = 0; i < n; i++)
        if ((s[i] | 32) != word[i]) return 0;
    if (s + n == e || lh_scan_is_space(s[n])) return n;
    return s[n] == ':' ? n + 1 : 0;
}

static const char *line_end(const char *s, const char *end) {
    const char *stop = memchr(s, '\n', (size_t)(end - s));
    return stop ? stop : end;
}

/* A comment begins with # at the start of a line or behind a space. */
static const char *comment_start(const char *s, const char *e) {
    for (const char *p = s; p < e; p++)
        if (*p == '#' && (p == s || lh_scan_is_space(p[-1]))) return p;
    return e;
}

/* ---- cells ---- */

/* ≈ or ~: how many bytes. */
static size_t about(const char *s, const char *e) {
    return begins(s, e, "\xe2\x89\x88") ? 3 : s < e && *s == '~';
}

/* What people leave around a number: the rest of a blank line to write on, a comma behind it, a sign for "about". */
void lh_scan_bare(lh_cell_visit visit, void *who, int row, const char *s, size_t n, int line) {
    const char *e = s + n;
    trim(&s, &e);
    s += about(s, e);
    trim(&s, &e);
    const char *from = s, *to = e;
    while (from < to && *from == '_') from++;
    while (from < to && (to[-1] == '_' || to[-1] == ',')) to--;
    if (from == to) from = s, to = s + (s < e); /* a blank stays one, however long the line is */
    visit(who, row, from, (size_t)(to - from), line);
}

/* x 10^-3, or with the exponent raised. */
static bool is_times_ten(const char *s, const char *e) {
    if (s >= e || (*s | 32) != 'x') return false;
    for (s++; s < e && lh_scan_is_space(*s);) s++;
    return begins(s, e, "10") && e - s > 2 && (s[2] == '^' || (unsigned char)s[2] >= 0x80);
}

/* 1 / 3, 25 %, 1.2 × 10^-3 are one number each. */
static size_t joint(const char *s, const char *e) {
    if (s >= e) return 0;
    if (is_times_ten(s, e)) return 1;
    if (*s == '/' || *s == '%' || *s == '*') return 1;
    return begins(s, e, "\xc2\xb7") || begins(s, e, "\xc3\x97") ? 2 : 0; /* · × */
}

static bool ends_open(const char *s, const char *e) {
    if (e - s < 2) return false;
    return e[-1] == '/' || e[-1] == '*' || begins(e - 2, e, "\xc2\xb7") ||
           begins(e - 2, e, "\xc3\x97");
}

static bool ends_cell(char c) {
    return lh_scan_is_space(c) || c == '|' || c == ';' || c == '[' || c == ']';
}

static const char *piece_end(const char *s, const char *e) {
    bool inside = false; /* 10^(-3) */
    for (; s < e && !ends_cell(*s); s++) {
        if (*s == '(' && s[-1] != '^') break;
        if (*s == ')' && !inside) break;
        inside = *s == '(' || (inside && *s != ')');
    }
    return s;
}

static const char *cell_end(const char *s, const char *e) {
    const char *p = piece_end(s, e);
    if (about(s, e) == (size_t)(p - s)) { /* ≈ 0.25 */
        while (p < e && lh_scan_is_space(*p)) p++;
        p = piece_end(p, e);
    }
    for (;;) {
        const char *next = p;
        while (next < e && lh_scan_is_space(*next)) next++;
        size_t n = joint(next, e);
        if (n == 0 && !(ends_open(s, p) && next > p)) return p;
        p = next + n;
        if (n && next[0] == '%') return p;
        while (p < e && lh_scan_is_space(*p)) p++;
        const char *stop = piece_end(p, e);
        if (stop == p) return next + n;
        p = stop;
    }
}

void lh_scan_row_end(lh_scan_rows *r) {
    r->at += r->any;
    r->any = false;
}

/* 0.1,0.2: with a point in each of them the commas stand between numbers. */
static bool is_list(const char *s, const char *e) {
    int points = 0, commas = 0;
    for (; s < e; s++) {
        if (*s != ',' && *s != '.' && *s != '-' && *s != '+' && !lh_is_digit(*s)) return false;
        points += *s == '.';
        commas += *s == ',';
        if (points > commas + 1 || (*s == ',' && points != commas)) return false;
    }
    return commas && points == commas + 1;
}

/* A: 0.1, B: 0.2 and row 0: token 1: 0.3: behind the : of a label, or NULL. */
static const char *label_end(const char *s, const char *e) {
    const unsigned char c = (unsigned char)*s;
    const bool is_word = (*s != '_' && lh_is_name_start(*s)) || (c >= 0xC3 && c < 0xE0);
    enum { MOST = 80 };
    for (const char *p = s; p < e && p < s + MOST; p++) {
        if (*p == ':') return p > s ? p + 1 : NULL;
        if (is_word ? ends_cell(*p) && !lh_scan_is_space(*p) : !lh_is_digit(*p)) return NULL;
        if (*p == '.' || *p == ',') return NULL;
    }
    return NULL;
}

/* | A | 0.1 | 0.2 |: a word in the first column of a table, before numbers. */
static const char *first_column(const char *s, const char *e) {
    while (s < e && (*s == '|' || lh_scan_is_space(*s))) s++;
    const char *bar = memchr(s, '|', (size_t)(e - s)), *to = bar;
    if (!bar) return NULL;
    trim(&s, &to);
    while (s < to && *s == '*' && to[-1] == '*') s++, to--; /* bold */
    const lh_written w = lh_written_read(s, (size_t)(to - s));
    if (s == to || !lh_is_name_start(*s) || w.kind != LH_WRITTEN_UNREAD) return NULL;
    for (const char *p = s; p < to; p++)
        if (*p == '.' || *p == ',' || *p == ';') return NULL;
    for (const char *p = bar; p < e; p++)
        if (lh_is_digit(*p)) return bar + 1;
    return NULL;
}

/* At the beginning of a line it may be anything but numbers. */
static const char *first_label(const char *s, const char *e) {
    const char *from = s;
    for (; s < e && *s != ':' && *s != ';'; s++)
        if (*s == '.' && s + 1 < e && lh_is_digit(s[1])) return first_column(from, e);
    return s < e && *s == ':' ? s + 1 : first_column(from, e);
}

/* |---|:-:| of a table in Markdown. */
static bool is_rule(const char *s, const char *e) {
    bool has_bar = false, has_dashes = false;
    for (; s < e; s++) {
        if (*s != '-' && *s != '|' && *s != ':' && !lh_scan_is_space(*s)) return false;
        has_bar |= *s == '|';
        has_dashes |= begins(s, e, "---");
    }
    return has_bar && has_dashes;
}

/* The words above its columns, and the line below them; 0.1 | 0.2 is a row, and what follows it, too. */
static bool is_table_head(const char *s, const char *e, const char *to) {
    const char *next = e + (e < to);
    return memchr(s, '|', (size_t)(e - s)) && !memchr(s, '.', (size_t)(e - s)) && next < to &&
           is_rule(next, line_end(next, to));
}

static void scan_line(const char *s, const char *e, int line, lh_scan_rows *r, lh_cell_visit visit,
                      void *who) {
    e = comment_start(s, e);
    trim(&s, &e);
    if (s == e) return; /* nothing ends here: words above the columns may stand inside a long row */
    const char *label = first_label(s, e);
    if (label) s = label;
    bool goes_on = s < e && e[-1] == '\\';
    if (goes_on) e--;
    const char *from = NULL; /* where the last number ended */
    const char *list = s;    /* the list that it may stand in */
    while (s < e) {
        if (*s == ';' || *s == ']') {
            lh_scan_row_end(r);
            s++;
        } else if (ends_cell(*s) || *s == '(' || *s == ')') {
            s++;
        } else if ((label = label_end(s, e))) {
            s = label;
        } else if (*s == ',' && (s == from || s + 1 == e || ends_cell(s[1]))) {
            s++; /* between brackets, or what a number of a list ended at */
        } else {
            const char *stop = s < list ? list : cell_end(s, e);
            if (s < list || is_list(s, stop)) {
                const char *comma = memchr(s, ',', (size_t)(stop - s));
                list = stop;
                if (comma) stop = comma;
            }
            lh_scan_bare(visit, who, r->at, s, (size_t)(stop - s), line);
            r->any = true;
            from = s = stop;
        }
    }
    if (!goes_on) lh_scan_row_end(r);
}

void lh_scan_cells(const char *from, const char *to, int line, lh_cell_visit visit, void *who) {
    lh_scan_rows r = {0, false};
    bool is_below_head = false;
    for (const char *s = from; s < to; line++) {
        const char *e = line_end(s, to);
        const bool is_head = !is_below_head && is_table_head(s, e, to);
        if (!is_head && !is_below_head) scan_line(s, e, line, &r, visit, who);
        is_below_head = is_head;
        s = e + (e < to);
    }
}

/* ---- the text of a sheet, or lines ---- */

/* `seed 7` of the header. */
static void header_field(lh_arena *a, lh_answer_file *f, const char *s, const char *e, int line) {
    static const char *const words[] = {"seed", "digits", "form", "code", "class", "steps"};
    enum { SEED, DIGITS, FORM, CODE, CLASS, STEPS, N_WORDS };
    int word = 0;
    size_t length = 0;
    while (word < N_WORDS && !(length = begins_word(s, e, words[word]))) word++;
    const char *value = s + length;
    while (value < e && lh_scan_is_space(*value)) value++;
    size_t n = (size_t)(e - value);
    unsigned long long number = 0;
    if (word == SEED) {
        f->has_seed = lh_scan_seed(value, n, &f->seed);
        if (!f->has_seed) lh_scan_refuse(f, line, "the seed of the sheet is not a number");
    } else if (word == DIGITS) {
        if (lh_scan_seed(value, n, &number) && number >= 1 && number <= 15)
            f->digits = (int)number;
        else
            lh_scan_refuse(f, line, "the digits of the sheet are not a number from 1 to 15");
    } else if (word == FORM) {
        f->form = lh_clean(a, value, n, 20);
    } else if (word == CODE) {
        f->code = lh_clean(a, value, n, 20);
    } else if (word == CLASS) {
        f->class_code = lh_clean(a, value, n, 20);
    } else if (word == STEPS) {
        while (value < e) {
            const char *p = value;
            while (p < e && !lh_scan_is_space(*p)) p++;
            *lh_push(a, f->step, f->n_steps) =
                lh_clean(a, value, (size_t)(p - value), LH_SCAN_NAME);
            while (p < e && lh_scan_is_space(*p)) p++;
            value = p;
        }
    } else if (s < e) {
        lh_scan_refuse(f, line,
                       lh_printf(a,
                                 "\"%s\" in the line of the sheet is none of seed, digits, form, "
                                 "class, code and steps",
                                 lh_clean(a, s, (size_t)(e - s), 40)));
    }
}

/* sheet ex3 seed 7 */
static bool lacks_comma(const char *lesson) {
    static const char *const words[] = {" seed ", " digits ", " form ", " class ", " code "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(lesson, words[i])) return true;
    return false;
}

bool lh_scan_is_header(const char *s, const char *e) {
    return begins_word(s, e, "sheet") > 0;
}

void lh_scan_header(lh_arena *a, lh_answer_file *f, const char *s, const char *e, int line) {
    if (f->lesson) {
        lh_scan_refuse(f, line, "a second sheet begins here: one file holds one sheet");
        return;
    }
    f->line = line;
    for (bool first = true; s < e; first = false) {
        const char *comma = memchr(s, ',', (size_t)(e - s)), *stop = comma ? comma : e, *from = s;
        s = comma ? comma + 1 : e;
        if (first) from += begins_word(from, stop, "sheet");
        trim(&from, &stop);
        if (first)
            f->lesson = lh_clean(a, from, (size_t)(stop - from), LH_SCAN_NAME);
        else
            header_field(a, f, from, stop, line);
    }
    if (!f->lesson || !*f->lesson)
        lh_scan_refuse(f, line, "the line of the sheet names no lesson: sheet ex3, seed 7");
    else if (lacks_comma(f->lesson))
        lh_scan_refuse(f, line,
                       "a comma is missing in the line of the sheet: sheet ex3, seed 7, digits 4");
}

/* name ________  date ________ */
static void read_learner(lh_arena *a, lh_answer_file *f, const char *s, const char *e) {
    s += begins_word(s, e, "name");
    for (const char *p = s; p + 4 <= e; p++)
        if (lh_scan_is_space(p[-1]) && begins_word(p, e, "date")) e = p;
    while (s < e && (lh_scan_is_space(*s) || *s == '_' || *s == ':')) s++;
    while (s < e && (lh_scan_is_space(e[-1]) || e[-1] == '_')) e--;
    if (s < e) f->learner = lh_clean(a, s, (size_t)(e - s), 80);
}

/* Is this what stands before the = of an answer? P{example 1}, h[0].A[1], L@1, WO : */
static bool is_address(const char *s, const char *e) {
    trim(&s, &e);
    if (s < e && e[-1] == ':') e--;
    if (s == e || !lh_is_name_start(*s)) return false;
    for (; s < e; s++)
        if (!lh_is_name_part(*s) && !strchr(".[]{}#@, ", *s)) return false;
    return true;
}

typedef struct reader {
    lh_arena *a;
    lh_answer_file *f;
    bool is_markdown, in_block, is_read;
    lh_answer_entry *open; /* rows may follow */
    bool has_rows;
    bool by_colon; /* it began as P: 0.1 0.2 */
} reader;

/* The : of P: 0.1 0.2, or NULL. Inside an entry with = it ends the label of a row. */
static const char *entry_colon(const char *s, const char *e) {
    const char *colon = memchr(s, ':', (size_t)(e - s)), *p = colon ? colon + 1 : e;
    while (p < e && lh_scan_is_space(*p)) p++;
    const bool is_number = p < e && (lh_is_digit(*p) || strchr("[-+.~_(", *p) ||
                                     begins(p, e, "\xe2\x88\x92") || about(p, e));
    return colon && is_number && is_address(s, colon) ? colon : NULL;
}

/* The sign behind a name: = or the ≈ of P ≈ 0.1 0.2 and L ≈ -log(0.25) = 1.386. NULL: there is none, or it is one of a number:
 * A: ≈ 0.1. */
static const char *sign_of(const char *s, const char *e) {
    const char *equals = memchr(s, '=', (size_t)(e - s)), *stop = equals ? equals : e;
    for (const char *p = s; p < stop && *p != ':'; p++)
        if (about(p, e)) return is_address(s, p) ? p : equals;
    return equals;
}

/* A sign of what is worked out: 1 / 1.993, -log(0.25), and not one number behind another. */
static bool is_working(const char *s, const char *e) {
    return strchr("/*(^", *s) || begins(s, e, "\xc2\xb7") || begins(s, e, "\xc3\x97");
}

/* sign: = or : or ≈ */
static void begin_entry(reader *r, const char *s, const char *sign, const char *e, int line) {
    const char *name_end = sign, *from = sign + (about(sign, e) ? about(sign, e) : 1);
    trim(&s, &name_end);
    if (name_end > s && name_end[-1] == ':') name_end--; /* WO := ... */
    trim(&s, &name_end);
    bool works_out = false;
    for (const char *p = from; p < e; p++) { /* P[1][0] = 1 / 1.993 = 0.5018, or ≈ 0.5018 */
        const size_t sign_bytes = *p == '=' ? 1 : works_out ? about(p, e) : 0;
        if (sign_bytes) from = p + sign_bytes;
        works_out = !sign_bytes && (works_out || is_working(p, e));
    }
    lh_scan_entry(
        r->a, r->f,
        (lh_answer_entry){lh_clean(r->a, s, (size_t)(name_end - s), LH_SCAN_NAME), line, from, e});
    r->open = r->f->n_entries ? &r->f->entry[r->f->n_entries - 1] : NULL;
    trim(&from, &e);
    r->has_rows = from < e;
    r->by_colon = false;
}

static void put_aside(reader *r, const char *s, const char *e, int line) {
    lh_answer_file *f = r->f;
    const bool is_told = f->notes.n < LH_MAX_NOTES;
    for (const char *p = s; p < e; p++) f->has_lost |= lh_is_digit(*p);
    lh_note_add(&f->notes, line,
                is_told ? lh_printf(r->a, "\"%s\" belongs to no step; put # before a comment",
                                    lh_clean(r->a, s, (size_t)(e - s), 40))
                        : "");
}

static void read_line(reader *r, const char *s, const char *whole, int line) {
    const char *e = comment_start(s, whole), *end = whole;
    if (begins(s, end, "```")) {
        r->is_read = !r->in_block && begins(s + 3, end, "answers");
        r->in_block = !r->in_block;
        r->open = NULL;
        return;
    }
    trim(&s, &e);
    if (r->is_markdown && !r->is_read) return;
    if (s == e) {
        if (s == end && r->has_rows) r->open = NULL; /* an empty line, not one with a comment */
        return;
    }
    const char *sign = sign_of(s, e);
    const char *colon = !sign && (!r->open || r->by_colon) ? entry_colon(s, e) : NULL;
    if (!sign && lh_scan_is_header(s, e))
        lh_scan_header(r->a, r->f, s, e, line);
    else if (!sign && begins_word(s, e, "name"))
        read_learner(r->a, r->f, s, e);
    else if (sign && is_address(s, sign))
        begin_entry(r, s, sign, e, line);
    else if (colon) {
        begin_entry(r, s, colon, e, line);
        r->by_colon = true;
    } else if (r->open) {
        r->open->to = whole;
        r->has_rows = true;
    } else {
        put_aside(r, s, e, line);
    }
}

static bool has_fence(const char *s, const char *end) {
    for (; s < end; s = line_end(s, end) + 1)
        if (begins(s, end, "```")) return true;
    return false;
}

void lh_scan_text(lh_arena *a, lh_answer_file *f, const char *text, size_t length) {
    const char *end = text + length;
    reader r = {.a = a, .f = f, .is_markdown = has_fence(text, end)};
    int line = 1;
    for (const char *s = text; s < end && !f->problem; line++) {
        const char *e = line_end(s, end), *from = s;
        while (from < e && lh_scan_is_space(*from)) from++;
        read_line(&r, from, e, line);
        s = e + 1;
    }
}

/* ---- odd spaces ---- */

/* 12 345 and 0.249 731: an odd space between digits, and three of them behind it. */
static bool groups_digits(const char *from, const char *s, const char *next, const char *e) {
    if (s == from || !lh_is_digit(s[-1])) return false;
    for (int i = 0; i < 3; i++)
        if (next + i >= e || !lh_is_digit(next[i])) return false;
    return next + 3 >= e || !lh_is_digit(next[3]);
}

/* Between numbers they are spaces like others; in a number, and between a sign and its number, they are nothing. */
static const char *plain_spaces(lh_arena *a, const char *text, size_t *length) {
    const char *e = text + *length, *s = text;
    while (s < e && !lh_odd_space(s, (size_t)(e - s))) s++;
    if (s == e) return text;
    char *out = lh_alloc(a, *length + 1);
    size_t n = 0, odd;
    for (s = text; s < e; s++) {
        if ((odd = lh_odd_space(s, (size_t)(e - s))) == 0) {
            out[n++] = *s;
            continue;
        }
        bool is_sign =
            n && (out[n - 1] == '-' || (n > 2 && memcmp(out + n - 3, "\xe2\x88\x92", 3) == 0));
        if (!is_sign && !groups_digits(text, s, s + odd, e)) out[n++] = ' ';
        s += odd - 1;
    }
    *length = n;
    return out;
}

/* ---- ends of lines ---- */

static const char *lone_return(const char *s, const char *e) {
    while ((s = memchr(s, '\r', (size_t)(e - s))) && s + 1 < e && s[1] == '\n') s++;
    return s;
}

/* CR alone, as old spreadsheets and Macs end a line, ends one. */
static const char *plain_lines(lh_arena *a, const char *text, size_t length) {
    if (length == 0 || !lone_return(text, text + length)) return text;
    char *out = lh_copy(a, text, length);
    if (strlen(out) < length) return text; /* there is no memory */
    for (char *s = out; (s = (char *)lone_return(s, out + length));) *s = '\n';
    return out;
}

/* ---- a file ---- */

lh_answer_file *lh_answer_file_read(lh_arena *a, const char *text, size_t length) {
    lh_answer_file *f = lh_alloc(a, sizeof *f);
    text = lh_decode(a, text, length, &length);
    const char *nul = length ? memchr(text, 0, length) : NULL;
    if (nul) {
        int line = 1;
        for (const char *s = text; s < nul; s++) line += *s == '\n';
        lh_scan_refuse(f, line, "this is not plain text: save it as UTF-8");
        return f;
    }
    text = plain_lines(a, plain_spaces(a, text, &length), length);
    size_t i = 0;
    while (i < length && (lh_scan_is_space(text[i]) || text[i] == '\n')) i++;
    if (i < length && text[i] == '{')
        lh_scan_json(a, f, text, length);
    else
        lh_scan_text(a, f, text, length);
    return f;
}
