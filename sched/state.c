/* Writes what a stage keeps as numbers, texts and chunks, and reads it again, trusting none of it. */
#include "sched/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/link/wire.h"

/* ---- writing ---- */

void wadi_state_put(wadi_text *out, int64_t number) {
    char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (char)((uint64_t)number >> (8 * i));
    wadi_text_add_n(out, bytes, sizeof bytes);
}

void wadi_state_put_text(wadi_text *out, const char *s) {
    const size_t n = strlen(s);
    wadi_state_put(out, (int64_t)n);
    wadi_text_add_n(out, s, n);
}

/* A view whose columns are on the host, with elements one behind the other. The chunk itself is not changed. */
static wadi_status plain_view(wadi_chunk *c, wadi_chunk **out, wadi_error *err) {
    WADI_TRY(wadi_chunk_slice(c, 0, c->count, out, err));
    wadi_status status = wadi_chunk_at_host(*out, err);
    for (int i = 0; i < c->components && status == WADI_OK; i++)
        if ((*out)->component[i].layout == WADI_LAYOUT_REGULAR)
            status = wadi_chunk_spread(*out, i, err);
    if (status != WADI_OK) wadi_chunk_release(*out);
    return status;
}

wadi_status wadi_state_put_chunk(wadi_text *out, wadi_chunk *c, wadi_error *err) {
    static const wadi_wire_stream none = {0};
    wadi_chunk *plain = NULL;
    wadi_wire_message *m = malloc(sizeof *m);
    if (m == NULL) return wadi_fail(err, WADI_MEMORY, "state: out of memory");
    wadi_status status = plain_view(c, &plain, err);
    if (status == WADI_OK) {
        status = wadi_wire_encode(plain, &none, m, err);
        wadi_state_put(out, status == WADI_OK ? m->frames : 0);
        for (int i = 0; status == WADI_OK && i < m->frames; i++) {
            wadi_state_put(out, m->frame[i].bytes);
            wadi_text_add_n(out, m->frame[i].data, (size_t)m->frame[i].bytes);
        }
        wadi_chunk_release(plain);
    }
    free(m);
    return status;
}

/* ---- reading ---- */

static wadi_status ends_early(wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "saved state: it ends early");
}

wadi_status wadi_state_take(wadi_state_reader *r, int64_t *out, wadi_error *err) {
    uint64_t n = 0;
    if (r->left < 8) return ends_early(err);
    for (int i = 0; i < 8; i++) n |= (uint64_t)(unsigned char)r->at[i] << (8 * i);
    r->at += 8;
    r->left -= 8;
    *out = (int64_t)n;
    return WADI_OK;
}

wadi_status wadi_state_take_count(wadi_state_reader *r, int64_t most, int64_t *out,
                                  wadi_error *err) {
    WADI_TRY(wadi_state_take(r, out, err));
    if (*out >= 0 && *out <= most) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "saved state: %lld, expected 0 to %lld", (long long)*out,
                     (long long)most);
}

wadi_status wadi_state_take_text(wadi_state_reader *r, wadi_text *out, wadi_error *err) {
    int64_t n = 0;
    WADI_TRY(wadi_state_take_count(r, INT64_MAX, &n, err));
    if ((uint64_t)n > r->left) return ends_early(err);
    wadi_text_add_n(out, r->at, (size_t)n);
    r->at += n;
    r->left -= (size_t)n;
    return out->failed ? wadi_fail(err, WADI_MEMORY, "state: out of memory") : WADI_OK;
}

wadi_status wadi_state_expect_text(wadi_state_reader *r, const char *s, wadi_error *err) {
    const size_t n = strlen(s);
    int64_t have = 0;
    WADI_TRY(wadi_state_take_count(r, INT64_MAX, &have, err));
    if ((uint64_t)have > r->left) return ends_early(err);
    if ((size_t)have != n || memcmp(r->at, s, n) != 0)
        return wadi_fail(err, WADI_INVALID, "saved state: it belongs to %.*s, expected %s",
                         (int)(have < 32 ? have : 32), r->at, s);
    r->at += n;
    r->left -= n;
    return WADI_OK;
}

wadi_status wadi_state_take_chunk(wadi_state_reader *r, wadi_buffers *buffers, wadi_chunk **out,
                                  wadi_error *err) {
    wadi_wire_frame frame[WADI_WIRE_FRAMES];
    int64_t frames = 0;
    const wadi_wire_limits limits = {.bytes = (int64_t)r->left, .elements = INT64_C(1) << 40};
    WADI_TRY(wadi_state_take_count(r, WADI_WIRE_FRAMES, &frames, err));
    if (frames == 0) return wadi_fail(err, WADI_INVALID, "saved state: a chunk without frames");
    for (int64_t i = 0; i < frames; i++) {
        int64_t bytes = 0;
        WADI_TRY(wadi_state_take_count(r, INT64_MAX, &bytes, err));
        if ((uint64_t)bytes > r->left) return ends_early(err);
        frame[i] = (wadi_wire_frame){r->at, bytes};
        r->at += bytes;
        r->left -= (size_t)bytes;
    }
    return wadi_wire_decode(frame, (int)frames, &limits, buffers, NULL, out, err);
}
