/* Building the program that finds the limits. All limits are fields of one record, found by one fold. Lengths are compared by
 * their squares. What does not count for a limit is replaced by a value that cannot be one. */
#include "apps/gridding/limits.h"

#include <math.h>
#include <stdlib.h>

#include "apps/gridding/bound.h"
#include "base/error.h"

enum {
    MOST_U,
    MOST_V,
    MOST_W,
    LEAST_W,
    GREATEST_W,
    LONGEST,
    SHORTEST,
    WEIGHT,
    FIRST_TIME,
    LAST_TIME,
    LOWEST,
    HIGHEST,
    LIMITS
};

typedef enum manner { LEAST, MOST, SUM } manner;

static const char *const names[LIMITS] = {"most_u",     "most_v",    "most_w",   "least_w",
                                          "greatest_w", "longest",   "shortest", "weight",
                                          "first_time", "last_time", "lowest",   "highest"};
static const manner how[LIMITS] = {MOST,  MOST, MOST,  LEAST, MOST,  MOST,
                                   LEAST, SUM,  LEAST, MOST,  LEAST, MOST};

static const int columns[] = {GRID_U, GRID_V, GRID_W, GRID_WEIGHT, GRID_TIME, GRID_FREQUENCY};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

struct grid_look {
    wadi_exe *exe;
    wadi_run_options run;
};

/* ---- the program ---- */

static wadi_exp squared(wadi_exp x) {
    return wadi_mul(x, x);
}

/* `x` if it is above 0. */
static wadi_exp if_any(wadi_exp x, wadi_exp otherwise) {
    return wadi_cond(wadi_gt(x, wadi_f64(0)), x, otherwise);
}

/* x: the columns of one visibility, in their order above. */
static wadi_exp reach(int n, const wadi_exp *x) {
    const wadi_exp u = x[0], v = x[1], w = x[2], time = x[4], frequency = x[5],
                   never = wadi_f64((double)INFINITY), across = wadi_add(squared(u), squared(v));
    wadi_exp value[LIMITS];
    WADI_UNUSED(n);
    value[MOST_U] = wadi_abs(u);
    value[MOST_V] = wadi_abs(v);
    value[MOST_W] = wadi_abs(w);
    value[LEAST_W] = value[GREATEST_W] = w;
    value[LONGEST] = across;
    value[SHORTEST] = if_any(wadi_add(across, squared(w)), never);
    value[WEIGHT] = x[3];
    value[FIRST_TIME] = if_any(time, never);
    value[LAST_TIME] = if_any(time, wadi_f64(0));
    value[LOWEST] = value[HIGHEST] = frequency;
    return wadi_rec(LIMITS, names, value);
}

static wadi_exp nothing(void) {
    wadi_exp value[LIMITS];
    for (int i = 0; i < LIMITS; i++)
        value[i] = wadi_f64(how[i] == SUM    ? 0
                            : how[i] == MOST ? -(double)INFINITY
                                             : (double)INFINITY);
    return wadi_rec(LIMITS, names, value);
}

/* Comparisons are used instead of the language's min and max, which also handle NaN and signed zeros. Here all values are finite, and
 * the kernel compiles in a third of the time. */
static wadi_exp both(wadi_exp a, wadi_exp b) {
    wadi_exp value[LIMITS];
    for (int i = 0; i < LIMITS; i++) {
        const wadi_exp x = wadi_get(a, names[i]), y = wadi_get(b, names[i]);
        value[i] = how[i] == SUM    ? wadi_add(x, y)
                   : how[i] == MOST ? wadi_cond(wadi_gt(y, x), y, x)
                                    : wadi_cond(wadi_lt(y, x), y, x);
    }
    return wadi_rec(LIMITS, names, value);
}

static wadi_program *make_program(void) {
    static const char *const n[] = {"n"};
    wadi_program *program = wadi_program_create("grid_limits");
    if (program == NULL) return NULL;
    wadi_acc column[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        column[i] = wadi_input(grid_field_name[columns[i]], WADI_F64, 1, n);
    wadi_output("limits", wadi_fold(both, nothing(), wadi_zip_with_n(reach, COLUMNS, column)));
    return program;
}

/* ---- running it ---- */

wadi_status grid_look_create(const wadi_run_options *run, grid_look **out, wadi_error *err) {
    grid_look *look = calloc(1, sizeof *look);
    if (look == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    look->run = *run;
    const wadi_status status = grid_compile(make_program(), &look->exe, err);
    if (status != WADI_OK) {
        grid_look_destroy(look);
        return status;
    }
    wadi_exe_warm(look->exe, run); /* while visibilities are read */
    *out = look;
    return WADI_OK;
}

void grid_look_destroy(grid_look *look) {
    if (look == NULL) return;
    wadi_exe_destroy(look->exe);
    free(look);
}

static void keep_least(double *limit, double x, bool first) {
    if (first || x < *limit) *limit = x;
}

static void keep_most(double *limit, double x, bool first) {
    if (first || x > *limit) *limit = x;
}

static void merge(grid_limits *l, const double *found) {
    const bool first = l->n == 0;
    keep_most(&l->most_u, found[MOST_U], first);
    keep_most(&l->most_v, found[MOST_V], first);
    keep_most(&l->most_w, found[MOST_W], first);
    keep_least(&l->least_w, found[LEAST_W], first);
    keep_most(&l->greatest_w, found[GREATEST_W], first);
    keep_most(&l->longest, sqrt(found[LONGEST]), first);
    if (isfinite(found[SHORTEST]))
        keep_least(&l->shortest, sqrt(found[SHORTEST]), l->shortest == 0);
    l->weight += found[WEIGHT];
    if (isfinite(found[FIRST_TIME]))
        keep_least(&l->first_time, found[FIRST_TIME], l->first_time == 0);
    if (found[LAST_TIME] > 0) keep_most(&l->last_time, found[LAST_TIME], false);
    keep_least(&l->lowest_frequency, found[LOWEST], first);
    keep_most(&l->highest_frequency, found[HIGHEST], first);
}

wadi_status grid_limits_add(grid_limits *l, const grid_look *look, const grid_store *s,
                            wadi_error *err) {
    grid_bound bound[COLUMNS];
    wadi_run *run = NULL;
    wadi_array found = {0};
    if (s->n == 0) return WADI_OK;
    for (int i = 0; i < COLUMNS; i++)
        bound[i] =
            grid_bind_vector(grid_field_name[columns[i]], WADI_F64, s->n, s->column[columns[i]]);
    WADI_TRY(grid_run(look->exe, &look->run, COLUMNS, bound, &run, err));
    const wadi_status status = wadi_run_result(run, "limits", &found, err);
    if (status == WADI_OK) {
        double value[LIMITS];
        for (int i = 0; i < LIMITS; i++) value[i] = *(const double *)found.column[i];
        merge(l, value);
        l->n += s->n;
    }
    wadi_run_destroy(run);
    return status;
}
