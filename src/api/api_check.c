/* api_check -- the public interface: is a program what it says it is? */
#include "api/api.h"
#include "explain/check.h"
#include "pages/check_report.h"

static const char *report_of(longhand *lh, const lh_check *c, longhand_form form) {
    lh_arena *a = lh_api_text(lh, LH_API_CHECK);
    if (!a) return "";
    lh_text out = lh_text_new(a);
    if (form == LONGHAND_AS_TEXT) {
        lh_check_text(&out, c);
        return out.s;
    }
    lh_json j = lh_json_into(&out);
    lh_json_begin(&j, NULL, '{');
    lh_check_members(&j, lh_api_lesson_name(lh, a), c);
    lh_json_end(&j, '}');
    lh_json_close(&j);
    return out.s;
}

/* As the program was built: with all that was set. */
bool longhand_check(longhand *lh, longhand_form form, const char **report) {
    if (report) *report = "";
    if (!lh_api_bound(lh)) return false;
    if (!lh_api_form(lh, form, LH_API_TEXT | LH_API_JSON, "longhand_check")) return false;
    const lh_build how = lh->g->how;
    lh_check *c = lh_check_program(lh->ctx, lh->program, &how);
    if (!c) return false;
    if (report) *report = report_of(lh, c, form);
    const bool is_well = c->ok && !lh_failed(lh->ctx);
    lh_check_free(c);
    return is_well;
}
