/* A library of routines, for programs of wadi that name them: running.wadi names this one.
 *
 *     cc -O2 -fPIC -shared -I PREFIX/include routines.c -o routines.so
 *     wadi run --routines routines.so running.wadi x=1,2,3
 *     wadi check --routines routines.so running.wadi x=1,2,3     # does it compute what its region says? */
#include <stddef.h>

#include <wadi/routines.h>

/* The sums of a vector's beginnings, of which each is one problem: as many numbers as it reads. */
static wadi_status running(void *env, int n, const wadi_foreign_array *in,
                           const wadi_foreign_array *out, wadi_error *err) {
    (void)env, (void)err;
    /* Another problem is the region's. */
    if (n != 1 || in->type != WADI_F64 || in->rank != 1 || out->type != WADI_F64)
        return WADI_UNSUPPORTED;
    const double *x = in->data;
    double *sums = out->data, sum = 0;
    for (int64_t i = 0; i < out->shape[0]; i++) sums[i] = sum += x[i];
    return WADI_OK;
}

/* What wadi calls once the library is loaded. */
wadi_status wadi_routines_1(wadi_foreign_add_fn add, wadi_error *err);
wadi_status wadi_routines_1(wadi_foreign_add_fn add, wadi_error *err) {
    return add("running", running, NULL, err);
}
