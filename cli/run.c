/* wadi run: runs a program text with what the command line binds. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/process.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/profile.h"
#include "cli/routines.h"
#include "cli/run.h"
#include "cli/streams.h"
#include "connectors/via.h"
#include "operators/table.h"
#include "sched/run.h"
#include "sched/schedules.h"
#include "sched/watch/program.h"

/* ---- options ---- */

typedef wadi_cli_run_options options;

static wadi_status take_chunk(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (wadi_args_number(value, 0, INT64_MAX, &o->shared.run.chunk)) return WADI_OK;
    return wadi_args_bad("--chunk", value, "a number of elements", err);
}

static wadi_status take_schedule(void *env, const char *value, wadi_error *err) {
    options *o = env;
    return wadi_schedule_take(value, &o->shared.run.schedule, err);
}

/* Which of the names it is; -1: none. */
static int find_name(const char *value, const char *const *names, int n) {
    for (int i = 0; i < n; i++)
        if (strcmp(value, names[i]) == 0) return i;
    return -1;
}

static wadi_status take_stages(void *env, const char *value, wadi_error *err) {
    static const char *const names[] = {[WADI_STAGES_AUTO] = "auto",
                                        [WADI_STAGES_JOINED] = "joined",
                                        [WADI_STAGES_APART] = "apart"};
    options *o = env;
    const int i = find_name(value, names, (int)(sizeof names / sizeof *names));
    if (i < 0) return wadi_args_bad("--stages", value, "auto, joined or apart", err);
    o->shared.run.stages = (wadi_stages_option)i;
    return WADI_OK;
}

static wadi_status take_every(void *env, const char *value, wadi_error *err) {
    options *o = env;
    double s = 0;
    if (!wadi_args_seconds(value, &s))
        return wadi_args_bad("--every", value, "seconds, as in 5s", err);
    o->shared.run.save_every_s = s > 0 ? s : 1e-9; /* 0 would be the default */
    return WADI_OK;
}

static wadi_status take_guarantee(void *env, const char *value, wadi_error *err) {
    static const char *const names[] = {[WADI_GUARANTEE_NONE] = "none",
                                        [WADI_GUARANTEE_AT_LEAST_ONCE] = "at-least-once",
                                        [WADI_GUARANTEE_EXACTLY_ONCE] = "exactly-once"};
    options *o = env;
    const int i = find_name(value, names, (int)(sizeof names / sizeof *names));
    if (i < 0)
        return wadi_args_bad("--guarantee", value, "none, at-least-once or exactly-once", err);
    o->shared.run.guarantee = (wadi_guarantee)i;
    o->tells = true;
    return WADI_OK;
}

static wadi_status take_on_fault(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (strcmp(value, "fail") == 0 || strcmp(value, "skip") == 0) {
        o->shared.run.on_fault = value[0] == 's' ? WADI_ON_FAULT_SKIP : WADI_ON_FAULT_FAIL;
        return WADI_OK;
    }
    o->shared.run.on_fault = WADI_ON_FAULT_REPLACE;
    if (strncmp(value, "replace=", 8) == 0 && strcasecmp(value + 8, "nan") == 0) {
        o->shared.run.replacement = (double)NAN;
        return WADI_OK;
    }
    if (strncmp(value, "replace=", 8) == 0 &&
        wadi_args_real(value + 8, -(double)INFINITY, (double)INFINITY, &o->shared.run.replacement))
        return WADI_OK;
    return wadi_args_bad("--on-fault", value, "fail, skip or replace=NUMBER", err);
}

static wadi_status take_dead_limit(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (wadi_args_number(value, 1, INT64_MAX, &o->shared.run.dead_limit)) return WADI_OK;
    return wadi_args_bad("--dead-limit", value, "a number of elements", err);
}

static wadi_status take_retries(void *env, const char *value, wadi_error *err) {
    options *o = env;
    int64_t n = 0;
    if (!wadi_args_number(value, 0, INT32_MAX, &n))
        return wadi_args_bad("--retries", value, "a number of tries", err);
    o->shared.run.retries = (int)n;
    return WADI_OK;
}

static wadi_status take_retry_after(void *env, const char *value, wadi_error *err) {
    options *o = env;
    double s = 0;
    if (!wadi_args_seconds(value, &s) || s == 0)
        return wadi_args_bad("--retry-after", value, "seconds, as in 0.5s", err);
    o->shared.run.retry_after_s = s;
    return WADI_OK;
}

static wadi_status take_workers(void *env, const char *value, wadi_error *err) {
    options *o = env;
    return wadi_via_workers_take(value, &o->shared.run.workers, err);
}

static const wadi_args_option table[] = {
    {.name = "--via", .text = true, .field = offsetof(options, shared.run.via)},
    {.name = "--workers", .take = take_workers},
    {.name = "--worker-keys", .text = true, .field = offsetof(options, shared.links.workers)},
    {.name = "--state", .text = true, .field = offsetof(options, shared.run.state)},
    {.name = "--every", .take = take_every},
    {.name = "--guarantee", .take = take_guarantee},
    {.name = "--accept-change", .field = offsetof(options, shared.run.accept_change)},
    {.name = "--watchdog", .take = wadi_cli_take_watchdog},
    {.name = "--retries", .take = take_retries},
    {.name = "--retry-after", .take = take_retry_after},
    {.name = "--on-fault", .take = take_on_fault},
    {.name = "--dead", .text = true, .field = offsetof(options, shared.run.dead)},
    {.name = "--dead-limit", .take = take_dead_limit},
    {.name = "--chunk", .take = take_chunk},
    {.name = "--schedule", .take = take_schedule},
    {.name = "--stages", .take = take_stages},
    {.name = "--policy", .text = true, .field = offsetof(options, shared.run.policy)},
    {.name = "--disable", .text = true, .field = offsetof(options, compile.disable)},
    {.name = "--receiver", .text = true, .field = offsetof(options, shared.links.receiver)},
    {.name = "--stats", .field = offsetof(options, stats)},
    {.name = "--profile", .field = offsetof(options, shared.run.profile)},
    {.name = "--trace", .text = true, .field = offsetof(options, shared.run.trace)},
    {.name = "--certificate", .text = true, .field = offsetof(options, shared.run.certificate)},
    {.name = "--log", .take = wadi_say_take},
    WADI_WATCH_OPTIONS(options, watch),
    {.name = "--sync", .field = offsetof(options, sync)},
    {.name = "--forget", .field = offsetof(options, shared.run.forget)},
    WADI_CLI_OPTIONS};

/* ---- running ---- */

static void print_stats(wadi_run *run) {
    wadi_run_stats s = {0};
    wadi_run_stats_get(run, &s);
    fprintf(stderr, "elements     %lld in %lld chunks, the last of %lld\n", (long long)s.elements,
            (long long)s.chunks, (long long)s.chunk_elements);
    fprintf(stderr, "bytes        %lld in, %lld out, %lld at most in memory\n",
            (long long)s.bytes_in, (long long)s.bytes_out, (long long)s.memory_peak);
    fprintf(stderr, "time         %.3f s: source %.3f, compute %.3f, sink %.3f\n", s.elapsed_s,
            s.source_s, s.compute_s, s.sink_s);
    fprintf(stderr, "utilisation  %.0f %% of %d threads; %.2f stages busy\n", s.utilisation * 100,
            s.threads, s.stages_busy);
    if (s.stages_apart > 0)
        fprintf(stderr, "apart        %d stages, busy for %.3f s\n", s.stages_apart, s.apart_s);
    if (s.workers > 0 || s.elsewhere > 0)
        fprintf(stderr, "workers      %d at last; %lld elements computed by workers\n", s.workers,
                (long long)s.elsewhere);
    fprintf(stderr, "schedule     %s\n", s.schedule ? s.schedule : "none");
    fprintf(stderr, "device       %s\n", s.device);
    if (s.bytes_put + s.bytes_got > 0)
        fprintf(stderr, "copied       %lld bytes to devices, %lld back\n", (long long)s.bytes_put,
                (long long)s.bytes_got);
    if (s.launches_shared + s.launches_whole > 0)
        fprintf(stderr, "shared out   %lld of %lld launches, %lld bytes moved between devices\n",
                (long long)s.launches_shared, (long long)(s.launches_shared + s.launches_whole),
                (long long)s.bytes_between);
    if (s.home[0] != '\0') fprintf(stderr, "home         %s\n", s.home);
    if (s.shares[0] != '\0') fprintf(stderr, "shares       %s\n", s.shares);
}

/* What ends a run that is saved: nothing is lost. */
static void drain(void *run) {
    wadi_run_drain(run);
}

/* Before the run: what is promised of it. */
static wadi_status tell_guarantee(const options *o, wadi_run *run, wadi_error *err) {
    wadi_guarantee guarantee = WADI_GUARANTEE_NONE;
    char *why = NULL;
    if (!o->shared.run.state && !o->tells) return WADI_OK;
    WADI_TRY(wadi_run_guarantee(run, &guarantee, &why, err));
    const bool wanted = o->tells || guarantee > WADI_GUARANTEE_NONE;
    if (wanted && guarantee >= o->shared.run.guarantee)
        wadi_say(WADI_SAY_INFO, "%s", why); /* else the run is refused, with the reason */
    free(why);
    return WADI_OK;
}

static wadi_status go(const options *o, wadi_run *run, bool *out_drained, wadi_error *err) {
    wadi_run_stats s = {0};
    if (o->shared.run.state) wadi_process_drain_by(drain, run);
    wadi_status st = wadi_watch_program("wadi", &o->watch, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    wadi_watch_program_end();
    wadi_process_drain_by(NULL, NULL);
    wadi_run_stats_get(run, &s);
    *out_drained = s.drained;
    return st;
}

/* What was saved goes when results are out of the process: else they can be had again. That writing failed is told at the end (main.c). */
static wadi_status print_results(const wadi_module *m, wadi_run *run, wadi_error *err) {
    WADI_TRY(wadi_cli_print_results(m, run, err));
    if (fflush(stdout) == 0 && !ferror(stdout)) wadi_run_release_state(run);
    return WADI_OK;
}

/* What is said from now on is about this run, also behind its end. */
static void speak_of(wadi_run *run) {
    static char name[96], part[16];
    const wadi_log_place of = wadi_run_place(run);
    (void)snprintf(name, sizeof name, "%s", of.run ? of.run : "");
    (void)snprintf(part, sizeof part, "%s", of.stage ? of.stage : "");
    wadi_log_about((wadi_log_place){of.run ? name : NULL, of.stage ? part : NULL});
}

/* A saved run that has not ended has its file under another name (base/outfile.h). */
static void tell_dead(const options *o, wadi_run *run, bool ended) {
    const char *file = o->shared.run.dead;
    wadi_run_stats s = {0};
    wadi_text see = {0};
    wadi_run_stats_get(run, &s);
    if (s.dead == 0) return;
    if (file) wadi_text_addf(&see, "%s%s", file, ended || !o->shared.run.state ? "" : ".wadi-kept");
    const bool there = file && access(wadi_text_str(&see), F_OK) == 0;
    wadi_say(WADI_SAY_WARNING, "%lld element%s failed%s%s", (long long)s.dead,
             s.dead == 1 ? " has" : "s have", there ? ": see " : "",
             there ? wadi_text_str(&see) : "");
    wadi_text_fini(&see);
}

/* With the keys for its workers, if it has any. */
static wadi_status create_run(const options *o, const wadi_exe *exe, wadi_run **out,
                              wadi_error *err) {
    wadi_run_options run = o->shared.run;
    wadi_link_secrets secrets = {0};
    wadi_link_options keys = {0};
    wadi_status st = WADI_OK;
    if (run.via) st = wadi_cli_link_work(&o->shared.links, true, &secrets, &keys, err);
    if (run.via) run.via_keys = &keys;
    if (st == WADI_OK) st = wadi_run_create(exe, &run, out, err);
    wadi_link_secrets_fini(&secrets);
    return st;
}

static wadi_status run_exe(const options *o, const wadi_module *m, const wadi_exe *exe,
                           wadi_error *err) {
    wadi_cli_bindings bindings = {.sink = o->sink,
                                  .instead = true,
                                  .links = &o->shared.links,
                                  .at_once = o->shared.run.state,
                                  .program = o->shared.file,
                                  .dead = o->shared.run.dead,
                                  .trace = o->shared.run.trace,
                                  .certificate = o->shared.run.certificate};
    wadi_run *run = NULL;
    bool drained = false;
    wadi_status st = create_run(o, exe, &run, err);
    if (st == WADI_OK)
        st = wadi_cli_bind(&bindings, m, run, o->shared.nbindings, o->shared.bindings, err);
    for (size_t i = 0; st == WADI_OK && o->sync && i < bindings.sinks.n; i++)
        wadi_sink_sync(bindings.sinks.at[i]);
    if (st == WADI_OK) st = tell_guarantee(o, run, err);
    if (st == WADI_OK) st = go(o, run, &drained, err);
    const bool ended = st == WADI_OK;
    if (run) speak_of(run);
    if (st == WADI_OK && !o->silent) st = print_results(m, run, err);
    if (run) tell_dead(o, run, ended);
    if (run && o->stats) print_stats(run);
    if (run && o->shared.run.profile) wadi_cli_print_profile(run, stderr);
    wadi_run_destroy(run);
    wadi_cli_bindings_fini(&bindings);
    if (!drained) return st;
    wadi_say(WADI_SAY_INFO, "the run is saved in %s: the same command goes on with it",
             o->shared.run.state);
    return WADI_OK;
}

static wadi_status run_text(const options *o, const char *text, const char *name, wadi_error *err) {
    wadi_module *m = NULL;
    wadi_exe *exe = NULL;
    wadi_status st = wadi_ir_parse(text, name, wadi_operators(), &m, err);
    if (st == WADI_OK) st = wadi_compile_text(text, name, &o->compile, &exe, err);
    if (st == WADI_OK) st = run_exe(o, m, exe, err);
    if (st == WADI_OK) wadi_cli_tell_unknown(m, false, "", NULL);
    wadi_exe_destroy(exe);
    wadi_module_destroy(m);
    return st;
}

wadi_status wadi_cli_run_read(int argc, char **argv, wadi_cli_run_options *o, wadi_error *err) {
    WADI_TRY(
        wadi_cli_options_read(table, sizeof table / sizeof *table, argc, argv, &o->shared, err));
    if (!o->shared.run.state && (o->shared.run.save_every_s > 0 || o->shared.run.accept_change))
        return wadi_fail(err, WADI_INVALID,
                         "--every, --accept-change: without --state, nothing is saved");
    if ((o->shared.run.dead || o->shared.run.dead_limit > 0) &&
        o->shared.run.on_fault == WADI_ON_FAULT_FAIL)
        return wadi_fail(err, WADI_INVALID,
                         "--dead, --dead-limit: without --on-fault, the first element that fails "
                         "ends the run");
    if (o->shared.run.workers > 0 && !o->shared.run.via)
        return wadi_fail(err, WADI_INVALID, "--workers: without --via, there are none");
    o->shared.run.hold_state = true;
    o->shared.links.goes_on = o->shared.run.state != NULL;
    o->shared.links.memory = o->shared.run.memory;
    o->shared.links.count = wadi_cli_count_links(o->shared.nbindings, o->shared.bindings);
    return WADI_OK;
}

wadi_status wadi_cli_run_it(const wadi_cli_run_options *o, wadi_error *err) {
    char *text = NULL;
    const char *name = NULL;
    wadi_status st = wadi_cli_read(o->shared.file, &text, &name, err);
    if (st == WADI_OK) st = run_text(o, text, name, err);
    free(text);
    return st;
}

static int run(int argc, char **argv) {
    options o = {0};
    wadi_error err = {0};
    /* reading a command line puts its words in another order */
    const char **notes = calloc((size_t)argc + 1, sizeof *notes);
    if (!notes) return wadi_cli_fail(&(wadi_error){.status = WADI_MEMORY, .msg = "out of memory"});
    for (int i = 1; i < argc; i++) notes[i - 1] = argv[i];
    wadi_status st = wadi_cli_run_read(argc, argv, &o, &err);
    if (st == WADI_OK)
        st = wadi_cli_links_check(&o.shared.links, o.shared.links.count, o.shared.run.via != NULL,
                                  &err);
    const bool misused = st != WADI_OK;
    o.shared.run.certificate_notes = notes;
    if (st == WADI_OK) st = wadi_cli_run_it(&o, &err);
    free(notes);
    if (misused) return wadi_cli_misuse(&wadi_cli_run, "%s", err.msg);
    return st == WADI_OK ? WADI_CLI_OK : wadi_cli_fail(&err);
}

const wadi_cli_command wadi_cli_run = {
    "run",
    "FILE.wadi [NAME=VALUE ...] [OPTIONS]",
    "runs a program",
    "FILE may be - for standard input. Every input and every stream that the program reads must be "
    "bound:\n"
    "  xs=1,2,3           an array of literals\n"
    "  m=2x2:1,2,3,4      an array of literals with its shape\n"
    "  m=3x4:@m.raw       an array from a file, in the machine's byte order\n"
    "  z='{x: 1, y: 2}'   an array of records, or a list for each field: z='[1] [2]'; in files the "
    "fields of a record\n"
    "                     follow each other without gaps\n"
    "  s=1,2;3;4,5        a stream: its elements, separated by semicolons\n"
    "  s=3x4:@s.raw       a stream of records of one shape\n"
    "  s=4096:@s.wav      sound as blocks of 4096 frames: i32, f32 or f64[n, channels]\n"
    "  s=@sound,bits=16:s.ogg, s=@sound,whole:*.wav    see wadi connectors --help\n"
    "  s=@m.mtx           the rows of a sparse matrix: i32[n], f64[n]\n"
    "  s=@tcp://HOST:PORT a stream from another process\n"
    "  out=@out.raw       writes a stream there; without it, its elements are printed\n"
    "\n"
    "  --threads N        number of workers; 0, the default: one per processor\n"
    "  --chunk N          elements per chunk; 0, the default: the policy decides\n"
    "  --policy NAME      see wadi policies\n"
    "  --forget           ignores the chunk sizes learned by earlier runs, and records none\n"
    "  --memory SIZE      bound of the chunks in flight: bytes, or 512K, 64M, 1G\n"
    "  --schedule NAME    auto, or see wadi schedules\n"
    "  --stages NAME      whether part of a stream's stages runs in a thread of its own: auto,\n"
    "                     joined or apart\n"
    "  --device NAME      what computes: cpu, another of wadi devices, several (cpu,null or all),\n"
    "                     or several that work as one (cuda:0+1)\n"
    "  --fast-math        faster, less exact real numbers; see docs/DEVICES.md\n"
    "  --target NAME      what kernels are compiled for: native, x86-64-v2, ..; see wadi version\n"
    "  --kernels FILE     takes kernels from this bundle (see wadi build), compiles what it lacks; "
    "a bundle that cannot\n"
    "                     be used is an error\n"
    "  --routines LIB.so  calls the routines of this library, which exports wadi_routines_1; see\n"
    "                     wadi/routines.h\n"
    "  --disable PASSES   leaves out these passes, separated by commas; see wadi passes\n"
    "  --via ADDRESS      workers elsewhere compute most of it: wadi work ADDRESS, any number, on "
    "any machine;\n"
    "                     tcp://HOST:PORT, ipc://PATH, or nats://HOST/JOB (see docs/DAYS.md)\n"
    "  --workers N        with --via: begins when so many workers have come; default 0\n"
    "  --worker-keys FILE with --via and --key: public keys of the workers, one in a line\n"
    "  --state DIR        saves the run in this folder now and then: after its process was ended "
    "in any "
    "way, the same\n"
    "                     command goes on where it was saved; SIGTERM saves it and ends it. See "
    "docs/RUNTIME.md\n"
    "  --every SECONDS    with --state: the least time between two savings; default 5\n"
    "  --guarantee NAME   at-least-once or exactly-once: refuses a run that gives less to a sink; "
    "none: only tells "
    "what it gives\n"
    "  --accept-change    with --state: goes on with another program or other data if what is "
    "saved fits\n"
    "  --retries N        how often in a row a failed read, or write of a file, is tried again; "
    "default 0\n"
    "  --retry-after S    seconds before the first, then twice as long each time; default 0.5\n"
    "  --on-fault HOW     where the program fails at an element of a stream: fail ends the run, "
    "skip "
    "goes on\n"
    "                     without the element, replace=NUMBER with this result; default fail\n"
    "  --dead FILE        with --on-fault: writes a line of JSON for each such element\n"
    "  --dead-limit N     with --on-fault: so many elements may fail\n"
    "  --sync             forces written files onto the disk before the program ends\n"
    "  --stats            prints on standard error how the run went\n"
    "  --profile          prints on standard error where its time went: a line for each kernel, "
    "and one for\n"
    "                     each way of waiting; see docs/RUNTIME.md\n"
    "  --trace FILE       writes what each thread did, and when, for "
    "https://ui.perfetto.dev\n"
    "  --certificate FILE writes digests of the program, its inputs, what it reads and what it "
    "delivers, for\n"
    "                     wadi verify\n",
    run,
    "  --watchdog SECONDS says what the run waits for when nothing has begun or ended for so long; "
    "default 10\n"
    "  --log NAME         warnings and errors as text, or as json: a line of JSON each, with time, "
    "run and stage\n"
    "  --http HOST:PORT   shows the run as a page there, as in 127.0.0.1:8080 (port 0: any free "
    "one), and for\n"
    "                     Prometheus at /metrics; the address is told with its token. See also "
    "wadi "
    "top\n"
    "  --http-token FILE  takes the token from this file; needed where other machines reach the "
    "address\n" WADI_CLI_LINKS_HELP};
