#include "explain/diagram.h"

#include <string.h>

#include "base/columns.h"
#include "explain/outline.h"

const char *const lh_diagram_names[] = {"transformer", "gpt", "today", "training", NULL};

/* ---- the architectures ---- */

static const lh_diagram diagrams[] = {
    {.name = "transformer",
     .title = "The transformer: encoder and decoder",
     .block = {{NULL, 0, 0, true, {{"words of the source", "tokens", false}}, 1},
               {NULL, 1, 0, true, {{"words written so far", "tokens", false}}, 1},
               {NULL,
                0,
                1,
                false,
                {{"word vectors", "embeddings", false}, {"+ positions", "positions", false}},
                2},
               {NULL,
                1,
                1,
                false,
                {{"word vectors", "embeddings", false}, {"+ positions", "positions", false}},
                2},
               {"encoder × N",
                0,
                2,
                false,
                {{"self-attention", "encoder", false},
                 {"in several heads", "heads", false},
                 {"+ residual, norm", "layernorm", false},
                 {"feed-forward", "feedforward", true},
                 {"+ residual, norm", NULL, false}},
                5},
               {"decoder × N",
                1,
                2,
                false,
                {{"masked self-attention", "masks", false},
                 {"+ residual, norm", NULL, false},
                 {"cross-attention", "cross", true},
                 {"to the encoder's rows", NULL, false},
                 {"+ residual, norm", NULL, false},
                 {"feed-forward", NULL, true},
                 {"+ residual, norm", NULL, false}},
                7},
               {NULL,
                1,
                3,
                false,
                {{"scores for all words", "projection", false}, {"softmax", "softmax", false}},
                2},
               {NULL, 1, 4, true, {{"the next word", "decoding", false}}, 1}},
     .n_blocks = 8,
     .link = {{0, 2, 0, 0},
              {1, 3, 0, 0},
              {2, 4, 0, 0},
              {3, 5, 0, 0},
              {4, 5, 4, 2},
              {5, 6, 0, 0},
              {6, 7, 0, 0}},
     .n_links = 7},
    {.name = "gpt",
     .title = "GPT, and how it is trained",
     .block = {{NULL, 0, 0, true, {{"words so far", "tokens", false}}, 1},
               {NULL,
                0,
                1,
                false,
                {{"word vectors", "embeddings", false},
                 {"+ learned positions", "i-love-ai", false}},
                2},
               {"blocks × N",
                0,
                2,
                false,
                {{"norm", NULL, false},
                 {"masked attention", "decoder-only", false},
                 {"+ residual", NULL, false},
                 {"norm", NULL, true},
                 {"feed-forward, GELU", NULL, false},
                 {"+ residual", NULL, false}},
                6},
               {NULL,
                0,
                3,
                false,
                {{"norm", NULL, false},
                 {"scores for all words", NULL, false},
                 {"softmax", "softmax", false}},
                3},
               {"training",
                1,
                2,
                false,
                {{"first weights", "initialisation", false},
                 {"weight updates", "optimisers", true},
                 {"gradients, backward", "calculus", true},
                 {"loss: next word", "next-word", true},
                 {"on held-out text", "overfitting", false}},
                5},
               {"writing",
                1,
                3,
                false,
                {{"draw a word", "sampling", false}, {"append it, and again", "writing", false}},
                2}},
     .n_blocks = 6,
     .link = {{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}, {3, 4, 1, 3}, {4, 2, 1, 3}, {3, 5, 2, 1}},
     .n_links = 6},
    {.name = "today",
     .title = "A model of today",
     .block = {{NULL, 0, 0, true, {{"words so far", "tokens", false}}, 1},
               {NULL, 0, 1, false, {{"word vectors", "embeddings", false}}, 1},
               {"blocks × N",
                0,
                2,
                false,
                {{"RMS norm", "rmsnorm", false},
                 {"turned queries, keys", "rope", false},
                 {"shared by groups", "groups", false},
                 {"in a window", "windows", false},
                 {"+ residual, RMS norm", NULL, false},
                 {"gated network", "gates", true},
                 {"or experts", "experts", false},
                 {"+ residual", NULL, false}},
                8},
               {NULL,
                0,
                3,
                false,
                {{"RMS norm", NULL, false},
                 {"scores for all words", NULL, false},
                 {"softmax", "softmax", false}},
                3},
               {"weights",
                1,
                2,
                false,
                {{"read from a folder", "since-gpt2", false},
                 {"fine-tuned: LoRA", "lora", false},
                 {"in 8 or 4 bits", "bits", false}},
                3},
               {"writing",
                1,
                3,
                false,
                {{"repetition, min-p", "minp", false}, {"draw a word", "sampling", false}},
                2}},
     .n_blocks = 6,
     .link = {{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}, {4, 2, 2, 2}, {3, 5, 1, 0}},
     .n_links = 5},
};

const lh_diagram *lh_diagram_find(const char *name) {
    for (size_t i = 0; i < sizeof diagrams / sizeof *diagrams; i++)
        if (strcmp(diagrams[i].name, name) == 0) return &diagrams[i];
    return NULL;
}

/* ---- the loop of training, from a program ---- */

enum { FORWARD, LOSS, UPDATE, BACKWARD, ROOM = 26 };

/* A name behind the others, in a new line where it does not fit; after the last line the rest is an ellipsis. */
static void add_name(lh_arena *a, lh_diagram_block *b, const char *name) {
    if (b->n_lines) {
        lh_diagram_line *last = &b->line[b->n_lines - 1];
        if (lh_columns(last->text) + 2 + lh_columns(name) <= ROOM) {
            last->text = lh_printf(a, "%s  %s", last->text, name);
            return;
        }
    }
    if (b->n_lines == 4) {
        lh_diagram_line *last = &b->line[3];
        size_t n = strlen(last->text);
        if (n < 3 || strcmp(last->text + n - 3, "...") != 0)
            last->text = lh_printf(a, "%s ...", last->text);
        return;
    }
    b->line[b->n_lines++] = (lh_diagram_line){name, NULL, false};
}

/* Names of the first turn stand for all turns; values without a name of their own (loss#1, probs.dx) and steps that the update does not need are left out. */
static void add_step(lh_outline *o, lh_diagram *d, const lh_step *s) {
    lh_home home = lh_outline_home(o, s);
    lh_phase phase = lh_outline_phase(o, s);
    if ((home.turn > 0 && home.repeat >= 0) || strpbrk(home.name, "#.")) return;
    if (s->node == o->g->loss) {
        add_name(o->arena, &d->block[LOSS], home.name);
        return;
    }
    bool leads = o->leads_to_update[s->node->id];
    if (phase == LH_FORWARD && leads) add_name(o->arena, &d->block[FORWARD], home.name);
    if (s->kind == LH_STEP_GRADIENT && leads) add_name(o->arena, &d->block[BACKWARD], home.name);
    if (s->kind == LH_STEP_UPDATE) add_name(o->arena, &d->block[UPDATE], s->of->path);
}

lh_diagram *lh_diagram_training(lh_arena *a, lh_graph *g) {
    lh_diagram *d = lh_alloc(a, sizeof *d);
    lh_outline *o = lh_outline_new(g, a);
    if (!o || lh_failed(g->ctx)) return NULL;
    *d = (lh_diagram){.name = "training",
                      .title = "One step of training",
                      .block = {[FORWARD] = {.title = "forward", .column = 0, .row = 0},
                                [LOSS] = {.title = "loss", .column = 1, .row = 0},
                                [UPDATE] = {.title = "update", .column = 0, .row = 1},
                                [BACKWARD] = {.title = "backward", .column = 1, .row = 1}},
                      .n_blocks = 4,
                      .link = {{FORWARD, LOSS, 0, 0},
                               {LOSS, BACKWARD, 0, 0},
                               {BACKWARD, UPDATE, 0, 0},
                               {UPDATE, FORWARD, 0, 0}},
                      .n_links = 4};
    for (int i = 0; i < g->n_steps && !lh_failed(g->ctx); i++)
        if (lh_outline_shows(o, g->step[i])) add_step(o, d, g->step[i]);
    if (lh_failed(g->ctx)) return NULL;
    if (g->loss && d->block[LOSS].n_lines && d->block[UPDATE].n_lines) {
        for (int i = 0; i < 4;
             i++) /* a loss that reads the inputs alone leaves nothing before it */
            if (!d->block[i].n_lines) add_name(a, &d->block[i], "\u2013");
        return d;
    }
    lh_fail(g->ctx, LH_ERROR_NAME, (lh_place){0}, "diagram training: the program has no %s",
            d->block[UPDATE].n_lines ? "backward, so no number is its loss" : "line with :=");
    return NULL;
}

/* ---- places ---- */

static int row_count(const lh_diagram *d) {
    int n = 0;
    for (int i = 0; i < d->n_blocks; i++)
        if (d->block[i].row >= n) n = d->block[i].row + 1;
    return n;
}

int lh_diagram_columns(const lh_diagram *d) {
    int n = 1;
    for (int i = 0; i < d->n_blocks; i++)
        if (d->block[i].column >= n) n = d->block[i].column + 1;
    return n;
}

bool lh_diagram_is_across(const lh_diagram *d, const lh_diagram_link *k) {
    return d->block[k->from].column != d->block[k->to].column;
}

int lh_diagram_n_across(const lh_diagram *d) {
    int n = 0;
    for (int i = 0; i < d->n_links; i++) n += lh_diagram_is_across(d, &d->link[i]);
    return n;
}

/* Of one block, from its own top. */
static int place_lines(const lh_diagram_block *b, const lh_diagram_size *size,
                       lh_diagram_place *p) {
    int y = b->is_words ? 0 : size->edge;
    for (int i = 0; i < b->n_lines; i++) {
        if (b->line[i].is_apart) y += size->rule;
        p->line_y[i] = y;
        y += size->line;
    }
    return y + (b->is_words ? 0 : size->edge);
}

int lh_diagram_layout(const lh_diagram *d, const lh_diagram_size *size,
                      lh_diagram_place place[LH_DIAGRAM_BLOCKS]) {
    int y = 0;
    for (int row = 0; row < row_count(d); row++) {
        int tallest = 0;
        for (int i = 0; i < d->n_blocks; i++) {
            if (d->block[i].row != row) continue;
            place[i].h = place_lines(&d->block[i], size, &place[i]);
            place[i].y = y;
            for (int k = 0; k < d->block[i].n_lines; k++) place[i].line_y[k] += y;
            if (place[i].h > tallest) tallest = place[i].h;
        }
        y += tallest + size->gap;
    }
    return y - size->gap;
}

/* ---- in words ---- */

void lh_diagram_describe(const lh_diagram *d, const char *here, lh_text *out) {
    lh_text_add(out, "%s.", d->title);
    for (int i = 0; i < d->n_blocks; i++) {
        const lh_diagram_block *b = &d->block[i];
        lh_text_add(out, " %s%s", b->title ? b->title : "", b->title ? ": " : "");
        for (int k = 0; k < b->n_lines; k++) {
            const lh_diagram_line *l = &b->line[k];
            lh_text_add(out, "%s%s", k ? ", " : "", l->text);
            if (here && l->lesson && strcmp(l->lesson, here) == 0)
                lh_text_add(out, " (you are here)");
        }
        lh_text_add(out, ".");
    }
}
