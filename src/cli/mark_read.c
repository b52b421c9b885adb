/* mark_read -- who handed in what: files with one sheet each, tables with a row for each learner, and the roster of the class. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/mark_command.h"
#include "graph/build.h"
#include "learn/names.h"

/* ---- files and tables ---- */

static void add_learner(lh_hall *h, const char *file, int line, lh_answer_file *f) {
    *lh_push(h->arena, h->learner, h->n) =
        (lh_learner){.file = file,
                     .line = line,
                     .answers = f,
                     .name = f->learner ? lh_name_composed(h->arena, f->learner) : "",
                     .id = f->id ? f->id : ""};
}

static void report(lh_hall *h) {
    lh_cli_report(h->from->cli);
    lh_context_clear(h->from->cli->ctx);
    h->failed = true;
}

static bool asks_alike(const lh_answer_file *f, const lh_answer_file *g) {
    bool is_same = f->n_steps == g->n_steps;
    for (int i = 0; is_same && i < f->n_steps; i++) is_same = strcmp(f->step[i], g->step[i]) == 0;
    return is_same;
}

/* What the columns of a table are compared with. */
typedef struct asked {
    bool *column;      /* is it asked for? */
    const char **step; /* names, for a hint */
    int n_steps;
} asked;

/* Some forms ask for small numbers that are too small in others: all of them count. A row that cannot be marked says so later. */
static void ask_like(lh_hall *h, const lh_answer_table *t, const lh_answer_file *f, asked *k) {
    lh_sheet_wish w = {
        .digits = f->digits, .steps = f->step, .n_steps = f->n_steps, .with_tiny = true};
    lh_paper *p = lh_sheet_lesson_paper(h->from, &w);
    if (!p) {
        lh_context_clear(h->from->cli->ctx);
        p = lh_sheet_lesson_paper(h->from, &(lh_sheet_wish){.with_tiny = true});
    }
    for (int i = 0; p && i < t->n_columns; i++)
        k->column[i] = k->column[i] || lh_answer_is_asked(h->arena, p, t->column[i]);
    for (int i = 0; p && i < p->n_steps; i++)
        *lh_push(h->arena, k->step, k->n_steps) = lh_printf(h->arena, "%s", p->step[i].name);
    lh_paper_free(p);
    lh_context_clear(h->from->cli->ctx);
}

/* Columns that are no step of the lesson are told once, not once for each learner. */
static bool check_columns(lh_hall *h, const char *file, lh_answer_table *t) {
    lh_sheet_lesson *s = h->from;
    asked k = {.column = lh_alloc_array(h->arena, (size_t)t->n_columns + 1, sizeof *k.column)};
    const lh_answer_file *last = NULL;
    for (int i = 0; k.column && i < t->n; i++) {
        const lh_answer_file *f = t->row[i].answers;
        if (!last || !asks_alike(f, last)) ask_like(h, t, f, &k);
        last = f;
    }
    int others = 0, n = t->n_columns;
    const char **all = lh_alloc_array(h->arena, (size_t)n + 1, sizeof *all);
    for (int i = 0; all && i < n; i++) all[i] = t->column[i];
    for (int i = 0; k.column && all && i < n; i++) {
        const char *column = all[i];
        if (k.column[i]) continue;
        const char *near = k.step ? lh_nearest(column, k.step, k.n_steps) : NULL;
        lh_answer_table_drop(t, column);
        if (others++ < 5)
            fprintf(stderr, "%s:%d: the column \"%s\" is not a step of %s and was not read%s%s%s\n",
                    file, t->line, column, s->name, near ? "; did you mean " : "", near ? near : "",
                    near ? "?" : "");
    }
    if (others > 5) fprintf(stderr, "%s:%d: %d more were not read\n", file, t->line, others - 5);
    if (t->n_unnamed)
        fprintf(
            stderr,
            "%s:%d: %d column%s without a name: what is written there was not read; each number "
            "has a column with its name, P[0][1], or a whole step has one: 0.1 0.2; 0.3 0.4\n",
            file, t->line, t->n_unnamed, t->n_unnamed == 1 ? "" : "s");
    if (others < n) return true;
    lh_cli_fail(s->cli, "%s:%d: no column is a step of %s", file, t->line, s->name);
    fprintf(stderr, "longhand sheet %s --format csv writes a table with the right columns\n",
            s->name);
    h->failed = true;
    return false;
}

static void read_table(lh_hall *h, const char *file, const char *text, size_t length) {
    lh_context *ctx = h->from->cli->ctx;
    lh_answer_table *t = lh_answer_table_read(ctx, h->arena, file, text, length);
    if (!t)
        report(h);
    else if (check_columns(h, file, t))
        for (int i = 0; i < t->n; i++) add_learner(h, file, t->row[i].line, t->row[i].answers);
}

static void read_one(lh_hall *h, const char *file) {
    lh_context *ctx = h->from->cli->ctx;
    size_t length = 0;
    const char *text = lh_file_read(ctx, h->arena, file, &length);
    if (!text)
        report(h);
    else if (lh_answer_table_is(file, text, length))
        read_table(h, file, text, length);
    else
        add_learner(h, file, 0, lh_answer_file_read(h->arena, text, length));
}

const char *lh_learner_where(const lh_hall *h, const lh_learner *x) {
    return x->line ? lh_printf(h->arena, "%s:%d", x->file, x->line) : x->file;
}

/* ---- the roster ---- */

/* As sheet --roster gives them. */
static void find_forms(lh_hall *h) {
    const lh_roster *r = h->roster;
    h->form = lh_alloc_array(h->arena, (size_t)r->n + 1, sizeof *h->form);
    for (int i = 0; h->form && i < r->n; i++) {
        const lh_student *s = &r->student[i];
        h->form[i] = *s->form    ? s->form
                     : h->secret ? lh_secret_form(h->secret, h->arena, s->key)
                                 : "";
    }
}

static const char *form_of(const lh_hall *h, const lh_student *s) {
    return h->form ? h->form[s - h->roster->student] : "";
}

/* Whose form it is, where only one has it. */
static const lh_student *owner_of(const lh_hall *h, const char *form) {
    const lh_student *found = NULL;
    for (int i = 0; i < h->roster->n; i++) {
        if (strcmp(form_of(h, &h->roster->student[i]), form) != 0) continue;
        if (found) return NULL;
        found = &h->roster->student[i];
    }
    return found;
}

static void not_on_roster(lh_hall *h, const lh_learner *x, int same) {
    const lh_roster *r = h->roster;
    const char *who = *x->name ? x->name : *x->id ? x->id : "";
    if (same > 1) {
        fprintf(stderr, "%s: %d students of %s are called %s: the id is needed to know which\n",
                lh_learner_where(h, x), same, r->file, who);
        return;
    }
    const char **known = lh_alloc_array(h->arena, (size_t)r->n + 1, sizeof *known);
    for (int i = 0; known && r->student && i < r->n; i++) known[i] = r->student[i].name;
    const char *near = known && *who ? lh_nearest(who, known, r->n) : NULL;
    if (*who)
        fprintf(stderr, "%s: %s is not on the roster %s%s%s%s\n", lh_learner_where(h, x), who,
                r->file, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    else
        fprintf(stderr, "%s: it has no name, so it counts for nobody on the roster %s\n",
                lh_learner_where(h, x), r->file);
}

/* The sheet says whose it is by its form, the learner by name. Two sheets that were swapped are worth a word. */
static void find_student(lh_hall *h, lh_learner *x) {
    lh_answer_file *f = x->answers;
    int same = 0;
    const lh_student *by_name =
        *x->name || *x->id ? lh_roster_find(h->roster, h->arena, x->name, x->id, &same) : NULL;
    const lh_student *by_form = f->form ? owner_of(h, f->form) : NULL;
    x->student = by_name ? by_name : by_form;
    if (by_name && by_form && by_name != by_form)
        fprintf(stderr, "%s: form %s is the sheet of %s, and the name on it is %s\n",
                lh_learner_where(h, x), f->form, by_form->name, by_name->name);
    if (!x->student) {
        not_on_roster(h, x, same);
        return;
    }
    x->name = x->student->name;
    x->id = x->student->id;
    if (f->form || f->has_seed || f->class_code) return;
    if (*form_of(h, x->student)) f->form = form_of(h, x->student);
    if (x->student->seed && !h->secret) f->seed = x->student->seed, f->has_seed = true;
}

/* Of several with one name nobody knows who handed in a sheet that says no id, but one of them did. */
static void mark_namesakes(const lh_hall *h, const lh_learner *x, bool *is_here) {
    const lh_roster *r = h->roster;
    int same = 0;
    if (x->student || !*x->name) return;
    lh_roster_find(r, h->arena, x->name, "", &same);
    const char *key = same > 1 ? lh_name_key(h->arena, x->name) : NULL;
    for (int i = 0; key && i < r->n; i++)
        if (strcmp(lh_name_key(h->arena, r->student[i].name), key) == 0) is_here[i] = true;
}

int lh_hall_missing(const lh_hall *h, const lh_student ***missing) {
    int n = 0;
    *missing = NULL;
    if (!h->roster) return 0;
    bool *is_here = lh_alloc_array(h->arena, (size_t)h->roster->n + 1, sizeof *is_here);
    for (int i = 0; is_here && i < h->n; i++)
        if (h->learner[i].student)
            is_here[h->learner[i].student - h->roster->student] = true;
        else
            mark_namesakes(h, &h->learner[i], is_here);
    for (int i = 0; is_here && i < h->roster->n; i++)
        if (!is_here[i]) *lh_push(h->arena, *missing, n) = &h->roster->student[i];
    return n;
}

/* ---- labels ---- */

/* The last `parts` parts of a path, without the ending; the whole of it where more are wanted than it has. */
static const char *tail(const lh_hall *h, const char *path, int parts, bool *is_all) {
    const char *s = path + strlen(path);
    for (; s > path; s--)
        if (s[-1] == '/' && --parts <= 0) break;
    *is_all = s == path && parts > 1;
    const char *dot = strrchr(s, '.'), *slash = strrchr(s, '/');
    bool has_ending = dot && dot != s && (!slash || dot > slash + 1);
    return lh_copy(h->arena, s, has_ending && !*is_all ? (size_t)(dot - s) : strlen(s));
}

/* The name alone; then with the id; then with the place, as much of it as is needed. */
static const char *label_at(const lh_hall *h, lh_learner *x, bool *is_all) {
    bool has_name = *x->name != 0, has_id = *x->id != 0;
    int parts = x->depth - has_name - (has_name && has_id) + 1;
    *is_all = false;
    if (has_name && x->depth == 0) return x->name;
    if (has_name && has_id && x->depth == 1) return lh_printf(h->arena, "%s (%s)", x->name, x->id);
    if (!has_name && has_id && x->depth == 0) return x->id;
    if (x->line && parts == 1)
        return lh_printf(h->arena, has_name ? "%s (line %d)" : "%sline %d", x->name, x->line);
    const char *place = tail(h, x->file, x->line ? parts - 1 : parts, is_all);
    if (x->line) place = lh_printf(h->arena, "%s:%d", place, x->line);
    return has_name ? lh_printf(h->arena, "%s (%s)", x->name, place) : place;
}

typedef struct labelled {
    const char *key;
    lh_learner *x;
} labelled;

static int by_key(const void *a, const void *b) {
    const labelled *p = a, *q = b;
    int order = strcmp(p->key, q->key);
    return order ? order : p->x < q->x ? -1 : p->x > q->x;
}

static bool deepen(lh_hall *h, lh_learner *x) {
    bool is_all;
    x->depth++;
    x->label = label_at(h, x, &is_all);
    return !is_all;
}

/* True: some had the same label, and more of where they are from was added. */
static bool tell_apart(lh_hall *h, labelled *order) {
    bool again = false;
    for (int i = 0; i < h->n; i++)
        order[i] = (labelled){lh_name_key(h->arena, h->learner[i].label), &h->learner[i]};
    qsort(order, (size_t)h->n, sizeof *order, by_key);
    for (int i = 0; i < h->n; i++) {
        bool same = (i && strcmp(order[i].key, order[i - 1].key) == 0) ||
                    (i + 1 < h->n && strcmp(order[i].key, order[i + 1].key) == 0);
        if (same) again |= deepen(h, order[i].x);
    }
    return again;
}

static int by_label(const void *a, const void *b) {
    const lh_learner *x = a, *y = b;
    int order = lh_name_order(x->label, y->label);
    return order ? order : x->line - y->line;
}

static void label_all(lh_hall *h) {
    enum { DEEPEST = 40 };
    bool is_all;
    labelled *order = lh_alloc_array(h->arena, (size_t)h->n + 1, sizeof *order);
    const char **label = lh_alloc_array(h->arena, (size_t)h->n + 1, sizeof *label);
    if (!order || !label) return;
    for (int i = 0; i < h->n; i++) h->learner[i].label = label_at(h, &h->learner[i], &is_all);
    for (int i = 0; i < DEEPEST && tell_apart(h, order); i++) continue;
    for (int i = 0; i < h->n; i++) label[i] = h->learner[i].label;
    lh_names_apart(h->arena, label, h->n); /* one file that was named twice */
    for (int i = 0; i < h->n; i++) h->learner[i].label = label[i];
    if (h->n) qsort(h->learner, (size_t)h->n, sizeof *h->learner, by_label);
}

/* ---- who handed in twice ---- */

/* "" where nobody knows. */
static const char *identity(const lh_hall *h, const lh_learner *x) {
    if (x->student) return x->student->key;
    const char *who = *x->id ? x->id : x->name;
    return *who ? lh_name_key(h->arena, who) : "";
}

static void tell_twice(const lh_hall *h, const labelled *same, int n) {
    enum { NAMED = 4 };
    const lh_learner *x = same->x;
    fprintf(stderr, "%s is on %d sheets: ", *x->name ? x->name : x->id, n);
    for (int i = 0; i < n && i < NAMED; i++)
        fprintf(stderr, "%s%s", i ? ", " : "", lh_learner_where(h, same[i].x));
    if (n > NAMED) fprintf(stderr, " and %d more", n - NAMED);
    fputs("; each is marked and counts\n", stderr);
}

static void report_twice(const lh_hall *h) {
    labelled *order = lh_alloc_array(h->arena, (size_t)h->n + 1, sizeof *order);
    if (!order || h->n == 0) return;
    for (int i = 0; i < h->n; i++)
        order[i] = (labelled){identity(h, &h->learner[i]), &h->learner[i]};
    qsort(order, (size_t)h->n, sizeof *order, by_key);
    for (int i = 0, n; i < h->n; i += n) {
        for (n = 1; i + n < h->n && strcmp(order[i + n].key, order[i].key) == 0;) n++;
        if (n > 1 && *order[i].key) tell_twice(h, &order[i], n);
    }
}

void lh_hall_read(lh_hall *h, int n, char **files) {
    for (int i = 0; i < n; i++) read_one(h, files[i]);
    if (h->roster) find_forms(h);
    for (int i = 0; h->roster && i < h->n; i++) find_student(h, &h->learner[i]);
    report_twice(h);
    label_all(h);
}
