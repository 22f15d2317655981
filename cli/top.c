/* wadi top: shows the runs of a process, again every second. The process draws the lines itself (sched/watch/answer.h). */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/processes.h"
#include "cli/terminal.h"
#include "sched/watch/screen.h"

typedef struct options {
    const char *process;
    bool once, json;
    int sort;
    double every_s;
} options;

static wadi_status take_sort(void *env, const char *value, wadi_error *err) {
    options *o = env;
    o->sort = wadi_watch_find_sort(value);
    if (o->sort >= 0) return WADI_OK;
    return wadi_args_bad("--sort", value, "plan, elements, bytes, fill or busy", err);
}

static wadi_status take_every(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (wadi_args_seconds(value, &o->every_s) && o->every_s >= 0.1 && o->every_s <= 3600)
        return WADI_OK;
    return wadi_args_bad("--every", value, "seconds from 0.1 to 3600", err);
}

static wadi_status take_process(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (o->process != NULL) return wadi_fail(err, WADI_INVALID, "unexpected \"%s\"", value);
    o->process = value;
    return WADI_OK;
}

static const wadi_args_option table[] = {
    {.name = "--once", .field = offsetof(options, once)},
    {.name = "--json", .field = offsetof(options, json)},
    {.name = "--sort", .take = take_sort},
    {.name = "--every", .take = take_every},
};

static wadi_status ask_screen(const options *o, const wadi_cli_processes *of,
                              const wadi_watch_process *p, int width, int height, bool utf8,
                              wadi_text *out, wadi_error *err) {
    char request[128];
    (void)snprintf(request, sizeof request, "screen width=%d height=%d sort=%s utf8=%d", width,
                   height, wadi_watch_sorts[o->sort], utf8);
    return wadi_cli_processes_ask(of, p, request, out, err);
}

/* ---- once ---- */

/* A process that ends meanwhile is left out. Errors: those of a job. */
static wadi_status print_json(const wadi_cli_processes *found, wadi_error *err) {
    bool first = true;
    wadi_status st = WADI_OK;
    wadi_text all = {0};
    for (int i = 0; i < found->n; i++) {
        wadi_text out = {0};
        st = wadi_cli_processes_ask(found, &found->at[i], "json", &out, err);
        if (st == WADI_OK) wadi_text_addf(&all, "%s%s", first ? "" : ", ", wadi_text_str(&out));
        first = first && st != WADI_OK;
        wadi_text_fini(&out);
    }
    if (found->job == NULL) st = WADI_OK;
    if (st == WADI_OK && all.failed) st = wadi_fail(err, WADI_MEMORY, "out of memory");
    if (st == WADI_OK) printf("[%s]\n", wadi_text_str(&all));
    wadi_text_fini(&all);
    return st;
}

/* Errors: those of a job; a process that does not answer is told. */
static wadi_status print_once(const options *o, const wadi_cli_processes *found, wadi_error *err) {
    for (int i = 0; i < found->n; i++) {
        const wadi_watch_process *p = &found->at[i];
        wadi_text out = {0}, who = {0};
        wadi_error why = {0};
        const wadi_status st = ask_screen(o, found, p, 160, 0, false, &out, &why);
        const char *lines = out.n > 0 ? wadi_text_str(&out) : "no run is under way\n";
        wadi_cli_processes_tell(found, p, &who);
        if (st == WADI_OK)
            printf("%s%s\n%s", i > 0 ? "\n" : "", wadi_text_str(&who), lines);
        else if (st != WADI_CANCELLED && found->job == NULL)
            printf("%s%s\n%s\n", i > 0 ? "\n" : "", wadi_text_str(&who), why.msg);
        wadi_text_fini(&out);
        wadi_text_fini(&who);
        if (st == WADI_OK || found->job == NULL) continue;
        *err = why;
        return st;
    }
    return WADI_OK;
}

/* ---- again and again ---- */

typedef struct session {
    options *o;
    wadi_cli_terminal terminal;
    wadi_cli_processes found;
    int64_t pid;       /* of the process that is shown */
    char message[200]; /* about the last key */
} session;

/* The process that is shown, or the first one. NULL: there is none any more. */
static const wadi_watch_process *find_shown(session *s, int further) {
    int at = 0;
    if (wadi_cli_processes_find(s->o->process, &s->found, NULL) != WADI_OK) return NULL;
    for (int i = 0; i < s->found.n; i++)
        if (s->found.at[i].pid == s->pid) at = i;
    const wadi_watch_process *p = &s->found.at[(at + further) % s->found.n];
    s->pid = p->pid;
    return p;
}

static void add_heading(const session *s, const wadi_watch_process *p, int width, wadi_text *out) {
    wadi_text line = {0};
    wadi_cli_processes_tell(&s->found, p, &line);
    if (s->found.job == NULL) wadi_text_addf(&line, ", one of %d", s->found.n);
    wadi_text_addf(&line, ", sorted by %s", wadi_watch_sorts[s->o->sort]);
    wadi_text_addf(out, "%.*s\n", width, wadi_text_str(&line));
    wadi_text_fini(&line);
}

static void draw(session *s, const wadi_watch_process *p) {
    int width = 0, height = 0;
    wadi_text out = {0}, lines = {0};
    wadi_cli_terminal_size(&width, &height);
    wadi_error err = {0};
    wadi_text_addf(&out, "%.*s\n", width,
                   "q quit   s sort   p pause   r resume   d drain   n next process");
    if (s->message[0] != '\0')
        wadi_text_addf(&out, "%.*s\n", width, s->message);
    else
        add_heading(s, p, width, &out);
    const wadi_status st = ask_screen(s->o, &s->found, p, width, height > 3 ? height - 2 : 1,
                                      s->terminal.utf8, &lines, &err);
    if (st != WADI_OK) wadi_text_addf(&out, "%.*s\n", width, err.msg);
    if (st == WADI_OK || s->found.job == NULL)
        wadi_text_add(&out, lines.n > 0 ? wadi_text_str(&lines) : "no run is under way\n");
    wadi_cli_terminal_show(&s->terminal, wadi_text_str(&out));
    wadi_text_fini(&out);
    wadi_text_fini(&lines);
}

static void act(session *s, const wadi_watch_process *p, const char *verb, const char *done) {
    wadi_text out = {0};
    wadi_error err = {0};
    const wadi_status st = wadi_cli_processes_ask(&s->found, p, verb, &out, &err);
    (void)snprintf(s->message, sizeof s->message, "%.190s", st == WADI_OK ? done : err.msg);
    wadi_text_fini(&out);
}

/* False: to end. */
static bool take_key(session *s, const wadi_watch_process *p, int key) {
    if (key == 0) return true;
    s->message[0] = '\0';
    if (key == 's') s->o->sort = (s->o->sort + 1) % WADI_WATCH_SORTS;
    const bool job = s->found.job != NULL;
    if (key == 'p') act(s, p, "pause", job ? "no more items go to workers" : "paused");
    if (key == 'r') act(s, p, "resume", "goes on");
    if (key == 'd') act(s, p, "drain", job ? "ends as by SIGTERM" : "is being saved, and will end");
    if (key == 'n') (void)find_shown(s, 1);
    return key > 0 && key != 'q';
}

static int end(wadi_status st, const wadi_error *err) {
    return st == WADI_OK ? WADI_CLI_OK : wadi_cli_fail(err);
}

static int show(options *o, wadi_cli_processes *found) {
    session *s = calloc(1, sizeof *s);
    bool goes_on = true, gone = false;
    wadi_error err = {0};
    if (s == NULL || !wadi_cli_terminal_begin(&s->terminal)) {
        free(s);
        return end(print_once(o, found, &err), &err);
    }
    s->o = o;
    while (goes_on) {
        const wadi_watch_process *p = find_shown(s, 0);
        gone = p == NULL;
        if (gone) break;
        draw(s, p);
        goes_on = take_key(s, p, wadi_cli_terminal_key(&s->terminal, (int)(o->every_s * 1000)));
    }
    wadi_cli_terminal_end(&s->terminal);
    free(s);
    if (!gone) return WADI_CLI_OK;
    (void)wadi_fail(&err, WADI_INVALID, "what was watched has ended");
    return wadi_cli_fail(&err);
}

static int run(int argc, char **argv) {
    options o = {.every_s = 1};
    const wadi_args args = {table, sizeof table / sizeof *table, take_process, NULL};
    wadi_cli_processes *found = calloc(1, sizeof *found);
    wadi_error err = {0};
    int rc = WADI_CLI_OK;
    if (found == NULL) return wadi_fail(&err, WADI_MEMORY, "out of memory"), wadi_cli_fail(&err);
    if (wadi_args_parse(&args, argc, argv, &o, &err) != WADI_OK)
        rc = wadi_cli_misuse(&wadi_cli_top, "%s", err.msg);
    else if (wadi_cli_processes_find(o.process, found, &err) != WADI_OK)
        rc = wadi_cli_fail(&err);
    else if (o.json)
        rc = end(print_json(found, &err), &err);
    else if (o.once || !wadi_cli_terminal_is())
        rc = end(print_once(&o, found, &err), &err);
    else
        rc = show(&o, found);
    free(found);
    return rc;
}

const wadi_cli_command wadi_cli_top = {
    "top", "[PROCESS|nats://HOST/JOB] [OPTIONS]", "shows the runs of this user while they go on",
    "PROCESS is a number, or the name of a program: wadi, wadi-flac, or what the file calls "
    "itself. "
    "Processes that were\n"
    "started with WADI_WATCH=off are not seen. Of a job on a NATS server its home is asked, "
    "wherever "
    "it is.\n"
    "\n"
    "  --once             prints what all runs do now, and ends; also without a terminal\n"
    "  --json             the same as JSON, see docs/RUNTIME.md\n"
    "  --sort NAME        stages in the order of the plan, or by elements, bytes, fill or busy\n"
    "  --every SECONDS    how often the screen is drawn; default 1\n"
    "\n"
    "Keys: q ends it, s sorts by something else, p pauses the runs of the process, r lets them go "
    "on, d has them saved\n"
    "and ended (of runs with --state), n shows the next process. Of a job, p, r and d do what wadi "
    "job "
    "pause, resume and\n"
    "drain do.\n",
    run};
