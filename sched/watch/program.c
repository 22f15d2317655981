/* Two watches for the process: the page is asked for, and the socket is not. */
#include "sched/watch/program.h"

#include "base/environment.h"
#include "base/error.h"
#include "base/say.h"

static wadi_watch *by_socket, *by_page; /* of the main thread */

static void open_socket(const char *name) {
    const wadi_watch_options o = {.name = name};
    if (!wadi_switch_is_on(WADI_SWITCH_WATCH)) return;
    if (wadi_watch_begin(&o, &by_socket, NULL) != WADI_OK) by_socket = NULL;
}

static wadi_status open_page(const char *name, const wadi_watch_asked *asked, wadi_error *err) {
    const wadi_watch_options o = {
        .name = name, .no_socket = true, .http = asked->http, .http_token = asked->http_token};
    if (asked->http == NULL && asked->http_token != NULL)
        return wadi_fail(err, WADI_INVALID, "--http-token: without --http there is no page");
    if (asked->http == NULL) return WADI_OK;
    WADI_TRY(wadi_watch_begin(&o, &by_page, err));
    wadi_say(WADI_SAY_INFO, "the run is shown at %s", wadi_watch_url(by_page));
    return WADI_OK;
}

wadi_status wadi_watch_program(const char *name, const wadi_watch_asked *asked, wadi_error *err) {
    WADI_TRY(open_page(name, asked, err));
    open_socket(name);
    return WADI_OK;
}

void wadi_watch_program_end(void) {
    wadi_watch_end(by_socket);
    wadi_watch_end(by_page);
    by_socket = by_page = NULL;
}
