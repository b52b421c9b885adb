#include "base/number.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifndef __wasm__
#include <sys/resource.h>
#endif

#include "base/number.h"

static double least(double a, double b) {
    return a <= 0 || (b > 0 && b < a) ? b : a;
}

static double of_machine(void) {
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (double)pages * (double)size : 0;
#else
    return 0;
#endif
}

/* MemAvailable:    22334455 kB */
static double of_system(void) {
    FILE *f = fopen("/proc/meminfo", "r");
    char line[128];
    double kilobytes = 0;
    while (f && kilobytes <= 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) != 1) kilobytes = 0;
    if (f) fclose(f);
    return kilobytes * 1024;
}

static double of_limit(void) {
#if defined(RLIMIT_AS)
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return 0;
    return (double)limit.rlim_cur;
#else
    return 0;
#endif
}

/* What is left of a limited address space: its pages are the first number of statm. 1 byte where nothing is left. */
static double of_process(void) {
    const double limit = of_limit();
    if (limit <= 0) return 0;
    FILE *f = fopen("/proc/self/statm", "r");
    double pages = 0;
    if (f && fscanf(f, "%lf", &pages) != 1) pages = 0;
    if (f) fclose(f);
    const double left = limit - pages * (double)sysconf(_SC_PAGESIZE);
    return left > 1 ? left : 1;
}

double lh_memory_most(void) {
    return least(of_machine(), of_limit());
}

double lh_memory_free(void) {
    return least(least(of_machine(), of_system()), of_process());
}

/* The second number of /proc/self/statm is pages in memory; elsewhere the most there ever was has to do. */
double lh_memory_used(void) {
#ifdef RUSAGE_SELF
    FILE *f = fopen("/proc/self/statm", "r");
    struct rusage most;
    long all = 0, resident = 0;
    int n = f ? fscanf(f, "%ld %ld", &all, &resident) : 0;
    if (f) fclose(f);
    if (n == 2) return (double)resident * (double)sysconf(_SC_PAGESIZE);
    return getrusage(RUSAGE_SELF, &most) ? 0 : 1024.0 * (double)most.ru_maxrss;
#else
    return 0;
#endif
}

static const double LITTLE = 1e6; /* bytes that are there: nobody is asked */

bool lh_memory_fits(lh_context *ctx, double bytes, const char *cure) {
    const double limit = (double)ctx->memory_limit,
                 has = bytes < LITTLE ? limit : least(limit, lh_memory_free());
    char needs[LH_NUMBER_MAX], free_now[LH_NUMBER_MAX];
    if (lh_failed(ctx)) return false;
    if (has <= 0 || bytes < has) return true;
    lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
            "this needs %s of memory, but only %s is free",
            lh_number_bytes(needs, sizeof needs, bytes),
            lh_number_bytes(free_now, sizeof free_now, has));
    if (cure) lh_cure(ctx, "%s", cure);
    return false;
}
