/* load -- lessons and models that travel inside the program, and files of the user's. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/keep.h"
#include "files/folder.h"
#include "files/gguf.h"
#include "files/replace.h"
#include "graph/build.h"
#include "learn/chosen.h"
#include "learn/contents.h"
#include "learn/exercise.h"
#include "learn/lesson.h"

char *lh_cli_read_file(lh_cli *cli, const char *path, size_t *length) {
    return lh_file_read(cli->ctx, cli->arena, path, length);
}

bool lh_cli_is_svg(lh_cli *cli, const char *path) {
    static const char *const other[] = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".eps"};
    const char *end = path ? strrchr(path, '.') : NULL;
    for (size_t i = 0; end && i < sizeof other / sizeof *other; i++)
        if (strcasecmp(end, other[i]) == 0) {
            lh_cli_fail(cli, "-o %s: drawings are written as SVG, not as %s", path, end + 1);
            fprintf(stderr, "-o %.*s.svg; browsers and most editors open it\n", (int)(end - path),
                    path);
            return false;
        }
    return true;
}

bool lh_cli_write_file(lh_cli *cli, const char *path, const char *text, size_t length) {
    if (lh_replace_output(cli->ctx, cli->arena, path, text, length)) return true;
    lh_cli_report(cli);
    lh_context_clear(cli->ctx);
    return false;
}

/* lessons/ex1.md and models/gpt.lh by their short names. */
static const lh_embedded *find_short(lh_cli *cli, const char *name) {
    const lh_embedded *e = lh_embedded_find(lh_printf(cli->arena, "lessons/%s.md", name));
    if (!e) e = lh_embedded_find(lh_printf(cli->arena, "models/%s.lh", name));
    return e ? e : lh_embedded_find(name);
}

static char *short_name(lh_cli *cli, const char *path) {
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path,
               *dot = strrchr(start, '.');
    return lh_copy(cli->arena, start, dot ? (size_t)(dot - start) : strlen(start));
}

static bool is_in(const lh_embedded *e, const char *folder) {
    const char *dot = strrchr(e->name, '.');
    return strncmp(e->name, folder, strlen(folder)) == 0 && dot && strcmp(dot, ".txt") != 0;
}

static bool is_lesson(const lh_embedded *e) {
    return is_in(e, "lessons/") || is_in(e, "models/");
}

/* attention:bag where there is atention:bag: the name behind the colon stays as it was written. */
static int fail_lesson(lh_cli *cli, const char *name) {
    const char *known[256];
    int n = 0;
    size_t length = strlen(name);
    const char *program = lh_chosen_name(name, &length);
    const char *lesson = lh_copy(cli->arena, name, length);
    for (int i = 0; i < lh_n_embedded_files && n < 256; i++)
        if (is_lesson(&lh_embedded_files[i]))
            known[n++] = short_name(cli, lh_embedded_files[i].name);
    if (strcmp(name, "-") == 0) {
        lh_cli_fail(cli, "-: a program is not read from standard input");
        fprintf(stderr, "save it in a file: longhand run mine.lh\n");
        return LH_EXIT_FAILED;
    }
    const char *near = lh_nearest(lesson, known, n);
    int status = lh_cli_fail(cli, "%s is neither a lesson nor a file", lesson);
    if (near)
        fprintf(stderr, "did you mean %s%s%s?  ", near, program ? ":" : "", program ? program : "");
    fprintf(stderr, "`longhand help lessons` lists the lessons\n");
    return status;
}

/* Files that a program names lie beside it, or where --files says. */
typedef struct reader {
    lh_cli *cli;
    const char *folder; /* ends in /, or "" */
} reader;

static void read_for_program(void *who, lh_context *ctx, lh_arena *arena, const char *path,
                             const char **text, size_t *length) {
    const reader *r = who;
    const lh_names *allowed = &r->cli->files;
    *text = lh_file_read_within(ctx, arena, &(lh_file_reach){r->folder, allowed->name, allowed->n},
                                path, length);
    if (!*text)
        lh_cure(ctx, "files are read from the program's folder; --files FOLDER allows another");
}

static bool is_there(lh_cli *cli, const char *lesson) {
    return access(lesson, F_OK) == 0 || find_short(cli, lesson);
}

bool lh_cli_is_lesson(lh_cli *cli, const char *word) {
    const char *end = strrchr(word, '.');
    return find_short(cli, word) ||
           (end && (strcmp(end, ".md") == 0 || strcmp(end, ".lh") == 0) && access(word, F_OK) == 0);
}

/* A model where its program is meant: `cost`, `run` and `check` read text. */
static void refuse_folder(lh_cli *cli, const char *path) {
    const bool is_file = lh_gguf_is(path);
    lh_cli_fail(cli, "%s is a %s, but a lesson or a program is needed here", path,
                is_file ? "file with a model" : "folder");
    if (is_file || lh_folder_holds_model(path))
        fprintf(stderr, "longhand program %s -o mine.lh writes the program of its model\n",
                lh_shell_word(cli->arena, path));
}

/* The text of a lesson, and where files that it names lie. */
static bool open_text(lh_cli *cli, const char *lesson, lh_source *s) {
    const lh_embedded *e =
        access(lesson, F_OK) == 0 && strpbrk(lesson, "./") ? NULL : find_short(cli, lesson);
    *s = (lh_source){.name = lesson, .file = lesson};
    if (e) {
        s->name = short_name(cli, e->name);
        s->file = e->name;
        s->text = e->text;
        s->length = e->length;
    } else if (lh_folder_is(lesson)) {
        refuse_folder(cli, lesson);
        return false;
    } else if (access(lesson, F_OK) == 0) {
        s->text = lh_cli_read_file(cli, lesson, &s->length);
    } else {
        fail_lesson(cli, lesson);
        return false;
    }
    const char *slash = strrchr(lesson, '/');
    reader *r = lh_alloc(cli->arena, sizeof *r);
    *r =
        (reader){cli, slash && !e ? lh_copy(cli->arena, lesson, (size_t)(slash - lesson) + 1) : ""};
    cli->ctx->read_file = read_for_program;
    cli->ctx->read_file_who = r;
    if (s->text && !lh_failed(cli->ctx)) return true;
    lh_cli_report(cli);
    return false;
}

bool lh_cli_find(lh_cli *cli, const char *lesson, lh_source *s) {
    size_t n;
    const char *program = is_there(cli, lesson) ? NULL : lh_chosen_name(lesson, &n),
               *whole = program ? lh_copy(cli->arena, lesson, n) : NULL;
    if (!whole || !is_there(cli, whole)) return open_text(cli, lesson, s);
    lh_cli_fail(cli, "%s is one program, but a whole lesson is needed here: %s", lesson, whole);
    fprintf(stderr, "longhand program %s shows the program\n", lh_shell_word(cli->arena, lesson));
    return false;
}

/* A lesson that another names lies inside the program, or beside the other. */
static bool find_beside(void *who, const char *name, lh_found *out) {
    const reader *r = who;
    if (lh_lesson_find(NULL, name, out)) return true;
    if (strchr(name, '/')) return false;
    for (int i = 0; i < 2; i++) {
        char *path = lh_printf(r->cli->arena, "%s%s%s", r->folder, name, i ? ".lh" : ".md");
        if (access(path, R_OK) != 0) continue;
        *out = (lh_found){.file = path};
        out->text = lh_file_read_plain(r->cli->ctx, r->cli->arena, path, &out->length);
        return out->text != NULL;
    }
    return false;
}

lh_finder lh_cli_finder(lh_cli *cli) {
    return (lh_finder){find_beside, cli->ctx->read_file_who};
}

/* LESSON, or LESSON:NAME where there is no file of that whole name. */
bool lh_cli_load(lh_cli *cli, const char *lesson, lh_source *s) {
    size_t n = strlen(lesson);
    const char *program = is_there(cli, lesson) ? NULL : lh_chosen_name(lesson, &n);
    if (program && !is_there(cli, lh_copy(cli->arena, lesson, n))) {
        fail_lesson(cli, lesson);
        return false;
    }
    if (!open_text(cli, lh_copy(cli->arena, lesson, n), s)) return false;
    lh_found found = {s->file, s->text, s->length};
    lh_finder finder = lh_cli_finder(cli);
    lh_chosen chosen;
    s->title = lh_lesson_title(cli->arena, s->file, s->text, s->length);
    if (!lh_chosen_open(cli->ctx, cli->arena, &found, program, &finder, &chosen)) {
        lh_cli_report(cli);
        return false;
    }
    lh_cli_warn(cli, s->file, s->text, s->length);
    s->program = chosen.program;
    s->use = chosen.use;
    s->chosen = program;
    if (program) s->name = lh_printf(cli->arena, "%s:%s", s->name, program);
    return true;
}

bool lh_cli_is_plain(lh_cli *cli, const lh_source *s) {
    if (!s->use) return true;
    lh_cli_fail(cli, "an unchanged program is needed here, but %s has settings: %s", s->name,
                lh_chosen_options(cli->arena, s->use));
    fprintf(stderr, "longhand program %s -o mine.lh writes it to a file, to be changed there\n",
            lh_shell_word(cli->arena, s->name));
    return false;
}

lh_build lh_cli_build(const lh_settings *set, const lh_names *train, const lh_names *freeze) {
    return (lh_build){.set = set->set,
                      .n_set = set->n,
                      .train = train->name,
                      .n_train = train->n,
                      .freeze = freeze->name,
                      .n_freeze = freeze->n};
}

/* The rewrites of a mistake come from the graph without it. */
static bool make_mistake(lh_cli *cli, const lh_source *s, const char *mistake, lh_build *how) {
    lh_made made;
    lh_graph *plain = lh_graph_build(cli->ctx, s->program, how);
    bool ok = plain && lh_mistake_make(plain, mistake, cli->arena, &made);
    lh_graph_free(plain);
    if (!ok) {
        lh_fail_in(cli->ctx, s->program->file, s->program->source, s->program->length);
        lh_cli_report(cli);
        return false;
    }
    lh_rewrite *rewrite = lh_alloc(cli->arena, sizeof made.how.rewrite);
    memcpy(rewrite, made.how.rewrite, sizeof made.how.rewrite);
    how->rewrite = rewrite;
    how->n_rewrites = made.how.n_rewrites;
    lh_mistakes_free(cli->rules);
    cli->rules = made.rules;
    return true;
}

bool lh_cli_how(lh_cli *cli, const lh_source *s, const lh_build *more, const char *mistake,
                lh_build *how) {
    *how = lh_chosen_build(cli->arena, s->use, more);
    if (!mistake && s->use) mistake = s->use->mistake;
    return !mistake || make_mistake(cli, s, mistake, how);
}

lh_graph *lh_cli_graph(lh_cli *cli, const lh_source *s, const lh_build *more) {
    lh_build how;
    if (!lh_cli_how(cli, s, more, NULL, &how)) return NULL;
    lh_graph *g = lh_graph_build(cli->ctx, s->program, &how);
    if (!g) lh_cli_report(cli);
    return g;
}

static int by_short_name(const void *a, const void *b) {
    const char *x = (*(const lh_embedded *const *)a)->name,
               *y = (*(const lh_embedded *const *)b)->name;
    /* ex2 before ex2-partial: the ending does not count */
    size_t n = strcspn(x, "."), m = strcspn(y, ".");
    int order = strncmp(x, y, n < m ? n : m);
    return order ? order : n < m ? -1 : n > m;
}

static int width_of(lh_cli *cli, const lh_embedded *const *list, int n) {
    int width = 12;
    for (int i = 0; i < n; i++) {
        int w = lh_columns(short_name(cli, list[i]->name));
        if (w > width) width = w;
    }
    return width;
}

static void list_line(lh_cli *cli, FILE *out, const lh_embedded *e, int width) {
    const char *name = short_name(cli, e->name);
    lh_standing at = lh_keep_standing(cli, name);
    const char *sign = lh_standing_sign(at);
    if (*sign == ' ') sign = lh_keep_read_sign(cli, name);
    fprintf(out, "  %s ", sign);
    lh_ink_print(cli, out, LH_INK_NAME, "%-*s", width, name);
    const char *title = lh_lesson_title(cli->arena, e->name, e->text, e->length);
    int used = lh_columns(title), column = used > 40 ? used : 40;
    int exercises = lh_exercise_count(e->text, e->length);
    const char *done = lh_standing_text(cli, at, name, exercises, cli->width - width - 5 - column);
    fputc(' ', out);
    if (*done)
        fprintf(out, "%s%*s%s\n", title, column - used, "", done);
    else
        lh_wrap(out, cli->width, width + 5, title);
}

/* The parts of the course in order; a lesson that is not written yet is passed over. */
static void list_course(lh_cli *cli, FILE *out) {
    lh_contents *c = lh_contents_read(cli->ctx, cli->arena);
    const lh_embedded *list[256] = {0};
    int n = 0;
    for (int i = 0; i < c->n && n < 256; i++)
        if (c->item[i].file) list[n++] = c->item[i].file;
    int width = width_of(cli, list, n);
    const char *part = "";
    for (int i = 0; i < c->n; i++) {
        if (!c->item[i].file) continue;
        if (strcmp(c->item[i].part, part) != 0)
            fprintf(out, "%s  %s\n", *part ? "\n" : "", c->item[i].part);
        part = c->item[i].part;
        list_line(cli, out, c->item[i].file, width);
    }
}

static void list_models(lh_cli *cli, FILE *out) {
    const lh_embedded *list[256] = {0};
    int n = 0;
    for (int i = 0; i < lh_n_embedded_files && n < 256; i++)
        if (strncmp(lh_embedded_files[i].name, "models/", 7) == 0)
            list[n++] = &lh_embedded_files[i];
    qsort(list, (size_t)n, sizeof(const lh_embedded *), by_short_name);
    int width = width_of(cli, list, n);
    fprintf(out, "  Models and demonstrations\n");
    for (int i = 0; i < n; i++) list_line(cli, out, list[i], width);
}

void lh_cli_list_part(lh_cli *cli, FILE *out, const char *part) {
    const lh_contents *c = lh_contents_read(cli->ctx, cli->arena);
    const lh_embedded *list[256] = {0};
    int n = 0;
    for (int i = 0; i < c->n && n < 256; i++)
        if (c->item[i].file && strcmp(c->item[i].part, part) == 0) list[n++] = c->item[i].file;
    int width = width_of(cli, list, n);
    for (int i = 0; i < n; i++) list_line(cli, out, list[i], width);
}

void lh_cli_list(lh_cli *cli, FILE *out) {
    list_course(cli, out);
    fputc('\n', out);
    list_models(cli, out);
}
