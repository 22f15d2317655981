/* wadi why: a sentence for each run under way. */
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/processes.h"

/* One that ends meanwhile has nothing to say, and one that does not answer is told. Whether there was anything to say. */
static int ask(const wadi_watch_process *p) {
    wadi_text out = {0};
    wadi_error err = {0};
    const wadi_status st = wadi_watch_ask(p, "why", &out, &err);
    for (const char *at = wadi_text_str(&out); st == WADI_OK && *at != '\0';) {
        int n = 0;
        while (at[n] != '\0' && at[n] != '\n') n++;
        printf("%lld %s, %.*s\n", (long long)p->pid, p->name, n, at);
        at += n + (at[n] == '\n');
    }
    if (st != WADI_OK && st != WADI_CANCELLED)
        printf("%lld %s, %s\n", (long long)p->pid, p->name, err.msg);
    const bool said = out.n > 0 || (st != WADI_OK && st != WADI_CANCELLED);
    wadi_text_fini(&out);
    return said;
}

static int run(int argc, char **argv) {
    wadi_cli_processes found;
    wadi_error err = {0};
    int said = 0;
    if (argc > 2) return wadi_cli_misuse(&wadi_cli_why, "unexpected \"%s\"", argv[2]);
    if (wadi_cli_processes_find(argc > 1 ? argv[1] : NULL, &found, &err) != WADI_OK)
        return wadi_cli_fail(&err);
    for (int i = 0; i < found.n; i++) said += ask(&found.at[i]);
    if (said > 0) return WADI_CLI_OK;
    (void)wadi_fail(&err, WADI_INVALID, "no run is under way");
    return wadi_cli_fail(&err);
}

const wadi_cli_command wadi_cli_why = {
    "why", "[PROCESS]", "tells why a run goes no faster, or not at all",
    "Prints a sentence for each run of the process, or of all: who waits for whom and since when, "
    "or "
    "who sets the\n"
    "pace. PROCESS is a number, or the name of a program: wadi, wadi-flac, or what the file calls "
    "itself. Processes\n"
    "of the same user are seen, unless they were started with WADI_WATCH=off.\n",
    run};
