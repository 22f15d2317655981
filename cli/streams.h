/* What the command line can bind streams to: literals, and the places of the table of connectors. */
#ifndef WADI_CLI_STREAMS_H
#define WADI_CLI_STREAMS_H

#include "cli/links.h"
#include "cli/values.h"
#include "connectors/connectors.h"

/* Opens what `text` names for a stream whose type is `t`: @PLACE, @CONNECTOR:PLACE, @CONNECTOR,OPTIONS:PLACE, or literals, elements
 * separated by semicolons. wadi_opened_close is due when it succeeds. links may be NULL. */
WADI_NODISCARD wadi_status wadi_cli_source_open(const char *text, const wadi_val_type *t,
                                                const wadi_cli_links *links, wadi_opened *out,
                                                wadi_error *err);
/* PLACE, within what stands behind "@". */
const char *wadi_cli_place(const char *text);
WADI_NODISCARD wadi_status wadi_cli_sink_open(const char *text, const wadi_cli_links *links,
                                              wadi_sink **out, wadi_error *err);

/* literal_source.c; `literals`: the elements, if the source was typed on the command line. */
bool wadi_cli_literals(const wadi_opened *opened, const wadi_array **out, int64_t *out_n);
WADI_NODISCARD wadi_status wadi_cli_source_literal(const char *text, const wadi_val_type *t,
                                                   wadi_opened *out, wadi_error *err);

#endif
