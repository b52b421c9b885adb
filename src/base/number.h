/* number -- a number as text.
 *
 *     char buf[LH_NUMBER_MAX];
 *     lh_number_text(buf, sizeof buf, 0.10000, 6);        "0.1"
 *     lh_number_text(buf, sizeof buf, 2.0 / 3, 4);        "0.6667"
 *     lh_number_exact(buf, sizeof buf, 0.1 + 0.2);        "0.30000000000000004"
 *
 * The point is a point in every locale. Both return buf. LH_NUMBER_MAX bytes are always enough; a
 * shorter buffer gets the beginning of the text.
 */
#ifndef LH_BASE_NUMBER_H
#define LH_BASE_NUMBER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define LH_NUMBER_MAX 32

/* For people: `digits` significant digits (1 to 17) without zeros at the end, written plainly from
 * 0.00001 up to a thousand million, otherwise as 6.36e-25. Digits before the point are never
 * rounded away: 123456.7 with 3 digits is "123457". "0" for both zeros; "inf", "-inf", "nan". */
char *lh_number_text(char *buf, size_t n, double x, int digits);

/* Beside numbers as large as `scale` the dust of rounding (1e-17) is 0, and not worth a column of digits. */
double lh_number_without_dust(double x, double scale);

/* For machines: the shortest text that reads back as the same double; "-0" for negative zero.
 * "inf", "-inf" and "nan" are not JSON: its writer looks for them first. */
char *lh_number_exact(char *buf, size_t n, double x);

/* A whole number in groups of three: "124,439,808". LH_NUMBER_MAX bytes are enough up to 1e22. */
char *lh_number_grouped(char *buf, size_t n, double x);

/* So many bytes, in thousands: "512 B", "12.5 kB", "497 MB", "2.6 GB". */
char *lh_number_bytes(char *buf, size_t n, double bytes);

/* As strtod in the locale C: a library may be called in another one, where the point is a comma. */
double lh_number_read(const char *text, char **end);

/* All of the text is a whole number from `least` to `most`; otherwise false, and *n stays. */
bool lh_number_whole(const char *text, int least, int most, int *n);

/* As vsnprintf and snprintf in the locale C. */
int lh_vformat(char *buf, size_t n, const char *format, va_list args);
int lh_format(char *buf, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "%d step%s", n, LH_PLURAL(n) */
#define LH_PLURAL(n) ((n) == 1 ? "" : "s")

#endif
