/* A stream between two processes: a sink in one process is a source in the other.
 *
 * The sink passes each chunk to a port, which keeps it until the other side has consumed it; `finish` returns when all are
 * consumed. While the source is being opened, it waits for the first chunk and learns from it what the elements are. Chunks
 * that arrive go on in equal parts of about the size that its run asks for, or of just that size if the caller of the run has
 * set it. A failure on either side ends the stream on the other side with the same message. */
#include "connectors/link.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/task.h"
#include "base/wait.h"
#include "connectors/counted.h"
#include "sched/stream.h"
#include "sched/transport/share.h"

static const int64_t worth_bytes = INT64_C(64) << 10; /* of a chunk */

/* ---- source ---- */

typedef struct link_source {
    wadi_source base;
    wadi_link_end end;
    wadi_chunk *chunk; /* being cut; NULL: the next has to be received, or the stream has ended */
    int64_t at;        /* its next element */
    int64_t given;     /* elements that were passed on */
    int64_t stream;    /* the id of the one that is to come; 0: any */
    /* what is known of a stream of which this is a part */
    _Atomic uint64_t whole_id;
    _Atomic int64_t whole_elements, whole_start;
    atomic_bool whole_lasts;
    wadi_share_book *book; /* of a part of a stream; NULL: it is the whole */
    bool begun;            /* a chunk was asked for */
    bool ended;
} link_source;

static void drop_chunk(link_source *s) {
    if (s->chunk == NULL) return;
    if (s->book == NULL) wadi_port_done(s->end.port, s->chunk->number);
    wadi_chunk_release(s->chunk);
    s->chunk = NULL;
}

static const wadi_source_ops source_ops, saved_source_ops, part_source_ops;

static void give_up(wadi_source *self, const wadi_error *why) {
    link_source *s = (link_source *)self;
    if (s->end.port == NULL || s->ended) return;
    s->ended = true;
    if (self->ops == &saved_source_ops && why->status == WADI_CANCELLED)
        return; /* it may come back */
    wadi_chunk_release(
        s->chunk); /* without wadi_port_done: the sender must not take it for consumed */
    s->chunk = NULL;
    wadi_port_give_up(s->end.port, why);
}

static void destroy_source(wadi_source *self) {
    link_source *s = (link_source *)self;
    const wadi_error why = {.status = WADI_CANCELLED, .msg = "the receiver has stopped"};
    give_up(self, &why);
    wadi_chunk_release(s->chunk);
    wadi_link_end_close(&s->end);
    wadi_share_book_destroy(s->book);
    free(s);
}

/* For the sink, which another thread calls. */
static void note_whole(link_source *s) {
    const wadi_port_part part = wadi_port_part_of(s->end.port);
    atomic_store(&s->whole_start, part.whole.start);
    atomic_store(&s->whole_lasts, part.whole.lasts);
    atomic_store(&s->whole_id, part.whole.stream);
    atomic_store(&s->whole_elements, part.whole.elements);
}

/* Waits for the next chunk; s->chunk is NULL at the end of the stream. All chunks must have parts of the same types as the first. */
static wadi_status receive(link_source *s, wadi_error *err) {
    if (s->base.over != NULL && atomic_load(s->base.over)) /* takes nothing that is not computed */
        return wadi_fail(err, WADI_CANCELLED, "link: the run is to end");
    s->begun = true;
    wadi_port_end_when(s->end.port, s->base.over);
    const wadi_status status = wadi_port_receive(s->end.port, &s->chunk, err);
    wadi_port_end_when(s->end.port, NULL);
    WADI_TRY(status);
    if (s->book != NULL) note_whole(s);
    s->at = 0;
    s->ended = s->chunk == NULL;
    if (s->book != NULL && !s->ended) WADI_TRY(wadi_share_book_add(s->book, s->chunk, err));
    if (s->ended || s->base.parts < 0) return WADI_OK;
    bool same = s->chunk->components == s->base.parts;
    for (int i = 0; same && i < s->base.parts; i++) {
        const wadi_chunk_component *c = &s->chunk->component[i];
        const wadi_part *p = &s->base.part[i];
        same = c->rank == p->rank && c->fields == p->fields &&
               memcmp(c->type, p->type, (size_t)c->fields * sizeof c->type[0]) == 0;
    }
    return same ? WADI_OK
                : wadi_fail(err, WADI_TYPE,
                            "link: the elements of chunk %lld have not the types of those before",
                            (long long)s->chunk->number);
}

static wadi_status copy_element(link_source *s, wadi_builder *b, wadi_error *err) {
    for (int i = 0; i < s->base.parts; i++) {
        const wadi_array from = wadi_chunk_array(s->chunk, i, s->at);
        wadi_array to;
        WADI_TRY(wadi_builder_array(b, i, from.shape, &to, err));
        const int64_t values = wadi_shape_values(from.rank, from.shape);
        for (int f = 0; f < from.fields && values > 0; f++) {
            memcpy(to.column[f], from.column[f], (size_t)(values * wadi_type_size(from.type[f])));
        }
    }
    s->at++;
    s->given++;
    return wadi_builder_next(b, err);
}

/* How many of the elements that are left of a chunk go on together: equal parts of it. */
static int64_t part_of(const link_source *s, int64_t k, int64_t most, double *out_bytes) {
    const int64_t left = s->chunk->count - s->at;
    const double each = (double)wadi_chunk_bytes(s->chunk) / (double)s->chunk->count;
    const double fit = (double)most / each;
    if (fit < (double)k) k = fit < 1 ? 1 : (int64_t)fit;
    const int64_t parts = (left - 1) / k + 1, n = (left - 1) / parts + 1;
    *out_bytes = (double)n * each;
    return n;
}

/* Elements that have come together go on as they are, unless they are so few that a chunk of them is not worth its own step, or not as many as there must be. Then they are copied beside others. */
static wadi_status adopt(link_source *s, int64_t k, wadi_builder *b, bool *out_taken,
                         wadi_error *err) {
    double bytes = 0;
    int64_t taken = 0;
    *out_taken = false;
    if (b->count > 0 || s->at == s->chunk->count) return WADI_OK;
    if (b->exact && s->chunk->count - s->at < k) return WADI_OK;
    const int64_t n = b->exact ? k : part_of(s, k, b->most_bytes, &bytes);
    if (n < k && bytes < (double)worth_bytes && s->book == NULL) return WADI_OK;
    WADI_TRY(wadi_builder_adopt(b, s->chunk, s->at, n, &taken, err));
    s->at += taken;
    s->given += taken;
    *out_taken = taken > 0;
    return WADI_OK;
}

/* The run is to end: the sender has forgotten what was taken, so that goes on first, unless that would be another chunk than was asked for. */
static bool gives_first(const link_source *s, const wadi_builder *b, wadi_status status) {
    return status == WADI_CANCELLED && b->count > 0 && !b->exact && s->base.over != NULL &&
           atomic_load(s->base.over) && !wadi_task_stopped();
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    link_source *s = (link_source *)self;
    bool whole = false;
    wadi_port_wake_by(s->end.port, self->wake_fd);
    while (!whole && b->count < k && !wadi_builder_full(b) && !s->ended) {
        const wadi_status status = s->chunk == NULL ? receive(s, err) : WADI_OK;
        if (gives_first(s, b, status)) {
            if (err != NULL) err->status = WADI_OK;
            return WADI_OK;
        }
        WADI_TRY(status);
        if (s->chunk != NULL) WADI_TRY(adopt(s, k, b, &whole, err));
        while (!whole && s->chunk != NULL && s->at < s->chunk->count && b->count < k &&
               !wadi_builder_full(b)) {
            WADI_TRY(copy_element(s, b, err));
        }
        if (s->chunk != NULL && s->at == s->chunk->count) drop_chunk(s);
    }
    return WADI_OK;
}

/* ---- a source of a part of a stream: what comes next may belong elsewhere, so elements of two chunks are never one ---- */

static wadi_status next_of_part(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    link_source *s = (link_source *)self;
    bool whole = false;
    wadi_port_wake_by(s->end.port, self->wake_fd);
    if (s->chunk == NULL && !s->ended) WADI_TRY(receive(s, err));
    if (s->chunk == NULL) return WADI_OK;
    self->place = s->chunk->first + s->at;
    WADI_TRY(adopt(s, k, b, &whole, err));
    while (!whole && s->at < s->chunk->count && b->count < k && !wadi_builder_full(b))
        WADI_TRY(copy_element(s, b, err));
    if (s->at == s->chunk->count) drop_chunk(s);
    return WADI_OK;
}

/* Whoever gets it knows that there are no more. */
static void keep_part(wadi_source *self, wadi_position behind, bool all) {
    wadi_port_keep(((link_source *)self)->end.port, behind.element, all);
}

static void settled(wadi_source *self, int64_t first, int64_t count) {
    wadi_share_book_settle(((link_source *)self)->book, first, count);
}

static void lost(wadi_source *self, const wadi_error *why) {
    wadi_share_book_lose(((link_source *)self)->book, why);
}

static void gathered(wadi_source *self, const wadi_gatherer *what) {
    wadi_share_book_gathered(((link_source *)self)->book, what);
}

static wadi_status attend(wadi_source *self, wadi_error *err) {
    wadi_port *port = ((link_source *)self)->end.port;
    wadi_port_wake_by(port, -1); /* its thread has ended */
    return wadi_port_attend(port, err);
}

static void whole(const wadi_source *self, wadi_whole *out) {
    const link_source *s = (const link_source *)self;
    *out = (wadi_whole){.stream = atomic_load(&s->whole_id),
                        .elements = atomic_load(&s->whole_elements),
                        .start = atomic_load(&s->whole_start),
                        .lasts = atomic_load(&s->whole_lasts)};
}

/* ---- a source that is gone on with ---- */

/* The mark is the id of the stream. */
static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    const link_source *s = (const link_source *)self;
    WADI_UNUSED(err);
    const uint64_t now = wadi_port_stream(s->end.port);
    *out = (wadi_position){s->given, now != 0 ? (int64_t)now : s->stream};
    return WADI_OK;
}

static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    link_source *s = (link_source *)self;
    if (to.element < 0 || to.mark < 0)
        return wadi_fail(err, WADI_INVALID, "link: no position (%lld, %lld)", (long long)to.element,
                         (long long)to.mark);
    if (s->begun) {
        if (to.element == s->given) return WADI_OK;
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "a link that has begun cannot go back from element %lld to %lld",
                         (long long)s->given, (long long)to.element);
    }
    s->given = to.element;
    s->stream = to.mark;
    wadi_port_go_on(s->end.port, (uint64_t)to.mark, to.element);
    return WADI_OK;
}

/* Waits until the sender has named its stream, which is all that is known of the data. */
static wadi_status describe(wadi_source *self, wadi_text *out, wadi_error *err) {
    link_source *s = (link_source *)self;
    const void *note = NULL;
    int64_t n = 0;
    wadi_link_end_watch(&s->end);
    const wadi_status status = wadi_port_note(s->end.port, &note, &n, err);
    wadi_link_end_unwatch(&s->end);
    if (status != WADI_OK) return status;
    if (wadi_port_stream(s->end.port) == 0)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "the sender cannot go on with its stream, because nothing of it is saved");
    wadi_text_addf(out, "%llx", (unsigned long long)wadi_port_stream(s->end.port));
    return WADI_OK;
}

static void keep(wadi_source *self, wadi_position behind, bool all) {
    wadi_port *port = ((link_source *)self)->end.port;
    if (all) wadi_port_wake_by(port, -1); /* its thread has ended */
    wadi_port_keep(port, behind.element, all);
}

static const wadi_source_ops source_ops = {destroy_source, next, give_up};
static const wadi_source_ops saved_source_ops = {.destroy = destroy_source,
                                                 .next = next,
                                                 .give_up = give_up,
                                                 .tell = tell,
                                                 .seek = seek,
                                                 .describe = describe,
                                                 .keep = keep};

static const wadi_source_ops part_source_ops = {.destroy = destroy_source,
                                                .next = next_of_part,
                                                .give_up = give_up,
                                                .keep = keep_part,
                                                .settled = settled,
                                                .lost = lost,
                                                .gathered = gathered,
                                                .attend = attend,
                                                .whole = whole};

/* Receives the first chunk under a watchdog of its own: the run, whose watchdog sees later waits, has not begun yet. */
static wadi_status receive_first(link_source *s, wadi_error *err) {
    wadi_link_end_watch(&s->end);
    const wadi_status status = receive(s, err);
    wadi_link_end_unwatch(&s->end);
    return status;
}

/* Learns from the first chunk what the elements are. */
static void learn_parts(link_source *s) {
    s->base.parts = -1;
    if (s->chunk == NULL) return;
    s->base.parts = s->chunk->components;
    for (int i = 0; i < s->base.parts; i++) {
        const wadi_chunk_component *c = &s->chunk->component[i];
        wadi_part *p = &s->base.part[i];
        p->rank = c->rank;
        p->fields = c->fields;
        memcpy(p->type, c->type, sizeof p->type);
        p->fixed = c->layout != WADI_LAYOUT_IRREGULAR;
        memcpy(p->shape, c->shape, sizeof p->shape);
    }
}

/* Elements are as they were declared, whatever place the stream goes on from. */
static wadi_status take_parts(link_source *s, const char *address, const wadi_link_options *o,
                              wadi_error *err) {
    if (o->parts < 1 || o->parts > WADI_MAX_PARTS || o->part == NULL)
        return wadi_fail(err, WADI_INVALID,
                         "%s: a link that is gone on with needs the parts of its elements: %d, "
                         "expected 1 to %d",
                         address, o->parts, (int)WADI_MAX_PARTS);
    s->base.ops = &saved_source_ops;
    s->base.parts = o->parts;
    memcpy(s->base.part, o->part, (size_t)o->parts * sizeof *o->part);
    wadi_port_keep(s->end.port, 0, false); /* nothing yet */
    return WADI_OK;
}

/* One that connects has a part, one that binds puts the parts into order. */
static wadi_status open_source(link_source *s, const char *address,
                               const wadi_link_options *options, wadi_error *err) {
    const bool shared = options != NULL && options->shared;
    wadi_port_share share = {.on = shared};
    if (!shared || options->bind)
        return wadi_link_end_open_shared(&s->end, address, options, false, &share, err);
    s->base.ops = &part_source_ops;
    s->base.is_part = true;
    WADI_TRY(wadi_share_book_create(&s->book, err));
    share = wadi_share_book_options(s->book);
    WADI_TRY(wadi_link_end_open_shared(&s->end, address, options, false, &share, err));
    wadi_share_book_use(s->book, s->end.port);
    return WADI_OK;
}

static wadi_status check_shared(const char *address, const wadi_link_options *o, wadi_error *err) {
    if (o == NULL || !o->shared || !o->goes_on || o->bind) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "%s: the run has nothing to save (--state), since others do what it leaves of "
                     "the part of a stream that is shared",
                     address);
}

wadi_status wadi_source_link(const char *address, const wadi_link_options *options,
                             wadi_source **out_source, wadi_error *err) {
    WADI_GIVEN(err, address);
    WADI_GIVEN(err, out_source);
    link_source *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", address);
    s->base.ops = &source_ops;
    s->base.kind = "link";
    s->base.linked = true;
    s->base.wake_fd = -1;
    s->base.parts = -1;
    const bool saved = options != NULL && options->goes_on;
    wadi_status status = check_shared(address, options, err);
    if (status == WADI_OK) status = open_source(s, address, options, err);
    if (status == WADI_OK && saved) status = take_parts(s, address, options, err);
    if (status == WADI_OK && !saved) status = receive_first(s, err);
    if (status == WADI_OK) {
        if (!saved) learn_parts(s);
        /* a chunk is there twice while it is read: as the message that came, and as a chunk */
        s->base.window = 2 * s->end.credit;
        *out_source = &s->base;
    } else {
        s->ended = true;
        destroy_source(&s->base);
    }
    return status;
}

wadi_status wadi_source_note(const wadi_source *source, const void **out, int64_t *out_bytes,
                             wadi_error *err) {
    WADI_GIVEN(err, source);
    WADI_GIVEN(err, out);
    WADI_GIVEN(err, out_bytes);
    if (source->ops != &source_ops && source->ops != &saved_source_ops &&
        source->ops != &part_source_ops)
        return wadi_fail(err, WADI_INVALID, "note: a %s source has no note, only a link has one",
                         source->kind);
    return wadi_port_note(((const link_source *)source)->end.port, out, out_bytes, err);
}

/* ---- sink ---- */

typedef struct link_sink {
    wadi_counted_sink counted;
    wadi_link_end end;
    int64_t chunks;
    bool closed; /* finished or aborted */
} link_sink;

static const wadi_sink_ops sink_ops, saved_sink_ops;

static void abort_sink(wadi_sink *self, const wadi_error *why) {
    link_sink *s = (link_sink *)self;
    s->closed = true;
    if (self->ops != &sink_ops && why->status == WADI_CANCELLED) return; /* it may come back */
    wadi_port_fail(s->end.port, s->chunks, why);
}

static void destroy_sink(wadi_sink *self) {
    link_sink *s = (link_sink *)self;
    if (s->end.port != NULL && !s->closed) {
        const wadi_error why = {.status = WADI_CANCELLED, .msg = "the sender has stopped"};
        abort_sink(self, &why);
    }
    wadi_link_end_close(&s->end);
    free(s);
}

/* Sends a view of the chunk that has the chunk's number on this link. The chunk itself is not changed. */
static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    link_sink *s = (link_sink *)self;
    wadi_chunk *numbered = NULL;
    wadi_port_wake_by(s->end.port, self->wake_fd);
    WADI_TRY(wadi_chunk_slice(c, 0, c->count, &numbered, err));
    numbered->number = s->chunks++;
    numbered->first = s->counted.elements;
    s->counted.elements += c->count;
    return wadi_port_send(s->end.port, numbered, err);
}

static wadi_status finish(wadi_sink *self, wadi_error *err) {
    link_sink *s = (link_sink *)self;
    s->closed = true;
    return wadi_port_end(s->end.port, s->chunks, err);
}

/* ---- a sink that is gone on with ---- */

static wadi_status meet(wadi_sink *self, int64_t *out, wadi_error *err) {
    link_sink *s = (link_sink *)self;
    wadi_link_end_watch(&s->end);
    const wadi_status status = wadi_port_meet(s->end.port, self->stream, out, err);
    wadi_link_end_unwatch(&s->end);
    return status;
}

static int64_t certain(const wadi_sink *self) {
    return wadi_port_certain(((const link_sink *)self)->end.port);
}

static const wadi_sink_ops sink_ops = {destroy_sink, put, finish, abort_sink};
static const wadi_sink_ops saved_sink_ops = {.destroy = destroy_sink,
                                             .put = put,
                                             .finish = finish,
                                             .abort = abort_sink,
                                             .have = wadi_counted_have,
                                             .last = wadi_counted_last,
                                             .go_on = wadi_counted_go_on,
                                             .meet = meet,
                                             .certain = certain};

wadi_status wadi_sink_link(const char *address, const wadi_link_options *options,
                           wadi_sink **out_sink, wadi_error *err) {
    WADI_GIVEN(err, address);
    WADI_GIVEN(err, out_sink);
    WADI_TRY(check_shared(address, options, err));
    if (options != NULL && options->shared)
        return wadi_link_shared_sink(address, options, out_sink, err);
    link_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", address);
    s->counted.base.ops = &sink_ops;
    s->counted.base.kind = "link";
    s->counted.base.linked = true;
    s->counted.base.wake_fd = -1;
    const bool saved = options != NULL && options->goes_on;
    if (saved) s->counted.base.ops = &saved_sink_ops;
    if (saved) s->counted.base.gives = WADI_GUARANTEE_EXACTLY_ONCE;
    wadi_status status = wadi_link_end_open(&s->end, address, options, true, err);
    if (status == WADI_OK && options != NULL && options->note != NULL && !saved)
        status = wadi_port_introduce(s->end.port, err);
    if (status == WADI_OK) {
        /* one more waits to be sent, ZeroMQ may hold the last one that it has sent, and blocks are larger than what is in them */
        s->counted.base.window = 2 * s->end.credit;
        *out_sink = &s->counted.base;
    } else {
        s->closed = true;
        destroy_sink(&s->counted.base);
    }
    return status;
}
