/* NVIDIA's own libraries as peers of array jobs: cuBLAS, CUB, cuFFT, cuSPARSE, and plain CUDA C where no library has the job. The protocol is that of
 * bench/streams/child.h.
 *
 *     cuda_peers TASK N EXTRA
 *
 * The numbers and the jobs are those of jobs.c; the second number of an answer is the one that the first round of a job picks. Arrays stay on the device, and
 * are made there; times are those of events. With --list it names its tasks, which needs no device. */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <cusparse.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace {

constexpr int64_t PICKED = 7919999;
constexpr int ROUNDS = 8, ENTRIES = 64, LANES = 256;

[[noreturn]] void missing(const std::string &what) {
    std::printf("missing %s\n", what.c_str());
    std::fflush(stdout);
    std::exit(0);
}

void check(cudaError_t e, const char *what) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "cuda_peers: %s: %s\n", what, cudaGetErrorString(e));
    std::exit(1);
}

void check_code(int code, const char *what) {
    if (code == 0) return;
    std::fprintf(stderr, "cuda_peers: %s fails with %d\n", what, code);
    std::exit(1);
}

/* ---- memory ---- */

template <class T> T *room(int64_t n) {
    void *at = nullptr;
    check(cudaMalloc(&at, static_cast<size_t>(n > 0 ? n : 1) * sizeof(T)), "cudaMalloc");
    return static_cast<T *>(at);
}

template <class T> double number_at(const T *at, int64_t i) {
    T value;
    check(cudaMemcpy(&value, at + i, sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return static_cast<double>(value);
}

unsigned blocks_of(int64_t n) {
    const int64_t blocks = (n + LANES - 1) / LANES, most = 1 << 20;
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

template <class F> __global__ void each(int64_t n, F f) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += int64_t(gridDim.x) * blockDim.x)
        f(i);
}

template <class F> void run_each(int64_t n, F f) {
    each<<<blocks_of(n), LANES>>>(n, f);
    check(cudaGetLastError(), "a kernel");
}

double *numbers(int k, int64_t n) {
    double *x = room<double>(n);
    run_each(n, [=] __device__(int64_t i) {
        x[i] = 0.05 + static_cast<double>((i * 7919 + k * 31) % 100003) / 110000;
    });
    return x;
}

/* ---- jobs: what a round does, and the number it picks ---- */

struct job {
    std::function<void()> round;
    std::function<double()> pick;
};

/* A function of CUB is called twice: it says how much memory it needs, and works. */
template <class F> std::function<void()> with_memory(F f) {
    size_t bytes = 0;
    check(f(nullptr, bytes), "CUB");
    void *memory = room<char>(static_cast<int64_t>(bytes));
    return [=]() mutable { check(f(memory, bytes), "CUB"); };
}

job copy(int64_t n) {
    const double *x = numbers(0, n);
    double *y = room<double>(n);
    return {[=] {
                check(cudaMemcpyAsync(y, x, static_cast<size_t>(n) * sizeof *y,
                                      cudaMemcpyDeviceToDevice),
                      "cudaMemcpyAsync");
            },
            [=] { return number_at(y, PICKED % n); }};
}

job sum(int64_t n) {
    const double *x = numbers(0, n);
    double *y = room<double>(1);
    return {with_memory([=](void *m, size_t &bytes) {
                return cub::DeviceReduce::Sum(m, bytes, x, y, n);
            }),
            [=] { return number_at(y, 0); }};
}

job dot(int64_t n) {
    const double *x = numbers(0, n), *y = numbers(1, n);
    double *r = room<double>(1);
    cublasHandle_t blas;
    check_code(cublasCreate(&blas), "cublasCreate");
    check_code(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    return {[=] { check_code(cublasDdot_64(blas, n, x, 1, y, 1, r), "cublasDdot"); },
            [=] { return number_at(r, 0); }};
}

job scan(int64_t n) {
    const double *x = numbers(0, n);
    double *y = room<double>(n);
    return {with_memory([=](void *m, size_t &bytes) {
                return cub::DeviceScan::InclusiveSum(m, bytes, x, y, n);
            }),
            [=] { return number_at(y, PICKED % n); }};
}

job prices(int64_t n) {
    const double *x = numbers(0, n), *y = numbers(1, n), *z = numbers(2, n);
    double *r = room<double>(n);
    return {[=] {
                run_each(n, [=] __device__(int64_t i) {
                    const double s = x[i], k = y[i], t = z[i], w = 0.3 * sqrt(t),
                                 d = (log(s / k) + 0.065 * t) / w,
                                 p = 0.5 * erfc(d * -0.7071067811865476),
                                 q = 0.5 * erfc((d - w) * -0.7071067811865476);
                    r[i] = s * p - k * exp(-0.02 * t) * q;
                });
            },
            [=] { return number_at(r, PICKED % n); }};
}

job intensity(int64_t n, int64_t steps) {
    const double *x = numbers(0, n);
    double *y = room<double>(n);
    return {[=] {
                run_each(n, [=] __device__(int64_t i) {
                    double w = x[i];
                    for (int64_t k = 0; k < steps; k++) w = w * 0.75 + 0.125;
                    y[i] = w;
                });
            },
            [=] { return number_at(y, PICKED % n); }};
}

int64_t *multiples(int64_t count, int64_t length) {
    int64_t *at = room<int64_t>(count + 1);
    run_each(count + 1, [=] __device__(int64_t i) { at[i] = i * length; });
    return at;
}

job rows(int64_t n, int64_t length) {
    const double *x = numbers(0, n);
    const int64_t count = n / length, *at = multiples(count, length);
    double *r = room<double>(count);
    return {with_memory([=](void *m, size_t &bytes) {
                return cub::DeviceSegmentedReduce::Sum(m, bytes, x, r, count, at, at + 1);
            }),
            [=] { return number_at(r, PICKED % count); }};
}

/* Sums of 32 bits depend on their order. */
job singles(int64_t n, int64_t length) {
    float *x = room<float>(n), *r = room<float>(n / length);
    const int64_t count = n / length, *at = multiples(count, length);
    run_each(n, [=] __device__(int64_t i) {
        x[i] = 0.05F + static_cast<float>(i * 7919 % 100003) / 110000.0F;
    });
    return {with_memory([=](void *m, size_t &bytes) {
                return cub::DeviceSegmentedReduce::Sum(m, bytes, x, r, count, at, at + 1);
            }),
            [] { return std::nan(""); }};
}

struct bin_of {
    int32_t bins;
    __host__ __device__ int32_t operator()(int32_t x) const { return x % bins; }
};

job bins(int64_t n, int64_t extra, bool one) {
    int32_t *x = room<int32_t>(n), *r = room<int32_t>(extra);
    const int32_t count = static_cast<int32_t>(extra);
    run_each(n, [=] __device__(int64_t i) {
        x[i] = one ? 0 : static_cast<int32_t>(static_cast<uint32_t>(i) * 2654435761U >> 1);
    });
    const auto from = thrust::make_transform_iterator(static_cast<const int32_t *>(x), bin_of{count});
    return {with_memory([=](void *m, size_t &bytes) {
                return cub::DeviceHistogram::HistogramEven(m, bytes, from, r, count + 1, 0, count,
                                                           static_cast<int>(n));
            }),
            [=] { return number_at(r, PICKED % extra); }};
}

job fft(int64_t n, int64_t length) {
    const double *x = numbers(0, n);
    const int64_t count = n / length;
    cufftDoubleComplex *z = room<cufftDoubleComplex>(count * length);
    cufftHandle plan;
    check_code(cufftPlan1d(&plan, static_cast<int>(length), CUFFT_Z2Z, static_cast<int>(count)),
               "cufftPlan1d");
    return {[=] {
                run_each(count * length, [=] __device__(int64_t i) { z[i] = {x[i], 0}; });
                check_code(cufftExecZ2Z(plan, z, z, CUFFT_FORWARD), "cufftExecZ2Z");
            },
            [=] {
                return number_at(reinterpret_cast<const double *>(z),
                                 2 * (PICKED % count * length + 1));
            }};
}

job smvm(int64_t n) {
    const int64_t count = n / ENTRIES + 1;
    std::vector<int32_t> offsets(static_cast<size_t>(count) + 1);
    for (int64_t r = 0; r < count; r++)
        offsets[r + 1] = offsets[r] + static_cast<int32_t>(ENTRIES / 2 + r * 37 % (ENTRIES + 1));
    const int64_t entries = offsets[count];
    int32_t *at = room<int32_t>(count + 1), *column = room<int32_t>(entries);
    check(cudaMemcpy(at, offsets.data(), offsets.size() * sizeof(int32_t), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    run_each(count, [=] __device__(int64_t r) {
        for (int32_t i = at[r]; i < at[r + 1]; i++)
            column[i] = static_cast<int32_t>((r + 3 * (i - at[r])) % count);
    });
    double *e = numbers(3, entries), *x = numbers(0, count), *y = room<double>(count);
    static const double one = 1, zero = 0;
    cusparseHandle_t sparse;
    cusparseSpMatDescr_t m;
    cusparseDnVecDescr_t in, out;
    size_t bytes = 0;
    check_code(cusparseCreate(&sparse), "cusparseCreate");
    check_code(cusparseCreateCsr(&m, count, count, entries, at, column, e, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
               "cusparseCreateCsr");
    check_code(cusparseCreateDnVec(&in, count, x, CUDA_R_64F), "cusparseCreateDnVec");
    check_code(cusparseCreateDnVec(&out, count, y, CUDA_R_64F), "cusparseCreateDnVec");
    check_code(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, in, &zero,
                                       out, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
               "cusparseSpMV_bufferSize");
    void *memory = room<char>(static_cast<int64_t>(bytes));
    return {[=] {
                check_code(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, in, &zero,
                                        out, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, memory),
                           "cusparseSpMV");
            },
            [=] { return number_at(y, PICKED % count); }};
}

/* ---- the table ---- */

struct task {
    const char *name;
    job (*make)(int64_t n, int64_t extra);
};

const task tasks[] = {
    {"copy", [](int64_t n, int64_t) { return copy(n); }},
    {"sum", [](int64_t n, int64_t) { return sum(n); }},
    {"dot", [](int64_t n, int64_t) { return dot(n); }},
    {"scan", [](int64_t n, int64_t) { return scan(n); }},
    {"prices", [](int64_t n, int64_t) { return prices(n); }},
    {"intensity", intensity},
    {"rows", rows},
    {"singles", singles},
    {"bins", [](int64_t n, int64_t extra) { return bins(n, extra, false); }},
    {"one bin", [](int64_t n, int64_t extra) { return bins(n, extra, true); }},
    {"fft", fft},
    {"smvm", [](int64_t n, int64_t) { return smvm(n); }},
};

/* Per round. */
double seconds(const job &j, cudaEvent_t begin, cudaEvent_t end) {
    float ms = 0;
    check(cudaEventRecord(begin), "cudaEventRecord");
    for (int i = 0; i < ROUNDS; i++) j.round();
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    return 1e-3 * ms / ROUNDS;
}

void serve(const job &j) {
    cudaEvent_t begin, end;
    char line[64];
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    (void)seconds(j, begin, end);
    std::printf("ready\n");
    std::fflush(stdout);
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        const double took = seconds(j, begin, end);
        std::printf("%.9f %.17g\n", took, j.pick());
        std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char **argv) {
    int devices = 0;
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
        for (const task &t : tasks) std::printf("%s\n", t.name);
        return 0;
    }
    if (argc != 4) {
        std::fprintf(stderr, "usage: cuda_peers TASK N EXTRA\n");
        return 2;
    }
    const cudaError_t found = cudaGetDeviceCount(&devices);
    if (found != cudaSuccess || devices == 0)
        missing(std::string("a device that CUDA's libraries can use (") + cudaGetErrorString(found) + ")");
    for (const task &t : tasks)
        if (std::strcmp(argv[1], t.name) == 0) {
            serve(t.make(std::atoll(argv[2]), std::atoll(argv[3])));
            return 0;
        }
    missing(std::string("a library of CUDA that does ") + argv[1]);
}
