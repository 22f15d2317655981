/* Large blocks of memory in large pages.
 *
 * Fresh memory costs a fault per page when it is first touched; a block of hundreds of MiB in pages of 4 KiB spends more time
 * on that than on being written. Where the system has large pages to offer, large blocks ask for them. */
#ifndef WADI_BASE_PAGES_H
#define WADI_BASE_PAGES_H

#include <stddef.h>

/* Aligned to `align` (a power of two) at least; free() gives it back. NULL when out of memory. */
void *wadi_pages_take(size_t align, size_t bytes);

#endif
