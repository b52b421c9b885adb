/* As fuzz_page, with the reader of Markdown that the module of a page has: meson.build links the one below the other. */
#include "fuzz_page.c"
