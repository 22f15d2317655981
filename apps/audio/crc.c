/* Checksums by tables. CRC-16 runs over every byte written, so it takes eight bytes a step. It is linear: the remainder of eight bytes
 * is the sum of the remainders of each byte at its place (Kounavis & Berry 2005, "slicing-by-8"). */
#include "apps/audio/crc.h"

#include <pthread.h>

static uint8_t table8[256];
static uint16_t table16[8][256]; /* [k][b]: remainder of byte b followed by k zero bytes */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_tables(void) {
    for (unsigned b = 0; b < 256; b++) {
        unsigned r8 = b;
        unsigned r16 = b << 8;
        for (int i = 0; i < 8; i++) {
            r8 = r8 << 1 ^ (r8 & 0x80 ? 0x107u : 0);
            r16 = r16 << 1 ^ (r16 & 0x8000 ? 0x18005u : 0);
        }
        table8[b] = (uint8_t)r8;
        table16[0][b] = (uint16_t)r16;
    }
    for (int k = 1; k < 8; k++) {
        for (unsigned b = 0; b < 256; b++) {
            const uint16_t r = table16[k - 1][b];
            table16[k][b] = (uint16_t)(r << 8 ^ table16[0][r >> 8]);
        }
    }
}

uint8_t flac_crc8(uint8_t crc, const void *data, size_t n) {
    pthread_once(&once, fill_tables);
    const uint8_t *p = data;
    for (size_t i = 0; i < n; i++) crc = table8[crc ^ p[i]];
    return crc;
}

uint16_t flac_crc16(uint16_t crc, const void *data, size_t n) {
    pthread_once(&once, fill_tables);
    const uint8_t *p = data;
    for (; n >= 8; n -= 8, p += 8) {
        crc = (uint16_t)(table16[7][p[0] ^ crc >> 8] ^ table16[6][p[1] ^ (crc & 0xff)] ^
                         table16[5][p[2]] ^ table16[4][p[3]] ^ table16[3][p[4]] ^ table16[2][p[5]] ^
                         table16[1][p[6]] ^ table16[0][p[7]]);
    }
    for (size_t i = 0; i < n; i++) crc = (uint16_t)(crc << 8 ^ table16[0][crc >> 8 ^ p[i]]);
    return crc;
}
