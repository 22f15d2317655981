/* wadi why: a sentence for each run under way. */
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/processes.h"

/* One that ends meanwhile has nothing to say, and a process that does not answer is told. *out_said: whether there was anything to say. Errors: those of a
 * job. */
static wadi_status ask(const wadi_cli_processes *of, const wadi_watch_process *p, bool *out_said,
                       wadi_error *err) {
    wadi_text out = {0}, who = {0};
    wadi_error why = {0};
    const wadi_status st = wadi_cli_processes_ask(of, p, "why", &out, &why);
    const bool silent = st != WADI_OK && st != WADI_CANCELLED;
    wadi_cli_processes_tell(of, p, &who);
    for (const char *at = wadi_text_str(&out); st == WADI_OK && *at != '\0';) {
        int n = 0;
        while (at[n] != '\0' && at[n] != '\n') n++;
        printf("%s, %.*s\n", wadi_text_str(&who), n, at);
        at += n + (at[n] == '\n');
    }
    if (silent && of->job == NULL) printf("%s, %s\n", wadi_text_str(&who), why.msg);
    *out_said = *out_said || silent || out.n > 0;
    wadi_text_fini(&out);
    wadi_text_fini(&who);
    if (st != WADI_OK && of->job != NULL) *err = why;
    return of->job != NULL ? st : WADI_OK;
}

static wadi_status ask_all(const char *name, bool *out_said, wadi_error *err) {
    wadi_cli_processes found;
    WADI_TRY(wadi_cli_processes_find(name, &found, err));
    for (int i = 0; i < found.n; i++) WADI_TRY(ask(&found, &found.at[i], out_said, err));
    return *out_said ? WADI_OK : wadi_fail(err, WADI_INVALID, "no run is under way");
}

static int run(int argc, char **argv) {
    wadi_error err = {0};
    bool said = false;
    if (argc > 2) return wadi_cli_misuse(&wadi_cli_why, "unexpected \"%s\"", argv[2]);
    return ask_all(argc > 1 ? argv[1] : NULL, &said, &err) == WADI_OK ? WADI_CLI_OK
                                                                      : wadi_cli_fail(&err);
}

const wadi_cli_command wadi_cli_why = {
    "why", "[PROCESS|nats://HOST/JOB]", "tells why a run goes no faster, or not at all",
    "Prints a sentence for each run of the process, or of all: who waits for whom and since when, "
    "or "
    "who sets the\n"
    "pace. PROCESS is a number, or the name of a program: wadi, wadi-flac, or what the file calls "
    "itself. Processes\n"
    "of the same user are seen, unless they were started with WADI_WATCH=off. Of a job on a NATS "
    "server its home is asked, "
    "wherever it is.\n",
    run};
