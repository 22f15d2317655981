/* Links to other processes as places: the addresses of the transports. */
#include "connectors/connectors.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sched/transport/transport.h"

static bool is_address(const char *at) {
    return wadi_transport_of(at) != NULL;
}

static void tell(char *out, size_t room) {
    char forms[WADI_TRANSPORT_FORMS];
    wadi_transport_forms(forms);
    (void)snprintf(out, room,
                   "another process, at %s; the reader binds the address; options share, part, "
                   "gather",
                   forms);
}

/* share: what is sent goes to several, which each read a part; gather: what they send is put into order again. */
static wadi_status end_of(const wadi_place *p, bool sends, wadi_place_end *out, wadi_error *err) {
    const char *o = p->options;
    *out = (wadi_place_end){.bind = !sends};
    if (o == NULL || *o == '\0') return WADI_OK;
    const bool is_part = strcmp(o, "part") == 0, shares = strcmp(o, "share") == 0,
               gathers = strcmp(o, "gather") == 0;
    *out = (wadi_place_end){.bind = !is_part, .shared = true};
    if (is_part || (sends ? shares : gathers)) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     shares    ? "link: share is for what is sent; for what is read there are part "
                                 "(one of several receivers) and gather (what they send)"
                     : gathers ? "link: gather is for what is read; for what is sent there are "
                                 "share (to several receivers) and part (what one of them sends)"
                               : "link: \"%.60s\" is no option; there are share (what is sent "
                                 "goes to several receivers), part (of one of them) and gather "
                                 "(what they send is put into order)",
                     o);
}

static wadi_status link_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    wadi_place_end end;
    WADI_TRY(end_of(p, false, &end, err));
    if (p->links != NULL) return p->links->source(p->links->env, p, end, &out->source, err);
    const wadi_link_options o = {.bind = end.bind, .shared = end.shared};
    return wadi_source_link(p->at, &o, &out->source, err);
}

static wadi_status link_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    wadi_place_end end;
    WADI_TRY(end_of(p, true, &end, err));
    if (p->links != NULL) return p->links->sink(p->links->env, p->at, end, out, err);
    const wadi_link_options o = {.bind = end.bind, .shared = end.shared};
    return wadi_sink_link(p->at, &o, out, err);
}

const wadi_connector wadi_connector_row_link = {
    .name = "link",
    .tell = tell,
    .recognises = is_address,
    .has_addresses = true,
    .takes_options = true,
    .source = link_source,
    .sink = link_sink,
};
