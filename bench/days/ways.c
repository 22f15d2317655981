/* The ways to workers on which jobs are measured, each with a folder for whatever a benchmark writes. */
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "bench/days/days.h"

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
    WADI_UNUSED(st);
    WADI_UNUSED(kind);
    WADI_UNUSED(at);
    return remove(path);
}

void days_folder_end(wadi_folder *f) {
    if (f->path[0] == '\0') return;
    (void)nftw(f->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (f->lock >= 0) (void)close(f->lock);
    f->path[0] = '\0';
}

void days_address(const days_way *w, const char *job, const char *ack, char out[DAYS_ADDRESS]) {
    if (w->server.port != 0)
        (void)snprintf(out, DAYS_ADDRESS, "nats://127.0.0.1:%d/%s?ack=%s", w->server.port, job,
                       ack);
    else
        (void)snprintf(out, DAYS_ADDRESS, "ipc://%s/%s", w->folder.path, job);
}

static wadi_status on_way(bench *b, const char *name, bool nats, days_way_fn fn, wadi_error *err) {
    days_way w = {.name = name};
    wadi_status st = wadi_folder_make(".", "bench_days.", &w.folder, err);
    if (st == WADI_OK && nats) st = days_server_start(&w.server, err);
    if (st == WADI_OK) st = fn(b, &w, err);
    days_server_end(&w.server);
    days_folder_end(&w.folder);
    return st;
}

wadi_status days_each_way(bench *b, const char *benchmark, days_way_fn fn, wadi_error *err) {
    WADI_TRY(on_way(b, "ipc", false, fn, err));
    const wadi_status st = on_way(b, "JetStream", true, fn, err);
    if (st != WADI_UNSUPPORTED) return st;
    bench_say(b, "%s: skipping JetStream: %s", benchmark, err->msg);
    return WADI_OK;
}

wadi_status days_told(void *env, double *out_s, wadi_error *err) {
    WADI_UNUSED(err);
    *out_s = *(const double *)env;
    return WADI_OK;
}
