/* xml -- is it well-formed? What the tests of pictures share. */
#ifndef LH_TESTS_XML_H
#define LH_TESTS_XML_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Tags are balanced, attributes quoted, & and < escaped, one root. */
static const char *xml_problem(const char *s) {
    static char problem[128];
    char open[64][32];
    int depth = 0, roots = 0;
    while (*s) {
        if (*s == '&') {
            static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
            bool good = false;
            for (int i = 0; i < 4; i++) good |= strncmp(s, known[i], strlen(known[i])) == 0;
            if (!good) return "a bare &";
        }
        if (*s != '<') {
            if ((unsigned char)*s < ' ' && *s != '\n' && *s != '\t') return "a control character";
            if (depth == 0 && *s != '\n') return "text outside the root";
            s++;
            continue;
        }
        bool closes = s[1] == '/';
        s += closes ? 2 : 1;
        size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz");
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)n, s);
        s += n;
        if (n == 0) return "a bare <";
        bool quoted = false, empty = false;
        for (; *s && (quoted || *s != '>'); s++) {
            if (*s == '"') quoted = !quoted;
            if (*s == '<') return "a tag inside a tag";
            empty = *s == '/' && !quoted;
        }
        if (*s++ != '>') return "a tag without its end";
        if (closes) {
            if (depth == 0 || strcmp(open[depth - 1], name) != 0) {
                snprintf(problem, sizeof problem, "</%s> closes nothing", name);
                return problem;
            }
            depth--;
        } else if (!empty) {
            if (depth == 0) roots++;
            if (depth == 64) return "too deep";
            memcpy(open[depth++], name, sizeof name);
        }
    }
    return depth ? "a tag is left open" : roots != 1 ? "not one root" : NULL;
}

#endif
