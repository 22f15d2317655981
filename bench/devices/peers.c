/* Starting the peers, and comparing what they have computed. See peers.h. */
#include "bench/devices/peers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static const char *const names[BENCH_PEERS] = {"CUDA's libraries", "CuPy", "JAX", "hashcat"};

/* What does a task in cuda_peers.cu. */
static const struct {
    const char *task, *name;
} libraries[] = {{"copy", "cudaMemcpy"}, {"sum", "CUB"},       {"dot", "cuBLAS"},
                 {"scan", "CUB"},        {"prices", "CUDA C"}, {"intensity", "CUDA C"},
                 {"rows", "CUB"},        {"singles", "CUB"},   {"bins", "CUB"},
                 {"one bin", "CUB"},     {"fft", "cuFFT"},     {"smvm", "cuSPARSE"}};

static const char *name_of(int peer, const char *task) {
    if (peer != BENCH_LIBRARIES) return names[peer];
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (strcmp(libraries[i].task, task) == 0) return libraries[i].name;
    return names[peer];
}

static wadi_status open_child(const bench *b, const bench_job *j, int64_t n, int peer,
                              bench_child **out, wadi_error *err) {
    char size[24], extra[24];
    (void)snprintf(size, sizeof size, "%lld", (long long)n);
    (void)snprintf(extra, sizeof extra, "%lld", (long long)j->extra);
    const char *const python[] = {
        b->python, WADI_BENCH_SCRIPTS "/peers.py", names[peer], j->task, size, extra, NULL};
    const char *const cuda[] = {WADI_BENCH_CUDA_PEERS, j->task, size, extra, NULL};
    if (peer != BENCH_LIBRARIES) return bench_child_open(python, out, err);
    if (access(WADI_BENCH_CUDA_PEERS, X_OK) == 0) return bench_child_open(cuda, out, err);
    return wadi_fail(
        err, WADI_UNSUPPORTED,
        "cuBLAS, CUB, cuFFT and cuSPARSE: build the target bench_cuda_peers, which takes nvcc");
}

void bench_peers_open(const bench *b, const bench_job *j, int64_t n, bench_device_peer *out) {
    for (int i = 0; i < BENCH_PEERS; i++) {
        wadi_error why = {0};
        out[i].name = names[i];
        if (j->task == NULL || (strcmp(j->task, "hashcat") == 0) != (i == BENCH_HASHCAT)) continue;
        out[i].name = name_of(i, j->task);
        if (open_child(b, j, n, i, &out[i].child, &why) != WADI_OK)
            bench_say(b, "%s: skipping %s: %s", j->name, names[i], why.msg);
    }
}

void bench_peers_close(bench_device_peer *p) {
    for (int i = 0; i < BENCH_PEERS; i++) {
        bench_child_close(p[i].child);
        p[i].child = NULL;
    }
}

/* One that fails counts as missing, if it is the first time. */
static wadi_status run_peer(void *env, double *out_seconds, wadi_error *err) {
    wadi_error why = {0};
    if (bench_child_run(env, out_seconds, &why) == WADI_OK) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED, "%s", why.msg);
}

bench_side bench_peer_side(const bench_device_peer *p) {
    return (bench_side){p->name, p->child != NULL ? run_peer : NULL, p->child};
}

wadi_status bench_peers_agree(const bench *b, const bench_job *j, const bench_device_peer *p,
                              bench_job_run *ours, wadi_error *err) {
    double unused = 0;
    WADI_UNUSED(b);
    for (int i = 0; i < BENCH_PEERS; i++) {
        if (p[i].child == NULL) continue;
        const double theirs = bench_child_number(p[i].child);
        if (isnan(theirs)) continue; /* it does not say */
        WADI_TRY(bench_job_go(ours, 1, &unused, err));
        WADI_TRY(bench_same(j->name, 1, &theirs, &ours->sum, 1e-9, err));
    }
    return WADI_OK;
}
