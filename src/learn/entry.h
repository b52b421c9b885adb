/* entry -- what somebody types at the prompt: a cell, a row or a whole matrix.
 *
 *     [1][0] = 0.25          Z[1][0] = 1/3        Z{example 1}[1][0] = 25%
 *     1: 0,2 0,3             [1] = 0.2 0.3
 *     0.1 0; 0 _             [0.1 0; 0 0.1]       Z = 0.1 0; 0 0.1       1 2 | 3 4   (heads or examples)
 *
 * Reading splits the text; it knows no shapes. A comma between digits is a decimal comma, one before a space or a sign
 * separates. _ and ? are blank.
 */
#ifndef LH_LEARN_ENTRY_H
#define LH_LEARN_ENTRY_H

#include "base/context.h"

typedef struct lh_entry_row {
    const char **cell; /* without spaces: "0.25", "1/3", "_" */
    int n_cells;
    int block; /* how many | stand before it */
} lh_entry_row;

typedef struct lh_entry {
    const char *target; /* what stands left of the =, without spaces at its ends; "" without one */
    int number;         /* of `1: 0.2 0.3`, or -1 */
    lh_entry_row *row;
    int n_rows, n_blocks;
    bool is_open; /* ends in ; or | or has a [ without its ]: more is to come */
} lh_entry;

enum { LH_ENTRY_MAX = 65536 }; /* bytes of one entry */

lh_entry lh_entry_read(lh_arena *a, const char *text); /* in a */
bool lh_entry_is_numbers(const char *text);            /* could it be an entry, and no command? */

#endif
