/* md4c -- Markdown as lessons have it: headings, paragraphs, quotes, lists, fenced code, tables, rules; emphasis, code, links, formulas.
 *
 * A block is a range of lines; a quote and an item of a list are lines with their beginnings cut off, read again. Words are read from a list
 * of places in the text, so that whoever is called back gets pieces of the text itself and can tell their lines.
 */
#include "md4c.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct line {
    const char *s;
    size_t n;
} line;

typedef struct reader {
    const MD_PARSER *to;
    void *who;
    int status; /* what a callback returned: not 0 ends the reading */
    int depth;
} reader;

enum { DEEP = 40 };

static void blocks(reader *r, const line *l, size_t n, bool is_tight);

static void enter(reader *r, MD_BLOCKTYPE type, void *detail) {
    if (!r->status) r->status = r->to->enter_block(type, detail, r->who);
}

static void leave(reader *r, MD_BLOCKTYPE type, void *detail) {
    if (!r->status) r->status = r->to->leave_block(type, detail, r->who);
}

static void text(reader *r, MD_TEXTTYPE type, const char *s, size_t n) {
    if (!r->status && n) r->status = r->to->text(type, s, (MD_SIZE)n, r->who);
}

/* ---- lines ---- */

static size_t indent_of(line l) {
    size_t k = 0;
    while (k < l.n && l.s[k] == ' ') k++;
    return k;
}

static bool is_blank(line l) {
    for (size_t i = 0; i < l.n; i++)
        if (l.s[i] != ' ' && l.s[i] != '\t' && l.s[i] != '\r') return false;
    return true;
}

static line cut(line l, size_t n) {
    if (n > l.n) n = l.n;
    return (line){l.s + n, l.n - n};
}

static line trim(line l) {
    while (l.n && strchr(" \t\r", l.s[0])) l.s++, l.n--;
    while (l.n && strchr(" \t\r", l.s[l.n - 1])) l.n--;
    return l;
}

static size_t run_of(line l, char c) {
    size_t k = 0;
    while (k < l.n && l.s[k] == c) k++;
    return k;
}

static size_t fence_of(line l) {
    l = cut(l, indent_of(l));
    if (!l.n || (l.s[0] != '`' && l.s[0] != '~')) return 0;
    size_t k = run_of(l, l.s[0]);
    return k >= 3 && !(l.s[0] == '`' && memchr(l.s + k, '`', l.n - k)) ? k : 0;
}

static int heading_of(line l) {
    l = cut(l, indent_of(l));
    size_t k = run_of(l, '#');
    return k >= 1 && k <= 6 && (k == l.n || l.s[k] == ' ') ? (int)k : 0;
}

static bool is_rule(line l) {
    l = trim(l);
    size_t n = 0;
    if (!l.n || !strchr("-*_", l.s[0])) return false;
    for (size_t i = 0; i < l.n; i++) {
        if (l.s[i] != l.s[0] && l.s[i] != ' ') return false;
        n += l.s[i] == l.s[0];
    }
    return n >= 3;
}

/* The sign of an item: how wide it is with the blanks behind it; 0: it is none. */
typedef struct item_sign {
    char kind; /* - * + . ) */
    unsigned number;
    size_t width;
} item_sign;

static item_sign sign_of(line l) {
    const size_t indent = indent_of(l);
    item_sign x = {0, 0, 0};
    size_t k = indent;
    if (indent > 3 || k >= l.n || is_rule(l)) return x;
    if (strchr("-*+", l.s[k])) {
        x.kind = l.s[k++];
    } else {
        while (k < l.n && k < indent + 9 && l.s[k] >= '0' && l.s[k] <= '9')
            x.number = x.number * 10 + (unsigned)(l.s[k++] - '0');
        if (k == indent || k >= l.n || (l.s[k] != '.' && l.s[k] != ')')) return x;
        x.kind = l.s[k++];
    }
    if (k < l.n && l.s[k] != ' ') return x;
    size_t blank = indent_of(cut(l, k));
    x.width = k + (blank >= 1 && blank <= 4 && k + blank < l.n ? blank : 1);
    return x;
}

static bool is_quote(line l) {
    return indent_of(l) <= 3 && indent_of(l) < l.n && l.s[indent_of(l)] == '>';
}

static bool is_html(line l) {
    l = cut(l, indent_of(l));
    if (l.n < 2 || l.s[0] != '<') return false;
    const char c = l.s[1];
    if (memchr(l.s, ':', l.n) && memchr(l.s, '>', l.n) > memchr(l.s, ':', l.n) &&
        !memchr(l.s, ' ', l.n))
        return false; /* <https://...> */
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '!' || c == '?';
}

/* What ends a paragraph without a blank line. */
static bool begins_block(line l) {
    const item_sign x = sign_of(l);
    return fence_of(l) || heading_of(l) || is_rule(l) || is_quote(l) || is_html(l) ||
           (x.width && x.width < l.n && (!x.number || x.number == 1) &&
            (x.kind != '.' || x.number == 1));
}

/* ---- words ---- */

typedef const char *const *place;

static void words(reader *r, place at, size_t n);

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
}

static bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool is_sign(char c) {
    return c > 32 && c < 127 && !is_word(c);
}

/* Pieces of the text as they lie there: a new piece where a line or a cut begins. */
static void plain(reader *r, MD_TEXTTYPE type, place at, size_t n) {
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && at[k] == at[k - 1] + 1 && *at[k] != '\n' && *at[i] != '\n'; k++) {}
        if (*at[i] == '\n')
            text(r, type == MD_TEXT_NORMAL ? MD_TEXT_SOFTBR : MD_TEXT_SOFTBR, "\n", 1);
        else
            text(r, type, at[i], k - i);
    }
}

static void span(reader *r, MD_SPANTYPE type, void *detail, place at, size_t n, MD_TEXTTYPE of) {
    if (!r->status) r->status = r->to->enter_span(type, detail, r->who);
    if (of == MD_TEXT_NORMAL)
        words(r, at, n);
    else
        plain(r, of, at, n);
    if (!r->status) r->status = r->to->leave_span(type, detail, r->who);
}

static size_t count(place at, size_t n, size_t i, char c) {
    size_t k = i;
    while (k < n && *at[k] == c) k++;
    return k - i;
}

/* `code` and $formulas$: where the same run of signs stands again; 0: nowhere. */
static size_t closing_run(place at, size_t n, size_t i, size_t k) {
    const char c = *at[i];
    for (size_t j = i + k; j < n;) {
        const size_t run = *at[j] == c ? count(at, n, j, c) : 1;
        if (*at[j] == c && run == k) return j;
        j += run;
    }
    return 0;
}

static size_t code(reader *r, place at, size_t n, size_t i) {
    const size_t k = count(at, n, i, '`'), end = closing_run(at, n, i, k);
    if (!end) return 0;
    size_t from = i + k, to = end;
    if (to - from > 2 && is_space(*at[from]) && is_space(*at[to - 1])) from++, to--;
    span(r, MD_SPAN_CODE, NULL, at + from, to - from, MD_TEXT_CODE);
    return end + k - i;
}

static size_t formula(reader *r, place at, size_t n, size_t i) {
    const size_t k = count(at, n, i, '$'), end = k <= 2 ? closing_run(at, n, i, k) : 0;
    if (!end || (i && is_word(*at[i - 1])) || (end + k < n && is_word(*at[end + k]))) return 0;
    span(r, k == 2 ? MD_SPAN_LATEXMATH_DISPLAY : MD_SPAN_LATEXMATH, NULL, at + i + k, end - i - k,
         MD_TEXT_LATEXMATH);
    return end + k - i;
}

/* The bracket that closes the one at i; what is in ticks does not count. 0: none. */
static size_t closing_bracket(place at, size_t n, size_t i) {
    int open = 0;
    for (size_t j = i; j < n; j++) {
        if (*at[j] == '\\')
            j++;
        else if (*at[j] == '`') {
            const size_t k = count(at, n, j, '`'), end = closing_run(at, n, j, k);
            j = end ? end + k - 1 : j + k - 1;
        } else if (*at[j] == '[')
            open++;
        else if (*at[j] == ']' && --open == 0)
            return j;
    }
    return 0;
}

static size_t link(reader *r, place at, size_t n, size_t i, bool is_image) {
    const size_t close = closing_bracket(at, n, i);
    if (!close || close + 1 >= n || *at[close + 1] != '(') return 0;
    size_t to = close + 2, open = 1;
    while (to < n && open && !is_space(*at[to])) {
        if (*at[to] == '(') open++;
        if (*at[to] == ')' && --open == 0) break;
        to++;
    }
    if (to >= n || *at[to] != ')') return 0;
    MD_SPAN_A_DETAIL a = {{at[close + 2], (MD_SIZE)(to - close - 2)}, {NULL, 0}};
    MD_SPAN_IMG_DETAIL image = {a.href, a.title};
    span(r, is_image ? MD_SPAN_IMG : MD_SPAN_A, is_image ? (void *)&image : (void *)&a, at + i + 1,
         close - i - 1, MD_TEXT_NORMAL);
    return to + 1 - i;
}

/* <https://...> is a link; other brackets of this kind are HTML. */
static size_t angle(reader *r, place at, size_t n, size_t i) {
    size_t to = i + 1;
    bool has_scheme = false;
    while (to < n && *at[to] != '>' && *at[to] != '\n' && *at[to] != ' ')
        has_scheme |= *at[to++] == ':';
    if (to < n && *at[to] == '>' && has_scheme) {
        MD_SPAN_A_DETAIL a = {{at[i + 1], (MD_SIZE)(to - i - 1)}, {NULL, 0}};
        if (!r->status) r->status = r->to->enter_span(MD_SPAN_A, &a, r->who);
        plain(r, MD_TEXT_NORMAL, at + i + 1, to - i - 1);
        if (!r->status) r->status = r->to->leave_span(MD_SPAN_A, &a, r->who);
        return to + 1 - i;
    }
    const char c = i + 1 < n ? *at[i + 1] : ' ';
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '!' || c == '?'))
        return 0;
    while (to < n && *at[to] != '>') to++;
    if (to >= n) return 0;
    plain(r, MD_TEXT_HTML, at + i, to + 1 - i);
    return to + 1 - i;
}

/* Can a run of * or _ open here, and close? As flanks say, and _ not inside a word. */
static bool opens(place at, size_t n, size_t i, size_t k) {
    const char before = i ? *at[i - 1] : ' ', after = i + k < n ? *at[i + k] : ' ';
    if (is_space(after) || (is_sign(after) && !is_space(before) && !is_sign(before))) return false;
    return *at[i] == '*' || !is_word(before);
}

static bool closes(place at, size_t n, size_t i, size_t k) {
    const char before = i ? *at[i - 1] : ' ', after = i + k < n ? *at[i + k] : ' ';
    if (is_space(before) || (is_sign(before) && !is_space(after) && !is_sign(after))) return false;
    return *at[i] == '*' || !is_word(after);
}

static size_t emphasis(reader *r, place at, size_t n, size_t i) {
    const char c = *at[i];
    const size_t run = count(at, n, i, c), k = run >= 2 ? 2 : 1;
    if (!opens(at, n, i, run)) return 0;
    for (size_t j = i + k; j < n;) {
        if (*at[j] == '\\') {
            j += 2;
        } else if (*at[j] == '`') {
            const size_t ticks = count(at, n, j, '`'), end = closing_run(at, n, j, ticks);
            j = end ? end + ticks : j + ticks;
        } else if (*at[j] == c) {
            const size_t here = count(at, n, j, c);
            if (j > i + k && closes(at, n, j, here) && (here == k || here == 3)) {
                span(r, k == 2 ? MD_SPAN_STRONG : MD_SPAN_EM, NULL, at + i + k,
                     j - i - k + (here == 3 ? 3 - k : 0), MD_TEXT_NORMAL);
                return j + here - i;
            }
            j += here;
        } else {
            j++;
        }
    }
    return 0;
}

static size_t entity(reader *r, place at, size_t n, size_t i) {
    size_t to = i + 1;
    while (to < n && to < i + 12 && (is_word(*at[to]) || *at[to] == '#')) to++;
    if (to == i + 1 || to >= n || *at[to] != ';') return 0;
    text(r, MD_TEXT_ENTITY, at[i], to + 1 - i);
    return to + 1 - i;
}

static size_t special(reader *r, place at, size_t n, size_t i) {
    switch (*at[i]) {
    case '`': return code(r, at, n, i);
    case '$': return formula(r, at, n, i);
    case '[': return link(r, at, n, i, false);
    case '!': {
        const size_t k = i + 1 < n && *at[i + 1] == '[' ? link(r, at, n, i + 1, true) : 0;
        return k ? k + 1 : 0;
    }
    case '<': return angle(r, at, n, i);
    case '*':
    case '_': return emphasis(r, at, n, i);
    case '&': return entity(r, at, n, i);
    default: return 0;
    }
}

/* How many signs that mean nothing here stand together: they are text, all of them. */
static size_t idle(place at, size_t n, size_t i) {
    const char c = *at[i];
    return c == '`' || c == '*' || c == '_' || c == '$' ? count(at, n, i, c) : 1;
}

static size_t end_of_line(reader *r, place at, size_t n, size_t from, size_t i) {
    size_t to = i, next = i + 1;
    while (to > from && *at[to - 1] == ' ') to--;
    const bool is_slash = to > from && *at[to - 1] == '\\', is_hard = is_slash || i - to >= 2;
    plain(r, MD_TEXT_NORMAL, at + from, to - is_slash - from);
    if (next < n) text(r, is_hard ? MD_TEXT_BR : MD_TEXT_SOFTBR, "\n", 1);
    while (next < n && *at[next] == ' ') next++;
    return next;
}

static void words(reader *r, place at, size_t n) {
    size_t from = 0;
    if (++r->depth > DEEP) r->status = 1;
    for (size_t i = 0; i < n && !r->status;) {
        const char c = *at[i];
        if (c == '\n') {
            from = i = end_of_line(r, at, n, from, i);
        } else if (c == '\\' && i + 1 < n && is_sign(*at[i + 1])) {
            plain(r, MD_TEXT_NORMAL, at + from, i - from);
            from = i + 1;
            i += 2;
        } else if (c == ' ' && i + 1 < n && *at[i + 1] == ' ') {
            size_t k = i;
            while (k < n && *at[k] == ' ') k++;
            if (k < n && *at[k] == '\n') {
                i = k;
            } else {
                plain(r, MD_TEXT_NORMAL, at + from, i + 1 - from);
                from = i = k;
            }
        } else if (strchr("`$[!<*_&", c) && c) {
            plain(r, MD_TEXT_NORMAL, at + from, i - from);
            from = i;
            const size_t k = special(r, at, n, i);
            if (k)
                from = i += k;
            else
                i += idle(at, n, i);
        } else {
            i++;
        }
    }
    plain(r, MD_TEXT_NORMAL, at + from, n - from);
    r->depth--;
}

/* The words of some lines, each without the blanks it begins with. */
static void put_words(reader *r, const line *l, size_t n) {
    static const char newline[] = "\n";
    size_t all = 0, k = 0;
    for (size_t i = 0; i < n; i++) all += l[i].n + 1;
    const char **at = malloc((all + 1) * sizeof *at);
    if (!at) r->status = 1;
    for (size_t i = 0; at && i < n; i++) {
        line x = cut(l[i], indent_of(l[i]));
        while (x.n && x.s[x.n - 1] == '\r') x.n--;
        if (i + 1 == n) x = trim(x);
        for (size_t c = 0; c < x.n; c++) at[k++] = x.s + c;
        if (i + 1 < n) at[k++] = newline;
    }
    if (at) words(r, at, k);
    free((void *)at);
}

/* ---- blocks ---- */

static size_t fenced(reader *r, const line *l, size_t n) {
    const size_t indent = indent_of(l[0]), fence = fence_of(l[0]);
    const char sign = l[0].s[indent];
    const line info = trim(cut(l[0], indent + fence));
    size_t word = 0, i = 1;
    while (word < info.n && info.s[word] != ' ') word++;
    MD_BLOCK_CODE_DETAIL d = {{info.s, (MD_SIZE)info.n}, {info.s, (MD_SIZE)word}};
    enter(r, MD_BLOCK_CODE, &d);
    for (; i < n && !r->status; i++) {
        const line x = cut(l[i], indent_of(l[i]));
        const size_t run = run_of(x, sign);
        if (run >= fence && indent_of(l[i]) <= 3 && is_blank(cut(x, run))) break;
        const size_t own = indent_of(l[i]) < indent ? indent_of(l[i]) : indent;
        line body = cut(l[i], own);
        while (body.n && body.s[body.n - 1] == '\r') body.n--;
        text(r, MD_TEXT_CODE, body.s, body.n);
        text(r, MD_TEXT_CODE, "\n", 1);
    }
    leave(r, MD_BLOCK_CODE, &d);
    return i < n ? i + 1 : i;
}

static size_t heading(reader *r, const line *l) {
    MD_BLOCK_H_DETAIL d = {(unsigned)heading_of(l[0])};
    line x = trim(cut(l[0], indent_of(l[0]) + d.level));
    size_t k = x.n;
    while (k && x.s[k - 1] == '#') k--;
    if (k < x.n && (!k || x.s[k - 1] == ' ')) x = trim((line){x.s, k});
    enter(r, MD_BLOCK_H, &d);
    put_words(r, &x, 1);
    leave(r, MD_BLOCK_H, &d);
    return 1;
}

static size_t quote(reader *r, const line *l, size_t n) {
    line *own = malloc((n + 1) * sizeof *own);
    size_t i = 0;
    if (!own) r->status = 1;
    for (;
         own && i < n &&
         (is_quote(l[i]) || (i && !is_blank(l[i]) && !is_blank(own[i - 1]) && !begins_block(l[i])));
         i++) {
        own[i] = l[i];
        if (!is_quote(l[i])) continue;
        own[i] = cut(l[i], indent_of(l[i]) + 1);
        if (own[i].n && own[i].s[0] == ' ') own[i] = cut(own[i], 1);
    }
    enter(r, MD_BLOCK_QUOTE, NULL);
    if (own) blocks(r, own, i, false);
    leave(r, MD_BLOCK_QUOTE, NULL);
    free(own);
    return i ? i : 1;
}

/* The lines of one item: those that are indented as its first words, and what goes on without a blank line. */
static size_t item_lines(const line *l, size_t n, line *own, bool *has_gap) {
    const size_t width = sign_of(l[0]).width;
    size_t i = 1, last = 1;
    own[0] = cut(l[0], width);
    for (; i < n; i++) {
        if (is_blank(l[i])) {
            own[i] = cut(l[i], l[i].n);
            continue;
        }
        const bool is_in = indent_of(l[i]) >= width, goes_on = i == last && !begins_block(l[i]);
        if (!is_in && (!goes_on || sign_of(l[i]).width)) break;
        if (is_in && last < i) *has_gap = true;
        own[i] = cut(l[i], is_in ? width : indent_of(l[i]));
        last = i + 1;
    }
    return last;
}

static size_t list_end(const line *l, size_t n, line *own, bool *is_tight) {
    const char kind = sign_of(l[0]).kind;
    size_t i = 0;
    *is_tight = true;
    while (i < n) {
        const item_sign x = sign_of(l[i]);
        bool has_gap = false;
        if (!x.width || x.kind != kind) break;
        size_t k = item_lines(l + i, n - i, own, &has_gap), next = i + k;
        while (next < n && is_blank(l[next])) next++;
        const item_sign after = next < n ? sign_of(l[next]) : (item_sign){0, 0, 0};
        const bool goes_on = after.width && after.kind == kind;
        if (has_gap || (goes_on && next > i + k)) *is_tight = false;
        i = goes_on ? next : i + k;
        if (!goes_on) break;
    }
    return i;
}

static size_t list(reader *r, const line *l, size_t n) {
    const item_sign first = sign_of(l[0]);
    const bool is_ordered = first.kind == '.' || first.kind == ')';
    line *own = malloc((n + 1) * sizeof *own);
    bool is_tight = true, gap = false;
    if (!own) return r->status = 1, n;
    const size_t end = list_end(l, n, own, &is_tight);
    MD_BLOCK_OL_DETAIL ol = {first.number, is_tight};
    MD_BLOCK_UL_DETAIL ul = {is_tight};
    void *detail = is_ordered ? (void *)&ol : (void *)&ul;
    enter(r, is_ordered ? MD_BLOCK_OL : MD_BLOCK_UL, detail);
    for (size_t i = 0; i < end && !r->status;) {
        if (is_blank(l[i])) {
            i++;
            continue;
        }
        const size_t k = item_lines(l + i, end - i, own, &gap);
        enter(r, MD_BLOCK_LI, NULL);
        blocks(r, own, k, is_tight);
        leave(r, MD_BLOCK_LI, NULL);
        i += k;
    }
    leave(r, is_ordered ? MD_BLOCK_OL : MD_BLOCK_UL, detail);
    free(own);
    return end;
}

/* ---- tables ---- */

static bool is_delimiter(line l) {
    bool has_bar = false, has_dash = false;
    for (size_t i = 0; i < l.n; i++) {
        if (!strchr("|-: \t\r", l.s[i])) return false;
        has_bar |= l.s[i] == '|';
        has_dash |= l.s[i] == '-';
    }
    return has_bar && has_dash;
}

/* The next cell of a row; a bar in ticks or behind \ is none. */
static bool next_cell(line *row, line *cell) {
    if (!row->n) return false;
    size_t i = 0;
    for (; i < row->n && row->s[i] != '|'; i++) {
        if (row->s[i] == '\\' && i + 1 < row->n) i++;
        if (row->s[i] != '`') continue;
        const size_t k = run_of(cut(*row, i), '`');
        size_t j = i + k;
        while (j < row->n && !(row->s[j] == '`' && run_of(cut(*row, j), '`') == k)) j++;
        i = j < row->n ? j + k - 1 : i + k - 1;
    }
    *cell = trim((line){row->s, i < row->n ? i : row->n});
    *row = cut(*row, i + 1);
    return true;
}

static line row_of(line l) {
    l = trim(l);
    if (l.n && l.s[0] == '|') l = cut(l, 1);
    if (l.n && l.s[l.n - 1] == '|') l.n--;
    return l;
}

static MD_ALIGN align_of(line cell) {
    const bool left = cell.n && cell.s[0] == ':', right = cell.n && cell.s[cell.n - 1] == ':';
    return left && right ? MD_ALIGN_CENTER
           : right       ? MD_ALIGN_RIGHT
           : left        ? MD_ALIGN_LEFT
                         : MD_ALIGN_DEFAULT;
}

static void row(reader *r, line l, line delimiter, bool is_head) {
    line rest = row_of(l), marks = row_of(delimiter), cell, mark;
    enter(r, MD_BLOCK_TR, NULL);
    while (next_cell(&marks, &mark) && !r->status) {
        MD_BLOCK_TD_DETAIL d = {align_of(mark)};
        enter(r, is_head ? MD_BLOCK_TH : MD_BLOCK_TD, &d);
        if (next_cell(&rest, &cell) && cell.n) put_words(r, &cell, 1);
        leave(r, is_head ? MD_BLOCK_TH : MD_BLOCK_TD, &d);
    }
    leave(r, MD_BLOCK_TR, NULL);
}

static size_t table(reader *r, const line *l, size_t n) {
    size_t i = 2;
    enter(r, MD_BLOCK_TABLE, NULL);
    enter(r, MD_BLOCK_THEAD, NULL);
    row(r, l[0], l[1], true);
    leave(r, MD_BLOCK_THEAD, NULL);
    enter(r, MD_BLOCK_TBODY, NULL);
    for (; i < n && !is_blank(l[i]) && !begins_block(l[i]); i++) row(r, l[i], l[1], false);
    leave(r, MD_BLOCK_TBODY, NULL);
    leave(r, MD_BLOCK_TABLE, NULL);
    return i;
}

static bool is_table(const line *l, size_t n) {
    if (n < 2 || !memchr(l[0].s, '|', l[0].n) || !is_delimiter(l[1])) return false;
    line a = row_of(l[0]), b = row_of(l[1]), cell;
    int cells = 0;
    while (next_cell(&a, &cell)) cells++;
    while (next_cell(&b, &cell)) cells--;
    return cells == 0;
}

static size_t paragraph(reader *r, const line *l, size_t n, bool is_tight) {
    size_t i = 1;
    while (i < n && !is_blank(l[i]) && !begins_block(l[i]) && !is_table(l + i, n - i)) i++;
    if (!is_tight) enter(r, MD_BLOCK_P, NULL);
    put_words(r, l, i);
    if (!is_tight) leave(r, MD_BLOCK_P, NULL);
    return i;
}

/* Whoever is called decides what becomes of it: it is a paragraph of HTML, line by line. */
static size_t html(reader *r, const line *l, size_t n) {
    size_t i = 0;
    enter(r, MD_BLOCK_P, NULL);
    for (; i < n && !is_blank(l[i]); i++) {
        if (i) text(r, MD_TEXT_SOFTBR, "\n", 1);
        text(r, MD_TEXT_HTML, l[i].s, l[i].n);
    }
    leave(r, MD_BLOCK_P, NULL);
    return i;
}

static size_t block(reader *r, const line *l, size_t n, bool is_tight) {
    if (is_blank(l[0])) return 1;
    if (fence_of(l[0])) return fenced(r, l, n);
    if (heading_of(l[0])) return heading(r, l);
    if (is_rule(l[0])) {
        enter(r, MD_BLOCK_HR, NULL);
        leave(r, MD_BLOCK_HR, NULL);
        return 1;
    }
    if (is_quote(l[0])) return quote(r, l, n);
    if (sign_of(l[0]).width) return list(r, l, n);
    if (is_html(l[0])) return html(r, l, n);
    if (is_table(l, n)) return table(r, l, n);
    return paragraph(r, l, n, is_tight);
}

static void blocks(reader *r, const line *l, size_t n, bool is_tight) {
    if (++r->depth > DEEP) r->status = 1;
    for (size_t i = 0; i < n && !r->status;) i += block(r, l + i, n - i, is_tight);
    r->depth--;
}

int md_parse(const MD_CHAR *s, MD_SIZE size, const MD_PARSER *parser, void *who) {
    reader r = {.to = parser, .who = who};
    size_t n = 1, k = 0;
    for (MD_SIZE i = 0; i < size; i++) n += s[i] == '\n';
    line *l = calloc(n + 1, sizeof *l);
    if (!l) return -1;
    for (const char *from = s, *end = s + size; from < end && k < n;) {
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        l[k++] = (line){from, (size_t)((stop ? stop : end) - from)};
        from = stop ? stop + 1 : end;
    }
    if (memchr(s, 0, size)) text(&r, MD_TEXT_NULLCHAR, s, 1);
    enter(&r, MD_BLOCK_DOC, NULL);
    blocks(&r, l, k, false);
    leave(&r, MD_BLOCK_DOC, NULL);
    free(l);
    return r.status;
}
