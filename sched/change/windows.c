/* WINDOWS: gives a window of `size` samples every `hop` samples of the values of all elements, concatenated.
 *
 * Windows inside one chunk are a regular component whose stride is the hop: they overlap in the chunk's own memory. The
 * samples from the start of the next window on are kept (less than one window). The windows that begin there are made in
 * memory of their own, together with as many samples of the next chunk as they need, or with all of them if that chunk is
 * small. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "sched/change/row.h"

enum { SMALL = 4 /* a chunk with fewer samples than this number of windows is copied whole */ };

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

static int64_t samples_of(const wadi_chunk_component *c, int64_t s) {
    if (c->rank == 0) return 1;
    return c->layout == WADI_LAYOUT_IRREGULAR ? c->shapes[s] : c->shape[0];
}

/* How many elements come before the first whose components differ in length. *out_samples is the number of their samples. */
static int64_t agreeing(const wadi_chunk *chunk, int64_t *out_samples, int *out_component,
                        int64_t *out_x, int64_t *out_y) {
    *out_samples = 0;
    for (int64_t s = 0; s < chunk->count; s++) {
        const int64_t n = samples_of(&chunk->component[0], s);
        for (int i = 1; i < chunk->components; i++) {
            *out_component = i;
            *out_x = samples_of(&chunk->component[i], s);
            *out_y = n;
            if (*out_x != *out_y) return s;
        }
        *out_samples += n;
    }
    return chunk->count;
}

/* ---- what is kept ---- */

static char *sample(void *column, const wadi_chunk_component *c, int f, int64_t at) {
    return (char *)column + at * wadi_type_size(c->type[f]);
}

/* Keeps the samples [from, from + n) of the chunk behind those that are kept already. */
static bool keep(wadi_change *c, const wadi_chunk *chunk, int64_t from, int64_t n) {
    wadi_change_tail *t = &c->tail;
    for (int i = 0; i < chunk->components; i++) {
        const wadi_chunk_component *k = &chunk->component[i];
        for (int f = 0; f < k->fields; f++) {
            const int64_t size = wadi_type_size(k->type[f]);
            void **column = &t->column[i][f];
            if (!wadi_buffers_grow(c->o.buffers, column, t->samples * size,
                                   (t->samples + n) * size))
                return false;
            if (n > 0)
                memcpy(sample(*column, k, f, t->samples), sample(k->column[f], k, f, from),
                       (size_t)(n * size));
        }
    }
    t->samples += n;
    return true;
}

/* Forgets the first n of the samples that are kept. */
static void forget(wadi_change *c, const wadi_chunk *like, int64_t n) {
    wadi_change_tail *t = &c->tail;
    for (int i = 0; i < like->components; i++) {
        const wadi_chunk_component *k = &like->component[i];
        for (int f = 0; f < k->fields && n > 0; f++)
            memmove(t->column[i][f], sample(t->column[i][f], k, f, n),
                    (size_t)((t->samples - n) * wadi_type_size(k->type[f])));
    }
    t->samples -= n;
}

/* Remembers the types of the components, for the last window. */
static wadi_status remember_types(wadi_change *c, const wadi_chunk *chunk, wadi_error *err) {
    if (c->tail.like != NULL) return WADI_OK;
    WADI_TRY(wadi_chunk_create(c->o.buffers, chunk->components, &c->tail.like, err));
    for (int i = 0; i < chunk->components; i++) {
        wadi_chunk_component *to = &c->tail.like->component[i];
        to->fields = chunk->component[i].fields;
        memcpy(to->type, chunk->component[i].type, sizeof to->type);
    }
    return WADI_OK;
}

/* ---- windows over columns ---- */

/* Makes the component `to` describe `count` windows of `size` samples. Its columns begin where the first window begins. */
static void describe(const wadi_change *c, wadi_chunk_component *to, int64_t count, int64_t size) {
    to->layout = WADI_LAYOUT_REGULAR;
    to->rank = 1;
    memset(to->shape, 0, sizeof to->shape);
    to->shape[0] = size;
    to->shapes = to->offsets = NULL;
    to->stride = c->o.hop == size ? 0 : c->o.hop;
    to->values = (count - 1) * c->o.hop + size;
}

/* Gives `count` windows that lie in the chunk, from sample `from` on. */
static wadi_status ready_inside(wadi_change *c, wadi_chunk *chunk, int64_t from, int64_t count,
                                wadi_error *err) {
    wadi_chunk *out = NULL;
    if (count == 0) return WADI_OK;
    WADI_TRY(wadi_change_view(chunk, chunk->components, count, &out, err));
    for (int i = 0; i < out->components; i++) {
        wadi_chunk_component *to = &out->component[i];
        *to = chunk->component[i];
        for (int f = 0; f < to->fields; f++) to->column[f] = sample(to->column[f], to, f, from);
        describe(c, to, count, c->o.size);
    }
    return wadi_change_ready(c, out, err);
}

/* Copies the kept samples, then n of the chunk (NULL: zeros) from sample `from` on to columns of `out`. */
static bool join(wadi_change *c, wadi_chunk *out, const wadi_chunk *chunk, int64_t from,
                 int64_t n) {
    const int64_t kept = c->tail.samples;
    for (int i = 0; i < out->components; i++) {
        wadi_chunk_component *to = &out->component[i];
        const wadi_chunk_component *like = &c->tail.like->component[i];
        to->fields = like->fields;
        memcpy(to->type, like->type, sizeof to->type);
        for (int f = 0; f < to->fields; f++) {
            const int64_t size = wadi_type_size(to->type[f]);
            to->column[f] = wadi_chunk_alloc(out, (kept + n) * size);
            if (to->column[f] == NULL) return false;
            char *behind = sample(to->column[f], to, f, kept);
            if (kept > 0) memcpy(to->column[f], c->tail.column[i][f], (size_t)(kept * size));
            if (n > 0 && chunk != NULL)
                memcpy(behind, sample(chunk->component[i].column[f], to, f, from),
                       (size_t)(n * size));
            else if (n > 0)
                memset(behind, 0, (size_t)(n * size));
        }
    }
    return true;
}

/* Gives `count` windows of `size` samples over the kept samples and n more. */
static wadi_status ready_joined(wadi_change *c, const wadi_chunk *chunk, int64_t from, int64_t n,
                                int64_t count, int64_t size, wadi_error *err) {
    wadi_chunk *out = NULL;
    if (count == 0) return WADI_OK;
    WADI_TRY(wadi_chunk_create(c->o.buffers, c->tail.like->components, &out, err));
    out->count = count;
    if (!join(c, out, chunk, from, n)) {
        wadi_chunk_release(out);
        return wadi_change_no_memory(c, err);
    }
    for (int i = 0; i < out->components; i++) describe(c, &out->component[i], count, size);
    return wadi_change_ready(c, out, err);
}

/* ---- the change ---- */

/* How many full windows n samples have. */
static int64_t full_windows(const wadi_change *c, int64_t n) {
    return n < c->o.size ? 0 : (n - c->o.size) / c->o.hop + 1;
}

/* Gives the windows over the kept samples and n samples of the chunk, from sample `from` on. These are used up then. */
static wadi_status cut(wadi_change *c, wadi_chunk *chunk, int64_t from, int64_t n,
                       wadi_error *err) {
    wadi_change_tail *t = &c->tail;
    const int64_t size = c->o.size, hop = c->o.hop;
    const int64_t count = full_windows(c, t->samples + n);
    const int64_t begin =
        t->samples; /* where the chunk begins, counted from the next window's start */
    int64_t joined = 0;
    if (begin > 0) {
        joined = n / SMALL < size ? count : least(count, begin / hop + (begin % hop != 0));
        const int64_t end = joined > 0 ? (joined - 1) * hop + size : begin;
        WADI_TRY(ready_joined(c, chunk, from, end > begin ? end - begin : 0, joined, size, err));
    }
    WADI_TRY(ready_inside(c, chunk, from + joined * hop - begin, count - joined, err));
    t->fresh = count > 0 ? begin + n - ((count - 1) * hop + size) : t->fresh + n;
    const int64_t next = count * hop; /* where the next window starts */
    if (next > begin + n) {
        t->skip = next - begin - n;
        t->samples = 0;
        return WADI_OK;
    }
    forget(c, chunk, least(next, begin));
    const int64_t first = next > begin ? next - begin : 0;
    return keep(c, chunk, from + first, n - first) ? WADI_OK : wadi_change_no_memory(c, err);
}

/* Gives the windows over all elements of a chunk, `samples` samples in all. The chunk may be changed. */
static wadi_status windows(wadi_change *c, wadi_chunk *chunk, int64_t samples, wadi_error *err) {
    for (int i = 0; i < chunk->components; i++) WADI_TRY(wadi_chunk_spread(chunk, i, err));
    WADI_TRY(remember_types(c, chunk, err));
    const int64_t skipped = least(c->tail.skip, samples);
    c->tail.skip -= skipped;
    if (samples == skipped) return WADI_OK;
    return cut(c, chunk, skipped, samples - skipped, err);
}

static wadi_status put(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    WADI_UNUSED(input);
    int64_t samples = 0, x = 0, y = 0;
    int component = 0;
    char what[64];
    wadi_chunk *good = NULL;
    const int64_t n = agreeing(chunk, &samples, &component, &x, &y);
    if (n > 0) {
        WADI_TRY(wadi_chunk_slice(chunk, 0, n, &good, err));
        const wadi_status status = windows(c, good, samples, err);
        wadi_chunk_release(good);
        WADI_TRY(status);
    }
    if (n == chunk->count) return WADI_OK;
    (void)snprintf(what, sizeof what, WADI_SAID_SAMPLES, component);
    return wadi_change_fault(c, chunk->first + n, what, x, y, err);
}

static wadi_status end(wadi_change *c, wadi_error *err) {
    const int64_t kept = c->tail.samples, size = c->o.size;
    if (c->o.last == WADI_LAST_WINDOW_DROP || kept == 0 || c->tail.fresh == 0) return WADI_OK;
    if (c->o.last == WADI_LAST_WINDOW_KEEP) return ready_joined(c, NULL, 0, 0, 1, kept, err);
    if (size > INT64_MAX / 64) return wadi_change_no_memory(c, err);
    return ready_joined(c, NULL, 0, size - kept, 1, size, err);
}

static void fini(wadi_change *c) {
    for (int i = 0; i < WADI_MAX_PARTS; i++)
        for (int f = 0; f < WADI_MAX_FIELDS; f++) wadi_buffers_put(c->tail.column[i][f]);
    wadi_chunk_release(c->tail.like);
}

static int64_t bytes(const wadi_change *c) {
    const wadi_chunk *like = c->tail.like;
    int64_t bytes = 0;
    for (int i = 0; like != NULL && i < like->components; i++)
        bytes += c->tail.samples * wadi_component_value_bytes(&like->component[i]);
    return bytes;
}

/* A chunk of the kept samples, which are elements of rank 0. */
static wadi_status samples_as_chunk(const wadi_change *c, wadi_chunk **out, wadi_error *err) {
    const wadi_change_tail *t = &c->tail;
    WADI_TRY(wadi_chunk_create(c->o.buffers, t->like->components, out, err));
    (*out)->count = t->samples;
    for (int i = 0; i < t->like->components; i++) {
        wadi_chunk_component *to = &(*out)->component[i];
        *to = t->like->component[i];
        to->layout = WADI_LAYOUT_REGULAR;
        to->values = t->samples;
        for (int f = 0; f < to->fields; f++) to->column[f] = t->column[i][f];
    }
    return WADI_OK;
}

static wadi_status save(const wadi_change *c, wadi_text *out, wadi_error *err) {
    const wadi_change_tail *t = &c->tail;
    wadi_chunk *samples = NULL;
    wadi_state_put(out, t->skip);
    wadi_state_put(out, t->fresh);
    wadi_state_put(out, t->like != NULL);
    if (t->like == NULL) return WADI_OK;
    WADI_TRY(samples_as_chunk(c, &samples, err));
    const wadi_status status = wadi_state_put_chunk(out, samples, err);
    wadi_chunk_release(samples);
    return status;
}

static wadi_status load_samples(wadi_change *c, wadi_chunk *samples, wadi_error *err) {
    for (int i = 0; i < samples->components; i++)
        if (samples->component[i].rank != 0 || samples->component[i].layout != WADI_LAYOUT_REGULAR)
            return wadi_fail(err, WADI_INVALID, "saved state: samples that are arrays");
    if (samples->count >= c->o.size || (samples->count > 0 && c->tail.skip > 0))
        return wadi_fail(err, WADI_INVALID, "saved state: %lld samples, and windows of %lld",
                         (long long)samples->count, (long long)c->o.size);
    WADI_TRY(remember_types(c, samples, err));
    return keep(c, samples, 0, samples->count) ? WADI_OK : wadi_change_no_memory(c, err);
}

static wadi_status load(wadi_change *c, wadi_state_reader *from, wadi_error *err) {
    wadi_chunk *samples = NULL;
    int64_t typed = 0;
    WADI_TRY(wadi_state_take_count(from, c->o.hop, &c->tail.skip, err));
    WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &c->tail.fresh, err));
    WADI_TRY(wadi_state_take_count(from, 1, &typed, err));
    if (typed == 0) return WADI_OK;
    WADI_TRY(wadi_state_take_chunk(from, c->o.buffers, &samples, err));
    const wadi_status status = load_samples(c, samples, err);
    wadi_chunk_release(samples);
    return status;
}

const wadi_change_row wadi_change_windows = {
    .facts = {.name = "windows", .size = "the size", .hop = "the hop", .lasts = true},
    .put = put,
    .end = end,
    .bytes = bytes,
    .fini = fini,
    .save = save,
    .load = load,
};
