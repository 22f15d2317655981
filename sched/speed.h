/* How fast the machine is: measured by processes that ask, and kept for others. */
#ifndef WADI_SCHED_SPEED_H
#define WADI_SCHED_SPEED_H

#include <pthread.h>

typedef struct wadi_speed {
    const char *name;        /* of the file in the cache folder */
    const char *about;       /* a line in it */
    double (*measure)(void); /* 0: it could not */
    pthread_mutex_t lock;
    double known; /* 0: not yet */
} wadi_speed;

/* The greatest result of the first few processes that ask: the machine may be busy with other work while it is measured. A process always gets the same.
 * Any thread. */
double wadi_speed_of(wadi_speed *s);

#endif
