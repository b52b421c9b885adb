/* Reading a model folder; folder_save.c writes it. */
#include "files/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "files/gguf_folder.h"
#include "files/save.h"

static const lh_place nowhere = {0, 0, 0};

static bool exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

static const char *path_in(const lh_folder *f, const char *name) {
    return lh_printf(f->arena, "%s/%s", f->path, name);
}

/* The text of a file of the folder, or NULL where it is not there. */
static const char *text_of(const lh_folder *f, const char *name, size_t *length) {
    const char *path = path_in(f, name);
    return exists(path) ? lh_file_read_plain(f->ctx, f->arena, path, length) : NULL;
}

static void read_settings(lh_folder *f) {
    size_t n = strlen(LH_SAVE_SET);
    lh_setting *list = NULL;
    for (int i = 0; i < f->weights->n_metadata; i++) {
        lh_pair pair = f->weights->metadata[i];
        if (strncmp(pair.key, LH_SAVE_SET, n) != 0) continue;
        *lh_push(f->arena, list, f->n_set) = (lh_setting){pair.key + n, pair.value};
    }
    f->set = list;
}

static bool read_count(const lh_folder *f, const char *key, uint64_t most, uint64_t *n) {
    const char *text = lh_tensors_metadata(f->weights, key);
    char *end = NULL;
    errno = 0;
    *n = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    const bool is_number = end && !*end && !errno;
    if (is_number && *n <= most) return true;
    lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "its metadata have %s = \"%.40s\", which is %s", key,
            text ? text : "", is_number ? "too large" : "no number");
    lh_fail_in(f->ctx, lh_tensors_path(f->weights), NULL, 0);
    return false;
}

/* A name from a file: only one that a save can have made is opened. */
static bool is_optimizer_name(const char *name) {
    size_t n = strlen(LH_SAVE_OPTIMIZER), k = strlen(name), end = strlen(LH_SAVE_ENDING);
    if (k <= n + end || strncmp(name, LH_SAVE_OPTIMIZER, n) != 0) return false;
    size_t digits = strspn(name + n, "0123456789-");
    return strcmp(name + n + digits, LH_SAVE_ENDING) == 0;
}

/* The optimiser's states are a help, not the model: where they cannot be had the weights still are. */
static void open_optimizer(lh_folder *f) {
    const char *name = lh_tensors_metadata(f->weights, LH_SAVE_FILE);
    if (!name) return;
    f->trouble = lh_printf(f->arena, "%.80s is not there", name);
    if (!is_optimizer_name(name) || !exists(path_in(f, name))) return;
    f->optimizer = lh_tensors_open(f->ctx, path_in(f, name));
    const char *its = f->optimizer ? lh_tensors_metadata(f->optimizer, LH_SAVE_FILE) : NULL;
    if (its && strcmp(its, name) == 0) {
        f->trouble = NULL;
        return;
    }
    if (f->optimizer)
        f->trouble = lh_printf(f->arena, "%s belongs to another save", name);
    else if (lh_context_error(f->ctx)->kind != LH_ERROR_MEMORY) {
        f->trouble = lh_printf(f->arena, "%s: %s", name, lh_context_error(f->ctx)->what);
        lh_context_clear(f->ctx);
    }
    lh_tensors_close(f->optimizer);
    f->optimizer = NULL;
}

static void open_save(lh_folder *f) {
    uint64_t step;
    f->is_saved = lh_tensors_metadata(f->weights, LH_SAVE_STEP) != NULL;
    if (!f->is_saved) return;
    if (!read_count(f, LH_SAVE_STEP, LH_MAX_STEP, &step) ||
        !read_count(f, LH_SAVE_SEED, UINT64_MAX, &f->seed) ||
        !read_count(f, LH_SAVE_POSITION, UINT64_MAX, &f->position))
        return;
    if (lh_tensors_metadata(f->weights, LH_SAVE_BATCH)) {
        if (!read_count(f, LH_SAVE_BATCH, LH_MAX_BATCH, &f->batch)) return;
    } else if (step > 0 && f->position % step == 0) {
        f->batch = f->position / step;
    }
    f->precision = lh_tensors_metadata(f->weights, LH_SAVE_PRECISION);
    if (!f->precision) f->precision = "float";
    if (lh_tensors_metadata(f->weights, LH_SAVE_MICRO) &&
        !read_count(f, LH_SAVE_MICRO, LH_MAX_MICRO, &f->micro))
        return;
    if (lh_tensors_metadata(f->weights, LH_SAVE_PIECES) &&
        !read_count(f, LH_SAVE_PIECES, LH_MAX_MICRO, &f->pieces))
        return;
    f->data = lh_tensors_metadata(f->weights, LH_SAVE_DATA);
    f->step = (long long)step;
    read_settings(f);
    open_optimizer(f);
}

/* The file that a person can edit counts. */
static void open_program(lh_folder *f) {
    size_t length = 0;
    const char *beside = text_of(f, LH_SAVE_PROGRAM_FILE, &length);
    const char *saved = f->weights ? lh_tensors_metadata(f->weights, LH_SAVE_PROGRAM) : NULL;
    f->program = beside ? beside : saved;
    f->program_length = beside ? length : saved ? strlen(saved) : 0;
    f->is_program_changed =
        saved && beside && (strlen(saved) != length || memcmp(saved, beside, length) != 0);
}

/* The config of an adapter is that of the model which it changes. */
static void open_adapter(lh_folder *f) {
    size_t n;
    lh_adapter *x = lh_alloc(f->arena, sizeof *x);
    const char *text = text_of(f, LH_ADAPTER_CONFIG, &n);
    if (!text || !lh_adapter_read(f->ctx, f->arena, path_in(f, LH_ADAPTER_CONFIG), text, n, x))
        return;
    const char *base = lh_adapter_base(f->ctx, f->arena, f->path, x);
    if (!base) return;
    if (lh_adapter_is(base)) {
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%s changes %s, which is an adapter itself",
                f->path, base);
        lh_cure(f->ctx, "longhand merge %s -o FOLDER makes a plain model of it", base);
        return;
    }
    f->base = lh_folder_open(f->ctx, base);
    if (!f->base) return;
    f->adapter = x;
    f->config = f->base->config;
    f->generation = f->base->generation;
}

/* config.json, or what a GGUF file means by its values. */
static const char *config_text(lh_folder *f, size_t *n) {
    if (!f->gguf) return text_of(f, "config.json", n);
    lh_text out = lh_text_new(f->arena);
    lh_gguf_config_json(f->gguf, &out);
    lh_fail_in(f->ctx, f->path, NULL, 0);
    *n = out.n;
    return lh_failed(f->ctx) ? NULL : out.s;
}

static void open_configs(lh_folder *f) {
    size_t n;
    lh_config_start(&f->config);
    lh_generation_start(&f->generation);
    f->config.model_type = "";
    if (lh_adapter_is(f->path)) open_adapter(f);
    if (lh_failed(f->ctx)) return;
    const char *text = f->adapter ? NULL : config_text(f, &n);
    const char *file =
        f->gguf ? lh_printf(f->arena, "%s, as config.json", f->path) : path_in(f, "config.json");
    if (text) lh_config_read(f->ctx, f->arena, file, text, n, &f->config);
    text = text_of(f, "generation_config.json", &n);
    if (text)
        lh_generation_read(f->ctx, f->arena, path_in(f, "generation_config.json"), text, n,
                           &f->generation);
}

static void open_weights(lh_folder *f) {
    if (f->base) {
        if (exists(path_in(f, LH_ADAPTER_WEIGHTS)))
            f->weights =
                lh_tensors_open_over(f->ctx, path_in(f, LH_ADAPTER_WEIGHTS), f->base->path);
        if (f->weights) open_save(f);
        return;
    }
    bool is_there = f->gguf || exists(path_in(f, "model.safetensors")) ||
                    exists(path_in(f, "model.safetensors.index.json"));
    if (!is_there) return;
    f->weights = lh_tensors_open(f->ctx, f->path);
    if (f->weights) open_save(f);
}

/* Weights as torch.save writes them; a model in several files has an index. */
static const char *pickle_of(const lh_folder *f) {
    static const char *const names[] = {"pytorch_model.bin", "pytorch_model.bin.index.json",
                                        "adapter_model.bin", "consolidated.00.pth"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (exists(path_in(f, names[i]))) return names[i];
    return NULL;
}

bool lh_folder_holds_model(const char *path) {
    static const char *const names[] = {
        "model.safetensors", "model.safetensors.index.json", LH_ADAPTER_CONFIG,
        "pytorch_model.bin", "pytorch_model.bin.index.json", "consolidated.00.pth"};
    char file[4200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (snprintf(file, sizeof file, "%s/%s", path, names[i]) < (int)sizeof file && exists(file))
            return true;
    return false;
}

bool lh_folder_has_weights(const lh_folder *f) {
    if (f->weights) return true;
    const char *pickle = pickle_of(f);
    lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "there is no %s in %s",
            f->adapter ? LH_ADAPTER_WEIGHTS : "model.safetensors", f->path);
    if (pickle)
        lh_cure(f->ctx,
                "its %s is a pickle, a program that we do not run; in Python, %s writes the "
                "weights as safetensors",
                pickle,
                f->adapter
                    ? "PeftModel.from_pretrained(model, folder).save_pretrained(folder)"
                    : "AutoModelForCausalLM.from_pretrained(folder).save_pretrained(folder)");
    return false;
}

lh_folder *lh_folder_open(lh_context *ctx, const char *path) {
    if (lh_failed(ctx)) return NULL;
    if (!lh_folder_is(path)) {
        lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s is not a folder that can be opened", path);
        return NULL;
    }
    lh_arena *arena = lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_folder *f = lh_alloc(arena, sizeof *f);
    *f = (lh_folder){.ctx = ctx, .arena = arena, .path = lh_copy(arena, path, strlen(path))};
    if (lh_gguf_is(path)) f->gguf = lh_gguf_open(ctx, path);
    if (!lh_failed(ctx)) open_configs(f);
    if (!lh_failed(ctx)) open_weights(f);
    if (!lh_failed(ctx)) open_program(f);
    if (!lh_failed(ctx)) return f;
    lh_folder_close(f);
    return NULL;
}

void lh_folder_close(lh_folder *f) {
    if (!f) return;
    lh_folder_close(f->base);
    lh_tensors_close(f->weights);
    lh_tensors_close(f->optimizer);
    lh_gguf_close(f->gguf);
    lh_arena_free(f->arena);
}

bool lh_folder_is(const char *path) {
    struct stat st;
    return (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) || lh_gguf_is(path);
}
