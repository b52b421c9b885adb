#include "cli/choice.h"

#include "base/number.h"

static bool read_number(lh_cli *cli, const char *name, const char *text, double low, double high,
                        double *x) {
    char *end;
    if (!text) return true;
    *x = lh_number_read(text, &end);
    if (end != text && !*end && *x >= low && *x <= high) return true;
    lh_cli_fail(cli, "--%s needs a number from %g to %g, not \"%s\"", name, low, high, text);
    return false;
}

/* A folder from elsewhere may say how its model is meant to write. Ours say nothing: what they were saved with once was no choice. */
static void follow_folder(const lh_folder *f, lh_choice *c) {
    const lh_generation *g = &f->generation;
    if (f->is_saved || g->is_sampled == LH_SAMPLING_NOT_SAID) return;
    bool is_sampled = g->is_sampled == LH_SAMPLED;
    *c = (lh_choice){.temperature = is_sampled ? g->temperature : 0,
                     .top_k = g->top_k,
                     .top_p = g->top_p,
                     .min_p = g->min_p,
                     .repetition_penalty = g->repetition_penalty};
}

bool lh_choice_read(lh_cli *cli, const lh_choice_options *o, const lh_folder *f, lh_choice *c) {
    *c = (lh_choice){.temperature = 0.8, .top_k = 40, .top_p = 1};
    if (f) follow_folder(f, c);
    if (f)
        for (int i = 0; i < f->generation.n_odd; i++)
            fprintf(stderr, "longhand: generation_config.json: %s, which is not done here\n",
                    f->generation.odd[i]);
    if (o->top_k >= 0) c->top_k = o->top_k;
    return read_number(cli, "temperature", o->temperature, 0, 100, &c->temperature) &&
           read_number(cli, "top-p", o->top_p, 0, 1, &c->top_p) &&
           read_number(cli, "min-p", o->min_p, 0, 1, &c->min_p) &&
           read_number(cli, "repetition-penalty", o->penalty, 0.01, 100, &c->repetition_penalty);
}
