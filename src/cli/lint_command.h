/* lint_command -- what only the page of a lesson can tell: formulas, links, images, HTML. */
#ifndef LH_LINT_COMMAND_H
#define LH_LINT_COMMAND_H

#include "learn/lesson.h"

void lh_lint_page(lh_lesson *l); /* adds to its problems; the context fails without memory */

#endif
