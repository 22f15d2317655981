/* Writing and reading the wire format. wire.h shows the layout. */
#include "sched/link/wire.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"

enum { FIXED_BYTES = 76, FRAME_BYTES = 12, CRC_BYTES = 4, WORD = 8 };

static bool little_endian(void) {
    const uint16_t one = 1;
    uint8_t first = 0;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* ---- writing ---- */

typedef struct writer {
    uint8_t *at;
    size_t n;
} writer;

static void put(writer *w, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) w->at[w->n++] = (uint8_t)(value >> (8 * i));
}

static void put_frame(writer *w, wadi_wire_message *out, const void *data, int64_t bytes) {
    out->frame[out->frames++] = (wadi_wire_frame){data, bytes};
    put(w, (uint64_t)bytes, 8);
    put(w, wadi_crc32c(0, data, (size_t)bytes), 4);
}

static void put_component(writer *w, const wadi_chunk_component *c, int64_t count,
                          wadi_wire_message *out) {
    put(w, (uint64_t)c->layout, 1);
    put(w, (uint64_t)c->rank, 1);
    put(w, (uint64_t)c->fields, 1);
    put(w, 0, 1);
    for (int f = 0; f < c->fields; f++) put(w, (uint64_t)c->type[f], 1);
    if (c->layout == WADI_LAYOUT_IRREGULAR) {
        put_frame(w, out, c->shapes, count * c->rank * WORD);
        put_frame(w, out, c->offsets, (count + 1) * WORD);
    } else {
        for (int d = 0; d < c->rank; d++) put(w, (uint64_t)c->shape[d], 8);
    }
    for (int f = 0; f < c->fields; f++) {
        put_frame(w, out, c->column[f], c->values * wadi_type_size(c->type[f]));
    }
}

wadi_status wadi_wire_encode(const wadi_chunk *c, const wadi_wire_stream *stream,
                             wadi_wire_message *out, wadi_error *err) {
    if (!little_endian()) {
        return wadi_fail(err, WADI_UNSUPPORTED, "wire format: this machine is not little-endian");
    }
    if (c->components > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "wire format: %d components, at most %d",
                         c->components, (int)WADI_MAX_PARTS);
    }
    writer w = {out->header, 0};
    memcpy(w.at, "WADI", 4);
    w.n = 4;
    put(&w, WADI_WIRE_VERSION, 2);
    put(&w, 0, 2);
    put(&w, stream->id, 8);
    memcpy(w.at + w.n, stream->program, sizeof stream->program);
    w.n += sizeof stream->program;
    put(&w, (uint64_t)c->number, 8);
    put(&w, (uint64_t)c->first, 8);
    put(&w, (uint64_t)c->count, 8);
    put(&w, (uint64_t)c->components, 4);
    out->frames = 1;
    for (int i = 0; i < c->components; i++) put_component(&w, &c->component[i], c->count, out);
    put(&w, wadi_crc32c(0, out->header, w.n), 4);
    out->frame[0] = (wadi_wire_frame){out->header, (int64_t)w.n};
    return WADI_OK;
}

/* ---- reading ---- */

typedef struct reader {
    const uint8_t *at;
    size_t n, end; /* end: before the checksum */
    const wadi_wire_frame *frames;
    int frame, nframes; /* the next frame */
    const wadi_wire_limits *limits;
    int64_t bytes; /* of frames taken so far */
    wadi_error *err;
} reader;

/* Reads a number. Past the end it is zero; is_sound finds that afterwards. */
static uint64_t get(reader *r, int bytes) {
    uint64_t value = 0;
    if (r->n > r->end || r->end - r->n < (size_t)bytes) {
        r->n = r->end + 1;
        return 0;
    }
    for (int i = 0; i < bytes; i++) value |= (uint64_t)r->at[r->n++] << (8 * i);
    return value;
}

#define MALFORMED(r, ...) wadi_fail((r)->err, WADI_IO, "wire format: " __VA_ARGS__)

static wadi_status check_envelope(reader *r) {
    const uint8_t *h = r->frames[0].data;
    if (r->frames[0].bytes < 8 || memcmp(h, "WADI", 4) != 0) {
        return MALFORMED(r, "the message does not begin with \"WADI\"");
    }
    const unsigned version = (unsigned)(h[4] | h[5] << 8);
    if (version != WADI_WIRE_VERSION) {
        return wadi_fail(r->err, WADI_UNSUPPORTED,
                         "wire format: version %u; this build reads version %d", version,
                         (int)WADI_WIRE_VERSION);
    }
    if (r->frames[0].bytes < FIXED_BYTES + CRC_BYTES || r->frames[0].bytes > WADI_WIRE_HEADER) {
        return MALFORMED(r, "header of %lld bytes", (long long)r->frames[0].bytes);
    }
    if ((h[6] | h[7]) != 0) return MALFORMED(r, "unknown flags");
    r->at = h;
    r->end = (size_t)r->frames[0].bytes - CRC_BYTES;
    reader crc = {.at = h + r->end, .end = CRC_BYTES};
    if (get(&crc, 4) != wadi_crc32c(0, h, r->end)) {
        return MALFORMED(r, "the header's checksum is wrong");
    }
    r->n = 8;
    return WADI_OK;
}

/* Takes the next frame, which must be `bytes` long, and copies it into memory of c. */
static wadi_status take_frame(reader *r, wadi_chunk *c, int64_t bytes, void **out) {
    const uint64_t length = get(r, 8);
    const uint32_t crc = (uint32_t)get(r, 4);
    if (r->n > r->end) return MALFORMED(r, "the header ends early");
    if (r->frame >= r->nframes) return MALFORMED(r, "frame %d is missing", r->frame);
    const wadi_wire_frame *f = &r->frames[r->frame];
    if (length != (uint64_t)f->bytes || f->bytes != bytes) {
        return MALFORMED(r, "frame %d has %lld bytes, its header says %llu, expected %lld",
                         r->frame, (long long)f->bytes, (unsigned long long)length,
                         (long long)bytes);
    }
    if (bytes > r->limits->bytes - r->bytes) {
        return MALFORMED(r, "more than %lld bytes in a chunk", (long long)r->limits->bytes);
    }
    if (wadi_crc32c(0, f->data, (size_t)bytes) != crc) {
        return MALFORMED(r, "the checksum of frame %d is wrong", r->frame);
    }
    *out = wadi_chunk_alloc(c, bytes);
    if (*out == NULL) return wadi_fail(r->err, WADI_MEMORY, "wire format: out of memory");
    if (bytes > 0) memcpy(*out, f->data, (size_t)bytes);
    r->frame++;
    r->bytes += bytes;
    return WADI_OK;
}

/* Checks that offsets are the running sums of the sizes of the shapes. Then no element can lie outside a column. */
static wadi_status check_descriptor(reader *r, const wadi_chunk_component *c, int64_t count) {
    int64_t sum = 0;
    for (int64_t s = 0; s < count; s++) {
        const int64_t values = wadi_shape_values(c->rank, c->shapes + s * c->rank);
        if (c->offsets[s] != sum || values < 0 || values > r->limits->bytes - sum) {
            return MALFORMED(r, "element %lld: shape and offset do not fit", (long long)s);
        }
        sum += values;
    }
    if (c->offsets[count] != sum) return MALFORMED(r, "the last offset does not fit");
    return WADI_OK;
}

static wadi_status read_kind(reader *r, wadi_chunk_component *c) {
    const uint64_t layout = get(r, 1);
    const uint64_t rank = get(r, 1);
    const uint64_t fields = get(r, 1);
    const uint64_t reserved = get(r, 1);
    if (layout > WADI_LAYOUT_IRREGULAR || rank > WADI_MAX_RANK || fields < 1 ||
        fields > WADI_MAX_FIELDS || reserved != 0) {
        return MALFORMED(r, "unknown layout %u, rank %u or fields %u", (unsigned)layout,
                         (unsigned)rank, (unsigned)fields);
    }
    c->layout = (wadi_chunk_layout)layout;
    c->rank = (int)rank;
    c->fields = (int)fields;
    for (int f = 0; f < c->fields; f++) {
        const uint64_t type = get(r, 1);
        if (type >= WADI_TYPE_COUNT) return MALFORMED(r, "unknown type %u", (unsigned)type);
        c->type[f] = (wadi_type)type;
    }
    return WADI_OK;
}

static wadi_status read_regular(reader *r, wadi_chunk_component *c, int64_t count) {
    for (int d = 0; d < c->rank; d++) c->shape[d] = (int64_t)get(r, 8);
    const int64_t each = wadi_shape_values(c->rank, c->shape);
    if (each < 0 || (count > 0 && each > r->limits->bytes / count)) {
        return MALFORMED(r, "a shape is negative or too large");
    }
    c->values = c->layout == WADI_LAYOUT_AVOID ? each : each * count;
    return WADI_OK;
}

static wadi_status read_irregular(reader *r, wadi_chunk *chunk, wadi_chunk_component *c) {
    void *memory = NULL;
    WADI_TRY(take_frame(r, chunk, chunk->count * c->rank * WORD, &memory));
    c->shapes = memory;
    WADI_TRY(take_frame(r, chunk, (chunk->count + 1) * WORD, &memory));
    c->offsets = memory;
    WADI_TRY(check_descriptor(r, c, chunk->count));
    c->values = c->offsets[chunk->count];
    return WADI_OK;
}

/* Checks that each bool is 0 or 1, because kernels rely on it. */
static bool bools_are_sound(const uint8_t *at, int64_t n) {
    uint8_t all = 0;
    for (int64_t i = 0; i < n; i++) all |= at[i];
    return all <= 1;
}

static wadi_status read_component(reader *r, wadi_chunk *chunk, wadi_chunk_component *c) {
    WADI_TRY(read_kind(r, c));
    if (c->layout == WADI_LAYOUT_IRREGULAR) {
        WADI_TRY(read_irregular(r, chunk, c));
    } else {
        WADI_TRY(read_regular(r, c, chunk->count));
    }
    for (int f = 0; f < c->fields; f++) {
        WADI_TRY(take_frame(r, chunk, c->values * wadi_type_size(c->type[f]), &c->column[f]));
        if (c->type[f] == WADI_BOOL && !bools_are_sound(c->column[f], c->values)) {
            return MALFORMED(r, "a bool is neither 0 nor 1");
        }
    }
    return WADI_OK;
}

/* The numbers of the fixed part; `components` have been read when this returns. */
static wadi_status read_counts(reader *r, int64_t counts[3], uint64_t *components) {
    for (int i = 0; i < 3; i++) counts[i] = (int64_t)get(r, 8);
    *components = get(r, 4);
    if (counts[0] < 0 || counts[1] < 0 || counts[2] < 0 || counts[2] > r->limits->elements ||
        counts[1] > INT64_MAX - counts[2]) {
        return MALFORMED(r, "chunk number, first or count out of range");
    }
    if (*components > WADI_MAX_PARTS)
        return MALFORMED(r, "more than %d components", WADI_MAX_PARTS);
    return WADI_OK;
}

static wadi_status read_chunk(reader *r, wadi_chunk *c, const int64_t counts[3]) {
    c->number = counts[0];
    c->first = counts[1];
    c->count = counts[2];
    for (int i = 0; i < c->components; i++) WADI_TRY(read_component(r, c, &c->component[i]));
    if (r->n != r->end) return MALFORMED(r, "the header has bytes left over, or too few");
    if (r->frame != r->nframes) return MALFORMED(r, "%d frames too many", r->nframes - r->frame);
    return WADI_OK;
}

wadi_status wadi_wire_decode(const wadi_wire_frame *frames, int n, const wadi_wire_limits *limits,
                             wadi_buffers *buffers, wadi_wire_stream *stream, wadi_chunk **out,
                             wadi_error *err) {
    reader r = {.frames = frames, .nframes = n, .frame = 1, .limits = limits, .err = err};
    if (!little_endian()) {
        return wadi_fail(err, WADI_UNSUPPORTED, "wire format: this machine is not little-endian");
    }
    if (n < 1) return MALFORMED(&r, "no frames");
    WADI_TRY(check_envelope(&r));
    wadi_wire_stream told = {.id = get(&r, 8)};
    memcpy(told.program, r.at + r.n, sizeof told.program);
    r.n += sizeof told.program;
    int64_t counts[3];
    uint64_t components = 0;
    WADI_TRY(read_counts(&r, counts, &components));
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_chunk_create(buffers, (int)components, &c, err));
    const wadi_status status = read_chunk(&r, c, counts);
    if (status != WADI_OK) {
        wadi_chunk_release(c);
        return status;
    }
    if (stream != NULL) *stream = told;
    *out = c;
    return WADI_OK;
}
