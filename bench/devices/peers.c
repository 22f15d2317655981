/* Starting the peers, and comparing what they have computed. See peers.h. */
#include "bench/devices/peers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static const char *const names[BENCH_PEERS] = {"CuPy", "JAX", "hashcat"};

static wadi_status open_one(const bench *b, const bench_job *j, int64_t n, bench_device_peer *out,
                            wadi_error *err) {
    char size[24], extra[24];
    wadi_error why = {0};
    (void)snprintf(size, sizeof size, "%lld", (long long)n);
    (void)snprintf(extra, sizeof extra, "%lld", (long long)j->extra);
    const char *const argv[] = {
        b->python, WADI_BENCH_SCRIPTS "/peers.py", out->name, j->task, size, extra, NULL};
    const wadi_status status = bench_child_open(argv, &out->child, &why);
    if (status == WADI_OK) return WADI_OK;
    if (status != WADI_UNSUPPORTED) return wadi_fail(err, status, "%s", why.msg);
    bench_say(b, "%s: skipping %s: %s", j->name, out->name, why.msg);
    return WADI_OK;
}

wadi_status bench_peers_open(const bench *b, const bench_job *j, int64_t n, bench_device_peer *out,
                             wadi_error *err) {
    for (int i = 0; i < BENCH_PEERS; i++) {
        out[i].name = names[i];
        if (j->task == NULL) continue;
        if ((strcmp(j->task, "hashcat") == 0) != (i == BENCH_HASHCAT)) continue;
        WADI_TRY(open_one(b, j, n, &out[i], err));
    }
    return WADI_OK;
}

void bench_peers_close(bench_device_peer *p) {
    for (int i = 0; i < BENCH_PEERS; i++) {
        bench_child_close(p[i].child);
        p[i].child = NULL;
    }
}

bench_side bench_peer_side(const bench_device_peer *p) {
    return (bench_side){p->name, p->child != NULL ? bench_child_run : NULL, p->child};
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
