/* wadi ops: operators and scalar operations, from the tables that the compiler reads. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "operators/table.h"

static const char *kind_name(const wadi_op *op) {
    static const char *const names[] = {[WADI_OP_PRODUCER] = "producer",
                                        [WADI_OP_CONSUMER] = "consumer",
                                        [WADI_OP_STRUCTURAL] = "structural",
                                        [WADI_OP_SEQUENCE] = "sequence"};
    return names[op->kind];
}

static void print_arguments(int n) {
    for (int i = 0; i < n; i++) printf(" %c", 'a' + i);
}

static bool describe(const char *name) {
    const wadi_op *op = wadi_op_find(wadi_operators(), name);
    if (op) {
        printf("%s\n    %s\n    %s\n    %s\n", op->form, op->types, op->about, kind_name(op));
        return true;
    }
    const wadi_derived *d = wadi_op_derived(wadi_operators(), name, strlen(name));
    if (d) {
        printf("%s\n    %s\n    %s\n    %s\n", d->form, d->types, d->about, "derived function");
        return true;
    }
    for (int i = 0; i < WADI_SOP_PRIM_COUNT; i++) {
        const wadi_sop_info *s = wadi_sop_get((wadi_sop)i);
        if (strcmp(s->name, name) != 0) continue;
        printf("%s", s->name);
        print_arguments(s->arity);
        printf("\n    %s\n    %s\n    scalar operation\n", s->about, wadi_sop_class_text(s->cls));
        return true;
    }
    return false;
}

static void list(void) {
    const wadi_op_table *t = wadi_operators();
    for (int i = 0; i < t->n; i++)
        printf("%-20s %-10s  %s\n", t->ops[i]->name, kind_name(t->ops[i]), t->ops[i]->form);
    for (int i = 0; t->derived(i); i++)
        printf("%-20s %-10s  %s\n", t->derived(i)->name, "derived", t->derived(i)->form);
    for (int i = 0; i < WADI_SOP_PRIM_COUNT; i++) {
        const wadi_sop_info *s = wadi_sop_get((wadi_sop)i);
        printf("%-20s %-10s  %s", s->name, "scalar", s->name);
        print_arguments(s->arity);
        printf("\n");
    }
}

static int run(int argc, char **argv) {
    if (argc == 1) list();
    for (int i = 1; i < argc; i++)
        if (!describe(argv[i]))
            return wadi_cli_misuse(
                &wadi_cli_ops, "no operator, derived function or scalar operation \"%s\"", argv[i]);
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_ops = {
    "ops", "[NAME ...]", "lists the operators of programs, or says what the named ones mean",
    "Each is shown as it is written in a text: attributes, arguments, functions and regions, in "
    "this order.\n"
    "\"..\" means any number more of the same.\n"
    "A producer is computed inside the operator that reads it. A consumer runs a loop of its own. "
    "Sequence operators\n"
    "make the stages of a stream. Scalar operations stand in functions. A derived function stands "
    "for "
    "operators or operations,\n"
    "as which the program is printed.\n",
    run};
