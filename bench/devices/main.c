/* bench_devices: devices against each other, on the same data in the same run.
 *
 *     bench_devices [--only NAME,...] [--case TEXT] [--quick] [--threads N] [--runs N] [--seconds N] [--data DIR]
 *                   [--python PROGRAM] [--list]
 *
 * What is printed: bench/streams/report.h. */
#include <string.h>

#include "bench/devices/devices.h"
#include "bench/streams/command.h"

/* A new benchmark is a file, its prototype in devices.h, and a line here. */
static const bench_entry benchmarks[] = {
    {"arrays", bench_arrays, "array programs on each device, beside cpu"},
    {"start", bench_start_devices, "cold compile and warm start on each device"},
    {"apps", bench_apps, "the three applications on each device, beside cpu"},
    {"streams", bench_streams_devices, "the programs of bench_streams on each device, beside cpu"},
    {"table2", bench_table2, "Table 2 of the paper on optimising GPU programs"},
    {"fastmath", bench_fastmath, "fast math against the same bits everywhere"},
    {"fission", bench_fission, "two devices that share each launch against the threads of one"},
    {"shares", bench_shares, "two devices that share a stream by chunks against each alone"},
    {NULL, NULL, NULL},
};

static const char usage[] =
    "usage: bench_devices [options]\n"
    "  --only NAME,...    these benchmarks alone (--list names them)\n"
    "  --case TEXT        only cases whose name contains TEXT\n"
    "  --quick            tiny sizes: checks results, measures nothing\n"
    "  --threads N        in all; default: one per processor\n"
    "  --runs N           timed rounds at least; default 5\n"
    "  --seconds N        begin no case after so many seconds, and measure none for long\n"
    "  --data DIR         real data; default: WADI_TEST_DATA\n"
    "  --python PROGRAM   Python with CuPy and JAX; default: WADI_BENCH_PYTHON or python3\n"
    "  --list             names the benchmarks\n";

int main(int argc, char **argv) {
    if (argc == 6 && strcmp(argv[1], "--start") == 0) return bench_start_child(argv + 2);
    const bench_command command = {"bench_devices", usage, benchmarks, NULL};
    return bench_command_run(&command, argc, argv);
}
