/* Where an interrupted attack goes on: a folder (base/kept_folder.h) with the place behind which words have not been tried, how much of the output is
 * on the disk, and, if found words go to a stream, which digests were found. */
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

/* Opens and locks the folder, marks in the targets what was found, and gives the place; the start if nothing is saved. accept_change: the
 * dictionaries may be others. Errors: WADI_INVALID, also for the session of another attack; WADI_IO, also if another process uses the folder;
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_session_open(const char *dir, bool accept_change,
                                            const md5_subject *s, md5_session **out,
                                            md5_resume *out_resume, wadi_error *err);
/* Unlocks; NULL is fine. over: the attack is complete, and what was saved is removed. */
void md5_session_close(md5_session *owned_s, bool over);

/* Notes a found digest for the next save, if found words go to a stream. Any thread. */
void md5_session_found(md5_session *s, const uint8_t digest[MD5_DIGEST]);
/* Whether there are such digests. Any thread. */
bool md5_session_has_news(md5_session *s);
/* Saves the place and the found digests, and forces them onto the disk. */
WADI_NODISCARD wadi_status md5_session_save(md5_session *s, md5_resume at, wadi_error *err);

#endif
