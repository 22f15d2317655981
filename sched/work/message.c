/* Writing and reading control frames. */
#include "sched/work/message.h"

#include <string.h>

#include "base/error.h"

static void put64(uint8_t *at, int64_t value) {
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)((uint64_t)value >> (8 * i));
}

static int64_t get64(const uint8_t *at) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)at[i] << (8 * i);
    return (int64_t)value;
}

void wadi_workq_control_write(const wadi_workq_control *c, uint8_t out[WADI_WORKQ_CONTROL]) {
    memcpy(out, "WWRK", 4);
    out[4] = WADI_WORKQ_VERSION;
    out[5] = (uint8_t)c->kind;
    out[6] = (uint8_t)c->status;
    out[7] = 0;
    put64(out + 8, c->job);
    put64(out + 16, c->number);
    put64(out + 24, c->bytes);
}

wadi_status wadi_workq_control_read(const void *data, size_t n, wadi_workq_control *out,
                                    wadi_error *err) {
    const uint8_t *at = data;
    if (n != WADI_WORKQ_CONTROL || memcmp(at, "WWRK", 4) != 0)
        return wadi_fail(err, WADI_IO, "work queue: a message that is not of this protocol");
    if (at[4] != WADI_WORKQ_VERSION)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "work queue: protocol version %d; this build speaks %d", at[4],
                         (int)WADI_WORKQ_VERSION);
    *out =
        (wadi_workq_control){.kind = (wadi_workq_kind)at[5],
                             .status = at[6] > WADI_INTERNAL ? WADI_INTERNAL : (wadi_status)at[6],
                             .job = get64(at + 8),
                             .number = get64(at + 16),
                             .bytes = get64(at + 24)};
    const bool known = at[5] >= WADI_WORKQ_HELLO && at[5] <= WADI_WORKQ_BEAT;
    if (known && out->job >= 0 && out->number >= 0 && out->bytes >= 0) return WADI_OK;
    return wadi_fail(err, WADI_IO, "work queue: a message that makes no sense");
}
