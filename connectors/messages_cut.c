/* Messages that become elements: one each, records of one size behind each other, or lines of text. */
#include <string.h>

#include "base/error.h"
#include "base/type.h"
#include "connectors/messages.h"

/* ---- what may be in a message ---- */

static int64_t value_size(const wadi_part *part) {
    return wadi_fields_size(part->type, part->fields);
}

static wadi_status check_part(const char *at, const wadi_part *part, bool last, wadi_error *err) {
    if (!wadi_part_is_possible(part))
        return wadi_fail(err, WADI_INVALID, "%.200s: no such part of an element", at);
    for (int f = 0; f < part->fields; f++)
        if ((int)part->type[f] < 0 || part->type[f] >= WADI_TYPE_COUNT)
            return wadi_fail(err, WADI_INVALID, "%.200s: no such type of a part", at);
    if (part->fixed) {
        const int64_t values = wadi_shape_values(part->rank, part->shape);
        if (values >= 0 && values <= INT64_MAX / WADI_MAX_PARTS / value_size(part)) return WADI_OK;
        return wadi_fail(err, WADI_INVALID, "%.200s: no such shape of a part", at);
    }
    if (last && part->rank == 1) return WADI_OK;
    return wadi_fail(err, WADI_SHAPE,
                     "%.200s: a message does not tell the shape of an element of rank %d; give it, "
                     "as in 3x4:@nats://..",
                     at, part->rank);
}

static wadi_status check_records(const wadi_messages_cut *c, const char *at, wadi_error *err) {
    if (c->unit > 0)
        return wadi_fail(err, WADI_SHAPE,
                         "%.200s: records (as=records) all have one shape; give it, as in "
                         "4:@nats://..",
                         at);
    if (c->size == 0)
        return wadi_fail(err, WADI_SHAPE, "%.200s: records (as=records) without bytes", at);
    return WADI_OK;
}

wadi_status wadi_messages_cut_init(wadi_messages_cut *c, const char *at, const char *stream,
                                   const wadi_jet_address *how, int parts, const wadi_part *part,
                                   wadi_error *err) {
    *c = (wadi_messages_cut){.stream = stream, .as = how->as, .parts = parts, .part = part};
    if (c->as == WADI_JET_AS_LINES) {
        WADI_TRY(wadi_lines_check(at, parts, part, err));
        wadi_lines_values_init(&c->lines, parts, part, how->separator);
        return WADI_OK;
    }
    if (parts < 1 || parts > WADI_MAX_PARTS)
        return wadi_fail(err, WADI_INVALID, "%.200s: an element of %d parts", at, parts);
    for (int i = 0; i < parts; i++) {
        WADI_TRY(check_part(at, &part[i], i == parts - 1, err));
        if (part[i].fixed)
            c->size += wadi_shape_values(part[i].rank, part[i].shape) * value_size(&part[i]);
        else
            c->unit = value_size(&part[i]);
    }
    return c->as == WADI_JET_AS_RECORDS ? check_records(c, at, err) : WADI_OK;
}

void wadi_messages_cut_fini(wadi_messages_cut *c) {
    wadi_lines_values_fini(&c->lines);
}

/* ---- a message ---- */

static wadi_status wrong_size(const wadi_messages_cut *c, int64_t n, wadi_error *err) {
    const bool many = c->unit > 0 || c->as == WADI_JET_AS_RECORDS;
    const int64_t some = c->unit > 0 ? c->unit : c->size;
    if (c->unit > 0 && c->size > 0)
        return wadi_fail(err, WADI_SHAPE,
                         "stream %.100s: message %lld has %lld bytes, expected %lld and a multiple "
                         "of %lld",
                         c->stream, (long long)c->number, (long long)n, (long long)c->size,
                         (long long)some);
    return wadi_fail(err, WADI_SHAPE, "stream %.100s: message %lld has %lld bytes, expected %s%lld",
                     c->stream, (long long)c->number, (long long)n, many ? "a multiple of " : "",
                     (long long)some);
}

static wadi_status check_message(const wadi_messages_cut *c, int64_t n, wadi_error *err) {
    if (c->as == WADI_JET_AS_LINES) return WADI_OK;
    const bool fits = c->as == WADI_JET_AS_RECORDS ? n % c->size == 0
                      : c->unit > 0                ? n >= c->size && (n - c->size) % c->unit == 0
                                                   : n == c->size;
    return fits ? WADI_OK : wrong_size(c, n, err);
}

/* The bytes of the next element, without the end of a line; goes behind it. */
static size_t pass(wadi_messages_cut *c, const char **out) {
    const size_t left = (size_t)(c->end - c->at);
    size_t n = left, end = 0;
    *out = c->at;
    if (c->as == WADI_JET_AS_RECORDS) n = (size_t)c->size;
    if (c->as == WADI_JET_AS_LINES) {
        const char *newline = memchr(c->at, '\n', left);
        if (newline != NULL) n = (size_t)(newline - c->at);
        end = newline != NULL;
    }
    c->at += n + end;
    c->given++;
    c->open = c->at < c->end;
    if (c->as == WADI_JET_AS_LINES && n > 0 && (*out)[n - 1] == '\r') n--;
    return n;
}

wadi_status wadi_messages_cut_begin(wadi_messages_cut *c, const wadi_jet_message *m, int64_t skip,
                                    wadi_error *err) {
    c->number = m->number;
    c->given = 0;
    c->at = m->n > 0 ? m->bytes : "";
    c->end = c->at + m->n;
    c->open = m->n > 0 || c->as == WADI_JET_AS_ELEMENT;
    wadi_status st = check_message(c, m->n, err);
    while (st == WADI_OK && c->open && c->given < skip) (void)pass(c, &(const char *){NULL});
    if (st == WADI_OK && c->given < skip)
        st = wadi_fail(err, WADI_IO,
                       "stream %.100s: message %lld has %lld elements, of which %lld have been "
                       "read: it is another one",
                       c->stream, (long long)c->number, (long long)c->given, (long long)skip);
    if (st != WADI_OK) c->open = false;
    return st;
}

/* ---- an element ---- */

/* The fields of a value stand behind each other. */
static void deal(const wadi_part *part, const char *from, int64_t n, const wadi_array *to) {
    const size_t stride = (size_t)value_size(part);
    for (int f = 0; f < part->fields; f++) {
        const size_t size = (size_t)wadi_type_size(part->type[f]);
        if (part->fields == 1) {
            memcpy(to->column[f], from, (size_t)n * size);
            return;
        }
        for (int64_t i = 0; i < n; i++)
            memcpy((char *)to->column[f] + (size_t)i * size, from + (size_t)i * stride, size);
        from += size;
    }
}

static wadi_status take_values(const wadi_messages_cut *c, const char *bytes, size_t n,
                               wadi_builder *b, wadi_error *err) {
    for (int i = 0; i < c->parts; i++) {
        const wadi_part *part = &c->part[i];
        const int64_t values = part->fixed ? wadi_shape_values(part->rank, part->shape)
                                           : ((int64_t)n - c->size) / c->unit;
        wadi_array to;
        WADI_TRY(wadi_builder_array(b, i, part->fixed ? NULL : &values, &to, err));
        if (values > 0) deal(part, bytes, values, &to);
        bytes += values * value_size(part);
    }
    return wadi_builder_next(b, err);
}

static wadi_status take_line(wadi_messages_cut *c, const char *line, size_t n, wadi_builder *b,
                             wadi_error *err) {
    wadi_error why = {.status = WADI_OK};
    const wadi_status st = wadi_lines_values_take(&c->lines, line, n, b, &why);
    if (st == WADI_OK) return WADI_OK;
    return wadi_fail(err, st, "stream %.100s: line %lld of message %lld %.300s", c->stream,
                     (long long)c->given, (long long)c->number, why.msg);
}

wadi_status wadi_messages_cut_next(wadi_messages_cut *c, wadi_builder *b, wadi_error *err) {
    const char *const from = c->at, *bytes = NULL;
    const size_t n = pass(c, &bytes);
    wadi_status st = WADI_OK;
    if (c->given >
        WADI_MESSAGES_MOST - c->open) /* no position is behind the last one of a message */
        st = wadi_fail(err, WADI_UNSUPPORTED,
                       "stream %.100s: message %lld has more than %d elements", c->stream,
                       (long long)c->number, (int)WADI_MESSAGES_MOST);
    else
        st = c->as == WADI_JET_AS_LINES ? take_line(c, bytes, n, b, err)
                                        : take_values(c, bytes, n, b, err);
    if (st == WADI_OK) return WADI_OK;
    c->at = from; /* it has not been given */
    c->given--;
    c->open = true;
    return st;
}
