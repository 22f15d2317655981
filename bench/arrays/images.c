/* Images and grids: filters, edges, relaxation, fluid flow and a fractal, against C, Halide, OpenCV, numba and JAX. Lines and table are those of
 * bench_streams (bench/streams/report.h). */
#include "bench/arrays/images/images.h"
#include "bench/streams/command.h"

static const bench_entry benchmarks[] = {
    {"filters", images_filters, "Gaussian filters whole and separable, Sobel, Harris"},
    {"grids", images_grids, "Jacobi in two dimensions, heat in three, in loops"},
    {"canny", images_canny, "Canny's edges, hysteresis included"},
    {"fluid", images_fluid, "a step of stable fluids: diffuse, project, advect"},
    {"mandelbrot", images_mandelbrot, "how soon points escape"},
    {NULL, NULL, NULL}};

static const char usage[] =
    "usage: bench_images [options]\n"
    "  --list             the benchmarks\n"
    "  --only NAMES       some of them, separated by commas\n"
    "  --case TEXT        cases whose name contains it\n"
    "  --quick            small sizes: checks results, measures nothing\n"
    "  --runs N           timed rounds at least\n"
    "  --threads N        of all sides; default: one per processor\n"
    "  --python PROGRAM   Python with the peers; default: WADI_BENCH_PYTHON or python3\n";

int main(int argc, char **argv) {
    const bench_command command = {"bench_images", usage, benchmarks, NULL};
    return bench_command_run(&command, argc, argv);
}
