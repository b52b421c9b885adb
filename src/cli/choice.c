#include "cli/choice.h"

#include "base/number.h"
#include "train/trained.h"

static bool read_number(lh_cli *cli, const char *name, const char *text, double low, double high,
                        double *x) {
    char *end;
    if (!text) return true;
    *x = lh_number_read(text, &end);
    if (end != text && !*end && *x >= low && *x <= high) return true;
    lh_cli_fail(cli, "--%s needs a number from %g to %g, not \"%s\"", name, low, high, text);
    return false;
}

/* What chooses among the likeliest does nothing where the likeliest one is asked for. */
static bool is_drawn(lh_cli *cli, const lh_choice_options *o, const lh_choice *c) {
    const char *idle = o->top_k > 1 ? "top-k" : o->top_p ? "top-p" : o->min_p ? "min-p" : NULL;
    if (!idle || c->temperature > 0) return true;
    lh_cli_fail(cli,
                "--%s changes nothing: %s asks for the likeliest token\n"
                "with -t 0.8 tokens are drawn",
                idle, o->temperature ? "--temperature 0" : "generation_config.json");
    return false;
}

bool lh_choice_read(lh_cli *cli, const lh_choice_options *o, const lh_folder *f, lh_choice *c) {
    *c = lh_trained_choice(f);
    if (f)
        for (int i = 0; i < f->generation.n_odd; i++)
            fprintf(stderr, "longhand: %s/generation_config.json: %s (ignored)\n", f->path,
                    f->generation.odd[i]);
    if (!read_number(cli, "temperature", o->temperature, 0, 100, &c->temperature) ||
        !is_drawn(cli, o, c))
        return false;
    if (o->top_k >= 0) c->top_k = o->top_k;
    return read_number(cli, "top-p", o->top_p, 0, 1, &c->top_p) &&
           read_number(cli, "min-p", o->min_p, 0, 1, &c->min_p) &&
           read_number(cli, "repetition-penalty", o->penalty, 0.01, 100, &c->repetition_penalty) &&
           read_number(cli, "presence-penalty", o->presence, -100, 100, &c->presence_penalty) &&
           read_number(cli, "frequency-penalty", o->frequency, -100, 100, &c->frequency_penalty);
}
