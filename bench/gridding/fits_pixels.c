/* Reading pixels from a FITS file. A header is cards of 80 bytes up to END, in blocks of 2880 bytes; the pixels follow, most
 * significant byte first. */
#include "bench/gridding/fits_pixels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { CARD = 80, BLOCK = 2880 };

/* Leaves the file at the first pixel. Returns how many of the keys had the values wanted; -1: the header has no end. */
static int read_header(FILE *f, int n, const char *const *key, const int64_t *value) {
    char card[CARD + 1] = "";
    int found = 0;
    for (long cards = 1; fread(card, 1, CARD, f) == CARD; cards++) {
        for (int i = 0; i < n; i++)
            found += strncmp(card, key[i], 9) == 0 && strtoll(card + 9, NULL, 10) == value[i];
        if (strncmp(card, "END ", 4) != 0) continue;
        const long blocks = (cards * CARD + BLOCK - 1) / BLOCK;
        return fseek(f, blocks * BLOCK, SEEK_SET) == 0 ? found : -1;
    }
    return -1;
}

static wadi_status read_pixels(FILE *f, const char *path, int64_t n, float *out, wadi_error *err) {
    for (int64_t i = 0; i < n; i++) {
        unsigned char byte[4];
        if (fread(byte, 1, 4, f) != 4) return wadi_fail(err, WADI_IO, "%s is cut off", path);
        const uint32_t bits = (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 |
                              (uint32_t)byte[2] << 8 | (uint32_t)byte[3];
        memcpy(&out[i], &bits, sizeof bits);
    }
    return WADI_OK;
}

wadi_status bench_fits_pixels(const char *path, int64_t size, float *out, wadi_error *err) {
    static const char *const key[] = {"BITPIX  =", "NAXIS1  =", "NAXIS2  ="};
    const int64_t value[] = {-32, size, size};
    FILE *f = fopen(path, "rb");
    if (!f) return wadi_fail(err, WADI_IO, "%s: cannot be read", path);
    const int found = read_header(f, 3, key, value);
    wadi_status st;
    if (found < 0)
        st = wadi_fail(err, WADI_IO, "%s is no FITS file", path);
    else if (found < 3)
        st = wadi_fail(err, WADI_INVALID, "%s is no image of %lld x %lld floats", path,
                       (long long)size, (long long)size);
    else
        st = read_pixels(f, path, size * size, out, err);
    (void)fclose(f);
    return st;
}
