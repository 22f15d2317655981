/* Statistics of ragged rows: mean, variance (two passes), least and greatest value of each.
 *
 * wadi: the streaming form (a row is an element) and the whole-array form (an element of the result loops over its row). Peer: the
 * same in C with OpenMP. Empty rows have mean and variance 0 and the extremes of an empty set. */
#include "bench/streams/benchmarks.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench/streams/program.h"
#include "bench/streams/rows.h"

enum { STATISTICS = 4 };
static const char *const names[STATISTICS] = {"mean", "variance", "least", "greatest"};

/* ---- the programs ---- */

typedef struct inputs {
    wadi_acc offsets, values;
} inputs;

static inputs declare(void) {
    static const char *const m[] = {"m"}, *const n[] = {"n"};
    return (inputs){wadi_input("offsets", WADI_I64, 1, m), wadi_input("values", WADI_F64, 1, n)};
}

static wadi_exp reciprocal_count(wadi_exp n) {
    return wadi_div(wadi_f64(1), wadi_convert(WADI_F64, wadi_max(n, wadi_i64(1))));
}

static wadi_exp square_distance(void *env, wadi_exp x) {
    const wadi_exp d = wadi_sub(x, wadi_the(*(const wadi_acc *)env));
    return wadi_mul(d, d);
}

static wadi_acc scaled(wadi_acc sum, wadi_exp by) {
    return wadi_unit(wadi_mul(wadi_the(sum), by));
}

static wadi_acc statistics(wadi_acc row) {
    const wadi_exp each = reciprocal_count(wadi_extent(row, 0));
    wadi_acc mean = scaled(wadi_sum(row), each);
    const wadi_acc parts[STATISTICS] = {
        mean, scaled(wadi_sum(wadi_map_env(square_distance, &mean, row)), each),
        wadi_fold(wadi_min, wadi_f64((double)INFINITY), row),
        wadi_fold(wadi_max, wadi_f64(-(double)INFINITY), row)};
    return wadi_tuple(STATISTICS, parts);
}

static wadi_program *streaming(void) {
    wadi_program *p = wadi_program_create("ragged_stream");
    if (p == NULL) return NULL;
    const inputs in = declare();
    const wadi_seq rows = wadi_from_offsets(in.offsets, in.values);
    const wadi_acc all = wadi_consume(wadi_elements(wadi_map_seq(statistics, rows)));
    for (int i = 0; i < STATISTICS; i++) wadi_output(names[i], wadi_tuple_get(all, i));
    return p;
}

typedef struct row {
    const inputs *in;
    wadi_exp begin, mean;
} row;

static wadi_exp summary(wadi_exp sum, wadi_exp least, wadi_exp greatest) {
    return wadi_rec3("sum", sum, "least", least, "greatest", greatest);
}

static wadi_exp first_pass(void *env, wadi_exp i, wadi_exp so_far) {
    const row *r = env;
    const wadi_exp x = wadi_index1(r->in->values, wadi_add(r->begin, i));
    return summary(wadi_add(wadi_get(so_far, "sum"), x), wadi_min(wadi_get(so_far, "least"), x),
                   wadi_max(wadi_get(so_far, "greatest"), x));
}

static wadi_exp second_pass(void *env, wadi_exp i, wadi_exp sum) {
    const row *r = env;
    const wadi_exp d = wadi_sub(wadi_index1(r->in->values, wadi_add(r->begin, i)), r->mean);
    return wadi_add(sum, wadi_mul(d, d));
}

static wadi_exp statistics_whole(void *env, wadi_ix ix) {
    const inputs *in = env;
    row r = {.in = in, .begin = wadi_index1(in->offsets, ix.at[0])};
    const wadi_exp n = wadi_sub(wadi_index1(in->offsets, wadi_add(ix.at[0], wadi_i64(1))), r.begin);
    const wadi_exp each = reciprocal_count(n);
    const wadi_exp one = wadi_iterate_env(
        n, first_pass, &r,
        summary(wadi_f64(0), wadi_f64((double)INFINITY), wadi_f64(-(double)INFINITY)));
    r.mean = wadi_mul(wadi_get(one, "sum"), each);
    const wadi_exp variance = wadi_mul(wadi_iterate_env(n, second_pass, &r, wadi_f64(0)), each);
    const wadi_exp values[STATISTICS] = {r.mean, variance, wadi_get(one, "least"),
                                         wadi_get(one, "greatest")};
    return wadi_rec(STATISTICS, names, values);
}

static wadi_exp field(void *env, wadi_exp record) {
    return wadi_get(record, env);
}

static wadi_program *whole(void) {
    wadi_program *p = wadi_program_create("ragged_whole");
    if (p == NULL) return NULL;
    inputs in = declare();
    const wadi_exp rows = wadi_sub(wadi_extent(in.offsets, 0), wadi_i64(1));
    const wadi_acc all = wadi_compute(wadi_generate_env(wadi_ix1(rows), statistics_whole, &in));
    for (int i = 0; i < STATISTICS; i++) {
        wadi_output(names[i], wadi_map_env(field, (void *)(uintptr_t)names[i], all));
    }
    return p;
}

/* ---- the loop in C ---- */

typedef struct loop {
    const bench_rows *rows;
    double *out[STATISTICS];
    int threads;
} loop;

static void one_row(const loop *l, int64_t r) {
    const double *x = l->rows->values + l->rows->offsets[r];
    const int64_t n = l->rows->offsets[r + 1] - l->rows->offsets[r];
    const double each = 1 / (double)(n > 1 ? n : 1);
    double sum = 0, squares = 0, least = (double)INFINITY, greatest = -(double)INFINITY;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    const double mean = sum * each;
    for (int64_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    l->out[0][r] = mean;
    l->out[1][r] = squares * each;
    l->out[2][r] = least;
    l->out[3][r] = greatest;
}

static wadi_status run_loop(void *env, double *out_seconds, wadi_error *err) {
    const loop *l = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 256) num_threads(l->threads)
#endif
    for (int64_t r = 0; r < l->rows->rows; r++) one_row(l, r);
    return WADI_OK;
}

/* ---- all together ---- */

static wadi_status check(bench_program *p, const char *what, const loop *l, wadi_error *err) {
    double unused = -1;
    WADI_TRY(bench_program_run(p, &unused, err));
    for (int i = 0; i < STATISTICS; i++) {
        wadi_array got;
        WADI_TRY(bench_program_result(p, names[i], &got, err));
        for (int64_t r = 0; r < l->rows->rows; r++) {
            const double x = ((const double *)got.column[0])[r], y = l->out[i][r];
            if (x == y || fabs(x - y) <= 1e-12) continue;
            return wadi_fail(err, WADI_INTERNAL, "%s: %s of row %lld is %.17g, expected %.17g",
                             what, names[i], (long long)r, x, y);
        }
    }
    return WADI_OK;
}

static wadi_status compare(bench *b, const char *name, const bench_rows *rows, loop *l,
                           bench_program *stream, bench_program *one, wadi_error *err) {
    double unused = -1;
    for (int i = 0; i < STATISTICS; i++) {
        l->out[i] = calloc((size_t)rows->rows + 1, sizeof(double));
        if (l->out[i] == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    WADI_TRY(bench_program_open(b, streaming(), stream, err));
    WADI_TRY(bench_program_open(b, whole(), one, err));
    bench_program *const both[] = {stream, one};
    for (int i = 0; i < 2; i++) {
        bench_program_vector(both[i], "offsets", WADI_I64, rows->rows + 1, rows->offsets);
        bench_program_vector(both[i], "values", WADI_F64, rows->n, rows->values);
    }
    WADI_TRY(run_loop(l, &unused, err));
    WADI_TRY(check(stream, "ragged, streaming", l, err));
    WADI_TRY(check(one, "ragged, whole array", l, err));
    const bench_side side[] = {{"wadi", bench_program_run, stream},
                               {"wadi whole array", bench_program_run, one},
                               {"C OpenMP", run_loop, l}};
    return bench_compare(b, "ragged", name, 3, side, NULL, err);
}

static wadi_status one_case(bench *b, const char *name, int64_t rows, int64_t mean,
                            wadi_error *err) {
    if (!bench_wants(b, name)) return WADI_OK;
    bench_rows data = {0};
    if (b->quick) rows = rows / 10000 + 1;
    WADI_TRY(bench_rows_make(rows, mean, &data, err));
    loop l = {.rows = &data, .threads = b->threads};
    bench_program stream = {0}, one = {0};
    const wadi_status status = compare(b, name, &data, &l, &stream, &one, err);
    bench_program_close(&stream);
    bench_program_close(&one);
    for (int i = 0; i < STATISTICS; i++) free(l.out[i]);
    bench_rows_fini(&data);
    return status;
}

wadi_status bench_ragged(bench *b, wadi_error *err) {
    WADI_TRY(one_case(b, "statistics, rows of 10", 2000000, 10, err));
    WADI_TRY(one_case(b, "statistics, rows of 100", 200000, 100, err));
    return one_case(b, "statistics, rows of 10000", 2000, 10000, err);
}
