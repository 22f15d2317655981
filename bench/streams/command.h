/* The command line of a program of benchmarks: which benchmarks of its table run, and on what. */
#ifndef WADI_BENCH_STREAMS_COMMAND_H
#define WADI_BENCH_STREAMS_COMMAND_H

#include <getopt.h>

#include "bench/streams/report.h"

typedef struct bench_entry {
    const char *name;
    wadi_status (*run)(bench *b, wadi_error *err);
    const char *about;
} bench_entry;

typedef struct bench_command {
    const char *program, *usage;
    const bench_entry *entries; /* ended by one without a name */
    /* what this program takes beside --only, --case, --quick, --threads, --runs, --seconds, --data, --python, --list and --help: --schedules as
     * 's', --mkl as 'm', --minutes as 'M'; ended by one without a name, may be NULL */
    const struct option *more;
} bench_command;

/* Runs what the command line asks for and prints lines and table. Returns the exit status. The first thing a program does: it starts
 * the program again where OpenMP's threads would spin. */
int bench_command_run(const bench_command *c, int argc, char **argv);

#endif
