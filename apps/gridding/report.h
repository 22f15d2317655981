/* The summary of wadi-grid: lines for people, and for the history of the image. */
#ifndef WADI_APPS_GRIDDING_REPORT_H
#define WADI_APPS_GRIDDING_REPORT_H

#include "apps/gridding/session.h"
#include "apps/gridding/statistics.h"
#include "base/text.h"

/* What was read and what became of it, geometry, method, noise and peak. */
void grid_report(wadi_text *out, const grid_options *o, const grid_files *files,
                 const grid_account *a, const grid_statistics *s);
/* One line: how far a pass is. elapsed_s of this pass; rows -1: their number is not known. */
void grid_report_progress(wadi_text *out, grid_phase phase, const grid_counts *c, int64_t rows,
                          double elapsed_s);
/* "natural", "briggs:0.5" */
void grid_report_weights(wadi_text *out, grid_weights w);

#endif
