#include "train/text_part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "train/text_data.h"

static const lh_place nowhere = {0, 0, 0};

enum { BLOCK = 1 << 20 };

/* FNV-1a: enough to tell a text from another, not to keep a secret. */
static const uint64_t start = 14695981039346656037u;

static uint64_t go_on(uint64_t sum, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) sum = (sum ^ (unsigned char)s[i]) * 1099511628211u;
    return sum;
}

uint64_t lh_text_sum(const char *s, size_t n) {
    return go_on(start, s, n);
}

/* ---- one file ---- */

typedef struct source {
    lh_context *ctx;
    const char *path;
    FILE *file; /* NULL: the context failed */
    uint64_t size;
    char *block;
} source;

static void fail(source *s, const char *what) {
    lh_fail(s->ctx, LH_ERROR_FILE, nowhere, "%s cannot be %s: %s", s->path, what, strerror(errno));
}

static void open_source(source *s, lh_arena *a) {
    struct stat st;
    s->block = lh_alloc_array(a, BLOCK, 1);
    s->file = s->block ? fopen(s->path, "rb") : NULL;
    if (!s->block) return;
    if (!s->file || fstat(fileno(s->file), &st)) {
        fail(s, "opened");
    } else if (!S_ISREG(st.st_mode)) {
        lh_fail(s->ctx, LH_ERROR_FILE, nowhere,
                "%s is not a regular file: several processes cannot read parts of it", s->path);
    } else {
        s->size = (uint64_t)st.st_size;
    }
}

static size_t read_at(source *s, uint64_t at, char *to, size_t n) {
    if (lh_failed(s->ctx)) return 0;
    if (fseeko(s->file, (off_t)at, SEEK_SET) ||
        ((n = fread(to, 1, n, s->file)) == 0 && ferror(s->file))) {
        fail(s, "read");
        return 0;
    }
    return n;
}

/* The first place from `at` on where the text may be cut; the end of the file: there is none. */
static uint64_t cut_from(source *s, uint64_t at) {
    enum { BEFORE = 2 }; /* signs that are looked at before a cut */
    for (uint64_t from = at < BEFORE ? 0 : at - BEFORE; from < s->size;
         from += BLOCK - BEFORE - 1) {
        const size_t n = read_at(s, from, s->block, BLOCK);
        for (size_t i = BEFORE; i < n; i++)
            if (from + i >= at && lh_data_is_cut(s->block, i)) return from + i;
        if (n < BLOCK) break;
    }
    return s->size;
}

/* ---- all ranks ---- */

/* What rank 0 knows of the file. */
typedef struct division {
    uint64_t size, sum;
    uint64_t *begin; /* [ranks + 1] */
    uint64_t *sums;  /* [ranks] of each part */
} division;

static bool make_division(division *d, lh_arena *a, int n) {
    d->begin = lh_alloc_array(a, (size_t)n + 1, sizeof *d->begin);
    d->sums = lh_alloc_array(a, (size_t)n, sizeof *d->sums);
    return d->begin && d->sums;
}

static void divide(source *s, division *d, int n) {
    d->size = s->size, d->sum = start;
    for (int i = 0; i < n; i++) {
        const uint64_t want = (uint64_t)((double)s->size * i / n);
        d->begin[i] = i == 0 ? 0 : cut_from(s, want > d->begin[i - 1] ? want : d->begin[i - 1]);
    }
    d->begin[n] = s->size;
    for (int i = 0; i < n; i++) {
        d->sums[i] = start;
        for (uint64_t at = d->begin[i]; at < d->begin[i + 1] && !lh_failed(s->ctx);) {
            const uint64_t left = d->begin[i + 1] - at;
            const size_t k = read_at(s, at, s->block, left < BLOCK ? (size_t)left : BLOCK);
            d->sum = go_on(d->sum, s->block, k);
            d->sums[i] = go_on(d->sums[i], s->block, k);
            at += k;
        }
    }
}

static void read_part(source *s, const division *d, lh_arena *a, int rank, lh_text_part *part) {
    const uint64_t from = d->begin[rank], to = d->begin[rank + 1], n = to - from;
    if (s->size != d->size) {
        lh_fail(s->ctx, LH_ERROR_FILE, nowhere, "%s has %llu bytes here, and %llu where rank 0 is",
                s->path, (unsigned long long)s->size, (unsigned long long)d->size);
        lh_cure(s->ctx, "the same text for all processes");
        return;
    }
    part->text = lh_alloc_array(a, (size_t)n + 1, 1);
    if (!part->text) return;
    part->length = read_at(s, from, part->text, (size_t)n);
    part->text[part->length] = 0;
    part->whole = d->size, part->sum = d->sum;
    if (lh_failed(s->ctx) || lh_text_sum(part->text, part->length) == d->sums[rank]) return;
    lh_fail(s->ctx, LH_ERROR_FILE, nowhere,
            "bytes %llu to %llu of %s differ from those that rank 0 has", (unsigned long long)from,
            (unsigned long long)to, s->path);
    lh_cure(s->ctx, "the same text for all processes");
}

bool lh_text_part_read(lh_context *ctx, lh_arena *a, const char *path, const lh_ranks *ranks,
                       lh_text_part *part) {
    source s = {.ctx = ctx, .path = path};
    division d = {0};
    *part = (lh_text_part){0};
    const bool is_ready = make_division(&d, a, ranks->n);
    if (is_ready) open_source(&s, a);
    if (is_ready && ranks->rank == 0 && !lh_failed(ctx)) divide(&s, &d, ranks->n);
    if (lh_ranks_well(ranks, ctx, a)) {
        lh_ranks_tell(ranks, &d.size, sizeof d.size);
        lh_ranks_tell(ranks, &d.sum, sizeof d.sum);
        lh_ranks_tell(ranks, d.begin, ((size_t)ranks->n + 1) * sizeof *d.begin);
        lh_ranks_tell(ranks, d.sums, (size_t)ranks->n * sizeof *d.sums);
        read_part(&s, &d, a, ranks->rank, part);
        lh_ranks_well(ranks, ctx, a);
    }
    if (s.file) fclose(s.file);
    return !lh_failed(ctx);
}
