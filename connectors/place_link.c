/* Links to other processes as places: the addresses of the transports. */
#include "connectors/connectors.h"

#include <stdio.h>

#include "sched/transport/transport.h"

static bool is_address(const char *at) {
    return wadi_transport_of(at) != NULL;
}

static void tell(char *out, size_t room) {
    char forms[WADI_TRANSPORT_FORMS];
    wadi_transport_forms(forms);
    (void)snprintf(out, room, "another process, at %s; the reader binds the address", forms);
}

static wadi_status link_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    if (p->links != NULL) return p->links->source(p->links->env, p, &out->source, err);
    return wadi_source_link(p->at, &(wadi_link_options){.bind = true}, &out->source, err);
}

static wadi_status link_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    if (p->links != NULL) return p->links->sink(p->links->env, p->at, out, err);
    return wadi_sink_link(p->at, NULL, out, err);
}

const wadi_connector wadi_connector_row_link = {
    .name = "link",
    .tell = tell,
    .recognises = is_address,
    .source = link_source,
    .sink = link_sink,
};
