/* Connectors by what their places look like. */
#include "cli/streams.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "connectors/sndfile.h"
#include "wadi/image.h"
#include "wadi/visibility.h"

enum { SOUND_BLOCK = 4096 /* frames per element where none are given */ };

static wadi_status one_plain_part(const wadi_val_type *t, const char *what, wadi_error *err) {
    if (t->arrays == 1 && t->array[0].elem.fields == 1) return WADI_OK;
    return wadi_fail(err, WADI_TYPE, "%s cannot supply tuples or records", what);
}

/* Whether a name ends with one of the list; a folder's may have a slash behind. */
static bool has_ending(const char *place, const char *const *endings) {
    size_t n = strlen(place);
    while (n > 1 && place[n - 1] == '/') n--;
    for (; *endings; endings++) {
        const size_t m = strlen(*endings);
        if (n > m && strncasecmp(place + n - m, *endings, m) == 0) return true;
    }
    return false;
}

/* ---- links to other processes ---- */

static bool is_address(const char *place) {
    return strncmp(place, "tcp://", 6) == 0 || strncmp(place, "ipc://", 6) == 0;
}

static wadi_status link_source(const wadi_cli_value *v, const wadi_val_type *t,
                               wadi_cli_source *out, wadi_error *err) {
    WADI_UNUSED(t);
    return wadi_source_link(v->at, &(wadi_link_options){.bind = true}, &out->source, err);
}

static wadi_status link_sink(const char *place, wadi_sink **out, wadi_error *err) {
    return wadi_sink_link(place, NULL, out, err);
}

/* ---- sound ---- */

static bool is_sound(const char *place) {
    static const char *const endings[] = {".wav", ".aif", ".aiff", ".flac", ".ogg",  ".opus",
                                          ".mp3", ".au",  ".caf",  ".w64",  ".rf64", NULL};
    return has_ending(place, endings);
}

static void close_sound(void *held) {
    wadi_sndfile_close(held);
}

static wadi_status sound_source(const wadi_cli_value *v, const wadi_val_type *t,
                                wadi_cli_source *out, wadi_error *err) {
    WADI_TRY(one_plain_part(t, "a sound file", err));
    if (t->array[0].elem.type[0] != WADI_I32 || t->array[0].rank != 2)
        return wadi_fail(
            err, WADI_TYPE,
            "%s: sound is a stream of i32[n, channels], which is not what the program declares",
            v->at);
    if (v->rank > 1 || (v->rank == 1 && v->shape[0] < 1))
        return wadi_fail(err, WADI_INVALID, "%s: expected frames per element, as in 4096:@%s",
                         v->at, v->at);
    wadi_sndfile *sound = NULL;
    WADI_TRY(wadi_sndfile_open(v->at, 0, &sound, err));
    const int64_t block = v->rank == 1 ? v->shape[0] : SOUND_BLOCK;
    const wadi_status st = wadi_sndfile_source(sound, block, NULL, NULL, &out->source, err);
    if (st != WADI_OK) {
        wadi_sndfile_close(sound);
        return st;
    }
    out->held = sound;
    out->release = close_sound;
    return WADI_OK;
}

/* ---- radio telescopes ---- */

static bool is_visibilities(const char *place) {
    static const char *const endings[] = {".uvfits", ".uvf", ".uvh5", ".ms", NULL};
    return has_ending(place, endings);
}

static bool is_fits(const char *place) {
    static const char *const endings[] = {".fits", ".fit", ".fts", NULL};
    return has_ending(place, endings);
}

static bool is_png(const char *place) {
    static const char *const endings[] = {".png", NULL};
    return has_ending(place, endings);
}

static void close_visibilities(void *held) {
    wadi_vis_close(held);
}

static wadi_status visibility_source(const wadi_cli_value *v, const wadi_val_type *t,
                                     wadi_cli_source *out, wadi_error *err) {
    if (v->rank > 0)
        return wadi_fail(err, WADI_INVALID, "%s: rows of visibilities have the shape of the file",
                         v->at);
    if (t->arrays != WADI_VIS_PARTS)
        return wadi_fail(err, WADI_TYPE,
                         "%s: visibilities are a stream of (f64[3], i32[2], f64, c128[channels, "
                         "products], f32[channels, products]), which is not what the program "
                         "declares",
                         v->at);
    wadi_vis *vis = NULL;
    WADI_TRY(wadi_vis_open(v->at, NULL, &vis, err));
    const wadi_status st = wadi_vis_source(vis, &out->source, err);
    if (st != WADI_OK) {
        wadi_vis_close(vis);
        return st;
    }
    out->held = vis;
    out->release = close_visibilities;
    return WADI_OK;
}

static wadi_status fits_sink(const char *place, wadi_sink **out, wadi_error *err) {
    return wadi_sink_fits(place, NULL, out, err);
}

static wadi_status png_sink(const char *place, wadi_sink **out, wadi_error *err) {
    return wadi_sink_png(place, NULL, out, err);
}

/* ---- raw files ---- */

static bool is_anything(const char *place) {
    return *place != '\0';
}

static wadi_status raw_source(const wadi_cli_value *v, const wadi_val_type *t, wadi_cli_source *out,
                              wadi_error *err) {
    WADI_TRY(one_plain_part(t, "a raw file", err));
    int64_t shape[WADI_MAX_RANK] = {0};
    WADI_TRY(wadi_cli_value_shape(v, &t->array[0], -1, shape, err));
    const wadi_part part = wadi_part_fixed(t->array[0].elem.type[0], t->array[0].rank, shape);
    return wadi_source_raw(v->at, &part, &out->source, err);
}

/* ---- the table ---- */

const wadi_cli_connector wadi_cli_connector_table[] = {
    {"link", "another process, at tcp://HOST:PORT or ipc://PATH; the reader binds the address",
     is_address, link_source, link_sink},
    {"sndfile", "recorded sound (wav, aiff, flac, ogg, ...): a source of i32[n, channels]",
     is_sound, sound_source, NULL},
    {"visibilities", "what a radio telescope measures (uvfits, uvh5, ms): a source of its rows",
     is_visibilities, visibility_source, NULL},
    {"fits", "a source of visibilities (random groups), a sink of planes of f32 or f64", is_fits,
     visibility_source, fits_sink},
    {"png", "a sink: the first plane of f32 or f64 as a grey picture", is_png, NULL, png_sink},
    {"raw", "a file of records in the machine's byte order: source of one shape, sink of any",
     is_anything, raw_source, wadi_sink_raw},
    {"memory", "arrays of the calling program: source and sink", NULL, NULL, NULL},
    {"callback", "functions of the calling program: source and sink", NULL, NULL, NULL},
    {0}};

static const wadi_cli_connector *connector_of(const char *place) {
    for (const wadi_cli_connector *c = wadi_cli_connector_table; c->name; c++)
        if (c->takes && c->takes(place)) return c;
    return NULL;
}

wadi_status wadi_cli_source_open(const char *text, const wadi_val_type *t, wadi_cli_source *out,
                                 wadi_error *err) {
    wadi_cli_value v;
    if (!strchr(text, '@')) return wadi_cli_source_literal(text, t, out, err);
    WADI_TRY(wadi_cli_value_split(text, &v, err));
    const wadi_cli_connector *c = v.at ? connector_of(v.at) : NULL;
    if (!c || !c->source)
        return wadi_fail(err, WADI_INVALID, "\"%s\" is no source; see wadi connectors", text);
    return c->source(&v, t, out, err);
}

void wadi_cli_source_close(wadi_cli_source *s) {
    wadi_source_destroy(s->source);
    if (s->release) s->release(s->held);
    *s = (wadi_cli_source){0};
}

wadi_status wadi_cli_sink_open(const char *text, wadi_sink **out, wadi_error *err) {
    const wadi_cli_connector *c = *text == '@' ? connector_of(text + 1) : NULL;
    if (!c || !c->sink)
        return wadi_fail(err, WADI_INVALID,
                         "\"%s\" is no sink: expected @FILE or @ADDRESS; see wadi connectors",
                         text);
    return c->sink(text + 1, out, err);
}
