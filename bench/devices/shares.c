/* Streams that two devices share by chunks (`--device cpu,null`), against each of the two alone: "Converting Data to Task-Parallelism by
 * Rewrites", Figure 10, whose programs are n-body and Black-Scholes; here both are streams, of a body's forces and of 64 prices. "memory" moves more
 * than it computes. Copies and all else that a run costs count.
 *
 * The second device is each of those that WADI_DEVICE lists; without it, of all there are; `null`, where there is none but cpu. On a machine
 * without a GPU both devices are the same processors. Then there is nothing to gain, and what is measured is what it costs to find that out, and to go
 * on with the better one. "anew" starts without what a run before has found. All sides give the same bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/devices/beside.h"
#include "bench/devices/devices.h"
#include "bench/streams/program.h"

enum { SIDES = 4, VECTORS = 4, QUICK = 200 };

/* Asked: that two devices take at most so many times as long as the faster one alone. */
#define ASKED 1.03

typedef struct job {
    const char *name, *text;
    int64_t n;                    /* elements of the stream */
    int vectors;                  /* inputs a, b, .. */
    int64_t length, quick_length; /* of these */
} job;

#define PULL(AXIS)                                                     \
    "    f" AXIS " = generate m (j) {\n"                               \
    "        p = sub (a ! j) (a ! (the i))\n"                          \
    "        q = sub (b ! j) (b ! (the i))\n"                          \
    "        r = sub (c ! j) (c ! (the i))\n"                          \
    "        s = add (add (mul p p) (mul q q)) (add (mul r r) 0.01)\n" \
    "        mul (d ! j) (fdiv " AXIS " (mul s (sqrt s)))\n"           \
    "    }\n"                                                          \
    "    s" AXIS " = fold 0.0 f" AXIS " (p, q) { add p q }\n"

static const job jobs[] = {
    {"n-body",
     "program n_body\n"
     "input n : i64[]\n"
     "input a : f64[?]\ninput b : f64[?]\ninput c : f64[?]\ninput d : f64[?]\n"
     "count = unit { the n }\n"
     "m = unit { extent a 0 }\n"
     "forces = produce count (i) {\n" PULL("p") PULL("q")
         PULL("r") "    f = unit { add (the sp) (add (the sq) (the sr)) }\n"
                   "    yield f\n"
                   "}\n"
                   "x = elements forces\n"
                   "output x\n",
     30000, 4, 30000, 150},
    {"Black-Scholes",
     "program black_scholes\n"
     "input n : i64[]\n"
     "input a : f64[?]\ninput b : f64[?]\ninput c : f64[?]\n"
     "count = unit { the n }\n"
     "m = unit { extent a 0 }\n"
     "prices = produce count (i) {\n"
     "    y = generate 64 (j) {\n"
     "        at = rem (add (mul (the i) 64) j) (the m)\n"
     "        s = a ! at\n"
     "        k = b ! at\n"
     "        t = c ! at\n"
     "        w = mul 0.3 (sqrt t)\n"
     "        d = fdiv (add (log (fdiv s k)) (mul 0.065 t)) w\n"
     "        p = mul 0.5 (erfc (mul d -0.7071067811865476))\n"
     "        q = mul 0.5 (erfc (mul (sub d w) -0.7071067811865476))\n"
     "        sub (mul s p) (mul (mul k (exp (mul -0.02 t))) q)\n"
     "    }\n"
     "    yield y\n"
     "}\n"
     "x = elements prices\n"
     "output x\n",
     500000, 3, 1000000, 10000},
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
     200000, 0, 0, 0},
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
     2000000, 0, 0, 0},
};

typedef struct side {
    const char *name, *device;
    bool forget;
    bench_program program;
} side;

static wadi_status same_bits(const side *s, wadi_error *err) {
    wadi_array of[SIDES];
    for (int i = 0; i < SIDES; i++) {
        int64_t n = 1;
        WADI_TRY(bench_program_result(&s[i].program, "x", &of[i], err));
        for (int d = 0; d < of[0].rank; d++) n *= of[0].shape[d];
        if (memcmp(of[i].shape, of[0].shape, (size_t)of[0].rank * sizeof of[0].shape[0]) != 0 ||
            memcmp(of[i].column[0], of[0].column[0], (size_t)n * sizeof(double)) != 0)
            return wadi_fail(err, WADI_INTERNAL, "shares: %s gives other bits", s[i].name);
    }
    return WADI_OK;
}

static wadi_status judge(bench *b, const job *j, const side *s, const double *seconds,
                         wadi_error *err) {
    const double alone = seconds[1] < seconds[2] ? seconds[1] : seconds[2];
    char name[96], asked[48];
    if (b->quick) return WADI_OK;
    (void)snprintf(name, sizeof name, "%s, %s", j->name, s[0].name);
    (void)snprintf(asked, sizeof asked, "asked: %g times the faster alone", ASKED);
    return bench_line(b, "shares", name, seconds[0], asked, ASKED * alone, err);
}

/* n elements on cpu and the device. */
static wadi_status compare(bench *b, const job *j, const char *device, int64_t n,
                           const wadi_array *inputs, wadi_error *err) {
    static const char *const names[VECTORS] = {"a", "b", "c", "d"};
    char both[64], anew[80];
    (void)snprintf(both, sizeof both, "cpu,%s", device);
    (void)snprintf(anew, sizeof anew, "%s anew", both);
    side s[SIDES] = {{both, both, false, {0}},
                     {"cpu", "cpu", false, {0}},
                     {device, device, false, {0}},
                     {anew, both, true, {0}}};
    bench_side sides[SIDES];
    double seconds[SIDES];
    wadi_status status = WADI_OK;
    for (int i = 0; i < SIDES && status == WADI_OK; i++) {
        bench_program *p = &s[i].program;
        p->options =
            (wadi_run_options){.threads = b->threads, .device = s[i].device, .forget = s[i].forget};
        status = wadi_compile_text(j->text, j->name, NULL, &p->exe, err);
        bench_program_vector(p, "n", WADI_I64, 1, &n);
        p->input[0].rank = 0;
        for (int k = 0; k < j->vectors; k++)
            bench_program_vector(p, names[k], WADI_F64, inputs[k].shape[0], inputs[k].column[0]);
        sides[i] = (bench_side){s[i].name, bench_program_run, p};
    }
    if (status == WADI_OK) status = bench_compare(b, "shares", j->name, SIDES, sides, seconds, err);
    if (status == WADI_OK) status = same_bits(s, err);
    if (status == WADI_OK) status = judge(b, j, s, seconds, err);
    for (int i = 0; i < SIDES; i++) bench_program_close(&s[i].program);
    return status;
}

static wadi_status make_inputs(const job *j, int64_t length, wadi_array *out, wadi_error *err) {
    for (int k = 0; k < j->vectors; k++) {
        double *x = malloc((size_t)length * sizeof *x);
        if (x == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
        for (int64_t i = 0; i < length; i++)
            x[i] = 0.05 + (double)((i * 7919 + k * 31) % 100003) / 110000;
        out[k] = (wadi_array){.shape = {length}, .column = {x}};
    }
    return WADI_OK;
}

static wadi_status one_case(bench *b, const job *j, const wadi_device_choices *list,
                            wadi_error *err) {
    const int64_t n = b->quick ? j->n / QUICK : j->n;
    wadi_array inputs[VECTORS] = {{.rank = 0}};
    wadi_status status = make_inputs(j, b->quick ? j->quick_length : j->length, inputs, err);
    for (int i = 1; i < list->n && status == WADI_OK; i++)
        status = compare(b, j, list->at[i].name, n, inputs, err);
    for (int k = 0; k < VECTORS; k++) free(inputs[k].column[0]);
    return status;
}

wadi_status bench_shares(bench *b, wadi_error *err) {
    wadi_device_choices list, stand_in;
    WADI_TRY(bench_beside_cpu(&list, err));
    if (list.n == 1) {
        WADI_TRY(wadi_device_find_all("null", &stand_in, err));
        list.at[list.n++] = stand_in.at[0];
    }
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        if (bench_wants(b, jobs[i].name)) {
            wadi_error why = {0};
            bench_case(b, jobs[i].name, one_case(b, &jobs[i], &list, &why), &why);
        }
    return WADI_OK;
}
