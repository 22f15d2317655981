/* Weighing devices by what whole runs take. */
#include "sched/run/home.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

static const double first_ns = 5e8;  /* runs that take less together are not worth a trial */
static const double least_ns = 5e7;  /* that a trial may take */
static const double patience = 2;    /* times what the best takes: then a trial is given up */
static const double gain = 0.95;     /* of the time of the first: another must need no more */
static const double hopeless = 1.05; /* times the best's: what costs so much is tried once */
static const double weight = 0.25;   /* of the latest time in the average */
static const double share =
    32; /* trials may take a part of 1 / share of the time until the next look */
static const double never_ns = 1e15;

/* ---- what is best ---- */

/* Time of a run like the latest. */
static double cost_of(const wadi_home *h, int i, const bool *open) {
    return h->unit_ns[i] * h->units + (open[i] ? 0 : h->begin_ns[i]);
}

int wadi_home_best(const wadi_home *h, const bool *open) {
    int best = 0;
    double least = h->out[0] ? 1e300 : gain * cost_of(h, 0, open);
    if (h->unit_ns[0] <= 0 && !h->out[0]) return 0;
    for (int i = 1; i < h->n; i++) {
        if (h->out[i] || h->unit_ns[i] <= 0 || cost_of(h, i, open) >= least) continue;
        least = cost_of(h, i, open);
        best = i;
    }
    return best;
}

/* ---- trials ---- */

static bool is_candidate(const wadi_home *h, int i, int best, const bool *open) {
    const double least = h->unit_ns[best];
    if (i == best || h->out[i] || h->runs[i] >= WADI_HOME_TRIALS) return false;
    if (h->runs[i] > 0 && h->unit_ns[i] > hopeless * least) return false;
    return open[i] || h->begin_ns[i] < least * h->units; /* else it loses by opening alone */
}

/* What the best takes is known from the runs before. */
static void begin_look(wadi_home *h, int best) {
    h->looks = true;
    h->trial_ns = 0;
    memset(h->runs, 0, sizeof h->runs);
    h->runs[best] = WADI_HOME_TRIALS;
}

static void end_look(wadi_home *h) {
    const double doubled = 2 * (h->look_ns > first_ns ? h->look_ns : first_ns);
    h->looks = false;
    h->spent_ns = 0;
    h->look_ns = share * h->trial_ns > doubled ? share * h->trial_ns : doubled;
}

wadi_home_choice wadi_home_next(wadi_home *h, const bool *open, bool may_try) {
    const int best = wadi_home_best(h, open);
    if (!may_try) return (wadi_home_choice){.who = best};
    if (!h->looks && h->spent_ns >= (h->look_ns > first_ns ? h->look_ns : first_ns))
        begin_look(h, best);
    for (int i = 0; h->looks && h->unit_ns[best] > 0 && i < h->n; i++) {
        if (!is_candidate(h, i, best, open)) continue;
        const double all = patience * h->unit_ns[best] * h->units,
                     most = all < never_ns ? all : never_ns;
        return (wadi_home_choice){i, true, (int64_t)(most > least_ns ? most : least_ns)};
    }
    if (h->looks) end_look(h);
    return (wadi_home_choice){.who = best};
}

/* ---- what came of it ---- */

void wadi_home_saw(wadi_home *h, int who, int64_t took_ns, double units, int64_t begin_ns) {
    double *is = &h->unit_ns[who];
    const double each = (double)took_ns / units;
    if (took_ns <= 0 || !(units >= 1)) return;
    if (*is <= 0 || (h->looks && h->runs[who] == 0))
        *is = each;
    else if (h->looks && h->runs[who] < WADI_HOME_TRIALS)
        *is = each < *is ? each : *is;
    else
        *is = each < *is ? each
                         : *is + weight * (each - *is); /* what disturbs a run makes it longer */
    if (h->looks) h->trial_ns += (double)took_ns;
    if (h->looks && h->runs[who] < WADI_HOME_TRIALS) h->runs[who]++;
    if (begin_ns > 0 && (h->begin_ns[who] <= 0 || (double)begin_ns < h->begin_ns[who]))
        h->begin_ns[who] = (double)begin_ns;
    h->spent_ns += (double)took_ns;
    h->units = units;
}

void wadi_home_late(wadi_home *h, int who, int64_t took_ns) {
    if (h->units >= 1) h->unit_ns[who] = (double)took_ns / h->units;
    h->trial_ns += (double)took_ns;
    if (h->runs[who] < WADI_HOME_TRIALS) h->runs[who]++;
}

void wadi_home_refused(wadi_home *h, int who) {
    h->unit_ns[who] = never_ns;
    h->runs[who] = WADI_HOME_TRIALS;
}

/* ---- what was learned ---- */

void wadi_home_save(const wadi_home *h, wadi_text *out) {
    wadi_text_addf(out, "home %d %.6g %.6g %.6g %.6g", h->looks, h->spent_ns, h->look_ns,
                   h->trial_ns, h->units);
    for (int i = 0; i < h->n; i++)
        wadi_text_addf(out, " %.6g %.6g %d", h->unit_ns[i], h->begin_ns[i], h->runs[i]);
}

/* The next number of the line; *at moves behind it. */
static bool take(const char **at, double most, double *out) {
    char *end = NULL;
    *out = wadi_format_read_f64(*at, &end);
    const bool good = end != *at && *out >= 0 && *out <= most;
    *at = end;
    return good;
}

bool wadi_home_load(wadi_home *h, const char *line) {
    static const double long_ns = 1e18;
    wadi_home got = {.n = h->n};
    double looks = 0, runs = 0;
    if (strncmp(line, "home ", 5) != 0) return false;
    const char *at = line + 5;
    bool good = take(&at, 1, &looks) && take(&at, long_ns, &got.spent_ns) &&
                take(&at, long_ns, &got.look_ns) && take(&at, long_ns, &got.trial_ns) &&
                take(&at, long_ns, &got.units);
    for (int i = 0; i < h->n && good; i++) {
        good = take(&at, long_ns, &got.unit_ns[i]) && take(&at, long_ns, &got.begin_ns[i]) &&
               take(&at, WADI_HOME_TRIALS, &runs);
        got.runs[i] = (int)runs;
    }
    if (!good || *at != '\0') return false;
    got.looks = looks > 0;
    memcpy(got.out, h->out, sizeof got.out);
    *h = got;
    return true;
}
