/* sheet_class -- sheets for a class: forms with their keys, or one sheet for each student of a roster. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/sha256.h"
#include "cli/sheet.h"
#include "learn/csv.h"

/* ---- forms ---- */

const char *lh_form_name(lh_arena *a, int number) {
    char name[12];
    int at = (int)sizeof name - 1;
    name[at] = 0;
    for (number++; number > 0 && at > 0; number = (number - 1) / 26)
        name[--at] = (char)('A' + (number - 1) % 26);
    return lh_printf(a, "%s", name + at);
}

bool lh_form_number(const char *form, int *number) {
    int n = 0;
    if (!*form || strlen(form) > 5) return false;
    bool is_digits = *form >= '0' && *form <= '9';
    for (const char *c = form; *c; c++) {
        int letter = *c >= 'a' && *c <= 'z' ? *c - 'a' : *c >= 'A' && *c <= 'Z' ? *c - 'A' : -1;
        int digit = *c >= '0' && *c <= '9' ? *c - '0' : -1;
        if (is_digits ? digit < 0 : letter < 0) return false;
        n = is_digits ? n * 10 + digit : n * 26 + letter + 1;
    }
    *number = n - 1;
    return n > 0;
}

/* ---- who gets which ---- */

/* One sheet to be made. */
typedef struct copy {
    const lh_student *student; /* or NULL */
    const char *form;
    unsigned long long seed;
    const char *file; /* without folder and ending */
} copy;

/* Without a secret and without forms: numbers that depend on who it is, so that nobody else's change when a student joins. */
static unsigned long long own_seed(const lh_sheet_class *c, const lh_student *s) {
    unsigned char print[LH_SHA256];
    const char *who = lh_printf(c->from->cli->arena, "%llu %s", c->wish.seed, s->key);
    lh_sha256(who, strlen(who), print);
    unsigned long long seed = 0;
    for (int i = 0; i < 4; i++) seed = seed << 8 | print[i];
    return 1 + seed % 1000000000;
}

static unsigned long long seed_of(const lh_sheet_class *c, const copy *x, int number) {
    if (c->secret) return lh_secret_seed(c->secret, c->from->name, x->form);
    if (x->student && x->student->seed) return x->student->seed;
    if (x->student && !*x->form) return own_seed(c, x->student);
    return (c->wish.seed ? c->wish.seed : 1) + (unsigned long long)number;
}

/* The lists that earlier calls left in the folder, the oldest first. */
typedef struct earlier {
    lh_roster **list;
    int n;
} earlier;

static const char *numbered_path(const lh_sheet_class *c, const char *name, const char *ending,
                                 int i) {
    lh_arena *a = c->from->cli->arena;
    return i ? lh_printf(a, "%s/%s-%d.%s", c->out, name, i + 1, ending)
             : lh_printf(a, "%s/%s.%s", c->out, name, ending);
}

static earlier earlier_lists(const lh_sheet_class *c) {
    lh_cli *cli = c->from->cli;
    earlier e = {0};
    for (int i = 0; c->forms && c->out && c->format != LH_SHEET_CSV; i++) {
        size_t length;
        const char *path = numbered_path(c, "list", "csv", i);
        if (access(path, F_OK) != 0) break;
        const char *text = lh_file_read(cli->ctx, cli->arena, path, &length);
        lh_roster *r = text ? lh_roster_read(cli->ctx, cli->arena, path, text, length) : NULL;
        if (r) *lh_push(cli->arena, e.list, e.n) = r;
        lh_context_clear(cli->ctx); /* a file of another kind: nothing is known from it */
    }
    return e;
}

/* Which form a student got earlier, from 0; -1: none of those that are made now. */
static int earlier_form(const lh_sheet_class *c, const earlier *e, const lh_student *s) {
    lh_arena *a = c->from->cli->arena;
    for (int i = 0; i < e->n; i++) {
        int same, at;
        const lh_student *old = lh_roster_find(e->list[i], a, s->name, s->id, &same);
        if (!old) old = lh_roster_find(e->list[i], a, s->name, "", &same);
        if (old && lh_form_number(old->form, &at) && at < c->forms) return at;
    }
    return -1;
}

/* The form that fewest have: all in turn, where nobody has one yet. */
static int next_form(const int *has, int forms) {
    int best = 0;
    for (int i = 1; i < forms; i++)
        if (has[i] < has[best]) best = i;
    return best;
}

/* Forms that are known: the roster names them, an earlier list does, or with a secret the student's own word is one. */
static bool assign_known(const lh_sheet_class *c, const earlier *e, copy *x, int *at) {
    lh_arena *a = c->from->cli->arena;
    const lh_student *s = x->student;
    *at = -1;
    if (*s->form) {
        x->form = s->form;
        if (!lh_form_number(s->form, at) && !c->secret && !s->seed) {
            lh_cli_fail(c->from->cli, "%s:%d: form %s has no number, and there is no secret",
                        c->roster->file, s->line, s->form);
            fprintf(stderr,
                    "call forms A, B, C ... or 1, 2, 3 ..., or name a class: --class FILE\n");
            return false;
        }
    } else if (c->forms) {
        *at = earlier_form(c, e, s);
        x->form = *at < 0 ? NULL : lh_form_name(a, *at);
    } else {
        x->form = c->secret ? lh_secret_form(c->secret, a, s->key) : "";
    }
    return true;
}

static bool assign_all(const lh_sheet_class *c, copy *list, int n) {
    lh_arena *a = c->from->cli->arena;
    const earlier e = earlier_lists(c);
    int *has = lh_alloc_array(a, (size_t)c->forms + 1, sizeof *has);
    int *at = lh_alloc_array(a, (size_t)n + 1, sizeof *at);
    if (!has || !at) return false;
    for (int i = 0; i < n; i++) {
        list[i].student = c->roster ? &c->roster->student[i] : NULL;
        if (list[i].student && !assign_known(c, &e, &list[i], &at[i])) return false;
        if (list[i].student && at[i] >= 0 && at[i] < c->forms) has[at[i]]++;
    }
    for (int i = 0; i < n; i++) {
        if (!list[i].form) {
            at[i] = next_form(has, c->forms);
            has[at[i]]++;
            list[i].form = lh_form_name(a, at[i]);
        }
        list[i].seed = seed_of(c, &list[i], at[i]);
    }
    return true;
}

static copy *copies(const lh_sheet_class *c, int *n) {
    lh_arena *a = c->from->cli->arena;
    *n = c->roster ? c->roster->n : c->forms;
    copy *list = lh_alloc_array(a, (size_t)*n + 1, sizeof *list);
    const char **file = lh_alloc_array(a, (size_t)*n + 1, sizeof *file);
    if (!list || !file || !assign_all(c, list, *n)) return NULL;
    for (int i = 0; i < *n; i++) {
        copy *x = &list[i];
        int same = 1;
        if (!x->student) {
            file[i] = lh_printf(a, "%s-%s", c->from->name, x->form);
            continue;
        }
        lh_roster_find(c->roster, a, x->student->name, "", &same);
        const char *name =
            same > 1 ? lh_printf(a, "%s %s", x->student->name, x->student->id) : x->student->name;
        file[i] = lh_printf(a, "%s-%s", c->from->name, lh_name_file(a, name));
    }
    lh_names_apart(a, file, *n);
    for (int i = 0; i < *n; i++) list[i].file = file[i];
    return list;
}

/* ---- writing ---- */

typedef struct tally {
    int written, there, other; /* files that were made; the same sheet was there; another was */
    int status;
} tally;

static bool make_folder(lh_cli *cli, const char *path) {
    struct stat info;
    if (mkdir(path, 0777) && errno != EEXIST) {
        lh_cli_fail(cli, "%s cannot be made: %s", path, strerror(errno));
        return false;
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return true;
    lh_cli_fail(cli, "%s is not a folder", path);
    return false;
}

/* A file that is there may hold a student's answers: it stays, whatever it is. */
static void put_file(const lh_sheet_class *c, const lh_paper *p, const char *path, const char *text,
                     size_t length, tally *t) {
    lh_cli *cli = c->from->cli;
    size_t old_length;
    if (access(path, F_OK) != 0) {
        bool ok = lh_cli_write_file(cli, path, text, length);
        t->written += ok;
        if (!ok) t->status = LH_EXIT_FAILED;
        return;
    }
    const char *old = lh_file_read(cli->ctx, p->arena, path, &old_length);
    if (old && strstr(old, p->code)) {
        t->there++;
        return;
    }
    lh_context_clear(cli->ctx);
    if (t->other++ == 0)
        lh_cli_fail(cli, "%s already exists and is another sheet: it was left as it is", path);
}

static lh_paper *paper_of(const lh_sheet_class *c, const copy *x, bool key) {
    lh_sheet_wish w = c->wish;
    w.seed = x->seed;
    w.form = x->form;
    w.key = key;
    return lh_sheet_lesson_paper(c->from, &w);
}

static lh_handout handout_of(const lh_sheet_class *c, const copy *x, const lh_paper *p) {
    return (lh_handout){.paper = p,
                        .file = lh_shell_word(c->from->cli->arena, c->from->source.name),
                        .hidden = "",
                        .learner = x->student ? x->student->name : "",
                        .id = x->student ? x->student->id : "",
                        .class_code = c->secret ? c->secret->code : "",
                        .is_short = c->is_short};
}

static void write_copy(const lh_sheet_class *c, const lh_handout *h, const char *path, tally *t) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out) lh_sheet_write(c->from->cli, out, h, c->format);
    if (!out || fclose(out))
        t->status = lh_cli_fail(c->from->cli, "out of memory");
    else
        put_file(c, h->paper, path, text, length, t);
    free(text);
}

/* Keys of a class lie in a folder of their own: the other one can be handed out as it is. */
static const char *path_of(const lh_sheet_class *c, lh_arena *a, const copy *x, bool key) {
    const char *ending = lh_sheet_endings[c->format];
    if (c->roster) return lh_printf(a, "%s%s/%s.%s", c->out, key ? "/keys" : "", x->file, ending);
    return lh_printf(a, "%s/%s%s.%s", c->out, x->file, key ? "-key" : "", ending);
}

/* The sheet, its key, its row of the list, its pages for the printer. */
static void make_copy(const lh_sheet_class *c, const copy *x, int number, FILE *print,
                      lh_text *list, tally *t) {
    lh_cli *cli = c->from->cli;
    for (int key = 0; key < (c->wants_key ? 2 : 1) && t->status == LH_EXIT_YES; key++) {
        lh_paper *p = paper_of(c, x, key);
        if (!p) {
            t->status = lh_cli_report(cli);
            return;
        }
        lh_handout h = handout_of(c, x, p);
        write_copy(c, &h, path_of(c, p->arena, x, key), t);
        if (!key && print) lh_sheet_html_add(print, &h, number);
        if (!key) {
            const char *row[] = {
                h.learner,
                h.id,
                x->form,
                c->secret ? "" : lh_printf(p->arena, "%llu", x->seed),
                lh_sheet_header(&h),
                lh_printf(p->arena, "%s.%s", x->file, lh_sheet_endings[c->format])};
            lh_csv_row_put(list, row, 6);
        }
        lh_paper_free(p);
    }
}

/* NAME.ending; where that is another text already, NAME-2.ending and so on. NULL: it was there, the same. */
static const char *put_new(const lh_sheet_class *c, const char *name, const char *ending,
                           const char *text, size_t length, tally *t) {
    lh_cli *cli = c->from->cli;
    for (int i = 0; i < 1000; i++) {
        const char *path = numbered_path(c, name, ending, i);
        size_t old_length = 0;
        if (access(path, F_OK) == 0) {
            lh_arena *a = lh_arena_new(cli->ctx);
            const char *old = a ? lh_file_read(cli->ctx, a, path, &old_length) : NULL;
            bool is_same = old && old_length == length && memcmp(old, text, length) == 0;
            lh_context_clear(cli->ctx);
            lh_arena_free(a);
            if (is_same) return path;
            continue;
        }
        if (!lh_cli_write_file(cli, path, text, length)) t->status = LH_EXIT_FAILED;
        return path;
    }
    return NULL;
}

static void tell(const lh_sheet_class *c, const copy *list, int n, const char *list_file,
                 const char *print_file, const tally *t) {
    int sheets = c->wants_key ? (t->written + 1) / 2 : t->written;
    if (!c->roster && t->status == LH_EXIT_YES && !t->there)
        fprintf(stderr, "%s/%s.%s and so on: %d form%s, each with its key\n", c->out, list[0].file,
                lh_sheet_endings[c->format], n, n > 1 ? "s" : "");
    else
        fprintf(stderr, "%s: %d sheet%s written%s\n", c->out, sheets, sheets == 1 ? "" : "s",
                c->wants_key ? ", with keys" : "");
    if (t->there)
        fprintf(stderr, "%d file%s there already and left as %s\n", t->there,
                t->there == 1 ? " was" : "s were", t->there == 1 ? "it is" : "they are");
    if (t->other)
        fprintf(stderr, "%d file%s of another sheet: move them away, or name another folder\n",
                t->other, t->other == 1 ? " is" : "s are");
    if (list_file) fprintf(stderr, "%s says who has which form\n", list_file);
    if (print_file) fprintf(stderr, "%s has all of them, to be printed in one go\n", print_file);
}

/* ---- one table for all ---- */

/* No list beside the table remembers who has which form. */
static void note_order(const lh_sheet_class *c) {
    for (int i = 0; c->forms && c->roster && i < c->roster->n; i++)
        if (!*c->roster->student[i].form) {
            fprintf(
                stderr,
                "%s: forms are given out in the order of this list; a column \"form\" in it, as "
                "in list.csv, keeps them when it changes\n",
                c->roster->file);
            return;
        }
}

static int write_table(const lh_sheet_class *c, const copy *list, int n) {
    lh_cli *cli = c->from->cli;
    if (c->out && access(c->out, F_OK) == 0) {
        lh_cli_fail(cli, "%s already exists: it may hold answers, and is left as it is", c->out);
        fprintf(stderr, "name another file, or move it away\n");
        return LH_EXIT_FAILED;
    }
    lh_text t = lh_text_new(cli->arena);
    lh_sheet_table *table = lh_sheet_table_new(cli->arena);
    for (int i = 0; i < n; i++) {
        lh_paper *p = paper_of(c, &list[i], c->wants_key);
        if (!p) return lh_cli_report(cli);
        lh_handout h = handout_of(c, &list[i], p);
        lh_sheet_table_add(table, &h);
        lh_paper_free(p);
    }
    lh_sheet_table_put(table, &t);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    note_order(c);
    if (!c->out) {
        fwrite(t.s, 1, t.n, stdout);
        return LH_EXIT_YES;
    }
    if (!lh_cli_write_file(cli, c->out, t.s, t.n)) return LH_EXIT_FAILED;
    fprintf(stderr, "%s: a row for each of %d student%s, a column for each number\n", c->out, n,
            LH_PLURAL(n));
    return LH_EXIT_YES;
}

int lh_sheet_class_write(const lh_sheet_class *c) {
    lh_cli *cli = c->from->cli;
    int n;
    copy *list = copies(c, &n);
    if (!list) return LH_EXIT_FAILED;
    if (c->format == LH_SHEET_CSV) return write_table(c, list, n);
    if (!make_folder(cli, c->out)) return LH_EXIT_FAILED;
    if (c->roster && c->wants_key && !make_folder(cli, lh_printf(cli->arena, "%s/keys", c->out)))
        return LH_EXIT_FAILED;
    tally t = {0};
    lh_text rows = lh_text_new(cli->arena);
    lh_text_add(&rows, "name,id,form,seed,sheet,file\r\n");
    char *pages = NULL;
    size_t length = 0;
    FILE *print = c->roster && c->format == LH_SHEET_HTML ? open_memstream(&pages, &length) : NULL;
    if (print) lh_sheet_html_open(print, c->from->source.title, c->is_short);
    for (int i = 0; i < n && t.status == LH_EXIT_YES; i++)
        make_copy(c, &list[i], i, print, &rows, &t);
    if (print) lh_sheet_html_close(print);
    bool has_pages = print && fclose(print) == 0 && t.status == LH_EXIT_YES;
    const char *list_file = NULL, *print_file = NULL;
    /* neither would be true of files that were left as they are */
    if (c->roster && t.status == LH_EXIT_YES && !t.other)
        list_file = put_new(c, "list", "csv", rows.s, rows.n, &t);
    if (has_pages && !t.other) print_file = put_new(c, "all", "html", pages, length, &t);
    free(pages);
    if (t.other) t.status = LH_EXIT_FAILED;
    tell(c, list, n, list_file, print_file, &t);
    return t.status;
}
