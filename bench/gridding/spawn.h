/* A whole program as one side of a comparison, timed from its start to its end. */
#ifndef WADI_BENCH_GRIDDING_SPAWN_H
#define WADI_BENCH_GRIDDING_SPAWN_H

#include "wadi/status.h"

/* argv ends with NULL; argv[0] is searched for. What it prints goes to file `log`. Errors: WADI_UNSUPPORTED when the program is
 * not installed, WADI_IO when it fails, with the last line it printed. */
WADI_NODISCARD wadi_status bench_spawn(const char *const *argv, const char *log, wadi_error *err);

#endif
