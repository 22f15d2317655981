/* Streams on the command line: passes places to the table of connectors. */
#include "cli/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"
#include "sched/transport/transport.h"

/* ---- links ---- */

static wadi_status open_source(void *env, const wadi_place *p, wadi_place_end end,
                               wadi_source **out, wadi_error *err) {
    return wadi_cli_link_source(env, p->at, end, p->parts, p->part, out, err);
}

static wadi_status open_sink(void *env, const char *address, wadi_place_end end, wadi_sink **out,
                             wadi_error *err) {
    return wadi_cli_link_sink(env, address, end, out, err);
}

static wadi_place_links links_of(const wadi_cli_links *links) {
    return (wadi_place_links){open_source, open_sink, (void *)(uintptr_t)links};
}

/* ---- places ---- */

/* The parts of PLACE, CONNECTOR:PLACE or CONNECTOR,OPTIONS:PLACE. */
typedef struct taken {
    const wadi_connector *connector;
    wadi_place place;
    char *options; /* owned */
} taken;

/* The connector that a text names in front of its place; NULL: none. */
static const wadi_connector *named_in(const char *text) {
    return strchr(text, ':') != NULL ? wadi_connector_named(text, strcspn(text, ",:")) : NULL;
}

const char *wadi_cli_place(const char *text) {
    return named_in(text) != NULL ? strchr(text, ':') + 1 : text;
}

bool wadi_cli_is_link(const char *binding) {
    const char *at = strchr(binding, '@');
    return at && wadi_transport_of(wadi_cli_place(at + 1));
}

int wadi_cli_count_links(int n, char *const *bindings) {
    int links = 0;
    for (int i = 0; i < n; i++) links += wadi_cli_is_link(bindings[i]);
    return links;
}

static wadi_status take_apart(const char *text, taken *out, wadi_error *err) {
    const size_t n = strcspn(text, ",:");
    *out = (taken){.connector = named_in(text), .place = {.at = wadi_cli_place(text), .rank = -1}};
    out->place.named = out->connector != NULL;
    if (out->connector == NULL) {
        out->connector = wadi_connector_of(text);
        return WADI_OK;
    }
    if (text[n] == ':') return WADI_OK;
    const size_t m = (size_t)(out->place.at - 1 - text) - n - 1;
    out->options = malloc(m + 1);
    if (out->options == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    memcpy(out->options, text + n + 1, m);
    out->options[m] = '\0';
    out->place.options = out->options;
    return WADI_OK;
}

/* How many characters the name has in a text of the form NAME:PLACE or NAME,OPTIONS:PLACE, if it is neither a connector nor a scheme, and
 * there is no file of this text. 0: the text is something else. */
static size_t unknown_name(const char *text) {
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");
    const bool has_form = n > 0 && (text[n] == ':' || text[n] == ',') && strchr(text, ':') != NULL;
    const wadi_connector *of = wadi_connector_of(text);
    struct stat about;
    if (!has_form || named_in(text) != NULL || (of != NULL && of->has_addresses)) return 0;
    return stat(text, &about) != 0 && (errno == ENOENT || errno == ENOTDIR) ? n : 0;
}

static wadi_status fail_unknown(const char *text, size_t n, wadi_status status, wadi_error *err) {
    char forms[WADI_TRANSPORT_FORMS];
    wadi_text names = {0};
    wadi_transport_forms(forms);
    for (int i = 0; wadi_connectors[i] != NULL; i++)
        if (wadi_connector_has_places(wadi_connectors[i]))
            wadi_text_addf(&names, "%s:, ", wadi_connectors[i]->name);
    const wadi_status st = wadi_fail(
        err, status, "there is no such file, and no place begins with \"%.*s:\": expected %s%s",
        (int)n, text, wadi_text_str(&names), forms);
    wadi_text_fini(&names);
    return st;
}

/* The part that the program declares. It is fixed if the program or the shape on the command line gives all extents. */
static wadi_part part_of(const wadi_array_type *t, const wadi_cli_value *v) {
    wadi_part part = wadi_part_irregular(t->elem.type[0], t->rank);
    part.fields = t->elem.fields;
    for (int f = 0; f < part.fields; f++) part.type[f] = t->elem.type[f];
    part.fixed = wadi_cli_value_shape(v, t, -1, part.shape, NULL) == WADI_OK;
    return part;
}

wadi_status wadi_cli_source_open(const char *text, const wadi_val_type *t,
                                 const wadi_cli_links *links, wadi_opened *out, wadi_error *err) {
    wadi_cli_value v;
    taken k;
    wadi_part part[WADI_MAX_PARTS];
    const wadi_place_links with = links_of(links);
    if (!strchr(text, '@')) return wadi_cli_source_literal(text, t, out, err);
    WADI_TRY(wadi_cli_value_split(text, &v, err));
    if (!v.at || *v.at == '\0' || t->arrays > WADI_MAX_PARTS)
        return wadi_fail(err, WADI_INVALID,
                         "\"%s\" is no source: expected @FILE or @ADDRESS; see wadi connectors",
                         text);
    WADI_TRY(take_apart(v.at, &k, err));
    k.place.rank = v.rank;
    for (int d = 0; d < v.rank; d++) k.place.shape[d] = v.shape[d];
    for (int i = 0; i < t->arrays; i++) part[i] = part_of(&t->array[i], &v);
    k.place.parts = t->arrays;
    k.place.part = part;
    k.place.links = &with;
    const wadi_status st = wadi_connector_source(k.connector, &k.place, out, err);
    free(k.options);
    const size_t n = st == WADI_OK ? 0 : unknown_name(v.at);
    return n > 0 ? fail_unknown(v.at, n, st, err) : st;
}

wadi_status wadi_cli_sink_open(const char *text, const wadi_cli_links *links, wadi_sink **out,
                               wadi_error *err) {
    taken k;
    const wadi_place_links with = links_of(links);
    if (text[0] != '@' || text[1] == '\0')
        return wadi_fail(err, WADI_INVALID,
                         "\"%s\" is no sink: expected @FILE or @ADDRESS; see wadi connectors",
                         text);
    WADI_TRY(take_apart(text + 1, &k, err));
    k.place.links = &with;
    const wadi_status st = wadi_connector_sink(k.connector, &k.place, out, err);
    free(k.options);
    /* NAME:PLACE is also the name of a file that can be written, but NAME:// would be a folder. */
    const size_t n = st == WADI_OK ? 0 : unknown_name(text + 1);
    return n > 0 && strncmp(text + 1 + n, "://", 3) == 0 ? fail_unknown(text + 1, n, st, err) : st;
}
