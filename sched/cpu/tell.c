/* What people are told of this machine's processors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/pages.h"
#include "base/thread.h"
#include "sched/cpu/cpu.h"

/* The processor's name, if the system says it. */
static void name_processor(char *out, size_t room) {
    char *text = NULL;
    size_t n = 0;
    if (wadi_file_read("/proc/cpuinfo", &text, &n, NULL) != WADI_OK) return;
    const char *line = strstr(text, "model name");
    const char *colon = line != NULL ? strchr(line, ':') : NULL;
    if (colon != NULL) {
        colon += strspn(colon, ": \t");
        snprintf(out, room, "%.*s", (int)strcspn(colon, "\n"), colon);
    }
    free(text);
}

wadi_status wadi_cpu_tell(int number, wadi_device_facts *out, wadi_error *err) {
    WADI_UNUSED(number);
    WADI_UNUSED(err);
    const int processors = wadi_thread_processors();
    name_processor(out->name, sizeof out->name);
    snprintf(out->versions, sizeof out->versions, "%d processor%s", processors,
             processors == 1 ? "" : "s");
    out->memory = wadi_pages_machine();
    return WADI_OK;
}
