/* json_stream -- JSON that goes to a stream as it is written: pages/json.h does the writing. */
#ifndef LH_CLI_JSON_STREAM_H
#define LH_CLI_JSON_STREAM_H

#include <stdio.h>

#include "pages/json.h"

lh_json lh_json_open(FILE *out);

#endif
