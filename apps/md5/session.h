/* The session file: where an interrupted attack continues. It is a small text file, which is locked while it is in use.
 *
 *     wadi-md5 session 2
 *     digests SHA256                    of the wanted digests, sorted
 *     words AS_IS KEEP_CR               0 or 1: how words are read
 *     dictionary SIZE PATH              one line each, in order
 *     output PATH                       the file to which found words are added, if it is a file
 *     place FILE OFFSET WORDS OUTPUT    the furthest place counts; OUTPUT bytes of the output are on the disk
 *     found DIGEST                      one line each, if found words go to a stream
 *
 * A save adds the digests found since the last save, and a place. The two places at the end overwrite each other in turn. Whenever a
 * process is killed, all lines but the last are complete, and the last is dropped. Sessions of version 1 are read, too. */
#ifndef APPS_MD5_SESSION_H
#define APPS_MD5_SESSION_H

#include "apps/md5/input.h"
#include "apps/md5/log_file.h"
#include "apps/md5/reader.h"
#include "apps/md5/targets.h"
#include "base/text.h"
#include "base/thread.h"

/* What an attack is about. Borrowed. */
typedef struct md5_subject {
    int n;
    const char *const *paths;
    const md5_input *in;
    md5_targets *targets;
    bool as_is, keep_cr;
    const char *output; /* NULL: a stream */
} md5_subject;

typedef struct md5_session md5_session;

/* Where to go on. */
typedef struct md5_resume {
    md5_place place;
    int64_t
        output; /* how many bytes of the output the session has recorded; -1: the session is new */
} md5_resume;

/* Locks the file, marks in the targets what was found, and gives the place. If the file does not exist or is empty, that is the start;
 * nothing is written yet. Errors: WADI_INVALID naming the line, also for the session of another attack; WADI_IO, also if another process
 * uses the file; WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_session_open(const char *path, const md5_subject *s,
                                            md5_session **out, md5_resume *out_resume,
                                            wadi_error *err);
/* Unlocks; NULL is fine. */
void md5_session_close(md5_session *s);

/* Notes a found digest for the next save, if found words go to a stream. Any thread. False: out of memory. */
bool md5_session_found(md5_session *s, const uint8_t digest[MD5_DIGEST]);
/* Whether there are such digests. Any thread. */
bool md5_session_has_news(md5_session *s);
/* Saves the place and the found digests, and forces them onto the disk. */
WADI_NODISCARD wadi_status md5_session_save(md5_session *s, md5_resume at, wadi_error *err);
/* The attack is complete: removes the file. */
void md5_session_end(md5_session *s);

#endif
