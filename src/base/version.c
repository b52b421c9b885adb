#include "base/version.h"

const char *lh_version(void) {
    return LH_VERSION; /* meson.build has it, and nobody else */
}
