/* Asking for large pages, and lending pages back, by madvise, which is not POSIX. No other file uses it.
 *
 * The address sanitizer watches the edges of the C library's blocks alone, so that it gets all of them. */
#define _DEFAULT_SOURCE
#include "base/pages.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define WADI_WATCHED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define WADI_WATCHED
#endif

/* A block of fewer than MANY large pages would waste too much of the last one. */
static const size_t large_page = (size_t)1 << 21;
enum { MANY = 4, LINE = 64 };

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

#if defined MAP_ANONYMOUS && !defined WADI_WATCHED

static const size_t small_page = (size_t)1 << 16; /* of any system */

static size_t whole_pages(size_t bytes) {
    const size_t unit = bytes >= MANY * large_page ? large_page : small_page;
    return (bytes + unit - 1) / unit * unit;
}

/* So many bytes, at such a multiple. */
static void *map_at(size_t unit, size_t bytes) {
    char *all =
        mmap(NULL, bytes + unit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    const size_t before = (unit - (uintptr_t)all % unit) % unit;
    if (before > 0) (void)munmap(all, before);
    if (before < unit) (void)munmap(all + before + bytes, unit - before);
    return all + before;
}

void *wadi_pages_get(size_t bytes) {
    if (bytes < WADI_PAGES_APART) return wadi_pages_take(LINE, bytes);
    const size_t size = whole_pages(bytes);
    if (size < bytes || size > SIZE_MAX / 2) return NULL;
    if (bytes >= MANY * large_page) {
        void *block = map_at(large_page, size);
#ifdef MADV_HUGEPAGE
        if (block != NULL) (void)madvise(block, size, MADV_HUGEPAGE); /* advice: failing is fine */
#endif
        return block;
    }
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block != MAP_FAILED ? block : NULL;
}

void wadi_pages_give(void *block, size_t bytes) {
    if (block != NULL && bytes >= WADI_PAGES_APART)
        (void)munmap(block, whole_pages(bytes));
    else
        free(block);
}

#else

void *wadi_pages_get(size_t bytes) {
    return wadi_pages_take(LINE, bytes);
}

void wadi_pages_give(void *block, size_t bytes) {
    (void)bytes;
    free(block);
}

#endif

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
