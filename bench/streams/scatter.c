/* Patches added to a large grid, as in gridding: each of many values, times a small table chosen by where it falls between two
 * cells, is added to the square of cells around it.
 *
 * wadi: a permute of the three-dimensional array of all patches, which is never stored, and a fold over a stream of patches whose
 * state is the grid. Peer: the loops in C, one thread; all sum in the same order, so the bits are compared.
 * The places move along tracks, dense in the middle, as those of a telescope's baselines do. */
#include "bench/streams/benchmarks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/streams/program.h"

enum { GRID = 2048, SUBS = 64, TRACK = 500 };

typedef struct cell {
    double re, im;
} cell;

typedef struct job {
    int64_t n, size;
    cell *values, *tables, *grid;
    int64_t *row, *column, *sub;
} job;

/* ---- the programs ---- */

typedef struct data {
    wadi_acc values, tables, row, column, sub;
    int64_t size;
} data;

static data declare(int64_t size) {
    static const char *const n[] = {"n"}, *const any[] = {"?"};
    return (data){wadi_input("values", WADI_C128, 1, n), wadi_input("tables", WADI_C128, 1, any),
                  wadi_input("row", WADI_I64, 1, n),     wadi_input("column", WADI_I64, 1, n),
                  wadi_input("sub", WADI_I64, 1, n),     size};
}

static wadi_exp table_at(const data *d, wadi_exp k, wadi_exp i, wadi_exp j) {
    const wadi_exp first = wadi_mul(wadi_index1(d->sub, k), wadi_i64(d->size * d->size));
    const wadi_exp at = wadi_add(wadi_add(first, wadi_mul(i, wadi_i64(d->size))), j);
    return wadi_mul(wadi_index1(d->tables, at), wadi_index1(d->values, k));
}

static wadi_exp of_all(void *env, wadi_ix ix) {
    return table_at(env, ix.at[0], ix.at[1], ix.at[2]);
}

static wadi_ix place_of_all(void *env, wadi_ix ix) {
    const data *d = env;
    return wadi_ix2(wadi_add(wadi_index1(d->row, ix.at[0]), ix.at[1]),
                    wadi_add(wadi_index1(d->column, ix.at[0]), ix.at[2]));
}

static wadi_exp plus(void *env, wadi_exp x, wadi_exp old) {
    WADI_UNUSED(env);
    return wadi_add(x, old);
}

static wadi_acc empty(void) {
    return wadi_fill(wadi_ix2(wadi_i64(GRID), wadi_i64(GRID)),
                     wadi_complex(wadi_f64(0), wadi_f64(0)));
}

static wadi_program *whole(int64_t size) {
    wadi_program *p = wadi_program_create("scatter_whole");
    if (p == NULL) return NULL;
    data d = declare(size);
    const wadi_ix shape = wadi_ix3(wadi_extent(d.values, 0), wadi_i64(size), wadi_i64(size));
    wadi_output("grid", wadi_permute_env(plus, empty(), place_of_all, &d,
                                         wadi_generate_env(shape, of_all, &d)));
    return p;
}

typedef struct patch {
    const data *d;
    wadi_exp k;
} patch;

static wadi_exp of_patch(void *env, wadi_ix ix) {
    const patch *e = env;
    return table_at(e->d, e->k, ix.at[0], ix.at[1]);
}

static wadi_acc make_patch(void *env, wadi_exp k) {
    const data *d = env;
    patch e = {d, k};
    const wadi_acc parts[] = {
        wadi_unit(wadi_index1(d->row, k)), wadi_unit(wadi_index1(d->column, k)),
        wadi_generate_env(wadi_ix2(wadi_i64(d->size), wadi_i64(d->size)), of_patch, &e)};
    return wadi_tuple(3, parts);
}

static wadi_ix place_of_patch(void *env, wadi_ix ix) {
    const wadi_acc *e = env;
    return wadi_ix2(wadi_add(wadi_the(wadi_tuple_get(*e, 0)), ix.at[0]),
                    wadi_add(wadi_the(wadi_tuple_get(*e, 1)), ix.at[1]));
}

static wadi_acc add_patch(wadi_acc grid, wadi_acc e) {
    return wadi_permute_env(plus, grid, place_of_patch, &e, wadi_tuple_get(e, 2));
}

static wadi_program *streaming(int64_t size) {
    wadi_program *p = wadi_program_create("scatter_stream");
    if (p == NULL) return NULL;
    data d = declare(size);
    const wadi_seq patches = wadi_produce_env(wadi_extent(d.values, 0), make_patch, &d);
    wadi_output("grid", wadi_consume(wadi_fold_seq(add_patch, empty(), patches)));
    return p;
}

/* ---- the loops in C ---- */

static void add_one(const job *j, cell *restrict grid, int64_t k) {
    const cell v = j->values[k], *restrict t = j->tables + j->sub[k] * j->size * j->size;
    for (int64_t i = 0; i < j->size; i++) {
        cell *restrict to = grid + (j->row[k] + i) * GRID + j->column[k];
        for (int64_t c = 0; c < j->size; c++) {
            const cell x = t[i * j->size + c];
            to[c].re += x.re * v.re - x.im * v.im;
            to[c].im += x.re * v.im + x.im * v.re;
        }
    }
}

static wadi_status run_loops(void *env, double *out_seconds, wadi_error *err) {
    const job *j = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
    memset(j->grid, 0, (size_t)GRID * GRID * sizeof *j->grid);
    for (int64_t k = 0; k < j->n; k++) add_one(j, j->grid, k);
    return WADI_OK;
}

/* ---- all together ---- */

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fill_places(job *j) {
    uint32_t r = 1;
    const double middle = 0.5 * (GRID - (double)j->size);
    for (int64_t k = 0; k < j->n; k++) {
        const double reach = (double)(k / TRACK % 40 + 1) / 41 * (GRID * 0.45);
        const double angle = (double)(k % TRACK) * (3 / (double)TRACK) + (double)(k / TRACK);
        j->row[k] = (int64_t)(middle + reach * sin(angle));
        j->column[k] = (int64_t)(middle + reach * cos(angle));
        j->sub[k] = next(&r) % SUBS;
        j->values[k] = (cell){(double)next(&r) * 0x1p-24, (double)next(&r) * 0x1p-24 - 0.5};
    }
    for (int64_t i = 0; i < SUBS * j->size * j->size; i++)
        j->tables[i] = (cell){(double)next(&r) * 0x1p-24, (double)next(&r) * 0x1p-24};
}

static wadi_status make_job(job *j, wadi_error *err) {
    const size_t n = (size_t)j->n;
    j->values = calloc(n, sizeof *j->values);
    j->row = calloc(n, sizeof *j->row);
    j->column = calloc(n, sizeof *j->column);
    j->sub = calloc(n, sizeof *j->sub);
    j->tables = calloc((size_t)(SUBS * j->size * j->size), sizeof *j->tables);
    j->grid = calloc((size_t)GRID * GRID, sizeof *j->grid);
    if (!j->values || !j->row || !j->column || !j->sub || !j->tables || !j->grid)
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    fill_places(j);
    return WADI_OK;
}

static void free_job(job *j) {
    free(j->values);
    free(j->row);
    free(j->column);
    free(j->sub);
    free(j->tables);
    free(j->grid);
}

static wadi_status open_program(bench *b, const job *j, wadi_program *owned_p, bench_program *out,
                                wadi_error *err) {
    double unused = -1;
    wadi_array grid;
    WADI_TRY(bench_program_open(b, owned_p, out, err));
    bench_program_vector(out, "values", WADI_C128, j->n, j->values);
    bench_program_vector(out, "tables", WADI_C128, SUBS * j->size * j->size, j->tables);
    bench_program_vector(out, "row", WADI_I64, j->n, j->row);
    bench_program_vector(out, "column", WADI_I64, j->n, j->column);
    bench_program_vector(out, "sub", WADI_I64, j->n, j->sub);
    WADI_TRY(bench_program_run(out, &unused, err));
    WADI_TRY(bench_program_result(out, "grid", &grid, err));
    const double *mine = grid.column[0], *theirs = (const double *)j->grid;
    for (int64_t i = 0; i < INT64_C(2) * GRID * GRID; i++) {
        if (memcmp(&mine[i], &theirs[i], sizeof mine[i]) == 0 || mine[i] == theirs[i]) continue;
        return wadi_fail(err, WADI_INTERNAL, "scatter: number %lld is %.17g, expected %.17g",
                         (long long)i, mine[i], theirs[i]);
    }
    return WADI_OK;
}

static wadi_status compare(bench *b, const char *name, job *j, bench_program *all,
                           bench_program *stream, wadi_error *err) {
    double unused = -1;
    WADI_TRY(make_job(j, err));
    WADI_TRY(run_loops(j, &unused, err));
    WADI_TRY(open_program(b, j, whole(j->size), all, err));
    WADI_TRY(open_program(b, j, streaming(j->size), stream, err));
    const bench_side side[] = {{"wadi", bench_program_run, all},
                               {"wadi stream", bench_program_run, stream},
                               {"C, one thread", run_loops, j}};
    return bench_compare(b, "scatter", name, 3, side, NULL, err);
}

static wadi_status one_case(bench *b, const char *name, int64_t n, int64_t size, wadi_error *err) {
    if (!bench_wants(b, name)) return WADI_OK;
    job j = {.n = b->quick ? 2000 : n, .size = size};
    bench_program all = {0}, stream = {0};
    const wadi_status status = compare(b, name, &j, &all, &stream, err);
    bench_program_close(&all);
    bench_program_close(&stream);
    free_job(&j);
    return status;
}

wadi_status bench_scatter(bench *b, wadi_error *err) {
    WADI_TRY(one_case(b, "patches of 8 x 8", 2000000, 8, err));
    WADI_TRY(one_case(b, "patches of 15 x 15", 600000, 15, err));
    return one_case(b, "patches of 32 x 32", 150000, 32, err);
}
