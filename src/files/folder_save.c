/* Writing a model folder: see the invariant in folder.h. The order below is what keeps it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "files/folder.h"
#include "files/replace.h"
#include "files/save.h"

struct lh_folder_writer {
    lh_context *ctx;
    lh_arena *arena;
    const char *path;
    const char *weights; /* the name of their file */
    int lock;            /* the folder, opened and locked */
    const char *program; /* what program.lh held when it was last read or written; NULL: nothing */
};

static const lh_place nowhere = {0, 0, 0};

static void fail(lh_context *ctx, const char *path, const char *what) {
    lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s cannot be %s: %s", path, what, strerror(errno));
}

/* ---- what the model is ---- */

/* Only what differs is written: a folder of someone else's is not touched for nothing. */
static void write_if_new(lh_context *ctx, lh_arena *a, const char *path, const char *text) {
    size_t length;
    struct stat st;
    if (!text || lh_failed(ctx)) return;
    if (stat(path, &st) == 0) {
        const char *old = lh_file_read_plain(ctx, a, path, &length);
        if (!old || (length == strlen(text) && memcmp(old, text, length) == 0)) return;
    }
    lh_replace_file(ctx, a, path, text, strlen(text));
}

/* Weights in the folder must be of the model that is to be saved there. A program.lh that was edited may be of another family, or of none. */
static void check_same_model(lh_folder_writer *w, const lh_folder_files *files) {
    const char *which = "";
    lh_folder *f = lh_folder_open(w->ctx, w->path);
    if (!f) return;
    bool is_other = f->weights && *f->config.model_type && files->config &&
                    !lh_config_same(&f->config, files->config, &which);
    if (is_other && !(f->is_program_changed && strcmp(which, "model_type") == 0)) {
        lh_fail(w->ctx, LH_ERROR_FILE, nowhere, "%s contains another model: its %s differs",
                w->path, which);
        lh_cure(w->ctx, "choose another folder, or remove that one");
    }
    lh_folder_close(f);
}

static void write_files(lh_folder_writer *w, const lh_folder_files *files) {
    lh_context *ctx = w->ctx;
    lh_arena *a = w->arena;
    if (files->adapter)
        write_if_new(ctx, a, lh_printf(a, "%s/" LH_ADAPTER_CONFIG, w->path),
                     lh_adapter_text(ctx, a, files->adapter));
    if (files->config)
        write_if_new(ctx, a, lh_printf(a, "%s/config.json", w->path),
                     lh_config_text(ctx, a, files->config));
    if (files->generation)
        write_if_new(ctx, a, lh_printf(a, "%s/generation_config.json", w->path),
                     lh_generation_text(ctx, a, files->generation));
    write_if_new(ctx, a, lh_printf(a, "%s/tokenizer.json", w->path), files->tokenizer);
    write_if_new(ctx, a, lh_printf(a, "%s/tokenizer_config.json", w->path),
                 files->tokenizer_config);
    write_if_new(ctx, a, lh_printf(a, "%s/chat_template.jinja", w->path), files->chat_template);
}

static void make_folder(lh_folder_writer *w) {
    bool is_made = lh_disk_of(w->ctx)->mkdir(w->path) == 0;
    if (!is_made && errno != EEXIST) {
        fail(w->ctx, w->path, "made");
        return;
    }
    if (is_made && lh_disk_sync_parent(lh_disk_of(w->ctx), w->path))
        fail(w->ctx, w->path, "synced to disk");
    w->lock = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (w->lock < 0) {
        fail(w->ctx, w->path, "opened as a folder");
    } else if (flock(w->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        lh_fail(w->ctx, LH_ERROR_FILE, nowhere, "another program is writing into %s", w->path);
        lh_cure(w->ctx, "wait until it ends, or choose another folder");
    }
}

/* What program.lh holds, or NULL. */
static const char *program_of(const lh_folder_writer *w, lh_arena *a) {
    const char *path = lh_printf(a, "%s/" LH_SAVE_PROGRAM_FILE, w->path);
    struct stat st;
    size_t length;
    return stat(path, &st) ? NULL : lh_file_read_plain(w->ctx, a, path, &length);
}

static bool is_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

lh_folder_writer *lh_folder_create(lh_context *ctx, const char *path,
                                   const lh_folder_files *files) {
    lh_arena *arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_folder_writer *w = lh_alloc(arena, sizeof *w);
    *w = (lh_folder_writer){.ctx = ctx,
                            .arena = arena,
                            .path = lh_copy(arena, path, strlen(path)),
                            .weights = files->adapter ? LH_ADAPTER_WEIGHTS : "model.safetensors",
                            .lock = -1};
    make_folder(w);
    if (!lh_failed(ctx)) check_same_model(w, files);
    if (!lh_failed(ctx)) write_files(w, files);
    if (!lh_failed(ctx)) w->program = program_of(w, arena);
    if (!lh_failed(ctx)) return w;
    lh_folder_end(w);
    return NULL;
}

void lh_folder_end(lh_folder_writer *w) {
    if (!w) return;
    if (w->lock >= 0) close(w->lock);
    lh_arena_free(w->arena);
}

/* ---- a save ---- */

/* One save while it is made. */
typedef struct saving {
    lh_context *ctx;
    lh_arena *arena;
    const char *path; /* the folder */
    const char *weights;
    const lh_save *save;
    const char *old;  /* the optimiser file that the weights name now, or "" */
    const char *name; /* the new one's */
} saving;

/* Who cannot read the old weights replaces them all the same: then there is nothing to keep. */
static const char *old_optimizer(const saving *s) {
    lh_context *own = lh_context_new();
    const char *name = NULL, *copy = "";
    if (!own) return NULL;
    lh_tensors *t = lh_tensors_open(own, lh_printf(s->arena, "%s/%s", s->path, s->weights));
    if (t) name = lh_tensors_metadata(t, LH_SAVE_FILE);
    if (name) copy = lh_copy(s->arena, name, strlen(name));
    lh_tensors_close(t);
    lh_context_free(own);
    return copy;
}

static const char *new_optimizer(const saving *s) {
    const char *name = "";
    for (int i = 1; i < 3; i++) {
        name = i == 1 ? lh_printf(s->arena, LH_SAVE_OPTIMIZER "%lld" LH_SAVE_ENDING, s->save->step)
                      : lh_printf(s->arena, LH_SAVE_OPTIMIZER "%lld-%d" LH_SAVE_ENDING,
                                  s->save->step, i);
        if (strcmp(name, s->old) != 0) break;
    }
    return name;
}

/* Optimiser files that are not `kept`: of older saves, or of one that was killed. Nothing depends on their going. */
static void remove_others(const saving *s, const char *kept) {
    DIR *d = opendir(s->path);
    for (const struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(LH_SAVE_OPTIMIZER);
        bool is_ours =
            strncmp(e->d_name, LH_SAVE_OPTIMIZER, n) == 0 && strstr(e->d_name, LH_SAVE_ENDING);
        if (is_ours && strcmp(e->d_name, kept) != 0)
            lh_disk_of(s->ctx)->unlink(lh_printf(s->arena, "%s/%s", s->path, e->d_name));
    }
    if (d) closedir(d);
}

static void add_pair(saving *s, lh_pair **list, int *n, const char *key, const char *value) {
    *lh_push(s->arena, *list, *n) = (lh_pair){key, value};
}

static lh_pair *metadata_of(saving *s, int *n) {
    lh_pair *list = NULL;
    const lh_save *save = s->save;
    lh_arena *a = s->arena;
    add_pair(s, &list, n, "format", "pt"); /* other tools ask for it: how the names are meant */
    add_pair(s, &list, n, LH_SAVE_STEP, lh_printf(a, "%lld", save->step));
    add_pair(s, &list, n, LH_SAVE_SEED, lh_printf(a, "%llu", (unsigned long long)save->seed));
    add_pair(s, &list, n, LH_SAVE_POSITION,
             lh_printf(a, "%llu", (unsigned long long)save->position));
    if (save->batch)
        add_pair(s, &list, n, LH_SAVE_BATCH, lh_printf(a, "%llu", (unsigned long long)save->batch));
    if (save->precision) add_pair(s, &list, n, LH_SAVE_PRECISION, save->precision);
    if (save->micro)
        add_pair(s, &list, n, LH_SAVE_MICRO, lh_printf(a, "%llu", (unsigned long long)save->micro));
    if (save->pieces)
        add_pair(s, &list, n, LH_SAVE_PIECES,
                 lh_printf(a, "%llu", (unsigned long long)save->pieces));
    if (save->data) add_pair(s, &list, n, LH_SAVE_DATA, save->data);
    if (save->n_states) add_pair(s, &list, n, LH_SAVE_FILE, s->name);
    for (int i = 0; i < save->n_set; i++)
        add_pair(s, &list, n, lh_printf(a, LH_SAVE_SET "%s", save->set[i].name),
                 save->set[i].value);
    if (save->program) add_pair(s, &list, n, LH_SAVE_PROGRAM, save->program);
    return list;
}

static bool write_optimizer(const saving *s) {
    const lh_pair metadata[] = {{"format", "pt"}, {LH_SAVE_FILE, s->name}};
    if (!s->save->n_states) return true;
    return lh_tensors_write_from(s->ctx, lh_printf(s->arena, "%s/%s", s->path, s->name),
                                 s->save->state, s->save->n_states, metadata, 2, s->save->source);
}

/* True: program.lh is to be written behind the save. Where it holds something else and nobody edited it, it goes before. */
static bool make_way(const saving *s, const lh_folder_writer *w) {
    const char *now = program_of(w, s->arena), *wanted = s->save->program;
    if (lh_failed(s->ctx) || !wanted || !is_same(now, w->program) || is_same(now, wanted))
        return false;
    if (now) lh_disk_of(s->ctx)->unlink(lh_printf(s->arena, "%s/" LH_SAVE_PROGRAM_FILE, s->path));
    return true;
}

static void write_program(const saving *s, lh_folder_writer *w) {
    const char *text = s->save->program;
    if (lh_replace_file(s->ctx, s->arena, lh_printf(s->arena, "%s/" LH_SAVE_PROGRAM_FILE, s->path),
                        text, strlen(text)))
        w->program = lh_copy(w->arena, text, strlen(text));
}

static bool save_all(saving *s, lh_folder_writer *w) {
    int n = 0;
    s->old = old_optimizer(s);
    if (!s->old) return false;
    s->name = new_optimizer(s);
    lh_pair *metadata = metadata_of(s, &n);
    if (lh_failed(s->ctx)) return false;
    remove_others(s, s->old);
    const bool is_program_new = make_way(s, w);
    if (!write_optimizer(s) ||
        !lh_tensors_write_from(s->ctx, lh_printf(s->arena, "%s/%s", s->path, s->weights),
                               s->save->weight, s->save->n_weights, metadata, n, s->save->source)) {
        /* a save that only could not be synced is the new one */
        const char *now = old_optimizer(s);
        if (now) remove_others(s, now);
        return false;
    }
    remove_others(s, s->save->n_states ? s->name : "");
    if (is_program_new) write_program(s, w);
    return !lh_failed(s->ctx);
}

bool lh_folder_save(lh_folder_writer *w, const lh_save *save) {
    if (!w || lh_failed(w->ctx)) return false;
    lh_arena *a = lh_arena_new(w->ctx);
    if (!a) return false;
    saving s = {.ctx = w->ctx, .arena = a, .path = w->path, .weights = w->weights, .save = save};
    bool is_done = save_all(&s, w);
    if (!is_done) lh_fail(w->ctx, LH_ERROR_MEMORY, nowhere, "out of memory: saving %s", w->path);
    lh_arena_free(a);
    return is_done;
}
