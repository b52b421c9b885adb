/* welcome -- longhand alone: where the learner is in the course, and how to go on, on one screen. */
#include <string.h>

#include "base/embedded.h"
#include "cli/keep.h"
#include "cli/read.h"
#include "learn/contents.h"

typedef struct visit {
    lh_cli *cli;
    lh_contents *contents;
    lh_course course;
    lh_places places;
    const char *lesson; /* to go on with */
    bool is_sheet;      /* with its worksheet, not its text */
} visit;

/* What was done last decides: a sheet that waits, or the page that was read. */
static void find_next(visit *v) {
    long long practised;
    const char *sheet = lh_keep_begun(v->cli, &practised);
    v->lesson = lh_places_next(&v->course, &v->places);
    if (!sheet || (v->places.n && v->places.read[0].time > practised)) return;
    v->lesson = sheet;
    v->is_sheet = true;
}

static const char *part_of(const visit *v, const char *lesson) {
    size_t n = lesson ? strcspn(lesson, ":") : 0; /* attention:dots is a program of attention */
    const lh_contents_item *i =
        n ? lh_contents_find(v->contents, lh_copy(v->cli->arena, lesson, n)) : NULL;
    return i ? i->part : v->contents->n ? v->contents->item[0].part : "";
}

/* A part in one line: how many lessons it has, how many of them were read. */
static void print_closed(const visit *v, const char *part) {
    int n = 0, done = 0;
    for (int i = 0; i < v->contents->n; i++) {
        const lh_contents_item *x = &v->contents->item[i];
        if (!x->file || strcmp(x->part, part) != 0) continue;
        const lh_read *r = lh_read_find(v->places.read, v->places.n, x->name);
        n++;
        done += r && r->is_finished;
    }
    printf("  %-30s %2d lesson%s", part, n, n == 1 ? " " : "s");
    if (done) printf(", %d read", done);
    putchar('\n');
}

static void print_parts(const visit *v) {
    const char *open = part_of(v, v->lesson), *part = "";
    for (int i = 0; i < v->contents->n; i++) {
        const lh_contents_item *x = &v->contents->item[i];
        if (!x->file || strcmp(x->part, part) == 0) continue;
        part = x->part;
        if (strcmp(part, open) != 0) {
            print_closed(v, part);
            continue;
        }
        lh_ink_print(v->cli, stdout, LH_INK_BOLD, "  %s\n", part);
        lh_cli_list_part(v->cli, stdout, part);
    }
}

static int count_models(void) {
    int n = 0;
    for (int i = 0; i < lh_n_embedded_files; i++)
        n += strncmp(lh_embedded_files[i].name, "models/", 7) == 0;
    return n;
}

static void print_next(const visit *v) {
    bool is_first = !v->is_sheet && v->places.n == 0;
    printf("  %s: ", is_first ? "begin with" : "continue with");
    lh_ink_print(v->cli, stdout, LH_INK_NAME, "longhand %s %s", v->is_sheet ? "practice" : "read",
                 v->lesson ? lh_shell_word(v->cli->arena, v->lesson) : "");
    putchar('\n');
}

int lh_cli_welcome(lh_cli *cli) {
    visit v = {.cli = cli,
               .contents = lh_contents_read(cli->ctx, cli->arena),
               .course = lh_course_read(cli->ctx, cli->arena),
               .places = lh_places_load(cli)};
    find_next(&v);
    lh_cli_heading(cli, "Longhand", "transformers, worked out by hand and at full speed");
    putchar('\n');
    print_parts(&v);
    printf("  %-30s %2d\n\n", "Models and demonstrations", count_models());
    print_next(&v);
    const bool is_wide = cli->width >= 70;
    printf("  all of them by name: longhand help lessons%shelp: longhand --help\n",
           is_wide ? "    " : "\n  ");
    return lh_failed(cli->ctx) ? lh_cli_report(cli) : LH_EXIT_YES;
}
