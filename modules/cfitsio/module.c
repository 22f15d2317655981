/* What the module cfitsio offers. */
#include <fitsio.h>
#include <stdio.h>

#include "base/format.h"
#include "base/loadable_face.h"
#include "modules/cfitsio/cfitsio.h"

static const char *version(void) {
    static char text[32];
    float number = 0;
    (void)fits_get_version(&number);
    (void)wadi_format(text, sizeof text, "CFITSIO %.4g", (double)number);
    return text;
}

static const wadi_vis_format_ops visibilities = {wadi_cfitsio_vis_open, wadi_cfitsio_vis_setups};
static const wadi_fits_offer image = {wadi_cfitsio_sink, wadi_cfitsio_read};
static const wadi_loadable_offer offers[] = {
    {"visibilities", &visibilities}, {"image", &image}, {0}};

WADI_LOADABLE("CFITSIO", version, offers);
