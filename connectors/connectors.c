/* The table of connectors, and opening places through it. */
#include "connectors/connectors.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"

#define ROW(name) &wadi_connector_row_##name,
const wadi_connector *const wadi_connectors[] = {WADI_CONNECTORS(ROW) NULL};
#undef ROW

/* ---- finding ---- */

/* Whether a name ends with a dot and one of the words of the list. The name of a folder may have a slash at its end. */
static bool has_ending(const char *at, const char *endings) {
    size_t n = strlen(at);
    while (n > 1 && at[n - 1] == '/') n--;
    for (size_t m = 0; *endings != '\0'; endings += m + (endings[m] == ' ')) {
        m = strcspn(endings, " ");
        if (n > m + 1 && at[n - m - 1] == '.' && wadi_ascii_begin_alike(at + n - m, endings, m))
            return true;
    }
    return false;
}

void wadi_connector_tell(const wadi_connector *c, char *out, size_t room) {
    if (c->about == NULL)
        c->tell(out, room);
    else
        (void)snprintf(out, room, "%s", c->about);
}

bool wadi_connector_has_places(const wadi_connector *c) {
    return c->source != NULL || c->sink != NULL;
}

static bool recognises(const wadi_connector *c, const char *at) {
    if (c->endings != NULL && has_ending(at, c->endings)) return true;
    return c->recognises != NULL && c->recognises(at);
}

const wadi_connector *wadi_connector_named(const char *name, size_t n) {
    for (int i = 0; wadi_connectors[i] != NULL; i++) {
        const wadi_connector *c = wadi_connectors[i];
        if (wadi_connector_has_places(c) && strlen(c->name) == n && memcmp(c->name, name, n) == 0)
            return c;
    }
    return NULL;
}

const wadi_connector *wadi_connector_of(const char *at) {
    for (int i = 0; wadi_connectors[i] != NULL; i++)
        if (recognises(wadi_connectors[i], at)) return wadi_connectors[i];
    return NULL;
}

/* ---- opening ---- */

static wadi_status check_options(const wadi_connector *c, const wadi_place *p, wadi_error *err) {
    if (p->options == NULL || *p->options == '\0' || c->takes_options) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "%s: the connector %s takes no options, found \"%s\"",
                     p->at, c->name, p->options);
}

wadi_status wadi_connector_source(const wadi_connector *c, const wadi_place *p, wadi_opened *out,
                                  wadi_error *err) {
    *out = (wadi_opened){0};
    if (c->source == NULL)
        return wadi_fail(err, WADI_INVALID,
                         "%s: the connector %s cannot read, only write; see wadi connectors", p->at,
                         c->name);
    WADI_TRY(check_options(c, p, err));
    return c->source(p, out, err);
}

wadi_status wadi_connector_sink(const wadi_connector *c, const wadi_place *p, wadi_sink **out,
                                wadi_error *err) {
    if (c->sink == NULL)
        return wadi_fail(err, WADI_INVALID,
                         "%s: the connector %s cannot write, only read; see wadi connectors", p->at,
                         c->name);
    WADI_TRY(check_options(c, p, err));
    return c->sink(p, out, err);
}

void wadi_opened_close(wadi_opened *o) {
    wadi_source_destroy(o->source);
    if (o->release != NULL) o->release(o->held);
    *o = (wadi_opened){0};
}
