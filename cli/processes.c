/* Choosing among the processes that can be watched. */
#include "cli/processes.h"

#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/text.h"

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

wadi_status wadi_cli_processes_find(const char *name, wadi_cli_processes *out, wadi_error *err) {
    int all = 0;
    WADI_TRY(wadi_watch_processes(out->at, WADI_CLI_PROCESSES, &all, err));
    out->n = 0;
    for (int i = 0; i < all; i++)
        if (is_meant(&out->at[i], name)) out->at[out->n++] = out->at[i];
    if (out->n > 0) return WADI_OK;
    if (name == NULL)
        return wadi_fail(err, WADI_INVALID, "no process of wadi is there to be watched");
    return wadi_fail(err, WADI_INVALID, "no process \"%s\" is there to be watched", name);
}
