/* unicode_forms -- categories of code points, small letters, and the four normal forms of Unicode.
 *
 *     lh_unicode_category_of(0xE9)                               LH_CATEGORY_LL
 *     lh_text out = lh_text_new(arena);
 *     lh_unicode_normalize(&out, text, length, LH_NFKC);         "ﬁ" becomes "fi", "e" with a combining accent becomes "é"
 *
 * A byte that is not UTF-8 is left as it is, and nothing is moved or joined across it. The table is that of the same Unicode as
 * base/unicode.h. Time: linear but for runs of combining marks, which are sorted (n log n of the run).
 */
#ifndef LH_BASE_UNICODE_FORMS_H
#define LH_BASE_UNICODE_FORMS_H

#include <stdint.h>

#include "base/context.h"

typedef enum lh_unicode_category {
    LH_CATEGORY_CN,
    LH_CATEGORY_LU,
    LH_CATEGORY_LL,
    LH_CATEGORY_LT,
    LH_CATEGORY_LM,
    LH_CATEGORY_LO,
    LH_CATEGORY_MN,
    LH_CATEGORY_MC,
    LH_CATEGORY_ME,
    LH_CATEGORY_ND,
    LH_CATEGORY_NL,
    LH_CATEGORY_NO,
    LH_CATEGORY_PC,
    LH_CATEGORY_PD,
    LH_CATEGORY_PS,
    LH_CATEGORY_PE,
    LH_CATEGORY_PI,
    LH_CATEGORY_PF,
    LH_CATEGORY_PO,
    LH_CATEGORY_SM,
    LH_CATEGORY_SC,
    LH_CATEGORY_SK,
    LH_CATEGORY_SO,
    LH_CATEGORY_ZS,
    LH_CATEGORY_ZL,
    LH_CATEGORY_ZP,
    LH_CATEGORY_CC,
    LH_CATEGORY_CF,
    LH_CATEGORY_CS,
    LH_CATEGORY_CO,
    LH_N_CATEGORIES
} lh_unicode_category;

typedef enum lh_unicode_form { LH_NFC, LH_NFD, LH_NFKC, LH_NFKD } lh_unicode_form;

lh_unicode_category lh_unicode_category_of(uint32_t c);
uint32_t lh_unicode_categories(const char *name); /* "L", "Lu": a bit for each of them; 0: none */
bool lh_unicode_is_space(uint32_t c);             /* the property White_Space */
bool lh_unicode_is_word(uint32_t c); /* \w: letters, marks, decimal digits, connectors, joiners */
bool lh_unicode_is_mark(uint32_t c); /* the categories M* */
bool lh_unicode_is_punctuation(uint32_t c); /* the categories P*, and all signs of ASCII */
uint32_t lh_unicode_lower(uint32_t c);      /* one code point: of İ, the i without the dot above */
void lh_unicode_add_lower(lh_text *out, uint32_t c); /* whole: of İ, two code points */
/* adds to out */
void lh_unicode_normalize(lh_text *out, const char *text, size_t length, lh_unicode_form form);

#endif
