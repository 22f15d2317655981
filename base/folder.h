/* Private folders for files that other programs, such as a compiler, read and write. A folder is removed with all its
 * contents. A lock in it (base/claim.h) shows whether its maker lives, so that the next process removes the folders of killed
 * ones. */
#ifndef WADI_BASE_FOLDER_H
#define WADI_BASE_FOLDER_H

#include "wadi/status.h"

typedef struct wadi_folder {
    char path[960];
    int lock; /* held while the folder is in use */
} wadi_folder;

/* Makes PARENT/PREFIXxxxxxx, for this user alone. Errors: WADI_IO with the system's reason. */
WADI_NODISCARD wadi_status wadi_folder_make(const char *parent, const char *prefix,
                                            wadi_folder *out, wadi_error *err);
/* Removes it and the files in it. */
void wadi_folder_remove(wadi_folder *s);

/* Removes the folders with this prefix in `parent` that nobody owns. Returns how many. */
int wadi_folder_sweep(const char *parent, const char *prefix);

/* Where such folders go if there is no better place: $TMPDIR, or /tmp if TMPDIR is unset or cannot be written to. */
const char *wadi_folder_parent(void);

#endif
