/* Visibilities: what a radio interferometer measures, from the files it is kept in, as a stream.
 *
 * An element of the stream is one row: what one baseline measured at one time, over all channels and polarisations. Its parts are
 *
 *   WADI_VIS_UVW     f64[3]                     baseline (u, v, w) in metres, position of the pair's second antenna minus the first's
 *   WADI_VIS_PAIR    i32[2]                     numbers of its antennas; -1 when the file does not say
 *   WADI_VIS_TIME    f64                        modified Julian date in days, UTC; 0 when the file does not say
 *   WADI_VIS_DATA    c128[channels, pols]       visibilities, Jy
 *   WADI_VIS_WEIGHT  f32[channels, pols]        weights; zero or negative: flagged
 *
 * whatever the file stores them in. The sign is that of V = I exp(-2 pi i (u l + v m + w (n - 1))), lengths in wavelengths, l growing
 * with right ascension and m with declination: a format with the other convention is turned when it is read.
 */
#ifndef WADI_VISIBILITY_H
#define WADI_VISIBILITY_H

#include "wadi/stream.h"

WADI_BEGIN_DECLS

enum { WADI_VIS_UVW, WADI_VIS_PAIR, WADI_VIS_TIME, WADI_VIS_DATA, WADI_VIS_WEIGHT, WADI_VIS_PARTS };

/** Polarisation codes, as FITS numbers them. */
typedef enum wadi_stokes {
    WADI_STOKES_I = 1,
    WADI_STOKES_Q,
    WADI_STOKES_U,
    WADI_STOKES_V,
    WADI_STOKES_RR = -1,
    WADI_STOKES_LL = -2,
    WADI_STOKES_RL = -3,
    WADI_STOKES_LR = -4,
    WADI_STOKES_XX = -5,
    WADI_STOKES_YY = -6,
    WADI_STOKES_XY = -7,
    WADI_STOKES_YX = -8
} wadi_stokes;

/** What holds for all rows. */
typedef struct wadi_vis_info {
    int64_t rows;           /**< -1: not known before the end */
    int64_t channels, pols; /**< at least 1 each */
    const double *
        frequency; /**< [channels] Hz; all 299792458 where the file gives wavelengths and no frequency */
    const int *stokes;              /**< [pols] codes of wadi_stokes */
    double channel_width;           /**< Hz, of one channel; 0: not known */
    double ra, dec;                 /**< phase centre, radians; both NAN: not known */
    double equinox;                 /**< years, 2000 where the file does not say */
    const char *object, *telescope; /**< "" where the file does not say */
    double longest,
        shortest; /**< baseline, metres: greatest sqrt(u^2 + v^2), least length; 0: not known */
    const char *format; /**< "UVFITS", "uvh5", "text", "Measurement Set", "link" */
} wadi_vis_info;

/** What is to be read where a file holds more than one of it. All zero: the only one; a file that has several is refused with a
 *  list of them, and wadi_vis_setups tells what to ask it for. */
typedef struct wadi_vis_options {
    int field;    /**< source or field number as the file counts them, plus one */
    int setup;    /**< frequency id or spectral window, plus one */
    int products; /**< Measurement Set: first row of POLARIZATION that has the products, plus one */
    /** Measurement Set: "DATA" (default), "CORRECTED_DATA", ... Files of other formats have none: WADI_INVALID. */
    const char *column;
    bool
        conjugate; /**< the file was written with exp(+2 pi i ...) where its format means the other */
} wadi_vis_options;

typedef struct wadi_vis wadi_vis;

/** Opens the visibilities in file or folder `path`; what it holds decides on the format. `options` may be NULL.
 *  Errors: WADI_IO (unreadable, truncated, damaged; with the place), WADI_UNSUPPORTED (no such format, or one this library was
 *  built without), WADI_INVALID (options, nothing selected), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vis_open(const char *path, const wadi_vis_options *options,
                                         wadi_vis **out, wadi_error *err);
/** Rows of one wadi_vis have the same channels and polarisations; a file may hold rows of several setups. *out, which the caller
 *  frees, has *out_n options, at least one, to open each of them, in the order of their numbers: `options` with what it leaves
 *  open. Only setups that have rows are there, and no row is in two. One field must be chosen, or be the only one. Errors: as
 *  wadi_vis_open. */
WADI_NODISCARD wadi_status wadi_vis_setups(const char *path, const wadi_vis_options *options,
                                           wadi_vis_options **out, size_t *out_n, wadi_error *err);
void wadi_vis_close(wadi_vis *v); /**< after its sources; NULL is fine */

/** Borrowed until the close. */
const wadi_vis_info *wadi_vis_about(const wadi_vis *v);

/** The rows from the first one on as a stream. Borrows v; one source at a time: after it is destroyed another starts anew (not of a
 *  link, whose rows pass once). */
WADI_NODISCARD wadi_status wadi_vis_source(wadi_vis *v, wadi_source **out, wadi_error *err);

/** Waits for a sender at `address` (a wadi_vis_sink) and opens what it sends, before the first row is there; for a sender that does
 *  not come, as long as the options say. Its rows pass once. Errors: WADI_IO (nobody came, a header that is not sound, what
 *  is sent is no visibilities), WADI_UNSUPPORTED (header of another version), WADI_INVALID (address, keys), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vis_listen(const char *address, const wadi_link_options *options,
                                           wadi_vis **out, wadi_error *err);
/** A sink that sends elements with the parts above to a wadi_vis_listen at `address`, and `info` in front, for which it
 *  waits until that is there. A number of rows that is
 *  given is a promise; -1 where rows are left out or made on the way. Errors: WADI_INVALID (address, keys, info), WADI_IO,
 *  WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vis_sink(const char *address, const wadi_link_options *options,
                                         const wadi_vis_info *info, wadi_sink **out,
                                         wadi_error *err);

WADI_END_DECLS

#endif
