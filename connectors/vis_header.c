/* Writing and reading the header of visibilities, as connectors/vis_header.h lays it out. Both ends make the same checks. */
#include "connectors/vis_header.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { FIXED_BYTES = 64, REACH_BYTES = 16, FREQUENCY_BYTES = 8, CODE_BYTES = 4 };

enum { HAS_REACH = 1 }; /* flags */

/* ---- what a header may say ---- */

#define UNSOUND(...) wadi_fail(err, WADI_INVALID, "visibilities: " __VA_ARGS__)

static bool is_name(const char *s, size_t n) {
    if (n > WADI_VIS_MOST_NAME) return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f) return false;
    return true;
}

static bool is_code(int code) {
    return (code >= WADI_STOKES_I && code <= WADI_STOKES_V) ||
           (code <= WADI_STOKES_RR && code >= WADI_STOKES_YX);
}

static wadi_status check_sizes(const wadi_vis_info *v, wadi_error *err) {
    if (v->rows < -1) return UNSOUND("%lld rows", (long long)v->rows);
    if (v->channels < 1 || v->channels > WADI_VIS_MOST_CHANNELS)
        return UNSOUND("%lld channels, expected 1 to %d", (long long)v->channels,
                       (int)WADI_VIS_MOST_CHANNELS);
    if (v->pols < 1 || v->pols > WADI_VIS_MOST_POLS)
        return UNSOUND("%lld polarisations, expected 1 to %d", (long long)v->pols,
                       (int)WADI_VIS_MOST_POLS);
    return WADI_OK;
}

static wadi_status check_tables(const wadi_vis_info *v, wadi_error *err) {
    for (int64_t c = 0; c < v->channels; c++)
        if (!(v->frequency[c] > 0) || !isfinite(v->frequency[c]))
            return UNSOUND("the frequency of channel %lld is %g Hz", (long long)c, v->frequency[c]);
    for (int64_t p = 0; p < v->pols; p++)
        if (!is_code(v->stokes[p]))
            return UNSOUND("polarisation %lld has code %d", (long long)p, v->stokes[p]);
    return WADI_OK;
}

static wadi_status check_place(const wadi_vis_info *v, wadi_error *err) {
    const double pi = 3.14159265358979323846;
    const bool nowhere = isnan(v->ra) && isnan(v->dec);
    const bool somewhere = fabs(v->ra) <= 2 * pi && fabs(v->dec) <= pi / 2;
    if (!nowhere && !somewhere) return UNSOUND("the phase centre is at %g, %g rad", v->ra, v->dec);
    if (!(v->equinox > 1000 && v->equinox < 3000)) return UNSOUND("the equinox is %g", v->equinox);
    if (!isfinite(v->channel_width))
        return UNSOUND("the width of a channel is %g Hz", v->channel_width);
    return WADI_OK;
}

/* A header gives both baselines or none of them. */
static bool has_reach(const wadi_vis_info *v) {
    return v->longest != 0 || v->shortest != 0;
}

static wadi_status check_reach(const wadi_vis_info *v, wadi_error *err) {
    const bool sound =
        isfinite(v->longest) && isfinite(v->shortest) && v->longest > 0 && v->shortest > 0;
    if (sound || !has_reach(v)) return WADI_OK;
    return UNSOUND("the longest baseline is %g m, the shortest %g", v->longest, v->shortest);
}

static wadi_status check_names(const wadi_vis_info *v, wadi_error *err) {
    if (is_name(v->object, strlen(v->object)) && is_name(v->telescope, strlen(v->telescope)))
        return WADI_OK;
    return UNSOUND("a name is longer than %d bytes or has control characters",
                   (int)WADI_VIS_MOST_NAME);
}

/* ---- writing ---- */

typedef struct writer {
    uint8_t *at;
    size_t n;
} writer;

static void put(writer *w, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) w->at[w->n++] = (uint8_t)(value >> (8 * i));
}

static void put_real(writer *w, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(w, bits, 8);
}

static void put_name(writer *w, const char *name) {
    const size_t n = strlen(name);
    memcpy(w->at + w->n, name, n);
    w->n += n;
}

static void put_fixed(writer *w, const wadi_vis_info *v) {
    memcpy(w->at, "WVIS", 4);
    w->n = 4;
    put(w, WADI_VIS_HEADER_VERSION, 2);
    put(w, has_reach(v) ? HAS_REACH : 0, 2);
    put(w, (uint64_t)v->rows, 8);
    put(w, (uint64_t)v->channels, 4);
    put(w, (uint64_t)v->pols, 4);
    put_real(w, v->channel_width);
    put_real(w, v->ra);
    put_real(w, v->dec);
    put_real(w, v->equinox);
    put(w, strlen(v->object), 2);
    put(w, strlen(v->telescope), 2);
    put(w, 0, 4);
    if (!has_reach(v)) return;
    put_real(w, v->longest);
    put_real(w, v->shortest);
}

wadi_status wadi_vis_header_write(const wadi_vis_info *info, void **out, size_t *out_n,
                                  wadi_error *err) {
    if (info->frequency == NULL || info->stokes == NULL || info->object == NULL ||
        info->telescope == NULL)
        return wadi_fail(err, WADI_INVALID,
                         "visibilities: frequencies, polarisations or a name are NULL");
    WADI_TRY(check_sizes(info, err));
    WADI_TRY(check_tables(info, err));
    WADI_TRY(check_place(info, err));
    WADI_TRY(check_reach(info, err));
    WADI_TRY(check_names(info, err));
    const size_t n = FIXED_BYTES + (has_reach(info) ? (size_t)REACH_BYTES : 0) +
                     (size_t)info->channels * FREQUENCY_BYTES + (size_t)info->pols * CODE_BYTES +
                     strlen(info->object) + strlen(info->telescope);
    writer w = {malloc(n), 0};
    if (w.at == NULL) return wadi_fail(err, WADI_MEMORY, "visibilities: out of memory");
    put_fixed(&w, info);
    for (int64_t c = 0; c < info->channels; c++) put_real(&w, info->frequency[c]);
    for (int64_t p = 0; p < info->pols; p++) put(&w, (uint32_t)info->stokes[p], 4);
    put_name(&w, info->object);
    put_name(&w, info->telescope);
    WADI_ASSERT(w.n == n);
    *out = w.at;
    *out_n = n;
    return WADI_OK;
}

/* ---- reading ---- */

#define MALFORMED(...) wadi_fail(err, WADI_IO, "header of visibilities: " __VA_ARGS__)

typedef struct reader {
    const uint8_t *at;
    size_t n; /* bytes read; the length of the header has been checked before */
} reader;

static uint64_t get(reader *r, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)r->at[r->n++] << (8 * i);
    return value;
}

static double get_real(reader *r) {
    const uint64_t bits = get(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static wadi_status check_envelope(const uint8_t *at, size_t n, wadi_error *err) {
    if (n < 8 || memcmp(at, "WVIS", 4) != 0)
        return MALFORMED("it does not begin with \"WVIS\": the sender sends something else");
    const unsigned version = (unsigned)(at[4] | at[5] << 8);
    if (version != WADI_VIS_HEADER_VERSION)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "header of visibilities: version %u; this build reads version %d", version,
                         (int)WADI_VIS_HEADER_VERSION);
    if (at[6] > HAS_REACH || at[7] != 0) return MALFORMED("unknown flags");
    if (n < FIXED_BYTES + (at[6] == HAS_REACH ? (size_t)REACH_BYTES : 0))
        return MALFORMED("it ends after %zu bytes", n);
    return WADI_OK;
}

typedef struct name_lengths {
    size_t object, telescope;
} name_lengths;

static wadi_status read_fixed(reader *r, size_t n, wadi_vis_info *v, name_lengths *names,
                              wadi_error *err) {
    WADI_TRY(check_envelope(r->at, n, err));
    r->n = 8;
    v->rows = (int64_t)get(r, 8);
    v->channels = (int64_t)get(r, 4);
    v->pols = (int64_t)get(r, 4);
    v->channel_width = get_real(r);
    v->ra = get_real(r);
    v->dec = get_real(r);
    v->equinox = get_real(r);
    names->object = (size_t)get(r, 2);
    names->telescope = (size_t)get(r, 2);
    if (get(r, 4) != 0) return MALFORMED("bytes that must be zero are not");
    if (r->at[6] == HAS_REACH) {
        v->longest = get_real(r);
        v->shortest = get_real(r);
        if (!has_reach(v)) return MALFORMED("baselines without length");
    }
    WADI_TRY(check_sizes(v, err));
    WADI_TRY(check_reach(v, err));
    const size_t want = r->n + (size_t)v->channels * FREQUENCY_BYTES +
                        (size_t)v->pols * CODE_BYTES + names->object + names->telescope;
    return n == want ? WADI_OK : MALFORMED("%zu bytes, expected %zu", n, want);
}

static wadi_status read_name(reader *r, size_t n, char *to, wadi_error *err) {
    if (!is_name((const char *)r->at + r->n, n))
        return MALFORMED("a name is longer than %d bytes or has control characters",
                         (int)WADI_VIS_MOST_NAME);
    memcpy(to, r->at + r->n, n);
    to[n] = 0;
    r->n += n;
    return WADI_OK;
}

/* The tables and names, into memory of `room`. */
static wadi_status read_tables(reader *r, wadi_vis_info *v, const name_lengths *names, void *room,
                               wadi_error *err) {
    double *frequency = room;
    int *stokes = (int *)(frequency + v->channels);
    char *object = (char *)(stokes + v->pols);
    char *telescope = object + names->object + 1;
    for (int64_t c = 0; c < v->channels; c++) frequency[c] = get_real(r);
    for (int64_t p = 0; p < v->pols; p++) stokes[p] = (int32_t)get(r, 4);
    WADI_TRY(read_name(r, names->object, object, err));
    WADI_TRY(read_name(r, names->telescope, telescope, err));
    v->frequency = frequency;
    v->stokes = stokes;
    v->object = object;
    v->telescope = telescope;
    WADI_TRY(check_tables(v, err));
    return check_place(v, err);
}

wadi_status wadi_vis_header_read(const void *bytes, size_t n, wadi_vis_info *out, void **out_memory,
                                 wadi_error *err) {
    reader r = {bytes, 0};
    wadi_vis_info v = {.format = "link"};
    name_lengths names = {0};
    wadi_status status = read_fixed(&r, n, &v, &names, err);
    if (status == WADI_INVALID) status = WADI_IO; /* it came from outside */
    if (status != WADI_OK) {
        if (err != NULL) err->status = status;
        return status;
    }
    void *memory = malloc((size_t)v.channels * sizeof(double) + (size_t)v.pols * sizeof(int) +
                          names.object + names.telescope + 2);
    if (memory == NULL) return wadi_fail(err, WADI_MEMORY, "visibilities: out of memory");
    status = read_tables(&r, &v, &names, memory, err);
    if (status != WADI_OK) {
        free(memory);
        if (err != NULL) err->status = WADI_IO;
        return WADI_IO;
    }
    *out = v;
    *out_memory = memory;
    return WADI_OK;
}
