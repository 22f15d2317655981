/* wadi-flac: the program around flac_encode. Exit status 0, or 1 with one line on standard error that names file and place. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "apps/audio/encode.h"
#include "apps/audio/options.h"
#include "wadi/log.h"

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
    fprintf(stderr, "\r%s: %3.0f%%  ratio %.3f  %.0fx  chunk %lld  busy %.0f%%  stages %.1f ",
            o->out, done, ratio(p), times_real_time(p), (long long)p->run.chunk_elements,
            100 * p->run.utilisation, p->run.stages_busy);
    fflush(stderr);
}

static void show_end(const flac_options *o, const flac_progress *p) {
    fprintf(stderr, "\r%s: %lld bytes, ratio %.3f, %.2f s, %.0fx real time%20s\n", o->out,
            (long long)p->bytes_out, ratio(p), p->elapsed_s, times_real_time(p), "");
}

/* ---- statistics ---- */

static double seconds(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static bool write_stats(const char *path, const flac_progress *p) {
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    FILE *f = fopen(path, "w");
    if (f == NULL) return false;
    fprintf(f, "wall_s=%.6f\n", p->elapsed_s);
    fprintf(f, "cpu_s=%.6f\n", seconds(used.ru_utime) + seconds(used.ru_stime));
    fprintf(f, "bytes_in=%lld\n", (long long)p->bytes_in);
    fprintf(f, "bytes_out=%lld\n", (long long)p->bytes_out);
    fprintf(f, "frames=%lld\n", (long long)p->frames);
    fprintf(f, "blocks=%lld\n", (long long)p->run.elements);
    fprintf(f, "chunks=%lld\n", (long long)p->run.chunks);
    fprintf(f, "chunk_elements=%lld\n", (long long)p->run.chunk_elements);
    fprintf(f, "utilisation=%.4f\n", p->run.utilisation);
    fprintf(f, "overlap=%.4f\n", p->run.overlap);
    fprintf(f, "overlap_stages=%.3f\n", p->run.stages_busy);
    fprintf(f, "source_s=%.6f\n", p->run.source_s);
    fprintf(f, "compute_s=%.6f\n", p->run.compute_s);
    fprintf(f, "sink_s=%.6f\n", p->run.sink_s);
    fprintf(f, "threads=%d\n", p->run.threads);
    fprintf(f, "memory_peak=%lld\n", (long long)p->run.memory_peak);
    fprintf(f, "schedule=%s\n", p->run.schedule != NULL ? p->run.schedule : "none");
    const bool ok = ferror(f) == 0;
    return fclose(f) == 0 && ok;
}

/* ---- running ---- */

static int complain(const char *what) {
    fprintf(stderr, "wadi-flac: %s\n", what);
    return EXIT_FAILURE;
}

/* The first interrupt drains and removes the unfinished file; the second has its usual effect. */
static void on_signal(int number) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    (void)sigaction(number, &usual, NULL);
    flac_encode_cancel();
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* A reader that goes away is a write error with a message, not a silent death. */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

static int explain(const flac_options *o) {
    wadi_error err = {0};
    char *text = NULL;
    if (flac_explain(o, &text, &err) != WADI_OK) return complain(err.msg);
    const bool ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    free(text);
    return ok ? EXIT_SUCCESS : complain("standard output: writing failed");
}

static int encode(const flac_options *o) {
    const bool to_stdout = strcmp(o->out, "-") == 0;
    if (to_stdout && isatty(STDOUT_FILENO)) {
        return complain("standard output is a terminal; -o names a file");
    }
    const bool show = !o->quiet && isatty(STDERR_FILENO);
    wadi_error err = {0};
    flac_progress end = {0};
    catch_signals();
    if (flac_encode(o, show ? show_progress : NULL, (void *)o, &end, &err) != WADI_OK) {
        if (show) fputc('\n', stderr);
        return complain(err.msg);
    }
    if (show) show_end(o, &end);
    if (!end.can_seek && !o->quiet) {
        fprintf(stderr,
                "wadi-flac: warning: %s cannot be rewound: MD5, frame sizes and seek "
                "points are left out\n",
                to_stdout ? "standard output" : o->out);
    }
    if (o->stats != NULL && !write_stats(o->stats, &end)) {
        fprintf(stderr, "wadi-flac: %s: the statistics could not be written\n", o->stats);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

static void warn(void *env, wadi_log_level level, const char *line) {
    const flac_options *o = env;
    if (level >= WADI_LOG_WARNING && !o->quiet) fprintf(stderr, "wadi-flac: warning: %s\n", line);
}

int main(int argc, char **argv) {
    flac_options options;
    wadi_error err = {0};
    int rc = EXIT_SUCCESS;
    if (flac_options_parse(argc, argv, &options, &err) != WADI_OK) {
        rc = complain(err.msg);
    } else if (options.help) {
        fputs(flac_usage, stdout);
    } else if (options.version) {
        puts("wadi-flac " WADI_VERSION);
    } else {
        wadi_log_set(warn, &options);
        rc = options.explain ? explain(&options) : encode(&options);
        wadi_log_set(NULL, NULL);
    }
    flac_options_fini(&options);
    return rc;
}
