/* What a shared stage lets through, by the size of its items, on each way: threads of this process, ZeroMQ, JetStream. One worker. The stage computes next to
 * nothing, so it is the way that is measured; the answer to an item has a sixteenth of its bytes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "bench/days/days.h"

static const int64_t sizes[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};

enum { BYTES = 128 << 20, QUICK_BYTES = 8 << 20, QUICK_STEP = 3 /* of sizes */ };

typedef struct way {
    const char *name;
    char address[96]; /* of wadi's run; "": none */
    char peer[96];
    const char *peer_name;
    bench_fn run_peer;
} way;

static wadi_status run_job(void *env, double *out_s, wadi_error *err) {
    return days_run_net(env, out_s, NULL, err);
}

static wadi_status measure(bench *b, const way *w, int64_t n, wadi_error *err) {
    char name[48];
    const int64_t bytes = b->quick ? QUICK_BYTES : BYTES;
    const wadi_run_options o = {.threads = 1,
                                .chunk = n / DAYS_RECORD,
                                .forget = true,
                                .via = w->address[0] != '\0' ? w->address : NULL,
                                .workers = w->address[0] != '\0' ? 1 : 0};
    days_job job = {.options = o, .records = bytes / DAYS_RECORD}, alone = job;
    days_peer peer = {w->peer, n, bytes / n};
    alone.options.via = NULL;
    alone.options.workers = 0;
    const bench_side sides[] = {{"wadi", run_job, &job},
                                {w->peer_name, w->run_peer, &peer},
                                {"wadi, threads alone", run_job, &alone}};
    (void)snprintf(name, sizeof name, "%s, %lld KiB", w->name, (long long)n >> 10);
    if (!bench_wants(b, name)) return WADI_OK;
    return bench_compare(b, "carry", name, 3, sides, NULL, err);
}

static wadi_status on_way(bench *b, const way *w, wadi_error *err) {
    pid_t worker = 0;
    WADI_TRY(days_worker(w->address, &worker, err));
    wadi_status st = WADI_OK;
    for (size_t i = 0; st == WADI_OK && i < sizeof sizes / sizeof *sizes;
         i += b->quick ? QUICK_STEP : 1)
        st = measure(b, w, sizes[i], err);
    days_end(worker);
    return st;
}

static wadi_status over_nats(bench *b, wadi_error *err) {
    days_server server = {.port = 0};
    way w = {.name = "JetStream", .peer_name = "libnats alone", .run_peer = days_nats_peer};
    wadi_status st = days_server_start(&server, err);
    (void)snprintf(w.address, sizeof w.address, "nats://127.0.0.1:%d/carry", server.port);
    (void)snprintf(w.peer, sizeof w.peer, "nats://127.0.0.1:%d", server.port);
    if (st == WADI_OK) st = on_way(b, &w, err);
    if (st == WADI_UNSUPPORTED) {
        bench_say(b, "carry: skipping JetStream: %s", err->msg);
        st = WADI_OK;
    }
    days_server_end(&server);
    return st;
}

static wadi_status over_zmq(bench *b, bool files, wadi_error *err) {
    way w = {.name = files ? "ipc" : "tcp",
             .address = "ipc://bench_days.sock",
             .peer = "ipc://bench_days.peer",
             .peer_name = "PUSH and PULL",
             .run_peer = days_zmq_peer};
    int port = 0;
    WADI_TRY(days_port(&port, err));
    if (!files) {
        (void)snprintf(w.address, sizeof w.address, "tcp://127.0.0.1:%d", port);
        (void)snprintf(w.peer, sizeof w.peer, "tcp://127.0.0.1:%d", port + 1);
    }
    const wadi_status st = on_way(b, &w, err);
    (void)unlink("bench_days.sock");
    (void)unlink("bench_days.peer");
    (void)unlink("bench_days.peer.back");
    return st;
}

wadi_status bench_carry(bench *b, wadi_error *err) {
    WADI_TRY(over_zmq(b, false, err));
    WADI_TRY(over_zmq(b, true, err));
    return over_nats(b, err);
}
