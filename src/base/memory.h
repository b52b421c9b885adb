/* memory -- how much memory a process may still take, before it takes it.
 *
 *     double has = lh_memory_free();                     bytes; 0: not known
 *     lh_memory_fits(ctx, needs, "a smaller batch");     false: the context failed, with both figures
 *
 * What is free is what the system says it can give without swapping (MemAvailable of Linux, elsewhere all there is), or
 * less where the address space of the process is limited (ulimit -v), or the context's memory_limit. Memory that others take
 * in the meantime is not seen.
 */
#ifndef LH_BASE_MEMORY_H
#define LH_BASE_MEMORY_H

#include "base/context.h"

double lh_memory_most(void); /* that a process can have here at all; 0: not known */
double lh_memory_free(void);
double lh_memory_used(void);                                          /* by this process, now */
bool lh_memory_fits(lh_context *ctx, double bytes, const char *cure); /* cure: may be NULL */

#endif
