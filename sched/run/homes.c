/* What is known of the homes of a program's runs: in this process, and in a file beside the sizes of chunks. Runs on inputs of other sizes, by powers of two,
 * are known by themselves. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/log.h"
#include "sched/run/state.h"
#include "sched/sizes.h"

static const int64_t worth_ns = 200000000; /* a run that takes less is worth no file */

/* ---- of this process ---- */

enum { KEPT = 64 };

typedef struct kept {
    uint8_t program[sizeof((wadi_plan *)NULL)->program];
    char name[sizeof((wadi_run *)NULL)->homes_name];
    bool was_open[WADI_DEVICES_MOST];
    wadi_home homes; /* n 0: nothing is kept here */
    uint64_t used;
} kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static kept memory[KEPT];
static uint64_t uses;

static bool is_of(const kept *k, const wadi_run *x) {
    return k->homes.n > 0 && strcmp(k->name, x->homes_name) == 0 &&
           memcmp(k->program, x->plan->program, sizeof k->program) == 0;
}

/* The one that is kept, or the room to keep one in: that which was not used longest. By the lock. */
static kept *place_of(const wadi_run *x) {
    kept *best = &memory[0];
    for (int i = 0; i < KEPT; i++) {
        if (is_of(&memory[i], x)) return &memory[i];
        if (memory[i].used < best->used) best = &memory[i];
    }
    return best;
}

static bool recall_here(wadi_run *x) {
    (void)pthread_mutex_lock(&lock);
    const kept *k = place_of(x);
    const bool found = is_of(k, x);
    if (found) x->homes = k->homes;
    if (found) memcpy(x->was_open, k->was_open, sizeof x->was_open);
    (void)pthread_mutex_unlock(&lock);
    return found;
}

static void keep_here(const wadi_run *x) {
    (void)pthread_mutex_lock(&lock);
    kept *k = place_of(x);
    if (!is_of(k, x)) *k = (kept){.used = 0};
    memcpy(k->program, x->plan->program, sizeof k->program);
    memcpy(k->name, x->homes_name, sizeof k->name);
    k->homes = x->homes;
    for (int i = 0; i < WADI_DEVICES_MOST; i++) k->was_open[i] = k->was_open[i] || x->was_open[i];
    k->used = ++uses;
    (void)pthread_mutex_unlock(&lock);
}

/* ---- of the file ---- */

static void recall_file(wadi_run *x) {
    char *line = wadi_sizes_read(x->plan, 0, x->homes_name);
    if (line != NULL) (void)wadi_home_load(&x->homes, line);
    free(line);
}

static void keep_file(const wadi_run *x) {
    wadi_text line = {0}, by = {0};
    wadi_text_addf(&by, "devices %s", x->devices.name);
    wadi_home_save(&x->homes, &line);
    if (!line.failed && !by.failed)
        wadi_sizes_write(x->plan, 0, x->homes_name, "time of a run at home on each device",
                         wadi_text_str(&by), wadi_text_str(&line));
    wadi_text_fini(&line);
    wadi_text_fini(&by);
}

/* ---- what runs are alike ---- */

static double array_bytes(const wadi_array *a) {
    double values = 1, bytes = 0;
    for (int d = 0; d < a->rank; d++) values *= (double)a->shape[d];
    for (int f = 0; f < a->fields; f++) bytes += (double)wadi_type_size(a->type[f]);
    return values * bytes;
}

static double input_bytes(const wadi_run *x) {
    double bytes = 0;
    for (int i = 0; i < x->plan->ninputs; i++) bytes += array_bytes(&x->given[i]);
    return bytes;
}

/* What the run has read and given, in bytes. */
static double units_of(wadi_run *x) {
    double bytes = 1 + input_bytes(x);
    for (int i = 0; i < x->plan->noutputs; i++) {
        const wadi_array a = wadi_slots_array(&x->slots, x->plan->outputs[i].slot);
        bytes += array_bytes(&a);
    }
    wadi_mutex_lock(&x->lock);
    bytes += (double)x->stats.bytes_in;
    wadi_mutex_unlock(&x->lock);
    return bytes;
}

static int magnitude(double bytes) {
    int n = 0;
    for (; bytes >= 2 && n < 62; bytes /= 2) n++;
    return n;
}

/* A program that has no name to be known by cannot be known again. */
static bool learns(const wadi_run *x) {
    static const uint8_t unknown[sizeof x->plan->program];
    return wadi_run_shares(x) && !x->options.forget && wadi_sizes_wanted() &&
           memcmp(x->plan->program, unknown, sizeof unknown) != 0;
}

static void recall(wadi_run *x) {
    x->homes = (wadi_home){.n = x->devices.n};
    snprintf(x->homes_name, sizeof x->homes_name, "home-%d-%016" PRIx64, magnitude(input_bytes(x)),
             wadi_hash_bytes(x->devices.name, strlen(x->devices.name)));
    if (!recall_here(x)) recall_file(x);
    for (int i = 0; i < x->devices.n; i++)
        x->homes.out[i] = x->homes.out[i] || x->devices.at[i].idle || x->gone[i];
}

/* ---- choosing ---- */

static void tell(wadi_run *x, const char *why) {
    wadi_mutex_lock(&x->lock);
    snprintf(x->home_why, sizeof x->home_why, "%s%s", x->devices.at[0].name, why);
    wadi_mutex_unlock(&x->lock);
}

/* False: it cannot be used. Devices are still in the order in which they were asked for. */
static bool move_to(wadi_run *x, int who) {
    wadi_error why = {.status = WADI_OK};
    char told[96];
    if (who == 0 || wadi_run_move(x, who, &why) == WADI_OK) return true;
    wadi_logf(WADI_LOG_WARNING, "device %s cannot be used: %s", x->devices.at[who].name, why.msg);
    x->gone[who] = true;
    x->trial = false;
    wadi_home_refused(&x->homes, who);
    if (x->homes_name[0] != '\0') keep_here(x);
    if (x->homes_name[0] != '\0') keep_file(x);
    snprintf(told, sizeof told, ", for %s cannot be used", x->devices.at[who].name);
    tell(x, told);
    return false;
}

/* "cuda:0, 0.0312 s at best there and 0.871 s on cpu" */
static void tell_times(wadi_run *x) {
    char why[120] = ", the first of the list";
    const wadi_home *h = &x->homes;
    const int who = x->chosen.place;
    if (who > 0)
        wadi_format(why, sizeof why, ", %.3g s a run, %.3g s on %s",
                    h->unit_ns[who] * h->units / 1e9, h->unit_ns[0] * h->units / 1e9,
                    x->first_name);
    else if (h->look_ns > 0)
        snprintf(why, sizeof why, ", no other proved faster");
    tell(x, why);
}

void wadi_run_choose_home(wadi_run *x) {
    x->stays = x->stays || x->saver.between != NULL || x->saved.at != NULL;
    if (x->devices.n == 1) return;
    if (x->chosen.place > 0) { /* those before it cannot be used: nothing is learned from that */
        tell(x, ", for those before it cannot be used");
        return;
    }
    memcpy(x->first_name, x->devices.at[0].name, sizeof x->first_name);
    tell(x, x->alone ? ", the others would round otherwise" : ", the first of the list");
    if (x->stays || x->alone) return;
    if (x->home_rule.choose != NULL) {
        if (move_to(x, x->home_rule.choose(x->home_rule.env, x->devices.n)))
            tell(x, ", as a rule says");
        return;
    }
    if (!learns(x)) return;
    recall(x);
    const wadi_home_choice c = wadi_home_next(&x->homes, x->was_open, wadi_run_comes_back(x));
    x->trial = c.trial;
    x->most_ns = c.most_ns;
    if (!move_to(x, c.who)) return;
    if (x->trial)
        tell(x, ", on trial");
    else
        tell_times(x);
}

/* ---- learning ---- */

void wadi_run_learn_home(wadi_run *x) {
    const int who = x->chosen.place;
    const int64_t load = atomic_load(&x->load_ns), took = wadi_clock_ns() - x->from_ns - load;
    if (x->homes_name[0] == '\0') return;
    const bool looked = x->homes.looks;
    wadi_home_saw(&x->homes, who, took, units_of(x), x->was_open[who] ? 0 : x->open_ns + load);
    x->was_open[who] = true;
    keep_here(x);
    if (took >= worth_ns || looked) keep_file(x);
}

void wadi_run_blame_home(wadi_run *x, bool late) {
    const int who = x->chosen.place;
    char why[80];
    if (late)
        wadi_home_late(&x->homes, who, wadi_clock_ns() - x->from_ns - atomic_load(&x->load_ns));
    else
        wadi_home_refused(&x->homes, who);
    snprintf(why, sizeof why, "%s", x->chosen.name);
    wadi_mutex_lock(&x->lock);
    snprintf(x->home_why, sizeof x->home_why, "%s %s", why,
             late ? "was slower, on trial" : "is out");
    wadi_mutex_unlock(&x->lock);
    if (x->homes_name[0] == '\0') return;
    keep_here(x);
    keep_file(x);
}
