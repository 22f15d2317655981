/* Pictures as places. */
#include "connectors/connectors.h"
#include "wadi/image.h"

static wadi_status png_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    return wadi_sink_png(p->at, NULL, out, err);
}

const wadi_connector wadi_connector_row_png = {
    .name = "png",
    .about = "a sink: the first plane of f32 or f64 as a grey picture",
    .endings = "png",
    .sink = png_sink,
};
