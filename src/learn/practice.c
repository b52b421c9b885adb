#include "learn/practice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "learn/entry.h"

/* ---- the sheet ---- */

static bool mark_all(lh_practice *p) {
    lh_context *ctx = p->sheet->g->ctx;
    lh_arena *a = lh_arena_new(ctx);
    lh_marks *m = a ? lh_mark(a, p->sheet, p->answers, p->mistakes) : NULL;
    if (!m) {
        lh_arena_free(a);
        return false;
    }
    lh_arena_free(p->marked);
    p->marked = a;
    p->marks = m;
    return true;
}

static void judge_steps(lh_practice *p) {
    for (int i = 0; i < p->sheet->n_asks; i++)
        p->step[i].verdict = lh_practice_verdict(p, i, 0, p->sheet->ask[i].n_cells);
}

static void clear_all(lh_practice *p) {
    for (int i = 0; i < p->sheet->n_cells; i++) {
        p->answers->cell[i] = (lh_written){.kind = LH_WRITTEN_BLANK};
        p->text[i] = "";
    }
    for (int i = 0; i < p->sheet->n_asks; i++) p->step[i] = (lh_practice_step){0};
    p->at = p->only < 0 ? 0 : p->only;
    p->block = 0;
    p->n_changes = 0;
    p->pending = NULL;
}

lh_practice *lh_practice_new(lh_paper *paper, const lh_mistakes *m) {
    lh_arena *a = lh_failed(paper->ctx) ? NULL : lh_arena_new(paper->ctx);
    if (!a) return NULL;
    lh_practice *p = lh_alloc(a, sizeof *p);
    lh_sheet *s = paper->sheet;
    *p = (lh_practice){.arena = a,
                       .paper = paper,
                       .sheet = s,
                       .mistakes = m,
                       .only = -1,
                       .answers = lh_answers_new(a, s),
                       .entered = lh_arena_new(paper->ctx)};
    p->text = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *p->text);
    p->step = lh_alloc_array(a, (size_t)s->n_asks + 1, sizeof *p->step);
    if (p->text && p->step && p->answers->cell && p->entered) {
        clear_all(p);
        if (mark_all(p)) return p;
    }
    lh_practice_free(p);
    return NULL;
}

void lh_practice_free(lh_practice *p) {
    if (!p) return;
    lh_arena_free(p->marked);
    lh_arena_free(p->entered);
    lh_arena_free(p->arena);
}

static bool is_tail(const char *path, const char *name) {
    size_t n = strlen(path), k = strlen(name);
    return n > k && path[n - k - 1] == '.' && strcmp(path + n - k, name) == 0;
}

int lh_practice_find(const lh_practice *p, const char *name) {
    int found = -1, tails = 0;
    for (int i = 0; i < p->paper->n_steps; i++) {
        const lh_paper_step *s = &p->paper->step[i];
        if (strcmp(s->path, name) == 0 || strcmp(s->name, name) == 0) return i;
        if (is_tail(s->name, name)) found = i, tails++;
    }
    return tails == 1 ? found : -1;
}

/* ---- verdicts ---- */

static const lh_verdict telling[] = {
    LH_MISTAKE, LH_SLIP,       LH_WRONG,     LH_CANNOT, LH_UNREAD,     LH_COARSE, LH_CARRIED,
    LH_FOLLOWS, LH_FEW_DIGITS, LH_OTHER_WAY, LH_EARLY,  LH_LAST_DIGIT, LH_RIGHT,
};

lh_verdict lh_practice_verdict(const lh_practice *p, int ask, int first, int n) {
    const lh_verdict *v = p->marks->cell + p->sheet->ask[ask].first + first;
    for (size_t k = 0; k < sizeof telling / sizeof *telling; k++)
        for (int i = 0; i < n; i++)
            if (v[i] == telling[k]) return telling[k];
    return LH_BLANK;
}

lh_step_state lh_practice_state(const lh_practice *p, int ask) {
    const lh_step_mark *m = &p->marks->step[ask];
    if (m->n_wrong) return LH_STATE_WRONG;
    if (m->n_blank == p->sheet->ask[ask].n_cells)
        return p->step[ask].is_skipped ? LH_STATE_SKIPPED : LH_STATE_OPEN;
    return m->n_blank ? LH_STATE_PARTLY : LH_STATE_DONE;
}

int lh_practice_done(const lh_practice *p) {
    int n = 0;
    for (int i = 0; i < p->sheet->n_asks; i++) n += lh_practice_state(p, i) == LH_STATE_DONE;
    return n;
}

bool lh_practice_is_finished(const lh_practice *p) {
    if (p->only >= 0) return lh_practice_state(p, p->only) == LH_STATE_DONE;
    return lh_practice_done(p) == p->sheet->n_asks;
}

/* ---- an entry finds its cells ---- */

static lh_entered refuse(lh_practice *p, lh_entered e, lh_entered_kind kind, const char *problem) {
    e.kind = kind;
    e.problem = problem;
    p->pending = NULL;
    return e;
}

static const char *count_text(lh_arena *a, int n, const char *one, const char *many) {
    return lh_printf(a, "%d %s", n, n == 1 ? one : many);
}

/* What was written, against what there is room for. */
static const char *shape_problem(const lh_practice *p, const lh_entry *x, const char *name,
                                 int rows, int cols) {
    lh_arena *a = p->entered;
    bool is_even = true;
    for (int i = 1; i < x->n_rows; i++) is_even &= x->row[i].n_cells == x->row[0].n_cells;
    int n = x->n_rows ? x->row[0].n_cells : 0;
    const char *wanted = rows * cols == 1 ? "one number"
                         : rows == 1      ? count_text(a, cols, "number", "numbers")
                                          : lh_printf(a, "%d x %d", rows, cols);
    if (x->n_rows == 0) return lh_printf(a, "%s takes %s, but there is none", name, wanted);
    if (!is_even) {
        int at = 1;
        while (x->row[at].n_cells == n) at++;
        return lh_printf(a, "%s takes %s; row 0 has %s and row %d has %d", name, wanted,
                         count_text(a, n, "number", "numbers"), at, x->row[at].n_cells);
    }
    if (x->n_rows == 1)
        return lh_printf(a, "%s takes %s, but there %s %d", name, wanted, n == 1 ? "is" : "are", n);
    return lh_printf(a, "%s takes %s, but there are %d row%s of %d%s", name, wanted, x->n_rows,
                     LH_PLURAL(x->n_rows), n,
                     x->n_rows == cols && n == rows ? ": rows and columns are swapped" : "");
}

/* Cells and where they go: `first` and on, in the order they stand. False: another shape. */
static bool is_full(const lh_entry *x, int from, int n_rows, int rows, int cols) {
    if (n_rows == rows) {
        bool fits = true;
        for (int i = 0; i < rows; i++) fits &= x->row[from + i].n_cells == cols;
        if (fits) return true;
    }
    if (n_rows == 1 && x->row[from].n_cells == rows * cols) return true; /* all on one line */
    if (rows != 1 || n_rows != cols) return false; /* a row, written as a column */
    for (int i = 0; i < cols; i++)
        if (x->row[from + i].n_cells != 1) return false;
    return true;
}

/* The first rows of a matrix, the others to come. */
static bool is_begun(const lh_entry *x, int rows, int cols) {
    if (x->n_rows >= rows || x->n_blocks > 1) return false;
    for (int i = 0; i < x->n_rows; i++)
        if (x->row[i].n_cells != cols) return false;
    return x->n_rows > 0 || x->is_open;
}

static bool is_every_block(const lh_paper_step *s, const lh_entry *x) {
    int at = 0;
    for (int b = 0; b < s->n_blocks; b++) {
        int n = 0;
        while (at + n < x->n_rows && x->row[at + n].block == b) n++;
        if (!n || !is_full(x, at, n, s->block[b].grid.rows, s->block[b].grid.cols)) return false;
        at += n;
    }
    return at == x->n_rows;
}

typedef struct target {
    int ask, block;
    int first, rows, cols; /* room for so many, from this cell of the step on */
    bool is_whole;         /* a whole block: more lines may follow */
} target;

static void aim_block(const lh_practice *p, target *t) {
    const lh_answer_block *b = &p->paper->step[t->ask].block[t->block];
    t->first = b->first;
    t->rows = b->grid.rows;
    t->cols = b->grid.cols;
    t->is_whole = true;
}

/* [1] of a matrix is a row, of a row or a column a cell. NULL: done. */
static const char *aim_index(lh_practice *p, target *t, const int *index, int n) {
    int row = 0, col = 0, rows = t->rows, cols = t->cols;
    const char *name = p->paper->step[t->ask].block[t->block].address;
    if (n == 2 || (n == 1 && (rows > 1 || cols == 1)))
        row = index[0], col = n == 2 ? index[1] : 0;
    else if (n == 1)
        col = index[0];
    if (row >= rows)
        return lh_printf(p->entered, "there is no row %d in %s: it has %d, counted from 0", row,
                         name, rows);
    if (col >= cols)
        return lh_printf(p->entered, "there is no column %d in %s: it has %d, counted from 0", col,
                         name, cols);
    t->is_whole = n == 0;
    if (n == 0) return NULL;
    bool is_row = n == 1 && rows > 1 && cols > 1;
    t->first += row * cols + col;
    t->rows = 1;
    t->cols = is_row ? cols : 1;
    return NULL;
}

static const char *aim_row(lh_practice *p, target *t, int row) {
    if (row >= t->rows)
        return lh_printf(p->entered, "there is no row %d in %s: it has %d, counted from 0", row,
                         p->paper->step[t->ask].block[t->block].address, t->rows);
    t->first += row * t->cols;
    t->rows = 1;
    t->is_whole = false;
    return NULL;
}

/* Z[1][0], {example 1}[1][0], [1]: which step, block and cells. NULL: found. */
static const char *aim(lh_practice *p, const char *text, target *t) {
    lh_arena *a = p->entered;
    lh_context *ctx = p->sheet->g->ctx;
    lh_address at;
    bool is_here = *text == '[' || *text == '{';
    const char *full = is_here ? lh_printf(a, "%s%s", p->paper->step[t->ask].path, text) : text;
    if (!lh_address_parse(ctx, full, &at)) {
        const char *why = lh_printf(a, "%s", lh_context_error(ctx)->what);
        lh_context_clear(ctx);
        return why;
    }
    int ask = is_here ? t->ask : lh_practice_find(p, at.path);
    if (ask < 0)
        return lh_printf(a, "%s is not asked for on this sheet; l lists the steps", at.path);
    if (at.has_step) return lh_printf(a, "@ is not needed here: %s", at.path);
    if (p->only >= 0 && ask != p->only)
        return lh_printf(a, "only %s is asked for here", p->paper->step[p->only].name);
    const lh_paper_step *s = &p->paper->step[ask];
    if (ask != t->ask) t->block = 0;
    t->ask = ask;
    if (at.has_example || at.has_head) {
        const lh_answer_block *now = &s->block[t->block];
        int example = at.has_example ? at.example : now->example,
            head = at.has_head ? at.head : now->head, b = 0;
        while (b < s->n_blocks && (s->block[b].example != example || s->block[b].head != head)) b++;
        if (b == s->n_blocks)
            return lh_printf(a, "there is no {example %d, head %d} in %s", example, head, s->name);
        t->block = b;
    }
    aim_block(p, t);
    return aim_index(p, t, at.index, at.n_indices);
}

/* ---- an entry is written down ---- */

static bool has_unread(lh_practice *p, const lh_entry *x, const char **problem) {
    for (int r = 0; r < x->n_rows; r++)
        for (int c = 0; c < x->row[r].n_cells; c++) {
            const char *text = x->row[r].cell[c];
            if (lh_written_read(text, strlen(text)).kind != LH_WRITTEN_UNREAD) continue;
            *problem = x->n_rows == 1 && x->row[r].n_cells == 1
                           ? lh_printf(p->entered, "\"%.40s\" is not a number", text)
                           : lh_printf(p->entered, "\"%.40s\" (row %d, column %d) is not a number",
                                       text, r, c);
            return true;
        }
    return false;
}

static void write_cells(lh_practice *p, const lh_entry *x, lh_entered *e) {
    int k = p->sheet->ask[e->ask].first + e->first, start = k;
    for (int r = 0; r < x->n_rows; r++)
        for (int c = 0; c < x->row[r].n_cells; c++, k++) {
            const char *text = x->row[r].cell[c];
            lh_written w = lh_written_read(text, strlen(text));
            p->answers->cell[k] = w;
            p->text[k] = w.kind == LH_WRITTEN_BLANK ? "" : lh_copy(p->arena, text, strlen(text));
        }
    e->n = k - start;
}

static void note_changes(lh_practice *p, int ask, const lh_verdict *before) {
    for (int i = 0; i < p->sheet->n_asks; i++)
        if (i != ask && p->step[i].verdict != before[i])
            *lh_push(p->entered, p->change, p->n_changes) =
                (lh_change){i, before[i], p->step[i].verdict};
}

static lh_entered mark_entry(lh_practice *p, const lh_entry *x, lh_entered e) {
    int n = p->sheet->n_asks;
    lh_verdict *before = lh_alloc_array(p->entered, (size_t)n + 1, sizeof *before);
    if (!before) return refuse(p, e, LH_ENTERED_SHAPE, "there is no memory left");
    for (int i = 0; i < n; i++) before[i] = p->step[i].verdict;
    write_cells(p, x, &e);
    p->pending = NULL;
    if (!mark_all(p)) {
        lh_context *ctx = p->sheet->g->ctx;
        const char *why = lh_printf(p->entered, "%s", lh_context_error(ctx)->what);
        lh_context_clear(ctx);
        return refuse(p, e, LH_ENTERED_SHAPE, why);
    }
    judge_steps(p);
    lh_practice_step *s = &p->step[e.ask];
    s->is_skipped = false;
    s->tries++;
    note_changes(p, e.ask, before);
    e.kind = LH_ENTERED_MARKED;
    return e;
}

static lh_entered enter(lh_practice *p, const char *text, bool may_wait) {
    lh_entry x = lh_entry_read(p->entered, text);
    lh_entered e = {.ask = p->at, .block = p->block, .raw = lh_printf(p->entered, "%s", text)};
    target t = {.ask = p->at, .block = p->block};
    const char *problem = NULL;
    aim_block(p, &t);
    if (*x.target)
        problem = aim(p, x.target, &t);
    else if (x.number >= 0)
        problem = aim_row(p, &t, x.number);
    if (problem) return refuse(p, e, LH_ENTERED_NAME, problem);
    e.ask = t.ask;
    e.block = t.block;
    e.first = t.first;
    const lh_paper_step *s = &p->paper->step[t.ask];
    if (has_unread(p, &x, &problem)) return refuse(p, e, LH_ENTERED_UNREAD, problem);
    if (t.is_whole && x.n_blocks > 1 && is_every_block(s, &x)) {
        e.first = 0;
        return mark_entry(p, &x, e);
    }
    if (x.n_blocks == 1 && x.n_rows && is_full(&x, 0, x.n_rows, t.rows, t.cols))
        return mark_entry(p, &x, e);
    if (t.is_whole && is_begun(&x, t.rows, t.cols)) {
        if (!may_wait && x.n_rows) return mark_entry(p, &x, e);
        if (may_wait) {
            p->pending = lh_printf(p->arena, "%s", text);
            e.kind = LH_ENTERED_MORE;
            e.row = x.n_rows;
            return e;
        }
    }
    return refuse(p, e, LH_ENTERED_SHAPE,
                  shape_problem(p, &x, s->block[t.block].address, t.rows, t.cols));
}

lh_entered lh_practice_enter(lh_practice *p, const char *text) {
    lh_arena *fresh = lh_arena_new(p->sheet->g->ctx);
    lh_entered none = {.ask = p->at, .block = p->block, .raw = ""};
    if (!fresh) {
        lh_context_clear(p->sheet->g->ctx);
        return refuse(p, none, LH_ENTERED_SHAPE, "there is no memory left");
    }
    lh_arena_free(p->entered);
    p->entered = fresh;
    p->change = NULL;
    p->n_changes = 0;
    if (strlen(text) + (p->pending ? strlen(p->pending) : 0) > LH_ENTRY_MAX)
        return refuse(p, none, LH_ENTERED_SHAPE, "that is too long");
    if (!p->pending) return enter(p, text, true);
    size_t n = strlen(p->pending);
    while (n && strchr("; \t\n", p->pending[n - 1])) n--;
    bool is_bracket = n == 1 && p->pending[0] == '[';
    return enter(
        p, lh_printf(p->entered, "%.*s%s%s", (int)n, p->pending, is_bracket ? "" : "; ", text),
        true);
}

lh_entered lh_practice_stop(lh_practice *p) {
    const char *text = p->pending ? p->pending : "";
    p->change = NULL;
    p->n_changes = 0;
    p->pending = NULL;
    return enter(p, text, false);
}

void lh_practice_drop(lh_practice *p) {
    p->pending = NULL;
}

/* ---- moving ---- */

static bool is_block_done(const lh_practice *p, int ask, int block) {
    const lh_answer_block *b = &p->paper->step[ask].block[block];
    for (int i = 0; i < b->grid.rows * b->grid.cols; i++)
        if (!lh_verdict_has_credit(p->marks->cell[p->sheet->ask[ask].first + b->first + i]))
            return false;
    return true;
}

static int open_block(const lh_practice *p, int ask) {
    int n = p->paper->step[ask].n_blocks;
    for (int b = 0; b < n; b++)
        if (!is_block_done(p, ask, b)) return b;
    return 0;
}

void lh_practice_go(lh_practice *p, int ask) {
    p->at = ask;
    p->block = open_block(p, ask);
    p->pending = NULL;
}

/* Open steps come before skipped and wrong ones: those were seen already. */
static int next_open(const lh_practice *p) {
    int n = p->sheet->n_asks, left = -1;
    for (int i = 1; i <= n; i++) {
        int ask = (p->at + i) % n;
        lh_step_state s = lh_practice_state(p, ask);
        if (s == LH_STATE_OPEN || s == LH_STATE_PARTLY) return ask;
        if (s != LH_STATE_DONE && left < 0) left = ask;
    }
    return left;
}

bool lh_practice_advance(lh_practice *p) {
    if (!is_block_done(p, p->at, p->block)) return false;
    if (lh_practice_state(p, p->at) != LH_STATE_DONE) {
        p->block = open_block(p, p->at);
        return true;
    }
    int next = p->only < 0 ? next_open(p) : -1;
    if (next < 0) return false;
    lh_practice_go(p, next);
    return true;
}

static bool is_block_blank(const lh_practice *p, int ask, int block) {
    const lh_answer_block *b = &p->paper->step[ask].block[block];
    for (int i = 0; i < b->grid.rows * b->grid.cols; i++)
        if (p->marks->cell[p->sheet->ask[ask].first + b->first + i] != LH_BLANK) return false;
    return true;
}

/* The next matrix of the step, then the next step; after the last one round to what is left. */
bool lh_practice_next(lh_practice *p) {
    const lh_paper_step *s = &p->paper->step[p->at];
    p->pending = NULL;
    for (int b = p->block + 1; b < s->n_blocks; b++)
        if (is_block_blank(p, p->at, b)) {
            p->block = b;
            return true;
        }
    if (p->only >= 0) return false;
    int next = p->at + 1 < p->sheet->n_asks ? p->at + 1 : next_open(p);
    if (next < 0 || next == p->at) return false;
    lh_practice_go(p, next);
    return true;
}

bool lh_practice_back(lh_practice *p) {
    p->pending = NULL;
    if (p->block > 0) {
        p->block--;
        return true;
    }
    if (p->at == 0 || p->only >= 0) return false;
    lh_practice_go(p, p->at - 1);
    return true;
}

bool lh_practice_skip(lh_practice *p) {
    lh_step_state s = lh_practice_state(p, p->at);
    if (s == LH_STATE_OPEN) p->step[p->at].is_skipped = true;
    p->block = p->paper->step[p->at].n_blocks - 1;
    bool moved = lh_practice_next(p);
    if (!moved) p->block = 0;
    return moved;
}

int lh_practice_hint(lh_practice *p) {
    lh_practice_step *s = &p->step[p->at];
    if (s->hints < LH_HINTS) s->hints++;
    return s->hints;
}

void lh_practice_reset(lh_practice *p) {
    clear_all(p);
    if (mark_all(p)) judge_steps(p);
}

/* ---- what was kept (practice_save.c), back on the sheet ---- */

/* A step that has another number of cells today is left blank. */
static void restore_cells(lh_practice *p, lh_arena *a, int ask, const char *cells) {
    const lh_ask *q = &p->sheet->ask[ask];
    lh_entry x = lh_entry_read(a, cells);
    if (x.n_rows != 1 || x.row[0].n_cells != q->n_cells) return;
    for (int i = 0; i < q->n_cells; i++) {
        const char *text = x.row[0].cell[i];
        lh_written w = lh_written_read(text, strlen(text));
        if (w.kind != LH_WRITTEN_NUMBER) continue;
        p->answers->cell[q->first + i] = w;
        p->text[q->first + i] = lh_copy(p->arena, text, strlen(text));
    }
}

void lh_practice_restore(lh_practice *p, const lh_saved *s) {
    lh_arena *a = lh_arena_new(p->sheet->g->ctx);
    if (!a) return;
    for (int i = 0; i < s->n_steps; i++) {
        int ask = lh_practice_find(p, s->step[i].step);
        if (ask < 0) continue;
        p->step[ask] = (lh_practice_step){.tries = s->step[i].tries,
                                          .hints = s->step[i].hints < 0          ? 0
                                                   : s->step[i].hints > LH_HINTS ? LH_HINTS
                                                                                 : s->step[i].hints,
                                          .is_skipped = s->step[i].is_skipped};
        restore_cells(p, a, ask, s->step[i].cells ? s->step[i].cells : "");
    }
    lh_arena_free(a);
    if (!mark_all(p)) return;
    judge_steps(p);
    int at = p->only >= 0 ? p->only : s->at ? lh_practice_find(p, s->at) : -1;
    if (at >= 0) lh_practice_go(p, at);
}
