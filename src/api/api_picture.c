/* api_picture -- the public interface: charts, the graph of a program, architectures. */
#include <string.h>

#include "api/api.h"
#include "explain/chart_show.h"
#include "explain/diagram.h"
#include "explain/picture.h"
#include "pages/page_address.h"

static const lh_place nowhere;

static const char *const form_names[] = {"text", "JSON", "HTML", "Markdown", "CSV", "SVG"};

bool lh_api_form(longhand *lh, longhand_form form, unsigned allowed, const char *call) {
    const unsigned n = sizeof form_names / sizeof *form_names;
    if ((unsigned)form < n && allowed >> form & 1) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%s has no form %s", call,
            (unsigned)form < n ? form_names[form] : "of that number");
    for (unsigned i = 0; i < n; i++)
        if (allowed >> i & 1) lh_cure(lh->ctx, "%s is one that it has", form_names[i]);
    return false;
}

/* ---- charts ---- */

static void draw_chart(const lh_chart *c, const longhand_plot_how *how, lh_text *out) {
    if (how->in_words)
        lh_chart_describe(c, out);
    else if (how->form == LONGHAND_AS_SVG)
        lh_chart_svg(c, &(lh_chart_page){.width = how->width}, out);
    else
        lh_chart_text(c, &(lh_chart_screen){.width = how->width}, out);
}

/* In a notebook the numbers of a picture answer, so they have the addresses that pages write. */
static const char *address_of(void *who, const lh_plan *p, const lh_node *n, lh_cell at,
                              int updates) {
    longhand *lh = who;
    lh_addressed from = {"", lh->g, p, updates, NULL};
    return lh_address_of(lh->text[LH_API_PLOT], &from, n, at);
}

const char *longhand_plot(longhand *lh, const char *what, const longhand_plot_how *options) {
    longhand_plot_how how;
    if (!lh_api_graph(lh) || !lh_api_options(lh, options, sizeof how, &how, sizeof how)) return "";
    if (!lh_api_form(lh, how.form, LH_API_TEXT | LH_API_SVG, "longhand_plot")) return "";
    if (how.updates < 0 || how.width < 0)
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
                "longhand_plot: width and updates are at least 0");
    lh_arena *a = lh_failed(lh->ctx) ? NULL : lh_api_text(lh, LH_API_PLOT);
    if (!a) return "";
    const lh_show_program program = {"", lh->g};
    lh_chart *c = lh_chart_show(
        a, &program, 1, what ? what : "",
        &(lh_show_how){
            .updates = how.updates, .log_y = how.log_y, .address = address_of, .who = lh});
    lh_text out = lh_text_new(a);
    if (c) draw_chart(c, &how, &out);
    return lh_failed(lh->ctx) ? "" : out.s;
}

/* ---- boxes and arrows ---- */

const char *longhand_graph(longhand *lh, const longhand_graph_how *options) {
    longhand_graph_how how;
    if (!lh_api_graph(lh) || !lh_api_options(lh, options, sizeof how, &how, sizeof how)) return "";
    const lh_step *goal = how.to ? lh_api_find(lh, how.to) : NULL;
    lh_arena *a = lh_failed(lh->ctx) ? NULL : lh_api_text(lh, LH_API_GRAPH_PICTURE);
    if (!a) return "";
    lh_text out = lh_text_new(a);
    lh_picture *p = goal ? lh_picture_to(lh->g, goal)
                         : lh_picture_new(lh->g, how.all       ? LH_PICTURE_ALL
                                                 : how.forward ? LH_PICTURE_FORWARD
                                                               : LH_PICTURE_FOLDED);
    if (p) lh_picture_svg(p, *lh->title ? lh->title : "A program", &out);
    lh_picture_free(p);
    return lh_failed(lh->ctx) ? "" : out.s;
}

/* ---- architectures ---- */

static void fail_diagram(longhand *lh, lh_arena *a, const char *name) {
    lh_text known = lh_text_new(a);
    for (int i = 0; lh_diagram_names[i]; i++)
        lh_text_add(&known, "%s%s", i ? ", " : "", lh_diagram_names[i]);
    lh_fail(lh->ctx, LH_ERROR_NAME, nowhere, "there is no diagram %.60s", name);
    lh_cure(lh->ctx, "there are %s; training is of an open program", known.s);
}

const char *longhand_diagram(longhand *lh, const char *name, longhand_form form) {
    if (!lh_api_ready(lh)) return "";
    if (!lh_api_form(lh, form, LH_API_TEXT | LH_API_SVG, "longhand_diagram")) return "";
    lh_arena *a = lh_api_text(lh, LH_API_DIAGRAM);
    if (!a) return "";
    lh_text out = lh_text_new(a);
    const lh_diagram *d = name ? lh_diagram_find(name) : NULL;
    if (!d && name && strcmp(name, "training") == 0)
        d = lh_api_graph(lh) ? lh_diagram_training(a, lh->g) : NULL;
    else if (!d)
        fail_diagram(lh, a, name ? name : "NULL");
    if (d && form == LONGHAND_AS_SVG)
        lh_diagram_svg(d, NULL, &out);
    else if (d)
        lh_diagram_text(d, NULL, &(lh_chart_screen){0}, &out);
    return lh_failed(lh->ctx) ? "" : out.s;
}
