/* One watch for the process. */
#include "sched/watch/program.h"

#include <stdlib.h>
#include <string.h>

static wadi_watch *watch; /* of the main thread */

void wadi_watch_program(const char *name) {
    const char *wanted = getenv("WADI_WATCH");
    if (wanted != NULL && strcmp(wanted, "off") == 0) return;
    const wadi_status st = wadi_watch_begin(&(wadi_watch_options){.name = name}, &watch, NULL);
    if (st != WADI_OK) watch = NULL;
}

void wadi_watch_program_end(void) {
    wadi_watch_end(watch);
    watch = NULL;
}
