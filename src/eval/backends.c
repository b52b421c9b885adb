#include "eval/backends.h"

#include <string.h>

#define BACKEND(name) extern const lh_evaluator lh_##name;
#include "eval/backends.def"
#undef BACKEND

const lh_evaluator *const lh_evaluators[] = {
#define BACKEND(name) &lh_##name,
#include "eval/backends.def"
#undef BACKEND
    NULL,
};

const lh_evaluator *lh_evaluator_find(const char *name) {
    for (int i = 0; lh_evaluators[i]; i++)
        if (strcmp(lh_evaluators[i]->name, name) == 0) return lh_evaluators[i];
    return NULL;
}
