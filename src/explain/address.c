/* address -- h[3].H.P{example 2, head 5}[7][2]@1: which number is meant. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

static void fail_form(lh_context *ctx, const char *text, const char *at, const char *why) {
    if (!*text)
        lh_fail(ctx, LH_ERROR_TEXT, (lh_place){0, 0, 0}, "the address is empty");
    else if (!*at)
        lh_fail(ctx, LH_ERROR_TEXT, (lh_place){0, 0, 0}, "%.120s: %s at its end", text, why);
    else
        lh_fail(ctx, LH_ERROR_TEXT, (lh_place){0, 0, 0}, "%.120s: %s at \"%.20s\"", text, why, at);
    lh_cure(ctx, "an address looks like P[1][0], h[0].A.P{example 2, head 1}[1][0] or WO[0][2]@1");
}

static bool read_int(const char **s, int *value) {
    char *end;
    while (**s == ' ') (*s)++;
    if (**s < '0' || **s > '9') return false;
    long n = strtol(*s, &end, 10);
    if (n > INT_MAX) return false;
    *value = (int)n;
    *s = end;
    while (**s == ' ') (*s)++;
    return true;
}

static bool read_word(const char **s, const char *word) {
    size_t n = strlen(word);
    while (**s == ' ' || **s == ',') (*s)++;
    if (strncmp(*s, word, n) != 0) return false;
    *s += n;
    return true;
}

/* The path ends where only indices, braces and @ follow: brackets of turns (h[3].) belong to it. */
static const char *path_end(const char *s) {
    const char *end = s + strcspn(s, "{@");
    while (end > s && end[-1] == ' ') end--;
    for (int i = 0; i < 2 && end > s && end[-1] == ']'; i++) {
        const char *open = end - 1;
        while (open > s && *open != '[') open--;
        if (*open != '[') break;
        end = open;
        while (end > s && end[-1] == ' ') end--;
    }
    return end;
}

bool lh_address_braces(const char **s, lh_address *a) {
    for ((*s)++; **s && **s != '}';) {
        bool is_example = read_word(s, "example");
        if (!is_example && !read_word(s, "head")) return false;
        if (!read_int(s, is_example ? &a->example : &a->head)) return false;
        *(is_example ? &a->has_example : &a->has_head) = true;
    }
    if (**s != '}') return false;
    (*s)++;
    return true;
}

bool lh_address_parse(lh_context *ctx, const char *text, lh_address *a) {
    *a = (lh_address){.row = -1, .col = -1};
    text += strspn(text, " ");
    const char *s = text, *end = path_end(text);
    size_t n = (size_t)(end - text);
    if (n == 0 || n >= sizeof a->path) {
        fail_form(ctx, text, text, n ? "the path is too long" : "a name is missing");
        return false;
    }
    memcpy(a->path, text, n);
    if (strrchr(a->path, '[') > strrchr(a->path, ']')) {
        fail_form(ctx, text, text + n, "a ] is missing");
        return false;
    }
    for (s = end; *s;) {
        if (*s == ' ') {
            s++;
        } else if (*s == '{') {
            if (!lh_address_braces(&s, a)) {
                fail_form(ctx, text, s, "{example N, head N} is expected");
                return false;
            }
        } else if (*s == '[' && a->n_indices < 2) {
            s++;
            if (!read_int(&s, &a->index[a->n_indices]) || *s != ']') {
                fail_form(ctx, text, s, "a row or column number in [ ] is expected");
                return false;
            }
            a->n_indices++;
            s++;
        } else if (*s == '@') {
            s++;
            if (!read_int(&s, &a->step)) {
                fail_form(ctx, text, s, "the number of a step of training is expected");
                return false;
            }
            a->has_step = true;
        } else {
            fail_form(ctx, text, s, "this does not belong here,");
            return false;
        }
    }
    return true;
}

/* P[1][0] might also be a turn of a repeat: h[1] alone is none. What := made in the step before is what a later step begins with. */
lh_step *lh_address_find(lh_graph *g, const lh_address *a) {
    return lh_graph_find(g, a->path);
}

static bool in_range(lh_graph *g, const char *what, int i, int n, const char *of) {
    if (i < n) return true;
    lh_fail(g->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0},
            "there is no %s %d in %s: it has %d, counted from 0", what, i, of, n);
    return false;
}

bool lh_address_cell(lh_graph *g, const lh_plan *p, const lh_address *a, const lh_node *n,
                     lh_cell *at) {
    return lh_explain_cell(&(lh_explainer){.g = g, .plan = p}, a, n, at);
}

bool lh_explain_cell(const lh_explainer *x, const lh_address *a, const lh_node *n, lh_cell *at) {
    lh_graph *g = x->g;
    *at = (lh_cell){a->has_example ? a->example : 0, a->has_head ? a->head : 0, 0, 0};
    int examples = n->shape.is_batched ? lh_explain_examples(x) : 1;
    if (a->has_example && !n->shape.is_batched)
        at->example = 0;
    else if (!in_range(g, "example", at->example, examples, a->path))
        return false;
    lh_sizes s = lh_explain_sizes(x, n, at->example);
    int row = 0, col = 0;
    if (a->n_indices == 2)
        row = a->index[0], col = a->index[1];
    else if (a->n_indices == 1 && s.cols == 1)
        row = a->index[0];
    else if (a->n_indices == 1 && s.rows == 1)
        col = a->index[0];
    else if (a->n_indices == 1)
        row = a->index[0];
    at->row = row;
    at->col = col;
    return in_range(g, "head", at->head, s.heads, a->path) &&
           in_range(g, "row", row, s.rows, a->path) && in_range(g, "column", col, s.cols, a->path);
}
