/* A method's image for tests: any failure fails the running test. */
#ifndef WADI_TESTS_GRIDDING_GRIDDED_H
#define WADI_TESTS_GRIDDING_GRIDDED_H

#include "apps/gridding/method.h"

/* The image of the batch, added in so many pieces one after another: out[size * size], and what became of the visibilities. */
void gridded_image(const grid_method *method, const grid_job *job, int pieces, const grid_batch *b,
                   double *out, grid_tally *tally);

/* Ways to run that must not change a bit. */
typedef struct gridded_way {
    int threads, chunk, pieces;
    wadi_schedule_option schedule;
} gridded_way;

enum { GRIDDED_WAYS = 3 };
extern const gridded_way gridded_ways[GRIDDED_WAYS];

void gridded_image_in_way(const grid_method *method, const grid_job *job, const gridded_way *way,
                          const grid_batch *b, double *out, grid_tally *tally);

#endif
