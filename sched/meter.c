/* Adding up busy times. */
#include "sched/meter.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"

wadi_status wadi_meter_init(wadi_meter *m, wadi_error *err) {
    memset(m, 0, sizeof *m);
    return wadi_mutex_init(&m->lock, err);
}

void wadi_meter_fini(wadi_meter *m) {
    wadi_mutex_fini(&m->lock);
}

static void advance(wadi_meter *m, int64_t now) {
    if (m->busy_now >= 2) m->overlap_ns += now - m->changed_ns;
    m->changed_ns = now;
}

void wadi_meter_busy(wadi_meter *m, wadi_stage stage) {
    wadi_mutex_lock(&m->lock);
    const int64_t now = wadi_clock_ns();
    advance(m, now);
    if (m->threads[stage]++ == 0) {
        m->since_ns[stage] = now;
        m->busy_now++;
    }
    wadi_mutex_unlock(&m->lock);
}

void wadi_meter_idle(wadi_meter *m, wadi_stage stage) {
    wadi_mutex_lock(&m->lock);
    const int64_t now = wadi_clock_ns();
    advance(m, now);
    WADI_ASSERT(m->threads[stage] > 0);
    if (--m->threads[stage] == 0) {
        m->busy_ns[stage] += now - m->since_ns[stage];
        m->since_ns[stage] = 0;
        m->busy_now--;
    }
    wadi_mutex_unlock(&m->lock);
}

void wadi_meter_read(wadi_meter *m, int64_t out_busy_ns[WADI_STAGE_COUNT],
                     int64_t *out_overlap_ns) {
    wadi_mutex_lock(&m->lock);
    const int64_t now = wadi_clock_ns();
    advance(m, now);
    for (int i = 0; i < WADI_STAGE_COUNT; i++) {
        out_busy_ns[i] = m->busy_ns[i] + (m->since_ns[i] != 0 ? now - m->since_ns[i] : 0);
    }
    *out_overlap_ns = m->overlap_ns;
    wadi_mutex_unlock(&m->lock);
}
