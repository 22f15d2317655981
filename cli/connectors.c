/* wadi connectors: lists where streams can come from and go to. */
#include <stdio.h>

#include "cli/command.h"
#include "connectors/connectors.h"

static const char *direction(const wadi_connector *c) {
    if (!wadi_connector_has_places(c)) return "programs only";
    if (!c->sink) return "source";
    return c->source ? "source, sink" : "sink";
}

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_connectors, "unexpected \"%s\"", argv[1]);
    for (int i = 0; wadi_connectors[i]; i++) {
        const wadi_connector *c = wadi_connectors[i];
        char line[300];
        wadi_connector_tell(c, line, sizeof line);
        printf("%-13s %-14s %s\n", c->name, direction(c), line);
    }
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_connectors = {
    "connectors", "", "lists where streams can come from and go to",
    "`wadi run FILE NAME=@PLACE` takes the first connector that recognises PLACE.\n"
    "NAME=@CONNECTOR:PLACE names the connector, and NAME=@CONNECTOR,OPTIONS:PLACE also its "
    "options:\n"
    "  s=@sound,bits=16:song.ogg    s=@sound,whole:'*.wav'    out=@raw:table.csv\n",
    run};
