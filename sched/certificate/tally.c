/* Digests of a sequence, block by block. Each column has a digest of its own within a block, so that a chunk is a few calls of the digest's
 * function however small its elements are. */
#include "sched/certificate/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const int64_t LEAST_BYTES = INT64_C(1) << 20, BLOCKS = 4096;

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "digests of a sequence: out of memory");
}

/* ---- a part of a block ---- */

/* Where bytes go. */
typedef struct part_of {
    wadi_tally_part *at;
    bool one_lane;
} part_of;

static void begin_part(part_of p) {
    if (p.one_lane)
        wadi_blake2b_begin(&p.at->one);
    else
        wadi_blake2b_lanes_begin(&p.at->lanes);
}

static void add_bytes(part_of p, const void *data, size_t n) {
    if (p.one_lane)
        wadi_blake2b_add(&p.at->one, data, n);
    else
        wadi_blake2b_lanes_add(&p.at->lanes, data, n);
}

static void end_part(part_of p, uint8_t out[WADI_TALLY_DIGEST]) {
    if (p.one_lane)
        wadi_blake2b_end(&p.at->one, out);
    else
        wadi_blake2b_lanes_end(&p.at->lanes, out);
}

/* ---- a block ---- */

static part_of part_at(const wadi_tally *b, int i) {
    return b->unordered ? (part_of){b->part, true} : (part_of){&b->part[i], b->one_lane};
}

static void begin_parts(wadi_tally *b) {
    for (int i = 0; i < b->parts; i++) begin_part(part_at(b, i));
    b->elements = b->bytes = 0;
}

static wadi_status open_parts(wadi_tally *b, const wadi_chunk *c, wadi_error *err) {
    if (b->part != NULL) return WADI_OK;
    b->parts = 0;
    for (int i = 0; i < c->components; i++) b->parts += 1 + c->component[i].fields;
    b->part = aligned_alloc(_Alignof(wadi_tally_part), (size_t)b->parts * sizeof *b->part);
    if (b->part == NULL) return no_memory(err);
    begin_parts(b);
    return WADI_OK;
}

static void end_parts(part_of first, int parts, uint8_t out[WADI_TALLY_DIGEST]) {
    wadi_blake2b_state whole;
    wadi_blake2b_begin(&whole);
    for (int i = 0; i < parts; i++) {
        uint8_t digest[WADI_TALLY_DIGEST];
        end_part((part_of){first.at + i, first.one_lane}, digest);
        wadi_blake2b_add(&whole, digest, sizeof digest);
    }
    wadi_blake2b_end(&whole, out);
}

wadi_status wadi_tally_cut(wadi_tally *b, wadi_error *err) {
    wadi_tally_block block = {.elements = b->elements};
    if (b->elements == 0) return WADI_OK;
    end_parts(part_at(b, 0), b->parts, block.digest);
    begin_parts(b);
    return wadi_vec_push(&b->done, block) ? WADI_OK : no_memory(err);
}

/* ---- values ---- */

/* Where a NaN comes from decides its sign and payload, which the language leaves open: so all of them are one. */
static void put_f32(float *to, const float *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = isnan(from[i]) ? NAN : from[i];
}

static void put_f64(double *to, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = isnan(from[i]) ? (double)NAN : from[i];
}

/* n values. */
static void add_values(part_of s, wadi_type type, const void *at, int64_t n) {
    enum { BYTES = 4096 };
    const bool single = type == WADI_F32 || type == WADI_C64;
    const size_t bytes = (size_t)n * (size_t)wadi_type_size(type);
    _Alignas(8) char some[BYTES];
    if (!single && type != WADI_F64 && type != WADI_C128) {
        add_bytes(s, at, bytes);
        return;
    }
    for (size_t from = 0; from < bytes; from += BYTES) {
        const size_t k = bytes - from < BYTES ? bytes - from : BYTES;
        const void *piece = (const char *)at + from;
        if (single)
            put_f32((float *)(void *)some, piece, k / sizeof(float));
        else
            put_f64((double *)(void *)some, piece, k / sizeof(double));
        add_bytes(s, some, k);
    }
}

/* ---- elements ---- */

/* A column holds elements [from, from + n), `each` values for an element and `stride` from one to the next. */
static void add_column(part_of s, const void *column, wadi_type type, int64_t from, int64_t n,
                       int64_t each, int64_t stride) {
    const size_t size = (size_t)wadi_type_size(type);
    const char *at = column;
    if (each == stride) {
        add_values(s, type, at + (size_t)(from * each) * size, n * each);
        return;
    }
    for (int64_t i = from; i < from + n; i++)
        add_values(s, type, at + (size_t)(i * stride) * size, each);
}

/* The extents of n elements of one shape. */
static void add_shape(part_of s, const int64_t *shape, int rank, int64_t n) {
    enum { ROOM = 64 };
    int64_t many[ROOM * WADI_MAX_RANK];
    if (rank == 0) return;
    for (int64_t i = 0; i < n && i < ROOM; i++)
        memcpy(&many[i * rank], shape, (size_t)rank * sizeof *shape);
    for (int64_t i = 0; i < n; i += ROOM)
        add_bytes(s, many, (size_t)((n - i < ROOM ? n - i : ROOM) * rank) * sizeof *shape);
}

static void add_component(const wadi_tally *b, int at, const wadi_chunk_component *p, int64_t from,
                          int64_t n) {
    if (p->layout == WADI_LAYOUT_IRREGULAR) {
        if (p->rank > 0)
            add_bytes(part_at(b, at), &p->shapes[from * p->rank],
                      (size_t)(n * p->rank) * sizeof *p->shapes);
        for (int f = 0; f < p->fields; f++)
            add_column(part_at(b, at + 1 + f), p->column[f], p->type[f], p->offsets[from],
                       p->offsets[from + n] - p->offsets[from], 1, 1);
        return;
    }
    const int64_t each = wadi_shape_values(p->rank, p->shape);
    const int64_t stride = p->layout == WADI_LAYOUT_AVOID ? 0 : wadi_component_stride(p);
    add_shape(part_at(b, at), p->shape, p->rank, n);
    for (int f = 0; f < p->fields; f++)
        add_column(part_at(b, at + 1 + f), p->column[f], p->type[f], from, n, each, stride);
}

static int64_t bytes_of(const wadi_chunk *c, int64_t from, int64_t n) {
    int64_t bytes = 0;
    for (int i = 0; i < c->components; i++) {
        const wadi_chunk_component *p = &c->component[i];
        const int64_t values = p->layout == WADI_LAYOUT_IRREGULAR
                                   ? p->offsets[from + n] - p->offsets[from]
                                   : n * wadi_shape_values(p->rank, p->shape);
        bytes += values * wadi_component_value_bytes(p) + n * p->rank * (int64_t)sizeof *p->shape;
    }
    return bytes;
}

static void add_piece(wadi_tally *b, const wadi_chunk *c, int64_t from, int64_t n) {
    int at = 0;
    for (int i = 0; i < c->components; i++) {
        add_component(b, at, &c->component[i], from, n);
        at += 1 + c->component[i].fields;
    }
    const int64_t bytes = bytes_of(c, from, n);
    b->elements += n;
    b->bytes += bytes;
    b->all_elements += n;
    b->all_bytes += bytes;
}

/* ---- where a block ends ---- */

static int64_t most_bytes(const wadi_tally *b) {
    const int64_t share = b->all_bytes / BLOCKS;
    return share > LEAST_BYTES ? share : LEAST_BYTES;
}

/* How many of the elements from `from` on are of the open block: to its end, if they reach it. */
static int64_t piece_of(const wadi_tally *b, const wadi_chunk *c, int64_t from, bool *out_ends) {
    const int64_t left = c->count - from;
    if (b->done.n < b->like.n) {
        const int64_t want = b->like.at[b->done.n].elements - b->elements;
        *out_ends = want <= left;
        return want < left ? want : left;
    }
    const int64_t want = most_bytes(b) - b->bytes;
    int64_t low = 0, high = left; /* low elements are too few */
    *out_ends = bytes_of(c, from, left) >= want;
    while (*out_ends && high - low > 1) {
        const int64_t n = low + (high - low) / 2;
        if (bytes_of(c, from, n) >= want)
            high = n;
        else
            low = n;
    }
    return high;
}

/* ---- without an order ---- */

static void add_digest(uint8_t sum[WADI_TALLY_DIGEST], const uint8_t more[WADI_TALLY_DIGEST]) {
    unsigned carry = 0;
    for (int i = 0; i < WADI_TALLY_DIGEST; i++) {
        carry += (unsigned)sum[i] + more[i];
        sum[i] = (uint8_t)(carry & 0xff);
        carry >>= 8;
    }
}

static wadi_status add_each(wadi_tally *b, const wadi_chunk *c, wadi_error *err) {
    if (c->count == 0) return WADI_OK;
    if (b->done.n == 0 && !wadi_vec_push(&b->done, (wadi_tally_block){0})) return no_memory(err);
    wadi_tally_block *all = &b->done.at[0];
    for (int64_t i = 0; i < c->count; i++) {
        uint8_t digest[WADI_TALLY_DIGEST];
        begin_part(part_at(b, 0));
        add_piece(b, c, i, 1);
        end_part(part_at(b, 0), digest);
        add_digest(all->digest, digest);
    }
    all->elements += c->count;
    b->elements = b->bytes = 0;
    return WADI_OK;
}

wadi_status wadi_tally_add(wadi_tally *b, const wadi_chunk *c, wadi_error *err) {
    WADI_TRY(open_parts(b, c, err));
    if (b->unordered) return add_each(b, c, err);
    for (int64_t from = 0; from < c->count;) {
        bool ends = false;
        const int64_t n = piece_of(b, c, from, &ends);
        add_piece(b, c, from, n);
        from += n;
        if (ends) WADI_TRY(wadi_tally_cut(b, err));
    }
    return WADI_OK;
}

void wadi_tally_array(const wadi_array *a, bool one_lane, uint8_t out[WADI_TALLY_DIGEST]) {
    wadi_tally_part part[1 + WADI_MAX_FIELDS];
    wadi_tally b = {.one_lane = one_lane, .part = part, .parts = 1 + a->fields};
    const int64_t values = wadi_shape_values(a->rank, a->shape);
    begin_parts(&b);
    add_shape(part_at(&b, 0), a->shape, a->rank, 1);
    for (int f = 0; f < a->fields; f++)
        add_values(part_at(&b, 1 + f), a->type[f], a->column[f], values);
    end_parts(part_at(&b, 0), b.parts, out);
}

void wadi_tally_again(wadi_tally *b) {
    b->all_elements = b->all_bytes = 0;
    wadi_vec_clear(&b->done);
    begin_parts(b);
}

void wadi_tally_fini(wadi_tally *b) {
    wadi_vec_free(&b->done);
    wadi_vec_free(&b->like);
    free(b->part);
    *b = (wadi_tally){0};
}
