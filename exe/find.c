/* The kernels of a version, by their names, in the image that was loaded for it. */
#include <stdlib.h>

#include "base/error.h"
#include "exe/exe.h"

static wadi_status find(const wadi_exe_version *v, const char *name, wadi_code *out,
                        wadi_error *err) {
    *out = (wadi_code){0};
    return name ? v->set->images->find(&v->loaded, name, out, err) : WADI_OK;
}

wadi_status wadi_exe_find_kernels(wadi_exe_version *v, wadi_error *err) {
    const wadi_plan_version *steps = &v->made->version;
    const int n = steps->nsteps;
    wadi_status st = WADI_OK;
    v->kernels = calloc(2 * (size_t)n + 1, sizeof *v->kernels);
    if (!v->kernels) return wadi_fail(err, WADI_MEMORY, "loading kernels: out of memory");
    for (int i = 0; i < n && st == WADI_OK; i++) {
        st = find(v, steps->steps[i].kernel, &v->kernels[i], err);
        if (st == WADI_OK) st = find(v, steps->steps[i].units, &v->kernels[n + i], err);
    }
    if (st != WADI_OK) {
        free(v->kernels);
        v->kernels = NULL;
    }
    return st;
}
