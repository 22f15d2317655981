/* CRC-32C without an instruction for it. */
#include "base/hash.h"

#include <pthread.h>

/* crc_tables[k][b]: the remainder of byte b followed by k zero bytes (slicing by 8; Kounavis and Berry 2005). */
static uint32_t crc_tables[8][256];
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void make_crc_tables(void) {
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t r = b;
        for (int bit = 0; bit < 8; bit++) r = (r >> 1) ^ ((r & 1) != 0 ? UINT32_C(0x82f63b78) : 0);
        crc_tables[0][b] = r;
    }
    for (uint32_t b = 0; b < 256; b++) {
        for (int k = 1; k < 8; k++) {
            const uint32_t r = crc_tables[k - 1][b];
            crc_tables[k][b] = (r >> 8) ^ crc_tables[0][r & 255];
        }
    }
}

static uint32_t crc_8_bytes(uint32_t crc, const uint8_t *p) {
    const uint32_t low =
        crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
    return crc_tables[7][low & 255] ^ crc_tables[6][low >> 8 & 255] ^
           crc_tables[5][low >> 16 & 255] ^ crc_tables[4][low >> 24] ^ crc_tables[3][p[4]] ^
           crc_tables[2][p[5]] ^ crc_tables[1][p[6]] ^ crc_tables[0][p[7]];
}

uint32_t wadi_crc32c_sliced(uint32_t crc, const void *data, size_t n) {
    const uint8_t *p = data;
    crc = ~crc;
    (void)pthread_once(&crc_once, make_crc_tables);
    for (; n >= 8; n -= 8, p += 8) crc = crc_8_bytes(crc, p);
    for (; n > 0; n--, p++) crc = (crc >> 8) ^ crc_tables[0][(crc ^ *p) & 255];
    return ~crc;
}
