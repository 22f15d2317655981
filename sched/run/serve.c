/* Items through the stages of a stretch, one body after the other. */
#include "sched/run/serve.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/run/report.h"
#include "sched/run/serve_keyed.h"
#include "sched/run/stream.h"

/* Stages that go together. */
typedef struct part {
    const wadi_stretch *plan;
    wadi_travel travel[WADI_STRETCH_STAGES];
} part;

typedef struct server {
    wadi_stream stream; /* of which only the bodies of these stages run */
    wadi_crew crew;
    wadi_chunk *values;
    wadi_workq *queue;
    wadi_served *served;
    wadi_reporter reporter;
    char words[96]; /* what it works on */
    int nparts;
    part parts[WADI_STRETCHES];
} server;

/* An item on its way through the stages. */
typedef struct passage {
    wadi_chunk *states;                   /* of a keyed item; else NULL, and so is `after` */
    wadi_chunk *out[WADI_STRETCH_STAGES]; /* what has come of each; NULL: nothing */
    wadi_answer answer[WADI_STRETCH_STAGES];
    wadi_chunk *after; /* the states then */
} passage;

/* Whether the failure is this worker's own: it cannot go on. What a program does wrong, it does wrong everywhere; and what is too large here is for
 * home. */
static bool is_own(wadi_status status) {
    return status != WADI_OK && status != WADI_FAULT && status != WADI_SHAPE &&
           status != WADI_TYPE && status != WADI_MEMORY;
}

/* Registers what it works on: an operation and its line. */
static int begin_work(server *v, int stage, const wadi_chunk *in) {
    const wadi_plan *plan = v->stream.x->plan;
    const wadi_plan_place *p = &plan->places[v->stream.plan->stages[stage].place];
    (void)snprintf(v->words, sizeof v->words, "%s, line %d", p->op, p->loc.line);
    return wadi_task_work("elements from", in->first, v->words);
}

/* ---- one stage ---- */

/* What the change of the stage makes of the chunk, which it keeps nothing of. *out NULL: no element is left. */
static wadi_status change(server *v, const wadi_plan_stage *p, wadi_chunk *in, wadi_chunk **out,
                          wadi_error *err) {
    const wadi_plan *plan = v->stream.x->plan;
    const wadi_change_options o = {.kind = p->change,
                                   .inputs = 1,
                                   .size = INT64_MAX,
                                   .hop = 1,
                                   .place = p->place,
                                   .places = plan->nplaces,
                                   .table = plan->places,
                                   .buffers = v->stream.x->buffers};
    wadi_change *c = NULL;
    WADI_TRY(wadi_change_create(&o, &c, err));
    wadi_status status = wadi_change_put(c, 0, in, err);
    if (status == WADI_OK) status = wadi_change_next(c, INT64_MAX, out, err);
    wadi_change_destroy(c);
    return status;
}

/* Elements of stage number i, changed from those of the stage that it reads. *out NULL: there are none. */
static wadi_status take(server *v, const part *t, int i, const passage *p, wadi_chunk **out,
                        wadi_error *err) {
    const wadi_plan_stage *plan = &v->stream.plan->stages[t->plan->stage[i]];
    int components[2 * WADI_MAX_PARTS + 1], from = 0;
    wadi_chunk *in = NULL;
    while (t->plan->stage[from] != plan->inputs[0]) from++;
    if (p->out[from] == NULL) return WADI_OK;
    const int n = wadi_stretch_takes(v->stream.plan, plan, 0, components);
    WADI_TRY(wadi_chunk_select(p->out[from], n, components, &in, err));
    wadi_status status = wadi_chunk_at_host(in, err);
    if (status == WADI_OK) status = change(v, plan, in, out, err);
    wadi_chunk_release(in);
    return status;
}

static wadi_status send_back(const wadi_travel *travel, wadi_chunk *out, wadi_answer *answer,
                             wadi_error *err) {
    answer->count = out->count;
    answer->bytes = wadi_chunk_bytes(out);
    if (travel->n == 0) return WADI_OK;
    WADI_TRY(wadi_chunk_select(out, travel->n, travel->at, &answer->out, err));
    return wadi_chunk_at_host(answer->out, err);
}

/* Elements of stage number i through its body. */
static wadi_status pass(server *v, const part *t, int i, wadi_chunk *in, passage *p,
                        wadi_error *err) {
    wadi_outcome o = {.out = NULL};
    wadi_crew_begin_step(&v->crew);
    WADI_TRY(wadi_body_run(&v->stream, t->plan->stage[i], &v->crew, in, -1, &o, err));
    p->out[i] = o.out;
    return send_back(&t->travel[i], o.out, &p->answer[i], err);
}

/* ---- one item ---- */

/* The elements of a keyed item change its states, and go through the body of the stage. */
static wadi_status pass_keyed(server *v, const part *t, wadi_chunk *in, passage *p,
                              wadi_error *err) {
    wadi_crew_begin_step(&v->crew);
    WADI_TRY(wadi_serve_keyed(&v->stream, t->plan->stage[0], &v->crew, in, p->states, &p->out[0],
                              &p->after, err));
    p->answer[0].count = in->count;
    return p->out[0] != NULL ? send_back(&t->travel[0], p->out[0], &p->answer[0], err) : WADI_OK;
}

static wadi_status pass_all(server *v, const part *t, wadi_chunk *in, passage *p, wadi_error *err) {
    if (t->plan->keyed) return pass_keyed(v, t, in, p, err);
    WADI_TRY(pass(v, t, 0, in, p, err));
    for (int i = 1; i < t->plan->n; i++) {
        wadi_chunk *changed = NULL;
        wadi_status status = take(v, t, i, p, &changed, err);
        if (status == WADI_OK && changed != NULL) status = pass(v, t, i, changed, p, err);
        wadi_chunk_release(changed);
        WADI_TRY(status);
    }
    return WADI_OK;
}

static void passage_fini(passage *p) {
    wadi_answer_fini(p->answer, WADI_STRETCH_STAGES);
    for (int i = 0; i < WADI_STRETCH_STAGES; i++) wadi_chunk_release(p->out[i]);
    wadi_chunk_release(p->states);
    wadi_chunk_release(p->after);
}

/* The elements of an item, and its states if it is keyed. */
static wadi_status read_item(server *v, const part *t, wadi_state_reader from, passage *p,
                             wadi_chunk **out, wadi_error *err) {
    const wadi_run *x = v->stream.x;
    const wadi_plan_stage *first = &v->stream.plan->stages[t->plan->stage[0]];
    int slots[WADI_MAX_PARTS + 1];
    if (!t->plan->keyed)
        return wadi_item_read(from, x->plan, first->nparts, first->parts, x->buffers, out, err);
    const int n = wadi_item_keyed_slots(v->stream.plan, first, slots);
    WADI_TRY(wadi_item_take_states(&from, x->plan, &first->scan, x->buffers, &p->states, err));
    return wadi_item_read(from, x->plan, n, slots, x->buffers, out, err);
}

static wadi_status write_answer(const part *t, const passage *p, wadi_text *out, wadi_error *err) {
    if (p->after != NULL) WADI_TRY(wadi_state_put_chunk(out, p->after, err));
    return wadi_answer_write(p->answer, t->plan->n, out, err);
}

static wadi_status compute(server *v, const wadi_work_item *item, wadi_text *answer,
                           wadi_error *err) {
    wadi_run *x = v->stream.x;
    wadi_state_reader rest;
    wadi_chunk *in = NULL;
    passage p = {.states = NULL};
    wadi_known known = {.n = 0};
    int which = 0;
    WADI_TRY(wadi_item_head(item->bytes, item->n, v->nparts, &which, &known, &rest, err));
    wadi_reporter_heard(&v->reporter, &known);
    const part *t = &v->parts[which];
    wadi_status status = read_item(v, t, rest, &p, &in, err);
    if (status != WADI_OK) {
        passage_fini(&p);
        return status;
    }
    const int64_t begin_ns = wadi_clock_ns();
    const int ticket = begin_work(v, t->plan->stage[0], in);
    status = pass_all(v, t, in, &p, err);
    if (status == WADI_OK) wadi_reporter_put(&v->reporter, x, wadi_clock_ns() - begin_ns, answer);
    if (status == WADI_OK) status = write_answer(t, &p, answer, err);
    wadi_task_go_on(ticket);
    if (status == WADI_OK) atomic_fetch_add(&v->served->elements, in->count);
    passage_fini(&p);
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

/* ---- the charter ---- */

static bool is_of(const wadi_plan *plan, const wadi_charter *c) {
    if (c->phase >= plan->nphases || !plan->phases[c->phase].is_stream) return false;
    for (int i = 0; i < c->stretches.n; i++)
        if (!wadi_stretch_is_one(plan, &plan->phases[c->phase].stream, &c->stretches.at[i]))
            return false;
    return c->stretches.n > 0;
}

static wadi_status open_server(server *v, const wadi_charter *c, wadi_error *err) {
    wadi_run *x = v->stream.x;
    if (!is_of(x->plan, c)) return wadi_fail(err, WADI_IO, "the charter names no stage");
    v->stream.plan = &x->plan->phases[c->phase].stream;
    wadi_reporter_begin(x, c->reports, &v->reporter);
    v->crew = (wadi_crew){.slots = &x->slots, .runner = x->runner, .busy_as = WADI_STAGE_COMPUTE};
    WADI_TRY(wadi_charter_values(c, x->plan, &x->slots, x->buffers, &v->values, err));
    for (; v->nparts < c->stretches.n; v->nparts++) {
        part *t = &v->parts[v->nparts];
        t->plan = &c->stretches.at[v->nparts];
        for (int i = 0; i < t->plan->n; i++)
            wadi_charter_travel(x->plan, v->stream.plan, t->plan, i, &x->slots, &t->travel[i]);
        if (t->plan->keyed && !wadi_serve_has_states(&v->stream, t->plan->stage[0]))
            return wadi_fail(err, WADI_IO, "the charter has no first state");
    }
    return WADI_OK;
}

wadi_status wadi_run_serve(wadi_run *x, const wadi_charter *charter, wadi_workq *q,
                           wadi_served *served, bool *out_goes_on, wadi_error *err) {
    server *v = calloc(1, sizeof *v);
    *out_goes_on = false;
    if (v == NULL) return wadi_fail(err, WADI_MEMORY, "worker: out of memory");
    v->stream.x = x;
    v->queue = q;
    v->served = served;
    x->started = true;
    wadi_status status = open_server(v, charter, err);
    if (status == WADI_OK) status = do_items(v, out_goes_on, err);
    for (int i = 0; i < x->plan->nslots; i++)
        wadi_slots_clear(&x->slots, i); /* they refer to the values */
    wadi_chunk_release(v->values);
    wadi_reporter_fini(&v->reporter);
    free(v);
    return status;
}
