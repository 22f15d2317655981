/* How the programs of wadi let themselves be watched. */
#ifndef WADI_SCHED_WATCH_PROGRAM_H
#define WADI_SCHED_WATCH_PROGRAM_H

#include "wadi/watch.h"

/* From now on `wadi top` sees the process, unless $WADI_WATCH is "off"; name: the program's. A program goes on as well without, so what fails is for
 * nobody to hear. */
void wadi_watch_program(const char *name);
/* The same as a page at the address `http`; token_file as in wadi_watch_options, or NULL. *out_url is borrowed until the program ends. Errors: those of
 * wadi_watch_begin. */
WADI_NODISCARD wadi_status wadi_watch_program_http(const char *name, const char *http,
                                                   const char *token_file, const char **out_url,
                                                   wadi_error *err);
/* The program ends. */
void wadi_watch_program_end(void);

#endif
