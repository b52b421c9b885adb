/* store -- progress in a file: SQLite 3, behind the interface of learn/progress.h.
 *
 *     char folder[LH_STORE_PATH];
 *     lh_store_folder(folder, sizeof folder);                     $LONGHAND_DATA, $XDG_DATA_HOME/longhand, ~/.local/share/longhand
 *     lh_store_trouble why;
 *     lh_store *s = lh_store_open(folder, &(lh_store_how){.create = true, .check = true}, &why);
 *
 * The file is folder/progress.db. Every record is a transaction with a rollback journal and full syncs: whoever is killed, and
 * whatever disk is full, attempts that were recorded stay, and the next one to open the file puts it in order. Several
 * programs may use it at once; each waits up to five seconds for the others. A rollback journal and not a write-ahead log,
 * because that needs memory shared by all users of the file: home folders on a network do not have it.
 */
#ifndef LH_FILES_STORE_H
#define LH_FILES_STORE_H

#include "learn/progress.h"

enum { LH_STORE_PATH = 4096 };

typedef enum lh_store_state {
    LH_STORE_OPEN,
    LH_STORE_NONE,     /* nothing was kept yet, and `create` was not said */
    LH_STORE_DAMAGED,  /* it cannot be read as what it should be */
    LH_STORE_NEWER,    /* a newer Longhand wrote it */
    LH_STORE_REFUSED,  /* it cannot be opened or written: permissions, no room */
    LH_STORE_NOT_BUILT /* this Longhand was built without SQLite */
} lh_store_state;

typedef struct lh_store_how {
    bool create; /* the folder and the file when they are not there */
    bool check;  /* every page is looked at first */
} lh_store_how;

typedef struct lh_store_trouble {
    lh_store_state state;
    char path[LH_STORE_PATH]; /* the file, or the folder */
    char what[512];           /* in words */
} lh_store_trouble;

bool lh_store_folder(char *folder, size_t size); /* false: no home, or too long */
/* NULL: why; close with s->close(s) */
lh_store *lh_store_open(const char *folder, const lh_store_how *how, lh_store_trouble *why);
/* a damaged file gets another name; false: it cannot be moved */
bool lh_store_set_aside(const char *folder, char *where, size_t size);

#endif
