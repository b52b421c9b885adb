/* A regular expression to a tree, and the tree to steps. */
#include "text/pattern.h"

#include <string.h>

#include "base/utf8.h"
#include "base/unicode_forms.h"

static const lh_place nowhere = {0, 0, 0};

typedef enum kind { SET, EMPTY, BEFORE, EITHER, REPEAT, LOOK, ATOMIC, BEHIND, EDGE } kind;

typedef struct tree {
    kind kind;
    lh_charset *set;
    struct tree *left, *right; /* BEFORE, EITHER; the others have left alone */
    int min, max;
    lh_pattern_op how; /* REPEAT: loop, lazy or all; EDGE: which */
    bool is_not;
} tree;

typedef struct reader {
    lh_context *ctx;
    lh_arena *arena;
    const char *regex;
    size_t n, at;
    bool ignores_case;
    int depth, size;
    lh_pattern *made;
} reader;

static tree *either(reader *r);

/* ---- sets ---- */

static void refuse(reader *r, const char *what) {
    lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "the pattern %.80s%s has %s, which is not supported",
            r->regex, r->n > 80 ? "..." : "", what);
}

static tree *tree_new(reader *r, kind k) {
    tree *t = lh_alloc(r->arena, sizeof *t);
    if (++r->size > LH_PATTERN_SIZE)
        lh_fail(r->ctx, LH_ERROR_LIMIT, nowhere, "the pattern %.80s... is too long", r->regex);
    t->kind = k;
    return t;
}

static bool in_ranges(const lh_charset *s, uint32_t c) {
    for (int i = 0; i < s->n_ranges; i++)
        if (c >= s->range[2 * i] && c <= s->range[2 * i + 1]) return true;
    return false;
}

static bool charset_lists(const lh_charset *s, uint32_t c) {
    if (in_ranges(s, c)) return true;
    if (s->categories >> lh_unicode_category_of(c) & 1) return true;
    if (s->has_space || s->has_other_than_space) {
        bool is_space = lh_unicode_is_space(c);
        if (is_space ? s->has_space : s->has_other_than_space) return true;
    }
    if (!s->has_word && !s->has_other_than_word) return false;
    return lh_unicode_is_word(c) ? s->has_word : s->has_other_than_word;
}

bool lh_charset_has(const lh_charset *s, uint32_t c) {
    if (c < 128) return s->ascii[c >> 6] >> (c & 63) & 1;
    return charset_lists(s, c) != s->is_negated;
}

static void add_range(reader *r, lh_charset *s, uint32_t first, uint32_t last) {
    uint32_t *list = (uint32_t *)s->range;
    int n = s->n_ranges;
    uint32_t *more = lh_alloc_array(r->arena, (size_t)(n + 1) * 2, sizeof *more);
    if (!more) return;
    if (n) memcpy(more, list, (size_t)n * 2 * sizeof *more);
    more[2 * n] = first, more[2 * n + 1] = last;
    s->range = more;
    s->n_ranges++;
}

/* A character, and where case does not count its other forms. K and s have a third one: the kelvin sign and the long s. */
static void add_char(reader *r, lh_charset *s, uint32_t c) {
    uint32_t low = lh_unicode_lower(c);
    add_range(r, s, c, c);
    if (!r->ignores_case) return;
    add_range(r, s, low, low);
    if (low >= 'a' && low <= 'z') add_range(r, s, low - 32, low - 32);
    if (low == 's') add_range(r, s, 0x17F, 0x17F);
    if (low == 'k') add_range(r, s, 0x212A, 0x212A);
    for (uint32_t u = 0x80; low >= 0x80 && u < 0x2000; u++)
        if (lh_unicode_lower(u) == low) add_range(r, s, u, u);
}

static tree *finish_set(reader *r, lh_charset *s) {
    tree *t = tree_new(r, SET);
    t->set = s;
    for (uint32_t c = 0; c < 128; c++)
        if (charset_lists(s, c) != s->is_negated) s->ascii[c >> 6] |= (uint64_t)1 << (c & 63);
    return t;
}

/* ---- characters ---- */

static bool is_next(const reader *r, const char *s) {
    size_t k = strlen(s);
    return r->n - r->at >= k && memcmp(r->regex + r->at, s, k) == 0;
}

static bool take(reader *r, const char *s) {
    if (!is_next(r, s)) return false;
    r->at += strlen(s);
    return true;
}

static uint32_t take_char(reader *r) {
    uint32_t c = 0;
    size_t k = lh_utf8_read(r->regex + r->at, r->n - r->at, &c);
    if (k == 0) refuse(r, "an end too early, or a byte that is not UTF-8");
    r->at += k;
    return c;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Digits of base 16, as many as `digits`, or up to a brace. */
static uint32_t take_hex(reader *r, int digits) {
    bool is_braced = take(r, "{");
    uint32_t c = 0;
    int n = 0;
    for (; r->at < r->n && digit_of(r->regex[r->at]) >= 0 && n < (is_braced ? 6 : digits); n++)
        c = c * 16 + (uint32_t)digit_of(r->regex[r->at++]);
    if (n == 0 || (!is_braced && n < digits) || (is_braced && !take(r, "}")) || c > 0x10FFFF)
        refuse(r, "a character whose hexadecimal digits are not a character");
    return c;
}

/* \p{L}, \p{^L}, \P{L}, \pL */
static void take_property(reader *r, lh_charset *s, bool is_not) {
    char name[8] = {0};
    size_t n = 0;
    if (take(r, "{")) {
        if (take(r, "^")) is_not = !is_not;
        while (r->at < r->n && r->regex[r->at] != '}' && n + 1 < sizeof name)
            name[n++] = r->regex[r->at++];
        if (!take(r, "}")) n = 0;
    } else if (r->at < r->n) {
        name[n++] = r->regex[r->at++];
    }
    name[n] = 0;
    uint32_t bits = lh_unicode_categories(name);
    if (!bits) refuse(r, "\\p{} with something that is not a general category");
    s->categories |= is_not ? ~bits : bits;
}

/* What stands behind a backslash and is a set; false when it is one character, *c. */
static bool take_escape(reader *r, lh_charset *s, uint32_t *c) {
    static const char plain[] = "nrtfvae", means[] = "\n\r\t\f\v\a\x1b";
    *c = take_char(r);
    switch (*c) {
    case 's': s->has_space = true; return true;
    case 'S': s->has_other_than_space = true; return true;
    case 'w': s->has_word = true; return true;
    case 'W': s->has_other_than_word = true; return true;
    case 'd': s->categories |= (uint32_t)1 << LH_CATEGORY_ND; return true;
    case 'D': s->categories |= ~((uint32_t)1 << LH_CATEGORY_ND); return true;
    case 'h':
        add_range(r, s, '0', '9'), add_range(r, s, 'a', 'f'), add_range(r, s, 'A', 'F');
        return true;
    case 'p':
    case 'P': take_property(r, s, *c == 'P'); return true;
    case 'u': *c = take_hex(r, 4); return false;
    case 'x': *c = take_hex(r, 2); return false;
    default: break;
    }
    const char *known = *c < 128 && *c ? strchr(plain, (int)*c) : NULL;
    bool is_letter =
        (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    if (known)
        *c = (unsigned char)means[known - plain];
    else if (is_letter)
        refuse(r, *c <= '9' ? "a back reference" : "a letter after a \\ that means nothing here");
    return false;
}

static tree *take_class(reader *r) {
    lh_charset *s = lh_alloc(r->arena, sizeof *s);
    s->is_negated = take(r, "^");
    for (bool is_first = true; !lh_failed(r->ctx) && (is_first || !is_next(r, "]"));
         is_first = false) {
        uint32_t c, last;
        if (is_next(r, "[") || is_next(r, "&&")) refuse(r, "[ or && inside [ ]");
        c = take_char(r);
        if (c == '\\' && take_escape(r, s, &c)) continue;
        bool is_range = is_next(r, "-") && r->at + 1 < r->n && r->regex[r->at + 1] != ']';
        if (!is_range) {
            add_char(r, s, c);
            continue;
        }
        r->at++;
        last = take_char(r);
        lh_charset none = {0};
        if (last == '\\' && take_escape(r, &none, &last)) refuse(r, "a range that ends in a set");
        if (last < c) refuse(r, "a range that ends before it begins");
        add_range(r, s, c, last);
        for (uint32_t k = c; r->ignores_case && k <= last && k < c + 256; k++) add_char(r, s, k);
    }
    take(r, "]");
    return finish_set(r, s);
}

static tree *one_char(reader *r, uint32_t c) {
    lh_charset *s = lh_alloc(r->arena, sizeof *s);
    add_char(r, s, c);
    return finish_set(r, s);
}

/* ---- the tree ---- */

static tree *edge(reader *r, lh_pattern_op op, bool is_not) {
    tree *t = tree_new(r, EDGE);
    t->how = op;
    t->is_not = is_not;
    return t;
}

static tree *take_backslash(reader *r) {
    lh_charset *s = lh_alloc(r->arena, sizeof *s);
    uint32_t c;
    if (take(r, "A")) return edge(r, LH_P_START, false);
    if (take(r, "z")) return edge(r, LH_P_END, false);
    if (take(r, "Z")) return edge(r, LH_P_LAST_END, false);
    if (take(r, "b")) return edge(r, LH_P_EDGE, false);
    if (take(r, "B")) return edge(r, LH_P_EDGE, true);
    return take_escape(r, s, &c) ? finish_set(r, s) : one_char(r, c);
}

static tree *close_group(reader *r, tree *t) {
    if (!take(r, ")")) refuse(r, "a ( without )");
    return t;
}

static tree *around(reader *r, kind k, bool is_not) {
    tree *t = tree_new(r, k);
    t->is_not = is_not;
    t->left = close_group(r, either(r));
    if (k == BEHIND && t->left->kind != SET)
        refuse(r, "(?<= ) or (?<! ) of more than one character");
    return t;
}

static tree *take_group(reader *r) {
    bool before = r->ignores_case;
    if (take(r, "?=")) return around(r, LOOK, false);
    if (take(r, "?!")) return around(r, LOOK, true);
    if (take(r, "?<=")) return around(r, BEHIND, false);
    if (take(r, "?<!")) return around(r, BEHIND, true);
    if (take(r, "?>")) return around(r, ATOMIC, false);
    if (take(r, "?i)")) { /* to the end of the group around it */
        r->ignores_case = true;
        return either(r);
    }
    if (take(r, "?i:"))
        r->ignores_case = true;
    else if (!take(r, "?:") && is_next(r, "?"))
        refuse(r, "a group that begins with (? and is not one of the known kinds");
    tree *t = close_group(r, either(r));
    r->ignores_case = before;
    return t;
}

static tree *atom(reader *r) {
    if (take(r, "(")) return take_group(r);
    if (take(r, "[")) return take_class(r);
    if (take(r, "\\")) return take_backslash(r);
    if (take(r, "^")) return edge(r, LH_P_LINE, false);
    if (take(r, "$")) return edge(r, LH_P_LINE_END, false);
    if (take(r, ".")) {
        lh_charset *s = lh_alloc(r->arena, sizeof *s);
        add_range(r, s, '\n', '\n');
        s->is_negated = true;
        return finish_set(r, s);
    }
    if (is_next(r, "*") || is_next(r, "+") || is_next(r, "?")) refuse(r, "a * + ? after nothing");
    return one_char(r, take_char(r));
}

static bool take_number(reader *r, int *n) {
    size_t begin = r->at;
    for (*n = 0; r->at < r->n && r->regex[r->at] >= '0' && r->regex[r->at] <= '9'; r->at++) {
        *n = *n * 10 + (r->regex[r->at] - '0');
        if (*n > 1000) refuse(r, "a count above 1000");
        if (lh_failed(r->ctx)) return false;
    }
    return r->at > begin;
}

/* {n}, {n,}, {n,m}, {,m}; anything else that begins with { is that character. */
static bool take_braces(reader *r, int *min, int *max) {
    size_t begin = r->at++;
    bool has_min = take_number(r, min), has_comma = take(r, ","), has_max = false;
    *max = *min;
    if (has_comma) has_max = take_number(r, max);
    if (has_comma && !has_max) *max = -1;
    if ((has_min || has_max) && take(r, "}")) return true;
    r->at = begin;
    return false;
}

static bool take_count(reader *r, int *min, int *max) {
    *min = 0, *max = -1;
    if (take(r, "*")) return true;
    if (take(r, "+")) return *min = 1, true;
    if (take(r, "?")) return *max = 1, true;
    return is_next(r, "{") && take_braces(r, min, max);
}

static bool may_be_empty(const tree *t) {
    switch (t->kind) {
    case SET: return false;
    case BEFORE: return may_be_empty(t->left) && may_be_empty(t->right);
    case EITHER: return may_be_empty(t->left) || may_be_empty(t->right);
    case REPEAT: return t->min == 0 || may_be_empty(t->left);
    case ATOMIC: return may_be_empty(t->left);
    default: return true;
    }
}

static tree *repeated(reader *r) {
    tree *t = atom(r);
    int min, max;
    while (!lh_failed(r->ctx) && take_count(r, &min, &max)) {
        tree *again = tree_new(r, REPEAT);
        again->left = t, again->min = min, again->max = max;
        again->how = take(r, "?") ? LH_P_LAZY : take(r, "+") ? LH_P_ALL : LH_P_LOOP;
        if (max >= 0 && max < min) refuse(r, "a count {n,m} with m below n");
        if (t->kind != SET && may_be_empty(t)) refuse(r, "a repetition of what may be empty");
        t = again;
    }
    return t;
}

static tree *sequence(reader *r) {
    tree *all = NULL;
    while (r->at < r->n && !is_next(r, "|") && !is_next(r, ")") && !lh_failed(r->ctx)) {
        tree *next = repeated(r), *both = tree_new(r, BEFORE);
        both->left = all, both->right = next;
        all = all ? both : next;
    }
    return all ? all : tree_new(r, EMPTY);
}

static tree *either(reader *r) {
    if (++r->depth > 100) refuse(r, "more than 100 brackets inside each other");
    if (lh_failed(r->ctx)) return tree_new(r, EMPTY);
    tree *t = sequence(r);
    if (take(r, "|")) {
        tree *all = tree_new(r, EITHER);
        all->left = t;
        all->right = either(r);
        t = all;
    }
    r->depth--;
    return t;
}

/* ---- steps ---- */

static int emit(reader *r, lh_pattern_step step) {
    if (r->made->n > 4 * LH_PATTERN_SIZE)
        lh_fail(r->ctx, LH_ERROR_LIMIT, nowhere, "the pattern %.80s... is too long", r->regex);
    if (lh_failed(r->ctx)) return 0;
    int at = r->made->n;
    *lh_push(r->arena, r->made->step, r->made->n) = step;
    return lh_failed(r->ctx) ? 0 : at;
}

static int here(const reader *r) {
    return r->made->n;
}

/* How it can begin: only what is known of ASCII counts; false when it may begin with anything. */
static bool beginnings(const tree *t, lh_charset *first) {
    switch (t->kind) {
    case SET:
        for (int i = 0; i < 2; i++) first->ascii[i] |= t->set->ascii[i];
        return true;
    case BEFORE:
        if (!beginnings(t->left, first)) return false;
        return !may_be_empty(t->left) || beginnings(t->right, first);
    case EITHER: return beginnings(t->left, first) && beginnings(t->right, first);
    case REPEAT:
    case ATOMIC: return beginnings(t->left, first);
    default: return false;
    }
}

static int emit_split(reader *r, const tree *x) {
    lh_charset *first = lh_alloc(r->arena, sizeof *first);
    bool is_known = !may_be_empty(x) && beginnings(x, first);
    return emit(r, (lh_pattern_step){.op = LH_P_SPLIT, .set = first, .may_be_empty = !is_known});
}

static void set_x(reader *r, int at, int x) {
    if (!lh_failed(r->ctx)) r->made->step[at].x = x;
}

static void set_y(reader *r, int at, int y) {
    if (!lh_failed(r->ctx)) r->made->step[at].y = y;
}

static void emit_tree(reader *r, const tree *t);

/* x{2,} as x x (x)*; x{1,3} as x (x (x)?)?. */
static void emit_repeat(reader *r, const tree *t) {
    bool is_lazy = t->how == LH_P_LAZY;
    if (t->left->kind == SET) {
        emit(r, (lh_pattern_step){.op = t->how, .set = t->left->set, .min = t->min, .max = t->max});
        return;
    }
    int atomic = t->how == LH_P_ALL ? emit(r, (lh_pattern_step){.op = LH_P_ATOMIC}) : -1;
    for (int i = 0; i < t->min && !lh_failed(r->ctx); i++) emit_tree(r, t->left);
    if (t->max < 0) {
        int loop = emit_split(r, t->left);
        if (is_lazy) r->made->step[loop].may_be_empty = true;
        (is_lazy ? set_y : set_x)(r, loop, here(r));
        emit_tree(r, t->left);
        emit(r, (lh_pattern_step){.op = LH_P_JUMP, .x = loop});
        (is_lazy ? set_x : set_y)(r, loop, here(r));
    } else {
        int first = here(r), n = 0;
        for (int i = t->min; i < t->max && !lh_failed(r->ctx); i++, n++) {
            int split = emit_split(r, t->left);
            if (is_lazy) r->made->step[split].may_be_empty = true;
            (is_lazy ? set_y : set_x)(r, split, here(r));
            emit_tree(r, t->left);
        }
        for (int i = first; n && i < here(r) && !lh_failed(r->ctx);
             i++) { /* all of them leave here */
            lh_pattern_step *s = &r->made->step[i];
            if (s->op == LH_P_SPLIT && is_lazy && s->x == 0) s->x = here(r);
            if (s->op == LH_P_SPLIT && !is_lazy && s->y == 0) s->y = here(r);
        }
    }
    if (atomic >= 0) {
        emit(r, (lh_pattern_step){.op = LH_P_ACCEPT});
        set_x(r, atomic, here(r));
    }
}

static void emit_inside(reader *r, lh_pattern_step step, const tree *t) {
    int at = emit(r, step);
    emit_tree(r, t);
    emit(r, (lh_pattern_step){.op = LH_P_ACCEPT});
    set_x(r, at, here(r));
}

static void emit_either(reader *r, const tree *t) {
    int split = emit_split(r, t->left);
    set_x(r, split, here(r));
    emit_tree(r, t->left);
    int jump = emit(r, (lh_pattern_step){.op = LH_P_JUMP});
    set_y(r, split, here(r));
    emit_tree(r, t->right);
    set_x(r, jump, here(r));
}

static void emit_tree(reader *r, const tree *t) {
    if (lh_failed(r->ctx)) return;
    switch (t->kind) {
    case SET: emit(r, (lh_pattern_step){.op = LH_P_ONE, .set = t->set}); break;
    case EMPTY: break;
    case BEFORE: emit_tree(r, t->left), emit_tree(r, t->right); break;
    case EITHER: emit_either(r, t); break;
    case REPEAT: emit_repeat(r, t); break;
    case LOOK:
        emit_inside(r, (lh_pattern_step){.op = LH_P_LOOK, .is_not = t->is_not}, t->left);
        break;
    case ATOMIC: emit_inside(r, (lh_pattern_step){.op = LH_P_ATOMIC}, t->left); break;
    case BEHIND:
        emit(r, (lh_pattern_step){.op = LH_P_BEHIND, .is_not = t->is_not, .set = t->left->set});
        break;
    case EDGE: emit(r, (lh_pattern_step){.op = t->how, .is_not = t->is_not}); break;
    }
}

lh_pattern *lh_pattern_new(lh_context *ctx, lh_arena *a, const char *regex) {
    reader r = {.ctx = ctx, .arena = a, .regex = regex, .n = strlen(regex)};
    if (lh_failed(ctx)) return NULL;
    r.made = lh_alloc(a, sizeof *r.made);
    tree *t = either(&r);
    if (!lh_failed(ctx) && r.at < r.n) refuse(&r, "a ) without (");
    emit_tree(&r, t);
    emit(&r, (lh_pattern_step){.op = LH_P_ACCEPT});
    return lh_failed(ctx) ? NULL : r.made;
}

lh_pattern *lh_pattern_of_text(lh_context *ctx, lh_arena *a, const char *text, size_t length) {
    reader r = {.ctx = ctx, .arena = a, .regex = text, .n = length};
    if (lh_failed(ctx)) return NULL;
    r.made = lh_alloc(a, sizeof *r.made);
    if (length == 0) emit(&r, (lh_pattern_step){.op = LH_P_FAIL});
    while (r.at < r.n && !lh_failed(ctx)) emit_tree(&r, one_char(&r, take_char(&r)));
    emit(&r, (lh_pattern_step){.op = LH_P_ACCEPT});
    return lh_failed(ctx) ? NULL : r.made;
}
