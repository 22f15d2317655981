/* The page of a process, for browsers and Prometheus: which requests are allowed, and what is answered. */
#ifndef WADI_SCHED_WATCH_PAGE_H
#define WADI_SCHED_WATCH_PAGE_H

#include "wadi/status.h"

typedef struct wadi_watch_page wadi_watch_page;

/* Listens at `address`, "127.0.0.1:8080" (port 0: any). Without token_file a token is made at random, and the address must be a loopback one: nobody else
 * can hear the token then. Errors: WADI_INVALID (address, token), WADI_UNSUPPORTED (the module "http" is not installed), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_watch_page_open(const char *process, const char *address,
                                                const char *token_file, wadi_watch_page **out,
                                                wadi_error *err);
/* "http://127.0.0.1:8080/?token=.."; without the token if it is from a file. Borrowed. */
const char *wadi_watch_page_url(const wadi_watch_page *p);
/* NULL is fine. */
void wadi_watch_page_close(wadi_watch_page *p);

#endif
