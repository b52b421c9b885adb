#include "base/unicode_forms.h"

#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"
#include "base/unicode_forms_table.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The last change at or before c: what holds there. */
static unsigned held_at(const uint32_t *change, size_t n, uint32_t c) {
    size_t low = 0, high = n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (change[middle] >> 8 <= c)
            low = middle;
        else
            high = middle;
    }
    return change[low] & 0xFF;
}

/* Where c stands in a list of rows that begin with a code point, or NULL. */
static const uint32_t *row_of(const uint32_t *list, size_t rows, size_t width, uint32_t c) {
    size_t low = 0, high = rows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list[middle * width] < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows && list[low * width] == c ? &list[low * width] : NULL;
}

lh_unicode_category lh_unicode_category_of(uint32_t c) {
    if (c > 0x10FFFF) return LH_CATEGORY_CN;
    return (lh_unicode_category)held_at(category_change, COUNT(category_change), c);
}

static unsigned combining_class(uint32_t c) {
    return c < 0x300 ? 0 : held_at(class_change, COUNT(class_change), c);
}

uint32_t lh_unicode_categories(const char *name) {
    static const char names[LH_N_CATEGORIES][3] = {
        "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps",
        "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"};
    size_t n = strlen(name);
    uint32_t all = 0;
    if (n != 1 && n != 2) return 0;
    for (int i = 0; i < LH_N_CATEGORIES; i++)
        if (memcmp(names[i], name, n) == 0) all |= (uint32_t)1 << i;
    return all;
}

bool lh_unicode_is_space(uint32_t c) {
    return lh_unicode_class_of(c) == LH_SPACE;
}

bool lh_unicode_is_mark(uint32_t c) {
    lh_unicode_category k = lh_unicode_category_of(c);
    return k == LH_CATEGORY_MN || k == LH_CATEGORY_MC || k == LH_CATEGORY_ME;
}

bool lh_unicode_is_word(uint32_t c) {
    lh_unicode_category k = lh_unicode_category_of(c);
    if (k >= LH_CATEGORY_LU && k <= LH_CATEGORY_NL) return true; /* letters, marks, Nd, Nl */
    if (k == LH_CATEGORY_PC || c == 0x200C || c == 0x200D) return true;
    return (c >= 0x24B6 && c <= 0x24E9) ||
           (c >= 0x1F130 && c <= 0x1F149) || /* letters in circles */
           (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

bool lh_unicode_is_punctuation(uint32_t c) {
    if (c < 128)
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
               (c >= '{' && c <= '~');
    lh_unicode_category k = lh_unicode_category_of(c);
    return k >= LH_CATEGORY_PC && k <= LH_CATEGORY_PO;
}

uint32_t lh_unicode_lower(uint32_t c) {
    if (c < 128) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    if (c == 0x130) return 'i';
    const uint32_t *row = row_of(lower_letter, COUNT(lower_letter) / 2, 2, c);
    return row ? row[1] : c;
}

static void add_char(lh_text *out, uint32_t c) {
    char s[4];
    lh_text_add_n(out, s, lh_utf8_write(s, c));
}

void lh_unicode_add_lower(lh_text *out, uint32_t c) {
    add_char(out, lh_unicode_lower(c));
    if (c == 0x130) add_char(out, 0x307);
}

/* ---- normal forms ---- */

/* Hangul: a syllable is a leading consonant, a vowel and perhaps a trailing consonant, numbered in that order. */
enum { SYLLABLE = 0xAC00, LEAD = 0x1100, VOWEL = 0x1161, TRAIL = 0x11A7 };
enum { LEADS = 19, VOWELS = 21, TRAILS = 28, SYLLABLES = LEADS * VOWELS * TRAILS };

/* What was decomposed and waits for a starter behind it: a starter and its marks. */
typedef struct mark {
    uint32_t c;
    unsigned class; /* 0: a starter */
    size_t at;      /* which came first, of equal classes */
} mark;

typedef struct former {
    lh_text *out;
    lh_unicode_form form;
    mark *mark; /* [n] of room */
    size_t n, room;
    mark few[64];
} former;

static int mark_order(const void *a, const void *b) {
    const mark *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static uint32_t compose_two(uint32_t a, uint32_t b) {
    if (a >= LEAD && a < LEAD + LEADS && b >= VOWEL && b < VOWEL + VOWELS)
        return SYLLABLE + ((a - LEAD) * VOWELS + (b - VOWEL)) * TRAILS;
    if (a >= SYLLABLE && a < SYLLABLE + SYLLABLES && (a - SYLLABLE) % TRAILS == 0 && b > TRAIL &&
        b < TRAIL + TRAILS)
        return a + (b - TRAIL);
    size_t low = 0, high = COUNT(composition) / 3;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const uint32_t *row = &composition[middle * 3];
        if (row[0] < a || (row[0] == a && row[1] < b))
            low = middle + 1;
        else
            high = middle;
    }
    const uint32_t *row = &composition[low * 3];
    return low < COUNT(composition) / 3 && row[0] == a && row[1] == b ? row[2] : 0;
}

/* Marks sorted by class, then joined to the starter where nothing of the same or a higher class stands between. */
static void compose(former *f) {
    size_t kept = 1;
    if (f->n == 0 || f->mark[0].class) return;
    for (size_t i = 1; i < f->n; i++) {
        mark m = f->mark[i];
        bool is_blocked = kept > 1 && f->mark[kept - 1].class >= m.class;
        uint32_t whole = is_blocked ? 0 : compose_two(f->mark[0].c, m.c);
        if (whole)
            f->mark[0].c = whole;
        else
            f->mark[kept++] = m;
    }
    f->n = kept;
}

static bool is_composed(const former *f) {
    return f->form == LH_NFC || f->form == LH_NFKC;
}

static void sort_marks(former *f) {
    size_t first = f->n && f->mark[0].class == 0;
    bool is_sorted = true;
    for (size_t i = first + 1; i < f->n; i++) is_sorted &= f->mark[i - 1].class <= f->mark[i].class;
    if (!is_sorted) qsort(f->mark + first, f->n - first, sizeof *f->mark, mark_order);
}

static void flush(former *f) {
    for (size_t i = 0; i < f->n; i++) add_char(f->out, f->mark[i].c);
    f->n = 0;
}

/* A starter may still join the one before it, if that has no marks left: Hangul, and a few vowels of India. */
static bool joins_starter(former *f, uint32_t c) {
    if (!is_composed(f) || f->n == 0) return false;
    sort_marks(f);
    compose(f);
    uint32_t whole = f->n == 1 && f->mark[0].class == 0 ? compose_two(f->mark[0].c, c) : 0;
    if (whole) f->mark[0].c = whole;
    return whole != 0;
}

static void end_starter(former *f) {
    sort_marks(f);
    if (is_composed(f)) compose(f);
    flush(f);
}

static void grow(former *f) {
    mark *more = lh_alloc_array(f->out->arena, f->room * 2, sizeof *more);
    if (!more) {
        f->n = 0; /* the context failed */
        return;
    }
    memcpy(more, f->mark, f->n * sizeof *more);
    f->mark = more;
    f->room *= 2;
}

static void put(former *f, uint32_t c) {
    unsigned class = combining_class(c);
    if (class == 0) {
        if (joins_starter(f, c)) return;
        end_starter(f);
    }
    if (f->n == f->room) grow(f);
    f->mark[f->n] = (mark){c, class, f->n};
    f->n++;
}

static void put_decomposed(former *f, uint32_t c) {
    const uint32_t *row = NULL;
    if (c >= SYLLABLE && c < SYLLABLE + SYLLABLES) {
        uint32_t k = c - SYLLABLE;
        put(f, LEAD + k / (VOWELS * TRAILS));
        put(f, VOWEL + k % (VOWELS * TRAILS) / TRAILS);
        if (k % TRAILS) put(f, TRAIL + k % TRAILS);
        return;
    }
    if (f->form == LH_NFKC || f->form == LH_NFKD)
        row = row_of(compatible, COUNT(compatible) / 2, 2, c);
    if (!row) row = row_of(canonical, COUNT(canonical) / 2, 2, c);
    for (uint32_t i = 0; row && i < (row[1] & 31); i++) put(f, part[(row[1] >> 5) + i]);
    if (!row) put(f, c);
}

/* ASCII up to where a mark might follow: the last of it can still be joined. */
static size_t plain_run(const char *s, size_t n) {
    size_t i = 0;
    while (i < n && (unsigned char)s[i] < 128) i++;
    return i < n && i > 0 ? i - 1 : i;
}

void lh_unicode_normalize(lh_text *out, const char *text, size_t length, lh_unicode_form form) {
    former f = {.out = out, .form = form, .room = COUNT(f.few)};
    f.mark = f.few;
    for (size_t i = 0, k; i < length; i += k) {
        uint32_t c;
        k = plain_run(text + i, length - i);
        if (k) {
            end_starter(&f);
            lh_text_add_n(out, text + i, k);
            continue;
        }
        k = lh_utf8_read(text + i, length - i, &c);
        if (k) {
            put_decomposed(&f, c);
        } else {
            end_starter(&f);
            lh_text_add_n(out, text + i, k = 1);
        }
    }
    end_starter(&f);
}
