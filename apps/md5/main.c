/* wadi-md5: the program around md5_attack. Found words go to standard output or a file, everything else to standard error. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apps/md5/attack.h"
#include "apps/md5/options.h"
#include "apps/md5/results.h"
#include "apps/md5/session.h"
#include "apps/md5/unpack.h"
#include "base/error.h"
#include "base/format.h"
#include "base/process.h"
#include "base/say.h"
#include "sched/run/profile_all.h"
#include "sched/watch/answer.h"
#include "sched/watch/program.h"

enum { ALL_FOUND = 0, SOME_NOT_FOUND = 1, ERROR = 2, DEFAULT_MEMORY = 64 << 20 };

static const double tick_s = 0.1, look_s = 0.02,
                    grace_s = 0.05; /* how long words in flight may take after a signal */

static int complain(const char *what) {
    wadi_say(WADI_SAY_ERROR, "%s", what);
    return ERROR;
}

/* Warns of lines that are no digests, also with --quiet. */
static void tell_bad_lines(const md5_bad_lines *bad) {
    const char *many = bad->n == 1 ? "line is no digest and was skipped"
                                   : "lines are no digests and were skipped; the first";
    const char *told = wadi_text_str(&bad->told);
    if (bad->n == 0) return;
    if (!wadi_say_json()) {
        fprintf(stderr, "wadi-md5: warning: %lld %s:\n%s", (long long)bad->n, many, told);
        return;
    }
    wadi_say(WADI_SAY_WARNING, "%lld %s", (long long)bad->n, many);
    for (size_t n; *told != '\0'; told += n + (told[n] == '\n')) {
        n = strcspn(told, "\n");
        wadi_say(WADI_SAY_WARNING, "%.*s", (int)n, told);
    }
}

static int tell_version(void) {
    wadi_text formats = {0};
    md5_unpack_formats(&formats);
    printf("wadi-md5 " WADI_VERSION "\n  unpacks       %s\n", wadi_text_str(&formats));
    wadi_text_fini(&formats);
    return 0;
}

/* ---- progress ---- */

static const char *so_far(const md5_progress *p, size_t wanted, char *out, size_t room) {
    const double rate = p->elapsed_s > 0 ? (double)p->words / p->elapsed_s : 0;
    (void)wadi_format(out, room, "%lld words, %.1f million/s, %zu of %zu found",
                      (long long)p->words, rate * 1e-6, p->found, wanted);
    return out;
}

static void show_progress(const md5_progress *p, size_t wanted) {
    char text[128];
    fprintf(stderr, "\r%s", so_far(p, wanted, text, sizeof text));
    if (p->share >= 0) fprintf(stderr, ", %.1f%%", 100 * p->share);
    if (p->share > 0.001 && p->elapsed_s > 1)
        fprintf(stderr, ", %.0f s left", p->elapsed_s * (1 - p->share) / p->share);
    fputs("      ", stderr);
}

/* The last line; on a terminal it stands where the progress stood. */
static void show_end(const md5_progress *p, const md5_options *o, size_t wanted) {
    const bool terminal = isatty(STDERR_FILENO);
    char text[128];
    (void)so_far(p, wanted, text, sizeof text);
    if (wadi_say_json())
        wadi_say(WADI_SAY_INFO, "%s, %.2f s", text, p->elapsed_s);
    else
        fprintf(stderr, "%s%s, %.2f s%s\n", terminal ? "\r" : "", text, p->elapsed_s,
                terminal ? "          " : "");
    if (p->too_long > 0)
        wadi_say(WADI_SAY_WARNING, "%lld word%s of more than %d MiB %s skipped",
                 (long long)p->too_long, p->too_long == 1 ? "" : "s", MD5_LONGEST >> 20,
                 p->too_long == 1 ? "was" : "were");
    if (p->joined >= 0)
        wadi_say(
            WADI_SAY_WARNING,
            "%s: has carriage returns but no newlines, so it is one word; tr '\\r' '\\n' makes "
            "lines of it",
            o->dictionaries.at[p->joined]);
}

/* ---- the attack ---- */

typedef struct work {
    const md5_options *options;
    md5_targets targets;
    md5_input *in;
    md5_reader reader;
    md5_attack *attack;
    md5_log output;       /* only the attack uses it while it runs */
    _Atomic int64_t told; /* how many bytes the output holds; may be read meanwhile */
    md5_subject subject;
    wadi_via_keys keys;   /* the attack borrows them */
    md5_session *session; /* NULL: none */
    md5_place place;      /* the last place that was saved */
} work;

static wadi_status tell_found(void *env, const uint8_t digest[MD5_DIGEST], const uint8_t *word,
                              size_t n, wadi_error *err) {
    work *w = env;
    WADI_TRY(md5_results_add(&w->output, digest, word, n, err));
    if (w->options->sync) WADI_TRY(md5_log_sync(&w->output, err));
    atomic_store(&w->told, w->output.length);
    if (w->session != NULL) md5_session_found(w->session, digest);
    return WADI_OK;
}

/* Opens what the attack reads. */
static wadi_status prepare_input(work *w, wadi_error *err) {
    const md5_options *o = w->options;
    for (size_t i = 0; i < o->hashes.n; i++)
        WADI_TRY(md5_targets_add(&w->targets, o->hashes.at[i], err));
    tell_bad_lines(&w->targets.bad);
    WADI_TRY(md5_targets_ready(&w->targets, err));
    WADI_TRY(md5_input_open((int)o->dictionaries.n, o->dictionaries.at, o->no_unpack, &w->in, err));
    return md5_reader_init(&w->reader, w->in, o->keep_cr, err);
}

/* Opens what the attack writes, and finds the place where it begins. */
static wadi_status prepare_output(work *w, md5_resume *out, wadi_error *err) {
    const md5_options *o = w->options;
    *out = (md5_resume){.output = -1};
    WADI_TRY(md5_log_open(o->output != NULL ? o->output : "-", 0666, &w->output, err));
    w->subject = (md5_subject){.n = (int)o->dictionaries.n,
                               .paths = o->dictionaries.at,
                               .in = w->in,
                               .targets = &w->targets,
                               .as_is = o->no_unpack,
                               .keep_cr = o->keep_cr,
                               .output = w->output.stream ? NULL : w->output.path};
    if (o->state != NULL)
        WADI_TRY(md5_session_open(o->state, o->accept_change, &w->subject, &w->session, out, err));
    WADI_TRY(md5_results_read(&w->output, out->output, &w->targets, err));
    atomic_store(&w->told, w->output.length);
    return WADI_OK;
}

static wadi_status save_place(work *w, wadi_error *err) {
    const md5_resume at = {w->place, atomic_load(&w->told)};
    WADI_TRY(md5_log_sync(&w->output, err));
    return md5_session_save(w->session, at, err);
}

static wadi_status prepare(work *w, wadi_error *err) {
    const md5_options *o = w->options;
    md5_resume at;
    WADI_TRY(prepare_input(w, err));
    WADI_TRY(prepare_output(w, &at, err));
    WADI_TRY(md5_reader_go_to(&w->reader, at.place, err));
    w->place = at.place;
    if (w->session != NULL) WADI_TRY(save_place(w, err));
    wadi_run_options run = {.threads = o->threads,
                            .memory = o->memory > 0 ? o->memory : DEFAULT_MEMORY,
                            .chunk = o->chunk,
                            .policy = o->chunk > 0 ? "fixed" : NULL};
    WADI_TRY(wadi_via_fill(&o->via, &w->keys, &run, err));
    return md5_attack_create(&w->reader, &w->targets, &run, tell_found, w, &w->attack, err);
}

/* Saves the place. The words found before it are forced onto the disk first. Words may have been found without a newer place. */
static wadi_status save_progress(work *w, wadi_error *err) {
    if (w->session == NULL) return WADI_OK;
    const bool further = md5_attack_place(w->attack, &w->place);
    return further || md5_session_has_news(w->session) ? save_place(w, err) : WADI_OK;
}

/* Waits for the end. False: the time is over, or a signal has come. */
static bool has_ended(md5_attack *a) {
    for (double waited = 0; waited < tick_s && wadi_process_signal() == 0; waited += look_s)
        if (md5_attack_wait(a, look_s)) return true;
    return md5_attack_wait(a, 0);
}

/* Waits for the end. Meanwhile shows the progress and saves the place. */
static wadi_status attend(work *w, wadi_error *err) {
    const bool show = !w->options->quiet && !wadi_say_json() && isatty(STDERR_FILENO);
    double saved_s = 0;
    while (!has_ended(w->attack)) {
        md5_progress p;
        md5_attack_progress(w->attack, &p);
        if (wadi_process_signal() != 0 && !md5_attack_wait(w->attack, grace_s))
            md5_attack_cancel(w->attack);
        if (show) show_progress(&p, w->targets.n);
        if (p.elapsed_s - saved_s < w->options->every_s) continue;
        saved_s = p.elapsed_s;
        WADI_TRY(save_progress(w, err));
    }
    return md5_attack_result(w->attack, err);
}

static atomic_bool
    drains; /* a signal has come: no more words are read, and those in flight are tried */

static void drain(void *attack) {
    atomic_store(&drains, true);
    md5_attack_drain(attack);
}

static wadi_status attack(work *w, wadi_error *err) {
    md5_progress p;
    if (w->targets.nfound == w->targets.n) return WADI_OK;
    if (w->session != NULL) wadi_process_drain_by(drain, w->attack);
    wadi_status status = md5_attack_start(w->attack, err);
    if (status == WADI_OK) status = attend(w, err);
    wadi_process_drain_by(NULL, NULL);
    if (status == WADI_CANCELLED)
        (void)save_progress(w, NULL); /* so that reported words are not reported again */
    if (status != WADI_OK) return status;
    md5_attack_progress(w->attack, &p);
    if (!w->options->quiet) show_end(&p, w->options, w->targets.n);
    WADI_TRY(save_progress(w, err));
    return md5_log_sync(&w->output, err);
}

static int run(const md5_options *o) {
    work w = {.options = o};
    wadi_error err = {.status = WADI_OK};
    wadi_process_warn(!o->quiet);
    wadi_status status = prepare(&w, &err);
    if (status == WADI_OK) status = attack(&w, &err);
    md5_attack_destroy(w.attack);
    wadi_via_keys_fini(&w.keys);
    const bool all = w.targets.nfound == w.targets.n,
               over = status == WADI_OK && (all || wadi_process_signal() == 0),
               drained = over && !all && atomic_load(&drains);
    wadi_watch_program_end(); /* the session goes last */
    md5_session_close(w.session, over && !drained);
    md5_log_close(&w.output);
    md5_reader_fini(&w.reader);
    md5_input_close(w.in);
    md5_targets_fini(&w.targets);
    if (!over && wadi_process_signal() != 0)
        return ERROR; /* ended by a signal: no message is needed */
    if (status != WADI_OK) return wadi_process_output_gone() ? ERROR : complain(err.msg);
    if (drained)
        wadi_say(WADI_SAY_INFO, "the search is saved in %s: the same command goes on with it",
                 o->state);
    return all || drained ? ALL_FOUND : SOME_NOT_FOUND;
}

int main(int argc, char **argv) {
    md5_options options;
    wadi_error err = {.status = WADI_OK};
    int rc = 0;
    wadi_process_begin("wadi-md5");
    wadi_watch_drain_by(wadi_process_drain);
    if (md5_options_parse(argc, argv, &options, &err) != WADI_OK) {
        rc = complain(err.msg);
    } else if (options.help) {
        fputs(md5_usage, stdout);
    } else if (options.version) {
        rc = tell_version();
    } else if (wadi_watch_program("wadi-md5", &options.watch, &err) != WADI_OK) {
        rc = complain(err.msg);
    } else {
        rc = run(&options);
        wadi_watch_program_end();
        wadi_profile_tell(stderr);
    }
    md5_options_fini(&options);
    if (rc != ERROR && !wadi_process_printed()) rc = ERROR;
    /* A signal that comes when all is done is ignored: the session is removed, so a new run would begin from the start. */
    if (rc == ERROR) wadi_process_end(true);
    wadi_process_quit();
    return rc;
}
