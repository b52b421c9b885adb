/* page_layout_code -- a block of code on a screen. Comments stand in a column behind the code; where the screen is too narrow, that
 * column moves to the left, and a comment that still has no room stands above its line. A line of the notation that is too long
 * is parted where the notation allows it, inside brackets, so that what is shown can be copied and run; other code at a
 * blank. */
#include <string.h>

#include "base/utf8.h"
#include "cli/page_layout_words.h"

typedef struct code_line {
    const char *code, *comment; /* comment: with its #, or NULL; code without blanks at the end */
    int column;                 /* where the comment began */
} code_line;

/* Where in a line one is: brackets that are open, and whether a text between quotes is. */
typedef struct inside {
    int depth;
    bool quoted, is_example;
} inside;

typedef struct code {
    lh_page_layout *l;
    code_line *line;
    int n, indent, room, column;
    bool is_notation;
    inside in; /* a bracket may be open from one line to the next */
} code;

static void pass(inside *in, char c) {
    if (c == '"') in->quoted = !in->quoted;
    if (in->quoted) return;
    if (c == '[' || c == '(') in->depth++;
    if ((c == ']' || c == ')') && in->depth > 0) in->depth--;
}

static code_line split(lh_arena *a, const char *s, size_t n, bool is_notation) {
    char *line = lh_copy(a, s, n), *comment = NULL;
    inside in = {0};
    code_line x = {.code = line};
    for (char *c = line; is_notation && *c && !comment; c++) {
        if (*c == '#' && !in.quoted) comment = c;
        pass(&in, *c);
    }
    if (comment) {
        x.comment = lh_copy(a, comment, strlen(comment));
        *comment = 0;
        x.column = lh_columns(line);
    }
    size_t k = strlen(line);
    while (k && line[k - 1] == ' ' && strspn(line, " ") < k) line[--k] = 0;
    return x;
}

static bool fits(const code *c, const code_line *x, int column) {
    return column + lh_columns(x->comment) <= c->room;
}

/* How many comments a column suits: behind their code, and short enough. */
static int count_suited(const code *c, int column) {
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        const code_line *x = &c->line[i];
        n += x->comment && *x->code && lh_columns(x->code) + 2 <= column && fits(c, x, column);
    }
    return n;
}

/* As it was written where that fits; else the column that suits most, just behind one of the lines. */
static int find_column(const code *c) {
    bool all = true;
    int best = 0, most = 0;
    for (int i = 0; i < c->n; i++) {
        const code_line *x = &c->line[i];
        if (!x->comment || !*x->code) continue;
        all &= fits(c, x, x->column);
        int own = lh_columns(x->code) + 2, n = count_suited(c, own);
        if (n > most) most = n, best = own;
    }
    return all ? -1 : best;
}

/* example NAME = words, NAME = words: it may break behind a comma. */
static bool is_long_example(const char *s) {
    s += strspn(s, " ");
    if (strncmp(s, "example ", 8) != 0) return false;
    s += 8 + strspn(s + 8, " ");
    s += strcspn(s, " =");
    s += strspn(s, " ");
    return s[0] == '=' && s[1] != '=';
}

static bool may_break(const code *c, const inside *in, char before) {
    if (!c->is_notation) return true;
    return !in->quoted && (in->depth > 0 || (in->is_example && before == ','));
}

/* Where a line that is too long is parted: at the last blank that fits, best behind a comma or a semicolon; 0: nowhere. */
static size_t part_at(const code *c, const char *s, int room, inside in) {
    size_t any = 0, good = 0, first = strspn(s, " ");
    int columns = 0;
    for (size_t i = 0; s[i] && columns <= room; i++) {
        if (s[i] == ' ' && i > first && may_break(c, &in, s[i - 1])) {
            any = i;
            if (s[i - 1] == ',' || s[i - 1] == ';') good = i;
        }
        pass(&in, s[i]);
        columns += lh_utf8_starts(s[i]);
    }
    return good > first + (size_t)room / 3 ? good : any;
}

/* How far in a line goes on: behind a bracket that is still open, as one would write it; else a little. */
static int indent_behind(const code *c, const char *text, size_t n, int blank) {
    int column = 0, depth = 0, at[16] = {0};
    for (size_t i = 0; i < n; i++) {
        column += lh_utf8_starts(text[i]);
        if (strchr("[(", text[i]) && depth < 16) at[depth++] = column;
        if (strchr("])", text[i]) && depth > 0) depth--;
    }
    if (depth > 0 && at[depth - 1] < c->room / 2) return at[depth - 1];
    return blank + 4 < c->room / 2 ? blank + 4 : 0;
}

/* What cannot be parted stays whole where nobody counts lines; on a page of lines it is cut. */
static void put_rest(const code *c, int indent, const char *text) {
    if (c->is_notation && c->l->is_code_whole)
        lh_layout_whole(c->l, indent, text);
    else
        lh_layout_add(c->l, indent, text);
}

/* A line of code; what has no room goes on below it, further in. */
static void put_code(code *c, const char *text) {
    int blank = (int)strspn(text, " "), more = 0;
    bool is_first = true;
    inside in = c->in;
    in.is_example = in.depth == 0 && is_long_example(text);
    while (lh_columns(text) > c->room - more) {
        size_t n = part_at(c, text, c->room - more, in);
        if (n == 0) break;
        lh_layout_add(c->l, c->indent + more, lh_copy(c->l->arena, text, n));
        if (is_first) more = indent_behind(c, text, n, blank);
        for (size_t i = 0; i < n; i++) pass(&in, text[i]);
        text += n + strspn(text + n, " ");
        is_first = false;
    }
    put_rest(c, c->indent + more, text);
}

static void put(code *c, const code_line *x) {
    lh_page_layout *l = c->l;
    const char *on = l->cli->colour ? lh_ink_codes[LH_INK_QUIET] : "", *off = *on ? LH_INK_END : "";
    int own = lh_columns(x->code), column = c->column < 0 ? x->column : c->column;
    if (!x->comment) {
        put_code(c, x->code);
        return;
    }
    bool is_alone = strspn(x->code, " ") == strlen(x->code);
    if (is_alone || !fits(c, x, column) || column < own + 2) column = is_alone ? own : own + 2;
    if (fits(c, x, column)) {
        lh_layout_add(
            l, c->indent,
            lh_printf(l->arena, "%s%*s%s%s%s", x->code, column - own, "", on, x->comment, off));
        return;
    }
    lh_words w = lh_words_new(l);
    const char *words = x->comment + 1 + strspn(x->comment + 1, " ");
    int blank = (int)strspn(x->code, " ");
    lh_words_add(&w, &(lh_span){.kind = LH_SPAN_TEXT, .text = words}, LH_INK_QUIET);
    lh_page_layout *part = lh_layout_new(l->cli, l->arena, c->room);
    w.l = part;
    lh_words_fold(&w, 0, c->room - blank - 2, "");
    for (int i = 0; i < part->n_lines; i++)
        lh_layout_add(l, c->indent + blank,
                      lh_printf(l->arena, "%s# %s%s", on, off, part->line[i]));
    if (own > blank) put_code(c, x->code);
}

void lh_layout_code(lh_page_layout *l, int indent, const char *text, bool is_notation) {
    code c = {.l = l, .indent = indent, .room = l->width - indent, .is_notation = is_notation};
    while (*text) {
        size_t n = strcspn(text, "\n");
        *lh_push(l->arena, c.line, c.n) = split(l->arena, text, n, is_notation);
        text += n + (text[n] == '\n');
    }
    c.column = find_column(&c);
    for (int i = 0; i < c.n; i++) {
        put(&c, &c.line[i]);
        for (const char *s = c.line[i].code; *s; s++) pass(&c.in, *s);
        c.in.quoted = false; /* a text ends with its line */
    }
}
