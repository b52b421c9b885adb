/* api_look -- the public interface: inside a model that reads a prompt. */
#include "api/api_model.h"
#include "train/look.h"

static const lh_place nowhere;

/* Layers and heads are counted from 1 in the options, so that 0 can mean all. */
static bool read_how(longhand *lh, const longhand_look_how *options, longhand_look_how *how) {
    if (!lh_api_options(lh, options, sizeof *how, how, sizeof *how)) return false;
    if (!lh_api_form(lh, how->form, LH_API_JSON | LH_API_SVG, "longhand_look")) return false;
    if (how->layer >= 0 && how->head >= 0) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "longhand_look: layers and heads are counted from 1");
    return false;
}

static void draw(longhand *lh, lh_look *l, int layer, lh_text *out) {
    if (l->n_attention == 0) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "the program has no attention to draw");
        return;
    }
    const lh_chart *c = lh_look_heat(l, layer > 0 ? layer - 1 : l->n_attention - 1);
    if (c) lh_chart_svg(c, &(lh_chart_page){.id = "attention"}, out);
}

const char *longhand_look(longhand *lh, const longhand_look_how *options) {
    longhand_look_how how;
    if (!lh_api_has_prompt(lh) || !read_how(lh, options, &how)) return "";
    lh_arena *a = lh_api_text(lh, LH_API_LOOK);
    if (!a) return "";
    lh_text out = lh_text_new(a);
    lh_look l = {.in = lh->model->in, .tokens = lh_api_tokens(lh), .head = how.head - 1};
    if (!lh_look_gather(&l, how.layer - 1, true)) return "";
    if (how.form == LONGHAND_AS_SVG) {
        draw(lh, &l, how.layer, &out);
    } else {
        const lh_folder *f = lh->model->folder;
        lh_json j = lh_json_into(&out);
        lh_look_json(&l, &j, f ? f->path : lh_api_lesson_name(lh, a));
    }
    return lh_failed(lh->ctx) ? "" : out.s;
}
