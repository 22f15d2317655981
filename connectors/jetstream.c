/* Streams of messages that a NATS server keeps (JetStream), as places: nats://HOST[:PORT]/STREAM[?NAME=VALUE&..]. An element is a message. Its bytes are
 * the values of the element, in the machine's byte order; of u8[n], any bytes. The module "nats" reads and writes messages; here they become elements. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/loadable.h"
#include "base/task.h"
#include "connectors/connectors.h"
#include "connectors/counted.h"
#include "sched/stream.h"
#include "sched/work/jet.h"

static const char kind[] = "jetstream";

static bool is_address(const char *at) {
    return strncmp(at, "nats://", 7) == 0;
}

static wadi_status offer(const wadi_jet_streams_offer **out, wadi_error *err) {
    const void *ops = NULL;
    WADI_TRY(wadi_loadable_get("nats", "streams", &ops, err));
    *out = ops;
    return WADI_OK;
}

/* ---- source ---- */

typedef struct jet_source {
    wadi_source base;
    wadi_jet_reader *reader;
    char *name; /* of the stream */
    int64_t element;
    int64_t values; /* of an element; -1: its only extent follows from the message */
} jet_source;

static void destroy_source(wadi_source *self) {
    jet_source *s = (jet_source *)self;
    if (s->reader != NULL) s->reader->ops->close(s->reader);
    free(s->name);
    free(s);
}

static wadi_status take(jet_source *s, const wadi_jet_message *m, wadi_builder *b,
                        wadi_error *err) {
    const wadi_part *part = &s->base.part[0];
    const int64_t size = wadi_type_size(part->type[0]), n = m->n / size;
    wadi_array to;
    if (m->n % size != 0 || (s->values >= 0 && n != s->values))
        return wadi_fail(
            err, WADI_SHAPE, "stream %.100s: message %lld has %lld bytes, expected %s%lld", s->name,
            (long long)m->number, (long long)m->n, s->values < 0 ? "a multiple of " : "",
            (long long)(s->values < 0 ? size : s->values * size));
    WADI_TRY(wadi_builder_array(b, 0, part->fixed ? NULL : &n, &to, err));
    if (m->n > 0) memcpy(to.column[0], m->bytes, (size_t)m->n);
    WADI_TRY(wadi_builder_next(b, err));
    s->element++;
    return WADI_OK;
}

static wadi_status read_next(jet_source *s, bool waits, wadi_jet_found *found, wadi_jet_message *m,
                             wadi_error *err) {
    const bool idle = waits && s->reader->endless;
    const int ticket = idle ? wadi_task_idle("messages of stream", -1, s->name) : -1;
    const wadi_status st = s->reader->ops->next(s->reader, waits, s->base.wake_fd, found, m, err);
    if (idle) wadi_task_go_on(ticket);
    return st;
}

/* What has come is given on before more is waited for. */
static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    jet_source *s = (jet_source *)self;
    s->reader->over = self->over;
    while (b->count < k && !wadi_builder_full(b)) {
        wadi_jet_found found = WADI_JET_NONE;
        wadi_jet_message m;
        WADI_TRY(read_next(s, b->count == 0, &found, &m, err));
        if (found != WADI_JET_MESSAGE) return WADI_OK;
        WADI_TRY(take(s, &m, b, err));
    }
    return WADI_OK;
}

static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    const jet_source *s = (const jet_source *)self;
    WADI_UNUSED(err);
    *out = (wadi_position){.element = s->element, .mark = s->reader->ops->place(s->reader)};
    return WADI_OK;
}

static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    jet_source *s = (jet_source *)self;
    if (to.element < 0 || to.mark < 1 || to.element > to.mark)
        return wadi_fail(err, WADI_INVALID, "stream %.100s: no position (%lld, %lld)", s->name,
                         (long long)to.element, (long long)to.mark);
    if (to.element == 0 && to.mark != s->reader->ops->place(s->reader)) s->reader->strict = true;
    WADI_TRY(s->reader->ops->go_to(s->reader, to.mark, err));
    s->element = to.element;
    return WADI_OK;
}

static wadi_status describe(wadi_source *self, wadi_text *out, wadi_error *err) {
    const jet_source *s = (const jet_source *)self;
    WADI_UNUSED(err);
    s->reader->ops->describe(s->reader, out);
    return WADI_OK;
}

static const wadi_source_ops source_ops = {
    .destroy = destroy_source, .next = next, .tell = tell, .seek = seek, .describe = describe};

static wadi_status check_part(const wadi_place *p, wadi_error *err) {
    WADI_TRY(wadi_place_one_part(p, "a stream of messages", err));
    const wadi_part *part = &p->part[0];
    if (p->rank >= 0 && p->rank != part->rank)
        return wadi_fail(err, WADI_SHAPE,
                         "%.200s: the shape has %d extents, but the program declares %d", p->at,
                         p->rank, part->rank);
    if (part->fixed || part->rank == 1) return WADI_OK;
    return wadi_fail(err, WADI_SHAPE,
                     "%.200s: a message does not tell the shape of an element of rank %d; give it, "
                     "as in 3x4:@nats://..",
                     p->at, part->rank);
}

static wadi_status open_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    const wadi_jet_streams_offer *streams = NULL;
    wadi_jet_address at = {0};
    WADI_TRY(check_part(p, err));
    WADI_TRY(offer(&streams, err));
    jet_source *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%.200s: out of memory", p->at);
    s->base = (wadi_source){
        .ops = &source_ops, .kind = kind, .wake_fd = -1, .parts = 1, .part = {p->part[0]}};
    s->values =
        s->base.part[0].fixed ? wadi_shape_values(s->base.part[0].rank, s->base.part[0].shape) : -1;
    wadi_status st = wadi_jet_stream_address_read(p->at, WADI_JET_READ, &at, err);
    if (st == WADI_OK && (s->name = strdup(at.stream)) == NULL)
        st = wadi_fail(err, WADI_MEMORY, "%.200s: out of memory", p->at);
    if (st == WADI_OK) st = streams->read(&at, &s->reader, err);
    wadi_jet_address_fini(&at);
    if (st == WADI_OK) {
        s->base.total = s->reader->messages;
        out->source = &s->base;
    } else {
        destroy_source(&s->base);
    }
    return st;
}

/* ---- sink ---- */

typedef struct jet_sink {
    wadi_counted_sink counted;
    wadi_jet_writer *writer;
    char *name;
    int64_t has; /* of them, there are on the stream from an earlier process */
    bool met;
} jet_sink;

static void destroy_sink(wadi_sink *self) {
    jet_sink *s = (jet_sink *)self;
    if (s->writer != NULL) s->writer->ops->close(s->writer);
    free(s->name);
    free(s);
}

static wadi_status meet(wadi_sink *self, int64_t *out, wadi_error *err) {
    jet_sink *s = (jet_sink *)self;
    WADI_TRY(s->writer->ops->meet(s->writer, self->run, &self->before, out, err));
    s->has = *out;
    s->met = true;
    return WADI_OK;
}

static wadi_status put_element(jet_sink *s, const wadi_chunk *c, int64_t i, wadi_error *err) {
    const wadi_array a = wadi_chunk_array(c, 0, i);
    const int64_t values = wadi_shape_values(a.rank, a.shape);
    if (s->counted.elements + i < s->has) return WADI_OK;
    return s->writer->ops->put(s->writer, s->counted.base.wake_fd, a.column[0],
                               values * wadi_type_size(a.type[0]), err);
}

/* When it returns, the server has confirmed all: whoever reads need not wait for the next chunk, and what has failed is heard of. */
static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    jet_sink *s = (jet_sink *)self;
    int64_t has = 0;
    if (!s->met) {
        self->before = -1;
        WADI_TRY(meet(self, &has, err));
    }
    if (c->components != 1 || c->component[0].fields != 1)
        return wadi_fail(err, WADI_INVALID,
                         "stream %.100s: a message is an element of one array of one field",
                         s->name);
    for (int64_t i = 0; i < c->count; i++) WADI_TRY(put_element(s, c, i, err));
    WADI_TRY(s->writer->ops->flush(s->writer, self->wake_fd, err));
    s->counted.elements += c->count;
    return WADI_OK;
}

/* An earlier process has put all that is there, and nothing may be there that this one has not. */
static wadi_status finish(wadi_sink *self, wadi_error *err) {
    const jet_sink *s = (const jet_sink *)self;
    if (s->has <= s->counted.elements) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "stream %.100s has %lld elements of this run, which has given only %lld: a "
                     "source has fewer than it had, or somebody else has published there",
                     s->name, (long long)s->has, (long long)s->counted.elements);
}

static int64_t certain(const wadi_sink *self) {
    const jet_sink *s = (const jet_sink *)self;
    return s->writer->ops->confirmed(s->writer);
}

static const wadi_sink_ops sink_ops = {.destroy = destroy_sink,
                                       .put = put,
                                       .finish = finish,
                                       .have = wadi_counted_have,
                                       .last = wadi_counted_last,
                                       .go_on = wadi_counted_go_on,
                                       .meet = meet,
                                       .certain = certain};

static wadi_status open_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    const wadi_jet_streams_offer *streams = NULL;
    wadi_jet_address at = {0};
    WADI_TRY(offer(&streams, err));
    jet_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%.200s: out of memory", p->at);
    s->counted.base = (wadi_sink){.ops = &sink_ops,
                                  .kind = kind,
                                  .wake_fd = -1,
                                  .begins = true,
                                  .gives = WADI_GUARANTEE_EXACTLY_ONCE};
    wadi_status st = wadi_jet_stream_address_read(p->at, WADI_JET_WRITE, &at, err);
    if (st == WADI_OK && (s->name = strdup(at.stream)) == NULL)
        st = wadi_fail(err, WADI_MEMORY, "%.200s: out of memory", p->at);
    if (st == WADI_OK) st = streams->write(&at, &s->writer, err);
    wadi_jet_address_fini(&at);
    if (st == WADI_OK) {
        s->counted.base.window = s->writer->window;
        *out = &s->counted.base;
    } else {
        destroy_sink(&s->counted.base);
    }
    return st;
}

const wadi_connector wadi_connector_row_jetstream = {
    .name = "jetstream",
    .about = "messages that a NATS server keeps, nats://HOST[:PORT]/STREAM: each is an element; "
             "settings ?subject=NAME&from=N&to=N&follow=yes",
    .recognises = is_address,
    .has_addresses = true,
    .source = open_source,
    .sink = open_sink,
};
