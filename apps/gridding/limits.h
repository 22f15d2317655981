/* What the visibilities of a batch reach: a program that reads each of its columns once. */
#ifndef WADI_APPS_GRIDDING_LIMITS_H
#define WADI_APPS_GRIDDING_LIMITS_H

#include <stdint.h>

#include "apps/gridding/store.h"
#include "wadi/run.h"

/* All zero before any visibility. */
typedef struct grid_limits {
    int64_t n;
    double most_u, most_v, most_w; /* moduli, wavelengths */
    double least_w, greatest_w;    /* with their signs */
    double longest;                /* sqrt(u^2 + v^2) */
    double shortest;               /* sqrt(u^2 + v^2 + w^2), of what is no autocorrelation */
    double weight;                 /* sum */
    double first_time, last_time;  /* modified Julian days; 0: not known */
    double lowest_frequency, highest_frequency; /* Hz */
} grid_limits;

/* The program. Several threads may look at once. */
typedef struct grid_look grid_look;

WADI_NODISCARD wadi_status grid_look_create(const wadi_run_options *run, grid_look **out,
                                            wadi_error *err);
void grid_look_destroy(grid_look *look); /* NULL is fine */
/* Takes in what the store holds. Results do not depend on threads, chunks or schedule. */
WADI_NODISCARD wadi_status grid_limits_add(grid_limits *l, const grid_look *look,
                                           const grid_store *s, wadi_error *err);

#endif
