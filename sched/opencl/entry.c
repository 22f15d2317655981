/* Loading the library of OpenCL. */
#include "sched/opencl/entry.h"

#include "base/dl.h"
#include "base/error.h"

static wadi_status find(const wadi_dl *library, const char *name, wadi_dl_fn *out,
                        wadi_error *err) {
    if (wadi_dl_function(library, name, out, NULL) == WADI_OK) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED, "OpenCL: the library has no function %s", name);
}

static wadi_status find_all(const wadi_dl *library, wadi_opencl_entries *out, wadi_error *err) {
    wadi_dl_fn f = NULL;
#define FIND(returns, name, arguments)            \
    WADI_TRY(find(library, "cl" #name, &f, err)); \
    out->name = (returns(*) arguments)f;
    WADI_OPENCL_FUNCTIONS(FIND)
#undef FIND
    return WADI_OK;
}

wadi_status wadi_opencl_entries_load(const char *path, wadi_opencl_entries *out, wadi_error *err) {
    wadi_dl library = {0};
    wadi_error why = {0};
    *out = (wadi_opencl_entries){0};
    if (wadi_dl_open(&library, path, &why) != WADI_OK)
        return wadi_fail(err, WADI_UNSUPPORTED, "OpenCL: %s", why.msg);
    const wadi_status status = find_all(&library, out, err);
    if (status != WADI_OK) wadi_dl_close(&library);
    return status;
}
