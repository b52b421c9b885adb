/* command_book -- longhand book -o DIR: the whole course as pages that need no network, and as one PDF. */
#include "cli/book.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/embedded.h"

static struct {
    const char *out;
    bool pdf;
    lh_names only;
} options;

static const lh_option book_options[] = {
    {"output", 'o', LH_OPTION_TEXT, &options.out, "DIR", "the folder; created if it does not exist",
     0, 0},
    {"pdf", 0, LH_OPTION_FLAG, &options.pdf, NULL,
     "book.pdf as well: one file with contents and page numbers; Chromium prints it", 0, 0},
    {"only", 0, LH_OPTION_NAMES, &options.only, "LESSONS", "these lessons or files: ex1,mine.md", 0,
     0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static const char list_name[] = ".longhand-book";

/* ---- lessons ---- */

static bool has_lesson(void *who, const char *name) {
    const lh_book *b = who;
    return lh_course_find(&b->course, name) >= 0;
}

/* In the arena of the lesson, which ends before the book does: the caller copies. */
static const char *write_body(lh_book *b, lh_reading *r, const char *prefix, int deeper) {
    lh_text text = lh_text_new(r->arena);
    lh_writer w = {.r = r,
                   .out = &text,
                   .prefix = prefix,
                   .deeper = deeper,
                   .has_lesson = has_lesson,
                   .who = b,
                   .show_check = lh_show_check,
                   .styles = b->arena};
    bool ok = lh_lesson_body(&w);
    if (w.graph_style) b->graph_style = w.graph_style;
    if (w.chart_style) b->chart_style = w.chart_style;
    return ok ? lh_copy(b->arena, text.s, text.n) : NULL;
}

static const char *write_index(lh_book *b, lh_reading *r) {
    lh_text text = lh_text_new(r->arena);
    lh_lesson_index(r, &text);
    return lh_copy(b->arena, text.s, text.n);
}

static bool has_sheet(const lh_lesson *l) {
    for (int i = 0; i < l->n_blocks; i++)
        if (l->block[i].kind == LH_BLOCK_SHEET) return true;
    return false;
}

static lh_book_lesson about_lesson(lh_book *b, lh_reading *r, const char *part) {
    return (lh_book_lesson){.name = r->name,
                            .title = lh_copy(b->arena, r->title, strlen(r->title)),
                            .part = part,
                            .minutes = r->lesson->minutes,
                            .texts = b->is_alive ? lh_book_texts(r, b->arena) : NULL,
                            .has_sheet = has_sheet(r->lesson),
                            .n_exercises = r->lesson->n_exercises};
}

static bool add_lesson(lh_book *b, const char *lesson, int entry) {
    lh_reading r;
    if (!lh_reading_open(b->cli, lesson, &r)) return false;
    r.name = b->course.entry[entry].name;
    lh_book_lesson *l = &b->lesson[b->n_lessons];
    *l = about_lesson(b, &r, b->course.entry[entry].part);
    b->n_lessons++;
    l->body = write_body(b, &r, "", 0);
    if (l->body && options.pdf)
        l->whole = write_body(b, &r, lh_printf(b->arena, "%s--", r.name), 1);
    if (l->body) l->index = write_index(b, &r);
    bool ok = l->body && l->index && (l->whole || !options.pdf);
    if (!ok) lh_reading_report(&r);
    lh_reading_close(&r);
    return ok;
}

/* The first page of the whole course begins with a small lesson of its own. */
static bool add_front(lh_book *b) {
    lh_reading r;
    const lh_embedded *f = lh_embedded_find("front.md");
    if (options.only.n || !b->is_alive || !f) return true;
    lh_source source = {.name = "front", .file = f->name, .text = f->text, .length = f->length};
    if (!lh_reading_open_source(b->cli, &source, &r)) return false;
    b->front = about_lesson(b, &r, "");
    b->front.body = write_body(b, &r, "", 0);
    if (!b->front.body) lh_reading_report(&r);
    lh_reading_close(&r);
    return b->front.body;
}

/* The lessons that were named, else the whole course. files[i]: how entry i is opened. */
static const char **choose_lessons(lh_book *b) {
    lh_course all = lh_course_read(b->cli->ctx, b->arena);
    int n = options.only.n ? options.only.n : all.n;
    const char **file = lh_alloc_array(b->arena, (size_t)n + 1, sizeof *file);
    b->lesson = lh_alloc_array(b->arena, (size_t)n + 1, sizeof *b->lesson);
    b->course = all;
    b->course.n = b->course.n_listed = n;
    for (int i = 0; i < n && file; i++)
        file[i] = options.only.n ? options.only.name[i] : all.entry[i].name;
    if (!options.only.n) return file;
    b->course.entry = lh_alloc_array(b->arena, (size_t)n + 1, sizeof *b->course.entry);
    for (int i = 0; i < n && file && b->course.entry; i++) {
        int at = lh_course_find(&all, file[i]);
        const char *slash = strrchr(file[i], '/'), *start = slash ? slash + 1 : file[i],
                   *dot = strrchr(start, '.');
        b->course.entry[i] = (lh_course_entry){
            at >= 0 ? all.entry[at].part : "Lessons",
            lh_copy(b->arena, start, dot ? (size_t)(dot - start) : strlen(start))};
    }
    return b->course.entry ? file : NULL;
}

static bool make_lessons(lh_book *b) {
    const char **file = choose_lessons(b);
    if (!file || !b->lesson) return false;
    for (int i = 0; i < b->course.n; i++)
        if (!add_lesson(b, file[i], i)) return false;
    return add_front(b);
}

/* ---- the folder ---- */

/* Is this file one that an earlier book wrote? Their names stand in .longhand-book. */
static bool is_ours(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *s = list; s && *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : "")
        if (strncmp(s, name, n) == 0 && (s[n] == '\n' || !s[n])) return true;
    return false;
}

static const char *read_list(lh_book *b) {
    char *path = lh_printf(b->arena, "%s/%s", options.out, list_name);
    size_t length;
    return access(path, F_OK) == 0 ? lh_cli_read_file(b->cli, path, &length) : "";
}

/* Nothing that is not a book's is written over. */
static bool is_free(lh_book *b, const char *list) {
    for (int i = 0; i < b->n_files; i++) {
        char *path = lh_printf(b->arena, "%s/%s", options.out, b->file[i].name);
        if (access(path, F_OK) || is_ours(list, b->file[i].name)) continue;
        lh_cli_fail(b->cli, "%s already exists and is not a file of a book", path);
        fputs("choose another folder with -o, or move the file away\n", stderr);
        return false;
    }
    return true;
}

static bool make_folder(lh_book *b) {
    struct stat st;
    if (mkdir(options.out, 0777) && errno != EEXIST) {
        lh_cli_fail(b->cli, "%s cannot be made: %s", options.out, strerror(errno));
        return false;
    }
    if (stat(options.out, &st) || !S_ISDIR(st.st_mode)) {
        lh_cli_fail(b->cli, "%s is not a folder", options.out);
        return false;
    }
    return true;
}

/* The list first, with the names of both books: what happens in between, no file is taken for a stranger's later. */
static bool write_list(lh_book *b, const char *before) {
    lh_text t = lh_text_new(b->arena);
    for (int i = 0; i < b->n_files; i++) lh_text_add(&t, "%s\n", b->file[i].name);
    lh_text_add(&t, "book.pdf\n%s", before);
    return lh_cli_write_file(b->cli, lh_printf(b->arena, "%s/%s", options.out, list_name), t.s,
                             t.n);
}

/* Pages of lessons that are gone. */
static void remove_old(lh_book *b, const char *list) {
    for (const char *s = list; *s; s += strcspn(s, "\n"), s += *s == '\n') {
        const char *name = lh_copy(b->arena, s, strcspn(s, "\n"));
        bool is_new = strcmp(name, "book.pdf") == 0 || strchr(name, '/') || !*name;
        for (int i = 0; i < b->n_files; i++) is_new |= strcmp(b->file[i].name, name) == 0;
        if (!is_new) remove(lh_printf(b->arena, "%s/%s", options.out, name));
    }
}

static int write_files(lh_book *b) {
    const char *list = make_folder(b) ? read_list(b) : NULL;
    if (!list) return lh_failed(b->cli->ctx) ? lh_cli_report(b->cli) : LH_EXIT_FAILED;
    if (!is_free(b, list) || !write_list(b, list)) return LH_EXIT_FAILED;
    for (int i = 0; i < b->n_files; i++) {
        const lh_book_file *f = &b->file[i];
        char *path = lh_printf(b->arena, "%s/%s", options.out, f->name);
        if (!lh_cli_write_file(b->cli, path, f->text, f->length)) return LH_EXIT_FAILED;
    }
    remove_old(b, list);
    write_list(b, "");
    fprintf(stderr, "%s/index.html   %d lesson%s\n", options.out, b->n_lessons,
            b->n_lessons == 1 ? "" : "s");
    if (!b->is_alive)
        fputs("the pages are not interactive: this longhand was built without the engine for "
              "browsers\n",
              stderr);
    return LH_EXIT_YES;
}

static int make_book(lh_book *b) {
    if (!make_lessons(b)) return LH_EXIT_FAILED;
    if (!lh_book_pages(b)) return lh_cli_report(b->cli);
    int status = write_files(b);
    if (status == LH_EXIT_YES && options.pdf) status = lh_book_pdf(b, options.out);
    return status;
}

static int book_run(lh_cli *cli, int argc, char **argv) {
    (void)argc, (void)argv;
    if (!options.out) {
        lh_cli_fail(cli, "book needs a folder to write to");
        fputs("longhand book -o DIR\n", stderr);
        return LH_EXIT_FAILED;
    }
    lh_book b = {.cli = cli, .arena = cli->arena, .is_alive = lh_embedded_find("engine.js")};
    return make_book(&b);
}

int lh_book_write(lh_cli *cli, const char *folder) {
    options.out = folder;
    return book_run(cli, 0, NULL);
}

const lh_command lh_command_book = {
    .name = "book",
    .synopsis = "-o DIR [--pdf] [--only LESSONS]",
    .summary = "The whole course as pages for a browser, and as one PDF.",
    .examples = "longhand book -o course\tthen open course/index.html\n"
                "longhand book -o course --pdf\tcourse/book.pdf as well\n"
                "longhand book -o mine --only my-lesson.md\ta lesson of your own\n",
    .notes = "The pages need no server and no network; they are light or dark, can be searched and "
             "printed. The PDF is printed by Chromium, which has to be installed. Other files in "
             "the folder are not touched.",
    .options = book_options,
    .run = book_run,
    .min_args = 0,
    .max_args = 0,
};
