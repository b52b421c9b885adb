/* secret -- the secret of a class: sheets whose numbers, and so whose keys, nobody can make without it.
 *
 *     lh_secret *s = lh_secret_read(ctx, arena, "physics.class", text, length);     NULL and the context failed
 *     const char *form = lh_secret_form(s, arena, "anna müller");   a word of six letters for a student: always the same one
 *     unsigned long long seed = lh_secret_seed(s, "ex3", form);     of the sheet; it is never shown
 *
 * A sheet carries s->code, which tells classes apart and gives nothing away, and its form. The seed is 63 bits of
 * HMAC-SHA256, so trying seeds until one gives the numbers of a sheet is out of reach.
 */
#ifndef LH_LEARN_SECRET_H
#define LH_LEARN_SECRET_H

#include "base/context.h"

enum { LH_SECRET_BYTES = 32, LH_FORM_LETTERS = 20 }; /* the most letters of a form */

typedef struct lh_secret {
    const char *file, *name; /* name: of the class, or "" */
    unsigned char key[LH_SECRET_BYTES];
    const char *code;
} lh_secret;

lh_secret *lh_secret_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                          size_t length);
/* the file of a new class */
char *lh_secret_text(lh_arena *a, const char *name, const unsigned char random[LH_SECRET_BYTES]);
unsigned long long lh_secret_seed(const lh_secret *s, const char *lesson, const char *form);
char *lh_secret_form(const lh_secret *s, lh_arena *a, const char *student);

#endif
