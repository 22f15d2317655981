/* What a run did in the last seconds: for those who look at it again and again. */
#ifndef WADI_SCHED_WATCH_HISTORY_H
#define WADI_SCHED_WATCH_HISTORY_H

#include "sched/view.h"

enum { WADI_WATCH_NODES = 64, WADI_WATCH_SAMPLES = 32 };

/* Per second, over the last seconds, or since the run began if nobody has looked before. */
typedef struct wadi_watch_pace {
    double elements, bytes_in, bytes_out; /* of the run */
    double utilisation;                   /* 0..1 */
    double node_elements[WADI_WATCH_NODES], node_bytes[WADI_WATCH_NODES];
    double node_busy
        [WADI_WATCH_NODES]; /* 0..1, the share of the time in which its thread worked for it */
    double device_busy[WADI_VIEW_DEVICES]; /* 0..1, busy time of its workers by all their time */
    int64_t chunk_elements[WADI_WATCH_SAMPLES]; /* the sizes of chunks, the oldest first */
    int sizes;
} wadi_watch_pace;

/* Remembers the view, and tells the pace since earlier ones. Any thread. */
void wadi_watch_pace_of(const wadi_view *v, wadi_watch_pace *out);

#endif
