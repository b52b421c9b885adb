/* alphabet -- the 256 bytes as characters that can be seen, as GPT-2's files write them.
 *
 *     lh_alphabet_char(' ')      0x120, Ġ
 *     lh_alphabet_byte(0x120)    32
 *
 * Bytes that are printable in Latin-1 stand for themselves; the others, in their order, are 0x100, 0x101 and so on. GPT-2
 * numbers its bytes in the same order, printable ones first: token 0 is "!".
 */
#ifndef LH_TEXT_ALPHABET_H
#define LH_TEXT_ALPHABET_H

#include <stdint.h>

uint32_t lh_alphabet_char(unsigned char byte);
int lh_alphabet_byte(uint32_t c);            /* -1: no such character */
unsigned char lh_alphabet_nth(int position); /* which byte stands there, 0 to 255 */

#endif
