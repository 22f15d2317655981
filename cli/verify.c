/* wadi verify: runs again what a certificate tells of, and compares. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/run.h"
#include "sched/certificate/certificate.h"
#include "sched/stream.h"

/* ---- a sink that keeps nothing: what comes is compared before it gets there ---- */

static void destroy(wadi_sink *self) {
    free(self);
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(c);
    WADI_UNUSED(err);
    return WADI_OK;
}

static wadi_status open_sink(void *env, const wadi_bind *b, wadi_sink **out, wadi_error *err) {
    static const wadi_sink_ops ops = {.destroy = destroy, .put = put};
    WADI_UNUSED(env);
    WADI_UNUSED(b);
    wadi_sink *s = calloc(1, sizeof *s);
    if (!s) return wadi_fail(err, WADI_MEMORY, "out of memory");
    *s = (wadi_sink){.ops = &ops, .kind = "none", .wake_fd = -1, .unwatched = true};
    *out = s;
    return WADI_OK;
}

/* ---- the command line of the run ---- */

typedef struct words {
    char **noted; /* owned, as the certificate has them; ended by NULL */
    char **argv;  /* the first is not used */
    int argc;
} words;

/* Whether one of the n words binds the same name as `word`, which is NAME=VALUE. */
static bool is_replaced(const char *word, int n, char *const *others) {
    const char *end = strchr(word, '=');
    if (!end || word[0] == '-') return false;
    const size_t length = (size_t)(end - word) + 1;
    for (int i = 0; i < n; i++)
        if (strncmp(others[i], word, length) == 0) return true;
    return false;
}

/* Those of the certificate, less what is replaced, then those that replace. */
static wadi_status collect(const wadi_certificate *c, int n, char **others, words *w,
                           wadi_error *err) {
    int noted = 0;
    WADI_TRY(wadi_certificate_notes(c, &w->noted, &noted, err));
    if (noted == 0)
        return wadi_fail(err, WADI_INVALID,
                         "%s: the certificate does not tell how the run was started: it is not of "
                         "wadi run",
                         c->path);
    w->argv = calloc((size_t)noted + (size_t)n + 2, sizeof *w->argv);
    if (!w->argv) return wadi_fail(err, WADI_MEMORY, "out of memory");
    w->argv[w->argc++] = w->noted[0];
    for (int i = 0; i < noted; i++)
        if (!is_replaced(w->noted[i], n, others)) w->argv[w->argc++] = w->noted[i];
    for (int i = 0; i < n; i++) w->argv[w->argc++] = others[i];
    return WADI_OK;
}

static void words_fini(words *w) {
    wadi_certificate_notes_free(w->noted);
    free(w->argv);
}

/* What does not decide what the run comes to, and what it wrote, is left out. */
static void leave_out(wadi_cli_run_options *o) {
    wadi_run_options *r = &o->shared.run;
    r->state = r->dead = r->trace = r->certificate = NULL;
    r->via = NULL; /* the results are those of workers, wherever they are computed */
    r->workers = 0;
    r->save_every_s = 0;
    r->accept_change = r->hold_state = r->profile = false;
    r->guarantee = WADI_GUARANTEE_NONE;
    o->stats = o->sync = o->tells = false;
}

static wadi_status verify(const char *path, int n, char **others, wadi_error *err) {
    wadi_certificate c = {0};
    words w = {0};
    wadi_cli_run_options o = {.silent = true, .sink = open_sink};
    WADI_TRY(wadi_certificate_read(path, &c, err));
    wadi_status st = collect(&c, n, others, &w, err);
    if (st == WADI_OK) st = wadi_cli_run_read(w.argc, w.argv, &o, err);
    leave_out(&o);
    o.shared.run.verify = path;
    if (st == WADI_OK) st = wadi_cli_run_it(&o, err);
    words_fini(&w);
    wadi_certificate_fini(&c);
    return st;
}

static int run(int argc, char **argv) {
    wadi_error err = {0};
    if (argc < 2) return wadi_cli_misuse(&wadi_cli_verify, "no certificate");
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' || (i > 1 && !strchr(argv[i], '=')))
            return wadi_cli_misuse(&wadi_cli_verify, "unexpected \"%s\"", argv[i]);
    if (verify(argv[1], argc - 2, argv + 2, &err) != WADI_OK) return wadi_cli_fail(&err);
    printf("%s: the same program comes to the same again\n", argv[1]);
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_verify = {
    "verify", "CERTIFICATE [NAME=VALUE ...]",
    "runs again what a certificate tells of, and compares",
    "CERTIFICATE is what `wadi run --certificate` has written. The program runs once more, as it "
    "was "
    "started then, and in\n"
    "the folder of now; it writes nothing. What it reads, delivers and results in is compared, "
    "block by "
    "block. The first\n"
    "block that is another is told, and the exit status is 1. The version of wadi, the device, "
    "chunks, "
    "threads and\n"
    "schedules may be others than then.\n"
    "  NAME=VALUE         the input or stream NAME is here now, in place of where it was\n",
    run};
