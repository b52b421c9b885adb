#include "notation/format.h"
#include "base/ascii.h"

#include <string.h>

enum { INDENT = 2, GAP = 2, PASSES = 8 };

/* One line of the text, taken apart. */
typedef struct form_line {
    const char *code; /* without indent and trailing spaces */
    size_t n;
    const char *comment; /* from # on, trimmed; NULL: none */
    size_t n_comment;
    size_t indent, comment_at; /* columns as they are: bytes from the line's beginning */
    int depth;                 /* of blocks */
    bool goes_on;              /* inside brackets that an earlier line opened */
    bool is_words;             /* vocab, example, text: words as they stand */
} form_line;

typedef struct form {
    lh_arena *arena;
    form_line *line;
    int n;
} form;

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

static size_t string_end(const char *s, size_t i, size_t n) {
    for (i++; i < n && s[i] != '"'; i++)
        if (s[i] == '\\' && i + 1 < n) i++;
    return i < n ? i + 1 : n;
}

static bool begins(const form_line *l, const char *word) {
    const size_t n = strlen(word);
    return l->n >= n && memcmp(l->code, word, n) == 0 &&
           (l->n == n || !lh_is_name_part(l->code[n]));
}

/* ---- lines ---- */

static void take_apart(form_line *l, const char *s, size_t n) {
    size_t from = 0, i;
    while (from < n && is_space(s[from])) from++;
    for (i = from; i < n && s[i] != '#';) i = s[i] == '"' ? string_end(s, i, n) : i + 1;
    size_t end = i, last = n;
    while (end > from && (is_space(s[end - 1]) || s[end - 1] == '\r')) end--;
    while (last > i && (is_space(s[last - 1]) || s[last - 1] == '\r')) last--;
    *l = (form_line){.code = s + from, .n = end - from, .indent = from, .comment_at = i};
    if (i < n) l->comment = s + i, l->n_comment = last - i;
}

/* Brackets that are open behind this line, when so many were before it. */
static int open_behind(const form_line *l, int open) {
    for (size_t i = 0; i < l->n;) {
        const char c = l->code[i];
        if (c == '(' || c == '[') open++;
        if ((c == ')' || c == ']') && open > 0) open--;
        i = c == '"' ? string_end(l->code, i, l->n) : i + 1;
    }
    return open;
}

static bool opens_block(const form_line *l) {
    static const char *const word[] = {"fn", "grad", "repeat", "each"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (begins(l, word[i])) {
            size_t k = strlen(word[i]);
            while (k < l->n && is_space(l->code[k])) k++;
            return k < l->n && l->code[k] != '=' && l->code[k] != ':'; /* a step of that name */
        }
    return false;
}

static bool holds_words(const form_line *l) {
    return begins(l, "vocab") || begins(l, "example") || begins(l, "text");
}

/* A line that begins with two more spaces than a block has belongs to the one before it: rules of a mistake, words behind a comma. */
static bool form_open(form *f, const char *text, size_t length) {
    int lines = 1, depth = 0, open = 0;
    for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
    f->line = lh_alloc_array(f->arena, (size_t)lines + 1, sizeof *f->line);
    if (!f->line) return false;
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t n = end ? (size_t)(end - text) - at : length - at;
        form_line *l = &f->line[f->n++];
        take_apart(l, text + at, n);
        l->goes_on = open > 0;
        if (!l->goes_on && begins(l, "end") && l->n == 3 && depth > 0) depth--;
        l->depth = depth;
        if (!l->goes_on) l->is_words = holds_words(l);
        const char last =
            f->n > 1 && f->line[f->n - 2].n ? f->line[f->n - 2].code[f->line[f->n - 2].n - 1] : 0;
        if (!l->goes_on && l->n && last == ',')
            l->goes_on = true, l->is_words = f->line[f->n - 2].is_words;
        if (!l->goes_on && opens_block(l)) depth++;
        if (!l->is_words) open = open_behind(l, open);
        at += n + 1;
    }
    return true;
}

/* ---- one line ---- */

typedef struct writer {
    lh_text *out;
    size_t begin;    /* of the line in out */
    bool is_value;   /* what was written last ends a value: a sign behind it has two sides */
    bool is_close;   /* nothing comes between that and what follows */
    ptrdiff_t moved; /* how far a [ that stays open was moved; 0: there is none */
} writer;

static size_t column(const writer *w) {
    return w->out->n - w->begin;
}

static void put(writer *w, const char *s, size_t n) {
    lh_text_add_n(w->out, s, n);
}

static void space(writer *w) {
    if (column(w) && w->out->s[w->out->n - 1] != ' ') put(w, " ", 1);
}

/* How long is the sign at s, if it stands between two spaces? */
static size_t spaced_sign(const char *s, size_t n, bool is_value) {
    static const char *const two[] = {":=", "=>", "->", "==", "!=", "<=", ">="};
    for (size_t i = 0; n >= 2 && i < sizeof two / sizeof *two; i++)
        if (memcmp(s, two[i], 2) == 0) return 2;
    if (*s == '=' || *s == '@' || *s == '<' || *s == '>' || *s == ':') return 1;
    return (*s == '+' || *s == '-') && is_value ? 1 : 0;
}

/* From [ to its ]: as it is, for numbers stand below each other there. Up to the line's end where it is not closed. */
static size_t bracket_end(const char *s, size_t i, size_t n) {
    int open = 0;
    while (i < n) {
        if (s[i] == '[') open++;
        if (s[i] == ']' && --open == 0) return i + 1;
        i = s[i] == '"' ? string_end(s, i, n) : i + 1;
    }
    return n;
}

/* Does a neighbour have this sign in the same column? */
static bool is_aligned(const form *f, int i, size_t at, const char *s, size_t n) {
    for (int k = i - 1; k <= i + 1; k += 2) {
        if (k < 0 || k >= f->n) continue;
        const form_line *l = &f->line[k];
        const size_t from = l->indent;
        if (at >= from && at - from + n < l->n && at > from &&
            memcmp(l->code + at - from, s, n) == 0 && is_space(l->code[at - from - 1]) &&
            is_space(l->code[at - from + n]))
            return true;
    }
    return false;
}

static size_t word_length(const char *s, size_t n) {
    size_t i = 0;
    while (i < n && (lh_is_name_part(s[i]) || s[i] == '.')) i++;
    /* 1e-5 is one number */
    if (i && i < n && (s[i - 1] == 'e' || s[i - 1] == 'E') && s[0] >= '0' && s[0] <= '9' &&
        (s[i] == '-' || s[i] == '+'))
        for (i++; i < n && lh_is_name_part(s[i]);) i++;
    return i ? i : 1;
}

/* Spaces that the author left so that this sign stands below that of a neighbour. */
static void keep_column(writer *w, const form *f, int number, size_t i, size_t n) {
    const form_line *l = &f->line[number];
    const size_t at = l->indent + i;
    if (i >= 2 && is_space(l->code[i - 1]) && is_space(l->code[i - 2]) &&
        is_aligned(f, number, at, l->code + i, n))
        while (column(w) < at + (size_t)(l->depth * INDENT) - l->indent) put(w, " ", 1);
}

static void put_code(writer *w, const form *f, int number) {
    const form_line *l = &f->line[number];
    const char *s = l->code;
    w->is_value = w->is_close = false;
    for (size_t i = 0, k; i < l->n; i += k) {
        const bool is_apart = i > 0 && is_space(s[i - 1]);
        k = 1;
        if (is_space(s[i])) continue;
        const size_t sign = spaced_sign(s + i, l->n - i, w->is_value);
        if (sign) {
            space(w);
            keep_column(w, f, number, i, sign);
            put(w, s + i, k = sign);
            put(w, " ", 1);
            w->is_value = false, w->is_close = true;
        } else if (s[i] == ',' || s[i] == ';') {
            put(w, s + i, 1);
            put(w, " ", 1);
            w->is_value = false, w->is_close = true;
        } else if (s[i] == ')' || s[i] == ']') {
            put(w, s + i, 1);
            w->is_value = true, w->is_close = false;
        } else {
            k = s[i] == '"'   ? string_end(s, i, l->n) - i
                : s[i] == '[' ? bracket_end(s, i, l->n) - i
                              : word_length(s + i, l->n - i);
            const bool is_as = k == 2 && memcmp(s + i, "as", 2) == 0;
            if (is_apart && !w->is_close) space(w);
            if (is_as) keep_column(w, f, number, i, k);
            if (s[i] == '[' && i + k == l->n)
                w->moved = (ptrdiff_t)column(w) - (ptrdiff_t)(l->indent + i);
            put(w, s + i, k);
            w->is_value = lh_is_name_part(s[i]) || s[i] == '"' || s[i] == '[';
            w->is_close = s[i] == '(' || (!w->is_value && s[i] != '*' && s[i] != '/');
        }
    }
    while (column(w) && w->out->s[w->out->n - 1] == ' ') w->out->s[--w->out->n] = 0;
}

static void put_words(writer *w, const form *f, int number) {
    const form_line *l = &f->line[number];
    for (size_t i = 0, k; i < l->n; i += k) {
        const char *s = l->code + i;
        k = *s == '"' ? string_end(l->code, i, l->n) - i : word_length(s, l->n - i);
        if (is_space(*s)) {
            space(w);
            continue;
        }
        keep_column(w, f, number, i, k);
        put(w, s, k);
    }
}

static void put_comment(writer *w, const form_line *l) {
    const char *s = l->comment + 1;
    size_t n = l->n_comment - 1;
    while (n && *s == ' ') s++, n--;
    put(w, n ? "# " : "#", n ? 2 : 1);
    put(w, s, n);
}

/* Lines that an earlier one goes on in move with it. */
static void put_line(lh_text *out, const form *f, int i, ptrdiff_t *moved) {
    const form_line *l = &f->line[i];
    writer w = {.out = out, .begin = out->n};
    size_t indent = (size_t)l->depth * INDENT;
    if (l->goes_on) {
        const ptrdiff_t to = (ptrdiff_t)l->indent + *moved;
        indent = to > 0 ? (size_t)to : 0;
    } else {
        *moved = (ptrdiff_t)indent - (ptrdiff_t)l->indent;
    }
    for (size_t k = 0; k < indent && (l->n || l->comment); k++) put(&w, " ", 1);
    if (l->is_words)
        put_words(&w, f, i);
    else if (l->goes_on)
        put(&w, l->code, l->n);
    else
        put_code(&w, f, i);
    if (w.moved) *moved = w.moved;
    if (!l->comment) return;
    const size_t want = l->n ? l->comment_at : indent, least = column(&w) + (l->n ? GAP : 0);
    while (column(&w) < (want > least ? want : least)) put(&w, " ", 1);
    put_comment(&w, l);
}

static bool is_blank(const form_line *l) {
    return l->n == 0 && !l->comment;
}

static char *format_once(lh_arena *a, const char *text, size_t length) {
    form f = {.arena = a};
    lh_text out = lh_text_new(a);
    ptrdiff_t moved = 0;
    if (!form_open(&f, text, length)) return NULL;
    while (f.n && is_blank(&f.line[f.n - 1])) f.n--;
    for (int i = 0; i < f.n; i++) {
        if (is_blank(&f.line[i]) && (out.n == 0 || is_blank(&f.line[i - 1]))) continue;
        put_line(&out, &f, i, &moved);
        lh_text_add_n(&out, "\n", 1);
    }
    return out.s ? out.s : lh_copy(a, "", 0);
}

/* Until nothing changes: a sign that lost its neighbour in one pass is set in the next. */
static char *settle(lh_arena *a, const char *text, size_t length) {
    char *before = format_once(a, text, length);
    for (int i = 0; before && i < PASSES; i++) {
        char *after = format_once(a, before, strlen(before));
        if (!after || strcmp(before, after) == 0) return after;
        before = after;
    }
    return before;
}

static bool is_same(lh_context *ctx, const char *file, const lh_program *p, const char *text) {
    lh_program *q = lh_program_parse(ctx, file, text, strlen(text));
    const bool is = q && lh_program_same(p, q);
    lh_program_free(q);
    return is;
}

char *lh_format_program(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                        size_t length) {
    lh_program *p = lh_program_parse(ctx, file, text, length);
    char *out = p ? settle(a, text, length) : NULL;
    if (out && !is_same(ctx, file, p, out)) {
        lh_context_clear(ctx);
        out = lh_copy(a, text, length); /* what it cannot set right it leaves alone */
    }
    lh_program_free(p);
    return lh_failed(ctx) ? NULL : out;
}

/* ---- lessons ---- */

static size_t line_end(const char *text, size_t at, size_t length) {
    const char *end = memchr(text + at, '\n', length - at);
    return end ? (size_t)(end - text) + 1 : length;
}

static bool is_fence(const char *text, size_t at, size_t length, const char *word) {
    const size_t n = strlen(word);
    return length - at >= n && memcmp(text + at, word, n) == 0;
}

/* A block that is no program by itself, since it is a part of one, stays as it is. */
static void add_block(lh_context *ctx, lh_arena *a, lh_text *out, const char *text, size_t n) {
    lh_context *own = lh_context_new();
    char *set = own ? lh_format_program(own, a, "", text, n) : NULL;
    if (set && n)
        lh_text_add_n(out, set, strlen(set));
    else
        lh_text_add_n(out, text, n);
    lh_context_free(own);
    (void)ctx;
}

char *lh_format_lesson(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                       size_t length) {
    lh_text out = lh_text_new(a);
    (void)file;
    for (size_t at = 0, next; at < length && !lh_failed(ctx); at = next) {
        next = line_end(text, at, length);
        lh_text_add_n(&out, text + at, next - at);
        if (!is_fence(text, at, length, "```longhand")) continue;
        size_t end = next;
        while (end < length && !is_fence(text, end, length, "```"))
            end = line_end(text, end, length);
        add_block(ctx, a, &out, text + next, end - next);
        next = end;
    }
    return lh_failed(ctx) ? NULL : out.s ? out.s : lh_copy(a, "", 0);
}
