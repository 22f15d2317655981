/* How the programs of wadi let themselves be watched. */
#ifndef WADI_SCHED_WATCH_PROGRAM_H
#define WADI_SCHED_WATCH_PROGRAM_H

#include "wadi/watch.h"

/* What the command line asks for. Strings are borrowed from argv; NULL: no page, a token made at random. */
typedef struct wadi_watch_asked {
    const char *http, *http_token;
} wadi_watch_asked;

/* The rows of these options in a table (base/args.h) of `options`, whose member it is. */
#define WADI_WATCH_OPTIONS(options, member)                                                 \
    {.name = "--http", .text = true, .field = offsetof(options, member.http)}, {            \
        .name = "--http-token", .text = true, .field = offsetof(options, member.http_token) \
    }

/* From now on `wadi top` sees the process, unless $WADI_WATCH is "off"; name: the program's. A program goes on as well without, so what fails there is
 * for nobody to hear. Where a page is asked for, it is told where it is (base/say.h). Errors: those of the page. */
WADI_NODISCARD wadi_status wadi_watch_program(const char *name, const wadi_watch_asked *asked,
                                              wadi_error *err);
/* The program ends, and nobody sees it any more. Calls after the first do nothing. */
void wadi_watch_program_end(void);

#endif
