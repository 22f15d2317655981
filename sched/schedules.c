/* The table of schedules, with the cost rule as a function of each row.
 *
 * Bodies of scalars run across: one SIMD lane per element. A computation of the main block has one element, so only the flat
 * schedule can keep several workers busy. Elements of a stream run inside, where values stay in cache, with two exceptions
 * that run flat: elements that are fewer than the workers and too large for a cache (or have proven long: sched/steps/few.h), and bodies made of what works on whole
 * chunks (library routines and manual liftings). */
#include "sched/schedules.h"

#include <string.h>

#include "base/args.h"
#include "base/text.h"

static const int64_t cache_bytes = 256 * 1024; /* roughly the second-level cache of one worker */

enum { BEST, GOOD, USUAL, POOR };

static int cost_inside(const wadi_plan_body *body, const wadi_situation *s) {
    (void)body, (void)s;
    return USUAL;
}

static int cost_flat(const wadi_plan_body *body, const wadi_situation *s) {
    if (s->main_block || body->lifted) return GOOD;
    return s->count < s->workers && s->bytes / s->count > cache_bytes ? GOOD : POOR;
}

static int cost_across(const wadi_plan_body *body, const wadi_situation *s) {
    (void)s;
    return body->rank0 ? BEST : POOR;
}

#define ROW(NAME, name, about) [WADI_SCHEDULE_##NAME] = {#name, about, RULE_##NAME},
#define RULE_INSIDE cost_inside, false
#define RULE_FLAT cost_flat, true
#define RULE_ACROSS cost_across, false
#define RULE_GROUP NULL, true

const wadi_schedule_row wadi_schedules[WADI_SCHEDULE_COUNT] = {WADI_SCHEDULES(ROW)};

/* ---- names ---- */

/* "auto, inside, flat, across or group" */
static void list_names(wadi_text *out) {
    wadi_text_add(out, "auto");
    for (int i = 0; i < WADI_SCHEDULE_COUNT; i++)
        wadi_text_addf(out, "%s%s", i + 1 < WADI_SCHEDULE_COUNT ? ", " : " or ",
                       wadi_schedules[i].name);
}

/* The options are AUTO and then the schedules in their order. */
int wadi_forced_schedule(wadi_schedule_option o) {
    return (int)o - 1;
}

static wadi_schedule_option forcing(int schedule) {
    return (wadi_schedule_option)(schedule + 1);
}

static int find(const char *name) {
    for (int i = 0; i < WADI_SCHEDULE_COUNT; i++)
        if (strcmp(wadi_schedules[i].name, name) == 0) return i;
    return -1;
}

wadi_status wadi_schedule_take(const char *value, wadi_schedule_option *out, wadi_error *err) {
    const int found = find(value);
    if (found < 0 && strcmp(value, "auto") != 0) {
        wadi_text names = {0};
        list_names(&names);
        const wadi_status st = wadi_args_bad("--schedule", value, wadi_text_str(&names), err);
        wadi_text_fini(&names);
        return st;
    }
    *out = found < 0 ? WADI_SCHEDULE_AUTO : forcing(found);
    return WADI_OK;
}
