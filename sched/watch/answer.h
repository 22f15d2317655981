/* What this process answers to those who watch it, in one line of request and a text. */
#ifndef WADI_SCHED_WATCH_ANSWER_H
#define WADI_SCHED_WATCH_ANSWER_H

#include "base/text.h"

/* Appends the answer to "VERB NAME=VALUE ..". Verbs, with values that may be left out:
 *
 *     list                                      a line for each run: number, program, state, how long, elements
 *     json, metrics, why     run=N              of one run, or of all
 *     screen                 run=N width=N height=N sort=NAME utf8=0
 *     tap                    run=N stage=NUMBER           see tap.h
 *     pause, resume, drain   run=N              one run, or all
 *
 * Any thread. Errors: WADI_INVALID (no such verb, value or run; the run cannot be drained), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_watch_answer(const char *process, const char *request,
                                             wadi_text *out, wadi_error *err);

/* The same of one run of this process, whether it has begun or not, with the verbs json, metrics, why and screen: nothing is done to it. Any thread, while the run
 * exists. */
struct wadi_run;
WADI_NODISCARD wadi_status wadi_watch_answer_of(struct wadi_run *run, const char *process,
                                                const char *request, wadi_text *out,
                                                wadi_error *err);

/* For programs that are drained as a whole, whether their runs are saved or not. `drain` is called from any thread: with false it says whether the
 * program can be drained now, with true it does so; false: it cannot. The runs are then asked. NULL, the default: only these. */
void wadi_watch_drain_by(bool (*drain)(bool now));
/* Calls it. */
bool wadi_watch_program_drains(bool now);

#endif
