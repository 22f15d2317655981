/* The `wadi` command: a table of subcommands. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "base/say.h"
#include "cli/command.h"

static const wadi_cli_command *const commands[] = {
    &wadi_cli_run,        &wadi_cli_work,     &wadi_cli_job,       &wadi_cli_verify,
    &wadi_cli_check,      &wadi_cli_explain,  &wadi_cli_ops,       &wadi_cli_passes,
    &wadi_cli_connectors, &wadi_cli_policies, &wadi_cli_schedules, &wadi_cli_devices,
    &wadi_cli_build,      &wadi_cli_kernels,  &wadi_cli_cache,     &wadi_cli_top,
    &wadi_cli_why,        &wadi_cli_version};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void usage(FILE *to) {
    fprintf(to, "usage: wadi COMMAND [ARGUMENTS]\n\n");
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-11s %s\n", commands[i]->name, commands[i]->about);
    fprintf(to, "\n`wadi COMMAND --help` says more about a command.\n");
}

static int help(const wadi_cli_command *c) {
    wadi_cli_usage(c, stdout);
    printf("\n%s\n", c->about);
    if (c->details) printf("\n%s", c->details);
    if (c->more) printf("%s", c->more);
    return WADI_CLI_OK;
}

static bool is_help(const char *s) {
    return strcmp(s, "--help") == 0 || strcmp(s, "-h") == 0;
}

/* Whether help is asked for, before or behind other arguments. Behind "--" nothing is an option. */
static bool asks_for_help(int argc, char *const *argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i])) return true;
    return false;
}

/* The exit status: that of the command, or a failure if its output could not be written. Ends the process if a signal has come. */
static int end(int status) {
    wadi_process_end(status != WADI_CLI_OK);
    if (wadi_process_printed()) return status;
    wadi_process_end(true);
    return WADI_CLI_FAILED;
}

/* NULL: there is none of this name. */
static const wadi_cli_command *command_of(const char *name) {
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

int main(int argc, char **argv) {
    wadi_process_begin("wadi");
    if (argc < 2) {
        usage(stderr);
        return WADI_CLI_USAGE;
    }
    const bool helps = is_help(argv[1]) || strcmp(argv[1], "help") == 0;
    if (helps && (argc == 2 || is_help(argv[2]))) {
        usage(stdout);
        return end(WADI_CLI_OK);
    }
    const char *word = helps ? argv[2] : argv[1];
    const char *name = strcmp(word, "--version") == 0 ? "version" : word;
    const wadi_cli_command *c = command_of(name);
    if (c && (helps || asks_for_help(argc - 2, argv + 2))) return end(help(c));
    if (c) return end(c->run(argc - 1, argv + 1));
    wadi_say(WADI_SAY_ERROR, "there is no command \"%s\"", name);
    fputc('\n', stderr);
    usage(stderr);
    return WADI_CLI_USAGE;
}
