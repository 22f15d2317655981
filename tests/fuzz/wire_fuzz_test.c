/* Fuzzing of the wire format: no bytes crash the decoder, and what decodes is a sound chunk that encodes and decodes as
 * itself.
 *
 * Input: frames one after another, each preceded by its length in two bytes. With -DWADI_LIBFUZZER and -fsanitize=fuzzer this
 * is a libFuzzer target. Otherwise it is a test: a fixed number of mutations of sound messages (WADI_FUZZ_RUNS changes how
 * many), always the same ones: bytes of all kinds, half of them with the header's checksum put right, and numbers, shapes, offsets and
 * lengths that are wrong in one place, with everything else made to agree. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sched/builder.h"
#include "sched/link/wire.h"

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
    demand(c->first >= 0 && c->count >= 0 && c->first <= INT64_MAX - c->count,
           "elements without a number");
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

/* ---- structured mutations: a message that is wrong in one place and right in all others ---- */

/* A message taken apart. */
typedef struct parts {
    int n;
    size_t bytes[MOST_FRAMES];
    uint8_t *data[MOST_FRAMES];
} parts;

static void take_apart(const uint8_t *m, size_t n, parts *out) {
    wadi_wire_frame frame[MOST_FRAMES];
    out->n = split(m, n, frame);
    for (int i = 0; i < out->n; i++) {
        out->bytes[i] = (size_t)frame[i].bytes;
        out->data[i] = calloc(out->bytes[i] + 64, 1); /* room to grow */
        demand(out->data[i] != NULL, "out of memory");
        memcpy(out->data[i], frame[i].data, out->bytes[i]);
    }
}

static size_t put_together(parts *p, uint8_t *out) {
    size_t n = 0;
    for (int i = 0; i < p->n; i++) {
        demand(n + p->bytes[i] + 2 <= MOST_BYTES, "message too long");
        out[n++] = (uint8_t)p->bytes[i];
        out[n++] = (uint8_t)(p->bytes[i] >> 8);
        memcpy(out + n, p->data[i], p->bytes[i]);
        n += p->bytes[i];
        free(p->data[i]);
    }
    return n;
}

static void put_at(uint8_t *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static int64_t get_at(const uint8_t *at) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)at[i] << (8 * i);
    return (int64_t)value;
}

/* A number of every kind that has ever been wrong. */
static uint64_t bold_number(uint64_t was) {
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       UINT64_MAX,
                                       UINT64_MAX - 1,
                                       UINT64_C(1) << 31,
                                       UINT64_C(1) << 32,
                                       (UINT64_C(1) << 32) + 1,
                                       UINT64_C(1) << 62,
                                       INT64_MAX,
                                       (uint64_t)INT64_MAX - 1,
                                       UINT64_C(1) << 63};
    if (below(3) == 0) return was + below(5) - 2;
    return numbers[below(sizeof numbers / sizeof numbers[0])];
}

/* Lengths and checksums of all frames, as the layouts that the header tells have them. */
static void mend_all(parts *p) {
    uint8_t *h = p->data[0];
    const size_t end = p->bytes[0] - 4;
    size_t at = 76;
    for (int next = 1; at + 4 <= end && next < p->n;) {
        const uint8_t *kind = h + at;
        const bool irregular = kind[0] == 2;
        int frames = kind[2] + (irregular ? 2 : 0);
        at += 4 + (size_t)kind[2] + (irregular ? 0 : 8 * (size_t)kind[1]);
        for (; frames > 0 && next < p->n && at + 12 <= end; frames--, next++, at += 12) {
            put_at(h + at, p->bytes[next], 8);
            put_at(h + at + 8, wadi_crc32c(0, p->data[next], p->bytes[next]), 4);
        }
    }
    put_at(h + end, wadi_crc32c(0, h, end), 4);
}

/* The offsets of the first component, which is irregular and of two dimensions, as its shapes want them: whatever these are. */
static void mend_offsets(parts *p, int64_t count) {
    uint64_t sum = 0;
    for (int64_t s = 0; s <= count; s++) {
        put_at(p->data[2] + 8 * s, sum, 8);
        if (s == count) break;
        const uint64_t a = (uint64_t)get_at(p->data[1] + 16 * s);
        sum += a * (uint64_t)get_at(p->data[1] + 16 * s + 8);
    }
}

static void resize_frame(parts *p, int i) {
    const size_t change = below(20);
    if (below(2) == 0)
        p->bytes[i] += change;
    else
        p->bytes[i] -= change < p->bytes[i] ? change : p->bytes[i];
}

static size_t mutate_structure(uint8_t *m, size_t n) {
    parts p;
    take_apart(m, n, &p);
    const int64_t count = get_at(p.data[0] + 64);
    const int64_t values = get_at(p.data[2] + 8 * count);
    for (size_t i = 1 + below(2); i > 0; i--) {
        const size_t word = below(6) == 0 ? below(10) : 4 + below(p.bytes[0] - 16);
        const int frame = (int)below((size_t)p.n);
        switch (below(5)) {
        case 0: /* a number of the header, one of its bytes */
            if (word < 10) put_at(p.data[0] + 8 * word, bold_number(0), 8);
            if (word >= 10) p.data[0][word] = (uint8_t)bold_number(p.data[0][word]);
            break;
        case 1: /* a shape, with offsets that follow it */
            put_at(p.data[1] + 8 * below(2 * (size_t)count), bold_number(below(4)), 8);
            mend_offsets(&p, count);
            if (below(2) == 0) /* and a column of its length, where there is room for it */
                p.bytes[3] =
                    get_at(p.data[2] + 8 * count) >= 0 && get_at(p.data[2] + 8 * count) <= values
                        ? 2 * (size_t)get_at(p.data[2] + 8 * count)
                        : p.bytes[3];
            break;
        case 2: /* an offset */
            put_at(p.data[2] + 8 * below((size_t)count + 1), bold_number(below(4)), 8);
            break;
        case 3:
            if (frame > 0) resize_frame(&p, frame);
            break;
        default: /* a byte of a column */
            if (frame > 2 && p.bytes[frame] > 0)
                p.data[frame][below(p.bytes[frame])] = (uint8_t)bold_number(1);
            break;
        }
    }
    mend_all(&p);
    return put_together(&p, m);
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
            memcpy(mutant, sound, n);
            (void)LLVMFuzzerTestOneInput(mutant, mutate_structure(mutant, n));
        }
    }
    free(sound);
    free(mutant);
    return 0;
}

#endif
