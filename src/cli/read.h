/* read -- what the files of `longhand read` share. */
#ifndef LH_CLI_READ_H
#define LH_CLI_READ_H

#include "cli/page_layout.h"
#include "cli/read_place.h"
#include "learn/progress.h"

/* The whole lesson as lines (read_layout.c). NULL: the context failed. first[i] is the line on which piece i begins. */
typedef struct lh_read_lines {
    lh_page_layout *layout;
    int *first;
    int n_pieces;
} lh_read_lines;
bool lh_read_layout(lh_reading *r, lh_arena *a, int width, lh_read_lines *lines);

/* How far each lesson was read, the newest first. Without a store there is none: reading needs no progress. */
typedef struct lh_places {
    lh_read *read;
    int n;
} lh_places;
lh_places lh_places_load(lh_cli *cli);
/* the lesson to go on with; NULL: there is none */
const char *lh_places_next(const lh_course *c, const lh_places *p);

/* The contents: the course by parts, with what was read (read_contents.c). */
typedef struct lh_listing {
    char **line;
    int n_lines;
    const char **name; /* of the lesson on each line, or NULL */
} lh_listing;
lh_listing lh_listing_lines(lh_cli *cli, lh_arena *a, const lh_course *c, const lh_read *reads,
                            int n_reads, int width);
int lh_lesson_minutes(const char *text, size_t length); /* what its head says; 0: nothing */

#endif
