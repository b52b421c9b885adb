/* command_read -- longhand read [LESSON]: the course on the screen, and where one stopped. */
#include "cli/read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/keep.h"
#include "cli/pager.h"

extern const lh_command lh_command_exercise;

static struct {
    int width;
    bool contents, no_pager;
} options;

static const lh_option read_options[] = {
    {"contents", 'c', LH_OPTION_FLAG, &options.contents, NULL,
     "the course by parts, and what you have read", 0, 0},
    {"width", 0, LH_OPTION_INT, &options.width, "N", "width in columns (the screen's)", 40, 400},
    {"no-pager", 0, LH_OPTION_FLAG, &options.no_pager, NULL, "all of it at once", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- where one stopped ---- */

static void save_place(lh_cli *cli, const char *lesson, int piece, bool is_finished) {
    lh_keeper k;
    if (!lh_keep_open(cli, &k)) return;
    lh_read r = {lesson, piece, is_finished, (long long)time(NULL)};
    if (!k.store->read(k.store, &r))
        fprintf(stderr, "progress is not saved: %s\n", k.store->problem);
    lh_keep_close(&k);
}

/* ---- without a pager ---- */

static int print_lesson(lh_cli *cli, const char *lesson, int width) {
    lh_reading r;
    if (!lh_reading_open(cli, lesson, &r)) return LH_EXIT_FAILED;
    lh_read_lines lines;
    int status = LH_EXIT_YES;
    r.is_code_whole = true;
    if (lh_read_layout(&r, r.arena, width, &lines))
        for (int i = 0; i < lines.layout->n_lines; i++)
            fprintf(cli->out, "%s\n", lines.layout->line[i]);
    else
        status = lh_reading_report(&r);
    lh_reading_close(&r);
    return status;
}

static int print_contents(lh_cli *cli, const lh_course *c, const lh_places *p, int width) {
    lh_listing list = lh_listing_lines(cli, cli->arena, c, p->read, p->n, width);
    for (int i = 0; i < list.n_lines; i++) fprintf(cli->out, "%s\n", list.line[i]);
    fputs("\n  \u2713 read   \u25b8 begun        longhand read continues\n", cli->out);
    return LH_EXIT_YES;
}

/* ---- with one ---- */

typedef struct book {
    lh_cli *cli;
    lh_terminal *terminal;
    lh_course course;
    const char *lesson; /* the one that is open; NULL: the contents */
    int piece;          /* where in it; -1: where it was left */
} book;

static int screen_columns(const book *b) {
    int rows, columns;
    lh_terminal_size(b->terminal, &rows, &columns);
    return options.width && options.width < columns ? options.width : columns;
}

static int piece_at(const lh_read_lines *l, int line) {
    int piece = 0;
    while (piece + 1 < l->n_pieces && l->first[piece + 1] <= line) piece++;
    return piece;
}

/* The number of an exercise that is on the screen, from 1; 0: there is none. */
static int exercise_at(const lh_reading *r, const lh_read_lines *l, int top, int bottom) {
    int i = 0;
    for (const lh_piece *p = r->page->piece; p && i < l->n_pieces; p = p->next, i++) {
        if (p->kind != LH_PIECE_BLOCK || l->first[i] < top || l->first[i] >= bottom) continue;
        const lh_lesson_block *b = &r->lesson->block[p->number];
        if (b->kind == LH_BLOCK_EXERCISE) return r->lesson->exercise[b->first].number;
    }
    return 0;
}

/* The exercises at the prompt, on the screen of the shell; then back to the page. Without one on the screen, the first that is not done.
 * What the page should say next, or NULL. */
static const char *do_exercise(book *b, const lh_reading *r, const lh_read_lines *l, int top) {
    int rows, columns;
    if (!r->lesson->n_exercises) return "this lesson has no exercises";
    lh_terminal_size(b->terminal, &rows, &columns);
    int number = exercise_at(r, l, top, top + rows - 1);
    char *words[] = {lh_printf(b->cli->arena, "%s", r->name),
                     lh_printf(b->cli->arena, "%d", number)};
    lh_terminal_close(b->terminal);
    lh_command_exercise.run(b->cli, number ? 2 : 1, words);
    fflush(stdout);
    b->terminal = lh_terminal_open();
    return "back in the lesson";
}

/* Reads until another lesson, the contents or the end is wanted. */
static lh_pager_end read_lines(book *b, lh_reading *r) {
    const char *message = NULL;
    while (b->terminal) {
        lh_arena *a = lh_arena_new(b->cli->ctx);
        lh_read_lines lines;
        if (!a || !lh_read_layout(r, a, screen_columns(b), &lines)) {
            lh_arena_free(a);
            return LH_PAGER_QUIT;
        }
        const char *slash = strrchr(r->name, '/');
        bool is_known = b->piece > 0 && b->piece < lines.n_pieces;
        lh_pager p = {.terminal = b->terminal,
                      .arena = a,
                      .line = lines.layout->line,
                      .n_lines = lines.layout->n_lines,
                      .top = is_known ? lines.first[b->piece] : 0,
                      .message = message,
                      .title = lh_printf(a, "%s   %s", slash ? slash + 1 : r->name, r->title)};
        lh_pager_end end = lh_pager_read(&p);
        b->piece = piece_at(&lines, p.top);
        message = end == LH_PAGER_EXERCISE ? do_exercise(b, r, &lines, p.top) : NULL;
        if (end == LH_PAGER_EXERCISE) end = LH_PAGER_AGAIN;
        if (end != LH_PAGER_AGAIN) save_place(b->cli, r->name, b->piece, p.has_seen_end);
        lh_arena_free(a);
        if (end != LH_PAGER_AGAIN) return end;
    }
    return LH_PAGER_QUIT;
}

static lh_pager_end read_lesson(book *b) {
    lh_reading r;
    if (b->piece < 0) {
        lh_places p = lh_places_load(b->cli);
        const lh_read *was = lh_read_find(p.read, p.n, b->lesson);
        b->piece = was && !was->is_finished ? was->piece : 0;
    }
    if (!lh_reading_open(b->cli, b->lesson, &r)) return LH_PAGER_QUIT;
    lh_pager_end end = read_lines(b, &r);
    if (lh_failed(b->cli->ctx)) lh_reading_report(&r);
    lh_reading_close(&r);
    return end;
}

static lh_pager_end read_list(book *b, const char *now) {
    for (;;) {
        lh_arena *a = lh_arena_new(b->cli->ctx);
        if (!a) return LH_PAGER_QUIT;
        lh_places at = lh_places_load(b->cli);
        lh_listing c = lh_listing_lines(b->cli, a, &b->course, at.read, at.n, screen_columns(b));
        bool *choice = lh_alloc_array(a, (size_t)c.n_lines + 1, sizeof *choice);
        lh_pager p = {.terminal = b->terminal,
                      .arena = a,
                      .line = c.line,
                      .n_lines = c.n_lines,
                      .title = "Contents",
                      .choice = choice,
                      .chosen = -1};
        for (int i = 0; choice && i < c.n_lines; i++) {
            choice[i] = c.name[i] != NULL;
            if (choice[i] && (p.chosen < 0 || (now && strcmp(c.name[i], now) == 0))) p.chosen = i;
        }
        p.top = p.chosen > 8 ? p.chosen - 8 : 0;
        lh_pager_end end = choice && c.n_lines ? lh_pager_read(&p) : LH_PAGER_QUIT;
        if (end == LH_PAGER_CHOSEN)
            b->lesson = lh_copy(b->cli->arena, c.name[p.chosen], strlen(c.name[p.chosen]));
        lh_arena_free(a);
        if (end != LH_PAGER_AGAIN) return end;
    }
}

/* Another lesson of the course; of a file, or at an end, the same once more. */
static void turn_page(book *b, int step) {
    int at = lh_course_find(&b->course, b->lesson);
    if (at < 0 || at + step < 0 || at + step >= b->course.n_listed) return;
    b->lesson = b->course.entry[at + step].name;
    b->piece = -1;
}

static int read_course(book *b) {
    for (;;) {
        const char *now = b->lesson;
        lh_pager_end end = now ? read_lesson(b) : read_list(b, NULL);
        if (end == LH_PAGER_CONTENTS) end = read_list(b, now);
        if (end == LH_PAGER_CHOSEN) b->piece = -1;
        if (end == LH_PAGER_NEXT && b->lesson) turn_page(b, 1);
        if (end == LH_PAGER_PREVIOUS && b->lesson) turn_page(b, -1);
        if (end == LH_PAGER_QUIT) return lh_failed(b->cli->ctx) ? LH_EXIT_FAILED : LH_EXIT_YES;
    }
}

static int read_run(lh_cli *cli, int argc, char **argv) {
    lh_course course = lh_course_read(cli->ctx, cli->arena);
    lh_places at = lh_places_load(cli);
    int width = options.width ? options.width : cli->width;
    const char *lesson = argc ? argv[0] : options.contents ? NULL : lh_places_next(&course, &at);
    bool is_paged = cli->is_terminal && !options.no_pager;
    if (argc && options.contents)
        return lh_cli_fail(cli, "--contents lists all lessons; leave out %s", argv[0]);
    if (!is_paged && !lesson) return print_contents(cli, &course, &at, width);
    if (!is_paged) return print_lesson(cli, lesson, width);
    if (lesson) { /* what is wrong with it is said on the screen that stays */
        lh_reading r;
        if (!lh_reading_open(cli, lesson, &r)) return LH_EXIT_FAILED;
        lh_reading_close(&r);
    }
    book b = {.cli = cli,
              .terminal = lh_terminal_open(),
              .course = course,
              .lesson = lesson,
              .piece = -1};
    if (!b.terminal)
        return lesson ? print_lesson(cli, lesson, width) : print_contents(cli, &course, &at, width);
    int status = read_course(&b);
    lh_terminal_close(b.terminal);
    return status;
}

const lh_command lh_command_read = {
    .name = "read",
    .synopsis = "[LESSON|FILE] [options]",
    .summary = "A lesson of the course on the screen, with its numbers in place.",
    .examples = "longhand read\tcontinue where you stopped\n"
                "longhand read ex1\ta lesson\n"
                "longhand read --contents\tthe course by parts, and what you have read\n"
                "longhand read my-lesson.md\ta lesson of your own\n"
                "longhand read ex1 --width 60 | lpr\tplain lines\n",
    .notes =
        "Keys: space and b a screen forward and back, j and k a line, g and G the ends, / to "
        "search and n for the next match, ] and [ the next lesson and the one before, c the "
        "contents, e the exercises, h all keys, q quit. Without a terminal the whole lesson is "
        "written. Where you stopped is saved with your progress (longhand progress).",
    .options = read_options,
    .run = read_run,
    .min_args = 0,
    .max_args = 1,
};
