#include "files/gguf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/gguf_internal.h"

static const lh_place nowhere = {0, 0, 0};

typedef struct gguf_reader {
    lh_gguf *f;
    const unsigned char *bytes;
    size_t n, at;
} gguf_reader;

static void refuse(const gguf_reader *r, const char *what) {
    lh_fail(r->f->ctx, LH_ERROR_FILE, nowhere, "%s, at byte %zu of %zu", what, r->at, r->n);
}

/* The next k bytes; NULL: there are fewer, and reading has failed. */
static const unsigned char *take(gguf_reader *r, uint64_t k) {
    if (lh_failed(r->f->ctx)) return NULL;
    if (k > r->n - r->at) {
        refuse(r, "the file ends too early");
        return NULL;
    }
    const unsigned char *p = r->bytes + r->at;
    r->at += (size_t)k;
    return p;
}

static uint64_t number_at(const unsigned char *p, int bytes) {
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint64_t)p[i] << 8 * i;
    return x;
}

static uint64_t take_number(gguf_reader *r, int bytes) {
    const unsigned char *p = take(r, (uint64_t)bytes);
    return p ? number_at(p, bytes) : 0;
}

static lh_gguf_text take_text(gguf_reader *r) {
    uint64_t n = take_number(r, 8);
    const unsigned char *p = take(r, n);
    return p ? (lh_gguf_text){(const char *)p, (size_t)n} : (lh_gguf_text){"", 0};
}

/* A name is short, and has no 0 in it. */
static const char *take_name(gguf_reader *r) {
    lh_gguf_text t = take_text(r);
    if (!lh_failed(r->f->ctx) && (t.n == 0 || t.n > LH_GGUF_NAME || memchr(t.s, 0, t.n)))
        refuse(r, "a name is empty, too long, or has the character 0");
    return lh_failed(r->f->ctx) ? "" : lh_copy(r->f->arena, t.s, t.n);
}

static int width_of(lh_gguf_kind kind) {
    static const int width[LH_GGUF_KINDS] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return width[kind];
}

static lh_gguf_kind take_kind(gguf_reader *r) {
    uint64_t kind = take_number(r, 4);
    if (kind < LH_GGUF_KINDS) return (lh_gguf_kind)kind;
    refuse(r, "a value of a type that is not known");
    return LH_GGUF_U8;
}

static void take_list(gguf_reader *r, lh_gguf_value *v) {
    v->of = take_kind(r);
    v->n = take_number(r, 8);
    if (v->of == LH_GGUF_LIST) refuse(r, "a list of lists");
    if (v->n > (r->n - r->at) / (v->of == LH_GGUF_TEXT ? 8 : 1))
        refuse(r, "a list continues after the end of the file");
    if (lh_failed(r->f->ctx)) return;
    v->at = r->bytes + r->at;
    if (v->of != LH_GGUF_TEXT) {
        take(r, v->n * (uint64_t)width_of(v->of)); /* no overflow: n is less than the file */
        return;
    }
    v->text = lh_alloc_array(r->f->arena, (size_t)v->n + 1, sizeof *v->text);
    for (uint64_t i = 0; v->text && i < v->n && !lh_failed(r->f->ctx); i++)
        v->text[i] = take_text(r);
}

static void take_value(gguf_reader *r) {
    lh_gguf_value v = {.name = take_name(r)};
    v.kind = take_kind(r);
    v.at = r->bytes + r->at;
    if (v.kind == LH_GGUF_LIST) {
        take_list(r, &v);
    } else if (v.kind == LH_GGUF_TEXT) {
        v.text = lh_alloc(r->f->arena, sizeof *v.text);
        *v.text = take_text(r);
    } else {
        take(r, (uint64_t)width_of(v.kind));
    }
    if (!lh_failed(r->f->ctx) && lh_gguf_value_of(r->f, v.name)) refuse(r, "a value occurs twice");
    if (!lh_failed(r->f->ctx)) *lh_push(r->f->arena, r->f->value, r->f->n_values) = v;
}

/* Its sizes must fit its type; its position is checked once the data section is known. */
static void take_tensor(gguf_reader *r, uint64_t *offset) {
    lh_gguf_tensor t = {.name = take_name(r), .cells = 1};
    uint64_t rank = take_number(r, 4);
    size_t cells = 1, bytes = 1;
    if (rank == 0 || rank > LH_GGUF_SIZES) refuse(r, "a tensor has no size, or more than four");
    for (uint64_t i = 0; i < rank && !lh_failed(r->f->ctx); i++) {
        uint64_t n = take_number(r, 8);
        if (n == 0 || n > SIZE_MAX / 64 / t.cells) {
            refuse(r, "a tensor is empty or too large");
            return;
        }
        t.size[i] = (size_t)n;
        t.cells *= (size_t)n;
    }
    t.rank = (int)rank;
    t.type = (lh_gguf_type)take_number(r, 4);
    *offset = take_number(r, 8);
    if (lh_failed(r->f->ctx)) return;
    if (!lh_gguf_block(t.type, &cells, &bytes)) {
        lh_fail(r->f->ctx, LH_ERROR_FILE, nowhere, "%.80s is of type %d, which is not supported",
                t.name, (int)t.type);
        lh_cure(r->f->ctx, "F32, F16, BF16, Q8_0, Q4_0, Q4_K and Q6_K are");
        return;
    }
    if (t.size[0] % cells) refuse(r, "the first size of a tensor does not fill its blocks");
    t.bytes = t.cells / cells * bytes;
    *lh_push(r->f->arena, r->f->tensor, r->f->n_tensors) = t;
}

static int by_data(const void *a, const void *b) {
    const lh_gguf_tensor *x = *(const lh_gguf_tensor *const *)a,
                         *y = *(const lh_gguf_tensor *const *)b;
    return x->data < y->data ? -1 : x->data > y->data;
}

static int by_name(const void *a, const void *b) {
    const lh_gguf_tensor *x = *(const lh_gguf_tensor *const *)a,
                         *y = *(const lh_gguf_tensor *const *)b;
    return strcmp(x->name, y->name);
}

static void check_tensors(gguf_reader *r) {
    lh_gguf *f = r->f;
    const lh_gguf_tensor **list = lh_alloc_array(f->arena, (size_t)f->n_tensors + 1, sizeof *list);
    if (!list) return;
    for (int i = 0; i < f->n_tensors; i++) list[i] = &f->tensor[i];
    qsort(list, (size_t)f->n_tensors, sizeof *list, by_data);
    for (int i = 1; i < f->n_tensors && !lh_failed(f->ctx); i++)
        if (list[i]->data < list[i - 1]->data + list[i - 1]->bytes)
            lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%.80s and %.80s overlap", list[i - 1]->name,
                    list[i]->name);
    qsort(list, (size_t)f->n_tensors, sizeof *list, by_name);
    for (int i = 1; i < f->n_tensors && !lh_failed(f->ctx); i++)
        if (strcmp(list[i]->name, list[i - 1]->name) == 0)
            lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "the tensor %.80s occurs twice", list[i]->name);
}

static void place_tensors(gguf_reader *r, const uint64_t *offset) {
    uint64_t alignment = 32;
    const bool is_said = lh_gguf_value_of(r->f, "general.alignment") != NULL;
    if ((is_said && !lh_gguf_whole(r->f, "general.alignment", &alignment)) || alignment == 0 ||
        alignment > 1 << 20 || alignment % 8) {
        refuse(r, "general.alignment is not a multiple of 8");
        return;
    }
    size_t begin = (r->at + (size_t)alignment - 1) / (size_t)alignment * (size_t)alignment;
    for (int i = 0; i < r->f->n_tensors && !lh_failed(r->f->ctx); i++) {
        lh_gguf_tensor *t = &r->f->tensor[i];
        if (begin > r->n || offset[i] > r->n - begin || t->bytes > r->n - begin - (size_t)offset[i])
            lh_fail(r->f->ctx, LH_ERROR_FILE, nowhere, "%.80s ends after the end of the file",
                    t->name);
        else
            t->data = r->bytes + begin + offset[i];
    }
    if (!lh_failed(r->f->ctx)) check_tensors(r);
}

static void read_all(gguf_reader *r) {
    const unsigned char *magic = take(r, 4);
    if (magic && memcmp(magic, "GGUF", 4) != 0) {
        r->at = 0;
        refuse(r, "this is not a GGUF file");
    }
    r->f->version = (uint32_t)take_number(r, 4);
    if (!lh_failed(r->f->ctx) && r->f->version != 2 && r->f->version != 3)
        refuse(r, "its version is neither 2 nor 3 (or its numbers have their highest byte first)");
    uint64_t n_tensors = take_number(r, 8), n_values = take_number(r, 8);
    if (n_tensors > LH_GGUF_MOST || n_values > LH_GGUF_MOST)
        refuse(r, "too many tensors or values");
    for (uint64_t i = 0; i < n_values && !lh_failed(r->f->ctx); i++) take_value(r);
    if (n_tensors > r->n / 24) refuse(r, "too many tensors for its length");
    if (lh_failed(r->f->ctx)) return;
    uint64_t *offset = lh_alloc_array(r->f->arena, (size_t)n_tensors + 1, sizeof *offset);
    for (uint64_t i = 0; offset && i < n_tensors && !lh_failed(r->f->ctx); i++)
        take_tensor(r, &offset[i]);
    if (offset && !lh_failed(r->f->ctx)) place_tensors(r, offset);
}

lh_gguf *lh_gguf_read(lh_context *ctx, const char *name, const void *bytes, size_t length) {
    lh_arena *arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!arena) return NULL;
    gguf_reader r = {.f = lh_alloc(arena, sizeof *r.f), .bytes = bytes, .n = length};
    *r.f = (lh_gguf){.ctx = ctx, .arena = arena};
    read_all(&r);
    lh_fail_in(ctx, name, NULL, 0);
    if (!lh_failed(ctx)) return r.f;
    lh_gguf_close(r.f);
    return NULL;
}

lh_gguf *lh_gguf_open(lh_context *ctx, const char *path) {
    struct stat st;
    if (lh_failed(ctx)) return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *map = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s cannot be read: %s", path,
                fd < 0 ? strerror(errno) : "it is empty, or not a regular file");
    if (fd >= 0) close(fd);
    if (map == MAP_FAILED) return NULL;
    lh_gguf *f = lh_gguf_read(ctx, path, map, (size_t)st.st_size);
    if (f)
        f->map = map, f->mapped = (size_t)st.st_size;
    else
        munmap(map, (size_t)st.st_size);
    return f;
}

void lh_gguf_close(lh_gguf *f) {
    if (!f) return;
    if (f->map) munmap(f->map, f->mapped);
    lh_arena_free(f->arena);
}

bool lh_gguf_is(const char *path) {
    char magic[4] = "";
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false; /* a pipe is left alone */
    FILE *f = fopen(path, "rb");
    const bool is_it = f && fread(magic, 1, 4, f) == 4 && memcmp(magic, "GGUF", 4) == 0;
    if (f) fclose(f);
    return is_it;
}

/* ---- values ---- */

const lh_gguf_value *lh_gguf_value_of(const lh_gguf *f, const char *name) {
    for (int i = 0; i < f->n_values; i++)
        if (strcmp(f->value[i].name, name) == 0) return &f->value[i];
    return NULL;
}

static double value_at(lh_gguf_kind kind, const unsigned char *p) {
    int width = width_of(kind);
    uint64_t x = number_at(p, width);
    float f;
    double d;
    uint32_t low = (uint32_t)x;
    switch (kind) {
    case LH_GGUF_F32: memcpy(&f, &low, 4); return (double)f;
    case LH_GGUF_F64: memcpy(&d, &x, 8); return d;
    case LH_GGUF_I8: return (double)(int8_t)x;
    case LH_GGUF_I16: return (double)(int16_t)x;
    case LH_GGUF_I32: return (double)(int32_t)x;
    case LH_GGUF_I64: return (double)(int64_t)x;
    default: return (double)x;
    }
}

static bool is_number(const lh_gguf_value *v) {
    return v && v->kind != LH_GGUF_TEXT && v->kind != LH_GGUF_LIST;
}

bool lh_gguf_number(const lh_gguf *f, const char *name, double *x) {
    const lh_gguf_value *v = lh_gguf_value_of(f, name);
    if (!is_number(v)) return false;
    *x = value_at(v->kind, v->at);
    return true;
}

bool lh_gguf_whole(const lh_gguf *f, const char *name, uint64_t *n) {
    double x;
    if (!lh_gguf_number(f, name, &x) || !(x >= 0 && x <= 0x1p53) || x != (double)(uint64_t)x)
        return false;
    *n = (uint64_t)x;
    return true;
}

const char *lh_gguf_words(const lh_gguf *f, const char *name) {
    const lh_gguf_value *v = lh_gguf_value_of(f, name);
    return v && v->kind == LH_GGUF_TEXT ? lh_copy(f->arena, v->text->s, v->text->n) : NULL;
}

double lh_gguf_item(const lh_gguf_value *v, uint64_t i) {
    return value_at(v->of, v->at + i * (uint64_t)width_of(v->of));
}

const lh_gguf_tensor *lh_gguf_find(const lh_gguf *f, const char *name) {
    for (int i = 0; i < f->n_tensors; i++)
        if (strcmp(f->tensor[i].name, name) == 0) return &f->tensor[i];
    return NULL;
}
