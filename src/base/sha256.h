/* sha256 -- a fingerprint of bytes, and one that only the owner of a secret can make.
 *
 *     unsigned char print[LH_SHA256];
 *     lh_sha256("abc", 3, print);
 *     lh_hmac(secret, 32, "ex3/A", 5, print);     without the secret nobody can tell it from chance
 *
 * SHA-256 as in FIPS 180-4, HMAC as in RFC 2104.
 */
#ifndef LH_BASE_SHA256_H
#define LH_BASE_SHA256_H

#include <stddef.h>

enum { LH_SHA256 = 32 }; /* bytes */

void lh_sha256(const void *bytes, size_t n, unsigned char out[LH_SHA256]);
void lh_hmac(const void *key, size_t n_key, const void *bytes, size_t n,
             unsigned char out[LH_SHA256]);

#endif
