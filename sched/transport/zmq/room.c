/* Checking for descriptors, threads and memory. The numbers are those of one context: two threads of its own, the
 * authenticator's and the guard's, their queues and polls, a socket, its monitor, a listener, and some connections. Memory means address
 * space: if it is limited (ulimit -v), each thread gets a heap of 64 MiB of it, so libzmq would meet the same limit later. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "sched/transport/zmq/room.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/thread.h"

enum { DESCRIPTORS = 28, THREADS = 4, MEBIBYTES = 1024 };

static wadi_status try_descriptors(const char *address, wadi_error *err) {
    int fd[DESCRIPTORS];
    int n = 0;
    while (n < DESCRIPTORS && (fd[n] = eventfd(0, EFD_CLOEXEC)) >= 0) n++;
    const int why = errno;
    for (int i = 0; i < n; i++) (void)close(fd[i]);
    if (n == DESCRIPTORS) return WADI_OK;
    return wadi_fail_errno(err, why, "%s: a link needs %d file descriptors, but there are only %d",
                           address, (int)DESCRIPTORS, n);
}

/* A thread that waits until the lock is free, so that all of them exist at once. */
static void *wait_for_lock(void *lock) {
    wadi_mutex_lock(lock);
    wadi_mutex_unlock(lock);
    return NULL;
}

static wadi_status try_memory(const char *address, wadi_error *err) {
    const size_t bytes = (size_t)MEBIBYTES << 20;
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return wadi_fail_errno(err, errno, "%s: a link needs room for %d MiB of addresses", address,
                               (int)MEBIBYTES);
    (void)munmap(memory, bytes);
    return WADI_OK;
}

/* Starts threads as ZeroMQ does, with stacks of the usual size, and takes the other memory. */
static wadi_status try_threads(const char *address, wadi_error *err) {
    wadi_mutex lock;
    pthread_t thread[THREADS];
    int n = 0, why = 0;
    WADI_TRY(wadi_mutex_init(&lock, err));
    wadi_mutex_lock(&lock);
    while (n < THREADS && (why = pthread_create(&thread[n], NULL, wait_for_lock, &lock)) == 0) n++;
    wadi_status status = try_memory(address, err);
    wadi_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) (void)pthread_join(thread[i], NULL);
    wadi_mutex_fini(&lock);
    if (n < THREADS)
        status =
            wadi_fail_errno(err, why, "%s: a link needs %d threads, but the system gives only %d",
                            address, (int)THREADS, n);
    return status;
}

wadi_status wadi_zmq_has_room(const char *address, wadi_error *err) {
    WADI_TRY(try_descriptors(address, err));
    return try_threads(address, err);
}
