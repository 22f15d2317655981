/* Each lane has a stack, and gives way at barriers. When none can go on, all must stand at the same barrier, or all must have ended. */
#define _DEFAULT_SOURCE
#include <stdint.h>

#include "tests/devices/doubles/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <setjmp.h>

#include "base/error.h"

enum { LANES = WADI_GPU_LANES, STACK = 256 * 1024, GUARD = 4096 };

typedef enum state { READY, WAITING, ENDED } state;

static struct {
    ucontext_t at[LANES];
    jmp_buf back, here[LANES];
    bool begun[LANES];
    char *stacks;
    state state[LANES];
    int line[LANES]; /* of the barrier */
    int lane;        /* whose turn it is */
    lanes_kernel kernel;
    const wadi_gpu_call *call;
    unsigned random;
} lanes;

struct dim {
    unsigned x, y, z;
};

/* What host.h defines in the object. */
static struct variables {
    struct dim *thread, *block, *grid, *size;
    void (**barrier)(int line);
    void (*shared)(char **begin, char **end);
} its;

static unsigned random_below(unsigned n) {
    lanes.random = lanes.random * 1664525u + 1013904223u;
    return (unsigned)(((uint64_t)lanes.random * n) >> 32);
}

static void shuffle(unsigned *order, unsigned n) {
    for (unsigned i = 0; i < n; i++) order[i] = i;
    for (unsigned i = n; i > 1; i--) {
        const unsigned k = random_below(i), kept = order[k];
        order[k] = order[i - 1];
        order[i - 1] = kept;
    }
}

/* ---- a lane ---- */

/* A context is entered only once: each change of contexts asks the system for the signals, and these changes are what takes time. */
static void change(jmp_buf from, jmp_buf to) {
    if (_setjmp(from) == 0) _longjmp(to, 1);
}

static void wait_here(int line) {
    const int lane = lanes.lane;
    lanes.state[lane] = WAITING;
    lanes.line[lane] = line;
    change(lanes.here[lane], lanes.back);
}

/* For ever: a block that begins goes on where the last one has ended. */
static void run_lane(void) {
    for (;;) {
        const int lane = lanes.lane;
        lanes.kernel(*lanes.call);
        lanes.state[lane] = ENDED;
        change(lanes.here[lane], lanes.back);
    }
}

static void enter(int lane) {
    if (lanes.begun[lane]) {
        change(lanes.back, lanes.here[lane]);
    } else if (_setjmp(lanes.back) == 0) {
        lanes.begun[lane] = true;
        (void)setcontext(&lanes.at[lane]);
    }
}

static void make_stacks(void) {
    if (lanes.stacks != NULL) return;
    const size_t bytes = (size_t)LANES * (STACK + GUARD);
    lanes.stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    WADI_ASSERT(lanes.stacks != MAP_FAILED);
    for (int i = 0; i < LANES; i++) {
        (void)mprotect(lanes.stacks + (size_t)i * (STACK + GUARD), GUARD, PROT_NONE);
        (void)getcontext(&lanes.at[i]);
    }
}

/* One that has been left in the middle begins anew. */
static void begin_lanes(void) {
    for (int i = 0; i < LANES; i++) {
        if (lanes.state[i] != ENDED) lanes.begun[i] = false;
        lanes.state[i] = READY;
        if (lanes.begun[i]) continue;
        lanes.at[i].uc_stack.ss_sp = lanes.stacks + (size_t)i * (STACK + GUARD) + GUARD;
        lanes.at[i].uc_stack.ss_size = STACK;
        lanes.at[i].uc_link = NULL;
        makecontext(&lanes.at[i], run_lane, 0);
    }
}

static void run_turn(void) {
    unsigned order[LANES];
    shuffle(order, LANES);
    for (int i = 0; i < LANES; i++) {
        const int lane = (int)order[i];
        if (lanes.state[lane] != READY) continue;
        lanes.lane = lane;
        *its.thread = (struct dim){(unsigned)lane, 0, 0};
        enter(lane);
    }
}

/* ---- a block ---- */

/* False: they stand at different places. */
static bool let_go(bool *ended) {
    for (int i = 0; i < LANES; i++)
        if (lanes.state[i] != lanes.state[0] ||
            (lanes.state[0] == WAITING && lanes.line[i] != lanes.line[0])) {
            fprintf(stderr, "kernel: lane 0 %s line %d, lane %d %s line %d\n",
                    lanes.state[0] == ENDED ? "has ended, not at" : "waits at", lanes.line[0], i,
                    lanes.state[i] == ENDED ? "has ended, not at" : "waits at", lanes.line[i]);
            return false;
        }
    *ended = lanes.state[0] == ENDED;
    for (int i = 0; i < LANES && !*ended; i++) lanes.state[i] = READY;
    return true;
}

static bool run_block(unsigned block) {
    char *begin = NULL, *end = NULL;
    bool ended = false;
    its.shared(&begin, &end);
    if (begin != end) memset(begin, 0xd7, (size_t)(end - begin));
    *its.block = (struct dim){block, 0, 0};
    begin_lanes();
    while (!ended) {
        run_turn();
        if (!let_go(&ended)) return false;
    }
    return true;
}

static void *symbol(const wadi_dl *object, const char *name) {
    void *found = NULL;
    const wadi_status status = wadi_dl_symbol(object, name, &found, NULL);
    WADI_ASSERT(status == WADI_OK);
    WADI_UNUSED(status);
    return found;
}

static void find_variables(const wadi_dl *object) {
    wadi_dl_fn f = NULL;
    its.thread = symbol(object, "threadIdx");
    its.block = symbol(object, "blockIdx");
    its.grid = symbol(object, "gridDim");
    its.size = symbol(object, "blockDim");
    its.barrier = symbol(object, "wadi_double_barrier");
    if (wadi_dl_function(object, "wadi_double_shared", &f, NULL) == WADI_OK)
        its.shared = (void (*)(char **, char **))f;
}

bool lanes_run(const wadi_dl *object, lanes_kernel kernel, unsigned blocks,
               const wadi_gpu_call *call, unsigned seed) {
    unsigned *order = malloc((blocks + 1) * sizeof *order);
    bool right = order != NULL;
    make_stacks();
    find_variables(object);
    lanes.kernel = kernel;
    lanes.call = call;
    lanes.random = seed;
    *its.barrier = wait_here;
    *its.grid = (struct dim){blocks, 1, 1};
    *its.size = (struct dim){LANES, 1, 1};
    if (right) shuffle(order, blocks);
    for (unsigned i = 0; i < blocks && right; i++) right = run_block(order[i]);
    free(order);
    return right;
}
