/* Watching runs while they go on.
 *
 * wadi_run_view describes one run. wadi_watch_begin lets others look at all runs of the process: `wadi top` by a socket that only this user can
 * open, and browsers and Prometheus by a page. docs/RUNTIME.md, "To watch a run".
 */
#ifndef WADI_WATCH_H
#define WADI_WATCH_H

#include "wadi/run.h"

WADI_BEGIN_DECLS

/** Describes a run, as it is now, as a JSON object (RFC 8259). docs/RUNTIME.md lists its members; later versions may add some. The caller must
 *  free() *out_json. Any thread may call it between wadi_run_create and wadi_run_destroy. It takes some microseconds, in which the run may have to wait. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_run_view(wadi_run *run, char **out_json, wadi_error *err);

/** What lets others look at the runs of this process. */
typedef struct wadi_watch wadi_watch;

/** Ways of looking. All zero: by the socket. */
typedef struct wadi_watch_options {
    const char
        *name;      /**< of the program, for `wadi top`: no slash, at most 40 bytes. NULL: "wadi" */
    bool no_socket; /**< `wadi top` does not see the process */
    const char *
        http; /**< "127.0.0.1:8080": shows the runs as a page there, and at /metrics for Prometheus; port 0: any. NULL: no page */
    const char *
        http_token; /**< a file whose first line is the token that whoever looks must show: 16 to 128 letters, digits and -._~. Needed for addresses
                                   that other machines can reach. NULL: one is made at random, see wadi_watch_url */
} wadi_watch_options;

/** Others may look at the runs of this process, and pause, drain or let them go on, until wadi_watch_end. Runs may begin and end meanwhile.
 *  `options` may be NULL. Errors: WADI_INVALID (name, address or token; somebody else could write to the folder of sockets), WADI_UNSUPPORTED (a page,
 *  without the module "http"), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_watch_begin(const wadi_watch_options *options,
                                            wadi_watch **out_watch, wadi_error *err);
/** Where the page is: "http://127.0.0.1:8080/?token=..", with the token if it was made at random; NULL: there is no page. Borrowed until wadi_watch_end. */
const char *wadi_watch_url(const wadi_watch *w);
/** NULL is fine. */
void wadi_watch_end(wadi_watch *w);

WADI_END_DECLS

#endif
