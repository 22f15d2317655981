/* The life of chunks, views, and reading single elements. */
#include "sched/chunk.h"

#include <string.h>

#include "base/error.h"
#include "base/type.h"
#include "sched/plan.h"

/* Columns, shapes, offsets, and a copy for the host. */
enum { BLOCKS_PER_COMPONENT = WADI_MAX_FIELDS + 3 };

wadi_status wadi_chunk_create(wadi_buffers *buffers, int components, wadi_chunk **out,
                              wadi_error *err) {
    const size_t n = (size_t)components;
    const size_t most_blocks = n * BLOCKS_PER_COMPONENT + 1;
    const size_t bytes = sizeof(wadi_chunk) + n * sizeof(wadi_chunk_component) +
                         most_blocks * sizeof(void *) + (n + 1) * sizeof(wadi_chunk *);
    wadi_chunk *c = wadi_buffers_get(buffers, (int64_t)bytes);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "chunk: out of memory");
    memset(c, 0, bytes);
    atomic_init(&c->refs, 1);
    c->buffers = wadi_buffers_retain(buffers);
    c->components = components;
    c->component = (wadi_chunk_component *)(c + 1);
    c->block = (void **)(c->component + n);
    c->most_blocks = (int)most_blocks;
    c->parent = (wadi_chunk **)(c->block + most_blocks);
    *out = c;
    return WADI_OK;
}

/* Every change of the count is an acquire and a release, so whoever releases the last reference sees what the others have written. */
wadi_chunk *wadi_chunk_retain(wadi_chunk *c) {
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_acq_rel);
    return c;
}

void wadi_chunk_release(wadi_chunk *c) {
    if (c == NULL || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1) return;
    wadi_buffers *buffers = c->buffers, *apart = c->apart;
    const wadi_status arrived = wadi_chunk_arrived(c, NULL); /* somebody else may get its memory */
    WADI_UNUSED(arrived);                                    /* nobody reads it */
    if (c->ahead != NULL) c->ahead->release(c->ahead);
    for (int i = 0; i < c->blocks; i++) wadi_buffers_put(c->block[i]);
    for (int i = 0; i < c->parents; i++) wadi_chunk_release(c->parent[i]);
    wadi_buffers_put(c);
    wadi_buffers_release(apart);
    wadi_buffers_release(buffers);
}

void wadi_chunk_retain_pool(wadi_chunk *c, wadi_buffers *pool) {
    WADI_ASSERT(c->apart == NULL || c->apart == pool);
    if (c->apart == NULL) c->apart = wadi_buffers_retain(pool);
}

void wadi_chunk_own(wadi_chunk *c, void *owned_block) {
    WADI_ASSERT(c->blocks < c->most_blocks);
    c->block[c->blocks++] = owned_block;
}

void *wadi_chunk_alloc(wadi_chunk *c, int64_t bytes) {
    void *memory = wadi_buffers_get(c->buffers, bytes);
    if (memory != NULL) wadi_chunk_own(c, memory);
    return memory;
}

void wadi_chunk_hold(wadi_chunk *c, wadi_chunk *parent) {
    WADI_ASSERT(c->parents <= c->components);
    c->parent[c->parents++] = wadi_chunk_retain(parent);
}

int64_t wadi_shape_values(int rank, const int64_t *shape) {
    int64_t n = 1, largest = 0;
    for (int d = 0; d < rank; d++) {
        if (shape[d] < 0) return -1;
        if (shape[d] != 0 && n > INT64_MAX / 64 / shape[d]) return -1;
        if (shape[d] > largest) largest = shape[d];
        n *= shape[d];
    }
    return n == 0 && largest >> WADI_EXTENT_BITS > 0 ? -1 : n;
}

wadi_status wadi_array_check_columns(const char *who, const wadi_array *a, wadi_error *err) {
    const int64_t values = wadi_shape_values(a->rank, a->shape);
    for (int f = 0; f < a->fields; f++) {
        if ((unsigned)a->type[f] >= WADI_TYPE_COUNT)
            return wadi_fail(err, WADI_TYPE, "%s: column %d: there is no type %d", who, f,
                             (int)a->type[f]);
        if (values > 0 && a->column[f] == NULL)
            return wadi_fail(err, WADI_INVALID,
                             "%s: column %d of an array of %lld elements is NULL", who, f,
                             (long long)values);
    }
    return WADI_OK;
}

static void move_columns(wadi_chunk_component *c, int64_t values) {
    for (int f = 0; f < c->fields; f++) {
        const int64_t bytes = values * wadi_type_size(c->type[f]);
        c->column[f] = (char *)c->column[f] + bytes;
        if (c->ahead != NULL) c->ahead_column[f] = (char *)c->ahead_column[f] + bytes;
    }
}

int64_t wadi_component_stride(const wadi_chunk_component *c) {
    if (c->layout == WADI_LAYOUT_AVOID) return 0;
    return c->stride > 0 ? c->stride : wadi_shape_values(c->rank, c->shape);
}

/* The number of values in each column of `count` elements. Overlapping elements share values. */
static int64_t values_of_regular(const wadi_chunk_component *c, int64_t count) {
    const int64_t each = wadi_shape_values(c->rank, c->shape);
    return count == 0 ? 0 : (count - 1) * wadi_component_stride(c) + each;
}

static wadi_status slice_irregular(wadi_chunk *view, wadi_chunk_component *c, int64_t begin,
                                   wadi_error *err) {
    const int64_t base = c->offsets[begin];
    int64_t *offsets = wadi_chunk_alloc(view, (view->count + 1) * (int64_t)sizeof *offsets);
    if (offsets == NULL) return wadi_fail(err, WADI_MEMORY, "view of a chunk: out of memory");
    for (int64_t s = 0; s <= view->count; s++) offsets[s] = c->offsets[begin + s] - base;
    c->offsets = offsets;
    c->shapes += begin * c->rank;
    c->values = offsets[view->count];
    move_columns(c, base);
    return WADI_OK;
}

wadi_status wadi_chunk_slice(wadi_chunk *parent, int64_t begin, int64_t count, wadi_chunk **out,
                             wadi_error *err) {
    WADI_ASSERT(begin >= 0 && count >= 0 && begin + count <= parent->count);
    wadi_chunk *view = NULL;
    WADI_TRY(wadi_chunk_create(parent->buffers, parent->components, &view, err));
    wadi_chunk_hold(view, parent);
    view->number = parent->number;
    view->first = parent->first + begin;
    view->count = count;
    view->arrival = parent->arrival;
    for (int i = 0; i < parent->components; i++) {
        wadi_chunk_component *c = &view->component[i];
        *c = parent->component[i];
        c->home = NULL;
        if (c->layout == WADI_LAYOUT_IRREGULAR) {
            const wadi_status status = slice_irregular(view, c, begin, err);
            if (status != WADI_OK) {
                wadi_chunk_release(view);
                return status;
            }
        } else if (c->layout == WADI_LAYOUT_REGULAR) {
            move_columns(c, begin * wadi_component_stride(c));
            c->values = values_of_regular(c, count);
        }
    }
    *out = view;
    return WADI_OK;
}

/* Whether a view's component has the very columns of the chunk that it was selected from. */
static bool is_part(const wadi_chunk_component *c) {
    const wadi_chunk_component *of = c->whole != NULL ? &c->whole->component[c->part] : NULL;
    return of != NULL && of->residence == c->residence && of->values == c->values &&
           memcmp(of->column, c->column, (size_t)c->fields * sizeof *c->column) == 0;
}

wadi_status wadi_chunk_select(wadi_chunk *parent, int n, const int *from, wadi_chunk **out,
                              wadi_error *err) {
    WADI_TRY(wadi_chunk_create(parent->buffers, n, out, err));
    wadi_chunk *c = *out;
    wadi_chunk_hold(c, parent);
    c->number = parent->number;
    c->first = parent->first;
    c->count = parent->count;
    c->arrival = parent->arrival;
    for (int i = 0; i < n; i++) {
        wadi_chunk_component *to = &c->component[i];
        *to = parent->component[from[i]];
        to->home = NULL;
        if (to->residence == NULL || is_part(to)) continue;
        to->whole = parent;
        to->part = from[i];
    }
    return WADI_OK;
}

static int64_t aligned(int64_t bytes) {
    return (bytes + WADI_ALIGN - 1) / WADI_ALIGN * WADI_ALIGN;
}

static void get_column(wadi_chunk *chunk, const wadi_residence *r, bool fetch, void *to,
                       const void *from, int64_t bytes) {
    if (!fetch) {
        wadi_residence_get_column(r, to, from, bytes);
        return;
    }
    wadi_residence_count(r, 0, bytes);
    const int64_t begin_ns = wadi_residence_trace_begin(r);
    const uint64_t mark = bytes > 0 ? r->beside->fetch(r->self, to, from, bytes) : 0;
    if (mark > 0) chunk->arrival = (wadi_arrival){r->beside, r->self, mark, r->traffic, begin_ns};
}

/* Copies the columns of a component of `chunk` to the host, if that has not been done. wait: it has ended; otherwise it may have begun only.
 * False when out of memory. */
static bool copy_home(wadi_chunk *chunk, wadi_chunk_component *c, bool wait) {
    const wadi_residence *r = c->residence;
    int64_t bytes = 0;
    if (c->home != NULL) return true;
    for (int f = 0; f < c->fields; f++) bytes += aligned(c->values * wadi_type_size(c->type[f]));
    void *pinned = wait || r->beside == NULL ? NULL : wadi_buffers_get(r->beside->pinned, bytes);
    if (pinned != NULL) wadi_chunk_own(chunk, pinned);
    char *at = c->home = pinned != NULL ? pinned : wadi_chunk_alloc(chunk, bytes);
    for (int f = 0; at != NULL && f < c->fields; f++) {
        const int64_t size = c->values * wadi_type_size(c->type[f]);
        get_column(chunk, r, pinned != NULL, at, c->column[f], size);
        at += aligned(size);
    }
    return c->home != NULL;
}

/* Later marks of a residence are behind earlier ones. */
static void join_arrival(wadi_arrival *a, const wadi_arrival *other) {
    if (other->mark > a->mark) *a = *other;
}

static wadi_status bring_home(wadi_chunk *chunk, bool wait, wadi_error *err) {
    for (int i = 0; i < chunk->components; i++) {
        wadi_chunk_component *c = &chunk->component[i];
        /* The host may make other columns of these. Where there is nothing, other threads may look at the same time. */
        if (c->ahead != NULL) c->ahead = NULL;
        if (c->residence == NULL) continue;
        wadi_chunk *whole = is_part(c) ? c->whole : chunk;
        wadi_chunk_component *of = whole == chunk ? c : &whole->component[c->part];
        if (!copy_home(whole, of, wait))
            return wadi_fail(err, WADI_MEMORY, "elements of a chunk: out of memory");
        join_arrival(&chunk->arrival, &whole->arrival);
        if (whole->arrival.mark == 0) WADI_TRY(wadi_residence_check(c->residence, err));
        char *at = of->home;
        for (int f = 0; f < c->fields; f++) {
            c->column[f] = at;
            at += aligned(c->values * wadi_type_size(c->type[f]));
        }
        c->residence = NULL;
    }
    return WADI_OK;
}

wadi_status wadi_chunk_at_host(wadi_chunk *chunk, wadi_error *err) {
    WADI_TRY(bring_home(chunk, true, err));
    return wadi_chunk_arrived(chunk, err);
}

wadi_status wadi_chunk_to_host(wadi_chunk *chunk, wadi_error *err) {
    return bring_home(chunk, false, err);
}

wadi_status wadi_chunk_arrived(const wadi_chunk *chunk, wadi_error *err) {
    return wadi_residence_arrived(&chunk->arrival, err);
}

/* ---- to a device, ahead ---- */

enum { COLUMNS_MOST = 64 };

static int list_columns(const wadi_chunk *chunk, wadi_ahead_column *out) {
    int n = 0;
    for (int i = 0; i < chunk->components; i++) {
        const wadi_chunk_component *c = &chunk->component[i];
        for (int f = 0; f < c->fields; f++) {
            if (n == COLUMNS_MOST || c->residence != NULL) return 0;
            out[n++] = (wadi_ahead_column){c->column[f], c->values * wadi_type_size(c->type[f])};
        }
    }
    return n;
}

void wadi_chunk_send_ahead(wadi_chunk *chunk, const wadi_residence *r) {
    wadi_ahead_column column[COLUMNS_MOST];
    void *there[COLUMNS_MOST];
    if (r == NULL || r->beside == NULL) return;
    const int n = list_columns(chunk, column);
    const int64_t begin_ns = wadi_residence_trace_begin(r);
    int64_t bytes = 0;
    if (n > 0) chunk->ahead = r->beside->send(r->self, n, column, there);
    if (n == 0 || chunk->ahead == NULL) return;
    for (int i = 0; i < n; i++) bytes += column[i].bytes;
    wadi_residence_count(r, bytes, 0);
    wadi_residence_trace_end(r, true, begin_ns, bytes);
    wadi_chunk_retain_pool(chunk, r->blocks);
    void **at = there;
    for (int i = 0; i < chunk->components; i++) {
        wadi_chunk_component *c = &chunk->component[i];
        c->ahead = chunk->ahead;
        for (int f = 0; f < c->fields; f++) c->ahead_column[f] = *at++;
    }
}

wadi_status wadi_chunk_spread(wadi_chunk *chunk, int i, wadi_error *err) {
    wadi_chunk_component *c = &chunk->component[i];
    const int64_t each = wadi_shape_values(c->rank, c->shape);
    if (c->layout == WADI_LAYOUT_IRREGULAR) return WADI_OK;
    if (c->layout == WADI_LAYOUT_REGULAR && (c->stride == 0 || c->stride == each)) return WADI_OK;
    WADI_TRY(wadi_chunk_arrived(chunk, err));
    c->ahead = NULL;
    const int64_t stride = wadi_component_stride(c);
    for (int f = 0; f < c->fields; f++) {
        const int64_t size = wadi_type_size(c->type[f]);
        char *to = wadi_chunk_alloc(chunk, chunk->count * each * size);
        const wadi_sight from =
            wadi_residence_see(c->residence, chunk->buffers, c->column[f], c->values * size);
        if (to == NULL || (c->residence != NULL && from.at == NULL)) {
            wadi_buffers_put(from.block);
            return wadi_fail(err, WADI_MEMORY, "elements of a chunk: out of memory");
        }
        for (int64_t s = 0; s < chunk->count && each > 0; s++)
            memcpy(to + s * each * size, (const char *)from.at + s * stride * size,
                   (size_t)(each * size));
        wadi_buffers_put(from.block);
        c->column[f] = to;
    }
    WADI_TRY(wadi_residence_check(c->residence, err));
    c->residence = NULL;
    c->layout = WADI_LAYOUT_REGULAR;
    c->stride = 0;
    c->values = chunk->count * each;
    return WADI_OK;
}

bool wadi_component_is_regular(const wadi_chunk_component *c, int64_t count,
                               const int64_t **out_shape) {
    *out_shape = NULL;
    if (count == 0) return true;
    *out_shape = c->layout == WADI_LAYOUT_IRREGULAR ? c->shapes : c->shape;
    if (c->layout != WADI_LAYOUT_IRREGULAR || c->rank == 0) return true;
    const size_t bytes = (size_t)c->rank * sizeof *c->shapes;
    for (int64_t s = 1; s < count; s++)
        if (memcmp(c->shapes, c->shapes + s * c->rank, bytes) != 0) return false;
    return true;
}

wadi_array wadi_chunk_array(const wadi_chunk *chunk, int i, int64_t s) {
    const wadi_chunk_component *c = &chunk->component[i];
    wadi_array a = {.rank = c->rank, .fields = c->fields};
    const bool irregular = c->layout == WADI_LAYOUT_IRREGULAR;
    const int64_t *shape = irregular ? c->shapes + s * c->rank : c->shape;
    for (int d = 0; d < c->rank; d++) a.shape[d] = shape[d];
    const int64_t start = irregular ? c->offsets[s] : s * wadi_component_stride(c);
    for (int f = 0; f < c->fields; f++) {
        a.type[f] = c->type[f];
        a.column[f] = (char *)c->column[f] + start * wadi_type_size(c->type[f]);
    }
    return a;
}

int64_t wadi_component_value_bytes(const wadi_chunk_component *c) {
    return wadi_fields_size(c->type, c->fields);
}

int64_t wadi_chunk_bytes(const wadi_chunk *chunk) {
    int64_t bytes = 0;
    for (int i = 0; i < chunk->components; i++) {
        const wadi_chunk_component *c = &chunk->component[i];
        bytes += c->values * wadi_component_value_bytes(c);
        if (c->layout == WADI_LAYOUT_IRREGULAR) {
            bytes += (chunk->count * (c->rank + 1) + 1) * (int64_t)sizeof(int64_t);
        }
    }
    return bytes;
}
