/* wadi job: what is on a NATS server, and requests to the homes of jobs. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/loadable.h"
#include "base/say.h"
#include "base/text.h"
#include "cli/command.h"
#include "sched/work/jet.h"
#include "sched/work/jet_address.h"

typedef struct options {
    const char *word[3]; /* what to do, the address, a number */
    int words;
    bool force;
} options;

typedef struct action {
    const char *name;
    int words; /* with its name and the address */
    wadi_status (*act)(const wadi_jet_jobs_offer *jobs, const options *o, wadi_text *out,
                       wadi_error *err);
} action;

static wadi_status list(const wadi_jet_jobs_offer *jobs, const options *o, wadi_text *out,
                        wadi_error *err) {
    return jobs->list(o->word[1], out, err);
}

static wadi_status ask(const wadi_jet_jobs_offer *jobs, const options *o, wadi_text *out,
                       wadi_error *err) {
    return jobs->ask(o->word[1], o->word[0], o->words > 2 ? o->word[2] : "", out, err);
}

static wadi_status dead(const wadi_jet_jobs_offer *jobs, const options *o, wadi_text *out,
                        wadi_error *err) {
    return jobs->dead(o->word[1], out, err);
}

static wadi_status remove_job(const wadi_jet_jobs_offer *jobs, const options *o, wadi_text *out,
                              wadi_error *err) {
    WADI_UNUSED(out);
    return jobs->remove(o->word[1], o->force, err);
}

static const action actions[] = {{"ls", 2, list},    {"status", 2, ask},   {"pause", 2, ask},
                                 {"resume", 2, ask}, {"drain", 2, ask},    {"resize", 3, ask},
                                 {"dead", 2, dead},  {"rm", 2, remove_job}};

static wadi_status take_word(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (o->words == 3) return wadi_fail(err, WADI_INVALID, "unexpected \"%s\"", value);
    o->word[o->words++] = value;
    return WADI_OK;
}

static const wadi_args_option table[] = {{.name = "--force", .field = offsetof(options, force)}};

static const action *find_action(const options *o) {
    for (size_t i = 0; o->words > 0 && i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, o->word[0]) == 0) return &actions[i];
    return NULL;
}

static int run(int argc, char **argv) {
    options o = {0};
    wadi_error err = {0};
    wadi_text out = {0};
    const void *jobs = NULL;
    const wadi_args args = {table, sizeof table / sizeof *table, take_word, NULL};
    if (wadi_args_parse(&args, argc, argv, &o, &err) != WADI_OK)
        return wadi_cli_misuse(&wadi_cli_job, "%s", err.msg);
    const action *a = find_action(&o);
    if (a == NULL)
        return wadi_cli_misuse(&wadi_cli_job, "%s",
                               o.words > 0
                                   ? "expected ls, status, pause, resume, drain, resize, dead or rm"
                                   : "nothing is asked for");
    if (o.words != a->words)
        return wadi_cli_misuse(&wadi_cli_job, "%s: expected an address%s", a->name,
                               a->words > 2 ? " and a number" : "");
    wadi_status st = wadi_loadable_get("nats", "jobs", &jobs, &err);
    if (st == WADI_OK) st = a->act(jobs, &o, &out, &err);
    if (st == WADI_OK && out.failed) st = wadi_fail(&err, WADI_MEMORY, "out of memory");
    if (st == WADI_OK) wadi_say_shown(stdout, wadi_text_str(&out)); /* by whoever may publish */
    wadi_text_fini(&out);
    return st == WADI_OK ? WADI_CLI_OK : wadi_cli_fail(&err);
}

const wadi_cli_command wadi_cli_job = {
    "job", "ls|status|pause|resume|drain|resize|dead|rm ADDRESS [NUMBER]",
    "shows and controls jobs on a NATS server",
    "ADDRESS is that of `wadi run --via`: " WADI_JET_FORM ".\n"
    "\n"
    "  ls ADDRESS             the jobs of a server; the address needs no JOB\n"
    "  status ADDRESS         numbers of a job, in JSON\n"
    "  pause ADDRESS          no more items go to workers\n"
    "  resume ADDRESS         they do again\n"
    "  drain ADDRESS          ends the run as a SIGTERM to its home does\n"
    "  resize ADDRESS N       at most N items are in flight\n"
    "  dead ADDRESS           items that no worker could take to an end, in JSON, one in a line\n"
    "  rm ADDRESS             removes what a killed home has left; --force: also while there is a "
    "home\n"
    "\n"
    "Settings behind the question mark: " WADI_JET_SETTINGS " (docs/DAYS.md).\n",
    run};
