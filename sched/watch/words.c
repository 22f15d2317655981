/* Choosing digits and units. */
#include "sched/watch/words.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/utf8.h"

/* The number in units of a power of 1000; what it is that is counted stands behind the letter. */
static wadi_watch_word scale(double n, const char *unit) {
    static const char *const letters[] = {"", "k", "M", "G", "T", "P", "E"};
    wadi_watch_word w;
    int i = 0;
    for (; n >= 999.5 && i < 6; i++) n /= 1000;
    const int digits = i == 0 || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2;
    const char *space = letters[i][0] != '\0' || unit[0] != '\0' ? " " : "";
    (void)wadi_format(w.at, sizeof w.at, "%.*f%s%s%s", digits, n, space, letters[i], unit);
    return w;
}

wadi_watch_word wadi_watch_count(double n) {
    return scale(n, "");
}

wadi_watch_word wadi_watch_bytes(double n) {
    return scale(n, "B");
}

wadi_watch_word wadi_watch_seconds(double s) {
    wadi_watch_word w;
    const long whole = s < 1e9 ? (long)s : 1000000000L;
    if (s < 9.95)
        (void)wadi_format(w.at, sizeof w.at, "%.1f s", s);
    else if (whole < 120)
        (void)wadi_format(w.at, sizeof w.at, "%.0f s", s);
    else if (whole < 7200)
        (void)snprintf(w.at, sizeof w.at, "%ld:%02ld min", whole / 60, whole % 60);
    else if (whole < 172800)
        (void)snprintf(w.at, sizeof w.at, "%ld:%02ld h", whole / 3600, whole / 60 % 60);
    else
        (void)snprintf(w.at, sizeof w.at, "%ld d", whole / 86400);
    return w;
}

void wadi_watch_plain(wadi_text *out, const char *s) {
    for (size_t left = strlen(s), n; left > 0; left -= n, s += n) {
        const size_t length = wadi_utf8_length(s, left);
        const bool plain = length > 0 && !wadi_utf8_is_control(wadi_utf8_code(s, length));
        n = length > 0 ? length : 1;
        wadi_text_add_n(out, plain ? s : ".", plain ? n : 1);
    }
}
