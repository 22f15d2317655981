/* See the header. */
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
