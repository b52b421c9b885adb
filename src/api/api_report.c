/* api_report -- the public interface: explanations, traces and costs as text and JSON. */
#include <string.h>

#include "api/api.h"
#include "explain/trace.h"
#include "pages/bill_json.h"
#include "pages/explain_json.h"
#include "pages/run_json.h"

/* ex1 of lessons/ex1.md, with the name of the program in it: as the commands call it. */
const char *lh_api_lesson_name(const longhand *lh, lh_arena *a) {
    const char *file = lh->opened.file ? lh->opened.file : "", *slash = strrchr(file, '/'),
               *start = slash ? slash + 1 : file, *dot = strrchr(start, '.');
    const int n = (int)(dot && dot > start ? (size_t)(dot - start) : strlen(start));
    return lh_printf(a, "%.*s%s%s", n, start, lh->chosen ? ":" : "", lh->chosen ? lh->chosen : "");
}

const char *longhand_explain_as(longhand *lh, const char *address, const longhand_detail *detail,
                                longhand_form form) {
    if (!lh_api_ready(lh)) return "";
    if (!lh_api_form(lh, form, LH_API_TEXT | LH_API_JSON, "longhand_explain_as")) return "";
    if (!longhand_explain(lh, address, detail)) return "";
    lh_arena *a = lh_api_text(lh, LH_API_EXPLANATION);
    if (!a) return "";
    lh_text out = lh_text_new(a);
    if (form == LONGHAND_AS_JSON) {
        lh_json j = lh_json_into(&out);
        lh_explanation_json(&j, lh_api_lesson_name(lh, a), address, lh->told);
    } else {
        longhand_detail d;
        lh_api_options(lh, detail, sizeof d, &d, sizeof d);
        lh_explanation_text(&out, address, lh->told, d.digits ? d.digits : 6);
    }
    return lh_failed(lh->ctx) ? "" : out.s;
}

const char *longhand_trace(longhand *lh, const char *to, longhand_form form) {
    if (!lh_api_numbers(lh)) return "";
    if (!lh_api_form(lh, form, LH_API_JSON, "longhand_trace")) return "";
    lh_arena *a = lh_api_text(lh, LH_API_TRACE);
    lh_trace *t = a ? lh_trace_new(lh->g, &(lh_trace_how){.to = to}) : NULL;
    if (!t) return "";
    lh_text out = lh_text_new(a);
    lh_json j = lh_json_into(&out);
    lh_json_begin(&j, NULL, '{');
    lh_run_members(&j, &(lh_run_of){a, lh_api_lesson_name(lh, a), lh->title, lh->g, lh->plan}, t);
    lh_json_end(&j, '}');
    lh_json_close(&j);
    lh_trace_free(t);
    return lh_failed(lh->ctx) ? "" : out.s;
}

const char *longhand_cost_as(longhand *lh, longhand_form form) {
    if (!longhand_cost(lh)) return "";
    if (!lh_api_form(lh, form, LH_API_JSON, "longhand_cost_as")) return "";
    lh_arena *a = lh_api_text(lh, LH_API_COST);
    if (!a) return "";
    lh_text out = lh_text_new(a);
    lh_json j = lh_json_into(&out);
    lh_json_begin(&j, NULL, '{');
    lh_bill_members(&j, lh_api_lesson_name(lh, a), lh->bill);
    lh_json_end(&j, '}');
    lh_json_close(&j);
    return lh_failed(lh->ctx) ? "" : out.s;
}
