/* wadi run: runs a program text with what the command line binds. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "cli/bind.h"
#include "cli/command.h"
#include "operators/table.h"

/* ---- options ---- */

typedef struct options {
    const char *file;
    char **binding;
    int nbindings;
    wadi_compile_options compile;
    wadi_run_options run;
    bool stats, sync;
    wadi_cli_links links;
} options;

static bool read_count(const char *text, int64_t *out) {
    return wadi_args_number(text, 0, INT64_MAX, out);
}

/* "64M", "1G", "512K" or bytes. */
static bool read_bytes(const char *text, int64_t *out) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    const long long n = strtoll(text, &end, 10);
    if (end == text || errno != 0 || n < 0) return false;
    int64_t unit = 1;
    const char *at = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
    if (*end && (!at || end[1] != '\0')) return false;
    for (const char *u = units; at && u <= at; u++) unit *= 1024;
    if (n > INT64_MAX / unit) return false;
    *out = (int64_t)n * unit;
    return true;
}

static bool read_schedule(const char *text, wadi_schedule_option *out) {
    static const char *const names[] = {[WADI_SCHEDULE_AUTO] = "auto",
                                        [WADI_SCHEDULE_FORCE_INSIDE] = "inside",
                                        [WADI_SCHEDULE_FORCE_FLAT] = "flat",
                                        [WADI_SCHEDULE_FORCE_ACROSS] = "across"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (wadi_schedule_option)i;
            return true;
        }
    return false;
}

static bool read_option(const char *name, const char *value, options *o) {
    int64_t n = 0;
    if (strcmp(name, "--threads") == 0 && read_count(value, &n) && n <= 4096) {
        o->run.threads = (int)n;
        return true;
    }
    if (strcmp(name, "--chunk") == 0) return read_count(value, &o->run.chunk);
    if (strcmp(name, "--memory") == 0) return read_bytes(value, &o->run.memory);
    if (strcmp(name, "--schedule") == 0) return read_schedule(value, &o->run.schedule);
    if (strcmp(name, "--policy") == 0) o->run.policy = value;
    if (strcmp(name, "--disable") == 0) o->compile.disable = value;
    if (strcmp(name, "--target") == 0) o->compile.target = value;
    return o->run.policy == value || o->compile.disable == value || o->compile.target == value;
}

/* Arguments NAME=VALUE are collected at the front of argv. Returns an exit status, WADI_CLI_OK to go on. */
static int read_arguments(int argc, char **argv, options *o) {
    o->binding = argv;
    for (int i = 1; i < argc; i++) {
        const bool is_option = strncmp(argv[i], "--", 2) == 0;
        if (strcmp(argv[i], "--stats") == 0) {
            o->stats = true;
        } else if (strcmp(argv[i], "--sync") == 0) {
            o->sync = true;
        } else if (strcmp(argv[i], "--forget") == 0) {
            o->run.forget = true;
        } else if (is_option && i + 1 < argc) {
            wadi_error why = {0};
            wadi_status st = WADI_OK;
            const bool link = wadi_cli_links_take(&o->links, argv[i], argv[i + 1], &st, &why);
            if (st != WADI_OK) return wadi_cli_misuse(&wadi_cli_run, "%s", why.msg);
            if (!link && !read_option(argv[i], argv[i + 1], o))
                return wadi_cli_misuse(&wadi_cli_run, "\"%s %s\" is not understood", argv[i],
                                       argv[i + 1]);
            i++;
        } else if (is_option) {
            return wadi_cli_misuse(&wadi_cli_run, "\"%s\" is not understood", argv[i]);
        } else if (!o->file) {
            o->file = argv[i];
        } else if (strchr(argv[i], '=')) {
            o->binding[o->nbindings++] = argv[i];
        } else {
            return wadi_cli_misuse(&wadi_cli_run, "unexpected \"%s\"", argv[i]);
        }
    }
    if (!o->file) return wadi_cli_misuse(&wadi_cli_run, "no program");
    return WADI_CLI_OK;
}

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
    fprintf(stderr, "schedule     %s\n", s.schedule ? s.schedule : "none");
}

static wadi_status run_exe(const options *o, const wadi_module *m, const wadi_exe *exe,
                           wadi_error *err) {
    wadi_cli_bindings bindings = {.links = &o->links};
    wadi_run *run = NULL;
    wadi_status st = wadi_run_create(exe, &o->run, &run, err);
    if (st == WADI_OK) st = wadi_cli_bind(&bindings, m, run, o->nbindings, o->binding, err);
    for (size_t i = 0; st == WADI_OK && o->sync && i < bindings.sinks.n; i++)
        wadi_sink_sync(bindings.sinks.at[i]);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    if (st == WADI_OK) st = wadi_cli_print_results(m, run, err);
    if (run && o->stats) print_stats(run);
    wadi_run_destroy(run);
    wadi_cli_bindings_fini(&bindings);
    return st;
}

static wadi_status run_text(const options *o, const char *text, const char *name, wadi_error *err) {
    wadi_module *m = NULL;
    wadi_exe *exe = NULL;
    wadi_status st = wadi_ir_parse(text, name, wadi_operators(), &m, err);
    if (st == WADI_OK) st = wadi_compile_text(text, name, &o->compile, &exe, err);
    if (st == WADI_OK) st = run_exe(o, m, exe, err);
    wadi_exe_destroy(exe);
    wadi_module_destroy(m);
    return st;
}

static int run(int argc, char **argv) {
    options o = {0};
    const int status = read_arguments(argc, argv, &o);
    if (status != WADI_CLI_OK) return status;
    wadi_error err = {0};
    char *text = NULL;
    const char *name = NULL;
    wadi_status st = wadi_cli_read(o.file, &text, &name, &err);
    if (st == WADI_OK) st = run_text(&o, text, name, &err);
    free(text);
    return st == WADI_OK ? WADI_CLI_OK : wadi_cli_fail(&err);
}

const wadi_cli_command wadi_cli_run = {
    "run", "FILE.wadi [NAME=VALUE ...] [OPTIONS]", "runs a program",
    "FILE may be - for standard input. Every input and every stream the program reads must be "
    "bound:\n"
    "  xs=1,2,3           an array of literals\n"
    "  m=2x2:1,2,3,4      the same, with its shape\n"
    "  m=3x4:@m.raw       an array from a file, in the machine's byte order\n"
    "  s=1,2;3;4,5        a stream: its elements, separated by semicolons\n"
    "  s=3x4:@s.raw       a stream of records of one shape\n"
    "  s=4096:@s.wav      sound as blocks of 4096 frames: i32, f32 or f64[n, channels]\n"
    "  s=@sound,bits=16:s.ogg, s=@sound,whole:*.wav    see wadi connectors --help\n"
    "  s=@m.mtx           the rows of a sparse matrix: i32[n], f64[n]\n"
    "  s=@tcp://HOST:PORT a stream from another process\n"
    "  out=@out.raw       where a stream goes; without it, its elements are printed\n"
    "\n"
    "  --threads N        workers; 0, the default: one per processor\n"
    "  --chunk N          elements per chunk; 0, the default: the policy decides\n"
    "  --policy NAME      see wadi policies\n"
    "  --forget           does without the chunk sizes learned by earlier runs, and records none\n"
    "  --memory SIZE      bound of the chunks in flight: bytes, or 512K, 64M, 1G\n"
    "  --schedule NAME    auto, inside, flat or across\n"
    "  --target NAME      what kernels are compiled for: native, x86-64-v2, ..; see wadi version\n"
    "  --disable PASSES   passes left out, comma separated; see wadi passes\n"
    "  --sync             files written are on the disk before the program ends\n"
    "  --stats            tells on standard error how the run went\n" WADI_CLI_LINKS_HELP,
    run};
