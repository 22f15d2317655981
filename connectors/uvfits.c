/* Visibilities in FITS random groups (UVFITS). */
#include <string.h>

#include "base/error.h"
#include "connectors/visibility.h"

/* Any FITS file: what kind it is, the open says better. */
bool wadi_vis_fits_recognises(const char *path, const unsigned char *head, size_t n) {
    WADI_UNUSED(path);
    static const char first[] = "SIMPLE  =";
    return head != NULL && n >= sizeof first - 1 && memcmp(head, first, sizeof first - 1) == 0;
}

#ifdef WADI_HAVE_CFITSIO

wadi_status wadi_vis_fits_open(const char *path, const wadi_vis_options *options, wadi_vis **out,
                               wadi_error *err) {
    WADI_UNUSED(options);
    WADI_UNUSED(out);
    return wadi_fail(err, WADI_UNSUPPORTED, "%s: no random groups", path);
}

#endif
