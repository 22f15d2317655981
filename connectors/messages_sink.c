/* A stream of messages as a sink: elements as bytes, or as lines of text, one or several in a message. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/type.h"
#include "base/vec.h"
#include "connectors/counted.h"
#include "connectors/lines_write.h"
#include "connectors/messages.h"

typedef struct messages_sink {
    wadi_counted_sink counted;
    wadi_jet_writer *writer;
    char *stream; /* its name */
    char *form;   /* how it is described */
    wadi_jet_as as;
    int64_t batch; /* elements of a message, at most */
    wadi_lines_writer lines;
    wadi_text text;         /* of elements that are not yet put: the next message */
    WADI_VEC(int64_t) ends; /* where each of them ends in it */
    size_t begin;           /* of the one that is being added, */
    int64_t adding;         /* and its number */
    int64_t has;            /* there are on the stream from an earlier process */
    bool met;
} messages_sink;

static void destroy(wadi_sink *self) {
    messages_sink *s = (messages_sink *)self;
    if (s->writer != NULL) s->writer->ops->close(s->writer);
    wadi_text_fini(&s->text);
    wadi_vec_free(&s->ends);
    free(s->stream);
    free(s->form);
    free(s);
}

static wadi_status meet(wadi_sink *self, int64_t *out, wadi_error *err) {
    messages_sink *s = (messages_sink *)self;
    WADI_TRY(s->writer->ops->meet(s->writer, self->run, &self->before, out, err));
    s->has = *out;
    s->met = true;
    return WADI_OK;
}

/* ---- elements ---- */

/* The values of all parts behind each other; of a record, its fields. */
static void add_bytes(const wadi_array *a, wadi_text *t) {
    const int64_t n = wadi_shape_values(a->rank, a->shape);
    if (a->fields == 1 && n > 0)
        wadi_text_add_n(t, a->column[0], (size_t)n * (size_t)wadi_type_size(a->type[0]));
    for (int64_t i = 0; a->fields > 1 && i < n; i++)
        for (int f = 0; f < a->fields; f++) {
            const size_t size = (size_t)wadi_type_size(a->type[f]);
            wadi_text_add_n(t, (const char *)a->column[f] + (size_t)i * size, size);
        }
}

static int64_t bytes_of(const wadi_array *a) {
    return wadi_fields_size(a->type, a->fields) * wadi_shape_values(a->rank, a->shape);
}

/* A line that no message takes need not be made to its end. */
static wadi_status check_piece(const void *env, wadi_text *t, wadi_error *err) {
    const messages_sink *s = env;
    if ((int64_t)(t->n - s->begin) <= s->writer->most || t->failed) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "stream %.100s: element %lld has more bytes as a line than a message of this "
                     "server takes, at most %lld",
                     s->stream, (long long)s->adding, (long long)s->writer->most);
}

/* The first of those that were gathered. */
static wadi_status send(messages_sink *s, size_t elements, wadi_error *err) {
    if (elements == 0) return WADI_OK;
    const int64_t n = s->ends.at[elements - 1];
    WADI_TRY(s->writer->ops->put(s->writer, s->counted.base.wake_fd, (int64_t)elements, s->ends.at,
                                 n > 0 ? s->text.at : "", err));
    if (n > 0) memmove(s->text.at, s->text.at + n, s->text.n - (size_t)n);
    s->text.n -= (size_t)n;
    s->ends.n -= elements;
    for (size_t i = 0; i < s->ends.n; i++) s->ends.at[i] = s->ends.at[elements + i] - n;
    return WADI_OK;
}

static wadi_status add_values(messages_sink *s, const wadi_chunk *c, int64_t i, wadi_error *err) {
    int64_t n = 0;
    for (int k = 0; k < c->components && n <= s->writer->most; k++) {
        const wadi_array a = wadi_chunk_array(c, k, i);
        n += bytes_of(&a);
    }
    if (n > s->writer->most) { /* which the writer tells */
        WADI_TRY(send(s, s->ends.n, err));
        return s->writer->ops->put(s->writer, s->counted.base.wake_fd, 1, &n, "", err);
    }
    for (int k = 0; k < c->components; k++) {
        const wadi_array a = wadi_chunk_array(c, k, i);
        add_bytes(&a, &s->text);
    }
    return WADI_OK;
}

/* Elements go together up to `batch`, and as many as a message takes. */
static wadi_status add_element(messages_sink *s, const wadi_chunk *c, int64_t i, wadi_error *err) {
    s->adding = s->counted.elements + i;
    if (s->adding < s->has) return WADI_OK;
    s->begin = s->text.n;
    if (s->as == WADI_JET_AS_LINES)
        WADI_TRY(wadi_lines_write(&s->lines, c, i, &s->text, err));
    else
        WADI_TRY(add_values(s, c, i, err));
    if (s->text.failed || !wadi_vec_push(&s->ends, (int64_t)s->text.n))
        return wadi_fail(err, WADI_MEMORY, "publishing: out of memory");
    if ((int64_t)s->text.n > s->writer->most) WADI_TRY(send(s, s->ends.n - 1, err));
    return s->ends.n == (size_t)s->batch ? send(s, s->ends.n, err) : WADI_OK;
}

/* ---- the sink ---- */

/* When it returns, the server has confirmed all: whoever reads need not wait for the next chunk, and what has failed is heard of. */
static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    messages_sink *s = (messages_sink *)self;
    int64_t has = 0;
    if (!s->met) {
        self->before = -1;
        WADI_TRY(meet(self, &has, err));
    }
    if (s->as == WADI_JET_AS_LINES) WADI_TRY(wadi_lines_write_check(&s->lines, c, err));
    for (int64_t i = 0; i < c->count; i++) WADI_TRY(add_element(s, c, i, err));
    WADI_TRY(send(s, s->ends.n, err));
    WADI_TRY(s->writer->ops->flush(s->writer, self->wake_fd, err));
    s->counted.elements += c->count;
    return WADI_OK;
}

/* An earlier process has put all that is there, and nothing may be there that this one has not. */
static wadi_status finish(wadi_sink *self, wadi_error *err) {
    const messages_sink *s = (const messages_sink *)self;
    const int64_t there =
        s->writer->there > s->has ? s->writer->there : s->has; /* some may have come late */
    if (there <= s->counted.elements) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "stream %.100s has %lld elements of this run, which has given only %lld: a "
                     "source has fewer than it had, or somebody else has published there",
                     s->stream, (long long)there, (long long)s->counted.elements);
}

static void describe(const wadi_sink *self, wadi_text *out) {
    wadi_text_add(out, ((const messages_sink *)self)->form);
}

static int64_t certain(const wadi_sink *self) {
    const messages_sink *s = (const messages_sink *)self;
    return s->writer->ops->confirmed(s->writer);
}

static const wadi_sink_ops ops = {.destroy = destroy,
                                  .put = put,
                                  .finish = finish,
                                  .have = wadi_counted_have,
                                  .last = wadi_counted_last,
                                  .describe = describe,
                                  .go_on = wadi_counted_go_on,
                                  .meet = meet,
                                  .certain = certain};

/* Where it stands on the server: what is there of another form would be taken for its own. Not how many elements go together, nor how the server is reached. */
static char *form_of(const wadi_jet_address *at) {
    wadi_text t = {0};
    wadi_text_addf(&t, "stream %s subject %s as %d separator %d", at->stream,
                   at->subject != NULL ? at->subject : "", (int)at->as, at->separator);
    return wadi_text_take(&t);
}

static wadi_status begin(messages_sink *s, const char *address, wadi_jet_address *at,
                         wadi_error *err) {
    const wadi_jet_streams_offer *streams = NULL;
    WADI_TRY(wadi_jet_stream_address_read(address, WADI_JET_WRITE, at, err));
    if ((s->stream = strdup(at->stream)) == NULL || (s->form = form_of(at)) == NULL)
        return wadi_fail(err, WADI_MEMORY, "%.200s: out of memory", address);
    s->as = at->as;
    s->batch = at->batch;
    s->lines =
        (wadi_lines_writer){s->stream, at->separator != '\0' ? at->separator : ' ', check_piece, s};
    WADI_TRY(wadi_messages_offer(&streams, err));
    WADI_TRY(streams->write(at, &s->writer, err));
    s->counted.base.window = s->writer->window + s->writer->most;
    return WADI_OK;
}

wadi_status wadi_sink_messages(const char *address, wadi_sink **out_sink, wadi_error *err) {
    wadi_jet_address at = {0};
    WADI_GIVEN(err, address);
    WADI_GIVEN(err, out_sink);
    messages_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%.200s: out of memory", address);
    s->counted.base = (wadi_sink){.ops = &ops,
                                  .kind = "jetstream",
                                  .wake_fd = -1,
                                  .begins = true,
                                  .gives = WADI_GUARANTEE_EXACTLY_ONCE};
    const wadi_status st = begin(s, address, &at, err);
    wadi_jet_address_fini(&at);
    if (st == WADI_OK)
        *out_sink = &s->counted.base;
    else
        destroy(&s->counted.base);
    return st;
}
