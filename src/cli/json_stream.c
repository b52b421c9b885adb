#include "cli/json_stream.h"

static void put(void *to, const char *s, size_t n) {
    fwrite(s, 1, n, to);
}

lh_json lh_json_open(FILE *out) {
    return (lh_json){.put = put, .to = out};
}
