#include "explain/explain.h"
#include "learn/answers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"
#include "learn/scan.h"
#include "base/ascii.h"
#include "base/number.h"

/* ---- where an answer belongs ---- */

/* Which cells of the sheet a name means. */
typedef struct target {
    int ask;
    const lh_answer_block *block;
    int row, col; /* -1: all of them */
} target;

typedef struct placer {
    lh_arena *a;
    const lh_paper *p;
    lh_filled *r;
    const lh_answer_entry *e;
    bool is_json, drops_zeros;
    /* for each cell of the sheet: has an answer of another shape been given places there? */
    bool *is_aligned;
    int *n_over; /* for each ask: how many numbers too many stand in such answers */
    int *best;   /* scratch of match_pieces */
    size_t n_best;
} placer;

static bool wants_words(const placer *k) {
    return k->r->notes.n < LH_MAX_NOTES;
}

static void note(placer *k, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void note(placer *k, int line, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    if (wants_words(k)) lh_vformat(text, sizeof text, format, args);
    va_end(args);
    lh_note_add(&k->r->notes, line, wants_words(k) ? lh_printf(k->a, "%s", text) : "");
}

/* By path, by the name of an updated param, or by a name that only one asked step has. -1 none, -2 several. */
static int find_ask(const lh_paper *p, const char *name, size_t n) {
    int found = -1;
    while (n && name[n - 1] == ' ') n--;
    if (n > 2 && memcmp(name + n - 2, ":=", 2) == 0) n -= 2;
    while (n && name[n - 1] == ' ') n--;
    for (int i = 0; i < p->n_steps; i++)
        if (strncmp(p->step[i].name, name, n) == 0 && p->step[i].name[n] == 0) return i;
    for (int i = 0; i < p->n_steps; i++) {
        const char *tail = p->sheet->ask[i].step->name;
        if (strncmp(tail, name, n) != 0 || tail[n] != 0) continue;
        if (found >= 0) return -2;
        found = i;
    }
    return found;
}

static void note_unknown(placer *k, int found) {
    const lh_paper *p = k->p;
    const char *near = NULL;
    if (found == -2) {
        note(k, k->e->line, "%.60s: several steps have this name; write the whole path, as in %s",
             k->e->name, p->step[0].name);
        return;
    }
    if (wants_words(k)) {
        const char **known = lh_alloc_array(k->a, (size_t)p->n_steps + 1, sizeof *known);
        for (int i = 0; known && i < p->n_steps; i++) known[i] = p->step[i].name;
        near = known ? lh_nearest(lh_printf(k->a, "%.60s", k->e->name), known, p->n_steps) : NULL;
    }
    note(k, k->e->line,
         near ? "%.60s is not a step of this sheet; did you mean %s?"
              : "%.60s is not a step of this sheet%s",
         k->e->name, near ? near : "");
}

/* [3] or [ 3 ] at the end of a name: its number, and where the bracket opens. */
static bool last_index(const char *s, size_t *n, int *index) {
    size_t end = *n;
    while (end && s[end - 1] == ' ') end--;
    if (end < 3 || s[end - 1] != ']') return false;
    size_t last = end - 1;
    while (last && s[last - 1] == ' ') last--;
    size_t first = last, open;
    while (first && lh_is_digit(s[first - 1])) first--;
    for (open = first; open && s[open - 1] == ' ';) open--;
    if (open == 0 || s[open - 1] != '[' || last == first || last - first > 8) return false;
    *index = atoi(s + first);
    *n = open - 1;
    return true;
}

static const lh_answer_block *find_block(placer *k, int ask, int example, int head) {
    const lh_paper_step *s = &k->p->step[ask];
    const char *last = s->block[s->n_blocks - 1].address;
    int found = -1, n = 0;
    for (int i = 0; i < s->n_blocks; i++) {
        const lh_answer_block *b = &s->block[i];
        if ((example < 0 || b->example == example) && (head < 0 || b->head == head)) found = i, n++;
    }
    if (n == 1) return &s->block[found];
    if (n > 1)
        note(k, k->e->line, "%s stands for %d matrices; write which, as in %s = ...", s->name,
             s->n_blocks, last);
    else
        note(k, k->e->line, "%.60s: there is no such example or head; the last is %s", k->e->name,
             last);
    return NULL;
}

/* P, WO :=, h[0].A, P{example 1}, P[1][0], h[0].A{head 1}[2]. */
static bool resolve(placer *k, target *t) {
    const char *name = k->e->name, *brace = strchr(name, '{');
    size_t n = strlen(name);
    int index[2] = {-1, -1}, n_indices = 0, i;
    lh_address in = {.example = -1, .head = -1};
    if (brace) {
        const char *behind = brace;
        bool is_read = lh_address_braces(&behind, &in);
        size_t rest = is_read ? strlen(behind) : 0;
        while (is_read && n_indices < 2 && last_index(behind, &rest, &i)) index[n_indices++] = i;
        if (!is_read || strspn(behind, " :=") < rest) {
            note(k, k->e->line, "%.60s: {example N, head N} is expected", name);
            return false;
        }
        n = (size_t)(brace - name);
    }
    t->ask = find_ask(k->p, name, n);
    while (!brace && t->ask < 0 && n_indices < 2 && last_index(name, &n, &i)) {
        index[n_indices++] = i;
        t->ask = find_ask(k->p, name, n);
    }
    if (t->ask < 0) {
        note_unknown(k, t->ask);
        return false;
    }
    t->block = find_block(k, t->ask, in.example, in.head);
    if (!t->block) return false;
    /* the last index was met first */
    const lh_grid *g = &t->block->grid;
    t->row = n_indices == 2 ? index[1] : n_indices == 1 && g->rows > 1 ? index[0] : -1;
    t->col = n_indices == 2 ? index[0] : n_indices == 1 && g->rows == 1 ? index[0] : -1;
    if (t->row < g->rows && t->col < g->cols) return true;
    note(k, k->e->line, "%.60s: %s has %d row%s and %d column%s, counted from 0", name,
         t->block->address, g->rows, LH_PLURAL(g->rows), g->cols, LH_PLURAL(g->cols));
    return false;
}

/* ---- its shape ---- */

typedef struct shape {
    int rows, least, most; /* rows, and cells in the shortest and the longest */
    int at;                /* the row being counted */
    int cells;             /* in it */
    int total, written;
} shape;

static void end_row(shape *s) {
    if (s->cells == 0) return;
    if (s->rows == 0 || s->cells < s->least) s->least = s->cells;
    if (s->cells > s->most) s->most = s->cells;
    s->rows++;
    s->cells = 0;
}

static void count_cell(void *who, int row, const char *s, size_t n, int line) {
    shape *x = who;
    (void)line;
    if (row != x->at) end_row(x), x->at = row;
    x->cells++;
    x->total++;
    x->written += lh_written_read(s, n).kind != LH_WRITTEN_BLANK;
}

static const char *shape_text(lh_arena *a, const shape *s) {
    if (s->least != s->most)
        return lh_printf(a, "%d rows of %d to %d numbers", s->rows, s->least, s->most);
    return lh_printf(a, "%d x %d", s->rows, s->most);
}

/* A column may be written in a row and a row in a column: there is no doubt which number is which. */
static bool fits(const shape *s, int rows, int cols) {
    if (s->least == s->most && s->rows == rows && s->most == cols) return true;
    bool is_line = rows == 1 || cols == 1, wrote_line = s->rows == 1 || s->most == 1;
    return is_line && wrote_line && s->least == s->most && s->total == rows * cols;
}

/* ---- its numbers ---- */

typedef struct filler {
    placer *k;
    int cell; /* of the sheet, where the next number goes */
} filler;

static void fill_cell(void *who, int row, const char *s, size_t n, int line) {
    filler *f = who;
    placer *k = f->k;
    (void)row;
    int cell = f->cell++;
    lh_written w = lh_written_read(s, n);
    w.drops_zeros = k->drops_zeros;
    k->r->answers->cell[cell] = w;
    k->r->text[cell] = w.kind == LH_WRITTEN_BLANK ? "" : lh_clean(k->a, s, n, 40);
    if (w.kind != LH_WRITTEN_UNREAD) return;
    const char *text = k->r->text[cell];
    bool is_two = strchr(text, ',') && strspn(text, "0123456789.,-") == strlen(text);
    note(k, line, "\"%s\" cannot be read as a number%s", text,
         is_two ? ": is a space between two numbers missing?" : "");
}

static bool has_numbers(const lh_filled *r, int first, int n) {
    for (int i = 0; i < n; i++)
        if (r->answers->cell[first + i].kind != LH_WRITTEN_BLANK) return true;
    return false;
}

static void walk(placer *k, lh_cell_visit visit, void *who) {
    if (k->is_json)
        lh_scan_json_cells(k->e->from, k->e->to, k->e->line, visit, who);
    else
        lh_scan_cells(k->e->from, k->e->to, k->e->line, visit, who);
}

/* ---- one too many, or one too few ---- */

/* What stands in an entry, one after the other. */
typedef struct piece {
    int row, line;
    const char *s; /* a copy: JSON is read into a buffer */
    size_t n;
    lh_written w;
} piece;

typedef struct pieces {
    lh_arena *a;
    piece *at;
    int n, most;
} pieces;

static void keep_piece(void *who, int row, const char *s, size_t n, int line) {
    pieces *p = who;
    if (p->n == p->most) return;
    const char *copy = lh_copy(p->a, s, n);
    if (n && !*copy) n = 0; /* there is no memory */
    p->at[p->n++] = (piece){row, line, copy, n, lh_written_read(s, n)};
}

static bool is_expected(const placer *k, const target *t, int cell, const lh_written *w) {
    const lh_ask *q = &k->p->sheet->ask[t->ask];
    if (w->kind != LH_WRITTEN_NUMBER) return false;
    const double exact = lh_sheet_exact(k->p->sheet, t->ask, cell - q->first),
                 unit = pow(10, -q->decimals);
    return fabs(w->value - exact) <= 2 * fmax(fmin(w->unit, 10 * unit), unit);
}

/* The pieces that are the numbers expected, in their order, and as many as possible: in[i] is the cell of piece i, counted from
 * `first`, or -1. Returns how many there are. */
static int match_pieces(placer *k, const target *t, const piece *p, int n, int first, int n_cells,
                        int *in) {
    const int wide = n_cells + 1;
    const size_t needed = (size_t)(n + 1) * (size_t)wide;
    int c = 0;
    if (!k->best || needed > k->n_best) {
        k->n_best = 0;
        k->best = lh_alloc_array(k->a, needed, sizeof *k->best);
        if (!k->best) return 0;
        k->n_best = needed;
    }
    int *best = k->best;
    memset(best, 0, needed * sizeof *best);
    for (int i = n - 1; i >= 0; i--)
        for (int j = n_cells - 1; j >= 0; j--) {
            const int skip_piece = best[(i + 1) * wide + j], skip_cell = best[i * wide + j + 1];
            best[i * wide + j] = skip_piece > skip_cell ? skip_piece : skip_cell;
            if (is_expected(k, t, first + j, &p[i].w) &&
                best[(i + 1) * wide + j + 1] >= best[i * wide + j])
                best[i * wide + j] = best[(i + 1) * wide + j + 1] + 1;
        }
    for (int i = 0; i < n; i++) {
        while (c < n_cells && best[i * wide + c] == best[i * wide + c + 1]) c++;
        const bool is = c < n_cells && best[i * wide + c] > best[(i + 1) * wide + c];
        in[i] = is ? c++ : -1;
    }
    return best[0];
}

/* May the numbers of an entry be given places? Whoever writes two numbers for each cell, or the step again and again, has not decided:
 * one number too many in a step is a slip, and an answer of another shape is looked at once. Of two numbers for one cell neither is
 * the answer. */
static bool may_align(placer *k, const target *t, int n_over, int first, int n_cells) {
    bool is_new = true;
    for (int i = first; i < first + n_cells; i++) {
        is_new &= !k->is_aligned[i];
        k->is_aligned[i] = true;
    }
    k->n_over[t->ask] += n_over;
    return is_new && (n_over == 0 || (n_cells > 1 && k->n_over[t->ask] == 1));
}

/* Puts the pieces of a row that has too many or too few where they belong: those that are expected, and others between them where as
 * many cells are left. No more than that is sure. */
static void align(placer *k, const target *t, const piece *p, int n, int first, int n_cells) {
    int *in = lh_alloc_array(k->a, (size_t)n + 1, sizeof *in), from = 0, cell = 0;
    if (!in || n == 0 || 2 * match_pieces(k, t, p, n, first, n_cells, in) < n) return;
    for (int i = 0; i <= n; i++) {
        const int to = i < n ? in[i] : n_cells;
        if (to < 0) continue;
        for (int j = from; j < i && i - from == to - cell; j++) in[j] = cell + j - from;
        from = i + 1, cell = to + 1;
    }
    for (int i = 0; i < n; i++)
        if (in[i] >= 0) fill_cell(&(filler){k, first + in[i]}, p[i].row, p[i].s, p[i].n, p[i].line);
}

/* Of the rows that have too many. */
static int count_over(const pieces *p, int cols) {
    int over = 0, n = 0;
    for (int i = 0; i < p->n; i++) {
        n = i && p->at[i].row == p->at[i - 1].row ? n + 1 : 1;
        over += n > cols;
    }
    return over;
}

/* Each row has a line of its own: those with as many numbers as asked for stand where they belong. */
static void place_rows(placer *k, const target *t, const pieces *p, int rows, int cols, int first) {
    enum { NAMED = 4 };
    const char *address = t->block->address;
    const bool may = may_align(k, t, count_over(p, cols), first, rows * cols);
    int said = 0, others = 0, i = 0;
    for (int r = 0; r < rows; r++) {
        const int from = i, row = i < p->n ? p->at[i].row : 0;
        while (i < p->n && p->at[i].row == row) i++;
        const int n = i - from, at = first + r * cols;
        for (int c = 0; c < n && n == cols; c++)
            fill_cell(&(filler){k, at + c}, row, p->at[from + c].s, p->at[from + c].n,
                      p->at[from + c].line);
        if (n == cols) continue;
        if (may) align(k, t, p->at + from, n, at, cols);
        const char *what = lh_printf(k->a, "row %d has %d number%s, but %d are asked for", r, n,
                                     n == 1 ? "" : "s", cols);
        if (!said++) k->r->answers->other_shape[t->ask] = what;
        if (said > NAMED)
            others++;
        else
            note(k, p->at[from].line, "%s: %s; %s", address, what,
                 n < cols ? "_ stands for a number left out" : "what does not fit is not read");
    }
    if (others) note(k, k->e->line, "%s: and so in %d more rows", address, others);
}

static bool is_minus(const piece *p) {
    return (p->n == 1 && *p->s == '-') || (p->n == 3 && memcmp(p->s, "\xe2\x88\x92", 3) == 0);
}

/* nats: letters alone, for e-3 belongs to a number. */
static bool is_word(const piece *p) {
    for (size_t i = 0; i < p->n; i++)
        if (!lh_is_letter(p->s[i]) && (unsigned char)p->s[i] < 0x80) return false;
    return p->n > 0;
}

/* One number is asked for: - 1.2, and 0.25 nats. False: there are two, or something else. */
static bool place_single(placer *k, const pieces *p, int cell) {
    const bool has_minus = p->n > 1 && is_minus(&p->at[0]);
    const piece *number = &p->at[has_minus];
    piece whole = *number;
    if (lh_written_read(number->s, number->n).kind != LH_WRITTEN_NUMBER ||
        (has_minus && !lh_is_digit(*number->s) && *number->s != '.'))
        return false;
    for (int i = has_minus + 1; i < p->n; i++)
        if (!is_word(&p->at[i])) return false;
    if (has_minus) {
        whole.s = lh_printf(k->a, "-%.*s", (int)number->n, number->s);
        whole.n = number->n + 1;
    }
    fill_cell(&(filler){k, cell}, whole.row, whole.s, whole.n, whole.line);
    return true;
}

/* 1,2 may be one number or two. */
static const char *comma_words(const placer *k, const pieces *p) {
    for (int i = 0; i < p->n; i++)
        if (memchr(p->at[i].s, ',', p->at[i].n))
            return lh_printf(k->a,
                             "\"%s\" is read as one number, with a decimal comma: for two, write "
                             "a space between them",
                             lh_clean(k->a, p->at[i].s, p->at[i].n, 40));
    return "_ stands for a number left out";
}

/* Another shape than asked for. */
static void place_some(placer *k, const target *t, const shape *s, int rows, int cols, int first) {
    enum { MOST = 2000, WORDS = 8 }; /* cells: aligning takes their square */
    const int asked = rows * cols, most = asked == 1 ? WORDS : 2 * asked;
    pieces p = {.a = k->a, .most = s->total <= most && asked <= MOST ? s->total : 0};
    p.at = lh_alloc_array(k->a, (size_t)p.most + 1, sizeof *p.at);
    if (!p.at) return;
    walk(k, keep_piece, &p);
    if (p.n && asked == 1 && place_single(k, &p, first)) return;
    if (p.n && rows > 1 && cols > 1 && s->rows == rows && s->least != s->most) {
        place_rows(k, t, &p, rows, cols, first);
        return;
    }
    if (p.n && may_align(k, t, p.n > asked ? p.n - asked : 0, first, asked))
        align(k, t, p.at, p.n, first, asked);
    const char *what =
        lh_printf(k->a, "yours is %s, but %d x %d is asked for", shape_text(k->a, s), rows, cols);
    k->r->answers->other_shape[t->ask] = what;
    note(k, k->e->line, "%s: %s; %s", t->block->address, what, comma_words(k, &p));
}

static void place(placer *k) {
    target t;
    shape s = {.at = -1};
    if (!resolve(k, &t)) return;
    walk(k, count_cell, &s);
    end_row(&s);
    if (s.total == 0) return;
    const lh_grid *g = &t.block->grid;
    int rows = t.row >= 0 ? 1 : g->rows, cols = t.col >= 0 ? 1 : g->cols;
    int first = k->p->sheet->ask[t.ask].first + t.block->first + (t.row > 0 ? t.row * g->cols : 0) +
                (t.col > 0 ? t.col : 0);
    const bool is_whole = fits(&s, rows, cols);
    if (s.written == 0 && (!is_whole || has_numbers(k->r, first, rows * cols))) return;
    if (has_numbers(k->r, first, rows * cols) && is_whole)
        note(k, k->e->line, "%.60s is written twice: the later one counts", k->e->name);
    if (is_whole)
        walk(k, fill_cell, &(filler){k, first});
    else
        place_some(k, &t, &s, rows, cols, first);
}

bool lh_answer_is_asked(lh_arena *a, const lh_paper *p, const char *name) {
    lh_filled r = {.notes.n = LH_MAX_NOTES}; /* no words are wanted */
    lh_answer_entry e = {.name = name};
    target t;
    return resolve(&(placer){.a = a, .p = p, .r = &r, .e = &e}, &t);
}

lh_filled *lh_answers_read(lh_arena *a, const lh_paper *p, const lh_answer_file *f) {
    const lh_sheet *s = p->sheet;
    lh_filled *r = lh_alloc(a, sizeof *r);
    r->answers = lh_answers_new(a, s);
    r->text = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *r->text);
    if (!r->answers->cell || !r->answers->other_shape || !r->text) return NULL;
    for (int i = 0; i < s->n_cells; i++) r->text[i] = "";
    r->notes = f->notes;
    placer k = {.a = a,
                .p = p,
                .r = r,
                .is_json = f->is_json,
                .drops_zeros = f->drops_zeros,
                .is_aligned = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *k.is_aligned),
                .n_over = lh_alloc_array(a, (size_t)s->n_asks + 1, sizeof *k.n_over)};
    if (!k.is_aligned || !k.n_over) return NULL;
    for (int i = 0; i < f->n_entries; i++) {
        k.e = &f->entry[i];
        place(&k);
    }
    /* nothing that was put in another place or shape, and no numbers behind a step's name without = */
    r->is_absent = r->notes.n == f->notes.n && !f->has_lost;
    for (int i = 0; i < s->n_cells; i++) {
        r->is_absent &= r->answers->cell[i].kind == LH_WRITTEN_BLANK;
        r->n_written += r->answers->cell[i].kind == LH_WRITTEN_NUMBER;
        r->n_unread += r->answers->cell[i].kind == LH_WRITTEN_UNREAD;
    }
    return r;
}
