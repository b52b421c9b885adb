/* vectors -- words as rows of numbers, from a text file, and which of them lie near each other.
 *
 *     lh_vectors *v = lh_vectors_read(ctx, arena, "vectors.txt", text, length);
 *     int cat = lh_vectors_find(v, "cat");                                    -1: there is none
 *     double *to = lh_vectors_row(v, arena, cat);                             to add to and subtract from
 *     lh_nearby near = lh_vectors_near(v, arena, to, &cat, 1, 10);            the ten nearest, without the cat itself
 *
 * A line is a word and its numbers, with spaces or tabs between them: as file("vectors.txt") reads, and as word2vec and GloVe
 * write. A first line of two whole numbers, how many words and how many numbers each, is passed over.
 *
 * Errors: the context fails with the file and the line. Memory: everything lies in the arena; the text may go.
 * Time: reading is linear; the k nearest of n words take n comparisons of rows and n log k of numbers.
 */
#ifndef LH_FILES_VECTORS_H
#define LH_FILES_VECTORS_H

#include "base/context.h"

typedef struct lh_vectors {
    int n, width;
    const char **word;  /* n */
    const int *line;    /* n: where each stands */
    const double *cell; /* n * width */
    const double *size; /* n: lengths of the rows; 0: it points nowhere */
    int *slot;          /* hash table of n_slots: a word's number + 1, or 0 */
    int n_slots;
} lh_vectors;

enum { LH_MAX_VECTOR_WIDTH = 100000 };

/* NULL and the context failed on error */
lh_vectors *lh_vectors_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                            size_t length);
int lh_vectors_find(const lh_vectors *v, const char *word); /* -1: there is none */
/* a copy; NULL and the context failed without memory */
double *lh_vectors_row(const lh_vectors *v, lh_arena *a, int word);

typedef struct lh_neighbour {
    int word;
    double cosine; /* -1 to 1 */
} lh_neighbour;

typedef struct lh_nearby {
    lh_neighbour *near; /* the nearest first; of equally near ones the first in the file */
    int n;              /* at most as many as were asked for */
    int n_more;         /* left out, and exactly as near as the last one shown */
    int n_nowhere;      /* rows of zeros, which have no direction */
} lh_nearby;

/* The k words nearest to `to`, without those in `without`. near NULL: no memory. */
lh_nearby lh_vectors_near(const lh_vectors *v, lh_arena *a, const double *to, const int *without,
                          int n_without, int k);
double lh_vectors_size(const double *row, int width); /* its length */
/* size: of `to`, above 0 */
double lh_vectors_cosine(const lh_vectors *v, int word, const double *to, double size);

#endif
