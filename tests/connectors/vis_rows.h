/* All rows of a visibility file in memory. */
#ifndef WADI_TESTS_CONNECTORS_VIS_ROWS_H
#define WADI_TESTS_CONNECTORS_VIS_ROWS_H

#include "connectors/visibility.h"

typedef struct vis_rows {
    const wadi_vis_info *info; /* the file's */
    int64_t n, cells;          /* rows, and values in each */
    wadi_vis_rows row;
} vis_rows;

/* Reads them k at a time, from the first one on. *out is all zero before; vis_rows_fini is due whatever the outcome, rows read
 * before a failure are there. Needs a file that knows its number of rows. */
wadi_status vis_rows_read(wadi_vis *v, int64_t k, vis_rows *out, wadi_error *err);
void vis_rows_fini(vis_rows *r);

/* Opens, reads everything, 1000 rows at a time, and leaves *out_vis open; both must succeed. */
void vis_rows_of(const char *path, const wadi_vis_options *options, wadi_vis **out_vis,
                 vis_rows *out);

/* Rows from any place on, some at a time, forwards and back, are those of *all; those of a source from any position on as well. */
void vis_rows_in_any_order(wadi_vis *v, const vis_rows *all);

/* Real part of sum(weight V exp(+2 pi i (u l + v m))) / sum(weight) over what is not flagged of polarisations p and q (or p alone
 * where q < 0); l and m in radians. *out_n counts the visibilities where all are unflagged. */
double vis_rows_image(const vis_rows *r, int p, int q, double l, double m, int64_t *out_n);

#endif
