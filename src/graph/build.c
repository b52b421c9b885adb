/* build -- a program becomes a graph: statements in order, each making steps in the scope where it stands. */
#include "graph/build.h"

#include <string.h>

#include "base/embedded.h"
#include "graph/op.h"

const lh_statement *lh_find_fn(const lh_builder *b, const char *name) {
    for (int i = 0; i < b->n_fns; i++)
        if (strcmp(b->fn[i]->name, name) == 0) return b->fn[i];
    return NULL;
}

/* Name a node in the scope. A value that has a name already gets a node of its own. */
lh_step *lh_define(lh_builder *b, lh_step_kind kind, const char *name, lh_node *n,
                   const lh_statement *from) {
    lh_graph *g = b->g;
    n = lh_apply_rewrites(b, lh_path(g, b->scope->path, name), n);
    if (n->step) n = lh_op1(g, LH_OP_same, n);
    lh_step *s = lh_step_new(g, kind, b->scope, name, n);
    if (from) s->comment = from->comment;
    if (from && !b->inside) s->at = from->at;
    lh_scope_bind(g, b->scope, name, n);
    return s;
}

/* Words that functions and matrices use: a value of that name would not be seen there, and nobody would say so. */
static const char *meaning_of(const char *name) {
    static const char *const word[][2] = {
        {"training", "1 in training and 0 otherwise, used by dropout"},
        {"inf", "infinity, in matrices too"},
    };
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcmp(name, word[i][0]) == 0) return word[i][1];
    return NULL;
}

bool lh_name_is_free(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    const lh_node *old = lh_scope_here(b->scope, s->name);
    const char *meaning = meaning_of(s->name);
    if (!old && !meaning) return true;
    lh_place at = b->inside ? g->at : s->name_at;
    if (meaning) {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "%s already has a meaning: %s", s->name, meaning);
        lh_cure(g->ctx, "choose another name");
    } else if (old->step && old->step->kind == LH_STEP_GRADIENT) {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "%s is the gradient of %s, computed by `backward`",
                s->name, s->name + 1);
        lh_cure(g->ctx, "leave out `backward` to write gradients by hand, or choose another name");
    } else if (old->step) {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "%s is already defined, in line %d", s->name,
                old->step->at.line);
        lh_cure(g->ctx, "a name can be defined only once; a param or state is updated with :=");
    } else {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "%s already has a meaning here", s->name);
        lh_cure(g->ctx, "choose another name");
    }
    return false;
}

static void build_step(lh_builder *b, const lh_statement *s) {
    if (!lh_name_is_free(b, s)) return;
    lh_node *n = lh_build_line(b, s->expr, lh_path(b->g, b->scope->path, s->name));
    if (!b->inside) b->g->at = s->at;
    lh_define(b, b->scope->kind == LH_SCOPE_CALL ? LH_STEP_BODY : LH_STEP_FORWARD, s->name, n, s);
}

static void build_generate(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    lh_generate *gen = lh_alloc(g->arena, sizeof *gen);
    gen->input = -1;
    for (int i = 0; i < g->n_inputs; i++)
        if (strcmp(g->input[i]->name, s->name) == 0) gen->input = i;
    if (gen->input < 0 || !g->input[gen->input]->is_many) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->name_at, "generate %s: it is not an input made of tokens",
                s->name);
        return;
    }
    gen->from = lh_scope_here(g->top, s->of);
    if (!gen->from) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->at, "generate %s from %s: there is no %s in this program",
                s->name, s->of, s->of);
        return;
    }
    const lh_vocab *v = g->input[gen->input]->vocab;
    const char *words[2] = {s->starting, s->until};
    for (int i = 0; i < 2; i++)
        if (words[i] && lh_vocab_word(v, words[i]) < 0) lh_fail_word(g, s->at, v, words[i]);
    gen->starting = s->starting;
    gen->until = s->until;
    g->generate = gen;
}

static void build_backward(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    lh_node *root = lh_scope_find(b->scope, s->name);
    if (!root || !root->step) {
        const char *near = lh_scope_nearest(b->scope, s->name);
        lh_fail(g->ctx, LH_ERROR_NAME, s->name_at, "backward %s: %s is not defined here", s->name,
                s->name);
        if (near) lh_cure(g->ctx, "did you mean %s?", near);
        return;
    }
    if (b->has_backward) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->at, "a program can have only one `backward`");
        lh_cure(g->ctx, "add up the losses and use `backward` on the sum");
        return;
    }
    b->has_backward = true;
    g->at = s->at;
    lh_build_backward(b, root);
}

void lh_build_statement(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    if (!b->inside) g->at = s->at;
    bool is_top = b->scope->kind == LH_SCOPE_TOP;
    switch (s->kind) {
    case LH_S_COMMENT:
    case LH_S_BLANK:
    case LH_S_FN:
    case LH_S_GRAD:
    case LH_S_MISTAKE:
    case LH_S_KINDS: return;
    case LH_S_CONST:
    case LH_S_PARAM:
    case LH_S_STATE: lh_build_given(b, s); return;
    case LH_S_STEP: build_step(b, s); return;
    case LH_S_UPDATE: lh_build_update(b, s); return;
    case LH_S_REPEAT: lh_build_repeat(b, s); return;
    case LH_S_NEXT:
        lh_fail(g->ctx, LH_ERROR_TEXT, s->at, "next %s is only allowed inside a repeat", s->name);
        return;
    default: break;
    }
    if (!is_top) {
        lh_fail(g->ctx, LH_ERROR_TEXT, s->at, "this line must be outside the block");
        return;
    }
    switch (s->kind) {
    case LH_S_VOCAB: lh_build_vocab(b, s); return;
    case LH_S_SIZE: lh_build_size(b, s); return;
    case LH_S_INPUT: lh_build_input(b, s); return;
    case LH_S_EXAMPLE:
    case LH_S_EXAMPLES:
    case LH_S_TEXT: lh_build_example(b, s); return;
    case LH_S_EACH: lh_build_each(b, s); return;
    case LH_S_BACKWARD: build_backward(b, s); return;
    case LH_S_SEED:
        b->seed_kind = s->of;
        b->seed = s->seed;
        b->seed_number++;
        return;
    default: return;
    }
}

/* Functions and rules of a program, before those of the prelude. */
static void collect(lh_builder *b, const lh_program *p) {
    lh_graph *g = b->g;
    for (int i = 0; i < p->n_statements && !lh_failed(g->ctx); i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind == LH_S_FN) {
            const lh_statement *old = lh_find_fn(b, s->name);
            if (lh_op_find(s->name) < LH_N_OPS) {
                lh_fail(g->ctx, LH_ERROR_NAME, s->name_at, "%s is one of the primitive operations",
                        s->name);
                lh_cure(g->ctx, "choose another name");
            }
            for (int k = 0; old && p == g->program && k < b->n_fns; k++)
                if (b->fn[k] == old)
                    lh_fail(g->ctx, LH_ERROR_NAME, s->name_at,
                            "fn %s is already defined, in line %d", s->name, old->at.line);
            *lh_push(g->arena, b->fn, b->n_fns) = s;
        } else if (s->kind == LH_S_GRAD) {
            *lh_push(g->arena, b->rule, b->n_rules) = s;
        }
    }
}

static void check_named(lh_builder *b, const char *name, const char *what) {
    lh_graph *g = b->g;
    const char **known = lh_alloc_array(g->arena, (size_t)g->n_steps + 1, sizeof *known);
    int n = 0;
    if (strcmp(name, "*") == 0 || (strcmp(what, "set") == 0 && lh_vocab_find(g, name))) return;
    for (int i = 0; known && i < g->n_steps; i++) {
        const lh_step *s = g->step[i];
        if (s->kind != LH_STEP_GIVEN || s->node->kind == LH_OP_input) continue;
        if (strcmp(s->name, name) == 0 || strcmp(s->path, name) == 0) return;
        known[n++] = s->name;
    }
    const char *near = known ? lh_nearest(name, known, n) : NULL;
    lh_fail(g->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0}, "%s %s: the program has no such name", what,
            name);
    if (near) lh_cure(g->ctx, "did you mean %s?", near);
}

static void check_settings(lh_builder *b) {
    const lh_build *how = b->how;
    for (int i = 0; i < how->n_set; i++) check_named(b, how->set[i].name, "set");
    for (int i = 0; i < how->n_train; i++) check_named(b, how->train[i], "train");
    for (int i = 0; i < how->n_freeze; i++) check_named(b, how->freeze[i], "freeze");
}

static void build_all(lh_builder *b, const lh_program *p) {
    lh_graph *g = b->g;
    collect(b, p);
    b->n_own_fns = b->n_fns;
    b->n_own_rules = b->n_rules;
    collect(b, g->prelude);
    lh_check_rules(b);
    for (int i = 0; i < p->n_statements && !lh_failed(g->ctx); i++)
        if (p->statement[i]->kind != LH_S_GENERATE) lh_build_statement(b, p->statement[i]);
    for (int i = 0; i < p->n_statements && !lh_failed(g->ctx); i++)
        if (p->statement[i]->kind == LH_S_GENERATE) build_generate(b, p->statement[i]);
    if (b->how->backward && !lh_failed(g->ctx)) {
        lh_node *root = lh_scope_here(g->top, b->how->backward);
        if (root && !b->has_backward) lh_build_backward(b, root);
    }
    g->seed = b->seed;
    if (!lh_failed(g->ctx)) check_settings(b);
}

static void free_prelude(void *kept) {
    lh_program_free(kept);
}

const lh_program *lh_prelude(lh_context *ctx) {
    const lh_embedded *e = lh_embedded_find("prelude.lh");
    if (!ctx->kept) {
        ctx->kept = lh_program_parse(ctx, e->name, e->text, e->length);
        ctx->free_kept = free_prelude;
    }
    return ctx->kept;
}

lh_graph *lh_graph_build(lh_context *ctx, const lh_program *p, const lh_build *how) {
    static const lh_build plain;
    if (lh_failed(ctx) || !p) return NULL;
    lh_arena *arena = lh_arena_new(ctx);
    if (!arena) return NULL;
    ctx->n_graphs++;
    lh_graph *g = lh_alloc(arena, sizeof *g);
    *g = (lh_graph){.ctx = ctx, .arena = arena, .program = p, .how = how ? *how : plain};
    g->prelude = lh_prelude(ctx);
    lh_builder b = {.g = g, .how = how ? how : &plain};
    g->builder = &b;
    lh_axis_number(g, 1);
    g->top = b.scope = lh_scope_new(g, LH_SCOPE_TOP, NULL, NULL, "");
    if (!lh_failed(ctx)) build_all(&b, p);
    g->builder = NULL;
    if (!lh_failed(ctx)) return g;
    lh_fail_in(ctx, p->file, p->source, p->length);
    lh_graph_free(g);
    return NULL;
}

void lh_graph_free(lh_graph *g) {
    if (!g) return;
    lh_arena_free(g->arena);
}
