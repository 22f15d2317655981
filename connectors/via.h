/* Workers elsewhere, as the programs of wadi ask for them on their command lines. */
#ifndef WADI_CONNECTORS_VIA_H
#define WADI_CONNECTORS_VIA_H

#include "connectors/link_keys.h"
#include "wadi/run.h"

/* What the command line asks for. Strings are borrowed from argv; NULL: the option is not there. */
typedef struct wadi_via_asked {
    const char *address, *workers;         /* --via, --workers */
    const char *key, *worker_keys, *token; /* files */
} wadi_via_asked;

#define WADI_VIA_TEXT(option, options, at) \
    { .name = option, .text = true, .field = offsetof(options, at) }
/* The rows of these options in a table (base/args.h) of `options`, whose member it is. */
#define WADI_VIA_OPTIONS(options, member)                            \
    WADI_VIA_TEXT("--via", options, member.address),                 \
        WADI_VIA_TEXT("--workers", options, member.workers),         \
        WADI_VIA_TEXT("--key", options, member.key),                 \
        WADI_VIA_TEXT("--worker-keys", options, member.worker_keys), \
        WADI_VIA_TEXT("--token", options, member.token)

/* What a run's options borrow. */
typedef struct wadi_via_keys {
    wadi_link_secrets secrets;
    wadi_link_options link;
} wadi_via_keys;

/* Takes a number of workers. Errors: WADI_INVALID, which names the option --workers. */
WADI_NODISCARD wadi_status wadi_via_workers_take(const char *value, int *out, wadi_error *err);
/* Whether what was asked for makes sense, before anything is opened. Errors: WADI_INVALID, which names the option. */
WADI_NODISCARD wadi_status wadi_via_check(const wadi_via_asked *asked, wadi_error *err);
/* Puts the address and the keys into *run, for wadi_run_create; without --via nothing. The caller calls fini behind that in any case. Errors: those of
 * wadi_via_check and of reading the files. */
WADI_NODISCARD wadi_status wadi_via_fill(const wadi_via_asked *asked, wadi_via_keys *keys,
                                         wadi_run_options *run, wadi_error *err);
void wadi_via_keys_fini(wadi_via_keys *keys);

#endif
