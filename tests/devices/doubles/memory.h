/* The memory of a device that does not exist: host memory without access rights, except while the device works. Every block ends where
 * memory ends that nobody may touch, and begins as garbage. */
#ifndef WADI_TESTS_DEVICES_MEMORY_H
#define WADI_TESTS_DEVICES_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Blocks belong to somebody. NULL: out of memory. */
char *memory_take(const void *owner, size_t bytes);
/* False: nobody has taken it, or it has been given back. */
bool memory_give(const char *block);
void memory_give_all(const void *owner);
/* Whether these bytes lie within one block of the owner's. */
bool memory_has(const void *owner, const char *at, size_t bytes);
size_t memory_used(const void *owner);
int memory_blocks(void);

void memory_open(void);
void memory_close(void);

#endif
