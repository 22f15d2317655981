/* One table of programs under one lock. The programs of a bucket are linked by a field of their own, so adding one needs no
 * memory and cannot fail. */
#include "graph/lang/live.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { BUCKETS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the table and every `stray` */
static wadi_program *bucket[BUCKETS];
static uint32_t given;
static atomic_uint removed;

static wadi_program **place_of(uint32_t number) {
    wadi_program **at = &bucket[number % BUCKETS];
    while (*at && (*at)->number != number) at = &(*at)->next_live;
    return at;
}

void wadi_live_add(wadi_program *p) {
    (void)pthread_mutex_lock(&lock);
    do given++;
    while (given == 0 || *place_of(given)); /* after 2^32 programs the numbers begin again */
    p->number = given;
    *place_of(given) = p;
    (void)pthread_mutex_unlock(&lock);
}

void wadi_live_remove(wadi_program *p) {
    (void)pthread_mutex_lock(&lock);
    wadi_program **at = place_of(p->number);
    if (*at) *at = p->next_live;
    (void)pthread_mutex_unlock(&lock);
    atomic_fetch_add(&removed, 1);
}

wadi_program *wadi_live_find(uint32_t number) {
    (void)pthread_mutex_lock(&lock);
    wadi_program *p = *place_of(number);
    (void)pthread_mutex_unlock(&lock);
    return p;
}

uint32_t wadi_live_removed(void) {
    return atomic_load(&removed);
}

bool wadi_live_name(uint32_t number, char *name, size_t room) {
    (void)pthread_mutex_lock(&lock);
    const wadi_program *p = *place_of(number);
    if (p) (void)snprintf(name, room, "%s", p->name);
    (void)pthread_mutex_unlock(&lock);
    return p != NULL;
}

void wadi_live_stray(uint32_t number, const wadi_error *e) {
    (void)pthread_mutex_lock(&lock);
    wadi_program *p = *place_of(number);
    if (p && p->stray.status == WADI_OK) p->stray = *e;
    (void)pthread_mutex_unlock(&lock);
}

void wadi_live_place_stray(uint32_t number, wadi_loc loc) {
    (void)pthread_mutex_lock(&lock);
    wadi_program *p = *place_of(number);
    if (p && !p->stray.at.file) p->stray.at = loc;
    (void)pthread_mutex_unlock(&lock);
}

wadi_error wadi_live_get_stray(const wadi_program *p) {
    (void)pthread_mutex_lock(&lock);
    const wadi_error e = p->stray;
    (void)pthread_mutex_unlock(&lock);
    return e;
}
