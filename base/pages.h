/* Large blocks of memory in large pages.
 *
 * Fresh memory costs a page fault for each page when it is first touched. A block of hundreds of MiB in pages of 4 KiB spends
 * more time on faults than on being written. Large blocks therefore ask for large pages, where the system has them. */
#ifndef WADI_BASE_PAGES_H
#define WADI_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of `bytes` bytes, aligned at least to `align` (a power of two). The caller frees it with free(). NULL when out of memory. */
void *wadi_pages_take(size_t align, size_t bytes);

/* The same for blocks of which many come and go: one of WADI_PAGES_APART bytes or more lies in pages of its own; any is aligned to 64 bytes. What the C library frees it keeps for
 * itself where smaller blocks lie between, and in each thread anew. Such pages are the system's again at once. The caller gives the block to wadi_pages_give,
 * with the size that he has asked for. */
enum { WADI_PAGES_APART = 1 << 18 };
void *wadi_pages_get(size_t bytes);
void wadi_pages_give(void *block, size_t bytes);

/* Tells the system that what is in a block of wadi_pages_take or wadi_pages_get behind its first `kept` bytes is not needed: `bytes` is what was asked for. The system may take
 * such pages when memory is short, and until then, writing them costs no page fault. Bytes read before they are written may be old ones
 * or zero. Small blocks stay as they are. */
void wadi_pages_spare(void *block, size_t kept, size_t bytes);
/* Whether the system can be told that. */
bool wadi_pages_can_spare(void);

/* Bytes of memory that the machine has; 0: not known. */
int64_t wadi_pages_machine(void);

#endif
