/* Large blocks of memory in large pages.
 *
 * Fresh memory costs a page fault for each page when it is first touched. A block of hundreds of MiB in pages of 4 KiB spends
 * more time on faults than on being written. Large blocks therefore ask for large pages, where the system has them. */
#ifndef WADI_BASE_PAGES_H
#define WADI_BASE_PAGES_H

#include <stddef.h>

/* A block of `bytes` bytes, aligned at least to `align` (a power of two). The caller frees it with free(). NULL when out of memory. */
void *wadi_pages_take(size_t align, size_t bytes);

#endif
