/* What holds for all rows of visibilities, as bytes: the note in front of a stream of them (connectors/vis_link.c).
 *
 * All numbers are little-endian, floating-point ones IEEE 754 double precision.
 *
 *     offset  bytes  header
 *     0       4      "WVIS"
 *     4       2      version, 1
 *     6       2      flags: 1 if the longest and the shortest baseline follow, else 0
 *     8       8      rows; -1: not known before the end
 *     16      4 4    channels, pols; at least 1 each
 *     24      8      width of a channel, Hz; 0: not known
 *     32      8 8    right ascension, declination of the phase centre, radians; both NaN: not known
 *     48      8      equinox, years
 *     56      2 2 4  bytes of the object's name, bytes of the telescope's name, 0
 *     64      8 8    only with flag 1: greatest sqrt(u^2 + v^2) and least length of a baseline, metres, both positive
 *             8 each frequency of each channel, Hz
 *             4 each code of each polarisation (wadi_stokes)
 *                    the two names, without a NUL
 *
 * Nothing follows. A reader refuses what no radio telescope can have sent: frequencies must be positive and finite, names must have
 * no control characters, and all lengths must fit. */
#ifndef WADI_CONNECTORS_VIS_HEADER_H
#define WADI_CONNECTORS_VIS_HEADER_H

#include <stddef.h>

#include "wadi/visibility.h"

enum {
    WADI_VIS_HEADER_VERSION = 1,
    WADI_VIS_MOST_CHANNELS = 1 << 18,
    WADI_VIS_MOST_POLS = 12,
    WADI_VIS_MOST_NAME = 1024
};

/* Writes a header, which the caller frees. info->format is not in it. Errors: WADI_INVALID (an info that every reader would refuse),
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vis_header_write(const wadi_vis_info *info, void **out,
                                                 size_t *out_n, wadi_error *err);
/* Reads a header. The tables and names of *out lie in *out_memory, which the caller frees; its format is "link". Errors: WADI_IO for
 * bytes that are no valid header, WADI_UNSUPPORTED for another version, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vis_header_read(const void *bytes, size_t n, wadi_vis_info *out,
                                                void **out_memory, wadi_error *err);

#endif
