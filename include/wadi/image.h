/* Images of the sky: sinks that write a stream of planes as FITS or as a picture.
 *
 * An element is one plane, f32 or f64[height, width]. Rows go from south to north and columns from east to west, as in FITS and as
 * seen by the eye. The phase centre is in column width / 2 and row height / 2, counted from 0. */
#ifndef WADI_IMAGE_H
#define WADI_IMAGE_H

#include "wadi/stream.h"

WADI_BEGIN_DECLS

/** What the header of an image says. */
typedef struct wadi_image_info {
    double pixel; /**< width of a pixel, radians */
    double ra, dec,
        equinox; /**< phase centre: radians, radians, years; NAN: not known, and the axes are then direction cosines */
    double frequency, bandwidth;    /**< Hz, of the whole image; 0: not known */
    int stokes;                     /**< code of wadi_stokes; 0: no such axis */
    double date;                    /**< modified Julian date of the observation; 0: not known */
    const char *unit;               /**< "Jy/beam" */
    const char *object, *telescope; /**< names */
    const char *const *history;     /**< lines, ended by NULL; may be NULL */
} wadi_image_info;

/** Makes a sink that writes one plane, or several of one shape (which become the frequency axis), as a FITS image: BITPIX -32 or -64,
 *  RA---SIN and DEC--SIN, CRPIX at the phase centre. The file gets the name `path`, or replaces the one there, only when the stream
 *  has ended well. A pipe or a device gets the image at the end. Copies `info`; NULL: planes without world coordinates. Errors:
 *  WADI_IO, WADI_SHAPE, WADI_TYPE, WADI_UNSUPPORTED (the module cfitsio is not installed). */
WADI_NODISCARD wadi_status wadi_sink_fits(const char *path, const wadi_image_info *info,
                                          wadi_sink **out, wadi_error *err);

/** How values become grey. */
typedef struct wadi_png_options {
    double low,
        high; /**< the values shown as black and as white; both 0: the 0.5th and 99.5th percentile of the plane */
    double stretch; /**< 0: linear; else asinh(stretch x)/asinh(stretch) of x in 0..1 */
    int64_t
        most; /**< most pixels along the longer side; larger planes are averaged; 0: any number */
} wadi_png_options;

/** Makes a sink that writes the first plane as an 8-bit grey PNG, north up. Values that are not finite are black. The file gets its name
 *  only when it is complete. `options` may be NULL. Errors: as for wadi_sink_fits; WADI_UNSUPPORTED: the module png is not installed. */
WADI_NODISCARD wadi_status wadi_sink_png(const char *path, const wadi_png_options *options,
                                         wadi_sink **out, wadi_error *err);

WADI_END_DECLS

#endif
