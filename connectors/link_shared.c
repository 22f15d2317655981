/* Sinks for streams that several processes share. One that binds gives each chunk to one of the receivers that come; one that connects sends on what
 * its run has made of a part, under the places that the elements have in the whole stream. */
#include <stdlib.h>

#include "base/error.h"
#include "connectors/counted.h"
#include "connectors/link.h"
#include "sched/stream.h"
#include "sched/transport/share.h"

typedef struct shared_sink {
    wadi_counted_sink counted; /* elements: of a stream that begins here */
    wadi_link_end end;
    wadi_share_sender *sender;
    int64_t chunks; /* likewise */
    int64_t start;  /* of one that is gone on with: the first element */
    bool closed;    /* finished or aborted */
} shared_sink;

static const wadi_sink_ops saved_ops;

static void abort_sink(wadi_sink *self, const wadi_error *why) {
    shared_sink *s = (shared_sink *)self;
    s->closed = true;
    wadi_share_sender_tell(s->sender,
                           (wadi_share_teller){0}); /* the run may end before the thread */
    if (self->ops == &saved_ops && why->status == WADI_CANCELLED) return; /* it may come back */
    wadi_share_sender_fail(s->sender, why);
}

static void destroy_sink(wadi_sink *self) {
    shared_sink *s = (shared_sink *)self;
    if (s->sender != NULL) {
        const wadi_error why = {.status = WADI_CANCELLED, .msg = "the sender has stopped"};
        if (!s->closed) abort_sink(self, &why);
        wadi_share_sender_stop(s->sender);
    }
    wadi_link_end_close(&s->end);
    wadi_share_sender_destroy(s->sender);
    free(s);
}

static void pass_on(void *env, const wadi_gatherer *what) {
    wadi_source *source = env;
    source->ops->gathered(source, what);
}

static wadi_status attend(void *env, wadi_error *err) {
    wadi_source *source = env;
    return source->ops->attend(source, err);
}

static void tell_source(void *env, int64_t first, int64_t count) {
    wadi_source *source = env;
    source->ops->settled(source, first, count);
}

static void fail_source(void *env, const wadi_error *why) {
    wadi_source *source = env;
    source->ops->lost(source, why);
}

/* What holds for the whole stream is known where the part comes from. */
static wadi_whole ask_source(const shared_sink *s) {
    const wadi_source *source = s->counted.base.part_of;
    wadi_whole whole = {.stream = s->counted.base.stream,
                        .elements = s->counted.elements,
                        .start = s->start,
                        .lasts = s->counted.base.stream != 0,
                        .confirmed = s->counted.base.confirmed,
                        .confirmed_by = s->counted.base.confirmed_by};
    if (s->counted.base.sends_part) source->ops->whole(source, &whole);
    return whole;
}

static void note_confirmed(void *env, bool all, uint64_t by) {
    wadi_sink *sink = env;
    if (sink->note_confirmed != NULL) sink->note_confirmed(sink->note_env, sink, all, by);
}

/* Those that are to know what becomes of a part, or of the whole. */
static void tell_of(shared_sink *s) {
    if (s->counted.base.sends_part)
        wadi_share_sender_tell(s->sender, (wadi_share_teller){.settled = tell_source,
                                                              .lost = fail_source,
                                                              .gathered = pass_on,
                                                              .attend = attend,
                                                              .env = s->counted.base.part_of});
    else if (s->counted.base.ops == &saved_ops)
        wadi_share_sender_tell(
            s->sender, (wadi_share_teller){.confirmed = note_confirmed, .env = &s->counted.base});
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    shared_sink *s = (shared_sink *)self;
    wadi_chunk *numbered = NULL;
    WADI_TRY(wadi_chunk_slice(c, 0, c->count, &numbered, err));
    numbered->first = self->sends_part ? c->first : s->counted.elements;
    numbered->number = self->sends_part ? c->first : s->chunks;
    tell_of(s);
    s->chunks++;
    s->counted.elements += c->count;
    const wadi_whole whole = ask_source(s);
    return wadi_share_sender_put(s->sender, &whole, numbered, err);
}

static wadi_status finish(wadi_sink *self, wadi_error *err) {
    shared_sink *s = (shared_sink *)self;
    const wadi_whole whole = ask_source(s);
    s->closed = true;
    tell_of(s);
    const wadi_status status = wadi_share_sender_end(
        s->sender, &whole, self->sends_part ? whole.elements : s->chunks, err);
    /* the thread may go on, and the source or the run may be gone before it ends */
    wadi_share_sender_tell(s->sender, (wadi_share_teller){0});
    return status;
}

/* ---- one that is gone on with ---- */

static wadi_status go_on(wadi_sink *self, wadi_position behind, bool ended, wadi_error *err) {
    ((shared_sink *)self)->start = behind.element;
    return wadi_counted_go_on(self, behind, ended, err);
}

/* Nobody is there yet. Whoever gathers refuses a stream that begins behind what it has. */
static wadi_status meet(wadi_sink *self, int64_t *out, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(err);
    *out = INT64_MAX;
    return WADI_OK;
}

static int64_t certain(const wadi_sink *self) {
    return wadi_port_certain(((const shared_sink *)self)->end.port);
}

static const wadi_sink_ops shared_ops = {destroy_sink, put, finish, abort_sink};
static const wadi_sink_ops saved_ops = {.destroy = destroy_sink,
                                        .put = put,
                                        .finish = finish,
                                        .abort = abort_sink,
                                        .have = wadi_counted_have,
                                        .last = wadi_counted_last,
                                        .go_on = go_on,
                                        .meet = meet,
                                        .certain = certain};

static wadi_status open_sink(shared_sink *s, const char *address, const wadi_link_options *o,
                             wadi_error *err) {
    /* what is on its way through one that has a part is limited by what the sender of the whole gives it */
    WADI_TRY(wadi_share_sender_create(
        o->bind ? (o->credit_bytes > 0 ? o->credit_bytes : WADI_LINK_KEPT_BYTES) : 0, &s->sender,
        err));
    const wadi_port_share share = wadi_share_sender_options(s->sender);
    WADI_TRY(wadi_link_end_open_shared(&s->end, address, o, true, &share, err));
    return wadi_share_sender_start(s->sender, s->end.port, err);
}

wadi_status wadi_link_shared_sink(const char *address, const wadi_link_options *options,
                                  wadi_sink **out_sink, wadi_error *err) {
    if (options->note != NULL)
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: a stream that is shared has no note", address);
    shared_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", address);
    s->counted.base.ops = options->goes_on && options->bind ? &saved_ops : &shared_ops;
    s->counted.base.strict = s->counted.base.ops == &saved_ops;
    if (s->counted.base.strict) s->counted.base.gives = WADI_GUARANTEE_EXACTLY_ONCE;
    s->counted.base.kind = "link";
    s->counted.base.linked = true;
    s->counted.base.wake_fd = -1;
    s->counted.base.sends_part = !options->bind;
    const wadi_status status = open_sink(s, address, options, err);
    if (status == WADI_OK) {
        s->counted.base.window = 2 * s->end.credit;
        *out_sink = &s->counted.base;
    } else {
        destroy_sink(&s->counted.base);
    }
    return status;
}
