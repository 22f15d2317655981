#define _DEFAULT_SOURCE
#include "tests/devices/doubles/memory.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/vec.h"

enum { PAGE = 4096, ALIGN = 256, END = 1 << 19 };

typedef struct block {
    const void *owner;
    char *map, *at;
    size_t mapped, bytes; /* mapped: without the page behind it, which stays closed */
    bool touched;         /* since memory was opened */
} block;

static WADI_VEC(block) blocks;
static bool is_open;
static struct sigaction usual; /* of faults, while memory is closed */

/* What has not been written is garbage. Of large blocks only the ends are: filling them all would take most of the time of tests. */
static void fill(char *at, size_t bytes) {
    const size_t part = bytes < 2 * END ? bytes : END;
    memset(at, 0xc5, part);
    memset(at + bytes - part, 0xc5, part);
}

char *memory_take(const void *owner, size_t bytes) {
    const size_t rounded = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    block b = {.owner = owner, .mapped = (rounded + PAGE - 1) / PAGE * PAGE, .bytes = bytes};
    if (b.mapped < bytes || b.mapped + PAGE < bytes) return NULL;
    b.map = mmap(NULL, b.mapped + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b.map == MAP_FAILED) return NULL;
    b.at = b.map + b.mapped - rounded;
    fill(b.map, b.mapped);
    /* Of another kind than blocks, so that the system keeps each block apart and need not cut it out when it is opened. */
    (void)mmap(b.map + b.mapped, PAGE, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    (void)mprotect(b.map, b.mapped, PROT_NONE);
    if (wadi_vec_push(&blocks, b)) return b.at;
    (void)munmap(b.map, b.mapped + PAGE);
    return NULL;
}

static void remove_block(size_t i) {
    (void)munmap(blocks.at[i].map, blocks.at[i].mapped + PAGE);
    blocks.at[i] = blocks.at[--blocks.n];
}

bool memory_give(const char *at) {
    for (size_t i = 0; i < blocks.n; i++)
        if (blocks.at[i].at == at) {
            remove_block(i);
            return true;
        }
    return false;
}

void memory_give_all(const void *owner) {
    for (size_t i = blocks.n; i > 0; i--)
        if (blocks.at[i - 1].owner == owner) remove_block(i - 1);
}

bool memory_has(const void *owner, const char *at, size_t bytes) {
    for (size_t i = 0; i < blocks.n; i++) {
        const block *b = &blocks.at[i];
        if (b->owner == owner && at >= b->at && at <= b->at + b->bytes &&
            bytes <= (size_t)(b->at + b->bytes - at))
            return true;
    }
    return false;
}

size_t memory_used(const void *owner) {
    size_t bytes = 0;
    for (size_t i = 0; i < blocks.n; i++)
        if (blocks.at[i].owner == owner) bytes += blocks.at[i].bytes;
    return bytes;
}

int memory_blocks(void) {
    return (int)blocks.n;
}

/* ---- opening ---- */

/* A device works often and on few blocks, and opening a block takes a call of the system: so a block is opened when it is first touched.
 * A fault elsewhere goes to the handler that there was, as the instruction is tried again. */
static void touch(int number, siginfo_t *info, void *context) {
    const char *at = info->si_addr;
    (void)number, (void)context;
    for (size_t i = 0; i < blocks.n; i++) {
        block *b = &blocks.at[i];
        if (b->touched || at < b->map || at >= b->map + b->mapped) continue;
        b->touched = mprotect(b->map, b->mapped, PROT_READ | PROT_WRITE) == 0;
        if (b->touched) return;
    }
    (void)sigaction(SIGSEGV, &usual, NULL);
}

void memory_open(void) {
    struct sigaction action = {.sa_sigaction = touch, .sa_flags = SA_SIGINFO};
    (void)sigemptyset(&action.sa_mask);
    is_open = sigaction(SIGSEGV, &action, &usual) == 0;
}

void memory_close(void) {
    if (!is_open) return;
    is_open = false;
    (void)sigaction(SIGSEGV, &usual, NULL);
    for (size_t i = 0; i < blocks.n; i++) {
        if (blocks.at[i].touched) (void)mprotect(blocks.at[i].map, blocks.at[i].mapped, PROT_NONE);
        blocks.at[i].touched = false;
    }
}
