/* clock -- seconds as a clock of the system counts them: a difference of two is how long something took. */
#ifndef LH_BASE_CLOCK_H
#define LH_BASE_CLOCK_H

#include <time.h>

static inline double lh_seconds_by(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double lh_seconds(void) {
    return lh_seconds_by(CLOCK_MONOTONIC);
}

#endif
