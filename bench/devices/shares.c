/* Streams that several devices share by chunks (`--device cpu,null`), against the processors alone. Both are the same processors here, so there is
 * nothing to gain: what is measured is what it costs to find that out, and to go on alone. "learned" starts from what a run before has
 * found. All sides give the same bits. */
#include <string.h>

#include "base/error.h"
#include "bench/devices/devices.h"
#include "bench/streams/program.h"

enum { SIDES = 3 };

typedef struct job {
    const char *name, *text;
    int64_t n;
} job;

static const job jobs[] = {
    {"arithmetic",
     "program arithmetic\n"
     "input n : i64[]\n"
     "count = unit { the n }\n"
     "rows = produce count (i) {\n"
     "    v = generate 256 (k) {\n"
     "        x = convert f64 (add (the i) k)\n"
     "        a = fdiv (sqrt (add x 2.0)) (add x 1.5)\n"
     "        b = fdiv (sqrt (add a 2.0)) (add a 1.5)\n"
     "        c = fdiv (sqrt (add b 2.0)) (add b 1.5)\n"
     "        fdiv (sqrt (add c 2.0)) (add c 1.5)\n"
     "    }\n"
     "    s = fold 0.0 v (p, q) { add p q }\n"
     "    yield s\n"
     "}\n"
     "x = elements rows\n"
     "output x\n",
     200000},
    {"memory",
     "program memory\n"
     "input n : i64[]\n"
     "count = unit { the n }\n"
     "rows = produce count (i) {\n"
     "    v = generate 16 (k) { convert f64 (add (the i) k) }\n"
     "    yield v\n"
     "}\n"
     "x = elements rows\n"
     "output x\n",
     2000000},
};

typedef struct side {
    const char *name, *device;
    bool forget;
    bench_program program;
} side;

static wadi_status same_bits(const side *s, wadi_error *err) {
    wadi_array of[SIDES];
    for (int i = 0; i < SIDES; i++) {
        WADI_TRY(bench_program_result(&s[i].program, "x", &of[i], err));
        if (of[i].shape[0] != of[0].shape[0] ||
            memcmp(of[i].column[0], of[0].column[0], (size_t)of[0].shape[0] * sizeof(double)) != 0)
            return wadi_fail(err, WADI_INTERNAL, "shares: %s gives other bits", s[i].name);
    }
    return WADI_OK;
}

static wadi_status one_case(bench *b, const job *j, wadi_error *err) {
    side s[SIDES] = {{"cpu,null", "cpu,null", true, {0}},
                     {"cpu", "cpu", true, {0}},
                     {"cpu,null learned", "cpu,null", false, {0}}};
    bench_side sides[SIDES];
    int64_t n = b->quick ? j->n / 200 : j->n;
    wadi_status status = WADI_OK;
    for (int i = 0; i < SIDES && status == WADI_OK; i++) {
        bench_program *p = &s[i].program;
        p->options =
            (wadi_run_options){.threads = b->threads, .device = s[i].device, .forget = s[i].forget};
        status = wadi_compile_text(j->text, j->name, NULL, &p->exe, err);
        bench_program_vector(p, "n", WADI_I64, 1, &n);
        p->input[0].rank = 0;
        sides[i] = (bench_side){s[i].name, bench_program_run, p};
    }
    if (status == WADI_OK) status = bench_compare(b, "shares", j->name, SIDES, sides, NULL, err);
    if (status == WADI_OK) status = same_bits(s, err);
    for (int i = 0; i < SIDES; i++) bench_program_close(&s[i].program);
    return status;
}

wadi_status bench_shares(bench *b, wadi_error *err) {
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        if (bench_wants(b, jobs[i].name)) WADI_TRY(one_case(b, &jobs[i], err));
    return WADI_OK;
}
