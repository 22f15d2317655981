/* The sources of a stage. A thread reads them: it asks the chunk policy for the size of the next chunk, fills the chunk and
 * sends it, until the first of the sources has ended or nobody wants more.
 *
 * A stage that only counts, or whose elements already lie in memory, needs no thread, because there is nothing to wait for.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/run/stream.h"
#include "sched/run/tap.h"

/* ---- elements ---- */

/* Whether chunks have nothing to overlap with: nothing to read, one body, results written in their places. */
static bool stands_alone(const wadi_lane *l) {
    const wadi_stream *s = l->stream;
    if (l->threaded || s->plan->nstages != 1) return false;
    for (int i = 0; i < s->plan->nends; i++)
        if (!s->outlets[i].in_place) return false;
    return true;
}

static bool is_default_policy(const wadi_run_options *o) {
    return o->chunk == 0 && (o->policy == NULL || strcmp(o->policy, wadi_policies[0].name) == 0);
}

/* Where chunks stand alone all that a size decides is how often the workers meet: so many elements that a step is long, and what it
 * needs beside its results fits a cache. Less while the device compares versions on such steps. 0: the policy decides. */
static int64_t long_step(const wadi_lane *l) {
    static const double STEP_NS = 2e7, STEP_BYTES = 1 << 20, TRYING = 0.125;
    const wadi_run *x = l->stream->x;
    if (!is_default_policy(&x->options) || !stands_alone(l)) return 0;
    /* of the compute thread, which is this one */
    const double ns = l->stream->element_ns, bytes = l->stream->element_bytes;
    if (ns <= 0) return 0;
    const double by_time = STEP_NS / ns, by_bytes = bytes > 0 ? STEP_BYTES / bytes : by_time;
    const double step = by_time < by_bytes ? by_time : by_bytes;
    return (int64_t)(wadi_runner_tries(x->runner) ? TRYING * step : step);
}

/* Before anything is known of the results, they are taken to be as large as the elements. */
static void limit_bytes(wadi_lane *l, const wadi_budget *b) {
    const int64_t most = wadi_budget_chunk_bytes(b);
    /* the first decides how large chunks are, the others bring as many elements if they can */
    if (l->readers > 0) l->builder[l->reader[0]].most_bytes = b->average > 0 ? most : most / 2;
}

static int64_t next_size(wadi_lane *l) {
    wadi_run *x = l->stream->x;
    wadi_mutex_lock(&x->lock);
    const int64_t chosen = x->policy->ops->choose(x->policy), step = long_step(l);
    int64_t k = wadi_budget_cap(&x->budget, step > chosen ? step : chosen);
    x->stats.chunk_elements = k;
    limit_bytes(l, &x->budget);
    wadi_mutex_unlock(&x->lock);
    return k < l->limit - l->position ? k : l->limit - l->position;
}

/* How many elements source number i, a counter, has from `position` on. */
static int64_t count_from(const wadi_lane *l, int i, int64_t position) {
    const int64_t end = l->count[i];
    return end < position ? 0 : end - position;
}

int64_t wadi_lane_left(const wadi_lane *l, int64_t position) {
    int64_t left = INT64_MAX;
    if (l->limit < INT64_MAX) left = l->limit - position;
    for (int i = 0; i < l->plan->nsources; i++) {
        const wadi_plan_source *p = &l->plan->sources[i];
        if (!p->counter && l->threaded) continue; /* its thread may be at it */
        const int64_t n = p->counter ? count_from(l, i, position)
                                     : wadi_run_find(l->stream->x, p->name, false)->source->at_hand;
        if (n < left) left = n;
    }
    return left == INT64_MAX ? -1 : left;
}

/* Where a source stands after it has failed it can go on, if it comes back. */
static wadi_status go_back(wadi_lane *l, int i, wadi_source *source) {
    const wadi_status status = wadi_source_comes_back(source, NULL);
    if (status == WADI_OK) wadi_builder_drop(&l->builder[i]);
    return status;
}

static wadi_status ask_once(wadi_lane *l, int i, wadi_source *source, int64_t k, wadi_error *err) {
    const wadi_plan_source *p = &l->plan->sources[i];
    const bool waits = source->at_hand == 0;
    wadi_link_call link;
    const int ticket = waits ? wadi_task_wait("elements from", l->position, p->name) : -1;
    l->builder[i].wanted = k;
    l->builder[i].exact = l->stream->x->options.chunk > 0;
    wadi_passed_works(&l->read[i], wadi_clock_ns());
    wadi_run_link_begin(l->stream->x, wadi_run_find(l->stream->x, p->name, false), &link);
    const wadi_status status = source->ops->next(source, k, &l->builder[i], err);
    wadi_run_link_end(&link, "receive", l->builder[i].count);
    wadi_passed_rests(&l->read[i], wadi_clock_ns());
    if (waits) wadi_task_go_on(ticket);
    return status;
}

static bool is_saved(const wadi_lane *l) {
    return l->stream->x->saver.between != NULL;
}

/* A run that is saved and ends does so between two chunks, and is not to wait for the next one. */
static void end_saved(wadi_lane *l) {
    if (!atomic_load(&l->stream->x->drains)) return;
    wadi_pipe_nudge(l->pipe);
    wadi_retry_wait_for_stop();
}

/* What the world has made fail, with *err, is tried again if the run was told so; elements that came before it need not wait for that. */
static wadi_status ask_again(wadi_lane *l, int i, wadi_source *source, int64_t k, wadi_error *err) {
    wadi_status status = WADI_IO;
    char name[160];
    (void)snprintf(name, sizeof name, "the source \"%.140s\"", l->plan->sources[i].name);
    while (status == WADI_IO && go_back(l, i, source) == WADI_OK) {
        if (l->builder[i].count > 0) {
            err->status = WADI_OK;
            return WADI_OK;
        }
        if (!wadi_retry_wait(&l->retry[i], name, err->msg)) {
            end_saved(l);
            break;
        }
        status = ask_once(l, i, source, k, err);
    }
    if (status == WADI_OK) {
        wadi_retry_well(&l->retry[i]);
        err->status = WADI_OK;
    }
    return status;
}

/* The next elements of source number i in its builder, at most k. After a failure those before it are there. */
static wadi_status ask(wadi_lane *l, int i, int64_t k, wadi_error *err) {
    wadi_source *source = wadi_run_find(l->stream->x, l->plan->sources[i].name, false)->source;
    wadi_status status = ask_once(l, i, source, k, err);
    if (status == WADI_OK) wadi_retry_well(&l->retry[i]);
    if (status == WADI_CANCELLED && is_saved(l)) end_saved(l);
    if (status == WADI_IO && l->retry[i].most > 0) status = ask_again(l, i, source, k, err);
    if (status != WADI_OK && err != NULL) wadi_run_note_part(l->stream->x, "source", err);
    return status;
}

/* Those who look are told the numbers that its elements have in source number i. */
static void note_read(wadi_lane *l, int i, wadi_chunk *c) {
    const int64_t first = c->first;
    c->first = l->began[i] + wadi_passed_read(&l->read[i].elements);
    wadi_passed_add(&l->read[i], c->count, wadi_chunk_bytes(c));
    wadi_tap_see(l->stream->x, &l->read[i], c);
    c->first = first;
}

/* The first `count` elements in the builder of source number i; -1: elements that are only counted. */
static wadi_status make_chunk(wadi_lane *l, int i, int64_t count, wadi_chunk **out,
                              wadi_error *err) {
    wadi_chunk *c = NULL;
    WADI_TRY(
        wadi_chunk_create(l->stream->x->buffers, i < 0 ? 0 : l->plan->sources[i].nslots, &c, err));
    c->count = count;
    if (i >= 0) wadi_builder_finish(&l->builder[i], c, 0, count);
    if (i >= 0) note_read(l, i, c);
    *out = c;
    return WADI_OK;
}

/* The next chunk of a stage with one source that is read, or none, perhaps beside counters. With a failure: what came before. */
static wadi_status read_alone(wadi_lane *l, int64_t k, wadi_chunk **out, wadi_error *err) {
    const int i = l->readers > 0 ? l->reader[0] : -1;
    const wadi_status status = i < 0 ? WADI_OK : ask(l, i, k, err);
    const int64_t count = i < 0 ? k : l->builder[i].count;
    wadi_error why = {.status = WADI_OK};
    if (count == 0) return status;
    const wadi_status made = make_chunk(l, i, count, out, &why);
    if (made != WADI_OK && err != NULL) *err = why;
    return made != WADI_OK ? made : status;
}

/* ---- several sources side by side: each gives as many elements as it likes, those that have none beside them wait ---- */

/* What reader number r has next joins those of it that wait; *out_more: there is some. Its failure comes when what was before it
 * is used up. */
static wadi_status read_more(wadi_lane *l, int r, int64_t k, bool *out_more, wadi_error *err) {
    const int i = l->reader[r];
    wadi_error *failed = &l->failed[r];
    wadi_chunk *c = NULL;
    if (failed->status == WADI_OK) failed->status = ask(l, i, k, failed);
    *out_more = l->builder[i].count > 0;
    if (!*out_more && failed->status != WADI_OK && err != NULL) *err = *failed;
    if (!*out_more) return failed->status;
    WADI_TRY(make_chunk(l, i, l->builder[i].count, &c, err));
    const wadi_status status = wadi_change_put(l->beside, r, c, err);
    wadi_chunk_release(c);
    return status;
}

/* The first source that has no more decides how the stage ends. */
static wadi_status read_beside(wadi_lane *l, int64_t k, wadi_chunk **out, wadi_error *err) {
    WADI_TRY(wadi_change_next(l->beside, k, out, err));
    for (int r = 0; *out == NULL && r < l->readers; r++) {
        bool more = true;
        if (wadi_change_waiting(l->beside, r) == 0) WADI_TRY(read_more(l, r, k, &more, err));
        if (!more) return WADI_OK;
        const int64_t waits = wadi_change_waiting(l->beside, r);
        k = waits > 0 && waits < k ? waits : k; /* the others need bring no more */
    }
    return *out == NULL ? wadi_change_next(l->beside, k, out, err) : WADI_OK;
}

/* ---- what to go on with behind a chunk, if the run is saved ---- */

static wadi_source *source_of(const wadi_lane *l, int reader) {
    const wadi_plan_source *p = &l->plan->sources[l->reader[reader]];
    return wadi_run_find(l->stream->x, p->name, false)->source;
}

static wadi_status write_note(const wadi_lane *l, wadi_text *out, wadi_error *err) {
    wadi_state_put(out, l->position);
    for (int r = 0; r < l->readers; r++) {
        wadi_position at;
        WADI_TRY(wadi_source_tell(source_of(l, r), &at, err));
        wadi_state_put(out, at.element);
        wadi_state_put(out, at.mark);
    }
    if (l->beside != NULL) WADI_TRY(wadi_change_save(l->beside, out, err));
    return out->failed ? wadi_fail(err, WADI_MEMORY, "stream: out of memory") : WADI_OK;
}

/* For the chunk that has just been read. */
static wadi_status add_note(wadi_lane *l, wadi_error *err) {
    wadi_text note = {0};
    if (!is_saved(l)) return WADI_OK;
    wadi_status status = write_note(l, &note, err);
    wadi_mutex_lock(&l->stream->x->lock);
    if (status == WADI_OK && !wadi_vec_push(&l->notes, note))
        status = wadi_fail(err, WADI_MEMORY, "stream: out of memory");
    wadi_mutex_unlock(&l->stream->x->lock);
    if (status != WADI_OK) wadi_text_fini(&note);
    return status;
}

/* For the chunk that has just been taken: the oldest one. */
static void take_note(wadi_lane *l) {
    if (!is_saved(l)) return;
    wadi_text_fini(&l->note);
    wadi_mutex_lock(&l->stream->x->lock);
    l->note = l->notes.at[0];
    l->notes.n--;
    memmove(l->notes.at, l->notes.at + 1, l->notes.n * sizeof *l->notes.at);
    wadi_mutex_unlock(&l->stream->x->lock);
}

wadi_status wadi_lane_save(const wadi_lane *l, wadi_text *out, wadi_error *err) {
    WADI_UNUSED(err);
    wadi_text_add_n(out, l->note.at, l->note.n);
    return WADI_OK;
}

void wadi_lane_places(const wadi_lane *l, wadi_place_fn take, void *env) {
    wadi_state_reader from = {l->note.at, l->note.n};
    int64_t position = 0;
    if (wadi_state_take(&from, &position, NULL) != WADI_OK) return;
    for (int r = 0; r < l->readers; r++) {
        wadi_position at;
        if (wadi_state_take(&from, &at.element, NULL) != WADI_OK) return;
        if (wadi_state_take(&from, &at.mark, NULL) != WADI_OK) return;
        take(env, source_of(l, r), at);
    }
}

wadi_status wadi_lane_load(wadi_lane *l, bool ended, wadi_state_reader *from, wadi_error *err) {
    WADI_TRY(wadi_state_take_count(from, INT64_MAX, &l->position, err));
    for (int i = 0; i < l->plan->nsources; i++) l->began[i] = l->position;
    for (int r = 0; r < l->readers; r++) {
        wadi_position at;
        WADI_TRY(wadi_state_take(from, &at.element, err));
        WADI_TRY(wadi_state_take(from, &at.mark, err));
        WADI_TRY(wadi_source_seek(source_of(l, r), at, err));
        l->began[l->reader[r]] = at.element; /* of several, each has read on by its own */
    }
    if (l->beside != NULL) WADI_TRY(wadi_change_load(l->beside, from, err));
    if (ended) atomic_store(&l->stopped, true);
    wadi_text_clear(&l->note);
    return is_saved(l) ? write_note(l, &l->note, err) : WADI_OK;
}

/* The sources of a run that is saved must be able to come back to where they stand. */
static wadi_status begin_notes(wadi_lane *l, wadi_error *err) {
    if (!is_saved(l)) return WADI_OK;
    for (int r = 0; r < l->readers; r++) {
        wadi_error why = {.status = WADI_OK};
        const wadi_status status = wadi_source_comes_back(source_of(l, r), &why);
        if (status != WADI_OK)
            return wadi_fail(err, status, "a run that reads \"%s\" cannot be saved: %.400s",
                             l->plan->sources[l->reader[r]].name, why.msg);
    }
    return write_note(l, &l->note, err);
}

/* ---- the next chunk ---- */

/* The number of its first element: of a part of a stream, that in the whole. */
static int64_t place_of(const wadi_lane *l) {
    if (l->readers != 1) return l->position;
    const wadi_source *source = source_of(l, 0);
    return source->is_part ? source->place : l->position;
}

/* At most k elements. With a failure: what came before it. NULL: there are none. */
static wadi_status read_chunk(wadi_lane *l, int64_t k, wadi_chunk **out, wadi_error *err) {
    for (int i = 0; i < l->plan->nsources; i++) {
        const wadi_plan_source *p = &l->plan->sources[i];
        const int64_t left = p->counter ? count_from(l, i, l->position) : k;
        k = left < k ? left : k;
    }
    *out = NULL;
    if (k <= 0) return WADI_OK;
    const wadi_status status = l->beside ? read_beside(l, k, out, err) : read_alone(l, k, out, err);
    if (*out == NULL) return status;
    (*out)->first = place_of(l);
    l->position += (*out)->count;
    wadi_passed_add(&l->gone, (*out)->count, 0);
    wadi_error why = {.status = WADI_OK};
    const wadi_status noted = add_note(l, &why);
    if (noted == WADI_OK) return status;
    wadi_chunk_release(*out);
    *out = NULL;
    if (err != NULL) *err = why;
    return noted;
}

/* ---- the thread ---- */

/* What one device alone computes with is sent there as soon as it is complete, while the device is busy with chunks before it. */
static void send_ahead(const wadi_lane *l, wadi_chunk *c) {
    const wadi_run *x = l->stream->x;
    if (x->devices.n == 1 && l->plan->body >= 0) wadi_chunk_send_ahead(c, x->device->residence);
}

/* Everything up to the end of the stream, or a failure. */
static wadi_status produce(wadi_lane *l, wadi_error *err) {
    wadi_meter *meter = &l->stream->x->meter;
    wadi_status status = WADI_OK;
    while (status == WADI_OK && !atomic_load(&l->stopped)) {
        wadi_chunk *c = NULL;
        const int64_t k = next_size(l);
        const int64_t begin_ns = wadi_clock_ns();
        wadi_meter_busy(meter, WADI_STAGE_SOURCE);
        status = read_chunk(l, k, &c, err);
        if (c != NULL) send_ahead(l, c);
        wadi_meter_idle(meter, WADI_STAGE_SOURCE);
        if (c == NULL) break;
        c->read_ns = wadi_clock_ns() - begin_ns;
        wadi_trace_add(l->trace, (wadi_trace_what){.name = "read"}, begin_ns, begin_ns + c->read_ns,
                       c->count);
        wadi_error sent = {.status = WADI_OK};
        if (wadi_pipe_send(l->pipe, c, &sent) != WADI_OK) {
            if (err != NULL) *err = sent;
            return sent.status;
        }
    }
    return status;
}

static void source_thread(void *env) {
    wadi_lane *l = env;
    wadi_error err = {.status = WADI_OK};
    l->trace =
        wadi_trace_lane_add(l->stream->x->trace, "source", l->plan->sources[l->reader[0]].name);
    const wadi_task before = wadi_task_begin(
        (wadi_task){.name = "source", .stop = &l->stop, .waits = l->stream->x->waits});
    wadi_status status = produce(l, &err);
    if (status == WADI_OK && !atomic_load(&l->stopped)) {
        status = wadi_pipe_end(l->pipe, &err);
    }
    /* whether the failure counts is for the compute thread to say: perhaps nobody wants what would come */
    if (status != WADI_OK && !atomic_load(&l->stopped)) wadi_pipe_fail(l->pipe, &err);
    wadi_task_end(before);
}

/* ---- what the compute thread sees ---- */

wadi_status wadi_lane_start(wadi_lane *l, wadi_error *err) {
    return l->threaded ? wadi_thread_start(&l->thread, source_thread, l, err) : WADI_OK;
}

wadi_status wadi_lane_next(wadi_lane *l, wadi_chunk **out, bool *out_nudged, wadi_error *err) {
    *out = NULL;
    *out_nudged = false;
    /* what lies in memory cannot fail */
    wadi_status status = WADI_OK;
    if (!l->threaded)
        status = read_chunk(l, next_size(l), out, err);
    else
        status = wadi_pipe_receive(l->pipe, out, err);
    *out_nudged = l->threaded && status == WADI_OK && *out == NULL && wadi_pipe_nudged(l->pipe);
    if (*out != NULL) take_note(l);
    return status;
}

void wadi_lane_done(wadi_lane *l) {
    if (l->threaded) wadi_pipe_done(l->pipe);
}

void wadi_lane_nudge_all(wadi_stream *s) {
    for (int i = 0; i < s->nlanes; i++)
        if (s->lanes[i].threaded) wadi_pipe_nudge(s->lanes[i].pipe);
}

void wadi_lane_stop(wadi_lane *l, const wadi_error *why) {
    const wadi_error enough = {.status = WADI_CANCELLED, .msg = "no more elements are wanted"};
    if (!l->threaded || !l->thread.started) return;
    if (why == NULL) atomic_store(&l->stopped, true);
    wadi_stop_call(&l->stop);
    wadi_pipe_give_up(l->pipe, why != NULL ? why : &enough);
}

/* ---- life ---- */

static wadi_status open_builders(wadi_lane *l, wadi_error *err) {
    wadi_run *x = l->stream->x;
    for (int i = 0; i < l->plan->nsources; i++, l->builders++) {
        const wadi_plan_source *p = &l->plan->sources[i];
        l->retry[i] = wadi_run_retry(x);
        if (p->counter) {
            l->count[i] = wadi_slots_number(&x->slots, p->count_slot);
            l->total[i] = l->count[i];
            continue;
        }
        wadi_binding *of = wadi_run_find(x, p->name, false);
        wadi_source *source = of->source;
        of->read = true;
        l->total[i] = source->at_hand > 0 ? source->at_hand
                      : source->total > 0 ? source->total
                                          : -1;
        if (source->at_hand == 0) WADI_TRY(wadi_stop_fd(&l->stop, &source->wake_fd, err));
        source->over = is_saved(l) ? &x->drains : NULL;
        const int parts = source->parts > 0 ? source->parts : 0;
        WADI_TRY(
            wadi_builder_init(&l->builder[i], x->buffers, parts, source->part, INT64_MAX, err));
        l->threaded = l->threaded || source->at_hand == 0;
        l->reader[l->readers++] = i;
    }
    const wadi_change_options beside = {
        .kind = WADI_CHANGE_ZIP, .inputs = l->readers, .place = -1, .buffers = x->buffers};
    return l->readers > 1 ? wadi_change_create(&beside, &l->beside, err) : WADI_OK;
}

wadi_status wadi_lane_open(wadi_lane *l, wadi_error *err) {
    if (l->plan->nsources > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%d sources side by side, at most %d",
                         l->plan->nsources, (int)WADI_MAX_PARTS);
    }
    atomic_init(&l->stopped, false);
    WADI_TRY(wadi_stop_init(&l->stop, &l->stream->x->stop, err));
    l->opened = true;
    WADI_TRY(open_builders(l, err));
    WADI_TRY(begin_notes(l, err));
    if (!l->threaded) return WADI_OK;
    return wadi_run_inner_link(l->stream, "source", "compute", l->plan->sources[l->reader[0]].name,
                               &l->pipe, err);
}

void wadi_lane_close(wadi_lane *l) {
    if (!l->opened) return;
    for (int i = 0; i < l->plan->nsources; i++) {
        const wadi_plan_source *p = &l->plan->sources[i];
        wadi_source *source =
            p->counter ? NULL : wadi_run_find(l->stream->x, p->name, false)->source;
        if (source == NULL) continue;
        source->wake_fd = -1;
        source->over = NULL;
    }
    wadi_pipe_destroy(l->pipe);
    for (int i = 0; i < l->plan->nsources; i++) wadi_tap_close(&l->read[i]);
    wadi_change_destroy(l->beside);
    for (int i = 0; i < l->builders; i++) wadi_builder_fini(&l->builder[i]);
    for (size_t i = 0; i < l->notes.n; i++) wadi_text_fini(&l->notes.at[i]);
    wadi_vec_free(&l->notes);
    wadi_text_fini(&l->note);
    wadi_stop_fini(&l->stop);
}
