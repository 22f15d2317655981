/* wadi policies: the table of chunk policies. */
#include <stdio.h>

#include "base/environment.h"
#include "base/user_cache.h"
#include "cli/command.h"
#include "sched/policy.h"

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_policies, "unexpected \"%s\"", argv[1]);
    for (const wadi_policy_row *p = wadi_policies; p->name; p++)
        printf("%-12s %s\n", p->name, p->about);
    char directory[1024];
    if (!wadi_switch_is_on(WADI_SWITCH_LEARN))
        printf("\nno sizes are learned: WADI_LEARN is \"off\"\n");
    else if (wadi_user_cache(directory, sizeof directory, NULL) == WADI_OK)
        printf("\nlearned sizes are kept in %s; WADI_LEARN=off or --forget turns this off\n",
               directory);
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_policies = {
    "policies", "", "lists the policies that choose how many elements a chunk has",
    "The first is used unless `wadi run --policy NAME` names another.\n", run};
