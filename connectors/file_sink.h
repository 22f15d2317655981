/* A sink of one file, from its beginning to its end: everything but how elements become bytes. The file appears under its name when the stream
 * has ended well. In a run that is saved it lasts, and another process goes on behind the bytes that were saved. */
#ifndef WADI_CONNECTORS_FILE_SINK_H
#define WADI_CONNECTORS_FILE_SINK_H

#include "base/outfile.h"
#include "sched/stream.h"

typedef struct wadi_file_sink wadi_file_sink;

/* Writes all elements of the chunk to s->file. */
typedef wadi_status (*wadi_file_sink_fn)(const wadi_file_sink *s, const wadi_chunk *c,
                                         wadi_error *err);

struct wadi_file_sink {
    wadi_sink base;
    wadi_file_sink_fn write;
    wadi_outfile *file; /* NULL: ended */
    char *path;
    int64_t elements; /* put */
    int64_t bytes;    /* saved */
    bool lasts, finished;
    char separator; /* of sinks that write one */
};

/* kind: static. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_place_file_sink(const char *path, const char *kind,
                                                wadi_file_sink_fn write, wadi_file_sink **out,
                                                wadi_error *err);

#endif
