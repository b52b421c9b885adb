/* fields -- an exercise block: fields, a word and a colon each, then an empty line, then the question. */
#include <string.h>

#include "learn/lesson_internal.h"

/* The fields that every kind has, then its own; how many. */
enum { N_COMMON = 5, N_KNOWN = N_COMMON + LH_TASK_FIELDS };
static const char *const common[N_COMMON] = {"title", "hint", "because", "use", "show"};

static int known_fields(const lh_task_kind *kind, const char **known) {
    int n = 0;
    while (n < N_COMMON) known[n] = common[n], n++;
    for (int i = 0; i < LH_TASK_FIELDS && kind->fields[i]; i++) known[n++] = kind->fields[i];
    return n;
}

/* What a learner reads: numbers in it are put in, and a # is no comment. */
static bool is_text(const lh_task_kind *kind, const char *field) {
    return strcmp(field, "title") == 0 || strcmp(field, "hint") == 0 ||
           strcmp(field, "because") == 0 || (kind->has_prose && strcmp(field, kind->choices) == 0);
}

const lh_field *lh_exercise_field(const lh_exercise *e, const char *name, int number) {
    for (int i = 0; i < e->n_fields; i++)
        if (strcmp(e->field[i].name, name) == 0 && number-- == 0) return &e->field[i];
    return NULL;
}

typedef struct exercise_reader {
    lh_lesson *l;
    lh_exercise e;
} exercise_reader;

static bool check_field(exercise_reader *x, const char *name, lh_place at) {
    const char *known[N_KNOWN];
    int n = known_fields(x->e.kind, known);
    for (int i = 0; i < n; i++)
        if (strcmp(known[i], name) == 0) return true;
    lh_problem_add(x->l->problems, LH_ERROR_TEXT, at,
                   "an exercise of the kind %s has no field \"%.40s\"", x->e.kind->name, name);
    lh_problem_nearest(x->l, name, known, n);
    return false;
}

/* The text before the last | and the expression behind it. Prose is what stands before. */
static void split_field(exercise_reader *x, lh_field *f, lh_text_row value,
                        const char *line_start) {
    lh_arena *a = x->l->arena;
    size_t bar = value.n;
    for (size_t i = 0, inside = 0; i < value.n; i++) {
        if (i + 1 < value.n && value.s[i] == '{' && value.s[i + 1] == '{') inside = 1;
        if (i + 1 < value.n && value.s[i] == '}' && value.s[i + 1] == '}') inside = 0;
        if (value.s[i] == '|' && !inside) bar = i;
    }
    lh_text_row left = lh_row_trim((lh_text_row){value.s, bar, value.number});
    f->left = is_text(x->e.kind, f->name) ? lh_read_prose(x->l, a, left, line_start, x->e.number)
                                          : lh_copy(a, left.s, left.n);
    f->value = bar == value.n ? f->left : lh_copy(a, value.s, value.n);
    if (bar == value.n) return;
    lh_text_row right =
        lh_row_code((lh_text_row){value.s + bar + 1, value.n - bar - 1, value.number});
    f->right = lh_copy(a, right.s, right.n);
    f->right_at = lh_row_place(right, line_start);
}

static void add_field(exercise_reader *x, const char *name, lh_text_row value, lh_place at,
                      const char *line_start) {
    lh_lesson *l = x->l;
    lh_field f = {.name = name, .at = at, .value = ""};
    bool is_show = strcmp(name, "show") == 0;
    value = is_text(x->e.kind, name) || is_show ? lh_row_trim(value) : lh_row_code(value);
    f.value_at = lh_row_place(value, line_start);
    if (value.n == 0) {
        lh_problem_add(l->problems, LH_ERROR_TEXT, at, "%s: has no value", name);
        return;
    }
    if (is_show) {
        int number = l->n_shows;
        f.value = f.left = lh_copy(l->arena, value.s, value.n);
        lh_read_show(l, value, line_start, x->e.number);
        if (l->n_shows > number) *lh_push(l->arena, x->e.show, x->e.n_shows) = number;
    } else if (strcmp(name, "use") == 0) {
        f.value = f.left = lh_copy(l->arena, value.s, value.n);
        lh_read_use(l, value, line_start, x->e.number);
    } else {
        split_field(x, &f, value, line_start);
    }
    if (strcmp(name, "title") == 0) x->e.title = f.value;
    *lh_push(l->arena, x->e.field, x->e.n_fields) = f;
}

static void read_field(exercise_reader *x, lh_text_row row) {
    const char *colon = memchr(row.s, ':', row.n);
    lh_text_row name =
        lh_row_trim((lh_text_row){row.s, colon ? (size_t)(colon - row.s) : 0, row.number});
    if (!colon || !lh_is_name(name.s, name.n)) {
        lh_problem_add(x->l->problems, LH_ERROR_TEXT, lh_row_place(lh_row_trim(row), row.s),
                       "an exercise begins with fields, a word and a colon each");
        lh_problem_cure(x->l->problems, "an empty line separates them from the question");
        return;
    }
    lh_place at = lh_row_place(name, row.s);
    const char *word = lh_copy(x->l->arena, name.s, name.n);
    if (!check_field(x, word, at)) return;
    lh_text_row value = {colon + 1, row.n - (size_t)(colon + 1 - row.s), row.number};
    add_field(x, word, value, at, row.s);
}

static bool read_kind(lh_lesson *l, const lh_segment *s, const lh_task_kind **kind) {
    const char *word = lh_copy(l->arena, s->rest, s->n_rest), **names = NULL;
    int n = 0;
    for (int i = 0; lh_task_kinds[i]; i++) {
        *kind = lh_task_kinds[i];
        if (strcmp(word, (*kind)->name) == 0) return true;
        *lh_push(l->arena, names, n) = (*kind)->name;
    }
    lh_problem_add(l->problems, LH_ERROR_TEXT, s->at,
                   *word ? "there is no kind of exercise \"%.40s\"" : "an exercise has a kind%.40s",
                   word);
    lh_problem_nearest(l, word, names, n);
    return false;
}

void lh_read_exercise(lh_lesson *l, const lh_segment *s) {
    exercise_reader x = {l,
                         {.number = l->n_exercises + 1, .title = "", .question = "", .at = s->at}};
    if (!read_kind(l, s, &x.e.kind)) return;
    const char *end = s->s + s->n;
    for (lh_text_row row = {0}; lh_text_row_next(s->s, s->n, s->line, &row);) {
        if (lh_row_trim(row).n) {
            read_field(&x, row);
            continue;
        }
        const char *from = row.s + row.n + 1;
        if (from > end) from = end;
        lh_text_row text = {from, (size_t)(end - from), row.number + 1};
        while (text.n && (text.s[text.n - 1] == '\n' || text.s[text.n - 1] == ' ')) text.n--;
        x.e.question_at = lh_row_place(text, from);
        x.e.question = lh_read_prose(l, l->arena, text, from, x.e.number);
        break;
    }
    if (!lh_row_trim((lh_text_row){x.e.question, strlen(x.e.question), 0}).n) {
        lh_problem_add(l->problems, LH_ERROR_TEXT, s->at, "the exercise asks nothing");
        lh_problem_cure(l->problems, "the question comes below the fields, after an empty line");
    }
    *lh_push(l->arena, l->exercise, l->n_exercises) = x.e;
}
