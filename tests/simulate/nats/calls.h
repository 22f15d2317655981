/* Read before each file of modules/nats: its threads, its waits and its chance are those of the world. */
#ifndef TESTS_SIMULATE_NATS_CALLS_H
#define TESTS_SIMULATE_NATS_CALLS_H

#include <poll.h>
#include <pthread.h>
#include <sodium.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

int calls_lock(pthread_mutex_t *m);
int calls_unlock(pthread_mutex_t *m);
int calls_signal(pthread_cond_t *c);
int calls_broadcast(pthread_cond_t *c);
int calls_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int calls_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *env), void *env);
int calls_join(pthread_t t, void **out);
int calls_clock(clockid_t clock, struct timespec *out);
int calls_poll(struct pollfd *fds, nfds_t n, int ms);
ssize_t calls_write(int fd, const void *bytes, size_t n);
void calls_random(void *bytes, size_t n);

#ifndef CALLS_THEMSELVES
#define pthread_mutex_lock calls_lock
#define pthread_mutex_unlock calls_unlock
#define pthread_cond_signal calls_signal
#define pthread_cond_broadcast calls_broadcast
#define pthread_cond_timedwait calls_wait
#define pthread_create calls_create
#define pthread_join calls_join
#define clock_gettime calls_clock
#define poll calls_poll
#define write calls_write
#define randombytes_buf calls_random
#endif

#endif
