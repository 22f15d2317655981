/* What the command line can bind streams to: the table of connectors. */
#ifndef WADI_CLI_STREAMS_H
#define WADI_CLI_STREAMS_H

#include <stdbool.h>

#include "cli/values.h"
#include "wadi/stream.h"

/* A source and what lives as long as it. */
typedef struct wadi_cli_source {
    wadi_source *source;
    void *held;
    void (*release)(void *held);
} wadi_cli_source;

typedef struct wadi_cli_connector {
    const char *name;
    const char *about; /* one line */
    /* whether `place` (after the @) is this connector's; NULL: offered to programs alone. The first that says so is taken */
    bool (*takes)(const char *place);
    /* opens v->at for a stream of this type; NULL: cannot be read */
    wadi_status (*source)(const wadi_cli_value *v, const wadi_val_type *t, wadi_cli_source *out,
                          wadi_error *err);
    wadi_status (*sink)(const char *place, wadi_sink **out,
                        wadi_error *err); /* NULL: cannot be written */
} wadi_cli_connector;

/* The table, ended by a row without a name. */
extern const wadi_cli_connector wadi_cli_connector_table[];

/* Opens what `text` names for a stream whose type is `t`: @PLACE, or literals, elements separated by semicolons. */
WADI_NODISCARD wadi_status wadi_cli_source_open(const char *text, const wadi_val_type *t,
                                                wadi_cli_source *out, wadi_error *err);
void wadi_cli_source_close(wadi_cli_source *s); /* all zero is fine */
WADI_NODISCARD wadi_status wadi_cli_sink_open(const char *text, wadi_sink **out, wadi_error *err);

/* literal_source.c */
WADI_NODISCARD wadi_status wadi_cli_source_literal(const char *text, const wadi_val_type *t,
                                                   wadi_cli_source *out, wadi_error *err);

#endif
