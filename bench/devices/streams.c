/* The programs of bench_streams on each device, beside cpu: whole runs, so copies count, and then what the device takes for the kernels alone
 * ("kernels"), for a stream has no values that are already there. Before a device is measured, each benchmark checks its
 * results there, on tiny sizes, as it always does. */
#include "bench/streams/benchmarks.h"

#include "base/error.h"
#include "bench/devices/beside.h"
#include "bench/devices/devices.h"

typedef struct program {
    wadi_status (*run)(bench *b, wadi_error *err);
    bool quick; /* part of a quick run */
} program;

static const program programs[] = {{bench_smvm, false},     {bench_ragged, true},
                                   {bench_windows, false},  {bench_scatter, false},
                                   {bench_pagerank, false}, {bench_md5, false},
                                   {bench_fft, false},      {bench_quicksort, false}};

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

wadi_status bench_streams_devices(bench *b, wadi_error *err) {
    wadi_device_choices list;
    const char *names[BENCH_MAX_SIDES + 1] = {NULL};
    WADI_TRY(bench_beside_cpu(&list, err));
    for (int i = 0; i < list.n && i < BENCH_MAX_SIDES; i++) names[i] = list.at[i].name;
    for (int k = 0; k < PROGRAMS; k++) {
        if (b->quick && !programs[k].quick) continue;
        for (int i = 1; names[i] != NULL; i++) WADI_TRY(check(b, &programs[k], names[i], err));
        b->devices = names;
        const wadi_status status = programs[k].run(b, err);
        b->devices = NULL;
        WADI_TRY(status);
    }
    return WADI_OK;
}
