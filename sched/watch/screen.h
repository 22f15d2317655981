/* A run as `wadi top` shows it. */
#ifndef WADI_SCHED_WATCH_SCREEN_H
#define WADI_SCHED_WATCH_SCREEN_H

#include "base/text.h"
#include "sched/view.h"
#include "sched/watch/history.h"

typedef enum wadi_watch_sort { /* of stages: the first comes first */
                               WADI_WATCH_BY_PLAN,
                               WADI_WATCH_BY_ELEMENTS,
                               WADI_WATCH_BY_BYTES,
                               WADI_WATCH_BY_FILL,
                               WADI_WATCH_BY_BUSY,
                               WADI_WATCH_SORTS
} wadi_watch_sort;

/* By number; ends with NULL. */
extern const char *const wadi_watch_sorts[];
/* The number of that name; -1: there is none. */
int wadi_watch_find_sort(const char *name);

typedef struct wadi_watch_screen {
    int width, height; /* of the terminal; height 0: as many lines as there are */
    wadi_watch_sort sort;
    bool utf8; /* of the terminal */
} wadi_watch_screen;

/* Appends the lines, each ended by a newline, of at most `width` characters. */
void wadi_watch_draw(const wadi_view *v, const wadi_watch_pace *p, const wadi_watch_screen *o,
                     wadi_text *out);

#endif
