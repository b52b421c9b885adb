/* look_view -- what `look` found, for its text, its JSON and its pictures. */
#ifndef LH_CLI_LOOK_VIEW_H
#define LH_CLI_LOOK_VIEW_H

#include "cli/opened.h"
#include "train/look.h"

typedef struct lh_look_view {
    lh_opened o;
    lh_look look;
} lh_look_view;

void lh_look_print(lh_look_view *v);
void lh_look_view_json(lh_look_view *v);

#endif
