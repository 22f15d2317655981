/* A stream of messages as a source. Its position is the number of the next message; where a message has several elements, also how many of them have been
 * given: both in one number, the latter in its lowest 23 bits. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/loadable.h"
#include "base/task.h"
#include "connectors/messages.h"

enum { GIVEN_BITS = 23 };
_Static_assert(WADI_MESSAGES_MOST == 1 << GIVEN_BITS, "positions have room for all elements");

typedef struct messages_source {
    wadi_source base;
    wadi_jet_reader *reader;
    char *stream; /* its name */
    wadi_messages_cut cut;
    int64_t element; /* the number of the next one */
    bool gaps;       /* what is gone is left out */
    int64_t
        behind; /* so many elements of message `half` have been given, by whoever told the position; 0: of none */
    int64_t half;
} messages_source;

wadi_status wadi_messages_offer(const wadi_jet_streams_offer **out, wadi_error *err) {
    const void *ops = NULL;
    WADI_TRY(wadi_loadable_get("nats", "streams", &ops, err));
    *out = ops;
    return WADI_OK;
}

static void destroy(wadi_source *self) {
    messages_source *s = (messages_source *)self;
    if (s->reader != NULL) s->reader->ops->close(s->reader);
    wadi_messages_cut_fini(&s->cut);
    free(s->stream);
    free(s);
}

/* ---- reading ---- */

static wadi_status read_next(messages_source *s, bool waits, wadi_jet_found *found,
                             wadi_jet_message *m, wadi_error *err) {
    const bool idle = waits && s->reader->endless;
    const int ticket = idle ? wadi_task_idle("messages of stream", -1, s->stream) : -1;
    const wadi_status st = s->reader->ops->next(s->reader, waits, s->base.wake_fd, found, m, err);
    if (idle) wadi_task_go_on(ticket);
    return st;
}

/* A message of which some elements have been given must come first. */
static wadi_status check_half(messages_source *s, wadi_jet_found found, const wadi_jet_message *m,
                              wadi_error *err) {
    if (s->behind == 0 || found == WADI_JET_NONE) return WADI_OK;
    if (found == WADI_JET_MESSAGE && m->number == s->half) return WADI_OK;
    if (!s->gaps || s->reader->strict)
        return wadi_fail(err, WADI_IO,
                         "stream %.100s: message %lld is gone, of which %lld elements have been "
                         "read (gaps=yes leaves out the rest)",
                         s->stream, (long long)s->half, (long long)s->behind);
    s->behind = 0;
    return WADI_OK;
}

/* Until there is a message with an element. *out_is: there is. */
static wadi_status fetch(messages_source *s, bool waits, bool *out_is, wadi_error *err) {
    while (!s->cut.open) {
        wadi_jet_found found = WADI_JET_NONE;
        wadi_jet_message m = {0};
        WADI_TRY(read_next(s, waits, &found, &m, err));
        WADI_TRY(check_half(s, found, &m, err));
        *out_is = found == WADI_JET_MESSAGE;
        if (!*out_is) return WADI_OK;
        WADI_TRY(wadi_messages_cut_begin(&s->cut, &m, s->behind, err));
        s->behind = 0;
    }
    *out_is = true;
    return WADI_OK;
}

/* What has come is given on before more is waited for. */
static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    messages_source *s = (messages_source *)self;
    s->reader->over = self->over;
    while (b->count < k && !wadi_builder_full(b)) {
        bool is = false;
        WADI_TRY(fetch(s, b->count == 0, &is, err));
        if (!is) return WADI_OK;
        WADI_TRY(wadi_messages_cut_next(&s->cut, b, err));
        s->element++;
    }
    return WADI_OK;
}

/* ---- positions ---- */

static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    const messages_source *s = (const messages_source *)self;
    int64_t number = s->reader->ops->place(s->reader), given = 0;
    if (s->cut.open) {
        number = s->cut.number;
        given = s->cut.given;
    } else if (s->behind > 0) {
        number = s->half;
        given = s->behind;
    }
    if (s->cut.as != WADI_JET_AS_ELEMENT && number > INT64_MAX >> GIVEN_BITS)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "stream %.100s: message %lld has several elements, and its number is too "
                         "large to save a run that reads it",
                         s->stream, (long long)number);
    *out = (wadi_position){
        .element = s->element,
        .mark = s->cut.as == WADI_JET_AS_ELEMENT ? number : (number << GIVEN_BITS | given)};
    return WADI_OK;
}

static wadi_status no_position(const messages_source *s, wadi_position to, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "stream %.100s: no position (%lld, %lld)", s->stream,
                     (long long)to.element, (long long)to.mark);
}

static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    messages_source *s = (messages_source *)self;
    const bool one = s->cut.as == WADI_JET_AS_ELEMENT;
    const int64_t number = one ? to.mark : to.mark >> GIVEN_BITS,
                  given = one ? 0 : to.mark & (WADI_MESSAGES_MOST - 1);
    wadi_position now = {0};
    if (to.element < 0 || to.mark < 0 || number < 1 || given > to.element ||
        (one && to.element > number))
        return no_position(s, to, err);
    WADI_TRY(tell(self, &now, err));
    if (now.element == to.element && now.mark == to.mark) return WADI_OK;
    if (to.element == 0 && number != s->reader->ops->place(s->reader)) s->reader->strict = true;
    WADI_TRY(s->reader->ops->go_to(s->reader, number, err));
    s->cut.open = false;
    s->half = number;
    s->behind = given;
    s->element = to.element;
    return WADI_OK;
}

static wadi_status describe(wadi_source *self, wadi_text *out, wadi_error *err) {
    const messages_source *s = (const messages_source *)self;
    WADI_UNUSED(err);
    s->reader->ops->describe(s->reader, out);
    if (s->cut.as != WADI_JET_AS_ELEMENT)
        wadi_text_addf(out, " %d %d %lld", (int)s->cut.as, s->cut.lines.separator,
                       (long long)s->cut.size);
    return WADI_OK;
}

static const wadi_source_ops ops = {
    .destroy = destroy, .next = next, .tell = tell, .seek = seek, .describe = describe};

/* ---- opening ---- */

static wadi_status begin(messages_source *s, const char *address, const wadi_part *part,
                         wadi_jet_address *at, wadi_error *err) {
    const wadi_jet_streams_offer *streams = NULL;
    WADI_TRY(wadi_jet_stream_address_read(address, WADI_JET_READ, at, err));
    if ((s->stream = strdup(at->stream)) == NULL)
        return wadi_fail(err, WADI_MEMORY, "%.200s: out of memory", address);
    s->gaps = at->gaps;
    WADI_TRY(wadi_messages_cut_init(&s->cut, address, s->stream, at, s->base.parts, part, err));
    for (int i = 0; i < s->base.parts; i++) s->base.part[i] = part[i];
    s->cut.part = s->cut.lines.part = s->base.part;
    WADI_TRY(wadi_messages_offer(&streams, err));
    WADI_TRY(streams->read(at, &s->reader, err));
    if (s->cut.as == WADI_JET_AS_ELEMENT) s->base.total = s->reader->messages;
    return WADI_OK;
}

wadi_status wadi_source_messages(const char *address, int parts, const wadi_part *part,
                                 wadi_source **out_source, wadi_error *err) {
    wadi_jet_address at = {0};
    WADI_GIVEN(err, address);
    WADI_GIVEN(err, part);
    WADI_GIVEN(err, out_source);
    messages_source *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%.200s: out of memory", address);
    s->base = (wadi_source){.ops = &ops, .kind = "jetstream", .wake_fd = -1, .parts = parts};
    const wadi_status st = begin(s, address, part, &at, err);
    wadi_jet_address_fini(&at);
    if (st == WADI_OK)
        *out_source = &s->base;
    else
        destroy(&s->base);
    return st;
}
