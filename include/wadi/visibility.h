/* Visibilities, the measurements of a radio interferometer, from files as a stream.
 *
 * An element of the stream is one row: what one baseline measured at one time, over all channels and polarisations. Whatever
 * the file stores them in, its parts are
 *
 *   WADI_VIS_UVW     f64[3]                     baseline (u, v, w) in metres: second antenna minus first
 *   WADI_VIS_PAIR    i32[2]                     numbers of the antennas; -1: the file does not say
 *   WADI_VIS_TIME    f64                        modified Julian date in days, UTC; 0: the file does not say
 *   WADI_VIS_DATA    c128[channels, pols]       visibilities, Jy
 *   WADI_VIS_WEIGHT  f32[channels, pols]        weights; zero or negative: flagged
 *
 * The convention is V = I exp(-2 pi i (u l + v m + w (n - 1))), with lengths in wavelengths, l growing with right ascension and m
 * with declination. A file with another convention is converted when it is read.
 */
#ifndef WADI_VISIBILITY_H
#define WADI_VISIBILITY_H

#include "wadi/stream.h"

WADI_BEGIN_DECLS

/** The parts of an element. */
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

/** The header: what holds for all rows. */
typedef struct wadi_vis_info {
    int64_t rows;           /**< -1: not known before the end */
    int64_t channels, pols; /**< at least 1 each */
    const double *
        frequency; /**< [channels] Hz; all 299792458 if the file gives wavelengths and no frequency */
    const int *stokes;              /**< [pols] codes of wadi_stokes */
    double channel_width;           /**< Hz, of one channel; 0: not known */
    double ra, dec;                 /**< phase centre, radians; both NAN: not known */
    double equinox;                 /**< years; 2000 if the file does not say */
    const char *object, *telescope; /**< "" if the file does not say */
    double longest,
        shortest; /**< baseline, metres: greatest sqrt(u^2 + v^2), least length; 0: not known */
    const char *format; /**< "UVFITS", "uvh5", "text", "Measurement Set", "link" */
} wadi_vis_info;

/** Selects what to read from a file that holds several fields, setups or sets of products. Zero selects the only one; a file with
 *  several is then refused with a list of them, and wadi_vis_setups gives the options that select each. */
typedef struct wadi_vis_options {
    int field;    /**< source or field number as the file counts them, plus one */
    int setup;    /**< frequency id or spectral window, plus one */
    int products; /**< Measurement Set: first row of POLARIZATION that has the products, plus one */
    /** Measurement Set: "DATA" (default), "CORRECTED_DATA", ... Files of other formats have none: WADI_INVALID. */
    const char *column;
    bool conjugate; /**< the file has the sign that is opposite to that of its format */
} wadi_vis_options;

/** Open visibilities: a file, a folder or a link. */
typedef struct wadi_vis wadi_vis;

/** Opens the visibilities in the file or folder `path`, whose contents decide on the format. `options` may be NULL. The caller
 *  closes *out. Errors: WADI_IO (unreadable, truncated, damaged; with the position), WADI_UNSUPPORTED (unknown format, or its module is not
 *  installed), WADI_INVALID (options, nothing selected), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vis_open(const char *path, const wadi_vis_options *options,
                                         wadi_vis **out, wadi_error *err);
/** Lists the setups of a file. All rows of one wadi_vis have the same channels and polarisations, but a file may hold rows of several
 *  setups. *out, which the caller frees, has *out_n options, at least one, that open each setup in the order of their
 *  numbers; they are `options`, completed. Only setups with rows are listed, and no row is in two of them. One field must be
 *  selected, or be the only one. Errors: as for wadi_vis_open. */
WADI_NODISCARD wadi_status wadi_vis_setups(const char *path, const wadi_vis_options *options,
                                           wadi_vis_options **out, size_t *out_n, wadi_error *err);
/** Closes `v`, after its sources are destroyed. NULL is fine. */
void wadi_vis_close(wadi_vis *v);

/** The header; borrowed until wadi_vis_close. */
const wadi_vis_info *wadi_vis_about(const wadi_vis *v);

/** Makes a source of the rows, from the first one on. Borrows v. Only one source may exist at a time; after it is destroyed, another
 *  starts from the first row again. (The rows of a link pass only once.) Errors: WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vis_source(wadi_vis *v, wadi_source **out, wadi_error *err);

/** Waits for a sender (a wadi_vis_sink) at `address`, as long as the options say, and opens what it sends before the first row is
 *  there. Its rows pass only once. Errors: WADI_IO (nobody came, a wrong header, what is sent is no visibilities),
 *  WADI_UNSUPPORTED (a header of another version), WADI_INVALID (address, keys), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vis_listen(const char *address, const wadi_link_options *options,
                                           wadi_vis **out, wadi_error *err);
/** Makes a sink that sends rows to a wadi_vis_listen at `address`, after `info`. Waits until the receiver is there. If info->rows is a
 *  number, it is a promise; use -1 if rows are left out or made on the way. Errors: WADI_INVALID (address, keys, info), WADI_IO,
 *  WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vis_sink(const char *address, const wadi_link_options *options,
                                         const wadi_vis_info *info, wadi_sink **out,
                                         wadi_error *err);

WADI_END_DECLS

#endif
