/* Bits into bytes: memory, and the functions outside hot loops. */
#include "apps/audio/bitwriter.h"

#include <stdlib.h>

enum { SLACK = 16 }; /* the store of eight bytes reaches past the last complete one */

void flac_bits_fini(flac_bits *w) {
    free(w->at);
    *w = (flac_bits){0};
}

void flac_bits_clear(flac_bits *w) {
    w->n = 0;
    w->wait = 0;
    w->used = 0;
    w->failed = false;
}

bool flac_bits_reserve(flac_bits *w, uint64_t bits) {
    if (w->failed) return false;
    if (bits / 8 >= SIZE_MAX / 4) {
        w->failed = true;
        return false;
    }
    const size_t want = w->n + (size_t)(bits / 8) + SLACK;
    if (want <= w->cap) return true;
    const size_t cap = want > 2 * w->cap ? want : 2 * w->cap;
    uint8_t *at = realloc(w->at, cap);
    if (at == NULL) {
        w->failed = true;
        return false;
    }
    w->at = at;
    w->cap = cap;
    return true;
}

void flac_bits_align(flac_bits *w) {
    if (w->used != 0) flac_bits_put(w, 0, 8 - w->used);
}

void flac_bits_put(flac_bits *w, uint64_t value, unsigned n) {
    if (n == 0 || !flac_bits_reserve(w, 64)) return;
    if (n > 32) {
        flac_bits_put_reserved(w, value >> 32 & (UINT64_MAX >> (96 - n)), n - 32);
        n = 32;
    }
    flac_bits_put_reserved(w, value & (UINT64_MAX >> (64 - n)), n);
}

void flac_bits_put_unary(flac_bits *w, uint64_t zeros) {
    if (!flac_bits_reserve(w, zeros + 64)) return;
    for (; zeros >= 32; zeros -= 32) flac_bits_put_reserved(w, 0, 32);
    flac_bits_put_reserved(w, 1, (unsigned)zeros + 1);
}
