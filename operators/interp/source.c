/* Sources of streams. What was read from a source stays in memory, so that every reader begins at the first element. */
#include <string.h>

#include "operators/interp/stream.h"

static wadi_read_source *find_source(wadi_interp *in, const char *name) {
    for (int i = 0; i < in->io->nsources; i++)
        if (strcmp(in->io->sources[i].name, name) == 0) return &in->source[i];
    return NULL;
}

static const wadi_val_type *type_of(const wadi_interp *in, const wadi_bind *b) {
    return &in->m->values[b->results[0]].type;
}

static wadi_status next_of(wadi_interp *in, const wadi_read_source *s, int64_t e, int components,
                           wadi_array *out, bool *out_end) {
    *out_end = false;
    if (s->from->elements == NULL && s->from->pull != NULL)
        return s->from->pull(s->from->env, e, out, out_end, in->cx.err);
    if (e >= s->from->n)
        *out_end = true;
    else
        memcpy(out, s->from->elements + e * components, (size_t)components * sizeof *out);
    return WADI_OK;
}

/* Reads one more element into memory. */
static wadi_status read_more(wadi_interp *in, const wadi_bind *b, wadi_read_source *s) {
    const wadi_val_type *t = type_of(in, b);
    wadi_array host[WADI_STREAM_COMPONENTS];
    memset(host, 0, sizeof host);
    const int64_t e = (int64_t)s->arrays.n / t->arrays;
    WADI_TRY(next_of(in, s, e, t->arrays, host, &s->ended));
    const int64_t outer = in->cx.element;
    in->cx.element = e;
    for (int c = 0; c < t->arrays && !s->ended; c++) {
        wadi_iarray *a;
        WADI_TRY(wadi_interp_bind(in, "stream", b->name, b->loc, &t->array[c], &host[c], &a));
        if (!wadi_vec_push(&s->arrays, a)) {
            wadi_iarray_destroy(a);
            return wadi_stream_no_memory(in, b);
        }
    }
    in->cx.element = outer;
    return WADI_OK;
}

static wadi_status more_read(wadi_interp *in, wadi_cursor *c, bool *out) {
    const wadi_bind *b = c->bind;
    const int64_t e = c->at;
    wadi_read_source *s = find_source(in, b->name);
    const int n = type_of(in, b)->arrays;
    if (!s || n > WADI_STREAM_COMPONENTS)
        return wadi_fail_at(in->cx.err, b->loc, WADI_INVALID, "%s: nothing is bound to '%s'",
                            b->op->name, b->name);
    while (!s->ended && (int64_t)s->arrays.n < (e + 1) * n) WADI_TRY(read_more(in, b, s));
    *out = (int64_t)s->arrays.n >= (e + 1) * n;
    return WADI_OK;
}

static wadi_status next_read(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const wadi_read_source *s = find_source(in, c->bind->name);
    for (int i = 0; i < c->components; i++) out[i] = s->arrays.at[c->at * c->components + i];
    return WADI_OK;
}

const wadi_seq_meaning wadi_meaning_read = {.more = more_read, .next = next_read};
