/* Asking for large pages by madvise, which is not POSIX. No other file uses it. */
#define _DEFAULT_SOURCE
#include "base/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

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
