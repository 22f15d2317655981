/* Found words as lines "digest:word", written to a stream or appended to a file.
 *
 * What a file already holds counts as found. So every word is there once, however often the attack is started again. */
#ifndef APPS_MD5_RESULTS_H
#define APPS_MD5_RESULTS_H

#include "apps/md5/log_file.h"
#include "apps/md5/targets.h"

/* Marks in `t` the digests that the file holds. The session has recorded the first `known` bytes. A killed run may have left more behind
 * them, of which whole lines are kept. known < 0: no session; then only an unfinished last line is removed.
 * Errors: WADI_INVALID naming the line that is no found word, or if the file is shorter than `known`; WADI_MEMORY, WADI_IO. */
WADI_NODISCARD wadi_status md5_results_read(md5_log *log, int64_t known, md5_targets *t,
                                            wadi_error *err);
/* Adds one line, in one piece. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_results_add(md5_log *log, const uint8_t digest[MD5_DIGEST],
                                           const uint8_t *word, size_t n, wadi_error *err);

#endif
