/* web_export -- what JavaScript sees of the module: room for arguments, a call, the size of its answer. */
#include <stdlib.h>
#include <string.h>

#include "web.h"

static lh_web *web;
static char *room_of;
static const char *answer = "";

/* Where the page writes arguments; valid until the next call of it. NULL: there is no memory. */
__attribute__((export_name("room"))) char *room(size_t n) {
    free(room_of);
    room_of = malloc(n + 1);
    return room_of;
}

__attribute__((export_name("call"))) const char *call(const char *arguments, size_t length) {
    if (!web) web = lh_web_new();
    answer = web ? lh_web_call(web, arguments, length)
                 : "{\"error\": {\"kind\": \"memory\", \"what\": \"there is no memory left\"}}";
    return answer;
}

__attribute__((export_name("size"))) size_t size(void) {
    return strlen(answer);
}
