/* The processors as several devices. */
#include "base/error.h"
#include "base/thread.h"
#include "sched/cpu/cpu.h"
#include "sched/split/split.h"

/* What part p of `parts` gets of `all` threads. */
static int threads_of(int all, int parts, int p) {
    const int threads = all * (p + 1) / parts - all * p / parts;
    return threads > 1 ? threads : 1;
}

wadi_status wadi_split_open_cpus(const wadi_device_options *options, int parts,
                                 wadi_split_rule rule, wadi_device **out, wadi_error *err) {
    const int all = options->threads > 0 ? options->threads : wadi_thread_processors();
    wadi_device *device[WADI_SPLIT_MOST];
    wadi_status status = WADI_OK;
    int n = 0;
    WADI_ASSERT(parts >= 2 && parts <= WADI_SPLIT_MOST);
    while (status == WADI_OK && n < parts) {
        wadi_device_options one = *options;
        one.threads = threads_of(all, parts, n);
        status = n == 0 ? wadi_cpu_open(&one, &device[n], err)
                        : wadi_cpu_open_beside(device[0], &one, &device[n], err);
        if (status == WADI_OK) n++;
    }
    if (status == WADI_OK)
        return wadi_split_open(n, device, all < parts ? all : parts, true, rule, out, err);
    while (n > 0) {
        n--;
        device[n]->ops->destroy(device[n]);
    }
    return status;
}
