/* embedded -- the files that travel inside the program: the prelude, the mistakes, the lessons and
 * their order, the models, what the pages of the book are made of, and a maths font where the build found one.
 *
 *     const lh_embedded *f = lh_embedded_find("lessons/ex1.md");
 *     if (f) fwrite(f->text, 1, f->length, stdout);
 *
 * What lies beside the code is called by its name alone ("prelude.lh", "mistakes.lh"), and so is
 * "contents.txt"; the rest by its path ("lessons/ex1.md", "models/gpt.lh"). scripts/embed.c writes the table when the program is built.
 */
#ifndef LH_BASE_EMBEDDED_H
#define LH_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct lh_embedded {
    const char *name;
    const char *text; /* length bytes and a final 0 */
    size_t length;
} lh_embedded;

extern const lh_embedded lh_embedded_files[]; /* in the order of their names */
extern const int lh_n_embedded_files;

const lh_embedded *lh_embedded_find(const char *name); /* NULL when there is none */

#endif
