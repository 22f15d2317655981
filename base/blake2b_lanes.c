/* BLAKE2b in eight lanes, of bytes as they come. */
#include <string.h>

#include "base/blake2b_ways.h"

enum {
    ROW = 128 * WADI_BLAKE2B_LANES, /* bytes of a block of each lane */
    DIGEST = 32,
    PARAMETERS = 0x01010000 | DIGEST /* no key, no tree */
};

static void compress(wadi_blake2b_lanes *s, const uint8_t *rows, size_t n, uint64_t before,
                     bool last) {
    const wadi_blake2b_way *w = wadi_blake2b_ways;
    while (!w->is_here()) w++;
    w->compress(s->h, rows, n, before, last);
}

void wadi_blake2b_lanes_begin(wadi_blake2b_lanes *s) {
    s->bytes = 0;
    s->waiting = 0;
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < WADI_BLAKE2B_LANES; k++)
            s->h[i][k] = wadi_blake2b_begins[i] ^ (i == 0 ? PARAMETERS : 0);
}

/* Bytes of a lane that are compressed. */
static uint64_t compressed(const wadi_blake2b_lanes *s) {
    return (s->bytes - s->waiting) / WADI_BLAKE2B_LANES;
}

static void keep(wadi_blake2b_lanes *s, const uint8_t *at, size_t n) {
    memcpy(s->row + s->waiting, at, n);
    s->waiting += n;
    s->bytes += n;
}

/* What may be the last row waits for the end. */
void wadi_blake2b_lanes_add(wadi_blake2b_lanes *s, const void *data, size_t n) {
    const uint8_t *at = data;
    const size_t room = ROW - s->waiting, some = n < room ? n : room;
    if (n == 0) return;
    keep(s, at, some);
    at += some;
    n -= some;
    if (n == 0) return;
    compress(s, s->row, 1, compressed(s), false);
    s->waiting = 0;
    const size_t rows = (n - 1) / ROW;
    if (rows > 0) compress(s, at, rows, compressed(s), false);
    s->bytes += rows * ROW;
    keep(s, at + rows * ROW, n - rows * ROW);
}

/* Lanes end at a row of words. */
void wadi_blake2b_lanes_end(wadi_blake2b_lanes *s, uint8_t out[32]) {
    uint8_t all[WADI_BLAKE2B_LANES * DIGEST + 8];
    wadi_blake2b_state whole;
    const uint64_t words = (s->bytes + 8 * WADI_BLAKE2B_LANES - 1) / (8 * WADI_BLAKE2B_LANES);
    memset(s->row + s->waiting, 0, ROW - s->waiting);
    compress(s, s->row, 1, 8 * words, true);
    for (size_t k = 0; k < WADI_BLAKE2B_LANES; k++)
        for (size_t i = 0; i < DIGEST; i++)
            all[k * DIGEST + i] = (uint8_t)(s->h[i / 8][k] >> (8 * (i % 8)));
    for (size_t i = 0; i < 8; i++)
        all[WADI_BLAKE2B_LANES * DIGEST + i] = (uint8_t)(s->bytes >> (8 * i));
    wadi_blake2b_begin(&whole);
    wadi_blake2b_add(&whole, all, sizeof all);
    wadi_blake2b_end(&whole, out);
}
