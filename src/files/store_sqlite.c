/* store_sqlite -- four tables: what was tried, which sheets were begun, what stands on them, how far was read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "files/store.h"

static const char file_name[] = "progress.db";

bool lh_store_folder(char *folder, size_t size) {
    const char *own = getenv("LONGHAND_DATA"), *data = getenv("XDG_DATA_HOME"),
               *home = getenv("HOME");
    int n = own && *own              ? snprintf(folder, size, "%s", own)
            : data && data[0] == '/' ? snprintf(folder, size, "%s/longhand", data)
            : home && home[0] == '/' ? snprintf(folder, size, "%s/.local/share/longhand", home)
                                     : -1;
    return n > 0 && (size_t)n + sizeof file_name + 32 < size;
}

static lh_store *fail(lh_store_trouble *why, lh_store_state state, const char *what) {
    why->state = state;
    snprintf(why->what, sizeof why->what, "%s", what);
    return NULL;
}

#ifndef HAVE_SQLITE

lh_store *lh_store_open(const char *folder, const lh_store_how *how, lh_store_trouble *why) {
    (void)how;
    *why = (lh_store_trouble){0};
    snprintf(why->path, sizeof why->path, "%s", folder);
    return fail(why, LH_STORE_NOT_BUILT, "this Longhand was built without SQLite");
}

bool lh_store_set_aside(const char *folder, char *where, size_t size) {
    (void)folder, (void)where, (void)size;
    return false;
}

#else

#include <sqlite3.h>

enum { VERSION = 2, APPLICATION = 0x4C48414E, WAIT_MS = 5000 }; /* "LHAN" */

/* From version i to i + 1. Entries are added and never changed: files of every age are out there. */
static const char *const migration[VERSION] = {
    "CREATE TABLE attempt ("
    "  number INTEGER PRIMARY KEY, time INTEGER NOT NULL, lesson TEXT NOT NULL, seed INTEGER NOT "
    "NULL,"
    "  digits INTEGER NOT NULL, step TEXT NOT NULL, raw TEXT NOT NULL, verdict TEXT NOT NULL,"
    "  mistake TEXT NOT NULL, hints INTEGER NOT NULL, is_right INTEGER NOT NULL, is_wrong INTEGER "
    "NOT NULL);"
    "CREATE TABLE sheet ("
    "  id INTEGER PRIMARY KEY, lesson TEXT NOT NULL, seed INTEGER NOT NULL, digits INTEGER NOT "
    "NULL,"
    "  only TEXT NOT NULL, at TEXT NOT NULL, time INTEGER NOT NULL, changed INTEGER NOT NULL,"
    "  done INTEGER NOT NULL, total INTEGER NOT NULL, is_finished INTEGER NOT NULL,"
    "  UNIQUE (lesson, seed, digits, only));"
    "CREATE TABLE step ("
    "  sheet INTEGER NOT NULL REFERENCES sheet (id), step TEXT NOT NULL, cells TEXT NOT NULL,"
    "  tries INTEGER NOT NULL, hints INTEGER NOT NULL, is_skipped INTEGER NOT NULL,"
    "  PRIMARY KEY (sheet, step));",
    "CREATE TABLE reading ("
    "  lesson TEXT PRIMARY KEY, piece INTEGER NOT NULL, is_finished INTEGER NOT NULL,"
    "  time INTEGER NOT NULL, changed INTEGER NOT NULL);",
};

typedef struct sqlite_store {
    lh_store store;
    sqlite3 *db;
    char path[LH_STORE_PATH];
} sqlite_store;

/* ---- statements ---- */

static bool blame(sqlite_store *s) {
    int code = sqlite3_extended_errcode(s->db);
    snprintf(s->store.problem, sizeof s->store.problem, "%.400s: %s", s->path,
             (code & 0xff) == SQLITE_FULL       ? "there is no room left on the disk"
             : (code & 0xff) == SQLITE_BUSY     ? "another program is using it"
             : (code & 0xff) == SQLITE_READONLY ? "it is read-only"
                                                : sqlite3_errmsg(s->db));
    return false;
}

static bool run(sqlite_store *s, const char *sql) {
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || blame(s);
}

static sqlite3_stmt *prepare(sqlite_store *s, const char *sql) {
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK) {
        blame(s);
        sqlite3_finalize(q);
        return NULL;
    }
    return q;
}

static void bind(sqlite3_stmt *q, int at, const char *text) {
    sqlite3_bind_text(q, at, text ? text : "", -1, SQLITE_TRANSIENT);
}

static void bind_number(sqlite3_stmt *q, int at, long long n) {
    sqlite3_bind_int64(q, at, n);
}

static bool finish(sqlite_store *s, sqlite3_stmt *q) {
    bool ok = q && sqlite3_step(q) == SQLITE_DONE;
    if (!ok && q) blame(s);
    sqlite3_finalize(q);
    return ok;
}

static const char *text_at(sqlite3_stmt *q, int i) {
    const char *s = (const char *)sqlite3_column_text(q, i);
    return s ? s : "";
}

static char *copy_at(sqlite3_stmt *q, int i, lh_arena *a) {
    const char *s = text_at(q, i);
    return lh_copy(a, s, strlen(s));
}

/* ---- recording ---- */

static bool add_attempt(sqlite_store *s, const lh_attempt *a) {
    sqlite3_stmt *q = prepare(
        s, "INSERT INTO attempt (time, lesson, seed, digits, step, raw, verdict, mistake, hints,"
           " is_right, is_wrong) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    if (!q) return false;
    bind_number(q, 1, a->time);
    bind(q, 2, a->lesson);
    bind_number(q, 3, (long long)a->seed);
    bind_number(q, 4, a->digits);
    bind(q, 5, a->step);
    bind(q, 6, a->raw);
    bind(q, 7, a->verdict);
    bind(q, 8, a->mistake);
    bind_number(q, 9, a->hints);
    bind_number(q, 10, a->is_right);
    bind_number(q, 11, a->is_wrong);
    return finish(s, q);
}

static void bind_key(sqlite3_stmt *q, const lh_saved *x) {
    bind(q, 1, x->lesson);
    bind_number(q, 2, (long long)x->seed);
    bind_number(q, 3, x->digits);
    bind(q, 4, x->only);
}

static bool forget_sheet(sqlite_store *s, const lh_saved *x) {
    static const char *const sql[] = {
        "DELETE FROM step WHERE sheet IN (SELECT id FROM sheet WHERE lesson = ? AND seed = ?"
        " AND digits = ? AND only = ?)",
        "DELETE FROM sheet WHERE lesson = ? AND seed = ? AND digits = ? AND only = ?",
    };
    for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
        sqlite3_stmt *q = prepare(s, sql[i]);
        if (!q) return false;
        bind_key(q, x);
        if (!finish(s, q)) return false;
    }
    return true;
}

static bool add_step(sqlite_store *s, long long sheet, const lh_saved_step *x) {
    sqlite3_stmt *q = prepare(s, "INSERT OR REPLACE INTO step (sheet, step, cells, tries, hints,"
                                 " is_skipped) VALUES (?, ?, ?, ?, ?, ?)");
    if (!q) return false;
    bind_number(q, 1, sheet);
    bind(q, 2, x->step);
    bind(q, 3, x->cells);
    bind_number(q, 4, x->tries);
    bind_number(q, 5, x->hints);
    bind_number(q, 6, x->is_skipped);
    return finish(s, q);
}

/* `changed` counts up: the newest sheet has the largest, whatever clocks say. */
static bool add_sheet(sqlite_store *s, const lh_saved *x) {
    sqlite3_stmt *q =
        prepare(s, "INSERT INTO sheet (lesson, seed, digits, only, at, time, done, total,"
                   " is_finished, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,"
                   " (SELECT coalesce(max(changed), 0) + 1 FROM sheet))");
    if (!q) return false;
    bind_key(q, x);
    bind(q, 5, x->at);
    bind_number(q, 6, x->time);
    bind_number(q, 7, x->done);
    bind_number(q, 8, x->total);
    bind_number(q, 9, x->is_finished);
    if (!finish(s, q)) return false;
    long long id = sqlite3_last_insert_rowid(s->db);
    for (int i = 0; i < x->n_steps; i++)
        if (!add_step(s, id, &x->step[i])) return false;
    return true;
}

static bool sqlite_record(lh_store *store, const lh_attempt *attempt, const lh_saved *sheet) {
    sqlite_store *s = (sqlite_store *)store;
    if (!run(s, "BEGIN IMMEDIATE")) return false;
    bool ok = (!attempt || add_attempt(s, attempt)) &&
              (!sheet || (forget_sheet(s, sheet) && add_sheet(s, sheet))) && run(s, "COMMIT");
    if (!ok && !sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

/* ---- reading ---- */

static bool sqlite_sessions(lh_store *store, lh_arena *a, lh_saved **list, int *n) {
    sqlite_store *s = (sqlite_store *)store;
    *list = NULL;
    *n = 0;
    sqlite3_stmt *q = prepare(s, "SELECT lesson, seed, digits, only, at, time, done, total,"
                                 " is_finished FROM sheet ORDER BY changed DESC");
    if (!q) return false;
    int code;
    while ((code = sqlite3_step(q)) == SQLITE_ROW)
        *lh_push(a, *list, *n) = (lh_saved){.lesson = copy_at(q, 0, a),
                                            .seed = (unsigned long long)sqlite3_column_int64(q, 1),
                                            .digits = sqlite3_column_int(q, 2),
                                            .only = copy_at(q, 3, a),
                                            .at = copy_at(q, 4, a),
                                            .time = sqlite3_column_int64(q, 5),
                                            .done = sqlite3_column_int(q, 6),
                                            .total = sqlite3_column_int(q, 7),
                                            .is_finished = sqlite3_column_int(q, 8) != 0};
    if (code != SQLITE_DONE) blame(s);
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

static bool sqlite_load(lh_store *store, lh_arena *a, lh_saved *sheet) {
    sqlite_store *s = (sqlite_store *)store;
    sheet->step = NULL;
    sheet->n_steps = 0;
    sqlite3_stmt *q = prepare(
        s, "SELECT step.step, cells, tries, hints, is_skipped FROM step JOIN sheet ON sheet = id"
           " WHERE lesson = ? AND seed = ? AND digits = ? AND only = ? ORDER BY step.rowid");
    if (!q) return false;
    bind_key(q, sheet);
    int code;
    while ((code = sqlite3_step(q)) == SQLITE_ROW)
        *lh_push(a, sheet->step, sheet->n_steps) =
            (lh_saved_step){.step = copy_at(q, 0, a),
                            .cells = copy_at(q, 1, a),
                            .tries = sqlite3_column_int(q, 2),
                            .hints = sqlite3_column_int(q, 3),
                            .is_skipped = sqlite3_column_int(q, 4) != 0};
    if (code != SQLITE_DONE) blame(s);
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

static bool sqlite_attempts(lh_store *store, lh_attempt_visit visit, void *who) {
    sqlite_store *s = (sqlite_store *)store;
    sqlite3_stmt *q =
        prepare(s, "SELECT number, time, lesson, seed, digits, step, raw, verdict,"
                   " mistake, hints, is_right, is_wrong FROM attempt ORDER BY number");
    if (!q) return false;
    int code;
    while ((code = sqlite3_step(q)) == SQLITE_ROW) {
        lh_attempt a = {.number = sqlite3_column_int64(q, 0),
                        .time = sqlite3_column_int64(q, 1),
                        .lesson = text_at(q, 2),
                        .seed = (unsigned long long)sqlite3_column_int64(q, 3),
                        .digits = sqlite3_column_int(q, 4),
                        .step = text_at(q, 5),
                        .raw = text_at(q, 6),
                        .verdict = text_at(q, 7),
                        .mistake = text_at(q, 8),
                        .hints = sqlite3_column_int(q, 9),
                        .is_right = sqlite3_column_int(q, 10) != 0,
                        .is_wrong = sqlite3_column_int(q, 11) != 0};
        visit(who, &a);
    }
    if (code != SQLITE_DONE) blame(s);
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

/* `changed` as in add_sheet. */
static bool sqlite_read(lh_store *store, const lh_read *r) {
    sqlite_store *s = (sqlite_store *)store;
    sqlite3_stmt *q = prepare(
        s, "INSERT INTO reading (lesson, piece, is_finished, time, changed) VALUES (?, ?, ?, ?,"
           " (SELECT coalesce(max(changed), 0) + 1 FROM reading))"
           " ON CONFLICT (lesson) DO UPDATE SET piece = excluded.piece, time = excluded.time,"
           " is_finished = max(is_finished, excluded.is_finished), changed = excluded.changed");
    if (!q) return false;
    bind(q, 1, r->lesson);
    bind_number(q, 2, r->piece);
    bind_number(q, 3, r->is_finished);
    bind_number(q, 4, r->time);
    return finish(s, q);
}

static bool sqlite_reads(lh_store *store, lh_arena *a, lh_read **list, int *n) {
    sqlite_store *s = (sqlite_store *)store;
    *list = NULL;
    *n = 0;
    sqlite3_stmt *q = prepare(s, "SELECT lesson, piece, is_finished, time FROM reading"
                                 " ORDER BY changed DESC");
    if (!q) return false;
    int code;
    while ((code = sqlite3_step(q)) == SQLITE_ROW)
        *lh_push(a, *list, *n) = (lh_read){.lesson = copy_at(q, 0, a),
                                           .piece = sqlite3_column_int(q, 1),
                                           .is_finished = sqlite3_column_int(q, 2) != 0,
                                           .time = sqlite3_column_int64(q, 3)};
    if (code != SQLITE_DONE) blame(s);
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

/* ---- forgetting ---- */

/* A name beside the file that is not taken: progress-20260131-1402.db, then -2 ... */
static bool free_name(const char *folder, const char *kind, char *path, size_t size) {
    char stamp[32];
    time_t now = time(NULL);
    struct tm t;
    if (!localtime_r(&now, &t) || !strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &t)) return false;
    for (int i = 1; i < 1000; i++) {
        char more[16] = "";
        if (i > 1) snprintf(more, sizeof more, "-%d", i);
        int n = snprintf(path, size, "%s/progress-%s-%s%s.db", folder, kind, stamp, more);
        if (n < 0 || (size_t)n >= size) return false;
        if (access(path, F_OK) != 0) return true;
    }
    return false;
}

/* Read through a connection of its own: the one that holds the lock may not. */
static bool copy_to(sqlite_store *s, const char *path) {
    sqlite3 *from = NULL, *to = NULL;
    int code = SQLITE_ERROR;
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (fd < 0) {
        snprintf(s->store.problem, sizeof s->store.problem, "%.400s: %s", path, strerror(errno));
        return false;
    }
    close(fd);
    if (sqlite3_open_v2(s->path, &from, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
        sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");
        if (b) sqlite3_backup_step(b, -1), code = sqlite3_backup_finish(b);
    }
    if (code != SQLITE_OK)
        snprintf(s->store.problem, sizeof s->store.problem, "%.400s: %s", path,
                 to ? sqlite3_errmsg(to) : "the copy cannot be made");
    sqlite3_close(to);
    sqlite3_close(from);
    if (code != SQLITE_OK) remove(path);
    return code == SQLITE_OK;
}

static bool sqlite_reset(lh_store *store, char *backup, size_t size) {
    sqlite_store *s = (sqlite_store *)store;
    char folder[LH_STORE_PATH];
    snprintf(folder, sizeof folder, "%s", s->path);
    *strrchr(folder, '/') = 0;
    if (!free_name(folder, "until", backup, size)) {
        snprintf(store->problem, sizeof store->problem, "%.400s: no name is free for the copy",
                 folder);
        return false;
    }
    /* nobody appends between the copy and the end */
    if (!run(s, "BEGIN IMMEDIATE")) return false;
    bool ok = copy_to(s, backup) && run(s, "DELETE FROM step; DELETE FROM sheet; DELETE FROM "
                                           "attempt; DELETE FROM reading; COMMIT");
    if (!ok && !sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

bool lh_store_set_aside(const char *folder, char *where, size_t size) {
    char path[LH_STORE_PATH], journal[LH_STORE_PATH + 16], aside[LH_STORE_PATH + 16];
    int n = snprintf(path, sizeof path, "%s/%s", folder, file_name);
    if (n < 0 || (size_t)n >= sizeof path || !free_name(folder, "damaged", where, size))
        return false;
    snprintf(journal, sizeof journal, "%s-journal", path);
    snprintf(aside, sizeof aside, "%s-journal", where);
    if (rename(journal, aside) && errno != ENOENT) return false;
    return rename(path, where) == 0;
}

/* ---- opening ---- */

static bool make_folders(const char *folder) {
    char path[LH_STORE_PATH];
    if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) return false;
    for (char *s = path + 1;; s++) {
        if (*s && *s != '/') continue;
        char c = *s;
        *s = 0;
        const int error = mkdir(path, 0700) ? errno : 0;
        if (error && error != EEXIST && error != EISDIR && access(path, F_OK)) {
            errno = error; /* why it cannot be made, not that it is not there */
            return false;
        }
        if (!c) break;
        *s = c;
    }
    struct stat st;
    if (stat(path, &st)) return false;
    if (!S_ISDIR(st.st_mode)) errno = ENOTDIR;
    return S_ISDIR(st.st_mode);
}

/* The file is made here, not by SQLite, so that only its owner can read it. One that is there is not touched: closing it
 * would end the locks that another connection of this process has on it. */
static bool make_file(const char *path) {
    if (access(path, F_OK) == 0) return true;
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR, 0600);
    if (fd < 0) return errno == EEXIST;
    close(fd);
    return true;
}

static void sqlite_close(lh_store *store) {
    if (!store) return;
    sqlite3_close(((sqlite_store *)store)->db);
    free(store);
}

static int one_number(sqlite_store *s, const char *sql, long long *n) {
    sqlite3_stmt *q = NULL;
    int code = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(q);
    if (code == SQLITE_ROW) *n = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

static bool is_sound(sqlite_store *s) {
    sqlite3_stmt *q = NULL;
    bool ok = sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &q, NULL) == SQLITE_OK &&
              sqlite3_step(q) == SQLITE_ROW && strcmp(text_at(q, 0), "ok") == 0;
    sqlite3_finalize(q);
    return ok;
}

/* Two programs may both find an empty file: the second one looks again when it has the lock. */
static bool migrate(sqlite_store *s) {
    long long version = 0;
    if (!run(s, "BEGIN IMMEDIATE")) return false;
    bool ok = one_number(s, "PRAGMA user_version", &version) == SQLITE_OK && version >= 0;
    for (long long v = version; ok && v < VERSION; v++) ok = run(s, migration[v]);
    char end[128];
    snprintf(end, sizeof end, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
             APPLICATION, VERSION);
    ok = ok && run(s, version <= VERSION ? end : "COMMIT");
    if (!ok && !sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

/* SQLITE_ERROR: a table that is there although it should not be, or the other way round. */
static lh_store_state state_of(int code) {
    code &= 0xff;
    const bool is_damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
    return is_damaged ? LH_STORE_DAMAGED : LH_STORE_REFUSED;
}

/* Every table with every column that is read: what else calls itself ours would fail later, and could not be reset. */
static bool has_tables(sqlite_store *s) {
    static const char *const wanted[] = {
        "SELECT number, time, lesson, seed, digits, step, raw, verdict, mistake, hints, is_right,"
        " is_wrong FROM attempt",
        "SELECT id, lesson, seed, digits, only, at, time, changed, done, total, is_finished"
        " FROM sheet",
        "SELECT sheet, step, cells, tries, hints, is_skipped FROM step",
        "SELECT lesson, piece, is_finished, time, changed FROM reading",
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof wanted / sizeof *wanted; i++) {
        sqlite3_stmt *q = prepare(s, wanted[i]);
        ok = q != NULL;
        sqlite3_finalize(q);
    }
    return ok;
}

static lh_store_state damaged(sqlite_store *s, const char *what) {
    snprintf(s->store.problem, sizeof s->store.problem, "%.400s: %s", s->path, what);
    return LH_STORE_DAMAGED;
}

/* What kind of file is it? LH_STORE_OPEN: ours, and in order. */
static lh_store_state look_at(sqlite_store *s, const lh_store_how *how) {
    long long version = 0, application = 0, tables = 0;
    /* one moment: another program may be making it */
    sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
    int code = one_number(s, "PRAGMA user_version", &version);
    if (code == SQLITE_OK) code = one_number(s, "PRAGMA application_id", &application);
    if (code == SQLITE_OK) code = one_number(s, "SELECT count(*) FROM sqlite_master", &tables);
    if (code != SQLITE_OK) blame(s);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    if (code != SQLITE_OK) return state_of(code);
    if (application != APPLICATION && (application || version || tables))
        return damaged(s, "it is a database of another program");
    if (version < 0) return damaged(s, "it is damaged: its version is less than 0");
    if (version > VERSION) {
        snprintf(s->store.problem, sizeof s->store.problem,
                 "%.400s: a newer Longhand wrote it (version %lld, this one knows %d)", s->path,
                 version, VERSION);
        return LH_STORE_NEWER;
    }
    if (how->check && !is_sound(s)) return damaged(s, "it is damaged");
    if ((version < VERSION && !migrate(s)) || !has_tables(s))
        return state_of(sqlite3_errcode(s->db));
    return LH_STORE_OPEN;
}

lh_store *lh_store_open(const char *folder, const lh_store_how *how, lh_store_trouble *why) {
    char what[512];
    *why = (lh_store_trouble){.state = LH_STORE_OPEN};
    int n = snprintf(why->path, sizeof why->path, "%s/%s", folder, file_name);
    if (n < 0 || (size_t)n >= sizeof why->path)
        return fail(why, LH_STORE_REFUSED, "the name of the folder is too long");
    if (!how->create && access(why->path, F_OK) != 0) return fail(why, LH_STORE_NONE, "");
    if (how->create && (!make_folders(folder) || !make_file(why->path))) {
        snprintf(what, sizeof what, "%.400s: %s", why->path, strerror(errno));
        return fail(why, LH_STORE_REFUSED, what);
    }
    sqlite_store *s = calloc(1, sizeof *s);
    if (!s) return fail(why, LH_STORE_REFUSED, "there is no memory left");
    s->store = (lh_store){.record = sqlite_record,
                          .sessions = sqlite_sessions,
                          .load = sqlite_load,
                          .attempts = sqlite_attempts,
                          .read = sqlite_read,
                          .reads = sqlite_reads,
                          .reset = sqlite_reset,
                          .close = sqlite_close};
    snprintf(s->path, sizeof s->path, "%s", why->path);
    lh_store_state state = LH_STORE_REFUSED;
    if (sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        blame(s);
    } else {
        sqlite3_busy_timeout(s->db, WAIT_MS);
        sqlite3_exec(s->db, "PRAGMA synchronous = EXTRA", NULL, NULL, NULL);
        state = look_at(s, how);
        if (state == LH_STORE_OPEN && !run(s, "PRAGMA journal_mode = DELETE"))
            state = LH_STORE_REFUSED;
    }
    if (state == LH_STORE_OPEN && how->create && sqlite3_db_readonly(s->db, "main") == 1) {
        snprintf(s->store.problem, sizeof s->store.problem, "%.400s: it is read-only", s->path);
        state = LH_STORE_REFUSED;
    }
    if (state == LH_STORE_OPEN) return &s->store;
    snprintf(what, sizeof what, "%s", s->store.problem);
    sqlite_close(&s->store);
    return fail(why, state, what);
}

#endif
