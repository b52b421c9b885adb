#include "learn/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int lh_interval_days[LH_INTERVALS] = {1, 3, 7, 14};

static const char *text_of(const char *s) {
    return s ? s : "";
}

static bool same(const char *a, const char *b) {
    return strcmp(text_of(a), text_of(b)) == 0;
}

static char *keep(lh_arena *a, const char *s) {
    return lh_copy(a, text_of(s), strlen(text_of(s)));
}

/* ---- repeating ---- */

long long lh_day(long long time, long zone) {
    long long t = time + zone, day = t / 86400;
    return t % 86400 < 0 ? day - 1 : day;
}

/* Right with the answer on the table says nothing about the learner: it comes back as if it had gone wrong. */
static bool is_own(const lh_attempt *a) {
    return a->is_right && a->hints < LH_HINTS;
}

void lh_repeat_count(lh_repeat *r, const lh_attempt *a, long long day) {
    if (a->is_wrong || (a->is_right && !is_own(a))) {
        r->stage = 0;
    } else if (a->is_right && r->stage < LH_INTERVALS && day >= r->due && a->seed != r->seed) {
        r->stage++;
    } else {
        return;
    }
    r->seed = a->seed;
    r->due = r->stage < LH_INTERVALS ? day + lh_interval_days[r->stage] : 0;
}

/* ---- which sheet ---- */

const lh_saved *lh_saved_find(const lh_saved *list, int n, const char *lesson, const char *only,
                              long long seed, int digits) {
    for (int i = 0; i < n; i++) {
        const lh_saved *s = &list[i];
        if (!s->is_finished && same(s->lesson, lesson) && same(s->only, only) &&
            (seed < 0 || s->seed == (unsigned long long)seed) && (!digits || s->digits == digits))
            return s;
    }
    return NULL;
}

unsigned long long lh_saved_seed(const lh_saved *list, int n, const char *lesson) {
    for (unsigned long long seed = 0;; seed++) {
        bool is_used = false;
        for (int i = 0; i < n && !is_used; i++)
            is_used = list[i].seed == seed && same(list[i].lesson, lesson);
        if (!is_used) return seed;
    }
}

const lh_read *lh_read_find(const lh_read *list, int n, const char *lesson) {
    for (int i = 0; i < n; i++)
        if (same(list[i].lesson, lesson)) return &list[i];
    return NULL;
}

/* ---- the summary ---- */

typedef struct seen_step {
    int lesson;
    const char *step;
    bool was_right, is_own; /* once; when last tried */
    int repeat;             /* its place in the list of repeats, or -1 */
} seen_step;

typedef struct counter {
    lh_arena *a;
    lh_progress *p;
    long zone;
    seen_step *step;
    int n_steps;
} counter;

static int lesson_of(counter *c, const char *lesson) {
    lh_progress *p = c->p;
    for (int i = 0; i < p->n_lessons; i++)
        if (same(p->lesson[i].lesson, lesson)) return i;
    *lh_push(c->a, p->lesson, p->n_lessons) = (lh_lesson_progress){.lesson = keep(c->a, lesson)};
    return p->n_lessons - 1;
}

static seen_step *step_of(counter *c, int lesson, const char *step) {
    for (int i = 0; i < c->n_steps; i++)
        if (c->step[i].lesson == lesson && same(c->step[i].step, step)) return &c->step[i];
    seen_step *s = lh_push(c->a, c->step, c->n_steps);
    *s = (seen_step){.lesson = lesson, .step = keep(c->a, step), .repeat = -1};
    return s;
}

static void count_repeat(counter *c, seen_step *s, const lh_attempt *a) {
    lh_progress *p = c->p;
    bool goes_wrong = a->is_wrong || (a->is_right && !is_own(a));
    if (s->repeat < 0 && !goes_wrong) return;
    if (s->repeat < 0) {
        *lh_push(c->a, p->repeat, p->n_repeats) =
            (lh_repeat){.lesson = p->lesson[s->lesson].lesson, .step = s->step, .mistake = ""};
        s->repeat = p->n_repeats - 1;
    }
    if (s->repeat < 0) return;
    lh_repeat *r = &p->repeat[s->repeat];
    if (a->is_wrong) r->mistake = keep(c->a, a->mistake);
    lh_repeat_count(r, a, lh_day(a->time, c->zone));
}

/* Of two names that both fit, the first is counted: one attempt, one mistake. */
static void count_mistake(counter *c, const lh_attempt *a) {
    lh_progress *p = c->p;
    size_t n = strcspn(text_of(a->mistake), " ");
    if (!n) return;
    for (int i = 0; i < p->n_mistakes; i++)
        if (strlen(p->mistake[i].mistake) == n &&
            memcmp(p->mistake[i].mistake, a->mistake, n) == 0) {
            p->mistake[i].n++;
            return;
        }
    *lh_push(c->a, p->mistake, p->n_mistakes) = (lh_tally){lh_copy(c->a, a->mistake, n), 1};
}

#define EXERCISE "exercise "

const char *lh_exercise_step(lh_arena *a, int number) {
    return lh_printf(a, EXERCISE "%d", number);
}

bool lh_progress_has_done(const lh_lesson_progress *l, int exercise) {
    for (int i = 0; l && i < l->n_exercises; i++)
        if (l->exercise[i] == exercise) return true;
    return false;
}

/* An exercise is no step of the sheet: it is done or not, and does not come back. False: it is a step. */
static bool count_exercise(counter *c, lh_lesson_progress *l, const lh_attempt *a) {
    const char *step = text_of(a->step);
    if (strncmp(step, EXERCISE, strlen(EXERCISE)) != 0) return false;
    int number = atoi(step + strlen(EXERCISE));
    if (is_own(a) && !lh_progress_has_done(l, number))
        *lh_push(c->a, l->exercise, l->n_exercises) = number;
    return true;
}

static void count_attempt(void *who, const lh_attempt *a) {
    counter *c = who;
    int lesson = lesson_of(c, a->lesson);
    if (lesson < 0) return;
    c->p->n_attempts++;
    c->p->lesson[lesson].attempts++;
    c->p->lesson[lesson].last = a->time;
    if (count_exercise(c, &c->p->lesson[lesson], a)) return;
    seen_step *s = step_of(c, lesson, a->step);
    s->was_right |= a->is_right;
    if (a->is_right || a->is_wrong) s->is_own = is_own(a);
    count_repeat(c, s, a);
    count_mistake(c, a);
}

static void count_steps(counter *c) {
    lh_progress *p = c->p;
    for (int i = 0; i < c->n_steps; i++) {
        const seen_step *s = &c->step[i];
        lh_lesson_progress *l = &p->lesson[s->lesson];
        bool waits = s->repeat >= 0 && p->repeat[s->repeat].stage < LH_INTERVALS;
        l->done += s->was_right;
        l->mastered += s->is_own && !waits;
    }
}

/* The newest sheet says how many steps a lesson has: an older one may be of an older text. */
static bool add_sessions(counter *c, lh_store *store) {
    lh_saved *list;
    int n;
    if (!store->sessions(store, c->a, &list, &n)) return false;
    for (int i = n - 1; i >= 0; i--) {
        int k = lesson_of(c, list[i].lesson);
        if (k < 0) continue;
        lh_lesson_progress *l = &c->p->lesson[k];
        l->total = list[i].total;
        if (list[i].time > l->last) l->last = list[i].time;
        if (list[i].only[0]) continue;
        l->begun = list[i].is_finished ? NULL : &list[i];
    }
    for (int i = 0; i < c->p->n_lessons; i++) {
        lh_lesson_progress *l = &c->p->lesson[i];
        if (l->total && l->done > l->total) l->done = l->total;
        if (l->mastered > l->done) l->mastered = l->done;
    }
    return true;
}

static int by_count(const void *a, const void *b) {
    const lh_tally *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->mistake, y->mistake);
}

static int by_due(const void *a, const void *b) {
    const lh_repeat *x = a, *y = b;
    if (x->due != y->due) return x->due < y->due ? -1 : 1;
    int lesson = strcmp(x->lesson, y->lesson);
    return lesson ? lesson : strcmp(x->step, y->step);
}

static void sort_lists(lh_progress *p) {
    int kept = 0;
    for (int i = 0; i < p->n_repeats; i++)
        if (p->repeat[i].stage < LH_INTERVALS) p->repeat[kept++] = p->repeat[i];
    p->n_repeats = kept;
    if (p->n_repeats) qsort(p->repeat, (size_t)p->n_repeats, sizeof *p->repeat, by_due);
    if (p->n_mistakes) qsort(p->mistake, (size_t)p->n_mistakes, sizeof *p->mistake, by_count);
}

lh_progress *lh_progress_new(lh_arena *a, lh_store *s, long zone) {
    counter c = {.a = a, .p = lh_alloc(a, sizeof(lh_progress)), .zone = zone};
    if (!s->attempts(s, count_attempt, &c)) return NULL;
    count_steps(&c);
    if (!add_sessions(&c, s)) return NULL;
    sort_lists(c.p);
    return c.p;
}

const lh_lesson_progress *lh_progress_lesson(const lh_progress *p, const char *lesson) {
    for (int i = 0; i < p->n_lessons; i++)
        if (same(p->lesson[i].lesson, lesson)) return &p->lesson[i];
    return NULL;
}

/* ---- a store in memory ---- */

typedef struct memory_store {
    lh_store store;
    lh_context *ctx;
    lh_arena *arena;
    lh_attempt *attempt;
    int n_attempts;
    lh_saved *sheet; /* the newest last */
    int n_sheets;
    lh_read *reads; /* the newest last */
    int n_reads;
} memory_store;

static bool is_same_sheet(const lh_saved *a, const lh_saved *b) {
    return same(a->lesson, b->lesson) && a->seed == b->seed && a->digits == b->digits &&
           same(a->only, b->only);
}

static lh_saved copy_sheet(lh_arena *a, const lh_saved *s) {
    lh_saved out = *s;
    out.lesson = keep(a, s->lesson);
    out.only = keep(a, s->only);
    out.at = keep(a, s->at);
    out.step = lh_alloc_array(a, (size_t)s->n_steps + 1, sizeof *out.step);
    if (!out.step) out.n_steps = 0;
    for (int i = 0; i < out.n_steps; i++) {
        out.step[i] = s->step[i];
        out.step[i].step = keep(a, s->step[i].step);
        out.step[i].cells = keep(a, s->step[i].cells);
    }
    return out;
}

static bool memory_record(lh_store *s, const lh_attempt *attempt, const lh_saved *sheet) {
    memory_store *m = (memory_store *)s;
    if (attempt) {
        lh_attempt *a = lh_push(m->arena, m->attempt, m->n_attempts);
        *a = *attempt;
        a->number = m->n_attempts;
        a->lesson = keep(m->arena, attempt->lesson);
        a->step = keep(m->arena, attempt->step);
        a->raw = keep(m->arena, attempt->raw);
        a->verdict = keep(m->arena, attempt->verdict);
        a->mistake = keep(m->arena, attempt->mistake);
    }
    if (sheet) {
        int kept = 0;
        for (int i = 0; i < m->n_sheets; i++)
            if (!is_same_sheet(&m->sheet[i], sheet)) m->sheet[kept++] = m->sheet[i];
        m->n_sheets = kept;
        *lh_push(m->arena, m->sheet, m->n_sheets) = copy_sheet(m->arena, sheet);
    }
    return true;
}

static bool memory_sessions(lh_store *s, lh_arena *a, lh_saved **list, int *n) {
    memory_store *m = (memory_store *)s;
    *n = 0;
    *list = lh_alloc_array(a, (size_t)m->n_sheets + 1, sizeof **list);
    if (!*list) return false;
    for (int i = m->n_sheets - 1; i >= 0; i--) {
        lh_saved *to = &(*list)[(*n)++];
        *to = copy_sheet(a, &m->sheet[i]);
        to->step = NULL;
        to->n_steps = 0;
    }
    return true;
}

static bool memory_load(lh_store *s, lh_arena *a, lh_saved *sheet) {
    memory_store *m = (memory_store *)s;
    sheet->step = NULL;
    sheet->n_steps = 0;
    for (int i = 0; i < m->n_sheets; i++)
        if (is_same_sheet(&m->sheet[i], sheet)) {
            lh_saved copy = copy_sheet(a, &m->sheet[i]);
            sheet->step = copy.step;
            sheet->n_steps = copy.n_steps;
        }
    return true;
}

static bool memory_attempts(lh_store *s, lh_attempt_visit visit, void *who) {
    memory_store *m = (memory_store *)s;
    for (int i = 0; i < m->n_attempts; i++) visit(who, &m->attempt[i]);
    return true;
}

static bool memory_read(lh_store *s, const lh_read *r) {
    memory_store *m = (memory_store *)s;
    lh_read now = *r;
    int kept = 0;
    for (int i = 0; i < m->n_reads; i++) {
        if (same(m->reads[i].lesson, r->lesson))
            now.is_finished |= m->reads[i].is_finished;
        else
            m->reads[kept++] = m->reads[i];
    }
    m->n_reads = kept;
    now.lesson = keep(m->arena, r->lesson);
    *lh_push(m->arena, m->reads, m->n_reads) = now;
    return true;
}

static bool memory_reads(lh_store *s, lh_arena *a, lh_read **list, int *n) {
    memory_store *m = (memory_store *)s;
    *n = 0;
    *list = NULL;
    for (int i = m->n_reads - 1; i >= 0; i--) {
        lh_read *to = lh_push(a, *list, *n);
        *to = m->reads[i];
        to->lesson = keep(a, m->reads[i].lesson);
    }
    return true;
}

static bool memory_reset(lh_store *s, char *backup, size_t size) {
    memory_store *m = (memory_store *)s;
    m->n_attempts = m->n_sheets = m->n_reads = 0;
    if (size) backup[0] = 0;
    return true;
}

static void memory_close(lh_store *s) {
    if (s) lh_arena_free(((memory_store *)s)->arena);
}

lh_store *lh_store_memory(lh_context *ctx) {
    lh_arena *a = lh_arena_new(ctx);
    if (!a) return NULL;
    memory_store *m = lh_alloc(a, sizeof *m);
    *m = (memory_store){.store = {.record = memory_record,
                                  .sessions = memory_sessions,
                                  .load = memory_load,
                                  .attempts = memory_attempts,
                                  .read = memory_read,
                                  .reads = memory_reads,
                                  .reset = memory_reset,
                                  .close = memory_close},
                        .ctx = ctx,
                        .arena = a};
    return &m->store;
}
