/* trace_judge FILE: reads a trace as those who show it do, and says what is wrong with it. It shares nothing with what writes traces.
 *
 * The file is JSON (RFC 8259), in UTF-8, without two members of one name. Its events are those of "Trace Event Format" (Google, 2016): metadata M, complete events X and instants i,
 * with the members that these need and no others. Times are exact to the nanosecond. In the order of their begins, and in that of the file where these are equal, the complete events of a
 * thread nest: each lies within the last one that has not ended, or begins when that has ended. Viewers drop or cut those that do not, and not all of them sort.
 * Each thread and the process are named once, before their events, and no two threads alike. Prints a line for each thread: NAME, how many events, and the sum of their
 * args "elements". */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 16, TEXT = 512, THREADS = 2000, ARGS = 4 };

static const char *text, *at;

static _Noreturn void wrong(const char *format, ...) {
    va_list of;
    int line = 1;
    for (const char *s = text; s != NULL && s < at; s++) line += *s == '\n';
    (void)fprintf(stderr, "trace_judge: line %d: ", line);
    va_start(of, format);
    (void)vfprintf(stderr, format, of);
    va_end(of);
    (void)fprintf(stderr, "\n");
    exit(1);
}

/* ---- JSON ---- */

static void skip_space(void) {
    at += strspn(at, " \t\r\n");
}

static void expect(char c) {
    skip_space();
    if (*at != c) wrong("'%c' is expected, not '%.20s'", c, at);
    at++;
}

static bool comes(char c) {
    skip_space();
    if (*at != c) return false;
    at++;
    return true;
}

/* How many bytes the character here has; an overlong or broken one, or a surrogate, is wrong. */
static int character(void) {
    const unsigned char *s = (const unsigned char *)at;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const int n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 0;
    uint32_t code = n > 1 ? s[0] & (0xffU >> (n + 1)) : s[0];
    if (n == 0) wrong("no UTF-8");
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) wrong("no UTF-8");
        code = code << 6 | (s[i] & 0x3fU);
    }
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) wrong("no UTF-8");
    if (code < 0x20) wrong("a control character in a string");
    return n;
}

/* Of a string, cut to what fits, with \u as it stands there. */
static void read_string(char out[TEXT]) {
    size_t n = 0;
    expect('"');
    while (*at != '"') {
        int length = *at == '\\' ? 2 : character();
        if (*at == '\\') {
            if (at[1] == '\0' || strchr("\"\\/bfnrtu", at[1]) == NULL) wrong("no such escape");
            if (at[1] == 'u') length = 6;
            for (int i = 2; i < length; i++)
                if (at[i] == '\0' || strchr("0123456789abcdefABCDEF", at[i]) == NULL)
                    wrong("four hexadecimal digits are expected");
        }
        for (int i = 0; i < length; i++, at++)
            if (n + 1 < TEXT) out[n++] = *at;
    }
    at++;
    out[n] = '\0';
}

static int64_t read_digits(int most) {
    int64_t n = 0;
    const size_t digits = strspn(at, "0123456789");
    if (digits == 0 || digits > (size_t)most || (digits > 1 && *at == '0'))
        wrong("no number: %.20s", at);
    for (size_t i = 0; i < digits; i++) n = 10 * n + (*at++ - '0');
    return n;
}

static int64_t read_integer(void) {
    skip_space();
    const bool negative = *at == '-';
    at += negative;
    const int64_t n = read_digits(18);
    return negative ? -n : n;
}

/* Microseconds, as nanoseconds. */
static int64_t read_time(void) {
    int64_t ns = 1000 * read_integer();
    if (*at != '.') return ns;
    at++;
    const size_t digits = strspn(at, "0123456789");
    if (digits != 3) wrong("three digits of a microsecond are expected");
    ns += (at[0] - '0') * 100 + (at[1] - '0') * 10 + (at[2] - '0');
    at += 3;
    return ns;
}

/* ---- events ---- */

typedef struct event {
    char ph, name[TEXT], arg[TEXT];
    int64_t pid, tid, ts, dur, elements;
    bool has_ph, has_pid, has_tid, has_ts, has_dur, has_name, has_args, has_s;
} event;

typedef struct span {
    int64_t tid, ts, end;
    size_t place; /* in the file */
} span;

typedef struct lane {
    bool named;
    char name[TEXT];
    int64_t events, elements;
} lane;

static lane lanes[THREADS];
static bool process_named;
static span *spans;
static size_t nspans, room;

static void once(bool *has, const char *what) {
    if (*has) wrong("two members \"%s\"", what);
    *has = true;
}

static void read_args(event *e) {
    char name[TEXT], seen[ARGS][TEXT];
    int n = 0;
    expect('{');
    if (comes('}')) return;
    do {
        read_string(name);
        for (int i = 0; i < n; i++)
            if (strcmp(seen[i], name) == 0) wrong("two arguments \"%s\"", name);
        if (n == ARGS) wrong("many arguments");
        memcpy(seen[n++], name, TEXT);
        expect(':');
        skip_space();
        if (*at == '"') {
            if (strcmp(name, "name") != 0) wrong("a text as argument \"%s\"", name);
            read_string(e->arg);
        } else {
            const int64_t value = read_integer();
            if (value < 0) wrong("\"%s\": %" PRId64, name, value);
            if (strcmp(name, "elements") == 0) e->elements = value;
        }
    } while (comes(','));
    expect('}');
}

static void read_member(event *e) {
    char name[TEXT], value[TEXT];
    read_string(name);
    expect(':');
    if (strcmp(name, "ph") == 0) {
        once(&e->has_ph, name);
        read_string(value);
        if (strlen(value) != 1 || strchr("MXi", value[0]) == NULL) wrong("a phase \"%s\"", value);
        e->ph = value[0];
    } else if (strcmp(name, "pid") == 0) {
        once(&e->has_pid, name);
        e->pid = read_integer();
    } else if (strcmp(name, "tid") == 0) {
        once(&e->has_tid, name);
        e->tid = read_integer();
    } else if (strcmp(name, "ts") == 0) {
        once(&e->has_ts, name);
        e->ts = read_time();
    } else if (strcmp(name, "dur") == 0) {
        once(&e->has_dur, name);
        e->dur = read_time();
    } else if (strcmp(name, "name") == 0) {
        once(&e->has_name, name);
        read_string(e->name);
    } else if (strcmp(name, "s") == 0) {
        once(&e->has_s, name);
        read_string(value);
        if (strcmp(value, "t") != 0) wrong("an instant of scope \"%s\"", value);
    } else if (strcmp(name, "args") == 0) {
        once(&e->has_args, name);
        read_args(e);
    } else {
        wrong("a member \"%s\" of an event", name);
    }
}

static void name_thread(const event *e) {
    if (e->arg[0] == '\0') wrong("a name is missing");
    if (strcmp(e->name, "process_name") == 0) {
        if (process_named) wrong("two names of the process");
        process_named = true;
        return;
    }
    if (strcmp(e->name, "thread_name") != 0) wrong("metadata \"%s\"", e->name);
    lane *l = &lanes[e->tid];
    if (l->named) wrong("two names of thread %" PRId64, e->tid);
    for (int i = 0; i < THREADS; i++)
        if (lanes[i].named && strcmp(lanes[i].name, e->arg) == 0)
            wrong("two threads \"%s\"", e->arg);
    l->named = true;
    memcpy(l->name, e->arg, TEXT);
}

static void keep_span(const event *e) {
    if (nspans == room) {
        room = room > 0 ? 2 * room : 1024;
        spans = realloc(spans, room * sizeof *spans);
        if (spans == NULL) abort();
    }
    spans[nspans] = (span){e->tid, e->ts, e->ts + e->dur, nspans};
    nspans++;
}

static void take_event(const event *e) {
    if (!e->has_ph || !e->has_pid || !e->has_tid || !e->has_name) wrong("a member is missing");
    if (e->pid != 1 || e->tid < 0 || e->tid >= THREADS)
        wrong("process %" PRId64 ", thread %" PRId64, e->pid, e->tid);
    if (e->ph == 'M') {
        if (e->has_ts || e->has_dur || e->has_s || !e->has_args) wrong("metadata of an odd form");
        name_thread(e);
        return;
    }
    lane *l = &lanes[e->tid];
    if (!l->named || !process_named) wrong("an event of a thread without a name");
    if (!e->has_ts || e->ts < 0 || e->arg[0] != '\0') wrong("an event of an odd form");
    if (e->has_dur != (e->ph == 'X') || e->has_s != (e->ph == 'i'))
        wrong("an event of an odd form");
    if (e->ph == 'X' && e->dur <= 0) wrong("an event without length");
    if (e->ph == 'X') keep_span(e);
    l->events++;
    l->elements += e->elements;
}

static void read_events(void) {
    expect('[');
    if (comes(']')) wrong("no events");
    do {
        static event e;
        memset(&e, 0, sizeof e);
        expect('{');
        do {
            read_member(&e);
        } while (comes(','));
        expect('}');
        take_event(&e);
    } while (comes(','));
    expect(']');
}

static void read_file(void) {
    bool has_unit = false, has_events = false;
    expect('{');
    do {
        char name[TEXT], value[TEXT];
        read_string(name);
        expect(':');
        if (strcmp(name, "displayTimeUnit") == 0) {
            once(&has_unit, name);
            read_string(value);
            if (strcmp(value, "ns") != 0 && strcmp(value, "ms") != 0) wrong("a unit \"%s\"", value);
        } else if (strcmp(name, "traceEvents") == 0) {
            once(&has_events, name);
            read_events();
        } else {
            wrong("a member \"%s\"", name);
        }
    } while (comes(','));
    expect('}');
    skip_space();
    if (*at != '\0') wrong("something behind the end: %.20s", at);
    if (!has_events) wrong("no events");
}

/* ---- nesting ---- */

static int by_begin(const void *a, const void *b) {
    const span *x = a, *y = b;
    if (x->tid != y->tid) return x->tid < y->tid ? -1 : 1;
    if (x->ts != y->ts) return x->ts < y->ts ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

static void check_nesting(void) {
    span open[DEEP];
    int n = 0;
    at = text; /* what is wrong is at no line */
    if (nspans > 0) qsort(spans, nspans, sizeof *spans, by_begin);
    for (size_t i = 0; i < nspans; i++) {
        const span *s = &spans[i];
        while (n > 0 && (open[n - 1].tid != s->tid || open[n - 1].end <= s->ts)) n--;
        if (n > 0 && s->end > open[n - 1].end)
            wrong("\"%s\": the event from %" PRId64 " to %" PRId64
                  " ns ends behind that around it, from %" PRId64 " to %" PRId64,
                  lanes[s->tid].name, s->ts, s->end, open[n - 1].ts, open[n - 1].end);
        if (n == DEEP) wrong("\"%s\": events in events, %d deep", lanes[s->tid].name, DEEP);
        open[n++] = *s;
    }
}

static char *read_whole(const char *path) {
    FILE *f = fopen(path, "rb");
    size_t n = 0, most = 1 << 20;
    char *all = malloc(most + 1);
    if (f == NULL || all == NULL) wrong("%s cannot be read", path);
    for (size_t got; (got = fread(all + n, 1, most - n, f)) > 0;) {
        n += got;
        if (n < most) continue;
        most *= 2;
        all = realloc(all, most + 1);
        if (all == NULL) abort();
    }
    (void)fclose(f);
    all[n] = '\0';
    if (strlen(all) != n) wrong("a byte that is zero");
    return all;
}

int main(int argc, char **argv) {
    if (argc != 2) wrong("expected: trace_judge FILE");
    char *all = read_whole(argv[1]);
    text = at = all;
    read_file();
    check_nesting();
    for (int i = 0; i < THREADS; i++)
        if (lanes[i].named)
            printf("%s: %" PRId64 " events, %" PRId64 " elements\n", lanes[i].name, lanes[i].events,
                   lanes[i].elements);
    free(spans);
    free(all);
    return 0;
}
