/* What all sources and sinks share. */
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

/* ---- positions ---- */

wadi_status wadi_source_tell(wadi_source *source, wadi_position *out, wadi_error *err) {
    if (source->ops->tell != NULL) return source->ops->tell(source, out, err);
    return wadi_fail(err, WADI_UNSUPPORTED, "a %s source cannot say where it stands", source->kind);
}

wadi_status wadi_source_seek(wadi_source *source, wadi_position to, wadi_error *err) {
    if (source->ops->seek != NULL) return source->ops->seek(source, to, err);
    return wadi_fail(err, WADI_UNSUPPORTED, "a %s source cannot begin elsewhere", source->kind);
}

wadi_status wadi_source_comes_back(wadi_source *source, wadi_error *err) {
    wadi_position at;
    WADI_TRY(wadi_source_tell(source, &at, err));
    return wadi_source_seek(source, at, err);
}

wadi_status wadi_sink_have(wadi_sink *sink, wadi_position *out, wadi_error *err) {
    if (sink->ops->have != NULL) return sink->ops->have(sink, out, err);
    return wadi_fail(err, WADI_UNSUPPORTED, "a %s sink cannot say what it has", sink->kind);
}

wadi_status wadi_position_check(wadi_position to, int64_t count, const char *kind,
                                wadi_error *err) {
    if (to.element >= 0 && to.element <= count && to.mark == 0) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "%s source: no position (%lld, %lld); there are %lld elements", kind,
                     (long long)to.element, (long long)to.mark, (long long)count);
}

/* ---- parts ---- */

wadi_part wadi_part_irregular(wadi_type type, int rank) {
    return (wadi_part){.rank = rank, .fields = 1, .type = {type}};
}

wadi_part wadi_part_fixed(wadi_type type, int rank, const int64_t *shape) {
    wadi_part part = {.rank = rank, .fields = 1, .type = {type}, .fixed = true};
    if (shape == NULL && rank > 0) part.rank = -1; /* an invalid part, which constructors refuse */
    for (int d = 0; d < part.rank && d < WADI_MAX_RANK; d++) part.shape[d] = shape[d];
    return part;
}
