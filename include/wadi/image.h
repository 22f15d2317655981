/* Images of the sky: sinks that write what a stream brings as FITS or as a picture.
 *
 * An element is one plane, f32 or f64[height, width]: row y from south to north, column x from east to west, as FITS and the eye have
 * it, the phase centre in column width / 2 and row height / 2 (counted from 0). */
#ifndef WADI_IMAGE_H
#define WADI_IMAGE_H

#include "wadi/stream.h"

WADI_BEGIN_DECLS

typedef struct wadi_image_info {
    double pixel; /**< width of a pixel, radians */
    double ra, dec,
        equinox; /**< of the phase centre: radians, years; NAN: not known, the axes are then plain direction cosines */
    double frequency, bandwidth; /**< Hz, of the whole image; 0: not known */
    int stokes;                  /**< code of wadi_stokes; 0: no such axis */
    double date;                 /**< modified Julian date of the observation; 0: not known */
    const char *unit;            /**< "Jy/beam" */
    const char *object, *telescope;
    const char *const *history; /**< lines, ended by NULL; may be NULL */
} wadi_image_info;

/** One plane, or several of one shape (which become the frequency axis), as a FITS image: BITPIX -32 or -64, RA---SIN and DEC--SIN,
 *  CRPIX at the phase centre. The file takes the name `path` only when the stream has ended well;
 *  one that is there is replaced then. A pipe or a device gets the image at the end. `info` is copied; NULL: planes without world coordinates. Errors: WADI_IO, WADI_SHAPE, WADI_TYPE,
 *  WADI_UNSUPPORTED (the module cfitsio is not installed). */
WADI_NODISCARD wadi_status wadi_sink_fits(const char *path, const wadi_image_info *info,
                                          wadi_sink **out, wadi_error *err);

/** How values become grey. */
typedef struct wadi_png_options {
    double low,
        high; /**< values shown black and white; both 0: the 0.5th and 99.5th percentile of the plane */
    double stretch; /**< 0: linear; else asinh(stretch x)/asinh(stretch) of x in 0..1 */
    int64_t most;   /**< pixels along the longer side, shrunk by averaging to fit; 0: as it is */
} wadi_png_options;

/** The first plane as an 8-bit grey PNG, north up, what is not finite black, the file under its name only when whole. Errors: as above; WADI_UNSUPPORTED:
 *  the module png is not installed. `options` may be NULL. */
WADI_NODISCARD wadi_status wadi_sink_png(const char *path, const wadi_png_options *options,
                                         wadi_sink **out, wadi_error *err);

WADI_END_DECLS

#endif
