/* As fuzz_config, with the reader of JSON that the module of a page has: meson.build links the one below the other. */
#include "fuzz_config.c"
