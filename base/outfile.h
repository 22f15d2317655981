/* The one way to write a file: complete under its name, or not at all.
 *
 * The data are first written beside the target (the file that the name leads to, with links followed), in a file
 * NAME.1a2b3c4d.wadi-part with a lock (base/claim.h). When the file is kept, it takes its name in one step. So:
 *
 * - A reader finds the old file or the new one, also after a crash. If a file is replaced, both file and folder are on the disk before
 *   the call returns.
 * - Two writers of one name each write their own file, and the one that ends last stays.
 * - The next writer of the same name removes what a killed process left. It never removes the file of a living one.
 *
 * A file that lasts is for runs that go on after they were ended. Its temporary name is NAME.wadi-kept. It stays there when the process is
 * killed, or when it is discarded after wadi_outfile_save. The next process that opens NAME so may go on from any place that was saved.
 * Two processes cannot have it at the same time.
 *
 * Devices, FIFOs, "-", /dev/stdout, /dev/fd/N and /proc/.../fd/N are streams (base/destination.h). They are written in place
 * and never replaced or removed.
 *
 * One thread at a time. Every error contains the path as the caller gave it and the reason of the system. */
#ifndef WADI_BASE_OUTFILE_H
#define WADI_BASE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/retry.h"
#include "wadi/status.h"

typedef struct wadi_outfile wadi_outfile;

/* When the content is forced onto the disk. */
typedef enum wadi_outfile_sync {
    WADI_SYNC_REPLACED, /* if it replaces a file: a crash must not destroy both */
    WADI_SYNC_ALWAYS,   /* for state, keys, and if the user says --sync */
    WADI_SYNC_NEVER,    /* for files that can be made again and are checked when they are read */
} wadi_outfile_sync;

/* All zero gives the defaults. */
typedef struct wadi_outfile_options {
    unsigned
        mode; /* permissions, whatever the umask; 0: those of the replaced file, or those that the umask leaves */
    bool
        only_new; /* a file of that name is an error, also one that appears meanwhile; a stream is not */
    bool
        goes_back; /* earlier bytes may be rewritten until the end: a stream gets the contents only when the file is kept */
    bool lasts;    /* see above; not for streams */
    wadi_outfile_sync sync;
} wadi_outfile_options;

/* Opens; `options` may be NULL. Errors: WADI_INVALID (only_new: it exists), WADI_UNSUPPORTED (lasts: a stream), WADI_IO (lasts, too: another
 * process has it), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_outfile_open(const char *path, const wadi_outfile_options *options,
                                             wadi_outfile **out, wadi_error *err);

/* Appends. After a failure the caller can only discard the file. Errors: WADI_IO with the position. */
WADI_NODISCARD wadi_status wadi_outfile_write(wadi_outfile *f, const void *data, size_t n,
                                              wadi_error *err);
/* Overwrites n bytes from byte `at` on, counted from the beginning of this file. Only if can_rewrite. */
WADI_NODISCARD wadi_status wadi_outfile_rewrite(wadi_outfile *f, int64_t at, const void *data,
                                                size_t n, wadi_error *err);
bool wadi_outfile_can_rewrite(const wadi_outfile *f); /* false for pipes and the like */
bool wadi_outfile_is_stream(const wadi_outfile *f);   /* false: a file with a temporary name */
int64_t wadi_outfile_bytes(const wadi_outfile *f);    /* appended so far */

/* For a file that lasts: forces what was written, and its name, onto the disk. So one can go on behind wadi_outfile_bytes bytes. */
WADI_NODISCARD wadi_status wadi_outfile_save(wadi_outfile *f, wadi_error *err);
/* Nobody will go on with what this process has written to a file that lasts: discard removes it, saved or not. */
void wadi_outfile_unsave(wadi_outfile *f);
/* Before the first write to a file that lasts: keeps its first `bytes` bytes, as an earlier process has left them. Without it, the file begins
 * anew. ended: they were all, so the file may have taken its name meanwhile; then nothing is left to do, and keep succeeds.
 * Errors: WADI_IO (there are fewer bytes). */
WADI_NODISCARD wadi_status wadi_outfile_go_on(wadi_outfile *f, int64_t bytes, bool ended,
                                              wadi_error *err);

/* Whether the folder has the unfinished file that lasts of the file `name` in it. */
bool wadi_outfile_lasts_in(int folder, const char *name);

/* A write to a file that fails is tried again, from the byte at which it has failed: as `how` says. Nothing that was handed over
 * is lost meanwhile. Not for streams, whose readers may have gone. */
void wadi_outfile_try_again(wadi_outfile *f, wadi_retry how);
/* Passes the contents of the buffer to the system. */
WADI_NODISCARD wadi_status wadi_outfile_flush(wadi_outfile *f, wadi_error *err);

/* A path by which a library that opens files itself may open this file for reading and writing. Only with goes_back, or for files
 * that are not streams. The library must have closed the file before keep or discard. */
const char *wadi_outfile_name(const wadi_outfile *f);

/* Completes the file and gives it its name. Takes owned_f in any case. After a failure nothing of the file is left, unless it lasts and was
 * saved, and what had the name before is unchanged. Errors: WADI_INVALID (only_new: it exists), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_outfile_keep(wadi_outfile *owned_f, wadi_error *err);
/* Removes what was written, unless it went into a stream, or was saved. NULL is fine. */
void wadi_outfile_discard(wadi_outfile *owned_f);

/* For the file of a sink. finish keeps the file, and forces it onto the disk if `sync`. give_up discards it. Both set *f to NULL. */
WADI_NODISCARD wadi_status wadi_outfile_finish(wadi_outfile **f, bool sync, wadi_error *err);
void wadi_outfile_give_up(wadi_outfile **f);

/* Writes a whole file: open, write, keep. */
WADI_NODISCARD wadi_status wadi_outfile_put(const char *path, const void *data, size_t n,
                                            const wadi_outfile_options *options, wadi_error *err);

/* Removes the file that `path` leads to. Links to it stay, and streams are left alone. */
void wadi_outfile_remove(const char *path);

/* Waits until the names in the folder that `path` lies in are on the disk. False: errno. */
bool wadi_outfile_sync_name(const char *path);

/* Removes from `folder` all temporary files that killed writers have left. Returns how many. */
int wadi_outfile_sweep(const char *folder);
/* Whether this is the name of a temporary file: NAME.1a2b3c4d.wadi-part. */
bool wadi_outfile_is_temporary(const char *name);

#endif
