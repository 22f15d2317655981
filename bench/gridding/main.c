/* bench_gridding: compares the methods of wadi-grid with other gridders and with each other, on the same data in the same run.
 *
 *     bench_gridding [--only NAME,...] [--case TEXT] [--quick] [--threads N] [--runs N] [--seconds N] [--data DIR] [--python PROGRAM] [--list]
 *
 * What is printed: bench/streams/report.h. How to get the peers: bench/README.md. */
#include "bench/gridding/gridding.h"
#include "bench/streams/command.h"

/* A new benchmark is a file, its prototype in gridding.h, and a line here. */
static const bench_entry benchmarks[] = {
    {"wstack", bench_wstack, "w-stacking against ducc0's wgridder"},
    {"via", bench_via, "parts of an observation on workers elsewhere"},
    {"wsclean", bench_wsclean, "wadi-grid against wsclean, both whole programs"},
    {"paper", bench_paper, "kernels made for each visibility (paper 001, Table 3)"},
    {"compile", bench_compile, "what compiling them anew costs (Table 5)"},
    {NULL, NULL, NULL},
};

static const char usage[] =
    "usage: bench_gridding [options]\n"
    "  --only NAME,...    these benchmarks alone (--list names them)\n"
    "  --case TEXT        only cases whose name contains TEXT\n"
    "  --quick            tiny sizes: checks results, measures nothing\n"
    "  --threads N        for wadi and peers; default: one per processor\n"
    "  --runs N           timed rounds at least; default 5\n"
    "  --seconds N        begin no case after so many seconds, and measure none for long\n"
    "  --data DIR         real data; default: WADI_TEST_DATA\n"
    "  --python PROGRAM   Python with ducc0; default: WADI_BENCH_PYTHON or python3\n"
    "  --list             names the benchmarks\n";

int main(int argc, char **argv) {
    const bench_command command = {"bench_gridding", usage, benchmarks, NULL};
    return bench_command_run(&command, argc, argv);
}
