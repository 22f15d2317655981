/* Visibilities from and to another process. Rows are elements of a link; its note holds what is true of all rows.
 *
 * The receiver knows from the note what the rows are before the first one is there, and passes rows on as they come. A reader
 * that asks for more than has arrived gets what is there. It is an error if the rows do not match the note, in kind or in
 * number. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "connectors/link.h"
#include "connectors/vis_header.h"
#include "connectors/visibility.h"
#include "sched/stream.h"

typedef struct link_vis {
    wadi_vis base;
    wadi_link_end end;
    void *tables;      /* of base.info */
    wadi_chunk *chunk; /* being read; NULL: the next has to be received, or the stream has ended */
    int64_t at;        /* its next row */
    int64_t rows;      /* rows that were passed on */
    bool ended; /* the stream has ended or failed: nothing more has to be sent to the sender */
} link_vis;

static void drop_chunk(link_vis *v) {
    if (v->chunk == NULL) return;
    wadi_port_done(v->end.port, v->chunk->number);
    wadi_chunk_release(v->chunk);
    v->chunk = NULL;
}

static void close_link(wadi_vis *self) {
    link_vis *v = (link_vis *)self;
    if (v->end.port != NULL && !v->ended) {
        const wadi_error why = {.status = WADI_CANCELLED, .msg = "the receiver has stopped"};
        wadi_port_give_up(v->end.port, &why);
    }
    wadi_chunk_release(v->chunk);
    wadi_link_end_close(&v->end);
    free(v->tables);
    free(v);
}

/* ---- rows ---- */

/* What a part of a row is. */
typedef struct part {
    wadi_type type;
    int rank;
    int64_t shape[2];
    size_t bytes; /* of a row */
} part;

static void describe(const wadi_vis_info *info, part out[WADI_VIS_PARTS]) {
    const int64_t c = info->channels, p = info->pols;
    const size_t cells = (size_t)(c * p);
    out[WADI_VIS_UVW] = (part){WADI_F64, 1, {3}, 3 * sizeof(double)};
    out[WADI_VIS_PAIR] = (part){WADI_I32, 1, {2}, 2 * sizeof(int32_t)};
    out[WADI_VIS_TIME] = (part){WADI_F64, 0, {0}, sizeof(double)};
    out[WADI_VIS_DATA] = (part){WADI_C128, 2, {c, p}, cells * 2 * sizeof(double)};
    out[WADI_VIS_WEIGHT] = (part){WADI_F32, 2, {c, p}, cells * sizeof(float)};
}

/* Checks that the rows of a chunk are what the header says, and makes them lie one behind the other. */
static wadi_status check_chunk(const link_vis *v, wadi_chunk *c, wadi_error *err) {
    part want[WADI_VIS_PARTS];
    describe(&v->base.info, want);
    bool fits = c->components == WADI_VIS_PARTS;
    for (int i = 0; fits && i < WADI_VIS_PARTS; i++) {
        const wadi_chunk_component *got = &c->component[i];
        const int64_t *shape = NULL;
        fits = got->fields == 1 && got->type[0] == want[i].type && got->rank == want[i].rank &&
               wadi_component_is_regular(got, c->count, &shape);
        for (int d = 0; fits && shape != NULL && d < want[i].rank; d++)
            fits = shape[d] == want[i].shape[d];
        if (fits) WADI_TRY(wadi_chunk_spread(c, i, err));
    }
    if (fits) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "link: the rows after row %lld are not what the sender's header says",
                     (long long)(v->rows));
}

static wadi_status check_count(const link_vis *v, wadi_error *err) {
    const int64_t want = v->base.info.rows,
                  got = v->rows + (v->chunk != NULL ? v->chunk->count : 0);
    if (want < 0 || (v->ended ? got == want : got <= want)) return WADI_OK;
    return wadi_fail(err, WADI_IO, "link: the sender %s %lld rows, but its header says %lld",
                     v->ended ? "has ended after" : "has sent", (long long)got, (long long)want);
}

static wadi_status receive(link_vis *v, wadi_error *err) {
    const wadi_status status = wadi_port_receive(v->end.port, &v->chunk, err);
    v->at = 0;
    v->ended = status == WADI_OK ? v->chunk == NULL : status != WADI_CANCELLED;
    WADI_TRY(status);
    WADI_TRY(check_count(v, err));
    return v->ended ? WADI_OK : check_chunk(v, v->chunk, err);
}

/* Copies up to k rows of the chunk to the columns, from row `to` on. Returns how many. */
static int64_t copy_rows(link_vis *v, const wadi_vis_rows *rows, int64_t to, int64_t k) {
    part parts[WADI_VIS_PARTS];
    void *const column[WADI_VIS_PARTS] = {rows->uvw, rows->pair, rows->time, rows->data,
                                          rows->weight};
    const int64_t left = v->chunk->count - v->at;
    const int64_t n = left < k ? left : k;
    describe(&v->base.info, parts);
    for (int i = 0; i < WADI_VIS_PARTS && n > 0; i++) {
        const size_t bytes = parts[i].bytes;
        memcpy((char *)column[i] + (size_t)to * bytes,
               (const char *)v->chunk->component[i].column[0] + (size_t)v->at * bytes,
               (size_t)n * bytes);
    }
    v->at += n;
    v->rows += n;
    return n;
}

static wadi_status read_rows(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *rows,
                             int64_t *out_n, wadi_error *err) {
    link_vis *v = (link_vis *)self;
    wadi_port_wake_by(v->end.port, self->wake_fd);
    *out_n = 0;
    if (first != v->rows)
        return wadi_fail(err, WADI_INVALID, "link: rows can be read only once and in order");
    while (*out_n < k && !v->ended) {
        if (v->chunk == NULL && *out_n > 0 && !wadi_port_ready(v->end.port)) break;
        if (v->chunk == NULL) WADI_TRY(receive(v, err));
        if (v->chunk == NULL) break;
        *out_n += copy_rows(v, rows, *out_n, k - *out_n);
        if (v->at == v->chunk->count) drop_chunk(v);
    }
    return WADI_OK;
}

static const wadi_vis_ops link_ops = {read_rows, close_link};

/* ---- the two ends ---- */

static wadi_status open_link(link_vis *v, const char *address, const wadi_link_options *options,
                             wadi_error *err) {
    const void *note = NULL;
    int64_t n = 0;
    WADI_TRY(wadi_link_end_open(&v->end, address, options, false, err));
    wadi_link_end_watch(&v->end);
    const wadi_status status = wadi_port_note(v->end.port, &note, &n, err);
    wadi_link_end_unwatch(&v->end);
    if (status != WADI_OK) return status;
    if (note == NULL) {
        return wadi_fail(err, WADI_IO,
                         "%s: the sender has sent no header, so it does not send visibilities",
                         address);
    }
    return wadi_vis_header_read(note, (size_t)n, &v->base.info, &v->tables, err);
}

wadi_status wadi_vis_listen(const char *address, const wadi_link_options *options, wadi_vis **out,
                            wadi_error *err) {
    WADI_GIVEN(err, address);
    WADI_GIVEN(err, out);
    link_vis *v = calloc(1, sizeof *v);
    if (v == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", address);
    v->base.ops = &link_ops;
    v->base.passes = true;
    v->base.wake_fd = -1;
    wadi_error why = {.status = WADI_OK};
    const wadi_status status = open_link(v, address, options, &why);
    if (status == WADI_OK) {
        *out = &v->base;
        return WADI_OK;
    }
    if (v->end.port != NULL) wadi_port_give_up(v->end.port, &why);
    v->ended = true;
    close_link(&v->base);
    if (err != NULL) *err = why;
    return status;
}

wadi_status wadi_vis_sink(const char *address, const wadi_link_options *options,
                          const wadi_vis_info *info, wadi_sink **out, wadi_error *err) {
    WADI_GIVEN(err, address);
    WADI_GIVEN(err, info);
    WADI_GIVEN(err, out);
    wadi_link_options with_header = {0};
    void *header = NULL;
    size_t n = 0;
    WADI_TRY(wadi_vis_header_write(info, &header, &n, err));
    if (options != NULL) with_header = *options;
    with_header.note = header;
    with_header.note_bytes = (int64_t)n;
    const wadi_status status = wadi_sink_link(address, &with_header, out, err);
    free(header);
    return status;
}
