/* wadi-vis-send: a pipeline from files of visibilities to a link. Everything it says goes to standard error. */
#include <stdio.h>
#include <unistd.h>

#include "apps/gridding/rows.h"
#include "apps/gridding/send_options.h"
#include "apps/gridding/send_rows.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "base/say.h"
#include "connectors/link_keys.h"
#include "sched/watch/program.h"
#include "wadi/wadi.h"

enum { DONE = 0, FAILED = 1, MISUSE = 2, TICK_NS = 200000000 };

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

/* ---- progress ---- */

static double elapsed_s(const work *w) {
    return (double)(wadi_clock_ns() - w->started_ns) * 1e-9;
}

static void progress(void *env, int64_t rows) {
    work *w = env;
    const int64_t now = wadi_clock_ns(), all = send_rows_about(w->rows)->rows;
    w->sent = rows;
    if (w->options->quiet || wadi_say_json() || !isatty(STDERR_FILENO) ||
        now - w->told_ns < TICK_NS)
        return;
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

static void before_warning(void *env) {
    clear_line(env);
}

/* ---- the pipeline: rows as they are ---- */

static wadi_status compile(work *w, wadi_error *err) {
    w->program = wadi_program_create("vis_send");
    if (w->program == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_seq rows = grid_rows_in(send_rows_about(w->rows));
    const int64_t skip = w->options->skip;
    wadi_stream_out(skip > 0 ? wadi_drop_seq(wadi_i64(skip), rows) : rows, "link");
    return wadi_compile(w->program, NULL, &w->exe, err);
}

static wadi_status connect(work *w, wadi_error *err) {
    const send_options *o = w->options;
    wadi_link_secrets secrets = {0};
    wadi_link_options link = {.first_after_ms = (int64_t)(o->wait_s * 1000)};
    wadi_status status =
        wadi_link_secrets_read(&secrets, o->key, o->receiver, o->token, &link, err);
    if (status == WADI_OK)
        status = wadi_vis_sink(o->to, &link, send_rows_about(w->rows), &w->sink, err);
    wadi_link_secrets_fini(&secrets);
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
    WADI_TRY(send_rows_source(w->rows, o->skip, o->rate, progress, w, &w->source, err));
    WADI_TRY(connect(w, err));
    WADI_TRY(wadi_run_create(w->exe, &run, &w->run, err));
    WADI_TRY(wadi_run_source(w->run, "rows", w->source, err));
    return wadi_run_sink(w->run, "link", w->sink, err);
}

static void tell_sent(const work *w) {
    if (wadi_say_json())
        wadi_say(WADI_SAY_INFO, "%lld rows sent in %.2f s", (long long)w->sent, elapsed_s(w));
    else
        fprintf(stderr, "%lld rows sent in %.2f s\n", (long long)w->sent, elapsed_s(w));
}

static wadi_status stream(work *w, wadi_error *err) {
    w->started_ns = wadi_clock_ns();
    const wadi_status status = wadi_run_go(w->run, err);
    clear_line(w);
    if (status == WADI_OK && !w->options->quiet) tell_sent(w);
    return status;
}

static int run(const send_options *o) {
    work w = {.options = o};
    wadi_error err = {.status = WADI_OK};
    wadi_process_warn(!o->quiet);
    wadi_process_before_warning(before_warning, &w);
    wadi_status status = prepare(&w, &err);
    if (status == WADI_OK) status = stream(&w, &err);
    wadi_run_destroy(w.run);
    wadi_sink_destroy(w.sink);
    wadi_source_destroy(w.source);
    wadi_exe_destroy(w.exe);
    wadi_program_destroy(w.program);
    send_rows_close(w.rows);
    if (status == WADI_OK) return DONE;
    wadi_say(WADI_SAY_ERROR, "%s", wadi_process_signal() != 0 ? "interrupted" : err.msg);
    return FAILED;
}

static int make_key(const char *path) {
    wadi_error err = {.status = WADI_OK};
    if (wadi_link_keys_make(path, &err) == WADI_OK) return DONE;
    wadi_say(WADI_SAY_ERROR, "%s", err.msg);
    return FAILED;
}

int main(int argc, char **argv) {
    send_options options;
    wadi_error err = {.status = WADI_OK};
    int rc = DONE;
    wadi_process_begin("wadi-vis-send");
    if (send_options_parse(argc, argv, &options, &err) != WADI_OK) {
        wadi_say(WADI_SAY_ERROR, "%s", err.msg);
        rc = MISUSE;
    } else if (options.help) {
        fputs(send_usage, stdout);
    } else if (options.version) {
        puts("wadi-vis-send " WADI_VERSION);
    } else if (options.new_key != NULL) {
        rc = make_key(options.new_key);
    } else if (wadi_watch_program("wadi-vis-send", &options.watch, &err) != WADI_OK) {
        wadi_say(WADI_SAY_ERROR, "%s", err.msg);
        rc = FAILED;
    } else {
        rc = run(&options);
        wadi_watch_program_end();
    }
    send_options_fini(&options);
    if (rc == DONE && !wadi_process_printed()) rc = FAILED;
    wadi_process_end(rc != DONE);
    return rc;
}
