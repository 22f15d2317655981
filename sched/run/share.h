/* Which devices of a run share the chunks of a stream, and how much each takes: decided by measuring, and followed.
 *
 * A stream begins on the first device alone. Once it has proved long, the others are opened and each computes some elements on trial. If the
 * times promise enough, the ways to go on (the first alone, another alone, all together) are tried in windows of time that alternate,
 * and what has the best median of time per element stays, until it is looked at again. So a stream is not long slower than on its fastest device
 * alone. What was found out is a line of text, from which another run starts.
 *
 * This uses no clock: whoever asks says how late it is. */
#ifndef WADI_SCHED_RUN_SHARE_H
#define WADI_SCHED_RUN_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "sched/devices.h"

enum {
    WADI_SHARE_ALL = -1, /* instead of the number of a device that works alone */
    WADI_SHARE_ROUNDS = 3,
    WADI_SHARE_WAYS = 3
};

typedef enum wadi_sharing_state {
    WADI_SHARING_LOOKS, /* at the first device alone */
    WADI_SHARING_OPENS, /* waits for the others to be ready */
    WADI_SHARING_TRIES,
    WADI_SHARING_STAYS
} wadi_sharing_state;

/* All zero but n is the start. */
typedef struct wadi_sharing {
    int n;                                /* devices; number 0 is the first */
    double element_ns[WADI_DEVICES_MOST]; /* time per element, followed; 0: not known */
    bool out[WADI_DEVICES_MOST];          /* takes nothing any more */
    wadi_sharing_state state;
    int who;                            /* computes now: a device, or WADI_SHARE_ALL */
    int learned;                        /* what an earlier run has found best */
    bool learnt;                        /* there is such a thing, and it was not used yet */
    bool known;                         /* this run, or one before it, has decided */
    int ways, way[WADI_SHARE_WAYS], at; /* that are tried; the one that is measured */
    int rounds[WADI_SHARE_WAYS];
    double cost[WADI_SHARE_WAYS][WADI_SHARE_ROUNDS];
    bool open; /* a window */
    int chunks;
    int64_t begin_ns, begin_elements; /* of it */
    int64_t look_ns;                  /* until the next look; 0: the first */
} wadi_sharing;

typedef struct wadi_share_reading {
    int64_t now_ns, elements; /* clock; elements of the stream so far */
    bool disturbed;           /* the last chunk says nothing, because code was loaded first */
    bool ready;               /* each device that is not out has been measured */
} wadi_share_reading;

/* Before a chunk: who computes it. *out_wants: the other devices are to be opened, or to stay so. */
int wadi_sharing_next(wadi_sharing *g, const wadi_share_reading *now, bool *out_wants);
/* Device `member` has computed so many elements in that time. */
void wadi_sharing_saw(wadi_sharing *g, int member, int64_t elements, int64_t ns);
/* Device `member` takes nothing any more. */
void wadi_sharing_lost(wadi_sharing *g, int member);
/* How many of `count` elements, all of which the fastest one would take, are that device's: so that all take equally long. 0: it is too
 * slow for any. */
int64_t wadi_sharing_part(const wadi_sharing *g, int member, int64_t count);

/* One line of readable text, without its end. */
void wadi_sharing_save(const wadi_sharing *g, wadi_text *out);
/* False: it is no such line, and nothing has changed. */
bool wadi_sharing_load(wadi_sharing *g, const char *line);

#endif
