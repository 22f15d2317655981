/* The programs of bench_streams on each device, beside cpu: whole runs, so copies count, and then what the device takes for the kernels alone
 * ("kernels"), for a stream has no values that are already there. Before a device is measured, each benchmark checks its
 * results there, on tiny sizes, as it always does. */
#include "bench/streams/benchmarks.h"

#include "base/clock.h"
#include "base/error.h"
#include "bench/devices/beside.h"
#include "bench/devices/devices.h"

typedef struct program {
    const char *name;
    wadi_status (*run)(bench *b, wadi_error *err);
    bool quick; /* part of a quick run */
} program;

static const program programs[] = {
    {"smvm", bench_smvm, false},       {"ragged", bench_ragged, true},
    {"md5", bench_md5, false},         {"fft", bench_fft, false},
    {"scatter", bench_scatter, false}, {"pagerank", bench_pagerank, false},
    {"windows", bench_windows, false}, {"quicksort", bench_quicksort, false}};

enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static wadi_status check(const bench *b, const program *p, const char *device, wadi_error *err) {
    bench tiny = *b;
    tiny.quick = tiny.checks = true;
    tiny.device = device;
    tiny.select = NULL;
    tiny.data = NULL;
    wadi_error why = {0};
    const wadi_status status = p->run(&tiny, &why);
    if (status == WADI_OK) return WADI_OK;
    return wadi_fail(err, status, "on %s: %s", device, why.msg);
}

static wadi_status one_program(bench *b, const program *p, const char *const *names,
                               wadi_error *err) {
    for (int i = 1; names[i] != NULL; i++) WADI_TRY(check(b, p, names[i], err));
    b->devices = names;
    const wadi_status status = p->run(b, err);
    b->devices = NULL;
    return status;
}

/* The user selects cases, not programs. */
static bool has_time(bench *b, const program *p) {
    const char *select = b->select;
    b->select = NULL;
    const bool has = bench_wants(b, p->name);
    b->select = select;
    return has;
}

/* When a program must end, so that those after it have as long; 0: there is no hurry. */
static int64_t share_of(int64_t deadline_ns, int programs_left) {
    const int64_t now = wadi_clock_ns();
    if (deadline_ns == 0 || deadline_ns <= now) return deadline_ns;
    return now + (deadline_ns - now) / programs_left;
}

wadi_status bench_streams_devices(bench *b, wadi_error *err) {
    wadi_device_choices list;
    const char *names[BENCH_MAX_SIDES + 1] = {NULL};
    const int64_t deadline_ns = b->deadline_ns;
    WADI_TRY(bench_beside_cpu(&list, err));
    for (int i = 0; i < list.n && i < BENCH_MAX_SIDES; i++) names[i] = list.at[i].name;
    for (int k = 0; k < PROGRAMS; k++) {
        const program *p = &programs[k];
        wadi_error why = {0};
        if ((b->quick && !p->quick) || !has_time(b, p)) continue;
        b->deadline_ns = share_of(deadline_ns, PROGRAMS - k);
        bench_case(b, p->name, one_program(b, p, names, &why), &why);
        b->deadline_ns = deadline_ns;
    }
    return WADI_OK;
}
