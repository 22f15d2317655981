/* wadi schedules: the table of schedules. */
#include <stdio.h>

#include "cli/command.h"
#include "sched/schedules.h"

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_schedules, "unexpected \"%s\"", argv[1]);
    for (int i = 0; i < WADI_SCHEDULE_COUNT; i++)
        printf("%-12s %s%s\n", wadi_schedules[i].name, wadi_schedules[i].about,
               wadi_schedules[i].cost == NULL ? "; only if an option asks for it" : "");
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_schedules = {
    "schedules", "", "lists the ways to run the body of a stream over a chunk",
    "Costs and measurements choose one unless `wadi run --schedule NAME` names one. All give the "
    "same bits.\n",
    run};
