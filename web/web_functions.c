/* web_functions -- what a page may call in the engine. */
#include "web.h"

const lh_web_function lh_web_functions[] = {
    {"version", lh_web_version, 0, 0, false},
    {"text", lh_web_text_put, 2, 2, false},
    {"open", lh_web_open, 1, 1, false},
    {"set", lh_web_set, 2, 2, true},
    {"unset", lh_web_unset, 0, 1, true},
    {"settings", lh_web_list_settings, 0, 0, true},
    {"givens", lh_web_givens, 0, 1, true},
    {"values", lh_web_values, 1, LH_WEB_ARGUMENTS, true},
    {"run", lh_web_run, 0, 2, true},
    {"trace", lh_web_trace, 0, 1, true},
    {"program", lh_web_show_program, 0, 1, true},
    {"explain", lh_web_explain, 1, 4, true},
    {"step", lh_web_step, 1, 1, true},
    {"refresh", lh_web_refresh, 0, 0, true},
    {"losses", lh_web_losses, 2, LH_WEB_ARGUMENTS, true},
    {"sheet", lh_web_sheet, 0, 4, true},
    {"key", lh_web_key, 0, 4, true},
    {"mark", lh_web_mark, 1, LH_WEB_ARGUMENTS, true},
    {"hint", lh_web_hint, 2, 5, true},
    {"exercise", lh_web_exercise, 1, 1, true},
    {"judge", lh_web_judge, 2, 2, true},
    {"exercise_hint", lh_web_exercise_hint, 2, 2, true},
    {"exercise_key", lh_web_exercise_key, 1, 1, true},
    {NULL, NULL, 0, 0, false},
};
