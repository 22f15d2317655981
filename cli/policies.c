/* wadi policies: the table of chunk policies. */
#include <stdio.h>

#include "cli/command.h"
#include "sched/policy.h"

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_policies, "unexpected \"%s\"", argv[1]);
    for (const wadi_policy_row *p = wadi_policies; p->name; p++)
        printf("%-12s %s\n", p->name, p->about);
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_policies = {
    "policies", "", "lists the policies that choose how many elements a chunk has",
    "The first is used unless `wadi run --policy NAME` says otherwise.\n", run};
