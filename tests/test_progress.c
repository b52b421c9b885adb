/* progress: when a step comes back, what is counted, and a store that loses nothing: two writers, kill -9 at any moment, a
 * disk without room, a damaged file. Without SQLite the tests of the file pass at once. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files/store.h"

enum { KILLS = 60, WRITES = 60, DAY = 86400 };

/* ---- repeating ---- */

static void days_begin_at_midnight_where_the_learner_is(void **state) {
    (void)state;
    assert_int_equal(lh_day(0, 0), 0);
    assert_int_equal(lh_day(DAY - 1, 0), 0);
    assert_int_equal(lh_day(DAY, 0), 1);
    assert_int_equal(lh_day(DAY - 3600, 3600), 1);
    assert_int_equal(lh_day(1800, -3600), -1);
    assert_int_equal(lh_day(-1, 0), -1);
    assert_int_equal(lh_day(-DAY, 0), -1);
}

/* One attempt after another, each on its day: what becomes of the step. */
typedef struct turn {
    int day;
    char what; /* r right, w wrong, a right with the answer seen, p partly */
    unsigned long long seed;
    int stage; /* afterwards; -1: not in the list */
    int due;
} turn;

static const turn plain[] = {
    {100, 'r', 0, -1, 0},  {100, 'p', 0, -1, 0},  {100, 'w', 0, 0, 101}, {101, 'r', 1, 1, 104},
    {104, 'r', 2, 2, 111}, {111, 'r', 3, 3, 125}, {125, 'r', 4, -1, 0}, /* learned */
    {126, 'r', 5, -1, 0},  {130, 'w', 6, 0, 131},                       /* and forgotten */
};
static const turn careless[] = {
    {10, 'w', 0, 0, 11}, {10, 'r', 0, 0, 11}, /* corrected at once: it still comes back */
    {10, 'r', 1, 0, 11},                      /* before its day */
    {11, 'r', 0, 0, 11},                      /* on its day, in the same numbers */
    {11, 'p', 1, 0, 11}, {11, 'r', 1, 1, 14}, {13, 'r', 2, 1, 14}, /* too early */
    {30, 'r', 2, 2, 37},                      /* late is fine; the next interval counts from then */
    {37, 'w', 3, 0, 38},                      /* back to the first */
    {38, 'w', 4, 0, 39}, {39, 'a', 5, 0, 40}, /* with the answer on the table */
    {40, 'r', 6, 1, 43},
};
static const turn helped[] = {{5, 'a', 0, 0, 6}, {6, 'r', 1, 1, 9}};

static lh_attempt attempt_of(const turn *t) {
    return (lh_attempt){.time = (long long)t->day * DAY + 43200,
                        .lesson = "ex1",
                        .seed = t->seed,
                        .digits = 4,
                        .step = "Z",
                        .raw = "1",
                        .verdict = "",
                        .mistake = t->what == 'w' ? "unscaled scaled_by_dk" : "",
                        .hints = t->what == 'a' ? LH_HINTS : 0,
                        .is_right = t->what == 'r' || t->what == 'a',
                        .is_wrong = t->what == 'w'};
}

static void check_turns(const turn *t, int n) {
    lh_context *ctx = lh_context_new();
    lh_store *s = lh_store_memory(ctx);
    for (int i = 0; i < n; i++) {
        lh_arena *a = lh_arena_new(ctx);
        lh_attempt x = attempt_of(&t[i]);
        assert_true(s->record(s, &x, NULL));
        lh_progress *p = lh_progress_new(a, s, 0);
        assert_int_equal(p->n_attempts, i + 1);
        if (p->n_repeats != (t[i].stage >= 0)) fail_msg("turn %d: %d in the list", i, p->n_repeats);
        if (t[i].stage >= 0 && (p->repeat[0].stage != t[i].stage || p->repeat[0].due != t[i].due))
            fail_msg("turn %d: stage %d, due %lld; not stage %d, due %d", i, p->repeat[0].stage,
                     p->repeat[0].due, t[i].stage, t[i].due);
        lh_arena_free(a);
    }
    s->close(s);
    lh_context_free(ctx);
}

static void steps_come_back_on_their_days(void **state) {
    (void)state;
    check_turns(plain, (int)(sizeof plain / sizeof *plain));
    check_turns(careless, (int)(sizeof careless / sizeof *careless));
    check_turns(helped, (int)(sizeof helped / sizeof *helped));
}

/* ---- the summary ---- */

static void add(lh_store *s, const char *lesson, const char *step, char what, int day,
                const char *mistake) {
    turn t = {day, what, 0, 0, 0};
    lh_attempt a = attempt_of(&t);
    a.lesson = lesson;
    a.step = step;
    a.mistake = mistake;
    assert_true(s->record(s, &a, NULL));
}

static void the_summary_counts_steps_and_mistakes(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_store *s = lh_store_memory(ctx);
    add(s, "ex1", "X", 'r', 1, "");
    add(s, "ex1", "Q", 'r', 1, "");
    add(s, "ex1", "Q", 'r', 1, "");
    add(s, "ex1", "Z", 'w', 1, "unscaled");
    add(s, "ex1", "Z", 'r', 1, "");
    add(s, "ex1", "P", 'a', 2, "");
    add(s, "ex1", "H", 'p', 2, "");
    add(s, "ex2", "Z", 'w', 0, "slip");
    add(s, "ex2", "Z", 'w', 0, "unscaled scaled_by_dk");
    lh_saved begun = {.lesson = "ex1", .digits = 4, .only = "", .at = "H", .total = 11, .time = 99};
    lh_saved done = {
        .lesson = "ex3", .digits = 4, .only = "", .at = "H", .total = 2, .is_finished = true};
    assert_true(s->record(s, NULL, &begun) && s->record(s, NULL, &done));
    lh_progress *p = lh_progress_new(a, s, 0);
    assert_int_equal(p->n_attempts, 9);
    assert_int_equal(p->n_lessons, 3);
    const lh_lesson_progress *l = lh_progress_lesson(p, "ex1");
    assert_int_equal(l->done, 4);
    assert_int_equal(l->mastered, 2); /* X and Q: Z and P are to be repeated */
    assert_int_equal(l->total, 11);
    assert_int_equal(l->attempts, 7);
    assert_non_null(l->begun);
    assert_null(lh_progress_lesson(p, "ex3")->begun);
    assert_null(lh_progress_lesson(p, "ex9"));
    assert_int_equal(p->n_mistakes, 2);
    assert_string_equal(p->mistake[0].mistake, "unscaled");
    assert_int_equal(p->mistake[0].n, 2);
    assert_int_equal(p->n_repeats, 3);
    assert_string_equal(p->repeat[0].lesson, "ex2"); /* the first due first */
    assert_string_equal(p->repeat[1].step, "Z");
    assert_string_equal(p->repeat[2].step, "P");
    s->close(s);
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void which_sheet_comes_next(void **state) {
    (void)state;
    const lh_saved list[] = {
        {.lesson = "ex1", .seed = 3, .digits = 4, .only = "Z"},
        {.lesson = "ex1", .seed = 1, .digits = 3, .only = ""},
        {.lesson = "ex1", .seed = 0, .digits = 4, .only = "", .is_finished = true},
        {.lesson = "ex2", .seed = 0, .digits = 4, .only = ""},
        {.lesson = "ex2", .seed = 7, .digits = 4, .only = ""},
    };
    assert_ptr_equal(lh_saved_find(list, 5, "ex1", "", -1, 0), &list[1]);
    assert_ptr_equal(lh_saved_find(list, 5, "ex1", "Z", -1, 0), &list[0]);
    assert_null(lh_saved_find(list, 5, "ex1", "", 0, 0)); /* finished */
    assert_null(lh_saved_find(list, 5, "ex1", "", -1, 4));
    assert_ptr_equal(lh_saved_find(list, 5, "ex2", "", -1, 0), &list[3]);
    assert_ptr_equal(lh_saved_find(list, 5, "ex2", "", 7, 0), &list[4]);
    assert_null(lh_saved_find(list, 0, "ex2", "", -1, 0));
    assert_int_equal(lh_saved_seed(list, 5, "ex1"), 2);
    assert_int_equal(lh_saved_seed(list, 5, "ex2"), 1);
    assert_int_equal(lh_saved_seed(list, 5, "ex3"), 0);
}

/* ---- the file ---- */

static char folder[512];

static bool is_built(void) {
    lh_store_trouble why;
    lh_store *s = lh_store_open("/nonexistent", &(lh_store_how){0}, &why);
    if (s) s->close(s);
    return why.state != LH_STORE_NOT_BUILT;
}

static void remove_folder(const char *path) {
    char command[700];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0); /* NOLINT: our own name, made by mkdtemp */
}

static int new_folder(void **state) {
    const char *tmp = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder - 8, "%s/longhand-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int end_folder(void **state) {
    (void)state;
    remove_folder(folder);
    return 0;
}

static lh_store *open_store(void) {
    lh_store_trouble why;
    lh_store *s = lh_store_open(folder, &(lh_store_how){.create = true, .check = true}, &why);
    if (!s) fail_msg("%s", why.what);
    return s;
}

typedef struct seen {
    long n, last[3]; /* how many; the highest of each writer */
    bool in_order;
    char raw[256], verdict[64];
} seen;

static void see(void *who, const lh_attempt *a) {
    seen *s = who;
    s->n++;
    size_t writer = (size_t)(a->seed % 3);
    if (a->time != s->last[writer] + 1) s->in_order = false;
    s->last[writer] = (long)a->time;
    snprintf(s->raw, sizeof s->raw, "%s", a->raw);
    snprintf(s->verdict, sizeof s->verdict, "%s", a->verdict);
}

static seen all_of(lh_store *s) {
    seen x = {.in_order = true};
    if (!s->attempts(s, see, &x)) fail_msg("%s", s->problem);
    return x;
}

/* Attempt number i of a writer: its time is its number. */
static bool append(lh_store *s, int writer, long i) {
    lh_attempt a = {.time = i,
                    .lesson = "ex1",
                    .seed = (unsigned long long)writer,
                    .digits = 4,
                    .step = "Z",
                    .raw = "0.1 0.2; 0.3 0.4",
                    .verdict = "right",
                    .mistake = "",
                    .is_right = true};
    lh_saved_step steps[] = {{"S", "1 2 3 4", 1, 0, false}, {"Z", "0.1 _ 0.3 0.4", 2, 1, false}};
    lh_saved sheet = {.lesson = "ex1",
                      .seed = (unsigned long long)writer,
                      .digits = 4,
                      .only = "",
                      .at = "Z",
                      .time = i,
                      .done = 1,
                      .total = 11,
                      .step = steps,
                      .n_steps = 2};
    return s->record(s, &a, &sheet);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    if (!is_built()) return;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_store *s = open_store();
    lh_attempt odd = {.time = 1,
                      .lesson = "it's \"q\"",
                      .seed = 18446744073709551615ull,
                      .step = "h[0].A",
                      .raw = "0,5\n\u2212; DROP TABLE attempt; --",
                      .verdict = "right"};
    assert_true(s->record(s, &odd, NULL));
    s->close(s);
    s = open_store();
    seen x = all_of(s);
    assert_int_equal(x.n, 1);
    assert_string_equal(x.raw, odd.raw);
    for (long i = 1; i <= 3; i++) assert_true(append(s, 1, i) && append(s, 2, i));
    assert_true(append(s, 1, 4));
    s->close(s);
    s = open_store();
    lh_saved *list;
    int n;
    assert_true(s->sessions(s, a, &list, &n));
    assert_int_equal(n, 2);
    assert_int_equal(list[0].seed, 1); /* the newest first */
    assert_int_equal(list[0].time, 4);
    assert_string_equal(list[0].at, "Z");
    assert_int_equal(list[0].total, 11);
    assert_true(s->load(s, a, &list[0]));
    assert_int_equal(list[0].n_steps, 2);
    assert_string_equal(list[0].step[1].step, "Z");
    assert_string_equal(list[0].step[1].cells, "0.1 _ 0.3 0.4");
    assert_int_equal(list[0].step[1].tries, 2);
    assert_int_equal(list[0].step[1].hints, 1);
    s->close(s);
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void only_the_owner_can_read_it(void **state) {
    (void)state;
    if (!is_built()) return;
    char file[700];
    struct stat st;
    size_t n = strlen(folder);
    memcpy(folder + n, "/a/b", 5); /* two that are not there yet */
    lh_store *s = open_store();
    s->close(s);
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    snprintf(file, sizeof file, "%s/progress.db", folder);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    folder[n] = 0;
}

static void where_it_lies(void **state) {
    (void)state;
    char path[LH_STORE_PATH], small[20];
    setenv("LONGHAND_DATA", "/d", 1);
    setenv("XDG_DATA_HOME", "/x", 1);
    setenv("HOME", "/h", 1);
    assert_true(lh_store_folder(path, sizeof path));
    assert_string_equal(path, "/d");
    unsetenv("LONGHAND_DATA");
    assert_true(lh_store_folder(path, sizeof path));
    assert_string_equal(path, "/x/longhand");
    setenv("XDG_DATA_HOME", "relative", 1); /* the standard says: ignore it */
    assert_true(lh_store_folder(path, sizeof path));
    assert_string_equal(path, "/h/.local/share/longhand");
    assert_false(lh_store_folder(small, sizeof small));
    unsetenv("HOME");
    assert_false(lh_store_folder(path, sizeof path));
}

static void nothing_is_made_by_looking(void **state) {
    (void)state;
    if (!is_built()) return;
    char file[700];
    lh_store_trouble why;
    snprintf(file, sizeof file, "%s/progress.db", folder);
    assert_null(lh_store_open(folder, &(lh_store_how){0}, &why));
    assert_int_equal(why.state, LH_STORE_NONE);
    assert_int_not_equal(access(file, F_OK), 0);
}

static void a_folder_that_cannot_be(void **state) {
    (void)state;
    if (!is_built()) return;
    char path[600];
    lh_store_trouble why;
    snprintf(path, sizeof path, "%s/file", folder);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_null(lh_store_open(path, &(lh_store_how){.create = true}, &why));
    assert_int_equal(why.state, LH_STORE_REFUSED);
    assert_non_null(strstr(why.what, "file"));
}

static void two_writers_at_once(void **state) {
    (void)state;
    if (!is_built()) return;
    pid_t child[2];
    for (int w = 0; w < 2; w++) {
        child[w] = fork();
        assert_true(child[w] >= 0);
        if (child[w]) continue;
        lh_store_trouble why;
        lh_store *s = lh_store_open(folder, &(lh_store_how){.create = true}, &why);
        bool ok = s != NULL;
        for (long i = 1; ok && i <= WRITES; i++) ok = append(s, w, i);
        if (!ok) fprintf(stderr, "# %s\n", s ? s->problem : why.what);
        if (s) s->close(s);
        _exit(ok ? 0 : 1);
    }
    for (int w = 0; w < 2; w++) {
        int status;
        assert_int_equal(waitpid(child[w], &status, 0), child[w]);
        assert_int_equal(status, 0);
    }
    lh_store *s = open_store();
    seen x = all_of(s);
    assert_int_equal(x.n, 2 * WRITES);
    assert_true(x.in_order);
    s->close(s);
}

/* A child that appends without end and says each number once it is recorded. */
static pid_t start_writer(int *from, long first, rlim_t most) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        lh_store_trouble why;
        close(ends[0]);
        signal(SIGXFSZ, SIG_IGN);
        if (most) setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most});
        lh_store *s = lh_store_open(folder, &(lh_store_how){.create = true}, &why);
        long i = first;
        while (s && append(s, 0, i) && write(ends[1], &i, sizeof i) == sizeof i) i++;
        _exit(s && s->problem[0] ? 3 : 4);
    }
    close(ends[1]);
    *from = ends[0];
    return child;
}

static long last_said(int from, long before) {
    long i;
    while (read(from, &i, sizeof i) == sizeof i) before = i;
    close(from);
    return before;
}

/* Every second kill comes at once or after a pause of any length, while the file is being opened or written. The others
 * come after a few numbers were recorded, however long that takes: so it goes on whatever the machine does meanwhile. */
static void killed_at_any_moment(void **state) {
    (void)state;
    if (!is_built()) return;
    long said = 0, kept = 0;
    unsigned random = 12345;
    for (int k = 0; k < KILLS; k++) {
        int from, status;
        pid_t child = start_writer(&from, kept + 1, 0);
        for (int w = 0; k % 2 && w < 1 + k % 3; w++)
            assert_int_equal(read(from, &said, sizeof said), sizeof said);
        random = random * 1103515245u + 12345u;
        struct timespec pause = {0, (long)(random >> 8) % 10000 * 1000};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        said = last_said(from, said);
        lh_store *s = open_store(); /* every page is looked at */
        seen x = all_of(s);
        s->close(s);
        if (x.n < said || !x.in_order)
            fail_msg("kill %d: %ld were recorded, %ld are there", k, said, x.n);
        kept = x.n;
    }
}

static void no_room_on_the_disk(void **state) {
    (void)state;
    if (!is_built()) return;
    int from, status;
    pid_t child = start_writer(&from, 1, 65536);
    long said = last_said(from, 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3); /* it was told why */
    assert_true(said > 5);
    lh_store *s = open_store();
    seen x = all_of(s);
    assert_int_equal(x.n, said);
    assert_true(x.in_order);
    assert_true(append(s, 0, said + 1)); /* and with room it goes on */
    assert_int_equal(all_of(s).n, said + 1);
    s->close(s);
}

static void fill_store(int n) {
    lh_store *s = open_store();
    for (long i = 1; i <= n; i++) assert_true(append(s, 0, i));
    s->close(s);
}

static void write_at(long offset, const void *bytes, size_t n) {
    char file[700];
    snprintf(file, sizeof file, "%s/progress.db", folder);
    FILE *f = fopen(file, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static lh_store_state state_on_opening(void) {
    lh_store_trouble why;
    lh_store *s = lh_store_open(folder, &(lh_store_how){.create = true, .check = true}, &why);
    if (s) {
        s->close(s);
    } else {
        assert_true(why.what[0]);
        assert_non_null(strstr(why.what, "progress.db"));
    }
    return why.state;
}

static void a_damaged_file_is_found_and_kept(void **state) {
    (void)state;
    if (!is_built()) return;
    char junk[4096], where[LH_STORE_PATH], now[4096];
    memset(junk, 0x5A, sizeof junk);
    fill_store(40);
    assert_int_equal(state_on_opening(), LH_STORE_OPEN);
    write_at(4096, junk, sizeof junk); /* a page of a table */
    assert_int_equal(state_on_opening(), LH_STORE_DAMAGED);
    write_at(0, junk, 100); /* no database at all */
    assert_int_equal(state_on_opening(), LH_STORE_DAMAGED);
    assert_int_equal(state_on_opening(), LH_STORE_DAMAGED); /* nothing was put right on its own */

    assert_true(lh_store_set_aside(folder, where, sizeof where));
    FILE *f = fopen(where, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 4096, SEEK_SET), 0);
    assert_int_equal(fread(now, 1, sizeof now, f), sizeof now);
    assert_memory_equal(now, junk, sizeof junk);
    fclose(f);
    lh_store *s = open_store();
    assert_int_equal(all_of(s).n, 0);
    s->close(s);
}

static void a_newer_or_a_foreign_file_is_left_alone(void **state) {
    (void)state;
    if (!is_built()) return;
    fill_store(2);
    write_at(60, "\0\0\0\x63", 4); /* user_version, in the header of every SQLite file */
    assert_int_equal(state_on_opening(), LH_STORE_NEWER);
    write_at(60, "\0\0\0\x02", 4);
    assert_int_equal(state_on_opening(), LH_STORE_OPEN);
    write_at(68, "\0\0\0\x07", 4); /* application_id */
    assert_int_equal(state_on_opening(), LH_STORE_DAMAGED);
}

/* Where somebody stopped reading: one place a lesson, the newest first; an end that was seen stays seen. */
static void check_reads(lh_store *s) {
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_read *list;
    int n;
    assert_true(s->reads(s, a, &list, &n));
    assert_int_equal(n, 0);
    assert_true(s->read(s, &(lh_read){"ex1", 3, false, 100}));
    assert_true(s->read(s, &(lh_read){"ex2", 5, false, 90}));
    assert_true(s->read(s, &(lh_read){"ex1", 9, true, 80}));
    assert_true(s->read(s, &(lh_read){"ex1", 4, false, 120}));
    assert_true(s->reads(s, a, &list, &n));
    assert_int_equal(n, 2);
    assert_string_equal(list[0].lesson, "ex1");
    assert_int_equal(list[0].piece, 4);
    assert_true(list[0].is_finished);
    assert_int_equal(list[0].time, 120);
    assert_string_equal(list[1].lesson, "ex2");
    assert_false(list[1].is_finished);
    assert_ptr_equal(lh_read_find(list, n, "ex2"), &list[1]);
    assert_null(lh_read_find(list, n, "ex3"));
    char backup[4096];
    assert_true(s->reset(s, backup, sizeof backup));
    assert_true(s->reads(s, a, &list, &n));
    assert_int_equal(n, 0);
    s->close(s);
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void places_of_reading(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    check_reads(lh_store_memory(ctx));
    lh_context_free(ctx);
    if (is_built()) check_reads(open_store());
}

static void forgetting_keeps_a_copy(void **state) {
    (void)state;
    if (!is_built()) return;
    char backup[LH_STORE_PATH], second[LH_STORE_PATH], file[700];
    fill_store(5);
    lh_store *s = open_store();
    if (!s->reset(s, backup, sizeof backup)) fail_msg("%s", s->problem);
    assert_int_equal(all_of(s).n, 0);
    assert_true(append(s, 0, 1));
    assert_true(s->reset(s, second, sizeof second)); /* in the same second: another name */
    assert_string_not_equal(backup, second);
    s->close(s);
    snprintf(file, sizeof file, "%s/progress.db", folder);
    assert_int_equal(rename(backup, file), 0);
    s = open_store();
    seen x = all_of(s);
    assert_int_equal(x.n, 5);
    assert_true(x.in_order);
    s->close(s);
}

int main(void) {
#define FILED(test) cmocka_unit_test_setup_teardown(test, new_folder, end_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_begin_at_midnight_where_the_learner_is),
        cmocka_unit_test(steps_come_back_on_their_days),
        cmocka_unit_test(the_summary_counts_steps_and_mistakes),
        cmocka_unit_test(which_sheet_comes_next),
        FILED(what_is_written_is_read),
        FILED(only_the_owner_can_read_it),
        cmocka_unit_test(where_it_lies),
        FILED(nothing_is_made_by_looking),
        FILED(a_folder_that_cannot_be),
        FILED(two_writers_at_once),
        FILED(killed_at_any_moment),
        FILED(no_room_on_the_disk),
        FILED(a_damaged_file_is_found_and_kept),
        FILED(a_newer_or_a_foreign_file_is_left_alone),
        FILED(places_of_reading),
        FILED(forgetting_keeps_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
