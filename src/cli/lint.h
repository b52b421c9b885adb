/* lint -- what only the page of a lesson can tell: formulas, links, images, HTML. */
#ifndef LH_CLI_LINT_H
#define LH_CLI_LINT_H

#include "learn/lesson.h"

void lh_lint_page(lh_lesson *l); /* adds to its problems; the context fails without memory */

#endif
