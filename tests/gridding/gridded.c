/* Opens a gridding method, adds the visibilities in pieces and takes the image. */
#include "tests/gridding/gridded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void must(wadi_status st, const wadi_error *err) {
    if (st != WADI_OK) fail_msg("%s", err->msg);
}

void gridded_image(const grid_method *method, const grid_job *job, int pieces, const grid_batch *b,
                   double *out, grid_tally *tally) {
    wadi_error err = {0};
    grid_gridder *g = NULL;
    must(method->open(job, &g, &err), &err);
    for (int i = 0; i < pieces; i++) {
        grid_batch part = *b;
        const int64_t from = b->n * i / pieces;
        part.n = b->n * (i + 1) / pieces - from;
        part.u += from, part.v += from, part.w += from;
        part.vis += 2 * from, part.weight += from, part.pair += 2 * from;
        must(method->add(g, &part, &err), &err);
    }
    must(method->image(g, out, &err), &err);
    method->tell(g, tally);
    method->close(g);
}

const gridded_way gridded_ways[GRIDDED_WAYS] = {{1, 7, 1, WADI_SCHEDULE_FORCE_INSIDE},
                                                {2, 100, 1, WADI_SCHEDULE_FORCE_FLAT},
                                                {3, 0, 5, WADI_SCHEDULE_AUTO}};

void gridded_image_in_way(const grid_method *method, const grid_job *job, const gridded_way *way,
                          const grid_batch *b, double *out, grid_tally *tally) {
    grid_job j = *job;
    j.run.threads = way->threads;
    j.run.chunk = way->chunk;
    j.run.schedule = way->schedule;
    gridded_image(method, &j, way->pieces, b, out, tally);
}
