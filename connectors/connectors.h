/* The table of connectors: where arrays come from and go to. A connector is a row that recognises the places it serves and opens
 * them. Programs call the constructors of wadi/stream.h and its neighbours; this table is for places that are given as text, as
 * `wadi run` does. */
#ifndef WADI_CONNECTORS_CONNECTORS_H
#define WADI_CONNECTORS_CONNECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "wadi/stream.h"

struct wadi_place;

/* What one end of a link does: which side binds, and whether several processes share the stream. */
typedef struct wadi_place_end {
    bool bind, shared;
} wadi_place_end;

/* How the caller opens links to other processes, for example with keys. */
typedef struct wadi_place_links {
    wadi_status (*source)(void *env, const struct wadi_place *p, wadi_place_end end,
                          wadi_source **out, wadi_error *err);
    wadi_status (*sink)(void *env, const char *address, wadi_place_end end, wadi_sink **out,
                        wadi_error *err);
    void *env;
} wadi_place_links;

/* A place as text, and what the program expects there. Borrows everything. */
typedef struct wadi_place {
    const char *at;      /* a file, a folder, a pattern of files, or an address */
    bool named;          /* the user named the connector: @raw:FILE */
    const char *options; /* "bits=16,whole"; NULL or "": none */
    int rank; /* rank of the shape that was given with the place (3x4:@FILE: 2); -1: none */
    int64_t shape[WADI_MAX_RANK];
    int parts; /* of the element that a source must supply; a part is fixed if the program or the shape gives all its extents */
    const wadi_part *part;
    const wadi_place_links *links; /* NULL: without keys */
} wadi_place;

/* A source, and what must live as long as the source. */
typedef struct wadi_opened {
    wadi_source *source;
    void *held;
    void (*release)(void *held);
} wadi_opened;

typedef struct wadi_connector {
    const char *name;
    const char *about; /* one line; NULL: `tell` writes it, because it depends on another table */
    void (*tell)(char *out, size_t room);
    const char *endings; /* of names of its places, without dots: "fits fit fts"; NULL: none */
    bool (*recognises)(
        const char *at); /* another way to recognise a place by its text; NULL: none */
    bool has_addresses;  /* its places are addresses, and no files */
    bool takes_options;
    /* A connector without `source` cannot read, and one without `sink` cannot write. One with neither serves only programs. */
    wadi_status (*source)(const wadi_place *p, wadi_opened *out, wadi_error *err);
    wadi_status (*sink)(const wadi_place *p, wadi_sink **out, wadi_error *err);
} wadi_connector;

/* One line for each connector; its file defines wadi_connector_row_NAME. The first connector that recognises a place opens it. So
 * raw, which recognises any place, stands behind all others that recognise places. */
#define WADI_CONNECTORS(ROW) \
    ROW(link)                \
    ROW(jetstream)           \
    ROW(sound)               \
    ROW(visibilities)        \
    ROW(fits)                \
    ROW(png)                 \
    ROW(matrix)              \
    ROW(lines)               \
    ROW(raw)                 \
    ROW(memory)              \
    ROW(callback)

#define WADI_CONNECTOR_ROW(name) extern const wadi_connector wadi_connector_row_##name;
WADI_CONNECTORS(WADI_CONNECTOR_ROW)
#undef WADI_CONNECTOR_ROW

/* Ended by NULL. */
extern const wadi_connector *const wadi_connectors[];

/* Writes the line about the connector to out. */
void wadi_connector_tell(const wadi_connector *c, char *out, size_t room);
/* Whether it can open places. False: it serves only programs (memory, callback). */
bool wadi_connector_has_places(const wadi_connector *c);
/* The row of that name (n characters) among those that can open places, or NULL. */
const wadi_connector *wadi_connector_named(const char *name, size_t n);
/* The first row that recognises the place; NULL: none does. */
const wadi_connector *wadi_connector_of(const char *at);

/* Opens the place through the row, to read or to write. Errors: WADI_INVALID (the connector cannot read or cannot write; options,
 * shape), WADI_TYPE (the parts do not fit), and those of opening. */
WADI_NODISCARD wadi_status wadi_connector_source(const wadi_connector *c, const wadi_place *p,
                                                 wadi_opened *out, wadi_error *err);
WADI_NODISCARD wadi_status wadi_connector_sink(const wadi_connector *c, const wadi_place *p,
                                               wadi_sink **out, wadi_error *err);
/* Destroys the source and what it needs. Harmless if all zero. */
void wadi_opened_close(wadi_opened *o);

/* Reads the number of an option of n characters, "NAME=NUMBER". False: it is none, or not from low to high (place_file.c). */
bool wadi_place_number(const char *option, size_t n, int64_t low, int64_t high, int64_t *out);

/* For connectors whose elements are one array of scalars. `what` is such a connector for the message: "a raw file" (place_file.c).
 * Errors: WADI_TYPE if the program declares tuples or records. */
WADI_NODISCARD wadi_status wadi_place_one_part(const wadi_place *p, const char *what,
                                               wadi_error *err);

#endif
