/* Packing words into message words. */
#include "apps/md5/blocks.h"

#include <string.h>

#include "apps/md5/hash.h"

int64_t md5_pack_short(md5_reader *r, int64_t most, uint32_t *const *column, int64_t from) {
    int64_t n = 0, ready = 0, packed = 0;
    do {
        uint32_t *const to[] = {column[0] + from + n, column[1] + from + n, column[2] + from + n,
                                column[3] + from + n, column[4] + from + n};
        const md5_lines lines = md5_reader_lines(r, &ready);
        if (ready > most - n) ready = most - n;
        packed = md5_pack_lines(&lines, ready, to);
        if (packed > 0) md5_reader_pass(r, packed);
        n += packed;
    } while (n < most && packed > 0 && packed == ready);
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
