/* Launches that devices cpu share, each with a part of the threads (sched/split), against one device with all threads. There is
 * nothing to gain: what is measured is the price of cutting launches in fixed parts and of joining them.
 *
 * "n-body" and "Black-Scholes" are the programs of "Converting Data to Task-Parallelism by Rewrites" (section 6). The others have launches that
 * are cut in another way: blocks of a fold, a scan in three launches, and shares of a grid's rows. All sides give the same bits.
 *
 * Two devices `null` stand for devices with memory of their own: what they lose is the time of copies (sched/split/apart.h). They are compared by themselves: they leave
 * no memory that is mapped to whoever comes after them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/devices/devices.h"
#include "bench/streams/program.h"
#include "sched/devices.h"
#include "sched/run.h"
#include "sched/split/split.h"

enum { SIDES = 4, VECTORS = 4 };

typedef struct job {
    const char *name, *text;
    int64_t n; /* of each input */
    int inputs;
} job;

static const char *const input_names[VECTORS] = {"a", "b", "c", "d"};

#define N_BODY(AXIS)                                               \
    "f" AXIS " = generate n n (i, j) {\n"                          \
    "    x = sub (a ! j) (a ! i)\n"                                \
    "    y = sub (b ! j) (b ! i)\n"                                \
    "    z = sub (c ! j) (c ! i)\n"                                \
    "    r = add (add (mul x x) (mul y y)) (add (mul z z) 0.01)\n" \
    "    mul (d ! j) (fdiv " AXIS " (mul r (sqrt r)))\n"           \
    "}\n"                                                          \
    "s" AXIS " = fold 0.0 f" AXIS " (p, q) { add p q }\n"          \
    "output s" AXIS " as \"" AXIS "\"\n"

static const job jobs[] = {
    {"n-body",
     "program n_body\n"
     "input a : f64[n]\ninput b : f64[n]\ninput c : f64[n]\ninput d : f64[n]\n"
     "n = unit { extent a 0 }\n" N_BODY("x") N_BODY("y") N_BODY("z"),
     5000, 4},
    {"Black-Scholes",
     "program black_scholes\n"
     "input a : f64[n]\ninput b : f64[n]\ninput c : f64[n]\n"
     "y = zip_with a b c (s, k, t) {\n"
     "    v = mul 0.3 (sqrt t)\n"
     "    d = fdiv (add (log (fdiv s k)) (mul 0.065 t)) v\n"
     "    p = mul 0.5 (erfc (mul d -0.7071067811865476))\n"
     "    q = mul 0.5 (erfc (mul (sub d v) -0.7071067811865476))\n"
     "    sub (mul s p) (mul (mul k (exp (mul -0.02 t))) q)\n"
     "}\n"
     "output y as \"x\"\n",
     2000000, 3},
    {"sum", "program sum\ninput a : f64[n]\ny = fold 0.0 a (p, q) { add p q }\noutput y as \"x\"\n",
     20000000, 1},
    {"scan", "program scan\ninput a : f64[n]\ny = scanl1 a (p, q) { add p q }\noutput y as \"x\"\n",
     10000000, 1},
    {"patches",
     "program patches\n"
     "input a : f64[n]\ninput b : f64[n]\n"
     "n = unit { extent a 0 }\n"
     "rows = map a (x) { convert i64 (mul x 900.0) }\n"
     "columns = map b (x) { convert i64 (mul x 900.0) }\n"
     "row = compute rows\n"
     "column = compute columns\n"
     "grid = generate 1000 1000 (i, j) { 0.0 }\n"
     "patch = generate n 12 12 (k, i, j) { mul (a ! k) (convert f64 (add i j)) }\n"
     "y = permute grid patch (new, old) { add new old } (k, i, j) {\n"
     "    true, add (row ! k) i, add (column ! k) j\n"
     "}\n"
     "output y as \"x\"\n",
     200000, 2},
};

/* ---- sides ---- */

typedef struct side {
    bench_program program;
    int parts;  /* devices; 1: the device that runs have anyway */
    bool apart; /* devices `null`, which have memory of their own */
} side;

static wadi_status open_parts(void *env, const wadi_device_options *options, wadi_device **out,
                              wadi_error *err) {
    const side *s = env;
    return wadi_split_open_cpus(options, s->parts, (wadi_split_rule){NULL, NULL}, out, err);
}

static wadi_status run(void *env, double *out_seconds, wadi_error *err) {
    side *s = env;
    bench_program *p = &s->program;
    WADI_UNUSED(out_seconds);
    wadi_run_destroy(p->run);
    p->run = NULL;
    WADI_TRY(wadi_run_create(p->exe, &p->options, &p->run, err));
    if (s->parts > 1 && !s->apart)
        WADI_TRY(wadi_run_compute_on(p->run, (wadi_device_maker){open_parts, s}, err));
    for (int i = 0; i < p->inputs; i++)
        WADI_TRY(wadi_run_input(p->run, p->name[i], &p->input[i], err));
    return wadi_run_go(p->run, err);
}

static wadi_status open_side(const bench *b, const job *j, double *const *data, int64_t n,
                             int parts, bool apart, side *out, wadi_error *err) {
    *out = (side){.program.options = {.threads = b->threads,
                                      .device = !apart      ? "cpu"
                                                : parts > 1 ? "null:0+1"
                                                            : "null"},
                  .parts = parts,
                  .apart = apart};
    if (apart) out->program.options.schedule = WADI_SCHEDULE_FORCE_FLAT;
    WADI_TRY(wadi_compile_text(j->text, j->name, NULL, &out->program.exe, err));
    for (int i = 0; i < j->inputs; i++)
        bench_program_vector(&out->program, input_names[i], WADI_F64, n, data[i]);
    return WADI_OK;
}

/* ---- all together ---- */

static wadi_status same_bits(const side *s, wadi_error *err) {
    wadi_array of[SIDES];
    for (int i = 0; i < SIDES; i++) {
        int64_t n = 1;
        WADI_TRY(bench_program_result(&s[i].program, "x", &of[i], err));
        for (int d = 0; d < of[i].rank; d++) n *= of[i].shape[d];
        if (memcmp(of[i].column[0], of[0].column[0], (size_t)n * sizeof(double)) != 0)
            return wadi_fail(err, WADI_INTERNAL, "fission: %d devices give other bits", s[i].parts);
    }
    return WADI_OK;
}

static wadi_status compare(bench *b, const job *j, double *const *data, int64_t n,
                           wadi_error *err) {
    side s[SIDES] = {{.parts = 0}};
    static const int parts[SIDES] = {2, 1, 8, 2};
    char name[64];
    wadi_status status = WADI_OK;
    for (int i = 0; i < SIDES && status == WADI_OK; i++)
        status = open_side(b, j, data, n, parts[i], i == 3, &s[i], err);
    const bench_side shared[] = {
        {"two devices", run, &s[0]}, {"one device", run, &s[1]}, {"eight devices", run, &s[2]}};
    const bench_side two_apart[] = {{"two devices apart", run, &s[3]}, {"one device", run, &s[1]}};
    (void)snprintf(name, sizeof name, "%s, two devices apart", j->name);
    if (status == WADI_OK) status = bench_compare(b, "fission", j->name, 3, shared, NULL, err);
    if (status == WADI_OK) status = bench_compare(b, "fission", name, 2, two_apart, NULL, err);
    if (status == WADI_OK) status = same_bits(s, err);
    for (int i = 0; i < SIDES; i++) bench_program_close(&s[i].program);
    return status;
}

static wadi_status one_case(bench *b, const job *j, wadi_error *err) {
    const int64_t n = b->quick ? j->n / 100 : j->n;
    double *data[VECTORS] = {NULL};
    wadi_status status = WADI_OK;
    for (int i = 0; i < j->inputs && status == WADI_OK; i++) {
        data[i] = malloc((size_t)n * sizeof **data);
        if (data[i] == NULL) status = wadi_fail(err, WADI_MEMORY, "out of memory");
        for (int64_t k = 0; data[i] != NULL && k < n; k++)
            data[i][k] = 0.05 + (double)((k * 7919 + i * 31) % 100003) / 110000;
    }
    if (status == WADI_OK) status = compare(b, j, data, n, err);
    for (int i = 0; i < VECTORS; i++) free(data[i]);
    return status;
}

wadi_status bench_fission(bench *b, wadi_error *err) {
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        if (bench_wants(b, jobs[i].name)) {
            wadi_error why = {0};
            bench_case(b, jobs[i].name, one_case(b, &jobs[i], &why), &why);
        }
    WADI_UNUSED(err);
    return WADI_OK;
}
