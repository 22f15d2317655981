/* Threads that are workers. */
#include "tests/conformance/workers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"

const char *conf_workers_address(void) {
    static char address[64];
    (void)snprintf(address, sizeof address, "ipc://conformance_workers_%ld.sock", (long)getpid());
    return address;
}

static int64_t chunks;

int64_t conf_workers_chunks(void) {
    return chunks;
}

static void work(void *env) {
    struct conf_one_worker *w = env;
    w->status = wadi_worker_go(w->worker, &w->err);
}

wadi_status conf_workers_start(conf_workers *w, const conf_variant *v, wadi_error *err) {
    const wadi_worker_options o = {
        .threads = v->threads, .device = v->device, .schedule = v->schedule};
    for (w->n = 0; w->n < v->workers; w->n++) {
        struct conf_one_worker *one = &w->one[w->n];
        WADI_TRY(wadi_worker_create(conf_workers_address(), &o, &one->worker, err));
        WADI_TRY(wadi_thread_start(&one->thread, work, one, err));
    }
    return WADI_OK;
}

void conf_workers_end(conf_workers *w) {
    for (int i = 0; i < w->n; i++) {
        struct conf_one_worker *one = &w->one[i];
        wadi_worker_stats s;
        wadi_worker_leave(one->worker);
        wadi_thread_join(&one->thread);
        wadi_worker_stats_get(one->worker, &s);
        chunks += s.chunks;
        wadi_worker_destroy(one->worker);
        if (one->status != WADI_OK) fail_msg("a worker: %s", one->err.msg);
    }
    w->n = 0;
}
