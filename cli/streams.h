/* What the command line can bind streams to: literals, and the places of the table of connectors. */
#ifndef WADI_CLI_STREAMS_H
#define WADI_CLI_STREAMS_H

#include "cli/links.h"
#include "cli/values.h"
#include "connectors/connectors.h"

/* Opens what `text` names for a stream of type `t`: @PLACE, @CONNECTOR:PLACE, @CONNECTOR,OPTIONS:PLACE, or literals, whose elements are
 * separated by semicolons. After success the caller calls wadi_opened_close. links may be NULL. */
WADI_NODISCARD wadi_status wadi_cli_source_open(const char *text, const wadi_val_type *t,
                                                const wadi_cli_links *links, wadi_opened *out,
                                                wadi_error *err);
/* The part PLACE of a text without its "@". */
const char *wadi_cli_place(const char *text);
/* Whether the binding NAME=@ADDRESS, or that behind its "=", is a link to another process. */
bool wadi_cli_is_link(const char *binding);
/* How many of the bindings are. */
int wadi_cli_count_links(int n, char *const *bindings);
WADI_NODISCARD wadi_status wadi_cli_sink_open(const char *text, const wadi_cli_links *links,
                                              wadi_sink **out, wadi_error *err);

/* In literal_source.c. The elements of a source that was typed on the command line; false: it was not typed. */
bool wadi_cli_literals(const wadi_opened *opened, const wadi_array **out, int64_t *out_n);
WADI_NODISCARD wadi_status wadi_cli_source_literal(const char *text, const wadi_val_type *t,
                                                   wadi_opened *out, wadi_error *err);

#endif
