#include "base/sha256.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64 };

typedef struct hash {
    uint32_t word[8];
    unsigned char block[BLOCK]; /* the bytes that do not fill one yet */
    uint64_t length;            /* of all bytes so far */
} hash;

/* The first 32 bits behind the point of the cube roots of the first 64 primes. */
static const uint32_t constant[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, int n) {
    return (x >> n) | (x << (32 - n));
}

static void expand(const unsigned char *block, uint32_t w[ROUNDS]) {
    for (int i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               (uint32_t)block[3];
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >> 3)) + w[i - 7] +
               (turn(b, 17) ^ turn(b, 19) ^ (b >> 10));
    }
}

static void stir(uint32_t state[8], const unsigned char *block) {
    uint32_t w[ROUNDS], s[8];
    expand(block, w);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]),
                 most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t down = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choose +
                        constant[i] + w[i],
                 up = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + most;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += down;
        s[0] = down + up;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

static hash hash_new(void) {
    return (hash){.word = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                           0x1f83d9ab, 0x5be0cd19}};
}

static void hash_add(hash *h, const void *bytes, size_t n) {
    for (const unsigned char *s = bytes; n; s++, n--) {
        h->block[h->length++ % BLOCK] = *s;
        if (h->length % BLOCK == 0) stir(h->word, h->block);
    }
}

/* A bit of 1, zeros, and the length in bits as the last eight bytes of a block. */
static void hash_end(hash *h, unsigned char out[LH_SHA256]) {
    uint64_t bits = h->length * 8;
    unsigned char tail[8];
    for (int i = 0; i < 8; i++) tail[i] = (unsigned char)(bits >> (56 - 8 * i));
    hash_add(h, "\x80", 1);
    while (h->length % BLOCK != BLOCK - sizeof tail) hash_add(h, "", 1);
    hash_add(h, tail, sizeof tail);
    for (int i = 0; i < LH_SHA256; i++)
        out[i] = (unsigned char)(h->word[i / 4] >> (24 - 8 * (i % 4)));
}

void lh_sha256(const void *bytes, size_t n, unsigned char out[LH_SHA256]) {
    hash h = hash_new();
    hash_add(&h, bytes, n);
    hash_end(&h, out);
}

void lh_hmac(const void *key, size_t n_key, const void *bytes, size_t n,
             unsigned char out[LH_SHA256]) {
    unsigned char block[BLOCK] = {0}, inner[BLOCK], outer[BLOCK];
    if (n_key > BLOCK)
        lh_sha256(key, n_key, block);
    else
        memcpy(block, key, n_key);
    for (int i = 0; i < BLOCK; i++) inner[i] = block[i] ^ 0x36, outer[i] = block[i] ^ 0x5c;
    hash h = hash_new();
    hash_add(&h, inner, BLOCK);
    hash_add(&h, bytes, n);
    hash_end(&h, out);
    h = hash_new();
    hash_add(&h, outer, BLOCK);
    hash_add(&h, out, LH_SHA256);
    hash_end(&h, out);
}
