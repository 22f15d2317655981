/* A pipeline that turns rows into two numbers and folds them. Lengths are compared by their squares. The longest baseline is
 * the greatest one across the line of sight, because the pixels of an image depend on that. */
#include "apps/gridding/reach.h"

#include <math.h>

#include "apps/gridding/rows.h"
#include "base/error.h"
#include "wadi/wadi.h"

enum { MEMORY = 64 << 20 };

static wadi_exp is_good(wadi_exp weight) {
    return wadi_gt(weight, wadi_f32(0));
}

/* What a row that does not count gives is no limit. */
static wadi_acc reach_of_row(wadi_acc parts) {
    const wadi_acc uvw = wadi_tuple_get(parts, WADI_VIS_UVW),
                   weight = wadi_tuple_get(parts, WADI_VIS_WEIGHT);
    const wadi_exp u = wadi_index1(uvw, wadi_i64(0)), v = wadi_index1(uvw, wadi_i64(1)),
                   w = wadi_index1(uvw, wadi_i64(2)), never = wadi_f64((double)INFINITY),
                   any = wadi_the(
                       wadi_fold_all(wadi_lor, wadi_bool(false), wadi_map(is_good, weight))),
                   across = wadi_add(wadi_mul(u, u), wadi_mul(v, v)),
                   length = wadi_add(across, wadi_mul(w, w)),
                   counts = wadi_land(
                       any, wadi_land(wadi_gt(length, wadi_f64(0)), wadi_lt(length, never)));
    return wadi_tuple2(wadi_unit(wadi_cond(counts, across, wadi_f64(0))),
                       wadi_unit(wadi_cond(counts, length, never)));
}

static wadi_acc both(wadi_acc a, wadi_acc b) {
    const wadi_exp most = wadi_max(wadi_the(wadi_tuple_get(a, 0)), wadi_the(wadi_tuple_get(b, 0)));
    const wadi_exp least = wadi_min(wadi_the(wadi_tuple_get(a, 1)), wadi_the(wadi_tuple_get(b, 1)));
    return wadi_tuple2(wadi_unit(most), wadi_unit(least));
}

static void build(const wadi_vis_info *info) {
    const wadi_acc none =
        wadi_tuple2(wadi_unit(wadi_f64(0)), wadi_unit(wadi_f64((double)INFINITY)));
    const wadi_acc all =
        wadi_consume(wadi_fold_seq(both, none, wadi_map_seq(reach_of_row, grid_rows_in(info))));
    wadi_output("longest", wadi_tuple_get(all, 0));
    wadi_output("shortest", wadi_tuple_get(all, 1));
}

static wadi_status number(wadi_run *run, const char *name, double *out, wadi_error *err) {
    wadi_array a = {0};
    WADI_TRY(wadi_run_result(run, name, &a, err));
    *out = *(const double *)a.column[0];
    return WADI_OK;
}

static wadi_status go(const wadi_exe *exe, wadi_vis *vis, grid_reach *reach, wadi_error *err) {
    const wadi_run_options options = {.memory = MEMORY};
    wadi_source *rows = NULL;
    wadi_run *run = NULL;
    double most = 0, least = 0;
    wadi_status status = wadi_vis_source(vis, &rows, err);
    if (status == WADI_OK) status = wadi_run_create(exe, &options, &run, err);
    if (status == WADI_OK) status = wadi_run_source(run, "rows", rows, err);
    if (status == WADI_OK) status = wadi_run_go(run, err);
    if (status == WADI_OK) status = number(run, "longest", &most, err);
    if (status == WADI_OK) status = number(run, "shortest", &least, err);
    wadi_run_destroy(run);
    wadi_source_destroy(rows);
    WADI_TRY(status);
    if (sqrt(most) > reach->longest) reach->longest = sqrt(most);
    if (isfinite(least) && (reach->shortest == 0 || sqrt(least) < reach->shortest))
        reach->shortest = sqrt(least);
    return WADI_OK;
}

wadi_status grid_reach_of(wadi_vis *vis, grid_reach *reach, wadi_error *err) {
    wadi_exe *exe = NULL;
    wadi_program *program = wadi_program_create("vis_reach");
    if (program == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    build(wadi_vis_about(vis));
    wadi_status status = wadi_compile(program, NULL, &exe, err);
    if (status == WADI_OK) status = go(exe, vis, reach, err);
    wadi_exe_destroy(exe);
    wadi_program_destroy(program);
    return status;
}
