/* task_compute -- numbers, marked as on a sheet: `ask: S[1] Z[1]` is a sheet of S and Z on which those rows are asked. */
#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "explain/explain.h"
#include "learn/lesson_internal.h"
#include "learn/task_internal.h"

/* One matrix, row or cell to fill in. */
typedef struct item {
    const char *address; /* S{example 1}[1] */
    int ask, block;
    int first, n;  /* cells of the step */
    bool is_whole; /* the block as a whole */
} item;

typedef struct lh_compute {
    const lh_program *program;
    const char **step; /* paths: what the sheet asks */
    lh_place *at;
    int n_steps;
    lh_address *wanted; /* ask:, word by word */
    int n_wanted;
    lh_mistakes *mistakes;
    lh_paper *paper;
    lh_practice *practice;
    int seed, digits;
    item *item;
    int n_items;
} lh_compute;

static lh_compute *compute_of(const lh_task *t) {
    return t->own;
}

/* ---- opening ---- */

static void add_step(lh_task *t, const char *path, lh_place at) {
    lh_compute *x = compute_of(t);
    int n = x->n_steps;
    for (int i = 0; i < x->n_steps; i++)
        if (strcmp(x->step[i], path) == 0) return;
    *lh_push(t->arena, x->step, x->n_steps) = path;
    *lh_push(t->arena, x->at, n) = at;
}

/* The program of a word: fit:loss. One whose settings are its own has no sheet: they are not in its text. */
static bool find_program(lh_task *t, const char *word, lh_place at, int *program) {
    const char *colon = strchr(word, ':');
    *program = 0;
    if (!colon || colon[1] == '=') return true;
    const char *name = lh_copy(t->arena, word, (size_t)(colon - word));
    *program = lh_lesson_program_named(t->l, name, t->e->number);
    if (*program < 0) return lh_task_fail(t, at, "ask: there is no program named %.60s", name);
    const lh_lesson_program *p = &t->l->program[*program];
    if (p->of >= 0 || p->n_set || p->n_train || p->n_freeze || p->mistake || p->seed)
        return lh_task_fail(t, at, "ask: %.60s has settings; a sheet needs an unchanged program",
                            name);
    return true;
}

static bool add_wanted(lh_task *t, const char *word, const lh_field *f) {
    lh_compute *x = compute_of(t);
    int program;
    lh_address *a = lh_alloc(t->arena, sizeof *a);
    if (!find_program(t, word, f->value_at, &program)) return false;
    const lh_program *p = lh_live_program_of(t->v, program);
    lh_step *s = lh_live_step(t->v, word, (lh_where){program, t->e->number, f->value_at});
    if (!p || !s) return false;
    if (x->program && x->program != p)
        return lh_task_fail(t, f->value_at, "ask: steps of two programs need two exercises");
    x->program = p;
    const char *colon = strchr(word, ':');
    if (!lh_address_parse(t->ctx, colon && colon[1] != '=' ? colon + 1 : word, a)) return false;
    if (strlen(s->path) >= sizeof a->path)
        return lh_task_fail(t, f->value_at,
                            "ask: the path of %.60s has %zu letters, and an address at most %zu",
                            word, strlen(s->path), sizeof a->path - 1);
    strcpy(a->path, s->path); /* the whole path for a tail */
    add_step(t, s->path, f->value_at);
    *lh_push(t->arena, x->wanted, x->n_wanted) = *a;
    return true;
}

/* Words end at a space that is not inside {example 1}. */
static bool read_asked(lh_task *t) {
    const lh_field *f;
    for (int i = 0; (f = lh_exercise_field(t->e, "ask", i)); i++)
        for (const char *s = f->value; *(s += strspn(s, " ,\t"));) {
            size_t n = 0;
            for (bool inside = false; s[n] && (inside || !strchr(" ,\t", s[n])); n++)
                inside = s[n] == '{' || (inside && s[n] != '}');
            if (!add_wanted(t, lh_copy(t->arena, s, n), f)) return false;
            s += n;
        }
    if (compute_of(t)->n_wanted) return !lh_failed(t->ctx);
    return lh_task_fail(t, t->e->at, "an exercise to compute says what is asked: ask:");
}

static bool read_number(lh_task *t, const char *name, int from, int most, int *out) {
    const lh_field *f;
    if (!lh_task_only(t, name, &f)) return false;
    if (!f) return true;
    if (lh_row_number((lh_text_row){f->value, strlen(f->value), 0}, most, out) && *out >= from)
        return true;
    return lh_task_fail(t, f->value_at, "%s: is a whole number from %d to %d", name, from, most);
}

static lh_paper *open_paper(lh_task *t) {
    const lh_compute *x = compute_of(t);
    lh_paper_how how = {.lesson = t->l->name,
                        .title = t->l->title,
                        .seed = (unsigned long long)x->seed,
                        .digits = x->digits,
                        .steps = x->step,
                        .at = x->at,
                        .n_steps = x->n_steps,
                        .is_named_by_caller = true,
                        .mistakes = x->mistakes};
    return lh_paper_new(t->ctx, x->program, &how);
}

/* ---- which cells ---- */

static bool add_item(lh_task *t, const lh_address *a, int ask, int block) {
    lh_compute *x = compute_of(t);
    const lh_answer_block *b = &x->paper->step[ask].block[block];
    int index[2] = {a->index[0], a->index[1]}, n = a->n_indices, rows = b->grid.rows,
        cols = b->grid.cols;
    if (n == 1 && rows == 1) index[1] = index[0], index[0] = 0, n = 2;
    if (n == 1 && cols == 1) index[1] = 0, n = 2;
    if (n >= 1 && (index[0] >= rows || (n == 2 && index[1] >= cols)))
        return lh_task_fail(t, t->e->at, "ask: %s is %d x %d, counted from 0", b->address, rows,
                            cols);
    item it = {.ask = ask, .block = block, .first = b->first, .n = rows * cols, .is_whole = !n};
    if (n >= 1) it.first += index[0] * cols, it.n = cols;
    if (n == 2) it.first += index[1], it.n = 1;
    const char *tail = n == 0              ? ""
                       : a->n_indices == 1 ? lh_printf(t->arena, "[%d]", a->index[0])
                                           : lh_printf(t->arena, "[%d][%d]", index[0], index[1]);
    it.address = lh_printf(t->arena, "%s%s", b->address, tail);
    *lh_push(t->arena, x->item, x->n_items) = it;
    return true;
}

static bool add_items(lh_task *t, const lh_address *a) {
    const lh_paper *p = compute_of(t)->paper;
    for (int i = 0; i < p->n_steps; i++) {
        if (strcmp(p->step[i].path, a->path) != 0) continue;
        for (int b = 0; b < p->step[i].n_blocks; b++) {
            const lh_answer_block *k = &p->step[i].block[b];
            bool is_it = (!a->has_example || a->example == k->example) &&
                         (!a->has_head || a->head == k->head);
            if (is_it && !add_item(t, a, i, b)) return false;
        }
    }
    return true;
}

static int next_item(const lh_task *t);

static bool open_compute(lh_task *t) {
    lh_compute *x = t->own = lh_alloc(t->arena, sizeof *x);
    x->digits = t->l->sheet.digits ? t->l->sheet.digits : 4;
    if (!read_asked(t) || !read_number(t, "seed", 0, 2147483647, &x->seed) ||
        !read_number(t, "digits", 2, 9, &x->digits))
        return false;
    x->mistakes = lh_mistakes_load(t->ctx, x->program);
    x->paper = x->mistakes ? open_paper(t) : NULL;
    x->practice = x->paper ? lh_practice_new(x->paper, x->mistakes) : NULL;
    if (!x->practice) {
        lh_fail_in(t->ctx, t->l->file, t->l->source, t->l->length);
        return false;
    }
    for (int i = 0; i < x->n_wanted; i++)
        if (!add_items(t, &x->wanted[i])) return false;
    if (x->n_items == 0) return lh_task_fail(t, t->e->at, "ask: there is no number to work out");
    next_item(t);
    return true;
}

static void close_compute(lh_task *t) {
    lh_compute *x = compute_of(t);
    if (!x) return;
    lh_practice_free(x->practice);
    lh_paper_free(x->paper);
    lh_mistakes_free(x->mistakes);
}

/* ---- answering ---- */

static lh_verdict verdict_at(const lh_compute *x, const item *it, int k) {
    return x->practice->marks->cell[x->practice->sheet->ask[it->ask].first + it->first + k];
}

static int count(const lh_compute *x, const item *it, bool blank) {
    int n = 0;
    for (int k = 0; k < it->n; k++)
        n += blank ? verdict_at(x, it, k) == LH_BLANK : lh_verdict_has_credit(verdict_at(x, it, k));
    return n;
}

/* The first without full credit; the sheet is moved there. -1: all done. */
static int next_item(const lh_task *t) {
    const lh_compute *x = compute_of(t);
    int i = 0;
    while (i < x->n_items && count(x, &x->item[i], false) == x->item[i].n) i++;
    if (i == x->n_items) return -1;
    lh_practice_go(x->practice, x->item[i].ask);
    x->practice->block = x->item[i].block;
    return i;
}

static lh_practice *practice(lh_task *t) {
    return compute_of(t)->practice;
}

/* S{example 1}[1] = */
static bool is_target(const char *s) {
    while (lh_is_name_part(*s) || (*s && strchr(".[]", *s))) {
        s++;
        if (*s == '{' && strchr(s, '}')) s = strchr(s, '}') + 1;
    }
    s += strspn(s, " \t");
    return *s == '=' || (s[0] == ':' && s[1] == '=');
}

/* S[1] = 1 2; Z[1] = 3 4: an entry ends with its line, or where a name with an = behind it begins the next. */
static size_t entry_end(const char *s) {
    for (size_t i = 1; s[0] && s[i]; i++) {
        bool begins = lh_is_name_start(s[i]) && strchr(" ;,\t", s[i - 1]);
        if (s[i] == '\n' || (begins && is_target(s + i))) return i;
    }
    return strlen(s);
}

static bool has_target(const char *s) {
    return strchr(s, '=') || strchr(s, ':');
}

/* What has no name goes where the next numbers are asked for: *at, and on. */
static const char *aimed(lh_task *t, const char *entry, int at) {
    lh_compute *x = compute_of(t);
    if (x->practice->pending || has_target(entry) || at < 0 || at >= x->n_items) return entry;
    const item *it = &x->item[at];
    bool is_every = it->is_whole && strchr(entry, '|');
    return lh_printf(t->arena, "%s = %s", is_every ? x->paper->step[it->ask].path : it->address,
                     entry);
}

static bool enter(lh_task *t, const char *entry, int *at, lh_answered *out) {
    lh_practice *p = compute_of(t)->practice;
    lh_entered e = lh_practice_enter(p, aimed(t, entry, *at));
    if (e.kind == LH_ENTERED_MARKED) ++*at;
    if (e.kind == LH_ENTERED_MARKED || e.kind == LH_ENTERED_MORE) return true;
    lh_answered_refuse(t, out, "%s", e.problem);
    return false;
}

static void say_marks(lh_task *t, lh_answered *out) {
    lh_compute *x = compute_of(t);
    lh_filled filled = {.answers = x->practice->answers, .text = x->practice->text};
    lh_advisor advisor = {t->arena, x->paper, &filled, x->practice->marks, x->mistakes};
    for (int i = 0; i < x->paper->n_steps; i++) {
        int n = 0;
        lh_advice *a = lh_advise(&advisor, i, &n);
        for (int k = 0; k < n; k++) *lh_push(t->arena, out->line, out->n_lines) = a[k];
    }
}

static void judge(lh_task *t, lh_answered *out) {
    lh_compute *x = compute_of(t);
    int credit = 0, blank = 0, all = 0;
    for (int i = 0; i < x->n_items; i++) {
        credit += count(x, &x->item[i], false);
        blank += count(x, &x->item[i], true);
        all += x->item[i].n;
    }
    out->state = credit == all           ? LH_ANSWER_RIGHT
                 : credit + blank == all ? LH_ANSWER_PARTLY
                                         : LH_ANSWER_WRONG;
    say_marks(t, out);
    int next = next_item(t), left = all - credit; /* what is wrong is to be done again */
    if (left && next >= 0)
        lh_answered_say(t, out, "%d number%s to go%s: %s comes next.", left, left == 1 ? "" : "s",
                        left > x->item[next].n ? " in all" : "", x->item[next].address);
}

static void answer(lh_task *t, const char *text, lh_answered *out) {
    lh_practice *p = compute_of(t)->practice;
    int at = next_item(t);
    for (const char *s = text; *(s += strspn(s, " ;\t\r\n"));) {
        size_t n = entry_end(s);
        if (!enter(t, lh_copy(t->arena, s, n), &at, out)) return;
        s += n;
    }
    if (p->pending) {
        lh_entered e = lh_practice_stop(p);
        if (e.kind != LH_ENTERED_MARKED) lh_answered_refuse(t, out, "%s", e.problem);
        if (e.kind != LH_ENTERED_MARKED) return;
    }
    if (!lh_answered_take(t, out)) judge(t, out);
}

static const char *key(lh_task *t) {
    const lh_compute *x = compute_of(t);
    lh_text out = lh_text_new(t->arena);
    for (int i = 0; i < x->n_items; i++) {
        const item *it = &x->item[i];
        const lh_paper_step *s = &x->paper->step[it->ask];
        int cols = s->block[it->block].grid.cols;
        lh_text_add(&out, "%s%s =", i ? "\n" : "", it->address);
        for (int k = 0; k < it->n; k++)
            lh_text_add(&out, "%s %s", k && k % cols == 0 ? ";" : "",
                        lh_paper_number(t->arena, s, x->digits,
                                        lh_sheet_exact(x->paper->sheet, it->ask, it->first + k)));
    }
    return out.s;
}

/* The cell that says most of an item: the largest. */
static int typical_cell(const lh_compute *x, const item *it) {
    int best = 0;
    for (int k = 1; k < it->n; k++)
        if (fabs(lh_sheet_exact(x->paper->sheet, it->ask, it->first + k)) >
            fabs(lh_sheet_exact(x->paper->sheet, it->ask, it->first + best)))
            best = k;
    return it->first + best;
}

static void work_item(lh_task *t, const item *it, lh_text *out) {
    const lh_compute *x = compute_of(t);
    const lh_paper_step *s = &x->paper->step[it->ask];
    const char *cell = lh_paper_cell(x->paper, t->arena, it->ask, typical_cell(x, it)),
               *address = lh_printf(t->arena, "%s%s", s->path, cell + strlen(s->name));
    lh_explanation *e =
        lh_explain(x->paper->g, address,
                   &(lh_explain_how){.digits = x->digits + 1, .plan = x->paper->sheet->plan});
    lh_text_add(out, "%s %s %s\n", s->name, s->sign, s->formula);
    for (int i = 0; e && i < e->n_lines; i++)
        lh_text_add(out, "  %s = %s = %s = %s\n", e->line[i].label, e->line[i].formula,
                    e->line[i].numbers, lh_task_number(t->arena, e->line[i].value, x->digits + 1));
    lh_explanation_free(e);
}

static void work(lh_task *t, lh_text *out) {
    lh_text_add(out, "%s\n", key(t));
    for (int i = 0; i < compute_of(t)->n_items; i++) work_item(t, &compute_of(t)->item[i], out);
}

static const char *next(lh_task *t) {
    int i = next_item(t);
    return i < 0 ? "" : compute_of(t)->item[i].address;
}

static const char *form(lh_task *t) {
    int i = next_item(t);
    return lh_printf(t->arena, "%s = ...", compute_of(t)->item[i < 0 ? 0 : i].address);
}

const lh_task_kind lh_task_compute = {
    .name = "compute",
    .summary = "numbers, marked as on a sheet",
    .fields = {"ask", "seed", "digits"},
    .open = open_compute,
    .close = close_compute,
    .answer = answer,
    .key = key,
    .work = work,
    .form = form,
    .practice = practice,
    .next = next,
};
