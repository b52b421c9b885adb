/* keep -- the learner's progress, as the commands see it: a file where that is possible, memory and a word about it otherwise.
 *
 *     lh_keeper k;
 *     lh_keep_open(cli, &k);                     k.store is there, whatever happened
 *     lh_keep_record(&k, &attempt, &sheet);      what cannot be saved now is tried again with the next one
 *     lh_keep_close(&k);
 */
#ifndef LH_CLI_KEEP_H
#define LH_CLI_KEEP_H

#include "cli/cli.h"
#include "files/store.h"

typedef struct lh_keeper {
    lh_cli *cli;
    lh_store *store;
    bool is_kept;        /* in a file */
    bool has_said;       /* that something is not saved */
    lh_attempt *waiting; /* attempts that could not be saved yet */
    int n_waiting;
} lh_keeper;

bool lh_keep_open(lh_cli *cli, lh_keeper *k); /* false: no memory, already reported */
void lh_keep_record(lh_keeper *k, const lh_attempt *attempt, const lh_saved *sheet);
int lh_keep_close(lh_keeper *k); /* returns how many attempts could not be saved */

/* under which progress is kept: a file by its whole path, to be found from every folder */
const char *lh_keep_name(lh_cli *cli, const lh_source *s);

/* What is there to be read, and nothing is made: NULL when nothing was practised yet, or (state) it cannot be opened. Who
 * wants to reset it has every page looked at, and is not asked about a damaged one. */
int lh_progress_import(lh_cli *cli, const char *file); /* progress_import.c; exit status */
lh_store *lh_keep_read(lh_cli *cli, bool to_reset, lh_store_state *state);

/* Where a lesson stands, for the list of lessons; zeros when nobody practised it. Says nothing and makes nothing. */
typedef struct lh_standing {
    int done, total;
    bool is_begun; /* a sheet waits to be gone on with */
    int exercises; /* done */
} lh_standing;
lh_standing lh_keep_standing(lh_cli *cli, const char *lesson);
/* false: a file of one's own that is gone by now */
bool lh_keep_is_there(lh_cli *cli, const char *lesson);
/* the lesson whose sheet was worked on last and waits; NULL: none */
const char *lh_keep_begun(lh_cli *cli, long long *when);
/* ✓ read to its end, ▸ begun, or a space */
const char *lh_keep_read_sign(lh_cli *cli, const char *lesson);
const char *lh_standing_sign(lh_standing at); /* ✓ all done, ▸ begun, or a space */
/* "   5 of 21 steps, 3 of 7 exercises", where there is room also how to go on; "" for nothing done */
const char *lh_standing_text(lh_cli *cli, lh_standing at, const char *lesson, int exercises,
                             int room);

long lh_keep_zone(void);                /* seconds east of UTC, today */
bool lh_keep_ask(const char *question); /* y or n at the terminal; the end of input is n */

#endif
