/* See the header. */
#include "apps/gridding/bound.h"

#include "base/error.h"

grid_bound grid_bind_vector(const char *name, wadi_type type, int64_t n, const void *values) {
    return (grid_bound){name,
                        {.rank = 1,
                         .fields = 1,
                         .type = {type},
                         .shape = {n},
                         .column = {(void *)(uintptr_t)values}}};
}

grid_bound grid_bind_scalar(const char *name, const double *value) {
    return (grid_bound){name,
                        {.fields = 1, .type = {WADI_F64}, .column = {(void *)(uintptr_t)value}}};
}

wadi_status grid_compile(wadi_program *owned_p, wadi_exe **out, wadi_error *err) {
    if (owned_p == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_status status = wadi_compile(owned_p, NULL, out, err);
    wadi_program_destroy(owned_p);
    return status;
}

wadi_status grid_run(const wadi_exe *exe, const wadi_run_options *options, int n,
                     const grid_bound *bound, wadi_run **out, wadi_error *err) {
    wadi_run *run = NULL;
    WADI_TRY(wadi_run_create(exe, options, &run, err));
    wadi_status status = WADI_OK;
    for (int i = 0; i < n && status == WADI_OK; i++)
        status = wadi_run_input(run, bound[i].name, &bound[i].array, err);
    if (status == WADI_OK) status = wadi_run_go(run, err);
    if (status != WADI_OK) {
        wadi_run_destroy(run);
        return status;
    }
    *out = run;
    return WADI_OK;
}
