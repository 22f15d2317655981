/* Elements as lines of a file. */
#include "base/error.h"
#include "base/text.h"
#include "connectors/file_sink.h"
#include "connectors/lines_write.h"

static wadi_status write_out(const void *env, wadi_text *t, wadi_error *err) {
    const wadi_file_sink *s = env;
    if (t->failed) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", s->path);
    if (t->n > 0) WADI_TRY(wadi_outfile_write(s->file, t->at, t->n, err));
    wadi_text_clear(t);
    return WADI_OK;
}

static wadi_status write_lines(const wadi_file_sink *s, const wadi_chunk *c, wadi_error *err) {
    const wadi_lines_writer w = {s->path, s->separator, write_out, s};
    wadi_text t = {0};
    wadi_status st = wadi_lines_write_check(&w, c, err);
    for (int64_t i = 0; st == WADI_OK && i < c->count; i++) {
        st = wadi_lines_write(&w, c, i, &t, err);
        if (st == WADI_OK && t.n >= WADI_LINES_PIECE) st = write_out(s, &t, err);
    }
    if (st == WADI_OK) st = write_out(s, &t, err);
    wadi_text_fini(&t);
    return st;
}

wadi_status wadi_sink_lines(const char *path, const wadi_lines_options *options,
                            wadi_sink **out_sink, wadi_error *err) {
    WADI_GIVEN(err, path);
    WADI_GIVEN(err, out_sink);
    wadi_file_sink *s = NULL;
    WADI_TRY(wadi_place_file_sink(path, "lines", write_lines, &s, err));
    s->separator = options != NULL && options->separator != '\0' ? options->separator : ' ';
    *out_sink = &s->base;
    return WADI_OK;
}
