/* names -- people's names: in which order, whether two are the same, and as the name of a file.
 *
 *     lh_name_order("sheet 2", "sheet 10") < 0          numbers by their size
 *     lh_name_order("Özil", "Zander") < 0               letters without their marks, large or small
 *     lh_name_key(arena, " Anna  MÜLLER ")              "anna müller": two spellings of one name have one key
 *     lh_name_composed(arena, "Mu\xCC\x88ller")          "Müller": macOS writes ü as u and a mark, others as one letter
 *     lh_name_file(arena, "Müller, Anna/7B")            "Müller-Anna-7B"
 */
#ifndef LH_LEARN_NAMES_H
#define LH_LEARN_NAMES_H

#include "base/context.h"

int lh_name_order(const char *a, const char *b); /* as strcmp; 0 only for the same bytes */
const char *lh_name_composed(lh_arena *a, const char *name);
char *lh_name_key(lh_arena *a, const char *name);
char *lh_name_file(lh_arena *a, const char *name); /* never empty, no folder, no leading point */

/* Names that are the same but for large and small letters: the later ones get -2, -3 ... behind them. */
void lh_names_apart(lh_arena *a, const char **name, int n);

/* What a column of a class list or of a table of answers holds, by the words above it. */
typedef enum lh_column {
    LH_COLUMN_OTHER,
    LH_COLUMN_NAME,
    LH_COLUMN_FIRST, /* name */
    LH_COLUMN_LAST,
    LH_COLUMN_ID,
    LH_COLUMN_FORM,
    LH_COLUMN_SEED,
    LH_COLUMN_DIGITS,
    LH_COLUMN_SHEET, /* the first line of a sheet: sheet ex3, form A, digits 4, code 1f2e3d */
} lh_column;

lh_column lh_column_of(const char *words);

#endif
