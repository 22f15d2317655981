/* Chunk policies against the best fixed chunk size, on streams of some two seconds: elements of rank 0, short regular rows, ragged
 * rows, blocks like those of sound. The start of the stream counts, what earlier runs have learned does not, but for "probe,
 * again", which starts with it.
 *
 * A sweep over fixed sizes finds the best two; then these and the policies are timed in turn. The peer of each line is the best
 * fixed size. Bodies read one array at places that depend on the element, so that a long stream needs little memory. */
#include "bench/streams/benchmarks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/streams/program.h"
#include "bench/streams/rows.h"

enum { VALUES = 1 << 20, RAGGED_ROWS = 20000, RAGGED_MEAN = 50, SIZES = 11 };

/* ---- the programs ---- */

typedef struct job {
    const char *name;
    int64_t row;    /* values of an element; 0: ragged, -1: rank 0 */
    int64_t rounds; /* of arithmetic per value */
    int64_t elements;
    wadi_acc values, offsets;
} job;

static wadi_exp round_of(void *env, wadi_exp i, wadi_exp x) {
    WADI_UNUSED(env);
    WADI_UNUSED(i);
    return wadi_add(wadi_mul(x, wadi_f64(0.75)), wadi_f64(0.125));
}

static wadi_exp work(void *env, wadi_exp x) {
    const job *j = env;
    return wadi_iterate_env(wadi_i64(j->rounds), round_of, NULL, x);
}

typedef struct begin {
    wadi_exp at;
} begin;

static wadi_ix shifted(void *env, wadi_ix ix) {
    return wadi_ix1(wadi_add(((const begin *)env)->at, ix.at[0]));
}

static wadi_acc element(void *env, wadi_exp i) {
    job *j = env;
    begin b;
    wadi_exp n;
    if (j->row < 0) {
        const wadi_exp at = wadi_rem(i, wadi_i64(VALUES));
        return wadi_unit(work(j, wadi_index1(j->values, at)));
    }
    if (j->row > 0) {
        n = wadi_i64(j->row);
        b.at = wadi_rem(wadi_mul(i, n), wadi_i64(VALUES - VALUES % j->row));
    } else {
        const wadi_exp r = wadi_rem(i, wadi_i64(RAGGED_ROWS));
        b.at = wadi_index1(j->offsets, r);
        n = wadi_sub(wadi_index1(j->offsets, wadi_add(r, wadi_i64(1))), b.at);
    }
    const wadi_acc row = wadi_backpermute_env(wadi_ix1(n), shifted, &b, j->values);
    return wadi_sum(wadi_map_env(work, j, row));
}

static wadi_program *build(job *j) {
    static const char *const n[] = {"n"}, *const m[] = {"m"};
    wadi_program *p = wadi_program_create("policies");
    if (p == NULL) return NULL;
    j->values = wadi_input("values", WADI_F64, 1, n);
    j->offsets = wadi_input("offsets", WADI_I64, 1, m);
    const wadi_acc count = wadi_input("count", WADI_I64, 0, NULL);
    wadi_output("all", wadi_consume(wadi_elements(wadi_produce_env(wadi_the(count), element, j))));
    return p;
}

/* ---- timing ---- */

static wadi_status time_of(bench_program *p, const char *policy, int64_t chunk, bool forget,
                           double *out, wadi_error *err) {
    double unused = -1;
    p->options.policy = policy;
    p->options.chunk = chunk;
    p->options.forget = forget;
    const int64_t start = wadi_clock_ns();
    WADI_TRY(bench_program_run(p, &unused, err));
    *out = (double)(wadi_clock_ns() - start) * 1e-9;
    return WADI_OK;
}

/* The fixed size with the least time of one run each. */
static wadi_status sweep(bench *b, bench_program *p, const job *j, int64_t *out_size,
                         wadi_error *err) {
    double least = -1, first = 0;
    WADI_TRY(time_of(p, "fixed", 4096, true, &first, err)); /* compiles */
    for (int i = 0; i < SIZES; i++) {
        const int64_t size = INT64_C(1) << 2 * i;
        double t = 0;
        if (size > j->elements / 4 || j->elements / size > 100000) continue;
        WADI_TRY(time_of(p, "fixed", size, true, &t, err));
        bench_say(b, "%s: %lld per chunk: %.3f s", j->name, (long long)size, t);
        if (least < 0 || t < least) *out_size = size;
        if (least < 0 || t < least) least = t;
    }
    return WADI_OK;
}

typedef struct entry {
    const char *name, *policy;
    bool forget;
} entry;

static wadi_status compare(bench *b, bench_program *p, const job *j, wadi_error *err) {
    static const entry entries[] = {
        {"probe", "probe", true}, {"probe, again", "probe", false}, {"paper", "paper", true}};
    enum { ENTRIES = 3, ROUNDS = 9 };
    double seconds[ENTRIES + 1][ROUNDS], unused = 0;
    char peer[48];
    int64_t size = 64;
    WADI_TRY(sweep(b, p, j, &size, err));
    WADI_TRY(time_of(p, "probe", 0, false, &unused, err)); /* learns */
    const int rounds = b->quick ? 1 : b->runs < ROUNDS ? b->runs : ROUNDS;
    for (int r = 0; r < rounds; r++) {
        WADI_TRY(time_of(p, "fixed", size, true, &seconds[ENTRIES][r], err));
        for (int i = 0; i < ENTRIES; i++) {
            WADI_TRY(time_of(p, entries[i].policy, 0, entries[i].forget, &seconds[i][r], err));
        }
    }
    const double best = bench_median(rounds, seconds[ENTRIES]);
    (void)snprintf(peer, sizeof peer, "fixed %lld", (long long)size);
    for (int i = 0; i < ENTRIES; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s, %s", j->name, entries[i].name);
        WADI_TRY(
            bench_line(b, "policies", name, bench_median(rounds, seconds[i]), peer, best, err));
    }
    return WADI_OK;
}

static wadi_status one_case(bench *b, job *j, const bench_rows *rows, wadi_error *err) {
    bench_program p = {0};
    if (!bench_wants(b, j->name)) return WADI_OK;
    if (b->quick) j->elements /= 1000;
    WADI_TRY(bench_program_open(b, build(j), &p, err));
    bench_program_vector(&p, "values", WADI_F64, rows->n, rows->values);
    bench_program_vector(&p, "offsets", WADI_I64, rows->rows + 1, rows->offsets);
    p.name[p.inputs] = "count";
    p.input[p.inputs++] =
        (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {(void *)&j->elements}};
    const wadi_status status = compare(b, &p, j, err);
    bench_program_close(&p);
    return status;
}

wadi_status bench_policies(bench *b, wadi_error *err) {
    job jobs[] = {{.name = "rank 0", .row = -1, .rounds = 40, .elements = 100000000},
                  {.name = "rows of 16", .row = 16, .rounds = 4, .elements = 40000000},
                  {.name = "ragged rows", .row = 0, .rounds = 4, .elements = 15000000},
                  {.name = "blocks of 4096", .row = 4096, .rounds = 40, .elements = 60000}};
    bench_rows rows = {0};
    WADI_TRY(bench_rows_make(RAGGED_ROWS, RAGGED_MEAN, &rows, err));
    if (rows.n < VALUES) { /* the other programs read this many */
        double *more = realloc(rows.values, VALUES * sizeof *more);
        if (more == NULL) {
            bench_rows_fini(&rows);
            return wadi_fail(err, WADI_MEMORY, "out of memory");
        }
        for (int64_t i = rows.n; i < VALUES; i++) more[i] = 1 / (double)(i + 1);
        rows.values = more;
        rows.n = VALUES;
    }
    wadi_status status = WADI_OK;
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0] && status == WADI_OK; i++) {
        status = one_case(b, &jobs[i], &rows, err);
    }
    bench_rows_fini(&rows);
    return status;
}
