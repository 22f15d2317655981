/* Every other format as an input, by libsndfile, which needs a file that can seek. */
#include "apps/audio/input_other.h"

#include "base/error.h"
#include "connectors/sndfile.h"

static wadi_status read_other(void *state, int32_t *out, int64_t frames, int64_t *out_frames,
                              wadi_error *err) {
    return wadi_sndfile_read(state, out, frames, out_frames, err);
}

static void lost(const void *state, int64_t *out_clipped, int64_t *out_nan) {
    const wadi_sndfile_info *about = wadi_sndfile_about(state);
    *out_clipped = about->clipped;
    *out_nan = about->nans;
}

static void close_other(void *state) {
    wadi_sndfile_close(state);
}

static const flac_kind_ops ops = {"other", read_other, lost, close_other};

static wadi_status take_tags(const wadi_sndfile *s, flac_blocks *blocks, wadi_error *err) {
    wadi_text tag = {0};
    wadi_status st = WADI_OK;
    for (int i = 0; st == WADI_OK && i < wadi_sndfile_tag_count(s); i++) {
        const char *name = NULL;
        const char *value = NULL;
        wadi_sndfile_tag(s, i, &name, &value);
        wadi_text_clear(&tag);
        wadi_text_addf(&tag, "%s=%s", name, value);
        st = tag.failed ? wadi_fail(err, WADI_MEMORY, "out of memory")
                        : flac_tags_add(blocks, tag.at, tag.n, err);
    }
    wadi_text_fini(&tag);
    return st;
}

wadi_status flac_text_tags(const char *path, flac_blocks *blocks, wadi_error *err) {
    wadi_sndfile *s = NULL;
    if (wadi_sndfile_open(path, 0, &s, NULL) != WADI_OK) return WADI_OK;
    const wadi_status st = take_tags(s, blocks, err);
    wadi_sndfile_close(s);
    return st;
}

/* Whether the beginning is that of sound; what else it lacks is told when all is there. */
static wadi_status look(const char *path, const char *name, wadi_error *err) {
    wadi_sndfile *s = NULL;
    wadi_error why = {.status = WADI_OK};
    const wadi_sndfile_how how = {.name = name};
    const wadi_status status = wadi_sndfile_open_as(path, &how, &s, &why);
    wadi_sndfile_close(s);
    return status == WADI_INVALID ? wadi_fail(err, status, "%s", why.msg) : WADI_OK;
}

wadi_status flac_other_open(flac_input *in, const flac_wish *wish, wadi_error *err) {
    const char *path = NULL;
    wadi_sndfile *s = NULL;
    WADI_TRY(flac_bytes_as_file(in->bytes, look, &path, err));
    const wadi_sndfile_how how = {.bits = wish->convert,
                                  .name = flac_bytes_path(in->bytes),
                                  .advice = "--convert 24 rounds them to 24 bits"};
    WADI_TRY(wadi_sndfile_open_as(path, &how, &s, err));
    const wadi_sndfile_info *about = wadi_sndfile_about(s);
    in->info = (flac_sound_info){.rate = about->rate,
                                 .channels = about->channels,
                                 .bits = about->bits,
                                 .frames = about->frames,
                                 .format = about->format};
    in->ops = &ops;
    in->state = s;
    return take_tags(s, &in->blocks, err);
}
