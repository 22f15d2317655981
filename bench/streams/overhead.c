/* The cost of the streaming form: the rows of a matrix that is larger than the caches go through map_seq, and the results are
 * tabulated or collected. The peer is the same computation as one array program over the whole matrix. The ratio should be at
 * most 1.05. */
#include "bench/streams/benchmarks.h"

#include <stdlib.h>

#include "base/error.h"
#include "bench/streams/program.h"

/* ---- the programs ---- */

typedef struct form {
    const char *name;
    wadi_acc (*row)(wadi_acc row);   /* of one row */
    wadi_acc (*whole)(wadi_acc all); /* of the matrix */
    bool tabulated;                  /* rows, else one number each */
} form;

static wadi_exp curve(wadi_exp x) {
    return wadi_add(wadi_mul(x, x), wadi_mul(x, wadi_f32(0.5f)));
}

static wadi_acc sum_of_row(wadi_acc row) {
    return wadi_sum(wadi_map(curve, row));
}

static wadi_acc sums(wadi_acc all) {
    return wadi_compute(wadi_sum(wadi_map(curve, all)));
}

static wadi_acc mapped(wadi_acc a) {
    return wadi_map(curve, a);
}

static wadi_acc all_mapped(wadi_acc all) {
    return wadi_compute(wadi_map(curve, all));
}

static wadi_acc running(wadi_acc row) {
    return wadi_scanl1(wadi_add, row);
}

static wadi_acc all_running(wadi_acc all) {
    return wadi_compute(wadi_scanl1(wadi_add, all));
}

static wadi_program *build(const form *f, bool streaming) {
    static const char *const extents[] = {"rows", "columns"};
    wadi_program *p = wadi_program_create(streaming ? "overhead_stream" : "overhead_whole");
    if (p == NULL) return NULL;
    const wadi_acc m = wadi_input("m", WADI_F32, 2, extents);
    if (!streaming) {
        wadi_output("result", f->whole(m));
        return p;
    }
    const wadi_seq s = wadi_map_seq(f->row, wadi_to_seq(m));
    wadi_output("result", wadi_consume(f->tabulated ? wadi_tabulate(s) : wadi_elements(s)));
    return p;
}

/* ---- all together ---- */

static wadi_status same(const bench_program *a, const bench_program *b, const char *name,
                        wadi_error *err) {
    wadi_array x, y;
    WADI_TRY(bench_program_result(a, "result", &x, err));
    WADI_TRY(bench_program_result(b, "result", &y, err));
    int64_t n = 1;
    for (int d = 0; d < y.rank; d++) n *= y.shape[d];
    for (int64_t i = 0; i < n; i++) {
        if (((const uint32_t *)x.column[0])[i] == ((const uint32_t *)y.column[0])[i]) continue;
        return wadi_fail(err, WADI_INTERNAL, "%s: value %lld differs", name, (long long)i);
    }
    return WADI_OK;
}

static wadi_status one_case(bench *b, const form *f, int64_t rows, int64_t columns, float *values,
                            wadi_error *err) {
    bench_program both[2] = {{0}, {0}};
    const wadi_array m = {
        .rank = 2, .fields = 1, .type = {WADI_F32}, .shape = {rows, columns}, .column = {values}};
    wadi_status status = WADI_OK;
    for (int i = 0; i < 2 && status == WADI_OK; i++) {
        double unused = -1;
        status = bench_program_open(b, build(f, i == 0), &both[i], err);
        both[i].inputs = 1;
        both[i].name[0] = "m";
        both[i].input[0] = m;
        if (status == WADI_OK) status = bench_program_run(&both[i], &unused, err);
    }
    const bench_side side[] = {{"wadi", bench_program_run, &both[0]},
                               {"wadi whole array", bench_program_run, &both[1]}};
    if (status == WADI_OK) status = same(&both[0], &both[1], f->name, err);
    if (status == WADI_OK) status = bench_compare(b, "overhead", f->name, 2, side, NULL, err);
    for (int i = 0; i < 2; i++) bench_program_close(&both[i]);
    return status;
}

wadi_status bench_overhead(bench *b, wadi_error *err) {
    static const form forms[] = {{"sums of rows", sum_of_row, sums, false},
                                 {"rows mapped", mapped, all_mapped, true},
                                 {"running sums of rows", running, all_running, true}};
    const int64_t columns = 256, rows = b->quick ? 1000 : INT64_C(1) << 18; /* 256 MiB */
    float *values = malloc((size_t)(rows * columns) * sizeof *values);
    if (values == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int64_t i = 0; i < rows * columns; i++) values[i] = (float)(i % 1009) * 0.001f;
    wadi_status status = WADI_OK;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0] && status == WADI_OK; i++) {
        if (!bench_wants(b, forms[i].name)) continue;
        status = one_case(b, &forms[i], rows, columns, values, err);
    }
    free(values);
    return status;
}
