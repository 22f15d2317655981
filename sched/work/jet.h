/* What the module "nats" offers: a way for items of work over JetStream, and what `wadi job` does with jobs. */
#ifndef WADI_SCHED_WORK_JET_H
#define WADI_SCHED_WORK_JET_H

#include "base/text.h"
#include "sched/work/ways.h"

/* "work" of nats */
typedef struct wadi_jet_work_offer {
    /* As wadi_way_open. */
    wadi_status (*open)(const wadi_workq_options *options, wadi_workq **out, wadi_error *err);
} wadi_jet_work_offer;

/* "jobs" of nats. Each adds lines to a text of the caller. Errors: WADI_INVALID (address), WADI_IO (no server, no such job), WADI_MEMORY. */
typedef struct wadi_jet_jobs_offer {
    /* The jobs of a server: name, whether it has a home, items and answers that wait, dead letters. The address needs no job. */
    wadi_status (*list)(const char *address, wadi_text *out, wadi_error *err);
    /* Sends home a request: status (what: "" for the numbers of the job, or a request to the run as of wadi_watch_answer_of), pause, resume, drain, resize (what: a number), and adds the answer. */
    wadi_status (*ask)(const char *address, const char *verb, const char *what, wadi_text *out,
                       wadi_error *err);
    /* The dead letters of a job. */
    wadi_status (*dead)(const char *address, wadi_text *out, wadi_error *err);
    /* Removes all that the server has of a job. Errors: also WADI_INVALID if it has a home, unless `force`. */
    wadi_status (*remove)(const char *address, bool force, wadi_error *err);
} wadi_jet_jobs_offer;

#endif
