/* The command line of wadi-flac. */
#ifndef APPS_AUDIO_OPTIONS_H
#define APPS_AUDIO_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/audio/input.h"
#include "apps/audio/seek.h"
#include "base/vec.h"
#include "connectors/via.h"
#include "sched/watch/program.h"
#include "wadi/run.h"
#include "wadi/status.h"

typedef struct flac_tag_option {
    const char *value; /* NAME=VALUE, or */
    bool from_file;    /* NAME=FILE */
} flac_tag_option;

typedef enum flac_action { FLAC_ENCODE, FLAC_DECODE, FLAC_TEST } flac_action;

typedef struct flac_options {
    /* one input and its output at a time; see flac_options_pick */
    const char *in; /* "-": standard input */
    char *out;      /* "-": standard output; owned; NULL when nothing is written */
    /* what the command line says */
    WADI_VEC(const char *) inputs;
    WADI_VEC(flac_tag_option) tags;
    WADI_VEC(const char *) pictures;
    WADI_VEC(flac_seek_wish) seek;
    const char *output; /* -o; NULL: named after the inputs */
    const char *prefix; /* of those names; NULL: none */
    const char *stats;  /* NULL: none */
    const char *state;  /* the folder of a run that goes on; NULL: it does not */
    wadi_watch_asked watch;
    wadi_via_asked via;
    bool accept_change; /* with it, of options */
    flac_action action;
    flac_wish wish;
    int64_t padding; /* bytes; -1: as the source has it */
    int level;       /* 0..8 */
    int block;       /* samples in every block; 0: the level and the sound decide */
    int64_t chunk;   /* blocks; 0: the chunk policy decides */
    int threads;     /* 0: one per processor */
    int64_t memory;  /* bytes; 0: the encoder's default */
    wadi_schedule_option schedule;
    bool explain, force, quiet, help, version;
    bool decode, test, verify, to_stdout, delete_input, no_padding, keep_foreign, ignore_sizes,
        force_raw, replay_gain, sync, lax, no_seektable, search, strict, idle;
    bool raw_is_described[4]; /* which of sign, endian, channels, bps were given */
} flac_options;

/* Strings are borrowed from argv. The caller calls fini in any case. Errors: WADI_INVALID, which names the argument, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_options_parse(int argc, char **argv, flac_options *out,
                                              wadi_error *err);
void flac_options_fini(flac_options *o);

/* Sets `in` and `out` for input number `i`. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_options_pick(flac_options *o, size_t i, wadi_error *err);

/* The text of --help. */
extern const char flac_usage[], flac_usage_of_runs[];

#endif
