/* What safety costs: a run that is saved, and one with a certificate, against the same run with neither. The stage computes 64 rounds for each record. The run's only
 * thread computes, or one worker does. */
#include <stdio.h>

#include "base/error.h"
#include "bench/days/days.h"

enum { BYTES = 256 << 20, QUICK_BYTES = 2 << 20 };

/* Bytes of a chunk. Runs alone have all of them, runs with a worker the first. */
static const int items[] = {256 << 10, 64 << 10, 1 << 20, 16 << 20};
enum { ITEMS = sizeof items / sizeof *items };

typedef struct price {
    const char *name;
    double every_s; /* 0: not saved */
    bool certificate;
} price;

/* What is saved every 5 s costs a short run little but its beginning and its end; fifty times as often is a bound for any run. */
static const price prices[] = {
    {"saved every 5 s", 5, false}, {"saved every 0.1 s", 0.1, false}, {"certificate", 0, true}};

typedef struct side {
    days_job job;
    uint32_t *result; /* of all sides; 0: not known yet */
} side;

static wadi_status run_side(void *env, double *out_s, wadi_error *err) {
    const side *s = env;
    uint32_t result = 0;
    WADI_TRY(days_run_net(&s->job, out_s, &result, err));
    if (*s->result == 0) *s->result = result;
    if (result == *s->result) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "safety: another result: %u instead of %u", result,
                     *s->result);
}

static wadi_status measure(bench *b, const days_way *w, const price *p, int item,
                           const char *address, wadi_error *err) {
    char name[64], state[1024], certificate[1024];
    uint32_t result = 0;
    const int64_t bytes = b->quick ? QUICK_BYTES : BYTES;
    const wadi_run_options o = {.threads = 1,
                                .chunk = item / DAYS_RECORD,
                                .forget = true,
                                .via = address,
                                .workers = address != NULL ? 1 : 0};
    side without = {{days_hash_text, o, bytes / DAYS_RECORD}, &result}, with = without;
    (void)snprintf(state, sizeof state, "%s/state", w->folder.path);
    (void)snprintf(certificate, sizeof certificate, "%s/certificate", w->folder.path);
    with.job.options.state = p->every_s > 0 ? state : NULL;
    with.job.options.save_every_s = p->every_s;
    with.job.options.certificate = p->certificate ? certificate : NULL;
    const bench_side sides[] = {{"wadi", run_side, &with},
                                {"wadi with neither", run_side, &without}};
    (void)snprintf(name, sizeof name, "%s, %d KiB, %s", address != NULL ? w->name : "alone",
                   item >> 10, p->name);
    if (!bench_wants(b, name)) return WADI_OK;
    return bench_compare(b, "safety", name, 2, sides, NULL, err);
}

static wadi_status measure_all(bench *b, const days_way *w, const char *address, wadi_error *err) {
    for (int k = 0; k < (address != NULL ? 1 : ITEMS); k++)
        for (size_t i = b->quick ? 1 : 0; i < sizeof prices / sizeof *prices; i++)
            WADI_TRY(measure(b, w, &prices[i], items[k], address, err));
    return WADI_OK;
}

static wadi_status on_way(bench *b, days_way *w, wadi_error *err) {
    char address[DAYS_ADDRESS];
    pid_t worker = 0;
    if (w->server.port == 0) WADI_TRY(measure_all(b, w, NULL, err));
    days_address(w, "safety", "5", address);
    WADI_TRY(days_worker(address, &worker, err));
    const wadi_status st = measure_all(b, w, address, err);
    days_end(worker);
    return st;
}

wadi_status bench_safety(bench *b, wadi_error *err) {
    return days_each_way(b, "safety", on_way, err);
}
