/* web_fast -- a small model that learns and writes in a page: the second module, in float. Training goes on from call to call.
 *
 *     train PROGRAM TEXT [NAME=VALUE...]     a model from the program's text, for this text; steps=, batch=, seed=, tokens= and its sizes
 *     steps N                                so many steps
 *     held_out [BATCHES]                     the loss of text it does not learn from
 *     open_model FOLDER                      one of the reader's own (web_disk.c)
 *     sample PROMPT N [temperature=] [seed=] [top_k=]   what it writes, with what else it might have written
 *     more N                                 and goes on writing
 *     look PROMPT                            attention, what each layer would say, what comes next
 *     explain PROMPT ADDRESS [deep] [all]    any number of it
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/tokenizer.h"
#include "train/floats.h"
#include "train/generate.h"
#include "train/inside.h"
#include "web_model.h"

enum {
    STANDARD_STEPS = 1000,
    STANDARD_BATCH = 12,
    TOP = 8,
    MOST_STEPS = 100000,
    MOST_CONTEXT = 256,
    MOST_TOKENS = 1000
};

/* ---- train ---- */

typedef struct wishes {
    int batch, steps, bpe;
    bool has_seed;
    unsigned long long seed;
    lh_setting *set;
    int n_set;
} wishes;

static bool begins(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

static bool has_const(const char *name) {
    for (int i = 0; i < lh_web_now.program->n_statements; i++) {
        const lh_statement *s = lh_web_now.program->statement[i];
        if (s->kind == LH_S_CONST && strcmp(s->name, name) == 0) return true;
    }
    return false;
}

static void set_value(wishes *x, const char *name, const char *value) {
    *lh_push(lh_web_now.arena, x->set, x->n_set) =
        (lh_setting){lh_copy(lh_web_now.arena, name, strlen(name)), value};
}

static bool read_wishes(lh_web *w, int n, const char *const *argument, wishes *x) {
    *x = (wishes){.batch = STANDARD_BATCH, .steps = STANDARD_STEPS};
    for (int i = 0; i < n; i++) {
        const char *s = argument[i], *equals = strchr(s, '=');
        if (!equals) return lh_web_fail(w, LH_ERROR_TEXT, "NAME=VALUE is expected: %.60s", s);
        const char *value = lh_copy(lh_web_now.arena, equals + 1, strlen(equals + 1));
        if (begins(s, "batch="))
            x->batch = atoi(value);
        else if (begins(s, "steps="))
            x->steps = atoi(value);
        else if (begins(s, "tokens="))
            x->bpe = begins(value, "bpe:") ? atoi(value + 4) : 0;
        else if (begins(s, "seed="))
            x->has_seed = true, x->seed = strtoull(value, NULL, 10);
        else
            set_value(x, lh_copy(lh_web_now.arena, s, (size_t)(equals - s)), value);
    }
    if (x->batch < 1 || x->batch > 512)
        return lh_web_fail(w, LH_ERROR_VALUE, "a batch has 1 to 512 examples, not %d", x->batch);
    if (x->steps < 1 || x->steps > MOST_STEPS)
        return lh_web_fail(w, LH_ERROR_VALUE, "steps are 1 to %d, not %d", MOST_STEPS, x->steps);
    return true;
}

static bool make_graph(lh_web *w, wishes *x, const char *text) {
    const bool is_bpe = x->bpe > 0;
    lh_web_now.tokens = lh_tokenizer_train(
        w->ctx, text, strlen(text),
        &(lh_tokenizer_how){
            .kind = is_bpe ? LH_TOKENS_BPE : LH_TOKENS_CHARS, .size = x->bpe, .is_closed = true});
    if (!lh_web_now.tokens) return false;
    set_value(x, "vocab", lh_printf(lh_web_now.arena, "%d", lh_tokenizer_count(lh_web_now.tokens)));
    if (has_const("steps")) set_value(x, "steps", lh_printf(lh_web_now.arena, "%d", x->steps));
    lh_web_now.g =
        lh_graph_build(w->ctx, lh_web_now.program,
                       &(lh_build){.set = x->set, .n_set = x->n_set, .without_examples = true});
    if (!lh_web_now.g)
        lh_fail_in(w->ctx, "model.lh", lh_web_now.program->source, lh_web_now.program->length);
    return lh_web_now.g && lh_trainer_takes(lh_web_now.g);
}

static bool make_trainer(lh_web *w, const wishes *x, const char *text) {
    const bool is_lines = lh_web_now.g->generate && lh_web_now.g->generate->until;
    lh_data_how how = {.name = "the text",
                       .context = lh_generator_context(lh_web_now.g, LH_WEB_WINDOW),
                       .is_lines = is_lines};
    lh_web_now.data = lh_data_new(w->ctx, lh_web_now.tokens, &how, text, strlen(text));
    if (!lh_web_now.data) return false;
    lh_web_now.end = is_lines ? lh_web_now.data->newline : -1;
    if (x->has_seed) lh_trainer_seed(lh_web_now.g, x->seed);
    lh_web_now.t = lh_trainer_new(
        lh_web_now.g, lh_data_feed(lh_web_now.data),
        &(lh_trainer_how){.batch = x->batch,
                          .seed = x->has_seed ? x->seed : (uint64_t)lh_web_now.g->seed,
                          .threads = 1});
    return lh_web_now.t != NULL;
}

static void train(lh_web *w, int n, const char *const *argument) {
    wishes x;
    lh_web_model_close();
    lh_web_now.arena = lh_arena_new(w->ctx);
    lh_web_now.program = lh_program_parse(w->ctx, "model.lh", argument[0], strlen(argument[0]));
    if (!lh_web_now.arena || !lh_web_now.program || !read_wishes(w, n - 2, argument + 2, &x) ||
        !make_graph(w, &x, argument[1]) || !make_trainer(w, &x, argument[1])) {
        lh_web_model_close();
        return;
    }
    lh_json_number(&w->json, "parameters", lh_trainer_params(lh_web_now.g));
    lh_json_int(&w->json, "vocabulary", lh_tokenizer_count(lh_web_now.tokens));
    lh_json_int(&w->json, "context", lh_web_now.data->how.context);
    lh_json_int(&w->json, "batch", x.batch);
    lh_json_int(&w->json, "steps", x.steps);
    lh_json_int(&w->json, "tokens", (long long)lh_web_now.data->n);
    lh_json_bool(&w->json, "lines", lh_web_now.end >= 0);
}

static bool is_learning(lh_web *w) {
    return lh_web_model_is_open(w) &&
           (lh_web_now.t || lh_web_fail(w, LH_ERROR_VALUE,
                                        "a model from a folder writes here, and does not learn"));
}

static void steps(lh_web *w, int n, const char *const *argument) {
    int count = atoi(argument[0]);
    double tokens = 0;
    (void)n;
    if (!is_learning(w)) return;
    lh_json_begin(&w->json, "losses", '[');
    for (int i = 0; i < count && lh_trainer_step(lh_web_now.t); i++) {
        tokens += (double)lh_web_now.t->batch->n_tokens;
        lh_json_number(&w->json, NULL, lh_web_now.t->loss);
    }
    lh_json_end(&w->json, ']');
    lh_json_int(&w->json, "step", lh_web_now.t->step);
    lh_json_number(&w->json, "loss", lh_web_now.t->loss);
    lh_json_number(&w->json, "tokens", tokens);
    lh_json_bool(&w->json, "is_lost", lh_web_now.t->is_lost);
}

static void held_out(lh_web *w, int n, const char *const *argument) {
    if (!is_learning(w)) return;
    lh_json_number(&w->json, "loss", lh_trainer_validate(lh_web_now.t, n ? atoi(argument[0]) : 8));
}

/* ---- probabilities ---- */

static double *probabilities(lh_web *w, const float *score, int n) {
    double *p = lh_alloc_array(w->arena, (size_t)n + 1, sizeof *p), most = score[0], sum = 0;
    if (!p) return NULL;
    for (int i = 1; i < n; i++)
        if (score[i] > most) most = score[i];
    for (int i = 0; i < n; i++) sum += p[i] = exp((double)score[i] - most);
    for (int i = 0; i < n; i++) p[i] /= sum;
    return p;
}

/* The likeliest, and how likely each is. */
static void write_top(lh_web *w, const char *name, const float *score, int n) {
    double *p = probabilities(w, score, n);
    lh_json_begin(&w->json, name, '[');
    for (int k = 0; p && k < TOP && k < n; k++) {
        int best = 0;
        for (int i = 1; i < n; i++)
            if (p[i] > p[best]) best = i;
        if (p[best] < 0) break;
        lh_json_begin(&w->json, NULL, '{');
        lh_json_int(&w->json, "id", best);
        lh_json_text(&w->json, "text", lh_web_model_piece(w, best));
        lh_json_number(&w->json, "p", p[best]);
        lh_json_end(&w->json, '}');
        p[best] = -1;
    }
    lh_json_end(&w->json, ']');
}

/* ---- sample ---- */

static lh_choice read_choice(int n, const char *const *argument, unsigned long long *seed) {
    lh_choice c = {.temperature = 0.8, .top_p = 1};
    *seed = 1;
    for (int i = 0; i < n; i++) {
        if (begins(argument[i], "temperature=")) c.temperature = atof(argument[i] + 12);
        if (begins(argument[i], "top_k=")) c.top_k = atoi(argument[i] + 6);
        if (begins(argument[i], "top_p=")) c.top_p = atof(argument[i] + 6);
        if (begins(argument[i], "seed=")) *seed = strtoull(argument[i] + 5, NULL, 10);
    }
    return c;
}

static void write_tokens(lh_web *w, lh_generator *writer, int most) {
    lh_json *j = &w->json;
    lh_text all = lh_text_new(w->arena);
    const int scores = (int)lh_web_now.g->axis[lh_web_now.g->generate->from->shape.cols].n;
    lh_json_begin(j, "tokens", '[');
    for (int i = 0; i < most; i++) {
        int token = lh_generator_next(writer);
        if (token < 0) break;
        lh_text_add(&all, "%s", lh_web_model_piece(w, token));
        lh_json_begin(j, NULL, '{');
        lh_json_int(j, "id", token);
        lh_json_text(j, "text", lh_web_model_piece(w, token));
        write_top(w, "alternatives", writer->score, scores);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_json_text(j, "text", all.s);
}

static lh_generator *open_writer(const lh_choice *choice, unsigned long long seed) {
    const lh_web_model *m = &lh_web_now;
    const int context = lh_generator_context(m->g, LH_WEB_WINDOW);
    lh_generator_how how = {.context = context < MOST_CONTEXT ? context : MOST_CONTEXT,
                            .choice = *choice,
                            .seed = seed,
                            .end = m->end,
                            .threads = 1};
    if (m->folder) how.ends = m->folder->generation.end, how.n_ends = m->folder->generation.n_ends;
    lh_generator *writer = lh_generator_new(m->g, &how);
    if (writer && m->t) lh_floats_copy(writer->plan, m->t->plan, m->g);
    if (!writer || m->t || lh_generator_weights(writer, m->weights)) return writer;
    lh_generator_free(writer);
    return NULL;
}

static void sample(lh_web *w, int n, const char *const *argument) {
    unsigned long long seed;
    int n_prompt = 0, most = atoi(argument[1]);
    if (!lh_web_model_is_open(w)) return;
    const lh_choice choice = read_choice(n - 2, argument + 2, &seed);
    const int *prompt = lh_web_model_prompt(w, argument[0], &n_prompt);
    lh_generator_free(lh_web_now.writer);
    lh_web_now.writer = prompt ? open_writer(&choice, seed) : NULL;
    if (!lh_web_now.writer) return;
    lh_generator_prompt(lh_web_now.writer, prompt, n_prompt);
    write_tokens(w, lh_web_now.writer, most > MOST_TOKENS ? MOST_TOKENS : most);
}

static void more(lh_web *w, int n, const char *const *argument) {
    const int most = atoi(argument[0]);
    (void)n;
    if (!lh_web_model_is_open(w)) return;
    if (lh_web_now.writer)
        write_tokens(w, lh_web_now.writer, most > MOST_TOKENS ? MOST_TOKENS : most);
    else
        lh_web_fail(w, LH_ERROR_NAME, "nothing is written yet: sample begins a text");
}

/* ---- look ---- */

/* The numbers as training has them now. */
static lh_weights *weights_now(lh_web *w) {
    lh_weights *all = lh_weights_of(w->ctx, w->arena, lh_web_now.g, LH_PARAM);
    for (int i = 0; all && i < all->n; i++) {
        lh_weight *one = &all->weight[i];
        lh_tensor *t = lh_alloc(w->arena, sizeof *t);
        *t = (lh_tensor){.name = one->name,
                         .type = LH_F32,
                         .rank = 2,
                         .size = {one->rows, one->cols},
                         .cells = one->rows * one->cols,
                         .bytes = one->rows * one->cols * sizeof(float),
                         .data =
                             (const unsigned char *)lh_floats(lh_web_now.t->plan, one->given->node),
                         .is_aligned = true};
        one->tensor = t;
        if (!t->data) return lh_web_fail(w, LH_ERROR_NAME, "%s is not there", one->name), NULL;
    }
    return all;
}

static const char *word(void *who, int token) {
    return lh_web_model_piece(who, token);
}

static lh_inside *open_inside(lh_web *w, const char *text) {
    int n = 0;
    const int *prompt = lh_web_model_is_open(w) ? lh_web_model_prompt(w, text, &n) : NULL;
    const lh_weights *weights = !prompt ? NULL : lh_web_now.t ? weights_now(w) : lh_web_now.weights;
    lh_inside *in = weights ? lh_inside_new(lh_web_now.g, weights, prompt, n, 1) : NULL;
    if (in) in->who = w, in->word = word;
    return in;
}

static void write_attention(lh_web *w, lh_inside *in, const lh_step *s) {
    lh_json *j = &w->json;
    const lh_sizes z = lh_inside_sizes(in, s->node);
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "path", s->path);
    lh_json_begin(j, "heads", '[');
    for (int h = 0; h < z.heads; h++) {
        lh_json_begin(j, NULL, '[');
        for (int r = 0; r < z.rows; r++) {
            lh_json_begin(j, NULL, '[');
            for (int c = 0; c < z.cols; c++)
                lh_json_number(j, NULL, lh_inside_get(in, s->node, (lh_cell){0, h, r, c}));
            lh_json_end(j, ']');
        }
        lh_json_end(j, ']');
    }
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}

static void write_layers(lh_web *w, const lh_lens *lens) {
    lh_json_begin(&w->json, "layers", '[');
    for (int i = 0; i < lens->n; i++) {
        lh_json_begin(&w->json, NULL, '{');
        lh_json_text(&w->json, "path", lens->at[i]->path);
        write_top(w, "next", lens->score + (size_t)i * (size_t)lens->scores, lens->scores);
        lh_json_end(&w->json, '}');
    }
    lh_json_end(&w->json, ']');
}

static void write_next(lh_web *w, lh_inside *in, const lh_node *from) {
    const lh_sizes z = lh_inside_sizes(in, from);
    float *score = lh_alloc_array(w->arena, (size_t)z.cols + 1, sizeof *score);
    for (int c = 0; score && c < z.cols; c++)
        score[c] = (float)lh_inside_get(in, from, (lh_cell){0, 0, z.rows - 1, c});
    if (score) write_top(w, "next", score, z.cols);
    if (from->step) /* logits[4]: the row whose cells are the scores of all tokens */
        lh_json_text(&w->json, "scores",
                     z.rows > 1 ? lh_printf(w->arena, "%s[%d]", from->step->path, z.rows - 1)
                                : from->step->path);
}

static void write_look(lh_web *w, lh_inside *in) {
    int n = 0;
    lh_step **attention = lh_inside_attention(in, &n);
    lh_lens lens = lh_inside_lens(in);
    lh_node *from = lh_web_now.g->generate->from;
    lh_node **kept = lh_alloc_array(w->arena, (size_t)(n + lens.n) + 2, sizeof *kept);
    int n_kept = 0;
    if (!kept || lh_failed(w->ctx)) return;
    for (int i = 0; i < n; i++) kept[n_kept++] = attention[i]->node;
    for (int i = 0; i < lens.n; i++) kept[n_kept++] = lens.at[i]->node;
    kept[n_kept++] = from;
    if (!lh_inside_run(in, kept, n_kept)) return;
    if (lens.n && !lh_inside_lens_read(in, &lens, in->n - 1)) return;
    lh_json_begin(&w->json, "tokens", '[');
    for (int i = 0; i < in->n; i++)
        lh_json_text(&w->json, NULL, lh_web_model_piece(w, in->token[i]));
    lh_json_end(&w->json, ']');
    lh_json_begin(&w->json, "attention", '[');
    for (int i = 0; i < n; i++) write_attention(w, in, attention[i]);
    lh_json_end(&w->json, ']');
    write_layers(w, &lens);
    write_next(w, in, from);
}

static void look(lh_web *w, int n, const char *const *argument) {
    lh_inside *in = open_inside(w, argument[0]);
    (void)n;
    if (in) write_look(w, in);
    lh_inside_free(in);
}

/* ---- explain ---- */

static lh_sizes sizes(void *from, const lh_node *n, int example) {
    (void)example;
    return lh_inside_sizes(from, n);
}

static void explain(lh_web *w, int n, const char *const *argument) {
    lh_explain_how how = {.digits = 6};
    for (int i = 2; i < n; i++) {
        how.deep |= strcmp(argument[i], "deep") == 0;
        how.all_terms |= strcmp(argument[i], "all") == 0;
    }
    lh_inside *in = open_inside(w, argument[0]);
    lh_explanation *e = in ? lh_inside_explain(in, argument[1], &how) : NULL;
    lh_numbers numbers = {.from = in, .examples = 1, .sizes = sizes};
    lh_addressed from = {"", lh_web_now.g, NULL, 0, &numbers};
    if (e) lh_web_write_explanation(w, e, &from, how.digits, argument[1]);
    lh_explanation_free(e);
    lh_inside_free(in);
}

const lh_web_function lh_web_functions[] = {
    {"version", lh_web_version, 0, 0, false},
    {"train", train, 2, 32, false},
    {"steps", steps, 1, 1, false},
    {"held_out", held_out, 0, 1, false},
    {"open_model", lh_web_open_model, 1, 1, false},
    {"sample", sample, 2, 6, false},
    {"more", more, 1, 1, false},
    {"look", look, 1, 1, false},
    {"explain", explain, 2, 4, false},
    {NULL, NULL, 0, 0, false},
};
