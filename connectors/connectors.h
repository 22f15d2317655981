/* The table of connectors: where arrays come from and go to. A connector is a row that recognises the places it serves and opens
 * them. Programs call the constructors of wadi/stream.h and its neighbours; this table is for places that are given as text, as
 * `wadi run` does. */
#ifndef WADI_CONNECTORS_CONNECTORS_H
#define WADI_CONNECTORS_CONNECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "wadi/stream.h"

/* Opens links to other processes with the keys that the caller has. */
typedef struct wadi_place_links {
    wadi_status (*source)(void *env, const char *address, wadi_source **out, wadi_error *err);
    wadi_status (*sink)(void *env, const char *address, wadi_sink **out, wadi_error *err);
    void *env;
} wadi_place_links;

/* A place, and what it is opened for. Borrows everything. */
typedef struct wadi_place {
    const char *at;      /* a file, a folder, a pattern of files, or an address */
    bool named;          /* its connector was given by name */
    const char *options; /* "bits=16,whole"; NULL or "": none */
    int rank;            /* rank of the shape that was given with the place; -1: none */
    int64_t shape[WADI_MAX_RANK];
    int parts; /* parts of the element that a source must supply; fixed if the program or the shape gives all extents */
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
    const char *about; /* one line; NULL: `tell` writes it, since it follows from another table */
    void (*tell)(char *out, size_t room);
    const char *endings; /* of names of its places, without dots: "fits fit fts"; NULL: none */
    bool (*recognises)(const char *at); /* another way to know a place by its looks; NULL: none */
    bool takes_options;
    /* NULL: it is no source; no sink. Neither: it is offered to programs alone */
    wadi_status (*source)(const wadi_place *p, wadi_opened *out, wadi_error *err);
    wadi_status (*sink)(const wadi_place *p, wadi_sink **out, wadi_error *err);
} wadi_connector;

/* One line a connector, whose file defines wadi_connector_row_NAME. The first that recognises a place has it, so raw, which takes any, is the
 * last of those that recognise some. */
#define WADI_CONNECTORS(ROW) \
    ROW(link)                \
    ROW(sound)               \
    ROW(visibilities)        \
    ROW(fits)                \
    ROW(png)                 \
    ROW(matrix)              \
    ROW(raw)                 \
    ROW(memory)              \
    ROW(callback)

#define WADI_CONNECTOR_ROW(name) extern const wadi_connector wadi_connector_row_##name;
WADI_CONNECTORS(WADI_CONNECTOR_ROW)
#undef WADI_CONNECTOR_ROW

/* Ended by NULL. */
extern const wadi_connector *const wadi_connectors[];

/* The line about it. */
void wadi_connector_tell(const wadi_connector *c, char *out, size_t room);
/* False: programs alone can have it. */
bool wadi_connector_has_places(const wadi_connector *c);
/* The row of that name (n characters); NULL: none with places has it. */
const wadi_connector *wadi_connector_named(const char *name, size_t n);
/* The first row that recognises the place; NULL: none does. */
const wadi_connector *wadi_connector_of(const char *at);

/* Open the place by the row. Errors: WADI_INVALID (not a source, not a sink; options, shape), WADI_TYPE (the part does not fit),
 * and those of opening. */
WADI_NODISCARD wadi_status wadi_connector_source(const wadi_connector *c, const wadi_place *p,
                                                 wadi_opened *out, wadi_error *err);
WADI_NODISCARD wadi_status wadi_connector_sink(const wadi_connector *c, const wadi_place *p,
                                               wadi_sink **out, wadi_error *err);
/* Destroys the source and what it needs. All zero is fine. */
void wadi_opened_close(wadi_opened *o);

/* For rows whose elements are one array of one field; `what` is the subject of the error's sentence (place_file.c). Errors: WADI_TYPE. */
WADI_NODISCARD wadi_status wadi_place_one_part(const wadi_place *p, const char *what,
                                               wadi_error *err);

#endif
