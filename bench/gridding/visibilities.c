/* Making and reading the visibilities of the benchmarks. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench/gridding/gridding.h"

wadi_status bench_visibilities_make(int64_t n, bench_visibilities *out, wadi_error *err) {
    const size_t count = (size_t)n;
    double *c = calloc(count * 8 + 1, sizeof *c);
    int32_t *pair = malloc((count * 2 + 1) * sizeof *pair);
    *out = (bench_visibilities){.column = c, .pair = pair};
    if (!c || !pair) {
        bench_visibilities_free(out);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    out->batch = (grid_batch){.n = n,
                              .u = c,
                              .v = c + n,
                              .w = c + 2 * n,
                              .weight = c + 3 * n,
                              .vis = c + 4 * n,
                              .time = c + 6 * n,
                              .frequency = c + 7 * n,
                              .pair = pair};
    for (int64_t k = 0; k < n; k++) {
        c[3 * n + k] = 1;
        pair[2 * k] = pair[2 * k + 1] = -1;
    }
    return WADI_OK;
}

void bench_visibilities_free(bench_visibilities *v) {
    free(v->column);
    free(v->pair);
    *v = (bench_visibilities){0};
}

/* Knuth's MMIX generator. */
double bench_uniform(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

void bench_visibilities_random(bench_visibilities *v, double most_uv, double most_w) {
    uint64_t state = 1;
    const int64_t n = v->batch.n;
    for (int64_t k = 0; k < n; k++) {
        v->column[k] = most_uv * bench_uniform(&state);
        v->column[n + k] = most_uv * bench_uniform(&state);
        v->column[2 * n + k] = most_w * bench_uniform(&state);
        v->column[4 * n + 2 * k] = bench_uniform(&state);
        v->column[4 * n + 2 * k + 1] = bench_uniform(&state);
    }
}

/* u, v, w, re, im per line; the file has the other sign. */
static int64_t read_lines(FILE *f, bench_visibilities *v) {
    char line[256];
    int64_t k = 0;
    const int64_t n = v->batch.n;
    for (; k < n && fgets(line, sizeof line, f) != NULL; k++) {
        double x[5];
        char *at = line;
        for (int i = 0; i < 5; i++) x[i] = strtod(i ? at + 1 : at, &at);
        for (int i = 0; i < 3; i++) v->column[i * n + k] = x[i];
        v->column[4 * n + 2 * k] = x[3];
        v->column[4 * n + 2 * k + 1] = -x[4];
    }
    return k;
}

wadi_status bench_visibilities_golden(const char *data, bench_visibilities *out, wadi_error *err) {
    enum { GOLDEN = 35100 };
    char path[1024], command[1100];
    (void)snprintf(path, sizeof path, "%s/vis/vla_grid_6h/test_vla.txt.gz", data ? data : ".");
    FILE *f = fopen(path, "rb");
    if (!f)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: no golden visibilities (--data, WADI_TEST_DATA)", path);
    (void)fclose(f);
    WADI_TRY(bench_visibilities_make(GOLDEN, out, err));
    (void)snprintf(command, sizeof command, "gzip -dc '%s'", path);
    f = popen(command, "r");
    const int64_t n = f ? read_lines(f, out) : 0;
    if (f) (void)pclose(f);
    if (n == GOLDEN) return WADI_OK;
    bench_visibilities_free(out);
    return wadi_fail(err, WADI_IO, "%s: %lld visibilities, expected %d", path, (long long)n,
                     GOLDEN);
}
