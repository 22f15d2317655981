/* The command line of wadi-flac. */
#ifndef APPS_AUDIO_OPTIONS_H
#define APPS_AUDIO_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/run.h"
#include "wadi/status.h"

typedef struct flac_options {
    const char *in;    /* "-": standard input */
    char *out;         /* "-": standard output; owned */
    const char *stats; /* NULL: none */
    int level;         /* 0..8 */
    int64_t chunk;     /* blocks; 0: the chunk policy decides */
    int threads;       /* 0: one per processor */
    int64_t memory;    /* bytes; 0: the encoder's default */
    int convert;       /* bits to round floating point and lossy samples to; 0: refuse them */
    wadi_schedule_option schedule;
    bool explain, force, quiet, help, version;
} flac_options;

/* Strings are borrowed from argv. Errors: WADI_INVALID naming the argument, WADI_MEMORY. fini is due in any case. */
WADI_NODISCARD wadi_status flac_options_parse(int argc, char **argv, flac_options *out,
                                              wadi_error *err);
void flac_options_fini(flac_options *o);

/* The text of --help. */
extern const char flac_usage[];

#endif
