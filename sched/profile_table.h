/* Profiles for people. */
#ifndef WADI_SCHED_PROFILE_TABLE_H
#define WADI_SCHED_PROFILE_TABLE_H

#include "base/text.h"
#include "wadi/profile.h"

typedef struct wadi_profile_table {
    const wadi_profile_row *row; /* [n] */
    int n;
    double elapsed; /* seconds of the run, or of the runs that the rows are sums of */
    int threads;
} wadi_profile_table;

/** Appends the table, with the bandwidth of the machine, which is measured if need be. */
void wadi_profile_table_print(const wadi_profile_table *t, wadi_text *out);

#endif
