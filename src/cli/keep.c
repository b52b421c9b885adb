#include "cli/keep.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/number.h"

long lh_keep_zone(void) {
    time_t now = time(NULL);
    struct tm t;
    if (!gmtime_r(&now, &t)) return 0;
    t.tm_isdst = -1;
    return (long)(now - mktime(&t));
}

bool lh_keep_ask(const char *question) {
    char line[64];
    printf("%s y/n ", question);
    fflush(stdout);
    return fgets(line, sizeof line, stdin) && (line[0] == 'y' || line[0] == 'Y');
}

const char *lh_keep_name(lh_cli *cli, const lh_source *s) {
    char folder[LH_STORE_PATH];
    const char *name = s->name;
    if (lh_embedded_find(s->file) || name[0] == '/' || !getcwd(folder, sizeof folder)) return name;
    while (strncmp(name, "./", 2) == 0) name += 2;
    return lh_printf(cli->arena, "%s/%s", folder, name);
}

/* ---- opening ---- */

static lh_store *open_file(lh_cli *cli, lh_store_how how, bool ask, lh_store_trouble *why) {
    char folder[LH_STORE_PATH];
    *why = (lh_store_trouble){.state = LH_STORE_REFUSED};
    if (!lh_store_folder(folder, sizeof folder)) {
        snprintf(why->what, sizeof why->what, "there is no home folder; LONGHAND_DATA names one");
        return NULL;
    }
    lh_store *s = lh_store_open(folder, &how, why);
    if (s || why->state != LH_STORE_DAMAGED || !ask || !isatty(STDIN_FILENO) ||
        !isatty(STDOUT_FILENO))
        return s;
    char where[LH_STORE_PATH];
    lh_cli_fail(cli, "%s", why->what);
    if (!lh_keep_ask("Give it another name and begin a new one?")) return NULL;
    if (!lh_store_set_aside(folder, where, sizeof where)) {
        snprintf(why->what, sizeof why->what, "it cannot be renamed");
        return NULL;
    }
    printf("It is %s now.\n", where);
    return lh_store_open(folder, &how, why);
}

static void say_once(lh_keeper *k, const char *why) {
    if (k->has_said) return;
    k->has_said = true;
    fflush(stdout);
    fprintf(stderr, "progress is not saved: %s\n", why);
}

bool lh_keep_open(lh_cli *cli, lh_keeper *k) {
    lh_store_trouble why;
    *k = (lh_keeper){.cli = cli};
    k->store = open_file(cli, (lh_store_how){.create = true, .check = true}, true, &why);
    k->is_kept = k->store != NULL;
    if (k->store) return true;
    say_once(k, why.what);
    k->store = lh_store_memory(cli->ctx);
    if (!k->store) lh_cli_report(cli);
    return k->store != NULL;
}

lh_store *lh_keep_read(lh_cli *cli, bool to_reset, lh_store_state *state) {
    lh_store_trouble why;
    lh_store *s = open_file(cli, (lh_store_how){.check = to_reset}, !to_reset, &why);
    *state = s ? LH_STORE_OPEN : why.state;
    if (!s && why.state != LH_STORE_NONE) lh_cli_fail(cli, "%s", why.what);
    return s;
}

/* ---- recording ---- */

static const char *keep(lh_keeper *k, const char *s) {
    return lh_copy(k->cli->arena, s ? s : "", s ? strlen(s) : 0);
}

static void put_off(lh_keeper *k, const lh_attempt *a) {
    lh_attempt *w = lh_push(k->cli->arena, k->waiting, k->n_waiting);
    *w = *a;
    w->lesson = keep(k, a->lesson);
    w->step = keep(k, a->step);
    w->raw = keep(k, a->raw);
    w->verdict = keep(k, a->verdict);
    w->mistake = keep(k, a->mistake);
}

/* Those that wait first, so that they stand in order. */
static bool save_waiting(lh_keeper *k) {
    int saved = 0;
    while (saved < k->n_waiting && k->store->record(k->store, &k->waiting[saved], NULL)) saved++;
    k->n_waiting -= saved;
    if (saved && k->n_waiting)
        memmove(k->waiting, k->waiting + saved, (size_t)k->n_waiting * sizeof *k->waiting);
    return k->n_waiting == 0;
}

void lh_keep_record(lh_keeper *k, const lh_attempt *attempt, const lh_saved *sheet) {
    bool had_to_wait = k->n_waiting > 0;
    if (save_waiting(k) && k->store->record(k->store, attempt, sheet)) {
        if (had_to_wait)
            printf("  saved again, including what could not be saved before\n"),
                k->has_said = false;
        return;
    }
    if (attempt) put_off(k, attempt);
    say_once(k, k->store->problem);
}

int lh_keep_close(lh_keeper *k) {
    if (!k->store) return 0;
    if (!save_waiting(k))
        fprintf(stderr, "%d attempt%s could not be saved: %s\n", k->n_waiting,
                k->n_waiting == 1 ? "" : "s", k->store->problem);
    k->store->close(k->store);
    k->store = NULL;
    return k->n_waiting;
}

/* ---- where a lesson stands ---- */

/* NULL: nothing was ever kept, or it cannot be read; a list of lessons does without. */
static lh_store *open_to_read(void) {
    char folder[LH_STORE_PATH];
    lh_store_trouble why = {0};
    return lh_store_folder(folder, sizeof folder) ? lh_store_open(folder, &(lh_store_how){0}, &why)
                                                  : NULL;
}

/* Read once: the list of lessons asks for each of them. */
static const lh_progress *progress_so_far(lh_cli *cli) {
    static bool is_read;
    static lh_progress *progress;
    if (!is_read) {
        is_read = true;
        lh_store *s = open_to_read();
        if (s) progress = lh_progress_new(cli->arena, s, lh_keep_zone()), s->close(s);
    }
    return progress;
}

const char *lh_keep_read_sign(lh_cli *cli, const char *lesson) {
    static bool is_read;
    static lh_read *list;
    static int n;
    if (!is_read) {
        is_read = true;
        lh_store *s = open_to_read();
        if (s && !s->reads(s, cli->arena, &list, &n)) n = 0;
        if (s) s->close(s);
    }
    const lh_read *r = lh_read_find(list, n, lesson);
    return !r ? " " : r->is_finished ? "\u2713" : "\u25b8";
}

bool lh_keep_is_there(lh_cli *cli, const char *lesson) {
    if (*lesson != '/' || access(lesson, F_OK) == 0) return true;
    const char *colon = strrchr(lesson, ':'); /* /home/me/own.md:fit */
    return colon && access(lh_copy(cli->arena, lesson, (size_t)(colon - lesson)), F_OK) == 0;
}

const char *lh_keep_begun(lh_cli *cli, long long *when) {
    const lh_progress *p = progress_so_far(cli);
    const lh_lesson_progress *last = NULL;
    for (int i = 0; p && i < p->n_lessons; i++) {
        const lh_lesson_progress *l = &p->lesson[i];
        if (l->begun && l->begun->done < l->begun->total && (!last || l->last > last->last) &&
            lh_keep_is_there(cli, l->lesson))
            last = l;
    }
    *when = last ? last->last : 0;
    return last ? last->lesson : NULL;
}

lh_standing lh_keep_standing(lh_cli *cli, const char *lesson) {
    const lh_progress *progress = progress_so_far(cli);
    const lh_lesson_progress *l = progress ? lh_progress_lesson(progress, lesson) : NULL;
    return l ? (lh_standing){l->done, l->total, l->begun != NULL, l->n_exercises}
             : (lh_standing){0};
}

static bool is_all_done(lh_standing at) {
    return at.total && at.done >= at.total;
}

const char *lh_standing_sign(lh_standing at) {
    return is_all_done(at) ? "\u2713" : at.is_begun ? "\u25b8" : " ";
}

const char *lh_standing_text(lh_cli *cli, lh_standing at, const char *lesson, int exercises,
                             int room) {
    bool has_steps = at.total && (at.done || at.is_begun),
         has_exercises = at.exercises && exercises;
    if (!has_steps && !has_exercises) return "";
    const char *steps = has_steps ? lh_printf(cli->arena, "   %d of %d step%s", at.done, at.total,
                                              LH_PLURAL(at.total))
                                  : "";
    const char *both = has_exercises ? lh_printf(cli->arena, "%s%s%d of %d exercise%s", steps,
                                                 has_steps ? ", " : "   ", at.exercises, exercises,
                                                 LH_PLURAL(exercises))
                                     : steps;
    const char *more =
        is_all_done(at) || !at.is_begun
            ? ""
            : lh_printf(cli->arena, "   longhand practice %s", lh_shell_word(cli->arena, lesson));
    int used = lh_columns(steps), wide = lh_columns(both), all = wide + lh_columns(more);
    return used > room   ? ""
           : wide > room ? steps
           : all > room  ? both
                         : lh_printf(cli->arena, "%s%s", both, more);
}
