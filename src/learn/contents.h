/* contents -- the order of the course: its parts, and the lessons of each. lessons/contents.txt, which travels inside the program.
 *
 *     lh_contents *c = lh_contents_read(ctx, arena);
 *     for (int i = 0; i < c->n; i++)
 *         if (c->item[i].file) printf("%s: %s\n", c->item[i].part, c->item[i].name);
 */
#ifndef LH_LEARN_CONTENTS_H
#define LH_LEARN_CONTENTS_H

#include "base/context.h"
#include "base/embedded.h"

typedef struct lh_contents_item {
    const char *part;        /* I. Foundations */
    const char *name;        /* ex1 */
    const lh_embedded *file; /* NULL: not written yet */
    /* another form of an example: at the end of the book, not in the reader's contents */
    bool is_variation;
} lh_contents_item;

typedef struct lh_contents {
    lh_contents_item *item;
    int n;
} lh_contents;

lh_contents *lh_contents_read(lh_context *ctx, lh_arena *a); /* in a; never NULL, empty on error */
const lh_contents_item *lh_contents_find(const lh_contents *c, const char *name); /* or NULL */

#endif
