/* What a run is expected to do with each body: schedule and chunk, by the cost rule (sched/schedules.c), and why. */
#include "exe/expect.h"

#include "exe/exe.h"
#include "sched/schedules.h"
#include "sched/steps/choose.h"

enum { MANY = 1 << 20, WORKERS = 2, HUGE = 1 << 24 };

/* The schedules for a chunk with more elements than workers, and for one with fewer that are large. */
static void expect_stage(const wadi_plan_body *b, int forced, wadi_text *t) {
    const wadi_schedule many = wadi_choose_schedule(b, forced, false, MANY, MANY, WORKERS);
    const wadi_schedule few = wadi_choose_schedule(b, forced, false, 1, HUGE, WORKERS);
    wadi_text_addf(t, "%s: %s", b->name, wadi_schedules[many].name);
    if (forced >= 0)
        wadi_text_add(t, ", as it is asked for or as it is the only one\n");
    else if (b->rank0 && b->offers[WADI_SCHEDULE_ACROSS])
        wadi_text_add(t, ": all that it stores are scalars, so elements are the lanes\n");
    else if (b->lifted)
        wadi_text_add(t, ": what it calls works on whole chunks\n");
    else if (few != many)
        wadi_text_addf(
            t,
            ": what an element needs stays in the cache of its worker; %s for chunks of fewer "
            "elements than\n    workers, each too large for a cache\n",
            wadi_schedules[few].name);
    else
        wadi_text_add(t, ": it offers no other that is better\n");
}

static void expect_arrays(const wadi_plan_body *b, int forced, wadi_text *t) {
    const wadi_schedule s = wadi_choose_schedule(b, forced, true, 1, HUGE, WORKERS);
    wadi_text_addf(
        t, "%s: %s%s\n", b->name, wadi_schedules[s].name,
        forced >= 0 ? ", as it is asked for or as it is the only one"
        : s == WADI_SCHEDULE_FLAT
            ? ": whole arrays are one element, which only this schedule shares among workers"
            : ": it offers no other that is better");
}

static void expect_stream(const wadi_plan *p, const wadi_plan_stream *s, int forced, wadi_text *t) {
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].body >= 0) expect_stage(&p->bodies[s->stages[i].body], forced, t);
}

void wadi_exe_foresee(const wadi_exe *exe, int forced, wadi_text *t) {
    const wadi_plan *p = exe->plan;
    bool streams = false;
    wadi_text_add(t, "\n== expected ==\n\n");
    for (int i = 0; i < p->nphases; i++) {
        const wadi_plan_phase *phase = &p->phases[i];
        streams = streams || phase->is_stream;
        if (phase->is_stream)
            expect_stream(p, &phase->stream, forced, t);
        else
            expect_arrays(&p->bodies[phase->body], forced, t);
    }
    if (streams && forced < 0)
        wadi_text_add(t, "after a quarter of a second of work, each body's other schedules are "
                         "measured, and the fastest stays\n");
    if (streams)
        wadi_text_add(
            t, "chunk: as learned by earlier runs of the program; else it grows from few "
               "elements while that makes them\n    cheaper, and the memory of a run bounds it\n");
}
