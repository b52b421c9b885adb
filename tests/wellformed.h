/* wellformed -- is a text well-formed XML, as far as MathML needs it: tags that close, attributes in quotes, entities.
 *
 *     const char *wrong = wellformed(mathml);       NULL: it is; otherwise where it stops being so
 */
#ifndef LH_TESTS_WELLFORMED_H
#define LH_TESTS_WELLFORMED_H

#include <stdbool.h>
#include <string.h>

enum { WELLFORMED_DEPTH = 2000 };

static inline size_t wellformed_name(const char *s) {
    return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:");
}

static inline bool wellformed_entity(const char *s) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(s, known[i], strlen(known[i])) == 0) return true;
    return false;
}

/* Behind the attributes, on > or />; NULL where one is wrong. */
static inline const char *wellformed_attributes(const char *s) {
    while (*s == ' ') {
        size_t n = wellformed_name(++s);
        if (!n || s[n] != '=' || s[n + 1] != '"') return NULL;
        for (s += n + 2; *s != '"'; s++)
            if (!*s || *s == '<' || (*s == '&' && !wellformed_entity(s))) return NULL;
        s++;
    }
    return s;
}

static inline const char *wellformed(const char *text) {
    const char *open[WELLFORMED_DEPTH];
    size_t length[WELLFORMED_DEPTH];
    int depth = 0;
    for (const char *s = text; *s;) {
        if (*s != '<') {
            bool is_bad =
                *s == '>' || (unsigned char)*s < ' ' || (*s == '&' && !wellformed_entity(s));
            if (is_bad || !depth) return s;
            s++;
            continue;
        }
        bool is_end = s[1] == '/';
        const char *name = s + 1 + is_end, *at;
        size_t n = wellformed_name(name);
        if (!n) return s;
        if (is_end) {
            if (!depth || length[depth - 1] != n || memcmp(open[depth - 1], name, n) != 0) return s;
            if (name[n] != '>') return s;
            depth--, s = name + n + 1;
            continue;
        }
        at = wellformed_attributes(name + n);
        if (!at || depth == WELLFORMED_DEPTH) return s;
        if (at[0] == '/' && at[1] == '>') {
            s = at + 2;
            continue;
        }
        if (*at != '>') return s;
        open[depth] = name, length[depth++] = n, s = at + 1;
    }
    return depth ? open[depth - 1] : NULL;
}

#endif
