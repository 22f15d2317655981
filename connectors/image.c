/* Images, written and read by the modules that know their formats. */
#include "wadi/image.h"

#include "base/error.h"
#include "base/loadable.h"
#include "connectors/offers.h"

/* Gets the table of functions that the module offers. An error names `path`, which cannot be used without it. */
static wadi_status get(const char *path, const char *module, const char *what, const void **out,
                       wadi_error *err) {
    wadi_error why = {0};
    const wadi_status st = wadi_loadable_get(module, what, out, &why);
    return st == WADI_OK ? st : wadi_fail(err, st, "%.100s: %.400s", path, why.msg);
}

wadi_status wadi_sink_fits(const char *path, const wadi_image_info *info, wadi_sink **out,
                           wadi_error *err) {
    WADI_GIVEN(err, path);
    WADI_GIVEN(err, out);
    const void *offer = NULL;
    WADI_TRY(get(path, "cfitsio", "image", &offer, err));
    return ((const wadi_fits_offer *)offer)->sink(path, info, out, err);
}

wadi_status wadi_fits_read(const char *path, const char *key, wadi_fits_cube *out,
                           wadi_error *err) {
    const void *offer = NULL;
    WADI_TRY(get(path, "cfitsio", "image", &offer, err));
    return ((const wadi_fits_offer *)offer)->read(path, key, out, err);
}

wadi_status wadi_sink_png(const char *path, const wadi_png_options *options, wadi_sink **out,
                          wadi_error *err) {
    WADI_GIVEN(err, path);
    WADI_GIVEN(err, out);
    const void *offer = NULL;
    WADI_TRY(get(path, "png", "picture", &offer, err));
    return ((const wadi_png_offer *)offer)->sink(path, options, out, err);
}
