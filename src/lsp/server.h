/* server -- the Language Server Protocol over two streams: an editor asks, this answers.
 *
 *     int status = lh_server_run(stdin, stdout);       until the editor says exit: 0, or 1 where it said no shutdown before
 */
#ifndef LH_LSP_SERVER_H
#define LH_LSP_SERVER_H

#include <stdio.h>

int lh_server_run(FILE *in, FILE *out);

#endif
