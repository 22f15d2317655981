/* Profiles of all runs of a process, for programs with many runs of several programs: a run that ends is added to those of its program. */
#ifndef WADI_SCHED_RUN_PROFILE_ALL_H
#define WADI_SCHED_RUN_PROFILE_ALL_H

#include <stdio.h>

#include "wadi/run.h"

/* The function for the flag --profile in the option tables of programs (base/args.h): all runs that are created from now on keep a profile. Neither
 * argument is used. No errors. */
WADI_NODISCARD wadi_status wadi_profile_take(void *options, const char *value, wadi_error *err);
/* Whether that was said. */
bool wadi_profile_is_asked(void);

/* Adds the profile of a run, which is about to be destroyed. */
void wadi_profile_gather(wadi_run *run);

/* Prints a table for each program, in the order in which they ended first, and forgets them. For the end of main. Nothing if no run had a profile. */
void wadi_profile_tell(FILE *out);

#endif
