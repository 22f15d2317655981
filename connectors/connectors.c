/* The table, and the rows that are short. */
#include "connectors/connectors.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "sched/transport/transport.h"
#include "wadi/image.h"
#include "wadi/matrix.h"
#include "wadi/visibility.h"

/* Whether a name ends with one of the list; a folder's may have a slash behind. */
static bool has_ending(const char *at, const char *const *endings) {
    size_t n = strlen(at);
    while (n > 1 && at[n - 1] == '/') n--;
    for (; *endings != NULL; endings++) {
        const size_t m = strlen(*endings);
        if (n > m && strncasecmp(at + n - m, *endings, m) == 0) return true;
    }
    return false;
}

/* ---- links to other processes ---- */

static bool is_address(const char *at) {
    return wadi_transport_of(at) != NULL;
}

static wadi_status link_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    if (p->links != NULL) return p->links->source(p->links->env, p->at, &out->source, err);
    return wadi_source_link(p->at, &(wadi_link_options){.bind = true}, &out->source, err);
}

static wadi_status link_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    if (p->links != NULL) return p->links->sink(p->links->env, p->at, out, err);
    return wadi_sink_link(p->at, NULL, out, err);
}

/* ---- sound ---- */

static bool is_sound(const char *at) {
    static const char *const endings[] = {".wav", ".aif", ".aiff", ".flac", ".ogg",  ".opus",
                                          ".mp3", ".au",  ".caf",  ".w64",  ".rf64", NULL};
    return has_ending(at, endings);
}

/* ---- radio telescopes ---- */

static bool is_visibilities(const char *at) {
    static const char *const endings[] = {".uvfits", ".uvf", ".uvh5", ".ms", NULL};
    return has_ending(at, endings);
}

static bool is_fits(const char *at) {
    static const char *const endings[] = {".fits", ".fit", ".fts", NULL};
    return has_ending(at, endings);
}

static bool is_png(const char *at) {
    static const char *const endings[] = {".png", NULL};
    return has_ending(at, endings);
}

static void close_visibilities(void *held) {
    wadi_vis_close(held);
}

static wadi_status visibility_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    if (p->rank > 0)
        return wadi_fail(err, WADI_INVALID, "%s: rows of visibilities have the shape of the file",
                         p->at);
    if (p->parts != WADI_VIS_PARTS)
        return wadi_fail(err, WADI_TYPE,
                         "%s: visibilities are a stream of (f64[3], i32[2], f64, c128[channels, "
                         "products], f32[channels, products]), which is not what the program "
                         "declares",
                         p->at);
    wadi_vis *vis = NULL;
    WADI_TRY(wadi_vis_open(p->at, NULL, &vis, err));
    const wadi_status st = wadi_vis_source(vis, &out->source, err);
    if (st != WADI_OK) {
        wadi_vis_close(vis);
        return st;
    }
    out->held = vis;
    out->release = close_visibilities;
    return WADI_OK;
}

static wadi_status fits_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    return wadi_sink_fits(p->at, NULL, out, err);
}

static wadi_status png_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    return wadi_sink_png(p->at, NULL, out, err);
}

/* ---- sparse matrices ---- */

static bool is_matrix(const char *at) {
    static const char *const endings[] = {".mtx", NULL};
    return has_ending(at, endings);
}

static void close_matrix(void *held) {
    wadi_csr_fini(held);
    free(held);
}

static wadi_status matrix_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    if (p->rank > 0)
        return wadi_fail(err, WADI_INVALID, "%s: a matrix has the shape of the file", p->at);
    if (p->parts != 2)
        return wadi_fail(err, WADI_TYPE,
                         "%s: the rows of a matrix are a stream of (i32[n], f64[n]): columns and "
                         "values; i64 where there are more than 2^31 columns, c128 where values "
                         "are complex",
                         p->at);
    wadi_csr *m = calloc(1, sizeof *m);
    if (m == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", p->at);
    wadi_status st = wadi_matrix_market_read(p->at, m, err);
    if (st == WADI_OK) st = wadi_source_matrix(m, &out->source, err);
    if (st != WADI_OK) {
        close_matrix(m);
        return st;
    }
    out->held = m;
    out->release = close_matrix;
    return WADI_OK;
}

/* ---- the table ---- */

const wadi_connector wadi_connectors[] = {
    {"link", "another process, at tcp://HOST:PORT or ipc://PATH; the reader binds the address",
     is_address, link_source, link_sink},
    {"sound",
     "recorded sound (wav, flac, ogg, ..) as i32, f32 or f64[n, channels]; options bits=N, "
     "channels=N, whole",
     is_sound, wadi_place_sound, NULL},
    {"visibilities", "what a radio telescope measures (uvfits, uvh5, ms): a source of its rows",
     is_visibilities, visibility_source, NULL},
    {"fits", "a source of visibilities (random groups), a sink of planes of f32 or f64", is_fits,
     visibility_source, fits_sink},
    {"png", "a sink: the first plane of f32 or f64 as a grey picture", is_png, NULL, png_sink},
    {"matrix", "a sparse matrix (mtx, Matrix Market): its rows as (i32[n], f64[n])", is_matrix,
     matrix_source, NULL},
    {"raw", "a file of records in the machine's byte order: source of one shape, sink of any",
     wadi_place_is_raw, wadi_place_raw_source, wadi_place_raw_sink},
    {"memory", "arrays of the calling program: source and sink", NULL, NULL, NULL},
    {"callback", "functions of the calling program: source and sink", NULL, NULL, NULL},
    {0}};

const wadi_connector *wadi_connector_named(const char *name, size_t n) {
    for (const wadi_connector *c = wadi_connectors; c->name != NULL; c++)
        if (c->recognises != NULL && strlen(c->name) == n && memcmp(c->name, name, n) == 0)
            return c;
    return NULL;
}

const wadi_connector *wadi_connector_of(const char *at) {
    for (const wadi_connector *c = wadi_connectors; c->name != NULL; c++)
        if (c->recognises != NULL && c->recognises(at)) return c;
    return NULL;
}

/* ---- opening ---- */

/* Only sound has options so far. */
static wadi_status check_options(const wadi_connector *c, const wadi_place *p, wadi_error *err) {
    if (p->options == NULL || *p->options == '\0' || c->source == wadi_place_sound) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "%s: %s takes no options, not \"%s\"", p->at, c->name,
                     p->options);
}

wadi_status wadi_connector_source(const wadi_connector *c, const wadi_place *p, wadi_opened *out,
                                  wadi_error *err) {
    *out = (wadi_opened){0};
    if (c->source == NULL)
        return wadi_fail(err, WADI_INVALID, "%s: %s is no source; see wadi connectors", p->at,
                         c->name);
    WADI_TRY(check_options(c, p, err));
    return c->source(p, out, err);
}

wadi_status wadi_connector_sink(const wadi_connector *c, const wadi_place *p, wadi_sink **out,
                                wadi_error *err) {
    if (c->sink == NULL)
        return wadi_fail(err, WADI_INVALID, "%s: %s is no sink; see wadi connectors", p->at,
                         c->name);
    WADI_TRY(check_options(c, p, err));
    return c->sink(p, out, err);
}

void wadi_opened_close(wadi_opened *o) {
    wadi_source_destroy(o->source);
    if (o->release != NULL) o->release(o->held);
    *o = (wadi_opened){0};
}
