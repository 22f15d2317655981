/* Comparing a size with the limit that was given, or with the physical memory of the machine. */
#include "apps/gridding/room.h"

#include <unistd.h>

#include "base/error.h"

/* Of the machine; 0: not known. */
static int64_t physical_bytes(void) {
#ifdef _SC_PHYS_PAGES
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? pages * page : 0;
#else
    return 0;
#endif
}

wadi_status grid_room(int64_t bytes, int64_t memory, const char *what, wadi_error *err) {
    const int64_t most = memory > 0 ? memory : physical_bytes();
    if (bytes >= 0 && (most == 0 || bytes <= most)) return WADI_OK;
    if (bytes < 0)
        return wadi_fail(err, WADI_MEMORY, "no room for %s: its bytes cannot be counted", what);
    return wadi_fail(err, WADI_MEMORY, "no room for %s: it takes %lld bytes, %s %lld", what,
                     (long long)bytes, memory > 0 ? "--memory allows" : "the machine has",
                     (long long)most);
}
