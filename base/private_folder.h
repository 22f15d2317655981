/* Folders that belong to the user alone: nobody else can write to them. */
#ifndef WADI_BASE_PRIVATE_FOLDER_H
#define WADI_BASE_PRIVATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "wadi/status.h"

/* Checks the folder, or makes it if it is missing. `shared`: others can make names beside it, as in /tmp; then it must not be a link, and nobody else
 * may read it. what: "cache", for messages. length: what snprintf returned for `path`, which has so much `room`. Errors: WADI_INVALID (it belongs to
 * somebody else, or others can write to it), WADI_IO. */
WADI_NODISCARD wadi_status wadi_private_folder(int length, const char *path, size_t room,
                                               bool shared, const char *what, wadi_error *err);

#endif
