/* The token of a page, which whoever looks must show. */
#ifndef WADI_SCHED_WATCH_TOKEN_H
#define WADI_SCHED_WATCH_TOKEN_H

#include <stdbool.h>

#include "wadi/status.h"

enum { WADI_WATCH_TOKEN_LEAST = 16, WADI_WATCH_TOKEN_MOST = 128 };

typedef struct wadi_watch_token {
    char text[WADI_WATCH_TOKEN_MOST + 1];
    unsigned char digest[32];
} wadi_watch_token;

/* Makes one at random: 128 bits, in hexadecimal digits. Errors: WADI_IO (the system has no random numbers). */
WADI_NODISCARD wadi_status wadi_watch_token_make(wadi_watch_token *out, wadi_error *err);
/* Reads one, the first line of a file: letters, digits and "-._~". Errors: WADI_IO, WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_watch_token_read(const char *path, wadi_watch_token *out,
                                                 wadi_error *err);
/* Whether it is the same; how long that takes tells nothing. text may be NULL. */
bool wadi_watch_token_is(const wadi_watch_token *t, const char *text);

#endif
