/* A-terms from a file: a FITS image in double precision with the axes (re and im, column, row, antenna), NAXIS1 = 2, columns and rows
 * odd and equal, and the field of view the kernels are made for, in radians, under the key THETA. Columns grow with u, to the east. */
#ifndef WADI_APPS_GRIDDING_ATERM_FILE_H
#define WADI_APPS_GRIDDING_ATERM_FILE_H

#include "apps/gridding/aterms.h"

/* Reads A-terms. Rows are reversed, so that columns grow to the west, as ingest counts u. Errors: WADI_IO, WADI_INVALID (not of this
 * form), WADI_MEMORY, WADI_UNSUPPORTED (no module cfitsio). */
WADI_NODISCARD wadi_status grid_aterms_read(const char *path, grid_aterms *out, wadi_error *err);
void grid_aterms_fini(grid_aterms *a); /* all zero is fine */

#endif
