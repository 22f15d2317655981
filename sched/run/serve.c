/* Items through the body of a stage. */
#include "sched/run/serve.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "sched/run/stream.h"

typedef struct server {
    wadi_stream stream; /* of which only the stage's body runs */
    int stage;
    wadi_crew crew;
    wadi_chunk *values;
    wadi_workq *queue;
    wadi_served *served;
    char words[96];                       /* what it works on */
    int at[2 * WADI_MAX_PARTS], nresults; /* which components of what the body makes travel */
} server;

/* Whether the failure is this worker's own: it cannot go on. What a program does wrong, it does wrong everywhere; and what is too large here is for
 * home. */
static bool is_own(wadi_status status) {
    return status != WADI_OK && status != WADI_FAULT && status != WADI_SHAPE &&
           status != WADI_TYPE && status != WADI_MEMORY;
}

/* Registers what it works on: an operation and its line. */
static int begin_work(server *v, const wadi_chunk *in) {
    const wadi_plan *plan = v->stream.x->plan;
    const wadi_plan_place *p = &plan->places[v->stream.plan->stages[v->stage].place];
    (void)snprintf(v->words, sizeof v->words, "%s, line %d", p->op, p->loc.line);
    return wadi_task_work("elements from", in->first, v->words);
}

static wadi_status compute(server *v, const wadi_work_item *item, wadi_text *answer,
                           wadi_error *err) {
    wadi_run *x = v->stream.x;
    const wadi_plan_stage *p = &v->stream.plan->stages[v->stage];
    wadi_chunk *in = NULL, *sent = NULL;
    wadi_outcome o = {.out = NULL};
    WADI_TRY(wadi_item_read(item->bytes, item->n, x->plan, p->nparts, p->parts, false, x->buffers,
                            &in, err));
    const int ticket = begin_work(v, in);
    wadi_crew_begin_step(&v->crew);
    wadi_status status = wadi_body_run(&v->stream, v->stage, &v->crew, in, -1, &o, err);
    if (status == WADI_OK) status = wadi_chunk_select(o.out, v->nresults, v->at, &sent, err);
    if (status == WADI_OK) status = wadi_chunk_at_host(sent, err);
    if (status == WADI_OK) status = wadi_item_write(sent, answer, err);
    wadi_task_go_on(ticket);
    if (status == WADI_OK) atomic_fetch_add(&v->served->elements, in->count);
    wadi_chunk_release(sent);
    wadi_chunk_release(o.out);
    wadi_chunk_release(in);
    return status;
}

static wadi_status do_item(server *v, const wadi_work_item *item, wadi_error *err) {
    wadi_text bytes = {0};
    const wadi_status status = compute(v, item, &bytes, err);
    wadi_status answered = status;
    if (!is_own(status)) {
        const wadi_work_item answer = {
            .number = item->number, .status = status, .bytes = bytes.at, .n = (int64_t)bytes.n};
        answered = v->queue->ops->answer(v->queue, &answer, err);
        atomic_fetch_add(&v->served->items, 1);
    }
    wadi_text_fini(&bytes);
    return answered;
}

static wadi_status do_items(server *v, bool *out_goes_on, wadi_error *err) {
    for (;;) {
        wadi_work_item item = {.number = -1};
        WADI_TRY(v->queue->ops->fetch(v->queue, &item, err));
        *out_goes_on = item.number < 0 && item.status != WADI_OK;
        if (item.number < 0) return WADI_OK;
        const wadi_status status = do_item(v, &item, err);
        free(item.bytes);
        WADI_TRY(status);
    }
}

static bool is_of(const wadi_plan *plan, const wadi_charter *c) {
    if (c->phase >= plan->nphases || !plan->phases[c->phase].is_stream) return false;
    const wadi_plan_stream *s = &plan->phases[c->phase].stream;
    return c->stage < s->nstages && s->stages[c->stage].body >= 0 &&
           s->stages[c->stage].nresults <= 2 * WADI_MAX_PARTS;
}

static wadi_status open_server(server *v, const wadi_charter *c, wadi_error *err) {
    wadi_run *x = v->stream.x;
    if (!is_of(x->plan, c)) return wadi_fail(err, WADI_IO, "the charter names no stage");
    v->stream.plan = &x->plan->phases[c->phase].stream;
    v->stage = c->stage;
    v->crew = (wadi_crew){.slots = &x->slots, .runner = x->runner, .busy_as = WADI_STAGE_COMPUTE};
    const wadi_plan_stage *p = &v->stream.plan->stages[c->stage];
    WADI_TRY(wadi_charter_values(c, x->plan, &x->slots, x->buffers, &v->values, err));
    int slots[2 * WADI_MAX_PARTS];
    v->nresults = wadi_charter_results(x->plan, p, &x->slots, slots);
    for (int i = 0; i < v->nresults; i++)
        for (int k = p->nresults - 1; k >= 0; k--)
            if (p->results[k] == slots[i]) v->at[i] = k;
    return WADI_OK;
}

wadi_status wadi_run_serve(wadi_run *x, const wadi_charter *charter, wadi_workq *q,
                           wadi_served *served, bool *out_goes_on, wadi_error *err) {
    server v = {.stream = {.x = x}, .queue = q, .served = served};
    *out_goes_on = false;
    x->started = true;
    wadi_status status = open_server(&v, charter, err);
    if (status == WADI_OK) status = do_items(&v, out_goes_on, err);
    for (int i = 0; i < x->plan->nslots; i++)
        wadi_slots_clear(&x->slots, i); /* they refer to the values */
    wadi_chunk_release(v.values);
    return status;
}
