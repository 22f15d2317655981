/* wadi ops: the table of operators. */
#include <stdio.h>

#include "cli/command.h"
#include "operators/table.h"

static const char *kind_name(const wadi_op *op) {
    static const char *const names[] = {[WADI_OP_PRODUCER] = "producer",
                                        [WADI_OP_CONSUMER] = "consumer",
                                        [WADI_OP_STRUCTURAL] = "structural",
                                        [WADI_OP_SEQUENCE] = "sequence"};
    return names[op->kind];
}

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_ops, "unexpected \"%s\"", argv[1]);
    const wadi_op_table *t = wadi_operators();
    for (int i = 0; i < t->n; i++) printf("%-12s %s\n", t->ops[i]->name, kind_name(t->ops[i]));
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_ops = {
    "ops", "", "lists the operators of programs",
    "A producer is computed inside whoever reads it, a consumer runs a loop of its own, sequence "
    "operators make\n"
    "the stages of a stream. Scalar operations are listed in docs/TEXT.md.\n",
    run};
