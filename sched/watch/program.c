/* Two watches for the process: the page is asked for, and the socket is not. */
#include "sched/watch/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static wadi_watch *by_socket, *by_page; /* of the main thread */

void wadi_watch_program(const char *name) {
    const char *wanted = getenv("WADI_WATCH");
    if (wanted != NULL && strcmp(wanted, "off") == 0) return;
    const wadi_watch_options o = {.name = name};
    if (wadi_watch_begin(&o, &by_socket, NULL) != WADI_OK) by_socket = NULL;
}

wadi_status wadi_watch_program_http(const char *name, const char *http, const char *token_file,
                                    const char **out_url, wadi_error *err) {
    const wadi_watch_options o = {
        .name = name, .no_socket = true, .http = http, .http_token = token_file};
    WADI_TRY(wadi_watch_begin(&o, &by_page, err));
    *out_url = wadi_watch_url(by_page);
    return WADI_OK;
}

void wadi_watch_program_end(void) {
    wadi_watch_end(by_socket);
    wadi_watch_end(by_page);
    by_socket = by_page = NULL;
}
