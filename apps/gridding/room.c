/* Comparing a size with the limit that was given, or with the physical memory of the machine. */
#include "apps/gridding/room.h"

#include "base/error.h"
#include "base/pages.h"

wadi_status grid_room(int64_t bytes, int64_t memory, const char *what, wadi_error *err) {
    const int64_t most = memory > 0 ? memory : wadi_pages_machine();
    if (bytes >= 0 && (most == 0 || bytes <= most)) return WADI_OK;
    if (bytes < 0)
        return wadi_fail(err, WADI_MEMORY, "no room for %s: its bytes cannot be counted", what);
    return wadi_fail(err, WADI_MEMORY, "no room for %s: it takes %lld bytes, %s %lld", what,
                     (long long)bytes, memory > 0 ? "--memory allows" : "the machine has",
                     (long long)most);
}
