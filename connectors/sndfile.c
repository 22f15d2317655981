/* Recorded sound: passes calls on to the module sndfile, which opens the files. */
#include "connectors/sndfile.h"

#include "base/error.h"
#include "base/loadable.h"
#include "connectors/offers.h"

wadi_status wadi_sndfile_open_as(const char *path, const wadi_sndfile_how *how, wadi_sndfile **out,
                                 wadi_error *err) {
    const void *offer = NULL;
    wadi_error why = {0};
    const wadi_status st = wadi_loadable_get("sndfile", "sound", &offer, &why);
    if (st != WADI_OK) return wadi_fail(err, st, "%.100s: %.400s", path, why.msg);
    return ((const wadi_sound_offer *)offer)->open(path, how, out, err);
}

wadi_status wadi_sndfile_open(const char *path, int convert_bits, wadi_sndfile **out,
                              wadi_error *err) {
    return wadi_sndfile_open_as(path, &(wadi_sndfile_how){.bits = convert_bits}, out, err);
}

void wadi_sndfile_close(wadi_sndfile *s) {
    if (s != NULL) s->ops->close(s);
}

const wadi_sndfile_info *wadi_sndfile_about(const wadi_sndfile *s) {
    return &s->info;
}

int wadi_sndfile_tag_count(const wadi_sndfile *s) {
    return s->tag_n;
}

void wadi_sndfile_tag(const wadi_sndfile *s, int i, const char **out_name, const char **out_value) {
    *out_name = s->tags[i].name;
    *out_value = s->tags[i].value;
}

wadi_status wadi_sndfile_read(wadi_sndfile *s, int32_t *out, int64_t frames, int64_t *out_frames,
                              wadi_error *err) {
    return s->ops->read(s, out, frames, out_frames, err);
}

wadi_status wadi_sndfile_read_real(wadi_sndfile *s, double *out, int64_t frames,
                                   int64_t *out_frames, wadi_error *err) {
    return s->ops->read_real(s, out, frames, out_frames, err);
}
