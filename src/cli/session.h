/* session -- the lines of `longhand calc`, and the program that they make together.
 *
 *     lh_session s = {.cli = cli};
 *     if (lh_session_add(&s, "softmax([2 1])")) ... s.g, s.plan, s.line[s.n_lines - 1]
 *     lh_session_close(&s);
 *
 * With every line the whole program is built again and run: programs are small here. A line with an error is reported
 * and not kept. A formula without a name is called ans; what was ans before is ans1, ans2 ... from then on, in the lines
 * that use it too.
 */
#ifndef LH_CLI_SESSION_H
#define LH_CLI_SESSION_H

#include "cli/cli.h"
#include "eval/exact.h"

typedef struct lh_calc_line {
    const char *text;
    lh_program *parsed; /* its statements; they stand in the program too */
    int first;          /* its first line in the program, from 1 */
    int height;         /* how many it takes */
    bool is_bare;       /* a formula without a name */
    int renamed;        /* because of it ans became ans<renamed>; 0: nothing did */
} lh_calc_line;

typedef struct lh_session {
    lh_cli *cli;
    lh_calc_line *line;
    int n_lines;
    int n_answers;   /* ans1, ans2 ... so far */
    lh_arena *arena; /* of the program below */
    lh_program *program;
    lh_graph *g;    /* NULL before the first line */
    lh_plan *plan;  /* every step; NULL while the program waits for its first example */
    lh_error error; /* of the last line that was not kept */
} lh_session;

bool lh_session_add(lh_session *s, const char *text); /* false: reported, and nothing has changed */
bool lh_session_undo(lh_session *s);                  /* false: there was no line */
void lh_session_close(lh_session *s);
bool lh_session_is_open(const char *text); /* a bracket or a block waits for its end */

#endif
