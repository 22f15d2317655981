/* MD5 of many words in plain C. One iteration of the loop is one word; a macro unrolls the 64 steps (RFC 1321, section 3.4).
 * The text is cut into one piece per thread; each thread packs a block of words by columns and then hashes the block. */
#include "bench/streams/md5_simd.h"

#include <string.h>

enum { BLOCK = 1024, SHORT = 15 };

#define TURN(x, s) (((x) << (s)) | ((x) >> (32 - (s))))
#define F(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define G(b, c, d) ((c) ^ ((d) & ((b) ^ (c))))
#define H(b, c, d) ((b) ^ (c) ^ (d))
#define I(b, c, d) ((c) ^ ((b) | ~(d)))
#define STEP(f, a, b, c, d, m, s, t) (a) = (b) + TURN((a) + f(b, c, d) + (m) + (t), s);
#define FOUR(f, i, j, k, l, s1, s2, s3, s4, t1, t2, t3, t4) \
    STEP(f, a, b, c, d, i, s1, t1)                          \
    STEP(f, d, a, b, c, j, s2, t2)                          \
    STEP(f, c, d, a, b, k, s3, t3)                          \
    STEP(f, b, c, d, a, l, s4, t4)

void md5_simd_hash(const uint32_t *const *w, const uint32_t *bits, int64_t n, uint32_t wanted,
                   uint8_t *hit) {
    const uint32_t *const restrict w0 = w[0], *const restrict w1 = w[1], *const restrict w2 = w[2],
                                   *const restrict w3 = w[3];
    const uint32_t start = 0x67452301;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t x0 = w0[i], x1 = w1[i], x2 = w2[i], x3 = w3[i], xe = bits[i];
        uint32_t a = start, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
        FOUR(F, x0, x1, x2, x3, 7, 12, 17, 22, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee)
        FOUR(F, 0, 0, 0, 0, 7, 12, 17, 22, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501)
        FOUR(F, 0, 0, 0, 0, 7, 12, 17, 22, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be)
        FOUR(F, 0, 0, xe, 0, 7, 12, 17, 22, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821)
        FOUR(G, x1, 0, 0, x0, 5, 9, 14, 20, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa)
        FOUR(G, 0, 0, 0, 0, 5, 9, 14, 20, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8)
        FOUR(G, 0, xe, x3, 0, 5, 9, 14, 20, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed)
        FOUR(G, 0, x2, 0, 0, 5, 9, 14, 20, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a)
        FOUR(H, 0, 0, 0, xe, 4, 11, 16, 23, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c)
        FOUR(H, x1, 0, 0, 0, 4, 11, 16, 23, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70)
        FOUR(H, 0, x0, x3, 0, 4, 11, 16, 23, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05)
        FOUR(H, 0, 0, 0, x2, 4, 11, 16, 23, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665)
        FOUR(I, x0, 0, xe, 0, 6, 10, 15, 21, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039)
        FOUR(I, 0, x3, 0, x1, 6, 10, 15, 21, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1)
        FOUR(I, 0, 0, 0, 0, 6, 10, 15, 21, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1)
        FOUR(I, 0, 0, x2, 0, 6, 10, 15, 21, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391)
        hit[i] = a + start == wanted ? 1u : 0u;
    }
}

typedef struct block {
    uint32_t w[4][BLOCK], bits[BLOCK];
    uint8_t hit[BLOCK];
    int64_t n;
} block;

static int64_t hits(block *b, uint32_t wanted) {
    const uint32_t *const w[4] = {b->w[0], b->w[1], b->w[2], b->w[3]};
    int64_t found = 0;
    md5_simd_hash(w, b->bits, b->n, wanted, b->hit);
    for (int64_t i = 0; i < b->n; i++) found += b->hit[i];
    b->n = 0;
    return found;
}

static void pack(block *b, const uint8_t *word, size_t n) {
    uint32_t m[4] = {0};
    memcpy(m, word, n);
    ((uint8_t *)m)[n] = 0x80;
    for (int k = 0; k < 4; k++) b->w[k][b->n] = m[k];
    b->bits[b->n++] = (uint32_t)(8 * n);
}

int64_t md5_simd_pack(const uint8_t *at, size_t size) {
    const uint8_t *end = at + size;
    static _Thread_local block b;
    int64_t words = 0;
    while (at < end) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t n = (size_t)(newline - at);
        if (n <= SHORT) {
            if (b.n == BLOCK) b.n = 0;
            pack(&b, at, n);
            words++;
        }
        at = newline + 1;
    }
    return words;
}

int64_t md5_simd_sum(const uint8_t *at, size_t size) {
    int64_t sum = 0;
    for (size_t i = 0; i < size; i++) sum += at[i];
    return sum;
}

static int64_t search_piece(const uint8_t *at, const uint8_t *end, uint32_t wanted,
                            int64_t *out_long) {
    block b;
    int64_t found = 0;
    b.n = 0;
    while (at < end) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t n = (size_t)(newline - at);
        if (n <= SHORT)
            pack(&b, at, n);
        else
            ++*out_long;
        if (b.n == BLOCK) found += hits(&b, wanted);
        at = newline + 1;
    }
    return found + hits(&b, wanted);
}

/* The first line that begins at or after byte i. */
static const uint8_t *line_from(const uint8_t *text, size_t n, size_t i) {
    if (i == 0) return text;
    const uint8_t *newline = memchr(text + i - 1, '\n', n - i + 1);
    return newline != NULL ? newline + 1 : text + n;
}

int64_t md5_simd_search(const uint8_t *text, size_t n, const uint32_t digest[4], int threads,
                        int64_t *out_long) {
    int64_t found = 0, longer = 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) reduction(+ : found, longer)
#endif
    for (int t = 0; t < threads; t++) {
        const size_t piece = n / (size_t)threads;
        const uint8_t *from = line_from(text, n, piece * (size_t)t);
        const uint8_t *to =
            t + 1 == threads ? text + n : line_from(text, n, piece * (size_t)(t + 1));
        int64_t mine = 0;
        found += search_piece(from, to, digest[0], &mine);
        longer += mine;
    }
    *out_long = longer;
    return found;
}
