/* api_prompt -- the public interface: a model reads a text, and goes on with it. */
#include <string.h>

#include "api/api_model.h"
#include "base/utf8.h"
#include "train/generate.h"

static const lh_place nowhere;

/* ---- values of a prompt ---- */

static lh_explanation *explain(longhand *lh, const char *address, const lh_explain_how *how) {
    return lh_inside_explain(lh->model->in, address ? address : "", how);
}

static double get(const void *from, const lh_node *n, lh_cell at) {
    return lh_inside_get((lh_inside *)from, n, at);
}

static lh_api_matrix matrix(longhand *lh, const lh_step *s, longhand_part part) {
    lh_inside *in = lh->model->in;
    lh_node *wanted[] = {s->node};
    if (part.example != 0)
        lh_fail(lh->ctx, LH_ERROR_NAME, nowhere, "there is no example %d: a prompt is one",
                part.example);
    if (lh_failed(lh->ctx) || !lh_inside_run(in, wanted, 1)) return (lh_api_matrix){0};
    const lh_sizes z = lh_inside_sizes(in, s->node);
    if (part.head < 0 || part.head >= z.heads) {
        lh_fail(lh->ctx, LH_ERROR_NAME, nowhere,
                "there is no head %d in %s: it has %d, counted from 0", part.head, s->path,
                z.heads);
        return (lh_api_matrix){0};
    }
    return (lh_api_matrix){
        .step = s, .node = s->node, .sizes = z, .head = part.head, .from = in, .get = get};
}

static const lh_api_source prompt_source = {.explain = explain, .matrix = matrix};

/* How a token is written where it labels a row: a space as one can see it. */
static const char *word(void *who, int token) {
    const longhand *lh = who;
    const lh_tokenizer *t = lh_api_tokens(lh);
    size_t n = 0;
    const char *piece =
        token >= 0 && token < lh_tokenizer_count(t) ? lh_tokenizer_piece(t, token, &n) : NULL;
    return piece ? lh_token_text(lh->model->of_prompt, piece, n) : NULL;
}

void longhand_prompt(longhand *lh, const char *text) {
    lh_trained_text t;
    if (!lh_api_graph(lh)) return;
    if (lh->model) lh_api_end_prompt(lh);
    if (!text || !lh_api_takes_text(lh, &t)) return;
    lh_api_model *m = lh->model;
    if (!(m->of_prompt = lh_arena_new(lh->ctx))) return;
    const lh_weights *w = lh_api_weights(lh, m->of_prompt);
    if (w) m->id = lh_trained_prompt(&t, m->of_prompt, text, strlen(text), false, NULL, &m->n);
    if (w && m->id) m->in = lh_inside_new(lh->g, w, m->id, m->n, 0);
    if (!m->in) {
        lh_api_end_prompt(lh);
        return;
    }
    m->in->who = lh;
    m->in->word = word;
    lh->from = &prompt_source;
}

bool lh_api_has_prompt(longhand *lh) {
    if (!lh_api_graph(lh)) return false;
    if (lh->from) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "there is no prompt to look at");
    lh_cure(lh->ctx, "longhand_prompt(lh, \"The cat\") says what the model reads");
    return false;
}

const int *longhand_prompt_tokens(longhand *lh, int *n) {
    if (n) *n = 0;
    if (!lh_api_has_prompt(lh)) return NULL;
    if (n) *n = lh->model->n;
    return lh->model->id;
}

const char *longhand_piece(longhand *lh, int token, size_t *n) {
    size_t ignore;
    if (!n) n = &ignore;
    *n = 0;
    if (!lh_api_program(lh)) return NULL;
    const lh_tokenizer *t = lh_api_tokens(lh);
    return t && token >= 0 && token < lh_tokenizer_count(t) ? lh_tokenizer_piece(t, token, n)
                                                            : NULL;
}

size_t longhand_logits(longhand *lh, float *to, size_t room) {
    if (!lh_api_has_prompt(lh)) return 0;
    const lh_node *from = lh_graph_scores(lh->g);
    if (!from || !from->step) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "the program does not say what is predicted");
        lh_cure(lh->ctx, "generate tokens from logits");
        return 0;
    }
    return longhand_read_float(lh, from->step->path, (longhand_part){0}, to, room);
}

/* ---- writing ---- */

enum { NUMBER = 200, WINDOW = 64 };

static bool read_choice(longhand *lh, const longhand_sample_how *how, lh_choice *c) {
    *c = lh_trained_choice(lh->model ? lh->model->folder : NULL);
    if (how->temperature != 0) c->temperature = how->temperature;
    if (how->greedy) c->temperature = 0;
    if (how->top_k != 0) c->top_k = how->top_k < 0 ? 0 : how->top_k;
    if (how->top_p != 0) c->top_p = how->top_p;
    if (!(c->temperature >= 0 && c->temperature <= 100))
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "the temperature is %g: 0 to 100 is expected",
                how->temperature);
    else if (!(c->top_p > 0 && c->top_p <= 1))
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "top_p is %g: 0 to 1 is expected", how->top_p);
    else if (how->number < 0 || how->context < 0 || how->threads < 0 || how->threads > 256)
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
                "longhand_sample: number, context and threads are at least 0, threads 256 at most");
    return !lh_failed(lh->ctx);
}

static bool read_precision(longhand *lh, const char *text, lh_precision *p) {
    *p = LH_IN_FLOAT;
    if (!text || lh_precision_read(text, p)) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
            "the precision is float, bf16, int8 or int4, not \"%.40s\"", text);
    return false;
}

static lh_generator *open_generator(longhand *lh, lh_arena *a, const lh_trained_text *t,
                                    const longhand_sample_how *how) {
    lh_choice choice;
    lh_precision precision;
    if (!read_choice(lh, how, &choice) || !read_precision(lh, how->precision, &precision))
        return NULL;
    int context = lh_generator_context(lh->g, WINDOW);
    if (how->context && how->context < context) context = how->context;
    const lh_folder *f = lh->model ? lh->model->folder : NULL;
    const lh_weights *w = lh_api_weights(lh, a);
    lh_generator *g =
        w ? lh_generator_new(lh->g, &(lh_generator_how){.context = context,
                                                        .choice = choice,
                                                        .seed = (uint64_t)how->seed,
                                                        .end = t->end,
                                                        .ends = f ? f->generation.end : NULL,
                                                        .n_ends = f ? f->generation.n_ends : 0,
                                                        .threads = how->threads,
                                                        .precision = precision})
          : NULL;
    if (g && lh_generator_weights(g, w)) return g;
    lh_generator_free(g);
    return NULL;
}

static void write_tokens(longhand *lh, lh_generator *g, const longhand_sample_how *how,
                         lh_text *out) {
    const int most = how->number ? how->number : NUMBER;
    for (int i = 0, token; i < most && (token = lh_generator_next(g)) >= 0; i++) {
        size_t n = 0;
        const char *piece = longhand_piece(lh, token, &n);
        if (piece) lh_text_add_n(out, piece, n);
        if (how->token && !how->token(how->who, token, piece ? piece : "", n)) return;
    }
}

const char *longhand_sample(longhand *lh, const char *prompt, const longhand_sample_how *options) {
    longhand_sample_how how;
    lh_trained_text t;
    int n = 0;
    if (!lh_api_takes_text(lh, &t)) return "";
    if (!lh_api_options(lh, options, sizeof how, &how, sizeof how)) return "";
    lh_arena *a = lh_api_text(lh, LH_API_SAMPLE);
    if (!a) return "";
    if (!prompt) prompt = "";
    lh_text out = lh_text_new(a);
    lh_generator *g = open_generator(lh, a, &t, &how);
    const int *id = g ? lh_trained_prompt(&t, a, prompt, strlen(prompt), true, NULL, &n) : NULL;
    if (id) {
        lh_generator_prompt(g, id, n);
        write_tokens(lh, g, &how, &out);
    }
    lh_generator_free(g);
    return lh_failed(lh->ctx) ? "" : out.s;
}
