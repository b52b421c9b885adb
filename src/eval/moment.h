/* moment -- what a work has to know that is not among its operands: which examples, which step, whose threads. */
#ifndef LH_EVAL_MOMENT_H
#define LH_EVAL_MOMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lh_moment {
    int past; /* rows of the growing input that were fed before: a row's number counts from there */
    int examples;         /* in this batch */
    int of;               /* in the batch that it is a part of; without parts the same number */
    bool adds;            /* ... and not its first part: sums go on */
    struct lh_pool *pool; /* threads, for kernels */
    float *scratch;       /* memory of a kernel while it runs: scratch_cells for each thread */
    size_t scratch_cells;
    const int *example; /* their numbers in the program's data: random numbers are drawn by these */
    double training, step;
    unsigned long long seed;
} lh_moment;

#endif
