/* Growing columns and descriptors. */
#include "sched/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/type.h"

static const char out_of_memory[] = "building a chunk: out of memory";

wadi_status wadi_builder_init(wadi_builder *b, wadi_buffers *buffers, int parts,
                              const wadi_part *part, int64_t most_bytes, wadi_error *err) {
    memset(b, 0, sizeof *b);
    b->part = calloc((size_t)parts + 1, sizeof *b->part);
    if (b->part == NULL) return wadi_fail(err, WADI_MEMORY, "%s", out_of_memory);
    b->buffers = buffers;
    b->parts = parts;
    b->most_bytes = most_bytes;
    for (int i = 0; i < parts; i++) b->part[i].part = part[i];
    return WADI_OK;
}

static void forget_part(wadi_builder_part *p) {
    const wadi_builder_part was = *p;
    memset(p, 0, sizeof *p);
    p->part = was.part;
    p->last = was.value_count;
    p->each = was.elements > 0 ? (double)was.value_count / (double)was.elements : was.each;
}

void wadi_builder_fini(wadi_builder *b) {
    for (int i = 0; i < b->parts; i++) {
        wadi_builder_part *p = &b->part[i];
        wadi_buffers_put(p->shapes);
        wadi_buffers_put(p->offsets);
        for (int f = 0; f < WADI_MAX_FIELDS; f++) wadi_buffers_put(p->column[f]);
    }
    wadi_chunk_release(b->adopted);
    free(b->part);
    memset(b, 0, sizeof *b);
}

static bool grow_words(wadi_buffers *buffers, int64_t **words, int64_t kept, int64_t n) {
    void *block = *words;
    const int64_t word = (int64_t)sizeof **words;
    const bool grown = wadi_buffers_grow(buffers, &block, kept * word, n * word);
    *words = block;
    return grown;
}

static int64_t part_bytes(const wadi_part *part) {
    return wadi_fields_size(part->type, part->fields);
}

/* How many values a column begins with: those of as many elements as are wanted, if they are like the last ones, and some more. A source that often brings less than
 * that does not get it. */
static int64_t first_room(const wadi_builder *b, const wadi_builder_part *p, int64_t values) {
    static const double MORE = 1.0625, TIMES = 2;
    const double wanted = MORE * p->each * (double)b->wanted, last = TIMES * (double)p->last;
    const double most = MORE * (double)b->most_bytes / (double)part_bytes(&p->part);
    double room = wanted < last ? wanted : last;
    if (room > most) room = most;
    return room > (double)values ? (int64_t)room : values;
}

static bool grow_columns(wadi_builder *b, wadi_builder_part *p, int64_t values) {
    for (int f = 0; f < p->part.fields; f++) {
        const int64_t size = wadi_type_size(p->part.type[f]);
        if (!wadi_buffers_grow(b->buffers, &p->column[f], p->value_count * size, values * size))
            return false;
    }
    return true;
}

static bool grow_descriptor(wadi_builder *b, wadi_builder_part *p) {
    const int rank = p->part.rank;
    const int64_t n = p->elements;
    if (!grow_words(b->buffers, &p->shapes, n * rank, (n + 1) * rank)) return false;
    return grow_words(b->buffers, &p->offsets, n == 0 ? 0 : n + 1, n + 2);
}

static wadi_status check_fixed(const wadi_part *part, int number, const int64_t *shape,
                               wadi_error *err) {
    for (int d = 0; shape != NULL && d < part->rank; d++) {
        if (shape[d] == part->shape[d]) continue;
        return wadi_fail(err, WADI_SHAPE,
                         "part %d: extent %d is %lld, but the source declares it to be %lld",
                         number, d, (long long)shape[d], (long long)part->shape[d]);
    }
    return WADI_OK;
}

static void describe(const wadi_builder_part *p, const int64_t *shape, int64_t start,
                     wadi_array *out) {
    memset(out, 0, sizeof *out);
    out->rank = p->part.rank;
    out->fields = p->part.fields;
    for (int d = 0; d < p->part.rank; d++) out->shape[d] = shape[d];
    for (int f = 0; f < p->part.fields; f++) {
        out->type[f] = p->part.type[f];
        out->column[f] = (char *)p->column[f] + start * wadi_type_size(p->part.type[f]);
    }
}

wadi_status wadi_builder_array(wadi_builder *b, int number, const int64_t *shape,
                               wadi_array *out_array, wadi_error *err) {
    if (number < 0 || number >= b->parts) {
        return wadi_fail(err, WADI_INVALID, "part %d of an element: there are %d", number,
                         b->parts);
    }
    wadi_builder_part *p = &b->part[number];
    const wadi_part *part = &p->part;
    if (p->elements > b->count) {
        return wadi_fail(err, WADI_INVALID, "part %d of an element is given twice", number);
    }
    if (part->fixed) {
        WADI_TRY(check_fixed(part, number, shape, err));
        shape = part->shape;
    } else if (shape == NULL && part->rank > 0) {
        return wadi_fail(err, WADI_SHAPE, "part %d of an element needs a shape", number);
    }
    const int64_t values = wadi_shape_values(part->rank, shape);
    if (values < 0) return wadi_fail(err, WADI_SHAPE, "part %d of an element: bad shape", number);
    const int64_t start = p->value_count;
    const int64_t room = start == 0 ? first_room(b, p, values) : start + values;
    if (!grow_columns(b, p, room) || (!part->fixed && !grow_descriptor(b, p))) {
        return wadi_fail(err, WADI_MEMORY, "%s", out_of_memory);
    }
    if (!part->fixed) {
        for (int d = 0; d < part->rank; d++) p->shapes[p->elements * part->rank + d] = shape[d];
        p->offsets[0] = 0;
        p->offsets[p->elements + 1] = start + values;
    }
    p->value_count += values;
    p->elements++;
    b->bytes += values * part_bytes(part);
    describe(p, shape, start, out_array);
    return WADI_OK;
}

wadi_status wadi_builder_next(wadi_builder *b, wadi_error *err) {
    for (int i = 0; i < b->parts; i++) {
        if (b->part[i].elements != b->count + 1) {
            return wadi_fail(err, WADI_INVALID, "part %d of an element is missing", i);
        }
    }
    b->count++;
    return WADI_OK;
}

bool wadi_builder_open(const wadi_builder *b) {
    for (int i = 0; i < b->parts; i++) {
        if (b->part[i].elements > b->count) return true;
    }
    return false;
}

void wadi_builder_drop(wadi_builder *b) {
    for (int i = 0; i < b->parts; i++) {
        wadi_builder_part *p = &b->part[i];
        if (p->elements == b->count || b->adopted != NULL) continue;
        const int64_t values = p->part.fixed
                                   ? b->count * wadi_shape_values(p->part.rank, p->part.shape)
                                   : p->offsets[b->count];
        b->bytes -= (p->value_count - values) * part_bytes(&p->part);
        p->value_count = values;
        p->elements = b->count;
    }
}

wadi_status wadi_builder_bulk(wadi_builder *b, int64_t n, wadi_array *out_arrays, wadi_error *err) {
    for (int i = 0; i < b->parts; i++) {
        wadi_builder_part *p = &b->part[i];
        WADI_ASSERT(p->part.fixed && p->elements == 0);
        const int64_t values = n * wadi_shape_values(p->part.rank, p->part.shape);
        if (!grow_columns(b, p, values)) return wadi_fail(err, WADI_MEMORY, "%s", out_of_memory);
        describe(p, p->part.shape, 0, &out_arrays[i]);
    }
    return WADI_OK;
}

void wadi_builder_keep(wadi_builder *b, int64_t n) {
    b->count = n;
    b->bytes = 0;
    for (int i = 0; i < b->parts; i++) {
        wadi_builder_part *p = &b->part[i];
        p->elements = n;
        p->value_count = n * wadi_shape_values(p->part.rank, p->part.shape);
        b->bytes += p->value_count * part_bytes(&p->part);
    }
}

void wadi_builder_borrow(wadi_builder *b, int64_t n, void *const *columns) {
    WADI_ASSERT(b->parts == 1 && b->part[0].part.fixed);
    for (int f = 0; f < b->part[0].part.fields; f++) b->part[0].borrowed[f] = columns[f];
    wadi_builder_keep(b, n);
}

wadi_status wadi_builder_room(wadi_builder *b, int64_t n, int64_t values, wadi_builder_rows *out,
                              wadi_error *err) {
    wadi_builder_part *p = &b->part[0];
    WADI_ASSERT(b->parts == 1 && !p->part.fixed && p->part.rank == 1 && p->part.fields == 1);
    const int64_t start = p->value_count, elements = p->elements;
    const int64_t room = start == 0 ? first_room(b, p, values) : start + values;
    if (!grow_columns(b, p, room) || !grow_words(b->buffers, &p->shapes, elements, elements + n) ||
        !grow_words(b->buffers, &p->offsets, elements == 0 ? 0 : elements + 1, elements + n + 1))
        return wadi_fail(err, WADI_MEMORY, "%s", out_of_memory);
    p->offsets[0] = 0;
    *out = (wadi_builder_rows){.column =
                                   (char *)p->column[0] + start * wadi_type_size(p->part.type[0]),
                               .extents = p->shapes + elements};
    return WADI_OK;
}

void wadi_builder_keep_rows(wadi_builder *b, int64_t n) {
    wadi_builder_part *p = &b->part[0];
    const int64_t first = p->elements, before = p->value_count;
    for (int64_t i = first; i < first + n; i++) {
        p->value_count += p->shapes[i];
        p->offsets[i + 1] = p->value_count;
    }
    p->elements = b->count = first + n;
    b->bytes += (p->value_count - before) * part_bytes(&p->part);
}

static bool is_stored_so(const wadi_part *p, const wadi_chunk_component *c) {
    if (c->rank != p->rank || c->fields != p->fields || c->residence != NULL) return false;
    if (memcmp(c->type, p->type, (size_t)p->fields * sizeof *p->type) != 0) return false;
    if (!p->fixed) return c->layout == WADI_LAYOUT_IRREGULAR;
    return c->layout == WADI_LAYOUT_REGULAR && c->stride == 0 &&
           memcmp(c->shape, p->shape, (size_t)p->rank * sizeof *p->shape) == 0;
}

wadi_status wadi_builder_adopt(wadi_builder *b, wadi_chunk *chunk, int64_t begin, int64_t count,
                               int64_t *out_taken, wadi_error *err) {
    *out_taken = 0;
    if (b->count > 0 || wadi_builder_open(b) || chunk->components != b->parts) return WADI_OK;
    for (int i = 0; i < b->parts; i++)
        if (!is_stored_so(&b->part[i].part, &chunk->component[i])) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(chunk, begin, count, &b->adopted, err));
    if (count > 1 && wadi_chunk_bytes(b->adopted) > b->most_bytes) {
        wadi_chunk_release(b->adopted);
        b->adopted = NULL;
        return WADI_OK;
    }
    b->count = *out_taken = count;
    b->bytes = wadi_chunk_bytes(b->adopted);
    return WADI_OK;
}

bool wadi_builder_full(const wadi_builder *b) {
    return b->count > 0 && b->bytes >= b->most_bytes;
}

int64_t wadi_builder_fit(const wadi_builder *b, int64_t k) {
    int64_t each = 0;
    for (int i = 0; i < b->parts; i++) {
        const wadi_part *part = &b->part[i].part;
        each += wadi_shape_values(part->rank, part->shape) * part_bytes(part);
    }
    const int64_t most = each > 0 ? b->most_bytes / each : k;
    return k <= most ? k : most < 1 ? 1 : most;
}

static void finish_columns(wadi_builder_part *p, wadi_chunk *c, wadi_chunk_component *to) {
    for (int f = 0; f < to->fields; f++) {
        to->type[f] = p->part.type[f];
        if (p->column[f] != NULL) wadi_chunk_own(c, p->column[f]);
        /* A chunk is read-only from here on, so dropping const is only a matter of form. */
        to->column[f] = p->borrowed[f] != NULL ? (void *)(uintptr_t)p->borrowed[f] : p->column[f];
    }
}

static void finish_adopted(wadi_builder *b, wadi_chunk *c, int component) {
    for (int i = 0; i < b->parts; i++) c->component[component + i] = b->adopted->component[i];
    wadi_chunk_hold(c, b->adopted);
    wadi_chunk_release(b->adopted);
    b->adopted = NULL;
    b->count = 0;
    b->bytes = 0;
}

void wadi_builder_finish(wadi_builder *b, wadi_chunk *c, int component, int64_t count) {
    WADI_ASSERT(count <= b->count || b->parts == 0);
    if (b->adopted != NULL) {
        WADI_ASSERT(count == b->count);
        finish_adopted(b, c, component);
        return;
    }
    for (int i = 0; i < b->parts; i++) {
        wadi_builder_part *p = &b->part[i];
        wadi_chunk_component *to = &c->component[component + i];
        to->layout = p->part.fixed ? WADI_LAYOUT_REGULAR : WADI_LAYOUT_IRREGULAR;
        to->rank = p->part.rank;
        to->fields = p->part.fields;
        if (p->part.fixed) {
            memcpy(to->shape, p->part.shape, sizeof to->shape);
            to->values = count * wadi_shape_values(to->rank, to->shape);
        } else if (count > 0) {
            to->values = p->offsets[count];
        }
        to->shapes = p->shapes;
        to->offsets = p->offsets;
        if (p->shapes != NULL) wadi_chunk_own(c, p->shapes);
        if (p->offsets != NULL) wadi_chunk_own(c, p->offsets);
        finish_columns(p, c, to);
        forget_part(p);
    }
    b->count = 0;
    b->bytes = 0;
}
