/* Where an interrupted attack goes on: a small text file, written all or nothing.
 *
 *     wadi-md5 session 1
 *     digests SHA256           of the wanted digests, sorted
 *     dictionary SIZE PATH     one line each, in order
 *     place FILE OFFSET WORDS
 *     found DIGEST             one line each
 */
#ifndef APPS_MD5_SESSION_H
#define APPS_MD5_SESSION_H

#include "apps/md5/input.h"
#include "apps/md5/reader.h"
#include "apps/md5/targets.h"

/* What an attack is about. Borrowed. */
typedef struct md5_subject {
    int n;
    const char *const *paths;
    const md5_input *in;
    md5_targets *targets;
} md5_subject;

WADI_NODISCARD wadi_status md5_session_save(const char *path, const md5_subject *s, md5_place place,
                                            wadi_error *err);
/* Marks what was found and gives the place. A file that is not there gives the start. Errors: WADI_INVALID naming the line,
 * when it is of other digests or dictionaries too; WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_session_load(const char *path, const md5_subject *s,
                                            md5_place *out_place, wadi_error *err);

#endif
