/* Making ragged rows. Length = mean / 2 / sqrt(u) minus a little, cut at 200 times the mean, so the density falls as
 * length^-3. */
#include "bench/streams/rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double unit(uint64_t *state) {
    return ((double)(next(state) >> 11) + 1) * 0x1p-53;
}

static int64_t length(int64_t mean, uint64_t *random) {
    const double most = 200 * (double)mean, u = unit(random);
    const double n = 0.5 * (double)mean / sqrt(u);
    if (unit(random) < 0.01) return 0;
    return (int64_t)(n < most ? n : most);
}

wadi_status bench_rows_make(int64_t rows, int64_t mean, bench_rows *out, wadi_error *err) {
    bench_rows r = {.rows = rows};
    uint64_t random = (uint64_t)rows;
    r.offsets = calloc((size_t)rows + 1, sizeof *r.offsets);
    if (r.offsets == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int64_t i = 0; i < rows; i++) r.offsets[i + 1] = r.offsets[i] + length(mean, &random);
    r.n = r.offsets[rows];
    r.values = malloc(((size_t)r.n + 1) * sizeof *r.values);
    if (r.values == NULL) {
        bench_rows_fini(&r);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    for (int64_t i = 0; i < r.n; i++) r.values[i] = 2 * unit(&random) - 1;
    *out = r;
    return WADI_OK;
}

void bench_rows_fini(bench_rows *r) {
    free(r->offsets);
    free(r->values);
    *r = (bench_rows){0};
}
