/* Runs a program once over arrays in memory. */
#ifndef WADI_APPS_GRIDDING_BOUND_H
#define WADI_APPS_GRIDDING_BOUND_H

#include "wadi/run.h"

typedef struct grid_bound {
    const char *name;
    wadi_array array;
} grid_bound;

grid_bound grid_bind(const char *name, wadi_type type, int rank, const int64_t *shape,
                     const void *values);
grid_bound grid_bind_vector(const char *name, wadi_type type, int64_t n, const void *values);
grid_bound grid_bind_scalar(const char *name, const double *value);

/* Compiles and destroys the program; NULL: there was no memory for it. */
WADI_NODISCARD wadi_status grid_compile(wadi_program *owned_p, wadi_exe **out, wadi_error *err);
WADI_NODISCARD wadi_status grid_bind_all(wadi_run *run, int n, const grid_bound *bound,
                                         wadi_error *err);
/* Binds the arrays, and runs the program to its end. *out is the run, which owns the results; NULL after an error. */
WADI_NODISCARD wadi_status grid_run(const wadi_exe *exe, const wadi_run_options *options, int n,
                                    const grid_bound *bound, wadi_run **out, wadi_error *err);

#endif
