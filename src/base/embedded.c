#include "base/embedded.h"

#include <string.h>

const lh_embedded *lh_embedded_find(const char *name) {
    for (int i = 0; i < lh_n_embedded_files; i++)
        if (strcmp(lh_embedded_files[i].name, name) == 0) return &lh_embedded_files[i];
    return NULL;
}
