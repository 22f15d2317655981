/* wadi passes: the table of passes, in the order in which they run. */
#include <stdio.h>

#include "cli/command.h"
#include "codegen/pipeline.h"

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_passes, "unexpected \"%s\"", argv[1]);
    for (int i = 0; wadi_pipeline_name(i); i++) puts(wadi_pipeline_name(i));
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_passes = {
    "passes", "", "lists the passes of the compiler, in order",
    "`wadi explain FILE --pass NAME` shows a program after a pass.\n", run};
