/* parts -- what the commands print, as parts that a page of the course is put together from. Each writes to cli->out, in
 * cli->width columns, without the title that the command puts above it. What goes wrong is in the context.
 */
#ifndef LH_CLI_PARTS_H
#define LH_CLI_PARTS_H

#include "cli/cli.h"
#include "cli/json_stream.h"
#include "explain/bill.h"
#include "explain/check.h"
#include "explain/picture.h"
#include "learn/live.h"

void lh_print_check(lh_cli *cli, const lh_check *c);
void lh_print_cost(const lh_cli *cli, const lh_bill *b);
void lh_print_picture(const lh_cli *cli, const lh_picture *p);
/* those that can be made in it, built so; how may be NULL */
void lh_print_mistakes(lh_cli *cli, const lh_program *p, const lh_build *how);
/* to json where it is not NULL; false: the context failed */
bool lh_print_jacobian(lh_cli *cli, lh_graph *g, const char *address, int digits, lh_json *json);
/* an item of a show block, under its caption; to stdout */
void lh_print_show(lh_cli *cli, lh_live *v, int show);

#endif
