/* Streams with a part that runs in a thread of its own, against the same with all stages joined (docs/decisions/0052).
 *
 * - "two chains": a scan that carries one number, then a fold that does. Neither can use more than one worker, so two threads may
 *   take half the time.
 * - "map, then chain": a map that all workers share, then a fold that one of them computes.
 * - "light chain": a map beside which the fold takes next to nothing. Parting cannot pay, and choosing must cost nothing.
 *
 * wadi chooses by itself; the peers are told what to do. All give the same bits. */
#include "bench/streams/benchmarks.h"

#include <string.h>

#include "base/error.h"
#include "bench/streams/program.h"

enum { SIDES = 3 };

typedef struct job {
    const char *name;
    bool scans;            /* the stage carries a number, too */
    int64_t before, after; /* rounds of arithmetic for an element in the stage and in the fold */
    int64_t elements;
    wadi_acc count;
} job;

/* ---- the programs ---- */

static wadi_exp round_of(void *env, wadi_exp i, wadi_exp x) {
    WADI_UNUSED(env);
    WADI_UNUSED(i);
    return wadi_add(wadi_mul(x, wadi_f64(0.75)), wadi_f64(0.125));
}

static wadi_exp work(int64_t rounds, wadi_exp x) {
    return wadi_iterate_env(wadi_i64(rounds), round_of, NULL, x);
}

static wadi_acc number(void *env, wadi_exp i) {
    WADI_UNUSED(env);
    return wadi_unit(wadi_convert(WADI_F64, i));
}

static wadi_acc mapped(void *env, wadi_acc x) {
    return wadi_unit(work(((const job *)env)->before, wadi_the(x)));
}

static wadi_acc carried(void *env, wadi_acc state, wadi_acc x) {
    const wadi_exp sum = wadi_add(wadi_the(state), wadi_the(x));
    return wadi_unit(work(((const job *)env)->before, sum));
}

static wadi_acc folded(void *env, wadi_acc state, wadi_acc x) {
    const wadi_exp sum = wadi_add(wadi_the(state), wadi_the(x));
    return wadi_unit(work(((const job *)env)->after, sum));
}

static wadi_program *build(job *j) {
    wadi_program *p = wadi_program_create("apart");
    if (p == NULL) return NULL;
    j->count = wadi_input("count", WADI_I64, 0, NULL);
    const wadi_acc zero = wadi_unit(wadi_f64(0));
    const wadi_seq numbers = wadi_produce_env(wadi_the(j->count), number, NULL);
    const wadi_seq stage = j->scans ? wadi_scan_seq_env(carried, j, zero, numbers)
                                    : wadi_map_seq_env(mapped, j, numbers);
    wadi_output("result", wadi_consume(wadi_fold_seq_env(folded, j, zero, stage)));
    return p;
}

/* ---- timing ---- */

static wadi_status open_sides(bench *b, job *j, bench_program *p, bench_side *side,
                              wadi_error *err) {
    static const struct {
        const char *name;
        wadi_stages_option stages;
    } how[SIDES] = {{"wadi", WADI_STAGES_AUTO},
                    {"all joined", WADI_STAGES_JOINED},
                    {"always apart", WADI_STAGES_APART}};
    for (int i = 0; i < SIDES; i++) {
        WADI_TRY(bench_program_open(b, build(j), &p[i], err));
        p[i].options.stages = how[i].stages;
        p[i].options.forget = true;
        p[i].name[p[i].inputs] = "count";
        p[i].input[p[i].inputs++] =
            (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {(void *)&j->elements}};
        side[i] = (bench_side){how[i].name, bench_program_run, &p[i]};
    }
    return WADI_OK;
}

static wadi_status same_bits(const bench_program *p, wadi_error *err) {
    double result[SIDES];
    for (int i = 0; i < SIDES; i++) {
        wadi_array a;
        WADI_TRY(bench_program_result(&p[i], "result", &a, err));
        memcpy(&result[i], a.column[0], sizeof result[i]);
        if (memcmp(&result[i], &result[0], sizeof result[i]) != 0)
            return wadi_fail(err, WADI_INTERNAL, "apart: %.17g and %.17g", result[0], result[i]);
    }
    return WADI_OK;
}

static wadi_status one_case(bench *b, job *j, wadi_error *err) {
    bench_program p[SIDES] = {{0}};
    bench_side side[SIDES];
    if (!bench_wants(b, j->name)) return WADI_OK;
    if (b->quick) j->elements /= 1000;
    wadi_status status = open_sides(b, j, p, side, err);
    if (status == WADI_OK) status = bench_compare(b, "apart", j->name, SIDES, side, NULL, err);
    if (status == WADI_OK) status = same_bits(p, err);
    for (int i = 0; i < SIDES; i++) bench_program_close(&p[i]);
    return status;
}

wadi_status bench_apart(bench *b, wadi_error *err) {
    job jobs[] = {
        {.name = "two chains", .scans = true, .before = 50, .after = 50, .elements = 2000000},
        {.name = "map, then chain", .before = 200, .after = 50, .elements = 3000000},
        {.name = "light chain", .before = 400, .after = 1, .elements = 3000000}};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) WADI_TRY(one_case(b, &jobs[i], err));
    return WADI_OK;
}
