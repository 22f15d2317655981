/* Sinks of one file. */
#include "connectors/file_sink.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void give_up(wadi_file_sink *s) {
    if (s->file != NULL && s->lasts && !atomic_load(&s->base.saved)) wadi_outfile_unsave(s->file);
    wadi_outfile_give_up(&s->file);
}

static void destroy(wadi_sink *self) {
    wadi_file_sink *s = (wadi_file_sink *)self;
    give_up(s);
    free(s->path);
    free(s);
}

/* Whoever reads a pipe gets what there is: the next element may be long in coming. */
static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    wadi_file_sink *s = (wadi_file_sink *)self;
    wadi_outfile_try_again(s->file, s->base.retry);
    WADI_TRY(s->write(s, c, err));
    if (wadi_outfile_is_stream(s->file)) WADI_TRY(wadi_outfile_flush(s->file, err));
    s->elements += c->count;
    return WADI_OK;
}

static wadi_status finish(wadi_sink *self, wadi_error *err) {
    wadi_file_sink *s = (wadi_file_sink *)self;
    WADI_TRY(wadi_outfile_finish(&s->file, s->base.sync, err));
    s->finished = true;
    return WADI_OK;
}

/* The file gets its name when it is complete. */
static wadi_status have(wadi_sink *self, wadi_position *out, wadi_error *err) {
    wadi_file_sink *s = (wadi_file_sink *)self;
    if (s->lasts && !s->finished) {
        WADI_TRY(wadi_outfile_save(s->file, err));
        s->bytes = wadi_outfile_bytes(s->file);
    }
    *out = s->lasts ? (wadi_position){s->elements, s->bytes}
                    : (wadi_position){.element = s->finished ? s->elements : 0};
    return WADI_OK;
}

static wadi_status last(wadi_sink *self, wadi_error *err) {
    wadi_file_sink *s = (wadi_file_sink *)self;
    wadi_outfile_give_up(&s->file);
    WADI_TRY(wadi_outfile_open(s->path, &(wadi_outfile_options){.lasts = true}, &s->file, err));
    s->lasts = true;
    return WADI_OK;
}

static wadi_status go_on(wadi_sink *self, wadi_position behind, bool ended, wadi_error *err) {
    wadi_file_sink *s = (wadi_file_sink *)self;
    WADI_TRY(wadi_outfile_go_on(s->file, behind.mark, ended, err));
    s->elements = behind.element;
    return WADI_OK;
}

/* Not where it is: what was written is looked for when it is gone on with. */
static void describe(const wadi_sink *self, wadi_text *out) {
    const wadi_file_sink *s = (const wadi_file_sink *)self;
    if (s->separator != '\0') wadi_text_addf(out, "separator %d", s->separator);
}

static void abort_sink(wadi_sink *self, const wadi_error *why) {
    WADI_UNUSED(why);
    give_up((wadi_file_sink *)self);
}

static const wadi_sink_ops sink_ops = {.destroy = destroy,
                                       .put = put,
                                       .finish = finish,
                                       .abort = abort_sink,
                                       .have = have,
                                       .last = last,
                                       .describe = describe,
                                       .go_on = go_on};

wadi_status wadi_place_file_sink(const char *path, const char *kind, wadi_file_sink_fn write,
                                 wadi_file_sink **out, wadi_error *err) {
    wadi_file_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    s->base = (wadi_sink){.ops = &sink_ops, .kind = kind, .wake_fd = -1};
    s->write = write;
    s->path = strdup(path);
    const wadi_status status = s->path != NULL
                                   ? wadi_outfile_open(path, NULL, &s->file, err)
                                   : wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    if (status != WADI_OK) {
        destroy(&s->base);
        return status;
    }
    if (!wadi_outfile_is_stream(s->file)) s->base.gives = WADI_GUARANTEE_EXACTLY_ONCE;
    *out = s;
    return WADI_OK;
}
