/* gguf_internal -- how large a block of a type is: for those who read and write files of it. */
#ifndef LH_FILES_GGUF_INTERNAL_H
#define LH_FILES_GGUF_INTERNAL_H

#include "files/gguf.h"

bool lh_gguf_block(lh_gguf_type type, size_t *cells, size_t *bytes); /* false: not known */

#endif
