/* wadi-vis-send: a pipeline from files of visibilities to a link. Everything it says goes to standard error. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "apps/gridding/keys.h"
#include "apps/gridding/rows.h"
#include "apps/gridding/send_options.h"
#include "apps/gridding/send_rows.h"
#include "base/clock.h"
#include "base/error.h"
#include "wadi/wadi.h"

enum { DONE = 0, FAILED = 1, MISUSE = 2, INTERRUPTED = 130, TICK_NS = 200000000 };

/* Memory for the rows under way: enough to keep a link busy. */
enum { MEMORY = 256 << 20 };

typedef struct work {
    const send_options *options;
    send_rows *rows;
    wadi_program *program;
    wadi_exe *exe;
    wadi_source *source;
    wadi_sink *sink;
    wadi_run *run;
    int64_t started_ns, told_ns, sent;
    bool shown; /* a line of progress stands on the terminal */
} work;

/* ---- signals: the first ends the stream, or all if there is none yet; the second has its usual effect ---- */

static volatile sig_atomic_t interrupted;
static _Atomic(wadi_run *) under_way;

static void on_signal(int number) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    (void)sigaction(number, &usual, NULL);
    interrupted = 1;
    wadi_run *run = atomic_load(&under_way);
    if (run == NULL) _exit(INTERRUPTED);
    wadi_run_cancel(run);
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

/* ---- progress ---- */

static double elapsed_s(const work *w) {
    return (double)(wadi_clock_ns() - w->started_ns) * 1e-9;
}

static void progress(void *env, int64_t rows) {
    work *w = env;
    const int64_t now = wadi_clock_ns(), all = send_rows_about(w->rows)->rows;
    w->sent = rows;
    if (w->options->quiet || !isatty(STDERR_FILENO) || now - w->told_ns < TICK_NS) return;
    w->told_ns = now;
    fprintf(stderr, "\r\033[K%lld rows sent", (long long)rows);
    if (all > 0) fprintf(stderr, ", %.1f%%", 100 * (double)rows / (double)all);
    fprintf(stderr, ", %.0f rows/s", (double)rows / elapsed_s(w));
    w->shown = true;
}

static void clear_line(work *w) {
    if (w->shown) fputs("\r\033[K", stderr);
    w->shown = false;
}

/* ---- the pipeline: rows as they are ---- */

static wadi_status compile(work *w, wadi_error *err) {
    w->program = wadi_program_create("vis_send");
    if (w->program == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    wadi_stream_out(grid_rows_in(send_rows_about(w->rows)), "link");
    return wadi_compile(w->program, NULL, &w->exe, err);
}

static wadi_status connect(work *w, wadi_error *err) {
    const send_options *o = w->options;
    grid_keys keys = {0};
    wadi_link_options link = {.first_after_ms = (int64_t)(o->wait_s * 1000)};
    wadi_status status = o->key != NULL ? grid_keys_read(&keys, o->key, o->receiver, err) : WADI_OK;
    grid_keys_send(&keys, &link);
    if (status == WADI_OK)
        status = wadi_vis_sink(o->to, &link, send_rows_about(w->rows), &w->sink, err);
    grid_keys_fini(&keys);
    return status;
}

static wadi_status prepare(work *w, wadi_error *err) {
    const send_options *o = w->options;
    const wadi_vis_options vis = {
        .field = o->field, .setup = o->setup, .column = o->column, .conjugate = o->conjugate};
    const wadi_run_options run = {
        .memory = MEMORY, .chunk = o->chunk, .policy = o->chunk > 0 ? "fixed" : NULL};
    WADI_TRY(send_rows_open(o->inputs.n, o->inputs.at, &vis, &w->rows, err));
    WADI_TRY(compile(w, err));
    WADI_TRY(send_rows_source(w->rows, o->rate, progress, w, &w->source, err));
    WADI_TRY(connect(w, err));
    WADI_TRY(wadi_run_create(w->exe, &run, &w->run, err));
    WADI_TRY(wadi_run_source(w->run, "rows", w->source, err));
    return wadi_run_sink(w->run, "link", w->sink, err);
}

static wadi_status stream(work *w, wadi_error *err) {
    w->started_ns = wadi_clock_ns();
    atomic_store(&under_way, w->run);
    const wadi_status status = wadi_run_go(w->run, err);
    atomic_store(&under_way, NULL);
    clear_line(w);
    if (status != WADI_OK || w->options->quiet) return status;
    fprintf(stderr, "%lld rows sent in %.2f s\n", (long long)w->sent, elapsed_s(w));
    return WADI_OK;
}

static int run(const send_options *o) {
    work w = {.options = o};
    wadi_error err = {.status = WADI_OK};
    catch_signals();
    wadi_status status = prepare(&w, &err);
    if (status == WADI_OK) status = stream(&w, &err);
    wadi_run_destroy(w.run);
    wadi_sink_destroy(w.sink);
    wadi_source_destroy(w.source);
    wadi_exe_destroy(w.exe);
    wadi_program_destroy(w.program);
    send_rows_close(w.rows);
    if (status == WADI_OK) return DONE;
    fprintf(stderr, "wadi-vis-send: %s\n", interrupted ? "interrupted" : err.msg);
    return interrupted ? INTERRUPTED : FAILED;
}

static int make_key(const char *path) {
    wadi_error err = {.status = WADI_OK};
    if (grid_keys_make(path, &err) == WADI_OK) return DONE;
    fprintf(stderr, "wadi-vis-send: %s\n", err.msg);
    return FAILED;
}

int main(int argc, char **argv) {
    send_options options;
    wadi_error err = {.status = WADI_OK};
    int rc = DONE;
    if (send_options_parse(argc, argv, &options, &err) != WADI_OK) {
        fprintf(stderr, "wadi-vis-send: %s\n", err.msg);
        rc = MISUSE;
    } else if (options.help) {
        fputs(send_usage, stdout);
    } else if (options.version) {
        puts("wadi-vis-send " WADI_VERSION);
    } else {
        rc = options.new_key != NULL ? make_key(options.new_key) : run(&options);
    }
    send_options_fini(&options);
    return rc;
}
