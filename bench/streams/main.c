/* bench_streams: wadi's streaming benchmarks against other programs, on the same data in the same run.
 *
 *     bench_streams [--only NAME,...] [--case TEXT] [--quick] [--threads N] [--runs N] [--seconds N] [--data DIR]
 *                   [--python PROGRAM] [--mkl LIBRARY] [--list]
 *
 * What is printed: report.h. How to get the peers: bench/README.md. */
#include "bench/streams/benchmarks.h"
#include "bench/streams/command.h"

/* A new benchmark is a file, its prototype in benchmarks.h, and a line here. */
static const bench_entry benchmarks[] = {
    {"bounded", bench_bounded, "20 GiB through a memory budget of 256 MiB"},
    {"roof", bench_roof, "what the memory of this machine gives"},
    {"fft", bench_fft, "32 x 32 Fourier transforms, foreign, regular, irregular"},
    {"md5", bench_md5, "MD5 digests of dictionary words"},
    {"smvm", bench_smvm, "sparse matrix times vector, rows as a stream"},
    {"pagerank", bench_pagerank, "ranks of a graph's nodes, the links to one as an element"},
    {"ragged", bench_ragged, "mean, variance, least and greatest of ragged rows"},
    {"windows", bench_windows, "features of sliding windows over sound"},
    {"scatter", bench_scatter, "patches added to a large grid"},
    {"policies", bench_policies, "chunk policies against the best fixed chunk size"},
    {"by_key", bench_by_key, "counts and sums by key against a hash table in C"},
    {"apart", bench_apart, "stages in a thread of their own against all stages joined"},
    {"start", bench_start, "runs with next to nothing to do against a parallel region"},
    {"overhead", bench_overhead, "rows through map_seq against the whole array at once"},
    {"quicksort", bench_quicksort, "sorting ragged rows by a lifted awhile"},
    {NULL, NULL, NULL},
};

static const char usage[] =
    "usage: bench_streams [options]\n"
    "  --only NAME,...    these benchmarks alone (--list names them)\n"
    "  --case TEXT        only cases whose name contains TEXT\n"
    "  --quick            tiny sizes: checks results, measures nothing\n"
    "  --schedules        wadi's choice of a schedule against each forced one, instead of peers\n"
    "  --threads N        for wadi and peers; default: one per processor\n"
    "  --runs N           timed rounds at least; default 5\n"
    "  --seconds N        begin no case after so many seconds, and measure none for long\n"
    "  --data DIR         real data; default: WADI_TEST_DATA\n"
    "  --python PROGRAM   Python with numpy and scipy; default: WADI_BENCH_PYTHON or python3\n"
    "  --mkl LIBRARY      libmkl_rt; default: WADI_BENCH_MKL or libmkl_rt.so.2\n"
    "  --list             names the benchmarks\n";

static const struct option more[] = {
    {"schedules", 0, NULL, 's'}, {"mkl", 1, NULL, 'm'}, {NULL, 0, NULL, 0}};

int main(int argc, char **argv) {
    const bench_command command = {"bench_streams", usage, benchmarks, more};
    return bench_command_run(&command, argc, argv);
}
