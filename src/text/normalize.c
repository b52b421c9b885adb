/* Normalisers: each reads one text and writes another. */
#include <string.h>

#include "base/utf8.h"
#include "text/pipeline.h"

typedef struct normal_io {
    const char *s;
    size_t n;
    lh_text out;
} normal_io;

/* The character at i; a byte that is not UTF-8 is 0x7FFFFFFF and one byte long. */
static uint32_t next_char(const normal_io *io, size_t i, size_t *bytes) {
    uint32_t c = 0x7FFFFFFF;
    size_t k = lh_utf8_read(io->s + i, io->n - i, &c);
    *bytes = k ? k : 1;
    return k ? c : 0x7FFFFFFF;
}

static const char *find_literal(const char *s, size_t n, const char *what, size_t k) {
    for (const char *end = s + n, *at; (size_t)(end - s) >= k; s = at + 1) {
        at = memchr(s, what[0], (size_t)(end - s) - k + 1);
        if (!at || memcmp(at, what, k) == 0) return at;
    }
    return NULL;
}

static void replace_literal(const lh_normal *f, normal_io *io) {
    const char *s = io->s, *end = io->s + io->n, *at;
    while (f->n_literal && (at = find_literal(s, (size_t)(end - s), f->literal, f->n_literal))) {
        lh_text_add_n(&io->out, s, (size_t)(at - s));
        lh_text_add_n(&io->out, f->text, f->n);
        s = at + f->n_literal;
    }
    lh_text_add_n(&io->out, s, (size_t)(end - s));
}

static void replace_pattern(lh_context *ctx, const lh_normal *f, normal_io *io) {
    lh_scan scan = lh_scan_new(ctx, io->out.arena, f->pattern, io->s, io->n);
    size_t start, end, at = 0;
    while (lh_scan_next(&scan, &start, &end)) {
        lh_text_add_n(&io->out, io->s + at, start - at);
        lh_text_add_n(&io->out, f->text, f->n);
        at = end;
    }
    lh_text_add_n(&io->out, io->s + at, io->n - at);
}

static void lower(normal_io *io) {
    for (size_t i = 0, k; i < io->n; i += k) {
        uint32_t c = next_char(io, i, &k);
        if (c < 0x110000)
            lh_unicode_add_lower(&io->out, c);
        else
            lh_text_add_n(&io->out, io->s + i, k);
    }
}

static void strip(const lh_normal *f, normal_io *io) {
    size_t first = 0, last = 0, k;
    bool is_empty = true;
    for (size_t i = 0; i < io->n; i += k) {
        if (lh_unicode_is_space(next_char(io, i, &k))) continue;
        if (is_empty) first = i;
        is_empty = false;
        last = i + k;
    }
    if (is_empty) last = 0;
    if (!f->left) first = 0;
    if (!f->right) last = io->n;
    if (is_empty && f->left) first = last = io->n;
    lh_text_add_n(&io->out, io->s + first, last - first);
}

static void drop_marks(normal_io *io, bool (*is_dropped)(uint32_t)) {
    for (size_t i = 0, k; i < io->n; i += k)
        if (!is_dropped(next_char(io, i, &k))) lh_text_add_n(&io->out, io->s + i, k);
}

static bool is_nonspacing(uint32_t c) {
    return lh_unicode_category_of(c) == LH_CATEGORY_MN;
}

/* ---- BERT's ---- */

static bool is_control(uint32_t c) {
    if (c == '\t' || c == '\n' || c == '\r') return false;
    lh_unicode_category k = lh_unicode_category_of(c);
    return c == 0 || c == 0xFFFD || k == LH_CATEGORY_CC || k == LH_CATEGORY_CF ||
           k == LH_CATEGORY_CO;
}

/* The blocks of Chinese characters, as BERT's own program lists them (0x2B920 is its number). */
static bool is_chinese(uint32_t c) {
    static const uint32_t block[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                        {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                        {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        if (c >= block[i][0] && c <= block[i][1]) return true;
    return false;
}

static void clean(normal_io *io) {
    for (size_t i = 0, k; i < io->n; i += k) {
        uint32_t c = next_char(io, i, &k);
        if (c < 0x110000 && is_control(c)) continue;
        if (c < 0x110000 && lh_unicode_is_space(c))
            lh_text_add_n(&io->out, " ", 1);
        else
            lh_text_add_n(&io->out, io->s + i, k);
    }
}

static void part_chinese(normal_io *io) {
    for (size_t i = 0, k; i < io->n; i += k) {
        bool is_parted = is_chinese(next_char(io, i, &k));
        if (is_parted) lh_text_add_n(&io->out, " ", 1);
        lh_text_add_n(&io->out, io->s + i, k);
        if (is_parted) lh_text_add_n(&io->out, " ", 1);
    }
}

/* What was written is read next. */
static void turn(normal_io *io) {
    io->s = io->out.s;
    io->n = io->out.n;
    io->out = lh_text_new(io->out.arena);
}

static void bert(const lh_normal *f, normal_io *io) {
    if (f->is_cleaned) clean(io), turn(io);
    if (f->parts_chinese) part_chinese(io), turn(io);
    if (f->drops_marks) {
        lh_unicode_normalize(&io->out, io->s, io->n, LH_NFD);
        turn(io);
        drop_marks(io, is_nonspacing);
        turn(io);
    }
    if (f->lowers) lower(io), turn(io);
    lh_text_add_n(&io->out, io->s, io->n);
}

static void apply(lh_context *ctx, const lh_normal *f, normal_io *io) {
    switch (f->kind) {
    case LH_NORMAL_FORM: lh_unicode_normalize(&io->out, io->s, io->n, f->form); break;
    case LH_NORMAL_PREPEND:
        if (io->n) lh_text_add_n(&io->out, f->text, f->n);
        lh_text_add_n(&io->out, io->s, io->n);
        break;
    case LH_NORMAL_REPLACE:
        if (f->literal)
            replace_literal(f, io);
        else
            replace_pattern(ctx, f, io);
        break;
    case LH_NORMAL_LOWER: lower(io); break;
    case LH_NORMAL_STRIP: strip(f, io); break;
    case LH_NORMAL_STRIP_ACCENTS: drop_marks(io, lh_unicode_is_mark); break;
    case LH_NORMAL_BERT: bert(f, io); break;
    }
}

void lh_pipeline_normalize(const lh_pipeline *p, lh_context *ctx, lh_arena *a, const char **text,
                           size_t *n) {
    normal_io io = {*text, *n, lh_text_new(a)};
    for (int i = 0; i < p->n_normals && !lh_failed(ctx); i++) {
        apply(ctx, &p->normal[i], &io);
        turn(&io);
    }
    *text = io.s;
    *n = io.n;
}
