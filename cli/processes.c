/* Choosing among the processes that can be watched. */
#include "cli/processes.h"

#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/loadable.h"
#include "base/text.h"
#include "sched/work/jet.h"
#include "sched/work/ways.h"

/* Whether one of the runs in the answer to "list" is of the program: "1 NAME  running ..". */
static bool lists(const char *list, const char *name) {
    for (const char *at = list; *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        const char *space = memchr(at, ' ', n);
        if (space != NULL && strncmp(space + 1, name, strlen(name)) == 0 &&
            strncmp(space + 1 + strlen(name), "  ", 2) == 0)
            return true;
        at += n + (at[n] == '\n');
    }
    return false;
}

static bool has_program(const wadi_watch_process *p, const char *name) {
    wadi_text list = {0};
    const bool has =
        wadi_watch_ask(p, "list", &list, NULL) == WADI_OK && lists(wadi_text_str(&list), name);
    wadi_text_fini(&list);
    return has;
}

static bool is_meant(const wadi_watch_process *p, const char *name) {
    int64_t pid = 0;
    if (name == NULL) return true;
    if (wadi_args_number(name, 1, INT64_MAX, &pid)) return pid == p->pid;
    return strcmp(p->name, name) == 0 || has_program(p, name);
}

/* ---- jobs ---- */

static wadi_status find_job(const char *address, wadi_cli_processes *out, wadi_error *err) {
    const void *jobs = NULL;
    if (strncmp(address, "nats://", 7) != 0)
        return wadi_fail(err, WADI_INVALID,
                         "%.200s: only jobs on a NATS server (nats://HOST/JOB) are watched by "
                         "their address; others where their home is",
                         address);
    WADI_TRY(wadi_loadable_get("nats", "jobs", &jobs, err));
    out->job = address;
    out->n = 1;
    out->at[0] = (wadi_watch_process){.pid = 0};
    return WADI_OK;
}

/* What is done to a run, a job has requests of its own for. */
static wadi_status ask_job(const char *address, const char *request, wadi_text *out,
                           wadi_error *err) {
    static const char *const own[] = {"pause", "resume", "drain"};
    const void *jobs = NULL;
    WADI_TRY(wadi_loadable_get("nats", "jobs", &jobs, err));
    const wadi_jet_jobs_offer *j = jobs;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(request, own[i]) == 0) return j->ask(address, request, "", out, err);
    return j->ask(address, "status", request, out, err);
}

/* ---- both ---- */

wadi_status wadi_cli_processes_find(const char *name, wadi_cli_processes *out, wadi_error *err) {
    int all = 0;
    out->job = NULL;
    if (name != NULL && strstr(name, "://") != NULL) return find_job(name, out, err);
    WADI_TRY(wadi_watch_processes(out->at, WADI_CLI_PROCESSES, &all, err));
    out->n = 0;
    for (int i = 0; i < all; i++)
        if (is_meant(&out->at[i], name)) out->at[out->n++] = out->at[i];
    if (out->n > 0) return WADI_OK;
    if (name == NULL)
        return wadi_fail(err, WADI_INVALID, "no process of wadi is there to be watched");
    return wadi_fail(err, WADI_INVALID, "no process \"%s\" is there to be watched", name);
}

/* Whoever may publish on the server may have answered. JSON has such characters only inside of strings, where they are written otherwise: what has them is none. */
static wadi_status make_harmless(wadi_text *out, wadi_error *err) {
    wadi_text shown = {0};
    wadi_text_add_shown(&shown, wadi_text_str(out), out->n);
    const bool failed = shown.failed || out->failed;
    wadi_text_fini(out);
    *out = shown;
    return failed ? wadi_fail(err, WADI_MEMORY, "out of memory") : WADI_OK;
}

wadi_status wadi_cli_processes_ask(const wadi_cli_processes *of, const wadi_watch_process *p,
                                   const char *request, wadi_text *out, wadi_error *err) {
    WADI_TRY(of->job != NULL ? ask_job(of->job, request, out, err)
                             : wadi_watch_ask(p, request, out, err));
    return make_harmless(out, err);
}

void wadi_cli_processes_tell(const wadi_cli_processes *of, const wadi_watch_process *p,
                             wadi_text *out) {
    if (of->job != NULL)
        wadi_text_add_n(out, of->job, strcspn(of->job, "?"));
    else
        wadi_text_addf(out, "%lld %s", (long long)p->pid, p->name);
}
