/* A method's image for tests: any failure fails the running test. */
#ifndef WADI_TESTS_GRIDDING_GRIDDED_H
#define WADI_TESTS_GRIDDING_GRIDDED_H

#include "apps/gridding/method.h"

/* The image of the batch, added in so many pieces one after another: out[size * size], and what became of the visibilities. */
void gridded_image(const grid_method *method, const grid_job *job, int pieces, const grid_batch *b,
                   double *out, grid_tally *tally);

#endif
