/* The handles' common part. */
#include "sched/stream.h"

#include "base/error.h"

void wadi_source_destroy(wadi_source *source) {
    if (source != NULL) source->ops->destroy(source);
}

void wadi_sink_destroy(wadi_sink *sink) {
    if (sink != NULL) sink->ops->destroy(sink);
}

void wadi_sink_sync(wadi_sink *sink) {
    if (sink != NULL) sink->sync = true;
}

wadi_part wadi_part_irregular(wadi_type type, int rank) {
    return (wadi_part){.rank = rank, .fields = 1, .type = {type}};
}

wadi_part wadi_part_fixed(wadi_type type, int rank, const int64_t *shape) {
    wadi_part part = {.rank = rank, .fields = 1, .type = {type}, .fixed = true};
    if (shape == NULL && rank > 0) part.rank = -1; /* no part at all: what is given it says so */
    for (int d = 0; d < part.rank && d < WADI_MAX_RANK; d++) part.shape[d] = shape[d];
    return part;
}
