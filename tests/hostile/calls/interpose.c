/* Preloaded into a program: makes the n-th call of a library function fail, and marks where main begins. (System calls fail by
 * tests/hostile/system.h.)
 *
 *     WADI_HOSTILE=KIND:N:WHAT   KIND malloc, thread or dlopen; N from 1, or 0: none. Other kinds are the test's (tests/hostile/system.h)
 *     WADI_HOSTILE_COUNT=FILE    how many calls of each there were, when main has ended
 *
 * Calls count from the beginning of main, in this process alone; its children are not disturbed. Requests of three libraries for
 * memory and threads are not disturbed either: if they get none, FFTW and libzmq (with its C++) abort, and libsndfile 1.2 crashes.
 * wadi checks that there is room for libzmq before it uses it (sched/room.h); room_test.sh tests that with limits. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hostile/system.h"

#define PUBLIC __attribute__((visibility("default")))

enum kind { MALLOC, THREAD, DLOPEN, KINDS };
static const char *const names[KINDS] = {"malloc", "thread", "dlopen"};

static int wanted = -1; /* a kind */
static long at;
static char count_file[512];
static atomic_long all[KINDS];
static atomic_bool armed;
static _Thread_local bool in_fragile; /* called by one, through others */

/* Where their code lies. */
enum { FRAGILE = 8 };
static struct range { uintptr_t from, to; } fragile[FRAGILE];
static int nfragile;

static int note_fragile(struct dl_phdr_info *about, size_t size, void *env) {
    (void)size;
    (void)env;
    static const char *const names_of[] = {"libfftw", "libsndfile", "libzmq", "libstdc++"};
    bool known_as = false;
    for (size_t i = 0; i < sizeof names_of / sizeof names_of[0]; i++)
        known_as = known_as || strstr(about->dlpi_name, names_of[i]) != NULL;
    if (!known_as) return 0;
    for (int i = 0; i < about->dlpi_phnum && nfragile < FRAGILE; i++) {
        const ElfW(Phdr) *part = &about->dlpi_phdr[i];
        const uintptr_t from = about->dlpi_addr + part->p_vaddr;
        bool known = false;
        for (int k = 0; k < nfragile; k++) known = known || fragile[k].from == from;
        if (!known && part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0)
            fragile[nfragile++] = (struct range){from, from + part->p_memsz};
    }
    return 0;
}

static void find_fragile(void) {
    (void)dl_iterate_phdr(note_fragile, NULL);
}

/* Is this the call? */
static bool strikes(int kind) {
    return atomic_load(&armed) && atomic_fetch_add(&all[kind], 1) + 1 == at && kind == wanted;
}

/* The same of a call from there. */
static bool strikes_at(int kind, const void *caller) {
    const uintptr_t code = (uintptr_t)caller;
    if (in_fragile) return false;
    for (int i = 0; i < nfragile; i++)
        if (code >= fragile[i].from && code < fragile[i].to) return false;
    return strikes(kind);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* ---- memory: glibc's own names, since dlsym allocates ---- */

#define MEMORY_STRIKES() strikes_at(MALLOC, __builtin_return_address(0))

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t m);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t a, size_t n);

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

PUBLIC void *malloc(size_t n) {
    return MEMORY_STRIKES() ? no_memory() : __libc_malloc(n);
}

PUBLIC void *calloc(size_t n, size_t m) {
    return MEMORY_STRIKES() ? no_memory() : __libc_calloc(n, m);
}

PUBLIC void *realloc(void *p, size_t n) {
    return MEMORY_STRIKES() ? no_memory() : __libc_realloc(p, n);
}

PUBLIC void *aligned_alloc(size_t a, size_t n) {
    return MEMORY_STRIKES() ? no_memory() : __libc_memalign(a, n);
}

PUBLIC void *memalign(size_t a, size_t n) {
    return MEMORY_STRIKES() ? no_memory() : __libc_memalign(a, n);
}

PUBLIC int posix_memalign(void **out, size_t a, size_t n) {
    if (MEMORY_STRIKES()) return ENOMEM;
    *out = __libc_memalign(a, n);
    return *out != NULL ? 0 : ENOMEM;
}

/* ---- threads, modules ---- */

PUBLIC int pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *env) {
    return strikes_at(THREAD, __builtin_return_address(0))
               ? EAGAIN
               : REAL(pthread_create)(out, attributes, run, env);
}

PUBLIC void *dlopen(const char *path, int flags) {
    if (strikes(DLOPEN)) path = "/nonexistent/module.so"; /* so that dlerror has words */
    void *module = REAL(dlopen)(path, flags);
    if (module != NULL && armed) find_fragile();
    return module;
}

/* ---- libzmq's beginning: libpgm, and what it asks of libc, abort like itself ---- */

void *zmq_ctx_new(void);

PUBLIC void *zmq_ctx_new(void) {
    in_fragile = true;
    void *context = REAL(zmq_ctx_new)();
    in_fragile = false;
    return context;
}

/* ---- from main on ---- */

static void take_orders(void) {
    char kind[16] = "";
    const char *said = getenv("WADI_HOSTILE"), *file = getenv("WADI_HOSTILE_COUNT");
    if (said == NULL || file == NULL || sscanf(said, "%15[a-z]:%ld", kind, &at) != 2) abort();
    for (int i = 0; i < KINDS; i++)
        if (strcmp(names[i], kind) == 0) wanted = i;
    (void)strncpy(count_file, file, sizeof count_file - 1);
    (void)unsetenv("WADI_HOSTILE");
    (void)unsetenv("WADI_HOSTILE_COUNT");
    (void)unsetenv("LD_PRELOAD");
}

static void tell_count(void) {
    char text[256];
    int n = 0;
    atomic_store(&armed, false);
    (void)syscall(SYS_fsync, HOSTILE_PAUSE);
    const int fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (int i = 0; i < KINDS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%ld\n", atomic_load(&all[i]));
    if (fd < 0 || write(fd, text, (size_t)n) != n) abort();
    (void)close(fd);
    (void)syscall(SYS_fsync, HOSTILE_GO); /* what is done on the way out counts again */
}

static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **env) {
    take_orders();
    find_fragile();
    (void)syscall(SYS_fsync, HOSTILE_GO);
    atomic_store(&armed, true);
    const int status = real_main(argc, argv, env);
    tell_count();
    return status;
}

PUBLIC int __libc_start_main(int (*main_)(int, char **, char **), int argc, char **argv,
                             void (*init)(void), void (*fini)(void), void (*end)(void),
                             void *stack) {
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                 void (*)(void), void *);
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main_;
    return start(counted_main, argc, argv, init, fini, end, stack);
}
