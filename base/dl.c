/* dlopen and friends. Symbols are bound at once and kept local, so that kernels may all use the same names. */
#include "base/dl.h"

#include <dlfcn.h>
#include <string.h>

#include "base/error.h"

static const char *reason(void) {
    const char *text = dlerror();
    return text == NULL ? "no reason given" : text;
}

wadi_status wadi_dl_open(wadi_dl *d, const char *path, wadi_error *err) {
    *d = (wadi_dl){dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (d->handle == NULL) return wadi_fail(err, WADI_IO, "cannot load %s: %s", path, reason());
    return WADI_OK;
}

void wadi_dl_close(wadi_dl *d) {
    if (d->handle != NULL) (void)dlclose(d->handle);
    *d = (wadi_dl){0};
}

wadi_status wadi_dl_symbol(const wadi_dl *d, const char *name, void **out, wadi_error *err) {
    void *found = dlsym(d->handle, name);
    if (found == NULL) return wadi_fail(err, WADI_IO, "cannot find %s: %s", name, reason());
    *out = found;
    return WADI_OK;
}

/* ISO C has no cast from object to function pointer; POSIX says that the bits are the same. */
wadi_status wadi_dl_function(const wadi_dl *d, const char *name, wadi_dl_fn *out, wadi_error *err) {
    void *found = NULL;
    WADI_TRY(wadi_dl_symbol(d, name, &found, err));
    _Static_assert(sizeof found == sizeof *out, "function and object pointers are alike");
    memcpy(out, &found, sizeof found);
    return WADI_OK;
}
