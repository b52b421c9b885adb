/* formula_internal -- what the readers and writers of a formula share. Private to formula*.c. */
#ifndef LH_FORMULA_INTERNAL_H
#define LH_FORMULA_INTERNAL_H

#include "learn/formula.h"

/* Looking up (formula_signs.c). */
/* \name, or {name} behind \begin */
const lh_formula_command *lh_formula_find(const char *name, size_t n, bool environment);
const lh_formula_command *lh_formula_find_sign(const char *sign); /* by its Unicode */
/* or NULL */
const char *lh_formula_nearest(lh_arena *a, const char *name, size_t n, bool environment);

/* Letters (formula_letters.c). `out` has room for 5 bytes and holds "" where there is no such letter. */
size_t lh_utf8_length(const char *s, const char *end); /* of the character at s; 0: no UTF-8 */
unsigned lh_utf8_code(const char *s, size_t n);
void lh_formula_letter(lh_alphabet alphabet, const char *s, size_t n, char out[5]);
char *lh_formula_letters(lh_arena *a, const lh_formula *f); /* its text in its alphabet */
/* x2 as ˣ²; false: not every one has */
bool lh_formula_shift(lh_text *out, const char *s, bool above);

/* Making nodes (formula_tree.c). */
lh_formula *lh_formula_new(lh_arena *a, lh_formula_kind kind, lh_sign_class class, int n_args);
lh_formula *lh_formula_sign(lh_arena *a, const char *sign); /* with its class from the table */
/* upright: a name */
lh_formula *lh_formula_word(lh_arena *a, const char *name, lh_sign_class class);
void lh_formula_append(lh_arena *a, lh_formula *row, lh_formula *item);
lh_formula *lh_formula_script(lh_arena *a, lh_formula *base, lh_formula *sub, lh_formula *sup);
lh_formula *lh_formula_fence(lh_arena *a, const char *open, lh_formula *body, const char *close);

/* Reading nodes (formula_tree.c). */
const lh_formula *lh_formula_bare(const lh_formula *f);          /* a row of one is that one */
const lh_formula *lh_formula_base(const lh_formula *f);          /* what its scripts stand on */
bool lh_formula_has_text(const lh_formula *f, const char *text); /* a leaf with this text */
bool lh_formula_is_prime(const lh_formula *f);                   /* ′ or ′′ */
lh_sign_class lh_formula_class(const lh_formula *row, int i); /* of an item, after its neighbours */
/* columns between items i and i + 1 of a row */
int lh_formula_gap(const lh_formula *row, int i, bool in_script);
bool lh_formula_ends_word(const lh_formula *f);   /* keeps its distance to what follows */
bool lh_formula_begins_word(const lh_formula *f); /* ... to what stands before it */

/* Inline text, for the two-dimensional writer (formula_text.c). */
/* has every letter one raised? lowered? */
bool lh_formula_can_shift(const lh_formula *f, bool above);
char *lh_formula_shifted(lh_arena *a, const lh_formula *f, bool above); /* then: x^2 as ² */

#endif
