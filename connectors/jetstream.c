/* Streams of messages that a NATS server keeps (JetStream), as places: nats://HOST[:PORT]/STREAM[?NAME=VALUE&..]. */
#include <string.h>

#include "base/error.h"
#include "connectors/connectors.h"

static bool is_address(const char *at) {
    return strncmp(at, "nats://", 7) == 0;
}

static wadi_status open_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    if (p->rank >= 0 && p->parts == 1 && p->rank != p->part[0].rank)
        return wadi_fail(err, WADI_SHAPE,
                         "%.200s: the shape has %d extents, but the program declares %d", p->at,
                         p->rank, p->part[0].rank);
    return wadi_source_messages(p->at, p->parts, p->part, &out->source, err);
}

static wadi_status open_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    return wadi_sink_messages(p->at, out, err);
}

const wadi_connector wadi_connector_row_jetstream = {
    .name = "jetstream",
    .about = "messages that a NATS server keeps, nats://HOST[:PORT]/STREAM: each is an element; "
             "settings ?subject=NAME&from=N&to=N&follow=yes&as=lines",
    .recognises = is_address,
    .has_addresses = true,
    .source = open_source,
    .sink = open_sink,
};
