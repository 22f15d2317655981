/* A folder in which a process keeps what it needs to go on after it was ended.
 *
 * DIR/state is replaced whole: it is written beside, forced onto the disk and renamed. It begins with a title and ends with a digest, so a
 * damaged file, or one of another kind, is known as one. DIR/lock is locked as long as a process uses the folder. When all is done, both
 * are removed, and the folder if nothing else is in it. */
#ifndef WADI_BASE_KEPT_FOLDER_H
#define WADI_BASE_KEPT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "wadi/status.h"

typedef struct wadi_kept_folder wadi_kept_folder;

/* Makes the folder if it is not there, and locks it. title: a line, which no other kind of state begins with; static. dir is copied, and found
 * wherever the process goes. Errors: WADI_IO (also if another process uses it, or DIR/lock is of somebody else), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_kept_folder_open(const char *dir, const char *title,
                                                 wadi_kept_folder **out, wadi_error *err);
/* Whether there is a state. NULL: no. */
bool wadi_kept_folder_has(const wadi_kept_folder *f);
/* What was written last, by this process or an earlier one; the caller frees *out. NULL: nothing. Errors: WADI_IO (it is damaged, or of another
 * kind), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_kept_folder_read(wadi_kept_folder *f, char **out, size_t *out_n,
                                                 wadi_error *err);
/* Replaces the state. It is on the disk when this returns. A first one that fails leaves no state. Errors: WADI_IO, WADI_MEMORY
 * (also if the text has failed). */
WADI_NODISCARD wadi_status wadi_kept_folder_write(wadi_kept_folder *f, const wadi_text *state,
                                                  wadi_error *err);
/* An output may lie in the folder, if it is not taken for what is the folder's own: no file that lasts (base/outfile.h) is open under such
 * a name. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_kept_folder_check(const wadi_kept_folder *f, wadi_error *err);
/* The folder as the caller gave it. */
const char *wadi_kept_folder_name(const wadi_kept_folder *f);
/* Removes the state. */
void wadi_kept_folder_clear(wadi_kept_folder *f);
/* done: the state is removed. Unlocks and frees; NULL is fine. */
void wadi_kept_folder_close(wadi_kept_folder *owned_f, bool done);

#endif
