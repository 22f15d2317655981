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

static wadi_status ask_screen(const options *o, const wadi_watch_process *p, int width, int height,
                              bool utf8, wadi_text *out, wadi_error *err) {
    char request[128];
    (void)snprintf(request, sizeof request, "screen width=%d height=%d sort=%s utf8=%d", width,
                   height, wadi_watch_sorts[o->sort], utf8);
    return wadi_watch_ask(p, request, out, err);
}

/* ---- once ---- */

/* A process that ends meanwhile is left out. */
static void print_json(const wadi_cli_processes *found) {
    bool first = true;
    printf("[");
    for (int i = 0; i < found->n; i++) {
        wadi_text out = {0};
        if (wadi_watch_ask(&found->at[i], "json", &out, NULL) == WADI_OK) {
            printf("%s%s", first ? "" : ", ", wadi_text_str(&out));
            first = false;
        }
        wadi_text_fini(&out);
    }
    printf("]\n");
}

static void print_once(const options *o, const wadi_cli_processes *found) {
    for (int i = 0; i < found->n; i++) {
        const wadi_watch_process *p = &found->at[i];
        wadi_text out = {0};
        wadi_error err = {0};
        const wadi_status st = ask_screen(o, p, 160, 0, false, &out, &err);
        if (st != WADI_OK && st != WADI_CANCELLED)
            printf("%s%lld %s\n%s\n", i > 0 ? "\n" : "", (long long)p->pid, p->name, err.msg);
        if (st == WADI_OK)
            printf("%s%lld %s\n%s", i > 0 ? "\n" : "", (long long)p->pid, p->name,
                   out.n > 0 ? wadi_text_str(&out) : "no run is under way\n");
        wadi_text_fini(&out);
    }
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
    char line[200];
    (void)snprintf(line, sizeof line, "%lld %s, one of %d, sorted by %s", (long long)p->pid,
                   p->name, s->found.n, wadi_watch_sorts[s->o->sort]);
    wadi_text_addf(out, "%.*s\n", width, line);
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
    if (ask_screen(s->o, p, width, height > 3 ? height - 2 : 1, s->terminal.utf8, &lines, &err) !=
        WADI_OK)
        wadi_text_addf(&out, "%.*s\n", width, err.msg);
    wadi_text_add(&out, lines.n > 0 ? wadi_text_str(&lines) : "no run is under way\n");
    wadi_cli_terminal_show(wadi_text_str(&out));
    wadi_text_fini(&out);
    wadi_text_fini(&lines);
}

static void act(session *s, const wadi_watch_process *p, const char *verb, const char *done) {
    wadi_text out = {0};
    wadi_error err = {0};
    const wadi_status st = wadi_watch_ask(p, verb, &out, &err);
    (void)snprintf(s->message, sizeof s->message, "%.190s", st == WADI_OK ? done : err.msg);
    wadi_text_fini(&out);
}

/* False: to end. */
static bool take_key(session *s, const wadi_watch_process *p, int key) {
    if (key == 0) return true;
    s->message[0] = '\0';
    if (key == 's') s->o->sort = (s->o->sort + 1) % WADI_WATCH_SORTS;
    if (key == 'p') act(s, p, "pause", "paused");
    if (key == 'r') act(s, p, "resume", "goes on");
    if (key == 'd') act(s, p, "drain", "is being saved, and will end");
    if (key == 'n') (void)find_shown(s, 1);
    return key > 0 && key != 'q';
}

static int show(options *o, wadi_cli_processes *found) {
    session *s = calloc(1, sizeof *s);
    bool goes_on = true, gone = false;
    wadi_error err = {0};
    if (s == NULL || !wadi_cli_terminal_begin(&s->terminal)) {
        free(s);
        print_once(o, found);
        return WADI_CLI_OK;
    }
    s->o = o;
    while (goes_on) {
        const wadi_watch_process *p = find_shown(s, 0);
        gone = p == NULL;
        if (gone) break;
        draw(s, p);
        goes_on = take_key(s, p, wadi_cli_terminal_key((int)(o->every_s * 1000)));
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
        print_json(found);
    else if (o.once || !wadi_cli_terminal_is())
        print_once(&o, found);
    else
        rc = show(&o, found);
    free(found);
    return rc;
}

const wadi_cli_command wadi_cli_top = {
    "top", "[PROCESS] [OPTIONS]", "shows the runs of this user while they go on",
    "PROCESS is a number, or the name of a program: wadi, wadi-flac, or what the file calls "
    "itself. "
    "Processes that were\n"
    "started with WADI_WATCH=off are not seen.\n"
    "\n"
    "  --once             prints what all runs do now, and ends; also without a terminal\n"
    "  --json             the same as JSON, see docs/RUNTIME.md\n"
    "  --sort NAME        stages in the order of the plan, or by elements, bytes, fill or busy\n"
    "  --every SECONDS    how often the screen is drawn; default 1\n"
    "\n"
    "Keys: q ends it, s sorts by something else, p pauses the runs of the process, r lets them go "
    "on, d has them saved\n"
    "and ended (of runs with --state), n shows the next process.\n",
    run};
