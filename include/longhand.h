/* longhand -- write a transformer as on paper; run, differentiate and explain it.
 *
 *     #include <longhand.h>
 *     cc mine.c $(pkg-config --cflags --libs longhand)
 */
#ifndef LONGHAND_H
#define LONGHAND_H

#ifdef __cplusplus
extern "C" {
#endif

#define LH_API __attribute__((visibility("default")))

LH_API const char *lh_version(void); /* "0.1.0" */

#ifdef __cplusplus
}
#endif

#endif
