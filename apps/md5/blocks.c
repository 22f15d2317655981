/* Packing words into message words. Short words are cut out of two 64-bit loads: the newline is the lowest byte of (x -
 * 0x01..) & ~x & 0x80.. for x = bytes ^ newlines, and a table by length gives what to keep and where the set bit goes. */
#include "apps/md5/blocks.h"

#include <string.h>

#include "apps/md5/hash.h"

static const uint64_t ones = 0x0101010101010101, high_bits = 0x8080808080808080;

/* Little-endian, as the machines are that wadi runs on. */
static uint64_t load(const uint8_t *at) {
    uint64_t x;
    memcpy(&x, at, sizeof x);
    return x;
}

static uint64_t newlines(uint64_t bytes) {
    const uint64_t x = bytes ^ ('\n' * ones);
    return (x - ones) & ~x & high_bits;
}

static unsigned first_byte(uint64_t marks) {
    return (unsigned)__builtin_ctzll(marks) / 8;
}

typedef struct cut {
    uint64_t keep[2], set[2];
} cut;

#define BELOW(n) ((n) <= 0 ? 0 : (n) >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * ((n)&7))) - 1)
#define BIT_AT(n) ((n) < 0 || (n) >= 8 ? 0 : (uint64_t)0x80 << (8 * ((n)&7)))
#define CUT(n)                       \
    {                                \
        {BELOW(n), BELOW((n)-8)}, {  \
            BIT_AT(n), BIT_AT((n)-8) \
        }                            \
    }

static const cut cuts[MD5_SHORT_BYTES + 1] = {CUT(0),  CUT(1),  CUT(2),  CUT(3), CUT(4),  CUT(5),
                                              CUT(6),  CUT(7),  CUT(8),  CUT(9), CUT(10), CUT(11),
                                              CUT(12), CUT(13), CUT(14), CUT(15)};

int64_t md5_pack_short(md5_reader *r, int64_t most, uint32_t *const *column, int64_t from) {
    uint32_t *const w0 = column[0] + from, *const w1 = column[1] + from,
                    *const w2 = column[2] + from, *const w3 = column[3] + from,
                    *const bits = column[4] + from;
    const uint8_t *at = r->at, *const stop = r->stop;
    const bool keep_cr = r->keep_cr;
    int64_t n = 0;
    while (n < most && at < stop) {
        uint64_t low = load(at), high = load(at + 8);
        const uint64_t in_low = newlines(low), in_high = newlines(high);
        if ((in_low | in_high) == 0 || *at == '$') break;
        const unsigned length = in_low != 0 ? first_byte(in_low) : 8 + first_byte(in_high);
        const unsigned kept = length - (!keep_cr && length > 0 && at[length - 1] == '\r');
        const cut *c = &cuts[kept];
        low = (low & c->keep[0]) | c->set[0];
        high = (high & c->keep[1]) | c->set[1];
        w0[n] = (uint32_t)low;
        w1[n] = (uint32_t)(low >> 32);
        w2[n] = (uint32_t)high;
        w3[n] = (uint32_t)(high >> 32);
        bits[n] = 8 * kept;
        at += length + 1;
        n++;
    }
    r->at = at;
    r->words += n;
    return n;
}

static void pack(const uint8_t *word, size_t n, uint32_t *m, size_t words) {
    const uint8_t end = 0x80;
    memset(m, 0, words * sizeof *m);
    if (n > 0) memcpy(m, word, n);
    memcpy((uint8_t *)m + n, &end, 1);
}

void md5_pack_medium(const uint8_t *word, size_t n, uint32_t *const *column, int64_t i) {
    uint32_t m[MD5_MEDIUM_WORDS];
    pack(word, n, m, MD5_MEDIUM_WORDS);
    for (int k = 0; k < MD5_MEDIUM_WORDS; k++) column[k][i] = m[k];
    column[MD5_MEDIUM_WORDS][i] = (uint32_t)(8 * n);
}

size_t md5_blocks_of(size_t n) {
    return (n + 8) / 64 + 1;
}

void md5_pack_long(const uint8_t *word, size_t n, uint32_t *blocks) {
    const size_t words = 16 * md5_blocks_of(n);
    const uint64_t bits = 8 * (uint64_t)n;
    pack(word, n, blocks, words);
    memcpy(blocks + words - 2, &bits, sizeof bits);
}
