/* Which device of a list is the home of a run: the one that has whole arrays, changes, folds, and all else that is not shared. Decided by the times of
 * whole runs of one program, and followed from run to run.
 *
 * Runs begin at the first device. Once they have taken long enough together, each other device is the home of a run or two on trial. A trial
 * that takes twice as long as it should is given up. The device with the least time stays, until all are looked at again: after so many runs
 * that trials are a small part of the whole. Times are per unit of what a run reads and gives, so inputs may grow.
 *
 * This uses no clock: whoever asks says how long runs took. */
#ifndef WADI_SCHED_RUN_HOME_H
#define WADI_SCHED_RUN_HOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "sched/devices.h"

enum { WADI_HOME_TRIALS = 2 };

/* All zero but n is the start. Devices are numbered by their places in the list that somebody has asked for. */
typedef struct wadi_home {
    int n;
    double unit_ns[WADI_DEVICES_MOST]; /* time of a run per unit; 0: not known */
    double begin_ns
        [WADI_DEVICES_MOST]; /* of opening the device and loading code, for the first run of a process; 0: not known */
    int runs[WADI_DEVICES_MOST]; /* trials since the last look */
    bool out[WADI_DEVICES_MOST]; /* is not to be asked */
    bool looks;                  /* trials are under way */
    double spent_ns;             /* by runs since the last look, */
    double look_ns;              /* that lead to the next one; 0: the first */
    double trial_ns;             /* by trials of this look */
    double units;                /* of the latest run */
} wadi_home;

typedef struct wadi_home_choice {
    int who;
    bool trial;
    int64_t most_ns; /* of a trial: when to give it up, not counting what begin_ns is of; else 0 */
} wadi_home_choice;

/* The home of the next run. open[i]: device i has been a home of this program in this process. may_try false: the run could not begin again, so it is no
 * trial. */
wadi_home_choice wadi_home_next(wadi_home *h, const bool *open, bool may_try);
/* The best of what is known, without a trial. 0 also if nothing is known. */
int wadi_home_best(const wadi_home *h, const bool *open);
/* A run at that home has taken so long, without begin_ns, for so many units. begin_ns 0: it was not the first of the process. */
void wadi_home_saw(wadi_home *h, int who, int64_t took_ns, double units, int64_t begin_ns);
/* A trial was given up after that time. */
void wadi_home_late(wadi_home *h, int who, int64_t took_ns);
/* A run could not be done at that home. It is not asked before the next look. */
void wadi_home_refused(wadi_home *h, int who);

/* One line of readable text, without its end. */
void wadi_home_save(const wadi_home *h, wadi_text *out);
/* False: it is no such line, and nothing has changed. */
bool wadi_home_load(wadi_home *h, const char *line);

#endif
