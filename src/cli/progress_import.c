/* progress_import -- attempts that were made elsewhere, in the browser or on another machine: a line of JSON each, as --export writes them. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/keep.h"
#include "files/json_read.h"

/* What is there already, and what comes. Both in the arena. */
typedef struct import {
    lh_cli *cli;
    const char *file;
    lh_attempt *known, *more;
    int n_known, n_more, n_again;
} import;

static const char *copy(import *x, const char *s) {
    return lh_copy(x->cli->arena, s ? s : "", s ? strlen(s) : 0);
}

static void remember(void *who, const lh_attempt *a) {
    import *x = who;
    lh_attempt *to = lh_push(x->cli->arena, x->known, x->n_known);
    *to = *a;
    to->lesson = copy(x, a->lesson);
    to->step = copy(x, a->step);
    to->raw = copy(x, a->raw);
}

/* The same answer to the same question at the same second: it was brought here before. */
static bool is_known(const import *x, const lh_attempt *a) {
    for (int i = 0; i < x->n_known; i++) {
        const lh_attempt *b = &x->known[i];
        if (a->time == b->time && strcmp(a->lesson, b->lesson) == 0 &&
            strcmp(a->step, b->step) == 0 && strcmp(a->raw, b->raw) == 0)
            return true;
    }
    return false;
}

/* Days since 1970 of a day of our calendar. */
static long long days_of(int year, int month, int day) {
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    const long long y = month > 2 ? year : year - 1;
    return 365LL * (year - 1970) + (y / 4 - y / 100 + y / 400) - 477 + before[month - 1] + day - 1;
}

/* 2026-11-16T05:30:00Z */
static bool read_time(const char *s, long long *time) {
    int year, month, day, hour, minute, second;
    if (!s ||
        sscanf(s, "%4d-%2d-%2dT%2d:%2d:%2dZ", &year, &month, &day, &hour, &minute, &second) != 6)
        return false;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 ||
        second > 60)
        return false;
    *time = days_of(year, month, day) * 86400 + hour * 3600LL + minute * 60LL + second;
    return true;
}

static const char *text_of(import *x, const cJSON *o, const char *name) {
    return copy(x, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, name)));
}

static long long whole_of(const cJSON *o, const char *name) {
    long long n = 0;
    return lh_json_whole(cJSON_GetObjectItemCaseSensitive(o, name), &n) ? n : 0;
}

static bool refuse(const import *x, int line, const char *what) {
    lh_cli_fail(x->cli, "%s:%d: %s", x->file, line, what);
    fputs("a file written by longhand progress --export or by a page is expected; nothing was "
          "imported\n",
          stderr);
    return false;
}

static bool read_attempt(import *x, const cJSON *o, int line) {
    lh_attempt a = {.lesson = text_of(x, o, "lesson"),
                    .seed = (unsigned long long)whole_of(o, "seed"),
                    .digits = (int)(whole_of(o, "digits") % 100),
                    .step = text_of(x, o, "step"),
                    .raw = text_of(x, o, "raw"),
                    .verdict = text_of(x, o, "verdict"),
                    .mistake = text_of(x, o, "mistake"),
                    .hints = (int)(whole_of(o, "hints") % (LH_HINTS + 1)),
                    .is_right = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "right"))};
    if (!*a.lesson || !*a.step) return refuse(x, line, "an attempt has a lesson and a step");
    if (!read_time(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, "time")), &a.time))
        return refuse(x, line, "its time is not written like 2026-11-16T05:30:00Z");
    a.is_wrong = !a.is_right && strcmp(a.verdict, "partly") != 0;
    if (is_known(x, &a))
        x->n_again++;
    else
        *lh_push(x->cli->arena, x->more, x->n_more) = a;
    return true;
}

static bool read_line(import *x, const char *s, size_t n, int line) {
    if (strspn(s, " \t\r") >= n) return true;
    cJSON *o = lh_json_parse(x->cli->ctx, x->file, s, n);
    if (!o) {
        lh_context_clear(x->cli->ctx);
        return refuse(x, line, "this line is not JSON");
    }
    bool ok = cJSON_IsObject(o) ? read_attempt(x, o, line)
                                : refuse(x, line, "an attempt is an object: {...}");
    cJSON_Delete(o);
    return ok;
}

static bool read_all(import *x) {
    size_t length;
    const char *text = lh_cli_read_file(x->cli, x->file, &length);
    if (!text) return lh_cli_report(x->cli), false;
    for (int line = 1; *text; line++) {
        const size_t n = strcspn(text, "\n");
        if (!read_line(x, text, n, line)) return false;
        text += n + (text[n] == '\n');
    }
    return true;
}

/* All lines are read before the first is taken: a file that is wrong changes nothing. */
int lh_progress_import(lh_cli *cli, const char *file) {
import x = {.cli = cli, .file = file };
    lh_keeper k;
    if (!lh_keep_open(cli, &k)) return LH_EXIT_FAILED;
    if (!k.is_kept) return LH_EXIT_FAILED;
    bool ok = k.store->attempts(k.store, remember, &x) && read_all(&x);
    for (int i = 0; ok && i < x.n_more; i++) lh_keep_record(&k, &x.more[i], NULL);
    const int lost = lh_keep_close(&k), n = x.n_more - lost;
    if (!ok) return LH_EXIT_FAILED;
    printf("%d attempt%s imported, %d already known\n", n, n == 1 ? "" : "s", x.n_again);
    if (lost)
        fputs("make room and import the file again: those known already count once\n", stderr);
    return lost ? LH_EXIT_FAILED : LH_EXIT_YES;
}
