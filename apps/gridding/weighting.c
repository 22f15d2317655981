/* The two programs of weights. The plane is stored by half: a place below it is counted at its mirror image. The plane is an
 * input and a result of the program that adds to it; the run that has it as a result owns it until the next run is over. */
#include "apps/gridding/weighting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gridding/bound.h"
#include "apps/gridding/room.h"
#include "base/error.h"

struct grid_weigher {
    wadi_run_options run;
    grid_weighting kind;
    double wish; /* of Briggs: (5 10^-R)^2 */
    wadi_exe *adding, *weighing;
};

struct grid_density {
    const grid_weigher *by;
    int64_t rows, columns; /* v from 0, u from -columns / 2 */
    double theta, scale;   /* field of view, radians: a cell is 1 / theta */
    double *blank;         /* the plane before any batch */
    wadi_run *latest;      /* owns it after one */
};

/* ---- cells ---- */

typedef struct inputs {
    wadi_acc u, v, weight, plane, theta, scale;
} inputs;

static inputs declare(void) {
    static const char *const n[] = {"n"}, *const plane[] = {"rows", "columns"};
    return (inputs){wadi_input("u", WADI_F64, 1, n),        wadi_input("v", WADI_F64, 1, n),
                    wadi_input("weight", WADI_F64, 1, n),   wadi_input("plane", WADI_F64, 2, plane),
                    wadi_input("theta", WADI_F64, 0, NULL), wadi_input("scale", WADI_F64, 0, NULL)};
}

static wadi_exp extent(wadi_acc a, int dim) {
    return wadi_convert(WADI_F64, wadi_extent(a, dim));
}

/* grid_is_inside, for one coordinate. */
static wadi_exp within(const inputs *in, wadi_exp x) {
    return wadi_le(wadi_mul(wadi_abs(x), wadi_the(in->scale)), wadi_f64(0.5));
}

/* Where (u, v), or its mirror image, lies in the plane, row by row; -1: nowhere. A place that is not finite is nowhere. */
static wadi_exp cell(void *env, wadi_exp u, wadi_exp v) {
    const inputs *in = env;
    const wadi_exp theta = wadi_the(in->theta), zero = wadi_f64(0),
                   most = wadi_sub(extent(in->plane, 0), wadi_f64(1));
    const wadi_exp x = wadi_round(wadi_mul(u, theta)), y = wadi_round(wadi_mul(v, theta));
    const wadi_exp below =
        wadi_lor(wadi_lt(y, zero), wadi_land(wadi_eq(y, zero), wadi_lt(x, zero)));
    const wadi_exp row = wadi_abs(y), column = wadi_add(wadi_cond(below, wadi_neg(x), x), most);
    const wadi_exp inside = wadi_land(within(in, u), within(in, v));
    const wadi_exp at = wadi_add(wadi_mul(row, extent(in->plane, 1)), column);
    return wadi_cond(inside, wadi_convert(WADI_I64, at), wadi_i64(-1));
}

static wadi_exp is_inside(wadi_exp cell) {
    return wadi_ge(cell, wadi_i64(0));
}

/* ---- adding ---- */

static wadi_exp plus(void *env, wadi_exp x, wadi_exp before) {
    WADI_UNUSED(env);
    return wadi_add(before, x);
}

static wadi_ix target(void *env, wadi_ix ix, int n, const wadi_exp *cell_at) {
    WADI_UNUSED(env);
    WADI_UNUSED(ix);
    WADI_UNUSED(n);
    return wadi_keep_if(is_inside(*cell_at), wadi_ix1(*cell_at));
}

static wadi_program *make_adding(void) {
    wadi_program *program = wadi_program_create("grid_density");
    if (program == NULL) return NULL;
    inputs in = declare();
    const wadi_acc cells = wadi_compute(wadi_zip_with_env(cell, &in, in.u, in.v)),
                   before = wadi_flatten(in.plane);
    wadi_output("plane", wadi_permute_by_env(plus, before, target, NULL, in.weight, 1, &cells));
    return program;
}

/* ---- weighing ---- */

typedef struct weighing {
    inputs in;
    wadi_acc f2; /* rank 0; unless weights are uniform */
    grid_weighting kind;
} weighing;

static wadi_exp squared(wadi_exp x) {
    return wadi_mul(x, x);
}

/* The sum of the cells is the sum of the weights in the plane. */
static const char *const sums[] = {"sum", "squares"};

static wadi_exp sums_of(wadi_exp cell) {
    return wadi_rec2(sums[0], cell, sums[1], squared(cell));
}

static wadi_exp add_sums(wadi_exp a, wadi_exp b) {
    return wadi_rec2(sums[0], wadi_add(wadi_get(a, sums[0]), wadi_get(b, sums[0])), sums[1],
                     wadi_add(wadi_get(a, sums[1]), wadi_get(b, sums[1])));
}

static wadi_acc find_f2(wadi_acc plane) {
    const wadi_exp none = wadi_f64(0), start = wadi_rec2(sums[0], none, sums[1], none),
                   wish = wadi_the(wadi_input("wish", WADI_F64, 0, NULL));
    const wadi_exp all =
        wadi_the(wadi_fold(add_sums, start, wadi_map(sums_of, wadi_flatten(plane))));
    const wadi_exp mean = wadi_div(wadi_get(all, sums[1]), wadi_get(all, sums[0]));
    return wadi_compute(wadi_unit(wadi_div(wish, mean)));
}

static wadi_exp weighed(void *env, wadi_exp at, wadi_exp weight) {
    const weighing *w = env;
    const wadi_exp sum = wadi_linear(w->in.plane, at);
    const wadi_exp by =
        w->kind == GRID_UNIFORM ? sum : wadi_add(wadi_f64(1), wadi_mul(wadi_the(w->f2), sum));
    return wadi_cond(is_inside(at), wadi_div(weight, by), wadi_f64(0));
}

/* The account of a batch, as a record. A least weight of 0 shows that something lies outside. */
enum { SUM, VARIANCE, LEAST, ACCOUNT };
static const char *const account[ACCOUNT] = {"sum", "variance", "least"};

static wadi_exp account_of(wadi_exp after, wadi_exp before) {
    return wadi_rec3(account[SUM], after, account[VARIANCE], wadi_div(squared(after), before),
                     account[LEAST], after);
}

static wadi_exp add_accounts(wadi_exp a, wadi_exp b) {
    const wadi_exp x = wadi_get(a, account[LEAST]), y = wadi_get(b, account[LEAST]);
    wadi_exp value[ACCOUNT];
    for (int i = SUM; i <= VARIANCE; i++)
        value[i] = wadi_add(wadi_get(a, account[i]), wadi_get(b, account[i]));
    value[LEAST] = wadi_cond(wadi_lt(y, x), y, x);
    return wadi_rec(ACCOUNT, account, value);
}

static wadi_program *make_weighing(grid_weighting kind) {
    wadi_program *program = wadi_program_create("grid_weighing");
    if (program == NULL) return NULL;
    weighing w = {.in = declare(), .kind = kind};
    if (kind == GRID_BRIGGS) w.f2 = find_f2(w.in.plane);
    const wadi_exp none = wadi_f64(0),
                   nothing = wadi_rec3(account[SUM], none, account[VARIANCE], none, account[LEAST],
                                       wadi_f64((double)INFINITY));
    const wadi_acc cells = wadi_zip_with_env(cell, &w.in, w.in.u, w.in.v),
                   after = wadi_zip_with_env(weighed, &w, cells, w.in.weight),
                   accounts = wadi_zip_with(account_of, after, w.in.weight);
    wadi_output("weight", after);
    wadi_output("account", wadi_fold(add_accounts, nothing, accounts));
    return program;
}

/* ---- life ---- */

wadi_status grid_weigher_create(grid_weights how, const wadi_run_options *run, grid_weigher **out,
                                wadi_error *err) {
    grid_weigher *w = calloc(1, sizeof *w);
    if (w == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    *w = (grid_weigher){.run = *run, .kind = how.kind, .wish = pow(5 * pow(10, -how.robust), 2)};
    wadi_status status = grid_compile(make_adding(), &w->adding, err);
    if (status == WADI_OK) status = grid_compile(make_weighing(how.kind), &w->weighing, err);
    if (status != WADI_OK) {
        grid_weigher_destroy(w);
        return status;
    }
    wadi_exe_warm(w->adding, run); /* while visibilities are read */
    wadi_exe_warm(w->weighing, run);
    *out = w;
    return WADI_OK;
}

void grid_weigher_destroy(grid_weigher *w) {
    if (w == NULL) return;
    wadi_exe_destroy(w->adding);
    wadi_exe_destroy(w->weighing);
    free(w);
}

wadi_status grid_density_create(const grid_weigher *w, int64_t size, double scale, int64_t memory,
                                grid_density **out, wadi_error *err) {
    const int64_t rows = size / 2 + 1, columns = size / 2 * 2 + 1,
                  bytes = rows * columns * (int64_t)sizeof(double);
    WADI_TRY(grid_room(2 * bytes, memory, "the plane of weights", err)); /* before and after */
    grid_density *d = calloc(1, sizeof *d);
    double *blank = calloc((size_t)(rows * columns), sizeof *blank);
    if (d == NULL || blank == NULL) {
        free(d);
        free(blank);
        return wadi_fail(err, WADI_MEMORY, "no room for the plane of weights: %lld bytes",
                         (long long)bytes);
    }
    *d = (grid_density){.by = w,
                        .rows = rows,
                        .columns = columns,
                        .theta = (double)size * scale,
                        .scale = scale,
                        .blank = blank};
    *out = d;
    return WADI_OK;
}

void grid_density_destroy(grid_density *d) {
    if (d == NULL) return;
    wadi_run_destroy(d->latest);
    free(d->blank);
    free(d);
}

/* ---- running ---- */

enum { BOUND = 6, MORE = 1 }; /* inputs of both programs; of Briggs's weighing beside */

static wadi_status bind(const grid_density *d, const grid_store *s, grid_bound *out,
                        wadi_error *err) {
    wadi_array plane = {.fields = 1, .type = {WADI_F64}, .column = {d->blank}};
    if (d->latest != NULL) WADI_TRY(wadi_run_result(d->latest, "plane", &plane, err));
    plane.rank = 2;
    plane.shape[0] = d->rows;
    plane.shape[1] = d->columns;
    out[0] = grid_bind_vector("u", WADI_F64, s->n, s->column[GRID_U]);
    out[1] = grid_bind_vector("v", WADI_F64, s->n, s->column[GRID_V]);
    out[2] = grid_bind_vector("weight", WADI_F64, s->n, s->column[GRID_WEIGHT]);
    out[3] = (grid_bound){"plane", plane};
    out[4] = grid_bind_scalar("theta", &d->theta);
    out[5] = grid_bind_scalar("scale", &d->scale);
    return WADI_OK;
}

wadi_status grid_density_add(grid_density *d, const grid_store *s, wadi_error *err) {
    grid_bound bound[BOUND];
    wadi_run *run = NULL;
    if (s->n == 0) return WADI_OK;
    WADI_TRY(bind(d, s, bound, err));
    WADI_TRY(grid_run(d->by->adding, &d->by->run, BOUND, bound, &run, err));
    wadi_run_destroy(d->latest);
    d->latest = run;
    free(d->blank);
    d->blank = NULL;
    return WADI_OK;
}

static wadi_status take_results(wadi_run *run, grid_store *s, grid_weighed *io, wadi_error *err) {
    wadi_array weight = {0}, of = {0};
    WADI_TRY(wadi_run_result(run, "weight", &weight, err));
    WADI_TRY(wadi_run_result(run, "account", &of, err));
    memcpy(s->column[GRID_WEIGHT], weight.column[0], (size_t)s->n * sizeof(double));
    io->weight += *(const double *)of.column[SUM];
    io->variance += *(const double *)of.column[VARIANCE];
    if (!(*(const double *)of.column[LEAST] > 0)) io->outside += grid_store_compact(s);
    return WADI_OK;
}

wadi_status grid_density_apply(const grid_density *d, grid_store *s, grid_weighed *io,
                               wadi_error *err) {
    const int n = BOUND + (d->by->kind == GRID_BRIGGS ? MORE : 0);
    grid_bound bound[BOUND + MORE];
    wadi_run *run = NULL;
    if (s->n == 0) return WADI_OK;
    WADI_TRY(bind(d, s, bound, err));
    bound[BOUND] = grid_bind_scalar("wish", &d->by->wish);
    WADI_TRY(grid_run(d->by->weighing, &d->by->run, n, bound, &run, err));
    const wadi_status status = take_results(run, s, io, err);
    wadi_run_destroy(run);
    return status;
}
