#include "learn/roster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decode.h"
#include "learn/csv.h"
#include "learn/scan.h"
#include "learn/secret.h"

/* Which column holds what; -1: none does. */
typedef struct places {
    int name, first, last, id, form, seed;
    int from;               /* the first row that is a student */
    const lh_csv_row *head; /* the row with the words, or NULL */
} places;

typedef struct reader {
    lh_context *ctx;
    lh_arena *a;
    const lh_csv *t;
    lh_roster *r;
    places at;
} reader;

static void fail(reader *r, int line, const char *what, const char *cure) {
    lh_fail(r->ctx, LH_ERROR_TEXT, (lh_place){line, 1, 0}, "%s", what);
    lh_cure(r->ctx, "%s", cure);
}

static int column(const lh_csv_row *head, lh_column wanted) {
    for (int i = 0; i < head->n_cells; i++)
        if (lh_column_of(head->cell[i]) == wanted) return i;
    return -1;
}

static const char *all_of(lh_arena *a, const lh_csv_row *row) {
    lh_text t = lh_text_new(a);
    for (int i = 0; i < row->n_cells && i < 8; i++)
        lh_text_add(&t, "%s\"%.40s\"", i ? ", " : "", row->cell[i]);
    return t.s;
}

static places places_in(const lh_csv_row *head) {
    return (places){column(head, LH_COLUMN_NAME),
                    column(head, LH_COLUMN_FIRST),
                    column(head, LH_COLUMN_LAST),
                    column(head, LH_COLUMN_ID),
                    column(head, LH_COLUMN_FORM),
                    column(head, LH_COLUMN_SEED),
                    0,
                    head};
}

/* How many columns a row has words for; 0: not who somebody is. */
static int count_places(const places *p) {
    int whose = (p->name >= 0) + (p->first >= 0) + (p->last >= 0) + (p->id >= 0);
    return whose ? whose + (p->form >= 0) + (p->seed >= 0) : 0;
}

/* Schools export a title above the words, or a row of merged cells: the words are in the row that has most of them. Without such a
 * row a list of names, one to a line, is a roster too. */
static bool find_columns(reader *r) {
    enum { TOP = 6 };
    int most = 0;
    for (int i = 0; i < r->t->n_rows && i < TOP; i++) {
        places p = places_in(&r->t->row[i]);
        if (count_places(&p) <= most) continue;
        most = count_places(&p);
        r->at = p;
        r->at.from = i + 1;
    }
    if (most) return true;
    for (int i = 0; i < r->t->n_rows; i++) {
        const lh_csv_row *row = &r->t->row[i];
        if (row->n_cells == 1) continue;
        fail(r, row->line,
             lh_printf(r->a, "no column holds the names: this line has %.300s", all_of(r->a, row)),
             "the first line names the columns: name, or first name and last name; id and form may "
             "follow");
        return false;
    }
    r->at = (places){0, -1, -1, -1, -1, -1, 0, NULL};
    return true;
}

static const char *name_in(const reader *r, const lh_csv_row *row) {
    const places *p = &r->at;
    const char *whole = lh_csv_cell(row, p->name);
    if (*whole || (p->first < 0 && p->last < 0)) return whole;
    const char *first = lh_csv_cell(row, p->first), *last = lh_csv_cell(row, p->last);
    return lh_printf(r->a, "%s%s%s", first, *first && *last ? " " : "", last);
}

/* Moodle exports an ID number, which may be empty, and an address. */
static const char *id_in(const reader *r, const lh_csv_row *row) {
    const lh_csv_row *head = r->at.head;
    for (int i = 0; head && i < head->n_cells; i++)
        if (lh_column_of(head->cell[i]) == LH_COLUMN_ID && *lh_csv_cell(row, i))
            return lh_csv_cell(row, i);
    return "";
}

static bool is_form(const char *form) {
    return strlen(form) <= LH_FORM_LETTERS && !strpbrk(form, ",#=\"/\\\n\r\t");
}

/* What Canvas writes below the words. */
static bool is_points_possible(reader *r, const char *name, const char *id) {
    return !*id && strcmp(lh_name_key(r->a, name), "points possible") == 0;
}

/* Who has an id alone goes by it. */
static void add_student(reader *r, const lh_csv_row *row) {
    const char *seed = lh_csv_cell(row, r->at.seed),
               *name = lh_name_composed(r->a, name_in(r, row));
    const char *id = id_in(r, row);
    if (is_points_possible(r, name, id)) return;
    if (!*name) name = id;
    lh_student s = {.name = lh_clean(r->a, name, strlen(name), 100),
                    .id = id,
                    .form = lh_csv_cell(row, r->at.form),
                    .line = row->line};
    if (!*s.name)
        fail(r, row->line, "this student has no name", "write one, or remove the line");
    else if (!is_form(s.form))
        fail(r, row->line, lh_printf(r->a, "\"%.40s\" cannot be a form", s.form),
             "a form is a short word, such as A or 12");
    else if (*seed && !lh_scan_seed(seed, strlen(seed), &s.seed))
        fail(r, row->line, lh_printf(r->a, "\"%.40s\" is not a seed", seed),
             "a seed is a whole number");
    s.key = *s.id ? lh_name_key(r->a, s.id) : lh_name_key(r->a, s.name);
    *lh_push(r->a, r->r->student, r->r->n) = s;
}

/* ---- who is who ---- */

typedef struct entry {
    const char *key;
    int student;
} entry;

static int by_key(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : x->student - y->student;
}

static entry *sorted(reader *r, bool by_name) {
    lh_roster *l = r->r;
    entry *e = lh_alloc_array(r->a, (size_t)l->n + 1, sizeof *e);
    for (int i = 0; e && i < l->n; i++)
        e[i] = (entry){by_name ? lh_name_key(r->a, l->student[i].name) : l->student[i].key, i};
    if (e) qsort(e, (size_t)l->n, sizeof *e, by_key);
    return e;
}

static int *numbers_of(reader *r, const entry *e) {
    int *n = lh_alloc_array(r->a, (size_t)r->r->n + 1, sizeof *n);
    for (int i = 0; n && e && i < r->r->n; i++) n[i] = e[i].student;
    return n;
}

static void refuse_twice(reader *r, const lh_student *first, const lh_student *again) {
    bool by_id = *again->id != 0;
    fail(
        r, again->line,
        lh_printf(r->a, "%s%.80s is also in line %d", by_id ? "the id " : "",
                  by_id ? again->id : again->name, first->line),
        by_id
            ? "every student needs a different id"
            : "if these are two students, a column id tells them apart; otherwise remove one line");
}

/* Of two with one name each needs an id. */
static void refuse_without_id(reader *r, const lh_student *s, const lh_student *t) {
    fail(r, t->line,
         lh_printf(r->a, "%.80s is also in line %d, and line %d has no id", t->name, s->line,
                   *t->id ? s->line : t->line),
         "if these are two students, give both an id; otherwise remove one line");
}

static void index_students(reader *r) {
    lh_roster *l = r->r;
    entry *keys = sorted(r, false), *names = sorted(r, true);
    if (!keys || !names) return;
    for (int i = 1; i < l->n; i++)
        if (strcmp(keys[i].key, keys[i - 1].key) == 0) {
            refuse_twice(r, &l->student[keys[i - 1].student], &l->student[keys[i].student]);
            return;
        }
    for (int i = 1; i < l->n; i++) {
        const lh_student *s = &l->student[names[i - 1].student], *t = &l->student[names[i].student];
        if (strcmp(names[i].key, names[i - 1].key) == 0 && (!*s->id || !*t->id)) {
            refuse_without_id(r, s, t);
            return;
        }
    }
    l->by_key = numbers_of(r, keys);
    l->by_name = numbers_of(r, names);
}

lh_roster *lh_roster_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                          size_t length) {
    lh_roster *l = lh_alloc(a, sizeof *l);
    text = lh_decode(a, text, length, &length);
    const lh_csv *t = lh_csv_read(ctx, a, file, text, length);
    if (!t) return NULL;
    reader r = {.ctx = ctx, .a = a, .t = t, .r = l};
    l->file = file;
    if (t->n_rows == 0)
        fail(&r, 0, "the list of names is empty", "one name on each line is enough");
    else if (find_columns(&r))
        for (int i = r.at.from; i < t->n_rows && !lh_failed(ctx); i++) add_student(&r, &t->row[i]);
    if (!lh_failed(ctx) && l->n == 0)
        fail(&r, 0, "there are columns but no students",
             "a line for each student follows the first");
    if (!lh_failed(ctx)) index_students(&r);
    if (!lh_failed(ctx)) return l;
    lh_fail_in(ctx, file, text, length);
    return NULL;
}

/* The first place in the order where a key may stand. */
static int place_of(const lh_roster *r, lh_arena *a, const int *order, bool by_name,
                    const char *key) {
    int low = 0, high = r->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const lh_student *s = &r->student[order[middle]];
        const char *at = by_name ? lh_name_key(a, s->name) : s->key;
        if (strcmp(at, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* 0007 is 7 where a spreadsheet had it. */
static const char *without_zeros(const char *id) {
    if (!*id || id[strspn(id, "0123456789")]) return id;
    while (*id == '0' && id[1]) id++;
    return id;
}

static const lh_student *find_without_zeros(const lh_roster *r, const char *id, int *same) {
    const lh_student *found = NULL;
    for (int i = 0; i < r->n; i++) {
        if (!*r->student[i].id || strcmp(without_zeros(r->student[i].id), without_zeros(id)) != 0)
            continue;
        found = &r->student[i];
        ++*same;
    }
    return found;
}

const lh_student *lh_roster_find(const lh_roster *r, lh_arena *a, const char *name, const char *id,
                                 int *same) {
    bool by_name = !*id;
    const char *key = lh_name_key(a, by_name ? name : id);
    const int *order = by_name ? r->by_name : r->by_key;
    const lh_student *found = NULL;
    *same = 0;
    for (int i = place_of(r, a, order, by_name, key); i < r->n; i++) {
        const lh_student *s = &r->student[order[i]];
        if (strcmp(by_name ? lh_name_key(a, s->name) : s->key, key) != 0) break;
        found = s;
        ++*same;
    }
    if (*same == 0 && !by_name) found = find_without_zeros(r, id, same);
    return *same == 1 ? found : NULL;
}
