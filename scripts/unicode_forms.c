/* Writes src/base/unicode_forms_table.h: categories, decompositions, compositions and small letters, from utf8proc's data.
 *
 *     cc scripts/unicode_forms.c -lutf8proc -o /tmp/forms && /tmp/forms >src/base/unicode_forms_table.h
 *
 * Run by hand when a new Unicode is wanted (Debian: libutf8proc-dev), together with scripts/unicode.c; the table is in the tree,
 * so that nothing needs utf8proc to be built.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { LAST = 0x10FFFF, LONGEST = 32, HANGUL = 0xAC00, HANGUL_END = 0xD7A3 };

static int column;

static void put(unsigned value) {
    printf("%s0x%X,", column++ % 16 ? "" : "\n", value);
}

static void open_list(const char *what, const char *type, const char *name) {
    column = 0;
    printf("\n/* %s */\nstatic const %s %s[] = {", what, type, name);
}

static void close_list(void) {
    printf("\n};\n");
}

static int decompose(int c, int compat, utf8proc_int32_t *out) {
    int options = UTF8PROC_DECOMPOSE | (compat ? UTF8PROC_COMPAT : 0), boundary = 0;
    return (int)utf8proc_decompose_char(c, out, LONGEST, (utf8proc_option_t)options, &boundary);
}

/* Does c have a decomposition of its own that the table must hold? Hangul syllables are worked out. */
static int is_listed(int c, int compat, utf8proc_int32_t *out, int *n) {
    utf8proc_int32_t plain[LONGEST];
    if (c >= 0xD800 && c <= 0xDFFF) return 0;
    if (c >= HANGUL && c <= HANGUL_END) return 0;
    *n = decompose(c, compat, out);
    if (*n == 1 && out[0] == c) return 0;
    if (!compat) return 1;
    int k = decompose(c, 0, plain);
    return k != *n || memcmp(plain, out, (size_t)k * sizeof *out) != 0;
}

static unsigned pool[40000];
static unsigned n_pool;

static unsigned place_of(const utf8proc_int32_t *s, int n) {
    for (unsigned i = 0; i + (unsigned)n <= n_pool; i++) {
        int k = 0;
        while (k < n && pool[i + (unsigned)k] == (unsigned)s[k]) k++;
        if (k == n) return i;
    }
    for (int i = 0; i < n; i++) pool[n_pool++] = (unsigned)s[i];
    return n_pool - (unsigned)n;
}

static void decompositions(int compat, const char *name, const char *what) {
    utf8proc_int32_t out[LONGEST];
    int n;
    open_list(what, "uint32_t", name);
    for (int c = 0; c <= LAST; c++)
        if (is_listed(c, compat, out, &n))
            put((unsigned)c), put(place_of(out, n) << 5 | (unsigned)n);
    close_list();
}

/* What n code points become as NFC, when that is one code point; -1 otherwise. */
static int composed(const utf8proc_int32_t *s, int n) {
    utf8proc_int32_t copy[LONGEST];
    memcpy(copy, s, (size_t)n * sizeof *s);
    int k = (int)utf8proc_normalize_utf32(copy, n, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    return k == 1 ? copy[0] : -1;
}

typedef struct made {
    int first, second, whole;
} made;

static int in_order(const void *a, const void *b) {
    const made *x = a, *y = b;
    return x->first != y->first ? x->first - y->first : x->second - y->second;
}

static void compositions(void) {
    static made list[4000];
    utf8proc_int32_t out[LONGEST];
    int n, n_list = 0;
    for (int c = 0; c <= LAST; c++)
        if (is_listed(c, 0, out, &n) && n > 1 && composed(out, n) == c)
            list[n_list++] = (made){composed(out, n - 1), out[n - 1], c};
    qsort(list, (size_t)n_list, sizeof *list, in_order);
    open_list("Two code points and what they make, in their order.", "uint32_t", "composition");
    for (int i = 0; i < n_list; i++)
        put((unsigned)list[i].first), put((unsigned)list[i].second), put((unsigned)list[i].whole);
    close_list();
}

static void changes(const char *what, const char *name, int (*of)(int)) {
    int before = -1;
    open_list(what, "uint32_t", name);
    for (int c = 0; c <= LAST; c++) {
        int now = of(c);
        if (now != before) put((unsigned)c << 8 | (unsigned)now);
        before = now;
    }
    close_list();
}

static int category_of(int c) {
    return (int)utf8proc_category(c);
}

static int class_of(int c) {
    return (int)utf8proc_get_property(c)->combining_class;
}

static void lower_letters(void) {
    open_list("A letter and its small one.", "uint32_t", "lower_letter");
    for (int c = 0; c <= LAST; c++)
        if (utf8proc_tolower(c) != c && c != 0x130)
            put((unsigned)c), put((unsigned)utf8proc_tolower(c));
    close_list();
}

int main(void) {
    printf("/* Written by scripts/unicode_forms.c from Unicode %s; not to be edited. */\n\n"
           "/* clang-format off */\n",
           utf8proc_unicode_version());
    changes("(first code point << 8) | category, as in lh_unicode_category, where it changes.",
            "category_change", category_of);
    changes("The same for combining classes.", "class_change", class_of);
    decompositions(0, "canonical",
                   "A code point, and (place in parts << 5) | how many: canonical.");
    decompositions(1, "compatible", "The same where the one for compatibility differs.");
    compositions();
    lower_letters();
    open_list("What code points decompose into.", "uint32_t", "part");
    for (unsigned i = 0; i < n_pool; i++) put(pool[i]);
    close_list();
    printf("/* clang-format on */\n");
    return 0;
}
