/* Running a program whose arrays are in memory. */
#include "apps/gridding/bound.h"

#include "base/error.h"

grid_bound grid_bind(const char *name, wadi_type type, int rank, const int64_t *shape,
                     const void *values) {
    grid_bound b = {
        name, {.rank = rank, .fields = 1, .type = {type}, .column = {(void *)(uintptr_t)values}}};
    for (int d = 0; d < rank; d++) b.array.shape[d] = shape[d];
    return b;
}

grid_bound grid_bind_vector(const char *name, wadi_type type, int64_t n, const void *values) {
    return grid_bind(name, type, 1, &n, values);
}

grid_bound grid_bind_scalar(const char *name, const double *value) {
    return grid_bind(name, WADI_F64, 0, NULL, value);
}

wadi_status grid_compile(wadi_program *owned_p, wadi_exe **out, wadi_error *err) {
    if (owned_p == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_status status = wadi_compile(owned_p, NULL, out, err);
    wadi_program_destroy(owned_p);
    return status;
}

wadi_status grid_bind_all(wadi_run *run, int n, const grid_bound *bound, wadi_error *err) {
    for (int i = 0; i < n; i++) WADI_TRY(wadi_run_input(run, bound[i].name, &bound[i].array, err));
    return WADI_OK;
}

wadi_status grid_run(const wadi_exe *exe, const wadi_run_options *options, int n,
                     const grid_bound *bound, wadi_run **out, wadi_error *err) {
    wadi_run *run = NULL;
    WADI_TRY(wadi_run_create(exe, options, &run, err));
    wadi_status status = grid_bind_all(run, n, bound, err);
    if (status == WADI_OK) status = wadi_run_go(run, err);
    if (status != WADI_OK) {
        wadi_run_destroy(run);
        return status;
    }
    *out = run;
    return WADI_OK;
}
