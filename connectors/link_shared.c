/* Sinks for streams that several processes share. One that binds gives each chunk to one of the receivers that come; one that connects sends on what
 * its run has made of a part, under the places that the elements have in the whole stream. */
#include <stdlib.h>

#include "base/error.h"
#include "connectors/link.h"
#include "sched/stream.h"
#include "sched/transport/share.h"

typedef struct shared_sink {
    wadi_sink base;
    wadi_link_end end;
    wadi_share_sender *sender;
    int64_t chunks, elements; /* of a stream that begins here */
    bool closed;              /* finished or aborted */
} shared_sink;

static void abort_sink(wadi_sink *self, const wadi_error *why) {
    shared_sink *s = (shared_sink *)self;
    s->closed = true;
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

static void tell_source(void *env, int64_t first, int64_t count) {
    wadi_source *source = env;
    source->ops->settled(source, first, count);
}

static void fail_source(void *env, const wadi_error *why) {
    wadi_source *source = env;
    source->ops->lost(source, why);
}

/* What holds for the whole stream is known where the part comes from. */
static void ask_source(const shared_sink *s, uint64_t *out_stream, int64_t *out_elements) {
    const wadi_source *source = s->base.part_of;
    *out_stream = 0;
    *out_elements = s->chunks;
    if (s->base.sends_part) source->ops->whole(source, out_stream, out_elements);
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    shared_sink *s = (shared_sink *)self;
    wadi_chunk *numbered = NULL;
    uint64_t stream = 0;
    int64_t elements = 0;
    WADI_TRY(wadi_chunk_slice(c, 0, c->count, &numbered, err));
    numbered->first = self->sends_part ? c->first : s->elements;
    numbered->number = self->sends_part ? c->first : s->chunks;
    if (self->sends_part)
        wadi_share_sender_tell(s->sender,
                               (wadi_share_teller){tell_source, fail_source, self->part_of});
    s->chunks++;
    s->elements += c->count;
    ask_source(s, &stream, &elements);
    return wadi_share_sender_put(s->sender, stream, numbered, err);
}

static wadi_status finish(wadi_sink *self, wadi_error *err) {
    shared_sink *s = (shared_sink *)self;
    uint64_t stream = 0;
    int64_t count = 0;
    s->closed = true;
    ask_source(s, &stream, &count);
    const wadi_status status = wadi_share_sender_end(s->sender, stream, count, err);
    /* the thread may go on, and the source may be gone before it ends */
    if (status != WADI_OK) wadi_share_sender_tell(s->sender, (wadi_share_teller){0});
    return status;
}

static const wadi_sink_ops shared_ops = {destroy_sink, put, finish, abort_sink};

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
    s->base.ops = &shared_ops;
    s->base.kind = "link";
    s->base.linked = true;
    s->base.wake_fd = -1;
    s->base.sends_part = !options->bind;
    const wadi_status status = open_sink(s, address, options, err);
    if (status == WADI_OK) {
        s->base.window = 2 * s->end.credit;
        *out_sink = &s->base;
    } else {
        destroy_sink(&s->base);
    }
    return status;
}
