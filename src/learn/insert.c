/* insert -- {{...}} in prose: what is asked for, and how it is to be written. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "learn/live.h"
#include "learn/lesson_internal.h"

typedef struct insert_word {
    const char *word;
    lh_insert_kind kind;
} insert_word;

static const insert_word words[] = {
    {"word", LH_INSERT_WORD}, {"formula", LH_INSERT_FORMULA}, {"shape", LH_INSERT_SHAPE},
    {"cost", LH_INSERT_COST}, {"count", LH_INSERT_COUNT},     {"fact", LH_INSERT_FACT},
};

int lh_insert_at(const char *utf8) {
    uint32_t code;
    if (!lh_utf8_read(utf8, strnlen(utf8, 4), &code) || code < LH_INSERT_FIRST) return -1;
    const uint32_t number = code - LH_INSERT_FIRST;
    return number < LH_MAX_INSERTS ? (int)number : -1;
}

static void add_character(lh_text *out, int number) {
    char s[4];
    lh_text_add_n(out, s, lh_utf8_write(s, LH_INSERT_FIRST + (uint32_t)number));
}

/* A letter, digit or quote must follow: in {{cost - 1}} cost is a step. */
static lh_insert_kind kind_of(lh_text_row text, lh_text_row *rest) {
    lh_text_row word = {0}, after = text;
    if (!lh_row_word(&after, &word)) return LH_INSERT_VALUE;
    after = lh_row_trim(after);
    for (size_t i = 0; i < sizeof words / sizeof *words && after.n; i++)
        if (lh_row_is(word, words[i].word) &&
            (lh_is_name(after.s, 1) || (*after.s >= '0' && *after.s <= '9') || *after.s == '"' ||
             words[i].kind == LH_INSERT_FACT)) {
            *rest = after;
            return words[i].kind;
        }
    return LH_INSERT_VALUE;
}

/* The first | that stands alone; in a table it may be written \| as Markdown asks. */
static size_t find_bar(lh_text_row text, size_t *length) {
    bool in_string = false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] == '"') in_string = !in_string;
        if (in_string || text.s[i] != '|') continue;
        bool is_escaped = i > 0 && text.s[i - 1] == '\\';
        *length = is_escaped ? 2 : 1;
        return is_escaped ? i - 1 : i;
    }
    return text.n;
}

static bool read_percent(lh_insert *x, lh_text_row rest) {
    rest = lh_row_trim(rest);
    x->is_percent = true;
    x->places = -1;
    return rest.n == 0 || lh_row_number(rest, 9, &x->places);
}

static bool read_shown(lh_insert *x, lh_text_row rest) {
    rest = lh_row_trim(rest);
    x->is_shown = true;
    return rest.n == 0 || (lh_row_number(rest, 17, &x->digits) && x->digits > 0);
}

static void read_format(lh_lesson *l, lh_insert *x, lh_text_row format) {
    lh_text_row rest = format, word = {0};
    bool good = false, is_claim = x->kind == LH_INSERT_CLAIM,
         is_value = x->kind == LH_INSERT_VALUE || x->kind == LH_INSERT_COST;
    lh_row_word(&rest, &word);
    if (x->kind == LH_INSERT_VALUE && lh_row_is(word, "percent"))
        good = read_percent(x, rest);
    else if (is_claim && lh_row_is(word, "show"))
        good = read_shown(x, rest);
    else if (is_value)
        good = lh_row_number(format, 17, &x->digits) && x->digits > 0;
    if (good) return;
    lh_problem_add(l->problems, LH_ERROR_TEXT, x->at, "{{%.80s}}: %s cannot be written as \"%.*s\"",
                   x->text,
                   is_claim   ? "a claim"
                   : is_value ? "a number"
                              : "this",
                   (int)(format.n < 40 ? format.n : 40), format.s);
    lh_problem_cure(l->problems, is_claim   ? "a claim may be | show"
                                 : is_value ? "1 to 17 digits, percent, or percent 0"
                                            : "leave out the |");
    x->kind = LH_INSERT_BROKEN;
}

static void read_fact(lh_lesson *l, lh_insert *x, lh_text_row source, bool has_bar) {
    x->source = lh_copy(l->arena, source.s, source.n);
    if (has_bar && source.n) return;
    lh_problem_add(l->problems, LH_ERROR_TEXT, x->at, "{{%.80s}}: a fact says where it is from",
                   x->text);
    lh_problem_cure(l->problems, "{{fact 2017 | Vaswani et al.}}");
    x->kind = LH_INSERT_BROKEN;
}

static const char *one_line(lh_arena *a, lh_text_row text) {
    char *s = lh_copy(a, text.s, text.n);
    for (char *c = s; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    return s;
}

static lh_insert insert_read(lh_lesson *l, lh_text_row inside, lh_place at, int exercise) {
    lh_insert x = {.at = at, .expr_at = at, .exercise = exercise};
    lh_text_row text = lh_row_trim(inside);
    size_t length = 0, bar = find_bar(text, &length);
    bool has_bar = bar < text.n;
    lh_text_row left = lh_row_trim((lh_text_row){text.s, bar, 0}), right = {text.s + bar, 0, 0};
    if (has_bar)
        right = lh_row_trim((lh_text_row){text.s + bar + length, text.n - bar - length, 0});
    x.text = one_line(l->arena, text);
    x.kind = kind_of(left, &left);
    x.expr = one_line(l->arena, left);
    x.expr_at.col += left.s > inside.s ? (int)(left.s - inside.s) + 2 : 2;
    x.expr_at.len = (int)left.n;
    if (memchr(inside.s, '\n', inside.n)) x.expr_at = at;
    if (left.n == 0) {
        lh_problem_add(l->problems, LH_ERROR_TEXT, at, "{{ }} is empty");
        lh_problem_cure(l->problems, "a number: {{P[1][0]}}; a claim: {{loss@1 < loss@0}}");
        x.kind = LH_INSERT_BROKEN;
    } else if (x.kind == LH_INSERT_FACT) {
        read_fact(l, &x, right, has_bar);
    } else {
        if (x.kind == LH_INSERT_VALUE && lh_live_is_claim(x.expr)) x.kind = LH_INSERT_CLAIM;
        if (has_bar) read_format(l, &x, right);
    }
    return x;
}

/* Where the }} is; an insert may go on in the next line, not in the next paragraph. NULL: up to *none there is none. */
static const char *find_end(const char *s, const char *end, const char **none) {
    if (s < *none) return NULL;
    for (bool blank = false; s + 1 < end; s++) {
        if (s[0] == '}' && s[1] == '}') {
            while (s + 2 < end && s[2] == '}') s++; /* {{A{head 1}}}: the last two */
            return s;
        }
        if (*s == '\n' && blank) break;
        if (*s == '\n')
            blank = true;
        else if (*s != ' ' && *s != '\r')
            blank = false;
    }
    *none = s;
    return NULL;
}

typedef struct prose_reader {
    lh_lesson *l;
    lh_text out;
    const char *line_start;
    int line, exercise;
    const char *no_end; /* before this place no }} follows */
} prose_reader;

static lh_place place_at(const prose_reader *p, const char *s, size_t n) {
    return (lh_place){p->line, (int)(s - p->line_start) + 1, (int)n};
}

static void count_lines(prose_reader *p, const char *s, const char *end, bool copy) {
    for (; s < end; s++)
        if (*s == '\n') {
            p->line++;
            p->line_start = s + 1;
            if (copy) lh_text_add_n(&p->out, "\n", 1);
        }
}

/* The first words behind {{, to be found again. */
static const char *open_words(lh_arena *a, const char *s, const char *end) {
    size_t n = 0;
    while (s + n < end && s[n] != '\n' && n < 30) n++;
    while (n && s + n < end && !lh_utf8_starts(s[n])) n--;
    bool is_cut = s + n < end && s[n] != '\n';
    return lh_printf(a, "%.*s%s", (int)n, s, is_cut ? "..." : "");
}

static const char *read_insert(prose_reader *p, const char *s, const char *end) {
    lh_lesson *l = p->l;
    const char *stop = find_end(s + 2, end, &p->no_end);
    if (!stop || l->n_inserts >= LH_MAX_INSERTS) {
        if (!stop)
            lh_problem_add(l->problems, LH_ERROR_TEXT, place_at(p, s, 2), "{{%s has no }}",
                           open_words(l->arena, s + 2, end));
        if (!stop) lh_problem_cure(l->problems, "it ends before the next empty line");
        if (stop)
            lh_problem_add(l->problems, LH_ERROR_LIMIT, place_at(p, s, 2),
                           "more than %d inserts in one lesson", LH_MAX_INSERTS);
        lh_text_add_n(&p->out, s, 2);
        return s + 2;
    }
    const char *line_end = memchr(s, '\n', (size_t)(stop - s));
    lh_place at = place_at(p, s, (size_t)((line_end ? line_end : stop + 2) - s));
    int number = l->n_inserts;
    *lh_push(l->arena, l->insert, l->n_inserts) =
        insert_read(l, (lh_text_row){s + 2, (size_t)(stop - s) - 2, at.line}, at, p->exercise);
    add_character(&p->out, number);
    count_lines(p, s, stop, true);
    return stop + 2;
}

char *lh_read_prose(lh_lesson *l, lh_arena *a, lh_text_row text, const char *line_start,
                    int exercise) {
    prose_reader p = {l, lh_text_new(a), line_start, text.number, exercise, text.s};
    *lh_push(l->arena, l->prose, l->n_proses) =
        (lh_prose){text.s, text.n, place_at(&p, text.s, text.n)};
    for (const char *s = text.s, *end = text.s + text.n; s < end && !lh_failed(l->ctx);) {
        if (end - s >= 2 && s[0] == '{' && s[1] == '{') {
            s = read_insert(&p, s, end);
            continue;
        }
        const char *from = s++;
        while (s < end && *s != '{') s++;
        lh_text_add_n(&p.out, from, (size_t)(s - from));
        count_lines(&p, from, s, false);
    }
    return p.out.s;
}
