/* Asking for large pages, and lending pages back, by madvise, which is not POSIX. No other file uses it. */
#define _DEFAULT_SOURCE
#include "base/pages.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A block of fewer than MANY large pages would waste too much of the last one. */
static const size_t large_page = (size_t)1 << 21;
enum { MANY = 4 };

void *wadi_pages_take(size_t align, size_t bytes) {
#ifdef MADV_HUGEPAGE
    if (bytes >= MANY * large_page && align <= large_page) {
        const size_t rounded = (bytes + large_page - 1) / large_page * large_page;
        void *block = rounded >= bytes ? aligned_alloc(large_page, rounded) : NULL;
        if (block != NULL)
            (void)madvise(block, rounded, MADV_HUGEPAGE); /* advice: failing is fine */
        return block;
    }
#endif
    return aligned_alloc(align, (bytes + align - 1) / align * align);
}

void wadi_pages_spare(void *block, size_t kept, size_t bytes) {
#if defined MADV_HUGEPAGE && defined MADV_FREE
    /* The block begins at a large page, and its last large page is its own. */
    const size_t from = (kept + large_page - 1) / large_page * large_page;
    const size_t below = (bytes + large_page - 1) / large_page * large_page;
    if (bytes >= MANY * large_page && from < below)
        (void)madvise((char *)block + from, below - from, MADV_FREE); /* as above */
#else
    (void)block, (void)kept, (void)bytes;
#endif
}

bool wadi_pages_can_spare(void) {
#if defined MADV_HUGEPAGE && defined MADV_FREE
    return true;
#else
    return false;
#endif
}

int64_t wadi_pages_machine(void) {
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (int64_t)pages * page : 0;
#else
    return 0;
#endif
}
