/* Labels and records as text: decimal numbers, checksums and names in hexadecimal, separated by one space. */
#include "sched/work/jet_label.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const states[] = {"begun", "open", "left", "ended"};

enum { STATES = sizeof states / sizeof *states };

/* ---- reading what was written, and nothing else ---- */

/* Takes a number of at most `most` in `base` and the space or the end behind it. `digits`: exactly so many, 0: as few as do. */
static bool take(const char **s, int base, size_t digits, uint64_t most, uint64_t *out) {
    const size_t n = strspn(*s, base == 16 ? "0123456789abcdef" : "0123456789");
    if (n == 0 || n > 19 || (digits != 0 && n != digits)) return false;
    if (digits == 0 && n > 1 && **s == '0') return false;
    const uint64_t value = strtoull(*s, NULL, base);
    *s += n;
    if (value > most || (**s != ' ' && **s != '\0')) return false;
    if (**s == ' ') ++*s;
    *out = value;
    return true;
}

static bool take_label(const char **s, wadi_jet_label *out) {
    uint64_t number = 0, status = 0, bytes = 0, frames = 0, crc = 0, nonce = 0;
    if (!take(s, 10, 0, INT64_MAX, &number) || !take(s, 10, 0, WADI_INTERNAL, &status) ||
        !take(s, 10, 0, INT64_MAX, &bytes) || !take(s, 10, 0, WADI_JET_FRAMES_MOST, &frames) ||
        !take(s, 16, 8, UINT32_MAX, &crc) || !take(s, 16, 16, UINT64_MAX, &nonce))
        return false;
    if (bytes > (frames + 1) * WADI_JET_FRAME_MOST || bytes < frames) return false;
    *out = (wadi_jet_label){(int64_t)number, (wadi_status)status, (int64_t)bytes,
                            (int32_t)frames, (uint32_t)crc,       nonce};
    return true;
}

/* Is `s` just what `writer` has written? Readers are lenient about spaces, writers are not. */
static bool same(const char *s, const char *written) {
    return strcmp(s, written) == 0;
}

/* ---- labels ---- */

void wadi_jet_label_write(const wadi_jet_label *l, char out[WADI_JET_LABEL_ROOM]) {
    (void)snprintf(out, WADI_JET_LABEL_ROOM,
                   "%" PRId64 " %d %" PRId64 " %" PRId32 " %08" PRIx32 " %016" PRIx64, l->number,
                   (int)l->status, l->bytes, l->frames, l->crc, l->nonce);
}

bool wadi_jet_label_read(const char *s, wadi_jet_label *out) {
    wadi_jet_label l;
    char again[WADI_JET_LABEL_ROOM];
    const char *at = s;
    if (s == NULL || !take_label(&at, &l)) return false;
    wadi_jet_label_write(&l, again);
    if (!same(s, again)) return false;
    *out = l;
    return true;
}

/* ---- records ---- */

void wadi_jet_record_write(const wadi_jet_record *r, char out[WADI_JET_LABEL_ROOM]) {
    char label[WADI_JET_LABEL_ROOM];
    wadi_jet_label_write(&r->charter, label);
    (void)snprintf(out, WADI_JET_LABEL_ROOM, "4 %.16s %s %" PRId64 " %.90s", r->epoch,
                   states[r->state], r->ack_wait_ms, label);
}

bool wadi_jet_record_read(const char *s, wadi_jet_record *out) {
    uint64_t version = 0, epoch = 0, ack_wait_ms = 0;
    wadi_jet_record r = {0};
    char again[WADI_JET_LABEL_ROOM];
    const char *at = s;
    if (s == NULL || strlen(s) >= WADI_JET_LABEL_ROOM || !take(&at, 10, 0, 4, &version) ||
        !take(&at, 16, 16, UINT64_MAX, &epoch))
        return false;
    int state = 0;
    size_t n = strcspn(at, " ");
    while (state < STATES && (strncmp(states[state], at, n) != 0 || states[state][n] != '\0'))
        state++;
    if (state == STATES || at[n] != ' ') return false;
    at += n + 1;
    if (!take(&at, 10, 0, INT64_C(1000000000), &ack_wait_ms) || !take_label(&at, &r.charter) ||
        version != 4 || ack_wait_ms < 1)
        return false;
    (void)snprintf(r.epoch, sizeof r.epoch, "%016" PRIx64, epoch);
    r.state = (wadi_jet_state)state;
    r.ack_wait_ms = (int64_t)ack_wait_ms;
    wadi_jet_record_write(&r, again);
    if (!same(s, again)) return false;
    *out = r;
    return true;
}
