/* picture -- the boxes and what they read. Where they stand on paper is drawing.c. */
#include "explain/picture.h"

#include <string.h>

/* ---- turns ---- */

typedef struct place {
    lh_home home;
    const char *turn[LH_MAX_TURNS_DEEP]; /* paths, from outside */
    int n_turns;
    const char *fold; /* the path of the repeat that folds it away, or NULL */
    int fold_repeat;
} place;

/* The turns around a step, and whether one of them is not the first. */
static place place_of(const lh_picture *p, const lh_step *s) {
    lh_arena *a = p->arena;
    place at = {.home = lh_outline_home(p->outline, s), .fold_repeat = -1};
    int repeat = at.home.repeat, turn = at.home.turn;
    const lh_scope *around = at.home.turns_in;
    const char *inner[LH_MAX_TURNS_DEEP];
    int n = 0;
    while (repeat >= 0 && n < LH_MAX_TURNS_DEEP) {
        const char *name = p->outline->repeat[repeat].name, *path = around ? around->path : "";
        const char *start = path[0] ? lh_printf(a, "%s.%s", path, name) : name;
        inner[n++] = lh_printf(a, "%s[%d]", start, turn);
        if (turn > 0) at.fold = start, at.fold_repeat = repeat; /* the outermost wins */
        repeat = p->outline->repeat[repeat].outer;
        const lh_scope *next = lh_repeat_around(around);
        turn = next ? next->turn : 0;
        around = next ? next->outer : NULL;
    }
    for (int i = 0; i < n; i++) at.turn[i] = inner[n - 1 - i];
    at.n_turns = n;
    return at;
}

/* ---- boxes ---- */

static lh_box_kind kind_of(const lh_step *s) {
    if (s->node->kind == LH_OP_input) return LH_BOX_INPUT;
    if (s->kind == LH_STEP_GIVEN)
        return s->node->given->kind == LH_PARAM   ? LH_BOX_PARAM
               : s->node->given->kind == LH_STATE ? LH_BOX_STATE
                                                  : LH_BOX_CONST;
    return s->kind == LH_STEP_GRADIENT ? LH_BOX_GRADIENT
           : s->kind == LH_STEP_PART   ? LH_BOX_PART
           : s->kind == LH_STEP_UPDATE ? LH_BOX_UPDATE
                                       : LH_BOX_STEP;
}

static int push_box(lh_picture *p, const lh_box *b) {
    int id = p->n_boxes;
    *lh_push(p->arena, p->box, p->n_boxes) = *b;
    return id < p->n_boxes ? id : -1;
}

/* The box of the turns that are folded away, made where the first of their steps comes. */
static int fold_box(lh_picture *p, const lh_step *s, const place *at, bool is_given) {
    lh_phase phase = is_given ? LH_FORWARD : lh_outline_phase(p->outline, s);
    const char *path = lh_printf(p->arena, "%s[1...]", at->fold);
    for (int i = p->n_boxes - 1; i >= 0; i--)
        if (p->box[i].folds && p->box[i].phase == phase && p->box[i].is_given == is_given &&
            strcmp(p->box[i].path, path) == 0) {
            p->box[i].n_folded++;
            return i;
        }
    int turns = p->outline->repeat[at->fold_repeat].n - 1;
    lh_box b = {.kind = kind_of(s),
                .phase = phase,
                .is_given = is_given,
                .step = s,
                .folds = turns,
                .n_folded = 1,
                .path = path,
                .shape = "",
                .beside = -1};
    b.name = turns == 1 ? lh_printf(p->arena, "%s[1]", at->fold)
                        : lh_printf(p->arena, "%s[1] ... %s[%d]", at->fold, at->fold, turns);
    for (int i = 0; i < at->n_turns; i++) /* a fold of an inner repeat stands in the outer turn */
        if (strncmp(at->turn[i], at->fold, strlen(at->fold)) != 0)
            b.turn[b.n_turns++] = at->turn[i];
    return push_box(p, &b);
}

static void add_step(lh_picture *p, const lh_step *s, bool all) {
    bool is_given = s->kind == LH_STEP_GIVEN;
    place at = place_of(p, s);
    if (at.fold && !all) {
        p->of_step[s->id] = fold_box(p, s, &at, is_given);
        return;
    }
    lh_box b = {.kind = kind_of(s),
                .phase = is_given ? LH_FORWARD : lh_outline_phase(p->outline, s),
                .is_given = is_given,
                .step = s,
                .name = at.home.name,
                .path = s->path,
                .formula = is_given ? "" : lh_step_formula(p->g, s),
                .shape = lh_shape_text(p->g, s->node->shape),
                .n_turns = at.n_turns,
                .beside = -1};
    memcpy(b.turn, at.turn, sizeof b.turn);
    p->of_step[s->id] = push_box(p, &b);
}

/* Given values that some shown step reads; sizes stand in the formulas. */
static bool is_shown_given(const lh_step *s) {
    return !s->is_dead && s->kind == LH_STEP_GIVEN && s->node->kind != LH_OP_size &&
           !lh_step_is_inner(s);
}

static void add_reads(lh_picture *p, const lh_step *s) {
    lh_step **from;
    int n = lh_outline_reads(p->outline, s, &from), to = p->of_step[s->id];
    for (int i = 0; i < n && to >= 0 && p->box; i++) {
        int box = p->of_step[from[i]->id], k = 0;
        if (box < 0 || box == to) continue;
        lh_box *b = &p->box[to];
        while (k < b->n_reads && b->reads[k] != box) k++;
        if (k == b->n_reads) *lh_push(p->arena, b->reads, b->n_reads) = box;
    }
}

static void add_gradient(lh_picture *p, const lh_step *s) {
    int value = s->of ? p->of_step[s->of->id] : -1, d = p->of_step[s->id];
    if (value < 0 && s->of) { /* an unnamed call: beside the step in whose formula it stands */
        const lh_step *owner = p->outline->owner[s->of->node->id];
        value = owner ? p->of_step[owner->id] : -1;
    }
    if (value < 0 || d < 0 || !p->box) return;
    if (p->box[d].beside < 0) p->box[d].beside = value;
    if (s->kind == LH_STEP_GRADIENT && p->box[value].beside < 0 && p->of_step[s->of->id] == value)
        p->box[value].beside = d;
}

static void count_steps(lh_picture *p) {
    int number = 0;
    for (int i = 0; i < p->n_boxes; i++) {
        lh_box *b = &p->box[i];
        if (!b->is_given) b->number = number + 1, number += b->folds ? b->n_folded : 1;
        if (b->folds)
            b->formula = lh_printf(p->arena, "%d more turn%s: %d %s", b->folds,
                                   b->folds == 1 ? "" : "s", b->n_folded,
                                   b->is_given               ? "given values"
                                   : b->phase == LH_BACKWARD ? "gradients"
                                   : b->phase == LH_UPDATE   ? "updates"
                                                             : "steps");
    }
}

/* What is asked for: everything, or the steps that lead to a goal. */
typedef struct choice {
    lh_picture_of what;
    const bool *leads; /* for each step, or NULL: all of them */
} choice;

static bool is_shown_step(const lh_picture *p, const lh_step *s, const choice *c) {
    return lh_outline_shows(p->outline, s) && (!c->leads || c->leads[s->id]) &&
           (c->what != LH_PICTURE_FORWARD || lh_outline_phase(p->outline, s) == LH_FORWARD);
}

/* What is given: all of it, or what some step of the picture reads. */
static void add_given(lh_picture *p, const choice *c) {
    lh_graph *g = p->g;
    bool *is_read = lh_alloc_array(p->arena, (size_t)g->n_steps + 1, sizeof *is_read);
    if (!is_read) return;
    for (int i = 0; i < g->n_steps && !lh_failed(g->ctx); i++) {
        lh_step **from;
        if (!is_shown_step(p, g->step[i], c)) continue;
        int n = lh_outline_reads(p->outline, g->step[i], &from);
        for (int k = 0; k < n; k++) is_read[from[k]->id] = true;
    }
    for (int i = 0; i < g->n_steps && !lh_failed(g->ctx); i++)
        if (is_shown_given(g->step[i]) &&
            (is_read[i] || (c->what != LH_PICTURE_FORWARD && !c->leads)))
            add_step(p, g->step[i], c->what == LH_PICTURE_ALL);
}

/* ---- a model with two texts ---- */

/* Which inputs each box depends on, as bits; 0 where there are too many inputs, or none. */
static unsigned *find_inputs(lh_picture *p) {
    unsigned *of = lh_alloc_array(p->arena, (size_t)p->n_boxes + 1, sizeof *of);
    int n = 0;
    for (int i = 0; of && i < p->n_boxes; i++) {
        if (p->box[i].kind == LH_BOX_INPUT && n < 31) of[i] = 1u << n++;
        for (int k = 0; k < p->box[i].n_reads; k++) of[i] |= of[p->box[i].reads[k]];
    }
    return of;
}

/* A translator reads one text alone for several steps, another one alone for several steps, and then both together. Steps that
 * depend on the first text alone are the encoder's, all others the decoder's. */
static void find_sides(lh_picture *p) {
    enum { FEW = 3 };
    unsigned *of = find_inputs(p), last = 0, first = 0;
    int alone = 0, without = 0;
    for (int i = 0; of && i < p->n_boxes; i++) {
        if (!first && p->box[i].kind == LH_BOX_INPUT) first = of[i];
        if (!p->box[i].is_given) last = of[i];
    }
    for (int i = 0; of && i < p->n_boxes; i++) {
        alone += !p->box[i].is_given && of[i] == first;
        without += !p->box[i].is_given && of[i] && !(of[i] & first);
    }
    if (!(last & first) || alone < FEW || without < FEW) return;
    for (int i = 0; i < p->n_boxes; i++) {
        lh_box *b = &p->box[i];
        b->is_second = of[i] != first;
        if (b->kind == LH_BOX_INPUT && !p->text[b->is_second]) p->text[b->is_second] = b->name;
    }
}

static lh_picture *picture_new(lh_graph *g, const choice *c) {
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *arena = lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_picture *p = lh_alloc(arena, sizeof *p);
    *p = (lh_picture){.g = g, .arena = arena, .outline = lh_outline_new(g, arena)};
    p->of_step = lh_alloc_array(arena, (size_t)g->n_steps + 1, sizeof *p->of_step);
    if (p->outline && p->of_step) {
        for (int i = 0; i < g->n_steps; i++) p->of_step[i] = -1;
        add_given(p, c);
        for (int i = 0; i < g->n_steps && !lh_failed(g->ctx); i++)
            if (is_shown_step(p, g->step[i], c)) add_step(p, g->step[i], c->what == LH_PICTURE_ALL);
        for (int i = 0; i < g->n_steps && !lh_failed(g->ctx); i++) {
            const lh_step *s = g->step[i];
            if (!is_shown_step(p, s, c)) continue;
            add_reads(p, s);
            if (s->kind == LH_STEP_GRADIENT || s->kind == LH_STEP_PART) add_gradient(p, s);
        }
        count_steps(p);
        if (c->what == LH_PICTURE_FORWARD) find_sides(p);
    }
    if (!lh_failed(g->ctx)) return p;
    lh_picture_free(p);
    return NULL;
}

lh_picture *lh_picture_new(lh_graph *g, lh_picture_of what) {
    return picture_new(g, &(choice){what, NULL});
}

/* Everything that a step reads, and what that reads. */
static void mark_reads(lh_outline *o, const lh_step *s, bool *leads) {
    lh_step **from;
    if (leads[s->id]) return;
    leads[s->id] = true;
    int n = lh_outline_reads(o, s, &from);
    for (int i = 0; i < n; i++) mark_reads(o, from[i], leads);
}

lh_picture *lh_picture_to(lh_graph *g, const lh_step *goal) {
    lh_arena *a = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    lh_outline *o = a ? lh_outline_new(g, a) : NULL;
    bool *leads = o ? lh_alloc_array(a, (size_t)g->n_steps + 1, sizeof *leads) : NULL;
    if (leads) mark_reads(o, goal, leads);
    lh_picture *p = leads ? picture_new(g, &(choice){LH_PICTURE_FOLDED, leads}) : NULL;
    lh_arena_free(a);
    return p;
}

void lh_picture_free(lh_picture *p) {
    if (p) lh_arena_free(p->arena);
}
