/* columns -- how wide a text is on a screen.
 *
 *     lh_columns("naïve")  5        lh_columns("日本")  4
 *
 * Letters of East Asian scripts and emoji take two columns, marks that stand on the letter before them none.
 */
#ifndef LH_BASE_COLUMNS_H
#define LH_BASE_COLUMNS_H

int lh_columns(const char *utf8);
int lh_columns_next(const char *utf8, int *bytes); /* of its first character, and its length */

#endif
