/* Matching: one way is followed, and where it ends the last way back is taken. */
#include <string.h>

#include "base/utf8.h"
#include "text/pattern.h"
#include "base/unicode_forms.h"

static const lh_place nowhere = {0, 0, 0};
enum { NOTHING = 0x7FFFFFFF, FIRST_ROOM = 64 };

static uint32_t char_at(const lh_scan *s, size_t at, size_t *bytes) {
    unsigned char first = (unsigned char)s->text[at];
    uint32_t c = first;
    *bytes = 1;
    if (first < 128) return c;
    size_t k = lh_utf8_read(s->text + at, s->length - at, &c);
    if (k == 0) return NOTHING;
    *bytes = k;
    return c;
}

/* Where the character before `at` begins: a byte that is not UTF-8 is one of its own. */
static size_t before(const lh_scan *s, size_t at) {
    uint32_t c;
    for (size_t k = 1; k <= 4 && k <= at; k++)
        if (lh_utf8_read(s->text + at - k, k, &c) == k) return at - k;
    return at - 1;
}

static bool fits(const lh_scan *s, const lh_charset *set, size_t at, size_t *bytes) {
    if (at >= s->length) return false;
    uint32_t c = char_at(s, at, bytes);
    return lh_charset_has(set, c);
}

static void push(lh_scan *s, int pc, size_t at, size_t least, bool is_lazy) {
    if (s->n_back == s->room) {
        int room = s->room ? s->room * 2 : FIRST_ROOM;
        lh_way_back *more = lh_alloc_array(s->arena, (size_t)room, sizeof *more);
        if (!more) return;
        if (s->n_back) memcpy(more, s->back, (size_t)s->n_back * sizeof *more);
        s->back = more;
        s->room = room;
    }
    s->back[s->n_back++] = (lh_way_back){pc, at, least, is_lazy};
}

static bool is_word_at(const lh_scan *s, size_t at) {
    size_t k;
    return at < s->length && lh_unicode_is_word(char_at(s, at, &k));
}

static bool is_edge(const lh_scan *s, size_t at) {
    bool left = at > 0 && is_word_at(s, before(s, at));
    return left != is_word_at(s, at);
}

static bool holds(const lh_scan *s, const lh_pattern_step *p, size_t at) {
    size_t k;
    switch (p->op) {
    case LH_P_START: return at == 0;
    case LH_P_LINE: return at == 0 || s->text[at - 1] == '\n';
    case LH_P_END: return at == s->length;
    case LH_P_LINE_END: return at == s->length || s->text[at] == '\n';
    case LH_P_LAST_END: return at == s->length || (at + 1 == s->length && s->text[at] == '\n');
    case LH_P_EDGE: return is_edge(s, at) != p->is_not;
    case LH_P_BEHIND: return (at > 0 && fits(s, p->set, before(s, at), &k)) != p->is_not;
    default: return false;
    }
}

/* min to max characters of a set; false when there are too few. */
static bool loop(lh_scan *s, const lh_pattern_step *p, int pc, size_t *at) {
    size_t i = *at, k = 0, least = i;
    int n = 0, most = p->op == LH_P_LAZY ? p->min : p->max;
    for (; (most < 0 || n < most) && fits(s, p->set, i, &k); n++) {
        i += k;
        if (n + 1 == p->min) least = i;
    }
    if (n < p->min) return false;
    s->steps += n;
    if (p->op == LH_P_LOOP && i > least) push(s, pc + 1, i, least, false);
    if (p->op == LH_P_LAZY && p->max != p->min) push(s, pc, i, (size_t)p->min, true);
    *at = i;
    return true;
}

/* The next way back that is not of the caller's; false: there is none. */
static bool go_back(lh_scan *s, int floor, int *pc, size_t *at) {
    while (s->n_back > floor) {
        lh_way_back *b = &s->back[s->n_back - 1];
        const lh_pattern_step *p = &s->pattern->step[b->pc];
        size_t k;
        if (b->is_lazy) { /* one more, if there is one */
            size_t taken = b->least;
            bool may = p->max < 0 || taken < (size_t)p->max;
            if (!may || !fits(s, p->set, b->at, &k)) {
                s->n_back--;
                continue;
            }
            b->at += k, b->least++;
            *pc = b->pc + 1, *at = b->at;
            return true;
        }
        if (b->least != SIZE_MAX && b->at > b->least) { /* one less */
            b->at = before(s, b->at);
            *pc = b->pc, *at = b->at;
            if (b->at == b->least) s->n_back--;
            return true;
        }
        *pc = b->pc, *at = b->at;
        s->n_back--;
        return true;
    }
    return false;
}

static bool match(lh_scan *s, int pc, size_t at, size_t *end);

static bool inside(lh_scan *s, const lh_pattern_step *p, int pc, size_t *at) {
    size_t end = *at;
    bool is_there = match(s, pc + 1, *at, &end);
    if (p->op == LH_P_ATOMIC) {
        *at = end;
        return is_there;
    }
    return is_there != p->is_not;
}

/* Does the first branch have a chance? */
static bool may_begin(const lh_scan *s, const lh_pattern_step *p, size_t at) {
    if (p->may_be_empty) return true;
    if (at >= s->length) return false;
    unsigned char c = (unsigned char)s->text[at];
    return c >= 128 || (p->set->ascii[c >> 6] >> (c & 63) & 1);
}

static bool step(lh_scan *s, int *pc, size_t *at) {
    const lh_pattern_step *p = &s->pattern->step[*pc];
    size_t k = 0;
    switch (p->op) {
    case LH_P_ONE:
        if (!fits(s, p->set, *at, &k)) return false;
        *at += k;
        ++*pc;
        return true;
    case LH_P_LOOP:
    case LH_P_LAZY:
    case LH_P_ALL:
        if (!loop(s, p, *pc, at)) return false;
        ++*pc;
        return true;
    case LH_P_SPLIT:
        if (!may_begin(s, p, *at)) {
            *pc = p->y;
            return true;
        }
        push(s, p->y, *at, SIZE_MAX, false);
        *pc = p->x;
        return true;
    case LH_P_JUMP: *pc = p->x; return true;
    case LH_P_LOOK:
    case LH_P_ATOMIC:
        if (!inside(s, p, *pc, at)) return false;
        *pc = p->x;
        return true;
    case LH_P_FAIL: return false;
    default: ++*pc; return holds(s, p, *at);
    }
}

static bool match(lh_scan *s, int pc, size_t at, size_t *end) {
    int floor = s->n_back;
    while (!lh_failed(s->ctx)) {
        if (s->pattern->step[pc].op == LH_P_ACCEPT) {
            s->n_back = floor;
            *end = at;
            return true;
        }
        if (++s->steps > s->most_steps)
            lh_fail(s->ctx, LH_ERROR_LIMIT, nowhere,
                    "a pattern of the tokeniser takes too many steps on this text");
        if (!step(s, &pc, &at) && !go_back(s, floor, &pc, &at)) return false;
    }
    return false;
}

lh_scan lh_scan_new(lh_context *ctx, lh_arena *a, const lh_pattern *p, const char *text,
                    size_t length) {
    return (lh_scan){.ctx = ctx,
                     .arena = a,
                     .pattern = p,
                     .text = text,
                     .length = length,
                     .last_end = SIZE_MAX,
                     .most_steps = LH_PATTERN_STEPS + 1000.0 * (double)length};
}

/* An empty match directly behind the last one is passed over, so that the scan goes on. */
bool lh_scan_next(lh_scan *s, size_t *start, size_t *end) {
    size_t k;
    while (s->at <= s->length && !lh_failed(s->ctx)) {
        size_t from = s->at;
        if (match(s, 0, from, end)) {
            if (*end > from || s->last_end != from) {
                *start = from;
                s->at = s->last_end = *end;
                return true;
            }
        }
        if (from == s->length) break;
        char_at(s, from, &k);
        s->at += k;
    }
    s->at = s->length + 1;
    return false;
}
