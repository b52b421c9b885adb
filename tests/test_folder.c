/* Model folders: a save killed at every change of the disk, each change refused once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"
#include "files/folder.h"
#include "files/json_read.h"
#include "files/replace.h"
#include "scarce.h"
#include "model_folder.h"

/* ---- a disk that ends, or refuses, at its n-th change ---- */

static int change, last_change, why; /* why 0: the program is killed there; else errno */

static bool is_refused(void) {
    if (++change != last_change) return false;
    if (!why) _exit(9);
    errno = why;
    return true;
}

static int weak_create(const char *path) {
    return is_refused() ? -1 : lh_disk_system.create(path);
}

/* A write that is killed has written the half of it. */
static ssize_t weak_write(int fd, const void *bytes, size_t n) {
    if (change + 1 == last_change && n > 1) lh_disk_system.write(fd, bytes, n / 2);
    return is_refused() ? -1 : lh_disk_system.write(fd, bytes, n);
}

/* A killed program loses nothing that was not synced: only a machine does. The test would wait for the disk all day. */
static int weak_sync(int fd) {
    (void)fd;
    return is_refused() ? -1 : 0;
}

static int weak_close(int fd) {
    if (!is_refused()) return lh_disk_system.close(fd);
    lh_disk_system.close(fd);
    errno = why;
    return -1;
}

static int weak_rename(const char *from, const char *to) {
    return is_refused() ? -1 : lh_disk_system.rename(from, to);
}

static int weak_unlink(const char *path) {
    return is_refused() ? -1 : lh_disk_system.unlink(path);
}

static int weak_mkdir(const char *path) {
    return is_refused() ? -1 : lh_disk_system.mkdir(path);
}

static int weak_truncate(const char *path, off_t length) {
    return is_refused() ? -1 : lh_disk_system.truncate(path, length);
}

static const lh_disk weak = {weak_create, weak_write,  weak_sync,  weak_close,
                             weak_rename, weak_unlink, weak_mkdir, weak_truncate};

/* ---- moments of training that can be told from each other in every part ---- */

enum { CELLS = 20000 }; /* more than a piece of the writer */

static lh_config small_config(int dim) {
    lh_config c;
    lh_config_start(&c);
    c.n_layer = c.n_head = 2;
    c.n_embd = dim;
    c.n_positions = 16;
    c.vocab_size = 65;
    return c;
}

/* Moment k, with the step of another where `step` says so. */
static bool save_moment(lh_context *ctx, int k, long long step) {
    static float weight[CELLS], state[CELLS];
    char program[64], rate[16];
    for (int i = 0; i < CELLS; i++) weight[i] = (float)k, state[i] = (float)-k;
    snprintf(program, sizeof program, "# program %d\n", k);
    snprintf(rate, sizeof rate, "%d", k);
    lh_config c = small_config(8);
    lh_generation g;
    lh_generation_start(&g);
    const lh_tensor_entry w = {"wte.weight", LH_F32, 2, {100, CELLS / 100}, weight, LH_F32},
                          s = {"wte.m", LH_F32, 1, {CELLS}, state, LH_F32};
    const lh_setting set = {"rate", rate};
    lh_folder_writer *writer = lh_folder_create(
        ctx, folder,
        &(lh_folder_files){.config = &c, .generation = &g, .tokenizer = "{\"version\":\"1.0\"}"});
    bool is_done = lh_folder_save(writer, &(lh_save){.step = step,
                                                     .seed = (uint64_t)k + 10,
                                                     .position = (uint64_t)k + 20,
                                                     .program = program,
                                                     .set = &set,
                                                     .n_set = 1,
                                                     .weight = &w,
                                                     .n_weights = 1,
                                                     .state = &s,
                                                     .n_states = 1});
    lh_folder_end(writer);
    return is_done;
}

static float all_of(const lh_tensors *t, const char *name) {
    static float x[CELLS];
    const lh_tensor *found = lh_tensors_find(t, name);
    assert_non_null(found);
    assert_int_equal(found->cells, CELLS);
    lh_tensor_copy_float(found, 0, CELLS, x);
    for (int i = 1; i < CELLS; i++)
        if (x[i] != x[0])
            fail_msg("%s is a mixture of %g and %g", name, (double)x[0], (double)x[i]);
    return x[0];
}

/* Which moment the folder holds; 0: none yet. A mixture fails. */
static int open_moment(void) {
    lh_context *ctx = lh_context_new();
    lh_folder *f = lh_folder_open(ctx, folder);
    if (!f) fail_msg("%s", lh_context_error(ctx)->what);
    int k = 0;
    if (f->weights) {
        char program[64], rate[16];
        k = (int)all_of(f->weights, "wte.weight");
        snprintf(program, sizeof program, "# program %d\n", k);
        snprintf(rate, sizeof rate, "%d", k);
        if (f->trouble) fail_msg("moment %d: %s", k, f->trouble);
        assert_non_null(f->optimizer);
        assert_int_equal((int)all_of(f->optimizer, "wte.m"), -k);
        assert_true(f->is_saved);
        assert_int_equal(f->seed, k + 10);
        assert_int_equal(f->position, k + 20);
        assert_int_equal(f->n_set, 1);
        assert_string_equal(f->set[0].name, "rate");
        assert_string_equal(f->set[0].value, rate);
        assert_string_equal(f->program, program);
        assert_string_equal(f->config.model_type, "longhand"); /* never weights without a config */
        assert_int_equal(f->config.n_embd, 8);
    }
    lh_folder_close(f);
    lh_context_free(ctx);
    return k;
}

static int files_in_folder(void) {
    DIR *d = opendir(folder);
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void save_whole(int k, long long step) {
    lh_context *ctx = lh_context_new();
    ctx->disk = &weak;
    last_change = 0;
    if (!save_moment(ctx, k, step)) fail_msg("%s", lh_context_error(ctx)->what);
    lh_context_free(ctx);
    assert_int_equal(open_moment(), k);
    assert_int_equal(files_in_folder(), 6); /* nothing is left of what was killed */
}

/* ---- kills ---- */

/* A child saves moment k and is killed before its n-th change. True: it came to its end. */
static bool killed_at(int n, int k, long long step) {
    pid_t child = fork();
    if (child == 0) {
        lh_context *ctx = lh_context_new();
        ctx->disk = &weak;
        change = why = 0;
        last_change = n;
        _exit(save_moment(ctx, k, step) ? 0 : 1);
    }
    int status = 0;
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == 1) fail_msg("change %d: the save failed", n);
    return WEXITSTATUS(status) == 0;
}

/* Steps of the old and the new moment, the same ones too: a run that was begun again. */
static void killed_at_every_change(void **state) {
    (void)state;
    static const long long steps[][2] = {{100, 200}, {100, 100}, {200, 100}};
    for (int s = 0; s < 3; s++) {
        bool is_done = false;
        int seen[3] = {0, 0, 0};
        for (int n = 1; !is_done; n++) {
            clean(NULL);
            save_whole(1, steps[s][0]);
            is_done = killed_at(n, 2, steps[s][1]);
            int k = open_moment();
            if (k != 1 && k != 2) fail_msg("change %d leaves moment %d", n, k);
            if (is_done) assert_int_equal(k, 2);
            seen[k]++;
            save_whole(3, steps[s][1] + 1); /* and training goes on */
        }
        assert_true(seen[1] > 5 && seen[2] > 2);
    }
}

static void killed_before_the_first_save(void **state) {
    (void)state;
    bool is_done = false;
    for (int n = 1; !is_done; n++) {
        clean(NULL);
        is_done = killed_at(n, 1, 100);
        struct stat st;
        int k = stat(folder, &st) ? 0 : open_moment();
        assert_int_equal(k == 1 || (!is_done && k == 0), true);
        save_whole(3, 100);
    }
}

/* Killed twice in a row: what the first left must not trip the second. */
static void killed_twice(void **state) {
    (void)state;
    int stride = engine_quick() ? 5 : 2;
    for (int first = 1; first < 32; first += stride)
        for (int second = 1; second < 32; second += stride) {
            clean(NULL);
            save_whole(1, 100);
            killed_at(first, 2, 200);
            int k = open_moment();
            assert_true(k == 1 || k == 2);
            killed_at(second, 3, 200);
            int now = open_moment();
            if (now != k && now != 3) fail_msg("%d, %d: from %d to %d", first, second, k, now);
        }
}

/* kill -9 by the clock, while a child saves without end. */
static void killed_at_random(void **state) {
    (void)state;
    clean(NULL);
    save_whole(1, 1);
    int last = 1;
    unsigned chance = 1;
    for (int i = 0; i < (engine_quick() ? 20 : 100); i++) {
        pid_t child = fork();
        if (child == 0)
            for (int k = last + 1;; k++) {
                lh_context *ctx = lh_context_new();
                ctx->disk = k % 16 ? &weak : NULL;
                if (!save_moment(ctx, k, k)) _exit(1);
                lh_context_free(ctx);
            }
        chance = chance * 1103515245 + 12345;
        nanosleep(&(struct timespec){0, (long)(chance >> 8) % 20000000}, NULL);
        int status;
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        if (!WIFSIGNALED(status)) fail_msg("a save failed before it was killed");
        int k = open_moment();
        if (k < last) fail_msg("moment %d after %d was saved", k, last);
        last = k;
    }
    assert_true(last > 1);
}

/* ---- refusals ---- */

static void each_change_refused_once(void **state) {
    (void)state;
    static const int reasons[] = {ENOSPC, EROFS, EIO, EACCES};
    for (int r = 0; r < 4; r++)
        for (int n = 1;; n++) {
            clean(NULL);
            save_whole(1, 100);
            lh_context *ctx = lh_context_new();
            ctx->disk = &weak;
            change = 0;
            last_change = n;
            why = reasons[r];
            bool is_done = save_moment(ctx, 2, 200);
            const lh_error *e = lh_context_error(ctx);
            if (!is_done && !strstr(e->what, strerror(why))) fail_msg("change %d: %s", n, e->what);
            if (!is_done && why == ENOSPC && e->kind == LH_ERROR_FILE && strstr(e->what, "written"))
                assert_non_null(strstr(e->cure, "make room"));
            bool was_refused = change >= n;
            lh_context_free(ctx);
            int k = open_moment();
            if (k != 1 && k != 2) fail_msg("change %d leaves moment %d", n, k);
            if (is_done) assert_int_equal(k, 2);
            save_whole(3, 300);
            if (!was_refused) break;
        }
}

static void a_second_writer_is_refused(void **state) {
    (void)state;
    clean(NULL);
    lh_config c = small_config(8);
    lh_context *ctx = lh_context_new(), *other = lh_context_new();
    lh_folder_writer *w = lh_folder_create(ctx, folder, &(lh_folder_files){.config = &c});
    assert_non_null(w);
    assert_null(lh_folder_create(other, folder, &(lh_folder_files){.config = &c}));
    assert_non_null(strstr(lh_context_error(other)->what, "another program is writing into"));
    lh_folder_end(w);
    lh_context_clear(other);
    w = lh_folder_create(other, folder, &(lh_folder_files){.config = &c});
    assert_non_null(w);
    lh_folder_end(w);
    lh_context_free(ctx);
    lh_context_free(other);
}

static void another_model_is_refused(void **state) {
    (void)state;
    clean(NULL);
    save_whole(1, 100);
    lh_config c = small_config(16);
    lh_context *ctx = lh_context_new();
    assert_null(lh_folder_create(ctx, folder, &(lh_folder_files){.config = &c}));
    assert_non_null(
        strstr(lh_context_error(ctx)->what, "contains another model: its n_embd differs"));
    lh_context_free(ctx);
    assert_int_equal(open_moment(), 1);
}

static void replace_in_file(const char *name, const char *text) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Weights can be used without the optimiser's states; a folder that is broken says where. */
static void what_is_missing_or_broken_is_told(void **state) {
    (void)state;
    clean(NULL);
    save_whole(1, 100);
    lh_context *ctx = lh_context_new();
    replace_in_file("optimizer-100.safetensors", "cut off");
    replace_in_file("program.lh", "# mine\n");
    lh_folder *f = lh_folder_open(ctx, folder);
    assert_non_null(f);
    assert_null(f->optimizer);
    assert_non_null(strstr(f->trouble, "too few for a safetensors file"));
    assert_string_equal(f->program, "# mine\n"); /* the one that a person can edit */
    assert_true(f->is_program_changed);
    lh_folder_close(f);
    char path[400];
    snprintf(path, sizeof path, "%s/optimizer-100.safetensors", folder);
    unlink(path);
    f = lh_folder_open(ctx, folder);
    assert_non_null(strstr(f->trouble, "optimizer-100.safetensors is not there"));
    lh_folder_close(f);
    replace_in_file("config.json", "{");
    assert_null(lh_folder_open(ctx, folder));
    assert_non_null(strstr(lh_context_error(ctx)->file, "config.json"));
    lh_context_free(ctx);
}

/* A file with the right name that another save left. */
static void another_saves_optimizer_is_not_used(void **state) {
    (void)state;
    clean(NULL);
    save_whole(1, 100);
    char from[400], to[400];
    snprintf(from, sizeof from, "%s/optimizer-100.safetensors", folder);
    snprintf(to, sizeof to, "%s/kept", folder);
    assert_int_equal(rename(from, to), 0);
    lh_context *ctx = lh_context_new();
    assert_true(save_moment(ctx, 2, 200));
    snprintf(from, sizeof from, "%s/optimizer-200.safetensors", folder);
    assert_int_equal(rename(to, from), 0);
    lh_folder *f = lh_folder_open(ctx, folder);
    assert_non_null(f);
    assert_null(f->optimizer);
    assert_non_null(strstr(f->trouble, "belongs to another save"));
    lh_folder_close(f);
    lh_context_free(ctx);
}

/* ---- memory ---- */

static void each_piece_fails_once(void **state) {
    (void)state;
    cJSON_Hooks hooks = {alloc_but_one, release_counted};
    for (int n = 0;; n++) {
        clean(NULL);
        save_whole(1, 100);
        lh_context *ctx = lh_context_new();
        ctx->disk = &weak;
        ctx->alloc = alloc_but_one;
        ctx->release = release_counted;
        asked = live = 0;
        refused = n;
        cJSON_InitHooks(&hooks);
        bool is_done = save_moment(ctx, 2, 200);
        lh_folder_close(lh_folder_open(ctx, folder));
        cJSON_InitHooks(NULL);
        bool was_refused = n > 0 && asked >= n;
        lh_error_kind kind = lh_context_error(ctx)->kind;
        if (kind != LH_OK && kind != LH_ERROR_MEMORY)
            fail_msg("piece %d: %s", n, lh_context_error(ctx)->what);
        if (live) fail_msg("piece %d: %d pieces did not come back", n, live);
        lh_context_free(ctx);
        int k = open_moment();
        assert_true(k == 2 || (k == 1 && !is_done));
        if (n > 0 && !was_refused) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_every_change),
        cmocka_unit_test(killed_before_the_first_save),
        cmocka_unit_test(killed_twice),
        cmocka_unit_test(killed_at_random),
        cmocka_unit_test(each_change_refused_once),
        cmocka_unit_test(a_second_writer_is_refused),
        cmocka_unit_test(another_model_is_refused),
        cmocka_unit_test(what_is_missing_or_broken_is_told),
        cmocka_unit_test(another_saves_optimizer_is_not_used),
        cmocka_unit_test(each_piece_fails_once),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
