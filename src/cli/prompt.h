/* prompt -- a line from a person: with editing and history where libedit is there, plainly otherwise.
 *
 *     lh_prompt *p = lh_prompt_open(true, "history");
 *     for (const char *line; (line = lh_prompt_line(p, "> ")); ) ...      NULL: the end
 *     lh_prompt_close(p);
 *
 * Lines are remembered in $XDG_STATE_HOME/longhand/history (~/.local/state/longhand/history) where that can be written.
 */
#ifndef LH_CLI_PROMPT_H
#define LH_CLI_PROMPT_H

#include <stdbool.h>

typedef struct lh_prompt lh_prompt;

/* its file in the state folder; NULL when there is no memory */
lh_prompt *lh_prompt_open(bool is_interactive, const char *history);
/* without its end; valid until the next call; NULL at the end */
const char *lh_prompt_line(lh_prompt *p, const char *sign);
bool lh_prompt_dropped(const lh_prompt *p); /* Ctrl-C: the line that came last does not count */
void lh_prompt_remember(lh_prompt *p, const char *text);
void lh_prompt_close(lh_prompt *p); /* NULL is allowed */

#endif
