/* Array programs over numbers against the best of C, numpy, JAX, numba and polars.
 *
 *     bench_numbers [options]
 *
 * Lines and table are those of bench_streams (bench/streams/report.h). The time of wadi covers a whole run: making it, binding its inputs, and its
 * results, whose memory is fresh. Peers in C write where they have written before. */
#include "bench/arrays/numbers/line.h"
#include "bench/streams/command.h"

static const bench_entry benchmarks[] = {
    {"prices", numbers_prices, "Black-Scholes"},
    {"dot", numbers_dot, "dot product"},
    {"bodies", numbers_bodies, "n-body, all pairs"},
    {"radix", numbers_radix, "radix sort written with scans and permutes, and with sort_by_key"},
    {"smvm", numbers_smvm, "sparse products on the shapes of Table 3"},
    {"statistics", numbers_statistics, "sum, sum of squares, least and greatest"},
    {"norm2", numbers_norm2, "two sums, one of a filter, and two maps"},
    {"masked", numbers_masked, "four folds of what a filter keeps"},
    {"beside", numbers_beside, "folds beside a map and a scan"},
    {"scan", numbers_scan, "running sums"},
    {"segments", numbers_segments, "sums of segments, at every split"},
    {"histogram", numbers_histogram, "numbers in bins"},
    {"kmeans", numbers_kmeans, "a round of k-means"},
    {NULL, NULL, NULL}};

static const char usage[] =
    "usage: bench_numbers [options]\n"
    "  --only NAME,...    these benchmarks alone (--list names them)\n"
    "  --case TEXT        cases whose name contains it\n"
    "  --quick            tiny sizes: checks results, measures nothing\n"
    "  --runs N           timed rounds at least\n"
    "  --threads N        for wadi; default: one per processor\n"
    "  --python PROGRAM   Python with numpy, jax, numba and polars; default: WADI_BENCH_PYTHON or "
    "python3\n"
    "  --mkl LIBRARY      libmkl_rt; default: WADI_BENCH_MKL or libmkl_rt.so.2\n"
    "  --list             names the benchmarks\n";

static const struct option more[] = {{"mkl", 1, NULL, 'm'}, {NULL, 0, NULL, 0}};

int main(int argc, char **argv) {
    const bench_command command = {"bench_numbers", usage, benchmarks, more};
    const int status = bench_command_run(&command, argc, argv);
    numbers_end();
    return status;
}
