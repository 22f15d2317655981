/* Files of radio telescopes as places: visibilities, and images that are written as FITS. */
#include "base/error.h"
#include "connectors/connectors.h"
#include "wadi/image.h"
#include "wadi/visibility.h"

static void close_visibilities(void *held) {
    wadi_vis_close(held);
}

static wadi_status visibility_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    if (p->rank > 0)
        return wadi_fail(err, WADI_INVALID,
                         "%s: the file tells the shape of the rows; expected no shape in front",
                         p->at);
    if (p->parts != WADI_VIS_PARTS)
        return wadi_fail(err, WADI_TYPE,
                         "%s: visibilities are a stream of (f64[3], i32[2], f64, c128[channels, "
                         "products], f32[channels, products]), but the program declares something "
                         "else",
                         p->at);
    wadi_vis *vis = NULL;
    WADI_TRY(wadi_vis_open(p->at, NULL, &vis, err));
    const wadi_status st = wadi_vis_source(vis, &out->source, err);
    if (st != WADI_OK) {
        wadi_vis_close(vis);
        return st;
    }
    out->held = vis;
    out->release = close_visibilities;
    return WADI_OK;
}

static wadi_status fits_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    return wadi_sink_fits(p->at, NULL, out, err);
}

const wadi_connector wadi_connector_row_visibilities = {
    .name = "visibilities",
    .about = "what a radio telescope measures (uvfits, uvh5, ms): a source of its rows",
    .endings = "uvfits uvf uvh5 ms",
    .source = visibility_source,
};

const wadi_connector wadi_connector_row_fits = {
    .name = "fits",
    .about = "a source of visibilities (random groups), a sink of planes of f32 or f64",
    .endings = "fits fit fts",
    .source = visibility_source,
    .sink = fits_sink,
};
