/* Files that appear under their name only when they are whole: until then they lie beside it as NAME.partial. */
#ifndef WADI_CONNECTORS_PARTIAL_H
#define WADI_CONNECTORS_PARTIAL_H

#include "wadi/status.h"

typedef struct wadi_partial {
    char *path, *temporary;
} wadi_partial;

/* Makes the names and removes a file a broken run has left under the temporary one. What is there under `path` and is no regular
 * file is refused: to rename something over a device would replace it. fini is due in any case. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_partial_init(wadi_partial *p, const char *path, wadi_error *err);
/* The file is closed and whole: gives it its name. */
WADI_NODISCARD wadi_status wadi_partial_keep(wadi_partial *p, wadi_error *err);
/* Removes what there is under the temporary name. */
void wadi_partial_discard(wadi_partial *p);
void wadi_partial_fini(wadi_partial *p); /* frees the names, touches no file */

#endif
