/* mark_cache -- the papers that answers are written on. Making one takes longer than marking it, and most sheets of a class are
 * copies of a few; but a course on the net has any number of seeds, so the one that was not asked for longest makes room. */
#include <string.h>

#include "cli/mark_command.h"

enum { PLACES = 32 }; /* of some megabytes each */

typedef struct place {
    lh_sheet_lesson *from;
    lh_arena *arena; /* of the names of steps that were asked for */
    lh_paper *paper; /* NULL: empty */
    unsigned long used;
} place;

struct lh_paper_cache {
    place place[PLACES];
    unsigned long now;
};

lh_paper_cache *lh_paper_cache_new(lh_arena *a) {
    return lh_alloc_array(a, 1, sizeof(lh_paper_cache));
}

static void empty(place *x) {
    lh_paper_free(x->paper);
    lh_arena_free(x->arena);
    *x = (place){0};
}

void lh_paper_cache_free(lh_paper_cache *s) {
    for (int i = 0; s && i < PLACES; i++) empty(&s->place[i]);
}

static bool is_it(const place *x, const lh_sheet_lesson *from, const lh_sheet_wish *w) {
    const lh_paper *p = x->paper;
    if (!p || x->from != from || p->seed != w->seed || p->digits != w->digits ||
        p->n_asked != w->n_steps || strcmp(p->form, w->form ? w->form : "") != 0)
        return false;
    for (int i = 0; i < w->n_steps; i++)
        if (strcmp(p->asked[i], w->steps[i]) != 0) return false;
    return true;
}

static lh_paper *make(place *x, lh_sheet_lesson *from, lh_sheet_wish w) {
    x->arena = lh_arena_new(from->cli->ctx);
    if (!x->arena) return NULL;
    const char **steps = lh_alloc_array(x->arena, (size_t)w.n_steps + 1, sizeof *steps);
    for (int i = 0; steps && i < w.n_steps; i++) steps[i] = lh_printf(x->arena, "%s", w.steps[i]);
    w.steps = steps;
    x->from = from;
    x->paper = steps ? lh_sheet_lesson_paper(from, &w) : NULL;
    if (!x->paper) empty(x);
    return x->paper;
}

lh_paper *lh_paper_cache_paper(lh_paper_cache *s, lh_sheet_lesson *from, const lh_sheet_wish *w) {
    place *oldest = &s->place[0];
    for (int i = 0; i < PLACES; i++) {
        place *x = &s->place[i];
        if (is_it(x, from, w)) {
            x->used = ++s->now;
            return x->paper;
        }
        if (x->used < oldest->used) oldest = x;
    }
    empty(oldest);
    lh_paper *p = make(oldest, from, *w);
    if (p) oldest->used = ++s->now;
    return p;
}
