/* The command line of wadi-vis-send. */
#ifndef WADI_APPS_GRIDDING_SEND_OPTIONS_H
#define WADI_APPS_GRIDDING_SEND_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "sched/watch/program.h"
#include "wadi/status.h"

typedef struct send_options {
    WADI_VEC(const char *) inputs;
    wadi_watch_asked watch;
    const char *to;
    const char *key, *receiver, *token, *new_key, *column; /* NULL: none */
    int64_t skip;                                          /* rows that were taken before */
    double rate;      /* rows per second; 0: as fast as they are taken */
    double wait_s;    /* for a receiver */
    int64_t chunk;    /* rows in a message; 0: the scheduler decides */
    int field, setup; /* plus one; 0: the only one */
    bool conjugate, quiet, help, version;
} send_options;

/* Strings are borrowed from argv. Errors: WADI_INVALID naming the argument, WADI_MEMORY. fini is due in any case. */
WADI_NODISCARD wadi_status send_options_parse(int argc, char *const *argv, send_options *out,
                                              wadi_error *err);
void send_options_fini(send_options *o);

/* The text of --help. */
extern const char send_usage[];

#endif
