/* The clock of libnats.
 *
 * Every wait of the library (3.4.1, and those up to 3.14) ends by the clock on the wall: that of its thread that writes, which takes a millisecond, those for replies, its
 * timers, its attempts to connect. Set back by an hour in such a wait, that clock makes it one of an hour, and nothing in its interface changes that. So the two functions of
 * the system by which it reads that clock and waits by it are replaced, in the library alone, where the loader has noted their addresses (the slots of its relocations): by a
 * clock that shows the time of day as it was at first, and never jumps.
 *
 * A slot is known by what is in it, and only both or none are changed. Where that is not how the library has been loaded (statically, bound lazily, another C library), it
 * keeps the clock that it has; so it does under the thread sanitizer, which sees no lock that the library takes, and would see ours give it back. */
#define _GNU_SOURCE /* dl_iterate_phdr, pthread_cond_clockwait */
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "modules/nats/inside.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !HAS_FEATURE(thread_sanitizer)
#define HAS_CLOCKWAIT __GLIBC_PREREQ(2, 30)
#else
#define HAS_CLOCKWAIT 0
#endif

#if HAS_CLOCKWAIT

static const int64_t second_ns = 1000000000;

/* ---- what takes their place ---- */

/* From CLOCK_MONOTONIC to the library's clock. */
static int64_t ahead_ns;

static int64_t ns_of(const struct timespec *t) {
    return (int64_t)t->tv_sec * second_ns + t->tv_nsec;
}

static struct timespec time_of(int64_t ns) {
    return (struct timespec){(time_t)(ns / second_ns), (long)(ns % second_ns)};
}

static int steady_gettime(clockid_t clock, struct timespec *out) {
    if (clock != CLOCK_REALTIME) return clock_gettime(clock, out);
    const int failed = clock_gettime(CLOCK_MONOTONIC, out);
    if (failed == 0) *out = time_of(ns_of(out) + ahead_ns);
    return failed;
}

static int steady_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                            const struct timespec *until) {
    const int64_t ns = ns_of(until) - ahead_ns;
    const struct timespec t = time_of(ns > 0 ? ns : 0);
    return pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, &t);
}

/* ---- where the library keeps their addresses ---- */

typedef struct slots {
    uintptr_t *clock, *wait;
    uintptr_t page;
    uintptr_t fixed, fixed_end; /* pages that the loader has made read-only */
} slots;

static bool holds(const struct dl_phdr_info *object, uintptr_t address) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && address - object->dlpi_addr - p->p_vaddr < p->p_memsz)
            return true;
    }
    return false;
}

/* table 0: there is none. On some machines the loader leaves the address as it is in the file. */
static void look_through(slots *s, uintptr_t base, uintptr_t table_at, size_t bytes) {
    const ElfW(Rela) *table = (const ElfW(Rela) *)(table_at + (table_at < base ? base : 0));
    for (size_t i = 0; table_at != 0 && i < bytes / sizeof *table; i++) {
        uintptr_t *slot = (uintptr_t *)(base + table[i].r_offset);
        if ((uintptr_t)slot % sizeof *slot != 0) continue;
        if (*slot == (uintptr_t)clock_gettime) s->clock = slot;
        if (*slot == (uintptr_t)pthread_cond_timedwait) s->wait = slot;
    }
}

static void look_at(slots *s, uintptr_t base, const ElfW(Dyn) * d) {
    uintptr_t data = 0, calls = 0;
    size_t data_bytes = 0, calls_bytes = 0;
    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_RELA) data = d->d_un.d_ptr;
        if (d->d_tag == DT_RELASZ) data_bytes = d->d_un.d_val;
        if (d->d_tag == DT_JMPREL) calls = d->d_un.d_ptr;
        if (d->d_tag == DT_PLTRELSZ) calls_bytes = d->d_un.d_val;
        if (d->d_tag == DT_PLTREL && d->d_un.d_val != DT_RELA) return; /* of another form */
    }
    look_through(s, base, data, data_bytes);
    look_through(s, base, calls, calls_bytes);
}

static int find_slots(struct dl_phdr_info *object, size_t n, void *found) {
    slots *s = found;
    WADI_UNUSED(n);
    /* Part of ourselves: its slots are ours, and we do look at the right clock. */
    if (!holds(object, (uintptr_t)nats_Now) || holds(object, (uintptr_t)find_slots)) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        const uintptr_t at = object->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC) look_at(s, object->dlpi_addr, (const ElfW(Dyn) *)at);
        if (p->p_type != PT_GNU_RELRO) continue;
        s->fixed = at / s->page * s->page;
        s->fixed_end = (at + p->p_memsz) / s->page * s->page;
    }
    return 1;
}

static bool is_fixed(const slots *s, const uintptr_t *slot) {
    return (uintptr_t)slot >= s->fixed && (uintptr_t)slot < s->fixed_end;
}

/* False: the system does not let us write there. */
static bool protect(const slots *s, const uintptr_t *slot, int how) {
    const uintptr_t at = (uintptr_t)slot / s->page * s->page;
    return !is_fixed(s, slot) || mprotect((void *)at, s->page, how) == 0;
}

static void replace(const slots *s) {
    const bool writable =
        protect(s, s->clock, PROT_READ | PROT_WRITE) && protect(s, s->wait, PROT_READ | PROT_WRITE);
    if (writable) {
        /* Other threads may call them now: both clocks show the same still. */
        __atomic_store_n(s->clock, (uintptr_t)steady_gettime, __ATOMIC_RELEASE);
        __atomic_store_n(s->wait, (uintptr_t)steady_timedwait, __ATOMIC_RELEASE);
    }
    (void)protect(s, s->clock, PROT_READ);
    (void)protect(s, s->wait, PROT_READ);
}

static void steady(void) {
    slots s = {.page = (uintptr_t)sysconf(_SC_PAGESIZE)};
    struct timespec wall, never_jumps;
    if (clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
        clock_gettime(CLOCK_MONOTONIC, &never_jumps) != 0)
        return;
    ahead_ns = ns_of(&wall) - ns_of(&never_jumps);
    (void)dl_iterate_phdr(find_slots, &s);
    if (s.clock != NULL && s.wait != NULL) replace(&s);
}

#else

static void steady(void) {
}

#endif

void wadi_nats_steady(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, steady);
}
