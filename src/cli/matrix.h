/* matrix -- numbers as a person would write them down: labels, decimal points under each other, no digit too many.
 *
 *     char **line = lh_matrix_lines(cli->arena, g, p, node, example, head, digits, room, &n);   for something beside it
 *     lh_print_matrix(cli, stdout, g, p, node, example, 4, digits);                             all heads, indented
 */
#ifndef LH_CLI_MATRIX_H
#define LH_CLI_MATRIX_H

#include "cli/cli.h"
#include "eval/exact.h"

/* One head as lines of text, the column labels first (left out for one unlabelled column). Cut to `room` columns and to
 * LH_MATRIX_ROWS rows, and says so. */
enum { LH_MATRIX_ROWS = 16 };
char **lh_matrix_lines(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                       int example, int head, int digits, int room, int *n_lines);
void lh_print_matrix(lh_cli *cli, FILE *out, const lh_graph *g, const lh_plan *p, const lh_node *n,
                     int example, int indent, int digits);
/* 0.1 0; 0 0.1 on one line, cut to room */
char *lh_matrix_row(lh_arena *a, const lh_plan *p, const lh_node *n, int example, int digits,
                    int room);

#endif
