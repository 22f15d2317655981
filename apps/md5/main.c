/* wadi-md5: the program around md5_attack. Found words go to standard output, everything else to standard error. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/md5/attack.h"
#include "apps/md5/options.h"
#include "apps/md5/session.h"
#include "base/error.h"
#include "base/hash.h"

enum { ALL_FOUND = 0, SOME_NOT_FOUND = 1, ERROR = 2, INTERRUPTED = 130, DEFAULT_MEMORY = 64 << 20 };

static const double tick_s = 0.2, save_every_s = 5;

static int complain(const char *what) {
    fprintf(stderr, "wadi-md5: %s\n", what);
    return ERROR;
}

/* ---- found words ---- */

static bool is_plain(const uint8_t *word, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (word[i] < 0x20 || word[i] == 0x7f || word[i] == ':') return false;
    return n < 5 || memcmp(word, "$HEX[", 5) != 0;
}

static bool print_found(void *env, const uint8_t digest[MD5_DIGEST], const uint8_t *word,
                        size_t n) {
    char hex[2 * MD5_DIGEST + 1];
    WADI_UNUSED(env);
    wadi_hex(digest, MD5_DIGEST, hex);
    printf("%s:", hex);
    if (is_plain(word, n)) {
        (void)fwrite(word, 1, n, stdout);
    } else {
        fputs("$HEX[", stdout);
        for (size_t i = 0; i < n; i++) printf("%02x", word[i]);
        putchar(']');
    }
    putchar('\n');
    return fflush(stdout) == 0 && ferror(stdout) == 0;
}

/* ---- progress ---- */

static void show_progress(const md5_progress *p, size_t wanted, bool last) {
    const double rate = p->elapsed_s > 0 ? (double)p->words / p->elapsed_s : 0;
    fprintf(stderr, "\r%lld words, %.1f million/s, %zu of %zu found", (long long)p->words,
            rate * 1e-6, p->found, wanted);
    if (p->share >= 0 && !last) {
        fprintf(stderr, ", %.1f%%", 100 * p->share);
        if (p->share > 0.001 && p->elapsed_s > 1)
            fprintf(stderr, ", %.0f s left", p->elapsed_s * (1 - p->share) / p->share);
    }
    if (last) fprintf(stderr, ", %.2f s", p->elapsed_s);
    fputs(last ? "          \n" : "      ", stderr);
    if (last && p->too_long > 0)
        fprintf(stderr, "wadi-md5: warning: %lld words of more than %d MiB were passed over\n",
                (long long)p->too_long, MD5_LONGEST >> 20);
}

/* ---- signals: the first lets the words under way finish, the second has its usual effect ---- */

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    (void)sigaction(number, &usual, NULL);
    interrupted = 1;
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

/* ---- the attack ---- */

typedef struct work {
    const md5_options *options;
    md5_targets targets;
    md5_input *in;
    md5_reader reader;
    md5_attack *attack;
    md5_subject subject;
} work;

static wadi_status prepare(work *w, wadi_error *err) {
    const md5_options *o = w->options;
    const int n = (int)o->dictionaries.n;
    md5_place start = {0};
    for (size_t i = 0; i < o->hashes.n; i++)
        WADI_TRY(md5_targets_add(&w->targets, o->hashes.at[i], err));
    WADI_TRY(md5_targets_ready(&w->targets, err));
    WADI_TRY(md5_input_open(n, o->dictionaries.at, &w->in, err));
    WADI_TRY(md5_reader_init(&w->reader, w->in, o->keep_cr, err));
    w->subject = (md5_subject){n, o->dictionaries.at, w->in, &w->targets};
    if (o->restore != NULL) WADI_TRY(md5_session_load(o->restore, &w->subject, &start, err));
    WADI_TRY(md5_reader_go_to(&w->reader, start, err));
    const wadi_run_options run = {.threads = o->threads,
                                  .memory = o->memory > 0 ? o->memory : DEFAULT_MEMORY,
                                  .chunk = o->chunk,
                                  .policy = o->chunk > 0 ? "fixed" : NULL};
    return md5_attack_create(&w->reader, &w->targets, &run, print_found, NULL, &w->attack, err);
}

static wadi_status save_place(work *w, wadi_error *err) {
    md5_place place;
    if (w->options->restore == NULL || !md5_attack_place(w->attack, &place)) return WADI_OK;
    return md5_session_save(w->options->restore, &w->subject, place, err);
}

/* Waits for the end, and meanwhile tells how it goes and keeps the place. */
static wadi_status attend(work *w, wadi_error *err) {
    const bool show = !w->options->quiet && isatty(STDERR_FILENO);
    double saved_s = 0;
    while (!md5_attack_wait(w->attack, tick_s)) {
        md5_progress p;
        md5_attack_progress(w->attack, &p);
        if (interrupted) md5_attack_stop(w->attack);
        if (show) show_progress(&p, w->targets.n, false);
        if (p.elapsed_s - saved_s < save_every_s) continue;
        saved_s = p.elapsed_s;
        WADI_TRY(save_place(w, err));
    }
    return md5_attack_result(w->attack, err);
}

static wadi_status attack(work *w, wadi_error *err) {
    md5_progress p;
    if (w->targets.nfound == w->targets.n) return WADI_OK;
    WADI_TRY(md5_attack_start(w->attack, err));
    WADI_TRY(attend(w, err));
    md5_attack_progress(w->attack, &p);
    if (!w->options->quiet) show_progress(&p, w->targets.n, true);
    return interrupted ? save_place(w, err) : WADI_OK;
}

static int run(const md5_options *o) {
    work w = {.options = o};
    wadi_error err = {.status = WADI_OK};
    catch_signals();
    wadi_status status = prepare(&w, &err);
    if (status == WADI_OK) status = attack(&w, &err);
    const bool all = w.targets.nfound == w.targets.n;
    md5_attack_destroy(w.attack);
    md5_reader_fini(&w.reader);
    md5_input_close(w.in);
    md5_targets_fini(&w.targets);
    if (status != WADI_OK) return complain(err.msg);
    if (interrupted && !all) return INTERRUPTED;
    if (o->restore != NULL) (void)remove(o->restore); /* nothing is left to go on with */
    return all ? ALL_FOUND : SOME_NOT_FOUND;
}

int main(int argc, char **argv) {
    md5_options options;
    wadi_error err = {.status = WADI_OK};
    int rc = 0;
    if (md5_options_parse(argc, argv, &options, &err) != WADI_OK) {
        rc = complain(err.msg);
    } else if (options.help) {
        fputs(md5_usage, stdout);
    } else if (options.version) {
        puts("wadi-md5 " WADI_VERSION);
    } else {
        rc = run(&options);
    }
    md5_options_fini(&options);
    return rc;
}
