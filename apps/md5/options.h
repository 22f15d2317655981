/* The command line of wadi-md5. */
#ifndef APPS_MD5_OPTIONS_H
#define APPS_MD5_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "connectors/via.h"
#include "sched/watch/program.h"
#include "wadi/status.h"

typedef struct md5_options {
    WADI_VEC(const char *) hashes;       /* files or digits */
    WADI_VEC(const char *) dictionaries; /* "-": standard input */
    const char *state, *output;          /* NULL: none, standard output */
    wadi_watch_asked watch;
    wadi_via_asked via;
    double every_s;        /* the least time between two savings */
    int threads;           /* 0: one per processor */
    int64_t memory, chunk; /* 0: the defaults */
    bool accept_change, keep_cr, no_unpack, sync, quiet, help, version;
} md5_options;

/* Strings are borrowed from argv. Errors: WADI_INVALID naming the argument, WADI_MEMORY. fini is due in any case. */
WADI_NODISCARD wadi_status md5_options_parse(int argc, char *const *argv, md5_options *out,
                                             wadi_error *err);
void md5_options_fini(md5_options *o);

/* The text of --help. */
extern const char md5_usage[];

#endif
