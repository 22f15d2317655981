/* The profile of a run, for people. */
#ifndef WADI_CLI_PROFILE_H
#define WADI_CLI_PROFILE_H

#include <stdio.h>

#include "wadi/profile.h"

/* Prints the table; nothing if the run has no profile. */
void wadi_cli_print_profile(wadi_run *run, FILE *out);

#endif
