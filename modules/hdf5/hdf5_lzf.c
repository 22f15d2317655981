/* The compression "lzf", HDF5 filter 32000, for reading only. pyuvdata writes flags and counts with it, and HDF5 itself does not have
 * it. The format is that of LibLZF (Marc Lehmann): a stream of
 *
 *     000ddddd                      a run of d + 1 bytes follows
 *     lllooooo oooooooo             l + 2 bytes from o + 1 bytes back, 1 <= l <= 6
 *     111ooooo llllllll oooooooo    l + 9 bytes from o + 1 bytes back
 *
 * where the bytes copied may overlap those written. The filter's third value is the size of an unpacked chunk. */
#include "modules/hdf5/hdf5_read.h"

#include <stdlib.h>
#include <string.h>

enum { LZF_FILTER = 32000, SIZE_VALUE = 2, LONG_RUN = 7 };

/* Returns the number of bytes written; 0 if the stream is damaged or does not fit. */
static size_t spread(const unsigned char *in, size_t n, unsigned char *out, size_t room) {
    size_t at = 0, to = 0;
    while (at < n) {
        const unsigned control = in[at++];
        if (control < 32) {
            const size_t run = control + 1;
            if (run > n - at || run > room - to) return 0;
            memcpy(out + to, in + at, run);
            at += run;
            to += run;
            continue;
        }
        size_t length = control >> 5;
        if (length == LONG_RUN) {
            if (at == n) return 0;
            length += in[at++];
        }
        if (at == n) return 0;
        const size_t back = ((size_t)(control & 31) << 8 | in[at++]) + 1;
        length += 2;
        if (back > to || length > room - to) return 0;
        for (const size_t end = to + length; to < end; to++) out[to] = out[to - back];
    }
    return to;
}

/* As HDF5 requires, *buffer is from malloc, and is replaced; 0 means failure. */
static size_t filter(unsigned flags, size_t values, const unsigned value[], size_t n, size_t *room,
                     void **buffer) {
    if ((flags & H5Z_FLAG_REVERSE) == 0) return 0; /* not written here */
    const size_t size = values > SIZE_VALUE ? value[SIZE_VALUE] : 0;
    unsigned char *out = size > 0 ? H5allocate_memory(size, false) : NULL;
    if (out == NULL || spread(*buffer, n, out, size) != size) {
        (void)H5free_memory(out);
        return 0;
    }
    (void)H5free_memory(*buffer);
    *buffer = out;
    *room = size;
    return size;
}

bool wadi_hdf5_use_lzf(void) {
    static const H5Z_class2_t lzf = {H5Z_CLASS_T_VERS, LZF_FILTER, 0, 1, "lzf", NULL, NULL, filter};
    return H5Zfilter_avail(LZF_FILTER) > 0 || H5Zregister(&lzf) >= 0;
}
