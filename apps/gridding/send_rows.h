/* Several files of visibilities as one stream of rows, as fast as possible or at the pace of a telescope. */
#ifndef WADI_APPS_GRIDDING_SEND_ROWS_H
#define WADI_APPS_GRIDDING_SEND_ROWS_H

#include <stddef.h>

#include "wadi/visibility.h"

typedef struct send_rows send_rows;

/* Called by the source's thread after some rows have been read. */
typedef void (*send_progress_fn)(void *env, int64_t rows);

/* Opens all files and looks them over. options may be NULL. Errors: those of wadi_vis_open; WADI_INVALID naming what of two headers
 * differs, or the setups of a file that has several. */
WADI_NODISCARD wadi_status send_rows_open(size_t n, const char *const *paths,
                                          const wadi_vis_options *options, send_rows **out,
                                          wadi_error *err);
void send_rows_close(send_rows *s); /* after its source; NULL is fine */
/* What holds for the rows of all; rows is their sum, and the longest and shortest baselines are known. */
const wadi_vis_info *send_rows_about(const send_rows *s);
/* skip: so many rows at the beginning are not paced, nor counted in the progress, because nobody will send them; send_rows_about then tells the rows
 * without them. rate: rows per second, 0: no limit.
 * progress may be NULL. Borrows s. One source, once. */
WADI_NODISCARD wadi_status send_rows_source(send_rows *s, int64_t skip, double rate,
                                            send_progress_fn progress, void *env, wadi_source **out,
                                            wadi_error *err);

#endif
