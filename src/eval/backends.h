/* backends -- every evaluator by its name.
 *
 *     const lh_evaluator *with = lh_evaluator_find("fast");         NULL: there is none of that name
 *     for (int i = 0; lh_evaluators[i]; i++) puts(lh_evaluators[i]->name);
 */
#ifndef LH_EVAL_BACKENDS_H
#define LH_EVAL_BACKENDS_H

#include "eval/exact.h"

extern const lh_evaluator *const lh_evaluators[]; /* ends with NULL */
const lh_evaluator *lh_evaluator_find(const char *name);

#endif
