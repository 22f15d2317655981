/* wadi-flac: the program around flac_encode and flac_decode. Exit status 0, or 1 with one line on standard error for each input that
 * failed, which names file and place. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/audio/decode.h"
#include "apps/audio/encode.h"
#include "apps/audio/options.h"
#include "apps/audio/session.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/process.h"
#include "base/say.h"
#include "base/text.h"
#include "sched/run/profile_all.h"
#include "sched/watch/answer.h"
#include "sched/watch/program.h"

/* ---- progress ---- */

static double ratio(const flac_progress *p) {
    return p->bytes_in > 0 ? (double)p->bytes_out / (double)p->bytes_in : 1;
}

static double times_real_time(const flac_progress *p) {
    return p->elapsed_s > 0 ? (double)p->frames / p->rate / p->elapsed_s : 0;
}

static void show_progress(void *env, const flac_progress *p) {
    const flac_options *o = env;
    const double done = p->total > 0 ? 100 * (double)p->frames / (double)p->total : 0;
    fputc('\r', stderr);
    wadi_say_shown(stderr, o->out);
    fprintf(stderr, ": %3.0f%%  ratio %.3f  %.0fx  chunk %lld  busy %.0f%%  stages %.1f ", done,
            ratio(p), times_real_time(p), (long long)p->run.chunk_elements,
            100 * p->run.utilisation, p->run.stages_busy);
    fflush(stderr);
}

static void show_end(const flac_options *o, const flac_progress *p) {
    fputc('\r', stderr);
    wadi_say_shown(stderr, o->out);
    fprintf(stderr, ": %lld bytes, ratio %.3f, %.2f s, %.0fx real time%20s\n",
            (long long)p->bytes_out, ratio(p), p->elapsed_s, times_real_time(p), "");
}

/* ---- statistics ---- */

static double seconds(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static wadi_status write_stats(const char *path, const flac_progress *p, wadi_error *err) {
    struct rusage used = {0};
    wadi_text t = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    wadi_text_addf(&t, "wall_s=%.6f\n", p->elapsed_s);
    wadi_text_addf(&t, "cpu_s=%.6f\n", seconds(used.ru_utime) + seconds(used.ru_stime));
    wadi_text_addf(&t, "bytes_in=%lld\n", (long long)p->bytes_in);
    wadi_text_addf(&t, "bytes_out=%lld\n", (long long)p->bytes_out);
    wadi_text_addf(&t, "frames=%lld\n", (long long)p->frames);
    wadi_text_addf(&t, "blocks=%lld\n", (long long)p->run.elements);
    wadi_text_addf(&t, "chunks=%lld\n", (long long)p->run.chunks);
    wadi_text_addf(&t, "chunk_elements=%lld\n", (long long)p->run.chunk_elements);
    wadi_text_addf(&t, "utilisation=%.4f\n", p->run.utilisation);
    wadi_text_addf(&t, "overlap=%.4f\n", p->run.overlap);
    wadi_text_addf(&t, "overlap_stages=%.3f\n", p->run.stages_busy);
    wadi_text_addf(&t, "source_s=%.6f\n", p->run.source_s);
    wadi_text_addf(&t, "compute_s=%.6f\n", p->run.compute_s);
    wadi_text_addf(&t, "sink_s=%.6f\n", p->run.sink_s);
    wadi_text_addf(&t, "threads=%d\n", p->run.threads);
    wadi_text_addf(&t, "memory_peak=%lld\n", (long long)p->run.memory_peak);
    wadi_text_addf(&t, "schedule=%s\n", p->run.schedule != NULL ? p->run.schedule : "none");
    const wadi_status status = t.failed ? wadi_fail(err, WADI_MEMORY, "%s: out of memory", path)
                                        : wadi_outfile_put(path, t.at, t.n, NULL, err);
    wadi_text_fini(&t);
    return status;
}

/* ---- words ---- */

static int complain(const char *what) {
    wadi_say(WADI_SAY_ERROR, "%s", what);
    return EXIT_FAILURE;
}

static bool warned; /* there was a warning; for --warnings-as-errors */

static void warn(const flac_options *o, const char *path, const char *what) {
    warned = true;
    if (!o->quiet) wadi_say(WADI_SAY_WARNING, "%s: %s", path, what);
}

static void warn_of_options(const flac_options *o) {
    static const char idle[] =
        "orders, partitions, windows and stereo are chosen for each block: they change nothing";
    if (o->idle) warn(o, "-l, -m, -r, -A and their like", idle);
}

static void warn_of_losses(const flac_options *o, const flac_progress *end) {
    char text[128];
    if (end->clipped + end->nans == 0) return;
    snprintf(text, sizeof text,
             "--convert clipped %lld samples that were louder than full scale and took %lld that "
             "were no numbers as 0",
             (long long)end->clipped, (long long)end->nans);
    warn(o, o->in, text);
}

/* Warns of what a user might not expect of a run that succeeded. */
static void warn_of_encoding(const flac_options *o, const flac_progress *end) {
    static const char unproved[] = "states no MD5 of its samples: they were not checked";
    static const char replaced[] = "its tags were replaced by those of the command line";
    static const char cuts[] = "its cue sheet is left out: it is about all of the sound";
    static const char unfinished[] =
        "cannot be rewound: MD5, frame sizes and seek points are left out";
    if (end->unproved) warn(o, o->in, unproved);
    if (end->cue_sheet_dropped) warn(o, o->in, cuts);
    if (end->tags_replaced) warn(o, o->in, replaced);
    if (!end->can_seek) warn(o, strcmp(o->out, "-") == 0 ? "standard output" : o->out, unfinished);
    warn_of_losses(o, end);
}

/* ---- one input ---- */

static wadi_status explain(const flac_options *o, wadi_error *err) {
    char *text = NULL;
    WADI_TRY(flac_explain(o, &text, err));
    const bool ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    free(text);
    return ok ? WADI_OK : wadi_fail(err, WADI_IO, "standard output: writing failed");
}

static wadi_status encode(const flac_options *o, wadi_error *err) {
    const bool show = !o->quiet && !wadi_say_json() && isatty(STDERR_FILENO);
    flac_progress end = {0};
    const wadi_status st = flac_encode(o, show ? show_progress : NULL, (void *)o, &end, err);
    if (st != WADI_OK) {
        if (show) fputc('\n', stderr);
        return st;
    }
    if (show) show_end(o, &end);
    warn_of_encoding(o, &end);
    return o->stats != NULL ? write_stats(o->stats, &end, err) : WADI_OK;
}

static void tell_tested(const char *path) {
    if (wadi_say_json())
        wadi_say(WADI_SAY_INFO, "%s: ok", path);
    else
        wadi_say_shown(stderr, path), fputs(": ok\n", stderr);
}

static wadi_status decode(const flac_options *o, wadi_error *err) {
    bool unproved = false;
    WADI_TRY(flac_decode(o, &unproved, err));
    if (unproved) warn(o, o->in, "states no MD5 of its samples: they were not checked");
    if (o->action == FLAC_TEST && !o->quiet) tell_tested(o->in);
    return WADI_OK;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Deletes the input if the output is a complete file, and not the same file. */
static wadi_status delete_input(const flac_options *o, wadi_error *err) {
    struct stat about;
    const bool complete = o->out != NULL && strcmp(o->in, "-") != 0 && strcmp(o->out, "-") != 0 &&
                          stat(o->out, &about) == 0 && S_ISREG(about.st_mode) &&
                          !is_same_file(o->in, o->out);
    if (!complete) return WADI_OK;
    if (unlink(o->in) == 0) return WADI_OK;
    return wadi_fail_errno(err, errno, "%s: cannot be deleted", o->in);
}

static wadi_status treat(const flac_options *o, wadi_error *err) {
    if (o->explain) return explain(o, err);
    if (o->out != NULL && strcmp(o->out, "-") == 0 && isatty(STDOUT_FILENO)) {
        return wadi_fail(err, WADI_INVALID, "standard output is a terminal; -o names a file");
    }
    WADI_TRY(o->action == FLAC_ENCODE ? encode(o, err) : decode(o, err));
    return o->delete_input && !(o->strict && warned) ? delete_input(o, err) : WADI_OK;
}

/* ---- all of them ---- */

typedef struct work {
    flac_options *options;
    flac_session *session; /* NULL: none */
    size_t next;           /* input */
    size_t failed;         /* inputs, of this process */
    int rc;
} work;

static atomic_bool drains; /* a signal has come: nothing is begun any more */

static void drain(void *unused) {
    WADI_UNUSED(unused);
    atomic_store(&drains, true);
}

static void tell_failure(work *w, wadi_status status, const char *what) {
    w->rc = EXIT_FAILURE;
    if (status != WADI_CANCELLED && !wadi_process_output_gone()) (void)complain(what);
}

/* Errors are of the session. An input that fails is told. */
static wadi_status treat_next(work *w, wadi_error *err) {
    flac_options *o = w->options;
    bool ours = false;
    const bool force = o->force;
    wadi_error why = {0};
    wadi_status st = flac_options_pick(o, w->next, &why);
    if (st == WADI_OK) WADI_TRY(flac_session_begin(w->session, o, w->next, &ours, err));
    o->force = force || ours;
    if (st == WADI_OK) st = treat(o, &why);
    o->force = force;
    if (st != WADI_OK) tell_failure(w, st, why.msg);
    if (wadi_process_signal() != 0 && st != WADI_OK) return WADI_OK; /* it was cut short */
    w->failed += st != WADI_OK;
    flac_session_note(w->session, w->next, st == WADI_OK, warned);
    return WADI_OK;
}

/* What is left, in words: the same command does it. */
static void tell_rest(const work *w, size_t done) {
    wadi_say(WADI_SAY_INFO, "%zu of %zu inputs are done: the same command goes on%s", done,
             w->options->inputs.n, w->failed > 0 ? " with those that failed" : "");
}

/* If one input fails, the others are still treated; a signal ends all. */
static wadi_status treat_each(work *w, wadi_error *err) {
    const size_t n = w->options->inputs.n;
    for (; w->next < n && wadi_process_signal() == 0 && !atomic_load(&drains); w->next++)
        if (!flac_session_is_done(w->session, w->next)) WADI_TRY(treat_next(w, err));
    return WADI_OK;
}

static void treat_all(work *w) {
    const size_t before = flac_session_done(w->session);
    wadi_error err = {0};
    warned = warned || flac_session_warned(w->session);
    if (before > 0 && !w->options->quiet)
        wadi_say(WADI_SAY_INFO, "%zu of %zu inputs are done already", before, w->options->inputs.n);
    wadi_status st = treat_each(w, &err);
    const size_t done = flac_session_done(w->session);
    /* The state goes last. Killed after that, the process cannot go on: the same command refuses the outputs, which are there. */
    wadi_watch_program_end();
    const wadi_status closed = flac_session_close(w->session, st == WADI_OK ? &err : NULL);
    st = st == WADI_OK ? closed : st;
    if (st != WADI_OK) tell_failure(w, st, err.msg);
    if (w->session == NULL || done == w->options->inputs.n || st != WADI_OK) return;
    const bool drained = atomic_load(&drains) && wadi_process_signal() == 0;
    if (drained || w->failed > 0) tell_rest(w, done);
    if (!drained) return;
    w->rc = EXIT_SUCCESS;
    warned = false;
}

static int run(flac_options *o, int argc, char **argv) {
    work w = {.options = o, .rc = EXIT_SUCCESS};
    wadi_error err = {0};
    wadi_process_warn(!o->quiet);
    warn_of_options(o);
    if (o->state != NULL) {
        wadi_process_drain_by(drain, NULL);
        if (flac_session_open(o, argc, argv, &w.session, &err) != WADI_OK) return complain(err.msg);
    }
    treat_all(&w);
    wadi_process_drain_by(NULL, NULL);
    wadi_profile_tell(stderr);
    return o->strict && warned ? EXIT_FAILURE : w.rc;
}

int main(int argc, char **argv) {
    flac_options options;
    wadi_error err = {0};
    int rc = EXIT_SUCCESS;
    wadi_process_begin("wadi-flac");
    wadi_watch_drain_by(wadi_process_drain);
    if (flac_options_parse(argc, argv, &options, &err) != WADI_OK) {
        rc = complain(err.msg);
    } else if (options.help) {
        fputs(flac_usage, stdout);
        fputs(flac_usage_of_runs, stdout);
    } else if (options.version) {
        puts("wadi-flac " WADI_VERSION);
    } else if (wadi_watch_program("wadi-flac", &options.watch, &err) != WADI_OK) {
        rc = complain(err.msg);
    } else {
        rc = run(&options, argc, argv);
        wadi_watch_program_end();
    }
    flac_options_fini(&options);
    if (!wadi_process_printed()) rc = EXIT_FAILURE;
    wadi_process_end(rc != EXIT_SUCCESS);
    return rc;
}
