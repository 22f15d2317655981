/* wadi work: computes chunks for a `wadi run --via` elsewhere. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/process.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/options.h"
#include "sched/schedules.h"
#include "wadi/work.h"

typedef struct options {
    wadi_cli_options shared; /* `file` is the address */
    wadi_schedule_option schedule;
    bool stay, stats;
} options;

static wadi_status take_schedule(void *env, const char *value, wadi_error *err) {
    options *o = env;
    return wadi_schedule_take(value, &o->schedule, err);
}

static wadi_status take_address(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (o->shared.file)
        return wadi_fail(err, WADI_INVALID, "unexpected \"%s\": there is an address already",
                         value);
    o->shared.file = value;
    return WADI_OK;
}

static const wadi_args_option table[] = {{.name = "--threads", .take = wadi_cli_take_threads},
                                         {.name = "--memory", .take = wadi_cli_take_memory},
                                         {.name = "--schedule", .take = take_schedule},
                                         {.name = "--target", .take = wadi_target_take},
                                         {.name = "--kernels", .take = wadi_bundles_take},
                                         {.name = "--routines", .take = wadi_cli_take_routines},
                                         {.name = "--device", .take = wadi_device_take},
                                         {.name = "--wait", .take = wadi_cli_take_wait},
                                         {.name = "--watchdog", .take = wadi_cli_take_watchdog},
                                         {.name = "--log", .take = wadi_say_take},
                                         {.name = "--stay", .field = offsetof(options, stay)},
                                         {.name = "--stats", .field = offsetof(options, stats)},
                                         WADI_CLI_TEXT("--key", links.key),
                                         WADI_CLI_TEXT("--home", links.home),
                                         WADI_CLI_TEXT("--token", links.token)};

/* The first signal: what has begun is still computed. */
static void leave(void *worker) {
    wadi_worker_leave(worker);
}

static wadi_status create(const options *o, wadi_worker **out, wadi_error *err) {
    wadi_link_secrets secrets = {0};
    wadi_link_options keys = {0};
    wadi_worker_options w = {.threads = o->shared.run.threads,
                             .memory = o->shared.run.memory,
                             .schedule = o->schedule,
                             .wait_s = o->shared.links.wait_s,
                             .watchdog_s = o->shared.run.watchdog_s,
                             .stay = o->stay,
                             .keys = &keys};
    wadi_status st = wadi_cli_link_work(&o->shared.links, false, &secrets, &keys, err);
    if (st == WADI_OK) st = wadi_worker_create(o->shared.file, &w, out, err);
    wadi_link_secrets_fini(&secrets);
    return st;
}

static void print_stats(wadi_worker *w) {
    wadi_worker_stats s = {0};
    wadi_worker_stats_get(w, &s);
    fprintf(stderr, "worked       %lld elements in %lld chunks, of %lld jobs\n",
            (long long)s.elements, (long long)s.chunks, (long long)s.jobs);
}

static int run(int argc, char **argv) {
    const wadi_args args = {table, sizeof table / sizeof *table, take_address, NULL};
    options o = {.stay = false};
    wadi_worker *w = NULL;
    wadi_error err = {0};
    if (wadi_args_parse(&args, argc, argv, &o, &err) != WADI_OK)
        return wadi_cli_misuse(&wadi_cli_work, "%s", err.msg);
    if (!o.shared.file) return wadi_cli_misuse(&wadi_cli_work, "%s", "no address");
    wadi_status st = create(&o, &w, &err);
    if (st == WADI_OK) {
        wadi_process_drain_by(leave, w);
        st = wadi_worker_go(w, &err);
        wadi_process_drain_by(NULL, NULL);
    }
    if (w && o.stats) print_stats(w);
    wadi_worker_destroy(w);
    return st == WADI_OK ? WADI_CLI_OK : wadi_cli_fail(&err);
}

const wadi_cli_command wadi_cli_work = {
    "work", "ADDRESS [OPTIONS]", "computes chunks for a `wadi run --via ADDRESS` elsewhere",
    "ADDRESS is tcp://HOST:PORT, ipc://PATH, or nats://HOST/JOB (see docs/DAYS.md). Any number of "
    "workers may come and go, at any time, before the run or\n"
    "during it. A worker gets the program from the run and compiles it. It ends when the run is "
    "over; SIGTERM\n"
    "ends it when it has computed what it has begun. See docs/RUNTIME.md.\n"
    "\n"
    "  --threads N        number of threads that compute; 0, the default: one per processor\n"
    "  --device NAME      what computes: cpu, or another of wadi devices\n"
    "  --memory SIZE      memory that is kept for reuse: bytes, or 512K, 64M, 1G\n"
    "  --schedule NAME    auto, or see wadi schedules\n"
    "  --target NAME      what kernels are compiled for: native, x86-64-v2, ..; see wadi version\n"
    "  --kernels FILE     takes kernels from this bundle (see wadi build), compiles what it lacks\n"
    "  --routines LIB.so  calls the routines of this library, which must be that of the run\n"
    "  --wait SECONDS     it is an error to have no run for so long; default: no limit\n"
    "  --watchdog SECONDS says at which elements it works when that has taken so long; default 10\n"
    "  --stay             when a run is over, waits for the next\n"
    "  --log json         warnings and errors as lines of JSON\n"
    "  --stats            prints on standard error what it has computed\n"
    "  --key FILE         own CURVE keys, public and secret, one in a line; wadi-vis-send "
    "--new-key makes them\n"
    "  --home FILE        the public key of the run\n"
    "  --token FILE       a secret that both ends know, instead of keys within one machine;\n"
    "                     default: the environment variable WADI_TOKEN\n",
    run};
