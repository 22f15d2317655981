/* Products of sparse matrices and vectors, on the shapes of Table 3 of "Optimising Purely Functional GPU Programs" (McDonell et al., ICFP 2013): its
 * entries, and entries of a row; rows and columns are those of the collection that it takes them from (Williams et al., Optimization of sparse
 * matrix-vector multiplication on emerging multicore platforms, 2007). The matrices are random. */
#include "base/error.h"
#include "bench/arrays/numbers/line.h"
#include "bench/streams/smvm.h"

static const bench_kind kinds[] = {
    {"Dense", 2000, 2000, 4000000, BENCH_MESH},
    {"Protein", 36417, 36417, 4344765, BENCH_MESH},
    {"FEM/Spheres", 83334, 83334, 6010480, BENCH_MESH},
    {"FEM/Cantilever", 62451, 62451, 4007383, BENCH_MESH},
    {"Wind Tunnel", 217918, 217918, 11634424, BENCH_MESH},
    {"FEM/Harbour", 46835, 46835, 2374001, BENCH_MESH},
    {"QCD", 49152, 49152, 1916928, BENCH_MESH},
    {"FEM/Ship", 140874, 140874, 3977139, BENCH_MESH},
    {"Economics", 206500, 206500, 1273389, BENCH_SKEWED},
    {"Epidemiology", 525825, 525825, 2100225, BENCH_MESH},
    {"FEM/Accelerator", 121192, 121192, 2624331, BENCH_MESH},
    {"Circuit", 170998, 170998, 958936, BENCH_SKEWED},
    {"Webbase", 1000005, 1000005, 3105536, BENCH_SKEWED},
    {"LP", 4284, 1092610, 11279748, BENCH_SKEWED},
};

wadi_status numbers_smvm(bench *b, wadi_error *err) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        WADI_TRY(bench_smvm_kind(b, &kinds[i], true, err));
    return WADI_OK;
}
