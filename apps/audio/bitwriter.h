/* Bits into bytes, most significant bit first: the bottom of every FLAC frame.
 *
 * Up to 7 bits wait left-aligned in a 64-bit word. Each call ORs its bits in, stores the whole word, and advances by the complete
 * bytes, so the hot loop has no branch that depends on the data. The store writes past the last complete byte, so every reservation
 * has some slack. If memory runs out, `failed` stays set: writers check it once, at the end. */
#ifndef APPS_AUDIO_BITWRITER_H
#define APPS_AUDIO_BITWRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct flac_bits {
    uint8_t *at; /* complete bytes; owned */
    size_t n;    /* number of complete bytes */
    size_t cap;
    uint64_t wait; /* incomplete byte, left-aligned; zero below its bits */
    unsigned used; /* bits waiting, 0..7 */
    bool failed;
} flac_bits;

/* All zero is an empty writer. */
void flac_bits_fini(flac_bits *w);
/* Discards the bits and clears `failed`, but keeps the memory. */
void flac_bits_clear(flac_bits *w);

/* Makes room, so that `bits` more bits can be put without a check. False, with `failed` set, when out of memory. */
bool flac_bits_reserve(flac_bits *w, uint64_t bits);

/* Fills the last byte with zeros. */
void flac_bits_align(flac_bits *w);

/* Appends the low `n` bits of `value`, n in 0..64; makes its own room. */
void flac_bits_put(flac_bits *w, uint64_t value, unsigned n);
/* Appends `zeros` zero bits and a one; makes its own room. */
void flac_bits_put_unary(flac_bits *w, uint64_t zeros);

/* Stores eight bytes, most significant first. Written out, compilers see one swapped store. */
static inline void flac_store_be64(uint8_t *at, uint64_t v) {
    at[0] = (uint8_t)(v >> 56);
    at[1] = (uint8_t)(v >> 48);
    at[2] = (uint8_t)(v >> 40);
    at[3] = (uint8_t)(v >> 32);
    at[4] = (uint8_t)(v >> 24);
    at[5] = (uint8_t)(v >> 16);
    at[6] = (uint8_t)(v >> 8);
    at[7] = (uint8_t)v;
}

/* For hot loops: n in 1..57, value < 2^n; the room must have been reserved. */
static inline void flac_bits_put_reserved(flac_bits *w, uint64_t value, unsigned n) {
    const uint64_t word = w->wait | value << (64 - w->used - n);
    const unsigned all = w->used + n;
    flac_store_be64(w->at + w->n, word);
    w->n += all >> 3;
    /* Two shifts, because a sum of 64 is possible and a shift by 64 is undefined. */
    w->wait = word << (all & ~7u) / 2 << (all & ~7u) / 2;
    w->used = all & 7;
}

#endif
