/* BLAKE2b (RFC 7693) of eight lanes side by side. A lane is every eighth word, so a row of vectors is loaded as it lies, and no lane waits for another.
 *
 * The same text is compiled for vectors of eight, of four and of two words. It has no intrinsics: compilers have vectors, and know rotations. */
#include "base/blake2b_ways.h"

#include <string.h>

enum {
    WORDS = 16, /* of a block */
    BLOCK = 8 * WORDS,
    ROW = BLOCK * WADI_BLAKE2B_LANES
};

const uint64_t wadi_blake2b_begins[8] = {
    UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
    UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
    UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)};

static const uint8_t sigma[10][WORDS] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                         {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                         {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                         {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                         {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

typedef uint64_t eight_words __attribute__((vector_size(64)));
typedef uint64_t four_words __attribute__((vector_size(32)));
typedef uint64_t two_words __attribute__((vector_size(16)));

#define ROTATE(x, n) ((x) >> (n) | (x) << (64 - (n)))

#define MIX(a, b, c, d, x, y)  \
    do {                       \
        a = a + b + (x);       \
        d = ROTATE(d ^ a, 32); \
        c = c + d;             \
        b = ROTATE(b ^ c, 24); \
        a = a + b + (y);       \
        d = ROTATE(d ^ a, 16); \
        c = c + d;             \
        b = ROTATE(b ^ c, 63); \
    } while (0)

#define ROUND(v, m, s)                                         \
    do {                                                       \
        MIX(v[0], v[4], v[8], v[12], m[(s)[0]], m[(s)[1]]);    \
        MIX(v[1], v[5], v[9], v[13], m[(s)[2]], m[(s)[3]]);    \
        MIX(v[2], v[6], v[10], v[14], m[(s)[4]], m[(s)[5]]);   \
        MIX(v[3], v[7], v[11], v[15], m[(s)[6]], m[(s)[7]]);   \
        MIX(v[0], v[5], v[10], v[15], m[(s)[8]], m[(s)[9]]);   \
        MIX(v[1], v[6], v[11], v[12], m[(s)[10]], m[(s)[11]]); \
        MIX(v[2], v[7], v[8], v[13], m[(s)[12]], m[(s)[13]]);  \
        MIX(v[3], v[4], v[9], v[14], m[(s)[14]], m[(s)[15]]);  \
    } while (0)

/* Defines NAME: one row, vectors of the type after the other. The rounds are written out, so that all indices are known. */
#define DEFINE_WAY(NAME, TYPE, TARGET)                                                             \
    TARGET static void NAME##_row(uint64_t h[8][WADI_BLAKE2B_LANES], const uint8_t *row,           \
                                  uint64_t counted, uint64_t last) {                               \
        for (size_t lane = 0; lane < WADI_BLAKE2B_LANES; lane += sizeof(TYPE) / 8) {               \
            TYPE v[16], m[WORDS], old[8];                                                          \
            for (size_t i = 0; i < WORDS; i++)                                                     \
                memcpy(&m[i], row + 8 * (i * WADI_BLAKE2B_LANES + lane), sizeof(TYPE));            \
            for (size_t i = 0; i < 8; i++) {                                                       \
                memcpy(&old[i], &h[i][lane], sizeof(TYPE));                                        \
                v[i] = old[i];                                                                     \
                v[i + 8] = (old[i] ^ old[i]) + wadi_blake2b_begins[i];                             \
            }                                                                                      \
            v[12] ^= counted;                                                                      \
            v[14] ^= last;                                                                         \
            ROUND(v, m, sigma[0]);                                                                 \
            ROUND(v, m, sigma[1]);                                                                 \
            ROUND(v, m, sigma[2]);                                                                 \
            ROUND(v, m, sigma[3]);                                                                 \
            ROUND(v, m, sigma[4]);                                                                 \
            ROUND(v, m, sigma[5]);                                                                 \
            ROUND(v, m, sigma[6]);                                                                 \
            ROUND(v, m, sigma[7]);                                                                 \
            ROUND(v, m, sigma[8]);                                                                 \
            ROUND(v, m, sigma[9]);                                                                 \
            ROUND(v, m, sigma[0]);                                                                 \
            ROUND(v, m, sigma[1]);                                                                 \
            for (size_t i = 0; i < 8; i++) {                                                       \
                old[i] ^= v[i] ^ v[i + 8];                                                         \
                memcpy(&h[i][lane], &old[i], sizeof(TYPE));                                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    TARGET static void NAME(uint64_t h[8][WADI_BLAKE2B_LANES], const uint8_t *rows, size_t n,      \
                            uint64_t before, bool last) {                                          \
        if (last) {                                                                                \
            NAME##_row(h, rows, before, UINT64_MAX);                                               \
            return;                                                                                \
        }                                                                                          \
        for (size_t i = 0; i < n; i++) NAME##_row(h, rows + ROW * i, before + BLOCK * (i + 1), 0); \
    }

DEFINE_WAY(by_two, two_words, )

static bool everywhere(void) {
    return true;
}

#if defined __x86_64__
DEFINE_WAY(by_eight, eight_words, __attribute__((target("avx512f"))))
DEFINE_WAY(by_four, four_words, __attribute__((target("avx2"))))

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2");
}
#endif

const wadi_blake2b_way wadi_blake2b_ways[] = {
#if defined __x86_64__
    {"AVX-512", has_avx512, by_eight},
    {"AVX2", has_avx2, by_four},
#endif
    {"two words", everywhere, by_two},
    {NULL, NULL, NULL}};
