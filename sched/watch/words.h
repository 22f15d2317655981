/* Numbers as people read them. */
#ifndef WADI_SCHED_WATCH_WORDS_H
#define WADI_SCHED_WATCH_WORDS_H

#include <stddef.h>

#include "base/text.h"

typedef struct wadi_watch_word {
    char at[24];
} wadi_watch_word;

/* "12", "1.23 k", "45.6 M": three digits, and a factor of 1000. */
wadi_watch_word wadi_watch_count(double n);
/* "812 B", "1.23 kB". */
wadi_watch_word wadi_watch_bytes(double n);
/* "0.3 s", "12 s", "3:05 min", "2:10 h", "3 d". */
wadi_watch_word wadi_watch_seconds(double s);

/* Appends a text for a terminal: each control character (base/utf8.h) becomes a dot, and so does each byte that is no UTF-8. */
void wadi_watch_plain(wadi_text *out, const char *s);

#endif
