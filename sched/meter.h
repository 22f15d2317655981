/* Measures how much of the time the stages of a run work, and how much they work at the same time.
 *
 * Stages report when they start and stop being busy. The meter keeps the busy time of each stage, and the time during which at
 * least two were busy. Safe from any thread. */
#ifndef WADI_SCHED_METER_H
#define WADI_SCHED_METER_H

#include <stdint.h>

#include "base/thread.h"

typedef enum wadi_stage {
    WADI_STAGE_SOURCE,
    WADI_STAGE_COMPUTE,
    WADI_STAGE_APART, /* stages and ends with a crew of their own */
    WADI_STAGE_SINK,
    WADI_STAGE_COUNT
} wadi_stage;

typedef struct wadi_meter {
    wadi_mutex lock;
    int64_t changed_ns; /* clock at the last change */
    int busy_now;       /* how many stages are busy */
    int threads
        [WADI_STAGE_COUNT]; /* busy threads of each stage; a stage is busy if one of its threads is */
    int64_t since_ns[WADI_STAGE_COUNT]; /* clock when the stage became busy; 0: it is not busy */
    int64_t busy_ns[WADI_STAGE_COUNT];
    int64_t overlap_ns; /* time during which two stages or more were busy */
} wadi_meter;

WADI_NODISCARD wadi_status wadi_meter_init(wadi_meter *m, wadi_error *err);
void wadi_meter_fini(wadi_meter *m);
void wadi_meter_busy(wadi_meter *m, wadi_stage stage);
void wadi_meter_idle(wadi_meter *m, wadi_stage stage);
/* Reads the times up to now. */
void wadi_meter_read(wadi_meter *m, int64_t out_busy_ns[WADI_STAGE_COUNT], int64_t *out_overlap_ns);

#endif
