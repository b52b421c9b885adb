/* One file after the other is mapped, its header parsed and every entry checked; then names are sorted, so that finding is a
 * search by halves and a name that stands twice has its twin beside it. */
#define _DEFAULT_SOURCE /* madvise */
#include "files/tensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file.h"
#include "base/memory.h"
#include "files/gguf_folder.h"
#include "files/json_read.h"

typedef struct lh_mapped {
    const char *path;
    void *map; /* NULL: not ours */
    size_t length;
    long long seconds; /* when it was changed */
    long nanoseconds;
} lh_mapped;

/* One file while it is read. */
typedef struct reader {
    lh_tensors *t;
    const char *path;
    const unsigned char *data; /* behind the header */
    size_t n_data;
    int first; /* of its tensors */
} reader;

/* Names come from the file: messages show the beginning. */
#define NAME "\"%.80s\""

static const lh_place nowhere = {0, 0, 0};

#define refuse(r, ...)                                                                             \
    do {                                                                                           \
        lh_fail((r)->t->ctx, LH_ERROR_FILE, nowhere, __VA_ARGS__);                                 \
        lh_fail_in((r)->t->ctx, (r)->path, NULL, 0);                                               \
    } while (0)

/* ---- one entry of the header ---- */

static bool read_type(reader *r, lh_tensor *t, const cJSON *item) {
    const char *word = cJSON_GetStringValue(item);
    for (int i = 0; word && i < LH_N_DTYPES; i++)
        if (strcmp(word, lh_dtype_name((lh_dtype)i)) == 0) {
            t->type = (lh_dtype)i;
            return true;
        }
    if (word)
        refuse(r, NAME " has the type \"%.20s\", which is not known", t->name, word);
    else
        refuse(r, NAME " has no dtype", t->name);
    return false;
}

static bool read_sizes(reader *r, lh_tensor *t, const cJSON *item) {
    if (!item || !cJSON_IsArray(item)) {
        refuse(r, NAME " has no shape", t->name);
        return false;
    }
    t->cells = 1;
    for (const cJSON *c = item->child; c; c = c->next) {
        long long n;
        if (t->rank == LH_MAX_RANK) {
            refuse(r, NAME " has more than %d sizes", t->name, LH_MAX_RANK);
            return false;
        }
        if (!lh_json_whole(c, &n)) {
            refuse(r, NAME ": a size of its shape is not a whole number from 0 on", t->name);
            return false;
        }
        t->size[t->rank++] = (size_t)n;
        if (n > 0 && t->cells > SIZE_MAX / 8 / (size_t)n) {
            refuse(r, NAME " has more numbers than a machine can count", t->name);
            return false;
        }
        t->cells *= (size_t)n;
    }
    t->bytes = t->cells * lh_dtype_bytes(t->type);
    return true;
}

static bool read_offsets(reader *r, lh_tensor *t, const cJSON *item) {
    long long from, to;
    const cJSON *a = item && cJSON_IsArray(item) ? item->child : NULL;
    if (!a || !a->next || a->next->next || !lh_json_whole(a, &from) ||
        !lh_json_whole(a->next, &to)) {
        refuse(r, NAME ": data_offsets must be two whole numbers from 0 on", t->name);
        return false;
    }
    if (to < from || (unsigned long long)to > r->n_data) {
        refuse(r, NAME " lies at bytes %lld to %lld, and the file has %zu bytes of data", t->name,
               from, to, r->n_data);
        if (to >= from)
            lh_cure(r->t->ctx, "the file may be cut off: copy or download it once more");
        return false;
    }
    if ((size_t)(to - from) != t->bytes) {
        refuse(r, NAME " is %s of %s, which is %zu bytes, and its offsets hold %lld", t->name,
               lh_sizes_text(r->t->arena, t->rank, t->size), lh_dtype_name(t->type), t->bytes,
               to - from);
        return false;
    }
    t->data = r->data + from;
    t->is_aligned =
        lh_dtype_is_native(t->type) && (uintptr_t)t->data % lh_dtype_bytes(t->type) == 0;
    return true;
}

static bool read_name(reader *r, lh_tensor *t, const char *name) {
    size_t n = strlen(name);
    if (n > LH_MAX_TENSOR_NAME) {
        refuse(r, "a name has %zu bytes, and %d are allowed: " NAME " ...", n, LH_MAX_TENSOR_NAME,
               name);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7F) {
            refuse(r, "a name has a control character in it: byte %zu of %zu", i, n);
            return false;
        }
    t->name = lh_copy(r->t->arena, name, n);
    return true;
}

static void read_tensor(reader *r, const cJSON *entry) {
    static const char *const fields[] = {"dtype", "shape", "data_offsets"};
    const cJSON *found[3] = {NULL, NULL, NULL};
    lh_tensor t = {0};
    if (!read_name(r, &t, entry->string)) return;
    if (!cJSON_IsObject(entry)) {
        refuse(r, NAME ": dtype, shape and data_offsets in { } are expected", t.name);
        return;
    }
    for (const cJSON *c = entry->child; c; c = c->next)
        for (int i = 0; i < 3; i++) {
            if (strcmp(c->string, fields[i]) != 0) continue;
            if (found[i]) {
                refuse(r, NAME " has %s twice", t.name, fields[i]);
                return;
            }
            found[i] = c;
        }
    if (!read_type(r, &t, found[0]) || !read_sizes(r, &t, found[1]) ||
        !read_offsets(r, &t, found[2]))
        return;
    *lh_push(r->t->arena, r->t->tensor, r->t->n) = t;
}

static void read_metadata(reader *r, const cJSON *entry) {
    if (!cJSON_IsObject(entry)) {
        refuse(r, "__metadata__ must be texts in { }");
        return;
    }
    lh_tensors *t = r->t;
    for (const cJSON *c = entry->child; c; c = c->next) {
        const char *value = cJSON_GetStringValue(c);
        if (!value) {
            refuse(r, "__metadata__: " NAME " is not a text", c->string);
            return;
        }
        lh_pair pair = {lh_copy(t->arena, c->string, strlen(c->string)),
                        lh_copy(t->arena, value, strlen(value))};
        if (t->n_files == 1) *lh_push(t->arena, t->metadata, t->n_metadata) = pair;
    }
}

/* ---- all entries of a file ---- */

static int by_place(const void *a, const void *b) {
    const lh_tensor *x = a, *y = b;
    if (x->data != y->data) return x->data < y->data ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Data lies one behind the other, without holes, up to the end of the file. */
static void check_places(reader *r) {
    lh_tensors *t = r->t;
    size_t n = (size_t)(t->n - r->first), at = 0;
    lh_tensor *list = n ? t->tensor + r->first : NULL;
    if (n) qsort(list, n, sizeof *list, by_place);
    for (size_t i = 0; i < n; i++) {
        size_t from = (size_t)(list[i].data - r->data);
        if (from < at) {
            refuse(r, NAME " and " NAME " overlap", list[i - 1].name, list[i].name);
            return;
        }
        if (from > at) {
            refuse(r, "%zu bytes before " NAME " belong to no tensor", from - at, list[i].name);
            return;
        }
        at = from + list[i].bytes;
    }
    if (at != r->n_data)
        refuse(r, "%zu bytes after the last tensor belong to no tensor", r->n_data - at);
}

static void read_header(reader *r, const char *text, size_t length) {
    cJSON *root = lh_json_parse(r->t->ctx, r->path, text, length);
    bool has_metadata = false;
    if (root && !cJSON_IsObject(root)) refuse(r, "the header is not an object in { }");
    for (const cJSON *c = root ? root->child : NULL; c && !lh_failed(r->t->ctx); c = c->next) {
        bool is_metadata = strcmp(c->string, "__metadata__") == 0;
        if (is_metadata && has_metadata) refuse(r, "__metadata__ occurs twice");
        has_metadata |= is_metadata;
        if (is_metadata)
            read_metadata(r, c);
        else
            read_tensor(r, c);
    }
    cJSON_Delete(root);
    if (!lh_failed(r->t->ctx)) check_places(r);
}

static void read_bytes(lh_tensors *t, const char *path, const unsigned char *bytes, size_t length) {
    reader r = {.t = t, .path = path, .first = t->n};
    uint64_t n = 0;
    if (length < 8) {
        refuse(&r, "%zu byte%s too few for a safetensors file", length,
               length == 1 ? " is" : "s are");
        return;
    }
    for (int i = 7; i >= 0; i--) n = n << 8 | bytes[i];
    if (n > length - 8) {
        refuse(&r, "its header has %llu bytes, and the file has %zu", (unsigned long long)n,
               length);
        lh_cure(t->ctx, "either it was cut off, or it is not a safetensors file");
        return;
    }
    if (n > LH_MAX_TENSOR_HEADER) {
        refuse(&r, "its header has %llu bytes, and %d are allowed", (unsigned long long)n,
               LH_MAX_TENSOR_HEADER);
        return;
    }
    r.data = bytes + 8 + n;
    r.n_data = length - 8 - (size_t)n;
    read_header(&r, (const char *)bytes + 8, (size_t)n);
}

/* ---- files ---- */

static int by_name(const void *a, const void *b) {
    return strcmp((*(const lh_tensor *const *)a)->name, (*(const lh_tensor *const *)b)->name);
}

static void sort_names(lh_tensors *t, const char *path) {
    if (lh_failed(t->ctx) || t->n == 0) return;
    reader r = {.t = t, .path = path};
    t->by_name = lh_alloc_array(t->arena, (size_t)t->n, sizeof *t->by_name);
    if (!t->by_name) return;
    for (int i = 0; i < t->n; i++) t->by_name[i] = &t->tensor[i];
    qsort(t->by_name, (size_t)t->n, sizeof *t->by_name, by_name);
    for (int i = 1; i < t->n; i++)
        if (strcmp(t->by_name[i - 1]->name, t->by_name[i]->name) == 0) {
            refuse(&r, NAME " occurs twice", t->by_name[i]->name);
            return;
        }
}

static lh_mapped *add_file(lh_tensors *t, const char *path) {
    lh_mapped *m = lh_push(t->arena, t->file, t->n_files);
    *m = (lh_mapped){.path = lh_copy(t->arena, path, strlen(path))};
    return m;
}

static void map_file(lh_tensors *t, const char *path) {
    struct stat st;
    lh_mapped *m = add_file(t, path);
    if (lh_failed(t->ctx)) return;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would wait */
    if (fd < 0 || fstat(fd, &st)) {
        lh_fail(t->ctx, LH_ERROR_FILE, nowhere, "%s cannot be opened: %s", path, strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        lh_fail(t->ctx, LH_ERROR_FILE, nowhere, "%s is not an ordinary file", path);
    } else if (st.st_size > 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED && errno == ENOMEM)
            lh_memory_fits(t->ctx, (double)st.st_size, "a higher limit: ulimit -v");
        if (map == MAP_FAILED)
            lh_fail(t->ctx, LH_ERROR_FILE, nowhere, "%s cannot be read: %s", path, strerror(errno));
        else
            m->map = map, m->length = (size_t)st.st_size;
        m->seconds = st.st_mtim.tv_sec, m->nanoseconds = st.st_mtim.tv_nsec;
    }
    if (fd >= 0) close(fd);
    if (!lh_failed(t->ctx)) read_bytes(t, m->path, m->map, m->length);
}

/* ---- an index: {"weight_map": {"wte.weight": "model-00001-of-00002.safetensors", ...}} ---- */

/* Files of a model lie in its folder: a name that leads out of it is refused. */
static bool is_plain_name(const char *s) {
    return s && *s && *s != '.' && !strchr(s, '/') && strlen(s) < 256;
}

static int find_file(const lh_tensors *t, const char *path) {
    for (int i = 0; i < t->n_files; i++)
        if (strcmp(t->file[i].path, path) == 0) return i;
    return -1;
}

static void open_parts(lh_tensors *t, const char *path, const cJSON *map) {
    reader r = {.t = t, .path = path};
    const char *slash = strrchr(path, '/');
    int n = slash ? (int)(slash - path) + 1 : 0;
    for (const cJSON *c = map->child; c && !lh_failed(t->ctx); c = c->next) {
        const char *name = cJSON_GetStringValue(c);
        if (!is_plain_name(name)) {
            refuse(&r, NAME " is not in a file next to the index", c->string);
            return;
        }
        const char *part = lh_printf(t->arena, "%.*s%s", n, path, name);
        if (find_file(t, part) >= 0) continue;
        if (t->n_files == LH_MAX_TENSOR_FILES) {
            refuse(&r, "more than %d files", LH_MAX_TENSOR_FILES);
            return;
        }
        map_file(t, part);
    }
    sort_names(t, path);
    for (const cJSON *c = map->child; c && !lh_failed(t->ctx); c = c->next)
        if (!lh_tensors_find(t, c->string))
            refuse(&r, NAME " is not in %s, where it should be", c->string, c->valuestring);
}

static void open_index(lh_tensors *t, const char *path) {
    size_t length;
    char *text = lh_file_read_plain(t->ctx, t->arena, path, &length);
    cJSON *root = text ? lh_json_parse(t->ctx, path, text, length) : NULL;
    const cJSON *map = cJSON_GetObjectItemCaseSensitive(root, "weight_map");
    if (map && cJSON_IsObject(map)) {
        open_parts(t, path, map);
    } else if (root) {
        lh_fail(t->ctx, LH_ERROR_FILE, nowhere, "there is no weight_map in it");
        lh_fail_in(t->ctx, path, NULL, 0);
    }
    cJSON_Delete(root);
}

/* ---- the interface ---- */

static lh_tensors *tensors_new(lh_context *ctx) {
    if (lh_failed(ctx)) return NULL;
    lh_arena *arena = lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_tensors *t = lh_alloc(arena, sizeof *t);
    *t = (lh_tensors){.ctx = ctx, .arena = arena};
    return t;
}

static lh_tensors *tensors_done(lh_tensors *t, const char *path) {
    if (!t->by_name) sort_names(t, path);
    if (!lh_failed(t->ctx)) return t;
    lh_tensors_close(t);
    return NULL;
}

static bool exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

/* The file to open in a folder: the weights, or the index of their parts. */
static const char *in_folder(lh_tensors *t, const char *folder) {
    const char *one = lh_printf(t->arena, "%s/model.safetensors", folder);
    const char *index = lh_printf(t->arena, "%s/model.safetensors.index.json", folder);
    return exists(one) || !exists(index) ? one : index;
}

static void open_gguf(lh_tensors *t, const char *path) {
    struct stat st;
    lh_mapped *m = add_file(t, path);
    t->gguf = lh_gguf_open(t->ctx, path);
    if (!t->gguf || stat(path, &st)) return;
    m->length = (size_t)st.st_size;
    m->seconds = st.st_mtim.tv_sec, m->nanoseconds = st.st_mtim.tv_nsec;
    lh_gguf_tensors(t->gguf, t);
    lh_fail_in(t->ctx, path, NULL, 0);
}

static void open_any(lh_tensors *t, const char *path) {
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) path = in_folder(t, path);
    if (lh_ends_in(path, ".json"))
        open_index(t, path);
    else if (lh_gguf_is(path))
        open_gguf(t, path);
    else
        map_file(t, path);
}

lh_tensors *lh_tensors_open(lh_context *ctx, const char *path) {
    lh_tensors *t = tensors_new(ctx);
    if (!t) return NULL;
    open_any(t, path);
    return tensors_done(t, path);
}

lh_tensors *lh_tensors_open_over(lh_context *ctx, const char *path, const char *under) {
    lh_tensors *t = tensors_new(ctx);
    if (!t) return NULL;
    open_any(t, path);
    if (!lh_failed(ctx)) open_any(t, under);
    return tensors_done(t, path);
}

lh_tensors *lh_tensors_read(lh_context *ctx, const char *name, const void *bytes, size_t length) {
    lh_tensors *t = tensors_new(ctx);
    if (!t) return NULL;
    add_file(t, name);
    if (!lh_failed(ctx)) read_bytes(t, t->file->path, bytes, length);
    return tensors_done(t, name);
}

void lh_tensors_close(lh_tensors *t) {
    if (!t) return;
    for (int i = 0; i < t->n_files; i++)
        if (t->file[i].map) munmap(t->file[i].map, t->file[i].length);
    lh_gguf_close(t->gguf);
    lh_arena_free(t->arena);
}

/* Whole pages of a mapped file alone: of other memory the numbers would be gone. */
void lh_tensors_forget(const lh_tensors *t, const lh_tensor *x) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)x->data,
                    first = (from + page - 1) / page * page, end = (from + x->bytes) / page * page;
    for (int i = 0; i < t->n_files; i++) {
        const uintptr_t map = (uintptr_t)t->file[i].map;
        const bool is_in_it = map && from >= map && from - map < t->file[i].length;
        if (is_in_it && first < end)
            (void)madvise((char *)t->file[i].map + (first - map), end - first, MADV_DONTNEED);
    }
}

const char *lh_tensors_stamp(const lh_tensors *t, lh_arena *a) {
    lh_text out = lh_text_new(a);
    for (int i = 0; i < t->n_files; i++) {
        const lh_mapped *m = &t->file[i];
        const char *slash = strrchr(m->path, '/');
        lh_text_add(&out, "%s%s %zu %lld.%09ld", i ? ", " : "", slash ? slash + 1 : m->path,
                    m->length, m->seconds, m->nanoseconds);
    }
    return out.s;
}

const lh_tensor *lh_tensors_find(const lh_tensors *t, const char *name) {
    const lh_tensor wanted = {.name = name}, *key = &wanted;
    if (!t->by_name) return NULL;
    const lh_tensor *const *found =
        bsearch(&key, t->by_name, (size_t)t->n, sizeof *t->by_name, by_name);
    return found ? *found : NULL;
}

const char *lh_tensors_path(const lh_tensors *t) {
    return t->n_files ? t->file[0].path : "";
}

const char *lh_tensors_metadata(const lh_tensors *t, const char *key) {
    for (int i = 0; i < t->n_metadata; i++)
        if (strcmp(t->metadata[i].key, key) == 0) return t->metadata[i].value;
    return NULL;
}
