/* What --fast-math gains on each device, and the largest difference that it makes: jobs that compute much for each number that they read,
 * on arrays that stay where the device computes. The ratio is the time with fast math over the time without. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "bench/devices/beside.h"
#include "bench/devices/devices.h"
#include "bench/devices/jobs.h"

enum { EXACT, FAST, MATHS, QUICK_NUMBERS = 500, COMPARED = 100000 };

typedef struct sample {
    const char *job;
    int64_t n;
} sample;

static const sample samples[] = {
    {"Black-Scholes", 10000000}, {"Black-Scholes, f32", 20000000}, {"n-body, f32", 8192}};

static const wadi_compile_options maths[MATHS] = {
    [EXACT] = {.math = WADI_MATH_EXACT}, [FAST] = {.math = WADI_MATH_FAST}};

/* ---- the difference ---- */

static double number_at(const wadi_array *a, int field, int64_t i) {
    return bench_number(a->type[field], a->column[field], i);
}

/* Tells the largest difference, and the largest relative to the number itself where that is not tiny. */
static wadi_status tell(const bench *b, const char *name, const wadi_array *x, const wadi_array *y,
                        wadi_error *err) {
    double most = 0, relative = 0;
    if (x->shape[0] != y->shape[0])
        return wadi_fail(err, WADI_INTERNAL, "fastmath, %s: lengths differ", name);
    for (int f = 0; f < x->fields; f++)
        for (int64_t i = 0; i < x->shape[0]; i++) {
            const double exact = number_at(x, f, i), differs = fabs(number_at(y, f, i) - exact);
            if (isnan(exact) != isnan(number_at(y, f, i)))
                return wadi_fail(err, WADI_INTERNAL, "fastmath, %s: number %lld is NaN", name,
                                 (long long)i);
            most = fmax(most, differs);
            if (fabs(exact) > 1e-3) relative = fmax(relative, differs / fabs(exact));
        }
    bench_say(b, "fastmath, %s: differs by at most %.2g, relatively %.2g", name, most, relative);
    return WADI_OK;
}

static wadi_status difference(bench *b, const bench_job *j, const char *name, const char *device,
                              const bench_numbers *d, wadi_error *err) {
    bench_job_run runs[MATHS] = {{.rounds = 1}, {.rounds = 1}};
    wadi_array results[MATHS];
    wadi_status status = WADI_OK;
    for (int i = 0; i < MATHS && status == WADI_OK; i++) {
        status = bench_job_open_array(b, j, d, device, &maths[i], &runs[i], err);
        if (status == WADI_OK) status = bench_program_run(&runs[i].program, NULL, err);
        if (status == WADI_OK)
            status = bench_program_result(&runs[i].program, "array", &results[i], err);
    }
    if (status == WADI_OK) status = tell(b, name, &results[EXACT], &results[FAST], err);
    for (int i = 0; i < MATHS; i++) bench_program_close(&runs[i].program);
    return status;
}

/* ---- the gain ---- */

static wadi_status gain(bench *b, const bench_job *j, const char *name, const char *device,
                        const bench_numbers *d, wadi_error *err) {
    bench_job_run runs[MATHS] = {{.rounds = 0}};
    wadi_status status = WADI_OK;
    for (int i = 0; i < MATHS && status == WADI_OK; i++)
        status = bench_job_open(b, j, d, device, &maths[i], &runs[i], err);
    const bench_side sides[] = {{"fast", bench_job_resident, &runs[FAST]},
                                {"without", bench_job_resident, &runs[EXACT]}};
    if (status == WADI_OK) status = bench_compare(b, "fastmath", name, MATHS, sides, NULL, err);
    for (int i = 0; i < MATHS; i++) bench_program_close(&runs[i].program);
    return status;
}

/* ---- all together ---- */

static wadi_status on_numbers(bench *b, const bench_job *j, const char *device, int64_t n,
                              wadi_status (*what)(bench *b, const bench_job *j, const char *name,
                                                  const char *device, const bench_numbers *d,
                                                  wadi_error *err),
                              wadi_error *err) {
    char name[96];
    bench_numbers d = {0};
    (void)snprintf(name, sizeof name, "%s, %s", j->name, device);
    wadi_status status = bench_numbers_make(j, n, &d, err);
    if (status == WADI_OK) status = what(b, j, name, device, &d, err);
    bench_numbers_free(&d);
    return status;
}

static wadi_status one_sample(bench *b, const sample *s, const char *device, wadi_error *err) {
    const bench_job *j = bench_job_find(s->job);
    const int64_t n = b->quick ? QUICK_NUMBERS : s->n, compared = n < COMPARED ? n : COMPARED;
    WADI_TRY(on_numbers(b, j, device, compared, difference, err));
    return on_numbers(b, j, device, n, gain, err);
}

wadi_status bench_fastmath(bench *b, wadi_error *err) {
    wadi_device_choices list;
    WADI_TRY(bench_beside_cpu(&list, err));
    for (size_t k = 0; k < sizeof samples / sizeof samples[0]; k++)
        for (int i = 0; i < list.n; i++)
            if (bench_wants(b, samples[k].job))
                WADI_TRY(one_sample(b, &samples[k], list.at[i].name, err));
    return WADI_OK;
}
