/* Sound files as places: the meaning of the options, and the files that match a pattern. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "connectors/connectors.h"

static wadi_status bad_option(const char *text, size_t n, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID,
                     "sound: \"%.*s\" is no option; there are bits=8..32 (of i32, for what is not "
                     "stored as integers), channels=N, whole (each file one element)",
                     n < 60 ? (int)n : 60, text);
}

static wadi_status read_number(const char *text, size_t n, int64_t low, int64_t high, int *out,
                               wadi_error *err) {
    int64_t v = 0;
    if (!wadi_place_number(text, n, low, high, &v)) return bad_option(text, n, err);
    *out = (int)v;
    return WADI_OK;
}

static wadi_status read_options(const char *text, wadi_sound_options *o, wadi_error *err) {
    while (text != NULL && *text != '\0') {
        const size_t n = strcspn(text, ",");
        if (n == 5 && strncmp(text, "whole", 5) == 0)
            o->block = WADI_SOUND_WHOLE;
        else if (strncmp(text, "bits=", 5) == 0)
            WADI_TRY(read_number(text, n, 8, 32, &o->bits, err));
        else if (strncmp(text, "channels=", 9) == 0)
            WADI_TRY(read_number(text, n, 1, 65535, &o->channels, err));
        else
            return bad_option(text, n, err);
        text += n + (text[n] == ',');
    }
    return WADI_OK;
}

static wadi_status fit(const wadi_place *p, wadi_sound_options *o, wadi_error *err) {
    WADI_TRY(wadi_place_one_part(p, "a sound file", err));
    o->type = p->part[0].type[0];
    const bool is_sample = o->type == WADI_I32 || o->type == WADI_F32 || o->type == WADI_F64;
    if (!is_sample || p->part[0].rank != 2)
        return wadi_fail(err, WADI_TYPE,
                         "%s: sound is a stream of i32, f32 or f64[n, channels], but the program "
                         "declares something else",
                         p->at);
    if (p->rank > 1 || (p->rank == 1 && p->shape[0] < 1))
        return wadi_fail(err, WADI_INVALID, "%s: expected frames per element, as in 4096:@%s",
                         p->at, p->at);
    if (p->rank == 1 && o->block == WADI_SOUND_WHOLE)
        return wadi_fail(err, WADI_INVALID,
                         "%s: has both a number of frames per element and the option whole, "
                         "expected one of them",
                         p->at);
    if (p->rank == 1) o->block = p->shape[0];
    if (o->type != WADI_I32 && o->bits != 0)
        return wadi_fail(err, WADI_INVALID,
                         "%s: the option bits is only for samples of i32, but the program declares "
                         "%s",
                         p->at, wadi_type_name(o->type));
    return WADI_OK;
}

static wadi_status sound_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    wadi_sound_options o = {0};
    WADI_TRY(read_options(p->options, &o, err));
    WADI_TRY(fit(p, &o, err));
    if (strpbrk(p->at, "*?[") == NULL || wadi_file_exists(p->at))
        return wadi_source_sound(&p->at, 1, &o, &out->source, err);
    glob_t found = {0};
    wadi_status st = WADI_OK;
    const int failed = glob(p->at, 0, NULL, &found);
    if (failed == GLOB_NOSPACE)
        st = wadi_fail(err, WADI_MEMORY, "%s: out of memory", p->at);
    else if (failed != 0)
        st = wadi_fail(err, WADI_IO, "%s: no file matches this pattern", p->at);
    else
        st = wadi_source_sound((const char *const *)found.gl_pathv, (int)found.gl_pathc, &o,
                               &out->source, err);
    globfree(&found);
    return st;
}

const wadi_connector wadi_connector_row_sound = {
    .name = "sound",
    .about = "recorded sound (wav, flac, ogg, ..) as i32, f32 or f64[n, channels]; options bits=N, "
             "channels=N, whole",
    .endings = "wav aif aiff flac ogg opus mp3 au caf w64 rf64",
    .takes_options = true,
    .source = sound_source,
};
