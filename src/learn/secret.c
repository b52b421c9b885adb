#include "learn/secret.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "learn/names.h"

/* Words for forms: no vowels, so that nothing rude comes about; no digits, so that no spreadsheet takes one for a number. */
static char *word_of(lh_arena *a, const unsigned char print[LH_SHA256]) {
    static const char letters[] = "bcdfghjkmnpqrstvwxz";
    char word[7] = "";
    for (int i = 0; i < 6; i++) /* 16 bits each: no letter is noticeably more likely */
        word[i] = letters[((unsigned)print[2 * i] << 8 | print[2 * i + 1]) % (sizeof letters - 1)];
    return lh_printf(a, "%s", word);
}

/* The purpose stands before the words, so that no form can be a seed. */
static void print_of(const lh_secret *s, const char *purpose, const char *first, const char *second,
                     unsigned char out[LH_SHA256]) {
    unsigned char inner[LH_SHA256];
    lh_hmac(s->key, sizeof s->key, purpose, strlen(purpose), inner);
    lh_hmac(inner, sizeof inner, first, strlen(first), out);
    if (second) lh_hmac(out, LH_SHA256, second, strlen(second), out);
}

unsigned long long lh_secret_seed(const lh_secret *s, const char *lesson, const char *form) {
    unsigned char print[LH_SHA256];
    char small[4 * LH_FORM_LETTERS + 1];
    size_t n = 0;
    for (; form[n] && n + 1 < sizeof small; n++) /* a typed b is a B */
        small[n] = form[n] >= 'A' && form[n] <= 'Z' ? (char)(form[n] + 32) : form[n];
    small[n] = 0;
    print_of(s, "seed", lesson, small, print);
    unsigned long long seed = 0;
    for (int i = 0; i < 8; i++) seed = seed << 8 | print[i];
    seed &= 0x7FFFFFFFFFFFFFFFull;
    return seed ? seed : 1; /* 0 are the lesson's own numbers */
}

char *lh_secret_form(const lh_secret *s, lh_arena *a, const char *student) {
    unsigned char print[LH_SHA256];
    print_of(s, "form", student, NULL, print);
    return word_of(a, print);
}

/* ---- the file ---- */

char *lh_secret_text(lh_arena *a, const char *name, const unsigned char random[LH_SECRET_BYTES]) {
    lh_text t = lh_text_new(a);
    lh_text_add(&t, "# The secret of a class. Whoever has this file can make the keys of its "
                    "sheets: show it to no student.\n"
                    "# Keep a copy: without it, sheets of the class cannot be marked.\n");
    if (*name) lh_text_add(&t, "class %s\n", name);
    lh_text_add(&t, "secret ");
    for (int i = 0; i < LH_SECRET_BYTES; i++) lh_text_add(&t, "%02x", random[i]);
    lh_text_add(&t, "\n");
    return t.s;
}

static int hex(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_key(const char *s, size_t n, unsigned char key[LH_SECRET_BYTES]) {
    if (n != 2 * (size_t)LH_SECRET_BYTES) return false;
    for (size_t i = 0; i < n; i++) {
        if (hex(s[i]) < 0) return false;
        key[i / 2] = (unsigned char)(key[i / 2] << 4 | hex(s[i]));
    }
    return true;
}

lh_secret *lh_secret_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                          size_t length) {
    lh_secret *s = lh_alloc(a, sizeof *s);
    bool has_key = false;
    *s = (lh_secret){.file = file, .name = ""};
    for (const char *at = text, *end = text + length; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((stop ? stop : end) - at), line = n;
        while (n && (at[n - 1] == '\r' || at[n - 1] == ' ')) n--;
        if (n > 6 && memcmp(at, "class ", 6) == 0) s->name = lh_copy(a, at + 6, n - 6);
        if (n > 7 && memcmp(at, "secret ", 7) == 0 && !has_key)
            has_key = read_key(at + 7, n - 7, s->key);
        at += line + 1;
    }
    if (!has_key) {
        lh_fail(ctx, LH_ERROR_TEXT, (lh_place){0, 0, 0},
                "%s is not the secret of a class: it has no line \"secret\" with %d hex digits",
                file, 2 * LH_SECRET_BYTES);
        lh_cure(ctx, "longhand class FILE makes a new one");
        return NULL;
    }
    unsigned char print[LH_SHA256];
    print_of(s, "class", "", NULL, print);
    s->code = word_of(a, print);
    return s;
}
