#include "train/look.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

static const lh_place nowhere;

enum { MANY_MAPS = 16 };

/* ---- words ---- */

const char *lh_look_word(const lh_look *l, int token) {
    size_t n;
    if (token < 0 || token >= lh_tokenizer_count(l->tokens)) return NULL; /* rounded up */
    const char *piece = lh_tokenizer_piece(l->tokens, token, &n);
    return piece ? lh_token_text(l->in->arena, piece, n) : NULL;
}

/* A token may be a part of a character, or end in one. */
static bool is_text(const char *s, size_t n) {
    uint32_t c;
    for (size_t k; n; s += k, n -= k)
        if (!(k = lh_utf8_read(s, n, &c)) || c == 0) return false;
    return true;
}

void lh_token_json(lh_arena *a, lh_json *j, const lh_tokenizer *t, int token) {
    size_t n = 0;
    const char *piece =
        token >= 0 && token < lh_tokenizer_count(t) ? lh_tokenizer_piece(t, token, &n) : NULL;
    bool is_whole = piece && is_text(piece, n);
    lh_json_int(j, "id", token);
    lh_json_text(j, "text", is_whole ? lh_copy(a, piece, n) : NULL);
    if (is_whole || !piece) return;
    lh_json_begin(j, "bytes", '[');
    for (size_t i = 0; i < n; i++) lh_json_int(j, NULL, (unsigned char)piece[i]);
    lh_json_end(j, ']');
}

/* ---- numbers ---- */

void lh_look_probabilities(const float *score, int n, double *p) {
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) most = fmax(most, (double)score[i]);
    for (int i = 0; i < n; i++) sum += p[i] = exp((double)score[i] - most);
    for (int i = 0; i < n; i++) p[i] /= sum;
}

/* Of equal ones the first. */
void lh_look_top(const double *p, int n, int *top, int count) {
    int found = 0;
    for (int i = 0; i < n; i++) {
        int k = found;
        while (k > 0 && p[i] > p[top[k - 1]]) k--;
        if (k >= count) continue;
        if (found < count) found++;
        memmove(top + k + 1, top + k, (size_t)(found - k - 1) * sizeof *top);
        top[k] = i;
    }
    for (; found < count; found++) top[found] = -1;
}

/* ---- what is asked for ---- */

static int heads_of(const lh_look *l, int attention) {
    return (int)l->in->g->axis[l->attention[attention]->node->shape.heads].n;
}

static bool choose_layers(lh_look *l, int layer, bool all) {
    lh_context *ctx = l->in->g->ctx;
    int maps = 0, heads = 0;
    for (int i = 0; i < l->n_attention; i++) {
        maps += heads_of(l, i);
        if (heads_of(l, i) > heads) heads = heads_of(l, i);
    }
    if (layer >= l->n_attention)
        lh_fail(ctx, LH_ERROR_NAME, nowhere,
                "there is no layer %d: attention is in %d layer%s, counted from 0", layer,
                l->n_attention, LH_PLURAL(l->n_attention));
    else if (l->head >= heads)
        lh_fail(ctx, LH_ERROR_NAME, nowhere, "there is no head %d: a layer has %d, counted from 0",
                l->head, heads);
    all = all || maps <= MANY_MAPS || l->head >= 0;
    for (int i = 0; i < l->n_attention; i++)
        l->is_shown[i] = layer >= 0 ? i == layer : all || i == l->n_attention - 1;
    return !lh_failed(ctx);
}

/* Where the program hides words: the places of [MASK], or <mask>. */
static bool find_places(lh_look *l) {
    lh_inside *in = l->in;
    l->place = lh_alloc_array(in->arena, (size_t)in->n + 1, sizeof *l->place);
    l->is_hidden = !in->g->generate;
    l->n_places = 0;
    if (!l->place) return false;
    if (!l->is_hidden) {
        l->place[l->n_places++] = in->n - 1;
        return true;
    }
    const char *mark = lh_tokenizer_special(l->tokens, "<mask>") >= 0 ? "<mask>" : "[MASK]";
    const int hidden = lh_tokenizer_special(l->tokens, mark);
    for (int i = 0; i < in->n; i++)
        if (in->token[i] == hidden) l->place[l->n_places++] = i;
    if (l->n_places) return true;
    lh_fail(in->g->ctx, LH_ERROR_VALUE, nowhere,
            "the program guesses hidden words, and no word of the prompt is hidden");
    if (hidden >= 0)
        lh_cure(in->g->ctx, "%s stands for a hidden word: --prompt 'The %s sat.'", mark, mark);
    else
        lh_cure(in->g->ctx, "the tokeniser of this model has no [MASK] and no <mask>");
    return false;
}

/* One forward pass keeps all that is looked at. */
static bool run_once(lh_look *l) {
    lh_inside *in = l->in;
    const int most = l->n_attention + l->lens.n + 1;
    lh_node **node = lh_alloc_array(in->arena, (size_t)most, sizeof *node);
    int n = 0;
    if (!node) return false;
    for (int i = 0; i < l->n_attention; i++)
        if (l->is_shown[i]) node[n++] = l->attention[i]->node;
    for (int i = 0; i < l->lens.n; i++) node[n++] = l->lens.at[i]->node;
    node[n++] = lh_graph_scores(in->g);
    return lh_inside_run(in, node, n);
}

static bool find_words(lh_look *l) {
    lh_inside *in = l->in;
    const lh_node *from = lh_graph_scores(in->g);
    l->scores = lh_inside_sizes(in, from).cols;
    const size_t n = (size_t)l->scores;
    float *score = lh_alloc_array(in->arena, n, sizeof *score);
    l->likely = lh_alloc_array(in->arena, n * (size_t)l->n_places, sizeof *l->likely);
    if (!score || !l->likely) return false;
    for (int i = 0; i < l->n_places; i++) {
        for (int c = 0; c < l->scores; c++)
            score[c] = (float)lh_inside_get(in, from, (lh_cell){0, 0, l->place[i], c});
        lh_look_probabilities(score, l->scores, l->likely + (size_t)i * n);
    }
    return true;
}

bool lh_look_layers(lh_look *l, int place) {
    return !l->lens.n || lh_inside_lens_read(l->in, &l->lens, l->place[place]);
}

bool lh_look_gather(lh_look *l, int layer, bool all) {
    lh_inside *in = l->in;
    if (!lh_graph_scores(in->g)) {
        lh_fail(in->g->ctx, LH_ERROR_VALUE, nowhere, "the program does not say what is predicted");
        lh_cure(in->g->ctx, "generate tokens from logits");
        return false;
    }
    if (!find_places(l)) return false;
    l->attention = lh_inside_attention(in, &l->n_attention);
    l->is_shown = lh_alloc_array(in->arena, (size_t)l->n_attention + 1, sizeof *l->is_shown);
    if (!l->attention || !l->is_shown || !choose_layers(l, layer, all)) return false;
    l->lens = lh_inside_lens(in);
    return run_once(l) && find_words(l) && lh_look_layers(l, 0);
}

/* ---- charts ---- */

static const char **labels(lh_look *l) {
    const char **label = lh_alloc_array(l->in->arena, (size_t)l->in->n + 1, sizeof *label);
    for (int i = 0; label && i < l->in->n; i++) {
        const char *word = lh_look_word(l, l->in->token[i]);
        label[i] = word ? word : lh_printf(l->in->arena, "%d", l->in->token[i]);
    }
    return label;
}

static bool fill_panel(lh_look *l, const lh_node *P, int head, const char *const *label,
                       lh_panel *to) {
    lh_arena *a = l->in->arena;
    const lh_sizes z = lh_inside_sizes(l->in, P);
    double *cell = lh_alloc_array(a, (size_t)z.rows * (size_t)z.cols, sizeof *cell);
    if (!cell) return false;
    *to = (lh_panel){.name = z.heads > 1 ? lh_printf(a, "head %d", head) : NULL,
                     .cell = cell,
                     .rows = z.rows,
                     .cols = z.cols,
                     .row_label = z.rows == l->in->n ? label : NULL,
                     .col_label = z.cols == l->in->n ? label : NULL};
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++)
            *cell++ = lh_inside_get(l->in, P, (lh_cell){0, head, r, c});
    return true;
}

lh_chart *lh_look_heat(lh_look *l, int attention) {
    enum { WITH_NUMBERS = 12 };
    lh_arena *a = l->in->arena;
    const lh_step *s = l->attention[attention];
    const int heads = heads_of(l, attention), first = l->head >= 0 ? l->head : 0;
    const char **label = labels(l);
    lh_chart *c = lh_alloc(a, sizeof *c);
    *c = (lh_chart){.kind = l->in->n <= WITH_NUMBERS ? LH_CHART_HEAT : LH_CHART_STRIPES,
                    .title = lh_printf(a, "%s   rows look at columns", s->path)};
    c->panel = lh_alloc_array(a, (size_t)heads, sizeof *c->panel);
    if (!c->panel || !label) return NULL;
    for (int h = first; h < (l->head >= 0 ? first + 1 : heads); h++)
        if (!fill_panel(l, s->node, h, label, &c->panel[c->n_panels++])) return NULL;
    return c;
}

lh_chart *lh_look_bars(lh_look *l, int place) {
    lh_arena *a = l->in->arena;
    const double *likely = l->likely + (size_t)place * (size_t)l->scores;
    int top[LH_LOOK_TOP];
    lh_chart *c = lh_alloc(a, sizeof *c);
    lh_series *s = lh_alloc(a, sizeof *s);
    double *y = lh_alloc(a, LH_LOOK_TOP * sizeof *y);
    const char **label = lh_alloc(a, LH_LOOK_TOP * sizeof *label);
    lh_look_top(likely, l->scores, top, LH_LOOK_TOP);
    *s = (lh_series){.name = "probability", .y = y, .label = label};
    for (; s->n < LH_LOOK_TOP && top[s->n] >= 0; s->n++) {
        const char *word = lh_look_word(l, top[s->n]);
        label[s->n] = word ? word : lh_printf(a, "%d", top[s->n]);
        y[s->n] = likely[top[s->n]];
    }
    *c = (lh_chart){.kind = LH_CHART_BARS,
                    .title = l->is_hidden
                                 ? lh_printf(a, "The hidden word, token %d", l->place[place])
                                 : "The next token",
                    .series = s,
                    .n_series = 1};
    for (size_t i = 0; i < (size_t)l->n_places * (size_t)l->scores;
         i++) /* several hidden words are compared */
        if (l->likely[i] > c->most) c->most = l->likely[i];
    return c;
}

/* ---- for programs ---- */

static void json_top(lh_look *l, lh_json *j, const char *name, const double *p, int n) {
    int top[LH_LOOK_TOP];
    lh_look_top(p, n, top, LH_LOOK_TOP);
    lh_json_begin(j, name, '[');
    for (int i = 0; i < LH_LOOK_TOP && top[i] >= 0; i++) {
        lh_json_begin(j, NULL, '{');
        lh_token_json(l->in->arena, j, l->tokens, top[i]);
        lh_json_number(j, "probability", p[top[i]]);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void json_attention(lh_look *l, lh_json *j, int layer) {
    const lh_step *s = l->attention[layer];
    const lh_sizes z = lh_inside_sizes(l->in, s->node);
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "path", s->path);
    lh_json_begin(j, "heads", '[');
    for (int h = 0; h < z.heads; h++) {
        if (l->head >= 0 && h != l->head) continue;
        lh_json_begin(j, NULL, '[');
        for (int r = 0; r < z.rows; r++) {
            lh_json_begin(j, NULL, '[');
            for (int c = 0; c < z.cols; c++)
                lh_json_number(j, NULL, lh_inside_get(l->in, s->node, (lh_cell){0, h, r, c}));
            lh_json_end(j, ']');
        }
        lh_json_end(j, ']');
    }
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}

static void json_lens(lh_look *l, lh_json *j) {
    double *p = lh_alloc_array(l->in->arena, (size_t)l->lens.scores + 1, sizeof *p);
    lh_json_begin(j, "layers", '[');
    for (int i = 0; p && i < l->lens.n; i++) {
        lh_look_probabilities(l->lens.score + (size_t)i * (size_t)l->lens.scores, l->lens.scores,
                              p);
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "path", l->lens.at[i]->path);
        json_top(l, j, l->is_hidden ? "words" : "next", p, l->lens.scores);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void json_hidden(lh_look *l, lh_json *j) {
    lh_json_begin(j, "hidden", '[');
    for (int i = 0; i < l->n_places && lh_look_layers(l, i); i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_int(j, "token", l->place[i]);
        json_lens(l, j);
        json_top(l, j, "words", l->likely + (size_t)i * (size_t)l->scores, l->scores);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

void lh_look_json(lh_look *l, lh_json *j, const char *model) {
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "model", model);
    lh_json_begin(j, "tokens", '[');
    for (int i = 0; i < l->in->n; i++) {
        lh_json_begin(j, NULL, '{');
        lh_token_json(l->in->arena, j, l->tokens, l->in->token[i]);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_json_begin(j, "attention", '[');
    for (int i = 0; i < l->n_attention; i++)
        if (l->is_shown[i]) json_attention(l, j, i);
    lh_json_end(j, ']');
    if (l->is_hidden) {
        json_hidden(l, j);
    } else {
        json_lens(l, j);
        json_top(l, j, "next", l->likely, l->scores);
    }
    lh_json_end(j, '}');
    lh_json_close(j);
}
