/* Libraries on devices of NVIDIA, as peers of array jobs: a process for each, of Python (peers.py) or of CUDA C (cuda_peers.cu), whose arrays stay on the
 * device. A peer that is missing, or that fails, is told and left out. */
#ifndef WADI_BENCH_DEVICES_PEERS_H
#define WADI_BENCH_DEVICES_PEERS_H

#include "bench/devices/jobs.h"
#include "bench/streams/child.h"

/* Asked times refer to all but JAX. */
enum { BENCH_LIBRARIES, BENCH_CUPY, BENCH_JAX, BENCH_HASHCAT, BENCH_PEERS };

typedef struct bench_device_peer {
    const char *name;   /* of the libraries: the one that does the job */
    bench_child *child; /* NULL: absent */
} bench_device_peer;

/* Starts those that can do the job with n numbers; of the others it is told why not. All zero before. */
void bench_peers_open(const bench *b, const bench_job *j, int64_t n, bench_device_peer *out);
void bench_peers_close(bench_device_peer *p);
bench_side bench_peer_side(const bench_device_peer *p);
/* Runs one round of `ours`, and compares its number with those of the peers. */
WADI_NODISCARD wadi_status bench_peers_agree(const bench *b, const bench_job *j,
                                             const bench_device_peer *p, bench_job_run *ours,
                                             wadi_error *err);

#endif
