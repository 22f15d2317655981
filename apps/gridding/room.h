/* Whether something large fits into memory, asked before it is allocated. */
#ifndef WADI_APPS_GRIDDING_ROOM_H
#define WADI_APPS_GRIDDING_ROOM_H

#include <stdint.h>

#include "wadi/status.h"

/* WADI_MEMORY, "no room for WHAT: it takes N bytes ...", when `bytes` are more than `memory`, or, where that is 0, more than
 * the machine has. Negative bytes: more than can be counted. */
WADI_NODISCARD wadi_status grid_room(int64_t bytes, int64_t memory, const char *what,
                                     wadi_error *err);

#endif
