/* Fuzzing of the wire format: no bytes crash the decoder, and what decodes is a sound chunk that encodes and decodes as
 * itself.
 *
 * Input: frames one after another, each preceded by its length in two bytes. With -DWADI_LIBFUZZER and -fsanitize=fuzzer this
 * is a libFuzzer target. Otherwise it is a test: a fixed number of mutations of sound messages (WADI_FUZZ_RUNS changes how
 * many), always the same ones, half of them with their checksums put right so that they get past those. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sched/builder.h"
#include "sched/wire.h"

enum { MOST_FRAMES = 40, MOST_BYTES = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void demand(bool holds, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

static int split(const uint8_t *data, size_t n, wadi_wire_frame *frames) {
    int count = 0;
    while (n >= 2 && count < MOST_FRAMES) {
        size_t bytes = (size_t)(data[0] | data[1] << 8);
        data += 2;
        n -= 2;
        if (bytes > n) bytes = n;
        frames[count++] = (wadi_wire_frame){data, (int64_t)bytes};
        data += bytes;
        n -= bytes;
    }
    return count;
}

/* Reads every value: a sanitizer sees whatever points outside. */
static void touch(const wadi_chunk *c) {
    unsigned sum = 0;
    for (int i = 0; i < c->components; i++) {
        for (int64_t s = 0; s < c->count; s++) {
            const wadi_array a = wadi_chunk_array(c, i, s);
            const int64_t values = wadi_shape_values(a.rank, a.shape);
            demand(values >= 0, "a negative shape was let through");
            for (int f = 0; f < a.fields; f++) {
                const int64_t bytes = values * wadi_type_size(a.type[f]);
                for (int64_t k = 0; k < bytes; k++) sum += ((const uint8_t *)a.column[f])[k];
            }
        }
    }
    demand(sum < UINT32_MAX, "the sum is what it is");
}

static void check_round_trip(const wadi_chunk *c, const wadi_wire_limits *limits,
                             wadi_buffers *buffers) {
    wadi_wire_message *m = malloc(sizeof *m);
    const wadi_wire_stream stream = {.id = 1};
    wadi_chunk *again = NULL;
    demand(m != NULL, "out of memory");
    demand(wadi_wire_encode(c, &stream, m, NULL) == WADI_OK, "a decoded chunk does not encode");
    demand(wadi_wire_decode(m->frame, m->frames, limits, buffers, NULL, &again, NULL) == WADI_OK,
           "an encoded chunk does not decode");
    demand(wadi_chunk_bytes(c) == wadi_chunk_bytes(again), "a chunk changes on its way");
    wadi_chunk_release(again);
    free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    wadi_wire_frame frames[MOST_FRAMES];
    const wadi_wire_limits limits = {.bytes = 1 << 20, .elements = 1 << 16};
    wadi_buffers *buffers = NULL;
    wadi_chunk *c = NULL;
    if (wadi_buffers_create(NULL, 1 << 20, &buffers, NULL) != WADI_OK) return 0;
    const int count = split(data, n, frames);
    if (wadi_wire_decode(frames, count, &limits, buffers, NULL, &c, NULL) == WADI_OK) {
        touch(c);
        check_round_trip(c, &limits, buffers);
        wadi_chunk_release(c);
    }
    demand(wadi_buffers_used(buffers) == 0, "memory is left over");
    wadi_buffers_release(buffers);
    return 0;
}

#ifndef WADI_LIBFUZZER

static uint64_t rng_state = 1;

static size_t below(size_t n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((rng_state >> 33) % n);
}

/* A sound message: an irregular part of two dimensions, a fixed pair of fields, a bool per element. */
static size_t make_message(uint8_t *out, int64_t elements) {
    const int64_t three = 3;
    wadi_part parts[] = {wadi_part_irregular(WADI_I16, 2), wadi_part_fixed(WADI_F64, 1, &three),
                         wadi_part_fixed(WADI_BOOL, 0, NULL)};
    parts[1].fields = 2;
    parts[1].type[1] = WADI_U8;
    wadi_buffers *buffers = NULL;
    wadi_builder b;
    wadi_chunk *c = NULL;
    demand(wadi_buffers_create(NULL, 0, &buffers, NULL) == WADI_OK, "buffers");
    demand(wadi_builder_init(&b, buffers, 3, parts, INT64_MAX, NULL) == WADI_OK, "builder");
    for (int64_t s = 0; s < elements; s++) {
        const int64_t shape[] = {s % 3, s % 2 + 1};
        wadi_array a;
        for (int i = 0; i < 3; i++) {
            demand(wadi_builder_array(&b, i, shape[0] >= 0 && i == 0 ? shape : NULL, &a, NULL) ==
                       WADI_OK,
                   "array");
            for (int f = 0; f < a.fields; f++) {
                memset(a.column[f], i == 2 ? 1 : (int)s,
                       (size_t)(wadi_shape_values(a.rank, a.shape) * wadi_type_size(a.type[f])));
            }
        }
        demand(wadi_builder_next(&b, NULL) == WADI_OK, "next");
    }
    demand(wadi_chunk_create(buffers, 3, &c, NULL) == WADI_OK, "chunk");
    c->count = elements;
    wadi_builder_finish(&b, c, 0, elements);
    wadi_wire_message *m = malloc(sizeof *m);
    const wadi_wire_stream stream = {.id = 7};
    demand(m != NULL && wadi_wire_encode(c, &stream, m, NULL) == WADI_OK, "encode");
    size_t n = 0;
    for (int i = 0; i < m->frames; i++) {
        const size_t bytes = (size_t)m->frame[i].bytes;
        demand(n + bytes + 2 <= MOST_BYTES, "message too long");
        out[n++] = (uint8_t)bytes;
        out[n++] = (uint8_t)(bytes >> 8);
        if (bytes > 0) memcpy(out + n, m->frame[i].data, bytes);
        n += bytes;
    }
    free(m);
    wadi_chunk_release(c);
    wadi_builder_fini(&b);
    wadi_buffers_release(buffers);
    return n;
}

/* The header's own checksum over whatever the header now says. */
static void mend_header(uint8_t *message, size_t n) {
    const size_t bytes = (size_t)(message[0] | message[1] << 8);
    if (bytes < 4 || bytes + 2 > n) return;
    const uint32_t crc = wadi_crc32c(0, message + 2, bytes - 4);
    for (size_t i = 0; i < 4; i++) message[2 + bytes - 4 + i] = (uint8_t)(crc >> (8 * i));
}

static size_t mutate(uint8_t *m, size_t n) {
    static const uint8_t bold[] = {0, 1, 0x7f, 0x80, 0xff};
    for (size_t i = 1 + below(4); i > 0; i--) {
        const size_t at = below(2) == 0 ? below(n) : below(n < 300 ? n : 300);
        switch (below(3)) {
        case 0:
            m[at] ^= (uint8_t)(1u << below(8));
            break;
        case 1:
            m[at] = bold[below(sizeof bold)];
            break;
        default:
            if (below(8) == 0) n = at + 1;
            break;
        }
    }
    if (below(2) == 0) mend_header(m, n);
    return n;
}

int main(void) {
    const char *text = getenv("WADI_FUZZ_RUNS");
    const long runs = text != NULL ? strtol(text, NULL, 10) : 20000;
    uint8_t *sound = malloc(MOST_BYTES), *mutant = malloc(MOST_BYTES);
    demand(sound != NULL && mutant != NULL, "out of memory");
    for (int64_t elements = 1; elements <= 9; elements += 4) {
        const size_t n = make_message(sound, elements);
        (void)LLVMFuzzerTestOneInput(sound, n);
        for (long i = 0; i < runs / 3; i++) {
            memcpy(mutant, sound, n);
            (void)LLVMFuzzerTestOneInput(mutant, mutate(mutant, n));
        }
    }
    free(sound);
    free(mutant);
    return 0;
}

#endif
